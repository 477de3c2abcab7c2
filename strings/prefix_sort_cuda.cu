#include "sort_core/cuda/cuda.cuh"
#include "strings/prefix_sort.hpp"

namespace ordo::strings::detail {

template <class Offset>
line_sort<Offset> sort_on_cuda(std::string_view text, options const& how) {
  cuda machine;
  return sort_on<Offset>(machine, text, how, [](std::size_t) {});
}

template line_sort<std::uint32_t> sort_on_cuda(std::string_view, options const&);
template line_sort<std::uint64_t> sort_on_cuda(std::string_view, options const&);

}  // namespace ordo::strings::detail
