#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "suffix/run_length/insert.hpp"
#include "suffix/run_length/samples.hpp"

/// Insertion and samples on a machine whose memory is not the host's.
namespace ordo::inline v0::suffix::run_length {

/// A type-erased index on a GPU, for code that is compiled without CUDA.
class runs_on_gpu {
 public:
  virtual ~runs_on_gpu() = default;
  /// Takes an index of host memory in place of its own.
  virtual void upload(run_view const& host) = 0;
  /// Takes the index of a BWT in place of its own. If memory runs out, it has none.
  virtual void take(std::string_view bwt) = 0;
  /// See insert.hpp. If memory runs out, the index is as before.
  virtual std::optional<std::uint64_t> insert(batch const& records, insert_options const& options, insert_counts& counts) = 0;
  [[nodiscard]] virtual run_arrays download() = 0;
  [[nodiscard]] virtual sampled_rows sample(std::uint64_t distance, bool with_markers) = 0;

  /// Return sizes of the index, and the bytes of the machine's memory: all that may be used now, and the maximum in use so far.
  [[nodiscard]] virtual std::uint64_t rows() const = 0;
  [[nodiscard]] virtual std::uint64_t num_blocks() const = 0;
  [[nodiscard]] virtual std::uint64_t num_ends() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual std::size_t memory() const = 0;
  [[nodiscard]] virtual std::size_t peak_memory() const = 0;

 protected:
  runs_on_gpu() = default;
  runs_on_gpu(runs_on_gpu const&) = default;
  runs_on_gpu& operator=(runs_on_gpu const&) = default;
};

/// Creates an index without rows, in runs_on_cuda.cu.
std::unique_ptr<runs_on_gpu> make_runs_on_cuda(machine_options const& options, unsigned gpu_index);

/// The same for the backend of any machine. @tparam With  calls f(backend) as with(f), and returns its result
template <Backend B, class With>
class runs_on final : public runs_on_gpu {
 public:
  explicit runs_on(With with)
      : with_(std::move(with)), memory_(with_([](B& backend) { return backend.pool().available(); })) {}
  ~runs_on() override {
    try {
      with_([&](B&) { index_ = {}; });
    } catch (error const&) {  // the device is lost, with all of its memory
    }
  }
  runs_on(runs_on const&) = delete;
  runs_on& operator=(runs_on const&) = delete;

  void upload(run_view const& host) override {
    with_([&](B& backend) {
      index_ = {};
      index_ = run_index<B>(backend, host);
    });
  }
  void take(std::string_view bwt) override {
    with_([&](B& backend) {
      index_ = {};
      auto const letters = backend.template buffer<char>(bwt.size());
      copy_to_machine(backend, std::span<char const>(bwt), letters.span());
      write_letters(backend, letters.data(), letters.size(), index_);
    });
  }
  std::optional<std::uint64_t> insert(batch const& records, insert_options const& options, insert_counts& counts) override {
    return with_([&](B& backend) { return run_length::insert(backend, index_, records, options, counts); });
  }
  [[nodiscard]] run_arrays download() override {
    return with_([&](B& backend) { return index_.download(backend); });
  }
  [[nodiscard]] sampled_rows sample(std::uint64_t distance, bool with_markers) override {
    return with_([&](B& backend) { return sampled_rows(backend, index_.view(), distance, with_markers); });
  }
  [[nodiscard]] std::uint64_t rows() const override { return index_.rows(); }
  [[nodiscard]] std::uint64_t num_blocks() const override { return index_.num_blocks(); }
  [[nodiscard]] std::uint64_t num_ends() const override { return index_.num_ends(); }
  [[nodiscard]] std::uint64_t bytes() const override { return index_.bytes(); }
  [[nodiscard]] std::size_t memory() const override { return memory_; }
  [[nodiscard]] std::size_t peak_memory() const override {
    return with_([](B& backend) { return backend.pool().peak(); });
  }

 private:
  With with_;
  std::size_t memory_;
  run_index<B> index_;
};

}  // namespace ordo::inline v0::suffix::run_length
