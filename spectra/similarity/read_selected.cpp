#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/spectra/similarity.hpp"
#include "spectra/external/spill.hpp"
#include "spectra/pipeline/read_inputs.hpp"

namespace ordo::inline v0::spectra {
namespace {

// Takes spectra into memory, up to a limit.
class column_receiver final : public detail::chunk_receiver {
 public:
  explicit column_receiver(std::size_t memory) : memory_(memory) {}
  spectrum_columns all;

 private:
  void take(detail::chunk const& chunk) override {
    // The columns, the peaks of spectra by precursor, and room in which columns grow.
    constexpr std::size_t bytes_of_peak = 3 * 2 * sizeof(double);
    all.add(chunk.columns);
    std::size_t const bytes = all.mz.size() * bytes_of_peak;
    if (bytes > memory_)
      throw out_of_memory(fmt::format("not enough memory: similar spectra: {} peaks take {} bytes, of {}; keep fewer peaks, or "
                                      "allow more memory",
                                      all.mz.size(), bytes, memory_),
                          bytes);
  }
  std::size_t memory_;
};

}  // namespace

spectrum_columns read_selected(spectrum_inputs const& inputs, sort_options const& options, order_options const& order,
                               std::vector<std::vector<std::uint64_t>>& numbers) {
  column_receiver columns(order.memory);
  numbers.assign(inputs.count, {});
  detail::read_inputs(
      inputs, options, {.goal = detail::purpose::read, .receiver = &columns, .lists = true, .filters = true},
      [](sort_options&) {}, [&](std::size_t k, std::uint64_t, detail::pipeline& work) { numbers[k] = work.release_chosen(); });
  return std::move(columns.all);
}

}  // namespace ordo::inline v0::spectra
