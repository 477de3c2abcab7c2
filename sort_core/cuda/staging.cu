#include "sort_core/cuda/staging.hpp"

#include <algorithm>
#include <cstring>

#include <tbb/parallel_for.h>

#include "sort_core/cuda/error.cuh"

namespace ordo::cuda_detail {
namespace {

void copy_in_parallel(char* to, char const* from, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{512} << 10;
  tbb::parallel_for(std::size_t{0}, (bytes + piece - 1) / piece,
                    [=](std::size_t p) { std::memcpy(to + p * piece, from + p * piece, std::min(piece, bytes - p * piece)); });
}

}  // namespace

staging::~staging() {
  for (int b = 0; b < 2; ++b) {
    if (moved_[b]) static_cast<void>(cudaEventDestroy(moved_[b]));
    if (blocks_[b]) static_cast<void>(cudaFreeHost(blocks_[b]));
  }
  if (words_) static_cast<void>(cudaFreeHost(words_));
}

bool staging::worth_staging(void const* host, std::size_t bytes) const {
  if (bytes < block_bytes / 4) return false;
  cudaPointerAttributes attributes;
  ORDO_CUDA(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeUnregistered;
}

void staging::prepare() {
  for (int b = 0; b < 2; ++b) {
    if (!blocks_[b]) ORDO_CUDA(cudaMallocHost(reinterpret_cast<void**>(&blocks_[b]), block_bytes));
    if (!moved_[b]) ORDO_CUDA(cudaEventCreateWithFlags(&moved_[b], cudaEventDisableTiming));
  }
}

std::span<std::uint64_t> staging::words(std::size_t n) {
  if (!words_) ORDO_CUDA(cudaMallocHost(reinterpret_cast<void**>(&words_), most_words * sizeof(std::uint64_t)));
  return {words_, n};
}

void staging::upload(void* device, void const* host, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (!worth_staging(host, bytes)) {
    ORDO_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    return ORDO_CUDA(cudaStreamSynchronize(stream));
  }
  prepare();
  auto* const to = static_cast<char*>(device);
  auto const* const from = static_cast<char const*>(host);
  int b = 0;
  for (std::size_t at = 0; at < bytes; at += block_bytes, b ^= 1) {
    std::size_t const size = std::min(block_bytes, bytes - at);
    ORDO_CUDA(cudaEventSynchronize(moved_[b]));  // at once, the first time
    copy_in_parallel(blocks_[b], from + at, size);
    ORDO_CUDA(cudaMemcpyAsync(to + at, blocks_[b], size, cudaMemcpyHostToDevice, stream));
    ORDO_CUDA(cudaEventRecord(moved_[b], stream));
  }
}

void staging::download(void* host, void const* device, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (!worth_staging(host, bytes)) {
    ORDO_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    return ORDO_CUDA(cudaStreamSynchronize(stream));
  }
  prepare();
  auto* const to = static_cast<char*>(host);
  auto const* const from = static_cast<char const*>(device);
  auto const start = [&](std::size_t at, int b) {
    ORDO_CUDA(cudaMemcpyAsync(blocks_[b], from + at, std::min(block_bytes, bytes - at), cudaMemcpyDeviceToHost, stream));
    ORDO_CUDA(cudaEventRecord(moved_[b], stream));
  };
  start(0, 0);
  int b = 0;
  for (std::size_t at = 0; at < bytes; at += block_bytes, b ^= 1) {
    if (at + block_bytes < bytes) start(at + block_bytes, b ^ 1);
    ORDO_CUDA(cudaEventSynchronize(moved_[b]));
    copy_in_parallel(to + at, blocks_[b], std::min(block_bytes, bytes - at));
  }
}

}  // namespace ordo::cuda_detail
