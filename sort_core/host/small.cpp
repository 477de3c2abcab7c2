#include "sort_core/host/small.hpp"

// Each takes hundreds of comparisons without a loop, and is the same in all sorts: compiled once.
namespace ordo::inline v0::host_detail {
namespace {

/// Does the work of rank_numbers for at most N numbers.
template <std::size_t N, class C>
[[gnu::noinline]] void rank_up_to(C* code, std::uint32_t* rank, std::size_t n) {
  // Those after n equal the first. How often they come before another is known, and is subtracted.
  C const first = code[0];
  for (std::size_t i = n; i < N; ++i) code[i] = first;
  count_before<N>(code, rank, smaller{});
  std::uint32_t const more = std::uint32_t(N - n);
  for (std::size_t i = 0; i < n; ++i) rank[i] -= more * (first < code[i]);
}

}  // namespace

template <class C>
void rank_numbers(C* code, std::uint32_t* rank, std::size_t n) {
  constexpr bool is_wide = sizeof(C) > sizeof(std::uint64_t);  // takes the most code, and is rare
  if constexpr (!is_wide)
    if (n <= 12) return rank_up_to<12>(code, rank, n);
  if (n <= 16) return rank_up_to<16>(code, rank, n);
  if constexpr (!is_wide)
    if (n <= 24) return rank_up_to<24>(code, rank, n);
  rank_up_to<small_limit>(code, rank, n);
}
template void rank_numbers<std::uint8_t>(std::uint8_t*, std::uint32_t*, std::size_t);
template void rank_numbers<std::uint16_t>(std::uint16_t*, std::uint32_t*, std::size_t);
template void rank_numbers<std::uint32_t>(std::uint32_t*, std::uint32_t*, std::size_t);
template void rank_numbers<std::uint64_t>(std::uint64_t*, std::uint32_t*, std::size_t);
template void rank_numbers<wide_key>(wide_key*, std::uint32_t*, std::size_t);

}  // namespace ordo::inline v0::host_detail
