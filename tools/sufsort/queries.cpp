#include "tools/sufsort/queries.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr std::size_t batch_queries = 8192, batch_bytes = std::size_t{1} << 20;

// Returns true for a blank, which FASTA ignores. A line holds no line end.
constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool has_blank(std::string_view text) {
  unsigned char any = 0;
  for (char const c : text) any |= static_cast<unsigned char>(is_blank(c) ? 1 : 0);  // without a branch: it is vectorised
  return any != 0;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

// Returns true for a character that a record of FASTA may hold.
constexpr bool is_residue(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-' || c == '.';
}

}  // namespace

std::optional<std::string_view> line_reader::next() {
  constexpr std::size_t room = std::size_t{256} << 10;
  parts_.clear();
  for (;;) {
    if (at_ == end_) {
      buffer_.resize(room);
      at_ = 0;
      end_ = from_.read(std::span(buffer_.data(), room));
      if (end_ == 0 && parts_.empty()) return std::nullopt;
      if (end_ == 0) break;
    }
    std::string_view const rest(buffer_.data() + at_, end_ - at_);
    std::size_t const length = rest.find('\n');
    at_ += std::min(rest.size(), length == rest.npos ? rest.size() : length + 1);
    if (length != rest.npos && parts_.empty()) {
      ++number_;
      return rest.substr(0, length);
    }
    parts_ += rest.substr(0, length);
    if (length != rest.npos) break;
  }
  ++number_;
  return parts_;
}

query_reader::query_reader(std::vector<std::string> patterns, std::vector<std::string> files, options options,
                           cli::output const& out)
    : patterns_(std::move(patterns)), files_(std::move(files)), options_(std::move(options)), out_(out) {
  out_.refuse_inputs(files_);
  for (std::string const& pattern : patterns_) {
    if (pattern.empty()) throw usage_error("empty pattern: command line: it would match everywhere");
    if (options_.parse) {
      try {
        static_cast<void>(options_.parse(pattern));
      } catch (usage_error const& e) {
        if (access(pattern.c_str(), F_OK) != 0) throw;
        throw usage_error(fmt::format("{}: -f {} reads patterns from this file", e.what(), pattern));
      }
      continue;
    }
    if (has_blank(pattern))
      throw usage_error(fmt::format("blank in a pattern: command line: '{}': a blank is not a residue", pattern));
  }
}

void query_reader::fail(std::string_view what, std::uint64_t line, std::string_view why) const {
  throw input_error(fmt::format("{}: {}:{}: {}", what, input_->name(), line, why));
}

// Returns the name in a header: after '>' or '@', up to the first blank.
std::string_view query_reader::name_in(std::string_view header, std::string_view format) const {
  header.remove_prefix(1);
  header = header.substr(0, std::size_t(std::ranges::find_if(header, is_blank) - header.begin()));
  if (header.find('\0') != header.npos) fail(format, lines_->number(), "a NUL byte in the name");
  return header;
}

void query_reader::add(query_batch& batch, std::string_view name, std::string_view pattern) {
  batch.add_name_and_pattern(name, pattern);
  if (options_.as_written) return;
  for (char& c : batch.letters(batch.size() - 1)) c = options_.read_as[static_cast<unsigned char>(c)];
}

// Adds name_ and pattern_. A pattern that cannot be searched does not end the command.
void query_reader::add_of_file(query_batch& batch, std::uint64_t line) {
  if (pattern_.empty() || (options_.can_find && !options_.can_find(pattern_))) {
    if (empty_++ == 0)
      first_empty_ = fmt::format("{}:{}: '{}': {}", input_->name(), line, shortened(name_),
                                 pattern_.empty() ? "no letters" : "too short for the rows of this index");
    pattern_.clear();
  }
  add(batch, name_, pattern_);
}

// Reads a line of a list, or a pattern of the command line, for a text of any bytes.
void query_reader::set_bytes(std::string_view pattern) {
  name_.clear();
  append_printable(name_, pattern);
  pattern_ = options_.parse(pattern);
}

void query_reader::report_empty() const {
  if (empty_ == 0) return;
  std::string const others = empty_ == 1 ? "" : fmt::format(", and {} more patterns", empty_ - 1);
  cli::say("sufsort", fmt::format("warning: skipped pattern: {}{}; reported as not found", first_empty_, others));
}

bool query_reader::open_next() {
  if (next_file_ == files_.size()) return false;
  input_ = std::make_unique<cli::input>(files_[next_file_++], options_.threads);
  out_.refuse_loop(*input_);
  lines_.emplace(*input_);
  line_ = lines_->next();
  format_ = format::list;
  if (options_.parse) return true;
  if (line_)
    if (auto const other = detect_other_format(input_->name() + ".", *line_))
      throw input_error(fmt::format("no queries: {}: it is {}: {}", input_->name(), other->name, other->advice));
  if (line_ && line_->starts_with("\xef\xbb\xbf")) line_->remove_prefix(3);
  bool const empty = line_ && trimmed(*line_).empty();
  while (line_ && trimmed(*line_).empty()) line_ = lines_->next();
  std::string_view const first = line_ ? trimmed(*line_) : std::string_view();
  format_ = first.starts_with('>') || first.starts_with(';') ? format::fasta
            : first.starts_with('@')                         ? format::fastq
                                                             : format::list;
  if (format_ == format::list) {
    if (empty) fail_empty(1);
  } else {
    line_->remove_prefix(std::size_t(first.data() - line_->data()));
  }
  return true;
}

