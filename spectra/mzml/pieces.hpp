#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/mgf/slices.hpp"
#include "spectra/mzml/outline.hpp"

namespace ordo::spectra::detail {

/// Some whole spectra of an mzML document, and whole tags before, between and behind them.
struct mzml_piece {
  struct element {
    std::size_t begin, end;
  };
  slice memory;
  std::size_t size = 0;
  std::uint64_t first_spectrum = 0;  // its number in the input
  std::uint64_t offset = 0;          // of the text in the input
  std::vector<element> spectra;
  std::vector<index_mark> marks;
  std::shared_ptr<mzml_context const> context;
  bool indexed = true;         // the document may be an indexedmzML: its first tag says so, or comes later
  bool head = false;           // it begins the document, and holds all that stands before the first list in its run
  std::uint64_t repaired = 0;  // bytes outside of spectra that were read as Windows-1252
  std::exception_ptr failure;  // behind the last of the spectra

  [[nodiscard]] std::string_view text() const { return {memory.text().data(), size}; }
};

/// Cuts a source into pieces, and reads what of them is not spectra. By one thread at a time.
class mzml_pieces {
 public:
  /// @param whole_head  the first piece is not cut before the first list of the run has begun
  /// @param lenient  as mzml_outline has it
  explicit mzml_pieces(source& from, bool whole_head = false, bool lenient = false)
      : from_(from), outline_(lenient), head_(whole_head), offset_(from.size() ? from.position() : 0) {}

  /// @param wanted  bytes; more where a spectrum, or another tag with its text, is larger
  /// @returns false if there is none: the last has been. What is wrong is made.failure, and nothing comes behind it
  bool next(mzml_piece& made, std::size_t wanted);

 private:
  void cut(mzml_piece& made, std::size_t wanted);
  std::size_t read(std::span<char> to);
  void keep(std::span<char const> unused);
  bool more(mzml_piece& made, std::size_t wanted);
  void take(mzml_piece& made, markup const& found);
  void read_outside(mzml_piece& made, std::size_t end, bool last = false);

  source& from_;
  mzml_outline outline_;
  bool head_;               // what the next piece begins with is not to be cut
  std::vector<char> rest_;  // what was read behind the last piece, from rest_begin_ on
  std::size_t rest_begin_ = 0;
  bool ended_ = false;

  // Of the piece that is cut.
  std::size_t have_ = 0, searched_ = 0, outside_ = 0;
  bool at_end_ = false;  // of the source: all is in the piece
  bool inside_ = false;  // of a spectrum
  bool may_cut_ = true;  // not between a tag that has a mark and the next one
  bool index_seen_ = false;
  std::uint64_t spectra_ = 0, offset_ = 0;
};

}  // namespace ordo::spectra::detail
