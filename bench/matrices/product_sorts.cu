// Measures the sort of the keys that a product of a sparse matrix and its transpose makes (figure 5 of Polok, Ila and Smrz,
// HPC'14), with and without the range of the keys, and the phases of that product (figure 1), beside CUB, in one process.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "bench/keys/whole_bench.cuh"
#include "bench/matrices/esc.cuh"
#include "bench/matrices/matrices.hpp"
#include "bench/row_file.hpp"
#include "ordo/gpu.cuh"
#include "ordo/sparse.hpp"
#include "sort_core/algorithms/backend_sorts.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

using spgemm::sparse_matrix;

struct by_code {
  template <class K>
  ORDO_FN bool operator()(K a, K b) const {
    return a < b;
  }
};

/// A matrix in memory of the GPU.
struct uploaded {
  sparse_matrix<float> const& host;
  buffer<std::uint64_t const> offsets;
  buffer<std::uint32_t const> column;
  buffer<float const> value;
  uploaded(cuda_backend& machine, sparse_matrix<float> const& of)
      : host(of),
        offsets(machine.upload(std::span<std::uint64_t const>(of.offsets))),
        column(machine.upload(std::span<std::uint32_t const>(of.column))),
        value(machine.upload(std::span<float const>(of.value))) {}
  [[nodiscard]] csr_view<float> view() const { return {host.rows, host.columns, offsets.span(), column.span(), value.span()}; }
};

/// Sorts pairs of a key and a position, the numbers of the products.
template <class Key>
struct sorts {
  using data = columns<Key, std::uint32_t>;
  session& s;
  data const& in;
  data const& out;
  std::string& wrong;

  double ordo(bit_range bits) const {
    cuda_backend machine;
    timing const time = median_time(
        machine.stream(), s.options.runs, [&] { in.copy_to(out, machine.stream()); },
        [&] { sort_pairs(machine, out.keys.span(), out.values.span(), bits); });
    check("Ordo", out.keys.data(), out.values.data());
    return rounded_ms(time.ms);
  }
  double by_cub(bit_range bits) const {
    std::size_t const n = in.keys.size();
    data const spare(s.lab, n);
    cub::DoubleBuffer<Key> keys(out.keys.data(), spare.keys.data());
    cub::DoubleBuffer<std::uint32_t> values(out.values.data(), spare.values.data());
    auto const restore = [&] {
      keys.selector = values.selector = 0;
      in.copy_to(out, s.lab.stream());
    };
    auto const call = [&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, std::uint32_t(n), int(bits.begin), int(bits.end),
                                             s.lab.stream());
    };
    timing const time =
        with_cub(s, call, [&](auto sort) { return median_time(s.lab.stream(), s.options.runs, restore, sort); });
    check("CUB", keys.Current(), values.Current());
    return rounded_ms(time.ms);
  }

 private:
  void check(char const* who, Key const* keys, std::uint32_t const* values) const {
    if (!is_right(s.lab, in, keys, values, by_code{})) wrong += std::string(who) + " ";
  }
};

template <class Key>
json_row measure_sorts(session& s, json_row row, csr_view<float> a, csr_view<float> b) {
  cudaStream_t const stream = s.lab.stream();
  unsigned const runs = s.options.runs;
  std::string wrong;
  auto const time = [&](auto work) {
    return rounded_ms(median_time(
                          stream, runs, [] {}, work)
                          .ms);
  };
  row["expand_ms"] = time([&] { expanded<Key, float> const of(s.lab, a, b); });
  expanded<Key, float> of(s.lab, a, b);
  row["products"] = of.products;
  row["bits"] = of.bits;
  {
    auto const in = make_columns<Key, std::uint32_t>(s.lab, of.products, load<Key>{of.key.data()});
    columns<Key, std::uint32_t> const out(s.lab, of.products);
    sorts<Key> const on{s, in, out, wrong};
    bit_range const all{0, 8 * sizeof(Key)}, known{0, of.bits};
    row["all_bits_ms"] = {{"Ordo", on.ordo(all)}, {"CUB", on.by_cub(all)}};
    row["range_ms"] = {{"Ordo", on.ordo(known)}, {"CUB", on.by_cub(known)}};
  }
  sort_pairs(s.lab, of.key.span(), of.value.span(), bit_range{0, of.bits});
  row["compress_ms"] =
      time([&] { static_cast<void>(compressed(s.lab, of.key.data(), of.value.data(), of.products, a.rows, b.columns)); });
  row["wrong"] = wrong;
  return row;
}

void measure(session& s, row_file& out, matrix_kind const& kind) {
  sparse_matrix<float> const host = kind.make(), turned = spgemm::transposed(host);
  gpu machine;
  json_row row{{"name", kind.name}, {"rows", host.rows}, {"entries", host.entries()}};
  uploaded const a(s.lab, host), b(s.lab, turned);
  wait_for(s.lab);
  csr_matrix<float> product;
  timing const whole = median_time(
      machine.stream(), s.options.runs, [&] { product = {}; }, [&] { product = multiply(machine, a.view(), b.view()); });
  product = {};
  row["Ordo_product_ms"] = rounded_ms(whole.ms);
  bool const narrow = host.rows <= 1u << 16;
  out.add(narrow ? measure_sorts<std::uint32_t>(s, std::move(row), a.view(), b.view())
                 : measure_sorts<std::uint64_t>(s, std::move(row), a.view(), b.view()));
}

int run(int argc, char const* const* argv) {
  std::string json;
  bench_options options;
  std::vector<std::string> files;
  cli::command_table table{
      .name = "product_sorts",
      .summary = "measure",
      .usage = {"[OPTION]... [FILE]..."},
      .description = "The sorts of a product of a sparse matrix and its transpose on a GPU, beside CUB.",
      .operands = {cli::operand_row("FILE", "a square matrix in Matrix Market format, instead of generated ones", files)}};
  table.options = {
      cli::value_row("runs", "N", "take the median of N runs, after 2 to warm up", cli::parse_to(options.runs, 1, 1000), "5"),
      cli::value_row("json", "FILE", "write the figures to FILE", json), cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  report unused(program::radix_sort, options, {}, {});
  session s{cuda_backend(), options, unused};
  row_file out("product_sorts", json, describe_machine());
  for (matrix_kind const& kind : files.empty() ? series_kinds() : read_matrices(files))
    if_it_fits(s, kind.name, [&] { measure(s, out, kind); });
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("product_sorts", [&] { return ordo::bench::run(argc, argv); });
}
