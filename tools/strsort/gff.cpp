#include "tools/strsort/gff.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::size_t max_front = std::size_t{4} << 20, step = std::size_t{256} << 10;
constexpr std::string_view sequences = "##FASTA", resolved = "###", blanks = " \t\r";

bool begins_other_line(char c) {
  return c == '#' || c == '>';
}

// Calls use(part) for the bytes of a text from `offset` on, as long as it returns true.
template <class Use>
bool each_part(stored_text const& text, std::uint64_t offset, Use use) {
  std::string part;
  for (; offset < text.size(); offset += part.size()) {
    part.resize(std::size_t(std::min<std::uint64_t>(step, text.size() - offset)));
    text.read_at(offset, part);
    if (!use(offset, std::string_view(part))) return false;
  }
  return true;
}

bool are_equal(stored_text const& a, stored_text const& b) {
  if (a.size() != b.size()) return false;
  std::string other;
  return each_part(a, 0, [&](std::uint64_t offset, std::string_view part) {
    other.resize(part.size());
    b.read_at(offset, other);
    return part == other;
  });
}

}  // namespace

void stored_text::append(std::string_view more) {
  std::string_view const first = more.substr(0, max_front - std::min(max_front, front_.size()));
  front_ += first;
  size_ += first.size();
  more.remove_prefix(first.size());
  if (more.empty()) return;
  if (!rest_) rest_ = std::make_unique<temporary_file>(folder_);
  rest_->write_at(size_ - front_.size(), more);
  size_ += more.size();
}

void stored_text::read_at(std::uint64_t offset, std::span<char> to) const {
  if (offset < front_.size()) {
    std::size_t const part = std::min(to.size(), front_.size() - std::size_t(offset));
    std::memcpy(to.data(), front_.data() + offset, part);
    to = to.subspan(part);
    offset += part;
  }
  if (!to.empty()) rest_->read_at(offset - front_.size(), to);
}

bool gff_parts::add_line(std::string_view line, std::size_t input) {
  constexpr std::string_view version = "##gff-version";
  if (line.starts_with(version)) {
    // 3 and 3.1.26 are the same.
    std::string_view number = line.substr(version.size());
    number.remove_prefix(std::min(number.find_first_not_of(blanks), number.size()));
    number = number.substr(0, number.find_first_not_of("0123456789"));
    if (!version_) {
      version_ = number;
      version_line_ = fmt::format("{}\n", line);  // the first line, by the format
    }
    return version_ == number;
  }
  bool const is_directive = line.starts_with("##");
  if (is_directive || are_several_) {
    auto const [known, is_new] = known_lines_.emplace(line, input);
    if (!is_new && (is_directive || known->second != input)) return true;
  }
  (last_lines_ += line) += '\n';
  if (last_lines_.size() >= step) {
    lines_.append(last_lines_);
    last_lines_.clear();
  }
  return true;
}

void gff_parts::keep(stored_text section) {
  if (section.size() == 0) return;
  char last = 0;
  section.read_at(section.size() - 1, std::span(&last, 1));
  if (last != '\n') section.append("\n");
  if (std::ranges::none_of(sections_, [&](stored_text const& known) { return are_equal(known, section); }))
    sections_.push_back(std::move(section));
}

std::uint64_t gff_parts::write_lines(sink& to) const {
  if (version_) to.write(version_line_);
  each_part(lines_, 0, [&](std::uint64_t, std::string_view part) {
    to.write(part);
    return true;
  });
  to.write(last_lines_);
  return version_line_.size() + lines_.size() + last_lines_.size();
}

std::uint64_t gff_parts::write_sequences(sink& to) const {
  std::uint64_t written = 0;
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    std::uint64_t begin = 0;
    if (k != 0) {
      // The directive is that of the first section.
      std::string head(std::size_t(std::min<std::uint64_t>(step, sections_[k].size())), '\0');
      sections_[k].read_at(0, head);
      if (head.starts_with(sequences)) begin = std::min(head.find('\n'), head.size() - 1) + 1;
    }
    each_part(sections_[k], begin, [&](std::uint64_t, std::string_view part) {
      to.write(part);
      written += part.size();
      return true;
    });
  }
  return written;
}

