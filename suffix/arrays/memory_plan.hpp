#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/induced_sort.hpp"
#include "suffix/sort/key_ranges.hpp"
#include "suffix/sort/long_repeats.hpp"
#include "suffix/sort/position_sets.hpp"
#include "suffix/sort/range_memory.hpp"
#include "suffix/sort/repetition.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/sort/worker_sort.hpp"

// The maximum use of a machine's pool by build_on and find_mismatch, buffer by buffer in the order of allocation.
namespace ordo::inline v0::suffix::detail {

/// The memory and the ranges of a build: see suffix_sort.
template <class Index, Backend B>
struct sort_plan {
  // the smallest ranges, if memory is short
  static constexpr std::size_t min_ranges = has_workers<B> ? 64 : 128;
  // As fast as any. A GPU reads the text once for each 15 ranges, and a mark of every letter for each.
  static constexpr std::size_t quick_ranges = has_workers<B> ? 16 : 12;
  // Larger batches take more memory for the groups that workers leave, and are no faster.
  static constexpr std::size_t min_batch = std::size_t{1} << 20, max_batch = std::size_t{1} << 22;
  static constexpr std::size_t index = sizeof(Index);

  std::size_t n, records;  // suffixes that are sorted
  extra_arrays extra;
  bool copies;
  std::size_t letters = n;         // letters of the text
  bool are_chosen = false;         // whether only some positions have suffixes
  std::size_t max_alphabet = 256;  // different letters, at most, as a power of two

  /// Returns true if a single range is fastest.
  [[nodiscard]] bool at_once() const { return n <= max_at_once(where); }
  /// Returns the memory of the ranks and of those of the records' first suffixes.
  [[nodiscard]] std::size_t ranks() const { return buffer_sizes::of(n + 1, index) + buffer_sizes::of(records, index); }
  /// Returns the memory of results that the machine holds until they are stored.
  [[nodiscard]] std::size_t kept(bool in_ranges = true) const {
    buffer_sizes const size{copies};
    return size.copy(n, index) + early_download<B, Index>::memory(n, early_share(in_ranges)) +
           (extra.lcp ? size.copy(n, index) : 0) + (extra.bwt ? size.copy(n, 1) : 0);
  }
  /// Returns the bytes of a row of all wanted arrays, as made from the ranks.
  [[nodiscard]] std::size_t row() const { return index * (extra.lcp ? 2 : 1) + (extra.bwt ? 1 : 0); }
  /// Returns the maximum memory of sorting `some` suffixes at a time, besides the order, the ranks and open suffixes.
  [[nodiscard]] std::size_t sorting(std::size_t some, bool keeps_order) const {
    if constexpr (has_workers<B>)
      if (keeps_order) return worker_sort<B, Index>::memory(letters, n, some, some / 2);
    return dividing() + range_memory<Index, B>(some);
  }
  /// Returns the memory in which a text can be sorted in `ranges` ranges with a kept order, besides the packed text.
  [[nodiscard]] std::size_t by_ranges(std::size_t ranges = min_ranges) const {
    std::size_t const first = sorting(n / ranges + 1, true) + open_aside(true);
    // Workers leave less than that, for any number of suffixes at a time.
    std::size_t const open = std::min(n / (has_workers<B> ? min_ranges : ranges), n / open_share) + 1;
    std::size_t const needed = n / open_share + 1;
    std::size_t const ranked = are_chosen && !has_workers<B> ? buffer_sizes::of(n + 1, index)
                                                             : needed_ranks<B>::memory(n) + buffer_sizes::of(needed, index);
    return kept() + std::max({first, ranked + range_memory<Index, B>(open) + open_aside(true), lengths()});
  }
  /// Returns the memory of computing an LCP, besides the order and the LCP.
  [[nodiscard]] std::size_t lengths() const { return lengths(n / open_share); }
  [[nodiscard]] std::size_t lengths(std::size_t open) const {
    std::size_t const listed = has_workers<B> ? 0 : buffer_sizes::of(open, index);
    return extra.lcp ? buffer_sizes::of(n, index) + listed + selected_positions<B>::memory(letters + 1) : 0;
  }
  /// Returns the memory that workers may use to sort all suffixes, besides the packed text. It suffices for any text, because
  /// texts are sorted by induction when workers run out of memory. None if that is impossible.
  [[nodiscard]] std::optional<std::size_t> workers_limit() const {
    if constexpr (has_workers<B>) {
      using induced = induced_sort<B, Index>;
      if (!are_chosen && induced::can_sort(n)) return std::max(by_ranges(), induced::memory(n, max_alphabet));
    }
    return std::nullopt;
  }
  /// Returns the memory of a build part by part.
  [[nodiscard]] std::size_t in_parts(std::size_t ranges = min_ranges) const {
    std::size_t const some = n / ranges + 1, first = sorting(some, false) + open_aside(false);
    std::size_t const parts = (extra.lcp ? buffer_sizes::of(n, index) + n / open_share * index : 0) + 2 * some * row() + 4096;
    return ranks() + std::max(first, parts);
  }
  /// Returns the number of suffixes that should be sorted at a time in `available` bytes: in three fourths of what the kept
  /// order, or the ranks, leave, so that there is room for open suffixes.
  [[nodiscard]] std::size_t in_range(std::size_t available, bool keeps_order) const {
    std::size_t const min_count = std::min<std::size_t>(n, n / min_ranges + 1), held = keeps_order ? kept() : ranks();
    std::size_t quick = std::min(n, (has_workers<B> ? n : letters) / quick_ranges) + 1;
    if (has_workers<B> && keeps_order) {
      std::size_t const left = available - std::min(available, held);
      quick = std::max(quick, std::clamp(n / 4, std::min(n, min_batch), max_batch));
      while (quick > min_count && sorting(quick, true) > left / 4 * 3) quick -= (quick + 15) / 16;
      return std::max(quick, min_count);
    }
    std::size_t const taken = held + dividing(), left = available - std::min(available, taken);
    return std::max(suffixes_in_range<Index, B>(quick, left / 4 * 3), min_count);
  }

