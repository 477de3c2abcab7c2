#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "ordo/distributed_sort.hpp"
#include "ordo/gpu.cuh"
#include "sort_core/cuda/runtime/error.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/distributed/distributed_checks.hpp"
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

/// Returns what this member found wrong.
std::string wrong_sorts(ordo::communicator& members, ordo::gpu& on, std::vector<std::uint64_t> const& keys,
                        std::uint64_t shares) {
  ordo::cuda_detail::device_scope const current(on.index());
  std::size_t const n = keys.size(), rank = members.rank();
  auto const ends = distributed_checks::share_ends(n, members.size(), shares);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  auto const values = distributed_checks::share_of(order, ends, rank);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<std::uint64_t> sorted(n);
  std::transform(order.begin(), order.end(), sorted.begin(), [&](auto i) { return keys[i]; });
  std::string wrong;
  device_array const share(distributed_checks::share_of(keys, ends, rank));
  device_array const moved(values), index(values);
  ordo::argsort(members, on, std::span<std::uint64_t const>(share.span()), index.span());
  if (index.get() != distributed_checks::share_of(order, ends, rank)) wrong += " argsort";
  ordo::sort_pairs(members, on, share.span(), moved.span());
  if (share.get() != distributed_checks::share_of(sorted, ends, rank)) wrong += " keys";
  if (moved.get() != distributed_checks::share_of(order, ends, rank)) wrong += " values";

  device_array const items(distributed_checks::share_of(keys, ends, rank));
  ordo::sample_sort(members, on, items.span(), distributed_checks::less_by_tens{});
  std::stable_sort(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] / 10 < keys[b] / 10; });
  std::transform(order.begin(), order.end(), sorted.begin(), [&](auto i) { return keys[i]; });
  if (items.get() != distributed_checks::share_of(sorted, ends, rank)) wrong += " sample_sort";
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

void check(std::vector<unsigned> const& gpus, ordo::gpu_exchange exchange, std::vector<std::uint64_t> const& keys,
           std::string const& name) {
  std::mutex mutex;
  std::string first;
  ordo::run_members(
      gpus,
      [&](ordo::communicator& members, ordo::gpu& on) {
        std::string const wrong = wrong_sorts(members, on, keys, keys.size() + gpus.size());
        std::lock_guard const lock(mutex);
        if (!wrong.empty() && first.empty()) first = wrong;
      },
      exchange);
  INFO(gpus.size() << " members, exchange " << int(exchange) << ", " << keys.size() << " items, " << name);
  CHECK(first == "");
}

}  // namespace

TEST_CASE("Communicators of GPUs sort to the bytes of one machine", "[distributed]") {
  for (std::vector<unsigned> const& gpus : lists_of_gpus())
    for_each_exchange(gpus, [&](ordo::gpu_exchange exchange) {
      for (std::size_t const n : {0u, 3u, 1000u, 200'000u})
        for (auto const& [name, keys] : inputs<std::uint64_t>(n)) check(gpus, exchange, keys, name);
      // Enough to be divided before they are sorted, if there are few members.
      random_numbers random(5);
      std::vector<std::uint64_t> many(std::size_t{1} << 24);
      for (std::uint64_t& key : many) key = random() >> random.below(4);
      check(gpus, exchange, many, "many");
    });
  CHECK_THROWS_AS(ordo::run_members(std::array{unsigned(ordo::gpus().size())}, [](ordo::communicator&, ordo::gpu&) {}),
                  ordo::usage_error);
}

TEST_CASE("Communicators of GPUs sort little", "[distributed][cuda][small][shards]") {
  test_shard shard;
  for (std::vector<unsigned> const& gpus : lists_of_gpus())
    for_each_exchange(gpus, [&](ordo::gpu_exchange exchange) {
      for (std::size_t const n : {0u, 3u, 1000u})
        for (auto const& [name, keys] : inputs<std::uint64_t>(n))
          if (shard.has_next()) check(gpus, exchange, keys, name);
    });
}
