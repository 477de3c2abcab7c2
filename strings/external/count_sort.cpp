#include "strings/external/count_sort.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/external/runs.hpp"
#include "base/threads.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/line_blocks.hpp"
#include "strings/external/line_table.hpp"
#include "strings/write/selected_lines.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t max_block = std::size_t{32} << 20, min_block = std::size_t{64} << 10;
// Shares of the memory. A table of a part can take thirty times the bytes of its lines, if these are short; the table of all is
// sorted as a text in the end.
constexpr std::size_t block_share = 32, table_share = 4;
// The lines of this many bytes show whether any repeat.
constexpr std::size_t sample_bytes = std::size_t{1} << 20, min_part = std::size_t{256} << 10;
// The most lines of these, and of a part of the first block, that may differ, in percent. Threads count the lines of parts, and
// then one of them adds up the counts of the distinct ones.
constexpr std::size_t max_sampled = 90, max_distinct = 25;
// The most distinct lines of the sample whose table the processor's caches hold. Sorting is faster than a larger one, if the
// memory suffices for it: about this many times the bytes of the text.
constexpr std::size_t max_cached = std::size_t{16} << 10;
constexpr std::uint64_t memory_to_sort = 6;

bool is_possible(text_job const& job) {
  order const& by = job.options.by;
  // Of equal keys the first line of the text is written, unless the last resort orders them.
  return job.equal != duplicates::keep && (by.keys.empty() || !by.last_resort) && !by.is_collated() && job.options.head != 0 &&
         job.report.machine.device != device::gpu && !job.options.machine.on;
}

class count_sort {
 public:
  count_sort(text_job& job, spill_options const& spill)
      : job_(job),
        options_(job.options),
        spill_(spill),
        memory_(std::min(options_.memory, spill.available_memory ? spill.available_memory() : options_.memory)),
        blocks_(job, std::clamp(memory_ / block_share, min_block, max_block)),
        encode_(options_.by, options_.delimiter),
        plain_(options_.by.keys.empty()),
        seed_(std::random_device{}()) {}

  bool run() {
    if (!repeats()) {
      job_.host = std::move(blocks_.bytes());
      return false;
    }
    bool full = false;
    while (!full && blocks_.read()) {
      count_parts();
      full = !add_up(nullptr);
      if (!full) blocks_.drop();
    }
    if (full) {
      external::run_files files(spill_.folders, spill_.compress_program, spill_.on_no_program);
      external::stored_range const others = files.write([&](sink& to) {
        while (true) {
          add_up(&to);
          blocks_.drop();
          if (!blocks_.read()) return;
          count_parts();
        }
      });
      release();
      write(&files, &others);
      others.check();
    } else {
      release();
      write(nullptr, nullptr);
    }
    return true;
  }

 private:
  // Reads a block, and counts its lines if enough of them repeat others.
  bool repeats() {
    while (blocks_.lines().size() < sample_bytes && blocks_.read()) {}
    std::string_view const all = blocks_.lines();
    if (all.empty()) return false;
    std::size_t distinct = 0;
    std::uint64_t lines = 0;
    auto const add = [&](line_table const& seen) {
      distinct += seen.entries().size();
      for (line_table::entry const& e : seen.entries()) lines += e.count;
    };
    line_table sample;
    count_part(all.substr(0, all.size() <= sample_bytes ? all.size() : all.find(options_.delimiter, sample_bytes) + 1), sample);
    add(sample);
    bool const sorts = job_.from.bytes <= memory_ / memory_to_sort;  // or the number of bytes is not known
    if (sorts ? distinct > max_cached : 100 * distinct > max_sampled * lines) return false;
    count_parts();
    distinct = lines = 0;
    for (line_table const& t : tables_) add(t);
    if (100 * distinct > max_distinct * lines || !add_up(nullptr)) return false;
    blocks_.drop();
    return true;
  }

  // Counts lines in groups, so that the processor waits for the memory of a group at once.
  void count_part(std::string_view lines, line_table& to) const {
    struct looked_up {
      std::string_view line, key;
      std::uint64_t hash;
    };
    std::array<looked_up, 32> group;
    std::array<std::size_t, group.size() + 1> ends{};
    std::string codes;
    while (!lines.empty()) {
      std::size_t count = 0;
      codes.clear();
      for (; count < group.size() && !lines.empty(); ++count) {
        std::size_t const length = lines.find(options_.delimiter);
        group[count].line = lines.substr(0, length);
        if (!plain_) encode_.append(group[count].line, codes);
        ends[count + 1] = codes.size();
        lines.remove_prefix(length + 1);
      }
      for (std::size_t k = 0; k < count; ++k) {
        looked_up& l = group[k];
        l.key = plain_ ? l.line : std::string_view(codes).substr(ends[k], ends[k + 1] - ends[k]);
        l.hash = hash_text(l.key, seed_);
        to.prefetch_slot(l.hash);
      }
      for (std::size_t k = 0; k < count; ++k) to.prefetch_entry(group[k].hash);
      for (std::size_t k = 0; k < count; ++k) to.prefetch_key(group[k].hash);
      for (std::size_t k = 0; k < count; ++k) {
        looked_up const& l = group[k];
        if (auto* const it = to.find(l.key, l.hash))
          ++it->count;
        else
          to.insert({l.hash, 1, plain_ ? l.line : to.stored(l.key), l.line});
      }
    }
  }

