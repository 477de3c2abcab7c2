#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/distributed_sort.hpp"
#include "ordo/gpu.cuh"
#include "sort_core/cuda/runtime/error.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/exchange_checks.hpp"
#include "tests/unit/shard.hpp"

// Communicators of GPUs: the bytes of one CPU, with each kind of exchange. Several members share a GPU where there is only one.
namespace {

template <class T>
class device_array {
 public:
  explicit device_array(std::vector<T> const& items) : n_(items.size()) {
    ORDO_CUDA(cudaMalloc(&items_, std::max<std::size_t>(1, n_ * sizeof(T))));
    ORDO_CUDA(cudaMemcpy(items_, items.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());
  }
  ~device_array() { static_cast<void>(cudaFree(items_)); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;
  [[nodiscard]] std::span<T> span() const { return {items_, n_}; }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> items(n_);
    ORDO_CUDA(cudaMemcpy(items.data(), items_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return items;
  }

 private:
  T* items_ = nullptr;
  std::size_t n_;
};

/// A share with guards around it, in a GPU's memory.
template <class T>
class guarded_on_gpu {
 public:
  explicit guarded_on_gpu(std::vector<T> const& items) : n_(items.size()), image_(with_guards(items)) {}
  [[nodiscard]] std::span<T> span() const { return image_.span().subspan(guards, n_); }
  [[nodiscard]] bool is(std::vector<T> const& expected) const { return image_.get() == with_guards(expected); }

 private:
  static constexpr std::size_t guards = 64;
  static std::vector<T> with_guards(std::vector<T> const& items) {
    std::vector<T> image(guards, T(0xa5a5a5a5a5a5a5a5u));
    image.insert(image.end(), items.begin(), items.end());
    image.insert(image.end(), guards, T(0xa5a5a5a5a5a5a5a5u));
    return image;
  }
  std::size_t n_;
  device_array<T> image_;
};

/// Keys, and what a plain sort makes of them.
struct test_case {
  test_case(std::string of, std::vector<std::uint64_t> of_keys) : name(std::move(of)), keys(std::move(of_keys)) {
    std::size_t const n = keys.size();
    order.resize(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] / 10 < keys[b] / 10; });
    std::transform(order.begin(), order.end(), std::back_inserter(by_tens), [&](auto i) { return keys[i]; });
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    std::transform(order.begin(), order.end(), std::back_inserter(sorted), [&](auto i) { return keys[i]; });
  }
  std::string name;
  std::vector<std::uint64_t> keys, sorted, by_tens;
  std::vector<std::uint32_t> order;
};

/// Returns what this member found wrong.
std::string wrong_sorts(ordo::communicator& members, ordo::gpu& on, test_case const& test) {
  std::size_t const n = test.keys.size(), rank = members.rank();
  auto const ends = distributed_checks::share_ends(n, members.size(), n + members.size());
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  auto const values = distributed_checks::share_of(positions, ends, rank);
  std::string wrong;
  device_array const share(distributed_checks::share_of(test.keys, ends, rank));
  device_array const moved(values), index(values);
  ordo::argsort(members, on, std::span<std::uint64_t const>(share.span()), index.span());
  if (index.get() != distributed_checks::share_of(test.order, ends, rank)) wrong += " argsort";
  ordo::sort_pairs(members, on, share.span(), moved.span());
  if (share.get() != distributed_checks::share_of(test.sorted, ends, rank)) wrong += " keys";
  if (moved.get() != distributed_checks::share_of(test.order, ends, rank)) wrong += " values";
  device_array const items(distributed_checks::share_of(test.keys, ends, rank));
  ordo::sample_sort(members, on, items.span(), distributed_checks::less_by_tens{});
  if (items.get() != distributed_checks::share_of(test.by_tens, ends, rank)) wrong += " sample_sort";
  return wrong;
}

/// Returns each list of GPUs for which members are made.
std::vector<std::vector<unsigned>> lists_of_gpus() {
  std::vector<unsigned> all;
  for (auto const& gpu : ordo::gpus()) all.push_back(gpu.index);
  return all.empty() ? std::vector<std::vector<unsigned>>{} : std::vector<std::vector<unsigned>>{{0, 0}, {0, 0, 0}, all};
}

/// Calls f(exchange) for the kinds of exchange that these GPUs have.
template <class F>
void for_each_exchange(std::vector<unsigned> const& gpus, F f) {
  f(ordo::gpu_exchange::peer_copies);
  // NCCL takes each GPU once.
  if (ordo::nccl_present() && gpus == lists_of_gpus().back()) f(ordo::gpu_exchange::nccl);
}

/// Calls work(members, gpu, note) on all members at once, where note(name, wrong) tells what is wrong. Communicators are made
/// once for all cases: one of NCCL takes most of a second.
template <class Work>
void check(std::vector<unsigned> const& gpus, ordo::gpu_exchange exchange, Work work) {
  std::mutex mutex;
  std::string first;
  auto const note = [&](std::string const& name, std::string const& wrong) {
    std::lock_guard const lock(mutex);
    if (!wrong.empty() && first.empty()) first = name + ":" + wrong;
  };
  ordo::run_members(
      gpus,
      [&](ordo::communicator& members, ordo::gpu& on) {
        ordo::cuda_detail::device_scope const current(on.index());
        work(members, on, note);
      },
      exchange);
  INFO(gpus.size() << " members, exchange " << int(exchange));
  CHECK(first == "");
}

/// Writes a key that depends on its position: integers below 3 * 2^29, or floats in [-1, 1).
struct write_even {
  std::uint32_t* keys;
  std::size_t first;
  bool floats;
  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t x = (first + i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9;
    auto const high = std::uint32_t((x ^ x >> 29) >> 32);
    keys[i] = floats ? std::bit_cast<std::uint32_t>(float(std::int32_t(high)) * 0x1p-31f)
                     : std::uint32_t(std::uint64_t{high} * 3 >> 3);
  }
};
/// Returns 1 where two arrays differ.
struct differs {
  std::uint32_t const *a, *b;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return a[i] != b[i]; }
};
struct add {
  ORDO_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

std::vector<test_case> cases_of(std::initializer_list<std::size_t> sizes) {
  std::vector<test_case> all;
  for (std::size_t const n : sizes)
    for (auto& [name, keys] : inputs<std::uint64_t>(n))
      all.emplace_back(std::to_string(n) + " items, " + name, std::move(keys));
  return all;
}

}  // namespace

TEST_CASE("Communicators of GPUs sort to the bytes of one machine", "[distributed]") {
  std::vector<test_case> all = cases_of({0, 3, 1000, 200'000});
  random_numbers random(5);
  std::vector<std::uint64_t> many(200'000);
  for (std::uint64_t& key : many) key = random() >> random.below(4);
  all.emplace_back("many", std::move(many));
  for (std::vector<unsigned> const& gpus : lists_of_gpus())
    for_each_exchange(gpus, [&](ordo::gpu_exchange exchange) {
      check(gpus, exchange, [&](ordo::communicator& members, ordo::gpu& on, auto note) {
        apart dividing(members, 256, true);  // divides keys before they are sorted that are not many
        for (test_case const& test : all) {
          note(test.name, wrong_sorts(members, on, test));
          note(test.name + ", divided", wrong_sorts(dividing, on, test));
        }
      });
    });
  CHECK_THROWS_AS(ordo::run_members(std::array{unsigned(ordo::gpus().size())}, [](ordo::communicator&, ordo::gpu&) {}),
                  ordo::usage_error);
}

TEST_CASE("Communicators of GPUs sort many even keys as one GPU does", "[distributed]") {
  if (ordo::gpus().empty()) return;
  // Enough for a batch of buckets to be sorted as evenly distributed keys; of a range that no batch divides, and at any
  // address.
  constexpr std::size_t n = std::size_t{15} << 24, before = 3;
  auto const keys_at = [](ordo::gpu& on, std::size_t count) {
    return ordo::with_backend(on, [&](ordo::cuda_backend& b) { return b.buffer<std::uint32_t>(count); });
  };
  auto const sort = [](std::span<std::uint32_t> keys, bool floats, auto&&... where) {
    if (floats)
      ordo::sort_keys(where..., std::span(reinterpret_cast<float*>(keys.data()), keys.size()));
    else
      ordo::sort_keys(where..., keys);
  };
  ordo::gpu alone({.device = 0});
  auto const expected = keys_at(alone, n);
  for (bool const floats : {false, true}) {
    ordo::with_backend(alone, [&](ordo::cuda_backend& b) { b.each(n, write_even{expected.data(), 0, floats}); });
    sort(expected.span(), floats, alone);
    alone.synchronize();
    alone.trim();
    for (std::size_t const p : {std::size_t{2}, std::size_t{3}})
      check(std::vector<unsigned>(p, 0), ordo::gpu_exchange::peer_copies,
            [&](ordo::communicator& members, ordo::gpu& on, auto note) {
              std::size_t const first = ordo::even_offset(n, p, members.rank()), count = ordo::even_share(n, p, members.rank());
              auto const share = keys_at(on, before + count);
              std::span<std::uint32_t> const own = share.span().subspan(before);
              ordo::with_backend(on, [&](ordo::cuda_backend& b) { b.each(count, write_even{own.data(), first, floats}); });
              sort(own, floats, members, on);
              std::uint64_t const wrong = ordo::with_backend(on, [&](ordo::cuda_backend& b) {
                return b.reduce(count, differs{own.data(), expected.data() + first}, std::uint64_t{0}, add{});
              });
              note(floats ? "floats" : "integers", wrong == 0 ? "" : std::to_string(wrong) + " keys are wrong");
            });
  }
}

TEST_CASE("Communicators of GPUs send what must move, once", "[distributed]") {
  for (std::vector<unsigned> const& gpus : lists_of_gpus())
    for_each_exchange(gpus, [&](ordo::gpu_exchange exchange) {
      check(gpus, exchange, [&](ordo::communicator& members, ordo::gpu& on, auto note) {
        apart dividing(members, 256, true);
        distributed_checks::for_all_exchanges<guarded_on_gpu>(dividing, on, 30'000, note);
      });
    });
}

// One process: a sanitizer takes long to begin on each GPU, whatever the test.
TEST_CASE("Communicators of GPUs sort little", "[distributed][cuda][small]") {
  test_shard shard;
  std::vector<test_case> const all = cases_of({0, 3, 1000});
  for (std::vector<unsigned> const& gpus : lists_of_gpus())
    for_each_exchange(gpus, [&](ordo::gpu_exchange exchange) {
      std::vector<test_case const*> here;
      for (test_case const& test : all)
        if (shard.has_next(4)) here.push_back(&test);
      if (here.empty()) return;
      check(gpus, exchange, [&](ordo::communicator& members, ordo::gpu& on, auto note) {
        apart dividing(members, 64, true);
        for (test_case const* const test : here) {
          note(test->name, wrong_sorts(members, on, *test));
          note(test->name + ", divided", wrong_sorts(dividing, on, *test));
        }
      });
    });
}
