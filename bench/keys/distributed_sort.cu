// Measures sorts over several GPUs of one process beside one GPU, the exchange alone beside a copy over the link, and the parts
// that the time is made of. Every result is compared with that of one GPU, byte for byte.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/gpu_bench.cuh"
#include "bench/row_lines.hpp"
#include "ordo/distributed_sort.hpp"
#include "ordo/gpu.cuh"
#include "ordo/merge.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

struct settings {
  std::string gpus, exchange = "all", json;
  std::size_t log_keys = 31, log_pairs = 30, runs = 5;
  cli::common_options common;
};

/// Item i of a share that begins at `first`.
template <class F>
struct from_position {
  F f;
  std::size_t first;
  ORDO_FN auto operator()(std::size_t i) const { return f(first + i); }
};

/// Returns 1 where two arrays differ.
template <class T>
struct differs {
  T const *a, *b;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return a[i] != b[i]; }
};

/// Keys and values of one member, or of all on one GPU. Values are positions.
template <class K, class V>
struct share {
  columns<K, V> items;
  std::size_t first, n;
  key_at<K> key;

  void refill(cuda_backend& backend) {
    fill(backend, items.keys.span(), from_position<key_at<K>>{key, first});
    if constexpr (columns<K, V>::pairs) fill(backend, items.values.span(), from_position<identity>{{}, first});
  }
};

/// Calls sort(arrays...) with the keys, or the keys and the values.
template <class K, class V, class Sort>
void call_with_arrays(columns<K, V> const& items, Sort sort) {
  if constexpr (columns<K, V>::pairs)
    sort(items.keys.span(), items.values.span());
  else
    sort(items.keys.span());
}

