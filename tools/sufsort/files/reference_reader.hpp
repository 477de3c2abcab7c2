#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/shared_ranges.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "tools/cli/files/input.hpp"

/// Records of FASTA whose letters are read as they are, for the indexes of aligners.
namespace ordo::inline v0::sufsort {

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr bool is_residue(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-' || c == '.';
}

/// Divides a header at its first blank.
inline std::pair<std::string_view, std::string_view> name_and_comment(std::string_view header) {
  auto const blank = std::size_t(std::ranges::find_if(header, is_blank) - header.begin());
  return {header.substr(0, blank), blank == header.size() ? std::string_view() : header.substr(blank + 1)};
}

/// Calls take(line) for each line, without its end.
template <class F>
void each_line(std::string_view text, F take) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    take(line);
  }
}

/// Reads the records of files of FASTA, a block at a time, which all threads of an arena read, check and join. Files take turns
/// in the same memory.
class reference_reader {
 public:
  explicit reference_reader(tbb::task_arena& arena) : arena_(arena) {}

  /// Calls take(header, letters) for each record, and progress() now and then. @throws input_error
  template <class F, class Progress>
  void read(cli::input& in, F take, Progress progress) {
    begin(in);
    for (bool more = true; more; progress()) {
      more = read_block(in, take);
      if (record_ == 0) continue;
      std::copy(letters_.data() + record_, letters_.data() + letters_.size(), letters_.data());
      letters_.resize(letters_.size() - std::exchange(record_, 0));
    }
  }

  /// Begins a file.
  void begin(cli::input& in) {
    name_ = in.name();
    header_.reset();
    line_ = 0;
    waiting_ = 0;
  }
  /// Reads a block, and calls take(header, letters) for each record that ends in it. Their letters stay where they are until
  /// hand_over().
  /// @returns false at the end of the file
  template <class F>
  bool read_block(cli::input& in, F take) {
    constexpr std::size_t block = std::size_t{64} << 20;
    buffer_.resize(waiting_ + block);
    std::span<char> const room = buffer_.span().subspan(waiting_);
    std::size_t count = detail::load(arena_, in, room);
    if (count < room.size()) count += in.read(room.subspan(count));  // the file may have grown
    bool const more = count == block;
    std::string_view const all(buffer_.data(), waiting_ + count);
    std::size_t const last = all.substr(waiting_).rfind('\n'), lines = !more              ? all.size()
                                                                       : last == all.npos ? 0
                                                                                          : waiting_ + last + 1;
    consume_lines(all.substr(0, lines), take);
    waiting_ = all.size() - lines;
    if (lines != 0) std::copy_n(all.data() + lines, waiting_, buffer_.data());
    if (!more) end_record(take);
    return more;
  }
  /// Exchanges the memory of all letters of records that have ended, one record after the other, for other memory.
  void hand_over(host_bytes& letters) {
    letters.resize(0);
    letters.append(letters_.span().subspan(record_));
    letters_.resize(std::exchange(record_, 0));
    std::swap(letters, letters_);
  }

 private:
  struct slice {
    std::string_view text;
    std::uint64_t letters = 0, lines = 0;
    bool is_good = true, is_cut = false;  // is_cut: its last line goes on in the next slice
  };

  [[noreturn]] void fail(std::string const& why) const {
    throw input_error(fmt::format("cannot read: {}:{}: {}", name_, line_, why));
  }

  template <class F>
  void consume_lines(std::string_view text, F& take) {
    while (!text.empty()) {
      if (text.front() == '>') {
        end_record(take);
        std::size_t const end = std::min(text.find('\n'), text.size());
        ++line_;
        each_line(text.substr(0, end), [&](std::string_view header) { header_.emplace(header.substr(1)); });
        if (header_->find('\0') != header_->npos) fail("a NUL byte in the header");
        if (header_->find('\r') != header_->npos) fail("a carriage return inside a line; do all lines end in CR alone?");
        text.remove_prefix(std::min(end + 1, text.size()));
        continue;
      }
      std::size_t end = 0;  // end of the lines before the next header
      while (end != text.npos && !(end != 0 && text[end - 1] == '\n')) end = text.find('>', end + 1);
      std::string_view const lines = text.substr(0, end);
      add(lines);
      text.remove_prefix(lines.size());
    }
  }

