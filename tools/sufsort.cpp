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
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "sort_core/error.hpp"
#include "suffix/build_fasta.hpp"
#include "suffix/index.hpp"
#include "suffix/search.hpp"
#include "suffix/suffix.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/bytes.hpp"
#include "tools/cli/file_id.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"

using namespace ordo;

namespace {

struct settings {
  cli::common_options common;
  std::string prefix;
  std::vector<std::string> files, patterns;
  suffix::wanted what;
  std::string width = "auto";
  bool keep_case = false;
  bool to_stdout = false;  // what is found goes there while the work is done
};

/// What a run tells while it works: the phases go to the report and to the terminal.
struct telling {
  cli::stats stats;
  cli::progress progress;

  telling(settings const& set, int argc, char const* const* argv)
      : stats("sufsort", argc, argv, set.common),
        progress("sufsort", set.common, set.files.empty() ? set.patterns : set.files, set.to_stdout ? "-" : "") {}
  void phase(std::string_view name, std::uint64_t bytes = 0) {
    stats.phase(name);
    stats.bytes(bytes);
    progress.phase(name, bytes);
  }
};

/// Every file that belongs to an index, or did before it was built anew.
std::vector<std::string> files_of(std::string const& prefix) {
  std::vector<std::string> files;
  for (char const* name : {"json", "seq", "sa", "lcp", "bwt"}) files.push_back(prefix + "." + name);
  return files;
}

/// What an index is made of cannot be replaced by it.
void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs) {
  for (std::string const& file : files_of(prefix))
    for (std::string const& input : inputs)
      if (auto const id = cli::id_of(input); id && id == cli::id_of(file))
        throw output_error(fmt::format("cannot write: {}: it is the same file as the input {}", file, input));
}

/// What is printed may not go into the index that is read.
void refuse_stdout(std::string const& prefix) {
  struct stat info {};
  if (fstat(STDOUT_FILENO, &info) != 0) return;
  for (std::string const& file : files_of(prefix))
    if (auto const id = cli::id_of(info); id && id == cli::id_of(file))
      throw output_error(fmt::format("cannot write: standard output: input file is output file: {}", file));
}

/// The files of an index, which appear together: first all are written, then the old description goes, which makes the old
/// index none, then its arrays that the new one lacks, then the arrays take their places, and last the new description. Who is
/// stopped in the midst leaves no description, and what is left of the old arrays goes with the next index of that name.
class index_writer {
 public:
  index_writer(std::string prefix, suffix::wanted what) : prefix_(std::move(prefix)), json_(prefix_ + ".json") {
    for (auto const& [name, wanted] :
         {std::pair("seq", true), std::pair("sa", true), std::pair("lcp", what.lcp), std::pair("bwt", what.bwt)}) {
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
  bool const narrow = suffix::index_fits(4, residues, records);
  if (asked == "32" && !narrow)
    throw usage_error(fmt::format("--width 32: {} residues in {} records need 64 bits", residues, records));
  return asked == "64" || !narrow ? 64 : 32;
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
  how.keep_case = set.keep_case;
  how.machine.threads = set.common.threads;
  how.memory = cli::available_memory() / 4 * 3;  // reading takes some, too
  how.on_progress = [&](std::uint64_t read) {
    bytes = read;
    tell.progress.at(read);
  };
  tell.stats.phase("read");
  tell.progress.phase("read", texts.bytes);
  suffix::loaded_fasta all(texts, set.what, set.common.machine(), how);
  tell.stats.input(bytes);
  tell.stats.bytes(bytes);
  return all;
}

int build(settings const& set, telling& tell) {
  if (set.prefix.empty() || set.prefix.ends_with('/'))
    throw usage_error(fmt::format("--output: '{}' is not the beginning of a file's name", set.prefix));
  refuse_inputs(set.prefix, set.files);
  index_writer writer(set.prefix, set.what);

  suffix::loaded_fasta records = read_files(set, tell);
  std::size_t const n = records.size();

  unsigned const width = width_for(set.width, n, records.records());
  std::size_t const bytes = n * (width / 8), rows = n + records.records();
  suffix::options how;
  how.on_phase = [&](std::string_view name, std::uint64_t work) { tell.phase(name, work); };
  std::size_t const results = bytes + (set.what.lcp ? bytes : 0) + (set.what.bwt ? rows : 0);
  std::size_t const available = cli::available_memory();
  how.memory = available - std::min(available, results);

  suffix::sinks const out{writer.to("sa"), writer.to("lcp"), writer.to("bwt")};
  sink& residues = *writer.to("seq");
  suffix::report const done = width == 32 ? records.build_into<std::uint32_t>(out, residues, how)
                                          : records.build_into<std::uint64_t>(out, residues, how);
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);

  tell.phase("finish", n + results);
  suffix::index_description about;
  about.residues = n;
  about.width = width;
  about.keep_case = set.keep_case;
  about.arrays = writer.written();
  about.names = records.names();
  about.starts = records.starts();
  writer.commit(about);
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
  how.memory = cli::available_memory();
  suffix::report done;
  auto const fault =
      index.with_width([&]<class Index>(Index) { return suffix::check(index.view(), index.arrays<Index>(), how, &done); });
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);
  if (fault) return disorder(fault->array, fmt::format("row {}: {}", fault->row, fault->why));

