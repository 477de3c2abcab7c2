// Measures the sort of arrays of floats that are larger than the GPU's memory, from memory of the host through one GPU and
// back, beside the transfers alone: up, down and both at once. From file to file: tools/examples/arrays.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <nlohmann/json.hpp>

#include "bench/gpu_bench.cuh"
#include "bench/row_lines.hpp"
#include "ordo/array_stream.hpp"
#include "ordo/gpu.cuh"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::bench {
namespace {

constexpr std::size_t part_bytes = std::size_t{256} << 20;

/// An array in huge pages of the host, pinned on request.
class host_floats {
 public:
  host_floats(std::size_t n, bool pinned) : n_(n), pinned_(pinned) {
    void* const pages = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    madvise(pages, bytes(), MADV_HUGEPAGE);
    data_ = static_cast<float*>(pages);
  }
  ~host_floats() {
    if (is_pinned_) cudaHostUnregister(data_);
    munmap(data_, bytes());
  }
  host_floats(host_floats const&) = delete;
  host_floats& operator=(host_floats const&) = delete;

  /// Pins the pages, which must have been written.
  void pin() {
    if (!pinned_) return;
    ORDO_CUDA(cudaHostRegister(data_, bytes(), cudaHostRegisterDefault));
    is_pinned_ = true;
  }
  [[nodiscard]] std::span<float> all() const { return {data_, n_}; }
  [[nodiscard]] std::span<char> as_bytes() const { return {reinterpret_cast<char*>(data_), bytes()}; }

 private:
  [[nodiscard]] std::size_t bytes() const { return n_ * sizeof(float); }
  std::size_t n_;
  float* data_;
  bool pinned_, is_pinned_ = false;
};

/// Returns float i of the input, uniform in [0, 1).
float fresh(std::size_t i) {
  return float(mixed(i) >> 40) * 0x1p-24f;
}

void fill(std::span<float> to) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, to.size(), 1 << 20), [=](auto const& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) to[i] = fresh(i);
  });
}

/// Counts the arrays that are out of order, or whose floats are not those of `fresh`.
std::size_t wrong_arrays(std::span<float const> keys, std::size_t length) {
  auto const wrong = [=](std::size_t array) {
    std::uint64_t sum = 0;
    bool ordered = true;
    for (std::size_t i = array * length; i < (array + 1) * length; ++i) {
      sum += mixed(std::bit_cast<std::uint32_t>(keys[i])) - mixed(std::bit_cast<std::uint32_t>(fresh(i)));
      ordered &= i == array * length || keys[i - 1] <= keys[i];
    }
    return std::size_t(!ordered || sum != 0);
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, keys.size() / length), std::size_t{0},
      [&](auto const& range, std::size_t count) {
        for (std::size_t a = range.begin(); a != range.end(); ++a) count += wrong(a);
        return count;
      },
      std::plus<>());
}

/// Uploads all bytes, a part at a time.
void only_up(gpu& on, std::span<char const> from) {
  with_backend(on, [&](cuda_backend& machine) {
    auto const part = machine.buffer<char>(part_bytes);
    memory_source source({from.data(), from.size()});
    while (machine.load(source, part.span()) == part_bytes) {}
    ORDO_CUDA(cudaStreamSynchronize(machine.stream()));
  });
}

/// Downloads all bytes, a part at a time.
void only_down(gpu& on, std::span<char> to) {
  with_backend(on, [&](cuda_backend& machine) {
    auto const part = machine.buffer<char>(part_bytes);
    memory_sink sink(to);
    for (std::size_t at = 0; at < to.size(); at += part_bytes)
      machine.store(std::span<char const>(part.data(), std::min(part_bytes, to.size() - at)), sink, at);
  });
}

