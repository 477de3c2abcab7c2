#include "tools/sufsort/building/merged_records.hpp"

#include <algorithm>
#include <future>
#include <string>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::sufsort {

void check_mergeable(suffix::index_description const& first, std::string const& first_name,
                     suffix::index_description const& second, std::string const& second_name) {
  auto const refuse = [&](std::string const& why) {
    throw input_error(fmt::format("cannot merge: {}.json, {}.json: {}", first_name, second_name, why));
  };
  if (first.input != second.input)
    refuse(fmt::format("their formats differ: {} and {}", suffix::input_words[std::size_t(first.input)],
                       suffix::input_words[std::size_t(second.input)]));
  if (suffix::bytes_per_residue(first.input) != 1) refuse("they are of tokens: build an index of all files");
  if (first.policy != second.policy) refuse("their policies differ (strands, ambiguous letters, case or sample)");
  if (!first.policy.rows().all()) refuse("rows are left out: build an index of all files");
  if (first.separator != second.separator) refuse("their separators differ");
  if (first.field != second.field) refuse("their fields differ");
}

merged_records::merged_records(merged_part const& first, merged_part const& second, suffix::fm_index const& fm,
                               unsigned threads)
    : first_(first), second_(second), fm_(fm), threads_(threads) {
  std::uint64_t const shift = first.input.size(), records = first.about.records();
  residues_.reserve(first.input.size() + second.input.size());
  residues_.append(first.input.residues);
  residues_.append(second.input.residues);
  for (std::size_t r = 0; r < first.input.records(); ++r) starts_.push_back(first.input.begin(r));
  for (std::size_t r = 0; r < second.input.records(); ++r) starts_.push_back(shift + second.input.begin(r));
  if (first.pieces.empty()) return;
  // Starts, then numbers of records and directions, then offsets.
  auto const columns = [](suffix::pieces const& of, std::size_t k) { return of.columns().subspan(k * of.size(), of.size()); };
  std::uint64_t const by[3] = {shift, 2 * records, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    std::ranges::copy(columns(first.pieces, k), std::back_inserter(columns_));
    for (std::uint64_t const value : columns(second.pieces, k)) columns_.push_back(value + by[k]);
  }
}

suffix::build_report merged_records::merge_into(suffix::sinks const& out, sink& residues,
                                                suffix::build_options const& options) const {
  if (options.on_phase) options.on_phase("merge", size());
  residues.expect(size());
  std::future<void> writing = std::async([&] { suffix::store(residues_.span(), residues, threads_); });
  suffix::text const all{this->residues(), starts_};
  std::size_t const first_records = first_.input.records();
  suffix::text const first{all.residues.substr(0, first_.input.size()), std::span(starts_).first(first_records)};
  std::size_t memory = options.memory;
  std::vector<char> file;
  suffix::fm_index made;
  if (fm_.empty()) {  // without positions: only ranks are needed
    file = suffix::make_fm_index(first, first_.arrays.sa, std::max<std::size_t>(first.size(), 1), "sa", threads_, memory);
    memory -= std::min(memory, file.size());
    made = suffix::fm_index(file, first, "fm");
  }
  suffix::merge_arrays(all, first_records, first_.arrays, second_.arrays, fm_.empty() ? made : fm_, out, {threads_, memory});
  writing.get();
  suffix::build_report report;
  report.machine.reason = "merges are made by the CPU";
  return report;
}

void merged_records::describe_records(suffix::index_description& about, index_writer& writer) const {
  std::uint64_t const shift = first_.input.size();
  suffix::index_description const &a = first_.about, &b = second_.about;
  about.names = a.names;
  for (std::size_t r = 0; r < b.names.size(); ++r) about.names.push_back(b.names[r]);
  about.starts = a.starts;
  for (std::uint64_t const start : b.starts) about.starts.push_back(shift + start);
  about.lengths = a.lengths;
  about.lengths.insert(about.lengths.end(), b.lengths.begin(), b.lengths.end());
  if (about.input == suffix::input_format::fasta) return;
  about.separator = a.separator;
  about.field = a.field;
  about.is_cut = a.is_cut || b.is_cut;
  about.files = a.files;
  for (suffix::input_file file : b.files) {
    file.first_record += a.records();
    about.files.push_back(std::move(file));
  }
  std::span<std::uint64_t const> const starts(starts_);
  suffix::store({reinterpret_cast<char const*>(starts.data()), starts.size_bytes()}, *writer.to("starts"), threads_);
}

}  // namespace ordo::inline v0::sufsort
