#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <CLI/CLI.hpp>

#include "sort_core/error.hpp"
#include "suffix/build_fasta.hpp"
#include "suffix/index.hpp"
#include "suffix/suffix.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/bytes.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/export.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/kmers.hpp"
#include "tools/sufsort/policy_options.hpp"
#include "tools/sufsort/repeats.hpp"
#include "tools/sufsort/search.hpp"
#include "tools/sufsort/telling.hpp"
#include "tools/sufsort/unique.hpp"

using namespace ordo;
using sufsort::telling;

namespace {

struct settings {
  cli::common_options common;
  std::string prefix;
  std::vector<std::string> files;
  suffix::wanted what;
  std::string width = "auto";
  suffix::policy policy;
  std::string memory, gpu_memory;  // limits; empty: what there is
  bool plan = false;
  unsigned kmers = 0;  // letters of those that a table is made of; 0: none
  sufsort::search_options search;
  sufsort::repeats_options repeats;
  sufsort::unique_options unique;
  sufsort::export_options export_to;
};

/// The files of an index, which appear together: first all are written, then the old description goes, which makes the old
/// index none, then its arrays that the new one lacks, then the arrays take their places, and last the new description. Who is
/// stopped in the midst leaves no description, and what is left of the old arrays goes with the next index of that name.
class index_writer {
 public:
  index_writer(std::string prefix, suffix::wanted what, bool pieces) : prefix_(std::move(prefix)), json_(prefix_ + ".json") {
    for (auto const& [name, wanted] : {std::pair("seq", true), std::pair("sa", true), std::pair("lcp", what.lcp),
                                       std::pair("bwt", what.bwt), std::pair("pieces", pieces), std::pair("kmers", false)}) {
      std::string const path = prefix_ + "." + name;
      if (!wanted) {
        unwanted_.push_back(path);
        continue;
      }
      names_.emplace_back(name);
      arrays_.emplace_back(path);
      sums_.emplace_back(arrays_.back());
    }
  }

  /// Where an array goes; none if it is not wanted. At the same place until the end.
  sink* to(std::string const& name) {
    auto const found = std::ranges::find(names_, name);
    return found == names_.end() ? nullptr : &sums_[std::size_t(found - names_.begin())];
  }
  /// What has been written.
  [[nodiscard]] std::vector<suffix::index_array> written() const {
    std::vector<suffix::index_array> all;
    for (std::size_t i = 0; i < names_.size(); ++i) all.push_back(sums_[i].of(names_[i]));
    return all;
  }

  void commit(suffix::index_description const& about) {
    json_.write(std::string_view(suffix::to_json(about)));
    for (cli::output& array : arrays_) array.finish();
    json_.finish();
    json_.withdraw_old();
    for (std::string const& path : unwanted_) remove_file(path);
    for (cli::output& array : arrays_) array.commit();
    json_.commit();
  }

 private:
  /// A regular file, or the one that a symbolic link leads to; the link stays, as when a file is replaced. Where nothing can be
  /// removed from the folder the file is emptied.
  static void remove_file(std::string const& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path const file = fs::canonical(path, error);
    if (error || !fs::is_regular_file(file, error)) return;
    if (fs::remove(file, error)) return;
    fs::resize_file(file, 0, error);
    if (error) throw output_error(fmt::format("cannot remove: {}: {}", path, error.message()));
  }

