// Suffix arrays of FASTA files and of made-up texts: by Ordo on each machine present, and by the rivals that were built in, in
// turn, in this process; on a GPU by a machine that is kept, with its memory, from one build to the next. From pageable text in
// the host's memory into a pageable array there that was written before; making and reading texts is not counted. Medians.
// Results are compared.
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
#include <CLI/CLI.hpp>

#include "bench/host_bench.hpp"
#include "bench/made_up_texts.hpp"
#include "bench/suffix_rivals.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;

namespace {

struct asked {
  std::vector<std::string> files, made_up, rivals;
  std::size_t runs = 5, divsufsort_limit = 250'000'000;
  double patience = 10;
  bool check = false, anew = false;
  std::string json;
  cli::common_options common;

  [[nodiscard]] unsigned threads() const {
    return common.threads == 0 ? unsigned(tbb::info::default_concurrency()) : common.threads;
  }
};

/// all(i) for i in [0, n), by all threads.
template <class Right>
bool all_of(std::size_t n, Right right) {
  std::atomic<bool> all = true;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1 << 16), [&](auto const& part) {
    for (std::size_t i = part.begin(); i != part.end() && all; ++i)
      if (!right(i)) all = false;
  });
  return all;
}

/// A contender's memory for its result, written before, so that no page is new to it, and no result of another is in it.
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

/// Who builds, and how that went.
struct contender {
  std::string name, version = {};
  std::size_t entry_bytes;
  bool ours, on_card;
  std::function<double(void* out)> build;  // @returns seconds
  std::function<std::size_t()> device_memory;
  std::vector<double> seconds = {};
  double spent = 0;
  std::size_t memory = 0;
  std::string why = {};  // it has no figure

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

constexpr std::size_t narrow_bytes = 5;  // of an entry of 40 bits

/// Is it the order of `sa`? A Burrows-Wheeler transform has the letter before the whole text's end, and then those before each
/// suffix of the order, but none before the first letter.
template <class Index>
bool is_same(std::string_view text, std::span<Index const> sa, touched_memory const& result, std::size_t entry_bytes) {
  std::size_t const n = text.size();
  if (entry_bytes == 8)
    return all_of(n, [&, theirs = result.as<std::uint64_t>(n)](std::size_t i) { return theirs[i] == sa[i]; });
  if (entry_bytes == 4)
    return all_of(n, [&, theirs = result.as<std::uint32_t>(n)](std::size_t i) { return theirs[i] == sa[i]; });
  if (entry_bytes == narrow_bytes)
    return all_of(n, [&, theirs = result.as<unsigned char>(narrow_bytes * n)](std::size_t i) {
      std::uint64_t entry = 0;
      for (std::size_t k = narrow_bytes; k-- != 0;) entry = entry << 8 | theirs[narrow_bytes * i + k];
      return entry == sa[i];
    });
  auto const rows = result.as<char>(n);
  std::atomic<std::size_t> whole = n;  // row of the whole text
  static_cast<void>(all_of(n, [&](std::size_t i) {
    if (sa[i] == 0) whole = i;
    return true;
  }));
  return rows[0] == text[n - 1] &&
         all_of(n, [&](std::size_t i) { return i == whole || rows[i < whole ? i + 1 : i] == text[std::size_t(sa[i]) - 1]; });
}

/// A text, whoever builds its suffix array, in turn, and what came of it.
template <class Index>
class race {
 public:
  race(std::string name, std::string_view text, asked const& how) : name_(std::move(name)), text_(text), how_(how) {
    device const wanted = how.common.machine().device;
    for (device const where : {device::gpu, device::cpu})
      if ((where == device::cpu || !gpus().empty()) && (wanted == device::automatic || wanted == where)) {
        add_ours(where);
        if (sizeof(Index) == 8) add_narrow(where);
      }
    for (auto& rival : bench::suffix_rivals()) {
      bool const chosen = how.rivals.empty() ? !rival.by_name_only
                                             : std::find(how.rivals.begin(), how.rivals.end(), rival.name) != how.rivals.end();
      if (rival.name == "libdivsufsort") rival.longest = std::min(rival.longest, how.divsufsort_limit);
      if (!chosen || text.size() < rival.shortest || text.size() > rival.longest) continue;
      contenders_.push_back(
          {.name = rival.name,
           .version = rival.version,
           .entry_bytes = rival.entry_bytes,
           .ours = false,
           .on_card = rival.on_card,
           .build = [build = rival.build, text, threads = how.threads()](void* out) { return build(text, out, threads); },
           .device_memory = rival.device_memory});
    }
  }

