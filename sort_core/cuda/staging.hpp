#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

namespace ordo::cuda_detail {

/// Copies between pageable host memory and the device at the bus's rate: two pinned blocks take turns, one filled or
/// emptied by all threads while the other is on its way. Small copies, and those of memory that is pinned already, go
/// straight.
class staging {
 public:
  staging() = default;
  ~staging();
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// `host` has been read when this returns; the copy is ordered on the stream. @throws device_error
  void upload(void* device, void const* host, std::size_t bytes, cudaStream_t stream);
  /// `host` holds the data when this returns. @throws device_error
  void download(void* host, void const* device, std::size_t bytes, cudaStream_t stream);
  /// Pinned memory that kernels may write to, and the host read when it has waited for them: sooner than it could download
  /// what they wrote. The same on every call, and never given back before the end. @param n  most_words at most
  /// @throws device_error
  std::span<std::uint64_t> words(std::size_t n);
  static constexpr std::size_t most_words = 1024;

 private:
  static constexpr std::size_t block_bytes = std::size_t{8} << 20;
  bool worth_staging(void const* host, std::size_t bytes) const;
  void prepare();

  char* blocks_[2] = {};
  std::uint64_t* words_ = nullptr;
  cudaEvent_t moved_[2] = {};
};

}  // namespace ordo::cuda_detail
