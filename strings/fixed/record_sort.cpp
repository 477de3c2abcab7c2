#include "strings/fixed/record_sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/external/merge.hpp"
#include "base/external/ordered_write.hpp"
#include "base/external/runs.hpp"
#include "base/pooled_arena.hpp"
#include "base/shared_ranges.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/sort.hpp"
#include "strings/external/partition.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t written_at_once = std::size_t{1} << 20;  // bytes
constexpr std::size_t min_buffer = std::size_t{64} << 10, max_buffer = std::size_t{4} << 20;
constexpr std::size_t max_small = 1024;  // records that are compared, not sorted by words

using index = std::uint32_t;

// Records in memory, and their order.
class sorted_records {
 public:
  explicit sorted_records(record_order const& by) : by_(by) {}

  /// Sorts the records of a text. Equal ones stay in its order.
  void sort(cpu& on, std::span<char const> text) {
    text_ = text.data();
    size_ = text.size() / by_.record_bytes();
    if (size_ > capacity_) {
      words_.reset();
      numbers_.reset();
      words_ = std::make_unique_for_overwrite<std::uint64_t[]>(size_);
      numbers_ = std::make_unique_for_overwrite<index[]>(size_);
      capacity_ = size_;
    }
    index* const numbers = numbers_.get();
    std::uint64_t* const words = words_.get();
    each(on, 0, size_, [=, this](std::size_t i) {
      numbers[i] = index(i);
      words[i] = by_.word(text_ + i * by_.record_bytes(), 0);
    });
    sort_pairs(on, std::span(words, size_), std::span(numbers, size_));
    find_groups({0, size_, 0});
    while (!large_.empty()) {
      group const some = large_.back();
      large_.pop_back();
      refine(on, some);
    }
    sort_small(on);
  }
  /// Leaves the first of records with equal keys.
  void drop_repeats() {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < size_; ++k)
      if (kept == 0 || by_.by_keys(record(kept - 1), record(k)) != 0) numbers_[kept++] = numbers_[k];
    size_ = kept;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] char const* record(std::size_t k) const { return text_ + std::size_t{numbers_[k]} * by_.record_bytes(); }
  void release() {
    words_.reset();
    numbers_.reset();
    capacity_ = size_ = 0;
  }

  /// Returns the memory of sort(), besides the text.
  static std::size_t memory(cpu& on, std::size_t records) {
    return records * (sizeof(std::uint64_t) + sizeof(index)) + sort_memory<std::uint64_t, index>(on, records);
  }

 private:
  // Records [begin, end) of the order whose words before `word` are equal.
  struct group {
    std::size_t begin, end, word;
  };

  template <class F>
  static void each(cpu& on, std::size_t begin, std::size_t end, F f) {
    with_backend(on, [&](host_backend& backend) { backend.each(end - begin, [=](std::size_t i) { f(begin + i); }); });
  }

  // Finds groups of equal words among sorted ones.
  void find_groups(group const& in) {
    for (std::size_t begin = in.begin, end = 0; begin != in.end; begin = end) {
      for (end = begin + 1; end != in.end && words_[end] == words_[begin];) ++end;
      if (end - begin == 1 || in.word + 1 == by_.words()) continue;
      (end - begin > max_small ? large_ : small_).push_back({begin, end, in.word + 1});
    }
  }

  void refine(cpu& on, group some) {
    constexpr std::size_t max_waiting = 4096;
    index* const numbers = numbers_.get();
    std::uint64_t* const words = words_.get();
    for (; some.word != by_.words(); ++some.word) {
      std::uint64_t const first = by_.word(record(some.begin), some.word);
      std::atomic<bool> differ = false;
      each(on, some.begin, some.end, [&, this](std::size_t i) {
        words[i] = by_.word(record(i), some.word);
        if (words[i] != first) differ.store(true, std::memory_order_relaxed);
      });
      if (!differ) continue;
      std::size_t const count = some.end - some.begin;
      sort_pairs(on, std::span(words + some.begin, count), std::span(numbers + some.begin, count));
      find_groups(some);
      break;
    }
    if (small_.size() >= max_waiting) sort_small(on);
  }

  void sort_small(cpu& on) {
    each(on, 0, small_.size(), [this](std::size_t k) {
      auto const some = std::span(numbers_.get() + small_[k].begin, small_[k].end - small_[k].begin);
      std::ranges::sort(some, [this](index a, index b) {
        std::size_t const size = by_.record_bytes();
        int const difference = by_.compare(text_ + std::size_t{a} * size, text_ + std::size_t{b} * size);
        return difference != 0 ? difference < 0 : a < b;
      });
    });
    small_.clear();
  }

  record_order const& by_;
  char const* text_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
  std::unique_ptr<std::uint64_t[]> words_;
  std::unique_ptr<index[]> numbers_;
  std::vector<group> large_, small_;
};

