#include "sort_core/cuda/runtime/staging.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/shared_ranges.hpp"
#include "base/streaming_copy.hpp"
#include "base/threads.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/cuda/runtime/error.cuh"

namespace ordo::inline v0::cuda_detail {

using detail::addressed_part, detail::byte_range, detail::shared_ranges;

namespace {

__global__ void copy_few(char* to, char const* from, std::size_t bytes) {
  if (threadIdx.x < bytes) to[threadIdx.x] = from[threadIdx.x];
}

unsigned current_device() {
  int device = 0;
  ORDO_CUDA(cudaGetDevice(&device));
  return unsigned(device);
}

}  // namespace

staging::~staging() {
  for (block& b : blocks_) {
    if (b.moved) {  // the backend does not wait for a caller's stream
      static_cast<void>(cudaEventSynchronize(b.moved));
      static_cast<void>(cudaEventDestroy(b.moved));
    }
    if (b.data) static_cast<void>(cudaFreeHost(b.data));
  }
  if (words_) static_cast<void>(cudaFreeHost(words_));
  if (stream_beside_) static_cast<void>(cudaStreamDestroy(stream_beside_));
}

cudaStream_t staging::stream_beside() {
  if (!stream_beside_) ORDO_CUDA(cudaStreamCreateWithFlags(&stream_beside_, cudaStreamNonBlocking));
  return stream_beside_;
}

bool staging::worth_staging(void const* host, std::size_t bytes) const {
  if (bytes < block_bytes) return false;
  cudaPointerAttributes attributes;
  ORDO_CUDA(cudaPointerGetAttributes(&attributes, host));
  return attributes.type == cudaMemoryTypeUnregistered;
}

// Returns the block's memory after all copies from it and into it have ended.
std::span<char> staging::block::ready() {
  if (!data) ORDO_CUDA(cudaMallocHost(reinterpret_cast<void**>(&data), block_bytes));
  if (moved)
    ORDO_CUDA(cudaEventSynchronize(moved));
  else
    ORDO_CUDA(cudaEventCreateWithFlags(&moved, cudaEventDisableTiming));
  return {data, block_bytes};
}

void staging::make_words() {
  if (!words_) ORDO_CUDA(cudaMallocHost(reinterpret_cast<void**>(&words_), max_words * sizeof(std::uint64_t) + few_bytes));
}

std::span<std::uint64_t> staging::words(std::size_t n) {
  std::lock_guard const turn(words_turn_);
  make_words();
  return {words_, n};
}

void staging::download_few(void* host, void const* device, std::size_t bytes, cudaStream_t stream) {
  std::lock_guard const turn(words_turn_);
  make_words();
  auto* const few = reinterpret_cast<char*>(words_ + max_words);
  copy_few<<<1, few_bytes, 0, stream>>>(few, static_cast<char const*>(device), bytes);
  ORDO_CUDA(cudaGetLastError());
  ORDO_CUDA(cudaStreamSynchronize(stream));
  std::memcpy(host, few, bytes);
}

// Returns the size of one copy: a block or, for a few megabytes in total, so little that all threads get a part and copies
// overlap with filling or emptying the next. Copies smaller than a block are slower than they need be.
std::size_t staging::range_bytes(std::uint64_t bytes, unsigned threads) {
  if (threads == 1) return block_bytes;
  std::size_t const share = std::size_t(bytes / (blocks_each * threads)) / min_range * min_range;
  return std::clamp(share, min_range, block_bytes);
}

// Copies [0, bytes) to the device, piece by piece. fill(piece, to) fills a piece, on as many threads as may call it at a time.
// A result below the piece's size is the end, which only a single thread may find.
template <class Fill>
void staging::copy_in(char* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Fill fill) {
  std::lock_guard const turn(turn_);
  unsigned const index = current_device();
  tbb::task_arena arena(threads_for(threads));
  shared_ranges all(bytes, range_bytes(bytes, threads));
  all.share(arena, threads, [&](unsigned k) {
    device_scope const on(index);
    block* const own = blocks_ + (threads == 1 ? 0 : k * blocks_each);
    unsigned const count = threads == 1 ? max_threads * blocks_each : blocks_each;
    for (unsigned b = 0; auto const p = all.next(); b = (b + 1) % count) {
      std::size_t const got = fill(*p, own[b].ready().first(p->size));
      ORDO_CUDA(cudaMemcpyAsync(device + p->at, own[b].data, got, cudaMemcpyHostToDevice, stream));
      ORDO_CUDA(cudaEventRecord(own[b].moved, stream));
      if (got < p->size) return;
    }
  });
}

// Copies from the device. drain(piece, from) takes a piece; a single thread gets them in order.
template <class Drain>
void staging::copy_out(char const* device, std::uint64_t bytes, unsigned threads, cudaStream_t stream, Drain drain) {
  std::lock_guard const turn(turn_);
  unsigned const index = current_device();
  tbb::task_arena arena(threads_for(threads));
  shared_ranges all(bytes, range_bytes(bytes, threads));
  all.share(arena, threads, [&](unsigned k) {
    device_scope const on(index);
    block* const own = blocks_ + k * blocks_each;
    auto const start = [&](std::optional<byte_range> p, block& b) {
      if (!p) return;
      static_cast<void>(b.ready());
      ORDO_CUDA(cudaMemcpyAsync(b.data, device + p->at, p->size, cudaMemcpyDeviceToHost, stream));
      ORDO_CUDA(cudaEventRecord(b.moved, stream));
    };
    auto now = all.next();
    start(now, own[0]);
    for (unsigned b = 0; now; b ^= 1) {
      auto const next = all.next();
      start(next, own[b ^ 1]);
      drain(*now, own[b].ready().first(now->size));
      now = next;
    }
  });
}

void staging::upload(void* device, void const* host, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (!worth_staging(host, bytes)) {
    ORDO_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    return ORDO_CUDA(cudaStreamSynchronize(stream));
  }
  auto const* const from = static_cast<char const*>(host);
  copy_in(static_cast<char*>(device), bytes, max_threads, stream, [=](byte_range p, std::span<char> to) {
    std::memcpy(to.data(), from + p.at, to.size());
    return to.size();
  });
}

void staging::download(void* host, void const* device, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  if (bytes <= few_bytes) return download_few(host, device, bytes, stream);
  if (!worth_staging(host, bytes)) {
    ORDO_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    return ORDO_CUDA(cudaStreamSynchronize(stream));
  }
  auto* const to = static_cast<char*>(host);
  copy_out(static_cast<char const*>(device), bytes, max_threads, stream,
           [=](byte_range p, std::span<char const> from) { host_detail::copy_streaming(to + p.at, from.data(), from.size()); });
}

std::size_t staging::load(source& from, void* device, std::size_t bytes, cudaStream_t stream) {
  auto* const to = static_cast<char*>(device);
  if (auto const part = addressed_part(from, bytes)) {
    if (char const* const text = from.memory()) {
      upload(device, text + part->from, std::size_t(part->bytes), stream);
      from.skip(part->bytes);
      return std::size_t(part->bytes);
    }
    copy_in(to, part->bytes, max_threads, stream, [&](byte_range p, std::span<char> block) {
      from.read_at(part->from + p.at, block);
      return block.size();
    });
    from.skip(part->bytes);
    return std::size_t(part->bytes);
  }
  std::size_t done = 0;
  copy_in(to, bytes, 1, stream, [&](byte_range, std::span<char> block) {
    std::size_t const got = from.read(block);
    done += got;
    return got;
  });
  return done;
}

void staging::store(sink& to, std::uint64_t offset, void const* device, std::size_t bytes, cudaStream_t stream) {
  bool const addressed = to.addressable();
  if (addressed && to.memory()) return download(to.memory() + offset, device, bytes, stream);
  copy_out(static_cast<char const*>(device), bytes, addressed ? writing_threads : 1, stream,
           [&](byte_range p, std::span<char const> block) {
             if (addressed)
               to.write_at(offset + p.at, block);
             else
               to.write(block);
           });
}

}  // namespace ordo::inline v0::cuda_detail
