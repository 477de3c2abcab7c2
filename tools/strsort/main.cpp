#include <locale.h>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/warnings.hpp"
#include "tools/cli/gpu_start.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/output_folder.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/strsort/debug.hpp"
#include "tools/strsort/genomics.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/json_key.hpp"
#include "tools/strsort/modes.hpp"
#include "tools/strsort/options/command.hpp"
#include "tools/strsort/record_inputs.hpp"

// The options, their errors and the order of all checks are those of GNU sort 9.
namespace {

using namespace ordo;
using strsort::caller;
using strsort::command;
namespace fs = std::filesystem;

// Returns true if GNU sort would compare by a locale of the environment, and not by bytes.
bool has_hard_locale() {
  strings::order by;
  by.locale = strsort::environment_locale();
  return by.is_collated();
}

// GNU sort uses the locale C if the system does not know that of the environment.
bool is_known_locale(std::string const& name) {
  locale_t const result = newlocale(LC_ALL_MASK, name.c_str(), locale_t{});
  if (!result) return false;
  freelocale(result);
  return true;
}

std::unique_ptr<cli::input> open_input(command const& made, caller const& called, std::size_t k) {
  std::string const& path = made.files[k];
  // The first bytes of a record may be those of a compression.
  if (called.is_gnu() || made.record_bytes) return std::make_unique<cli::input>(path, cli::compression::none);
  auto in = std::make_unique<cli::input>(path, made.common.threads);
  strsort::refuse_binary(*in, made);
  return in;
}

// Gives all members the bytes that the first one has.
void share(communicator& members, std::string& bytes) {
  std::uint64_t size = bytes.size();
  members.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  bytes.resize(size);
  members.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
}

// Gives all members the names of the files, which only the first one can read from its standard input.
void share(communicator& members, std::vector<std::string>& files) {
  std::string names;
  for (std::string const& file : files) names += file + '\0';
  share(members, names);
  files.clear();
  for (std::size_t at = 0; at < names.size(); at += files.back().size() + 1) files.emplace_back(names.c_str() + at);
}

void warn_of_locale(command const& made, caller const& called) {
  if (isatty(STDERR_FILENO) && !called.is_gnu() && !made.locale && !made.common.quiet && has_hard_locale())
    cli::say(called.name(), "warning: lines are sorted by bytes, not by the locale (see --locale)");
}

// Returns the place "FILE:LINE" of the first of such lines; nothing if no file that can be read again has one.
std::optional<std::string> find_line(command const& made, caller const& called, std::string_view line) {
  for (std::size_t k = 0; k < made.files.size(); ++k) {
    if (!cli::find_file_id(made.files[k])) continue;
    auto const from = open_input(made, called, k);
    std::string text(std::size_t{1} << 20, '\0'), rest;
    std::uint64_t number = 1;
    for (std::size_t got = from->read(text); got != 0; got = from->read(text)) {
      rest.append(text, 0, got);
      std::size_t begin = 0;
      for (std::size_t end; (end = rest.find(made.delimiter, begin)) != rest.npos; begin = end + 1, ++number)
        if (std::string_view(rest).substr(begin, end - begin) == line) return fmt::format("{}:{}", from->name(), number);
      rest.erase(0, begin);
    }
    if (!rest.empty() && rest == line) return fmt::format("{}:{}", from->name(), number);
  }
  return {};
}

// @throws usage_error  for the first of the options that is given
void refuse(std::string_view option, std::initializer_list<std::pair<bool, std::string_view>> others) {
  for (auto const& [given, other] : others)
    if (given) throw usage_error(fmt::format("options '{}' and '{}' are incompatible", option, other));
}

// Records have neither fields nor delimiters, and their order is that of bytes.
void refuse_with_records(command const& made) {
  if (!made.record_bytes) return;
  strsort::ordering plain = made.global;
  plain.reverse = false;
  if (std::string const letters = plain.letters(); !letters.empty())
    throw usage_error(fmt::format("options '--record-bytes' and '-{}' are incompatible", letters.front()));
  refuse("--record-bytes", {{made.separator.has_value(), "-t"},
                            {made.delimiter == '\0', "-z"},
                            {made.merge, "-m"},
                            {made.debug, "--debug"},
                            {made.count, "--count"},
                            {made.estimate, "--distinct-estimate"},
                            {made.keep_order, "--unique-keep-order"},
                            {made.head.has_value(), "--head"},
                            {made.explain, "--explain"},
                            {made.header.value_or(0) != 0, "--header"},
                            {made.quoted.has_value(), "--csv"},
                            {made.tabs, "--tsv"},
                            {made.json, "--jsonl"},
                            {!made.preset.empty(), "--as"},
                            {!made.own.empty(), "an order of its own"},
                            {made.locale && !made.locale->empty(), "--locale"},
                            {made.compress_program.has_value(), "--compress-program"}});
}

void refuse_with_parts(command const& made) {
  if (made.checksum)
    refuse("--checksum", {{made.output.has_value(), "-o"},
                          {made.merge, "-m"},
                          {made.debug, "--debug"},
                          {made.count, "--count"},
                          {made.estimate, "--distinct-estimate"},
                          {made.keep_order, "--unique-keep-order"},
                          {made.head.has_value(), "--head"},
                          {made.explain, "--explain"},
                          {made.has_records(), "--header, --csv, --tsv, --jsonl or --as"}});
  if (!made.parts) return;
  if (!made.output) throw usage_error("no file name: --split-output: it needs -o FILE");
  refuse("--split-output", {{made.check != 0, "-c"},
                            {made.checksum, "--checksum"},
                            {made.debug, "--debug"},
                            {made.estimate, "--distinct-estimate"},
                            {made.explain, "--explain"},
                            {made.has_records(), "--header, --csv, --tsv, --jsonl or --as"}});
}

int run_mode(strsort::work const& w, cli::stats& stats) try {
  return w.made.checksum || (w.made.check != 0 && w.made.record_bytes) ? strsort::checksum(w, stats)
         : w.made.check != 0                                           ? strsort::check(w, stats)
         : w.made.estimate                                             ? strsort::estimate(w, stats)
                                                                       : strsort::sort(w, stats);
} catch (strsort::json_error const& e) {
  auto const place = find_line(w.made, w.called, e.line());
  if (!place) throw;
  throw input_error(fmt::format("{}: {}", *place, e.why()));
}

// Does the work of a command line. @param shared  the statistics of several such; null: it has its own
int work_on(command& made, caller const& called, bool& writing, communicator* members, std::span<char*> arguments,
            cli::stats* shared) {
  if (made.has_records())
    for (std::string const& file : made.files) strsort::must_be_readable(file, "cannot read");
  std::atomic<std::uint64_t> read = 0;
  strsort::record_inputs inputs(made, [&](std::size_t k) { return cli::counted(open_input(made, called, k), read); });
  strsort::resolve_names(made, inputs.header());
  strsort::resolve_orders(made);
  strings::order by = made.order();
  by.listed = strsort::listed_values(made, inputs.header());
  if (made.debug && (made.check != 0 || made.output))
    throw usage_error(fmt::format("options '-{} --debug' are incompatible", made.check != 0 ? made.check : 'o'));
  if (made.check != 0 && made.count) throw usage_error(fmt::format("options '-{} --count' are incompatible", made.check));
  if (made.debug && made.count) throw usage_error("options '--count --debug' are incompatible");
  if (made.keep_order)
    for (auto const& [given, option] :
         {std::pair(made.check != 0, "-c"), std::pair(made.merge, "-m"), std::pair(made.count, "--count"),
          std::pair(made.debug, "--debug"), std::pair(made.estimate, "--distinct-estimate"),
          std::pair(!made.preset.empty(), "--as")})
      if (given) throw usage_error(fmt::format("options '--unique-keep-order' and '{}' are incompatible", option));
  if (made.estimate)
    for (auto const& [given, option] :
         {std::pair(made.check != 0, "-c"), std::pair(made.merge, "-m"), std::pair(made.count, "--count"),
          std::pair(made.debug, "--debug"), std::pair(made.head.has_value(), "--head")})
      if (given) throw usage_error(fmt::format("options '--distinct-estimate' and '{}' are incompatible", option));
  refuse_with_records(made);
  refuse_with_parts(made);
  if (made.debug)
    for (std::string const& remark : strsort::remarks(made, by))
      cli::print_result(fmt::format("{}: {}\n", called.name(), remark));
  if (std::ranges::count(by.keys, strings::key_type::random, &strings::key::type) != 0)
    by.random_seed = strsort::read_seed(made.random_source);
  if (members) members->broadcast(std::as_writable_bytes(std::span(by.random_seed)), 0);
  if (made.check != 0 && made.files.size() > 1 && !made.checksum)
    throw usage_error(fmt::format("extra operand {} not allowed with -{}", strsort::always_quoted(made.files[1]), made.check));
  if (made.check != 0 && made.output) throw usage_error(fmt::format("options '-{}o' are incompatible", made.check));
  strings::line_comparison{by, inputs.delimiter()};  // throws if there is no such locale
  if (made.explain) {
    fmt::print("{}", strsort::explained({made, by, called, writing, members, inputs, read}));
    return 0;
  }
  std::optional<cli::gpu_start> starting;
  std::optional<cli::stats> own;
  if (!shared) {
    starting.emplace(made.common, members != nullptr);
    warn_of_locale(made, called);
    own.emplace(called.name(), int(arguments.size()), arguments.data(), made.common);
  }
  cli::stats& stats = shared ? *shared : *own;
  stats.refuse_inputs(made.files);
  if (made.files_from) stats.refuse_inputs({*made.files_from});
  if (made.order_file) stats.refuse_inputs({*made.order_file});
  strsort::work const w{made, by, called, writing, members, inputs, read};
  int const status = run_mode(w, stats);
  if (own) own->finish();
  return status;
}

// Returns the outputs of files in a folder. @throws usage_error  if one would replace another, or another file's input
std::vector<std::string> outputs_in(std::string const& folder, std::vector<std::string> const& files) {
  std::vector<std::string> all;
  std::map<std::string, std::string_view> taken;
  for (std::string const& file : files) {
    if (file == "-") throw usage_error("no name: --out-dir: standard input has no name: use -o");
    auto const [other, is_new] =
        taken.emplace(all.emplace_back(fs::path(folder) / fs::path(file).filename()), file);
    if (!is_new)
      throw usage_error(fmt::format("two inputs of one name: {}: {} and {} would both become this file", all.back(),
                                    other->second, file));
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    if (auto const id = cli::find_file_id(all[k]))
      for (std::size_t other = 0; other < files.size(); ++other)
        if (other != k && id == cli::find_file_id(files[other]))
          throw usage_error(fmt::format("cannot write: {}: it would replace the input {}", all[k], files[other]));
  return all;
}

// Sorts each file alone.
int sort_each(command const& all, caller const& called, bool& writing, std::span<char*> arguments) {
  for (auto const& [given, option] :
       {std::pair(all.output.has_value(), "-o"), std::pair(all.check != 0, "-c"), std::pair(all.merge, "-m"),
        std::pair(all.checksum, "--checksum"), std::pair(all.parts.has_value(), "--split-output"),
        std::pair(all.debug, "--debug"), std::pair(all.explain, "--explain"), std::pair(all.estimate, "--distinct-estimate")})
    if (given) throw usage_error(fmt::format("options '--out-dir' and '{}' are incompatible", option));
  command made = all;
  made.out_dir.clear();
  std::vector<std::string> const outputs = outputs_in(all.out_dir, all.files);
  cli::gpu_start const starting(made.common, false);
  warn_of_locale(made, called);
  cli::stats stats(called.name(), int(arguments.size()), arguments.data(), made.common);
  cli::output_folder const folder(all.out_dir);
  std::size_t const failed = cli::run_each(called.name(), outputs.size(), [&](std::size_t k) {
    command alone = made;
    alone.files = {all.files[k]};
    alone.output = outputs[k];
    static_cast<void>(work_on(alone, called, writing, nullptr, arguments, &stats));
  });
  stats.finish();
  return failed == 0 ? 0 : 2;
}

int run(int argc, char** argv, caller const& called, bool& writing, cli::job const& job) {
  command made = strsort::parse({argv + std::min(argc, 1), argv + argc}, called, strsort::environment::here());
  communicator* members = job.members();
  if (made.answer) {
    if (!job.is_first()) return made.answer->status;
    if (made.answer->status != 0)
      cli::say(called.name(), made.answer->text);
    else
      fmt::print("{}", made.answer->text);
    return made.answer->status;
  }
  if (called.is_gnu()) cli::quiet_warnings();
  if (called.is_gnu() && !made.locale && is_known_locale(strsort::environment_locale())) made.locale = "";
  if (job.is_first()) strsort::read_file_names(made, called);
  if (members) {
    // The first process does alone what is not shared; the others wait for it.
    if (!strsort::is_shared(made) && !job.is_first()) return 0;
    if (!strsort::is_shared(made)) members = nullptr;
  }
  if (members && made.common.are_several()) made.common.use_first("each process of a job works on one machine");
  if (members) share(*members, made.files);
  if (!job.is_first()) {
    made.common.quiet = true;
    made.common.stats.clear();
  }
  strsort::complete(made);
  std::span<char*> const arguments(argv, std::size_t(argc));
  if (!made.out_dir.empty()) return sort_each(made, called, writing, arguments);
  return work_on(made, called, writing, members, arguments, nullptr);
}

}  // namespace

int ordo::programs::strsort(int argc, char** argv) {
  caller const called(argc > 0 ? argv[0] : "");
  // Lists of processes name the file, which may have another name than the one that it is called by.
  prctl(PR_SET_NAME, called.is_gnu() ? "sort" : called.name().c_str());
  bool writing = false;
  auto const reworded = [&](std::string_view message) { return called.reworded(message, writing); };
  auto const body = [&] {
    cli::job job(argc, argv);
    return job.run(
        called.name(), [&] { return run(argc, argv, called, writing, job); }, reworded);
  };
  return cli::run_main(called.name(), std::ref(body), reworded);  // a reference: a copy may need memory
}
