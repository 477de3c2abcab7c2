#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ordo/host_bytes.hpp"
#include "suffix/arrays/build.hpp"
#include "suffix/text/read_fasta.hpp"

// Records whose residues are parsed in a machine's memory, and stay there.
namespace ordo::inline v0::suffix::detail {

/// Type-erased records on a GPU, for code that is compiled without CUDA.
class records_on_gpu {
 public:
  virtual ~records_on_gpu() = default;
  /// Appends the records of a text; names and starts go to `to`.
  /// @throws as append_fasta
  virtual void append(fasta& to, std::string const& name, source& from, fasta_options const& options) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Builds the arrays into sinks and, if `residues` is not null, writes the residues to it at the same time. Afterwards
  /// nothing can be appended.
  /// @returns the peak use of GPU memory
  /// @throws out_of_memory  before any array has been stored; `residues` is complete then
  virtual std::size_t build(fasta const& records, results<std::uint32_t> const& to, sink* residues,
                            build_options const& options) = 0;
  virtual std::size_t build(fasta const& records, results<std::uint64_t> const& to, sink* residues,
                            build_options const& options) = 0;
  /// Appends the residues to host memory.
  virtual void download(host_bytes& to) = 0;

 protected:
  records_on_gpu() = default;
  records_on_gpu(records_on_gpu const&) = default;
  records_on_gpu& operator=(records_on_gpu const&) = default;
};

/// Creates records on a GPU, in on_cuda.cu.
/// @param bytes  the bytes of all texts, as far as known
std::unique_ptr<records_on_gpu> make_records_on_cuda(machine_options const& options, unsigned gpu_index, std::uint64_t bytes);

constexpr std::size_t unpacked_at_once = std::size_t{32} << 20;

/// Calls take(residues, offset) for consecutive parts of the text, in the backend's memory.
template <Backend B, class Take>
void unpack(B& backend, packed_view text, std::size_t n, Take take) {
  auto const part = backend.template buffer<char>(std::min(n, unpacked_at_once));
  for (std::size_t at = 0; at < n; at += part.size()) {
    std::size_t const size = std::min(part.size(), n - at);
    backend.each(size, unpack_letters{text, at, part.data()});
    take(std::span<char const>(part.span().first(size)), at);
  }
}

/// Implements records_on_gpu on any backend.
template <Backend B>
class records_on {
 public:
  records_on(B& backend, std::uint64_t bytes) : backend_(backend), residues_(backend) { residues_.reserve(bytes); }

  void append(fasta& to, std::string const& name, source& from, fasta_options const& options, fasta_sizes const& sizes) {
    append_on(backend_, to, residues_, name, from, options, sizes);
  }
  [[nodiscard]] std::size_t size() const { return packed_ ? packed_->size() : residues_.size(); }

  /// @param on_another  on_another(f) calls f(backend) with a second backend that shares this one's memory
  template <class Index, class OnAnother>
  void build(fasta const& records, results<Index> const& to, sink* residues, build_options const& options,
             OnAnother on_another) {
    if (options.on_phase) options.on_phase("sort", size());
    if (!packed_) {
      packed_.emplace(backend_, residues_.span(), records.starts);
      residues_.clear();
    }
    std::future<void> stored;
    if (residues) {
      packed_->finish(backend_);
      stored = std::async([&] {  // after the arrays if no thread is available
        on_another([&](B& other) {
          unpack(other, packed_->view(), size(),
                 [&](std::span<char const> part, std::size_t at) { other.store(part, *residues, at); });
        });
      });
    }
    try {
      build_arrays(backend_, *packed_, to, options);
    } catch (out_of_memory const&) {
      if (residues) stored.get();
      throw;
    }
    if (residues) stored.get();
  }

  void download(host_bytes& to) {
    std::size_t const before = to.size();
    to.resize(before + size());
    std::span<char> const room = to.span().subspan(before);
    if (!packed_)
      backend_.download(residues_.span(), std::span<unsigned char>(reinterpret_cast<unsigned char*>(room.data()), room.size()));
    else
      unpack(backend_, packed_->view(), size(),
             [&](std::span<char const> part, std::size_t at) { backend_.download(part, room.subspan(at, part.size())); });
  }

 private:
  B& backend_;
  residues_on_machine<B> residues_;
  std::optional<packed_text<B>> packed_;
};

}  // namespace ordo::inline v0::suffix::detail
