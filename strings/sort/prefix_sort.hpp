#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/refinement.hpp"
#include "strings/keys/line_starts.hpp"
#include "strings/keys/symbols.hpp"
#include "strings/sort/common_prefix.hpp"
#include "strings/sort/depth_first.hpp"
#include "strings/sort/small_groups.hpp"

// Radix sort of lines by prefixes of eight symbols, breadth first (Deshpande and Narayanan, HiPC'13): lines that a prefix
// does not tell apart form groups, single lines leave, and each group goes on with its next eight symbols. Beyond the paper:
// the keys of a round are computed inside a segmented sort, so that no group number has to share a key with the symbols; a
// group first skips all that its lines have in common; lines found equal leave at once; small groups are finished by
// comparison.
namespace ordo::strings::detail {

/// Move every group's cursors over what all its lines have in common, as far as `window` goes. Groups of identical lines are
/// settled: their heads are set, and their lines but the first marked in `repeats`. @returns the longest of these ways
template <Backend B, class Offset>
std::size_t skip_agreement(B& machine, refinement<B, cursor<Offset>, Offset>& groups, symbols text, std::size_t window,
                           std::uint8_t* repeats) {
  using with = agreement<Offset>;
  std::size_t const n = groups.size();
  auto* const items = groups.items().data();
  auto* const heads = groups.heads().data();
  auto const* const slots = groups.slots().data();
  auto so_far = machine.template buffer<Offset>(n);
  auto in_all = machine.template buffer<Offset>(n);  // from the last item to the first: that of the item's whole group
  auto* const a = so_far.data();
  auto* const all = in_all.data();
  constexpr std::size_t look_ahead = 24;
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    if (i + look_ahead < n) text.prefetch(items[i + look_ahead].at);
    a[i] = heads[i] ? with::marked(with::identical, true)
                    : with::marked(with::of(text, items[i - 1].at, items[i].at, window), false);
  });
  machine.scan(
      n, [=] ORDO_FN(std::size_t i) { return a[i]; }, so_far.span(), typename with::least{});
  machine.scan(
      n,
      [=] ORDO_FN(std::size_t k) {
        std::size_t const i = n - 1 - k;
        return with::marked(with::value(a[i]), k == 0 || heads[i + 1] != 0);
      },
      in_all.span(), typename with::latest{});
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    Offset const common = with::value(all[n - 1 - i]);
    if (common != with::identical) {
      items[i].at += common;
      items[i].depth += common;
    } else if (!heads[i]) {
      repeats[slots[i]] = 1;
      heads[i] = 1;
    }
  });
  return machine.reduce(
      n, [=] ORDO_FN(std::size_t i) { return with::value(all[i]) == with::identical ? Offset{0} : with::value(all[i]); },
      Offset{0}, maximum{});
}

/// The symbols that all lines have in common.
template <Backend B, class Offset>
Offset common_prefix(B& machine, symbols text, std::span<Offset const> starts) {
  using with = agreement<Offset>;
  constexpr std::size_t most = 1 << 16, sample = 1024;
  auto const* const s = starts.data();
  Offset common = with::identical;
  // A sample tells cheaply that there is nothing to skip, as is usual.
  for (std::size_t const stride : {starts.size() / sample + 1, std::size_t{1}}) {
    common =
        machine.reduce((starts.size() + stride - 1) / stride,
                       [=] ORDO_FN(std::size_t i) { return with::of(text, s[0], s[i * stride], most); }, common, minimum{});
    if (common < 8) return 0;
  }
  return common == with::identical ? Offset{0} : common;
}

/// Sort the groups by what follows, and put their lines in their slots of `order`; lines equal to the one before them are
/// marked in `repeats`, which is zero at their slots before.
template <Backend B, class Offset>
void refine(B& machine, refinement<B, cursor<Offset>, Offset>& groups, line_order by, std::span<Offset> order,
            std::span<std::uint8_t> repeats) {
  constexpr std::size_t first_window = 64, last_window = std::size_t{1} << 29;
  auto* const o = order.data();
  for (std::size_t window = first_window; !groups.empty();) {
    finish_small_groups(machine, groups, by, window, repeats);
    std::size_t const skipped = skip_agreement(machine, groups, by.text, window, repeats.data());
    // Looking far costs much where only some lines of a group go on alike, so it has to be worth it.
    window = skipped < window ? first_window : std::min(2 * window, last_window);
    sort_large_groups(machine, groups, by);
    auto const* const items = groups.items().data();
    auto const* const slots = groups.slots().data();
    machine.each(groups.size(), [=] ORDO_FN(std::size_t i) { o[slots[i]] = items[i].at - items[i].depth; });
    groups.drop_settled();
  }
}