  std::string prefix_;
  std::vector<std::string> unwanted_;  // arrays that the index does not have
  std::vector<std::string> names_;     // of the arrays that it has
  std::deque<cli::output> arrays_;
  std::deque<suffix::checksum_sink> sums_;
  cli::output json_;
};

unsigned width_for(std::string const& asked, std::size_t residues, std::size_t records) {
  bool const narrow = suffix::index_fits(4, residues, records), fits_40 = suffix::index_fits(5, residues, records);
  if ((asked == "32" && !narrow) || (asked == "40" && !fits_40))
    throw usage_error(
        fmt::format("--width {}: {} residues in {} records need {} bits", asked, residues, records, fits_40 ? 40 : 64));
  if (asked != "auto") return asked == "32" ? 32 : asked == "40" ? 40 : 64;
  return narrow ? 32 : fits_40 ? 40 : 64;
}

/// Bytes of the host's memory that may be taken.
std::size_t memory_for(settings const& set) {
  std::size_t const there = cli::available_memory();
  return set.memory.empty() ? there : std::min(there, parse_bytes(set.memory));
}

/// All the records, where they will be worked on.
suffix::loaded_fasta read_files(settings const& set, telling& tell) {
  suffix::fasta_texts texts;
  texts.count = set.files.size();
  texts.reopen = true;
  for (std::string const& file : set.files) {
    struct stat info {};
    bool const regular = file != "-" && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    if (regular) texts.bytes += std::uint64_t(info.st_size);
    texts.reopen &= regular;
  }
  texts.open = [&](std::size_t k) {
    auto in = std::make_unique<cli::input>(set.files[k], set.common.threads);
    std::uint64_t const expected = in->compressed() ? 4 * in->file_size().value_or(0) : 0;
    std::string name = in->name();
    return suffix::fasta_texts::opened{std::move(name), std::move(in), expected};
  };
  std::uint64_t bytes = 0;
  suffix::fasta_options how;
  how.machine.threads = set.common.threads;
  how.memory = memory_for(set) / 4 * 3;  // reading takes some, too
  how.on_progress = [&](std::uint64_t read) {
    bytes = read;
    tell.progress.at(read);
  };
  tell.stats.phase("read");
  tell.progress.phase("read", texts.bytes);
  suffix::loaded_fasta all(texts, set.what, set.common.machine(), how, set.policy);
  tell.stats.input(bytes);
  tell.stats.bytes(bytes);
  return all;
}

/// Of files that have not been read. A letter takes a byte in FASTA, and a fourth or fifth of one where it is compressed.
std::size_t likely_residues(std::vector<std::string> const& files) {
  std::size_t letters = 0;
  for (std::string const& file : files) {
    cli::input const in(file, 1);
    letters += std::size_t(in.file_size().value_or(0)) * (in.compressed() ? 4 : 1);
  }
  return letters;
}

/// What build would do, without reading more of the files than their beginnings.
int tell_plan(settings const& set) {
  std::size_t const n = likely_residues(set.files) * (set.policy.strands == suffix::strands::both ? 2 : 1);
  unsigned const width = width_for(set.width, n, 1);
  suffix::build_outlook const outlook =
      suffix::plan_build(n, 1, width == 32 ? 4 : 8, set.what, set.common.machine(), memory_for(set), set.policy.rows());
  std::size_t const rows = n / set.policy.sample, arrays = rows * (width / 8) * (set.what.lcp ? 2 : 1);
  auto const gigabytes = [](std::size_t bytes) { return fmt::format("{:.3f} GB", double(bytes) / 1e9); };
  std::string text = fmt::format("residues\tabout {} (from the sizes of files)\nwidth\t{}\n", n, width);
  text += fmt::format("files\tabout {}\n", gigabytes(n + arrays + (set.what.bwt ? n : 0)));
  text += fmt::format("machine\t{}: {}\n", to_string(outlook.machine.where), outlook.machine.why);
  text += fmt::format("memory\tof {} may be taken: from {} on, {} to sort all suffixes at once, {} for any text\n",
                      gigabytes(outlook.available), gigabytes(outlook.memory.least), gigabytes(outlook.memory.at_once),
                      gigabytes(outlook.memory.most));
  if (outlook.machine.where == device::cpu)
    text += fmt::format("beside\t{} for residues and results\n", gigabytes(outlook.beside));
  text += outlook.ranges == 0   ? "refused\tthe memory does not suffice\n"
          : outlook.ranges == 1 ? "suffixes\tsorted at once\n"
                                : fmt::format("suffixes\tsorted in about {} ranges\n", outlook.ranges);
  cli::output out("-");
  out.write(std::string_view(text));
  out.commit();
  return outlook.ranges == 0 ? 2 : 0;
}

int build(settings const& set, telling& tell) {
  if (set.plan) return tell_plan(set);
  if (set.prefix.empty() || set.prefix.ends_with('/'))
    throw usage_error(fmt::format("--output: '{}' is not the beginning of a file's name", set.prefix));
  sufsort::refuse_inputs(set.prefix, set.files);
  if (set.what.bwt && !set.policy.rows().all())
    throw usage_error("no BWT: --bwt: --sample and --ambiguous skip leave out rows, and a BWT needs all of them");
  index_writer writer(set.prefix, set.what, set.policy.cuts());

  suffix::loaded_fasta records = read_files(set, tell);
  std::size_t const n = records.size();

  unsigned const width = width_for(set.width, n, records.records());
  std::size_t const rows = n + records.records();
  suffix::options how;
  how.on_phase = [&](std::string_view name, std::uint64_t work) { tell.phase(name, work); };
  std::size_t const held = n * (width == 32 ? 4 : 8);  // what the CPU has of an array
  std::size_t const results = held + (set.what.lcp ? held : 0) + (set.what.bwt ? rows : 0);
  std::size_t const available = memory_for(set);
  how.memory = available - std::min(available, results);

  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt"), width / 8};
  sink& residues = *writer.to("seq");
  suffix::report const done = width == 32 ? records.build_into<std::uint32_t>(out, residues, how)
                                          : records.build_into<std::uint64_t>(out, residues, how);
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);

