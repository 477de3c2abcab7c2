#include "bench/matrices/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/row_lines.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/examples/spgemm/matrix_market.hpp"

namespace ordo::inline v0::bench {
namespace {

using matrix = spgemm::sparse_matrix<float>;

float small_value(std::uint64_t entry) {
  return float(1 + entry % 3);
}

/// Returns a square matrix whose row r has the columns that columns(r, add) adds.
template <class Columns>
matrix square_matrix(std::size_t rows, Columns columns) {
  matrix m;
  m.rows = m.columns = rows;
  m.offsets.reserve(rows + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    columns(r, [&](std::size_t column) {
      m.column.push_back(std::uint32_t(column));
      m.value.push_back(small_value(m.entries()));
    });
    m.offsets.push_back(m.entries());
  }
  return m;
}

matrix banded(std::size_t rows, std::size_t half) {
  return square_matrix(rows, [=](std::size_t r, auto add) {
    for (std::size_t c = r < half ? 0 : r - half; c < std::min(rows, r + half + 1); ++c) add(c);
  });
}

/// Returns the five-point or seven-point stencil of a grid of side^2 or side^3.
matrix poisson(std::size_t side, unsigned dimensions) {
  std::size_t rows = 1;
  for (unsigned d = 0; d < dimensions; ++d) rows *= side;
  return square_matrix(rows, [=](std::size_t r, auto add) {
    std::size_t step = rows / side;
    for (unsigned d = dimensions; d-- > 0; step /= side)
      if (r / step % side != 0) add(r - step);
    add(r);
    step = 1;
    for (unsigned d = 0; d < dimensions; ++d, step *= side)
      if (r / step % side + 1 != side) add(r + step);
  });
}

matrix uniform(std::size_t rows, unsigned in_row) {
  std::mt19937_64 random(7);
  return square_matrix(rows, [=](std::size_t, auto add) mutable {
    for (unsigned k = 0; k < in_row; ++k) add(random() % rows);
  });
}

/// Returns a graph of 2^scale nodes by recursive choice of a quadrant (Chakrabarti, Zhan and Faloutsos, SDM'04), with the
/// probabilities of Graph500. Degrees follow a power law. Repeated edges are removed.
matrix recursive(unsigned scale, std::size_t edges_of_node) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> chance;
  std::vector<std::uint64_t> edges(edges_of_node << scale);
  for (std::uint64_t& edge : edges) {
    std::uint64_t row = 0, column = 0;
    for (unsigned bit = 0; bit < scale; ++bit) {
      double const x = chance(random);
      row = 2 * row + (x >= 0.76);
      column = 2 * column + ((x >= 0.57 && x < 0.76) || x >= 0.95);
    }
    edge = row << 32 | column;
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::size_t next = 0;
  return square_matrix(std::size_t{1} << scale, [&](std::size_t r, auto add) {
    for (; next < edges.size() && edges[next] >> 32 == r; ++next) add(edges[next] & 0xffffffff);
  });
}

/// The mean of lengths l from 1 to `longest` with probabilities proportional to l^-exponent.
double power_law_mean(double exponent, std::size_t longest) {
  double total = 0, sum = 0;
  for (std::size_t l = 1; l <= longest; ++l) {
    double const p = std::pow(double(l), -exponent);
    total += p;
    sum += p * double(l);
  }
  return sum / total;
}

/// Returns a matrix with about the given number of entries. The length of a row and the number of entries of a column follow a
/// power law up to `longest`, with the exponent that gives the mean. Repeated columns of a row are removed.
/// @param alike  column k has about as many entries as row k, as in a symmetric matrix; otherwise they are independent
matrix power_law(std::size_t rows, std::size_t entries, std::size_t longest, bool alike) {
  double const mean = double(entries) / double(rows);
  double low = 0, high = 8;  // bounds of the exponent
  for (int step = 0; step < 60; ++step) (power_law_mean((low + high) / 2, longest) > mean ? low : high) = (low + high) / 2;
  std::vector<double> cumulative;
  for (std::size_t l = 1; l <= longest; ++l)
    cumulative.push_back((cumulative.empty() ? 0 : cumulative.back()) + std::pow(double(l), -low));
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> chance(0, cumulative.back());
  auto const length = [&] {
    auto const at = std::upper_bound(cumulative.begin(), cumulative.end() - 1, chance(random));
    return std::size_t(at - cumulative.begin()) + 1;
  };
  std::vector<std::uint32_t> lengths(rows), slots, of_row;  // slots: each column as often as its number of entries
  for (std::uint32_t& x : lengths) x = std::uint32_t(length());
  for (std::size_t column = 0; column < rows; ++column)
    slots.insert(slots.end(), alike ? lengths[column] : length(), std::uint32_t(column));
  return square_matrix(rows, [&](std::size_t r, auto add) {
    of_row.clear();
    for (std::size_t k = std::min<std::size_t>(lengths[r], rows); k > 0; --k) of_row.push_back(slots[random() % slots.size()]);
    std::sort(of_row.begin(), of_row.end());
    of_row.erase(std::unique(of_row.begin(), of_row.end()), of_row.end());
    for (std::uint32_t const column : of_row) add(column);
  });
}

nlohmann::ordered_json to_json(square_row const& row) {
  nlohmann::ordered_json x{{"name", row.name},       {"type", row.type},         {"rows", row.rows},
                           {"entries", row.entries}, {"products", row.products}, {"result_entries", row.result_entries}};
  for (auto const& contender : row.contenders)
    x["contenders"][contender.name] = {{"ms", std::round(contender.ms * 1e4) / 1e4},
                                       {"runs", contender.runs},
                                       {"bytes", contender.bytes},
                                       {"right", contender.right},
                                       {"why", contender.why}};
  return x;
}

}  // namespace

std::vector<matrix_kind> matrix_kinds(std::size_t shrink) {
  auto const side = [=](double max_side, double dimensions) {
    return std::size_t(max_side / std::pow(double(shrink), 1 / dimensions));
  };
  unsigned const scales = unsigned(std::log2(double(shrink)));
  return {{"banded 15", [=] { return banded(4'000'000 / shrink, 7); }},
          {"banded 63", [=] { return banded(500'000 / shrink, 31); }},
          {"Poisson 2D", [=] { return poisson(side(3000, 2), 2); }},
          {"Poisson 3D", [=] { return poisson(side(200, 3), 3); }},
          {"uniform 8", [=] { return uniform(4'000'000 / shrink, 8); }},
          {"uniform 32", [=] { return uniform(400'000 / shrink, 32); }},
          {"R-MAT 18, 8", [=] { return recursive(18 - scales, 8); }},
          {"R-MAT 20, 8", [=] { return recursive(20 - scales, 8); }}};
}

std::vector<matrix_kind> collection_kinds() {
  return {{"like cit-Patents", [] { return power_law(3'774'768, 16'518'948, 770, false); }},
          {"like email-Enron", [] { return power_law(36'692, 367'662, 1'383, true); }},
          {"like rajat22", [] { return power_law(39'899, 195'429, 400, true); }},
          {"like webbase-1M", [] { return power_law(1'000'005, 3'105'536, 4'700, false); }},
          {"like web-Google", [] { return power_law(916'428, 5'105'039, 456, false); }},
          {"like web-NotreDame", [] { return power_law(325'729, 1'497'134, 3'445, false); }}};
}

std::vector<matrix_kind> series_kinds() {
  std::vector<matrix_kind> kinds;
  for (unsigned scale = 11; scale <= 16; ++scale) {
    std::size_t const rows = std::size_t{1} << scale;
    auto const side = [&](double dimensions) { return std::size_t(std::pow(double(rows), 1 / dimensions) + 0.001); };
    std::string const size = " 2^" + std::to_string(scale);
    kinds.push_back({"banded 5" + size, [=] { return banded(rows, 2); }});
    kinds.push_back({"banded 31" + size, [=] { return banded(rows, 15); }});
    kinds.push_back({"Poisson 2D" + size, [=, n = side(2)] { return poisson(n, 2); }});
    kinds.push_back({"Poisson 3D" + size, [=, n = side(3)] { return poisson(n, 3); }});
    kinds.push_back({"uniform 16" + size, [=] { return uniform(rows, 16); }});
    std::size_t const longest = std::max<std::size_t>(rows / 64, 64);
    kinds.push_back({"power law 8" + size, [=] { return power_law(rows, 8 * rows, longest, false); }});
    kinds.push_back({"R-MAT 8" + size, [=] { return recursive(scale, 8); }});
  }
  return kinds;
}

std::vector<matrix_kind> read_matrices(std::vector<std::string> const& files) {
  std::vector<matrix_kind> kinds;
  for (std::string const& file : files)
    kinds.push_back({std::filesystem::path(file).stem().string(), [file] {
                       auto const text = cli::read_all(file);
                       matrix m = spgemm::read_matrix_market<float>({text.data(), text.size()}, file);
                       if (m.rows != m.columns)
                         throw usage_error(fmt::format("not square: {}: {} by {}", file, m.rows, m.columns));
                       for (std::size_t i = 0; i < m.value.size(); ++i) m.value[i] = small_value(i);
                       return m;
                     }});
  return kinds;
}

square_report::square_report(std::string json, std::vector<std::pair<std::string, std::string>> machine)
    : json_(std::move(json)), machine_(std::move(machine)) {
  for (auto const& [name, value] : machine_) fmt::print("{}: {}\n", name, value);
  fmt::print("\n{:<16} {:>6} {:>10} {:>11} {:>12} {:>11}  {}\n", "matrix", "type", "rows", "entries", "products", "result",
             "milliseconds (MB of GPU memory), fastest first");
}

void square_report::add(square_row const& row) {
  fmt::print("{:<16} {:>6} {:>10} {:>11} {:>12} {:>11} ", row.name, row.type, row.rows, row.entries, row.products,
             row.result_entries);
  auto sorted = row.contenders;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto const& a, auto const& b) { return (a.runs != 0 ? a.ms : 1e300) < (b.runs != 0 ? b.ms : 1e300); });
  for (auto const& timed : sorted) {
    if (timed.runs == 0)
      fmt::print(" {}: {}", timed.name, timed.why);
    else
      fmt::print(" {} {:.3f} ({:.0f}){}", timed.name, timed.ms, double(timed.bytes) / 1e6, timed.right ? "" : " WRONG");
    failed_ = failed_ || !timed.right;
  }
  fmt::print("\n");
  std::fflush(stdout);
  rows_.push_back(row);
  save();
}

void square_report::save() const {
  if (json_.empty()) return;
  nlohmann::ordered_json all{{"benchmark", "spgemm"}, {"ordo", version}};
  for (auto const& [name, value] : machine_) all["machine"][name] = value;
  all["rows"] = nlohmann::json::array();
  for (square_row const& row : rows_) all["rows"].push_back(to_json(row));
  std::ofstream file(json_);
  file << row_lines(all) << std::flush;
  if (!file) throw output_error(fmt::format("cannot write: {}", json_));
}

}  // namespace ordo::inline v0::bench
