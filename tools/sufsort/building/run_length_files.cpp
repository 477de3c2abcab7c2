#include "tools/sufsort/building/run_length_files.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/parse_bytes.hpp"
#include "base/quantity.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/fmd.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/files/other_formats.hpp"
#include "tools/sufsort/files/records_ahead.hpp"
#include "tools/sufsort/files/reference_reader.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// What a checkpoint holds besides the index: how many records of the files are in it, and a checksum of them.
struct checkpoint_head {
  static constexpr std::array<char, 8> magic{'O', 'R', 'D', 'O', 'R', 'L', 'C', 1};
  std::array<char, 8> begin = magic;
  std::uint64_t base_records = 0, records = 0, letters = 0, sum = 0;

  void add(std::string_view of_record) {
    std::uint64_t const own = suffix::compute_crc32({of_record.data(), of_record.size()}, 1);
    ++records;
    letters += of_record.size();
    sum = (sum ^ own ^ of_record.size() << 32) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
  }
};
static_assert(sizeof(checkpoint_head) == 40);

/// Writes a head before what is written.
class headed_sink final : public sink {
 public:
  headed_sink(sink& to, std::span<char const> head) : to_(to), head_(head) {}
  bool expect(std::uint64_t bytes) override {
    to_.expect(head_.size() + bytes);
    return false;
  }
  void write(std::span<char const> data) override {
    if (!head_.empty()) to_.write(std::exchange(head_, {}));
    to_.write(data);
  }

 private:
  sink& to_;
  std::span<char const> head_;
};

/// Compares what is written with a source.
class comparing_sink final : public sink {
 public:
  explicit comparing_sink(source& with) : with_(with) {}
  void write(std::span<char const> data) override {
    std::array<char, 1 << 16> other;
    while (!data.empty() && is_same_) {
      auto const size = std::min(data.size(), other.size());
      is_same_ = with_.read(std::span(other).first(size)) == size &&
                 std::equal(data.begin(), data.begin() + std::ptrdiff_t(size), other.begin());
      data = data.subspan(size);
    }
  }
  [[nodiscard]] bool is_same() const { return is_same_; }

 private:
  source& with_;
  bool is_same_ = true;
};

/// The build of an index that may be killed and go on.
class run_length_build {
 public:
  run_length_build(run_length_job const& job, cli::common_options const& common, reporter& report)
      : job_(job),
        common_(common),
        report_(report),
        inputs_(job.files),
        index_(make_index()) {}

  int run() {
    std::deque<cli::output> outputs;
    bool const samples = job_.options.samples;
    if (!samples) refuse_old_samples();
    for (std::string const& end : samples ? std::vector<std::string>{"", ".ssa", ".len.gz"} : std::vector<std::string>{""})
      outputs.emplace_back(job_.output + end, samples ? cli::output::replacing::by_rename : cli::output::replacing::any_way);
    for (cli::output const& out : outputs) out.refuse_inputs(job_.files);
    report_.phase("open");
    open();
    report_.phase("read");
    read(outputs);
    index_.finish();
    if (index_.records() == 0)
      throw input_error(fmt::format("no records: {}: an index needs at least one", job_.files.front()));
    report_.phase("write");
    if (samples) index_.begin_samples();
    index_.write(outputs[0], job_.format);
    if (samples) {
      report_.phase("samples", index_.rows());
      index_.write_samples(outputs[1]);
      outputs[2].write(std::string_view(lengths_));
    }
    report_.stats.input(done_.letters);
    report_.stats.machine(index_.report().machine);
    report_.stats.device_memory(index_.report().device_memory);
    report_.phase("finish");
    commit_together(outputs, 0);
    std::error_code ignored;
    if (job_.options.checkpoint_letters != 0) std::filesystem::remove(checkpoint_name(), ignored);
    return 0;
  }

 private:
  [[nodiscard]] std::string checkpoint_name() const { return job_.output + ".checkpoint"; }

  suffix::run_length_index make_index() {
    suffix::run_length_options options;
    options.machine = common_.machine();
    options.memory = job_.memory.host_bytes();
    options.on_phase = [this](std::string_view name, std::uint64_t work) { report_.phase(name, work); };
    options.marks_genomes = job_.files.size() > 1;
    options.letters_to_come = [this] { return inputs_.letters_to_come(); };
    return suffix::run_length_index(options);
  }

  /// Refuses to leave the samples and names of another index beside the new one: ropebwt3 would report wrong positions.
  void refuse_old_samples() const {
    for (char const* const end : {".ssa", ".len.gz"})
      if (std::string const old = job_.output + end; std::filesystem::exists(old))
        throw usage_error(fmt::format("cannot write: {}: {} is of the old index: --ssa replaces it, too; or remove it",
                                      job_.output, old));
  }

