#include "ordo/communicator.hpp"

#include <fmt/format.h>

namespace ordo::inline v0 {

communicator::communicator(std::size_t size, std::size_t rank) : size_(size), rank_(rank) {
  if (rank >= size) throw usage_error(fmt::format("bad communicator: rank {}: the communicator has {} members", rank, size));
}

void communicator::share(void const* own, std::function<void(std::span<void const* const>)> const& use) {
  auto const all = all_gather(own);
  use(all);
  barrier();
}

void communicator::check_root(std::size_t root) const {
  if (root >= size_) throw usage_error(fmt::format("bad root: broadcast: member {} of {}", root, size_));
}
void communicator::check_gather(std::size_t own, std::size_t all) const {
  if (all / size_ != own || all % size_ != 0)
    throw usage_error(fmt::format("bad length: all_gather: {} bytes for {} members with {} each", all, size_, own));
}
void communicator::check_lists(std::size_t sends, std::size_t receives) const {
  if (sends != receives || sends % size_ != 0)
    throw usage_error(
        fmt::format("bad lists: all_to_all: {} spans to send and {} to receive, for {} members", sends, receives, size_));
}

}  // namespace ordo::inline v0
