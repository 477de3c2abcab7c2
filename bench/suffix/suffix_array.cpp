// Measures suffix arrays of FASTA files and of generated texts, by Ordo on each device present and by the rivals of this build,
// in turn, in one process; on a GPU, one machine with its memory is used for all builds. From text in pageable memory of the
// host into a pageable array whose pages were written before; generating and reading texts is not timed. Medians. Results are
// compared.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "bench/host_bench.hpp"
#include "bench/suffix/made_up_texts.hpp"
#include "bench/suffix/suffix_rivals.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;

namespace {

struct settings {
  std::vector<std::string> files, made_up, rivals;
  std::size_t runs = 5, divsufsort_limit = 250'000'000;
  double patience = 10;
  bool check = false, anew = false, bwt = false;
  std::string json;
  cli::common_options common;

  [[nodiscard]] unsigned threads() const {
    return common.threads == 0 ? unsigned(tbb::info::default_concurrency()) : common.threads;
  }
};

/// Returns true if condition(i) holds for all i in [0, n), with all threads.
template <class Condition>
bool holds_for_all(std::size_t n, Condition condition) {
  std::atomic<bool> all = true;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1 << 16), [&](auto const& part) {
    for (std::size_t i = part.begin(); i != part.end() && all; ++i)
      if (!condition(i)) all = false;
  });
  return all;
}

/// Memory for the result of a contender, overwritten before, so that its pages exist and hold no other result.
class touched_memory {
 public:
  explicit touched_memory(std::size_t bytes) : bytes_(new char[bytes]), size_(bytes) { overwrite(); }
  void overwrite() {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size_, std::size_t{1} << 20),
                      [&](auto const& part) { std::fill(bytes_.get() + part.begin(), bytes_.get() + part.end(), char(1)); });
  }
  template <class T>
  [[nodiscard]] std::span<T> as(std::size_t n) const {
    return {reinterpret_cast<T*>(bytes_.get()), n};
  }
  [[nodiscard]] void* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

/// A builder and its results.
struct contender {
  std::string name, version = {};
  std::size_t entry_bytes;
  bool ours, on_gpu;
  std::function<double(void* out)> build;  // returns the seconds
  std::function<std::size_t()> device_memory;
  std::vector<double> seconds = {};
  double spent = 0;
  std::size_t memory = 0;
  std::string why = {};  // reason for no results

  [[nodiscard]] nlohmann::ordered_json figures() const {
    nlohmann::ordered_json all{{"runs", seconds.size()}};
    if (!why.empty()) all["why"] = why;
    if (seconds.empty()) return all;
    all["seconds"] = bench::median(seconds);
    all["best_seconds"] = *std::min_element(seconds.begin(), seconds.end());
    if (memory != 0) all["device_memory"] = memory;
    return all;
  }
};

constexpr std::size_t narrow_bytes = 5;  // an entry of 40 bits

/// Returns true if the result has the order of `sa`. A Burrows-Wheeler transform has the last letter of the text, and then the
/// letter before each suffix in order, except before the whole text. @param has_mark  there is a '$' instead
template <class Index>
bool is_same(std::string_view text, std::span<Index const> sa, touched_memory const& result, std::size_t entry_bytes,
             bool has_mark) {
  std::size_t const n = text.size();
  if (entry_bytes == 8)
    return holds_for_all(n, [&, theirs = result.as<std::uint64_t>(n)](std::size_t i) { return theirs[i] == sa[i]; });
  if (entry_bytes == 4)
    return holds_for_all(n, [&, theirs = result.as<std::uint32_t>(n)](std::size_t i) { return theirs[i] == sa[i]; });
  if (entry_bytes == narrow_bytes)
    return holds_for_all(n, [&, theirs = result.as<unsigned char>(narrow_bytes * n)](std::size_t i) {
      std::uint64_t entry = 0;
      for (std::size_t k = narrow_bytes; k-- != 0;) entry = entry << 8 | theirs[narrow_bytes * i + k];
      return entry == sa[i];
    });
  auto const rows = result.as<char>(n + (has_mark ? 1 : 0));
  if (has_mark)
    return rows[0] == text[n - 1] &&
           holds_for_all(n, [&](std::size_t i) { return rows[i + 1] == (sa[i] == 0 ? '$' : text[std::size_t(sa[i]) - 1]); });
  std::atomic<std::size_t> whole = n;  // row of the whole text
  static_cast<void>(holds_for_all(n, [&](std::size_t i) {
    if (sa[i] == 0) whole = i;
    return true;
  }));
  return rows[0] == text[n - 1] && holds_for_all(n, [&](std::size_t i) {
           return i == whole || rows[i < whole ? i + 1 : i] == text[std::size_t(sa[i]) - 1];
         });
}