// The beginning of a record of a run. Records compare as their samples do, unless these are equal.
struct record_sample {
  std::array<std::uint64_t, 4> words;
  std::uint64_t number;  // the number of the record in its run
};

struct record_run {
  external::stored_range stored;
  std::vector<record_sample> samples;  // in order, at regular distances
};

std::array<std::uint64_t, 4> beginning(record_order const& by, char const* record) {
  std::array<std::uint64_t, 4> words{};
  for (std::size_t w = 0; w < words.size() && w < by.words(); ++w) words[w] = by.word(record, w);
  return words;
}

// Reads a range of a run record by record.
class run_reader {
 public:
  run_reader(record_order const& by, external::run_range const& from, std::size_t buffer)
      : by_(&by), from_(from), bytes_(std::max(buffer / by.record_bytes(), std::size_t{1}) * by.record_bytes()) {}

  bool next() {
    at_ += by_->record_bytes();
    if (at_ >= end_ && !refill()) return false;
    word_ = by_->word(record(), 0);
    return true;
  }
  [[nodiscard]] char const* record() const { return bytes_.data() + at_; }
  [[nodiscard]] std::uint64_t word() const { return word_; }

 private:
  bool refill() {
    end_ = std::size_t(std::min<std::uint64_t>(bytes_.size(), from_.end - from_.begin));
    at_ = 0;
    if (end_ == 0) return false;
    from_.run->load_at(from_.begin, std::span(bytes_).first(end_));
    from_.begin += end_;
    return true;
  }

  record_order const* by_;
  external::run_range from_;  // what has not been loaded
  std::vector<char> bytes_;
  std::size_t at_ = 0, end_ = 0;
  std::uint64_t word_ = 0;
};

class record_sorter {
 public:
  record_sorter(texts const& from, sink& to, record_order const& by, sort_options const& options, duplicates equal,
                spill_options const& spill, phase_observer const& began)
      : from_(from),
        to_(to),
        by_(by),
        drops_(equal == duplicates::drop),
        began_(began),
        files_(spill.folders),
        limit_(make_memory_plan(options, spill).limit),
        arena_(threads_for(options.machine.threads)),
        on_({.threads = options.machine.threads}),
        sorted_(by) {}

  sort_report run() {
    begin(phase::read, from_.bytes);
    std::size_t const size = by_.record_bytes();
    max_records_ = records_that_fit();
    if (max_records_ < 2)
      throw out_of_memory(fmt::format("input: records of {} bytes take at least {} bytes of memory, and {} may be used", size,
                                      4 * size, limit_),
                          4 * size);
    max_merged_ = std::size_t(files_.max_merged(std::clamp<std::size_t>(merge_memory() / std::max(min_buffer, size), 2, 1024)));
    while (read_chunk()) {
      if (at_end_ && runs_.empty()) {
        write_all();
        break;
      }
      add_run();
    }
    if (runs_.empty() && report_.bytes == 0) to_.expect(0);
    text_ = host_bytes();
    sorted_.release();
    on_.trim();
    if (!runs_.empty()) merge_all();
    report_.machine.reason = "records of one size are the CPU's work";
    return report_;
  }