  tell.phase("finish", n + results);
  suffix::index_description about;
  about.residues = n;
  about.width = width;
  about.policy = set.policy;
  if (sink* const to = writer.to("pieces")) {
    auto const columns = records.pieces().columns();
    suffix::store({reinterpret_cast<char const*>(columns.data()), columns.size_bytes()}, *to, set.common.threads);
  }
  about.arrays = writer.written();
  if (!set.policy.rows().all()) about.left_rows = about.find("sa")->bytes / (width / 8);
  about.names = records.names();
  about.starts = records.starts();
  about.lengths = records.lengths();
  writer.commit(about);
  if (set.kmers != 0) sufsort::add_kmers(set.prefix, set.kmers, set.common, tell);
  return 0;
}

int check(settings const& set, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(set.prefix);
  std::size_t bytes = 0;
  std::string names;
  for (suffix::index_array const& array : index.about().arrays) {
    bytes += array.bytes;
    names += (names.empty() ? "" : ", ") + array.name;
  }
  tell.stats.input(bytes);
  auto const disorder = [&](std::string const& array, std::string const& why) {
    cli::tell(fmt::format("sufsort: disorder: {}.{}: {}\n", set.prefix, array, why));
    return 1;
  };

  if (auto const array = index.stray()) return disorder(*array, "of another index: the description has no such array");

  tell.phase("prove", bytes);
  suffix::options how;
  how.machine = set.common.machine();
  how.memory = memory_for(set);
  how.rows = index.about().policy.rows();
  suffix::report done;
  auto const prove = [&](auto const& arrays) { return suffix::check(index.view(), arrays, how, &done); };
  std::optional<suffix::fault> fault;
  if (index.about().width == 40) {  // which no machine has
    auto const wide = [&](char const* array) {
      suffix::entries const values = index.array(array);
      std::vector<std::uint64_t> all(values.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[i];
      return all;
    };
    auto const sa = wide("sa"), lcp = wide("lcp");
    fault = prove(suffix::arrays<std::uint64_t const>{sa, lcp, index.bytes("bwt")});
  } else {
    fault = index.with_width([&]<class Index>(Index) { return prove(index.arrays<Index>()); });
  }
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);
  if (fault) return disorder(fault->array, fmt::format("row {}: {}", fault->row, fault->why));
  if (auto const wrong = suffix::contradiction_in(index.view(), index.pieces(), index.about().policy, set.common.threads))
    return disorder("seq", *wrong);

  if (auto const words = index.array("kmers"); !words.empty())
    if (auto const wrong = suffix::wrong_kmer(index.view(), index.array("sa"), index.about().words, words, index.path("sa"),
                                              set.common.threads))
      return disorder("kmers", fmt::format("word {}: not the first row that is not below it", *wrong));

  tell.phase("checksums", bytes);
  if (auto const array = index.altered(set.common.threads))
    return disorder(*array, "not the bytes that were written: the checksum differs");
  tell.progress.clear();
  if (!set.common.quiet)
    std::cout << fmt::format("{}: right: {} of {} residues in {} records\n", set.prefix, names, index.about().residues,
                             index.about().starts.size());
  return 0;
}

