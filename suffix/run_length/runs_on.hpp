#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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
  /// Copies the codes of the next batch to the machine, if there is room, while another thread inserts the one before.
  virtual void upload_ahead(batch const& next) = 0;
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
      with_([&](B&) {
        index_ = {};
        ahead_.codes = {};
      });
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
    return with_([&](B& backend) {
      if (auto const ahead = consume_ahead(backend, records); ahead.size() != 0)
        return run_length::insert(backend, index_, records, ahead.data(), options, counts);
      return run_length::insert(backend, index_, records, options, counts);
    });
  }
  void upload_ahead(batch const& next) override {
    if constexpr (copies_beside) {
      std::lock_guard const turn(ahead_.turn);
      std::size_t const size = next.codes.size();
      if (ahead_.size != 0 || room_for(size) > ahead_.codes.size()) return;
      with_.upload_beside(ahead_.codes.data(), next.codes.data(), size);
      ahead_.from = next.codes.data();
      ahead_.size = size;
    }
  }
  [[nodiscard]] run_arrays download() override {
    return with_([&](B& backend) { return index_.download(backend); });
  }
  [[nodiscard]] sampled_rows sample(std::uint64_t distance, bool with_markers) override {
    return with_([&](B& backend) {
      ahead_.codes = {};  // nothing is inserted now
      ahead_.size = 0;
      return sampled_rows(backend, index_.view(), distance, with_markers);
    });
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
  static constexpr bool copies_beside = requires(With const& with) { with.upload_beside(nullptr, nullptr, std::size_t{}); };

  // Codes are read by words.
  static std::size_t room_for(std::size_t codes) { return codes + 2 * sizeof(std::uint64_t); }
  /// Returns the codes of a batch if they are here already, else none, and makes room for those of the next one.
  buffer<std::uint8_t> consume_ahead(B& backend, batch const& records) {
    buffer<std::uint8_t> codes;
    if constexpr (copies_beside) {
      constexpr std::size_t min_size = std::size_t{1} << 20;
      std::lock_guard const turn(ahead_.turn);
      std::size_t const size = records.codes.size();
      if (ahead_.size == size && ahead_.from == records.codes.data()) {
        codes = std::exchange(ahead_.codes, {});
        ahead_.size = 0;
      }
      if (ahead_.size == 0 && size >= min_size && room_for(size) > ahead_.codes.size()) try {
          ahead_.codes = {};
          ahead_.codes = backend.template buffer<std::uint8_t>(room_for(size));
        } catch (out_of_memory const&) {  // the next batch is copied when it is inserted
        }
    }
    return codes;
  }

  With with_;
  std::size_t memory_;
  run_index<B> index_;
  struct {
    std::mutex turn;
    buffer<std::uint8_t> codes;
    std::uint8_t const* from = nullptr;  // the codes of the next batch in host memory, of which there are copies
    std::size_t size = 0;                // and their number; 0: there are no copies
  } ahead_;
};

}  // namespace ordo::inline v0::suffix::run_length
