#include <optional>

#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "suffix/matches/matches_on.hpp"

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

  found_strings find(query_pieces const& queries, std::uint64_t min_length) override {
    return with_backend(*lease_, [&](cuda_backend&) { return finder_->find(queries, min_length); });
  }
  found_strings find_super_maximal(query_pieces const& queries, std::uint64_t min_length) override {
    return with_backend(*lease_, [&](cuda_backend&) { return finder_->find_super_maximal(queries, min_length); });
  }
  void statistics(query_pieces const& queries, std::span<std::uint64_t> lengths) override {
    with_backend(*lease_, [&](cuda_backend&) { finder_->statistics(queries, lengths); });
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
