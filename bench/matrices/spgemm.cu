// Measures squares of sparse matrices by expansion, segmented sort and compression (ordo/sparse.hpp) beside cuSPARSE's
// SpGEMM, in one process on one GPU, from memory of the GPU to memory of the GPU; allocation is timed.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cusparse.h>

#include "bench/gpu_bench.cuh"
#include "bench/matrices/esc.cuh"
#include "bench/matrices/matrices.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.cuh"
#include "ordo/sparse.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

using spgemm::sparse_matrix;

void check(cusparseStatus_t status, char const* call) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw device_error(std::string(call) + ": " + cusparseGetErrorString(status));
}
#define ORDO_CUSPARSE(call) check(call, #call)

/// Returns a word of an entry of a result. The sum over the entries does not depend on the order in a row.
template <class Offset, class T>
struct entry_word {
  Offset const* offsets;
  std::uint32_t const* column;
  T const* value;
  std::size_t rows;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    std::size_t low = 0, high = rows;  // find the last row that begins at i or before and is not empty
    while (high - low > 1) {
      std::size_t const middle = low + (high - low) / 2;
      if (std::size_t(offsets[middle]) > i)
        high = middle;
      else
        low = middle;
    }
    return mixed(mixed(std::uint64_t(low) << 32 | column[i]) + std::uint64_t(std::int64_t(value[i])));
  }
};

template <class Offset, class T>
std::uint64_t word_of_rows(cuda_backend& machine, Offset const* offsets, std::uint32_t const* column, T const* value,
                           std::size_t rows, std::size_t entries) {
  return machine.reduce(entries, entry_word<Offset, T>{offsets, column, value, rows}, std::uint64_t{0}, sum{});
}

/// The matrix in memory of the GPU, with row offsets of 64 bits for us and of 32 bits for cuSPARSE, which multiplies no others.
template <class T>
struct square {
  sparse_matrix<T> const& host;
  buffer<std::uint64_t const> offsets;
  std::vector<std::int32_t> narrow;
  buffer<std::int32_t const> narrow_offsets;
  buffer<std::uint32_t const> column;
  buffer<T const> value;

  square(cuda_backend& machine, sparse_matrix<T> const& of)
      : host(of),
        offsets(machine.upload(std::span<std::uint64_t const>(of.offsets))),
        narrow(of.offsets.begin(), of.offsets.end()),
        narrow_offsets(machine.upload(std::span<std::int32_t const>(narrow))),
        column(machine.upload(std::span<std::uint32_t const>(of.column))),
        value(machine.upload(std::span<T const>(of.value))) {}
  [[nodiscard]] csr_view<T> view() const { return {host.rows, host.columns, offsets.span(), column.span(), value.span()}; }
};

/// Calls f with a new machine. If it throws, records the reason instead of a time.
template <class F>
square_row::contender race(std::string name, unsigned runs, F f) {
  square_row::contender entry{std::move(name), 0, 0, 0, true, ""};
  try {
    gpu machine;
    f(machine, entry, runs);
    entry.bytes = machine.peak_memory();
  } catch (error const& e) {
    entry.why = e.what();
    entry.runs = 0;
    static_cast<void>(cudaGetLastError());
  }
  return entry;
}

template <class T>
square_row::contender race_ordo(square<T> const& of, unsigned runs, std::optional<std::uint64_t>& word, std::size_t& entries) {
  return race("Ordo", runs, [&](gpu& machine, square_row::contender& contender, unsigned times) {
    csr_matrix<T> made;
    timing const time = median_time(
        machine.stream(), times, [&] { made = {}; }, [&] { made = multiply(machine, of.view(), of.view()); });
    contender.ms = time.ms;
    contender.runs = time.runs;
    entries = made.num_entries();
    word = word_of_rows(machine.backend(), made.offsets.data(), made.column_indices.data(), made.values.data(), made.rows,
                        entries);
  });
}

/// The result of one product by cuSPARSE.
template <class T>
struct cusparse_product {
  buffer<std::int32_t> offsets;
  buffer<std::uint32_t> column;
  buffer<T> value;
};

