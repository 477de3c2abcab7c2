#include <optional>

#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "suffix/index/matches_on.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

class matches_on_cuda final : public matches_on_gpu {
 public:
  matches_on_cuda(machine_options const& options, unsigned gpu_index, fm_index const& fm, text const& input)
      : lease_(options, gpu_index) {
    with_backend(*lease_, [&](cuda_backend& backend) { finder_.emplace(backend, fm, input); });
  }
  ~matches_on_cuda() override {
    with_backend(*lease_, [&](cuda_backend&) { finder_.reset(); });
  }

  void find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length, std::vector<match>& matches,
                          std::span<std::size_t> ends) override {
    with_backend(*lease_, [&](cuda_backend&) { finder_->find_super_maximal(parts, min_length, matches, ends); });
  }
  void statistics(std::span<query_part const> parts, std::span<std::uint64_t> lengths) override {
    with_backend(*lease_, [&](cuda_backend&) { finder_->statistics(parts, lengths); });
  }

 private:
  scoped_machine<gpu> lease_;
  std::optional<matches_on<cuda_backend>> finder_;
};

}  // namespace

std::unique_ptr<matches_on_gpu> make_matches_on_cuda(machine_options const& options, unsigned gpu_index, fm_index const& fm,
                                                     text const& input) {
  return std::make_unique<matches_on_cuda>(options, gpu_index, fm, input);
}

}  // namespace ordo::inline v0::suffix::detail