 private:
  void begin(phase which, std::uint64_t bytes) const {
    if (began_) began_(which, bytes);
  }
  [[nodiscard]] std::size_t threads() const { return std::size_t(arena_.max_concurrency()); }
  [[nodiscard]] std::size_t write_memory() const { return (threads() + 1) * std::max(written_at_once, by_.record_bytes()); }
  // For the buffers of the runs of a range.
  [[nodiscard]] std::size_t merge_memory() const { return limit_ / 2 / threads(); }

  std::size_t records_that_fit() {
    std::size_t const room = limit_ - std::min(limit_ / 2, write_memory());
    std::size_t fits = 0, too_many = std::min<std::size_t>(room / by_.record_bytes() + 1, std::numeric_limits<index>::max());
    while (fits + 1 < too_many) {
      std::size_t const middle = fits + (too_many - fits) / 2;
      (middle * by_.record_bytes() + sorted_records::memory(on_, middle) <= room ? fits : too_many) = middle;
    }
    return fits;
  }

  // Reads records until memory is full. Returns false if none are left.
  bool read_chunk() {
    std::size_t const wanted = max_records_ * by_.record_bytes();
    text_.resize(0);
    while (text_.size() < wanted) {
      if (!open_) {
        if (next_ == from_.count) {
          at_end_ = true;
          break;
        }
        open_ = from_.open(next_++);
      }
      constexpr std::size_t at_once = std::size_t{64} << 20;
      std::size_t const before = text_.size(), count = std::min(wanted - before, at_once);
      std::span<char> const room = text_.room(count).first(count);
      std::size_t const got = with_backend(on_, [&](host_backend& backend) { return backend.load(*open_, room); });
      text_.resize(before + got);
      if (got < room.size()) open_.reset();
    }
    report_.bytes += text_.size();
    // The chunk may have ended where the texts do.
    while (!at_end_ && !open_) {
      if (next_ == from_.count)
        at_end_ = true;
      else
        open_ = from_.open(next_++);
    }
    return !text_.empty();
  }

  void sort_chunk() {
    sorted_.sort(on_, text_.span());
    if (drops_) sorted_.drop_repeats();
  }

  void write_all() {
    begin(phase::sort, text_.size());
    sort_chunk();
    begin(phase::write, text_.size());
    report_.written = write_sorted(to_);
  }

  struct window {
    std::size_t first = 0, count = 0;
    std::vector<char> bytes;
  };

  // Gathers records in their order and writes them.
  std::uint64_t write_sorted(sink& to) {
    std::size_t const size = by_.record_bytes();
    std::uint64_t const total = std::uint64_t{sorted_.size()} * size;
    bool const addressed = to.expect(total);
    std::size_t next = 0;
    auto const plan = [&](window& w) {
      w.first = next;
      w.count = std::min(std::max<std::size_t>(written_at_once / size, 1), sorted_.size() - next);
      next += w.count;
      return w.count != 0;
    };
    auto const fill = [&](window& w) {
      constexpr std::size_t look_ahead = 8;
      w.bytes.resize(w.count * size);
      for (std::size_t k = 0; k < w.count; ++k) {
        if (k + look_ahead < w.count)
          for (std::size_t at = 0; at < std::min<std::size_t>(size, 256); at += 64)
            __builtin_prefetch(sorted_.record(w.first + k + look_ahead) + at);
        std::memcpy(w.bytes.data() + k * size, sorted_.record(w.first + k), size);
      }
      if (addressed && w.count != 0) to.write_at(std::uint64_t{w.first} * size, w.bytes);
    };
    auto const end = [&](window& w) {
      if (!addressed && w.count != 0) to.write(w.bytes);
    };
    arena_.execute([&] { external::write_windows<window>(plan, fill, end); });
    return total;
  }

  // Returns the distance of samples in a run: there are more of them when runs are merged than are needed.
  [[nodiscard]] std::uint64_t sample_step(std::uint64_t records) const {
    std::uint64_t const wanted = 64 * threads();
    return std::max<std::uint64_t>(records / wanted, 1);
  }