int locate(settings const& set, telling& tell) {
  return sufsort::locate(set.search, set.common, tell);
}

int count(settings const& set, telling& tell) {
  return sufsort::count(set.search, set.common, tell);
}

int repeats(settings const& set, telling& tell) {
  return sufsort::repeats(set.repeats, set.common, tell);
}

int unique(settings const& set, telling& tell) {
  return sufsort::unique(set.unique, set.common, tell);
}

int export_array(settings const& set, telling& tell) {
  return sufsort::export_array(set.export_to, set.common, tell);
}

int kmers(settings const& set, telling& tell) {
  sufsort::add_kmers(set.prefix, set.kmers, set.common, tell);
  return 0;
}

int info(settings const& set, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(set.prefix);
  suffix::index_description const& about = index.about();
  cli::output out("-");
  auto const line = [&](std::string const& text) { out.write(std::string_view(text)); };
  line(fmt::format("residues\t{}\nrecords\t{}\nwidth\t{}\ncase\t{}\n", about.residues, about.starts.size(), about.width,
                   about.policy.keeps_case() ? "kept" : "folded to upper"));
  line(fmt::format("strands\t{}\nambiguous\t{}\nmask\t{}\nsample\t{}\nrows\t{}\n",
                   suffix::strands_words[std::size_t(about.policy.strands)],
                   suffix::ambiguous_words[std::size_t(about.policy.ambiguous)],
                   suffix::masked_words[std::size_t(about.policy.masked)], about.policy.sample, about.rows()));
  for (suffix::index_array const& array : about.arrays)
    line(fmt::format("array\t{}\t{} bytes\tcrc32 {:08x}\n", array.name, array.bytes, array.crc32));
  for (std::size_t r = 0; r < about.starts.size(); ++r)
    line(fmt::format("record\t{}\t{}\t{}\n", about.names[r], about.starts[r],
                     about.policy.cuts() ? about.lengths[r] : index.view().end_of(r) - about.starts[r]));
  out.commit();
  return 0;
}

