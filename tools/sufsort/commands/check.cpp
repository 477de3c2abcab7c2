#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/communicator.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "ordo/suffix/fmd.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/building/run_length_files.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/option_rows.hpp"

namespace ordo::inline v0::sufsort {
namespace {

bool is_right_fm(suffix::stored_index const& index, suffix::entries sa, unsigned threads) {
  if (!index.description().find("fm")) return true;
  static_cast<void>(index.fm());  // names what contradicts itself
  std::vector<char> const right =
      suffix::make_fm_index(index.view(), sa, index.description().fm_sample, index.path("sa"), threads);
  return std::ranges::equal(right, index.bytes("fm"));
}

// Builds the suffix array that the index was made from, and compares the arrays made of it. Returns the first wrong one.
template <class Index>
std::optional<std::string> find_wrong_array(suffix::stored_index const& index, suffix::build_options const& options,
                                            suffix::build_report& done) {
  bool const has_bwt = index.description().find("bwt") != nullptr;
  suffix::result<Index> const all = suffix::build<Index>(index.view(), {.bwt = has_bwt}, options);
  done = all.report;
  if (has_bwt && !std::ranges::equal(all.bwt, index.bytes("bwt"))) return "bwt";
  unsigned const entry = index.description().width / 8;
  std::vector<char> packed(all.sa.size() * entry);
  for (std::size_t i = 0; i < all.sa.size(); ++i) suffix::store_entry(packed.data() + i * entry, entry, all.sa[i]);
  if (!is_right_fm(index, {packed, index.description().width}, options.machine.threads)) return "fm";
  return std::nullopt;
}

std::optional<std::string> find_wrong_without_sa(suffix::stored_index const& index, suffix::build_options const& options,
                                                 suffix::build_report& done) {
  return index.description().width == 32 ? find_wrong_array<std::uint32_t>(index, options, done)
                                         : find_wrong_array<std::uint64_t>(index, options, done);
}

/// A fault of an array of an index.
struct disorder {
  std::string array, why;
};

/// Makes the arrays of 40-bit entries that machines have no type for.
class unpacked_rows {
 public:
  /// @param begin, count  the rows
  unpacked_rows(suffix::stored_index const& index, std::size_t begin, std::size_t count)
      : sa_(unpacked(index.array("sa"), begin, count)), lcp_(unpacked(index.array("lcp"), begin, count)) {}
  [[nodiscard]] std::span<std::uint64_t const> sa() const { return sa_; }
  [[nodiscard]] std::span<std::uint64_t const> lcp() const { return lcp_; }

 private:
  static std::vector<std::uint64_t> unpacked(suffix::entries values, std::size_t begin, std::size_t count) {
    std::vector<std::uint64_t> all(values.empty() ? 0 : count);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[begin + i];
    return all;
  }
  std::vector<std::uint64_t> sa_, lcp_;
};

/// A check of an index: the whole of it by this process, or with others, each of which checks a part.
class index_check {
 public:
  /// @param members  null: this process works alone
  index_check(suffix::stored_index const& index, memory_limits const& memory, cli::common_options const& common,
              reporter& report, communicator* members)
      : index_(index), memory_(memory), common_(common), report_(report), members_(members) {
    options_.machine = common.machine();
    options_.memory = memory.host_bytes();
    options_.rows = index.description().policy.rows();
  }

