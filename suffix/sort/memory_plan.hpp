#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/induced_sort.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/long_repeats.hpp"
#include "suffix/sort/needed_ranks.hpp"
#include "suffix/sort/repetition.hpp"
#include "suffix/sort/sampled_positions.hpp"
#include "suffix/sort/select_positions.hpp"
#include "suffix/sort/worker_sort.hpp"

// What build_on and find_fault take from a machine's pool at most, buffer by buffer as they take them.
namespace ordo::suffix::detail {

/// How a build goes about it: see suffix_sort.
template <class Index, Backend B>
struct build_plan {
  // Where ranges are told to be small, they are not smaller than this.
  static constexpr std::size_t least_ranges = has_workers<B> ? 64 : 128;
  // And these are as quick as any.
  static constexpr std::size_t quick_ranges = has_workers<B> ? 16 : 20;
  // Larger batches take more memory for the groups that workers leave, and no less time.
  static constexpr std::size_t least_batch = std::size_t{1} << 20, most_batch = std::size_t{1} << 22;
  static constexpr std::size_t index = sizeof(Index);

  std::size_t n, records;  // suffixes that are sorted
  wanted what;
  bool copies;
  std::size_t letters = n;  // of the text
  bool are_chosen = false;  // are these suffixes of some positions alone?

  /// Is one range the quickest way?
  [[nodiscard]] bool at_once() const { return n <= most_at_once(where); }
  /// The ranks, and those of the records' first suffixes.
  [[nodiscard]] std::size_t ranks() const { return buffer_sizes::of(n + 1, index) + buffer_sizes::of(records, index); }
  /// What is kept in the machine's memory until it is stored.
  [[nodiscard]] std::size_t kept(bool in_ranges = true) const {
    buffer_sizes const size{copies};
    return size.copy(n, index) + order_ahead<B, Index>::memory(n, ahead_share(in_ranges)) +
           (what.lcp ? size.copy(n, index) : 0) + (what.bwt ? size.copy(n, 1) : 0);
  }
  /// Made from the ranks, a row of each array that is wanted.
  [[nodiscard]] std::size_t row() const { return index * (what.lcp ? 2 : 1) + (what.bwt ? 1 : 0); }
  /// What sorting suffixes takes at most, so many at a time, beside the order, the ranks and what is open.
  [[nodiscard]] std::size_t sorting(std::size_t some, bool keeps_order) const {
    if constexpr (has_workers<B>)
      if (keeps_order) return worker_sort<B, Index>::memory(letters, n, some, some / 2);
    return dividing() + range_memory<Index, B>(some);
  }
  /// The least for which a text is sorted by so many ranges, beside the packed text: with a kept order.
  [[nodiscard]] std::size_t by_ranges(std::size_t ranges = least_ranges) const {
    std::size_t const first = sorting(n / ranges + 1, true) + open_aside(true);
    // Workers leave less than that, however many suffixes they sort at a time.
    std::size_t const open = std::min(n / (has_workers<B> ? least_ranges : ranges), n / open_share) + 1;
    std::size_t const behind = n / open_share + 1;
    std::size_t const ranked = are_chosen && !has_workers<B> ? buffer_sizes::of(n + 1, index)
                                                             : positions_behind<B>::memory(n) + buffer_sizes::of(behind, index);
    return kept() + std::max({first, ranked + range_memory<Index, B>(open) + open_aside(true), lengths()});
  }
  /// What an LCP takes, beside the order and itself.
  [[nodiscard]] std::size_t lengths() const { return lengths(n / open_share); }
  [[nodiscard]] std::size_t lengths(std::size_t open) const {
    std::size_t const listed = has_workers<B> ? 0 : buffer_sizes::of(open, index);
    return what.lcp ? buffer_sizes::of(n, index) + listed + selected_positions<B>::memory(letters + 1) : 0;
  }
  /// The memory that workers may take to sort all suffixes, beside the packed text. It suffices for any text, since texts are
  /// sorted by induction where workers run out of memory. None, where that is not possible.
  [[nodiscard]] std::optional<std::size_t> workers_limit() const {
    if constexpr (has_workers<B>) {
      using induced = induced_sort<B, Index, induced_text>;
      if (!are_chosen && induced::can_sort(n)) return std::max(by_ranges(), induced::memory(n));
    }
    return std::nullopt;
  }
  /// The same, part by part.
  [[nodiscard]] std::size_t in_parts(std::size_t ranges = least_ranges) const {
    std::size_t const some = n / ranges + 1, first = sorting(some, false) + open_aside(false);
    std::size_t const parts = (what.lcp ? buffer_sizes::of(n, index) + n / open_share * index : 0) + 2 * some * row() + 4096;
    return ranks() + std::max(first, parts);
  }
  /// How many suffixes should be sorted at a time, with so many bytes: three fourths of what is left beside the order, if that
  /// is kept, or the ranks, so that open ones have room.
  [[nodiscard]] std::size_t in_range(std::size_t available, bool keeps_order) const {
    std::size_t const least = std::min<std::size_t>(n, n / least_ranges + 1), held = keeps_order ? kept() : ranks();
    std::size_t quick = n / quick_ranges + 1;
    if (has_workers<B> && keeps_order) {
      std::size_t const left = available - std::min(available, held);
      quick = std::max(quick, std::clamp(n / 4, std::min(n, least_batch), most_batch));
      while (quick > least && sorting(quick, true) > left / 4 * 3) quick -= (quick + 15) / 16;
      return std::max(quick, least);
    }
    std::size_t const taken = held + dividing(), left = available - std::min(available, taken);
    return std::max(suffixes_in_range<Index, B>(quick, left / 4 * 3), least);
  }

