#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "sort_core/backend_sorts.hpp"
#include "sort_core/cuda/backend.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/misleading.hpp"

// What only the GPU machine has: launches that overlap, keys that are codes for a while, memory that depends on the way a sort
// goes, samples that can be misled.
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
  ORDO_CUDA(
      cudaDeviceSynchronize());  // it may return with the last of them on their way, and streams do not wait for each other
}
template <class T>
std::vector<T> to_host(ordo::cuda_backend& machine, ordo::buffer<T> const& there) {
  std::vector<T> host(there.size());
  machine.download(std::span<T const>(there.span()), host);
  return host;
}

/// Each allocation of a sort of signed keys in descending order fails once: the keys then are those that were given.
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
    ordo::failing_memory failing(plain, nth, true);
    ordo::cuda_backend machine(failing);
    to_device(given, keys.data());
    try {
      sort(machine, keys.span(), values.span());
      finished = true;
    } catch (ordo::out_of_memory const&) {}
    auto left = to_host(machine, keys);
    std::sort(left.begin(), left.end());
    CHECK(left == sorted);
  }
  CHECK(finished);
}

/// `sort` on a machine that has `limit` bytes.
template <class Sort>
void check_within(std::size_t limit, Sort sort) {
  INFO(limit << " bytes");
  ordo::device_memory plain;
  ordo::limited_memory limited(plain, limit);
  ordo::cuda_backend machine(limited);
  CHECK_NOTHROW(sort(machine));
  CHECK(machine.pool().peak() <= limit);
}

/// An item of which CUB holds no tile on chip.
struct long_item {
  std::array<std::uint32_t, 250> words;
};
struct by_first_word {
  ORDO_FN bool operator()(long_item const& a, long_item const& b) const { return a.words[0] < b.words[0]; }
};
struct fill_long_items {
  long_item* items;
  ORDO_FN void operator()(std::size_t i) const { items[i].words[0] = std::uint32_t(i * 2654435761u); }
};
struct write_hashes {
  std::uint32_t* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = std::uint32_t(i * 2654435761u); }
};

}  // namespace

TEST_CASE("kernels are launched early where they wait, and nowhere else", "[cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend machine;
  auto const architecture = machine.buffer<unsigned>(1);
  od::launch<what_it_was_compiled_for>(machine.kernels(), 1, 1, 0, architecture.data());
  bool const waits = ordo::value_at(machine, architecture.span(), 0) >= 900;
  bool const early = machine.kernels().facts_of<what_it_was_compiled_for>().may_overlap;
  CHECK((waits || !early));
  int driver = 0;
  ORDO_CUDA(cudaDriverGetVersion(&driver));
  if (driver >= 12030 && CUDART_VERSION >= 12030) CHECK(early == waits);
}

TEST_CASE("keys with a code are keys once more after an exception", "[cuda][small][memory]") {
  if (ordo::gpus().empty()) return;
  auto const alone = [](ordo::cuda_backend& machine, auto keys, auto) {
    ordo::sort_keys<ordo::sort_order::descending>(machine, keys);
  };
  auto const pairs = [](ordo::cuda_backend& machine, auto keys, auto values) {
    ordo::sort_pairs<ordo::sort_order::descending>(machine, keys, values);
  };
  auto const by_some_bits = [](ordo::cuda_backend& machine, auto keys, auto values) {
    ordo::sort_segments<ordo::sort_order::descending>(machine, keys, values, ordo::uniform_segments(3, keys.size() / 3), {},
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

TEST_CASE("the GPU's sorts keep to the memory that they state", "[cuda][memory]") {
  if (ordo::gpus().empty()) return;
  using ordo::cuda_backend;
  ordo::device_memory plain;
  std::size_t const n = std::size_t{1} << 20;
  ordo::buffer<std::uint32_t> const keys(plain, n), values(plain, n);
  {
    cuda_backend machine;
    machine.each(n, write_hashes{keys.data()});
    machine.each(n, write_hashes{values.data()});
  }
  std::span<std::uint32_t> const none;
  // Short segments, in no array of one length.
  for (std::size_t length : {4, 20, 60}) {
    INFO("segments of " << length);
    std::vector<std::uint32_t> bounds{0};
    for (std::size_t end = length; end < n; end += length + bounds.size() % 2) bounds.push_back(std::uint32_t(end));
    ordo::buffer<std::uint32_t> const offsets(plain, bounds.size());
    to_device(bounds, offsets.data());
    for (std::size_t longest : {length + 1, ~std::size_t{0}}) {
      auto const segments = ordo::segments_from_offsets(std::span<std::uint32_t const>(offsets.span()), longest);
      check_within(cuda_backend::segmented_sort_memory(n, segments.size(), longest, 4, 4),
                   [&](cuda_backend& machine) { machine.segmented_sort(keys.span(), values.span(), segments); });
      check_within(cuda_backend::segmented_sort_memory(n, segments.size(), longest, 4, 0),
                   [&](cuda_backend& machine) { machine.segmented_sort(keys.span(), none, segments); });
    }
  }
  ordo::bit_range const some{5, 30};
  auto const whole = ordo::uniform_segments(1, n);
  check_within(cuda_backend::segmented_sort_memory(n, 1, n, 4, 0, some),
               [&](cuda_backend& machine) { machine.segmented_sort(keys.span(), none, whole, {}, some); });
  check_within(cuda_backend::segmented_sort_memory(n, 1, n, 4, 4, some),
               [&](cuda_backend& machine) { machine.segmented_sort(keys.span(), values.span(), whole, {}, some); });
  check_within(cuda_backend::radix_sort_memory(n, 4, 4),
               [&](cuda_backend& machine) { machine.radix_sort(keys.span(), values.span(), some); });
  CHECK(cuda_backend::array_sort_memory(0, 0, 0, 4, 4) == 0);
  CHECK(cuda_backend::segmented_sort_memory(0, 0, 0, 4, 4) == 0);
}

TEST_CASE("a sort of long items keeps to the memory that it states", "[cuda][memory]") {
  if (ordo::gpus().empty()) return;
  ordo::device_memory plain;
  for (std::size_t n : {300, 20000}) {
    ordo::buffer<long_item> const items(plain, n);
    check_within(ordo::cuda_backend::sample_sort_memory(n, sizeof(long_item), 0), [&](ordo::cuda_backend& machine) {
      machine.each(n, fill_long_items{items.data()});
      machine.sample_sort(items.span(), by_first_word{});
    });
  }
}

TEST_CASE("sorts by samples that tell nothing", "[sample_sort][cuda]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda_backend machine;
  std::size_t const n = std::size_t{1} << 20;
  using traits = od::sample_traits<od::item_words<8, 8>, od::no_value>;
  std::vector<std::uint64_t> keys;
  for (std::uint32_t key : misleading<traits>(n, 2 * od::sample_levels(n))) keys.push_back(key);
  auto const there = machine.buffer<std::uint64_t>(n);
  to_device(keys, there.data());
  CHECK_FALSE(od::sort_by_samples(machine, there.data(), n));
  std::sort(keys.begin(), keys.end());
  auto left = to_host(machine, there);
  CHECK(left != keys);
  std::sort(left.begin(), left.end());
  CHECK(left == keys);
}