  /// Returns the first wrong array. Collective.
  std::optional<disorder> find() {
    std::size_t const rank = members_ ? members_->rank() : 0, size = members_ ? members_->size() : 1;
    if (auto const array = on(0, [&] { return unlisted(); })) return array;
    report_.phase("checksums", bytes());
    std::optional<disorder> altered;
    if (auto const array = members_ ? index_.altered_array(*members_, common_.threads) : index_.altered_array(common_.threads))
      altered = disorder{*array, "the checksum differs from that of the bytes written"};
    // All other arrays are proved by these, and would be blamed if these have changed. Of the others the row is found.
    for (char const* const name : {"seq", "pieces", "starts", "json"})
      if (altered && altered->array == name) return altered;
    report_.phase("prove", bytes());
    if (index_.has_runs()) return on(0, [&] { return find_in_runs(altered); });
    if (auto const wrong = find_in_rows()) return wrong;
    report_.stats.machine(done_.machine);
    report_.stats.device_memory(done_.device_memory);
    // Each of these is the work of one process.
    std::array<std::function<std::optional<disorder>()>, 3> const steps{
        [&] { return find_in_text(); }, [&] { return find_in_fm(); }, [&] { return find_in_kmers(); }};
    std::array<std::optional<disorder>, 3> result;
    std::array<std::exception_ptr, 3> failed;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (step % size != rank) continue;
      try {
        result[step] = steps[step]();
      } catch (...) {
        if (!members_) throw;
        failed[step] = std::current_exception();
      }
      if (!members_ && result[step]) return result[step];
    }
    for (std::size_t step = 0; members_ && step < steps.size(); ++step)
      if (auto const wrong = on(step % size, [&] {
            if (failed[step]) std::rethrow_exception(failed[step]);
            return result[step];
          }))
        return wrong;
    return altered;
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (suffix::index_array const& array : index_.description().arrays) sum += array.bytes;
    return sum;
  }
  /// Returns the bytes that this process sent to others.
  [[nodiscard]] std::uint64_t exchanged() const { return exchanged_; }

 private:
  /// Returns what one member finds, to all. Collective.
  template <class Find>
  std::optional<disorder> on(std::size_t member, Find find) {
    if (!members_) return find();
    std::optional<disorder> answer;
    std::string text;
    if (members_->rank() == member) {
      try {
        answer = find();
        if (answer) text = "d" + answer->array + '\0' + answer->why;
      } catch (input_error const& e) {
        text = std::string("e") + e.what();
      }
    }
    std::uint64_t size = text.size();
    members_->broadcast(std::as_writable_bytes(std::span(&size, 1)), member);
    text.resize(std::size_t(size));
    members_->broadcast(std::as_writable_bytes(std::span(text)), member);
    if (text.empty()) return std::nullopt;
    if (text[0] == 'e') throw input_error(text.substr(1));
    std::size_t const end = text.find('\0');
    return disorder{text.substr(1, end - 1), text.substr(end + 1)};
  }

  [[nodiscard]] std::optional<disorder> unlisted() const {
    auto const array = index_.unlisted_array();
    if (!array) return std::nullopt;
    return disorder{*array, "of another index: the description does not list it"};
  }

  [[nodiscard]] std::optional<disorder> find_in_runs(std::optional<disorder> const& altered) const {
    auto const wrong = suffix::find_fault_of_runs(index_.fm(), index_.text_of_search(), common_.threads);
    if (!wrong) return altered;
    return disorder{"rlfm", *wrong};
  }

  std::optional<disorder> find_in_rows() {
    if (!index_.has_sa()) {
      if (!index_.description().find("fm") && !index_.description().find("bwt"))
        return std::nullopt;  // a text alone: only its checksums can be wrong
      return on(0, [&]() -> std::optional<disorder> {
        auto const wrong = find_wrong_without_sa(index_, options_, done_);
        if (!wrong) return std::nullopt;
        return disorder{*wrong, "differs from what the text gives"};
      });
    }
    if (!options_.rows.all()) return on(0, [&] { return found_in({}, [&](auto const& all) { return prove(all); }); });
    if (!members_ && !common_.are_several()) return found_in({}, [&](auto const& all) { return prove(all); });
    std::size_t const n = index_.description().residues, size = members_ ? members_->size() : 1,
                      rank = members_ ? members_->rank() : 0;
    std::size_t const here = members_ ? cli::members_on_host(*members_) : 1;
    options_.memory /= here;
    return found_in({even_offset(n, size, rank), even_share(n, size, rank)},
                    [&](auto const& own) { return prove_together(own); });
  }

  /// Rows [begin, begin + count); all if there are none.
  struct row_span {
    std::uint64_t begin = 0, count = ~std::uint64_t{0};
    [[nodiscard]] bool all() const { return count == ~std::uint64_t{0}; }
  };

