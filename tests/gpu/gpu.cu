#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/machines/failing_memory.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/misleading.hpp"

// Properties that only the GPU backend has: kernels that overlap, keys that are temporarily codes, memory that depends on the
// method of a sort, samples that can mislead.
namespace {

namespace od = ordo::cuda_detail;

__global__ void what_it_was_compiled_for(unsigned* architecture) {
  od::wait_for_previous();
#if defined(__CUDA_ARCH__)
  *architecture = __CUDA_ARCH__;
#endif
}

template <class T>
void to_device(std::vector<T> const& host, T* there) {
  ORDO_CUDA(cudaMemcpy(there, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  ORDO_CUDA(cudaDeviceSynchronize());  // cudaMemcpy may return before its end, and streams do not wait for each other
}
template <class T>
std::vector<T> to_host(ordo::cuda_backend& backend, ordo::buffer<T> const& there) {
  std::vector<T> host(there.size());
  backend.download(std::span<T const>(there.span()), host);
  return host;
}

/// Lets each allocation of a sort of signed keys in descending order fail once. The keys must then be the given ones.
template <class K, class Sort>
void check_keys_after_failures(std::size_t n, Sort sort) {
  INFO(n << " keys of " << sizeof(K) << " bytes");
  random_numbers random(n);
  std::vector<K> given(n);
  for (auto& key : given) key = K(random() & random());
  auto sorted = given;
  std::sort(sorted.begin(), sorted.end());
  ordo::device_memory plain;
  ordo::buffer<K> const keys(plain, n);
  ordo::buffer<std::uint32_t> const values(plain, n);
  to_device(std::vector<std::uint32_t>(n), values.data());
  bool finished = false;
  for (std::size_t nth = 0; nth < 50 && !finished; ++nth) {
    failing_memory failing(plain, nth, true);
    ordo::cuda_backend backend(failing);
    to_device(given, keys.data());
    try {
      sort(backend, keys.span(), values.span());
      finished = true;
    } catch (ordo::out_of_memory const&) {}
    auto left = to_host(backend, keys);
    std::sort(left.begin(), left.end());
    CHECK(left == sorted);
  }
  CHECK(finished);
}

/// Runs `sort` with a limit of `limit` bytes.
template <class Sort>
void check_within(std::size_t limit, Sort sort) {
  INFO(limit << " bytes");
  ordo::device_memory plain;
  ordo::limited_memory limited(plain, limit);
  ordo::cuda_backend backend(limited);
  CHECK_NOTHROW(sort(backend));
  CHECK(backend.pool().peak() <= limit);
}

/// An item too large for CUB to hold a tile in shared memory.
struct large_item {
  std::array<std::uint32_t, 250> words;
};
struct by_first_word {
  ORDO_FN bool operator()(large_item const& a, large_item const& b) const { return a.words[0] < b.words[0]; }
};
struct fill_large_items {
  large_item* items;
  ORDO_FN void operator()(std::size_t i) const { items[i].words[0] = std::uint32_t(i * 2654435761u); }
};
struct write_hashes {
  std::uint32_t* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = std::uint32_t(i * 2654435761u); }
};

}  // namespace

TEST_CASE("only kernels that wait are launched early", "[cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  auto const architecture = backend.buffer<unsigned>(1);
  od::launch<what_it_was_compiled_for>(backend.kernels(), 1, 1, 0, architecture.data());
  bool const waits = ordo::value_at(backend, architecture.span(), 0) >= 900;
  bool const early = backend.kernels().facts_for<what_it_was_compiled_for>().may_overlap;
  CHECK((waits || !early));
  int driver = 0;
  ORDO_CUDA(cudaDriverGetVersion(&driver));
  if (driver >= 12030 && CUDART_VERSION >= 12030) CHECK(early == waits);
}

TEST_CASE("keys with a code are decoded after an exception", "[cuda][small][memory]") {
  if (ordo::gpus().empty()) return;
  auto const alone = [](ordo::cuda_backend& backend, auto keys, auto) {
    ordo::sort_keys<ordo::sort_order::descending>(backend, keys);
  };
  auto const pairs = [](ordo::cuda_backend& backend, auto keys, auto values) {
    ordo::sort_pairs<ordo::sort_order::descending>(backend, keys, values);
  };
  auto const by_some_bits = [](ordo::cuda_backend& backend, auto keys, auto values) {
    ordo::sort_segments<ordo::sort_order::descending>(backend, keys, values, ordo::uniform_segments(3, keys.size() / 3), {},
                                                      {3, 17});
  };
  for (std::size_t n : {1000, 100000}) {
    check_keys_after_failures<std::int16_t>(n, alone);
    check_keys_after_failures<std::int32_t>(n, pairs);
    check_keys_after_failures<std::int64_t>(n, alone);
    check_keys_after_failures<std::int64_t>(n, pairs);
    check_keys_after_failures<std::int32_t>(n, by_some_bits);
  }
}

TEST_CASE("the GPU's sorts take no more memory than they state", "[cuda][memory]") {
  if (ordo::gpus().empty()) return;
  using ordo::cuda_backend;
  ordo::device_memory plain;
  std::size_t const n = std::size_t{1} << 20;
  ordo::buffer<std::uint32_t> const keys(plain, n), values(plain, n);
  {
    cuda_backend backend;
    backend.each(n, write_hashes{keys.data()});
    backend.each(n, write_hashes{values.data()});
  }
  std::span<std::uint32_t> const none;
  // Small segments of different lengths.
  for (std::size_t length : {4, 20, 60}) {
    INFO("segments of " << length);
    std::vector<std::uint32_t> bounds{0};
    for (std::size_t end = length; end < n; end += length + bounds.size() % 2) bounds.push_back(std::uint32_t(end));
    ordo::buffer<std::uint32_t> const offsets(plain, bounds.size());
    to_device(bounds, offsets.data());
    for (std::size_t longest : {length + 1, ~std::size_t{0}}) {
      auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(offsets.span()), longest);
      check_within(cuda_backend::segmented_sort_memory(n, segments.size(), longest, 4, 4),
                   [&](cuda_backend& backend) { backend.segmented_sort(keys.span(), values.span(), segments); });
      check_within(cuda_backend::segmented_sort_memory(n, segments.size(), longest, 4, 0),
                   [&](cuda_backend& backend) { backend.segmented_sort(keys.span(), none, segments); });
    }
  }
  ordo::bit_range const some{5, 30};
  auto const whole = ordo::uniform_segments(1, n);
  check_within(cuda_backend::segmented_sort_memory(n, 1, n, 4, 0, some),
               [&](cuda_backend& backend) { backend.segmented_sort(keys.span(), none, whole, {}, some); });
  check_within(cuda_backend::segmented_sort_memory(n, 1, n, 4, 4, some),
               [&](cuda_backend& backend) { backend.segmented_sort(keys.span(), values.span(), whole, {}, some); });
  check_within(cuda_backend::radix_sort_memory(n, 4, 4),
               [&](cuda_backend& backend) { backend.radix_sort(keys.span(), values.span(), some); });
  CHECK(cuda_backend::array_sort_memory(0, 0, 0, 4, 4) == 0);
  CHECK(cuda_backend::segmented_sort_memory(0, 0, 0, 4, 4) == 0);
}

