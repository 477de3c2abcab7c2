#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "sort_core/functors.hpp"
#include "suffix/index/fm_walks.hpp"
#include "suffix/text/first_bound.hpp"

// Matches of many queries at a time by an FM index, on any machine. Each thread of a GPU walks through a part of a query, by
// the same walks as a thread of the CPU, which takes a few dozen in turn (fm_walks.hpp).
namespace ordo::inline v0::suffix::detail {

/// Type-erased matches on a GPU, for code that is compiled without CUDA. See gpu_match_finder.
class matches_on_gpu {
 public:
  virtual ~matches_on_gpu() = default;
  virtual void find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length, std::vector<match>& matches,
                                  std::span<std::size_t> ends) = 0;
  virtual void statistics(std::span<query_part const> parts, std::span<std::uint64_t> lengths) = 0;

 protected:
  matches_on_gpu() = default;
  matches_on_gpu(matches_on_gpu const&) = default;
  matches_on_gpu& operator=(matches_on_gpu const&) = default;
};

/// Creates them, in matches_on_cuda.cu.
std::unique_ptr<matches_on_gpu> make_matches_on_cuda(machine_options const& options, unsigned gpu_index, fm_index const& fm,
                                                     text const& input);

/// The index and the text in a machine's memory, as walks read them.
struct fm_parts {
  fm_view view;
  text_letters letters;
  std::uint32_t* has_faults;  // set where the index holds a number that no index has
};

/// The Fm of walks on any machine.
class fm_on_machine {
 public:
  explicit fm_on_machine(fm_parts const* parts) : parts_(parts) {}

  [[nodiscard]] ORDO_FN fm_view const& view() const noexcept { return parts_->view; }
  [[nodiscard]] ORDO_FN text_letters const& letters() const noexcept { return parts_->letters; }
  [[nodiscard]] ORDO_FN fm_interval before(char letter, fm_interval of) const noexcept {
    fm_interval next;
    if (view().step(letter, of, next)) return next;
    store_relaxed(parts_->has_faults, std::uint32_t{1});
    return {};
  }
  /// Returns a position of the text, whatever the index holds. @pre the row of a suffix
  [[nodiscard]] ORDO_FN std::uint64_t position(std::uint64_t row) const noexcept {
    fm_view::walk one{row, row};
    fm_view::outcome end;
    while ((end = view().step(one)) == fm_view::outcome::row) {}
    if (end == fm_view::outcome::position) return one.position;
    store_relaxed(parts_->has_faults, std::uint32_t{1});
    return 0;
  }
  ORDO_FN void positions(std::uint64_t* rows, std::uint64_t count) const noexcept {
    for (std::uint64_t k = 0; k < count; ++k) rows[k] = position(rows[k]);
  }
  [[nodiscard]] ORDO_FN std::uint64_t end_of_record(std::uint64_t p) const noexcept {
    fm_view const& all = view();
    std::size_t const next = all.starts ? first_bound(all.starts, all.records, p + 1) : all.records;
    return next == all.records ? all.residues : all.starts[next];
  }

 private:
  fm_parts const* parts_;
};

/// A part of a query that one thread walks through: the offsets [begin, end). Those from `wanted` on are results. A match at
/// the offset before `wanted` may include the first result, so that offset has a slot in the arrays, even if `wanted` is 0.
struct query_piece {
  std::uint64_t letters_at, size;  // of the query, among all letters
  std::uint64_t begin, wanted, end;
  std::uint64_t slot;  // of the offset before `wanted`
  std::size_t part;    // of which it is
  std::uint64_t base;  // the offset in the query that is 0 here

  [[nodiscard]] ORDO_FN std::uint64_t slot_of(std::uint64_t offset) const { return slot + (offset + 1 - wanted); }
  [[nodiscard]] ORDO_FN std::uint64_t slots() const { return end - wanted + 1; }
  /// Returns the maximum number of ranges that long_string_walk finds.
  [[nodiscard]] std::uint64_t max_ranges() const { return (end - begin) / range_offsets + 2; }
};

/// Takes ranges, and joins those that meet.
struct range_array {
  offset_range* to;
  std::uint64_t* count;
  ORDO_FN void operator()(offset_range more) const {
    if (*count != 0 && to[*count - 1].end == more.begin)
      to[*count - 1].end = more.end;
    else
      to[(*count)++] = more;
  }
};

/// Finds the ranges of offsets of a piece at which a string of the minimum length may begin that occurs.
struct find_ranges {
  fm_on_machine fm;
  char const* letters;
  query_piece const* pieces;
  std::uint64_t const* ranges_at;
  std::uint64_t min_length;
  offset_range* ranges;
  std::uint64_t* counts;

