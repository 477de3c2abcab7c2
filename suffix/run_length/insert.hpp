#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/host_bytes.hpp"
#include "suffix/run_length/merge.hpp"
#include "suffix/run_length/run_index.hpp"
#include "suffix/run_length/ties.hpp"
#include "suffix/run_length/walk.hpp"

/// Insertion of records into an index. Each step works on arrays.
///
/// 1. walk       finds for each new suffix the row before which it comes (walk.hpp)
/// 2. resolve    where brackets of rows have not closed, from the ends of records on
/// 3. sort       by row, first letter and position
/// 4. order ties (ties.hpp)
/// 5. merge      the letters before the suffixes into the runs (merge.hpp)
namespace ordo::inline v0::suffix::run_length {

/// A record, or a part of one, among the codes of a batch: [begin, end), and at `end` end_code, or continued_code if the
/// letters after it are in the index.
struct segment {
  std::uint64_t begin = 0, end = 0;
};

/// Codes of letters. They grow without a copy, and nothing is written to new ones before their letters are known.
class code_list {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::uint8_t* data() noexcept { return reinterpret_cast<std::uint8_t*>(bytes_.data()); }
  [[nodiscard]] std::uint8_t const* data() const noexcept { return reinterpret_cast<std::uint8_t const*>(bytes_.data()); }
  [[nodiscard]] std::span<std::uint8_t const> span() const noexcept { return {data(), size()}; }
  [[nodiscard]] std::uint8_t operator[](std::size_t i) const { return data()[i]; }

  /// Adds uninitialised codes, and returns where they are.
  std::uint8_t* add(std::size_t count) {
    auto* const to = reinterpret_cast<std::uint8_t*>(bytes_.room(count).data());
    bytes_.resize(size() + count);
    return to;
  }
  void append(std::span<std::uint8_t const> more) {
    if (!more.empty()) std::ranges::copy(more, add(more.size()));
  }
  void push_back(std::uint8_t code) { *add(1) = code; }
  /// Keeps the first `size` codes.
  void truncate(std::size_t size) { bytes_.resize(size); }
  void clear() { truncate(0); }

 private:
  host_bytes bytes_;
};

/// Records to be inserted together.
struct batch {
  code_list codes;
  std::vector<segment> segments;
  /// The row of the suffix that the first segment continues, whose letter is the end of a record for now.
  std::optional<std::uint64_t> continued_row;
  /// Some codes after the first segment, up to the end of its record, if they are in the index: ties need them.
  std::vector<std::uint8_t> rest = {};
  /// True if letters of the last segment's record come before it, in the next batch.
  bool is_open = false;
};

struct insert_options {
  static constexpr std::uint64_t default_walk_letters = 16384;
  std::uint64_t walk_letters = default_walk_letters;  // half as many more for one
  /// Called with the name of each step, if set.
  std::function<void(std::string_view)> on_step = {};
};

struct insert_counts {
  std::uint64_t letters = 0, walks = 0, events = 0;
};

template <class T>
struct identity {
  ORDO_FN T operator()(std::size_t i) const { return T(i); }
};

struct write_positions {
  std::uint32_t* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = std::uint32_t(i); }
};

struct events_of_walk {
  walk const* walks;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return i == 0 ? 0 : walks[i - 1].events; }
};

struct mark_open {
  std::uint64_t* key;
  ORDO_FN void operator()(std::size_t) const { *key |= continued_code; }
};

struct is_open_key {
  std::uint64_t const* keys;
  ORDO_FN bool operator()(std::size_t i) const { return suffix_key::before(keys[i]) == continued_code; }
};

/// Divides the segments of a batch into walks.
inline std::vector<walk> divide_into_walks(batch const& records, std::uint64_t num_ends, std::uint64_t rows,
                                           std::uint64_t letters) {
  std::vector<walk> walks;
  for (std::size_t s = 0; s < records.segments.size(); ++s) {
    segment const& of = records.segments[s];
    std::uint64_t const row = s == 0 && records.continued_row ? *records.continued_row : num_ends;
    std::uint64_t const size = of.end - of.begin,
                        pieces = rows == 0 ? 1 : std::max<std::uint64_t>(1, (size + letters / 2) / letters);
    for (std::uint64_t k = 0; k < pieces; ++k) {
      walk w;
      w.begin = std::uint32_t(of.begin + size * k / pieces);
      w.end = std::uint32_t(of.begin + size * (k + 1) / pieces);
      w.is_last = k == 0;
      w.is_known = k + 1 == pieces;
      w.row = w.is_known ? row : 0;
      w.width = w.is_known ? 0 : rows;
      walks.push_back(w);
    }
  }
  return walks;
}