  /// Reads the index to which records are added, or the checkpoint of a build that was killed.
  void open() {
    std::string const name = checkpoint_name();
    if (job_.options.checkpoint_letters != 0 && std::filesystem::exists(name)) {
      cli::input in(name, cli::compression::none);
      if (in.read({reinterpret_cast<char*>(&reached_), sizeof(reached_)}) != sizeof(reached_) ||
          reached_.begin != checkpoint_head::magic)
        throw input_error(fmt::format("cannot read: {}: not a checkpoint of sufsort: remove it", name));
      index_.read(in, name);
      if (index_.records() != reached_.base_records + 2 * reached_.records)
        throw input_error(fmt::format("cannot read: {}: the checkpoint is damaged: remove it", name));
      base_records_ = reached_.base_records;
    } else if (!job_.base.empty()) {
      cli::input in(job_.base, cli::compression::none);
      index_.read(in, in.name());
      base_records_ = index_.records();
    }
    saved_letters_ = reached_.letters;
    if (job_.options.samples && !job_.base.empty()) read_lengths();
  }
  void read_lengths() {
    std::string const name = job_.base + ".len.gz";
    host_bytes const text = cli::read_all(name);
    lengths_.assign(text.data(), text.size());
    auto const lines = std::uint64_t(std::ranges::count(lengths_, '\n'));
    if (2 * lines != base_records_)
      throw input_error(fmt::format("cannot read: {}: {} for an index of {}", name, quantity(lines, "line"),
                                    quantity(base_records_ / 2, "record")));
  }

  void read(std::deque<cli::output> const& outputs) {
    records_ahead records(job_.files, common_, job_.memory.host_bytes(), [&](cli::input& in) {
      for (cli::output const& out : outputs) out.refuse_loop(in);
      expect_fasta(in.name(), in.front(4096), "a reference is FASTA");
    });
    records.each(
        [&](std::string_view header, std::string_view letters, std::uint64_t of_file) {
          inputs_.at(of_file, letters.size());
          report_.progress.at(of_file);
          take(header, letters);
        },
        [&](std::uint64_t of_file) {
          inputs_.at(of_file, 0);
          inputs_.begin_file();
          if (job_.files.size() > 1) index_.end_genome();
        });
    if (done_.records < reached_.records) refuse_checkpoint();
  }
  void take(std::string_view header, std::string_view letters) {
    if (job_.options.samples) lengths_ += fmt::format("{}\t{}\n", name_and_comment(header).first, letters.size());
    if (job_.options.checkpoint_letters != 0 || done_.records < reached_.records) {
      done_.add(letters);
      if (done_.records <= reached_.records) {
        if (done_.records == reached_.records && done_.sum != reached_.sum) refuse_checkpoint();
        return;
      }
    } else {
      ++done_.records;
      done_.letters += letters.size();
    }
    index_.add(letters);
    if (job_.options.checkpoint_letters != 0 && done_.letters - saved_letters_ >= job_.options.checkpoint_letters) save();
  }
  [[noreturn]] void refuse_checkpoint() const {
    throw input_error(fmt::format("other records: {}: the checkpoint is of other files: remove it", checkpoint_name()));
  }
  void save() {
    index_.finish();
    report_.phase("checkpoint");
    cli::output out(checkpoint_name());
    checkpoint_head head = done_;
    head.base_records = base_records_;
    headed_sink to(out, {reinterpret_cast<char const*>(&head), sizeof(head)});
    index_.write(to);
    out.commit();
    saved_letters_ = done_.letters;
    report_.phase("read");
  }

  run_length_job const& job_;
  cli::common_options const& common_;
  reporter& report_;
  input_progress inputs_;
  suffix::run_length_index index_;
  std::string lengths_;
  checkpoint_head done_, reached_;
  std::uint64_t base_records_ = 0, saved_letters_ = 0;
};

}  // namespace

input_progress::input_progress(std::vector<std::string> const& files) {
  for (std::string const& file : files) {
    std::error_code error;
    bool const is_file = file != "-" && std::filesystem::is_regular_file(file, error);
    std::uint64_t const bytes = is_file ? std::filesystem::file_size(file, error) : 0;
    if (!is_file || error) {
      all_ = 0;
      return;
    }
    all_ += bytes;
  }
}

std::uint64_t input_progress::letters_to_come() const {
  if (all_ <= read_ || read_ == 0) return 0;
  return std::uint64_t(2 * double(letters_) * double(all_ - read_) / double(read_));
}

