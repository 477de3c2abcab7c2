#include "ordo/suffix/build_fasta.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/arrays/device_records.hpp"

namespace ordo::inline v0::suffix {

loaded_fasta::loaded_fasta(fasta_texts const& texts, extra_arrays extra, machine_options const& machine,
                           fasta_options const& options, policy const& rules)
    : given_(machine), policy_(rules) {
  fasta_options reading = options;
  reading.keep_case |= rules.masked != masked_letters::fold;
  std::size_t const bytes = std::size_t(texts.bytes) * (rules.strands == strands::both ? 2 : 1);
  machine_ = choose_machine(machine, bytes, detail::min_gpu_bytes(machine.threads), [&](gpu_info const&) {
    return build_memory(device::gpu, bytes, 1, index_fits(4, bytes, 1) ? 4 : 8, extra, rules.rows()).min_bytes;
  });
  if constexpr (cuda_enabled) {
    if (machine_.device == device::gpu && !rules.cuts()) {
      try {
        gpu_ = detail::make_records_on_cuda(machine, machine_.gpu_index, bytes);
        read(texts, reading);
        return;
      } catch (out_of_memory const& e) {
        gpu_ = nullptr;
        if (machine_.required || !texts.reopen) throw;
        machine_ = {device::cpu, e.what(), true, false, 0};
        all_ = {};
      }
    }
  }
  read(texts, reading);
  if (rules.cuts()) cut(reading);
}

void loaded_fasta::cut(fasta_options const& options) {
  text const whole = all_.view();
  for (std::size_t r = 0; r < whole.records(); ++r) lengths_.push_back(whole.end(r) - whole.begin(r));
  try {
    cut_ = cut_records(all_, policy_, options.memory - std::min(options.memory, whole.size()), options.machine.threads);
  } catch (records_too_large const& e) {  // besides the records that were read
    throw records_too_large(e.what(), whole.size() + e.bytes(), e.residues(), e.records(), e.all());
  }
  all_.residues = {};
  suffix::pieces const made = cut_->pieces();
  for (std::size_t i = made.size(); i-- != 0;)
    all_.starts[made.source_record(i)] = made.begins()[i];  // backwards, so that the first piece of a record is stored last
}

loaded_fasta::~loaded_fasta() = default;
loaded_fasta::loaded_fasta(loaded_fasta&& other) noexcept = default;
loaded_fasta& loaded_fasta::operator=(loaded_fasta&& other) noexcept = default;

std::size_t loaded_fasta::size() const noexcept {
  return gpu_ ? gpu_->size() : cut_ ? cut_->residues.size() : all_.residues.size();
}

void loaded_fasta::read(fasta_texts const& texts, fasta_options const& options) {
  fasta_options each = options;
  if (each.machine.kind() != device::cpu)
    each.machine = {device::cpu, options.machine.threads};  // texts for the host are parsed by the CPU
  std::string large;
  detail::fasta_totals totals;
  std::uint64_t before = 0, bytes = 0;
  each.on_progress = [&](std::uint64_t more) {
    bytes = more;
    if (options.on_progress) options.on_progress(before + bytes);
  };
  for (std::size_t k = 0; k < texts.count; ++k) {
    fasta_texts::opened const text = texts.open(k);
    each.expected = text.expected;
    if (gpu_)
      gpu_->append(all_, text.name, *text.from, each);
    else
      detail::append_on_host(all_, text.name, *text.from, each, totals);
    if (!totals.kept && large.empty()) large = text.name;
    before += std::exchange(bytes, 0);
  }
  if (totals.kept) return;
  std::uint64_t const made = policy_.strands == strands::both ? 2 : 1;
  std::size_t const more = policy_.cuts() ? cut_memory(totals.residues, totals.records, policy_.strands) : 0;
  throw records_too_large(detail::large_records(large, totals, options.memory), std::size_t(totals.memory()) + more,
                          made * totals.residues, made * totals.records, !policy_.breaks());
}

template <class Index>
build_report loaded_fasta::build_into(sinks const& out, sink& residues, build_options const& options) {
  std::size_t const n = size();
  residues.expect(n);
  bool stored = false;
  if (gpu_) {
    try {
      detail::results<Index> const to{{out.lcp != nullptr, out.bwt != nullptr}, {}, out, policy_.rows()};
      detail::expect_arrays(n, all_.starts, out, sizeof(Index), to.rows);
      return {machine_, gpu_->build(all_, to, &residues, options)};
    } catch (out_of_memory const& e) {
      if (machine_.required) {
        extra_arrays const extra{out.lcp != nullptr, out.bwt != nullptr};
        detail::refuse_on_gpu(e, n,
                              build_memory(device::gpu, n, all_.starts.size(), sizeof(Index), extra, policy_.rows()).max_bytes);
      }
      machine_ = {device::cpu, e.what(), true, false, 0};
      stored = true;
      gpu_->download(all_.residues);
      gpu_ = nullptr;
    }
  }
  build_options here = options;
  here.rows = policy_.rows();
  here.machine = machine_.fell_back ? machine_options{device::cpu, given_.threads} : given_;
  // Whole records on the host were read for the CPU; a cut text is for any machine.
  if (!here.machine.on && !cut_) here.machine.device = device::cpu;
  text const input = cut_ ? cut_->view() : all_.view();
  // Writes the text in parallel with the build; after it if no thread is available.
  std::future<void> writing;
  if (!stored) writing = std::async([&] { store(input.residues, residues, given_.threads); });
  build_report done = suffix::build_into<Index>(input, out, here);
  if (!stored) writing.get();
  if (!cut_) done.machine = machine_;
  return done;
}

template build_report loaded_fasta::build_into<std::uint32_t>(sinks const&, sink&, build_options const&);
template build_report loaded_fasta::build_into<std::uint64_t>(sinks const&, sink&, build_options const&);

}  // namespace ordo::inline v0::suffix
