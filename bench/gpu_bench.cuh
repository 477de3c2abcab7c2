#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cub/version.cuh>

#include "bench/bench.hpp"
#include "bench/processor.hpp"
#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/cuda/backend.cuh"

// The common parts of the GPU benchmarks: inputs, the clock, and the timing of sorts. Segments: segment_bench.cuh.
//
// `lab` generates inputs, runs the rivals and checks results. The sort under test has a backend of its own for every row, so
// that the peak of its pool is the temporary memory of the sort.
namespace ordo::inline v0::bench {

// ---- Numbers ----

/// splitmix64: a bijection of 64-bit words that looks random.
ORDO_FN inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

ORDO_FN inline double unit_interval(std::uint64_t x) {
  return double(x >> 11) * 0x1p-53;
}

/// Converts 64 bits to a key, monotonically. Floats are evenly spaced in [-1, 1).
template <class K>
ORDO_FN K key_from(std::uint64_t x) {
  if constexpr (std::is_same_v<K, float>)
    return float(std::int64_t(x >> 40) - (std::int64_t{1} << 23)) * 0x1p-23f;
  else if constexpr (std::is_same_v<K, double>)
    return double(std::int64_t(x >> 11) - (std::int64_t{1} << 52)) * 0x1p-52;
  else
    return K(x >> (64 - 8 * sizeof(K)));
}

ORDO_FN inline unsigned bit_length(std::uint64_t x) {
  unsigned bits = 0;
  for (; x != 0; x >>= 1) ++bits;
  return bits;
}

/// Returns key i of n: see pattern.
template <class K>
struct key_at {
  pattern order;
  std::uint64_t step;  // the range divided by n
  std::size_t n;
  ORDO_FN K operator()(std::size_t i) const {
    switch (order) {
      case pattern::equal:
        return key_from<K>(mixed(1));
      case pattern::few:
        return key_from<K>(mixed(i) & (std::uint64_t{15} << 60));
      case pattern::sorted:
        return key_from<K>(i * step);
      case pattern::reversed:
        return key_from<K>((n - 1 - i) * step);
      case pattern::gaussian:
        return key_from<K>((mixed(4 * i) >> 2) + (mixed(4 * i + 1) >> 2) + (mixed(4 * i + 2) >> 2) + (mixed(4 * i + 3) >> 2));
      case pattern::power_law:
        return key_from<K>(mixed(~std::uint64_t(exp2(20 * unit_interval(mixed(i))))));
      case pattern::low_20_bits:
        return K(mixed(i) >> 44);
      case pattern::low_half:
        return only_low_half(mixed(i));
      case pattern::and_2:
        return key_from<K>(rare_ones(i, 2));
      case pattern::and_3:
        return key_from<K>(rare_ones(i, 3));
      case pattern::and_4:
        return key_from<K>(rare_ones(i, 4));
      case pattern::and_5:
        return key_from<K>(rare_ones(i, 5));
      case pattern::product:
        return product_at(i);
      case pattern::bucket_sorted:
        return key_from<K>(within(i % block() * blocks / block(), i));
      case pattern::staggered: {
        std::size_t const b = i / block() + 1;
        return key_from<K>(within(2 * b <= blocks ? 2 * b - 1 : 2 * b - blocks - 2, i));
      }
      case pattern::duplicates:
        return K(bit_length(n - i - 1));  // log n in the first half, log n - 1 in the next quarter, and so forth
      case pattern::random:
        break;
    }
    return key_from<K>(mixed(i));
  }

