#include "ordo/suffix/aligner_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/fmd.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/queries.hpp"

namespace ordo::inline v0::sufsort {
namespace {

constexpr bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr std::array<std::uint8_t, 256> is_residue = [] {
  std::array<std::uint8_t, 256> is{};
  for (std::size_t c = 'A'; c <= 'Z'; ++c) is[c] = is[c + 32] = 1;
  for (std::size_t const c : {'*', '-', '.'}) is[c] = 1;
  return is;
}();

/// Divides a header at its first blank.
std::pair<std::string_view, std::string_view> name_and_comment(std::string_view header) {
  auto const blank = std::size_t(std::ranges::find_if(header, is_blank) - header.begin());
  return {header.substr(0, blank), blank == header.size() ? std::string_view() : header.substr(blank + 1)};
}

/// Reads the records of a file of FASTA, and calls take(header, letters) for each.
template <class F>
void read_reference(cli::input& in, reporter& report, F take) {
  line_reader lines(in);
  std::optional<std::string> header;
  std::string letters;
  auto const fail = [&](std::string const& why) {
    throw input_error(fmt::format("cannot read: {}:{}: {}", in.name(), lines.number(), why));
  };
  auto const add = [&] {
    if (!header) return;
    take(std::string_view(*header), std::string_view(letters));
    letters.clear();
    report.progress.at(in.file_read());
  };
  while (auto const next = lines.next()) {
    std::string_view line = *next;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('>')) {
      add();
      header.emplace(line.substr(1));
      if (header->find('\0') != header->npos) fail("a NUL byte in the header");
      continue;
    }
    if (line.empty()) continue;
    if (!header) fail("text before the first '>': a reference is FASTA");
    unsigned all = 1;
    for (char const c : line) all &= is_residue[static_cast<unsigned char>(c)];
    if (all == 0) {
      char const c = *std::ranges::find_if(line, [](char one) { return is_residue[static_cast<unsigned char>(one)] == 0; });
      fail(c > ' ' && c < 0x7f ? fmt::format("character '{}' is not a residue", c)
                               : fmt::format("byte 0x{:02x} is not a residue", static_cast<unsigned char>(c)));
    }
    letters += line;
  }
  add();
}

/// Reads all files. @param outputs  must not be among them
template <class F>
void read_references(aligner_index_options const& options, std::deque<cli::output> const& outputs,
                     cli::common_options const& common, reporter& report, F take) {
  for (std::string const& file : options.files) {
    cli::input in(file, common.threads);
    for (cli::output const& out : outputs) {
      if (out.is_file(file))
        throw output_error(fmt::format("cannot write: {}: it is the same file as the input {}", out.name(), file));
      out.refuse_loop(in);
    }
    read_reference(in, report, take);
  }
}

[[noreturn]] void refuse_large(suffix::text_too_large const& e, memory_limits const& memory, std::size_t held) {
  throw out_of_memory(fmt::format("{}: {}", e.what(), memory.advice_for_text(held + e.min_bytes(), held + e.bytes())),
                      held + e.min_bytes());
}

/// Builds the FMD or FMR of ropebwt3.
int build_run_lengths(aligner_index_options const& options, suffix::run_length_format format, cli::common_options const& common,
                      reporter& report) {
  std::deque<cli::output> outputs;
  outputs.emplace_back(options.output + (format == suffix::run_length_format::fmd ? ".fmd" : ".fmr"));
  report.phase("read");
  suffix::fmd_records records;
  read_references(options, outputs, common, report, [&](std::string_view, std::string_view letters) { records.add(letters); });
  std::uint64_t const n = records.size();
  report.stats.input(n / 2);
  suffix::build_options sorting;
  sorting.machine = common.machine();
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  std::size_t const results = n * (suffix::index_fits(4, n, n / 2) ? 4 : 8) + n, available = options.memory.host_bytes(n);
  sorting.memory = available - std::min(available, results);
  suffix::build_report done;
  try {
    done = records.write(outputs[0], sorting, format);
  } catch (suffix::text_too_large const& e) {
    refuse_large(e, options.memory, n + results);
  }
  report.stats.machine(done.machine);
  report.stats.device_memory(done.device_memory);
  report.phase("finish");
  outputs[0].finish();
  outputs[0].commit();
  return 0;
}

/// Opens the files, reads the reference to them, and writes them by write(reference, files, options of the build).
/// @param strands  that are sorted at a time
template <class Reference, class Write>
int build_packed(aligner_index_options const& options, std::initializer_list<char const*> ends, unsigned strands,
                 cli::common_options const& common, reporter& report, Write write) {
  std::deque<cli::output> outputs;
  for (char const* const end : ends) outputs.emplace_back(options.output + end);
  report.phase("read");
  Reference reference;
  tbb::task_arena arena(threads_for(common.threads));
  read_references(options, outputs, common, report, [&](std::string_view header, std::string_view letters) {
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
  if (n == 0) throw input_error(fmt::format("no letters: {}: an index needs at least one", options.files.front()));
  suffix::build_options sorting;
  sorting.machine = common.machine();
  sorting.on_phase = [&](std::string_view name, std::uint64_t work) { report.phase(name, work); };
  // The suffix array, its BWT with counts, and a strand that is made.
  std::size_t const results = n * (suffix::index_fits(4, n, 1) ? 4 : 8) + n, available = options.memory.host_bytes(n);
  sorting.memory = available - std::min(available, results + n / 2);
  suffix::build_report done;
  try {
    done = write(reference, outputs, sorting);
  } catch (suffix::text_too_large const& e) {
    refuse_large(e, options.memory, n + n / 2 + results);
  }
  report.stats.machine(done.machine);
  report.stats.device_memory(done.device_memory);
  report.phase("finish");
  for (cli::output& out : outputs) out.finish();
  for (cli::output& out : outputs) out.commit();
  return 0;
}

}  // namespace

int aligner_index(aligner_index_options const& options, cli::common_options const& common, reporter& report) {
  bool const is_star = options.aligner == "star";
  if (options.output.empty() || (!is_star && options.output.ends_with('/')))
    throw usage_error(fmt::format("invalid prefix: --output: '{}' cannot begin the name of a file", options.output));
  if (!is_star && (options.index_letters != 0 || options.bin_bits != 0))
    throw usage_error(fmt::format("conflicting options: --{}: only the index of STAR has them, not that of {}",
                                  options.index_letters != 0 ? "index-letters" : "bin-bits", options.aligner));
  using outputs = std::deque<cli::output>;
  if (options.aligner == "bwa")
    return build_packed<suffix::bwa_reference>(
        options, {".amb", ".ann", ".pac", ".bwt", ".sa"}, 2, common, report,
        [](suffix::bwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
          return reference.write(suffix::bwa_files{to[0], to[1], to[2], to[3], to[4]}, sorting);
        });
  if (options.aligner == "bwa-mem2")
    return build_packed<suffix::bwa_reference>(
        options, {".amb", ".ann", ".pac", ".0123", ".bwt.2bit.64"}, 2, common, report,
        [](suffix::bwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
          return reference.write(suffix::bwa_mem2_files{to[0], to[1], to[2], to[3], to[4]}, sorting);
        });
  if (options.aligner == "minibwa")
    return build_packed<suffix::minibwa_reference>(
        options, {".l2b", ".mbw"}, 2, common, report,
        [](suffix::minibwa_reference& reference, outputs& to, suffix::build_options const& sorting) {
          return reference.write(suffix::minibwa_files{to[0], to[1]}, sorting);
        });
  if (options.aligner.starts_with("bowtie")) {
    auto const write = [&](suffix::bowtie_reference& reference, outputs& to, suffix::build_options const& sorting) {
      return reference.write(suffix::bowtie_files{to[0], to[1], to[2], to[3], to[4], to[5]},
                             options.aligner == "bowtie" ? suffix::bowtie_size::small : suffix::bowtie_size::large, sorting);
    };
    auto const build = [&](std::initializer_list<char const*> ends) {
      return build_packed<suffix::bowtie_reference>(options, ends, 1, common, report, write);
    };
    if (options.aligner == "bowtie") return build({".1.ebwt", ".2.ebwt", ".3.ebwt", ".4.ebwt", ".rev.1.ebwt", ".rev.2.ebwt"});
    return build({".1.ebwtl", ".2.ebwtl", ".3.ebwtl", ".4.ebwtl", ".rev.1.ebwtl", ".rev.2.ebwtl"});
  }
  if (is_star) {
    output_folder folder(options.output);
    int const status = build_packed<suffix::star_reference>(
        options,
        {"/Genome", "/SA", "/SAindex", "/chrName.txt", "/chrStart.txt", "/chrLength.txt", "/chrNameLength.txt",
         "/genomeParameters.txt"},
        2, common, report, [&](suffix::star_reference& reference, outputs& to, suffix::build_options const& sorting) {
          suffix::star_options parameters;
          parameters.files = options.files;
          parameters.index_letters = options.index_letters;
          if (options.bin_bits != 0) parameters.bin_bits = options.bin_bits;
          return reference.write(suffix::star_files{to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]}, parameters,
                                 sorting);
        });
    folder.keep();
    return status;
  }
  using enum suffix::run_length_format;
  return build_run_lengths(options, options.aligner == "ropebwt3" ? fmd : fmr, common, report);
}

}  // namespace ordo::inline v0::sufsort