/// Inserts records after those of the index.
/// @param codes  those of the records, in the memory of the machine
/// @pre fewer than 2^32 codes
/// @returns the row of the last segment's first suffix if the batch is open
template <Backend B>
std::optional<std::uint64_t> insert(B& backend, run_index<B>& index, batch const& records, std::uint8_t const* codes,
                                    insert_options const& options, insert_counts& counts) {
  constexpr unsigned lanes = has_workers<B> ? 8 : 1;
  std::size_t const n = records.codes.size();
  run_view const view = index.view();
  std::vector<walk> host_walks = divide_into_walks(records, view.num_ends, view.rows, options.walk_letters);
  std::size_t const num_walks = host_walks.size();
  auto const walks = backend.template buffer<walk>(num_walks);
  copy_to_machine(backend, std::span<walk const>(host_walks), walks.span());
  std::vector<walk>().swap(host_walks);

  auto const keys = backend.template buffer<std::uint64_t>(n);  // rows first
  auto const begin_step = [&](std::string_view name) {
    if (!options.on_step) return;
    static_cast<void>(value_at(backend, keys.span(), 0));  // waits for the step before
    options.on_step(name);
  };
  begin_step("walk");
  {
    std::size_t const words = n / 64 + 1;
    auto const events = backend.template buffer<std::uint64_t>(words);
    backend.each(words, fill_with<std::uint64_t>{events.data(), 0});
    if (view.rows == 0)
      backend.each(n, fill_with<std::uint64_t>{keys.data(), 0});
    else
      each_long(backend, (num_walks + lanes - 1) / lanes,
                step_walks<lanes>{view, codes, walks.data(), num_walks, keys.data(), events.data()});
    auto const first_event = backend.template buffer<std::uint64_t>(num_walks + 1);
    backend.scan(num_walks + 1, events_of_walk{walks.data()}, first_event.span(), plus{});
    std::uint64_t const num_events = value_at(backend, first_event.span(), num_walks);
    begin_step("resolve");
    auto const deltas = backend.template buffer<std::uint64_t>(num_events);
    each_long(backend, num_walks,
              resolve_walks{view, codes, walks.data(), keys.data(), events.data(), first_event.data(), deltas.data()});
    each_by_lanes(backend, num_walks,
                  make_keys{codes, walks.data(), events.data(), first_event.data(), deltas.data(), keys.data()});
    counts.letters += n;
    counts.walks += num_walks;
    counts.events += num_events;
  }

  std::uint32_t const open = std::uint32_t(records.is_open ? records.segments.back().begin : n);
  if (records.is_open) backend.each(1, mark_open{keys.data() + open});
  begin_step("sort");
  auto const order = backend.template buffer<std::uint32_t>(n);
  backend.each(n, write_positions{order.data()});
  backend.radix_sort(keys.span(), order.span(),
                     bit_range{letter_bits, suffix_key::row_shift + unsigned(std::bit_width(view.rows))},
                     key_code<std::uint64_t>{});
  begin_step("ties");
  auto const rest = backend.upload(std::span<std::uint8_t const>(records.rest));
  letters_of_suffixes letters{codes, n};
  if (records.continued_row) {
    letters.continued = std::uint32_t(records.segments.front().end);
    letters.rest = rest.data();
    letters.rest_size = rest.size();
  }
  order_ties(backend, letters, keys.span(), order.span(), open);

  std::optional<std::uint64_t> open_row;
  if (records.is_open) {
    std::uint32_t slot = 0;
    auto const open_slot = backend.template buffer<std::uint32_t>(1);
    backend.select(n, is_open_key{keys.data()}, identity<std::uint32_t>{}, open_slot.span());
    slot = value_at(backend, open_slot.span(), 0);
    open_row = suffix_key::row(value_at(backend, keys.span(), slot)) + slot;
    // A continued suffix has a row already.
    if (records.continued_row && *records.continued_row < suffix_key::row(value_at(backend, keys.span(), slot))) --*open_row;
  }
  begin_step("merge");
  merge_into(backend, index, std::span<std::uint64_t const>(keys.span()));
  return open_row;
}
template <Backend B>
std::optional<std::uint64_t> insert(B& backend, run_index<B>& index, batch const& records, insert_options const& options,
                                    insert_counts& counts) {
  auto const codes = backend.upload(records.codes.span());
  return insert(backend, index, records, codes.data(), options, counts);
}

}  // namespace ordo::inline v0::suffix::run_length
