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

#include "sort_core/cuda/runtime/staging.hpp"

namespace ordo::inline v0::cuda_detail {

/// Copies to the host that run one after the other while the GPU works. A thread, started by the first copy, issues them on the
/// backend's second stream. Calls of this class and of the backend must come from one thread, with the device current.
class background_downloads {
 public:
  /// @param by  does the copying @param stream  the backend's stream
  background_downloads(staging& by, cudaStream_t stream) : staging_(by), stream_(stream) {}
  /// Waits for all copies. Errors are ignored.
  ~background_downloads();
  background_downloads(background_downloads const&) = delete;
  background_downloads& operator=(background_downloads const&) = delete;

  /// Copies `from`, as earlier calls of the backend leave it, to `host`. Until it has been waited for, `host` must not be
  /// written, and writes to `from` may or may not be seen.
  /// @returns the number of the copy, from 0 @throws device_error
  template <class T>
  std::size_t add(std::span<T const> from, std::span<std::type_identity_t<T>> host) {
    return add(host.data(), from.data(), from.size_bytes(), false);
  }
  /// Does the same, ahead of all copies that have not begun.
  template <class T>
  std::size_t add_first(std::span<T const> from, std::span<std::type_identity_t<T>> host) {
    return add(host.data(), from.data(), from.size_bytes(), true);
  }
  /// Waits for a copy. @throws the exception of the first copy that failed
  void wait(std::size_t number);

 private:
  struct task {
    std::size_t number;
    void* host;
    void const* device;
    std::size_t bytes;
    cudaEvent_t made;  // recorded when the data are complete
  };
  std::size_t add(void* host, void const* device, std::size_t bytes, bool first);
  void run(unsigned gpu_index, cudaStream_t beside);

  staging& staging_;
  cudaStream_t stream_;
  std::mutex guard_;  // protects the members below
  std::condition_variable changed_;
  std::deque<task> tasks_;  // copies that have not begun
  std::vector<bool> done_;  // one per download
  bool ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace ordo::inline v0::cuda_detail