/// Builds the suffix array of a text by all contenders in turn.
template <class Index>
class race {
 public:
  race(std::string name, std::string_view text, settings const& options)
      : name_(std::move(name)), text_(text), options_(options) {
    device const requested = options.common.machine().device;
    for (device const where : {device::gpu, device::cpu})
      if ((where == device::cpu || !gpus().empty()) && (requested == device::automatic || requested == where)) {
        add_ours(where);
        if (options.bwt) add_bwt(where);
        if (sizeof(Index) == 8) add_narrow(where);
      }
    for (auto& rival : bench::suffix_rivals()) {
      bool const chosen = options.rivals.empty()
                              ? !rival.by_name_only
                              : std::find(options.rivals.begin(), options.rivals.end(), rival.name) != options.rivals.end();
      if (rival.name == "libdivsufsort") rival.max_length = std::min(rival.max_length, options.divsufsort_limit);
      if (!chosen || text.size() < rival.min_length || text.size() > rival.max_length) continue;
      contenders_.push_back(
          {.name = rival.name,
           .version = rival.version,
           .entry_bytes = rival.entry_bytes,
           .ours = false,
           .on_gpu = rival.on_gpu,
           .build = [build = rival.build, text, threads = options.threads()](void* out) { return build(text, out, threads); },
           .device_memory = rival.device_memory});
    }
  }

  /// Runs those on the GPU in turn, so that it is never idle for long, and then the others.
  void run() {
    std::size_t entry = 1;
    for (auto const& contender : contenders_) entry = std::max(entry, contender.entry_bytes);
    touched_memory first(text_.size() * sizeof(Index));
    touched_memory others(contenders_.size() > 1 ? text_.size() * entry + 1 : 0);
    for (bool const on_gpu : {true, false})
      for (std::size_t round = 0; round <= options_.runs; ++round)
        for (auto& contender : contenders_)
          if (contender.on_gpu == on_gpu && contender.why.empty() && contender.spent < options_.patience)
            turn(contender, round, first, others);
  }

  [[nodiscard]] bool is_correct() const { return correct_; }

  void print() const {
    for (auto const& contender : contenders_) {
      auto const row = contender.figures();
      if (contender.seconds.empty() || !contender.why.empty()) {
        fmt::print("{:<28} {:>11} {:<14} none: {}\n", name_, text_.size(), contender.name, contender.why);
        continue;
      }
      double const seconds = row["seconds"].template get<double>();
      fmt::print("{:<28} {:>11} {:<14} {:>9.4f} {:>9.4f} {:>5} {:>8.1f} {:>9.2f}{}\n", name_, text_.size(), contender.name,
                 seconds, row["best_seconds"].template get<double>(), contender.seconds.size(),
                 double(text_.size()) / seconds / 1e6, double(contender.memory) / 1e9,
                 contender.entry_bytes == 1 ? "  BWT only" : "");
    }
    std::fflush(stdout);
  }

  /// Adds a row for each device of ours, each with all rivals.
  void add_rows(nlohmann::ordered_json& rows) const {
    nlohmann::ordered_json rivals = nlohmann::json::object();
    for (auto const& contender : contenders_) {
      if (contender.ours) continue;
      auto& rival = rivals[contender.name] = {{"version", contender.version},
                                              {"makes", contender.entry_bytes == 1 ? "BWT" : "suffix array"}};
      rival.update(contender.figures());
    }
    for (auto const& contender : contenders_) {
      if (!contender.ours) continue;
      nlohmann::ordered_json row{
          {"input", name_}, {"residues", text_.size()}, {"entry_bytes", contender.entry_bytes}, {"machine", contender.name}};
      row.update(contender.figures());
      row["rivals"] = rivals;
      rows.push_back(row);
    }
  }

