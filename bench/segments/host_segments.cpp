// Measures many small sorts on the CPU: segmented_sort and array_sort beside the sorts of host_rivals.hpp of each segment in
// tbb::parallel_for, on the same segments and threads, in turn, medians; for few long segments, beside tbb::parallel_sort of
// each. For pairs, std::sort has an advantage: it sorts records of key and value, packed into one word (u32/u32) or structs. No
// rival is stable.
// Copying the unsorted data is not timed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
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
constexpr std::string_view type_name = std::is_same_v<K, float> ? "f32"
                                       : sizeof(K) == 8         ? "u64"
                                                                : "u32";

/// A record of the rival.
template <class K, class V>
struct key_value {
  K key;
  V value;
  friend bool operator<(key_value a, key_value b) { return a.key < b.key; }
};
template <class K, class V>
struct rival_record {
  using type = key_value<K, V>;
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

/// Adjacent segments.
struct segment_layout {
  std::string name;
  std::vector<std::size_t> offsets;  // empty if all have one length
  std::size_t length = 0, count = 0;

  [[nodiscard]] std::size_t items() const { return offsets.empty() ? length * count : offsets.back(); }
  [[nodiscard]] segment_list<std::size_t> segments() const {
    return offsets.empty() ? uniform_segments(count, length) : segments_from_offsets(std::span<std::size_t const>(offsets));
  }
};

segment_layout equal_lengths(std::size_t length, std::size_t items) {
  return {fmt::to_string(length), {}, length, std::max<std::size_t>(1, items / length)};
}

/// Returns segments of at least `items` items, with lengths uniform in [min, max].
segment_layout drawn_lengths(std::size_t min, std::size_t max, std::size_t items) {
  segment_layout all{fmt::format("{}..{}", min, max), {0}};
  for (std::size_t s = 0; all.offsets.back() < items; ++s)
    all.offsets.push_back(all.offsets.back() + min + mixed(s + 77) % (max - min + 1));
  all.count = all.offsets.size() - 1;
  all.length = max;
  return all;
}

enum class verb { segmented_sort, array_sort };

template <class K, class V>
void measure(settings const& options, verb sort, segment_layout const& layout, nlohmann::ordered_json& report) {
  using rival = rival_record<K, V>;
  using value = std::conditional_t<std::is_void_v<V>, std::uint32_t, V>;
  constexpr bool pairs = !std::is_void_v<V>;
  std::size_t const n = layout.items();
  auto const segments = layout.segments();
  std::vector<K> keys(n), sorted(n);
  std::vector<value> values(pairs ? n : 0), sorted_values(pairs ? n : 0);
  std::vector<typename rival::type> records(n), rival_sorted(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = random_key<K>(i);
    if (pairs) values[i] = value(i);
    records[i] = rival::make(keys[i], typename std::conditional_t<pairs, value, std::uint64_t>(i));
  }
  host_backend machine(options.threads);
  tbb::task_arena arena(options.threads == 0 ? tbb::task_arena::automatic : int(options.threads));
  std::vector<double> ours, theirs;
  std::map<std::string, std::vector<double>> others;
  bool const is_long = layout.length > (std::size_t{1} << 18);
  auto const each_segment = [&](auto sort_one) {
    arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, segments.size()), [&](auto const& range) {
        for (std::size_t s = range.begin(); s != range.end(); ++s) sort_one(segments.begin(s), segments.end(s));
      });
    });
  };
  for (unsigned k = 0; k < options.runs + 1; ++k) {  // run 0 is a warm-up
    sorted = keys;
    sorted_values = values;
    double const a = time_seconds([&] {
      if (sort == verb::segmented_sort)
        sort_segments(machine, std::span(sorted), std::span(sorted_values), segments);
      else
        sort_arrays(machine, std::span(sorted), std::span(sorted_values), segments);
    });
    rival_sorted = records;
    double const b = time_seconds([&] {
      if (!is_long)
        return each_segment([&](auto begin, auto end) { std::sort(rival_sorted.data() + begin, rival_sorted.data() + end); });
      arena.execute([&] {
        for (std::size_t s = 0; s < segments.size(); ++s)
          tbb::parallel_sort(rival_sorted.begin() + segments.begin(s), rival_sorted.begin() + segments.end(s));
      });
    });
    std::vector<K> copied;
    auto const time = [&](std::string_view name, auto sort_one) {
      copied = keys;
      double const seconds = time_seconds([&] { each_segment(sort_one); });
      if (k != 0) others[std::string(name)].push_back(seconds);
      if (k == 0 && copied != sorted) throw error(fmt::format("different results: {}: {}", layout.name, name));
    };
    if (!is_long) {
      if constexpr (!pairs) {
        for (auto const& other : key_sorts<K>())
          if (other.name != "std::sort" && !other.parallel)
            time(other.name, [&](auto begin, auto end) { other.sort(copied.data() + begin, end - begin, 1); });
      } else if constexpr (sizeof(K) == sizeof(value) && std::is_unsigned_v<K>) {
        for (auto const& other : pair_sorts<K, value>()) {
          std::vector<value> moved = values;
          time(other.name,
               [&](auto begin, auto end) { other.sort(copied.data() + begin, moved.data() + begin, end - begin); });
        }
      }
    }
    if (k == 0) continue;
    ours.push_back(a);
    theirs.push_back(b);
  }
  for (std::size_t i = 0; i < n; ++i)
    if (sorted[i] != rival::key(rival_sorted[i])) throw error("different results: " + layout.name);
  double const a = median(ours);
  double b = median(theirs);
  std::string best = is_long ? "tbb::parallel_sort" : "std::sort";
  nlohmann::ordered_json rivals{{best, b}};
  for (auto const& [name, times] : others) {
    rivals[name] = median(times);
    if (median(times) < b) b = median(times), best = name;
  }
  std::string_view const verb_name = sort == verb::segmented_sort ? "segmented_sort" : "array_sort";
  std::string const types = pairs ? fmt::format("{}/u{}", type_name<K>, 8 * sizeof(value)) : std::string(type_name<K>);
  fmt::print("{:<15} {:<8} {:>12} {:>11} {:>9.2f} {:>18} {:>9.2f} {:>7.2f}\n", verb_name, types, layout.name, n,
             a * 1e9 / double(n), best, b * 1e9 / double(n), b / a);
  std::fflush(stdout);
  report.push_back({{"verb", verb_name},
                    {"types", types},
                    {"length", layout.name},
                    {"items", n},
                    {"segments", segments.size()},
                    {"seconds", a},
                    {"rival", best},
                    {"rival_seconds", b},
                    {"times", b / a},
                    {"rivals", rivals}});
}

