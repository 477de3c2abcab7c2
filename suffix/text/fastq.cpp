#include "ordo/suffix/fastq.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", blanks = " \t\r\n";
constexpr std::size_t part_bytes = std::size_t{1} << 20;

}  // namespace

bool is_fastq(std::string_view begin) noexcept {
  if (begin.starts_with(byte_order_mark)) begin.remove_prefix(byte_order_mark.size());
  begin.remove_prefix(std::min(begin.find_first_not_of(blanks), begin.size()));
  return begin.starts_with('@');
}

fastq_source::fastq_source(std::string name, std::unique_ptr<source> from) : name_(std::move(name)), from_(std::move(from)) {}

void fastq_source::fail(std::string const& why) const {
  throw input_error(fmt::format("bad FASTQ: {}:{}: {}", name_, line_, why));
}

std::size_t fastq_source::read(std::span<char> to) {
  std::size_t got = 0;
  while (got < to.size()) {
    if (given_ == made_.size()) {
      made_.clear();
      given_ = 0;
      if (!read_more()) break;
      continue;
    }
    std::size_t const count = std::min(to.size() - got, made_.size() - given_);
    std::memcpy(to.data() + got, made_.data() + given_, count);
    given_ += count;
    got += count;
  }
  return got;
}

// Converts the next lines. Returns false at the end.
bool fastq_source::read_more() {
  if (at_end_) return false;
  text_.erase(0, std::exchange(begin_, 0));
  std::size_t const left = text_.size();
  text_.resize(left + std::max(part_bytes, left));
  std::size_t const got = from_->read({text_.data() + left, text_.size() - left});
  at_end_ = got < text_.size() - left;
  text_.resize(left + got);
  std::string_view rest = text_;
  if (line_ == 0 && rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  while (!rest.empty()) {
    std::size_t const end = rest.find('\n');
    if (end == rest.npos && !at_end_) break;
    convert_line(rest.substr(0, end), end != rest.npos);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  begin_ = text_.size() - rest.size();
  if (at_end_ && next_ != part::header)
    fail(fmt::format("read '{}' ends before its {}", read_,
                     next_ == part::letters ? "letters"
                     : next_ == part::plus  ? "line with '+'"
                                            : "qualities"));
  return true;
}

void fastq_source::convert_line(std::string_view line, bool ended) {
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  switch (next_) {
    case part::header:
      line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
      if (line.empty()) break;
      if (!line.starts_with('@')) fail("a read must begin with '@'");
      line.remove_prefix(1);
      read_ = line.substr(0, line.find_first_of(" \t"));
      (made_ += '>') += line;
      next_ = part::letters;
      break;
    case part::letters:
      if (line.starts_with('>') || line.starts_with(';')) fail(fmt::format("'{}' is not a residue", line[0]));
      made_ += line;
      letters_ = line.size();
      next_ = part::plus;
      break;
    case part::plus:
      if (!line.starts_with('+')) fail("no line with '+' after the letters");
      next_ = part::qualities;
      break;
    case part::qualities:
      if (line.size() != letters_) fail(fmt::format("{} qualities for {} letters", line.size(), letters_));
      next_ = part::header;
      break;
  }
  if (ended) made_ += '\n';
}

}  // namespace ordo::inline v0::suffix
