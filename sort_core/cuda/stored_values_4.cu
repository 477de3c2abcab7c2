#include "sort_core/cuda/stored_segments.cuh"

ORDO_SORT_STORED_VALUES(std::uint32_t)
