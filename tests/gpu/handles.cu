#include <algorithm>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "ordo/gpu.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"

// The promises of ordo::gpu to its user, on streams, memory and devices.
namespace {

std::vector<std::uint32_t> random_keys(std::size_t n) {
  random_numbers random(n);
  std::vector<std::uint32_t> keys(n);
  for (auto& key : keys) key = std::uint32_t(random());
  return keys;
}

/// Keys on the current device, by plain CUDA calls.
class device_keys {
 public:
  explicit device_keys(std::vector<std::uint32_t> const& keys) : size_(keys.size()) {
    ORDO_CUDA(cudaMalloc(&keys_, size_ * sizeof(std::uint32_t)));
    put(keys);
  }
  ~device_keys() { static_cast<void>(cudaFree(keys_)); }
  device_keys(device_keys const&) = delete;
  device_keys& operator=(device_keys const&) = delete;

  void put(std::vector<std::uint32_t> const& keys) {
    ORDO_CUDA(cudaMemcpy(keys_, keys.data(), size_ * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());  // cudaMemcpy may return before its end
  }
  [[nodiscard]] std::vector<std::uint32_t> get() const {
    std::vector<std::uint32_t> keys(size_);
    ORDO_CUDA(cudaMemcpy(keys.data(), keys_, size_ * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
    return keys;
  }
  [[nodiscard]] std::span<std::uint32_t> span() const { return {keys_, size_}; }

 private:
  std::uint32_t* keys_ = nullptr;
  std::size_t size_;
};

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// An allocator over cudaMallocAsync that counts its blocks.
struct counting_allocator final : ordo::device_allocator {
  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    if (held + bytes > limit) throw std::bad_alloc();
    void* block = nullptr;
    ORDO_CUDA(cudaMallocAsync(&block, bytes, stream));
    blocks[block] = bytes;
    held += bytes;
    last_stream = stream;
    ++calls;
    return block;
  }
  void deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept override {
    right = right && blocks[block] == bytes && stream == last_stream;
    blocks.erase(block);
    held -= bytes;
    static_cast<void>(cudaFreeAsync(block, stream));
  }
  std::map<void*, std::size_t> blocks;
  std::size_t held = 0, calls = 0, limit = ~std::size_t{0};
  CUstream_st* last_stream = nullptr;
  bool right = true;
};

}  // namespace

TEST_CASE("a gpu works on the caller's stream", "[handles][cuda][small]") {
  if (ordo::gpus().empty()) return;
  cudaStream_t stream = nullptr;
  ORDO_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  auto const keys = random_keys(50000);
  device_keys there(std::vector<std::uint32_t>(keys.size(), 1));
  std::vector<std::uint32_t> out(keys.size());
  {
    ordo::gpu gpu({.stream = stream});
    CHECK(gpu.stream() == stream);
    ORDO_CUDA(cudaMemcpyAsync(there.span().data(), keys.data(), keys.size() * 4, cudaMemcpyHostToDevice, stream));
    ordo::sort_segments(gpu, there.span(), ordo::uniform_segments(1, keys.size()));
    ORDO_CUDA(cudaMemcpyAsync(out.data(), there.span().data(), keys.size() * 4, cudaMemcpyDeviceToHost, stream));
    gpu.synchronize();
    CHECK(out == sorted(keys));
  }
  ORDO_CUDA(cudaStreamSynchronize(stream));  // it still belongs to the caller
  ORDO_CUDA(cudaStreamDestroy(stream));
  // Also on the default stream.
  there.put(keys);
  ordo::gpu gpu({.stream = nullptr});
  CHECK(gpu.stream() == nullptr);
  ordo::sort_keys(gpu, there.span());
  CHECK(there.get() == sorted(keys));
}

TEST_CASE("a gpu allocates and frees the caller's memory", "[handles][cuda][small]") {
  if (ordo::gpus().empty()) return;
  counting_allocator allocator;
  auto const keys = random_keys(50000);
  device_keys there(keys);
  {
    ordo::gpu gpu({.allocator = &allocator});
    CHECK(allocator.calls == 0);
    ordo::sort_keys(gpu, there.span());
    CHECK(allocator.calls > 0);
    CHECK(allocator.held == 0);  // any caching is up to the allocator
    gpu.synchronize();
    CHECK(there.get() == sorted(keys));
    there.put(keys);
    allocator.limit = 1000;
    CHECK_THROWS_AS(ordo::sort_keys(gpu, there.span()), ordo::out_of_memory);
    gpu.synchronize();
    CHECK(sorted(there.get()) == sorted(keys));
  }
  CHECK(allocator.held == 0);
  CHECK(allocator.right);
}

TEST_CASE("a gpu's memory is limited", "[handles][cuda][small]") {
  if (ordo::gpus().empty()) return;
  auto const keys = random_keys(50000);
  device_keys there(keys);
  ordo::gpu scarce({.memory_limit = 10000});
  CHECK_THROWS_AS(ordo::sort_keys(scarce, there.span()), ordo::out_of_memory);
  ordo::gpu enough({.memory_limit = ordo::sort_memory<std::uint32_t>(scarce, keys.size())});
  ordo::sort_keys(enough, there.span());
  enough.synchronize();
  CHECK(there.get() == sorted(keys));
}

TEST_CASE("sort_segments in a CUDA graph", "[handles][cuda][small]") {
  if (ordo::gpus().empty()) return;
  auto const segments = ordo::uniform_segments(1, 50000);
  device_keys there(random_keys(50000));
  ordo::gpu gpu;
  ordo::sort_segments(gpu, there.span(), segments);  // the pool now has the memory, which a capture cannot allocate
  gpu.synchronize();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ORDO_CUDA(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal));
  ordo::sort_segments(gpu, there.span(), segments);
  ORDO_CUDA(cudaStreamEndCapture(gpu.stream(), &graph));
  ORDO_CUDA(cudaGraphInstantiate(&ready, graph, 0));
  auto keys = random_keys(50000);
  for (auto& key : keys) key = ~key;
  there.put(keys);
  ORDO_CUDA(cudaGraphLaunch(ready, gpu.stream()));
  gpu.synchronize();
  CHECK(there.get() == sorted(keys));
  ORDO_CUDA(cudaGraphExecDestroy(ready));
  ORDO_CUDA(cudaGraphDestroy(graph));
}

TEST_CASE("machines on every GPU work at once and keep the caller's device", "[handles][cuda][small]") {
  unsigned const count = unsigned(ordo::gpus().size());
  for (unsigned caller = 0; caller < count; ++caller) {
    ORDO_CUDA(cudaSetDevice(int(caller)));
    auto const current = [] {
      int device = -1;
      ORDO_CUDA(cudaGetDevice(&device));
      return unsigned(device);
    };
    static_cast<void>(ordo::gpus());
    CHECK(current() == caller);
    for (unsigned other = 0; other < count; ++other) {
      ordo::machine_options options{.device = ordo::device::gpu, .gpu_index = other};
      auto const chosen = ordo::choose_machine(options, 0, 0, [](ordo::gpu_info const&) { return std::size_t{1}; });
      CHECK(chosen.gpu_index == other);
      std::string const letters = "GATTACAGATTACA";
      CHECK(ordo::suffix::build<std::uint32_t>({letters}, ordo::suffix::extra_arrays{}, {.machine = options}).sa.front() == 13);
      CHECK(current() == caller);
    }
  }
  std::vector<std::thread> threads;
  std::vector<int> right(count, 0);
  for (unsigned g = 0; g < count; ++g)
    threads.emplace_back([&right, g] {
      ORDO_CUDA(cudaSetDevice(int(g)));
      auto const keys = random_keys(300000 + g);
      device_keys there(keys);
      ORDO_CUDA(cudaSetDevice(0));
      ordo::gpu gpu({.device = g});
      ordo::sort_keys(gpu, there.span());
      gpu.synchronize();
      ORDO_CUDA(cudaSetDevice(int(g)));
      right[g] = there.get() == sorted(keys);
    });
  for (auto& thread : threads) thread.join();
  CHECK(right == std::vector<int>(count, 1));
  if (count > 0) ORDO_CUDA(cudaSetDevice(0));
}
