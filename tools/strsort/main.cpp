#include <locale.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/distinct.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "ordo/strings/external_sort.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/files/warnings.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/strsort/command.hpp"
#include "tools/strsort/debug.hpp"
#include "tools/strsort/explain.hpp"
#include "tools/strsort/genomics.hpp"
#include "tools/strsort/gff.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/record_inputs.hpp"

// The options, their errors and the order of all checks are those of GNU sort 9.
namespace {

using namespace ordo;
using strsort::caller;
using strsort::command;

constexpr std::size_t min_memory = std::size_t{16} << 20;

// A complete command line.
struct work {
  command const& made;
  strings::order const& by;
  caller const& called;
  bool& writing;
  communicator* members;  // members of an MPI job; null: this process works alone
  strsort::record_inputs& inputs;
  std::atomic<std::uint64_t> const& read;  // bytes of the files

  [[nodiscard]] strings::sort_options options() const {
    strings::sort_options options;
    options.by = by;
    options.delimiter = inputs.delimiter();
    options.machine = made.common.machine();
    return options;
  }
};

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
  auto in = called.is_gnu() ? std::make_unique<cli::input>(path, cli::compression::none)
                            : std::make_unique<cli::input>(path, made.common.threads);
  strsort::refuse_binary(*in, made);
  return in;
}

int check(work const& w, cli::stats& stats) {
  command const& made = w.made;
  std::string const& path = made.files.front();
  strsort::must_be_readable(path, "open failed");
  cli::progress progress(w.called.name(), made.common, made.files, "");
  std::unique_ptr<source> const in = w.inputs.open(0);
  progress.phase("checking", strsort::known_bytes(made.files));
  stats.phase("check");
  strings::order_check order(w.options(), made.unique);
  std::vector<char> block(std::size_t{1} << 20);
  bool in_order = true;
  for (std::size_t got = block.size(); in_order && got == block.size();) {
    got = in->read(block);
    stats.input(got);
    stats.bytes(got);
    in_order = order.feed({block.data(), got}) && (got == block.size() || order.finish());
    progress.at(w.read);
  }
  if (in_order) return 0;
  if (made.check == 'c')
    cli::print_result(fmt::format("{}: {}:{}: disorder: {}{}", w.called.name(), path, w.inputs.line_number(order.number()),
                                  order.line(), made.delimiter));
  return 1;
}

int estimate(work const& w, cli::stats& stats) {
  command const& made = w.made;
  for (std::string const& file : made.files) strsort::must_be_readable(file, "cannot read");
  cli::output out(made.output.value_or("-"), made.common.threads);
  out.refuse_inputs(made.files);  // a number is no sorted form of them
  cli::progress progress(w.called.name(), made.common, made.files, made.output.value_or("-"));
  strings::texts const files{made.files.size(), strsort::known_bytes(made.files), [&](std::size_t k) {
                               return std::make_unique<cli::watched_source>(w.inputs.open(k), progress, w.read);
                             }};
  progress.phase("reading", files.bytes);
  stats.phase("read");
  auto const distinct = strings::estimate_distinct(files, w.options());
  stats.bytes(distinct.bytes);
  stats.input(distinct.bytes);
  out.write(fmt::format("{}\n", distinct.lines));
  out.commit();
  return 0;
}

// Returns true if members of a job, or several GPUs, share the work.
bool is_shared(command const& made) {
  return made.check == 0 && !made.merge && !made.debug && !made.by_count && !made.has_records() && !made.explain &&
         !made.estimate;
}

strings::spill_options spill_of(work const& w) {
  command const& made = w.made;
  strings::spill_options where;
  where.folders = {cli::temporary_folder()};
  if (!made.temporary_folders.empty()) where.folders = made.temporary_folders;
  where.available_memory = [min_bytes = made.memory ? min_memory : 0, found = std::optional<std::size_t>()]() mutable {
    if (!found) found = std::max(cli::available_memory(), min_bytes);
    return *found;
  };
  where.compress_program = made.compress_program.value_or("");
  if (made.rules != strings::gnu_rules::v9_1)
    where.on_no_program = [&w, said = false](std::string const& why) mutable {
      if (std::exchange(said, true)) return;
      cli::say(w.called.name(), fmt::format("{}could not run compress program {}: {}", w.called.is_gnu() ? "" : "warning: ",
                                            strsort::always_quoted(*w.made.compress_program), why));
    };
  where.batch_size = std::size_t(made.batch_size.value_or(0));
  if (made.merge) {  // merge fewer files at a time if no more can be open, with the temporary ones
    constexpr std::size_t usual = 16, of_program = 2;
    std::size_t const others = where.folders.size() + (where.compress_program.empty() ? 0 : of_program) + made.by_count;
    std::size_t const wanted = std::min(made.batch_size ? where.batch_size : usual, made.files.size());
    std::size_t const can_be = strsort::free_descriptors(wanted + others);
    if (can_be < wanted + others) where.batch_size = can_be > others + 2 ? can_be - others : 2;
  }
  return where;
}

