#include "tests/gpu/emulation/segmented_sort.hpp"

namespace {

/// Returns the number of runs, of segments of one length with these begins, that warps leave to the kernel that plans.
std::size_t runs_left(std::vector<std::uint32_t> begins, std::uint32_t length) {
  using K = std::uint32_t;
  using storage = od::small_storage<K, K, std::uint32_t>;
  machine gpu;
  std::size_t const count = begins.size(), n = *std::max_element(begins.begin(), begins.end()) + length;
  auto const keys = gpu.buffer<K>(n), values = gpu.buffer<K>(n);
  auto const begin_memory = gpu.buffer<std::uint32_t>(count), end_memory = gpu.buffer<std::uint32_t>(count);
  for (std::size_t s = 0; s < count; ++s) end_memory.data()[s] = (begin_memory.data()[s] = begins[s]) + length;
  od::tuning::small_run const run{64, od::tuning::small_items, 64};
  storage::layout const where(run);
  auto const numbers = gpu.buffer<std::uint32_t>(count / run.segments + 1);
  auto const left = gpu.buffer<unsigned long long>(1);
  *left.data() = 0;
  od::segment_data<K, K, od::stored_keys<K>> const data{{keys.data(), {}}, values.data(), nullptr, nullptr, nullptr, nullptr};
  ordo::segment_list<std::uint32_t> segments;
  segments.begins = begin_memory.span();
  segments.ends = end_memory.span();
  constexpr unsigned warps = od::tuning::small_threads / od::warp_threads;
  od::launch<od::sort_small_segments<K, K, od::stored_keys<K>, std::uint32_t, false, true>>(
      gpu.kernels(), 3, od::tuning::small_threads, warps * where.end, data, segments,
      od::planned_runs{numbers.data(), left.data(), run.segments}, where);
  return *left.data();
}

}  // namespace

TEST_CASE("kernels: segmented sort, 32-bit keys with values") {
  check_all<std::uint32_t, std::uint32_t>();
}
TEST_CASE("kernels: runs of small segments with holes that one warp sorts") {
  auto const at_distances = [](std::uint32_t distance) {
    std::vector<std::uint32_t> begins(640);
    for (std::size_t s = 0; s < begins.size(); ++s) begins[s] = std::uint32_t(s) * distance;
    return begins;
  };
  for (std::uint32_t distance : {8, 9, 11, 16, 32, 48, 80}) CHECK(runs_left(at_distances(distance), 8) == 0);
  for (std::uint32_t distance : {84, 300}) CHECK(runs_left(at_distances(distance), 8) == 10);
  // A run of few segments that are far from each other but fit in a warp; and one that does not fit.
  CHECK(runs_left({0, 60, 400, 1000}, 2) == 0);
  CHECK(runs_left({0, 60, 400, 1030}, 2) == 1);
  // A hole within one run, larger than the rest of it.
  auto one_far = at_distances(9);
  for (std::size_t s = 100; s < one_far.size(); ++s) one_far[s] += 9000;
  CHECK(runs_left(one_far, 8) == 1);
  // Two segments of one run are exchanged.
  auto changed = at_distances(10);
  std::swap(changed[70], changed[71]);
  CHECK(runs_left(changed, 8) == 1);
  auto backwards = at_distances(11);
  std::reverse(backwards.begin(), backwards.end());
  CHECK(runs_left(backwards, 8) == 10);
  // Single items need no sort, wherever they are.
  CHECK(runs_left(at_distances(500), 1) == 0);
  CHECK(runs_left(backwards, 1) == 0);
}
