#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>

#include "sort_core/cuda/staging.hpp"

namespace ordo::cuda_detail {

/// Copies to the host that go on while the machine works, one after the other: by a thread of their own, begun with the first
/// of them, on the stream that the machine has beside its own. The machine's calls, and these, come from one thread; its device
/// is current at the beginning.
class background_downloads {
 public:
  /// @param by  copies them @param stream  of the machine
  background_downloads(staging& by, cudaStream_t stream) : staging_(by), stream_(stream) {}
  /// Waits; what went wrong by then nobody is told.
  ~background_downloads();
  background_downloads(background_downloads const&) = delete;
  background_downloads& operator=(background_downloads const&) = delete;

  /// host := from, as all that the machine was asked to do before leaves it. Before it has been waited for `host` may not be
  /// written to, and what is written to `from` comes or does not. @returns its number, from 0 on @throws device_error
  template <class T>
  std::size_t add(std::span<T const> from, std::span<std::type_identity_t<T>> host) {
    return add(host.data(), from.data(), from.size_bytes(), false);
  }
  /// The same, before all that have not begun.
  template <class T>
  std::size_t add_first(std::span<T const> from, std::span<std::type_identity_t<T>> host) {
    return add(host.data(), from.data(), from.size_bytes(), true);
  }
  /// Until that one is with the host. @throws what the first of all to fail threw
  void wait(std::size_t number);

 private:
  struct task {
    std::size_t number;
    void* host;
    void const* device;
    std::size_t bytes;
    cudaEvent_t made;  // when the machine has made it
  };
  std::size_t add(void* host, void const* device, std::size_t bytes, bool first);
  void run(unsigned gpu_index, cudaStream_t beside);

  staging& staging_;
  cudaStream_t stream_;
  std::mutex guard_;  // of what follows
  std::condition_variable changed_;
  std::deque<task> tasks_;  // that have not begun
  std::vector<bool> done_;  // of all numbers
  bool ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace ordo::cuda_detail