 private:
  ORDO_FN static K only_low_half(std::uint64_t x) {
    std::uint64_t const upper = mixed(1) << (4 * sizeof(K));
    return K(upper | x >> (64 - 4 * sizeof(K)));
  }
  ORDO_FN static std::uint64_t rare_ones(std::size_t i, unsigned words) {
    std::uint64_t x = ~std::uint64_t{0};
    for (unsigned w = 0; w < words; ++w) x &= mixed(8 * i + w);
    return x;
  }
  /// Column k of the matrix has 8 entries near its diagonal, so 64 products; they come in the order of columns.
  ORDO_FN K product_at(std::size_t i) const {
    std::uint64_t const max_rows = sizeof(K) <= 4 ? 1 << 16 : 1 << 30;
    std::uint64_t const rows = n / 64 < 256 ? 256 : n / 64 < max_rows ? n / 64 : max_rows;
    std::uint64_t const k = i / 64, first = i % 64 / 8, second = i % 8;
    auto const row = [&](std::uint64_t entry) { return (k + mixed(8 * k + entry) % 256) % rows; };
    return K(row(second) * rows + row(first));
  }
  static constexpr std::uint64_t blocks = 240;
  ORDO_FN std::size_t block() const { return n < blocks ? 1 : (n + blocks - 1) / blocks; }
  /// Returns a random word of one of `blocks` equal parts of the range.
  ORDO_FN static std::uint64_t within(std::uint64_t part, std::size_t i) {
    std::uint64_t const length = ~std::uint64_t{0} / blocks;
    return part * length + mixed(i) % length;
  }
};

template <class K>
key_at<K> keys_like(pattern order, std::size_t n) {
  return {order, ~std::uint64_t{0} / std::max<std::size_t>(n, 1), n};
}

// ---- Functors: a lambda of nvcc must not be shared by translation units ----

template <class T, class F>
struct assign {
  T* to;
  F f;
  ORDO_FN void operator()(std::size_t i) const { to[i] = T(f(i)); }
};

struct identity {
  ORDO_FN std::size_t operator()(std::size_t i) const { return i; }
};

template <class T>
struct constant {
  T value;
  ORDO_FN T operator()(std::size_t) const { return value; }
};

struct multiple {
  std::size_t step, offset;
  ORDO_FN std::size_t operator()(std::size_t i) const { return i * step + offset; }
};

template <class T>
struct load {
  T const* from;
  ORDO_FN T operator()(std::size_t i) const { return from[i]; }
};

struct sum {
  template <class T>
  ORDO_FN T operator()(T a, T b) const {
    return T(a + b);
  }
};

struct larger {
  template <class T>
  ORDO_FN T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

/// Sets to[i] = f(i) for all i.
template <class T, class F>
void fill(cuda_backend& machine, std::span<T> to, F f) {
  machine.each(to.size(), assign<T, F>{to.data(), f});
}

template <class T>
void copy(std::span<T> from, std::span<T> to, cudaStream_t stream) {
  ORDO_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyDeviceToDevice, stream));
}

inline void wait_for(cuda_backend const& machine) {
  ORDO_CUDA(cudaStreamSynchronize(machine.stream()));
}

// ---- The clock ----

