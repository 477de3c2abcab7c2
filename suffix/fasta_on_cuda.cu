#include "ordo/gpu.cuh"
#include "suffix/text/parse_fasta.hpp"

namespace ordo::suffix::detail {

template class parsed_fasta<cuda_backend>;

}  // namespace ordo::suffix::detail
