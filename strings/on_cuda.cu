#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "strings/distributed/share_on.hpp"
#include "strings/sort/prefix_sort.hpp"
#include "strings/sort/sort_texts.hpp"

namespace ordo::inline v0::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, sort_options const& options, unsigned gpu_index) {
  // The memory was checked when the machine was chosen.
  return with_machine<gpu>(options.machine, gpu_index, [&](cuda_backend& backend) {
    return sort_on<Offset>(backend, text, options, ~std::size_t{0}, no_host_key_types{});
  });
}

template <class Offset>
bool sort_texts_on_cuda(text_job& job, unsigned gpu_index) {
  return with_machine<gpu>(job.options.machine, gpu_index,
                           [&](cuda_backend& backend) { return sort_texts_on<Offset>(backend, job); });
}

template <class Offset>
std::size_t memory_on_cuda(std::size_t bytes, std::size_t lines, order const& by, char delimiter) {
  return order_memory<Offset, cuda_backend>(bytes, lines, by, delimiter, true);
}

void sort_share_on_cuda(share_task& task) {
  with_machine<gpu>(task.options.machine, 0, [&](cuda_backend& backend) { sort_share_on(backend, task); });
}

template line_sort<std::uint32_t> sort_on_cuda(std::string_view, sort_options const&, unsigned);
template line_sort<std::uint64_t> sort_on_cuda(std::string_view, sort_options const&, unsigned);
template bool sort_texts_on_cuda<std::uint32_t>(text_job&, unsigned);
template bool sort_texts_on_cuda<std::uint64_t>(text_job&, unsigned);
template std::size_t memory_on_cuda<std::uint32_t>(std::size_t, std::size_t, order const&, char);
template std::size_t memory_on_cuda<std::uint64_t>(std::size_t, std::size_t, order const&, char);

}  // namespace ordo::inline v0::strings::detail
