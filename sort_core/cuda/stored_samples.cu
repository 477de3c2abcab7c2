#include "sort_core/cuda/backend.cuh"

namespace ordo::inline v0::cuda_detail {
namespace {

struct ascending_codes {
  ORDO_FN bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};

}  // namespace

bool sort_by_samples(cuda_backend& backend, std::uint64_t* keys, std::size_t n) {
  using sorter = sample_sorter<cuda_backend, std::uint64_t, no_value, ascending_codes>;
  if (!sorter::sizes::possible()) return false;
  return sorter(backend, keys, nullptr, n, ascending_codes{}).sort();
}

}  // namespace ordo::inline v0::cuda_detail
