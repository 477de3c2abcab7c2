#include "sort_core/host/vectorized.hpp"

// A build without Highway: nothing is sorted by vectors.
namespace ordo::inline v0::host_detail {

std::size_t max_vector_keys(std::size_t) noexcept {
  return 0;
}
std::size_t network_keys(std::size_t) noexcept {
  return 0;
}
void sort_by_vectors(std::uint32_t*, std::size_t, key_code<std::uint32_t>, key_code<std::uint32_t>) noexcept {}
void sort_by_vectors(std::uint64_t*, std::size_t, key_code<std::uint64_t>, key_code<std::uint64_t>) noexcept {}
void limit_vectors(std::size_t, unsigned) noexcept {}

}  // namespace ordo::inline v0::host_detail