void query_reader::fail_empty(std::uint64_t line) const {
  fail("empty pattern", line, "it would match everywhere");
}

void query_reader::read_line_of_list(query_batch& batch, std::string_view line) {
  if (options_.parse) {
    if (line.empty()) fail_empty(lines_->number());
    try {
      set_bytes(line);
    } catch (usage_error const& e) {
      fail("bad pattern", lines_->number(), e.what());
    }
    return add_of_file(batch, lines_->number());
  }
  pattern_.assign(trimmed(line));
  if (pattern_.empty()) fail_empty(lines_->number());
  if (has_blank(pattern_))
    fail("blank in a pattern", lines_->number(), fmt::format("'{}': a blank is not a residue", pattern_));
  if (auto const other = std::ranges::find_if_not(pattern_, is_residue); other != pattern_.end()) {
    auto const byte = static_cast<unsigned char>(*other);
    fail("bad pattern", lines_->number(),
         byte > ' ' && byte < 0x7f ? fmt::format("'{}' is not a residue", *other)
                                   : fmt::format("byte 0x{:02x} is not a residue", byte));
  }
  name_ = pattern_;
  add_of_file(batch, lines_->number());
}

bool query_reader::read_fasta(query_batch& batch) {
  std::uint64_t begin = 0;
  for (; line_; line_ = lines_->next()) {
    if (line_->starts_with(';')) continue;
    if (line_->starts_with('>')) {
      if (begin != 0) break;  // it belongs to the next record
      begin = lines_->number();
      name_.assign(name_in(*line_, "bad FASTA"));
      pattern_.clear();
    } else if (begin == 0 && !trimmed(*line_).empty()) {
      fail("bad FASTA", lines_->number(), "text before the first '>'");
    } else if (!has_blank(*line_)) {
      pattern_ += *line_;
    } else {
      std::ranges::copy_if(*line_, std::back_inserter(pattern_), [](char c) { return !is_blank(c); });
    }
  }
  if (begin == 0) return false;
  add_of_file(batch, begin);
  return true;
}

void query_reader::read_fastq(query_batch& batch, std::string_view line) {
  std::uint64_t const begin = lines_->number();
  if (!line.starts_with('@')) fail("bad FASTQ", begin, "a read must begin with '@'");
  name_.assign(name_in(line, "bad FASTQ"));
  auto const part = [&](char const* what) {
    auto const next = lines_->next();
    if (!next) fail("bad FASTQ", lines_->number(), fmt::format("read '{}' ends before its {}", name_, what));
    return trimmed(*next);
  };
  pattern_.assign(part("letters"));
  if (has_blank(pattern_))
    fail("blank in a pattern", lines_->number(), fmt::format("'{}': a blank is not a residue", pattern_));
  if (!part("line with '+'").starts_with('+')) fail("bad FASTQ", lines_->number(), "no line with '+' after the letters");
  if (std::size_t const qualities = part("qualities").size(); qualities != pattern_.size())
    fail("bad FASTQ", lines_->number(), fmt::format("{} qualities for {} letters", qualities, pattern_.size()));
  add_of_file(batch, begin);
}

// Adds the next pattern, if there is one.
bool query_reader::read_one(query_batch& batch) {
  if (next_pattern_ != patterns_.size()) {
    std::string const& pattern = patterns_[next_pattern_++];
    if (options_.parse) {
      set_bytes(pattern);
      batch.add_name_and_pattern(name_, pattern_);
    } else {
      add(batch, pattern, pattern);
    }
    return true;
  }
  for (;; line_.reset()) {
    if (!lines_ && !open_next()) return false;
    if (format_ == format::fasta) {
      if (read_fasta(batch)) return true;
      lines_.reset();
      continue;
    }
    if (!line_) line_ = lines_->next();
    if (!line_) {
      lines_.reset();
      continue;
    }
    if (format_ == format::fastq && trimmed(*line_).empty()) continue;
    if (format_ == format::fastq)
      read_fastq(batch, *line_);
    else
      read_line_of_list(batch, *line_);
    line_.reset();
    return true;
  }
}

bool query_reader::next(query_batch& batch) {
  batch.clear();
  while (batch.size() < batch_queries && batch.bytes() < batch_bytes)
    if (!read_one(batch)) break;
  return batch.size() != 0;
}

}  // namespace ordo::inline v0::sufsort
