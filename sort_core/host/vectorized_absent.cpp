#include "sort_core/host/vector_selection.hpp"
#include "sort_core/host/vectorized.hpp"

// A build without Highway: nothing is sorted or selected by vectors.
namespace ordo::inline v0::host_detail {

std::size_t max_vector_keys(std::size_t) noexcept {
  return 0;
}
std::size_t network_keys(std::size_t) noexcept {
  return 0;
}
void sort_by_vectors(std::uint32_t*, std::size_t, key_code<std::uint32_t>, key_code<std::uint32_t>) noexcept {}
void sort_by_vectors(std::uint64_t*, std::size_t, key_code<std::uint64_t>, key_code<std::uint64_t>) noexcept {}
void sort_by_vectors_on(unsigned, std::uint32_t*, std::size_t, key_code<std::uint32_t>, key_code<std::uint32_t>) {}
void sort_by_vectors_on(unsigned, std::uint64_t*, std::size_t, key_code<std::uint64_t>, key_code<std::uint64_t>) {}
void select_by_vectors(std::uint32_t*, std::size_t, std::size_t, key_code<std::uint32_t>) noexcept {}
void select_by_vectors(std::uint64_t*, std::size_t, std::size_t, key_code<std::uint64_t>) noexcept {}
std::size_t find_less(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code, std::uint32_t limit,
                      std::uint32_t max_magnitude) noexcept {
  return find_less_one_by_one(keys, n, code, limit, max_magnitude);
}
std::size_t find_less(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code, std::uint64_t limit,
                      std::uint64_t max_magnitude) noexcept {
  return find_less_one_by_one(keys, n, code, limit, max_magnitude);
}
bool ascend_by_vectors(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code) noexcept {
  return ascend_one_by_one(keys, n, code);
}
bool ascend_by_vectors(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code) noexcept {
  return ascend_one_by_one(keys, n, code);
}
void limit_vectors(std::size_t, unsigned) noexcept {}

}  // namespace ordo::inline v0::host_detail
