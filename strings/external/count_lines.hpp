#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ordo/io.hpp"
#include "ordo/strings/external_sort.hpp"
#include "ordo/strings/line_comparison.hpp"

// What becomes of sorted lines on their way to a sink: they are counted, and only the first are kept. The sinks here take lines
// in order, in pieces cut anywhere.
namespace ordo::strings::detail {

/// Thrown to who writes more lines than are wanted: nothing is wrong, and no more needs to be written.
struct enough_lines {};

/// Passes the first `most` lines on.
class head_sink final : public sink {
 public:
  head_sink(sink& to, std::uint64_t most, char delimiter) : to_(to), left_(most), delimiter_(delimiter) {}

  /// @throws enough_lines if there was more than that
  void write(std::span<char const> data) override;
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  sink& to_;
  std::uint64_t left_, written_ = 0;
  char delimiter_;
};

/// Passes the first of equal lines on, behind their number, as `uniq -c` prints it.
class counting_sink final : public sink {
 public:
  counting_sink(sink& to, options const& how)
      : to_(to), compare_(how.by, how.delimiter), plain_(how.by.keys.empty()), delimiter_(how.delimiter) {}

  void write(std::span<char const> data) override;
  /// There are no more lines.
  void finish();

 private:
  void take(std::string_view line);
  void put();

  sink& to_;
  line_comparison compare_;
  bool plain_;  // whole lines: by their bytes in every locale, as uniq has them
  char delimiter_;
  std::uint64_t count_ = 0;  // of lines equal to the first_ so far
  std::string first_, unfinished_, out_;
};

/// Of equal lines, what is to be there for what is written in the end.
[[nodiscard]] constexpr repeated kept_of(repeated equal) {
  return equal == repeated::drop ? equal : repeated::keep;
}

/// Has fill(sink) write lines in order, and say how many bytes; equal ones as kept_of has it. They go to `to` as `equal` and
/// how.head have it. @param where  for repeated::by_count, which is a second sort. @returns how many bytes `to` was given
std::uint64_t write_selected(sink& to, options const& how, repeated equal, spill const& where,
                             std::function<std::uint64_t(sink&)> const& fill);

}  // namespace ordo::strings::detail
