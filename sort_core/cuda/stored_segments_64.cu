#include "sort_core/cuda/stored_segments.cuh"

ORDO_SORT_STORED_KEYS(std::uint64_t)
ORDO_SORT_BY_SAMPLES(std::uint64_t, ordo::detail::no_value)
ORDO_SORT_BY_SAMPLES(std::uint64_t, std::uint32_t)
ORDO_SORT_BY_SAMPLES(std::uint64_t, std::uint64_t)
ORDO_SORT_BY_SAMPLES(std::uint64_t, ulonglong2)