template <class... Arrays>
void sort_on_one_gpu(gpu& on, Arrays... arrays) {
  if constexpr (sizeof...(arrays) == 1)
    sort_keys(on, arrays...);
  else
    sort_pairs(on, arrays...);
}
template <class... Arrays>
void sort_distributed(communicator& members, gpu& on, Arrays... arrays) {
  if constexpr (sizeof...(arrays) == 1)
    sort_keys(members, on, arrays...);
  else
    sort_pairs(members, on, arrays...);
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the median time from the moment at which all members begin work() until the last has ended it. The first run is not
/// counted.
template <class Before, class Work>
double time_of_all_members(communicator& members, std::size_t runs, Before before, Work work) {
  std::vector<double> ms;
  for (std::size_t run = 0; run < 1 + runs; ++run) {
    before();
    members.barrier();
    auto const start = std::chrono::steady_clock::now();
    work();
    members.barrier();
    if (run != 0) ms.push_back(ms_since(start));
  }
  return median(ms);
}

/// Counts the items of this member that differ from `expected`, which is on another GPU. Copies a part at a time.
template <class T>
std::uint64_t count_differing(gpu& on, std::span<T> items, T const* expected, unsigned expected_gpu) {
  return with_backend(on, [&](cuda_backend& backend) {
    std::size_t const part = std::min<std::size_t>(items.size(), std::size_t{1} << 24);
    auto const copied = backend.buffer<T>(part);
    std::uint64_t wrong = 0;
    for (std::size_t at = 0; at < items.size(); at += part) {
      std::size_t const n = std::min(part, items.size() - at);
      ORDO_CUDA(cudaMemcpyPeerAsync(copied.data(), int(on.index()), expected + at, int(expected_gpu), n * sizeof(T),
                                    backend.stream()));
      wrong += backend.reduce(n, differs<T>{copied.data(), items.data() + at}, std::uint64_t{0}, sum{});
    }
    return wrong;
  });
}

/// Measures copies of a gigabyte from GPU to GPU: one alone, and each member copying from the next at the same time.
/// @returns 10^9 bytes a second, into one GPU
std::pair<double, double> link_rates(std::vector<unsigned> const& gpus, std::size_t runs) {
  constexpr std::size_t bytes = std::size_t{1} << 30;
  std::vector<char*> blocks(gpus.size());
  std::pair<double, double> rates;
  run_members(gpus, [&](communicator& members, gpu& on) {
    std::size_t const self = members.rank(), next = (self + 1) % members.size();
    auto const block = with_backend(on, [&](cuda_backend& backend) { return backend.buffer<char>(2 * bytes); });
    blocks[self] = block.data();
    members.barrier();
    auto const copy = [&] {
      with_backend(on, [&](cuda_backend& backend) {
        ORDO_CUDA(
            cudaMemcpyPeerAsync(block.data() + bytes, int(on.index()), blocks[next], int(gpus[next]), bytes, backend.stream()));
      });
    };
    double const one_way = time_of_all_members(
        members, runs, [] {},
        [&] {
          if (self == 0) copy();
        });
    double const all = time_of_all_members(
        members, runs, [] {}, copy);
    if (self == 0) rates = {double(bytes) / one_way * 1e-6, double(bytes) / all * 1e-6};
    members.barrier();
  });
  return rates;
}

struct kind_of_exchange {
  char const* name;
  gpu_exchange kind;
};
constexpr kind_of_exchange exchanges[] = {{"peer_copies", gpu_exchange::peer_copies}, {"nccl", gpu_exchange::nccl}};

/// Measures one input on one GPU, and then on all with each kind of exchange.
template <class K, class V>
void measure(settings const& options, std::vector<unsigned> const& gpus, std::string const& name, std::size_t n, pattern order,
             double link, nlohmann::json& rows) {
  constexpr std::size_t item_bytes = sizeof(K) + (columns<K, V>::pairs ? sizeof(stored<V>) : 0);
  gpu single_gpu({.device = gpus[0]});
  auto const make = [&](gpu& on, std::size_t first, std::size_t count) {
    return with_backend(on, [&](cuda_backend& backend) {
      return share<K, V>{columns<K, V>(backend, count), first, count, keys_like<K>(order, n)};
    });
  };
  auto const refill = [](gpu& on, share<K, V>& arrays) {
    with_backend(on, [&](cuda_backend& backend) { arrays.refill(backend); });
  };
  share<K, V> expected = make(single_gpu, 0, n);
  std::vector<double> one_gpu_ms;
  for (std::size_t run = 0; run < 1 + options.runs; ++run) {
    refill(single_gpu, expected);
    single_gpu.synchronize();
    auto const start = std::chrono::steady_clock::now();
    call_with_arrays(expected.items, [&](auto... arrays) { sort_on_one_gpu(single_gpu, arrays...); });
    single_gpu.synchronize();
    if (run != 0) one_gpu_ms.push_back(ms_since(start));
  }
  single_gpu.trim();
  double const one_ms = median(one_gpu_ms);
  for (auto const& [exchange, kind] : exchanges) {
    if (options.exchange != "all" && options.exchange != exchange) continue;
    double sort_ms = 0, local_ms = 0, exchange_ms = 0, merge_ms = 0;
    std::uint64_t wrong = 0;
    std::size_t exchanged = 0;  // bytes into one GPU
    std::mutex mutex;
    auto const work = [&](communicator& members, gpu& on) {
      std::size_t const p = members.size(), first = even_offset(n, p, members.rank()), count = even_share(n, p, members.rank());
      share<K, V> own = make(on, first, count);
      auto const restore = [&] { refill(on, own); };
      double const sorted = time_of_all_members(members, options.runs, restore, [&] {
        call_with_arrays(own.items, [&](auto... arrays) { sort_distributed(members, on, arrays...); });
      });
      std::uint64_t differing = count_differing(on, own.items.keys.span(), expected.items.keys.data() + first, gpus[0]);
      if constexpr (columns<K, V>::pairs)
        differing += count_differing(on, own.items.values.span(), expected.items.values.data() + first, gpus[0]);
      // The parts: the sort of a share, the exchange of equal parts, and the merge of two halves.
      double const local = time_of_all_members(members, options.runs, restore, [&] {
        call_with_arrays(own.items, [&](auto... arrays) { sort_on_one_gpu(on, arrays...); });
      });
      share<K, V> other = make(on, 0, count);
      std::vector<std::span<std::byte const>> sends;
      std::vector<std::span<std::byte>> receives;
      std::size_t const part = n / p / p;
      for (std::size_t m = 0; m < p; ++m) {
        sends.push_back(std::as_bytes(std::span<K const>(own.items.keys.span()).subspan(m * part, part)));
        receives.push_back(std::as_writable_bytes(other.items.keys.span().subspan(m * part, part)));
      }
      double const exchange_time = time_of_all_members(
          members, options.runs, [] {}, [&] { members.all_to_all(sends, receives); });
      std::size_t const half = count / 2;
      double const merging = time_of_all_members(
          members, options.runs, [] {},
          [&] {
            auto const keys = std::span<K const>(own.items.keys.span());
            if constexpr (columns<K, V>::pairs) {
              auto const values = std::span<V const>(own.items.values.span());
              merge(on, keys.first(half), values.first(half), keys.subspan(half), values.subspan(half), other.items.keys.span(),
                    other.items.values.span());
            } else {
              merge(on, keys.first(half), keys.subspan(half), other.items.keys.span());
            }
          });
      std::lock_guard const lock(mutex);
      wrong += differing;
      if (members.rank() != 0) return;
      sort_ms = sorted, local_ms = local, exchange_ms = exchange_time, merge_ms = merging;
      exchanged = (p - 1) * part * sizeof(K);
    };
    try {
      run_members(gpus, work, kind);
    } catch (error const& e) {  // no NCCL, no access to peers, or not enough memory
      std::printf("%-24s %-12s left out: %s\n", name.c_str(), exchange, e.what());
      continue;
    }
    double const rate = double(exchanged) / exchange_ms * 1e-6;
    std::printf(
        "%-24s %-12s 1 GPU %8.2f ms, %zu GPUs %8.2f ms: %.2f times; sort of a share %.2f ms, merge of its halves %.2f ms, "
        "exchange of keys alone %.2f ms, %.1f GB/s into each GPU, %.2f of the link%s\n",
        name.c_str(), exchange, one_ms, gpus.size(), sort_ms, one_ms / sort_ms, local_ms, merge_ms, exchange_ms, rate,
        rate / link, wrong == 0 ? "" : "; WRONG");
    std::fflush(stdout);
    rows.push_back({{"name", name},
                    {"exchange", exchange},
                    {"items", n},
                    {"item_bytes", item_bytes},
                    {"gpus", gpus.size()},
                    {"min_share", even_share(n, gpus.size(), gpus.size() - 1)},
                    {"max_share", even_share(n, gpus.size(), 0)},
                    {"one_ms", one_ms},
                    {"group_ms", sort_ms},
                    {"times", one_ms / sort_ms},
                    {"local_sort_ms", local_ms},
                    {"merge_halves_ms", merge_ms},
                    {"exchange_keys_ms", exchange_ms},
                    {"exchange_gbs", rate},
                    {"share_of_link", rate / link},
                    {"differing_items", wrong}});
  }
}

std::vector<unsigned> parse_gpus(std::string const& list) {
  std::vector<unsigned> indices;
  if (list.empty()) {
    for (gpu_info const& info : gpus()) indices.push_back(info.index);
    if (indices.size() == 1) indices.push_back(indices[0]);
    return indices;
  }
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t const comma = std::min(list.find(',', at), list.size());
    indices.push_back(unsigned(std::stoul(list.substr(at, comma - at))));
    at = comma + 1;
  }
  return indices;
}