template <class Offset>
struct copy_offsets {
  Offset const* from;
  Offset* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

inline std::uint64_t flip_of(bool reverse) {
  return reverse ? ~std::uint64_t{0} : 0;
}

/// See sort_starts.
template <Backend B, class Offset>
void sort_breadth_first(B& machine, symbols text, buffer<Offset> starts, bool reverse, std::span<Offset> order,
                        std::span<std::uint8_t> repeats) {
  std::size_t const lines = order.size();
  if (lines == 0) return;
  line_order const by{text, flip_of(reverse)};
  auto* const o = order.data();
  auto* const same = repeats.data();

  refinement<B, cursor<Offset>, Offset> groups(machine);
  Offset const depth = common_prefix(machine, text, std::span<Offset const>(starts.span()).first(lines));
  {
    auto keys = machine.template buffer<std::uint64_t>(lines);
    auto const* const s = starts.data();
    auto const* const k = keys.data();
    {
      auto index = machine.template buffer<Offset>(lines);
      machine.argsort(
          lines, [=] ORDO_FN(std::size_t i) { return by.key(s[i] + depth); }, keys.span(), index.span());
      machine.gather(std::span<Offset const>(starts.span()).first(lines), std::span<Offset const>(index.span()), order);
    }
    machine.each(lines, [=] ORDO_FN(std::size_t i) { same[i] = i != 0 && k[i] == k[i - 1] && by.ended(k[i]); });
    groups.start(
        lines,
        [=] ORDO_FN(std::size_t i) {
          return cursor<Offset>{Offset(o[i] + depth), depth};
        },
        [=] ORDO_FN(std::size_t i) { return i == 0 || k[i] != k[i - 1] || by.ended(k[i]); });
  }
  starts = {};
  refine(machine, groups, by, order, repeats);
}

/// Put the starts of lines in the order of the lines, equal lines in the order of the starts given, and mark those that equal
/// the one before; in the way that suits the machine. `order` and `repeats` have a place for each line, `starts` at least. All
/// in the machine's memory. @param reverse  the greatest line first
template <Backend B, class Offset>
void sort_starts(B& machine, symbols text, buffer<Offset> starts, bool reverse, std::span<Offset> order,
                 std::span<std::uint8_t> repeats) {
  if constexpr (has_workers<B>) {
    machine.each(order.size(), copy_offsets<Offset>{starts.data(), order.data()});
    starts = {};
    sort_depth_first(machine, line_order{text, flip_of(reverse)}, order, repeats);
  } else {
    sort_breadth_first(machine, text, std::move(starts), reverse, order, repeats);
  }
}

/// The same for all lines of the text. `counts` are its delimiters.
template <Backend B, class Offset>
void prefix_sort(B& machine, symbols text, std::span<Offset const> counts, bool reverse, std::span<Offset> order,
                 std::span<std::uint8_t> repeats) {
  if (order.empty()) return;
  if constexpr (has_workers<B>) {
    write_starts(machine, text, counts, order);
    sort_depth_first(machine, line_order{text, flip_of(reverse)}, order, repeats);
  } else {
    auto starts = machine.template buffer<Offset>(order.size());
    write_starts(machine, text, counts, starts.span());
    sort_breadth_first(machine, text, std::move(starts), reverse, order, repeats);
  }
}

/// Sort each row of lines of which all but the first are marked in `repeats`; then the marks are as those of prefix_sort.
template <Backend B, class Offset>
void sort_repeats(B& machine, symbols text, bool reverse, std::span<Offset> order, std::span<std::uint8_t> repeats) {
  line_order const by{text, flip_of(reverse)};
  if constexpr (has_workers<B>) {
    sort_repeats_depth_first(machine, by, order, repeats);
  } else {
    auto const* const o = order.data();
    auto* const same = repeats.data();
    refinement<B, cursor<Offset>, Offset> groups(machine);
    groups.start(
        order.size(),
        [=] ORDO_FN(std::size_t i) {
          return cursor<Offset>{o[i], 0};
        },
        [=] ORDO_FN(std::size_t i) { return same[i] == 0; });
    machine.each(order.size(), [=] ORDO_FN(std::size_t i) { same[i] = 0; });
    refine(machine, groups, by, order, repeats);
  }
}

/// Bytes that prefix_sort takes of the machine's memory at most, beside the text.
template <class Offset, Backend B>
std::size_t sort_memory(std::size_t bytes, std::size_t lines) {
  auto const of = [](std::size_t count, std::size_t size) { return pool::rounded(count * size); };
  std::size_t const offsets = of(lines, sizeof(Offset)), marks = of(lines, 1);
  std::size_t const always = of(bytes / text_block + 1, sizeof(Offset)) + offsets + marks + (std::size_t{1} << 20);
  if constexpr (has_workers<B>) return always + depth_first_memory<B, Offset>(lines);
  std::size_t const keys = of(lines, sizeof(std::uint64_t));
  std::size_t const large = lines / (small_group + 1) + 1;
  std::size_t const groups = refinement<B, cursor<Offset>, Offset>::memory(lines);
  std::size_t const first = 2 * offsets + keys + std::max(B::radix_sort_memory(lines, 8, sizeof(Offset)), groups);
  std::size_t const rounds =
      groups + std::max(2 * offsets,
                        2 * of(large, sizeof(Offset)) + refinement<B, cursor<Offset>, Offset>::sort_memory(lines, large, 8));
  return always + std::max(first, rounds);
}

}  // namespace ordo::strings::detail