int run(int argc, char const* const* argv) {
  settings options;
  std::string json;
  std::vector<std::string> only;
  cli::command_table table{.name = "host_segments",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "Segmented and array sorts on the CPU, beside std::sort of each segment."};
  table.options = {cli::value_row("items", "N", "measure N items in all segments of a row", options.items),
                   cli::value_row("runs", "N", "take the median of N runs", options.runs),
                   cli::value_row("threads", "N", "use N threads; 0 means all", options.threads),
                   cli::value_row("only", "NAME[,NAME...]",
                                  "measure only these of segmented_sort, array_sort, u32, u32/u32, f32, u64, u64/u64", only),
                   cli::value_row("json", "FILE", "write the figures to FILE", json),
                   cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;

  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  auto const wanted = [&](std::string_view verb_name, std::string_view types) {
    auto const named = [&](std::string_view x) { return std::find(only.begin(), only.end(), x) != only.end(); };
    bool const has_verb = named("segmented_sort") || named("array_sort");
    bool const has_type = only.size() > std::size_t(named("segmented_sort")) + std::size_t(named("array_sort"));
    return (!has_verb || named(verb_name)) && (!has_type || named(types));
  };
  fmt::print("{:<15} {:<8} {:>12} {:>11} {:>9} {:>18} {:>9} {:>7}\n", "verb", "types", "length", "items", "ns/item",
             "best rival", "ns/item", "times");
  auto const all_lengths = [&]<class K, class V>(std::string_view types, std::type_identity<K>, std::type_identity<V>) {
    if (wanted("segmented_sort", types)) {
      for (std::size_t length : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1000, 2000, 4096})
        measure<K, V>(options, verb::segmented_sort, equal_lengths(length, options.items), rows);
      measure<K, V>(options, verb::segmented_sort, drawn_lengths(2, 32, options.items), rows);
      measure<K, V>(options, verb::segmented_sort, drawn_lengths(0, 1000, options.items), rows);
    }
    if (wanted("array_sort", types)) {
      for (std::size_t length : {2, 8, 32, 128, 1000, 4096, 5000, 20000, 70000, 300000, 1 << 23})
        measure<K, V>(options, verb::array_sort, equal_lengths(length, options.items), rows);
    }
  };
  all_lengths("u32", std::type_identity<std::uint32_t>{}, std::type_identity<void>{});
  all_lengths("u32/u32", std::type_identity<std::uint32_t>{}, std::type_identity<std::uint32_t>{});
  all_lengths("f32", std::type_identity<float>{}, std::type_identity<void>{});
  all_lengths("u64", std::type_identity<std::uint64_t>{}, std::type_identity<void>{});
  all_lengths("u64/u64", std::type_identity<std::uint64_t>{}, std::type_identity<std::uint64_t>{});

  write_report(json, options.threads, options.runs, rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("host_segments", [&] { return run(argc, argv); });
}