  /// Those on the card in turn, so that it is not idle for long between them, and then the others.
  void run() {
    std::size_t entry = 1;
    for (auto const& one : contenders_) entry = std::max(entry, one.entry_bytes);
    touched_memory first(text_.size() * sizeof(Index));
    touched_memory others(contenders_.size() > 1 ? text_.size() * entry : 0);
    for (bool const on_card : {true, false})
      for (std::size_t round = 0; round <= how_.runs; ++round)
        for (auto& one : contenders_)
          if (one.on_card == on_card && one.why.empty() && one.spent < how_.patience) turn(one, round, first, others);
  }

  [[nodiscard]] bool is_right() const { return right_; }

  void print() const {
    for (auto const& one : contenders_) {
      auto const row = one.figures();
      if (one.seconds.empty() || !one.why.empty()) {
        fmt::print("{:<28} {:>11} {:<14} none: {}\n", name_, text_.size(), one.name, one.why);
        continue;
      }
      double const seconds = row["seconds"].template get<double>();
      fmt::print("{:<28} {:>11} {:<14} {:>9.4f} {:>9.4f} {:>5} {:>8.1f} {:>9.2f}{}\n", name_, text_.size(), one.name, seconds,
                 row["best_seconds"].template get<double>(), one.seconds.size(), double(text_.size()) / seconds / 1e6,
                 double(one.memory) / 1e9, one.entry_bytes == 1 ? "  BWT only" : "");
    }
    std::fflush(stdout);
  }

  /// A row for each machine of ours, each with all rivals.
  void add_rows(nlohmann::ordered_json& rows) const {
    nlohmann::ordered_json rivals = nlohmann::json::object();
    for (auto const& one : contenders_) {
      if (one.ours) continue;
      auto& rival = rivals[one.name] = {{"version", one.version}, {"makes", one.entry_bytes == 1 ? "BWT" : "suffix array"}};
      rival.update(one.figures());
    }
    for (auto const& one : contenders_) {
      if (!one.ours) continue;
      nlohmann::ordered_json row{
          {"input", name_}, {"residues", text_.size()}, {"entry_bytes", one.entry_bytes}, {"machine", one.name}};
      row.update(one.figures());
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
                           .on_card = where == device::gpu,
                           .build =
                               [this, where, memory](void* out) {
                                 suffix::arrays<Index> const to{{static_cast<Index*>(out), text_.size()}, {}, {}};
                                 suffix::build_options const how = options_on(where);
                                 return bench::seconds_of(
                                     [&] { *memory = suffix::build(suffix::text{text_}, to, how).device_memory; });
                               },
                           .device_memory = [memory] { return *memory; }});
  }
  [[nodiscard]] suffix::build_options options_on(device where) {
    suffix::build_options how;
    how.machine = how_.common.machine();
    how.machine.device = where;
    if (where == device::gpu && !how_.anew) how.machine.on = &kept_;
    return how;
  }

  /// The same with entries of 40 bits.
  void add_narrow(device where) {
    auto const memory = std::make_shared<std::size_t>(0);
    contenders_.push_back(
        {.name = fmt::format("{}, 40 bits", to_string(where)),
         .entry_bytes = narrow_bytes,
         .ours = true,
         .on_card = where == device::gpu,
         .build =
             [this, where, memory](void* out) {
               memory_sink to({static_cast<char*>(out), narrow_bytes * text_.size()});
               suffix::build_options const how = options_on(where);
               return bench::seconds_of([&] {
                 auto const done = suffix::build_into<Index>(suffix::text{text_}, {&to, nullptr, nullptr, narrow_bytes}, how);
                 *memory = done.device_memory;
               });
             },
         .device_memory = [memory] { return *memory; }});
  }

  /// The first of ours that can sets the order that the others are compared with.
  void turn(contender& one, std::size_t round, touched_memory& first, touched_memory& others) {
    if (leader_ == nullptr && !one.ours) return;
    bool const leads = leader_ == nullptr || leader_ == &one;
    touched_memory& to = leads ? first : others;
    to.overwrite();
    try {
      double const seconds = one.build(to.data());
      one.spent += seconds;
      if (round == 1) one.seconds.clear();  // the round before was to warm up
      one.seconds.push_back(seconds);
      one.memory = std::max(one.memory, one.device_memory());
      leader_ = leads ? &one : leader_;
      if (!leads && !is_same<Index>(text_, first.as<Index const>(text_.size()), to, one.entry_bytes))
        fail(one, "another result");
      if (one.ours && one.entry_bytes == sizeof(Index) && how_.check && round == 0) check(one, to);
    } catch (out_of_memory const& e) {
      give_up(one, e.what());
    } catch (std::exception const& e) {
      fail(one, e.what());
    }
    if (leads && !one.why.empty()) leader_ = nullptr;
  }