int sort(work const& w, cli::stats& stats) {
  command const& made = w.made;
  // By default the C library allocates large blocks in its heap once one has been freed, and keeps freed ones between others.
  // The process would use up to three times the memory of -S.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  bool const writes = !w.members || w.members->rank() == 0;
  std::optional<cli::output> out;
  if (writes) {
    for (std::string const& file : made.files) strsort::must_be_readable(file, "cannot read");
    std::string const path = made.output.value_or("-");
    if (w.called.is_gnu())
      out.emplace(path, cli::compression::none, made.common.threads);
    else
      out.emplace(path, made.common.threads);
    if (made.order_file) out->refuse_inputs(std::span(&*made.order_file, 1));
  }
  w.writing = true;
  cli::progress progress(w.called.name(), made.common, made.files, made.output.value_or("-"));

  strings::texts const files{made.files.size(), strsort::known_bytes(made.files), [&](std::size_t k) {
                               return std::make_unique<cli::watched_source>(w.inputs.open(k), progress, w.read);
                             }};
  std::optional<cli::watched_output> watched;
  if (out) watched.emplace(*out, progress);
  auto const began = [&](strings::phase what, std::uint64_t bytes) {
    constexpr std::string_view names[] = {"read", "sort", "write"}, labels[] = {"reading", "sorting", "writing"};
    auto const row = static_cast<std::size_t>(what);
    progress.phase(labels[row], what == strings::phase::sort ? 0 : bytes);
    stats.phase(names[row]);
  };
  strings::sort_options options = w.options();
  // With little memory there would be too many runs. GNU sort raises it, too.
  if (made.memory) options.memory = std::size_t(std::max<std::uint64_t>(*made.memory, min_memory));
  options.head = made.head.value_or(options.head);
  using strings::duplicates;
  auto const equal = made.by_count ? duplicates::by_count
                     : made.count  ? duplicates::count
                     : made.unique ? duplicates::drop
                                   : duplicates::keep;
  strings::spill_options const where = spill_of(w);
  if (made.merge) options.memory = std::min(options.memory, where.available_memory());
  auto const done = [&] {
    if (w.members) {
      std::unique_ptr<cli::shared_output> part;
      auto const open = [&](std::uint64_t bytes) -> sink* {
        if (watched) watched->expect(bytes);
        part = cli::shared_output::open(*w.members, out ? &*out : nullptr);
        return watched ? static_cast<sink*>(&*watched) : part.get();
      };
      auto const report = strings::sort(*w.members, files, open, options, equal, began);
      std::uint64_t const others = w.members->reduce(part ? report.own_bytes : 0, reduction::sum);
      if (out) out->count_others(others);
      return report.sort;
    }
    if (auto const machines = made.common.machines();
        machines.size() > 1 && is_shared(made) && strings::can_be_divided(options, equal))
      return strings::sort(machines, files, *watched, options, equal, began);
    std::string const header = strsort::sorted_header(made, w.inputs.header(), w.by);
    strings::detail::record_sink records(*watched, header, made.quoted.has_value(), w.inputs.header().empty());
    std::optional<strsort::gff_sink> gff;
    if (w.inputs.gff()) gff.emplace(records, *w.inputs.gff());
    sink& lines = gff ? static_cast<sink&>(*gff) : records;
    strsort::annotated_lines annotated(lines, w.by, made.delimiter);
    sink& to = made.debug ? static_cast<sink&>(annotated) : lines;
    auto report = made.merge ? strings::merge(files, to, options, equal, where, began)
                             : strings::sort_external(files, to, options, equal, where, began);
    if (gff) report.written += gff->finish();
    records.finish();
    report.written += records.header_size();
    return report;
  }();
  if (out) out->commit();
  stats.bytes(done.written);
  stats.phase("sort");
  stats.bytes(done.bytes);
  stats.phase("read");
  stats.bytes(done.bytes);
  stats.input(done.bytes);
  stats.machine(done.machine);
  stats.device_memory(done.device_memory);
  return 0;
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
    if (!is_shared(made) && !job.is_first()) return 0;
    if (!is_shared(made)) members = nullptr;
  }
  if (members && made.common.are_several()) made.common.take_first("each process of a job works on one machine");
  if (members) share(*members, made.files);
  if (!job.is_first()) {
    made.common.quiet = true;
    made.common.stats.clear();
  }
  strsort::complete(made);
  if (made.has_records())
    for (std::string const& file : made.files) strsort::must_be_readable(file, "cannot read");
  std::atomic<std::uint64_t> read = 0;
  strsort::record_inputs inputs(
      made, [&](std::size_t k) { return std::make_unique<cli::counted_input>(open_input(made, called, k), read); });
  strsort::resolve_names(made, inputs.header());
  strsort::resolve_orders(made);
  strings::order by = made.order();
  by.listed = strsort::listed_values(made, inputs.header());
  if (made.debug && (made.check != 0 || made.output))
    throw usage_error(fmt::format("options '-{} --debug' are incompatible", made.check != 0 ? made.check : 'o'));
  if (made.check != 0 && made.count) throw usage_error(fmt::format("options '-{} --count' are incompatible", made.check));
  if (made.debug && made.count) throw usage_error("options '--count --debug' are incompatible");
  if (made.estimate)
    for (auto const& [given, option] :
         {std::pair(made.check != 0, "-c"), std::pair(made.merge, "-m"), std::pair(made.count, "--count"),
          std::pair(made.debug, "--debug"), std::pair(made.head.has_value(), "--head")})
      if (given) throw usage_error(fmt::format("options '--distinct-estimate' and '{}' are incompatible", option));
  if (made.debug)
    for (std::string const& remark : strsort::remarks(made, by))
      cli::print_result(fmt::format("{}: {}\n", called.name(), remark));
  if (std::ranges::count(by.keys, strings::key_type::random, &strings::key::type) != 0)
    by.random_seed = strsort::read_seed(made.random_source);
  if (members) members->broadcast(std::as_writable_bytes(std::span(by.random_seed)), 0);
  if (made.check != 0 && made.files.size() > 1)
    throw usage_error(fmt::format("extra operand {} not allowed with -{}", strsort::always_quoted(made.files[1]), made.check));
  if (made.check != 0 && made.output) throw usage_error(fmt::format("options '-{}o' are incompatible", made.check));
  strings::line_comparison{by, inputs.delimiter()};  // throws if there is no such locale
  if (made.explain) {
    fmt::print("{}", strsort::explained(by, inputs.delimiter(), made.preset.empty() ? inputs.header() : "", *inputs.open(0)));
    return 0;
  }
  made.common.check_machine();
  if (isatty(STDERR_FILENO) && !called.is_gnu() && !made.locale && !made.common.quiet && has_hard_locale())
    cli::say(called.name(), "warning: lines are sorted by bytes, not by the locale (see --locale)");
  cli::stats stats(called.name(), argc, argv, made.common);
  stats.refuse_inputs(made.files);
  if (made.files_from) stats.refuse_inputs({*made.files_from});
  if (made.order_file) stats.refuse_inputs({*made.order_file});
  work const w{made, by, called, writing, members, inputs, read};
  int const status = made.check != 0 ? check(w, stats) : made.estimate ? estimate(w, stats) : sort(w, stats);
  stats.finish();
  return status;
}

}  // namespace

int ordo::programs::strsort(int argc, char** argv) {
  caller const called(argc > 0 ? argv[0] : "");
  bool writing = false;
  auto const reworded = [&](std::string_view message) { return called.reworded(message, writing); };
  auto const body = [&] {
    cli::job job(argc, argv);
    return job.run(
        called.name(), [&] { return run(argc, argv, called, writing, job); }, reworded);
  };
  return cli::run_main(called.name(), std::ref(body), reworded);  // by reference: a copy may need memory
}
