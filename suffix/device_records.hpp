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
#include "suffix/sort/build.hpp"
#include "suffix/text/append_fasta.hpp"

// Records whose residues are parsed to a machine's memory, and stay there.
namespace ordo::suffix::detail {

/// Such records on a GPU, for who knows no GPU.
class records_on_gpu {
 public:
  virtual ~records_on_gpu() = default;
  /// Adds the records of a text; their names and starts go to `to`. @throws as append_fasta
  virtual void append(fasta& to, std::string const& name, source& from, fasta_options const& how) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// The arrays to sinks; the residues, too, if there is a sink for them: while the others are made. Nothing more can be
  /// appended then. @throws out_of_memory  before any array has been stored; but `residues` has all then
  /// @returns the GPU's peak memory
  virtual std::size_t build(fasta const& about, results<std::uint32_t> const& to, sink* residues, options const& how) = 0;
  virtual std::size_t build(fasta const& about, results<std::uint64_t> const& to, sink* residues, options const& how) = 0;
  /// Adds the residues to the host's.
  virtual void bring(host_bytes& to) = 0;

 protected:
  records_on_gpu() = default;
  records_on_gpu(records_on_gpu const&) = default;
  records_on_gpu& operator=(records_on_gpu const&) = default;
};

/// @param bytes  of all texts, as far as is known. In suffix_cuda.cu
std::unique_ptr<records_on_gpu> make_records_on_cuda(machine_options const& how, unsigned gpu_index, std::uint64_t bytes);

constexpr std::size_t unpacked_at_once = std::size_t{32} << 20;

/// take(residues, offset) for parts of the text, one after the other, in the machine's memory.
template <Backend B, class Take>
void unpack(B& machine, packed_view text, std::size_t n, Take take) {
  auto const part = machine.template buffer<char>(std::min(n, unpacked_at_once));
  for (std::size_t at = 0; at < n; at += part.size()) {
    std::size_t const size = std::min(part.size(), n - at);
    machine.each(size, unpack_letters{text, at, part.data()});
    take(std::span<char const>(part.span().first(size)), at);
  }
}

/// See records_on_gpu.
template <Backend B>
class records_on {
 public:
  records_on(B& machine, std::uint64_t bytes) : machine_(machine), residues_(machine) { residues_.reserve(bytes); }

  void append(fasta& to, std::string const& name, source& from, fasta_options const& how, fasta_sizes const& sizes) {
    append_on(machine_, to, residues_, name, from, how, sizes);
  }
  [[nodiscard]] std::size_t size() const { return packed_ ? packed_->size() : residues_.size(); }

  /// @param on_another  on_another(f) calls f(machine) with a second machine that shares this one's memory
  template <class Index, class OnAnother>
  void build(fasta const& about, results<Index> const& to, sink* residues, options const& how, OnAnother on_another) {
    if (how.on_phase) how.on_phase("sort", size());
    if (!packed_) {
      packed_.emplace(machine_, residues_.span(), about.starts);
      residues_.clear();
    }
    std::future<void> stored;
    if (residues) {
      packed_->finish(machine_);
      stored = std::async([&] {  // behind the arrays if no thread can be had
        on_another([&](B& other) {
          unpack(other, packed_->view(), size(),
                 [&](std::span<char const> part, std::size_t at) { other.store(part, *residues, at); });
        });
      });
    }
    try {
      build_arrays(machine_, *packed_, to, how);
    } catch (out_of_memory const&) {
      if (residues) stored.get();
      throw;
    }
    if (residues) stored.get();
  }

  void bring(host_bytes& to) {
    std::size_t const before = to.size();
    to.resize(before + size());
    std::span<char> const room = to.span().subspan(before);
    if (!packed_)
      machine_.download(residues_.span(), std::span<unsigned char>(reinterpret_cast<unsigned char*>(room.data()), room.size()));
    else
      unpack(machine_, packed_->view(), size(),
             [&](std::span<char const> part, std::size_t at) { machine_.download(part, room.subspan(at, part.size())); });
  }

 private:
  B& machine_;
  residues_on_machine<B> residues_;
  std::optional<packed_text<B>> packed_;
};

}  // namespace ordo::suffix::detail
