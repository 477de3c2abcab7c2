#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/first_bound.hpp"
#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix/matches.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/index/fm_walks.hpp"
#include "suffix/matches/query_pieces.hpp"

// Matches of many queries at a time by an FM index, on any machine. Each thread of a GPU walks through a part of a query, by
// the same walks as a thread of the CPU, which takes a few dozen in turn (fm_walks.hpp).
namespace ordo::inline v0::suffix::detail {

/// Type-erased matches on a GPU, for code that is compiled without CUDA. See gpu_match_finder.
class matches_on_gpu {
 public:
  virtual ~matches_on_gpu() = default;
  virtual found_strings find(query_pieces const& queries, std::uint64_t min_length) = 0;
  virtual found_strings find_super_maximal(query_pieces const& queries, std::uint64_t min_length) = 0;
  virtual void statistics(query_pieces const& queries, std::span<std::uint64_t> lengths) = 0;

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
  /// Notes that the index holds a number that no index has.
  ORDO_FN void note_fault() const noexcept { store_relaxed(parts_->has_faults, std::uint32_t{1}); }
  [[nodiscard]] ORDO_FN fm_interval before(char letter, fm_interval of) const noexcept {
    fm_interval next;
    if (view().step(letter, of, next)) return next;
    note_fault();
    return {};
  }
  /// Returns a position of the text, whatever the index holds. @pre the row of a suffix
  [[nodiscard]] ORDO_FN std::uint64_t position(std::uint64_t row) const noexcept {
    fm_view::walk walk{row, row};
    fm_view::outcome end;
    while ((end = view().step(walk)) == fm_view::outcome::row) {}
    if (end == fm_view::outcome::position) return walk.position;
    note_fault();
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

/// Returns the maximum number of ranges that long_string_walk finds in a piece.
struct max_ranges {
  query_piece const* pieces;
  ORDO_FN std::uint64_t operator()(std::size_t k) const { return (pieces[k].end - pieces[k].begin) / range_offsets + 2; }
};

/// Returns where the ranges of a piece lie. @param max_ends  the sums of max_ranges up to each piece
ORDO_FN inline std::uint64_t first_range(std::uint64_t const* max_ends, query_piece const* pieces, std::size_t k) {
  return max_ends[k] - max_ranges{pieces}(k);
}

/// Finds the ranges of offsets of a piece at which a string of the minimum length may begin that occurs.
struct find_ranges {
  fm_on_machine fm;
  char const* letters;
  query_piece const* pieces;
  std::uint64_t const* max_ends;
  std::uint64_t min_length;
  offset_range* ranges;
  std::uint64_t* counts;

  ORDO_FN void operator()(std::size_t k) const {
    query_piece const piece = pieces[k];
    std::uint64_t count = 0;
    long_string_walk<fm_on_machine, range_array> walk(fm, {letters + piece.letters_at, piece.size}, {piece.begin, piece.end},
                                                      min_length, {ranges + first_range(max_ends, pieces, k), &count});
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
  std::uint64_t const *max_ends, *range_ends;  // where the ranges of a piece lie; how many there are up to its last one
  offset_range const* ranges;
  std::uint64_t min_length;
  std::uint64_t* lengths;
  fm_interval* rows;

  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const k = first_bound(range_ends, num_pieces, r + 1);
    query_piece const piece = pieces[k];
    offset_range const range = ranges[first_range(max_ends, pieces, k) + (r - (k == 0 ? 0 : range_ends[k - 1]))];
    std::uint64_t const slot = piece.slot_at(range.begin);
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

/// Returns the number of slots of a piece.
struct number_of_slots {
  query_piece const* pieces;
  ORDO_FN std::uint64_t operator()(std::size_t k) const { return pieces[k].end - pieces[k].wanted + 1; }
};

/// The offsets of slots.
struct slot_offsets {
  char const* letters;
  query_piece const* pieces;
  std::size_t num_pieces;
  std::uint64_t const* slot_ends;  // up to each piece

  struct offset {
    query_letters query;  // as far as its piece has letters
    std::uint64_t at;
    bool is_wanted, has_letter_before;
  };
  ORDO_FN offset operator()(std::size_t slot) const {
    query_piece const piece = pieces[first_bound(slot_ends, num_pieces, slot + 1)];
    std::uint64_t const at = piece.wanted + (slot - piece.slot) - 1;
    return {{letters + piece.letters_at, piece.size}, at, slot != piece.slot, at != piece.begin};
  }
};

/// Searches for the string of the minimum length at each slot, and counts where it begins a maximal match: where the text has
/// not the query's letter before it.
struct search_string {
  fm_on_machine fm;
  slot_offsets offset_at;
  std::uint64_t length;
  fm_interval* rows;
  std::uint64_t* counts;

  ORDO_FN void operator()(std::size_t slot) const {
    slot_offsets::offset const offset = offset_at(slot);
    fm_interval interval;
    if (offset.is_wanted && length <= offset.query.size - offset.at) interval = rows_at(offset);
    rows[slot] = interval;
    counts[slot] = interval.empty() ? 0 : interval_size(interval) - continued(offset, interval);
  }

 private:
  ORDO_FN static std::uint64_t interval_size(fm_interval of) { return of.empty() ? 0 : of.end - of.begin; }
  [[nodiscard]] ORDO_FN fm_interval rows_at(slot_offsets::offset const& offset) const {
    char const* const string = offset.query.data + offset.at;
    std::size_t left = 0;
    fm_interval interval = fm.view().last_letters(string, length, left);
    while (left != 0 && !interval.empty()) interval = fm.before(string[--left], interval);
    return interval;
  }
  // Returns how many rows follow the query's letter. @pre not more than all in an index that is not damaged
  [[nodiscard]] ORDO_FN std::uint64_t continued(slot_offsets::offset const& offset, fm_interval interval) const {
    if (!offset.has_letter_before) return 0;
    std::uint64_t const count = interval_size(fm.before(offset.query.data[offset.at - 1], interval));
    if (count <= interval_size(interval)) return count;
    fm.note_fault();
    return interval_size(interval);
  }
};

/// Finds match `first` + i of those that begin at some slots: its position and its length.
struct find_match {
  fm_on_machine fm;
  slot_offsets offset_at;
  std::uint64_t min_length;
  std::uint32_t const* slots;
  fm_interval const* rows;    // one per slot
  std::uint64_t const* ends;  // where their matches end
  std::size_t count;
  std::uint64_t first;
  std::uint64_t *positions, *lengths;

  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const s = first_bound(ends, count, first + i + 1);
    slot_offsets::offset const offset = offset_at(slots[s]);
    std::uint64_t const p = position(rows[slots[s]], offset, first + i - (s == 0 ? 0 : ends[s - 1]));
    std::uint64_t const end = p < fm.view().residues ? fm.end_of_record(p) : p;
    bool const is_there = min_length <= end - p;
    if (!is_there) fm.note_fault();
    positions[i] = is_there ? p : 0;
    lengths[i] = is_there ? length(offset, p, end) : 0;
  }

 private:
  // Returns the k-th position of a string that has not the query's letter before it, by the letters that it has. Returns the
  // number of letters of the text if a damaged index has fewer.
  [[nodiscard]] ORDO_FN std::uint64_t position(fm_interval of, slot_offsets::offset const& offset, std::uint64_t k) const {
    fm_view const& view = fm.view();
    std::size_t const skipped =
        offset.has_letter_before ? view.symbols->of_byte[static_cast<unsigned char>(offset.query.data[offset.at - 1])] : 0;
    for (std::size_t symbol = 0; symbol < view.num_symbols; ++symbol) {
      if (symbol != 0 && symbol == skipped) continue;
      std::uint64_t const begin = view.rank(symbol, of.begin), end = view.rank(symbol, of.end);
      if (begin > end) break;
      if (k >= end - begin) {
        k -= end - begin;
        continue;
      }
      std::uint64_t const row = view.symbols->first[symbol] + begin + k;
      if (row >= view.symbols->first[symbol + 1]) break;
      if (symbol != 0) return fm.position(row - view.records) + 1;
      std::uint64_t const record = view.ends[begin + k];
      if (record >= view.records) break;
      return view.starts ? view.starts[record] : 0;
    }
    return view.residues;
  }
  [[nodiscard]] ORDO_FN std::uint64_t length(slot_offsets::offset const& offset, std::uint64_t p, std::uint64_t end) const {
    std::uint64_t const left = offset.query.size - offset.at - min_length, right = end - p - min_length;
    return min_length +
           fm.letters().common_prefix(offset.query.data + offset.at + min_length, p + min_length, left < right ? left : right);
  }
};

/// Returns true if the match of a slot is long enough and lies in no other.
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

/// Computes the rows of the strings at slots.
struct rows_of_strings {
  fm_on_machine fm;
  std::uint32_t const* slots;
  fm_interval const* rows;
  fm_interval* to;
  ORDO_FN void operator()(std::size_t s) const { to[s] = fm.view().suffixes(rows[slots[s]]); }
};

struct number_of_rows {
  fm_interval const* rows;
  ORDO_FN std::uint64_t operator()(std::size_t s) const { return rows[s].end - rows[s].begin; }
};

struct describe_string {
  std::uint32_t const* slots;
  std::uint64_t const *lengths, *position_ends;
  found_string* to;
  ORDO_FN void operator()(std::size_t s) const { to[s] = {slots[s], lengths[slots[s]], position_ends[s]}; }
};

/// Computes positions of those of all strings from `first` on: each threads-th, from i on. The numbers of steps differ, so that
/// each thread begins the next walk as soon as it has ended one, whatever those beside it do.
struct locate_strings {
  fm_on_machine fm;
  fm_interval const* rows;    // rows of the strings
  std::uint64_t const* ends;  // where their positions end
  std::size_t count;
  std::uint64_t first, num_positions, threads;
  std::uint64_t* to;

  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t at = i;
    if (at >= num_positions) return;
    fm_view::walk walk = start(at);
    while (true) {
      fm_view::outcome const end = fm.view().step(walk);
      if (end == fm_view::outcome::row) continue;
      bool const is_there = end == fm_view::outcome::position;
      if (!is_there) fm.note_fault();
      to[at] = is_there ? walk.position : 0;
      at += threads;
      if (at >= num_positions) return;
      walk = start(at);
    }
  }

 private:
  [[nodiscard]] ORDO_FN fm_view::walk start(std::uint64_t i) const {
    std::size_t const s = first_bound(ends, count, first + i + 1);
    std::uint64_t const row = rows[s].end - (ends[s] - (first + i));
    return {row, row};
  }
};

struct is_above_zero {
  std::uint64_t const* numbers;
  ORDO_FN bool operator()(std::size_t i) const { return numbers[i] != 0; }
};

struct number_of_slot {
  std::uint32_t const* slots;
  std::uint64_t const* numbers;
  ORDO_FN std::uint64_t operator()(std::size_t s) const { return numbers[slots[s]]; }
};

struct describe_matches {
  std::uint32_t const* slots;
  std::uint64_t const* ends;
  found_string* to;
  ORDO_FN void operator()(std::size_t s) const { to[s] = {slots[s], 0, ends[s]}; }
};

constexpr std::size_t max_positions = std::size_t{1} << 24;    // at a time
constexpr std::uint64_t max_matches = std::uint64_t{1} << 28;  // matches that begin at the slots of one call

/// Returns the bytes of memory that an index takes, and queries of this number of letters at a time.
inline std::size_t matches_memory(fm_index const& fm, text const& input, std::size_t letters) {
  constexpr std::size_t of_slot = 1 + sizeof(std::uint64_t) + sizeof(fm_interval) + sizeof(std::uint32_t) +
                                  (sizeof(fm_interval) + sizeof(std::uint64_t) + sizeof(found_string)) / 4;
  return fm.bytes().size() + fm.kmers().size_bytes() + input.starts.size_bytes() +
         (fm.has_text() || fm.has_runs() ? 0 : input.size()) +
         letters * of_slot + 2 * max_positions * sizeof(std::uint64_t);
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
        residues_(backend.upload(fm.has_text() || fm.has_runs() ? std::span<char const>()
                                                                : std::span<char const>(input.residues))),
        has_faults_(backend.template buffer<std::uint32_t>(1)),
        host_parts_(moved_parts()),
        parts_(backend.upload(std::span<fm_parts const>(&host_parts_, 1))) {}

  /// Finds all maximal matches of at least min_length letters: every occurrence of the string of this length at an offset, but
  /// those that go on to the left. Takes a search for each offset, and time for the matches only. @pre not an index of runs
  found_strings find(query_pieces const& queries, std::uint64_t min_length) {
    auto const on_host = queries.pieces();
    if (on_host.empty()) return {};
    std::size_t const all = count_slots(queries);
    auto const letters = backend_.upload(queries.letters());
    auto const pieces = backend_.upload(on_host);
    auto const slot_ends = backend_.template buffer<std::uint64_t>(pieces.size());
    backend_.scan(pieces.size(), number_of_slots{pieces.data()}, slot_ends.span(), plus{});
    slot_offsets const offset_at{letters.data(), pieces.data(), pieces.size(), slot_ends.data()};
    auto const rows = backend_.template buffer<fm_interval>(all);
    auto const counts = backend_.template buffer<std::uint64_t>(all);
    clear_faults();
    backend_.each(all, search_string{fm(), offset_at, min_length, rows.data(), counts.data()});
    check_faults();
    auto const slots = backend_.template buffer<std::uint32_t>(all);
    std::size_t const strings = backend_.select(all, is_above_zero{counts.data()}, slot_number{}, slots.span());
    if (strings == 0) return {};
    auto const ends = backend_.template buffer<std::uint64_t>(strings);
    backend_.scan(strings, number_of_slot{slots.data(), counts.data()}, ends.span(), plus{});
    std::uint64_t const matches = read_last(ends);
    if (matches > max_matches)
      throw out_of_memory("out of memory: matches: " + std::to_string(matches) + " at a time",
                          matches * 2 * sizeof(std::uint64_t));
    found_strings found_strings{
        {host_memory::shared(), strings}, {host_memory::shared(), matches}, {host_memory::shared(), matches}};
    {
      auto const described = backend_.target(found_strings.strings.span());
      backend_.each(strings, describe_matches{slots.data(), ends.data(), described.data()});
      backend_.download(std::span<found_string const>(described.span()), found_strings.strings.span());
    }
    for (std::size_t first = 0; first < matches; first += max_positions) {
      std::size_t const count = std::min(max_positions, std::size_t(matches) - first);
      auto const to_positions = found_strings.positions.span().subspan(first, count),
                 to_lengths = found_strings.lengths.span().subspan(first, count);
      auto const positions = backend_.target(to_positions), lengths = backend_.target(to_lengths);
      backend_.each(count, find_match{fm(), offset_at, min_length, slots.data(), rows.data(), ends.data(), strings, first,
                                      positions.data(), lengths.data()});
      check_faults();
      backend_.download(std::span<std::uint64_t const>(positions.span()), to_positions);
      backend_.download(std::span<std::uint64_t const>(lengths.span()), to_lengths);
    }
    return found_strings;
  }

  found_strings find_super_maximal(query_pieces const& queries, std::uint64_t min_length) {
    auto const on_host = queries.pieces();
    if (on_host.empty()) return {};
    std::size_t const all = count_slots(queries);
    auto const letters = backend_.upload(queries.letters());
    auto const pieces = backend_.upload(on_host);
    auto const lengths = backend_.template buffer<std::uint64_t>(all);
    auto const rows = backend_.template buffer<fm_interval>(all);
    clear_faults();
    backend_.each(all, store_zero<std::uint64_t>{lengths.data()});
    walk_ranges(pieces.span(), letters.data(), min_length, lengths.data(), rows.data());
    backend_.each(pieces.size(), empty_first_slot{pieces.data(), rows.data()});
    auto const slots = backend_.template buffer<std::uint32_t>(all);
    std::size_t const result =
        backend_.select(all, is_super_maximal{lengths.data(), rows.data(), min_length}, slot_number{}, slots.span());
    auto const rows_of_found = backend_.template buffer<fm_interval>(result);
    backend_.each(result, rows_of_strings{fm(), slots.data(), rows.data(), rows_of_found.data()});
    check_faults();
    if (result == 0) return {};
    return described(slots.data(), lengths.data(), rows_of_found.span());
  }

  /// Sets `lengths` to the statistics of the parts, one after the other. @param queries  without slots before the pieces
  void statistics(query_pieces const& queries, std::span<std::uint64_t> lengths) {
    if (queries.pieces().empty()) return;
    auto const letters = backend_.upload(queries.letters());
    auto const pieces = backend_.upload(queries.pieces());
    auto const result = backend_.target(lengths);
    clear_faults();
    backend_.each(pieces.size(), walk_piece{fm(), letters.data(), pieces.data(), result.data()});
    check_faults();
    backend_.download(std::span<std::uint64_t const>(result.span()), lengths);
  }

 private:
  [[nodiscard]] fm_on_machine fm() const { return fm_on_machine(parts_.data()); }

  // Returns the parts of the index as they lie in the machine's memory.
  [[nodiscard]] fm_parts moved_parts() const {
    auto const moved = [&](char const* at) { return file_.data() + (at - fm_.bytes().data()); };
    fm_view view = fm_.view();
    view.file = file_.data();
    if (view.in_runs) {
      auto const move = [&]<class T>(T const*& part) {
        part = reinterpret_cast<T const*>(moved(reinterpret_cast<char const*>(part)));
      };
      move(view.runs.blocks);
      move(view.runs.groups);
      move(view.runs.ends);
      move(view.runs.directory);
    } else {
      view.super = moved(view.super);
      view.blocks = moved(view.blocks);
    }
    view.ends = view.ends.at(moved(view.ends.data()));
    view.samples = view.samples.at(moved(view.samples.data()));
    view.symbols = symbols_.data();
    view.kmers = kmers_.data();
    if (view.starts) view.starts = starts_.data();
    text_letters const letters =
        fm_.has_text() ? fm_.packed_text(file_.data()) : text_letters(std::string_view(residues_.data(), residues_.size()));
    return {view, letters, has_faults_.data()};
  }

  static std::size_t count_slots(query_pieces const& queries) {
    if (queries.slots() >> 32 != 0) throw usage_error("too many letters: matches: 2^32 or more at a time");
    return std::size_t(queries.slots());
  }

  void clear_faults() { backend_.each(1, store_zero<std::uint32_t>{has_faults_.data()}); }
  void check_faults() {
    if (value_at(backend_, has_faults_.span(), 0) != 0)
      throw input_error("bad index: " + fm_.name() + ": a search met a number that no index has");
  }

  void walk_ranges(std::span<query_piece const> pieces, char const* letters, std::uint64_t min_length, std::uint64_t* lengths,
                   fm_interval* rows) {
    auto const max_ends = backend_.template buffer<std::uint64_t>(pieces.size()),
               counts = backend_.template buffer<std::uint64_t>(pieces.size()),
               ends = backend_.template buffer<std::uint64_t>(pieces.size());
    backend_.scan(pieces.size(), max_ranges{pieces.data()}, max_ends.span(), plus{});
    auto const ranges = backend_.template buffer<offset_range>(std::size_t(read_last(max_ends)));
    backend_.each(pieces.size(),
                  find_ranges{fm(), letters, pieces.data(), max_ends.data(), min_length, ranges.data(), counts.data()});
    backend_.scan(pieces.size(), number_at{counts.data()}, ends.span(), plus{});
    backend_.each(std::size_t(read_last(ends)), walk_range{fm(), letters, pieces.data(), pieces.size(), max_ends.data(),
                                                           ends.data(), ranges.data(), min_length, lengths, rows});
  }

  // Returns strings, which are in the order of their slots. @param rows  the rows of the strings
  found_strings described(std::uint32_t const* slots, std::uint64_t const* lengths, std::span<fm_interval const> rows) {
    auto const ends = backend_.template buffer<std::uint64_t>(rows.size());
    backend_.scan(rows.size(), number_of_rows{rows.data()}, ends.span(), plus{});
    found_strings found_strings{
        {host_memory::shared(), rows.size()}, {host_memory::shared(), std::size_t(read_last(ends))}, {}};
    {
      auto const strings = backend_.target(found_strings.strings.span());
      backend_.each(rows.size(), describe_string{slots, lengths, ends.data(), strings.data()});
      backend_.download(std::span<found_string const>(strings.span()), found_strings.strings.span());
    }
    for (std::size_t first = 0; first < found_strings.positions.size(); first += max_positions) {
      auto const to =
          found_strings.positions.span().subspan(first, std::min(max_positions, found_strings.positions.size() - first));
      auto const positions = backend_.target(to);
      constexpr std::size_t max_threads = std::size_t{1} << 18;  // as many as a large GPU holds
      std::size_t const threads = std::min(to.size(), max_threads);
      backend_.each(threads, locate_strings{fm(), rows.data(), ends.data(), rows.size(), first, to.size(), threads,
                                            positions.data()});
      check_faults();
      backend_.download(std::span<std::uint64_t const>(positions.span()), to);
    }
    return found_strings;
  }

  std::uint64_t read_last(buffer<std::uint64_t> const& sums) { return value_at(backend_, sums.span(), sums.size() - 1); }

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