gff_source::gff_source(std::unique_ptr<source> from, gff_parts& parts, std::size_t input, std::string name, bool numbers_lines)
    : from_(std::move(from)),
      parts_(parts),
      input_(input),
      name_(std::move(name)),
      numbers_lines_(numbers_lines),
      buffer_(2 * step) {}

// Reads more bytes after those of the buffer, which grows if a line fills it. @returns false at the end
bool gff_source::fill() {
  if (ended_) return false;
  if (at_ != 0) std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  end_ -= std::exchange(at_, 0);
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  std::span<char> const room = std::span(buffer_).subspan(end_);
  std::size_t const got = from_->read(room);
  end_ += got;
  ended_ = got < room.size();
  return got != 0;
}

// Returns the line at `at_`, of which nothing has been read, with its end.
std::string_view gff_source::whole_line() {
  for (std::size_t searched = 0;;) {
    std::string_view const all(buffer_.data() + at_, end_ - at_);
    if (std::size_t const end = all.find('\n', searched); end != all.npos) return all.substr(0, end + 1);
    searched = all.size();
    if (!fill()) return {buffer_.data() + at_, end_ - at_};
  }
}

// Takes a line that begins as no feature does, or the sequences after it.
void gff_source::read_other() {
  while (end_ - at_ < sequences.size() && fill()) {}
  std::string_view const begin(buffer_.data() + at_, std::min(sequences.size(), end_ - at_));
  if (begin.front() == '>' || begin == sequences) {
    parts_.add_sequences([this]() -> std::string_view {
      if (at_ == end_ && !fill()) return {};
      std::size_t const from = std::exchange(at_, end_);
      return {buffer_.data() + from, end_ - from};
    });
    return;
  }
  std::string_view line = whole_line();
  std::size_t const size = line.size();
  line = line.substr(0, line.find('\n'));
  ++others_;
  if (line.substr(0, line.find_last_not_of(blanks) + 1) != resolved && !parts_.add_line(line, input_))
    throw input_error(fmt::format("cannot read: {}:{}: {}, and another version before", name_, lines_ + others_, line));
  at_ += size;
  if (numbers_lines_) left_out_.push_back(lines_);
}

std::size_t gff_source::read(std::span<char> to) {
  std::size_t got = 0;
  while (got < to.size() && (at_ != end_ || fill())) {
    if (!in_line_ && begins_other_line(buffer_[at_])) {
      read_other();
      continue;
    }
    // All lines up to one that begins as no feature does.
    char const* const begin = buffer_.data() + at_;
    char const* const limit = begin + std::min(to.size() - got, end_ - at_);
    char const* p = begin;
    do {
      auto const* const newline = static_cast<char const*>(std::memchr(p, '\n', std::size_t(limit - p)));
      in_line_ = newline == nullptr;
      lines_ += newline != nullptr;
      p = newline ? newline + 1 : limit;
    } while (p != limit && !begins_other_line(*p));
    std::memcpy(to.data() + got, begin, std::size_t(p - begin));
    got += std::size_t(p - begin);
    at_ += std::size_t(p - begin);
  }
  return got;
}

std::uint64_t gff_source::line_number(std::uint64_t n) const {
  return n + std::uint64_t(std::ranges::lower_bound(left_out_, n) - left_out_.begin());
}

void gff_sink::begin() {
  if (!std::exchange(began_, true)) written_ = parts_.write_lines(to_);
}

void gff_sink::write(std::span<char const> data) {
  begin();
  to_.write(data);
}

std::uint64_t gff_sink::finish() {
  begin();
  return written_ + parts_.write_sequences(to_);
}

}  // namespace ordo::inline v0::strsort
