#include "sort_core/cuda/kernels/reduce_segments.cuh"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/gpu/emulation/machine.hpp"
#include "tests/unit/catch.hpp"

// Reduction of each segment by a warp.
namespace {

struct summary {
  std::uint64_t sum = 0;
  std::uint32_t greatest = 0, count = 0;
};
struct join_summaries {
  summary operator()(summary const& a, summary const& b) const {
    return {a.sum + b.sum, std::max(a.greatest, b.greatest), a.count + b.count};
  }
};
/// Notes in `seen` by how many calls an item was read, and for which segment.
struct item_of_segment {
  std::uint32_t const* items;
  std::uint32_t* seen;
  summary operator()(std::size_t s, std::size_t i) const {
    seen[i] += 1000 + std::uint32_t(s);
    return {items[i], items[i], 1};
  }
};

}  // namespace

TEST_CASE("reduce_segments reads each item once") {
  std::mt19937 random(11);
  for (std::vector<std::uint32_t> const& lengths :
       std::vector<std::vector<std::uint32_t>>{{}, {0}, {1}, {0, 1, 31, 32, 33, 0, 64, 1000}, {5, 5, 5}}) {
    std::vector<std::uint32_t> offsets{2}, expected(2, 0);
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      offsets.push_back(offsets.back() + lengths[s]);
      expected.insert(expected.end(), lengths[s], 1000 + std::uint32_t(s));
    }
    expected.push_back(0);  // after the last segment
    emulation::machine machine;
    auto const items = machine.buffer<std::uint32_t>(expected.size()), seen = machine.buffer<std::uint32_t>(expected.size());
    auto const out = machine.buffer<summary>(lengths.size());
    std::generate_n(items.data(), items.size(), [&] { return std::uint32_t(random()); });
    std::fill_n(seen.data(), seen.size(), 0);
    std::span<std::uint32_t const> const bounds(offsets);
    ordo::segment_list<std::uint32_t> const segments{bounds.first(lengths.size()), bounds.subspan(1)};
    ordo::cuda_detail::launch<
        ordo::cuda_detail::reduce_segments_by_warps<std::uint32_t, item_of_segment, summary, join_summaries>>(
        machine.kernels(), 2, 64, 0, segments, item_of_segment{items.data(), seen.data()}, summary{}, join_summaries{},
        out.data());
    CHECK(std::equal(expected.begin(), expected.end(), seen.data()));
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      summary all;
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i)
        all = join_summaries{}(all, {items.data()[i], items.data()[i], 1});
      CHECK(out.data()[s].sum == all.sum);
      CHECK(out.data()[s].greatest == all.greatest);
      CHECK(out.data()[s].count == all.count);
    }
  }
}
