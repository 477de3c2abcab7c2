#include "suffix/build_fasta.hpp"

#include <future>
#include <utility>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "sort_core/worth_a_gpu.hpp"
#include "suffix/index.hpp"
#include "suffix/records_on.hpp"

namespace ordo::suffix {

loaded_fasta::loaded_fasta(fasta_texts const& texts, wanted what, machine_options const& machine, fasta_options const& how)
    : given_(machine) {
  std::size_t const bytes = std::size_t(texts.bytes);
  machine_ = choose(machine, bytes, worth_a_gpu(suffix_array_rates, machine.threads), [&](gpu_info const&) {
    return memory_needed(device::gpu, bytes, 1, index_fits(4, bytes, 1) ? 4 : 8, what).least;
  });
  if constexpr (cuda_enabled) {
    if (machine_.where == device::gpu) {
      try {
        gpu_ = detail::make_records_on_cuda(machine, machine_.gpu_index, bytes);
        read(texts, how);
        return;
      } catch (out_of_memory const& e) {
        gpu_ = nullptr;
        if (machine_.asked || !texts.reopen) throw;
        machine_ = {device::cpu, e.what(), true, false, 0};
        all_ = {};
      }
    }
  }
  read(texts, how);
}

loaded_fasta::~loaded_fasta() = default;
loaded_fasta::loaded_fasta(loaded_fasta&& other) noexcept = default;
loaded_fasta& loaded_fasta::operator=(loaded_fasta&& other) noexcept = default;

std::size_t loaded_fasta::size() const noexcept {
  return gpu_ ? gpu_->size() : all_.residues.size();
}

void loaded_fasta::read(fasta_texts const& texts, fasta_options const& how) {
  fasta_options each = how;
  std::uint64_t before = 0, bytes = 0;
  each.on_progress = [&](std::uint64_t more) {
    bytes = more;
    if (how.on_progress) how.on_progress(before + bytes);
  };
  for (std::size_t k = 0; k < texts.count; ++k) {
    fasta_texts::opened const text = texts.open(k);
    each.expected = text.expected;
    if (gpu_)
      gpu_->append(all_, text.name, *text.from, each);
    else
      append_fasta(all_, text.name, *text.from, each);
    before += std::exchange(bytes, 0);
  }
}

template <class Index>
report loaded_fasta::build_into(sinks const& out, sink& residues, options const& how) {
  std::size_t const n = size();
  residues.expect(n);
  bool stored = false;
  if (gpu_) {
    try {
      detail::results<Index> const to{{out.lcp != nullptr, out.bwt != nullptr}, {}, out};
      detail::expect_arrays(n, all_.starts, out, sizeof(Index));
      return {machine_, gpu_->build(all_, to, &residues, how)};
    } catch (out_of_memory const& e) {
      if (machine_.asked) throw;
      machine_ = {device::cpu, e.what(), true, false, 0};
      stored = true;
      gpu_->bring(all_.residues);
      gpu_ = nullptr;
    }
  }
  options here = how;
  here.machine = machine_.fell_back ? machine_options{device::cpu, given_.threads} : given_;
  if (!here.machine.on) here.machine.where = device::cpu;
  // The text is written while it is worked on; behind that if no thread can be had.
  std::future<void> writing;
  if (!stored) writing = std::async([&] { store({all_.residues.data(), n}, residues, given_.threads); });
  report done = suffix::build_into<Index>(all_.view(), out, here);
  if (!stored) writing.get();
  done.machine = machine_;
  return done;
}

template report loaded_fasta::build_into<std::uint32_t>(sinks const&, sink&, options const&);
template report loaded_fasta::build_into<std::uint64_t>(sinks const&, sink&, options const&);

}  // namespace ordo::suffix
