#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/run_view.hpp"
#include "suffix/aligners/dna_codes.hpp"

/// The blocks of run_view.hpp as they are made and read one after the other.
namespace ordo::inline v0::suffix::run_length {

static_assert(num_codes == num_dna_codes);

/// Collects the pieces of a block.
class block_packer {
 public:
  /// Begins a block of a kind.
  ORDO_FN void begin(unsigned kind) {
    block_ = {};
    kind_ = kind;
    pieces_ = rows_ = 0;
  }
  /// Adds rows of a letter, and returns how many there was room for.
  ORDO_FN std::uint64_t add(unsigned letter, std::uint64_t length) {
    std::uint64_t left = length;
    unsigned const bits = run_block::lane_bits(kind_), lanes = 3 - kind_;
    while (left != 0 && pieces_ < run_block::capacity(kind_) && rows_ < run_block::max_rows) {
      std::uint64_t take = left < run_block::piece_rows(kind_) ? left : run_block::piece_rows(kind_);
      if (take > run_block::max_rows - rows_) take = run_block::max_rows - rows_;
      block_.words[pieces_ >> lanes] |= (take << letter_bits | letter) << ((pieces_ & ((1U << lanes) - 1)) * bits);
      ++pieces_;
      rows_ += take;
      left -= take;
      if (letter - 1 < 4) block_.before[letter] += std::uint32_t(take);
    }
    return length - left;
  }
  /// Adds runs of one piece each to an empty block of the first kind: at most as many as it holds.
  ORDO_FN void add_short(std::uint8_t const* letters, std::uint64_t const* lengths, unsigned runs) {
    std::uint32_t counts[letter_mask + 1] = {};
    for (unsigned i = 0; i < runs; ++i) {
      block_.words[i / 8] |= (lengths[i] << letter_bits | letters[i]) << (i % 8 * 8);
      counts[letters[i]] += std::uint32_t(lengths[i]);
      rows_ += lengths[i];
    }
    for (unsigned letter = 1; letter <= 4; ++letter) block_.before[letter] = counts[letter];
  }
  /// Returns the block. Its counts are those of its own rows.
  ORDO_FN run_block const& finish() {
    block_.before[0] = std::uint32_t(rows_);
    block_.shape = std::uint32_t(rows_) | kind_ << 20;
    return block_;
  }

 private:
  run_block block_{};
  unsigned kind_ = 0;
  std::uint64_t pieces_ = 0, rows_ = 0;
};

/// Makes blocks of runs. To is called as to.block(b) for each block, with counts of its own rows, and as to.end(row) for each
/// row, from 0 on, whose letter is the end of a record.
template <class To>
class block_writer {
 public:
  ORDO_FN explicit block_writer(To to) : to_(to) {}

  ORDO_FN void add(unsigned letter, std::uint64_t length) {
    if (count_ != 0 && letters_[count_ - 1] == letter) {
      lengths_[count_ - 1] += length;
    } else {
      while (count_ == max_runs) write_block();  // a block may take some rows of the first run alone
      letters_[count_] = std::uint8_t(letter);
      lengths_[count_++] = length;
    }
    if (letter == end_code)
      for (std::uint64_t i = 0; i < length; ++i) to_.end(rows_ + i);
    rows_ += length;
  }
  ORDO_FN void finish() {
    while (count_ != 0) write_block();
  }
  [[nodiscard]] ORDO_FN To& to() { return to_; }
  [[nodiscard]] ORDO_FN std::uint64_t rows() const { return rows_; }

 private:
  static constexpr unsigned max_runs = run_block::max_pieces + 1;  // the last one may grow

  /// Returns the number of runs that a block of this kind holds, in units of 2^32, and the rows of a further one that is cut.
  template <unsigned Kind>
  [[nodiscard]] ORDO_FN std::uint64_t content(unsigned runs) const {
    constexpr std::uint64_t piece = run_block::piece_rows(Kind);  // a constant: a division takes longer than all else here
    std::uint64_t room = run_block::capacity(Kind), i = 0;
    for (; i < runs; ++i) {
      std::uint64_t const pieces = lengths_[i] <= piece ? 1 : (lengths_[i] + piece - 1) / piece;
      if (pieces > room) break;
      room -= pieces;
    }
    return i << 32 | room * piece;
  }
  template <unsigned Kind>
  ORDO_FN void choose(unsigned runs, unsigned& kind, std::uint64_t& best) const {
    if (best >> 32 >= run_block::capacity(Kind) || best >> 32 >= runs) return;
    if (std::uint64_t const here = content<Kind>(runs); here > best) {
      best = here;
      kind = Kind;
    }
  }
  ORDO_FN void write_block() {
    unsigned const runs = count_ == max_runs ? count_ - 1 : count_;
    std::uint64_t any = 0;  // bits that any length has
    for (unsigned i = 0; i < runs; ++i) any |= lengths_[i];
    block_packer packer;
    unsigned i = 0;
    if (any <= run_block::piece_rows(0)) {
      packer.begin(0);
      packer.add_short(letters_, lengths_, runs);
      i = runs;
    } else {
      unsigned kind = 0;
      std::uint64_t best = content<0>(runs);
      static_assert(run_block::num_kinds == 3);
      choose<1>(runs, kind, best);
      choose<2>(runs, kind, best);
      packer.begin(kind);
      for (; i < runs; ++i) {
        lengths_[i] -= packer.add(letters_[i], lengths_[i]);
        if (lengths_[i] != 0) break;
      }
    }
    to_.block(packer.finish());
    for (unsigned k = i; k < count_; ++k) {
      letters_[k - i] = letters_[k];
      lengths_[k - i] = lengths_[k];
    }
    count_ -= i;
  }

  To to_;
  std::uint8_t letters_[max_runs] = {};
  std::uint64_t lengths_[max_runs] = {};
  unsigned count_ = 0;
  std::uint64_t rows_ = 0;
};

namespace detail {

template <class Piece, class F>
void each_piece(run_block const& block, F f) {
  Piece pieces[run_block::max_pieces / sizeof(Piece)];
  std::memcpy(pieces, block.words, sizeof(pieces));
  for (Piece const piece : pieces) {
    if (piece >> letter_bits == 0) return;
    f(piece & letter_mask, std::uint64_t(piece >> letter_bits));
  }
}

}  // namespace detail

/// Calls f(letter, rows) for each piece of a block.
template <class F>
void each_piece(run_block const& block, F f) {
  switch (block.kind()) {
    case 0:
      return detail::each_piece<std::uint8_t>(block, f);
    case 1:
      return detail::each_piece<std::uint16_t>(block, f);
    default:
      return detail::each_piece<std::uint32_t>(block, f);
  }
}

/// Reads the pieces of blocks [begin, end).
class piece_reader {
 public:
  ORDO_FN piece_reader(run_block const* blocks, std::uint64_t begin, std::uint64_t end)
      : block_(blocks + begin), end_(blocks + end) {}

  /// Sets the next piece.
  /// @returns false at the end
  ORDO_FN bool next(unsigned& letter, std::uint64_t& length) {
    while (block_ != end_) {
      unsigned const kind = block_->kind();
      if (at_ < run_block::capacity(kind)) {
        std::uint32_t const piece = block_->piece(kind, at_++);
        letter = piece & letter_mask;
        length = piece >> letter_bits;
        if (length != 0) return true;
      }
      ++block_;
      at_ = 0;
    }
    return false;
  }

 private:
  run_block const *block_, *end_;
  unsigned at_ = 0;
};

}  // namespace ordo::inline v0::suffix::run_length