  // Counts the lines of the block by its parts.
  void count_parts() {
    std::string_view const lines = blocks_.lines();
    if (tables_.empty()) {
      std::size_t const threads = std::size_t(threads_for(options_.machine.threads));
      tables_.resize(std::clamp<std::size_t>(lines.size() / min_part, 1, 2 * threads));
    }
    each_part(lines, tables_.size(), options_.delimiter, options_.machine.threads, [&](std::size_t p, std::string_view part) {
      tables_[p].clear();
      count_part(part, tables_[p]);
    });
  }

  // Adds up the counts of the parts. Lines that the table has no memory for are written to `others`; without it, returns false,
  // and the next call goes on with them.
  bool add_up(sink* others) {
    std::string out;
    std::size_t number = 0;  // entries before `done_` have been added
    for (line_table const& part : tables_)
      for (line_table::entry const& e : part.entries()) {
        if (number++ < done_) continue;
        if (auto* const it = all_.find(e.key, e.hash)) {
          it->count += e.count;
        } else if (all_.memory() + e.key.size() + e.line.size() <= memory_ / table_share) {
          all_.insert_copies(e);
        } else if (others) {
          std::uint64_t const copies = is_counted(job_.equal) ? e.count : 1;
          for (std::uint64_t k = 0; k < copies; ++k) {
            out.append(e.line).push_back(options_.delimiter);
            if (out.size() < max_out) continue;
            others->write(out);
            out.clear();
          }
        } else {
          done_ = number - 1;
          return false;
        }
      }
    if (others && !out.empty()) others->write(out);
    done_ = 0;
    return true;
  }

  void release() {
    job_.report.bytes = job_.dropped + blocks_.count();
    blocks_.bytes() = {};
    std::vector<line_table>().swap(tables_);
  }

  // Sorts the lines of the table. Merges them with the others, which have other keys, as they are sorted.
  void write(external::run_files* files, external::stored_range const* others) {
    job_.begin(phase::sort, 0);
    std::string text;
    std::vector<std::size_t> starts;
    for (line_table::entry const& e : all_.entries()) {
      starts.push_back(text.size());
      text.append(e.line).push_back(options_.delimiter);
    }
    sort_options here = options_;
    here.machine = {device::cpu, options_.machine.threads};
    here.head = sort_options{}.head;
    here.memory = std::numeric_limits<std::size_t>::max();
    sorted_lines const sorted = sort(text, here);
    auto const entry_at = [&](std::size_t k) -> line_table::entry const& {
      auto const it = std::upper_bound(starts.begin(), starts.end(), sorted.start(k)) - starts.begin();
      return all_.entries()[std::size_t(it) - 1];
    };
    job_.begin(phase::write, 0);
    auto const merge_into = [&](auto const& emit) {
      std::size_t next = 0;
      if (others) {
        line_comparison const compare(options_.by, options_.delimiter);
        function_sink between(options_.delimiter, [&](std::string_view line) {
          for (; next < sorted.size() && compare(sorted[next], line) < 0; ++next) emit(sorted[next], entry_at(next).count);
          emit(line, 1);
        });
        texts const texts{1, others->compressed ? 0 : others->bytes, [&](std::size_t) { return files->open(*others); }};
        here.memory = std::max(memory_ / 2, std::size_t{1});
        sort_external(texts, between, here, duplicates::keep, spill_);
      }
      for (; next < sorted.size(); ++next) emit(sorted[next], entry_at(next).count);
    };
    job_.report.written = write_selected(
        job_.to, options_, job_.equal, spill_,
        [&](sink& to) {
          std::uint64_t written = 0;
          std::string out, last;
          bool any = false;
          merge_into([&](std::string_view line, std::uint64_t) {
            if (any && is_equal(line, last)) return;
            any = true;
            last = line;
            out.append(line).push_back(options_.delimiter);
            if (out.size() < max_out) return;
            to.write(out);
            written += out.size();
            out.clear();
          });
          if (!out.empty()) to.write(out);
          return written + out.size();
        },
        [&](counting_sink& to) { merge_into([&](std::string_view line, std::uint64_t count) { to.take(line, count); }); });
  }

  [[nodiscard]] bool is_equal(std::string_view a, std::string_view b) const { return compare_.by_keys(a, b) == 0; }

  // Calls a function with each line that is written.
  template <class OnLine>
  class function_sink final : public sink {
   public:
    function_sink(char delimiter, OnLine on_line) : delimiter_(delimiter), on_line_(std::move(on_line)) {}
    void write(std::span<char const> data) override {
      std::string_view rest(data.data(), data.size());
      while (!rest.empty()) {
        std::size_t const length = rest.find(delimiter_);
        unfinished_ += rest.substr(0, length);
        if (length == rest.npos) return;
        on_line_(std::string_view(unfinished_));
        unfinished_.clear();
        rest.remove_prefix(length + 1);
      }
    }

   private:
    char delimiter_;
    OnLine on_line_;
    std::string unfinished_;
  };

  static constexpr std::size_t max_out = std::size_t{256} << 10;

  text_job& job_;
  sort_options const& options_;
  spill_options const& spill_;
  std::size_t memory_;
  line_blocks blocks_;
  key_encoder encode_;
  line_comparison compare_{options_.by, options_.delimiter};
  bool plain_;
  std::uint64_t seed_;              // random in each process, so that no input can be made to collide
  std::vector<line_table> tables_;  // one for each part of a block
  std::size_t done_ = 0;            // entries of them that have been added
  line_table all_;
};

}  // namespace

bool sorted_counted(text_job& job, spill_options const& spill) {
  return is_possible(job) && count_sort(job, spill).run();
}

}  // namespace ordo::inline v0::strings::detail