 private:
  static constexpr device where = has_workers<B> ? device::cpu : device::gpu;
  static constexpr std::size_t open_share = 16;  // at most 1 / open_share of the suffixes may be open

  [[nodiscard]] std::size_t dividing() const { return key_ranges<B, Index>::memory(letters, n); }
  [[nodiscard]] std::size_t open_aside(bool keeps_order) const { return n / open_share * ((keeps_order ? 1 : 2) * index + 1); }
};

/// Returns the maximum number of sorted suffixes in a sample of every `sample`-th position of each record.
inline std::size_t sampled_count(std::size_t n, std::size_t records, std::uint64_t sample) {
  return sample == 1 ? n : std::min(n, std::size_t(n / sample) + records);
}

/// Returns the plan of a sample of `count` positions in a text of n letters.
template <class Index, Backend B>
sort_plan<Index, B> sampled_plan(std::size_t n, std::size_t count, std::size_t records, extra_arrays extra, bool copies) {
  return {.n = count, .records = records, .extra = extra, .copies = copies, .letters = n, .are_chosen = true};
}

/// Returns the maximum number of suffixes in a range, for `available` bytes in all.
template <class Index, Backend B>
std::size_t max_in_range(std::size_t n, std::size_t records, extra_arrays extra, bool copies, std::uint64_t sample,
                         std::size_t available) {
  std::size_t const packed = buffer_sizes::breaks(n, records) + buffer_sizes::of(n / 32 + 3, 8);  // bytes of packed nucleotides
  if (sample != 1) {
    std::size_t const beside = packed + sampled_positions<B>::memory(n);
    return sampled_plan<Index, B>(n, sampled_count(n, records, sample), records, extra, copies)
        .in_range(available - std::min(available, beside), true);
  }
  sort_plan<Index, B> const plan{n, records, extra, copies};
  std::size_t const left = available - std::min(available, packed);
  return plan.in_range(std::min(left, plan.workers_limit().value_or(left)),
                       has_workers<B> || packed + plan.by_ranges() <= available);
}

/// Returns the maximum number of different letters in a text of n residues, as a power of two.
inline std::size_t max_alphabet(std::size_t n, unsigned residue_bytes) {
  return residue_bytes == 1 ? 256 : std::min(std::size_t{1} << (8 * residue_bytes), std::bit_ceil(n));
}

/// The memory that a packed text holds, and that making it takes.
struct packed_memory {
  std::size_t held, made, max_made;  // made: of tokens below 2^20

