#include "sort_core/host/small.hpp"

// Each takes hundreds of comparisons without a loop, and is the same in all sorts: compiled once.
namespace ordo::inline v0::host_detail {

template <std::size_t N, class C>
void count_smaller(C const* code, std::uint32_t* rank) {
  count_before<N>(code, rank, smaller{});
}

#define ORDO_COUNT_SMALLER(N)                                           \
  template void count_smaller<N>(std::uint8_t const*, std::uint32_t*);  \
  template void count_smaller<N>(std::uint16_t const*, std::uint32_t*); \
  template void count_smaller<N>(std::uint32_t const*, std::uint32_t*); \
  template void count_smaller<N>(std::uint64_t const*, std::uint32_t*); \
  template void count_smaller<N>(wide_key const*, std::uint32_t*)
ORDO_COUNT_SMALLER(12);
ORDO_COUNT_SMALLER(16);
ORDO_COUNT_SMALLER(20);
ORDO_COUNT_SMALLER(24);
ORDO_COUNT_SMALLER(small_limit);

}  // namespace ordo::inline v0::host_detail
