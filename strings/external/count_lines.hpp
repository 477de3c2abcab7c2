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

// Sinks that count sorted lines, and write the first of them only. They take lines in order, in pieces of any size.
namespace ordo::inline v0::strings::detail {

/// Thrown to stop a writer after the last requested line. It is not an error.
struct enough_lines {};

/// Writes the first `max_lines` lines.
class head_sink final : public sink {
 public:
  head_sink(sink& to, std::uint64_t max_lines, char delimiter) : to_(to), left_(max_lines), delimiter_(delimiter) {}

  /// @throws enough_lines if there were more lines
  void write(std::span<char const> data) override;
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  sink& to_;
  std::uint64_t left_, written_ = 0;
  char delimiter_;
};

/// Writes the first of equal lines, after their number, as `uniq -c` does.
class counting_sink final : public sink {
 public:
  counting_sink(sink& to, sort_options const& options)
      : to_(to), compare_(options.by, options.delimiter), plain_(options.by.keys.empty()), delimiter_(options.delimiter) {}

  void write(std::span<char const> data) override;
  /// Takes `count` equal lines, the first of which is given.
  void take(std::string_view line, std::uint64_t count = 1);
  /// Ends the last line.
  void finish();

 private:
  void put();

  sink& to_;
  line_comparison compare_;
  bool plain_;  // whole lines are compared by their bytes in every locale, as in uniq
  char delimiter_;
  std::uint64_t count_ = 0;  // number of lines equal to first_ so far
  std::string first_, unfinished_, out_;
};

/// Returns which of equal lines have to be sorted so that `equal` can be written.
[[nodiscard]] constexpr duplicates duplicates_to_sort(duplicates equal) {
  return equal == duplicates::drop ? equal : duplicates::keep;
}

/// Calls fill(sink), which writes lines in order, equal lines by duplicates_to_sort(), and returns the number of bytes. Writes
/// them as `equal` and options.head demand. Returns the number of bytes written. @param spill  for the second sort of
/// duplicates::by_count @param fill_counted  called in place of fill to count lines, if it is not empty
std::uint64_t write_selected(sink& to, sort_options const& options, duplicates equal, spill_options const& spill,
                             std::function<std::uint64_t(sink&)> const& fill,
                             std::function<void(counting_sink&)> const& fill_counted = {});

}  // namespace ordo::inline v0::strings::detail
