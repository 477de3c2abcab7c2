#include "sort_core/cuda/stored_segments.cuh"

ORDO_SORT_STORED_VALUES(ordo::cuda_detail::no_value)
