#include "tools/sufsort/building/build_memory.hpp"

#include <fmt/format.h>

#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

unsigned width_for(std::string const& wanted, std::size_t residues, std::size_t records) {
  bool const narrow = suffix::index_fits(4, residues, records), fits_40 = suffix::index_fits(5, residues, records);
  if ((wanted == "32" && !narrow) || (wanted == "40" && !fits_40))
    throw usage_error(fmt::format("too few bits: --width {}: {} residues in {} records need {} bits", wanted, residues, records,
                                  fits_40 ? 40 : 64));
  if (wanted != "auto") return wanted == "32" ? 32 : wanted == "40" ? 40 : 64;
  return narrow ? 32 : fits_40 ? 40 : 64;
}

std::string needed_memory::advice(memory_limits const& limits, std::size_t reading) const {
  return limits.advice_for_text(std::max(reading, total(sorting.min_bytes)), std::max(reading, total(sorting.max_bytes)));
}

held_memory held_by(build_options const& options, std::size_t n, std::size_t records, unsigned width) {
  std::size_t const piece_bytes = 3 * sizeof(std::uint64_t), record_bytes = 3 * sizeof(std::uint64_t);
  std::size_t const array = suffix::num_sorted_suffixes(n, records, options.policy.rows()) * (width == 32 ? 4 : 8);
  return {n * suffix::bytes_per_residue(options.format) + records * (record_bytes + (options.policy.cuts() ? piece_bytes : 0)),
          array + (options.what.lcp ? array : 0) + (options.what.bwt ? n + records : 0)};
}

needed_memory needed_by(build_options const& options, std::size_t n, std::size_t records, unsigned width, std::size_t table) {
  return {held_by(options, n, records, width),
          suffix::build_memory(device::cpu, n, records, width == 32 ? 4 : 8, options.what, options.policy.rows(),
                               suffix::bytes_per_residue(options.format)),
          table};
}

std::size_t likely_table(kmer_options const& options, unsigned width) {
  return std::size_t(suffix::kmer_set{options.length, "ACGT"}.count().value_or(0)) * (width / 8);
}

[[noreturn]] void refuse_large(suffix::records_too_large const& e, build_options const& options) {
  std::size_t const n = std::size_t(e.residues()), records = std::size_t(e.records());
  unsigned const width = width_for(options.width, n, records);
  needed_memory const needed = needed_by(options, n, records, width, likely_table(options.kmers, width));
  std::size_t const reading = (e.bytes() + 2) / 3 * 4 + 4,
                    min_bytes = std::max(reading, needed.total(needed.sorting.min_bytes));
  std::string const advice = e.all() ? needed.advice(options.memory, reading) : options.memory.advice(min_bytes, "may suffice");
  throw out_of_memory(fmt::format("{}: {}", e.what(), advice), min_bytes);
}

[[noreturn]] void refuse_large(out_of_memory const& e, build_options const& options) {
  std::size_t const n = e.bytes() / suffix::bytes_per_residue(options.format);
  needed_memory const needed = needed_by(options, n, 1, width_for(options.width, n, 1), 0);
  std::size_t const min_bytes = std::max((e.bytes() + 2) / 3 * 4 + 4, needed.total(needed.sorting.min_bytes));
  throw out_of_memory(fmt::format("{}: {}", e.what(), options.memory.advice(min_bytes, "may suffice")), min_bytes);
}

}  // namespace ordo::inline v0::sufsort