  ORDO_FN void operator()(std::size_t k) const {
    query_piece const piece = pieces[k];
    std::uint64_t count = 0;
    long_string_walk<fm_on_machine, range_array> walk(fm, {letters + piece.letters_at, piece.size}, {piece.begin, piece.end},
                                                      min_length, {ranges + ranges_at[k], &count});
    while (!walk.has_ended()) walk.step();
    counts[k] = count;
  }
};

/// Computes the statistics of a range.
struct walk_range {
  fm_on_machine fm;
  char const* letters;
  query_piece const* pieces;
  std::size_t num_pieces;
  std::uint64_t const *ranges_at, *range_ends;  // where the ranges of a piece lie; how many there are up to its last one
  offset_range const* ranges;
  std::uint64_t min_length;
  std::uint64_t* lengths;
  fm_interval* rows;

  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const k = first_bound(range_ends, num_pieces, r + 1);
    query_piece const piece = pieces[k];
    offset_range const range = ranges[ranges_at[k] + (r - (k == 0 ? 0 : range_ends[k - 1]))];
    std::uint64_t const slot = piece.slot_of(range.begin);
    backward_walk<fm_on_machine> walk(fm, {letters + piece.letters_at, piece.size}, range, lengths + slot, min_length,
                                      rows + slot);
    while (!walk.has_ended()) walk.step();
  }
};

/// Computes the statistics of a piece.
struct walk_piece {
  fm_on_machine fm;
  char const* letters;
  query_piece const* pieces;
  std::uint64_t* lengths;

  ORDO_FN void operator()(std::size_t k) const {
    query_piece const piece = pieces[k];
    backward_walk<fm_on_machine> walk(fm, {letters + piece.letters_at, piece.size}, {piece.begin, piece.end},
                                      lengths + piece.slot);
    while (!walk.has_ended()) walk.step();
  }
};

/// Returns whether the match of a slot is long enough and lies in no other.
struct is_super_maximal {
  std::uint64_t const* lengths;
  fm_interval const* rows;
  std::uint64_t min_length;
  ORDO_FN bool operator()(std::size_t slot) const {
    return lengths[slot] >= min_length && !rows[slot].empty() && lengths[slot] >= lengths[slot - 1];
  }
};

/// Empties the slot before a piece, whose match is not wanted.
struct empty_first_slot {
  query_piece const* pieces;
  fm_interval* rows;
  ORDO_FN void operator()(std::size_t k) const { rows[pieces[k].slot] = {}; }
};

template <class T>
struct store_zero {
  T* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = 0; }
};

struct slot_number {
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return std::uint32_t(i); }
};

struct number_at {
  std::uint64_t const* numbers;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return numbers[i]; }
};

/// The rows of a string that was found.
struct found_string {
  std::uint64_t slot, length, first_row, rows;
};

struct rows_of_string {
  found_string const* strings;
  ORDO_FN std::uint64_t operator()(std::size_t s) const { return strings[s].rows; }
};

struct describe_string {
  fm_on_machine fm;
  std::uint32_t const* slots;
  std::uint64_t const* lengths;
  fm_interval const* rows;
  found_string* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const slot = slots[i];
    fm_interval const of = fm.view().suffixes(rows[slot]);
    to[i] = {slot, lengths[slot], of.begin, of.end - of.begin};
  }
};

/// Computes position `first` + i of those of all strings.
struct locate_string {
  fm_on_machine fm;
  found_string const* strings;
  std::uint64_t const* ends;  // of their positions
  std::size_t count;
  std::uint64_t first;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const s = first_bound(ends, count, first + i + 1);
    to[i] = fm.position(strings[s].first_row + (first + i - (ends[s] - strings[s].rows)));
  }
};

/// Parts of queries, cut into pieces.
class query_pieces {
 public:
  /// @param with_slots  a slot for the offset before each piece
  query_pieces(std::span<query_part const> parts, bool with_slots) {
    for (std::size_t p = 0; p < parts.size(); ++p) add(parts[p], p, with_slots);
  }

  std::string letters;
  std::vector<query_piece> pieces;
  std::uint64_t slots = 0;

 private:
  // Fewer letters keep more threads busy, and each piece costs a search more.
  static constexpr std::uint64_t letters_of_piece = 256;

