// Many small sorts on the CPU: segmented_sort and array_sort beside std::sort of each segment under tbb::parallel_for, on the
// same segments and threads, runs in turn, medians; where segments are fewer than threads could share, beside
// tbb::parallel_sort of each. For pairs the rival has its work made easy: it sorts records of key and value ready packed into
// one word (u32/u32), or structs of both, and owes no stability. Bringing the unsorted data into place is not counted.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
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
  std::size_t items = std::size_t{1} << 23;
  unsigned runs = 7;
  unsigned threads = 0;
};

template <class K>
K random_key(std::size_t i) {
  if constexpr (std::is_floating_point_v<K>)
    return K(mixed(i) >> 40) / K(1 << 24);  // uniform in [0, 1)
  else
    return K(mixed(i));
}

template <class K>
constexpr std::string_view name_of = std::is_same_v<K, float> ? "f32"
                                     : sizeof(K) == 8         ? "u64"
                                                              : "u32";

/// The rival's records.
template <class K, class V>
struct pair_of {
  K key;
  V value;
  friend bool operator<(pair_of a, pair_of b) { return a.key < b.key; }
};
template <class K, class V>
struct rival_record {
  using type = pair_of<K, V>;
  static type make(K key, V value) { return {key, value}; }
  static K key(type r) { return r.key; }
};
template <class K>
struct rival_record<K, void> {
  using type = K;
  static type make(K key, std::uint64_t) { return key; }
  static K key(type r) { return r; }
};
template <>
struct rival_record<std::uint32_t, std::uint32_t> {
  using type = std::uint64_t;
  static type make(std::uint32_t key, std::uint32_t value) { return std::uint64_t{key} << 32 | value; }
  static std::uint32_t key(type r) { return std::uint32_t(r >> 32); }
};

/// Segments of a list, one behind the other.
struct layout {
  std::string name;
  std::vector<std::size_t> offsets;  // empty where all are of one length
  std::size_t length = 0, count = 0;

  [[nodiscard]] std::size_t items() const { return offsets.empty() ? length * count : offsets.back(); }
  [[nodiscard]] segment_list<std::size_t> segments() const {
    return offsets.empty() ? uniform_segments(count, length) : segments_from_offsets(std::span<std::size_t const>(offsets));
  }
};

layout of_length(std::size_t length, std::size_t items) {
  return {fmt::to_string(length), {}, length, std::max<std::size_t>(1, items / length)};
}

/// The same number of items in a list of offsets, lengths uniform in [least, most].
layout of_lengths(std::size_t least, std::size_t most, std::size_t items) {
  layout all{fmt::format("{}..{}", least, most), {0}};
  for (std::size_t s = 0; all.offsets.back() < items; ++s)
    all.offsets.push_back(all.offsets.back() + least + mixed(s + 77) % (most - least + 1));
  all.count = all.offsets.size() - 1;
  all.length = most;
  return all;
}

enum class verb { segmented_sort, array_sort };

