#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "strings/keys/line_keys.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/sort/depth_first.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/small_groups.hpp"
#include "strings/sort/tie_sort.hpp"

// Radix sort of lines by prefixes of eight symbols, breadth first (Deshpande and Narayanan, HiPC'13). Lines with equal prefixes
// form groups, groups of one line are finished, and the next round sorts each group by its next eight symbols. Beyond the
// paper: a segmented sort computes the keys of a round, so that symbols and group numbers need not share a key; a group skips
// the prefix that all its lines share; equal lines leave at once; small groups are finished by comparison.
namespace ordo::inline v0::strings::detail {

/// Moves the cursors of every group over the common prefix of its lines, up to about `window` symbols. Groups of identical
/// lines are settled: their heads are set, and their lines but the first are marked in `repeats`. Returns the length of the
/// longest common prefix.
template <Backend B, class Offset>
std::size_t skip_common_prefix(B& backend, refinement<B, cursor<Offset>, Offset>& groups, symbols text, std::size_t window,
                               std::uint8_t* repeats) {
  using with = common_prefix<Offset>;
  std::size_t const n = groups.size();
  auto* const items = groups.items().data();
  auto* const heads = groups.heads().data();
  auto const* const slots = groups.slots().data();
  auto so_far = backend.template buffer<Offset>(n);
  auto in_all = backend.template buffer<Offset>(n);  // from the last item to the first: the common prefix of the whole group
  auto* const a = so_far.data();
  auto* const all = in_all.data();
  constexpr std::size_t look_ahead = 24;
  backend.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + look_ahead < n) text.prefetch(items[i + look_ahead].at);
    a[i] = heads[i] ? with::marked(with::identical, true)
                    : with::marked(with::of(text, items[i - 1].at, items[i].at, window), false);
  });
  backend.scan(
      n, [=] ORDO_FN(std::size_t i) { return a[i]; }, so_far.span(), typename with::min_since_mark{});
  backend.scan(
      n,
      [=] ORDO_FN(std::size_t k) {
        std::size_t const i = n - 1 - k;
        return with::marked(with::value(a[i]), k == 0 || heads[i + 1] != 0);
      },
      in_all.span(), typename with::last_marked{});
  backend.each(n, [=] ORDO_FN(std::size_t i) {
    Offset const common = with::value(all[n - 1 - i]);
    if (common != with::identical) {
      items[i].at += common;
      items[i].depth += common;
    } else if (!heads[i]) {
      repeats[slots[i]] = 1;
      heads[i] = 1;
    }
  });
  return backend.reduce(
      n, [=] ORDO_FN(std::size_t i) { return with::value(all[i]) == with::identical ? Offset{0} : with::value(all[i]); },
      Offset{0}, maximum{});
}

/// Returns the length of the common prefix of all lines.
template <Backend B, class Offset>
Offset common_prefix_of_all(B& backend, symbols text, std::span<Offset const> starts) {
  using with = common_prefix<Offset>;
  constexpr std::size_t max_length = 1 << 16, sample = 1024;
  auto const* const s = starts.data();
  Offset common = with::identical;
  // A sample shows at little cost that there is nothing to skip, the usual case.
  for (std::size_t const stride : {starts.size() / sample + 1, std::size_t{1}}) {
    common = backend.reduce((starts.size() + stride - 1) / stride,
                            [=] ORDO_FN(std::size_t i) { return with::of(text, s[0], s[i * stride], max_length); }, common,
                            minimum{});
    if (common < 8) return 0;
  }
  return common == with::identical ? Offset{0} : common;
}

template <class Offset>
struct next_key {
  line_order by;
  ORDO_FN std::uint64_t operator()(cursor<Offset> item) const { return by.key(item.at); }
  ORDO_FN void prefetch(cursor<Offset> item) const { by.text.prefetch(item.at); }
};

