#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ordo/machine.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

// The segmented sort never waits for the device, so a CUDA graph can hold it; replays sort whatever then lies in the arrays.
namespace {

struct key_in_array {
  std::uint32_t const* keys;
  ORDO_FN std::uint32_t operator()(std::uint32_t item) const { return keys[item]; }
};

/// What the machine's stream is given by `work`, as a graph.
template <class Work>
cudaGraphExec_t captured(ordo::cuda_backend& machine, Work work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ORDO_CUDA(cudaStreamBeginCapture(machine.stream(), cudaStreamCaptureModeThreadLocal));
  work();
  ORDO_CUDA(cudaStreamEndCapture(machine.stream(), &graph));
  ORDO_CUDA(cudaGraphInstantiate(&ready, graph, 0));
  ORDO_CUDA(cudaGraphDestroy(graph));
  return ready;
}

template <class T>
ordo::buffer<T> on_device(ordo::cuda_backend& machine, std::vector<T> const& host) {
  auto there = machine.buffer<T>(host.size());
  ORDO_CUDA(cudaMemcpy(there.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  ORDO_CUDA(cudaDeviceSynchronize());
  return there;
}

template <class T>
std::vector<T> on_host(ordo::cuda_backend& machine, ordo::buffer<T> const& there) {
  std::vector<T> host(there.size());
  machine.download(std::span<T const>(there.span()), host);
  return host;
}

}  // namespace

TEST_CASE("a segmented sort in a CUDA graph", "[segmented_sort][cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend machine;
  // Segments of every class, and two for many blocks.
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t n : {1, 2, 7, 12, 30, 40, 90, 200, 400, 900, 3000, 7000, 16000, 20000, 40000})
    offsets.push_back(offsets.back() + n);
  std::size_t const n = offsets.back();
  auto const device_offsets = on_device(machine, offsets);
  auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(device_offsets.span()));
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  auto const keys = machine.buffer<std::uint32_t>(n), values = machine.buffer<std::uint32_t>(n),
             items = machine.buffer<std::uint32_t>(n);
  auto const given = machine.buffer<std::uint32_t>(n);
  auto const heads = machine.buffer<std::uint8_t>(n);
  auto const fill = [&](std::uint64_t seed) {
    random_numbers random(seed);
    std::vector<std::uint32_t> numbers(n);
    for (auto& x : numbers) x = std::uint32_t(random() >> (seed % 20));
    ORDO_CUDA(cudaMemcpy(keys.data(), numbers.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(given.data(), numbers.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(values.data(), positions.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaMemcpy(items.data(), positions.data(), n * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());  // the last of them may still be on their way
  };
  auto const sort = [&] {
    machine.segmented_sort(keys.span(), values.span(), segments, heads.span());
    machine.segmented_sort_by(items.span(), segments, key_in_array{given.data()});
  };
  fill(1);
  sort();  // the pool now has the memory that a capture may not ask for
  auto const graph = captured(machine, sort);
  for (std::uint64_t seed : {2, 33, 54}) {
    fill(seed);
    sort();
    auto const expected_keys = on_host(machine, keys), expected_values = on_host(machine, values),
               expected_items = on_host(machine, items);
    auto const expected_heads = on_host(machine, heads);
    fill(seed);
    ORDO_CUDA(cudaGraphLaunch(graph, machine.stream()));
    CHECK(on_host(machine, keys) == expected_keys);
    CHECK(on_host(machine, values) == expected_values);
    CHECK(on_host(machine, items) == expected_items);
    CHECK(on_host(machine, heads) == expected_heads);
    CHECK(expected_items == expected_values);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      CHECK(std::is_sorted(expected_keys.begin() + offsets[s], expected_keys.begin() + offsets[s + 1]));
  }
  ORDO_CUDA(cudaGraphExecDestroy(graph));
}