int run(int argc, char const* const* argv) {
  settings set;
  int (*command)(settings const&, telling&) = nullptr;
  CLI::App app("Suffix arrays of FASTA files: build, check, search.", "sufsort");
  cli::add_common_options(app, set.common);
  app.require_subcommand(1);
  app.footer(
      "PREFIX names the files of an index: PREFIX.sa (positions from 0, in order of their suffixes), .lcp and .bwt if wanted,\n"
      ".kmers if wanted, .pieces (which parts of the records the text has, if not all), .seq (the residues), plain "
      "little-endian\n"
      "arrays; and PREFIX.json, which tells what they are.");
  auto const add = [&](char const* name, char const* help, int (*run)(settings const&, telling&)) {
    CLI::App* const sub = app.add_subcommand(name, help)->fallthrough();
    sub->callback([&command, run] { command = run; });
    return sub;
  };
  auto const add_prefix = [&](CLI::App* sub) {
    sub->add_option("prefix", set.prefix, "the index")->required()->type_name("PREFIX");
  };

  CLI::App* const build_command = add("build", "make an index of FASTA files", build);
  build_command->add_option("files", set.files, "FASTA, plain or compressed; - is standard input")
      ->required()
      ->type_name("FASTA");
  build_command->add_option("-o,--output", set.prefix, "where the index goes")->required()->type_name("PREFIX");
  build_command->add_flag("--lcp", set.what.lcp, "longest common prefixes, too");
  build_command->add_flag("--bwt", set.what.bwt, "the Burrows-Wheeler transform, too");
  build_command
      ->add_option("--width", set.width, "bits of an entry: auto, 32, 40 or 64 [auto: the least of 32 and 40 that is enough]")
      ->check(CLI::IsMember({"auto", "32", "40", "64"}).description(""))
      ->type_name("BITS");
  auto const add_kmers = [&](CLI::App* sub, char const* name, char const* help) {
    return sub
        ->add_option_function<std::string>(
            name,
            [&set, name](std::string const& value) {
              set.kmers = cli::parse_count(name, value);
              if (set.kmers == 0) throw usage_error(fmt::format("invalid number: {}: '0': a k-mer has a letter", name));
            },
            help)
        ->type_name("K");
  };
  add_kmers(build_command, "--kmer-table",
            "a table of k-mers, too: searches begin with the rows of a pattern's first K letters");
  sufsort::add_policy_options(*build_command, set.policy);
  build_command->add_flag("--plan", set.plan, "tell what would be done, by which machine and in how much memory, and end");

  CLI::App* const check_command = add("check", "prove an index right; status 1 if it is not", check);
  add_prefix(check_command);
  for (CLI::App* const sub : {build_command, check_command}) {
    sub->add_option("--memory", set.memory, "most of the host's memory that may be taken, as 8G [what is free]")
        ->type_name("SIZE");
    sub->add_option("--gpu-memory", set.gpu_memory, "most of the GPU's, in the place of ORDO_GPU_MEMORY [what is free]")
        ->type_name("SIZE");
  }
  sufsort::add_search_options(*add("count", "how often patterns occur: pattern, count; a line each", count), set.search, false);
  sufsort::add_search_options(
      *add("locate", "where patterns occur: pattern, count, record, offset, strand; a line each, by record and offset", locate),
      set.search, true);
  sufsort::add_repeats_options(
      *add("repeats", "maximal repeats: number, length, count, record, offset, strand; a line an occurrence", repeats),
      set.repeats);
  sufsort::add_unique_options(
      *add("unique", "how often the k-mer at each position occurs: record, begin, end, count; bedGraph", unique), set.unique);
  sufsort::add_export_options(*add("export", "the suffix array in another program's format", export_array), set.export_to);
  CLI::App* const kmers_command = add("kmers", "add a table of k-mers to an index, for faster searches", kmers);
  add_prefix(kmers_command);
  add_kmers(kmers_command, "--length", "letters of a k-mer: searches begin with the rows of a pattern's first K letters")
      ->required();
  add_prefix(add("info", "what is in an index", info));

  if (auto const status = cli::parse(app, argc, argv)) return *status;
  if (!set.memory.empty()) static_cast<void>(parse_bytes(set.memory));
  if (!set.gpu_memory.empty()) {
    static_cast<void>(parse_bytes(set.gpu_memory));
    setenv("ORDO_GPU_MEMORY", set.gpu_memory.c_str(), 1);  // which is where machines look
  }
  set.common.check_machine();
  bool const searches = command == locate || command == count;
  for (std::string const& prefix : {set.search.prefix, set.repeats.prefix, set.unique.prefix, set.export_to.prefix})
    if (!prefix.empty()) set.prefix = prefix;
  std::vector<std::string> const inputs = searches ? sufsort::inputs_of(set.search) : set.files;
  std::string const output = searches                  ? set.search.output
                             : command == repeats      ? set.repeats.output
                             : command == unique       ? set.unique.output
                             : command == export_array ? set.export_to.output
                             : command == info         ? "-"
                                                       : "";
  telling tell(set.common, inputs, output, argc, argv);
  for (auto const& needed : {inputs, sufsort::files_of(set.prefix)}) tell.stats.refuse_inputs(needed);
  if (command != build && command != kmers) sufsort::refuse_stdout(set.prefix);
  int const status = command(set, tell);
  tell.progress.clear();
  tell.stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("sufsort", [&] { return run(argc, argv); });
}