 private:
  void add_ours(device where) {
    auto const memory = std::make_shared<std::size_t>(0);
    contenders_.push_back({.name = std::string(to_string(where)),
                           .entry_bytes = sizeof(Index),
                           .ours = true,
                           .on_gpu = where == device::gpu,
                           .build =
                               [this, where, memory](void* out) {
                                 suffix::arrays<Index> const to{{static_cast<Index*>(out), text_.size()}, {}, {}};
                                 suffix::build_options const build_options = options_on(where);
                                 return bench::time_seconds(
                                     [&] { *memory = suffix::build(suffix::text{text_}, to, build_options).device_memory; });
                               },
                           .device_memory = [memory] { return *memory; }});
  }
  [[nodiscard]] suffix::build_options options_on(device where) {
    suffix::build_options build_options;
    build_options.machine = options_.common.machine();
    build_options.machine.device = where;
    if (where == device::gpu && !options_.anew) build_options.machine.on = &kept_;
    return build_options;
  }

  /// Adds Ordo without the suffix array.
  void add_bwt(device where) {
    auto const memory = std::make_shared<std::size_t>(0);
    contenders_.push_back({.name = fmt::format("{}, BWT", to_string(where)),
                           .entry_bytes = 1,
                           .ours = true,
                           .on_gpu = where == device::gpu,
                           .build =
                               [this, where, memory](void* out) {
                                 suffix::arrays<Index> const to{{}, {}, {static_cast<char*>(out), text_.size() + 1}};
                                 suffix::build_options const build_options = options_on(where);
                                 return bench::time_seconds(
                                     [&] { *memory = suffix::build(suffix::text{text_}, to, build_options).device_memory; });
                               },
                           .device_memory = [memory] { return *memory; }});
  }

  /// Adds Ordo with entries of 40 bits.
  void add_narrow(device where) {
    auto const memory = std::make_shared<std::size_t>(0);
    contenders_.push_back({.name = fmt::format("{}, 40 bits", to_string(where)),
                           .entry_bytes = narrow_bytes,
                           .ours = true,
                           .on_gpu = where == device::gpu,
                           .build =
                               [this, where, memory](void* out) {
                                 memory_sink to({static_cast<char*>(out), narrow_bytes * text_.size()});
                                 suffix::build_options const build_options = options_on(where);
                                 return bench::time_seconds([&] {
                                   auto const report = suffix::build_into<Index>(
                                       suffix::text{text_}, {&to, nullptr, nullptr, narrow_bytes}, build_options);
                                   *memory = report.device_memory;
                                 });
                               },
                           .device_memory = [memory] { return *memory; }});
  }

  /// Runs one contender. The first success of ours gives the order that the others are compared with.
  void turn(contender& contender, std::size_t round, touched_memory& first, touched_memory& others) {
    if (leader_ == nullptr && (!contender.ours || contender.entry_bytes == 1)) return;
    bool const leads = leader_ == nullptr || leader_ == &contender;
    touched_memory& to = leads ? first : others;
    to.overwrite();
    try {
      double const seconds = contender.build(to.data());
      contender.spent += seconds;
      if (round == 1) contender.seconds.clear();  // the first round was a warm-up
      contender.seconds.push_back(seconds);
      contender.memory = std::max(contender.memory, contender.device_memory());
      leader_ = leads ? &contender : leader_;
      if (!leads && !is_same<Index>(text_, first.as<Index const>(text_.size()), to, contender.entry_bytes, contender.ours))
        fail(contender, "different result");
      if (contender.ours && contender.entry_bytes == sizeof(Index) && options_.check && round == 0) check(contender, to);
    } catch (out_of_memory const& e) {
      give_up(contender, e.what());
    } catch (std::exception const& e) {
      fail(contender, e.what());
    }
    if (leads && !contender.why.empty()) leader_ = nullptr;
  }

  void check(contender& contender, touched_memory const& result) {
    suffix::arrays<Index const> const arrays{result.as<Index const>(text_.size()), {}, {}};
    suffix::build_options check_options;
    check_options.machine.threads = options_.common.threads;
    if (auto const result = suffix::check(suffix::text{text_}, arrays, check_options))
      fail(contender, fmt::format("row {} of {}: {}", result->row, result->array, result->reason));
  }

  void fail(contender& contender, std::string_view why) {
    give_up(contender, why);
    correct_ = false;
  }
  /// Records that a contender cannot build this text, which is not an error.
  static void give_up(contender& contender, std::string_view why) {
    contender.why = why;
    contender.seconds.clear();
  }

