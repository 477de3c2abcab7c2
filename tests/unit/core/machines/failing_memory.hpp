#pragma once
#include <cstddef>
#include <string>

#include "ordo/error.hpp"
#include "ordo/memory.hpp"

/// A memory resource whose `nth` allocation fails, counted from 0, and each later one if `forever`.
class failing_memory final : public ordo::memory_resource {
 public:
  failing_memory(ordo::memory_resource& source, std::size_t nth, bool forever = false)
      : source_(source), nth_(nth), forever_(forever) {}
  void* allocate(std::size_t bytes) override {
    std::size_t const call = calls_++;
    if (call == nth_ || (forever_ && call > nth_))
      throw ordo::out_of_memory(
          "out of memory: failing memory: allocation " + std::to_string(call) + " of " + std::to_string(bytes) + " bytes",
          bytes);
    return source_.allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes) noexcept override { source_.deallocate(block, bytes); }
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

 private:
  ordo::memory_resource& source_;
  std::size_t nth_, calls_ = 0;
  bool forever_;
};
