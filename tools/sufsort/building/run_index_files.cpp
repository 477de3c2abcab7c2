#include "tools/sufsort/building/run_index_files.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/fmd.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/files/records_ahead.hpp"
#include "tools/sufsort/files/reference_reader.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Reads records, and inserts them.
void add_files(suffix::run_length_index& index, suffix::index_description& about, build_options const& options,
               input_progress& inputs, cli::common_options const& common, reporter& report) {
  records_ahead records(options.files, common, options.memory.host_bytes(), [](cli::input& in) {
    expect_fasta(in.name(), in.front(4096), "an index of runs is of FASTA");
  });
  records.each(
      [&](std::string_view header, std::string_view letters, std::uint64_t of_file) {
        inputs.at(of_file, letters.size());
        report.progress.at(of_file);
        about.names.push_back(name_and_comment(header).first);
        about.starts.push_back(about.residues);
        about.lengths.push_back(letters.size());
        about.residues += 2 * letters.size();
        index.add(letters);
      },
      [&](std::uint64_t of_file) {
        inputs.at(of_file, 0);
        inputs.begin_file();
        if (options.files.size() > 1) index.end_genome();
      });
  index.finish();
}

/// Returns the columns of the pieces: each record, and its reverse complement.
std::vector<std::uint64_t> columns_of_pieces(suffix::index_description const& about) {
  std::vector<std::uint64_t> columns;
  for (std::size_t r = 0; r < about.starts.size(); ++r)
    for (std::uint64_t const strand : {0, 1}) columns.push_back(about.starts[r] + strand * about.lengths[r]);
  for (std::size_t r = 0; r < about.starts.size(); ++r)
    for (std::uint64_t const strand : {0, 1}) columns.push_back(2 * r + strand);
  columns.resize(columns.size() / 2 * 3);
  return columns;
}

}  // namespace

int build_run_index(build_options const& options, cli::common_options const& common, reporter& report,
                    suffix::stored_index const* base) try {
  index_writer writer(options.prefix, {"rlfm", "pieces"});
  suffix::index_description about;
  about.policy.strands = suffix::strands::both;
  input_progress inputs(options.files);
  suffix::run_length_options inserting;
  inserting.machine = common.machine();
  inserting.memory = options.memory.host_bytes();
  inserting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  inserting.marks_genomes = options.files.size() > 1;
  inserting.letters_to_come = [&] { return inputs.letters_to_come(); };
  suffix::run_length_index index(inserting);
  if (base) {
    about.names = base->description().names;
    about.starts = base->description().starts;
    about.lengths = base->description().lengths;
    about.residues = base->description().residues;
    index.read(base->fm());
  }
  report.phase("read");
  add_files(index, about, options, inputs, common, report);
  if (about.starts.empty())
    throw input_error(fmt::format("no records: {}: an index needs at least one", options.files.front()));
  if (!common.quiet) warn_of_names(about.names, common.threads);
  about.width = width_for(options.width, about.residues, 2 * about.starts.size());
  about.fm_sample = options.sample();
  std::vector<std::uint64_t> const columns = columns_of_pieces(about);
  suffix::store({reinterpret_cast<char const*>(columns.data()), columns.size() * sizeof(columns[0])}, *writer.to("pieces"),
                common.threads);
  report.phase("samples", index.rows());
  index.write_index(*writer.to("rlfm"), about.width, about.fm_sample);
  {
    suffix::mapped_file const file = writer.completed("rlfm");
    suffix::text const input{{nullptr, about.residues}, suffix::pieces(columns).begins()};
    about.fm_letters = suffix::fm_index(file.bytes(), input, writer.path("rlfm")).letters();
  }
  report.stats.input(inputs.letters());
  report.stats.machine(index.report().machine);
  report.stats.device_memory(index.report().device_memory);
  report.phase("finish");
  about.arrays = writer.written();
  writer.commit(about, options.expected_sum);
  return 0;
} catch (out_of_memory const& e) {
  if (e.bytes() == 0) throw;
  throw out_of_memory(fmt::format("{}: {}", e.what(), options.memory.advice(e.bytes(), "suffices if it grows so")), e.bytes());
}

void export_run_index(std::string const& name, std::string const& output, cli::common_options const& common, reporter& report) {
  suffix::run_length_options options;
  options.machine = common.machine();
  suffix::run_length_index index(options);
  std::deque<cli::output> files;
  for (char const* const end : {".bwt.heads", ".bwt.len"}) files.emplace_back(output + end, cli::output::replacing::by_rename);
  for (cli::output const& file : files) file.refuse_inputs(std::vector<std::string>{name});
  if (is_run_length_file(name)) {
    cli::input in(name, cli::compression::none);
    index.read(in, in.name());
  } else {
    suffix::stored_index const stored(name);
    if (!stored.has_runs())
      throw input_error(fmt::format("no runs: {}: build the index with --fm=run-length", stored.path("json")));
    for (cli::output const& file : files) refuse_output(name, file);
    index.read(stored.fm());
  }
  report.stats.input(index.rows());
  report.phase("export", index.rows());
  std::string heads, lengths;
  bool has_end = false;
  auto const put = [&](char head, std::uint64_t rows) {
    constexpr std::uint64_t max_rows = (std::uint64_t{1} << 40) - 1;
    for (; rows != 0; rows -= std::min(rows, max_rows)) {
      std::uint64_t const length = std::min(rows, max_rows);
      heads += head;
      lengths.append(reinterpret_cast<char const*>(&length), 5);  // on little-endian machines
    }
    write_some(files[0], heads);
    write_some(files[1], lengths);
  };
  index.each_run([&](char letter, std::uint64_t rows) {
    if (letter == '$' && !has_end) {
      put('\0', 1);
      has_end = true;
      --rows;
    }
    put(letter == '$' ? '%' : letter == 'N' ? 'Z' : letter, rows);
  });
  write_some(files[0], heads, 0);
  write_some(files[1], lengths, 0);
  report.phase("finish");
  commit_together(files, 0);
}

}  // namespace ordo::inline v0::sufsort
