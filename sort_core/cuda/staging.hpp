#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <cuda_runtime_api.h>

#include "ordo/io.hpp"

namespace ordo::cuda_detail {

/// Copies between the device and what the device cannot reach itself: files, streams and pageable host memory. A ring of small
/// pinned blocks, made as they are first used, holds what is on its way: several threads fill or empty blocks while others are
/// copied. Small copies, and those of memory that is pinned already, go straight. Two threads may call it at a time, each with
/// a stream of its own: their large copies take turns.
class staging {
 public:
  staging() = default;
  ~staging();
  staging(staging const&) = delete;
  staging& operator=(staging const&) = delete;

  /// `host` has been read when this returns; the copy is ordered on the stream. @throws device_error
  void upload(void* device, void const* host, std::size_t bytes, cudaStream_t stream);
  /// `host` holds the data when this returns. A few bytes are written by a kernel: a copy would wait for those that others have
  /// begun in the same direction. @throws device_error
  void download(void* host, void const* device, std::size_t bytes, cudaStream_t stream);
  /// The source's next bytes, at most so many; the copies are ordered on the stream. @returns how many
  /// @throws device_error, and what the source throws
  std::size_t load(source& from, void* device, std::size_t bytes, cudaStream_t stream);
  /// All is with the sink when this returns. @throws device_error, and what the sink throws
  void store(sink& to, std::uint64_t offset, void const* device, std::size_t bytes, cudaStream_t stream);
  /// Pinned memory that kernels may write to, and the host read when it has waited for them: sooner than it could download
  /// what they wrote. The same on every call, and never given back before the end. @param n  most_words at most
  /// @throws device_error
  std::span<std::uint64_t> words(std::size_t n);
  static constexpr std::size_t most_words = 1024;
  /// A stream for copies that go on beside those of the machine: made when first asked for. @throws device_error
  cudaStream_t stream_beside();

 private:
  static constexpr std::size_t few_bytes = 256;
  static constexpr std::size_t block_bytes = std::size_t{2} << 20;
  static constexpr unsigned most_threads = 8, blocks_each = 2;
  static constexpr std::size_t least_piece = std::size_t{1} << 18;
  static constexpr unsigned writing_threads = 4;  // into one file: more only take turns
  struct block {
    char* data = nullptr;
    cudaEvent_t moved = nullptr;  // whatever was last copied from it or into it
    [[nodiscard]] std::span<char> ready();
  };

  bool worth_staging(void const* host, std::size_t bytes) const;
  void make_words();
  void download_few(void* host, void const* device, std::size_t bytes, cudaStream_t stream);
  static std::size_t piece_bytes(std::uint64_t bytes, unsigned threads);
  template <class Fill>
  void copy_in(char* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Fill fill);
  template <class Drain>
  void copy_out(char const* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Drain drain);

  std::mutex turn_;                           // whose the blocks are
  block blocks_[most_threads * blocks_each];  // thread k has those from k * blocks_each on
  cudaStream_t stream_beside_ = nullptr;
  std::mutex words_turn_;
  std::uint64_t* words_ = nullptr;  // and room for a few bytes behind them
};

}  // namespace ordo::cuda_detail
