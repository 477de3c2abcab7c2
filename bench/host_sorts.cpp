// Whole arrays on the CPU: radix_sort and sample_sort beside tbb::parallel_sort with the same order and number of threads, in
// turn, medians. For pairs the rival sorts records of key and value, u32/u32 ready packed into one word, and owes no
// stability. Bringing the unsorted data into place is not counted. --stable adds std::stable_sort, which has one thread.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/parallel_sort.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/host_bench.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "sort_core/backend_sorts.hpp"
#include "sort_core/host/backend.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;
using namespace ordo::bench;

namespace {

struct settings {
  std::vector<unsigned> sizes{16, 20, 24, 26};
  unsigned runs = 5, threads = 0;
  bool stable = false;
  std::vector<std::string> only;

  /// Whether a row is asked for: no list asks for all; else one name of each kind that the list names.
  [[nodiscard]] bool wants(std::string_view name, std::vector<std::string_view> const& kind) const {
    auto const named = [&](std::string_view x) { return std::find(only.begin(), only.end(), x) != only.end(); };
    return std::none_of(kind.begin(), kind.end(), named) || named(name);
  }
};

std::vector<std::string_view> const distributions{"uniform", "sorted", "reversed", "equal", "few distinct", "Gaussian", "Zipf"};

/// n words of 64 bits; a narrower key is their upper part.
std::vector<std::uint64_t> words(std::string_view name, std::size_t n) {
  std::vector<std::uint64_t> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = mixed(i);
    if (name == "equal") {
      all[i] = mixed(7);
    } else if (name == "few distinct") {
      all[i] = mixed(x % 100);
    } else if (name == "Gaussian") {  // as Leischner et al.: the mean of four
      all[i] = (x >> 2) + (mixed(~x) >> 2) + (mixed(x + 1) >> 2) + (mixed(x + 2) >> 2);
    } else if (name == "Zipf") {  // ranks of 1 to 2^20, the probability of each as its inverse
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

/// A record that is sorted by a part of it.
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
struct pair_of {
  K key;
  V value;
};

template <class K>
K key_of(std::uint64_t word) {
  if constexpr (std::is_same_v<K, record>)
    return {word, 0};
  else if constexpr (std::is_same_v<K, float>)
    return float(word >> 40);
  else
    return K(word >> (64 - 8 * sizeof(K)));
}

/// What the rival sorts: K, a word of key and value, or a struct of both.
template <class K, class V>
struct rival_of {
  using type = pair_of<K, V>;
  using less = by_key;
  static type make(K key, V value) { return {key, value}; }
  static K key(type r) { return r.key; }
};
template <class K>
struct rival_of<K, void> {
  using type = K;
  using less = std::conditional_t<std::is_same_v<K, record>, by_key, std::less<>>;
  static type make(K key, std::uint32_t) { return key; }
  static K key(type r) { return r; }
};
template <>
struct rival_of<std::uint32_t, std::uint32_t> {
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

template <class K, class V>
void row(settings const& how, verb what, std::string_view type, std::string_view from, std::vector<std::uint64_t> const& given,
         nlohmann::ordered_json& report) {
  using rival = rival_of<K, V>;
  using value = std::conditional_t<std::is_void_v<V>, std::uint32_t, V>;
  constexpr bool pairs = !std::is_void_v<V>;
  std::size_t const n = given.size();
  std::vector<K> sorted(n);
  std::vector<value> moved(pairs ? n : 0);
  std::vector<typename rival::type> rival_sorted(n);
  host_backend machine(how.threads);
  tbb::task_arena arena(how.threads == 0 ? tbb::task_arena::automatic : int(how.threads));
  auto const fill_rival = [&] {
    for (std::size_t i = 0; i < n; ++i) rival_sorted[i] = rival::make(key_of<K>(given[i]), value(i));
  };
  std::vector<double> ours, theirs, stable;
  for (unsigned k = 0; k < how.runs + 1; ++k) {  // the first warms up
    for (std::size_t i = 0; i < n; ++i) sorted[i] = key_of<K>(given[i]);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = value(i);
    ours.push_back(seconds_of([&] {
      if constexpr (std::is_arithmetic_v<K>) {
        if (what == verb::radix_sort) {
          if constexpr (pairs)
            sort_pairs(machine, std::span(sorted), std::span(moved));
          else
            sort_keys(machine, std::span(sorted));
          return;
        }
      }
      using less = std::conditional_t<std::is_same_v<K, record>, by_key, std::less<>>;
      if constexpr (pairs)
        machine.sample_sort(std::span(sorted), std::span(moved), less{});
      else
        machine.sample_sort(std::span(sorted), less{});
    }));
    fill_rival();
    theirs.push_back(seconds_of(
        [&] { arena.execute([&] { tbb::parallel_sort(rival_sorted.begin(), rival_sorted.end(), typename rival::less{}); }); }));
    if (how.stable && k == 1) {
      fill_rival();
      stable.push_back(seconds_of([&] { std::stable_sort(rival_sorted.begin(), rival_sorted.end(), typename rival::less{}); }));
    }
  }
  for (auto* times : {&ours, &theirs}) times->erase(times->begin());
  for (std::size_t i = 0; i < n; ++i)
    if (comparable(sorted[i]) != comparable(rival::key(rival_sorted[i])))
      throw error(fmt::format("different results: {}", from));
  double const a = median(ours), b = median(theirs);
  std::string_view const verb_name = verbs[std::size_t(what)];
  fmt::print("{:<12} {:<8} {:<13} {:>9} {:>9.2f} {:>13.2f} {:>7.2f}", verb_name, type, from, n, a * 1e9 / double(n),
             b * 1e9 / double(n), b / a);
  if (how.stable) fmt::print(" {:>11.2f}", stable.front() * 1e9 / double(n));
  fmt::print("\n");
  std::fflush(stdout);
  nlohmann::ordered_json figures{{"verb", verb_name},  {"types", type}, {"keys", from},
                                 {"items", n},         {"seconds", a},  {"rival", "tbb::parallel_sort"},
                                 {"rival_seconds", b}, {"times", b / a}};
  if (how.stable) figures["stable_sort_seconds"] = stable.front();
  report.push_back(std::move(figures));
}

int run(int argc, char const* const* argv) {
  CLI::App app("Radix sort and sample sort on the CPU, beside tbb::parallel_sort.", "host_sorts");
  settings how;
  std::string json;
  app.add_option("--sizes", how.sizes, "logarithms of the numbers of items [16 20 24 26]");
  app.add_option("--runs", how.runs, "of which the median counts [5]");
  app.add_option("--threads", how.threads, "0 for all [0]");
  app.add_option("--only", how.only,
                 "what to measure of radix_sort, sample_sort; u32, f32, u64, u32/u32, u64/u64, record; uniform, sorted, "
                 "reversed, equal, 'few distinct', Gaussian, Zipf");
  app.add_flag("--stable", how.stable, "measure std::stable_sort, once, too");
  app.add_option("--json", json, "write the figures to this file");
  if (auto const status = cli::parse(app, argc, argv)) return *status;

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  fmt::print("{:<12} {:<8} {:<13} {:>9} {:>9} {:>13} {:>7}{}\n", "verb", "types", "keys", "items", "ns/item", "parallel_sort",
             "times", how.stable ? " stable_sort" : "");
  for (unsigned size : how.sizes) {
    for (std::string_view from : distributions) {
      if (!how.wants(from, distributions)) continue;
      auto const given = words(from, std::size_t{1} << size);
      for (verb what : {verb::radix_sort, verb::sample_sort}) {
        if (!how.wants(verbs[std::size_t(what)], verbs)) continue;
        auto const one = [&]<class K, class V>(std::string_view type, std::type_identity<K>, std::type_identity<V>) {
          if (how.wants(type, types)) row<K, V>(how, what, type, from, given, rows);
        };
        one("u32", std::type_identity<std::uint32_t>{}, std::type_identity<void>{});
        one("f32", std::type_identity<float>{}, std::type_identity<void>{});
        one("u64", std::type_identity<std::uint64_t>{}, std::type_identity<void>{});
        one("u32/u32", std::type_identity<std::uint32_t>{}, std::type_identity<std::uint32_t>{});
        one("u64/u64", std::type_identity<std::uint64_t>{}, std::type_identity<std::uint64_t>{});
        if (what == verb::sample_sort) one("record", std::type_identity<record>{}, std::type_identity<void>{});
      }
    }
  }

  write_report(json, how.threads, how.runs, rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("host_sorts", [&] { return run(argc, argv); });
}