  void add_run() {
    sort_chunk();
    record_run run;
    std::uint64_t const step = sample_step(sorted_.size());
    for (std::uint64_t k = 0; k < sorted_.size(); k += step)
      run.samples.push_back({beginning(by_, sorted_.record(std::size_t(k))), k});
    run.stored = files_.write([&](sink& to) { write_sorted(to); });
    runs_.add(std::move(run), max_merged_, [this](std::span<record_run> runs) { return merge_some(runs); });
  }

  record_run merge_some(std::span<record_run> runs) {
    record_run merged;
    merged.stored = files_.write([&](sink& to) { merge_into(to, runs); });
    std::uint64_t const records = merged.stored.bytes / by_.record_bytes(), step = sample_step(records);
    std::vector<char> record(by_.record_bytes());
    for (std::uint64_t k = 0; k < records; k += step) {
      merged.stored.read_at(k * by_.record_bytes(), record);
      merged.samples.push_back({beginning(by_, record.data()), k});
    }
    for (record_run& r : runs) r.stored.discard();
    return merged;
  }

  void merge_all() {
    begin(phase::sort, 0);
    runs_.reduce(max_merged_, [this](std::span<record_run> runs) { return merge_some(runs); });
    begin(phase::write, report_.bytes);
    report_.written = merge_into(to_, runs_.runs());
  }

  std::uint64_t merge_into(sink& to, std::span<record_run const> runs) {
    std::uint64_t total = 0;
    for (record_run const& r : runs) total += r.stored.bytes;
    std::uint64_t written = total;
    if (!drops_ && to.expect(total)) {
      auto const ranges = cut(runs);
      std::vector<std::uint64_t> begins(ranges.size());
      std::uint64_t end = 0;
      for (std::size_t r = 0; r < ranges.size(); ++r) {
        begins[r] = end;
        for (auto const& part : ranges[r]) end += part.bytes();
      }
      ordo::detail::shared_ranges all(ranges.size(), 1);
      all.share(arena_.get(), unsigned(threads()), [&](unsigned) {
        while (auto const some = all.next()) {
          std::uint64_t at = begins[std::size_t(some->at)];
          merge_range(ranges[std::size_t(some->at)], merge_memory(), [&](std::span<char const> bytes) {
            to.write_at(at, bytes);
            at += bytes.size();
          });
        }
      });
    } else {
      std::vector<external::run_range> parts;
      for (record_run const& r : runs) parts.push_back({&r.stored, 0, r.stored.bytes});
      written = merge_range(parts, threads() * merge_memory(), [&](std::span<char const> bytes) { to.write(bytes); });
    }
    for (record_run const& r : runs) r.stored.check();
    return written;
  }

  template <class Put>
  std::uint64_t merge_range(std::vector<external::run_range> const& parts, std::size_t memory, Put put) const {
    std::size_t const size = by_.record_bytes();
    std::vector<run_reader> inputs;
    inputs.reserve(parts.size());
    for (external::run_range const& part : parts)
      inputs.emplace_back(by_, part, std::clamp(memory / parts.size(), min_buffer, max_buffer));
    external::loser_tree tree(std::move(inputs), [this](run_reader const& a, run_reader const& b) {
      if (a.word() != b.word()) return a.word() < b.word() ? -1 : 1;
      return by_.compare(a.record(), b.record());
    });
    std::vector<char> out, last;
    out.reserve(std::max(written_at_once, size));
    std::uint64_t written = 0;
    while (run_reader const* const input = tree.next()) {
      char const* const record = input->record();
      if (drops_) {
        if (!last.empty() && by_.by_keys(last.data(), record) == 0) continue;
        last.assign(record, record + size);
      }
      if (out.size() + size > out.capacity()) {
        written += out.size();
        put(std::span<char const>(out));
        out.clear();
      }
      out.insert(out.end(), record, record + size);
    }
    written += out.size();
    if (!out.empty()) put(std::span<char const>(out));
    return written;
  }