int run(int argc, char const* const* argv) {
  settings options;
  cli::command_table table{.name = "distributed_sort",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "Sorts over several GPUs of one process, beside one GPU."};
  table.options = {
      cli::value_row("gpus", "LIST", "use these GPUs, as 0,1; an index may occur twice. All GPUs if not given", options.gpus),
      cli::value_row("exchange", "KIND", "peer_copies, nccl or all", options.exchange),
      cli::value_row("log-keys", "N", "sort 2^N keys of 32 bits", options.log_keys),
      cli::value_row("log-pairs", "N", "sort 2^N pairs of 64 and 32 bits", options.log_pairs),
      cli::value_row("runs", "N", "take the median of N runs", options.runs),
      cli::value_row("json", "FILE", "write the figures to FILE", options.json)};
  cli::add_common_options(table, options.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  std::vector<unsigned> const gpus = parse_gpus(options.gpus);
  if (gpus.empty()) throw usage_error("no GPU: distributed_sort: needs at least one");

  auto const [one_way, all_ways] = link_rates(gpus, options.runs);
  std::printf("a copy from GPU to GPU: %.1f GB/s alone, %.1f GB/s into each GPU if all copy; NCCL %s\n", one_way, all_ways,
              nccl_present() ? "present" : "absent");
  nlohmann::json rows = nlohmann::json::array();
  std::size_t const keys = std::size_t{1} << options.log_keys, pairs = std::size_t{1} << options.log_pairs;
  std::string const of_keys = " 2^" + std::to_string(options.log_keys), of_pairs = " 2^" + std::to_string(options.log_pairs);
  measure<std::uint32_t, no_values>(options, gpus, "u32 random" + of_keys, keys, pattern::random, all_ways, rows);
  measure<std::uint64_t, std::uint32_t>(options, gpus, "u64/u32 random" + of_pairs, pairs, pattern::random, all_ways, rows);
  for (auto const& [name, order] : {std::pair{"few", pattern::few}, std::pair{"equal", pattern::equal},
                                    std::pair{"sorted", pattern::sorted}, std::pair{"power law", pattern::power_law}}) {
    measure<std::uint32_t, no_values>(options, gpus, std::string("u32 ") + name + of_keys, keys, order, all_ways, rows);
    measure<std::uint64_t, std::uint32_t>(options, gpus, std::string("u64/u32 ") + name + of_pairs, pairs, order, all_ways,
                                          rows);
  }
  bool const is_right = std::ranges::all_of(rows, [](auto const& row) { return row["differing_items"] == 0; });
  if (!options.json.empty()) {
    nlohmann::ordered_json report{{"benchmark", "distributed_sort"}, {"ordo", version}};
    for (auto const& [name, value] : describe_machine()) report["machine"][name] = value;
    report["runs"] = options.runs;
    report["gpus"] = gpus;
    report["link_gbs"] = {{"one_way", one_way}, {"all_ways", all_ways}};
    report["nccl"] = nccl_present();
    report["rows"] = rows;
    cli::output out(options.json);
    out.write(std::string_view(row_lines(report)));
    out.commit();
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("distributed_sort", [&] { return ordo::bench::run(argc, argv); });
}
