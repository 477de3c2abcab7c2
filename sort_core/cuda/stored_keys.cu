#include "sort_core/cuda/stored_segments.cuh"

ORDO_SORT_STORED_VALUES(ordo::detail::no_value)