  // Cuts runs into ranges of the order of about equal size. A range is merged from front to back: it need not fit in memory.
  [[nodiscard]] std::vector<std::vector<external::run_range>> cut(std::span<record_run const> runs) {
    std::size_t const wanted = threads() == 1 ? 1 : 8 * threads();
    std::vector<std::array<std::uint64_t, 4>> samples;
    for (record_run const& r : runs)
      for (record_sample const& s : r.samples) samples.push_back(s.words);
    std::ranges::sort(samples);
    std::vector<std::array<std::uint64_t, 4>> splitters;
    for (std::size_t k = 1; k < wanted; ++k) {
      auto const& splitter = samples[k * samples.size() / wanted];
      if (splitters.empty() || splitters.back() != splitter) splitters.push_back(splitter);
    }
    std::vector<std::vector<external::run_range>> ranges(splitters.size() + 1);
    for (auto& range : ranges) range.resize(runs.size());
    ordo::detail::shared_ranges all(runs.size(), 1);
    all.share(arena_.get(), unsigned(threads()), [&](unsigned) {
      while (auto const some = all.next()) {
        auto const k = std::size_t(some->at);
        std::uint64_t begin = 0;
        for (std::size_t s = 0; s < splitters.size(); ++s) {
          std::uint64_t const end = first_from(runs[k], splitters[s], begin);
          ranges[s][k] = {&runs[k].stored, begin, end};
          begin = end;
        }
        ranges.back()[k] = {&runs[k].stored, begin, runs[k].stored.bytes};
      }
    });
    return ranges;
  }

  // Returns where the first record of a run begins, at or after `from`, that is not before a splitter.
  [[nodiscard]] std::uint64_t first_from(record_run const& run, std::array<std::uint64_t, 4> const& splitter,
                                         std::uint64_t from) const {
    std::size_t const size = by_.record_bytes();
    auto const near = std::ranges::lower_bound(run.samples, splitter, {}, &record_sample::words);
    std::uint64_t high = near == run.samples.end() ? run.stored.bytes / size : near->number;
    std::uint64_t low = near == run.samples.begin() ? 0 : std::prev(near)->number;
    low = std::max(low, from / size);
    high = std::max(high, low);
    std::vector<char> record(size);
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      run.stored.read_at(middle * size, record);
      if (beginning(by_, record.data()) < splitter)
        low = middle + 1;
      else
        high = middle;
    }
    return low * size;
  }

  texts const& from_;
  sink& to_;
  record_order const& by_;
  bool drops_;
  phase_observer const& began_;
  external::run_files files_;
  std::size_t limit_;
  pooled_arena arena_;
  cpu on_;
  sorted_records sorted_;
  host_bytes text_;
  std::unique_ptr<source> open_;
  std::size_t next_ = 0, max_records_ = 0, max_merged_ = 0;
  bool at_end_ = false;
  external::run_levels<record_run> runs_;
  sort_report report_;
};

}  // namespace

sort_report sort_records(texts const& from, sink& to, record_order const& by, sort_options const& options, duplicates equal,
                         spill_options const& spill, phase_observer const& began) {
  return record_sorter(from, to, by, options, equal, spill, began).run();
}

whole_records::whole_records(std::unique_ptr<source> from, std::size_t record_bytes, std::string name)
    : from_(std::move(from)), record_bytes_(record_bytes), name_(std::move(name)) {
  if (auto const size = from_->size()) check(*size - std::min(*size, from_->position()));
}

std::size_t whole_records::read(std::span<char> to) {
  std::size_t const got = from_->read(to);
  read_ += got;
  if (got < to.size()) check(read_);
  return got;
}

void whole_records::check(std::uint64_t bytes) const {
  if (std::uint64_t const rest = bytes % record_bytes_; rest != 0)
    throw input_error(
        fmt::format("cannot read: {}: the last record is cut: it has {} of {} bytes", name_, rest, record_bytes_));
}

}  // namespace ordo::inline v0::strings::detail