  template <class F>
  void end_record(F& take) {
    if (header_) take(std::string_view(*header_), std::string_view(letters_.data() + record_, letters_.size() - record_));
    record_ = letters_.size();
  }

  // Adds lines of letters.
  void add(std::string_view lines) {
    constexpr std::size_t slice_bytes = std::size_t{1} << 20;
    slices_.clear();
    while (!lines.empty()) {
      std::size_t end = lines.size();
      bool is_cut = false;
      if (end > 2 * slice_bytes) {
        // A line may be a whole chromosome. A return and the line feed after it stay together.
        std::size_t const feed = lines.substr(slice_bytes, slice_bytes).find('\n');
        is_cut = feed == lines.npos;
        end = is_cut ? 2 * slice_bytes : slice_bytes + feed + 1;
        while (is_cut && end != lines.size() && lines[end - 1] == '\r') ++end;
        is_cut = is_cut && end != lines.size() && lines[end - 1] != '\n';
      }
      slices_.push_back({.text = lines.substr(0, end), .is_cut = is_cut});
      lines.remove_prefix(end);
    }
    each_slice([](slice& slice) { count(slice); });
    std::uint64_t letters = letters_.size();
    for (slice& slice : slices_) {
      if (!slice.is_good || (!header_ && slice.letters != 0)) refuse(slice.text);
      line_ += slice.lines;
      letters += std::exchange(slice.letters, letters);
    }
    letters_.resize(letters);
    each_slice([&](slice& slice) {
      char* to = letters_.data() + slice.letters;
      each_line(slice.text, [&](std::string_view line) { to = std::ranges::copy(line, to).out; });
    });
  }
  template <class F>
  void each_slice(F f) {
    if (slices_.size() == 1) return f(slices_.front());  // most records are small
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, slices_.size(), [&](std::size_t k) { f(slices_[k]); }); });
  }
  static void count(slice& slice) {
    std::uint64_t residues = 0, ends = 0;
    for (char const c : slice.text) {
      residues += is_residue(c);
      ends += c == '\n';
    }
    slice.letters = residues;
    slice.lines = ends + (slice.text.ends_with('\n') || slice.is_cut ? 0 : 1);
    if (residues + ends == slice.text.size()) return;
    // Returns before line feeds count for nothing; everything else is an error.
    slice.letters = 0;
    each_line(slice.text, [&](std::string_view line) {
      slice.letters += line.size();
      slice.is_good &= std::ranges::all_of(line, is_residue);
    });
  }
  // Throws for the first line that is no line of letters.
  [[noreturn]] void refuse(std::string_view text) {
    each_line(text, [&](std::string_view line) {
      ++line_;
      if (!header_ && !line.empty()) fail("text before the first '>': a reference is FASTA");
      auto const other = std::ranges::find_if_not(line, is_residue);
      if (other == line.end()) return;
      if (*other == '\r') fail("a carriage return inside a line; do all lines end in CR alone?");
      if (is_blank(*other))
        fail(std::all_of(other, line.end(), is_blank) ? "a blank at the end of the line, which aligners read as a letter or "
                                                        "skip: remove it, as by sed 's/[[:blank:]]*$//'"
                                                      : "a blank inside the line is not a residue");
      fail(*other > ' ' && *other < 0x7f ? fmt::format("character '{}' is not a residue", *other)
                                         : fmt::format("byte 0x{:02x} is not a residue", static_cast<unsigned char>(*other)));
    });
    fail("no line of letters");
  }

  tbb::task_arena& arena_;
  std::string name_;
  host_bytes buffer_, letters_;
  std::vector<slice> slices_;
  std::optional<std::string> header_;
  std::uint64_t line_ = 0;   // the number of lines read
  std::size_t waiting_ = 0;  // bytes of the buffer: the beginning of a line
  std::size_t record_ = 0;   // where the letters of the current record begin
};

}  // namespace ordo::inline v0::sufsort
