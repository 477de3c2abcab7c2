#include <optional>

#include "ordo/gpu.cuh"
#include "suffix/tokens/token_index_on.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

/// In memory of the machine's pool, which is freed before the machine.
class tokens_on_gpu final : public machine_tokens {
 public:
  tokens_on_gpu(machine& on, std::size_t max_match)
      : backend_(static_cast<gpu&>(on).backend()), index_of_gpu_(static_cast<gpu&>(on).index()) {
    with(on, [&] { index_.emplace(backend_, backend_.pool(), max_match); });
  }
  ~tokens_on_gpu() override {
    try {
      cuda_detail::device_scope const current(index_of_gpu_);
      cuda_backend::stream_scope const queue(backend_, std::nullopt);
      index_.reset();
    } catch (error const&) {  // the device is lost, with all of its memory
    }
  }
  tokens_on_gpu(tokens_on_gpu const&) = delete;
  tokens_on_gpu& operator=(tokens_on_gpu const&) = delete;

  [[nodiscard]] bool is_on(machine& on) const override {
    return on.kind() == device::gpu && &static_cast<gpu&>(on).backend() == &backend_;
  }
  void assign(machine& on, std::span<std::uint32_t const> tokens) override {
    with(on, [&] { index_->assign(backend_, tokens); });
  }
  void append(machine& on, std::span<std::uint32_t const> tokens) override {
    with(on, [&] { index_->append(backend_, tokens); });
  }
  void draft(machine& on, draft_arrays const& arrays, std::size_t count) const override {
    with(on, [&] { index_->draft(backend_, arrays, count); });
  }
  [[nodiscard]] std::size_t size() const override { return index_->size(); }

 private:
  template <class F>
  static void with(machine& on, F f) {
    with_backend(static_cast<gpu&>(on), [&](cuda_backend&) { f(); });
  }

  cuda_backend& backend_;
  unsigned index_of_gpu_;
  std::optional<token_index_on<cuda_backend>> index_;
};

}  // namespace

std::unique_ptr<machine_tokens> make_tokens_on_cuda(machine& on, std::size_t max_match) {
  return std::make_unique<tokens_on_gpu>(on, max_match);
}

}  // namespace ordo::inline v0::suffix::detail