  /// @param alphabet, max_alphabet  bytes for the alphabet of tokens while the text is made: see token_alphabet
  packed_memory(std::size_t n, std::size_t records, bool copies, unsigned residue_bytes, std::size_t alphabet,
                std::size_t max_alphabet) {
    buffer_sizes const size{copies};
    // The bits of a letter are not known: at most those of a residue.
    held = size.breaks(n, records) + size.of((n * residue_bytes + 7) / 8 + 2, 8) + size.copy(256, 1);
    std::size_t const making = held + size.copy(n, residue_bytes) + size.copy(256, 1) + size.copy(records, 8);
    made = making + alphabet;
    max_made = making + max_alphabet;
  }
};
template <Backend B>
packed_memory packed_memory_on(std::size_t n, std::size_t records, bool copies, unsigned residue_bytes) {
  using narrow = token_alphabet<B, std::uint16_t>;
  using wide = token_alphabet<B, std::uint32_t>;
  if (residue_bytes == 1) return {n, records, copies, residue_bytes, 0, 0};
  if (residue_bytes == 2) return {n, records, copies, residue_bytes, narrow::usual_memory(), narrow::memory(n)};
  return {n, records, copies, residue_bytes, wide::usual_memory(), wide::memory(n)};
}

/// Implements suffix::build_memory for all rows.
template <class Index, Backend B>
memory_estimate all_rows_memory(std::size_t n, std::size_t records, extra_arrays extra, bool copies, unsigned residue_bytes) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), key = sizeof(std::uint64_t);
  packed_memory const packed = packed_memory_on<B>(n, records, copies, residue_bytes);
  std::size_t const sa = size.copy(n, index), lcp = extra.lcp ? size.copy(n, index) : 0;
  std::size_t const order = packed.held + sa + early_download<B, Index>::memory(n, early_share(false));
  auto const with_open = [&](std::size_t open) {
    std::size_t const groups = refinement<B, Index, Index>::memory(open);
    std::size_t const first = order + size.of(n, key) + std::max(B::radix_sort_memory(n, key, index), groups + lcp);
    std::size_t const round = std::max(refinement<B, Index, Index>::sort_memory(open, open / 2, key), size.of(open, index));
    std::size_t const repeats = long_repeats<B, Index, all_positions<B>>::memory(n, open);
    std::size_t const ranked = size.of(n + 1, index) + round;
    std::size_t const needed = needed_ranks<B>::memory(n);
    std::size_t const rounds = open == 0 ? 0 : order + lcp + groups + needed + std::max(repeats, ranked);
    std::size_t const lengths =
        order + lcp + (extra.lcp ? size.of(n, index) + size.of(open, index) + selected_positions<B>::memory(n + 1) : 0);
    std::size_t const rows = order + lcp + (extra.bwt ? size.copy(n, 1) + size.of(records, 1) : 0);
    return size.verbs(n) + std::max({packed.made, first, rounds, lengths, rows});
  };
  sort_plan<Index, B> plan{n, records, extra, copies};
  plan.max_alphabet = max_alphabet(n, residue_bytes);
  auto const beside = [&](std::size_t bytes) { return std::max(packed.made, packed.held + bytes) + size.verbs(n); };
  memory_estimate estimate{0, plan.at_once() ? with_open(0) : beside(plan.by_ranges(plan.quick_ranges)), with_open(n)};
  if constexpr (has_workers<B>) {  // they have no key for each suffix
    auto const limit = plan.workers_limit();
    std::size_t const some = std::min(n, plan.in_range(limit.value_or(estimate.max_bytes), true));
    if (plan.at_once())
      // In a text of short records, the suffixes of the last letter are the largest ranges, one for each of four letters.
      estimate.fast_bytes =
          beside(std::max({worker_sort<B, Index>::memory(n, n, some, 0), worker_sort<B, Index>::memory_of_range(records / 4),
                           repetition_estimate<B, Index>::memory(n), plan.lengths()}));
    if (limit) estimate.max_bytes = beside(std::max(*limit, plan.lengths(n)));
  }
  estimate.max_bytes = std::max(estimate.max_bytes, size.verbs(n) + packed.max_made);
  estimate.min_bytes =
      std::min(estimate.fast_bytes, beside(copies ? std::min(plan.by_ranges(), plan.in_parts()) : plan.by_ranges()));
  return estimate;
}