  tell.phase("checksums", bytes);
  if (auto const array = index.altered(set.common.threads))
    return disorder(*array, "not the bytes that were written: the checksum differs");
  tell.progress.clear();
  if (!set.common.quiet)
    std::cout << fmt::format("{}: right: {} of {} residues in {} records\n", set.prefix, names, index.about().residues,
                             index.about().starts.size());
  return 0;
}

constexpr std::string_view blanks = " \t\v\f\r";  // that FASTA has no residues for

/// The patterns of the command line; those of standard input, a line each without the blanks around it, where one is "-".
std::vector<std::string> patterns_of(settings const& set) {
  std::vector<std::string> patterns;
  for (std::string const& pattern : set.patterns) {
    if (pattern != "-") {
      if (pattern.empty()) throw usage_error("empty pattern: the command line: it would be found everywhere");
      if (pattern.find_first_of(blanks) != pattern.npos)
        throw usage_error(fmt::format("blank in a pattern: the command line: '{}': no residue is one", pattern));
      patterns.push_back(pattern);
      continue;
    }
    cli::bytes const lines = cli::read_all("-");
    std::string_view rest(lines.data(), lines.size());
    for (std::size_t line = 1; !rest.empty(); ++line) {
      std::string_view one = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      one.remove_prefix(std::min(one.find_first_not_of(blanks), one.size()));
      one.remove_suffix(one.size() - (one.find_last_not_of(blanks) + 1));
      if (one.empty()) throw input_error(fmt::format("empty pattern: standard input:{}: it would be found everywhere", line));
      if (one.find_first_of(blanks) != one.npos)
        throw input_error(fmt::format("blank in a pattern: standard input:{}: '{}': no residue is one", line, one));
      patterns.emplace_back(one);
    }
  }
  return patterns;
}

std::string folded(std::string pattern) {
  for (char& c : pattern)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return pattern;
}

int locate(settings const& set, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(set.prefix);
  suffix::text const input = index.view();
  auto const patterns = patterns_of(set);
  tell.phase("search");
  cli::output out("-");
  for (std::string const& pattern : patterns) {
    tell.stats.input(pattern.size());
    auto const positions = index.with_width([&]<class Index>(Index) {
      return suffix::locate(input, index.arrays<Index>().sa, index.about().keep_case ? pattern : folded(pattern),
                            set.prefix + ".sa");
    });
    if (positions.empty()) out.write(std::string_view(fmt::format("{}\t0\t.\n", pattern)));
    for (std::uint64_t p : positions) {
      std::size_t const record = input.record_of(p);
      out.write(std::string_view(
          fmt::format("{}\t{}\t{}:{}\n", pattern, positions.size(), index.about().names[record], p - input.begin_of(record))));
    }
  }
  out.commit();
  return 0;
}

int info(settings const& set, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(set.prefix);
  suffix::index_description const& about = index.about();
  cli::output out("-");
  auto const line = [&](std::string const& text) { out.write(std::string_view(text)); };
  line(fmt::format("residues\t{}\nrecords\t{}\nwidth\t{}\ncase\t{}\n", about.residues, about.starts.size(), about.width,
                   about.keep_case ? "kept" : "folded to upper"));
  for (suffix::index_array const& array : about.arrays)
    line(fmt::format("array\t{}\t{} bytes\tcrc32 {:08x}\n", array.name, array.bytes, array.crc32));
  for (std::size_t r = 0; r < about.starts.size(); ++r)
    line(fmt::format("record\t{}\t{}\t{}\n", about.names[r], about.starts[r], index.view().end_of(r) - about.starts[r]));
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
      ".seq (the residues), plain little-endian arrays; and PREFIX.json, which tells what they are.");
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
  build_command->add_option("--width", set.width, "bits of an entry: auto, 32 or 64 [auto: 32 where that is enough]")
      ->check(CLI::IsMember({"auto", "32", "64"}).description(""))
      ->type_name("BITS");
  build_command->add_flag("--keep-case", set.keep_case, "do not fold letters to upper case");

  add_prefix(add("check", "prove an index right; status 1 if it is not", check));
  CLI::App* const locate_command = add("locate", "where patterns occur: pattern, count, record:offset; a line each", locate);
  add_prefix(locate_command);
  locate_command->add_option("patterns", set.patterns, "what to look for; - reads patterns from standard input, a line each")
      ->required()
      ->type_name("PATTERN");
  add_prefix(add("info", "what is in an index", info));

  if (auto const status = cli::parse(app, argc, argv)) return *status;
  set.common.check_machine();
  set.to_stdout = command == locate || command == info;
  telling tell(set, argc, argv);
  for (auto const& needed : {set.files, files_of(set.prefix)}) tell.stats.refuse_inputs(needed);
  if (std::ranges::find(set.patterns, "-") != set.patterns.end()) tell.stats.refuse_inputs({std::string("-")});
  if (command != build) refuse_stdout(set.prefix);
  int const status = command(set, tell);
  tell.progress.clear();
  tell.stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("sufsort", [&] { return run(argc, argv); });
}