  void add(query_part const& part, std::size_t number, bool with_slots) {
    std::uint64_t const end = std::min<std::uint64_t>(part.end, part.query.size()), begin = std::min(part.begin, end),
                        before = with_slots && begin != 0 ? 1 : 0;
    if (begin == end) return;
    // A match may go on to the end of the query. Parts of one query follow each other.
    if (part.query.data() != query_.data() || part.query.size() != query_.size() || begin - before < base_) {
      query_ = part.query;
      base_ = begin - before;
      letters_at_ = letters.size();
      letters += part.query.substr(base_);
    }
    std::uint64_t const size = part.query.size() - base_, last = end - base_;
    for (std::uint64_t at = begin - base_; at < last;) {
      std::uint64_t const next = std::min(last, at + letters_of_piece);
      std::uint64_t const first = with_slots && at != 0 ? at - 1 : at;
      pieces.push_back({letters_at_, size, first, at, next, slots, number, base_});
      slots += next - at + (with_slots ? 1 : 0);
      at = next;
    }
  }

  std::string_view query_;  // the last one
  std::uint64_t base_ = 0, letters_at_ = 0;
};

constexpr std::size_t max_positions = std::size_t{1} << 24;  // at a time

/// Returns the bytes of memory that an index takes, and queries of so many letters at a time.
inline std::size_t matches_memory(fm_index const& fm, text const& input, std::size_t letters) {
  constexpr std::size_t of_slot =
      1 + sizeof(std::uint64_t) + sizeof(fm_interval) + sizeof(std::uint32_t) + sizeof(found_string) / 4;
  return fm.bytes().size() + fm.kmers().size_bytes() + input.starts.size_bytes() + (fm.has_text() ? 0 : input.size()) +
         letters * of_slot + max_positions * sizeof(std::uint64_t);
}

/// An FM index in a machine's memory, and searches for matches in it.
template <Backend B>
class matches_on {
 public:
  /// @param fm, input  must outlive this
  matches_on(B& backend, fm_index const& fm, text const& input)
      : backend_(backend),
        fm_(fm),
        file_(backend.upload(fm.bytes())),
        symbols_(backend.upload(std::span<fm_symbols const>(fm.view().symbols, 1))),
        kmers_(backend.upload(fm.kmers())),
        starts_(backend.upload(input.starts)),
        residues_(backend.upload(fm.has_text() ? std::span<char const>() : std::span<char const>(input.residues))),
        has_faults_(backend.template buffer<std::uint32_t>(1)),
        host_parts_(moved_parts()),
        parts_(backend.upload(std::span<fm_parts const>(&host_parts_, 1))) {}