 private:
  static constexpr device where = has_workers<B> ? device::cpu : device::gpu;
  static constexpr std::size_t open_share = 16;  // of all suffixes that may be open

  [[nodiscard]] std::size_t dividing() const { return key_ranges<B, Index>::memory(letters, n); }
  [[nodiscard]] std::size_t open_aside(bool keeps_order) const { return n / open_share * ((keeps_order ? 1 : 2) * index + 1); }
};

/// How many suffixes are sorted, at most, where every `sample`-th position of each record has one.
inline std::size_t sampled_count(std::size_t n, std::size_t records, std::uint64_t sample) {
  return sample == 1 ? n : std::min(n, std::size_t(n / sample) + records);
}

/// How a build of every `sample`-th position of a text of n letters goes about it, if these are so many.
template <class Index, Backend B>
build_plan<Index, B> sampled_plan(std::size_t n, std::size_t count, std::size_t records, wanted what, bool copies) {
  return {.n = count, .records = records, .what = what, .copies = copies, .letters = n, .are_chosen = true};
}

/// How many suffixes are in a range, of so many bytes for all.
template <class Index, Backend B>
std::size_t most_in_range(std::size_t n, std::size_t records, wanted what, bool copies, std::uint64_t sample,
                          std::size_t available) {
  std::size_t const packed = buffer_sizes::breaks(n, records) + buffer_sizes::of(n / 32 + 3, 8);  // of nucleotides
  if (sample != 1) {
    std::size_t const beside = packed + sampled_positions<B>::memory(n);
    return sampled_plan<Index, B>(n, sampled_count(n, records, sample), records, what, copies)
        .in_range(available - std::min(available, beside), true);
  }
  build_plan<Index, B> const how{n, records, what, copies};
  std::size_t const left = available - std::min(available, packed);
  return how.in_range(std::min(left, how.workers_limit().value_or(left)),
                      has_workers<B> || packed + how.by_ranges() <= available);
}

/// What a packed text takes, and making it.
struct packed_memory {
  std::size_t held, made;

  packed_memory(std::size_t n, std::size_t records, bool copies) {
    buffer_sizes const size{copies};
    // How many bits a letter takes is not known: at most eight.
    held = size.breaks(n, records) + size.of(n / 8 + 3, 8) + size.copy(256, 1);
    made = held + size.copy(n, 1) + size.copy(256, 1) + size.copy(records, 8);
  }
};

/// See suffix::memory_needed.
template <class Index, Backend B>
memory_plan build_memory(std::size_t n, std::size_t records, wanted what, bool copies) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), key = sizeof(std::uint64_t);
  auto const [packed, packing] = packed_memory(n, records, copies);
  std::size_t const sa = size.copy(n, index), lcp = what.lcp ? size.copy(n, index) : 0;
  std::size_t const order = packed + sa + order_ahead<B, Index>::memory(n, ahead_share(false));
  auto const with_open = [&](std::size_t open) {
    std::size_t const groups = refinement<B, Index, Index>::memory(open);
    std::size_t const first = order + size.of(n, key) + std::max(B::radix_sort_memory(n, key, index), groups + lcp);
    std::size_t const round = std::max(refinement<B, Index, Index>::sort_memory(open, open / 2, key), size.of(open, index));
    std::size_t const repeats = long_repeats<B, Index, all_positions<B>>::memory(n, open);
    std::size_t const ranked = size.of(n + 1, index) + round;
    std::size_t const behind = positions_behind<B>::memory(n);
    std::size_t const rounds = open == 0 ? 0 : order + lcp + groups + behind + std::max(repeats, ranked);
    std::size_t const lengths =
        order + lcp + (what.lcp ? size.of(n, index) + size.of(open, index) + selected_positions<B>::memory(n + 1) : 0);
    std::size_t const rows = order + lcp + (what.bwt ? size.copy(n, 1) + size.of(records, 1) : 0);
    return size.verbs(n) + std::max({packing, first, rounds, lengths, rows});
  };
  build_plan<Index, B> const how{n, records, what, copies};
  auto const beside = [&](std::size_t bytes) { return std::max(packing, packed + bytes) + size.verbs(n); };
  memory_plan plan{0, how.at_once() ? with_open(0) : beside(how.by_ranges(how.quick_ranges)), with_open(n)};
  if constexpr (has_workers<B>) {  // they have no key for each suffix
    auto const limit = how.workers_limit();
    std::size_t const some = std::min(n, how.in_range(limit.value_or(plan.most), true));
    if (how.at_once())
      // The last letters of records, one range for each of four letters, are the largest ranges of a text of short records.
      plan.quickest =
          beside(std::max({worker_sort<B, Index>::memory(n, n, some, 0), worker_sort<B, Index>::memory_of_range(records / 4),
                           repetition_estimate<B, Index>::memory(n), how.lengths()}));
    if (limit) plan.most = beside(std::max(*limit, how.lengths(n)));
  }
  plan.least = std::min(plan.quickest, beside(copies ? std::min(how.by_ranges(), how.in_parts()) : how.by_ranges()));
  return plan;
}