TEST_CASE("a sort of large items takes no more memory than it states", "[cuda][memory]") {
  if (ordo::gpus().empty()) return;
  ordo::device_memory plain;
  for (std::size_t n : {300, 20000}) {
    ordo::buffer<large_item> const items(plain, n);
    check_within(ordo::cuda_backend::sample_sort_memory(n, sizeof(large_item), 0), [&](ordo::cuda_backend& backend) {
      backend.each(n, fill_large_items{items.data()});
      backend.sample_sort(items.span(), by_first_word{});
    });
  }
}

TEST_CASE("sample sorts with useless samples", "[sample_sort][cuda]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend backend;
  std::size_t const n = std::size_t{1} << 20;
  using traits = od::sample_traits<od::item_words<8, 8>, od::no_value>;
  std::vector<std::uint64_t> keys;
  for (std::uint32_t key : misleading<traits>(n, 2 * od::sample_levels(n))) keys.push_back(key);
  auto const there = backend.buffer<std::uint64_t>(n);
  to_device(keys, there.data());
  CHECK_FALSE(od::sort_by_samples(backend, there.data(), n));
  std::sort(keys.begin(), keys.end());
  auto left = to_host(backend, there);
  CHECK(left != keys);
  std::sort(left.begin(), left.end());
  CHECK(left == keys);
}