template <class T>
class cusparse_race {
 public:
  explicit cusparse_race(cudaStream_t stream) {
    ORDO_CUSPARSE(cusparseCreate(&handle_));
    ORDO_CUSPARSE(cusparseSetStream(handle_, stream));
  }
  ~cusparse_race() { cusparseDestroy(handle_); }
  cusparse_race(cusparse_race const&) = delete;
  cusparse_race& operator=(cusparse_race const&) = delete;

  cusparse_product<T> multiply(cuda_backend& machine, square<T> const& of, cusparseSpGEMMAlg_t algorithm) {
    std::int64_t const n = std::int64_t(of.host.rows), entries = std::int64_t(of.host.entries());
    cusparse_product<T> made{machine.buffer<std::int32_t>(std::size_t(n) + 1), {}, {}};
    matrix const a(n, entries, of.narrow_offsets.data(), of.column.data(), of.value.data()),
        c(n, 0, made.offsets.data(), nullptr, nullptr);
    description const work;
    T const unit = 1, none = 0;
    auto const op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t first = 0, second = 0;
    ORDO_CUSPARSE(cusparseSpGEMM_workEstimation(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get,
                                                &first, nullptr));
    auto const estimate = machine.buffer<char>(std::max<std::size_t>(first, 1));
    ORDO_CUSPARSE(cusparseSpGEMM_workEstimation(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get,
                                                &first, estimate.data()));
    buffer<char> third;
    if (algorithm != CUSPARSE_SPGEMM_ALG1 && algorithm != CUSPARSE_SPGEMM_DEFAULT) {
      std::size_t bytes = 0;
      float const share = 0.2F;
      ORDO_CUSPARSE(cusparseSpGEMM_estimateMemory(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get,
                                                  share, &bytes, nullptr, nullptr));
      third = machine.buffer<char>(std::max<std::size_t>(bytes, 1));
      ORDO_CUSPARSE(cusparseSpGEMM_estimateMemory(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get,
                                                  share, &bytes, third.data(), &second));
    } else {
      ORDO_CUSPARSE(cusparseSpGEMM_compute(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get,
                                           &second, nullptr));
    }
    auto const compute = machine.buffer<char>(std::max<std::size_t>(second, 1));
    ORDO_CUSPARSE(cusparseSpGEMM_compute(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get, &second,
                                         compute.data()));
    std::int64_t rows = 0, columns = 0, size = 0;
    ORDO_CUSPARSE(cusparseSpMatGetSize(c.get, &rows, &columns, &size));
    made.column = machine.buffer<std::uint32_t>(std::size_t(size));
    made.value = machine.buffer<T>(std::size_t(size));
    ORDO_CUSPARSE(cusparseCsrSetPointers(c.get, made.offsets.data(), made.column.data(), made.value.data()));
    ORDO_CUSPARSE(cusparseSpGEMM_copy(handle_, op, op, &unit, a.get, a.get, &none, c.get, type, algorithm, work.get));
    return made;
  }

 private:
  static constexpr cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

  struct matrix {
    cusparseSpMatDescr_t get = nullptr;
    matrix(std::int64_t n, std::int64_t entries, void const* offsets, void const* column, void const* value) {
      ORDO_CUSPARSE(cusparseCreateCsr(&get, n, n, entries, const_cast<void*>(offsets), const_cast<void*>(column),
                                      const_cast<void*>(value), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, type));
    }
    ~matrix() { cusparseDestroySpMat(get); }
    matrix(matrix const&) = delete;
    matrix& operator=(matrix const&) = delete;
  };
  struct description {
    cusparseSpGEMMDescr_t get = nullptr;
    description() { ORDO_CUSPARSE(cusparseSpGEMM_createDescr(&get)); }
    ~description() { cusparseSpGEMM_destroyDescr(get); }
    description(description const&) = delete;
    description& operator=(description const&) = delete;
  };

  cusparseHandle_t handle_ = nullptr;
};

