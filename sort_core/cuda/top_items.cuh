#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/kernels/select_top.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/launch.cuh"

// The first k items of each segment of an array: by one launch, by two if some segments may be short and others long, or by
// none if it pays to sort segments whole.
namespace ordo::inline v0::cuda_detail {

/// How the first k items of segments are selected.
struct top_plan {
  std::uint32_t warp_room = 0;         // the items that a warp ranks; 0: warps select from no segment
  std::uint32_t slices = 0, room = 0;  // of a segment at most, and the items that a block keeps; 0: blocks select from none
  std::uint32_t fan = 1;               // slices or lists that share a list (top_exchange)
  std::size_t count = 0;
  bool has_few = false;  // no segment has more items than a warp with few registers holds

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
    std::size_t const item = key_bytes == 8 ? sizeof(top_sizes<std::uint64_t>::item) : sizeof(top_sizes<std::uint32_t>::item);
    std::size_t const all = count * lists();
    return parts::size(all * fan * room * item) + parts::size(2 * all * sizeof(std::uint32_t));
  }

 private:
  template <class K>
  [[nodiscard]] static top_plan suiting(std::size_t n, std::size_t segments, std::size_t longest, bool uniform, std::size_t k) {
    using sizes = top_sizes<K>;
    constexpr std::size_t blocks = 264;                               // that an H200 runs at once
    constexpr std::size_t min_average = 1024, min_share = 8;          // shorter segments, or a greater part of them: sorted
    constexpr std::size_t slice = std::size_t{1} << 17, slices = 64;  // the longest slice has one 64th of all, or so many
    top_plan plan;
    plan.count = segments;
    if (n == 0 || segments == 0 || k == 0 || k > sizes::max_k || longest >= std::size_t{1} << 31) return plan;
    auto const warp_room = std::max<std::uint32_t>(std::bit_ceil(std::uint32_t(2 * k)), warp_threads);
    std::size_t const average = n / segments;  // which a caller knows that asks for the memory
    if (longest <= sizes::short_length && k <= sizes::short_k && k <= average / 2) {
      plan.warp_room = warp_room;
      plan.has_few = longest <= sizes::few_of_a_lane * warp_threads;
      return plan;
    }
    std::size_t const divided = std::clamp<std::size_t>(blocks / segments, 1, (longest - 1) / sizes::tile + 1);
    if (average < min_average || k > average / min_share || longest / divided > std::max(n / slices, slice) ||
        sizeof(typename sizes::storage) > shared_memory_limit())
      return plan;
    if (!uniform && k <= sizes::short_k) plan.warp_room = warp_room;
    plan.slices = std::uint32_t(divided);
    plan.room = std::clamp<std::uint32_t>(std::bit_ceil(std::uint32_t(4 * k)), 256, sizes::max_k);
    // One block reads what all slices keep, unless this takes it many tiles.
    constexpr std::uint32_t tiles = 4, of_two_levels = 17;
    static_assert(of_two_levels * of_two_levels >= blocks);
    plan.fan = divided * 2 * k <= tiles * sizes::tile ? plan.slices : of_two_levels;
    return plan;
  }
};

/// Queues the kernels of a plan that is possible: see select_top.
template <class K, class Backend, class Code, class Offset, class Write>
void select_top_items(Backend& backend, Code code, segment_list<Offset> const& segments, top_plan const& plan, std::uint32_t k,
                      bool sorted, Write write) {
  using sizes = top_sizes<K>;
  auto& kernels = backend.kernels();
  if (plan.warp_room != 0) {
    auto const by_warps = [&]<auto * Kernel>() {
      launch<Kernel>(kernels, blocks_for(plan.count, sizes::warps), sizes::warps * warp_threads,
                     sizes::warps * plan.warp_room * sizeof(typename sizes::item), code, segments, k, plan.warp_room, sorted,
                     write);
    };
    if (plan.has_few)
      by_warps.template operator()<select_top_by_warps<K, sizes::few_of_a_lane, Code, Offset, Write>>();
    else
      by_warps.template operator()<select_top_by_warps<K, sizes::of_a_lane, Code, Offset, Write>>();
  }
  if (plan.slices == 0) return;
  auto const memory = backend.template buffer<char>(plan.bytes(sizeof(K)));
  top_exchange<K> exchange{nullptr, nullptr, nullptr, plan.fan, plan.lists()};
  if (std::size_t const lists = plan.count * exchange.lists; lists != 0) {
    parts taken(memory.data());
    exchange.items = taken.take<typename sizes::item>(lists * plan.fan * plan.room);
    exchange.counts = taken.take<std::uint32_t>(2 * lists);
    exchange.ended = exchange.counts + lists;
    ORDO_CUDA(cudaMemsetAsync(exchange.counts, 0, 2 * lists * sizeof(std::uint32_t), backend.stream()));
  }
  launch<select_top<K, Code, Offset, Write>>(kernels, blocks_for(plan.count * plan.slices, 1), sizes::threads,
                                             sizeof(typename sizes::storage), code, segments, k, plan.room, plan.slices,
                                             plan.warp_room != 0 ? sizes::short_length + 1 : 0, sorted, exchange, write);
}

}  // namespace ordo::inline v0::cuda_detail
