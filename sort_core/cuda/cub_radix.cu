#include "sort_core/cuda/cub_radix.cuh"

ORDO_SORT_LSD_KEYS(std::uint8_t)
ORDO_SORT_LSD_KEYS(std::uint16_t)
ORDO_SORT_LSD_KEYS(std::uint32_t)
ORDO_SORT_LSD_KEYS(std::uint64_t)
ORDO_SORT_LSD_KEYS(ordo::wide_key)
