#include "sort_core/gpu.cuh"
#include "suffix/parse_fasta.hpp"

namespace ordo::suffix::detail {

template class parsed_fasta<cuda>;

}  // namespace ordo::suffix::detail
