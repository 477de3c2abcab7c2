// Measures sorts of whole arrays on the CPU: radix_sort and sample_sort beside tbb::parallel_sort with the same order and
// number of threads, and beside the sorts of host_rivals.hpp, in turn, medians. For pairs, parallel_sort sorts records of key and
// value, u32/u32 packed into one word, and no rival is stable. Copying the unsorted data is not timed. --stable adds
// std::stable_sort, which has one thread. Rivals of one thread take part with any number, under a name that says so; std::sort
// only with one.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_sort.h>
#include <nlohmann/json.hpp>

#include "bench/host_bench.hpp"
#include "bench/keys/host_rivals.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "sort_core/host/backend.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;
using namespace ordo::bench;

namespace {

struct settings {
  std::vector<unsigned> sizes{16, 20, 24, 26};
  unsigned runs = 5, threads = 0;
  bool stable = false;
  std::vector<std::string> only;

  /// Returns true if `only` names this one of a kind, or none of the kind.
  [[nodiscard]] bool wants(std::string_view name, std::vector<std::string_view> const& kind) const {
    auto const named = [&](std::string_view x) { return std::find(only.begin(), only.end(), x) != only.end(); };
    return std::none_of(kind.begin(), kind.end(), named) || named(name);
  }
};

std::vector<std::string_view> const distributions{"uniform", "sorted", "reversed", "equal", "few distinct", "Gaussian", "Zipf"};

/// Returns n words of 64 bits; narrower keys are their upper bits.
std::vector<std::uint64_t> words(std::string_view name, std::size_t n) {
  std::vector<std::uint64_t> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = mixed(i);
    if (name == "equal") {
      all[i] = mixed(7);
    } else if (name == "few distinct") {
      all[i] = mixed(x % 100);
    } else if (name == "Gaussian") {  // the mean of four, as Leischner et al.
      all[i] = (x >> 2) + (mixed(~x) >> 2) + (mixed(x + 1) >> 2) + (mixed(x + 2) >> 2);
    } else if (name == "Zipf") {  // 1 to 2^20, each with a probability proportional to its inverse
      all[i] = std::uint64_t(std::exp2(20 * (double(x) / 0x1p64))) << 32 | x >> 32;
    } else {
      all[i] = x;
    }
  }
  if (name == "Zipf")
    for (std::uint64_t& x : all) x = x >> 32 << 32;
  if (name == "sorted") tbb::parallel_sort(all.begin(), all.end());
  if (name == "reversed") tbb::parallel_sort(all.begin(), all.end(), std::greater<>());
  return all;
}

/// A record with its key.
struct record {
  std::uint64_t key, position;
};
struct by_key {
  template <class R>
  bool operator()(R const& a, R const& b) const {
    return a.key < b.key;
  }
};

template <class K, class V>
struct key_value {
  K key;
  V value;
};

template <class K>
K to_key(std::uint64_t word) {
  if constexpr (std::is_same_v<K, record>)
    return {word, 0};
  else if constexpr (std::is_same_v<K, float>)
    return float(word >> 40);
  else
    return K(word >> (64 - 8 * sizeof(K)));
}

/// The type that the rival sorts: K, a word of key and value, or a struct of both.
template <class K, class V>
struct rival_item {
  using type = key_value<K, V>;
  using less = by_key;
  static type make(K key, V value) { return {key, value}; }
  static K key(type r) { return r.key; }
};
template <class K>
struct rival_item<K, void> {
  using type = K;
  using less = std::conditional_t<std::is_same_v<K, record>, by_key, std::less<>>;
  static type make(K key, std::uint32_t) { return key; }
  static K key(type r) { return r; }
};
template <>
struct rival_item<std::uint32_t, std::uint32_t> {
  using type = std::uint64_t;
  using less = std::less<>;
  static type make(std::uint32_t key, std::uint32_t value) { return std::uint64_t{key} << 32 | value; }
  static std::uint32_t key(type r) { return std::uint32_t(r >> 32); }
};

template <class K>
auto comparable(K key) {
  if constexpr (std::is_same_v<K, record>)
    return key.key;
  else
    return key;
}

enum class verb { radix_sort, sample_sort };
std::vector<std::string_view> const verbs{"radix_sort", "sample_sort"};
std::vector<std::string_view> const types{"u32", "f32", "u64", "u32/u32", "u64/u64", "record"};

