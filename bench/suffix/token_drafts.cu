#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "ordo/gpu.hpp"
#include "ordo/suffix/tokens/token_index.hpp"
#include "sort_core/cuda/runtime/error.cuh"

// token_drafts [TOKENS [CONTEXTS]]: an index of tokens on a GPU: the times of a sort of all, of an append and of a batch of
// drafts, eager and in a CUDA graph. The text has the frequencies of words, pairs that recur, and copied passages.
namespace {

using tokens = std::vector<std::uint32_t>;

struct numbers {
  std::uint64_t state;
  std::uint64_t operator()() {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t x = state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  double unit() { return double((*this)() >> 11) * 0x1p-53; }
  /// Returns a rank below n by Zipf's law.
  std::uint32_t rank(double n) { return std::uint32_t(std::pow(n, unit())) - 1; }
};

tokens make_text(std::size_t size) {
  constexpr double vocabulary = 128000;
  numbers random{1};
  tokens text;
  text.reserve(size);
  while (text.size() < size) {
    double const kind = random.unit();
    if (kind < 0.002 && text.size() > 1000) {
      std::size_t const length = std::min<std::size_t>(20 + random() % 200, size - text.size());
      std::size_t const from = random() % (text.size() - length);
      for (std::size_t k = 0; k < length; ++k) text.push_back(text[from + k]);
    } else if (kind < 0.6 && !text.empty()) {
      numbers next{text.back() * 64 + random.rank(32)};
      text.push_back(next.rank(vocabulary));
    } else {
      text.push_back(kind < 0.601 ? ordo::suffix::token_index::separator : random.rank(vocabulary));
    }
  }
  return text;
}

struct device_tokens {
  explicit device_tokens(std::size_t n) : size(n) { ORDO_CUDA(cudaMalloc(&data, std::max<std::size_t>(n, 1) * 4)); }
  ~device_tokens() { static_cast<void>(cudaFree(data)); }
  device_tokens(device_tokens const&) = delete;
  device_tokens& operator=(device_tokens const&) = delete;
  void put(tokens const& all) const {
    ORDO_CUDA(cudaMemcpy(data, all.data(), size * 4, cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());
  }
  [[nodiscard]] std::span<std::uint32_t> span() const { return {data, size}; }
  std::uint32_t* data = nullptr;
  std::size_t size;
};

/// Returns the median, the least and the greatest of the milliseconds of some calls, by events.
template <class F>
void measure(char const* name, cudaStream_t stream, unsigned count, F f) {
  cudaEvent_t begin = nullptr, end = nullptr;
  ORDO_CUDA(cudaEventCreate(&begin));
  ORDO_CUDA(cudaEventCreate(&end));
  std::vector<float> all;
  for (unsigned k = 0; k < count; ++k) {
    float ms = 0;
    ORDO_CUDA(cudaEventRecord(begin, stream));
    f(k);
    ORDO_CUDA(cudaEventRecord(end, stream));
    ORDO_CUDA(cudaEventSynchronize(end));
    ORDO_CUDA(cudaEventElapsedTime(&ms, begin, end));
    all.push_back(ms);
  }
  std::sort(all.begin(), all.end());
  std::printf("%s: median %.4f ms, %.4f to %.4f\n", name, double(all[all.size() / 2]), double(all.front()), double(all.back()));
  ORDO_CUDA(cudaEventDestroy(begin));
  ORDO_CUDA(cudaEventDestroy(end));
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const size = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000;
  std::size_t const count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 256;
  constexpr std::size_t width = 64, max_tokens = 8, more_size = 4096;
  tokens const text = make_text(size + more_size);
  device_tokens const there(text.size());
  there.put(text);
  cudaStream_t stream = nullptr;
  ORDO_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ordo::gpu gpu({.stream = stream});
  ordo::suffix::token_index index;
  measure("first sort of all", stream, 1, [&](unsigned) { index.assign(gpu, there.span().first(size)); });
  static_cast<void>(gpu.peak_memory());
  measure("sort of all", stream, 7, [&](unsigned) { index.assign(gpu, there.span().first(size)); });
  std::printf("bytes a token, at most: %.1f\n", double(gpu.peak_memory()) / double(size));

  device_tokens const contexts(count * width), context_lengths(count), drafts(count * max_tokens), lengths(count),
      matched(count);
  context_lengths.put(tokens(count, width));
  auto const draft = [&] {
    index.draft(gpu, contexts.span(), context_lengths.span(), drafts.span(), lengths.span(), matched.span());
  };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ORDO_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  draft();
  ORDO_CUDA(cudaStreamEndCapture(stream, &graph));
  ORDO_CUDA(cudaGraphInstantiate(&ready, graph, 0));
  // Contexts of every call differ, so that no cache has what they search.
  constexpr unsigned num_batches = 100;
  tokens batches;
  numbers random{2};
  for (std::size_t i = 0; i < num_batches * count; ++i) {
    std::size_t const from = random() % (size - width);
    batches.insert(batches.end(), text.begin() + std::ptrdiff_t(from), text.begin() + std::ptrdiff_t(from + width));
    if (i % 2 == 0) batches.back() = random.rank(128000);
  }
  device_tokens const all_contexts(batches.size());
  all_contexts.put(batches);
  auto const measure_batches = [&](char const* name, auto f) {
    measure(name, stream, num_batches, [&](unsigned k) {
      std::size_t const items = count * width;
      ORDO_CUDA(cudaMemcpyAsync(contexts.data, all_contexts.data + k * items, items * 4, cudaMemcpyDeviceToDevice, stream));
      f();
    });
  };
  auto const measure_all = [&] {
    measure_batches("copy of the contexts alone", [] {});
    measure_batches("copy and drafts, eager", draft);
    measure_batches("copy and drafts, graph", [&] { ORDO_CUDA(cudaGraphLaunch(ready, stream)); });
    measure("drafts of the same contexts, graph", stream, num_batches,
            [&](unsigned) { ORDO_CUDA(cudaGraphLaunch(ready, stream)); });
  };
  measure_all();
  measure("append of 4,096 tokens", stream, 1, [&](unsigned) { index.append(gpu, there.span().last(more_size)); });
  measure_all();
  tokens found(count);
  ORDO_CUDA(cudaMemcpy(found.data(), matched.data, count * 4, cudaMemcpyDeviceToHost));
  std::uint64_t sum = 0;
  for (std::uint32_t const length : found) sum += length;
  std::printf("%zu tokens, %zu contexts, mean match %.2f tokens\n", size, count, double(sum) / double(count));
  ORDO_CUDA(cudaGraphExecDestroy(ready));
  ORDO_CUDA(cudaGraphDestroy(graph));  // the stream stays: the index gives its memory back on it
}
