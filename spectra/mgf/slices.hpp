#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/io.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::spectra::detail {

/// Some whole spectra of an input, and whole lines between them.
class slice {
 public:
  std::uint64_t offset = 0;  // behind the place where slices began
  std::size_t size = 0;
  bool begun = false;  // a spectrum may have begun before it
  bool last = false;

  [[nodiscard]] std::span<char> text() const { return memory_.span().first(size); }
  /// Room for `wanted` bytes, of which the first `kept` keep their content. No less than there is.
  [[nodiscard]] std::span<char> room(std::size_t wanted, std::size_t kept = 0);
  /// The last line gets an end, if it has none: that of the line before, or LF. Of how many bytes.
  std::size_t end_last_line();

 private:
  buffer<char> memory_;
};

/// Cuts the rest of a source into slices: next() for one after the other, by one thread at a time; then fill(), which any
/// number of threads may be in at a time. Where the source has addresses next() looks only at what it needs to find the end
/// of the slice, and fill() reads; else next() reads and fill() does nothing.
class slices {
 public:
  /// The limit of a slice's size: offsets in it have 32 bits.
  static constexpr std::uint64_t limit = std::uint64_t{1} << 32;

  /// Where a slice may end.
  enum class cut { line, spectrum };  // spectrum: all but the first begin with BEGIN IONS

  /// @param begun  a spectrum came before, in another source
  slices(source& from, bool begun, cut where = cut::line)
      : from_(from), size_(from.size()), begin_(from.position()), begun_(begun), where_(where) {}

  /// @param wanted  bytes; it is mostly a little smaller, and larger where a single spectrum is
  /// @returns false if there is none: the last has been. What is not smaller than `limit` has no text. @throws input_error
  bool next(slice& made, std::size_t wanted);
  void fill(slice& made) const;

 private:
  bool find_end(slice& made, std::size_t wanted);
  bool read(slice& made, std::size_t wanted);
  std::size_t cut_at(std::uint64_t begin, std::size_t size);
  [[nodiscard]] std::size_t chosen(last_cut const& found) const {
    return where_ == cut::line ? found.at : found.begin.value_or(0);
  }

  source& from_;
  std::optional<std::uint64_t> size_;
  std::uint64_t begin_, done_ = 0;
  bool begun_, at_end_ = false;
  cut where_;
  std::vector<char> rest_;  // of a source without addresses: what was read behind the last slice
  std::vector<char> tail_;  // of one with addresses: what is looked at for an end
};

}  // namespace ordo::spectra::detail