/// Sorts the other groups, except settled ones, by their next eight symbols.
template <Backend B, class Offset>
void sort_large_groups(B& backend, refinement<B, cursor<Offset>, Offset>& groups, line_order by) {
  auto const segments = groups.segments();
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  auto const* const heads = groups.heads().data();
  auto const large = [=] ORDO_FN(std::size_t g) { return ends[g] - begins[g] > small_group && !heads[begins[g] + 1]; };
  std::size_t const max_groups = groups.size() / (small_group + 1);
  auto large_begins = backend.template buffer<Offset>(max_groups);
  auto large_ends = backend.template buffer<Offset>(max_groups);
  std::size_t const n = backend.select(
      segments.size(), large, [=] ORDO_FN(std::size_t g) { return begins[g]; }, large_begins.span());
  backend.select(
      segments.size(), large, [=] ORDO_FN(std::size_t g) { return ends[g]; }, large_ends.span());
  segment_list<Offset> const chosen{large_begins.span().first(n), large_ends.span().first(n)};
  groups.sort(chosen, next_key<Offset>{by});
}

/// Sorts the groups by the symbols that follow, and writes their lines to their slots of `order`. Marks lines that are equal to
/// the line before in `repeats`, which is zero there.
template <Backend B, class Offset>
void refine(B& backend, refinement<B, cursor<Offset>, Offset>& groups, line_order by, std::span<Offset> order,
            std::span<std::uint8_t> repeats) {
  constexpr std::size_t first_window = 64, last_window = std::size_t{1} << 29;
  auto* const o = order.data();
  for (std::size_t window = first_window; !groups.empty();) {
    std::size_t const skipped = skip_common_prefix(backend, groups, by.text, window, repeats.data());
    finish_small_groups(backend, groups, by, window, repeats);
    // A wide window costs much where only some lines of a group share a prefix, so it has to pay.
    window = skipped < window ? first_window : std::min(2 * window, last_window);
    sort_large_groups(backend, groups, by);
    auto const* const items = groups.items().data();
    auto const* const slots = groups.slots().data();
    backend.each(groups.size(), [=] ORDO_FN(std::size_t i) { o[slots[i]] = items[i].at - items[i].depth; });
    groups.drop_settled();
  }
}

