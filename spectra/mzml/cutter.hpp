#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/mzml/outline.hpp"

namespace ordo::inline v0::spectra::detail {

/// The text of some whole spectra of an mzML document, and of whole tags before, between and after them.
struct mzml_text : chunk_text {
  struct element {
    std::size_t begin, end;
  };
  std::uint64_t first_spectrum = 0;  // its number in the input
  std::vector<element> spectra;
  std::vector<index_mark> marks;
  std::shared_ptr<mzml_context const> context;
  bool indexed = true;         // the document may be an indexedmzML: its first tag says so, or comes later
  bool head = false;           // it begins the document, and holds everything before the first list of the run
  std::uint64_t repaired = 0;  // bytes outside of spectra that were read as Windows-1252
  std::exception_ptr failure;  // after the last of the spectra
};

/// Cuts a source into chunks, and reads everything but the spectra. One thread at a time.
class mzml_cutter {
 public:
  /// @param whole_head  the first chunk is not cut before the first list of the run has begun
  /// @param lenient  see mzml_outline
  explicit mzml_cutter(source& from, bool whole_head = false, bool lenient = false)
      : from_(from), outline_(lenient), head_(whole_head), offset_(from.size() ? from.position() : 0) {}

  /// Reads the next `wanted` bytes or so; more if a spectrum, or another tag with its text, is larger. An error is stored in
  /// chunk.failure, and is the end.
  /// @returns false after the last chunk
  bool next(mzml_text& chunk, std::size_t wanted);

 private:
  void cut(mzml_text& chunk, std::size_t wanted);
  std::size_t read(std::span<char> output);
  void keep(std::span<char const> unused);
  bool more(mzml_text& chunk, std::size_t wanted);
  void take(mzml_text& chunk, markup const& tag);
  void read_outside(mzml_text& chunk, std::size_t end, bool last = false);

  source& from_;
  mzml_outline outline_;
  bool head_;               // the next chunk begins with a head that is not to be cut
  std::vector<char> rest_;  // read after the last chunk; unused from rest_begin_ on
  std::size_t rest_begin_ = 0;
  bool ended_ = false;

  // State of the chunk that is being cut.
  std::size_t have_ = 0, searched_ = 0, outside_ = 0;
  bool at_end_ = false;  // the chunk holds the end of the source
  bool inside_ = false;  // a spectrum is open
  bool may_cut_ = true;  // false between a tag that has a mark and the next one
  bool index_seen_ = false;
  std::uint64_t spectra_ = 0, offset_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
