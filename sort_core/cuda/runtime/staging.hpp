#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <cuda_runtime_api.h>

#include "ordo/io.hpp"

namespace ordo::inline v0::cuda_detail {

/// Copies between the device and files, streams or pageable host memory, which the device cannot access. The data pass through
/// a ring of small pinned blocks, allocated when first used: several threads fill or empty blocks while others are copied.
/// Small copies, and copies of memory that is already pinned, are direct. Two threads may use the object at a time, each with a
/// stream of its own; their large copies take turns.
class staging {
 public:
  staging() = default;
  ~staging();
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// Copies to the device, in the order of the stream. `host` has been read when this returns. @throws device_error
  void upload(void* device, void const* host, std::size_t bytes, cudaStream_t stream);
  /// Copies to the host and waits. A kernel writes small amounts, because a copy would wait for other copies in the same
  /// direction. @throws device_error
  void download(void* host, void const* device, std::size_t bytes, cudaStream_t stream);
  /// Copies the source's next bytes, at most `bytes`, to the device, in the order of the stream.
  /// @returns the number of bytes
  /// copied
  /// @throws device_error, and exceptions of the source
  std::size_t load(source& from, void* device, std::size_t bytes, cudaStream_t stream);
  /// Writes device memory to the sink and waits. @throws device_error, and exceptions of the sink
  void store(sink& to, std::uint64_t offset, void const* device, std::size_t bytes, cudaStream_t stream);
  /// Returns pinned memory that kernels can write and the host can read after waiting for them, which is faster than a
  /// download. The same memory on every call, never freed before the object. @param n  at most max_words
  /// @throws device_error
  std::span<std::uint64_t> words(std::size_t n);
  static constexpr std::size_t max_words = 1024 + 8;  // a sample, and what is said of it
  /// Returns a stream for copies beside the backend's own stream. Created by the first call. @throws device_error
  cudaStream_t stream_beside();

 private:
  static constexpr std::size_t few_bytes = 256;
  static constexpr std::size_t block_bytes = std::size_t{2} << 20;
  static constexpr unsigned max_threads = 8, blocks_each = 2;
  static constexpr std::size_t min_range = std::size_t{1} << 18;
  static constexpr unsigned writing_threads = 4;  // more would only take turns at one file
  struct block {
    char* data = nullptr;
    cudaEvent_t moved = nullptr;  // recorded after the last copy from it or into it
    [[nodiscard]] std::span<char> ready();
  };

  bool worth_staging(void const* host, std::size_t bytes) const;
  void make_words();
  void download_few(void* host, void const* device, std::size_t bytes, cudaStream_t stream);
  static std::size_t range_bytes(std::uint64_t bytes, unsigned threads);
  template <class Fill>
  void copy_in(char* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Fill fill);
  template <class Drain>
  void copy_out(char const* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Drain drain);

  std::mutex turn_;                          // held by the user of the blocks
  block blocks_[max_threads * blocks_each];  // thread k has those from k * blocks_each on
  cudaStream_t stream_beside_ = nullptr;
  std::mutex words_turn_;
  std::uint64_t* words_ = nullptr;  // with room for a few bytes after them
};

}  // namespace ordo::inline v0::cuda_detail