  /// Returns what prove(arrays) finds in some rows, from which the BWT of member 0 on begins with the rows of the records'
  /// ends.
  template <class Prove>
  std::optional<disorder> found_in(row_span rows, Prove prove) {
    std::optional<suffix::mismatch> fault;
    std::size_t const records = index_.view().records();
    std::size_t const begin = std::size_t(rows.begin),
                      count = std::size_t(rows.all() ? index_.description().rows() : rows.count);
    if (index_.description().width == 40) {
      copies_ = count * (index_.array("lcp").empty() ? 1 : 2) * sizeof(std::uint64_t);
      if (copies_ > options_.memory) refuse_copies();
      options_.memory -= copies_;
      unpacked_rows const wide(index_, begin, count);
      std::span<char const> bwt = index_.bytes("bwt");
      if (!rows.all() && !bwt.empty()) {
        std::size_t const ends = begin == 0 && (!members_ || members_->rank() == 0) ? records : 0;
        bwt = bwt.subspan(begin + records - ends, count + ends);
      }
      fault = prove(suffix::arrays<std::uint64_t const>{wide.sa(), wide.lcp(), bwt});
    } else {
      fault = index_.with_width([&]<class Index>(Index) {
        auto const all = index_.arrays<Index>();
        return prove(
            rows.all() ? all
                       : suffix::share_of_rows(all, records, members_ ? members_->size() : 1, members_ ? members_->rank() : 0));
      });
    }
    if (!fault) return std::nullopt;
    return disorder{name_of_file(fault->array, fault->row), fmt::format("row {}: {}", fault->row, fault->reason)};
  }

  /// Returns the file that holds a row: an array, or a part of one.
  [[nodiscard]] std::string name_of_file(std::string const& array, std::uint64_t row) const {
    suffix::index_array const* const listed = index_.description().find(array);
    if (!listed || listed->parts.empty()) return array;
    std::uint64_t end = 0;
    for (std::size_t k = 0; k < listed->parts.size(); ++k) {
      end += listed->parts[k].bytes;
      if (row < end / (index_.description().width / 8)) return suffix::name_of_part(array, k + 1);
    }
    return array;
  }

  [[noreturn]] void refuse_copies() const {
    std::string const what_is_needed = fmt::format(
        "out of memory: entries of 40 bits, unpacked to 64: {} bytes are needed, {} are available", copies_, options_.memory);
    if (members_ && options_.rows.all())
      throw out_of_memory(what_is_needed + ": more processes need less memory each", copies_);
    suffix::extra_arrays const arrays{!index_.array("lcp").empty(), !index_.bytes("bwt").empty()};
    std::size_t const all =
        copies_ + suffix::check_memory(device::cpu, index_.description().residues, index_.view().records(),
                                       sizeof(std::uint64_t), arrays, options_.rows, index_.view().residue_bytes);
    throw out_of_memory(fmt::format("{}: {}", what_is_needed, memory_.advice(all)), all);
  }

  template <class Index>
  std::optional<suffix::mismatch> prove(suffix::arrays<Index const> const& all) {
    try {
      return suffix::check(index_.view(), all, options_, &done_);
    } catch (suffix::text_too_large const& e) {
      throw out_of_memory(
          fmt::format("{}: {}", e.what(), memory_.advice_for_text(copies_ + e.min_bytes(), copies_ + e.bytes())),
          copies_ + e.min_bytes());
    }
  }
  /// Does the same with the other members, or with the machines of this process.
  template <class Index>
  std::optional<suffix::mismatch> prove_together(suffix::arrays<Index const> const& own) {
    suffix::check_report const all = members_ ? suffix::check(*members_, index_.view(), own, options_)
                                              : suffix::check(common_.machines(), index_.view(), own, options_);
    done_ = all.build;
    exchanged_ = all.exchanged;
    return all.first_mismatch;
  }

  [[nodiscard]] std::optional<disorder> find_in_text() const {
    auto const wrong = suffix::find_contradiction(index_.view(), index_.pieces(), index_.description().policy, common_.threads);
    if (!wrong) return std::nullopt;
    return disorder{"seq", *wrong};
  }
  [[nodiscard]] std::optional<disorder> find_in_fm() const {
    if (!index_.has_sa() || is_right_fm(index_, index_.array("sa"), common_.threads)) return std::nullopt;
    return disorder{"fm", "differs from what the suffix array gives"};
  }
  [[nodiscard]] std::optional<disorder> find_in_kmers() const {
    suffix::entries const words = index_.array("kmers");
    if (words.empty()) return std::nullopt;
    auto const wrong = suffix::find_wrong_kmer(index_.view(), index_.array("sa"), index_.description().kmers, words,
                                               index_.path("sa"), common_.threads);
    if (!wrong) return std::nullopt;
    return disorder{"kmers", fmt::format("k-mer {}: not the first row that is not smaller", *wrong)};
  }