/// The rivals of host_rivals.hpp, for keys alone or for key and value of the same width. None for records.
template <class K, class V>
class race {
  static constexpr bool pairs = !std::is_void_v<V>, possible = std::is_arithmetic_v<K>;
  using value = std::conditional_t<pairs, V, std::uint32_t>;

 public:
  explicit race(unsigned threads) : threads_(threads == 0 ? unsigned(tbb::info::default_concurrency()) : threads) {}

  /// Runs each rival once.
  void run([[maybe_unused]] bool wanted, [[maybe_unused]] std::vector<std::uint64_t> const& input) {
    if constexpr (possible) {
      auto const time = [&](std::string_view name, auto sort) {
        keys_.resize(input.size());
        std::ranges::transform(input, keys_.begin(), to_key<K>);
        times_[std::string(name)].push_back(time_seconds(sort));
      };
      if (!wanted) return;
      auto const named = [&](std::string_view name) { return std::string(name) + (threads_ == 1 ? "" : ", one thread"); };
      if constexpr (pairs) {
        for (auto const& rival : pair_sorts<K, V>()) {
          values_.resize(input.size());
          std::iota(values_.begin(), values_.end(), value(0));
          time(named(rival.name), [&] { rival.sort(keys_.data(), values_.data(), keys_.size()); });
        }
      } else {
        for (auto const& rival : key_sorts<K>())
          if (threads_ == 1 || rival.name != "std::sort")
            time(rival.parallel ? std::string(rival.name) : named(rival.name),
                 [&] { rival.sort(keys_.data(), keys_.size(), threads_); });
      }
    }
  }
  /// Compares the last result. @throws error
  void check(std::vector<K> const& sorted) const {
    if constexpr (possible)
      if (!times_.empty() && keys_ != sorted) throw error("different results of a rival");
  }
  /// Returns the names and their medians, without the first run.
  [[nodiscard]] std::vector<std::pair<std::string, double>> medians() const {
    std::vector<std::pair<std::string, double>> all;
    for (auto const& [name, times] : times_) all.emplace_back(name, median({times.begin() + 1, times.end()}));
    return all;
  }

 private:
  unsigned threads_;
  std::vector<K> keys_;
  std::vector<value> values_;
  std::map<std::string, std::vector<double>> times_;
};