/// Returns the memory of sorting the suffixes of this plan in one range, of which the first keys leave `open` open, besides the
/// packed text and the positions: see suffix_sort.
template <class Index, Backend B>
std::size_t sampled_sort_memory(sort_plan<Index, B> const& plan, std::size_t open) {
  std::size_t const n = plan.letters, count = plan.n, index = sizeof(Index), key = sizeof(std::uint64_t);
  std::size_t const groups = refinement<B, Index, Index>::memory(open), ranks = buffer_sizes::of(count + 1, index);
  std::size_t const round =
      groups + std::max(refinement<B, Index, Index>::sort_memory(open, open / 2, key), buffer_sizes::of(open, index));
  std::size_t const keys = buffer_sizes::of(count, key), radix = B::radix_sort_memory(count, key, index);
  std::size_t first = 0;
  if constexpr (has_workers<B>)  // at worst all are in one range and open
    first = std::max(worker_sort<B, Index>::memory(n, count, count, open / 2), open == 0 ? 0 : keys + radix);
  else
    first = key_ranges<B, Index>::memory(n, count) + std::max(keys + std::max(radix, groups), open == 0 ? 0 : round);
  std::size_t const lengths = plan.extra.lcp ? buffer_sizes::of(count, index) + buffer_sizes::of(open, index) +
                                                   (plan.copies ? selected_positions<B>::memory(n + 1) : 0)
                                             : 0;
  return plan.kept(false) + std::max({first, open == 0 ? 0 : ranks + round, lengths});
}

/// Implements suffix::build_memory for a sample.
template <class Index, Backend B>
memory_estimate sampled_rows_memory(std::size_t n, std::size_t records, extra_arrays extra, bool copies, std::uint64_t sample,
                                    unsigned residue_bytes) {
  packed_memory const packed = packed_memory_on<B>(n, records, copies, residue_bytes);
  std::size_t const positions = sampled_positions<B>::memory(n), verbs = buffer_sizes{copies}.verbs(n);
  auto const plan = sampled_plan<Index, B>(n, sampled_count(n, records, sample), records, extra, copies);
  auto const beside = [&](std::size_t bytes) { return std::max(packed.made, packed.held + positions + bytes) + verbs; };
  memory_estimate estimate{0, beside(sampled_sort_memory<Index, B>(plan, 0)),
                           std::max(beside(sampled_sort_memory<Index, B>(plan, plan.n)), verbs + packed.max_made)};
  estimate.min_bytes = std::min(estimate.fast_bytes, beside(plan.by_ranges()));
  return estimate;
}

/// Implements suffix::build_memory for all positions or a sample.
template <class Index, Backend B>
memory_estimate rows_memory(std::size_t n, std::size_t records, extra_arrays extra, bool copies, std::uint64_t sample,
                            unsigned residue_bytes) {
  return sample == 1 ? all_rows_memory<Index, B>(n, records, extra, copies, residue_bytes)
                     : sampled_rows_memory<Index, B>(n, records, extra, copies, sample, residue_bytes);
}

/// Implements suffix::check_memory for all rows.
template <class Index, Backend B>
std::size_t proof_memory(std::size_t n, std::size_t records, extra_arrays extra, bool copies, unsigned residue_bytes) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), order = size.copy(n, index) + size.of(n, index);
  std::size_t const text = size.breaks(n, records) + size.copy(n, residue_bytes) + size.copy(records, 8);
  std::size_t const lcp = extra.lcp ? size.copy(n, index) + size.of(n, index) : 0, bwt = extra.bwt ? size.copy(n, 1) : 0;
  return size.verbs(n) + order + text + std::max(lcp, bwt);
}

}  // namespace ordo::inline v0::suffix::detail
