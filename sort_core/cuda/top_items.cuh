#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/kernels/select_top.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/launch.cuh"

// The first k items of each segment of an array: by one launch, by two if some segments may be short and others long, or by
// none if it pays to sort segments whole.
namespace ordo::inline v0::cuda_detail {

/// How the first k items of segments are selected.
struct top_plan {
  /// The items that a warp ranks. 0: warps select from no segment.
  std::uint32_t warp_room = 0;
  /// The slices of a segment, at most, and the items that a block keeps. 0: blocks select from no segment.
  std::uint32_t slices = 0, room = 0;
  /// The slices that share a list, and the lists that do (top_exchange).
  std::uint32_t fan = 1;
  /// True if segments have few items: for warps with few registers, or blocks with few threads.
  bool few = false;
  std::size_t count = 0;

  static constexpr unsigned threads = 512, few_threads = 128;

  /// @param n        items of all segments, or more
  /// @param longest  a bound on the segments' lengths
  /// @param uniform  true if all segments have this length
  [[nodiscard]] static top_plan suiting(std::size_t key_bytes, std::size_t n, std::size_t segments, std::size_t longest,
                                        bool uniform, std::size_t k) {
    return key_bytes == 8 ? suiting<std::uint64_t>(n, segments, longest, uniform, k)
                          : suiting<std::uint32_t>(n, segments, longest, uniform, k);
  }

  [[nodiscard]] bool possible() const { return warp_room != 0 || slices != 0; }
  /// Returns the number of lists of a segment.
  [[nodiscard]] std::uint32_t lists() const {
    std::uint32_t sum = 0;
    for (std::uint32_t members = slices; members > 1; sum += members) members = (members - 1) / fan + 1;
    return sum;
  }
  /// Returns the bytes of temporary memory.
  [[nodiscard]] std::size_t bytes(std::size_t key_bytes) const {
    std::size_t const item = key_bytes == 8 ? sizeof(top_types<std::uint64_t>::item) : sizeof(top_types<std::uint32_t>::item);
    std::size_t const all = count * lists();
    return parts::size(all * fan * room * item) + parts::size(2 * all * sizeof(std::uint32_t));
  }

 private:
  template <class K>
  [[nodiscard]] static top_plan suiting(std::size_t n, std::size_t segments, std::size_t longest, bool uniform, std::size_t k) {
    using sizes = top_sizes<K, threads>;
    // An H200 runs as many blocks at once.
    constexpr std::size_t blocks = 264;
    // Shorter segments, or those of which k is a greater part, are sorted.
    constexpr std::size_t min_average = 1024, min_share = 8;
    // So are segments of which a slice may have more than both: a block would take longer than all others.
    constexpr std::size_t slice_items = std::size_t{1} << 17, parts_of_all = 64;
    constexpr std::size_t for_few_threads = 4 * blocks, few_items = std::size_t{1} << 15;
    top_plan plan;
    plan.count = segments;
    if (n == 0 || segments == 0 || k == 0 || k > sizes::max_k || longest >= std::size_t{1} << 31) return plan;
    auto const twice = std::bit_ceil(std::uint32_t(2 * k));
    std::size_t const average = n / segments;  // which a caller knows that asks for the memory
    if (longest <= sizes::short_length && k <= sizes::short_k && k <= average / 2) {
      plan.warp_room = std::max<std::uint32_t>(twice, warp_threads);
      plan.few = longest <= sizes::few_length;
      return plan;
    }
    std::size_t const divided = std::clamp<std::size_t>(blocks / segments, 1, (longest - 1) / sizes::tile + 1);
    if (average < min_average || k > average / min_share || longest / divided > std::max(n / parts_of_all, slice_items) ||
        sizeof(typename sizes::storage) > shared_memory_limit())
      return plan;
    if (!uniform && k <= sizes::short_k) plan.warp_room = std::max<std::uint32_t>(twice, warp_threads);
    plan.slices = std::uint32_t(divided);
    plan.room = std::clamp<std::uint32_t>(twice, 64, sizes::max_k);
    plan.few = segments >= for_few_threads && longest <= few_items && plan.room <= top_sizes<K, few_threads>::max_k;
    // One block reads what all slices keep, unless this takes it many tiles.
    constexpr std::uint32_t tiles = 4, of_two_levels = 17;
    static_assert(of_two_levels * of_two_levels >= blocks);
    plan.fan = divided * plan.room <= tiles * sizes::tile ? plan.slices : of_two_levels;
    return plan;
  }
};

/// Queues the kernels of a plan that is possible: see select_top.
template <class K, class Backend, class Code, class Offset, class Write>
void select_top_items(Backend& backend, Code code, segment_list<Offset> const& segments, top_plan const& plan, std::uint32_t k,
                      bool sorted, Write write) {
  using types = top_types<K>;
  auto& kernels = backend.kernels();
  if (plan.warp_room != 0) {
    auto const by_warps = [&]<unsigned OfLane>(std::integral_constant<unsigned, OfLane>) {
      launch<select_top_by_warps<K, OfLane, Code, Offset, Write>>(
          kernels, blocks_for(plan.count, types::warps), types::warps * warp_threads,
          types::warps * plan.warp_room * sizeof(typename types::item), code, segments, k, plan.warp_room, sorted, write);
    };
    if (plan.few && plan.slices == 0)
      by_warps(std::integral_constant<unsigned, types::few_of_a_lane>{});
    else
      by_warps(std::integral_constant<unsigned, types::of_a_lane>{});
  }
  if (plan.slices == 0) return;
  auto const memory = backend.template buffer<char>(plan.bytes(sizeof(K)));
  top_exchange<K> exchange{nullptr, nullptr, nullptr, plan.fan, plan.lists()};
  if (std::size_t const lists = plan.count * exchange.lists; lists != 0) {
    parts taken(memory.data());
    exchange.items = taken.take<typename types::item>(lists * plan.fan * plan.room);
    exchange.counts = taken.take<std::uint32_t>(2 * lists);
    exchange.ended = exchange.counts + lists;
    ORDO_CUDA(cudaMemsetAsync(exchange.counts, 0, 2 * lists * sizeof(std::uint32_t), backend.stream()));
  }
  auto const by_blocks = [&]<unsigned Threads>(std::integral_constant<unsigned, Threads>) {
    launch<select_top<K, Threads, Code, Offset, Write>>(
        kernels, blocks_for(plan.count * plan.slices, 1), Threads, sizeof(typename top_sizes<K, Threads>::storage), code,
        segments, k, plan.room, plan.slices, plan.warp_room != 0 ? types::short_length + 1 : 0, sorted, exchange, write);
  };
  if (plan.few)
    by_blocks(std::integral_constant<unsigned, top_plan::few_threads>{});
  else
    by_blocks(std::integral_constant<unsigned, top_plan::threads>{});
}

}  // namespace ordo::inline v0::cuda_detail
