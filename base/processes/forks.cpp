#include "base/processes/forks.hpp"

#include <pthread.h>

namespace ordo::inline v0 {
namespace {

std::atomic<unsigned> forks = 0;

}  // namespace

unsigned num_forks() noexcept {
  static int const counting = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(counting);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace ordo::inline v0
