#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/suffix/tokens/token_index.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/matches/plain_drafts.hpp"

// An index of tokens in GPU memory: on the caller's streams, and in a CUDA graph that sees what is appended after its capture.
namespace {

/// Tokens on the current device, by plain CUDA calls.
class device_tokens {
 public:
  explicit device_tokens(tokens const& all) : size_(all.size()) {
    ORDO_CUDA(cudaMalloc(&data_, std::max<std::size_t>(size_, 1) * sizeof(std::uint32_t)));
    put(all);
  }
  ~device_tokens() { static_cast<void>(cudaFree(data_)); }
  device_tokens(device_tokens const&) = delete;
  device_tokens& operator=(device_tokens const&) = delete;

  void put(tokens const& all) const {
    ORDO_CUDA(cudaMemcpy(data_, all.data(), size_ * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
    ORDO_CUDA(cudaDeviceSynchronize());  // cudaMemcpy may return before its end
  }
  void get(tokens& all) const {
    ORDO_CUDA(cudaDeviceSynchronize());
    ORDO_CUDA(cudaMemcpy(all.data(), data_, size_ * sizeof(std::uint32_t), cudaMemcpyDeviceToHost));
  }
  [[nodiscard]] std::span<std::uint32_t> span() const { return {data_, size_}; }

 private:
  std::uint32_t* data_ = nullptr;
  std::size_t size_;
};

/// A batch of drafts on the current device.
struct device_batch {
  device_tokens contexts, context_lengths, drafts, lengths, matched;

  explicit device_batch(draft_batch const& of)
      : contexts(of.contexts),
        context_lengths(of.context_lengths),
        drafts(of.drafts),
        lengths(of.lengths),
        matched(of.matched) {}
  void draft(ordo::machine& on, ordo::suffix::token_index const& index) const {
    index.draft(on, contexts.span(), context_lengths.span(), drafts.span(), lengths.span(), matched.span());
  }
  void put(draft_batch const& of) const {
    contexts.put(of.contexts);
    context_lengths.put(of.context_lengths);
  }
  void get(draft_batch& to) const {
    drafts.get(to.drafts);
    lengths.get(to.lengths);
    matched.get(to.matched);
  }
};

struct stream {
  stream() { ORDO_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~stream() { static_cast<void>(cudaStreamDestroy(handle)); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  cudaStream_t handle = nullptr;
};

tokens numbers_below(std::uint32_t n) {
  tokens all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("drafts on a GPU are those of a CPU", "[token_index][cuda][small]") {
  if (ordo::gpus().empty()) return;
  random_numbers random(77);
  stream other;
  ordo::gpu gpu;
  ordo::cpu cpu;
  for (tokens const& alphabet : {tokens{4}, tokens{0, 1}, tokens{0, separator - 1}, numbers_below(3000)}) {
    ordo::suffix::token_index there(20), here(20);
    tokens text;
    for (std::size_t const size : {0, 1, 700, 40000, 3000, 3000, 1, 0}) {
      tokens const more = random_tokens(random, size, alphabet);
      text.insert(text.end(), more.begin(), more.end());
      device_tokens const more_there(more);
      if (text.size() % 2 == 0)
        there.append(gpu, more_there.span());
      else
        there.append(gpu.with_stream(other.handle), more_there.span());
      here.append(cpu, more);
      REQUIRE(there.size() == text.size());
      draft_batch of_gpu(random_contexts(random, text, alphabet, 252), 9, 1), of_cpu = of_gpu;
      device_batch const batch(of_gpu);
      if (random.below(2) == 0)
        batch.draft(gpu, there);
      else
        batch.draft(gpu.with_stream(other.handle), there);
      batch.get(of_gpu);
      here.draft(cpu, of_cpu.contexts, of_cpu.context_lengths, of_cpu.drafts, of_cpu.lengths, of_cpu.matched);
      CHECK(of_gpu.drafts == of_cpu.drafts);
      CHECK(of_gpu.lengths == of_cpu.lengths);
      CHECK(of_gpu.matched == of_cpu.matched);
    }
  }
}

TEST_CASE("a CUDA graph of drafts sees tokens that are appended later", "[token_index][cuda][small]") {
  if (ordo::gpus().empty()) return;
  random_numbers random(78);
  tokens const alphabet = numbers_below(50);
  stream own;
  ordo::gpu gpu({.stream = own.handle});
  ordo::suffix::token_index index(16);
  index.assign(gpu, {});
  tokens text;
  draft_batch shape(random_contexts(random, random_tokens(random, 5000, alphabet), alphabet, 60), 6);
  std::size_t const width = shape.contexts.size() / shape.lengths.size();
  device_batch const batch(shape);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  std::size_t const held = gpu.peak_memory();
  ORDO_CUDA(cudaStreamBeginCapture(own.handle, cudaStreamCaptureModeThreadLocal));
  batch.draft(gpu, index);
  CHECK_THROWS_AS(index.append(gpu, batch.contexts.span()), ordo::usage_error);
  ORDO_CUDA(cudaStreamEndCapture(own.handle, &graph));
  CHECK(gpu.peak_memory() <= held);
  std::size_t nodes = 0;
  ORDO_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  ORDO_CUDA(cudaGraphInstantiate(&ready, graph, 0));
  ORDO_CUDA(cudaGraphDestroy(graph));
  for (std::size_t const size : {0, 900, 20, 20, 30000, 1000, 0}) {
    tokens const more = random_tokens(random, size, alphabet);
    text.insert(text.end(), more.begin(), more.end());
    device_tokens const there(more);
    index.append(gpu, there.span());
    auto contexts = random_contexts(random, text, alphabet, 60);
    for (tokens& context : contexts)
      context.erase(context.begin(), context.end() - std::ptrdiff_t(std::min(width, context.size())));
    draft_batch now(contexts, 6);
    // Rows of the captured width.
    tokens rows(width * contexts.size());
    for (std::size_t i = 0; i < contexts.size(); ++i) std::ranges::copy(contexts[i], rows.begin() + std::ptrdiff_t(i * width));
    now.contexts = rows;
    batch.put(now);
    ORDO_CUDA(cudaGraphLaunch(ready, own.handle));
    batch.get(now);
    CHECK(now.count_wrong(text, contexts, 16) == 0);
  }
  ORDO_CUDA(cudaGraphExecDestroy(ready));
}

TEST_CASE("an index of tokens stays on its GPU", "[token_index][cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::gpu gpu, other;
  ordo::cpu cpu;
  ordo::suffix::token_index index;
  tokens const text{1, 2, 3, 1, 2};
  device_tokens const there(text);
  index.assign(gpu, there.span());
  CHECK_THROWS_AS(index.append(cpu, text), ordo::usage_error);
  CHECK_THROWS_AS(index.append(other, there.span()), ordo::usage_error);
  ordo::suffix::token_index moved = std::move(index);
  CHECK(moved.size() == 5);
  moved.assign(cpu, text);  // a new text may be anywhere
  tokens drafts(2), lengths(1), matched(1);
  moved.draft(cpu, std::span(text).last(2), tokens{2}, drafts, lengths, matched);
  CHECK(drafts == tokens{3, 1});
  ordo::gpu scarce({.memory_limit = 30000});
  ordo::suffix::token_index too_large;
  device_tokens const many(tokens(5000, 7));
  CHECK_THROWS_AS(too_large.assign(scarce, many.span()), ordo::out_of_memory);
  CHECK_NOTHROW(too_large.assign(scarce, there.span()));
}