template <class K, class V>
void measure(settings const& options, verb sort, std::string_view type, std::string_view distribution,
             std::vector<std::uint64_t> const& input, nlohmann::ordered_json& report) {
  using rival = rival_item<K, V>;
  using value = std::conditional_t<std::is_void_v<V>, std::uint32_t, V>;
  constexpr bool pairs = !std::is_void_v<V>;
  std::size_t const n = input.size();
  std::vector<K> sorted(n);
  std::vector<value> values(pairs ? n : 0);
  std::vector<typename rival::type> rival_sorted(n);
  host_backend machine(options.threads);
  tbb::task_arena arena(options.threads == 0 ? tbb::task_arena::automatic : int(options.threads));
  auto const fill_rival = [&] {
    for (std::size_t i = 0; i < n; ++i) rival_sorted[i] = rival::make(to_key<K>(input[i]), value(i));
  };
  std::vector<double> ours, theirs, stable;
  race<K, V> others(options.threads);
  for (unsigned k = 0; k < options.runs + 1; ++k) {  // run 0 is a warm-up
    for (std::size_t i = 0; i < n; ++i) sorted[i] = to_key<K>(input[i]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    ours.push_back(time_seconds([&] {
      if constexpr (std::is_arithmetic_v<K>) {
        if (sort == verb::radix_sort) {
          if constexpr (pairs)
            sort_pairs(machine, std::span(sorted), std::span(values));
          else
            sort_keys(machine, std::span(sorted));
          return;
        }
      }
      using less = std::conditional_t<std::is_same_v<K, record>, by_key, std::less<>>;
      if constexpr (pairs)
        machine.sample_sort(std::span(sorted), std::span(values), less{});
      else
        machine.sample_sort(std::span(sorted), less{});
    }));
    fill_rival();
    theirs.push_back(time_seconds(
        [&] { arena.execute([&] { tbb::parallel_sort(rival_sorted.begin(), rival_sorted.end(), typename rival::less{}); }); }));
    others.run(sort == verb::radix_sort, input);
    if (options.stable && k == 1) {
      fill_rival();
      stable.push_back(
          time_seconds([&] { std::stable_sort(rival_sorted.begin(), rival_sorted.end(), typename rival::less{}); }));
    }
  }
  for (auto* times : {&ours, &theirs}) times->erase(times->begin());
  others.check(sorted);
  for (std::size_t i = 0; i < n; ++i)
    if (comparable(sorted[i]) != comparable(rival::key(rival_sorted[i])))
      throw error(fmt::format("different results: {}", distribution));
  double const a = median(ours);
  auto times = others.medians();
  times.emplace_back("tbb::parallel_sort", median(theirs));
  auto const [best, b] = *std::ranges::min_element(times, {}, [](auto const& entry) { return entry.second; });
  std::string_view const verb_name = verbs[std::size_t(sort)];
  fmt::print("{:<12} {:<8} {:<13} {:>9} {:>9.2f} {:>18} {:>7.2f} {:>7.2f}", verb_name, type, distribution, n,
             a * 1e9 / double(n), best, b * 1e9 / double(n), b / a);
  if (options.stable) fmt::print(" {:>11.2f}", stable.front() * 1e9 / double(n));
  fmt::print("\n");
  std::fflush(stdout);
  nlohmann::ordered_json figures{{"verb", verb_name},  {"types", type}, {"keys", distribution},
                                 {"items", n},         {"seconds", a},  {"rival", best},
                                 {"rival_seconds", b}, {"times", b / a}};
  for (auto const& [name, seconds] : times) figures["rivals"][name] = seconds;
  if (options.stable) figures["stable_sort_seconds"] = stable.front();
  report.push_back(std::move(figures));
}

int run(int argc, char const* const* argv) {
  settings options;
  std::string json;
  cli::command_table table{.name = "host_sorts",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "Radix sort and sample sort on the CPU, beside tbb::parallel_sort."};
  table.options = {
      cli::value_row("sizes", "N[,N...]", "sort 2^N items [16,20,24,26]", options.sizes),
      cli::value_row("runs", "N", "take the median of N runs", options.runs),
      cli::value_row("threads", "N", "use N threads; 0 means all", options.threads),
      cli::value_row("only", "NAME[,NAME...]",
                     "measure only these of radix_sort, sample_sort; u32, f32, u64, u32/u32, u64/u64, record; uniform, sorted, "
                     "reversed, equal, 'few distinct', Gaussian, Zipf",
                     options.only),
      cli::flag_row("stable", "also measure std::stable_sort, once", options.stable),
      cli::value_row("json", "FILE", "write the figures to FILE", json),
      cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  fmt::print("{:<12} {:<8} {:<13} {:>9} {:>9} {:>18} {:>7} {:>7}{}\n", "verb", "types", "keys", "items", "ns/item", "best rival",
             "ns/item", "times", options.stable ? " stable_sort" : "");
  for (unsigned size : options.sizes) {
    for (std::string_view distribution : distributions) {
      if (!options.wants(distribution, distributions)) continue;
      auto const input = words(distribution, std::size_t{1} << size);
      for (verb sort : {verb::radix_sort, verb::sample_sort}) {
        if (!options.wants(verbs[std::size_t(sort)], verbs)) continue;
        auto const measure_type = [&]<class K, class V>(std::string_view type, std::type_identity<K>, std::type_identity<V>) {
          if (options.wants(type, types)) measure<K, V>(options, sort, type, distribution, input, rows);
        };
        measure_type("u32", std::type_identity<std::uint32_t>{}, std::type_identity<void>{});
        measure_type("f32", std::type_identity<float>{}, std::type_identity<void>{});
        measure_type("u64", std::type_identity<std::uint64_t>{}, std::type_identity<void>{});
        measure_type("u32/u32", std::type_identity<std::uint32_t>{}, std::type_identity<std::uint32_t>{});
        measure_type("u64/u64", std::type_identity<std::uint64_t>{}, std::type_identity<std::uint64_t>{});
        if (sort == verb::sample_sort) measure_type("record", std::type_identity<record>{}, std::type_identity<void>{});
      }
    }
  }

  write_report(json, options.threads, options.runs, rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("host_sorts", [&] { return run(argc, argv); });
}