  std::string name_;
  std::string_view text_;
  settings const& options_;
  gpu kept_{gpu_options{.device = options_.common.machine().gpu_index.value_or(0)}};
  std::vector<contender> contenders_;
  contender const* leader_ = nullptr;
  bool correct_ = true;
};

/// Measures one text. Returns false if a result was wrong.
template <class Index>
bool measure(std::string const& name, std::string_view text, settings const& options, nlohmann::ordered_json& rows) {
  race<Index> one(name, text, options);
  one.run();
  one.print();
  one.add_rows(rows);
  return one.is_correct();
}

int run(int argc, char const* const* argv) {
  settings options;
  std::vector<std::string> known{"none"};
  for (auto const& rival : bench::suffix_rivals()) known.push_back(rival.name);
  cli::command_table table{.name = "suffix_array",
                           .summary = "measure",
                           .usage = {"[OPTION]... [FILE]..."},
                           .description = "Suffix arrays by Ordo and by others.",
                           .operands = {cli::operand_row("FILE", "a FASTA file, whose records are one text", options.files)}};
  table.options = {
      cli::value_row("made-up", "KIND:LENGTH[,KIND:LENGTH...]",
                     "make these texts; k, m and g are 10^3, 10^6 and 10^9; kinds: " + bench::made_up_kinds(), options.made_up),
      cli::value_row("rivals", "NAME[,NAME...]",
                     fmt::format("run these, or none: {} [all that were built in, but libsais64]", fmt::join(known, ", ")),
                     [&](std::string_view spelling, std::string_view value) {
                       cli::parse_value(spelling, value, options.rivals);
                       for (std::string const& rival : options.rivals)
                         if (std::ranges::find(known, rival) == known.end())
                           throw usage_error(fmt::format("no such rival: {}: {}", spelling, rival));
                     }),
      cli::value_row("divsufsort-limit", "N", "run libdivsufsort, which has one thread, on at most N letters",
                     cli::parse_scaled_to(options.divsufsort_limit), fmt::format("{}", options.divsufsort_limit)),
      cli::value_row("runs", "N", "take the median of N runs, after one to warm up", cli::parse_to(options.runs, 1, 1000),
                     fmt::format("{}", options.runs)),
      cli::value_row("patience", "SECONDS", "do not repeat a run that takes longer; count its first run", options.patience),
      cli::flag_row("check", "verify the order that Ordo makes, once for each text and machine", options.check),
      cli::flag_row("bwt", "build the Burrows-Wheeler transform alone, too", options.bwt),
      cli::flag_row("anew", "on a GPU, use a machine that allocates most of its memory for each build", options.anew),
      cli::value_row("json", "FILE", "write the figures to FILE", options.json)};
  cli::add_common_options(table, options.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  options.common.check_machine();
  if (options.files.empty() && options.made_up.empty())
    throw usage_error("no text: name FASTA files, or texts to make by --made-up");

  std::vector<std::function<host_bytes()>> makers;
  for (std::string const& kind : options.made_up) makers.push_back(bench::made_up_text(kind));

  nlohmann::ordered_json rows = nlohmann::json::array();
  bool correct = true;
  fmt::print("{:<28} {:>11} {:<14} {:>9} {:>9} {:>5} {:>8} {:>9}\n", "input", "residues", "by", "median s", "best s", "runs",
             "MB/s", "GPU, GB");
  auto const next = [&](std::string const& name, std::string_view text) {
    correct &= suffix::index_fits(4, text.size(), 1) ? measure<std::uint32_t>(name, text, options, rows)
                                                     : measure<std::uint64_t>(name, text, options, rows);
    bool const on_gpu = std::any_of(rows.begin(), rows.end(), [](auto const& row) { return row["machine"] == "gpu"; });
    bench::write_report(options.json, options.common.threads, options.runs, rows, on_gpu);
  };
  for (std::string const& file : options.files) {
    cli::input in(file);
    suffix::fasta const records = suffix::read_fasta(in.name(), in);
    next(file.substr(file.rfind('/') + 1), records.view().residues);
  }
  for (std::size_t i = 0; i != makers.size(); ++i) {
    host_bytes const text = makers[i]();
    next(options.made_up[i], {text.data(), text.size()});
  }
  return correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("suffix_array", [&] { return run(argc, argv); });
}
