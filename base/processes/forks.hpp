#pragma once
#include <atomic>
#include <memory>

namespace ordo::inline v0 {

/// Returns the number of forks that lie between the first call, by this process or an ancestor, and this process. A forked
/// process has one thread: other threads of its parent are not in it, and locks that they held stay locked.
unsigned num_forks() noexcept;

/// An object that each process creates when it first uses it, also one that was forked. The parent's object, which other
/// threads may have been changing, is then never used nor destroyed.
template <class T>
class per_process {
 public:
  per_process() = default;
  ~per_process() {
    held* const last = current_.load(std::memory_order_acquire);
    if (last && last->forks == num_forks()) delete last;
  }
  per_process(per_process const&) = delete;
  per_process& operator=(per_process const&) = delete;

  /// @throws std::bad_alloc
  T& get() {
    unsigned const forks = num_forks();
    held* now = current_.load(std::memory_order_acquire);
    while (!now || now->forks != forks) {
      auto own = std::make_unique<held>(forks);
      if (current_.compare_exchange_strong(now, own.get(), std::memory_order_acq_rel)) now = own.release();
    }
    return now->object;
  }

 private:
  struct held {
    explicit held(unsigned of) : forks(of) {}
    unsigned forks;
    T object{};
  };
  std::atomic<held*> current_ = nullptr;
};

}  // namespace ordo::inline v0