cli::option samples_option(run_length_options& to) {
  return {.name = "ssa",
          .group = index_group,
          .help = "also write X.fmd.ssa and X.fmd.len.gz, by which ropebwt3 reports positions",
          .details = "They are the files of ropebwt3 ssa, and of names and lengths of records.",
          .set = [&to](std::string_view, std::string_view) { to.samples = true; }};
}

cli::option checkpoint_option(run_length_options& to) {
  return {
      .name = "checkpoint",
      .value = "LETTERS",
      .group = index_group,
      .help =
          "save the index to X.fmd.checkpoint each LETTERS letters, as 20G, so that the same command goes on if it is killed",
      .details = "LETTERS is a number with K, M, G or T for powers of 1024. The file is removed at the end.",
      .set = [&to](std::string_view, std::string_view value) {
        to.checkpoint_letters = parse_bytes(value);
        if (to.checkpoint_letters == 0) throw usage_error("invalid number: --checkpoint: '0': it must be above 0");
      }};
}

void refuse_run_length_options(run_length_options const& options, bool output) {
  char const* const name = output                            ? "--output"
                           : options.samples                 ? "--ssa"
                           : options.checkpoint_letters != 0 ? "--checkpoint"
                                                             : nullptr;
  if (name) throw usage_error(fmt::format("{}: only for an index of ropebwt3, whose name ends in .fmd or .fmr", name));
}

bool is_run_length_file(std::string const& name) {
  return (name.ends_with(".fmd") || name.ends_with(".fmr")) && !std::filesystem::exists(name + ".json");
}

suffix::run_length_format format_of_name(std::string const& name) {
  if (name.ends_with(".fmd")) return suffix::run_length_format::fmd;
  if (name.ends_with(".fmr")) return suffix::run_length_format::fmr;
  throw usage_error(fmt::format("unknown format: {}: the name of an index of ropebwt3 ends in .fmd or .fmr", name));
}

int build_run_lengths(run_length_job const& job, cli::common_options const& common, reporter& report) {
  try {
    return run_length_build(job, common, report).run();
  } catch (out_of_memory const& e) {
    if (e.bytes() == 0) throw;
    throw out_of_memory(fmt::format("{}: {}", e.what(), job.memory.advice(e.bytes(), "suffices if it grows so")), e.bytes());
  }
}

int check_run_lengths(std::string const& name, std::vector<std::string> const& files, memory_limits const& memory,
                      cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::run_length_options options;
  options.machine = common.machine();
  options.memory = memory.host_bytes();
  suffix::run_length_index index(options);
  {
    cli::input in(name, cli::compression::none);
    index.read(in, in.name());
  }
  report.stats.input(index.rows());
  auto const disorder = [&](std::string const& why) {
    report.progress.clear();
    cli::print_result(fmt::format("sufsort: disorder: {}: {}\n", name, why));
    return 1;
  };
  if (name.ends_with(".fmd")) {  // its counts and its table follow from its runs
    cli::input in(name, cli::compression::none);
    comparing_sink to(in);
    index.write(to);
    if (!to.is_same()) return disorder("its counts differ from those of its runs");
  }
  report.phase("walk", index.rows());
  std::uint64_t const records = index.records() / 2;
  if (files.empty()) {
    if (!index.has_all_rows()) return disorder("the walks through its records do not have all rows");
  } else {
    std::uint64_t record = 0, letters = 0;
    std::string wrong;
    tbb::task_arena arena(threads_for(common.threads));
    reference_reader reader(arena);
    for (std::string const& file : files) {
      cli::input in(file, common.threads);
      expect_fasta(in.name(), in.front(4096), "a reference is FASTA");
      reader.read(
          in,
          [&](std::string_view header, std::string_view of_record) {
            letters += of_record.size();
            if (!wrong.empty() || record++ >= records) return;
            if (!index.holds(2 * (record - 1), of_record))
              wrong =
                  fmt::format("record {} has other letters than '{}' of {}", record, name_and_comment(header).first, in.name());
          },
          [&] { report.progress.at(in.file_read()); });
    }
    if (!wrong.empty()) return disorder(wrong);
    if (record != records) return disorder(fmt::format("{} records, but the files have {}", records, record));
    if (2 * letters + index.records() != index.rows()) return disorder("it has more rows than the files have letters");
  }
  report.phase("finish");
  report.progress.clear();
  if (!common.quiet)
    std::cout << fmt::format("{}: right: {} in {}\n", name, quantity(index.rows() - index.records(), "letter"),
                             quantity(records, "record"));
  return 0;
}

}  // namespace ordo::inline v0::sufsort