double time_seconds(auto work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct settings {
  std::size_t gigabytes = 8, length = 1000, runs = 3;
  bool pinned = false;
  std::string json;
  cli::common_options common;
};

nlohmann::ordered_json in_memory(settings const& options) {
  std::size_t const arrays = options.gigabytes * 1'000'000'000 / sizeof(float) / options.length;
  host_floats keys(arrays * options.length, options.pinned);
  fill(keys.all());
  keys.pin();
  gpu on, beside;
  double const bytes = double(keys.as_bytes().size());
  // The transfers overwrite some of the keys, which are restored before the sort.
  std::span<char> const some = keys.as_bytes().first(std::min<std::size_t>(keys.as_bytes().size(), 16 * part_bytes));
  std::vector<char> const saved(some.begin(), some.end());
  auto const rate = [&](double transferred, auto work) {
    work();
    std::vector<double> times;
    for (std::size_t k = 0; k < options.runs; ++k) times.push_back(time_seconds(work));
    return transferred / median(times) * 1e-9;
  };
  double const up = rate(double(some.size()), [&] { only_up(on, some); });
  double const down = rate(double(some.size()), [&] { only_down(on, some); });
  auto const half = some.size() / 2;
  double const both = rate(double(half), [&] {
    std::jthread other([&] { only_down(beside, some.subspan(half)); });
    only_up(on, some.first(half));
  });
  std::copy(saved.begin(), saved.end(), some.begin());
  double const seconds = time_seconds([&] { sort_host_arrays(on, keys.all(), options.length); });
  std::size_t const wrong = wrong_arrays(keys.all(), options.length);
  if (wrong != 0) throw error("wrong order: " + std::to_string(wrong) + " of " + std::to_string(arrays) + " arrays");
  double const sorted = bytes / seconds * 1e-9, share = sorted / std::min(up, down);
  char const* const memory = options.pinned ? "pinned" : "pageable";
  std::printf(
      "%zu arrays of %zu floats, %.1f GB, %s memory: %.3f s, %.1f GB/s each way; up alone %.1f, down alone %.1f, both at "
      "once %.1f each: %.2f of the slower\n",
      arrays, options.length, bytes * 1e-9, memory, seconds, sorted, up, down, both, share);
  return {{"name", std::to_string(arrays) + " x " + std::to_string(options.length) + " f32, " + memory},
          {"arrays", arrays},
          {"length", options.length},
          {"bytes", keys.as_bytes().size()},
          {"memory_limit", gpu_memory_limit().value_or(0)},
          {"seconds", seconds},
          {"up_gbs", up},
          {"down_gbs", down},
          {"both_gbs", both},
          {"rate_gbs", sorted},
          {"share", share}};
}

int run(int argc, char const* const* argv) {
  settings options;
  cli::command_table table{.name = "array_stream",
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = "Arrays of floats in host memory that are larger than the memory of a GPU."};
  table.options = {cli::value_row("length", "N", "sort arrays of N floats", options.length),
                   cli::value_row("gigabytes", "G", "make G gigabytes of floats", options.gigabytes),
                   cli::value_row("runs", "N", "take the median of N transfers", options.runs),
                   cli::flag_row("pinned", "use memory that the GPU accesses directly", options.pinned),
                   cli::value_row("json", "FILE", "write the figures to FILE", options.json)};
  cli::add_common_options(table, options.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  nlohmann::ordered_json const row = in_memory(options);
  if (options.json.empty()) return 0;
  nlohmann::ordered_json report{{"benchmark", "array_stream"}, {"ordo", version}};
  for (auto const& [name, value] : describe_machine()) report["machine"][name] = value;
  report["runs"] = options.runs;
  report["rows"] = nlohmann::json::array({row});
  cli::output out(options.json);
  out.write(std::string_view(row_lines(report)));
  out.commit();
  return 0;
}

}  // namespace
}  // namespace ordo::inline v0::bench

int main(int argc, char** argv) {
  return ordo::cli::run_main("array_stream", [&] { return ordo::bench::run(argc, argv); });
}
