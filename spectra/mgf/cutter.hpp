#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::inline v0::spectra::detail {

/// The text of some whole spectra of MGF, and of whole lines between them.
struct mgf_text : chunk_text {
  bool begun = false;                // a spectrum may have begun before it
  std::uint64_t first_spectrum = 0;  // the number of spectra before it, if they are counted
  bool last = false;

  /// Ends the last line, if it has no end: as the line before it, or with LF.
  /// @returns the number of bytes added
  std::size_t end_last_line();
};

/// Cuts the rest of a source into chunks. One thread at a time calls next(), then any number of threads call fill(). If the
/// source is addressable, next() reads only what it needs to find the end of the chunk, and fill() reads the chunk; else next()
/// reads it and fill() does nothing.
class mgf_cutter {
 public:
  /// The places at which a chunk may end.
  enum class cut { line, spectrum };  // spectrum: every chunk but the first begins with BEGIN IONS

  /// @param may_refuse  an input whose first line has no end, and is not of MGF, is not read on: that line is the only chunk
  explicit mgf_cutter(source& from, cut where = cut::line, bool may_refuse = false)
      : from_(from), size_(from.size()), begin_(from.position()), where_(where), may_refuse_(may_refuse) {}

  /// Finds the next chunk, of mostly a little less than `wanted` bytes; more if a single spectrum is larger. A chunk that is
  /// not smaller than chunk_text::max_bytes has no text.
  /// @returns false after the last one @throws input_error
  bool next(mgf_text& chunk, std::size_t wanted);
  void fill(mgf_text& chunk) const;
  /// The offset of the first chunk in an addressable source; else 0.
  [[nodiscard]] std::uint64_t begin() const { return size_ ? begin_ : 0; }
  /// The bytes of an addressable source that were left at the beginning.
  [[nodiscard]] std::optional<std::uint64_t> size() const {
    return size_ ? std::optional(*size_ - std::min(*size_, begin_)) : std::nullopt;
  }
  /// Moves an addressable source after its last byte.
  void skip_all() {
    if (size_) from_.skip(*size());
  }

 private:
  bool find_end(mgf_text& chunk, std::size_t wanted);
  bool read(mgf_text& chunk, std::size_t wanted);
  std::size_t cut_at(std::uint64_t begin, std::size_t size);
  [[nodiscard]] bool refuses(std::string_view front) const;
  [[nodiscard]] std::size_t chosen(last_cut const& last_cut) const {
    return where_ == cut::line ? last_cut.at : last_cut.begin.value_or(0);
  }

  source& from_;
  std::optional<std::uint64_t> size_;
  std::uint64_t begin_, cut_ = 0;  // bytes in the chunks so far
  bool begun_ = false, at_end_ = false;
  cut where_;
  bool may_refuse_;
  std::vector<char> rest_;  // read after the last chunk, if the source is sequential
  std::vector<char> tail_;  // read to find an end, if it is addressable
};

/// Returns the offset of the last spectrum that begins in [begin, end) of an addressable source, where `begin` is outside of a
/// spectrum; `begin` if there is none. Reads no more than it must, from the end.
std::uint64_t last_spectrum_before(source const& from, std::uint64_t begin, std::uint64_t end);

}  // namespace ordo::inline v0::spectra::detail