/// What sorting the suffixes of this plan in one range takes, `open` of them left open by their first keys, beside the packed
/// text and the positions: see suffix_sort.
template <class Index, Backend B>
std::size_t sampled_sort_memory(build_plan<Index, B> const& plan, std::size_t open) {
  std::size_t const n = plan.letters, count = plan.n, index = sizeof(Index), key = sizeof(std::uint64_t);
  std::size_t const groups = refinement<B, Index, Index>::memory(open), ranks = buffer_sizes::of(count + 1, index);
  std::size_t const round =
      groups + std::max(refinement<B, Index, Index>::sort_memory(open, open / 2, key), buffer_sizes::of(open, index));
  std::size_t const keys = buffer_sizes::of(count, key), radix = B::radix_sort_memory(count, key, index);
  std::size_t first = 0;
  if constexpr (has_workers<B>)  // all of one range, of which all are open, at the most
    first = std::max(worker_sort<B, Index>::memory(n, count, count, open / 2), open == 0 ? 0 : keys + radix);
  else
    first = key_ranges<B, Index>::memory(n, count) + std::max(keys + std::max(radix, groups), open == 0 ? 0 : round);
  std::size_t const lengths = plan.what.lcp ? buffer_sizes::of(count, index) + buffer_sizes::of(open, index) +
                                                  (plan.copies ? selected_positions<B>::memory(n + 1) : 0)
                                            : 0;
  return plan.kept(false) + std::max({first, open == 0 ? 0 : ranks + round, lengths});
}

/// See suffix::memory_needed, where every `sample`-th position of a record has a row.
template <class Index, Backend B>
memory_plan sampled_memory(std::size_t n, std::size_t records, wanted what, bool copies, std::uint64_t sample) {
  auto const [packed, packing] = packed_memory(n, records, copies);
  std::size_t const positions = sampled_positions<B>::memory(n), verbs = buffer_sizes{copies}.verbs(n);
  auto const how = sampled_plan<Index, B>(n, sampled_count(n, records, sample), records, what, copies);
  auto const beside = [&](std::size_t bytes) { return std::max(packing, packed + positions + bytes) + verbs; };
  memory_plan plan{0, beside(sampled_sort_memory<Index, B>(how, 0)), beside(sampled_sort_memory<Index, B>(how, how.n))};
  plan.least = std::min(plan.quickest, beside(how.by_ranges()));
  return plan;
}

/// Of all suffixes, or of every `sample`-th position.
template <class Index, Backend B>
memory_plan memory_of_rows(std::size_t n, std::size_t records, wanted what, bool copies, std::uint64_t sample) {
  return sample == 1 ? build_memory<Index, B>(n, records, what, copies)
                     : sampled_memory<Index, B>(n, records, what, copies, sample);
}

/// See suffix::memory_for_check.
template <class Index, Backend B>
std::size_t proof_memory(std::size_t n, std::size_t records, wanted what, bool copies) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), order = size.copy(n, index) + size.of(n, index);
  std::size_t const text = size.breaks(n, records) + size.copy(n, 1) + size.copy(records, 8);
  std::size_t const lcp = what.lcp ? size.copy(n, index) + size.of(n, index) : 0, bwt = what.bwt ? size.copy(n, 1) : 0;
  return size.verbs(n) + order + text + std::max(lcp, bwt);
}

}  // namespace ordo::suffix::detail