template <class Offset>
struct copy_offsets {
  Offset const* from;
  Offset* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

inline std::uint64_t flip_mask(bool reverse) {
  return reverse ? ~std::uint64_t{0} : 0;
}

/// Sorts as sort_starts() does.
template <Backend B, class Offset>
void sort_breadth_first(B& backend, symbols text, buffer<Offset> starts, bool reverse, std::span<Offset> order,
                        std::span<std::uint8_t> repeats) {
  std::size_t const lines = order.size();
  if (lines == 0) return;
  line_order const by{text, flip_mask(reverse)};
  auto* const o = order.data();
  auto* const same = repeats.data();

  refinement<B, cursor<Offset>, Offset> groups(backend);
  Offset const depth = common_prefix_of_all(backend, text, std::span<Offset const>(starts.span()).first(lines));
  {
    auto keys = backend.template buffer<std::uint64_t>(lines);
    auto const* const s = starts.data();
    auto const* const k = keys.data();
    {
      auto index = backend.template buffer<Offset>(lines);
      backend.argsort(
          lines, [=] ORDO_FN(std::size_t i) { return by.key(s[i] + depth); }, keys.span(), index.span());
      backend.gather(std::span<Offset const>(starts.span()).first(lines), std::span<Offset const>(index.span()), order);
    }
    backend.each(lines, [=] ORDO_FN(std::size_t i) { same[i] = i != 0 && k[i] == k[i - 1] && by.ended(k[i]); });
    groups.start(
        lines,
        [=] ORDO_FN(std::size_t i) {
          return cursor<Offset>{Offset(o[i] + depth), depth};
        },
        [=] ORDO_FN(std::size_t i) { return i == 0 || k[i] != k[i - 1] || by.ended(k[i]); });
  }
  starts = {};
  refine(backend, groups, by, order, repeats);
}

/// Sorts the starts of lines by their lines, stably, and marks lines that are equal to the line before. `order` and `repeats`
/// have an entry for each line, `starts` at least that many. All of it is in the backend's memory. @param reverse  whether the
/// greatest line comes first
template <Backend B, class Offset>
void sort_starts(B& backend, symbols text, buffer<Offset> starts, bool reverse, std::span<Offset> order,
                 std::span<std::uint8_t> repeats) {
  if constexpr (has_workers<B>) {
    backend.each(order.size(), copy_offsets<Offset>{starts.data(), order.data()});
    starts = {};
    sort_depth_first(backend, line_order{text, flip_mask(reverse)}, order, repeats);
  } else {
    sort_breadth_first(backend, text, std::move(starts), reverse, order, repeats);
  }
}

/// Sorts all lines of the text. @param counts  see count_delimiters
template <Backend B, class Offset>
void prefix_sort(B& backend, symbols text, std::span<Offset const> counts, bool reverse, std::span<Offset> order,
                 std::span<std::uint8_t> repeats) {
  if (order.empty()) return;
  if constexpr (has_workers<B>) {
    sort_text_depth_first(backend, line_order{text, flip_mask(reverse)}, counts, order, repeats);
  } else {
    auto starts = backend.template buffer<Offset>(order.size());
    write_starts(backend, text, counts, starts.span());
    sort_breadth_first(backend, text, std::move(starts), reverse, order, repeats);
  }
}

/// Sorts each group of lines whose lines but the first are marked in `repeats`, and then marks as prefix_sort() does.
template <Backend B, class Offset>
void sort_repeats(B& backend, symbols text, bool reverse, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  line_order const by{text, flip_mask(reverse)};
  if constexpr (has_workers<B>) {
    sort_repeats_depth_first(backend, by, order, repeats);
  } else {
    auto const* const o = order.data();
    auto* const same = repeats.data();
    refinement<B, cursor<Offset>, Offset> groups(backend);
    groups.start(
        order.size(),
        [=] ORDO_FN(std::size_t i) {
          return cursor<Offset>{o[i], 0};
        },
        [=] ORDO_FN(std::size_t i) { return same[i] == 0; });
    backend.each(order.size(), [=] ORDO_FN(std::size_t i) { same[i] = 0; });
    refine(backend, groups, by, order, repeats);
  }
}

/// Returns the memory of the backend that prefix_sort() takes besides the text.
template <class Offset, Backend B>
std::size_t prefix_sort_memory(std::size_t bytes, std::size_t lines) {
  auto const of = [](std::size_t count, std::size_t size) { return pool::rounded(count * size); };
  std::size_t const offsets = of(lines, sizeof(Offset)), marks = of(lines, 1);
  std::size_t const always = of(bytes / text_block + 1, sizeof(Offset)) + offsets + marks + (std::size_t{1} << 20);
  if constexpr (has_workers<B>) return always + depth_first_memory<B, Offset>(lines);
  std::size_t const keys = of(lines, sizeof(std::uint64_t));
  std::size_t const large = lines / (small_group + 1) + 1;
  std::size_t const groups = refinement<B, cursor<Offset>, Offset>::memory(lines);
  std::size_t const first = 2 * offsets + keys + std::max(B::radix_sort_memory(lines, 8, sizeof(Offset)), groups);
  std::size_t const rounds =
      groups + std::max({2 * offsets, finish_memory<Offset>(lines),
                         2 * of(large, sizeof(Offset)) + refinement<B, cursor<Offset>, Offset>::sort_memory(lines, large, 8)});
  return always + std::max(first, rounds);
}

// Sorting by any order: first by the codes of the keys, which are a text of their own, then groups with equal keys by whole
// lines.

template <class Offset>
struct line_of_record {
  unsigned char const* codes;
  Offset* order;
  ORDO_FN void operator()(std::size_t i) const { order[i] = line_of_codes<Offset>(codes + order[i]); }
};

/// Returns the memory of the backend that keys take besides prefix_sort_memory(). @param bytes  the bytes of all records
template <class Offset>
std::size_t keys_memory(std::size_t bytes, std::size_t lines) {
  return pool::rounded(bytes) + pool::rounded((lines + 1) * sizeof(Offset)) + (std::size_t{64} << 10);
}

/// Writes the keys of all lines. @throws offsets_too_narrow; out_of_memory if sorting takes more than `limit` bytes
template <class Offset, Backend B, class KeyTypes>
line_keys<Offset> keys_of_lines(B& backend, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                                std::size_t lines, sort_options const& options, std::size_t limit, KeyTypes host_only) {
  auto const delimiter = static_cast<unsigned char>(options.delimiter);
  compiled_keys const compiled(options.by, delimiter, text.size(), lines);
  uploaded_keys<B> const keys(backend, compiled);
  auto const starts = backend.template buffer<Offset>(lines);
  write_starts(backend, text, counts, starts.span());
  text_lines<Offset> const all{bytes, text.size(), delimiter, starts.data(), lines};
  auto counted = count_line_keys(backend, all, keys.view(), host_only);
  if (!counted.fit()) throw offsets_too_narrow{};
  check_memory(text.size(), lines,
               prefix_sort_memory<Offset, B>(text.size(), lines) + keys_memory<Offset>(std::size_t(counted.bytes), lines),
               limit);
  return write_line_keys(backend, all, keys.view(), std::move(counted), host_only);
}

/// Sorts the starts of the text's lines, and marks lines that compare equal to the line before.
/// @param bytes   the text, as `text` reads it
/// @param counts  see count_delimiters
/// @param limit   bytes of the backend's memory that may be taken besides the text
/// @param host_only  see count_line_keys
/// @throws offsets_too_narrow, out_of_memory before the sort
template <class Offset, Backend B, class KeyTypes>
void order_lines(B& backend, symbols text, unsigned char const* bytes, std::span<Offset const> counts,
                 sort_options const& options, std::size_t limit, std::span<Offset> order, std::span<std::uint8_t> repeats,
                 KeyTypes host_only) {
  std::size_t const lines = order.size();
  if (options.by.is_plain()) {
    check_memory(text.size(), lines, prefix_sort_memory<Offset, B>(text.size(), lines), limit);
    return prefix_sort(backend, text, counts, options.by.reverse, order, repeats);
  }
  {
    auto keys = keys_of_lines(backend, text, bytes, counts, lines, options, limit, host_only);
    symbols const codes(keys.bytes.data(), keys.bytes.size(), 0);
    sort_starts(backend, codes, std::move(keys.starts), false, order, repeats);
    backend.each(lines, line_of_record<Offset>{keys.bytes.data(), order.data()});
  }
  if (compiled_keys(options.by, static_cast<unsigned char>(options.delimiter)).is_collated()) {
    if constexpr (KeyTypes::available) sort_ties(backend, text, options, order, repeats);
  } else if (options.by.last_resort) {
    sort_repeats(backend, text, options.by.reverse, order, repeats);
  }
}

/// Sorts a text in the host's memory; the result is in the host's memory, too. @throws as order_lines()
template <class Offset, Backend B, class KeyTypes = no_host_key_types>
line_sort<Offset> sort_on(B& backend, std::string_view text, sort_options const& options, std::size_t limit,
                          KeyTypes host_only = {}) {
  line_sort<Offset> result;
  if (text.empty()) return result;
  auto const bytes =
      backend.upload(std::span<unsigned char const>(reinterpret_cast<unsigned char const*>(text.data()), text.size()));
  symbols const all(bytes.data(), bytes.size(), static_cast<unsigned char>(options.delimiter));
  auto const counts = count_delimiters<Offset>(backend, all);
  std::span<Offset const> const ends = counts.span();
  std::size_t const lines = value_at(backend, ends, ends.size() - 1) + (text.back() != options.delimiter);
  result.lines = lines;
  result.starts = {host_memory::shared(), lines};
  result.repeats = {host_memory::shared(), lines};
  auto const starts = result.starts.span();
  auto const repeats = result.repeats.span();
  auto const order = backend.target(starts);
  auto const same = backend.target(repeats);
  order_lines<Offset>(backend, all, bytes.data(), ends, options, limit, order.span(), same.span(), host_only);
  backend.download(std::span<Offset const>(order.span()), starts);
  backend.download(std::span<std::uint8_t const>(same.span()), repeats);
  result.peak_memory = backend.pool().peak();
  return result;
}

/// Returns the maximum memory: see sort_memory(). @param copies  whether the text is copied to the backend's memory
template <class Offset, Backend B>
std::size_t order_memory(std::size_t bytes, std::size_t lines, order const& by, char delimiter, bool copies) {
  std::size_t const plain = prefix_sort_memory<Offset, B>(bytes, lines) + (copies ? pool::rounded(bytes) : 0);
  if (by.is_plain()) return plain;
  std::size_t const codes = compiled_keys(by, static_cast<unsigned char>(delimiter), bytes, lines).max_codes(bytes, lines);
  return plain + keys_memory<Offset>(codes + lines * record_bytes<Offset>, lines);
}

}  // namespace ordo::inline v0::strings::detail
