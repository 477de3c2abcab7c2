#include "tools/sufsort/building/write_index.hpp"

#include <algorithm>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/distributed_build.hpp"
#include "tools/sufsort/kmer_words.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Builds the arrays of records that all members hold. Collective.
/// @param writer  the writer of the first member, which writes the residues, too; null on the others
/// @param width  bits of an entry @param held  bytes of host memory that each member holds
template <class Records>
suffix::distributed_report build_together(communicator& members, Records const& records, index_writer* writer,
                                          build_options const& options, cli::common_options const& common,
                                          suffix::build_options sorting, unsigned width, std::size_t held) {
  suffix::text const input = records.view();
  check_same_text(members, input, common.threads);
  sorting.machine = common.machine();
  sorting.rows = options.policy.rows();
  std::size_t const here = cli::members_on_host(members);
  sorting.memory = options.memory.host_bytes(here * held) / here;
  shared_arrays files(members, writer, options.parts, width);
  std::future<void> writing;
  if (writer) writing = std::async([&] { suffix::store(input.residues, *writer->to("seq"), common.threads); });
  suffix::output_opener const open = [&](std::string_view array, std::uint64_t bytes) { return files.open(array, bytes); };
  suffix::distributed_report const done =
      width == 32 ? suffix::build_into<std::uint32_t>(members, input, options.extra, open, width / 8, sorting)
                  : suffix::build_into<std::uint64_t>(members, input, options.extra, open, width / 8, sorting);
  files.finish();
  if (writer) writing.get();
  return done;
}

/// Does the same with several GPUs of this process.
template <class Records>
suffix::build_report build_with(std::vector<machine_options> const& machines, Records const& records, suffix::sinks const& out,
                                sink& residues, build_options const& options, cli::common_options const& common,
                                suffix::build_options sorting, unsigned width) {
  suffix::text const input = records.view();
  sorting.rows = options.policy.rows();
  std::future<void> writing = std::async([&] { suffix::store(input.residues, residues, common.threads); });
  suffix::distributed_report const done = width == 32 ? suffix::build_into<std::uint32_t>(machines, input, out, sorting)
                                                      : suffix::build_into<std::uint64_t>(machines, input, out, sorting);
  writing.get();
  return done.build;
}

template <class Records>
int help(communicator& members, Records const& records, build_options const& options, cli::common_options const& common,
         reporter& report) {
  unsigned const width = width_for(options.width, records.size(), records.records());
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  suffix::distributed_report const done = build_together(members, records, nullptr, options, common, sorting, width,
                                                         held_by(options, records.size(), records.records(), width).text);
  report.stats.machine(done.build.machine);
  report.stats.device_memory(done.build.device_memory);
  report.phase("finish");
  report.stats.add_members(members, done.exchanged);
  return 0;
}

template <class Records>
int write(Records& records, index_writer& writer, build_options const& options, cli::common_options const& common,
          reporter& report, communicator* members) {
  std::size_t const n = records.size();
  unsigned const width = width_for(options.width, n, records.records());
  bool const on_host = n == 0 || !records.residues().empty();
  needed_memory needed = needed_by(options, n, records.records(), width, 0);
  needed.held.text += bytes_of_names(records);
  held_memory const held{on_host ? needed.held.text : needed.held.text - n, needed.held.results};
  auto const check_table = [&](suffix::kmer_set const& words) {
    needed.table = table_bytes(words, width);
    check_memory(words, width, options.memory.host_bytes(held.text),
                 on_host ? needed.advice(options.memory) : options.memory.advice(needed.table));
  };
  std::optional<suffix::kmer_set> words;  // known before the sort, unless the length depends on the rows
  if (options.kmers.length != 0 && on_host) {
    words = words_for(records.residues(), options.kmers,
                      suffix::num_sorted_suffixes(n, records.records(), options.policy.rows()), width);
    check_table(*words);
  }
  suffix::build_options sorting;
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  std::size_t const available = options.memory.host_bytes(held.text);
  sorting.memory = available - std::min(available, held.results);

  writer.set_width(width);
  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt"), width / 8};
  sink& residues = *writer.to("seq");
  suffix::build_report done;
  std::uint64_t exchanged = 0;
  try {
    bool const is_alone = !members && !common.are_several();
    if constexpr (requires { records.view(); }) {
      if (members) {
        suffix::distributed_report const all =
            build_together(*members, records, &writer, options, common, sorting, width, held.text);
        done = all.build;
        exchanged = all.exchanged;
      } else if (!is_alone) {
        done = build_with(common.machines(), records, out, residues, options, common, sorting, width);
      }
    }
    if (is_alone)
      done = width == 32 ? records.template build_into<std::uint32_t>(out, residues, sorting)
                         : records.template build_into<std::uint64_t>(out, residues, sorting);
  } catch (suffix::text_too_large const& e) {
    std::size_t const min_bytes = needed.total(e.min_bytes());
    // The library knows nothing of the text and the results, which --memory limits, too.
    throw out_of_memory(
        fmt::format("out of memory: suffix array of {} residues: {}{} bytes are needed in all, {} are available: {}", n,
                    e.min_bytes() > needed.sorting.min_bytes ? "the text is repetitive: up to " : "", min_bytes,
                    options.memory.host_bytes(held.text) + held.text,
                    options.memory.advice_for_text(min_bytes, needed.total(e.bytes()))),
        min_bytes);
  }
  report.stats.machine(done.machine);
  report.stats.device_memory(done.device_memory);

  report.phase("finish", n + held.results);
  suffix::index_description about;
  about.residues = n;
  about.width = width;
  about.policy = options.policy;
  if (options.format != suffix::input_format::fasta) about.policy.masked = suffix::masked_letters::keep;
  if (sink* const to = writer.to("pieces")) {
    auto const columns = records.pieces().columns();
    suffix::store({reinterpret_cast<char const*>(columns.data()), columns.size_bytes()}, *to, common.threads);
  }
  about.input = options.format;
  describe(records, about, writer);
  if (sink* const to = writer.to("kmers")) {
    suffix::mapped_file const letters = writer.completed("seq"), sa = writer.completed("sa");
    suffix::text const input{{letters.bytes().data(), letters.bytes().size()}, starts_of_text(records, about)};
    std::size_t const rows = sa.bytes().size() / (width / 8);
    about.kmers = words ? *words : words_for(input.residues, options.kmers, rows, width);
    check_size(about.kmers, options.kmers, rows, width);
    check_table(about.kmers);
    report.phase("kmers", n);
    std::vector<char> const table =
        suffix::make_kmer_table(input, {sa.bytes(), width}, about.kmers, writer.path("sa"), common.threads);
    suffix::store(table, *to, common.threads);
  }
  if (sink* const to = writer.to("fm")) {
    suffix::mapped_file const letters = writer.completed("seq"), sa = writer.completed("sa");
    suffix::text const input{{letters.bytes().data(), letters.bytes().size()}, starts_of_text(records, about)};
    report.phase("fm", n);
    std::vector<char> const index = suffix::make_fm_index(input, {sa.bytes(), width}, options.sample(), writer.path("sa"),
                                                          common.threads, options.memory.host_bytes(held.text));
    suffix::store(index, *to, common.threads);
    about.fm_sample = options.sample();
    about.fm_letters = suffix::fm_index(index, input, writer.path("fm")).letters();
  }
  if (options.without_sa && writer.to("sa")) writer.discard("sa");
  about.arrays = writer.written();
  if (!options.policy.rows().all()) about.kept_rows = about.find("sa")->bytes / (width / 8);
  writer.commit(about, options.expected_sum);
  if (members) report.stats.add_members(*members, exchanged);
  return 0;
}

}  // namespace

