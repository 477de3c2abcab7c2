#include "tools/sufsort/building/run_index_files.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/fmd.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/sufsort/building/build_memory.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/files/reference_reader.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Reads records, and inserts them.
void add_files(suffix::run_length_index& index, suffix::index_description& about, build_options const& options,
               input_progress& inputs, cli::common_options const& common, reporter& report) {
  tbb::task_arena arena(threads_for(common.threads));
  for (std::string const& file : options.files) {
    cli::input in(file, common.threads);
    expect_fasta(in.name(), in.front(4096), "an index of runs is of FASTA");
    inputs.begin_file();
    reference_reader(in, arena).read(
        [&](std::string_view header, std::string_view letters) {
          inputs.at(in.file_read(), letters.size());
          about.names.push_back(name_and_comment(header).first);
          about.starts.push_back(about.residues);
          about.lengths.push_back(letters.size());
          about.residues += 2 * letters.size();
          index.add(letters);
        },
        [&] { report.progress.at(in.file_read()); });
    inputs.at(in.file_read(), 0);
    if (options.files.size() > 1) index.end_genome();
  }
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
  if (about.starts.empty()) throw input_error(fmt::format("no records: {}: an index needs at least one", options.files.front()));
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

}  // namespace ordo::inline v0::sufsort
