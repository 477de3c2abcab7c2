#include "ordo/suffix/aligner_index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/suffix/fmd.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/files/reference_reader.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// @param held  bytes of the text and the results @param text  bytes of them that are allocated now
[[noreturn]] void refuse_large(suffix::text_too_large const& e, memory_limits const& memory, std::size_t held,
                               std::size_t text) {
  throw out_of_memory(fmt::format("out of memory: index of {} letters: {} bytes are needed in all, {} are available: {}", text,
                                  held + e.min_bytes(), memory.host_bytes(text) + text,
                                  memory.advice_for_text(held + e.min_bytes(), held + e.bytes())),
                      held + e.min_bytes());
}

/// Builds the index of an aligner of reads, of files of FASTA.
class aligner_index final : public command {
 public:
  cli::command_table table() override {
    std::string const only_star = "only the index of STAR has them, not that of {--for}";
    return {
        .name = "sufsort aligner-index",
        .summary = "build the index of an aligner of reads, the same to the byte as its own program does",
        .usage = {"[OPTION]... --for=NAME --output=PREFIX FASTA..."},
        .description = "Build the index of an aligner of reads, the same to the byte as its own program does.",
        .operands = {records_operand("FASTA", files_)},
        .options =
            {{.name = "for",
              .value = "NAME",
              .group = index_group,
              .help =
                  "build PREFIX.amb, .ann, .pac, .bwt and .sa (bwa), .amb, .ann, .pac, .0123 and .bwt.2bit.64 (bwa-mem2), .l2b "
                  "and .mbw (minibwa), .1.ebwt to .4.ebwt, .rev.1.ebwt and .rev.2.ebwt (bowtie), the same with .ebwtl "
                  "(bowtie-large), .fmd (ropebwt3), .fmr (ropebwt3-fmr), or the files of the folder PREFIX (star)",
              .details =
                  "The files of ropebwt3 are those of ropebwt3 build -d (fmd) and -b (fmr) of one file, with both strands of "
                  "each record. Genomes are inserted one after another, in memory that follows the number of runs of the BWT, "
                  "if "
                  "the second one shares most of its 24-mers with the first or if there is no memory for a sort of all. A "
                  "genome "
                  "is a file, or 262,144 letters of both strands or more if there is one file. Those of STAR are of a genome "
                  "without annotations, which STAR can add when it maps; "
                  "genomeParameters.txt has another first line.",
              .choices = "bwa bwa-mem2 minibwa bowtie bowtie-large star ropebwt3 ropebwt3-fmr",
              .only_choices = true,
              .required = true,
              .set = cli::store(aligner_)},
             index_option(output_),
             {.name = "index-letters",
              .value = "K",
              .group = index_group,
              .help = "give STAR's SAindex all strings of up to K letters, at most 15: --genomeSAindexNbases",
              .preset = "14, and less for fewer than 2^30 letters, as STAR's manual advises",
              .set = parse_to(index_letters_, "strings have 1 letter or more")},
             {.name = "bin-bits",
              .value = "N",
              .group = index_group,
              .help = "begin records of STAR at multiples of 2^N letters, at most 2^32: --genomeChrBinNbits",
              .preset = "18",
              .set = parse_to(bin_bits_, "a bin has 2 letters or more")},
             samples_option(run_lengths_),
             checkpoint_option(run_lengths_),
             host_memory_option(memory_),
             gpu_memory_option(memory_)},
        .conflicts = {{.options = {"--index-letters"}, .unless = {"--for=star"}, .why = only_star},
                      {.options = {"--bin-bits"}, .unless = {"--for=star"}, .why = only_star},
                      {.options = {"--ssa"}, .unless = {"--for=ropebwt3"}, .why = "only an .fmd has them"},
                      {.options = {"--checkpoint"},
                       .unless = {"--for=ropebwt3", "--for=ropebwt3-fmr"},
                       .why = "the index of {--for} is made in one step"}},
        .examples = {
            {"Prepare a genome for bwa mem", "sufsort aligner-index --for=bwa genome.fa -o genome.fa"},
            {"Prepare a genome for bowtie", "sufsort aligner-index --for=bowtie genome.fa -o genome"},
            {"Make an index of many genomes for ropebwt3", "sufsort aligner-index --for=ropebwt3 --ssa *.fa.gz -o pangenome"},
            {"Prepare a small genome for STAR", "sufsort aligner-index --for=star genome.fa -o star --index-letters=8"}}};
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return files_; }
  [[nodiscard]] index_prefixes prefixes() const override { return {}; }
  [[nodiscard]] memory_limits memory() const override { return memory_; }

