#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ordo.h"
#include "ordo/cpu_backend.hpp"
#include "ordo/gpu.hpp"
#include "ordo/merge.hpp"
#include "ordo/rows.hpp"
#include "ordo/top_k.hpp"
#include "tests/unit/catch.hpp"

// Calls that no program should make: each has an exception or a harmless result.
namespace {

/// Answers at random, but the same for the same calls.
struct random_answers {
  std::shared_ptr<std::atomic<std::uint32_t>> state = std::make_shared<std::atomic<std::uint32_t>>(1);
  template <class T>
  bool operator()(T const&, T const&) const {
    std::uint32_t const x = state->fetch_add(0x9E3779B9u, std::memory_order_relaxed) * 2654435761u;
    return (x ^ x >> 15) >> 7 & 1;
  }
};

/// Every item is less than every other, and than itself.
struct always {
  template <class T>
  bool operator()(T const&, T const&) const {
    return true;
  }
};

template <std::size_t Bytes>
struct item {
  std::uint32_t id;
  unsigned char rest[Bytes - 4];
};

/// Returns true if each id of [begin, end) is there once.
template <class T>
bool is_permutation_of(std::span<T const> items, std::size_t begin) {
  std::vector<unsigned char> seen(items.size());
  return std::all_of(items.begin(), items.end(),
                     [&](T const& x) { return x.id >= begin && x.id - begin < items.size() && seen[x.id - begin]++ == 0; });
}

template <class T, class Less>
void check_is_permutation(ordo::cpu& cpu, std::size_t count, std::size_t length, Less less) {
  INFO("items of " << sizeof(T) << " bytes, " << count << " segments of " << length);
  constexpr std::size_t guard = 64;
  std::vector<T> all(count * length + 2 * guard);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].id = std::uint32_t(i);
  std::span<T> const items(all.data() + guard, count * length);
  ordo::sort_segments(cpu, items, ordo::uniform_segments(count, length), less);
  bool right = is_permutation_of(std::span<T const>(all).first(guard), 0) &&
               is_permutation_of(std::span<T const>(all).last(guard), guard + items.size());
  for (std::size_t s = 0; s < count; ++s)
    right = right && is_permutation_of(std::span<T const>(items.subspan(s * length, length)), guard + s * length);
  CHECK(right);
}

}  // namespace

TEST_CASE("comparisons that are no strict weak order give a permutation of each segment", "[sample_sort]") {
  for (unsigned const threads : {1, 0}) {
    ordo::cpu cpu({.threads = threads});
    for (auto const& [count, length] : {std::pair<std::size_t, std::size_t>{20, 16},
                                        {40, 17},
                                        {40, 32},
                                        {40, 33},
                                        {3, 5000},
                                        {1, 65535},
                                        {1, 65536},
                                        {1, 200000}}) {
      check_is_permutation<item<8>>(cpu, count, length, random_answers{});
      check_is_permutation<item<40>>(cpu, count, length, random_answers{});
      check_is_permutation<item<8>>(cpu, count, length, always{});
      check_is_permutation<item<40>>(cpu, count, length, always{});
    }
    // Few of the answers are wrong: most items are in descending order.
    check_is_permutation<item<8>>(
        cpu, 1, 200000,
        [answer = random_answers{}, calls = std::make_shared<std::atomic<unsigned>>(0)](item<8> const& a, item<8> const& b) {
          return calls->fetch_add(1) % 1000 == 999 ? answer(a, b) : a.id > b.id;
        });
  }
}

TEST_CASE("pairs sorted by a comparison at random keep their values", "[sample_sort]") {
  ordo::cpu cpu;
  for (std::size_t const n : {3, 20, 100, 70000, 200000}) {
    std::vector<item<8>> keys(n);
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) keys[i].id = std::uint32_t(values[i] = i);
    ordo::with_backend(
        cpu, [&](ordo::host_backend& backend) { backend.sample_sort(std::span(keys), std::span(values), random_answers{}); });
    CHECK(is_permutation_of(std::span<item<8> const>(keys), 0));
    CHECK(std::equal(keys.begin(), keys.end(), values.begin(), [](item<8> const& a, std::uint64_t b) { return a.id == b; }));
  }
}

TEST_CASE("a CPU that was moved from refuses every call", "[machine]") {
  ordo::cpu first;
  std::vector<int> keys{3, 1, 2};
  ordo::sort_keys(first, keys);
  ordo::cpu second(std::move(first));
  auto const refused = [](auto call) {
    CHECK_THROWS_MATCHES(call(), ordo::usage_error, Catch::Matchers::Predicate<ordo::usage_error>([](auto const& e) {
                           return std::string(e.what()).find("moved from") != std::string::npos;
                         }));
  };
  // NOLINTBEGIN(bugprone-use-after-move)
  refused([&] { ordo::sort_keys(first, keys); });
  refused([&] {
    std::vector<int> best(1);
    ordo::top_k(first, keys, 1, std::span(best));
  });
  refused([&] { static_cast<void>(ordo::sort_memory<int>(first, 10)); });
  refused([&] { static_cast<void>(ordo::top_k_memory<int>(first, 10, 1)); });
  refused([&] { first.reserve(100); });
  refused([&] { ordo::with_backend(first, [](ordo::host_backend&) {}); });
  refused([&] { static_cast<void>(first.backend()); });
  refused([&] { ordo::sort_segments(first, std::span(keys), ordo::uniform_segments(1, 3), std::less<int>{}); });
  first.trim();
  CHECK(first.peak_memory() == 0);
  CHECK(first.kind() == ordo::device::cpu);
  // NOLINTEND(bugprone-use-after-move)
  ordo::sort_keys(second, keys);
  CHECK(keys == std::vector<int>{1, 2, 3});
  first = std::move(second);
  ordo::sort_keys<ordo::sort_order::descending>(first, keys);
  CHECK(keys == std::vector<int>{3, 2, 1});
  refused([&] { second.reserve(100); });
  ordo::gpu gpu, other(std::move(gpu));
  refused([&] { static_cast<void>(gpu.index()); });
  CHECK(other.index() == 0);
}

