#include "ordo/strings/external_sort.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "ordo/cpu_backend.hpp"
#include "ordo/host_bytes.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/external/chunk_reader.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/line_merge.hpp"
#include "strings/external/partition.hpp"
#include "strings/external/run_store.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/small_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::strings {
namespace {

using namespace detail;

constexpr std::size_t least_memory = std::size_t{2} << 20;
constexpr std::size_t usual_batch = 16;                     // GNU sort's
constexpr std::size_t least_slice = std::size_t{64} << 10;  // of a run in a range: less would be read slowly
constexpr std::size_t most_merged = 1024, most_copied = std::size_t{8} << 20;

// Where a part of what is written goes: behind what was written before.
class part_sink final : public sink {
 public:
  /// @param addressed  whether `to` knows how many bytes will come, and takes them in any order
  part_sink(sink& to, std::uint64_t begin, bool addressed) : to_(to), begin_(begin), addressed_(addressed) {}
  void write(std::span<char const> data) override { to_.write(data); }
  bool expect(std::uint64_t) override { return addressed_; }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override { to_.write_at(begin_ + offset, data); }

 private:
  sink& to_;
  std::uint64_t begin_;
  bool addressed_;
};

class external_sort {
 public:
  external_sort(text_job& job, spill const& where)
      : job_(job), to_(job.to), how_(job.how), kept_(kept_of(job.equal)), where_(where), store_(where, job.how.delimiter) {
    plan_.by = how_.by;
    plan_.delimiter = how_.delimiter;
    std::size_t const available = where.available_memory ? where.available_memory() : std::numeric_limits<std::size_t>::max();
    plan_.limit = std::max(std::min(how_.memory, available), least_memory);
    plan_.most = std::max(plan_.limit, std::min(where.most_memory, available));
    plan_.limit -= plan_.limit / 16;                        // for what reading and writing take
    how_.memory = std::numeric_limits<std::size_t>::max();  // what is sorted from here on fits
    how_.head = options{}.head;                             // of all of it
    batch_ = batch_of(where, store_.packs() ? usual_batch : std::clamp(plan_.limit / least_slice, usual_batch, most_merged));
  }

  sort_report run() {
    chunk_reader reader(job_, plan_);
    bool const any = reader.next();
    if (!any || reader.at_end()) {
      sort_chunk(reader, to_, true);
    } else {
      do add(store_.keep(reader.chunk().size(), [&](sink& to) { sort_chunk(reader, to, false); }), 0);
      while (reader.next());
    }
    report_.bytes = reader.read();
    reader.release();
    if (!levels_.empty()) finish();
    return report_;
  }

 private:
  using lines = std::vector<stored_lines>;

  void begin(phase which, std::uint64_t bytes) const { job_.begin(which, bytes); }

  // A pool may keep as much as was in use once, for the next buffer: a machine of our own has no room for that.
  template <class Sort>
  auto on_machine(std::uint64_t bytes, std::uint64_t lines, Sort sort) {
    machine_choice machine = job_.report.machine;
    if (!machine.fell_back) machine = choose_machine(how_, std::size_t(bytes), [&] { return std::size_t(lines); });
    if (report_.machine.reason.empty()) report_.machine = machine;
    options here = how_;
    if (machine.device != device::cpu || how_.machine.on) return sort(here);
    std::size_t const room = plan_.limit - std::min<std::uint64_t>(plan_.limit, bytes);
    ordo::cpu own({.threads = how_.machine.threads, .memory_limit = std::max(room, plan_.beside(bytes, lines))});
    here.machine.on = &own;
    return sort(here);
  }

  void sort_chunk(chunk_reader const& reader, sink& to, bool all) {
    if (all) begin(phase::sort, reader.chunk().size());
    auto const sorted =
        on_machine(reader.chunk().size(), reader.lines(), [&](options const& here) { return sort(reader.chunk(), here); });
    report_.device_memory = std::max(report_.device_memory, sorted.device_memory());
    if (all) begin(phase::write, reader.chunk().size());
    report_.written = all ? write(sorted, job_.equal, how_.machine.threads, to, job_.how.head)
                          : write(sorted, kept_, how_.machine.threads, to);
  }

  // As many runs as are merged at a time become one of the next level, so that there are never many.
  void add(stored_lines more, std::size_t level) {
    if (level == levels_.size()) levels_.emplace_back();
    levels_[level].push_back(std::move(more));
    if (levels_[level].size() == batch_) lift(level);
  }

