#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ordo/machine.hpp"
#include "ordo/top_k.hpp"
#include "sort_core/cuda/operations.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

// The segmented sort never waits for the device, so that a CUDA graph can capture it. Replays sort the current contents of the
// arrays.
namespace {

struct key_in_array {
  std::uint32_t const* keys;
  ORDO_FN std::uint32_t operator()(std::uint32_t item) const { return keys[item]; }
};

/// Returns a graph of the operations that `work` queues on the backend's stream.
template <class Work>
cudaGraphExec_t captured(ordo::cuda_backend& backend, Work work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ORDO_CUDA(cudaStreamBeginCapture(backend.stream(), cudaStreamCaptureModeThreadLocal));
  work();
  ORDO_CUDA(cudaStreamEndCapture(backend.stream(), &graph));
  ORDO_CUDA(cudaGraphInstantiate(&ready, graph, 0));
  ORDO_CUDA(cudaGraphDestroy(graph));
  return ready;
}

template <class T>
ordo::buffer<T> on_device(ordo::cuda_backend& backend, std::vector<T> const& host) {
  auto there = backend.buffer<T>(host.size());
  ORDO_CUDA(cudaMemcpy(there.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  ORDO_CUDA(cudaDeviceSynchronize());
  return there;
}

template <class T>
std::vector<T> on_host(ordo::cuda_backend& backend, ordo::buffer<T> const& there) {
  std::vector<T> host(there.size());
  backend.download(std::span<T const>(there.span()), host);
  return host;
}

}  // namespace

TEST_CASE("a segmented sort in a CUDA graph", "[segmented_sort][cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  // Segments of every class, and two that need many blocks.
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t n : {1, 2, 7, 12, 30, 40, 90, 200, 400, 900, 3000, 7000, 16000, 20000, 40000})
    offsets.push_back(offsets.back() + n);
  std::size_t const n = offsets.back();
  auto const device_offsets = on_device(backend, offsets);
  auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(device_offsets.span()));
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  auto const keys = backend.buffer<std::uint32_t>(n), values = backend.buffer<std::uint32_t>(n),
             items = backend.buffer<std::uint32_t>(n);
  auto const given = backend.buffer<std::uint32_t>(n);
  auto const heads = backend.buffer<std::uint8_t>(n);
  auto const fill = [&](std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<std::uint32_t> numbers(n);
    for (auto& x : numbers) x = std::uint32_t(random() >> (seed % 20));
    ORDO_CUDA(cudaDeviceSynchronize());  // the last sort may still run
    ORDO_CUDA(cudaMemcpy(keys.data(), numbers.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(given.data(), numbers.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(values.data(), positions.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(items.data(), positions.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());  // cudaMemcpy may return before its end
  };
  auto const sort = [&] {
    backend.segmented_sort(keys.span(), values.span(), segments, heads.span());
    backend.segmented_sort_by(items.span(), segments, key_in_array{given.data()});
  };
  fill(1);
  sort();  // the pool now has the memory, which a capture cannot allocate
  auto const graph = captured(backend, sort);
  for (std::uint64_t seed : {2, 33, 54}) {
    fill(seed);
    sort();
    auto const expected_keys = on_host(backend, keys), expected_values = on_host(backend, values),
               expected_items = on_host(backend, items);
    auto const expected_heads = on_host(backend, heads);
    fill(seed);
    ORDO_CUDA(cudaGraphLaunch(graph, backend.stream()));
    CHECK(on_host(backend, keys) == expected_keys);
    CHECK(on_host(backend, values) == expected_values);
    CHECK(on_host(backend, items) == expected_items);
    CHECK(on_host(backend, heads) == expected_heads);
    CHECK(expected_items == expected_values);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      CHECK(std::is_sorted(expected_keys.begin() + offsets[s], expected_keys.begin() + offsets[s + 1]));
  }
  ORDO_CUDA(cudaGraphExecDestroy(graph));
}

TEST_CASE("the first k items in a CUDA graph", "[top_k][cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  std::size_t const n = 100'000, k = 50;
  std::vector<std::uint32_t> keys(n);
  random_numbers random(5);
  for (std::uint32_t& key : keys) key = std::uint32_t(random());
  auto const there = on_device(backend, keys);
  auto const best = on_device(backend, std::vector<std::uint32_t>(k)),
             places = on_device(backend, std::vector<std::uint32_t>(k));
  auto task = ordo::detail::task_of_top_k(ordo::detail::operation_task::operation::top_k,
                                          std::span<std::uint32_t const>(there.span()), k, {.largest = false});
  task.out_keys = ordo::detail::argument(best.span());
  task.out_index = ordo::detail::argument(places.span());
  auto const select = [&] { ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint32_t>(backend, task); };
  select();  // the pool now has the memory, which a capture cannot allocate
  auto const graph = captured(backend, select);
  for (int round = 0; round < 2; ++round) {
    std::reverse(keys.begin(), keys.end());
    ORDO_CUDA(cudaMemcpy(there.data(), keys.data(), n * sizeof keys[0], cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaGraphLaunch(graph, backend.stream()));
    std::vector<std::uint32_t> order(n), expected;
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return keys[i]; });
    order.resize(k);
    for (std::uint32_t const i : order) expected.push_back(keys[i]);
    CHECK(on_host(backend, places) == order);
    CHECK(on_host(backend, best) == expected);
  }
  ORDO_CUDA(cudaGraphExecDestroy(graph));
}
