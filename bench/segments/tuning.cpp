#include "bench/row_lines.hpp"
#include "bench/segments/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordo/error.hpp"

namespace ordo::inline v0::bench {
namespace {

using cuda_detail::tuning::method;

std::string shape_name(shape const& s) {
  return fmt::format("{} {}x{} {}", s.by == method::network ? "network" : "buckets", s.threads, s.items, s.resident);
}

bool same(shape const& a, shape const& b) {
  return a.by == b.by && a.threads == b.threads && a.items == b.items && a.resident == b.resident;
}

/// Returns the minimum time at each measured length.
std::map<std::size_t, double> min_times(width_times const& width) {
  std::map<std::size_t, double> fastest_times;
  for (shape_times const& s : width.measured)
    for (auto const& [length, time] : s.at) {
      auto const [at, is_new] = fastest_times.try_emplace(length, time);
      if (!is_new) at->second = std::min(at->second, time);
    }
  return fastest_times;
}

/// Returns the share of each length in the logarithmic scale: from the previous length to it.
std::map<std::size_t, double> weights(std::map<std::size_t, double> const& fastest_times) {
  std::map<std::size_t, double> share;
  double before = cuda_detail::tuning::tiny_capacity, total = 0;
  for (auto const& [length, time] : fastest_times) {
    total += share[length] = std::log(double(length) / before);
    before = double(length);
  }
  for (auto& [length, x] : share) x /= total;
  return share;
}

shape_times const* find(width_times const& width, shape const& s) {
  for (shape_times const& m : width.measured)
    if (same(m.kernel, s)) return &m;
  return nullptr;
}

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<shape> fastest_table(std::span<width_times const> widths, std::size_t classes) {
  // cost(shape, from) is that of the lengths in (from, capacity], infinite if one was not measured.
  std::vector<std::map<std::size_t, double>> fastest_times, share;
  for (width_times const& width : widths) {
    fastest_times.push_back(min_times(width));
    share.push_back(weights(fastest_times.back()));
  }
  auto const cost = [&](shape const& s, std::size_t from) {
    double sum = 0;
    for (std::size_t w = 0; w < widths.size(); ++w) {
      shape_times const* const times = find(widths[w], s);
      if (times == nullptr) return never;
      for (auto at = fastest_times[w].upper_bound(from); at != fastest_times[w].end() && at->first <= s.capacity(); ++at) {
        auto const time = times->at.find(at->first);
        if (time == times->at.end()) return never;
        sum += share[w][at->first] * time->second / at->second;
      }
    }
    return sum;
  };

  // best[k][c] is the best choice of k classes for the lengths up to capacities[c], where the last class ends.
  std::set<std::size_t> distinct{cuda_detail::tuning::tiny_capacity};
  for (shape_times const& s : widths.front().measured) distinct.insert(s.kernel.capacity());
  std::vector<std::size_t> const capacities(distinct.begin(), distinct.end());
  struct step {
    double cost = never;
    std::size_t from = 0;
    shape by{};
  };
  std::vector<std::vector<step>> best(classes + 1, std::vector<step>(capacities.size()));
  best[0][0].cost = 0;
  for (std::size_t to = 1; to < capacities.size(); ++to)
    for (std::size_t from = 0; from < to; ++from) {
      step cheapest;
      for (shape_times const& s : widths.front().measured) {
        if (s.kernel.capacity() != capacities[to]) continue;
        double const c = cost(s.kernel, capacities[from]);
        if (c < cheapest.cost) cheapest = {c, from, s.kernel};
      }
      for (std::size_t k = 0; k < classes; ++k) {
        double const sum = best[k][from].cost + cheapest.cost;
        if (sum < best[k + 1][to].cost) best[k + 1][to] = {sum, from, cheapest.by};
      }
    }
  if (capacities.size() < 2 || best[classes].back().cost == never)
    throw usage_error(fmt::format("no table of {} classes: the measured shapes leave a gap", classes));
  std::vector<shape> table;
  for (std::size_t k = classes, c = capacities.size() - 1; k > 0; c = best[k--][c].from) table.push_back(best[k][c].by);
  std::reverse(table.begin(), table.end());
  return table;
}

loss compute_loss(width_times const& width, std::span<shape const> table) {
  loss loss;
  auto const fastest_times = min_times(width);
  auto const share = weights(fastest_times);
  double measured = 0;
  for (auto const& [length, time] : fastest_times) {
    auto const by = std::find_if(table.begin(), table.end(), [&](shape const& s) { return length <= s.capacity(); });
    if (by == table.end()) break;
    shape_times const* const times = find(width, *by);
    if (times == nullptr || !times->at.contains(length)) continue;
    double const relative = times->at.at(length) / time;
    loss.mean += share.at(length) * relative;
    measured += share.at(length);
    if (relative > loss.worst) loss.worst = relative, loss.worst_length = length;
  }
  loss.mean = measured == 0 ? 0 : loss.mean / measured;
  return loss;
}

void print_fastest(width_times const& width) {
  fmt::print("\n{}: picoseconds an item; a copy takes {:.1f}\n{:>7} {:>8} {:<22} {:>8} {:<22} {:>6}\n", width.name, width.copy,
             "length", "fastest", "", "present", "", "times");
  for (auto const& [length, time] : min_times(width)) {
    auto const fastest = std::find_if(width.measured.begin(), width.measured.end(), [&](shape_times const& s) {
      auto const at = s.at.find(length);
      return at != s.at.end() && at->second == time;
    });
    auto const present =
        std::find_if(width.present.begin(), width.present.end(), [&](shape const& s) { return length <= s.capacity(); });
    shape_times const* const now = present == width.present.end() ? nullptr : find(width, *present);
    fmt::print("{:>7} {:>8.1f} {:<22}", length, time, shape_name(fastest->kernel));
    if (now != nullptr && now->at.contains(length))
      fmt::print(" {:>8.1f} {:<22} {:>6.2f}", now->at.at(length), shape_name(now->kernel), now->at.at(length) / time);
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void print_table(std::string const& name, std::span<shape const> table, std::span<width_times const> widths) {
  fmt::print("\n  constexpr segment_class {}[classes] = {{", name);
  for (std::size_t i = 0; i < table.size(); ++i)
    fmt::print("{}{{{}, {}, {}, {}}}",
               i == 0       ? ""
               : i % 4 == 0 ? ",\n      "
                            : ", ",
               table[i].by == method::network ? "network" : "buckets", table[i].threads, table[i].items, table[i].resident);
  fmt::print("}};\n");
  // large_chunk and small_chunk must be two of these.
  fmt::print("  // powers of two in buckets:");
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].by == method::buckets && (table[i].capacity() & (table[i].capacity() - 1)) == 0)
      fmt::print(" {} ({})", i, table[i].capacity());
  fmt::print("\n");
  for (width_times const& width : widths) {
    loss const now = compute_loss(width, width.present), then = compute_loss(width, table);
    fmt::print(
        "  // {}: {:.3f} times the fastest shape of each length, at worst {:.2f} ({}); the present table {:.3f}, {:.2f} ({})\n",
        width.name, then.mean, then.worst, then.worst_length, now.mean, now.worst, now.worst_length);
  }
  std::fflush(stdout);
}

void save(program benchmark, bench_options const& options, facts const& machine, std::span<width_times const> widths) {
  if (options.json.empty()) return;
  using json = nlohmann::ordered_json;
  json all{{"benchmark", program_name(benchmark)}};
  for (auto const& [name, value] : machine) all["machine"][name] = value;
  all["quick"] = options.quick;
  all["runs"] = options.runs;
  for (width_times const& width : widths) {
    json shapes = json::array();
    for (shape_times const& s : width.measured) {
      json at = json::object();
      for (auto const& [length, time] : s.at) at[std::to_string(length)] = std::round(time * 10) / 10;
      shapes.push_back({{"shape", shape_name(s.kernel)}, {"ps_per_item", at}});
    }
    all["widths"].push_back({{"name", width.name}, {"copy_ps_per_item", width.copy}, {"shapes", shapes}});
  }
  std::ofstream file(options.json);
  file << row_lines(all) << std::flush;
  if (!file) throw output_error(fmt::format("cannot write: {}", options.json));
}

}  // namespace ordo::inline v0::bench
