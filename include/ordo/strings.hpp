#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "ordo/strings/order.hpp"

/// Lines of text in the order of `LC_ALL=C sort`: bytes are unsigned, a line that ends is smaller than one that goes on, and
/// every byte but the delimiter is an ordinary one, NUL and CR too. What follows the last delimiter is a line if it is not
/// empty. Equal lines keep the order of the text, whichever way the sort goes. Same text, same result: on any machine, with any
/// number of threads.
namespace ordo::strings {

struct options {
  order by;
  char delimiter = '\n';  // ends a line and is no part of it; below 0x80
  machine_options machine;
  /// Bytes of host memory that the CPU machine may take beside the text.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// So many lines of what there is to write are written, the first ones. What is read and sorted stays the same.
  std::uint64_t head = std::numeric_limits<std::uint64_t>::max();
};

/// The lines of a text in order. Refers to the text, which must outlive it. As plain arrays: ordo/strings/arrays.hpp.
class sorted_lines {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The k-th line of the order, without its delimiter.
  [[nodiscard]] std::string_view operator[](std::size_t k) const;
  /// Where in the text the k-th line begins.
  [[nodiscard]] std::size_t start(std::size_t k) const noexcept { return narrow_ ? narrow_[k] : wide_[k]; }
  /// Is the k-th line equal to the one before it in the order?
  [[nodiscard]] bool repeats(std::size_t k) const noexcept { return repeats_[k] != 0; }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] char delimiter() const noexcept { return delimiter_; }
  [[nodiscard]] order const& by() const noexcept { return by_; }
  /// Which machine did the work, and why; bytes of GPU memory in use at most.
  [[nodiscard]] machine_choice const& machine() const noexcept { return machine_; }
  [[nodiscard]] std::size_t device_memory() const noexcept { return device_memory_; }

 private:
  friend sorted_lines sort(std::string_view text, options const& how);

  std::string_view text_;
  char delimiter_ = '\n';
  order by_;
  std::size_t size_ = 0;
  std::unique_ptr<std::uint32_t[]> narrow_;  // starts in order: 32 bits each where the text is below 4 GiB,
  std::unique_ptr<std::uint64_t[]> wide_;    // else 64
  std::unique_ptr<std::uint8_t[]> repeats_;
  machine_choice machine_;
  std::size_t device_memory_ = 0;
};

/// Sorts the lines of `text`, which is not copied on the CPU.
/// @throws usage_error for a delimiter of 0x80 or more, or for a machine that cannot be had
/// @throws out_of_memory before any work, with the figures, if memory_needed is more than how.memory on the CPU, or than the
/// GPU asked for has
sorted_lines sort(std::string_view text, options const& how = {});

/// Bytes of a machine's memory that sorting takes at most: the host's for device::cpu, the result counted and the text not;
/// all of the GPU's. About 30 bytes a line of the host's, 40 for texts of 4 GiB and more; of a GPU's twice as many; and for an
/// order with keys what these take at most.
std::size_t memory_needed(device where, std::size_t bytes, std::size_t lines, order const& by = {}, char delimiter = '\n');

/// What becomes of equal lines where lines are written: all are kept, or all but the first dropped; or the first is written
/// behind their number, as `uniq -c` does, in the order of the lines or (by_count) as `sort -rn` sorts what that writes.
/// Lines are equal as far as options.by compares them, so that an order with keys and no last resort counts keys.
enum class repeated { keep, drop, count, by_count };

/// Writes the lines in order, each with its delimiter; or what `equal` makes of them, and of that the first `head` lines.
/// Several threads gather lines; where the sink can be given addresses, they write them too. Counting takes 16 bytes of memory
/// for each distinct line. @param threads  0 for all there are
/// @returns how many bytes that are. @throws what the sink throws
std::uint64_t write(sorted_lines const& lines, repeated equal, unsigned threads, sink& to,
                    std::uint64_t head = std::numeric_limits<std::uint64_t>::max());

/// Texts that are sorted as one. The end of each ends its last line.
struct texts {
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // of all of them, as far as is known before they are opened: the machine is chosen by it
  /// Called once for each k in [0, count), in order, when the one before is used up and gone.
  std::function<std::unique_ptr<source>(std::size_t k)> open;
};

enum class phase { read, sort, write };
/// Called when a phase begins, with the bytes that it will be about, or 0.
using phase_observer = std::function<void(phase, std::uint64_t bytes)>;

struct sort_report {
  std::uint64_t bytes = 0, written = 0;  // read, ends that were added counted, and written
  machine_choice machine;                // which did the work, and why
  std::size_t device_memory = 0;         // bytes of GPU memory in use at most
};

/// Sorts the lines of all texts into a sink. A GPU loads what has addresses itself, so that it is never whole in the host's
/// memory, and stores lines in order as it gathers them; all else, and what a GPU's memory cannot take after all, comes to the
/// host first.
/// @param how  `memory` is all that may be taken of the host's, text and results counted
/// @throws usage_error, out_of_memory as sort() of a text, that before anything is read if the sizes are known; what sources
/// and sink throw. Nothing is written then, unless writing failed
sort_report sort(texts const& from, sink& to, options const& how, repeated equal = repeated::keep,
                 phase_observer const& began = {});

/// Looks for the first line out of order in a text that comes in pieces, cut anywhere. Memory: two lines.
class order_check {
 public:
  /// @param strict  a line equal to the one before it is out of order too. The machine does not matter.
  /// @throws usage_error for a locale that the system does not know
  explicit order_check(options const& how, bool strict = false);

  /// The next piece. @returns whether all lines that are complete so far are in order; ask no further after a false
  bool feed(std::string_view piece);
  /// The text is over, and with it the last line.
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

}  // namespace ordo::strings