  int run(cli::common_options const& common, reporter& report, communicator* /*members*/) override {
    bool const is_star = aligner_ == "star";
    if (output_.empty() || !is_star) expect_prefix(output_);
    using outputs = std::deque<cli::output>;
    if (aligner_ == "bwa")
      return build_packed<suffix::bwa_reference>(
          {".amb", ".ann", ".pac", ".bwt", ".sa"}, 3, 2, common, report,
          [](suffix::bwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
            return reference.write(suffix::bwa_files{to[0], to[1], to[2], to[3], to[4]}, sorting);
          });
    if (aligner_ == "bwa-mem2")
      return build_packed<suffix::bwa_reference>(
          {".amb", ".ann", ".pac", ".0123", ".bwt.2bit.64"}, 4, 2, common, report,
          [](suffix::bwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
            return reference.write(suffix::bwa_mem2_files{to[0], to[1], to[2], to[3], to[4]}, sorting);
          });
    if (aligner_ == "minibwa")
      return build_packed<suffix::minibwa_reference>(
          {".l2b", ".mbw"}, 0, 2, common, report,
          [](suffix::minibwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
            return reference.write(suffix::minibwa_files{to[0], to[1]}, sorting);
          });
    if (aligner_.starts_with("bowtie")) {
      auto const write = [&](suffix::bowtie_reference& reference, outputs& to, suffix::build_options const& sorting) {
        return reference.write(suffix::bowtie_files{to[0], to[1], to[2], to[3], to[4], to[5]},
                               aligner_ == "bowtie" ? suffix::bowtie_size::small : suffix::bowtie_size::large, sorting);
      };
      auto const build = [&](std::initializer_list<char const*> ends) {
        return build_packed<suffix::bowtie_reference>(ends, 0, 1, common, report, write);
      };
      if (aligner_ == "bowtie") return build({".1.ebwt", ".2.ebwt", ".3.ebwt", ".4.ebwt", ".rev.1.ebwt", ".rev.2.ebwt"});
      return build({".1.ebwtl", ".2.ebwtl", ".3.ebwtl", ".4.ebwtl", ".rev.1.ebwtl", ".rev.2.ebwtl"});
    }
    if (is_star) {
      output_folder const folder(output_);
      return build_packed<suffix::star_reference>(
          {"/Genome", "/SA", "/SAindex", "/chrName.txt", "/chrStart.txt", "/chrLength.txt", "/chrNameLength.txt",
           "/genomeParameters.txt"},
          7, 2, common, report,
          [&](suffix::star_reference& reference, outputs& to, suffix::build_options const& sorting) {
            suffix::star_options parameters;
            parameters.files = files_;
            parameters.index_letters = index_letters_;
            if (bin_bits_ != 0) parameters.bin_bits = bin_bits_;
            return reference.write(suffix::star_files{to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]}, parameters,
                                   sorting);
          },
          &folder);
    }
    bool const is_fmd = aligner_ == "ropebwt3";
    return build_run_lengths({.files = files_,
                              .output = output_ + (is_fmd ? ".fmd" : ".fmr"),
                              .format = is_fmd ? suffix::run_length_format::fmd : suffix::run_length_format::fmr,
                              .options = run_lengths_,
                              .memory = memory_},
                             common, report);
  }

 private:
  /// Reads all files. @param outputs  must not be among them
  template <class F>
  void read_references(std::deque<cli::output> const& outputs, tbb::task_arena& arena, cli::common_options const& common,
                       reporter& report, F take) const {
    for (cli::output const& out : outputs) out.refuse_inputs(files_);
    reference_reader reader(arena);
    for (std::string const& file : files_) {
      cli::input in(file, common.threads);
      for (cli::output const& out : outputs) out.refuse_loop(in);
      expect_fasta(in.name(), in.front(4096), "a reference is FASTA");
      reader.read(in, take, [&] { report.progress.at(in.file_read()); });
    }
  }

  /// Opens the files, reads the reference to them, and writes them by write(reference, files, options of the build).
  /// @param first_opened  the number of the file that the aligner opens first @param strands  that are sorted at a time
  /// @param folder  the folder of the files, if they have one of their own
  template <class Reference, class Write>
  int build_packed(std::initializer_list<char const*> ends, std::size_t first_opened, unsigned strands,
                   cli::common_options const& common, reporter& report, Write write,
                   output_folder const* folder = nullptr) const {
    std::deque<cli::output> outputs;
    for (char const* const end : ends)
      outputs.emplace_back(output_ + end, cli::output::replacing::by_rename, folder ? folder->staging() : std::string());
    report.phase("read");
    Reference reference;
    tbb::task_arena arena(threads_for(common.threads));
    read_references(outputs, arena, common, report, [&](std::string_view header, std::string_view letters) {
      arena.execute([&] {
        if constexpr (requires { reference.add(header, letters); }) {
          reference.add(header, letters);
        } else {
          auto const [name, comment] = name_and_comment(header);
          reference.add(name, comment, letters);
        }
      });
    });
    std::uint64_t const n = strands * reference.size();
    report.stats.input(reference.size());
    if (n == 0) throw input_error(fmt::format("no letters: {}: an index needs at least one", files_.front()));
    suffix::build_options sorting;
    sorting.machine = common.machine();
    sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
    // The suffix array, its BWT with counts, and a strand that is made.
    std::size_t const results = n * (suffix::index_fits(4, n, 1) ? 4 : 8) + n, available = memory_.host_bytes(n);
    sorting.memory = available - std::min(available, results + n / 2);
    suffix::build_report done;
    try {
      done = write(reference, outputs, sorting);
    } catch (suffix::text_too_large const& e) {
      refuse_large(e, memory_, n + n / 2 + results, n);
    }
    report.stats.machine(done.machine);
    report.stats.device_memory(done.device_memory);
    report.phase("finish");
    if (folder)
      folder->commit(outputs, first_opened);
    else
      commit_together(outputs, first_opened);
    return 0;
  }

  std::vector<std::string> files_;
  std::string aligner_;
  std::string output_;             // the prefix of the files, or the folder of STAR
  std::size_t index_letters_ = 0;  // index letters of STAR; 0: its default, as for the next one
  std::size_t bin_bits_ = 0;
  run_length_options run_lengths_;
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_aligner_index() {
  return std::make_unique<aligner_index>();
}

}  // namespace ordo::inline v0::sufsort