  void lift(std::size_t level) {
    lines those = std::exchange(levels_[level], {});
    std::uint64_t bytes = 0;
    for (stored_lines const& l : those) bytes += l.plain.bytes;
    auto one = store_.keep(bytes, [&](sink& to) { merge_into(to, those); });
    for (stored_lines& l : those) store_.discard(l);
    add(std::move(one), level + 1);
  }

  void finish() {
    begin(phase::sort, 0);
    auto const count = [&] {
      std::size_t sum = 0;
      for (lines const& l : levels_) sum += l.size();
      return sum;
    };
    for (std::size_t level = 0; count() > batch_; ++level) {
      if (levels_[level].size() > 1) {
        lift(level);
      } else if (!levels_[level].empty()) {
        levels_[level + 1].push_back(std::move(levels_[level].back()));
        levels_[level].clear();
      }
    }
    lines all;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      for (stored_lines& l : *level) all.push_back(std::move(l));
    report_.written = write_selected(to_, job_.how, job_.equal, where_, [&](sink& to) { return merge_into(to, all, true); });
  }

  std::uint64_t merge_into(sink& to, lines const& those, bool last = false) {
    if (!store_.packs()) return merge_ranges(to, those, last);
    if (last) begin(phase::write, report_.bytes);
    std::vector<std::unique_ptr<source>> open;
    for (stored_lines const& l : those) open.push_back(store_.open(l));
    return merge_lines(std::move(open), to, how_, kept_, plan_.limit).written;
  }

  std::uint64_t merge_ranges(sink& to, lines const& those, bool last) {
    std::vector<detail::run> runs;
    for (stored_lines const& l : those) runs.push_back(l.plain);
    auto const ranges = cut_into_ranges(runs, how_, plan_);
    std::uint64_t total = 0, written = 0;
    for (range const& r : ranges) total += r.bytes();
    if (last) begin(phase::write, total);
    bool const addressed = kept_ == repeated::keep && to.expect(total);
    for (range const& r : ranges) {
      part_sink part(to, written, addressed);
      written += r.sorted ? copy(r, part) : sort_range(r, part);
    }
    for (detail::run const& r : runs) r.check();
    return written;
  }

  std::uint64_t sort_range(range const& r, sink& to) {
    texts const one{1, r.bytes(), [&](std::size_t) { return std::make_unique<slices_source>(r.slices); }};
    auto const done = on_machine(r.bytes(), r.lines(), [&](options const& here) { return sort(one, to, here, kept_); });
    report_.device_memory = std::max(report_.device_memory, done.device_memory);
    return done.written;
  }

  std::uint64_t copy(range const& r, sink& to) {
    auto slices = r.slices;
    std::erase_if(slices, [](slice const& s) { return s.bytes() == 0; });
    if (kept_ == repeated::drop && slices.size() > 1) {  // they are all equal
      slices.resize(1);
      run_reader reader(*slices[0].of, how_.delimiter);
      slices[0].end = slices[0].begin + reader.line(slices[0].begin).size() + 1;
    }
    slices_source from(std::move(slices));
    std::uint64_t const size = *from.size();
    machine_options const here{.threads = how_.machine.threads};
    work_on<cpu>(here, here.threads, [&](host_backend& machine) {
      host_bytes block;
      block.resize(std::size_t(std::min<std::uint64_t>(size, std::min(most_copied, plan_.limit))));
      for (std::uint64_t at = 0; at < size;) {
        std::size_t const got = machine.load(from, block.span());
        machine.store(std::span<char const>(block.span()).first(got), to, at);
        at += got;
      }
    });
    return size;
  }

  text_job& job_;
  sink& to_;
  options how_;
  repeated kept_;  // equal lines of a run
  spill const& where_;
  run_store store_;
  memory_plan plan_;
  std::size_t batch_;
  std::vector<lines> levels_;  // runs in the order of the text: those of the last level come first
  sort_report report_;
};

}  // namespace

sort_report sort_external(texts const& from, sink& to, options const& how, repeated equal, spill const& where,
                          phase_observer const& began) {
  check_delimiter(how.delimiter);
  text_job job{from, to, how, equal, began};
  job.begin(phase::read, from.bytes);
  if (sorted_on_gpu(job) || sorted_small(job)) return std::move(job.report);
  return external_sort(job, where).run();
}

}  // namespace ordo::strings