  suffix::stored_index const& index_;
  memory_limits const& memory_;
  cli::common_options const& common_;
  reporter& report_;
  communicator* members_;
  suffix::build_options options_;
  suffix::build_report done_;
  std::size_t copies_ = 0;  // bytes of entries of 40 bits, as 64 bits
  std::uint64_t exchanged_ = 0;
};

/// Throws unless all processes have opened the same index. Collective.
void check_same_index(communicator& members, suffix::stored_index const& index, std::string const& prefix) {
  suffix::mapped_file const json(index.path("json"));
  std::uint64_t const own = suffix::compute_crc32({json.bytes().data(), json.bytes().size()}, 1);
  if (members.reduce(own, reduction::min) != members.reduce(own, reduction::max))
    throw input_error(fmt::format("different indexes: {}: the files must be the same on all hosts", prefix));
}

/// Verifies an index and prints its first mismatch.
class check final : public command {
 public:
  cli::command_table table() override {
    return {.name = "sufsort check",
            .summary = "verify an index; exit with 1 if it is wrong",
            .usage = {"[OPTION]... PREFIX", "[OPTION]... X.fmd [FASTA...]"},
            .description =
                "Verify that an index is complete and right, by its text and its checksums. Print the first mismatch. Of "
                "an index of ropebwt3, walk through all records; with files, compare them with their letters.",
            .operands = {prefix_operand(prefix_, "the index; or X.fmd or X.fmr of ropebwt3"),
                         {"FASTA", "the files of which the index of ropebwt3 was made, in order", 0, std::size_t(-1),
                          [this](std::string_view value) { files_.emplace_back(value); }}},
            .options = {host_memory_option(memory_), gpu_memory_option(memory_)},
            .examples = {{"Verify an index", "sufsort check genome"},
                         {"Compare an index of ropebwt3 with its genomes", "sufsort check pangenome.fmd genome.fa.gz"},
                         {"Use an index only if it is right", "sufsort check genome && sufsort count genome GATTACA"}}};
  }
  [[nodiscard]] std::vector<std::string> inputs() const override { return files_; }
  [[nodiscard]] index_prefixes prefixes() const override {
    if (is_run_length_file(prefix_)) return {};
    return {.read = {prefix_}};
  }
  [[nodiscard]] memory_limits memory() const override { return memory_; }
  [[nodiscard]] bool divides() const override { return true; }

  int run(cli::common_options const& common, reporter& report, communicator* members) override {
    if (is_run_length_file(prefix_)) {
      if (members && members->rank() != 0) return 0;
      return check_run_lengths(prefix_, files_, memory_, common, report);
    }
    if (!files_.empty())
      throw usage_error(fmt::format("too many operands: {}: only an index of ropebwt3 is compared with files", files_[0]));
    report.phase("open");
    suffix::stored_index const index(prefix_);
    if (members) check_same_index(*members, index, prefix_);
    index_check check(index, memory_, common, report, members);
    report.stats.input(check.bytes());
    auto const it = check.find();
    report.phase("finish");
    if (members) report.stats.add_members(*members, check.exchanged());
    if (members && members->rank() != 0) return 0;  // the first one has the status
    report.progress.clear();
    if (it) {
      cli::print_result(fmt::format("sufsort: disorder: {}.{}: {}\n", prefix_, it->array, it->why));
      return 1;
    }
    std::string names;
    for (suffix::index_array const& array : index.description().arrays) names += (names.empty() ? "" : ", ") + array.name;
    if (!common.quiet)
      std::cout << fmt::format("{}: right: {} of {} in {}\n", prefix_, names, quantity(index.description().residues, "residue"),
                               quantity(index.description().records(), "record"));
    return 0;
  }

 private:
  std::string prefix_;
  std::vector<std::string> files_;
  memory_limits memory_;
};

}  // namespace

std::unique_ptr<command> make_check() {
  return std::make_unique<check>();
}

}  // namespace ordo::inline v0::sufsort
