#pragma once
#include <memory>
#include <mutex>
#include <vector>

namespace ordo::spectra::detail {

/// What threads work on parts of an input with, kept for its memory. Any number of threads at a time.
template <class Work>
class work_pool {
 public:
  /// One that nobody has. The last to be given back is taken first: it is in a cache.
  Work& take() {
    std::lock_guard const lock(changing_);
    if (idle_.empty()) {
      idle_.reserve(all_.size() + 1);  // so that give_back() throws nothing
      return *all_.emplace_back(std::make_unique<Work>());
    }
    Work& one = *idle_.back();
    idle_.pop_back();
    return one;
  }
  void give_back(Work& one) noexcept {
    std::lock_guard const lock(changing_);
    idle_.push_back(&one);
  }
  /// All of them, where threads that failed gave nothing back. Nobody must use one.
  void take_back_all() {
    idle_.clear();
    for (auto const& one : all_) idle_.push_back(one.get());
  }

 private:
  std::mutex changing_;
  std::vector<std::unique_ptr<Work>> all_;
  std::vector<Work*> idle_;
};

}  // namespace ordo::spectra::detail