/// @param word  the word of our result, if there is one
template <class T>
square_row::contender race_cusparse(std::string name, cusparseSpGEMMAlg_t algorithm, square<T> const& of, unsigned runs,
                                    std::optional<std::uint64_t> word) {
  return race(std::move(name), runs, [&](gpu& machine, square_row::contender& contender, unsigned times) {
    cuda_backend& backend = machine.backend();
    cusparse_race<T> library(machine.stream());
    cusparse_product<T> made;
    timing const time = median_time(
        machine.stream(), times, [&] { made = {}; }, [&] { made = library.multiply(backend, of, algorithm); });
    contender.ms = time.ms;
    contender.runs = time.runs;
    contender.right = !word || *word == word_of_rows(backend, made.offsets.data(), made.column.data(), made.value.data(),
                                                     of.host.rows, made.column.size());
  });
}

/// Expansion, one sort of all products, and compression.
template <class T>
square_row::contender race_esc(square<T> const& of, unsigned runs, std::optional<std::uint64_t> word) {
  return race("ESC", runs, [&](gpu& machine, square_row::contender& contender, unsigned times) {
    cuda_backend& backend = machine.backend();
    esc_product<T> made;
    timing const time = median_time(
        machine.stream(), times, [&] { made = {}; }, [&] { made = multiply_by_esc<T>(backend, of.view(), of.view()); });
    contender.ms = time.ms;
    contender.runs = time.runs;
    contender.right = !word || *word == word_of_rows(backend, made.offsets.data(), made.column.data(), made.value.data(),
                                                     of.host.rows, made.column.size());
  });
}

template <class T>
void measure(matrix_kind const& kind, sparse_matrix<float> const& input, unsigned runs, square_report& out) {
  sparse_matrix<T> matrix;
  matrix.rows = input.rows;
  matrix.columns = input.columns;
  matrix.offsets = input.offsets;
  matrix.column = input.column;
  matrix.value.assign(input.value.begin(), input.value.end());
  gpu holder;  // holds the matrix, whose memory does not count
  square<T> const of(holder.backend(), matrix);
  holder.synchronize();

  square_row row{kind.name, sizeof(T) == 4 ? "f32" : "f64", matrix.rows, matrix.entries(), 0, 0, {}};
  for (std::uint32_t const column : matrix.column) row.products += matrix.offsets[column + 1] - matrix.offsets[column];
  std::optional<std::uint64_t> word;
  row.contenders.push_back(race_ordo(of, runs, word, row.result_entries));
  row.contenders.push_back(race_cusparse("cuSPARSE", CUSPARSE_SPGEMM_DEFAULT, of, runs, word));
  row.contenders.push_back(race_cusparse("cuSPARSE 3", CUSPARSE_SPGEMM_ALG3, of, runs, word));
  row.contenders.push_back(race_esc(of, runs, word));
  out.add(row);
}

int run(int argc, char const* const* argv) {
  std::string json;
  unsigned runs = 5;
  std::size_t shrink = 1;
  bool like_collection = false;
  std::vector<std::string> files;
  cli::command_table table{
      .name = "spgemm_bench",
      .summary = "measure",
      .usage = {"[OPTION]... [FILE]..."},
      .description = "Squares of sparse matrices on a GPU, beside cuSPARSE.",
      .operands = {cli::operand_row("FILE", "a square matrix in Matrix Market format, instead of generated ones", files)}};
  table.options = {cli::flag_row("collection", "also generate matrices of the sizes that Hou et al. square", like_collection),
                   cli::value_row("json", "FILE", "write the figures to FILE", json),
                   cli::value_row("runs", "N", "take the median of N runs, after 2 to warm up", cli::parse_to(runs, 1, 1000),
                                  cli::number_text(runs)),
                   cli::value_row("shrink", "N", "divide the numbers of rows by N, a power of 2",
                                  cli::parse_to(shrink, 1, 4096), cli::number_text(shrink)),
                   cli::help_row()};
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  square_report out(json, describe_machine());
  std::vector<matrix_kind> kinds = read_matrices(files);
  if (like_collection)
    for (matrix_kind& kind : collection_kinds()) kinds.push_back(std::move(kind));
  for (matrix_kind const& kind : kinds.empty() ? matrix_kinds(shrink) : kinds) {
    sparse_matrix<float> const matrix = kind.make();
    measure<float>(kind, matrix, runs, out);
    measure<double>(kind, matrix, runs, out);
  }
  return out.status();
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("spgemm_bench", [&] { return ordo::bench::run(argc, argv); });
}
