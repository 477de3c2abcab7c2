#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "ordo/strings/order.hpp"

#pragma GCC visibility push(default)

/// Sorting lines of text in the order of `LC_ALL=C sort`. Bytes are unsigned, a line that ends is smaller than one that goes
/// on, and every byte but the delimiter is an ordinary one, also NUL and CR. Bytes after the last delimiter are a line if
/// there are any. Equal lines keep the order of the text, in both directions. The same text gives the same result on any
/// machine, with any number of threads.
namespace ordo::inline v0::strings {

struct sort_options {
  order by;
  char delimiter = '\n';  // ends a line, and is no part of it; below 0x80
  machine_options machine;
  /// The host memory that a CPU machine may take besides the text, in bytes.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// The number of lines that are written, from the first on. All lines are read and sorted.
  std::uint64_t head = std::numeric_limits<std::uint64_t>::max();
};

/// The sorted lines of a text. Refers to the text, which must outlive it. See ordo/strings/arrays.hpp for plain arrays.
class sorted_lines {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Returns the k-th line of the order, without its delimiter.
  [[nodiscard]] std::string_view operator[](std::size_t k) const;
  /// Returns where in the text the k-th line begins.
  [[nodiscard]] std::size_t start(std::size_t k) const noexcept {
    return narrow_.size() != 0 ? narrow_.data()[k] : wide_.data()[k];
  }
  /// Returns true if the k-th line is equal to the line before it.
  [[nodiscard]] bool is_duplicate(std::size_t k) const noexcept { return duplicates_.data()[k] != 0; }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] char delimiter() const noexcept { return delimiter_; }
  [[nodiscard]] order const& by() const noexcept { return by_; }
  /// The machine that sorted, and why; the most GPU memory in use at a time, in bytes.
  [[nodiscard]] machine_choice const& machine() const noexcept { return machine_; }
  [[nodiscard]] std::size_t device_memory() const noexcept { return device_memory_; }

 private:
  friend sorted_lines sort(std::string_view text, sort_options const& options);

  std::string_view text_;
  char delimiter_ = '\n';
  order by_;
  std::size_t size_ = 0;
  buffer<std::uint32_t> narrow_;  // starts in order: 32 bits each for texts below 4 GiB,
  buffer<std::uint64_t> wide_;    // 64 bits for longer ones
  buffer<std::uint8_t> duplicates_;
  machine_choice machine_;
  std::size_t device_memory_ = 0;
};

/// Sorts the lines of `text`. The CPU does not copy it.
/// @throws usage_error for a delimiter of 0x80 or more, or for a machine that does not exist
/// @throws out_of_memory, with the figures, before any work, if sort_memory() is more than options.memory on the CPU, or than a
/// required GPU has
sorted_lines sort(std::string_view text, sort_options const& options = {});

/// Returns the maximum memory of a machine that sorting takes, in bytes: of the host for device::cpu, with the result and
/// without the text; of the GPU, all of it. That is about 30 bytes a line of the host, 40 for texts of 4 GiB and more, and
/// twice as many of a GPU; and the maximum for the keys, if there are any.
std::size_t sort_memory(device kind, std::size_t bytes, std::size_t lines, order const& by = {}, char delimiter = '\n');

/// Selects how equal lines are written: all of them, the first one, or the first one after their number. Counts look like
/// those of `uniq -c`, in the order of the lines or (by_count) as `sort -rn` sorts that output. sort_options::by decides which
/// lines are equal: an order with keys and no last resort counts keys.
enum class duplicates { keep, drop, count, by_count };

/// Writes the lines in order, each with its delimiter, as `equal` selects, and of these the first `head`. Several threads
/// gather lines, and write them if the sink is addressable. Counting takes 16 bytes of memory for each distinct line. Returns
/// the number of bytes.
/// @param threads  0 for all
/// @throws what the sink throws
std::uint64_t write(sorted_lines const& lines, duplicates equal, unsigned threads, sink& to,
                    std::uint64_t head = std::numeric_limits<std::uint64_t>::max());

/// Texts that are sorted as one. The end of a text ends its last line.
struct texts {
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // bytes of all texts, as far as known before they are opened. The machine is chosen by it
  /// Called once for each k in [0, count), in order, when the text before has been read and its source destroyed.
  std::function<std::unique_ptr<source>(std::size_t k)> open;
};

enum class phase { read, sort, write };
/// Called when a phase begins, with the number of bytes that it processes, or 0.
using phase_observer = std::function<void(phase, std::uint64_t bytes)>;

struct sort_report {
  std::uint64_t bytes = 0, written = 0;  // bytes read, with the delimiters that were added, and bytes written
  machine_choice machine;                // the machine that sorted, and why
  std::size_t device_memory = 0;         // the most GPU memory in use at a time, in bytes
};

/// Sorts the lines of all texts into a sink. A GPU loads addressable texts itself, so that they are never whole in the host's
/// memory, and stores sorted lines as it gathers them. Other texts, and texts that do not fit the GPU's memory, are read to the
/// host first. Nothing is written if an exception is thrown before the phase `write`.
/// @param options  `memory` limits all host memory, with text and results
/// @throws usage_error; out_of_memory as for a text, before anything is read if the sizes are known; what sources and sink
/// throw
sort_report sort(texts const& from, sink& to, sort_options const& options, duplicates equal = duplicates::keep,
                 phase_observer const& began = {});

/// Finds the first line out of order in a text that is passed in pieces of any size. Memory: two lines.
class order_check {
 public:
  /// @param strict  whether a line that is equal to the line before is out of order, too. The machine does not matter.
  /// @throws usage_error for a locale that the system does not know
  explicit order_check(sort_options const& options, bool strict = false);

  /// Checks the next piece. Returns false if a complete line is out of order. Must not be called again then.
  bool feed(std::string_view piece);
  /// Ends the text, and with it the last line. Returns as feed() does.
  bool finish();

  /// After a false: the line out of order and its number, from 1.
  [[nodiscard]] std::size_t number() const noexcept { return lines_; }
  [[nodiscard]] std::string const& line() const noexcept { return previous_; }

 private:
  bool take(std::string_view line, std::string_view before);

  line_comparison compare_;
  bool strict_;
  char delimiter_;
  std::size_t lines_ = 0;
  std::string previous_, unfinished_;
};

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