TEST_CASE("a CPU refuses a call while another thread is in one", "[machine]") {
  ordo::cpu cpu;
  std::vector<int> keys{3, 1, 2}, others{3, 1, 2};
  std::string message;
  unsigned refused = 0;
  auto const by_another_thread = [&] {
    std::thread([&] {
      auto const expect = [&](auto call) {
        try {
          call();
        } catch (ordo::usage_error const& e) {
          message = e.what();
          ++refused;
        }
      };
      expect([&] { ordo::sort_keys(cpu, others); });
      expect([&] { static_cast<void>(ordo::sort_memory<int>(cpu, 10)); });
      expect([&] { cpu.reserve(100); });
      expect([&] { ordo::with_backend(cpu, [](ordo::host_backend&) {}); });
      cpu.trim();
      static_cast<void>(cpu.peak_memory());
    }).join();
  };
  ordo::with_backend(cpu, [&](ordo::host_backend&) {
    by_another_thread();
    ordo::sort_keys(cpu, keys);  // calls within calls of one thread are right
    by_another_thread();
  });
  CHECK(refused == 8);
  CHECK_THAT(message, Contains("machine in use: cpu: another thread"));
  CHECK(others == std::vector<int>{3, 1, 2});
  CHECK(keys == std::vector<int>{1, 2, 3});
  std::thread([&] { ordo::sort_keys(cpu, others); }).join();  // one after the other is right, too
  CHECK(others == std::vector<int>{1, 2, 3});
}

TEST_CASE("the memory of arrays that exceed the address space is refused", "[memory]") {
  ordo::cpu cpu;
  auto const refused = [](auto call) {
    CHECK_THROWS_MATCHES(static_cast<void>(call()), ordo::usage_error,
                         Catch::Matchers::Predicate<ordo::usage_error>([](auto const& e) {
                           return std::string(e.what()).find("exceed the address space") != std::string::npos;
                         }));
  };
  constexpr std::size_t max = std::numeric_limits<std::size_t>::max();
  ordo::row_key const column = ordo::key_column(std::span<int const>());
  for (std::size_t const n : {max, max / 2, max / 4 + 1, max / 8 + 1}) {
    INFO(n);
    refused([&] { return ordo::sort_memory<int>(cpu, n); });
    refused([&] { return ordo::sort_memory<char, std::uint64_t>(cpu, n); });
    refused([&] { return ordo::argsort_memory<int, std::uint64_t>(cpu, n); });
    refused([&] { return ordo::sort_segments_memory<int>(cpu, n, 1); });
    refused([&] { return ordo::sort_segments_memory<int>(cpu, 100, n); });
    refused([&] { return ordo::argsort_segments_memory<int, std::uint64_t>(cpu, n, 1); });
    refused([&] { return ordo::sort_arrays_memory<int>(cpu, n, 1); });
    refused([&] { return ordo::top_k_memory<int>(cpu, n, 1); });
    refused([&] { return ordo::segmented_top_k_memory<int>(cpu, n, 1, 1); });
    refused([&] { return ordo::segmented_top_k_memory<int>(cpu, 100, 100, n); });
    refused([&] { return ordo::merge_memory(cpu, n); });
    refused([&] { return ordo::unique_memory(cpu, n); });
    refused([&] { return ordo::argsort_rows_memory<std::uint64_t>(cpu, std::span(&column, 1), n); });
    refused([&] { return ordo::sort_segments_by_comparison_memory<item<8>>(cpu, n, 1); });
  }
  CHECK(ordo::sort_memory<int>(cpu, std::size_t{1} << 50) >= std::size_t{1} << 52);
}

TEST_CASE("a GPU refuses every call in a build without code for one", "[machine]") {
  if (ordo::built_with_cuda()) return;
  ordo::gpu gpu;
  std::vector<int> keys{3, 1, 2};
  auto const refused = [](auto call) {
    CHECK_THROWS_MATCHES(call(), ordo::usage_error,
                         Catch::Matchers::Message("no GPU support: this build was compiled without CUDA"));
  };
  refused([&] { ordo::sort_keys(gpu, keys); });
  refused([&] { static_cast<void>(ordo::sort_memory<int>(gpu, 10)); });
  refused([&] {
    std::vector<int> best(1);
    ordo::top_k(gpu, keys, 1, std::span(best));
  });
  refused([&] { static_cast<void>(ordo::top_k_memory<int>(gpu, 10, 1)); });
  refused([&] { gpu.reserve(100); });
  refused([&] { gpu.synchronize(); });
  refused([&] { static_cast<void>(gpu.stream()); });
  gpu.trim(0);
  CHECK(gpu.peak_memory() == 0);
  CHECK(keys == std::vector<int>{3, 1, 2});
}