template <class K, class V>
void row(settings const& how, verb what, layout const& where, nlohmann::ordered_json& report) {
  using rival = rival_record<K, V>;
  using value = std::conditional_t<std::is_void_v<V>, std::uint32_t, V>;
  constexpr bool pairs = !std::is_void_v<V>;
  std::size_t const n = where.items();
  auto const segments = where.segments();
  std::vector<K> keys(n), sorted(n);
  std::vector<value> values(pairs ? n : 0), moved(pairs ? n : 0);
  std::vector<typename rival::type> records(n), rival_sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = random_key<K>(i);
    if (pairs) values[i] = value(i);
    records[i] = rival::make(keys[i], typename std::conditional_t<pairs, value, std::uint64_t>(i));
  }
  host_backend machine(how.threads);
  tbb::task_arena arena(how.threads == 0 ? tbb::task_arena::automatic : int(how.threads));
  std::vector<double> ours, theirs;
  for (unsigned k = 0; k < how.runs + 1; ++k) {  // the first warms up
    sorted = keys;
    moved = values;
    double const a = seconds_of([&] {
      if (what == verb::segmented_sort)
        sort_segments(machine, std::span(sorted), std::span(moved), segments);
      else
        sort_arrays(machine, std::span(sorted), std::span(moved), segments);
    });
    rival_sorted = records;
    double const b = seconds_of([&] {
      arena.execute([&] {
        if (where.length > (std::size_t{1} << 18)) {
          for (std::size_t s = 0; s < segments.size(); ++s)
            tbb::parallel_sort(rival_sorted.begin() + segments.begin(s), rival_sorted.begin() + segments.end(s));
        } else {
          tbb::parallel_for(tbb::blocked_range<std::size_t>(0, segments.size()), [&](auto const& range) {
            for (std::size_t s = range.begin(); s != range.end(); ++s)
              std::sort(rival_sorted.begin() + segments.begin(s), rival_sorted.begin() + segments.end(s));
          });
        }
      });
    });
    if (k == 0) continue;
    ours.push_back(a);
    theirs.push_back(b);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (sorted[i] != rival::key(rival_sorted[i])) throw error("different results: " + where.name);
  double const a = median(ours), b = median(theirs);
  std::string_view const verb_name = what == verb::segmented_sort ? "segmented_sort" : "array_sort";
  std::string const types = pairs ? fmt::format("{}/u{}", name_of<K>, 8 * sizeof(value)) : std::string(name_of<K>);
  fmt::print("{:<15} {:<8} {:>12} {:>11} {:>9.2f} {:>9.2f} {:>7.2f}\n", verb_name, types, where.name, n, a * 1e9 / double(n),
             b * 1e9 / double(n), b / a);
  std::fflush(stdout);
  report.push_back({{"verb", verb_name},
                    {"types", types},
                    {"length", where.name},
                    {"items", n},
                    {"segments", segments.size()},
                    {"seconds", a},
                    {"rival", where.length > (std::size_t{1} << 18) ? "tbb::parallel_sort" : "std::sort"},
                    {"rival_seconds", b},
                    {"times", b / a}});
}

int run(int argc, char const* const* argv) {
  CLI::App app("Segmented and array sorts on the CPU, beside std::sort of each segment.", "host_segments");
  settings how;
  std::string json;
  std::vector<std::string> only;
  app.add_option("--items", how.items, "items in all of a row's segments [8388608]");
  app.add_option("--runs", how.runs, "of which the median counts [7]");
  app.add_option("--threads", how.threads, "0 for all [0]");
  app.add_option("--only", only, "verbs or types to measure: segmented_sort, array_sort, u32, u32/u32, f32, u64, u64/u64");
  app.add_option("--json", json, "write the figures to this file");
  if (auto const status = cli::parse(app, argc, argv)) return *status;

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  auto const wanted = [&](std::string_view verb_name, std::string_view types) {
    auto const named = [&](std::string_view x) { return std::find(only.begin(), only.end(), x) != only.end(); };
    bool const some_verb = named("segmented_sort") || named("array_sort");
    bool const some_type = only.size() > std::size_t(named("segmented_sort")) + std::size_t(named("array_sort"));
    return (!some_verb || named(verb_name)) && (!some_type || named(types));
  };
  fmt::print("{:<15} {:<8} {:>12} {:>11} {:>9} {:>9} {:>7}\n", "verb", "types", "length", "items", "ns/item", "std::sort",
             "times");
  auto const all_lengths = [&]<class K, class V>(std::string_view types, std::type_identity<K>, std::type_identity<V>) {
    if (wanted("segmented_sort", types)) {
      for (std::size_t length : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1000, 2000, 4096})
        row<K, V>(how, verb::segmented_sort, of_length(length, how.items), rows);
      row<K, V>(how, verb::segmented_sort, of_lengths(2, 32, how.items), rows);
      row<K, V>(how, verb::segmented_sort, of_lengths(0, 1000, how.items), rows);
    }
    if (wanted("array_sort", types)) {
      for (std::size_t length : {2, 8, 32, 128, 1000, 4096, 5000, 20000, 70000, 300000, 1 << 23})
        row<K, V>(how, verb::array_sort, of_length(length, how.items), rows);
    }
  };
  all_lengths("u32", std::type_identity<std::uint32_t>{}, std::type_identity<void>{});
  all_lengths("u32/u32", std::type_identity<std::uint32_t>{}, std::type_identity<std::uint32_t>{});
  all_lengths("f32", std::type_identity<float>{}, std::type_identity<void>{});
  all_lengths("u64", std::type_identity<std::uint64_t>{}, std::type_identity<void>{});
  all_lengths("u64/u64", std::type_identity<std::uint64_t>{}, std::type_identity<std::uint64_t>{});

  write_report(json, how.threads, how.runs, rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("host_segments", [&] { return run(argc, argv); });
}