class event {
 public:
  event() { ORDO_CUDA(cudaEventCreate(&event_)); }
  ~event() { static_cast<void>(cudaEventDestroy(event_)); }
  event(event const&) = delete;
  event& operator=(event const&) = delete;
  void record(cudaStream_t stream) { ORDO_CUDA(cudaEventRecord(event_, stream)); }
  /// Waits for this event. Returns the time since `start`.
  [[nodiscard]] double ms_since(event const& start) const {
    ORDO_CUDA(cudaEventSynchronize(event_));
    float ms = 0;
    ORDO_CUDA(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

inline double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  std::size_t const middle = x.size() / 2;
  return x.size() % 2 != 0 ? x[middle] : (x[middle - 1] + x[middle]) / 2;
}

/// Keeps a stream busy.
inline __global__ void hold_stream(unsigned long long nanoseconds) {
  auto const now = [] {
    unsigned long long time = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  unsigned long long const begin = now();
  while (now() - begin < nanoseconds) {
  }
}

/// Returns the median time of work() on the device over `runs` after `warm_ups`. before() precedes each run and is not timed.
/// Short work waits on the device until the host has queued it, or the host's time would be measured; median_wait measures both.
/// Work of more than two seconds runs once, and no run begins after five seconds in all.
template <class Before, class Work>
timing median_time(cudaStream_t stream, unsigned runs, Before before, Work work, unsigned warm_ups = 2) {
  constexpr double max_run_ms = 2000, max_total_ms = 5000, short_ms = 1;
  constexpr unsigned long long to_queue = 100'000;  // nanoseconds
  event start, stop;
  std::vector<double> ms;
  double spent = 0, last = max_run_ms;
  for (unsigned run = 0; run < warm_ups + runs; ++run) {
    before();
    if (last < short_ms) {
      hold_stream<<<1, 1, 0, stream>>>(to_queue);
      ORDO_CUDA(cudaGetLastError());
    }
    start.record(stream);
    work();
    stop.record(stream);
    double const t = last = stop.ms_since(start);
    if (t > max_run_ms) return {t, 1, 0, t, t};
    if (run >= warm_ups) ms.push_back(t);
    spent += t;
    if (spent > max_total_ms && !ms.empty()) break;
  }
  auto const [min, max] = std::minmax_element(ms.begin(), ms.end());
  return {median(ms), unsigned(ms.size()), 0, *min, *max};
}

/// Returns the median time in milliseconds that a caller waits for work() on an idle device, after a warm-up by the caller.
template <class Before, class Work>
double median_wait(cudaStream_t stream, unsigned runs, Before before, Work work) {
  std::vector<double> ms;
  for (unsigned run = 0; run < runs; ++run) {
    before();
    ORDO_CUDA(cudaStreamSynchronize(stream));
    auto const start = std::chrono::steady_clock::now();
    work();
    ORDO_CUDA(cudaStreamSynchronize(stream));
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return median(ms);
}

/// Returns the time of a sort of n items and, where n is small, the time that the caller waits.
template <class Before, class Work>
timing time_whole(cudaStream_t stream, unsigned runs, std::size_t n, Before before, Work work) {
  timing time = median_time(stream, runs, before, work);
  if (n <= std::size_t{1} << 20) time.wait_ms = median_wait(stream, runs, before, work);
  return time;
}

// ---- Columns of keys and values ----

struct no_values {};

/// The type of values in memory. With no_values, the array is empty.
template <class V>
using stored = std::conditional_t<std::is_same_v<V, no_values>, std::uint32_t, V>;

template <class K, class V>
struct columns {
  static constexpr bool pairs = !std::is_same_v<V, no_values>;
  buffer<K> keys;
  buffer<stored<V>> values;

  columns(cuda_backend& machine, std::size_t n)
      : keys(machine.buffer<K>(n)), values(machine.buffer<stored<V>>(pairs ? n : 0)) {}

  void copy_to(columns const& to, cudaStream_t stream) const {
    copy(keys.span(), to.keys.span(), stream);
    if constexpr (pairs) copy(values.span(), to.values.span(), stream);
  }
};

/// Generates an input. Values are positions, so that the check can find the origin of every item.
template <class K, class V, class At>
columns<K, V> make_columns(cuda_backend& lab, std::size_t n, At key_at) {
  columns<K, V> input(lab, n);
  fill(lab, input.keys.span(), key_at);
  if constexpr (input.pairs) fill(lab, input.values.span(), identity{});
  return input;
}
template <class K, class V>
columns<K, V> make_columns(cuda_backend& lab, std::size_t n, pattern order) {
  return make_columns<K, V>(lab, n, keys_like<K>(order, n));
}

template <class K>
ORDO_FN auto encode_key(K key) {
  return radix_key<K>::encode(key);
}

// ---- Sorts ----

struct session {
  cuda_backend lab;
  bench_options options;
  report& out;
};

/// Allocates the temporary memory of a call of CUB, and passes the call to f, which times it.
template <class Call, class F>
timing with_cub(session& s, Call call, F f) {
  std::size_t bytes = 0;
  ORDO_CUDA(call(nullptr, bytes));
  auto const temporary = s.lab.buffer<char>(std::max<std::size_t>(bytes, 1));
  return f([&] { ORDO_CUDA(call(temporary.data(), bytes)); });
}

template <class Call>
timing time_cub(session& s, Call call) {
  return with_cub(s, call, [&](auto work) {
    return median_time(
        s.lab.stream(), s.options.runs, [] {}, work);
  });
}

/// An allocator of Thrust's temporary memory from a pool, so that only the warm-up allocates.
struct pooled {
  using value_type = char;
  pool* from;
  char* allocate(std::ptrdiff_t bytes) { return static_cast<char*>(from->allocate(std::size_t(bytes))); }
  void deallocate(char* block, std::size_t bytes) { from->deallocate(block, bytes); }
};

inline std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  ORDO_CUDA(cudaMemGetInfo(&free, &total));
  return free;
}

/// Calls f with a new backend. Returns the peak of its pool.
template <class F>
std::size_t on_fresh_machine(session& s, F f) {
  wait_for(s.lab);
  s.lab.pool().trim();  // frees the rivals' memory
  // With a limit, no block in use is larger than was asked for.
  cuda_backend machine(gpu_options{.memory_limit = free_memory()});
  f(machine);
  wait_for(machine);
  return machine.pool().peak();
}

/// Calls f. If memory runs out, reports that the row is left out.
template <class F>
void if_it_fits(session& s, std::string const& name, F f) {
  try {
    f();
  } catch (out_of_memory const& e) {
    s.lab.pool().trim();
    s.out.say(name + ": left out: " + e.what());
  }
}

inline void require(measured& result, bool condition, char const* fault) {
  if (!condition && result.wrong.empty()) result.wrong = fault;
}

/// Returns the names and versions of the GPU, the processor and the software.
inline facts describe_machine() {
  cudaDeviceProp device{};
  int driver = 0, runtime = 0;
  ORDO_CUDA(cudaGetDeviceProperties(&device, 0));
  ORDO_CUDA(cudaDriverGetVersion(&driver));
  ORDO_CUDA(cudaRuntimeGetVersion(&runtime));
  auto const cuda_version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  std::string kernel_driver;
  std::getline(std::ifstream("/proc/driver/nvidia/version") >> std::ws, kernel_driver);
  return {{"device", device.name},
          {"memory", std::to_string(device.totalGlobalMem)},
          {"driver", kernel_driver.empty() ? "unknown" : kernel_driver},
          {"driver_cuda", cuda_version(driver)},
          {"cuda", cuda_version(runtime)},
          {"cccl", std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                       std::to_string(CUB_SUBMINOR_VERSION)},
          {"compiler", __VERSION__},
          {"processor", processor()}};
}

}  // namespace ordo::inline v0::bench
