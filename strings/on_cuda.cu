#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "strings/sort/order_lines.hpp"
#include "strings/sort_texts.hpp"

namespace ordo::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, options const& how, unsigned gpu_index) {
  // The plan was looked at when the machine was chosen.
  return work_on<gpu>(how.machine, gpu_index, [&](cuda_backend& machine) {
    return sort_on<Offset>(machine, text, how, ~std::size_t{0}, no_host_readings{});
  });
}

template <class Offset>
bool sort_texts_on_cuda(text_job& job, unsigned gpu_index) {
  return work_on<gpu>(job.how.machine, gpu_index, [&](cuda_backend& machine) { return sort_texts_on<Offset>(machine, job); });
}

template <class Offset>
std::size_t memory_on_cuda(std::size_t bytes, std::size_t lines, order const& by, char delimiter) {
  return order_memory<Offset, cuda_backend>(bytes, lines, by, delimiter, true);
}

template line_sort<std::uint32_t> sort_on_cuda(std::string_view, options const&, unsigned);
template line_sort<std::uint64_t> sort_on_cuda(std::string_view, options const&, unsigned);
template bool sort_texts_on_cuda<std::uint32_t>(text_job&, unsigned);
template bool sort_texts_on_cuda<std::uint64_t>(text_job&, unsigned);
template std::size_t memory_on_cuda<std::uint32_t>(std::size_t, std::size_t, order const&, char);
template std::size_t memory_on_cuda<std::uint64_t>(std::size_t, std::size_t, order const&, char);

}  // namespace ordo::strings::detail
