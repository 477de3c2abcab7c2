#pragma once
#include <cstddef>

#include "sort_core/host/vectorized.hpp"

/// Limits the vectors of sorts on the CPU while it exists.
struct with_vectors {
  explicit with_vectors(std::size_t bytes, unsigned max_partitions = ~0u) {
    ordo::host_detail::limit_vectors(bytes, max_partitions);
  }
  ~with_vectors() { ordo::host_detail::limit_vectors(); }
  with_vectors(with_vectors const&) = delete;
  with_vectors& operator=(with_vectors const&) = delete;
};

/// The bytes of the vectors of all processors; 0 means none.
constexpr std::size_t vector_sizes[] = {0, 16, 32, 64};