  void check(contender& one, touched_memory const& result) {
    suffix::arrays<Index const> const made{result.as<Index const>(text_.size()), {}, {}};
    suffix::build_options how;
    how.machine.threads = how_.common.threads;
    if (auto const found = suffix::check(suffix::text{text_}, made, how))
      fail(one, fmt::format("row {} of {}: {}", found->row, found->array, found->reason));
  }

  void fail(contender& one, std::string_view why) {
    give_up(one, why);
    right_ = false;
  }
  /// Not possible here, which is no fault.
  static void give_up(contender& one, std::string_view why) {
    one.why = why;
    one.seconds.clear();
  }

  std::string name_;
  std::string_view text_;
  asked const& how_;
  gpu kept_{gpu_options{.device = how_.common.machine().gpu_index.value_or(0)}};
  std::vector<contender> contenders_;
  contender const* leader_ = nullptr;
  bool right_ = true;
};

/// @returns whether all went well
template <class Index>
bool measure(std::string const& name, std::string_view text, asked const& how, nlohmann::ordered_json& rows) {
  race<Index> one(name, text, how);
  one.run();
  one.print();
  one.add_rows(rows);
  return one.is_right();
}

int run(int argc, char const* const* argv) {
  asked how;
  CLI::App app("Suffix arrays by Ordo and by others.", "suffix_array");
  std::vector<std::string> known{"none"};
  for (auto const& rival : bench::suffix_rivals()) known.push_back(rival.name);
  app.add_option("files", how.files, "FASTA; the records of each are taken as one text");
  app.add_option("--made-up", how.made_up,
                 "texts to make, with commas between; k, m, g are 10^3, 10^6, 10^9; kinds: " + bench::made_up_kinds())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KIND:LENGTH");
  app.add_option("--rivals", how.rivals, "which run, with commas between, or none [all that were built in, but libsais64]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(known));
  app.add_option("--divsufsort-limit", how.divsufsort_limit, "letters that libdivsufsort, which has one thread, gets at most")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--runs", how.runs, "of which the median counts, after one to warm up")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--patience", how.patience,
                 "seconds: who has taken so long for a text does not run again; a first run counts then")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--check", how.check, "prove the order that Ordo makes, once for each text and machine");
  app.add_flag("--anew", how.anew,
               "on a GPU by a machine of the process's own, which gets most of its memory anew for a build");
  app.add_option("--json", how.json, "write the rows there");
  cli::add_common_options(app, how.common);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  how.common.check_machine();
  if (how.files.empty() && how.made_up.empty()) throw usage_error("no text: name FASTA files, or texts to make by --made-up");

  std::vector<std::function<host_bytes()>> makers;
  for (std::string const& what : how.made_up) makers.push_back(bench::made_up_text(what));

  nlohmann::ordered_json rows = nlohmann::json::array();
  bool right = true;
  fmt::print("{:<28} {:>11} {:<14} {:>9} {:>9} {:>5} {:>8} {:>9}\n", "input", "residues", "by", "median s", "best s", "runs",
             "MB/s", "card, GB");
  auto const next = [&](std::string const& name, std::string_view text) {
    right &= suffix::index_fits(4, text.size(), 1) ? measure<std::uint32_t>(name, text, how, rows)
                                                   : measure<std::uint64_t>(name, text, how, rows);
    bool const on_gpu = std::any_of(rows.begin(), rows.end(), [](auto const& row) { return row["machine"] == "gpu"; });
    bench::write_report(how.json, how.common.threads, how.runs, rows, on_gpu);
  };
  for (std::string const& file : how.files) {
    cli::input in(file);
    suffix::fasta const records = suffix::read_fasta(in.name(), in);
    next(file.substr(file.rfind('/') + 1), records.view().residues);
  }
  for (std::size_t i = 0; i != makers.size(); ++i) {
    host_bytes const text = makers[i]();
    next(how.made_up[i], {text.data(), text.size()});
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("suffix_array", [&] { return run(argc, argv); });
}