  void find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length, std::vector<match>& matches,
                          std::span<std::size_t> ends) {
    query_pieces const all(parts, true);
    std::ranges::fill(ends, matches.size());
    if (all.pieces.empty()) return;
    check_slots(all);
    auto const letters = backend_.upload(std::span<char const>(all.letters));
    auto const pieces = backend_.upload(std::span<query_piece const>(all.pieces));
    auto const lengths = backend_.template buffer<std::uint64_t>(all.slots);
    auto const rows = backend_.template buffer<fm_interval>(all.slots);
    clear_faults();
    backend_.each(all.slots, store_zero<std::uint64_t>{lengths.data()});
    walk_ranges(all, pieces.span(), letters.data(), min_length, lengths.data(), rows.data());
    backend_.each(all.pieces.size(), empty_first_slot{pieces.data(), rows.data()});
    auto const slots = backend_.template buffer<std::uint32_t>(all.slots);
    std::size_t const found =
        backend_.select(all.slots, is_super_maximal{lengths.data(), rows.data(), min_length}, slot_number{}, slots.span());
    auto const strings = backend_.template buffer<found_string>(found);
    backend_.each(found, describe_string{fm(), slots.data(), lengths.data(), rows.data(), strings.data()});
    check_faults();
    give(all, strings.span(), matches, ends);
  }

  void statistics(std::span<query_part const> parts, std::span<std::uint64_t> lengths) {
    query_pieces const all(parts, false);
    if (all.pieces.empty()) return;
    auto const letters = backend_.upload(std::span<char const>(all.letters));
    auto const pieces = backend_.upload(std::span<query_piece const>(all.pieces));
    auto const found = backend_.target(lengths);
    clear_faults();
    backend_.each(all.pieces.size(), walk_piece{fm(), letters.data(), pieces.data(), found.data()});
    check_faults();
    backend_.download(std::span<std::uint64_t const>(found.span()), lengths);
  }

 private:
  [[nodiscard]] fm_on_machine fm() const { return fm_on_machine(parts_.data()); }

  // Returns the parts of the index as they lie in the machine's memory.
  [[nodiscard]] fm_parts moved_parts() const {
    auto const moved = [&](char const* at) { return file_.data() + (at - fm_.bytes().data()); };
    fm_view view = fm_.view();
    view.file = file_.data();
    view.super = moved(view.super);
    view.blocks = moved(view.blocks);
    view.ends = view.ends.at(moved(view.ends.data()));
    view.samples = view.samples.at(moved(view.samples.data()));
    view.symbols = symbols_.data();
    view.kmers = kmers_.data();
    if (view.starts) view.starts = starts_.data();
    text_letters const letters =
        fm_.has_text() ? fm_.packed_text(file_.data()) : text_letters(std::string_view(residues_.data(), residues_.size()));
    return {view, letters, has_faults_.data()};
  }

  static void check_slots(query_pieces const& all) {
    if (all.slots >> 32 != 0) throw usage_error("too many letters: matches: 2^32 or more at a time");
  }
  void clear_faults() { backend_.each(1, store_zero<std::uint32_t>{has_faults_.data()}); }
  void check_faults() {
    if (value_at(backend_, has_faults_.span(), 0) != 0)
      throw input_error("bad index: " + fm_.name() + ": a search met a number that no index has");
  }

  void walk_ranges(query_pieces const& all, std::span<query_piece const> pieces, char const* letters, std::uint64_t min_length,
                   std::uint64_t* lengths, fm_interval* rows) {
    std::vector<std::uint64_t> begins;
    std::uint64_t max_ranges = 0;
    for (query_piece const& piece : all.pieces) {
      begins.push_back(max_ranges);
      max_ranges += piece.max_ranges();
    }
    auto const ranges_at = backend_.upload(std::span<std::uint64_t const>(begins));
    auto const ranges = backend_.template buffer<offset_range>(max_ranges);
    auto const counts = backend_.template buffer<std::uint64_t>(pieces.size()),
               ends = backend_.template buffer<std::uint64_t>(pieces.size());
    backend_.each(pieces.size(),
                  find_ranges{fm(), letters, pieces.data(), ranges_at.data(), min_length, ranges.data(), counts.data()});
    backend_.scan(pieces.size(), number_at{counts.data()}, ends.span(), plus{});
    backend_.each(std::size_t(value_at(backend_, ends.span(), pieces.size() - 1)),
                  walk_range{fm(), letters, pieces.data(), pieces.size(), ranges_at.data(), ends.data(), ranges.data(),
                             min_length, lengths, rows});
  }

  // Appends the matches of strings, which are in the order of the pieces.
  void give(query_pieces const& all, std::span<found_string const> strings, std::vector<match>& matches,
            std::span<std::size_t> ends) {
    if (strings.empty()) return;
    auto const position_ends = backend_.template buffer<std::uint64_t>(strings.size());
    backend_.scan(strings.size(), rows_of_string{strings.data()}, position_ends.span(), plus{});
    std::vector<found_string> found(strings.size());
    backend_.download(strings, std::span<found_string>(found));
    std::uint64_t const total = value_at(backend_, position_ends.span(), strings.size() - 1);
    auto const located = backend_.template buffer<std::uint64_t>(std::size_t(std::min<std::uint64_t>(total, max_positions)));
    std::vector<std::uint64_t> positions(located.size());
    std::uint64_t at = 0, first = 0, end = 0;  // the next position; those downloaded
    std::size_t piece = 0, part = 0;
    for (found_string const& one : found) {
      while (piece + 1 < all.pieces.size() && all.pieces[piece + 1].slot <= one.slot) ++piece;
      query_piece const& of = all.pieces[piece];
      while (part < of.part) ends[part++] = matches.size();
      std::size_t const first_match = matches.size();
      for (std::uint64_t left = one.rows; left != 0; --left, ++at) {
        if (at == end) {
          first = end;
          end = std::min<std::uint64_t>(total, first + positions.size());
          std::size_t const count = std::size_t(end - first);
          backend_.each(count,
                        locate_string{fm(), strings.data(), position_ends.data(), strings.size(), first, located.data()});
          check_faults();
          backend_.download(std::span<std::uint64_t const>(located.span()).first(count),
                            std::span<std::uint64_t>(positions).first(count));
        }
        matches.push_back({of.base + of.wanted + (one.slot - of.slot) - 1, positions[std::size_t(at - first)], one.length});
      }
      std::sort(matches.begin() + std::ptrdiff_t(first_match), matches.end());
    }
    while (part < ends.size()) ends[part++] = matches.size();
  }

  B& backend_;
  fm_index const& fm_;
  buffer<char const> file_;
  buffer<fm_symbols const> symbols_;
  buffer<fm_interval const> kmers_;
  buffer<std::uint64_t const> starts_;
  buffer<char const> residues_;
  buffer<std::uint32_t> has_faults_;
  fm_parts host_parts_;
  buffer<fm_parts const> parts_;
};

}  // namespace ordo::inline v0::suffix::detail
