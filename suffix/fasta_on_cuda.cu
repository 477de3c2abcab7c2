#include "ordo/gpu.cuh"
#include "suffix/text/parse_fasta.hpp"

namespace ordo::suffix::detail {

template class parsed_fasta<cuda>;

}  // namespace ordo::suffix::detail