std::vector<std::string_view> build_options::arrays(bool sa) const {
  std::vector<std::string_view> all{"seq"};
  for (auto const& [name, wanted] :
       {std::pair("sa", sa), std::pair("lcp", extra.lcp), std::pair("bwt", extra.bwt), std::pair("pieces", policy.cuts()),
        std::pair("kmers", kmers.wanted), std::pair("fm", fm), std::pair("starts", format != suffix::input_format::fasta)})
    if (wanted) all.emplace_back(name);
  return all;
}

int write_index(loaded_corpus const& records, index_writer& writer, build_options const& options,
                cli::common_options const& common, reporter& report, communicator* members) {
  return write(records, writer, options, common, report, members);
}
int write_index(suffix::loaded_fasta& records, index_writer& writer, build_options const& options,
                cli::common_options const& common, reporter& report, communicator* members) {
  return write(records, writer, options, common, report, members);
}
int help_build(communicator& members, loaded_corpus const& records, build_options const& options,
               cli::common_options const& common, reporter& report) {
  return help(members, records, options, common, report);
}
int help_build(communicator& members, suffix::loaded_fasta const& records, build_options const& options,
               cli::common_options const& common, reporter& report) {
  return help(members, records, options, common, report);
}

build_options recorded_options(suffix::index_description const& about, std::string const& prefix, memory_limits const& memory) {
  build_options options;
  options.prefix = prefix;
  options.memory = memory;
  options.format = about.input;
  options.has_format = true;
  options.policy = about.policy;
  options.extra = {.lcp = about.find("lcp") != nullptr, .bwt = about.find("bwt") != nullptr};
  options.fm = about.find("fm") != nullptr;
  options.fm_runs = about.find("rlfm") != nullptr;
  if (options.fm || options.fm_runs) options.fm_sample = about.fm_sample;
  if (about.find("kmers"))
    options.kmers = {.option = "--kmer-table", .wanted = true, .length = about.kmers.length, .force = true};
  if (suffix::index_array const* const sa = about.find("sa")) options.parts = sa->parts.size();
  bool const narrow = suffix::index_fits(4, about.residues, about.text_records());
  if (about.width > 40 || (about.width == 40 && narrow)) options.width = std::to_string(about.width);
  options.field = about.field;
  for (char const c : about.separator) options.separator += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return options;
}

merged_part to_merged_part(suffix::stored_index const& index) {
  bool const has_lcp = index.description().find("lcp") != nullptr;
  return {index.description(),
          index.view(),
          index.pieces(),
          {index.array("sa"), has_lcp ? index.array("lcp") : suffix::entries(), index.bytes("bwt")}};
}

int write_merged(merged_part const& first, merged_part const& second, suffix::fm_index const& fm, build_options const& options,
                 cli::common_options const& common, reporter& report) {
  index_writer writer(options.prefix, options.arrays(true), options.parts);
  merged_records records(first, second, fm, common.threads);
  if (!common.quiet && options.format == suffix::input_format::fasta) {
    suffix::record_names names = first.about.names;
    for (std::size_t r = 0; r < second.about.names.size(); ++r) names.push_back(second.about.names[r]);
    warn_of_names(names, common.threads);
  }
  return write(records, writer, options, common, report, nullptr);
}

}  // namespace ordo::inline v0::sufsort
