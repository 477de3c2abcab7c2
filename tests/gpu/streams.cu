#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/gpu.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/machines/machine_arrays.hpp"

// Calls of one machine on several streams, calls that must not wait for the device, and sorts of whole arrays in CUDA graphs.
namespace {

/// An array on the current device, by plain CUDA calls.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : size_(n) { ORDO_CUDA(cudaMalloc(&items_, std::max<std::size_t>(n, 1) * sizeof(T))); }
  explicit device_array(std::vector<T> const& items) : device_array(items.size()) { put(items); }
  ~device_array() { static_cast<void>(cudaFree(items_)); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;

  void put(std::vector<T> const& items) const {
    ORDO_CUDA(cudaMemcpy(items_, items.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());  // cudaMemcpy may return before its end
  }
  [[nodiscard]] std::vector<T> get() const {
    ORDO_CUDA(cudaDeviceSynchronize());
    std::vector<T> items(size_);
    ORDO_CUDA(cudaMemcpy(items.data(), items_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return items;
  }
  [[nodiscard]] std::span<T> span() const { return {items_, size_}; }
  [[nodiscard]] std::span<T const> const_span() const { return {items_, size_}; }

 private:
  T* items_ = nullptr;
  std::size_t size_;
};

struct stream {
  stream() { ORDO_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~stream() { static_cast<void>(cudaStreamDestroy(handle)); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  cudaStream_t handle = nullptr;
};

template <class K>
std::vector<K> random_keys(std::size_t n, std::uint64_t seed = 1) {
  random_numbers random(n + seed);
  std::vector<K> keys(n);
  for (K& key : keys) key = key_of_bits<K>(random());
  return keys;
}

template <ordo::sort_order Order, class K>
std::vector<std::uint32_t> order_of(std::vector<K> const& keys) {
  using code = ordo::radix_key<K, Order>;
  std::vector<std::uint32_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return code::encode(keys[a]) < code::encode(keys[b]); });
  return positions;
}

/// Holds up the work that is queued on a stream after it, until it is opened; but not for ever, so that a test fails where it
/// would hang.
class gate {
 public:
  explicit gate(cudaStream_t on) { ORDO_CUDA(cudaLaunchHostFunc(on, wait, this)); }
  gate(gate const&) = delete;
  gate& operator=(gate const&) = delete;
  /// Returns true if the work was still held up.
  bool open() {
    bool const in_time = !too_late_;
    is_open_ = true;
    return in_time;
  }

 private:
  static void CUDART_CB wait(void* data) {
    auto& self = *static_cast<gate*>(data);
    for (int i = 0; i < 5000 && !self.is_open_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!self.is_open_) self.too_late_ = true;
  }
  std::atomic<bool> is_open_ = false, too_late_ = false;
};

/// An allocator over cudaMallocAsync that remembers its streams.
struct async_allocator final : ordo::device_allocator {
  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    void* block = nullptr;
    ORDO_CUDA(cudaMallocAsync(&block, bytes, stream));
    streams.push_back(stream);
    ++held;
    return block;
  }
  void deallocate(void* block, std::size_t, CUstream_st* stream) noexcept override {
    streams.push_back(stream);
    --held;
    static_cast<void>(cudaFreeAsync(block, stream));
  }
  std::vector<CUstream_st*> streams;
  std::size_t held = 0;
};

bool has_memory_pools() {
  int supported = 0;
  ORDO_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  return supported != 0;
}

/// A graph of the work that `queue` queues on a stream.
class graph {
 public:
  graph(cudaStream_t on, std::function<void()> const& queue) {
    cudaGraph_t captured = nullptr;
    ORDO_CUDA(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    queue();
    ORDO_CUDA(cudaStreamEndCapture(on, &captured));
    ORDO_CUDA(cudaGraphInstantiate(&ready_, captured, 0));
    ORDO_CUDA(cudaGraphDestroy(captured));
  }
  ~graph() { static_cast<void>(cudaGraphExecDestroy(ready_)); }
  graph(graph const&) = delete;
  graph& operator=(graph const&) = delete;
  void launch(cudaStream_t on) { ORDO_CUDA(cudaGraphLaunch(ready_, on)); }

 private:
  cudaGraphExec_t ready_ = nullptr;
};

struct less {
  ORDO_FN bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

/// Sorts of one type of keys in a graph, replayed on new keys.
template <ordo::sort_order Order, class K>
void check_graph(std::size_t n, bool capturable) {
  INFO(n << " keys of " << sizeof(K) << " bytes");
  ordo::gpu gpu({.capturable = capturable});
  device_array<K> const alone(n), in(n), out(n), paired(n);
  device_array<std::uint32_t> const values(n), index(n), values_in(n), values_out(n);
  auto const queue = [&] {
    ordo::sort_keys<Order>(gpu, alone.span());
    ordo::argsort<Order>(gpu, in.const_span(), index.span());
    ordo::sort_pairs<Order>(gpu, paired.span(), values.span());
    ordo::sort_pairs<Order>(gpu, in.const_span(), out.span(), values_in.const_span(), values_out.span());
  };
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  auto const fill = [&](std::vector<K> const& keys) {
    for (auto const* to : {&alone, &in, &paired}) to->put(keys);
    for (auto const* to : {&values, &values_in}) to->put(numbers);
  };
  fill(random_keys<K>(n));
  gpu.reserve(std::max(ordo::sort_memory<K, std::uint32_t>(gpu, n), ordo::argsort_memory<K, std::uint32_t>(gpu, n)));
  queue();
  gpu.synchronize();
  graph replayed(gpu.stream(), queue);
  for (auto const& [name, keys] : inputs<K>(n)) {
    INFO(name);
    fill(keys);
    replayed.launch(gpu.stream());
    gpu.synchronize();
    auto const positions = order_of<Order>(keys);
    auto const sorted = taken(keys, positions);
    CHECK(same_bytes(alone.get(), sorted));
    CHECK(same_bytes(in.get(), keys));
    CHECK(same_bytes(paired.get(), sorted));
    CHECK(same_bytes(out.get(), sorted));
    CHECK(index.get() == positions);
    CHECK(values.get() == positions);
    CHECK(values_out.get() == positions);
  }
}

}  // namespace

TEST_CASE("a view of a gpu works on another stream", "[streams][cuda][small]") {
  if (ordo::gpus().empty()) return;
  stream const other;
  auto const keys = random_keys<std::uint32_t>(50000);
  auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
  device_array<std::uint32_t> const there(std::vector<std::uint32_t>(keys.size(), 1));
  std::vector<std::uint32_t> out(keys.size());
  ordo::gpu gpu;
  auto view = gpu.with_stream(other.handle);
  CHECK(view->stream() == other.handle);
  CHECK(gpu.stream() != other.handle);
  CHECK(view->index() == gpu.index());
  CHECK(view->kind() == ordo::device::gpu);
  ORDO_CUDA(cudaMemcpyAsync(there.span().data(), keys.data(), keys.size() * 4, cudaMemcpyHostToDevice, other.handle));
  ordo::sort_keys(view, there.span());
  ORDO_CUDA(cudaMemcpyAsync(out.data(), there.span().data(), keys.size() * 4, cudaMemcpyDeviceToHost, other.handle));
  view->synchronize();
  CHECK(out == sorted);
  // As a temporary object, of a view, for functions of gpu.cuh, and of a gpu that has moved.
  ORDO_CUDA(cudaMemcpyAsync(there.span().data(), keys.data(), keys.size() * 4, cudaMemcpyHostToDevice, other.handle));
  ordo::sample_sort(gpu.with_stream(other.handle), there.span(), less{});
  CHECK(there.get() == sorted);
  device_array<std::uint32_t> const again(keys);
  ordo::gpu const moved = std::move(gpu);
  ordo::sort_keys(view->with_stream(nullptr), again.span());
  CHECK(again.get() == sorted);
  CHECK(view->peak_memory() > 0);
}

TEST_CASE("calls on many streams share a machine's memory in order", "[streams][cuda]") {
  if (ordo::gpus().empty()) return;
  constexpr std::size_t streams = 5, rounds = 20;
  for (bool const of_caller : {false, true}) {
    stream const own;
    ordo::gpu_options options;
    if (of_caller) options.stream = own.handle;
    ordo::gpu gpu(options);
    std::vector<stream> others(streams);
    // Values that move show at once if two calls use the same memory at a time.
    std::vector<std::vector<std::uint32_t>> keys;
    std::vector<std::unique_ptr<device_array<std::uint32_t>>> there, index;
    for (std::size_t i = 0; i < streams * rounds; ++i) {
      keys.push_back(random_keys<std::uint32_t>(3000 + 997 * i, i));
      there.push_back(std::make_unique<device_array<std::uint32_t>>(keys.back()));
      index.push_back(std::make_unique<device_array<std::uint32_t>>(keys.back().size()));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i % 7 == 3)
        ordo::argsort(gpu, there[i]->const_span(), index[i]->span());
      else
        ordo::argsort(gpu.with_stream(others[i * i % streams].handle), there[i]->const_span(), index[i]->span());
      if (i % 50 == 20) gpu.trim();
      if (i % 50 == 40) gpu.reserve(1 << 20);
    }
    ORDO_CUDA(cudaDeviceSynchronize());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) wrong += index[i]->get() != order_of<ordo::sort_order::ascending>(keys[i]);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a view's stream may end before the machine's next call", "[streams][cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::gpu gpu;
  auto const keys = random_keys<std::uint32_t>(60000);
  auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
  device_array<std::uint32_t> const first(keys), second(keys);
  {
    stream const brief;
    ordo::sort_keys(gpu.with_stream(brief.handle), first.span());
  }
  ordo::sort_keys(gpu, second.span());
  gpu.synchronize();
  CHECK(first.get() == sorted);
  CHECK(second.get() == sorted);
}

TEST_CASE("a view allocates on its stream", "[streams][cuda][small]") {
  if (ordo::gpus().empty() || !has_memory_pools()) return;
  async_allocator allocator;
  stream const own, other;
  auto const keys = random_keys<std::uint32_t>(60000);
  auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
  device_array<std::uint32_t> const first(keys), second(keys);
  {
    ordo::gpu gpu({.stream = own.handle, .allocator = &allocator});
    ordo::sort_keys(gpu.with_stream(other.handle), first.span());
    CHECK(!allocator.streams.empty());
    CHECK(allocator.streams == std::vector<CUstream_st*>(allocator.streams.size(), other.handle));
    allocator.streams.clear();
    ordo::sort_keys(gpu, second.span());
    CHECK(allocator.streams == std::vector<CUstream_st*>(allocator.streams.size(), own.handle));
    CHECK(allocator.held == 0);
    gpu.with_stream(other.handle)->reserve(1 << 20);
    CHECK(allocator.streams.back() == own.handle);  // where it is freed, too
    ordo::sort_keys(gpu.with_stream(other.handle), first.span());
    CHECK(allocator.held == 1);
  }
  CHECK(allocator.held == 0);
  CHECK(first.get() == sorted);
  CHECK(second.get() == sorted);
}

// Not [small], as under compute-sanitizer every launch waits.
TEST_CASE("a machine on the caller's stream ends without waiting", "[streams][cuda]") {
  if (ordo::gpus().empty() || !has_memory_pools()) return;
  async_allocator allocator;
  for (bool const with_allocator : {true, false}) {
    INFO("with allocator: " << with_allocator);
    stream const own, other;
    auto const keys = random_keys<std::uint32_t>(60000);
    auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
    device_array<std::uint32_t> const there(keys), first(keys), second(keys);
    ordo::gpu_options options{.stream = own.handle};
    if (with_allocator) options.allocator = &allocator;
    {
      ordo::gpu gpu(options);  // loads the kernels, which may wait
      ordo::sort_keys(gpu, there.span());
      gpu.synchronize();
    }
    gate held_up(own.handle);
    {
      ordo::gpu gpu(options);
      ordo::sort_keys(gpu, first.span());
      ordo::sort_keys(gpu.with_stream(other.handle), second.span());
    }
    CHECK(held_up.open());
    CHECK(first.get() == sorted);
    CHECK(second.get() == sorted);
  }
  CHECK(allocator.held == 0);
}

TEST_CASE("a capturable machine never waits", "[streams][cuda]") {
  if (ordo::gpus().empty()) return;
  std::size_t const n = 1 << 20;
  auto const keys = random_keys<std::uint64_t>(n);
  auto const positions = order_of<ordo::sort_order::ascending>(keys);
  device_array<std::uint64_t> const there(keys);
  device_array<std::uint32_t> const index(n);
  stream const own;
  ordo::gpu gpu({.stream = own.handle, .capturable = true});
  gpu.reserve(std::max(ordo::sort_memory<std::uint64_t>(gpu, n), ordo::argsort_memory<std::uint64_t, std::uint32_t>(gpu, n)));
  for (ordo::bit_range const bits : {ordo::bit_range{}, ordo::bit_range{3, 40}})
    ordo::sort_keys(gpu, there.span(), bits);  // loads the kernels, which may wait
  ordo::argsort(gpu, there.const_span(), index.span());
  gpu.synchronize();
  there.put(keys);
  gate held_up(own.handle);
  ordo::argsort(gpu, there.const_span(), index.span());
  ordo::sort_keys(gpu, there.span());
  ordo::sort_keys(gpu, there.span(), {3, 40});
  CHECK(held_up.open());
  CHECK(index.get() == positions);
}

TEST_CASE("sorts of whole arrays in a CUDA graph", "[streams][cuda]") {
  if (ordo::gpus().empty()) return;
  constexpr auto up = ordo::sort_order::ascending, down = ordo::sort_order::descending;
  for (std::size_t n : {1, 100, 20000, 1 << 20}) {
    check_graph<up, std::uint32_t>(n, false);
    check_graph<down, float>(n, true);
    check_graph<up, std::uint64_t>(n, false);
    check_graph<up, std::int16_t>(n, true);
  }
  check_graph<up, float>(std::size_t{1} << 22, false);
}

TEST_CASE("a capture on the stream of a view", "[streams][cuda][small]") {
  if (ordo::gpus().empty()) return;
  std::size_t const n = 40000;
  auto const keys = random_keys<float>(n), others = random_keys<float>(n, 7);
  auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
  device_array<float> const there(keys), beside(others);
  ordo::gpu gpu;
  stream const other;
  auto view = gpu.with_stream(other.handle);
  ordo::sort_keys(gpu, there.span());
  graph replayed(other.handle, [&] { ordo::sort_keys(view, there.span()); });
  gpu.synchronize();
  there.put(keys);
  ordo::sort_keys(gpu, beside.span());
  gpu.synchronize();
  replayed.launch(other.handle);
  view->synchronize();
  CHECK(same_bytes(there.get(), sorted));
  CHECK(same_bytes(beside.get(), taken(others, order_of<ordo::sort_order::ascending>(others))));
}

TEST_CASE("a capture goes on after a call that it cannot hold", "[streams][cuda][small]") {
  if (ordo::gpus().empty()) return;
  std::size_t const n = 300000;
  auto const keys = random_keys<std::uint32_t>(n);
  auto const sorted = taken(keys, order_of<ordo::sort_order::ascending>(keys));
  device_array<std::uint32_t> const there(keys), large(8 * n);
  device_array<std::uint32_t> const offsets(std::vector<std::uint32_t>{0, 1, 2});
  for (bool const of_caller : {false, true}) {
    stream const own;
    ordo::gpu_options options;
    if (of_caller) options.stream = own.handle;
    ordo::gpu gpu(options);
    gpu.reserve(1 << 20);  // for the merge sort of few items
    ordo::sort_keys(gpu, there.span());
    gpu.synchronize();
    std::string allocates, checks, downloads;
    graph replayed(gpu.stream(), [&] {
      allocates = refusal_of([&] { ordo::sort_keys(gpu, large.span()); });
      checks = refusal_of([&] {
        ordo::check_segments(gpu, n, ordo::segments_from_offsets(offsets.const_span()));
      });
      downloads = refusal_of([&] {
        std::uint32_t one = 0;
        ordo::with_backend(gpu, [&](ordo::cuda_backend& backend) {
          backend.download(offsets.const_span().first(1), std::span<std::uint32_t>(&one, 1));
        });
      });
      ordo::sample_sort(gpu, there.span().first(100), less{});
      ordo::sort_keys(gpu, there.span());
    });
    CHECK(allocates.find("reserve the memory before the capture") != std::string::npos);
    CHECK(checks.find("cannot be captured") != std::string::npos);
    CHECK(downloads.find("download waits for the device") != std::string::npos);
    there.put(keys);
    replayed.launch(gpu.stream());
    gpu.synchronize();
    CHECK(there.get() == sorted);
  }
}
