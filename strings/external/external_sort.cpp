#include "ordo/strings/external_sort.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "base/external/merge.hpp"
#include "base/external/runs.hpp"
#include "base/streams.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/host_bytes.hpp"
#include "sort_core/scoped_machine.hpp"
#include "strings/external/chunk_reader.hpp"
#include "strings/external/count_lines.hpp"
#include "strings/external/count_sort.hpp"
#include "strings/external/head_sort.hpp"
#include "strings/external/merge.hpp"
#include "strings/external/partition.hpp"
#include "strings/external/small_sort.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings {
namespace {

using namespace detail;
using external::ranges_source, external::run_range;

constexpr std::size_t usual_batch = 16;                  // GNU sort's
constexpr std::size_t min_part = std::size_t{64} << 10;  // bytes of a run in a range: smaller parts are read slowly
constexpr std::size_t max_batch = 1024, max_copied = std::size_t{8} << 20;

class external_sort {
 public:
  external_sort(text_job& job, spill_options const& spill)
      : job_(job),
        to_(job.to),
        options_(job.options),
        kept_(duplicates_to_sort(job.equal)),
        spill_(spill),
        files_(spill.folders, spill.compress_program, spill.on_no_program),
        plan_(make_memory_plan(job.options, spill)) {
    options_.memory = std::numeric_limits<std::size_t>::max();  // chunks and ranges fit
    options_.head = sort_options{}.head;                        // the limit holds for the whole output
    std::size_t const batch = files_.compresses() ? usual_batch : std::clamp(plan_.limit / min_part, usual_batch, max_batch);
    max_merged_ = files_.max_merged(spill.batch_size != 0 ? spill.batch_size : batch);
  }

  sort_report run() {
    chunk_reader reader(job_, plan_);
    bool const any = reader.next();
    if (!any || reader.at_end()) {
      sort_chunk(reader, to_, true);
    } else {
      do {
        runs_.add(
            write_line_run(files_, reader.chunk().size(), options_.delimiter, [&](sink& to) { sort_chunk(reader, to, false); }),
            max_merged_, [this](std::span<line_run> runs) { return merge_runs(runs); });
      } while (reader.next());
    }
    report_.bytes = job_.dropped + reader.read();
    reader.release();
    if (!runs_.empty()) finish();
    return report_;
  }

 private:
  void begin(phase which, std::uint64_t bytes) const { job_.begin(which, bytes); }

  // Sorts on a machine without cached memory: a pool may keep as much as was once in use, for which there is no room.
  template <class Sort>
  auto on_machine(std::uint64_t bytes, std::uint64_t lines, Sort sort) {
    machine_choice machine = job_.report.machine;
    if (!machine.fell_back) machine = choose_machine(options_, std::size_t(bytes), [&] { return std::size_t(lines); });
    if (report_.machine.reason.empty()) report_.machine = machine;
    sort_options here = options_;
    if (machine.device != device::cpu || options_.machine.on) return sort(here);
    std::size_t const room = plan_.limit - std::min<std::uint64_t>(plan_.limit, bytes);
    ordo::cpu own({.threads = options_.machine.threads, .memory_limit = std::max(room, plan_.beside(bytes, lines))});
    here.machine.on = &own;
    return sort(here);
  }

  void sort_chunk(chunk_reader const& reader, sink& to, bool all) {
    if (all) begin(phase::sort, reader.chunk().size());
    auto const sorted =
        on_machine(reader.chunk().size(), reader.lines(), [&](sort_options const& here) { return sort(reader.chunk(), here); });
    report_.device_memory = std::max(report_.device_memory, sorted.device_memory());
    if (all) begin(phase::write, reader.chunk().size());
    report_.written = all ? write(sorted, job_.equal, options_.machine.threads, to, job_.options.head)
                          : write(sorted, kept_, options_.machine.threads, to);
  }

  line_run merge_runs(std::span<line_run> runs) {
    std::uint64_t bytes = 0;
    for (line_run const& r : runs) bytes += r.stored.bytes;
    line_run merged = write_line_run(files_, bytes, options_.delimiter, [&](sink& to) { merge_into(to, runs); });
    for (line_run& r : runs) r.stored.discard();
    return merged;
  }

  void finish() {
    begin(phase::sort, 0);
    runs_.reduce(max_merged_, [this](std::span<line_run> runs) { return merge_runs(runs); });
    report_.written =
        write_selected(to_, job_.options, job_.equal, spill_, [&](sink& to) { return merge_into(to, runs_.runs(), true); });
  }

  std::uint64_t merge_into(sink& to, std::span<line_run const> runs, bool last = false) {
    if (!files_.compresses()) return merge_ranges(to, runs, last);
    if (last) begin(phase::write, report_.bytes);
    std::vector<std::unique_ptr<source>> open;
    for (line_run const& r : runs) open.push_back(files_.open(r.stored));
    return merge_lines(std::move(open), to, options_, kept_, plan_.limit).written;
  }

  std::uint64_t merge_ranges(sink& to, std::span<line_run const> runs, bool last) {
    auto const ranges = cut_into_ranges(runs, options_, plan_);
    std::uint64_t total = 0, written = 0;
    for (line_range const& r : ranges) total += r.bytes();
    if (last) begin(phase::write, total);
    // A GPU's lines are not shown to place().
    bool const by_gpu = report_.machine.device == device::gpu;
    bool const addressed = kept_ == duplicates::keep && (by_gpu ? to.expect(total) : to.expect_placed(total));
    for (line_range const& r : ranges) {
      part_sink part(to, written, addressed);
      written += r.sorted ? copy(r, part) : sort_range(r, part);
    }
    for (line_run const& r : runs) r.stored.check();
    return written;
  }

  std::uint64_t sort_range(line_range const& range, sink& to) {
    texts const text{1, range.bytes(), [&](std::size_t) { return std::make_unique<ranges_source>(range.parts); }};
    auto const report =
        on_machine(text.bytes, range.lines, [&](sort_options const& here) { return sort(text, to, here, kept_); });
    report_.device_memory = std::max(report_.device_memory, report.device_memory);
    return report.written;
  }

  std::uint64_t copy(line_range const& range, sink& to) {
    auto parts = range.parts;
    std::erase_if(parts, [](run_range const& r) { return r.bytes() == 0; });
    if (kept_ == duplicates::drop && parts.size() > 1) {  // all lines are equal
      parts.resize(1);
      keep_first_line(parts[0], options_.delimiter);
    }
    ranges_source from(std::move(parts));
    std::uint64_t const size = *from.size();
    machine_options const here{.threads = options_.machine.threads};
    with_machine<cpu>(here, here.threads, [&](host_backend& backend) {
      host_bytes block;
      block.resize(std::size_t(std::min<std::uint64_t>(size, std::min(max_copied, plan_.limit))));
      for (std::uint64_t at = 0; at < size;) {
        std::size_t const got = backend.load(from, block.span());
        if (to.addressable()) to.place(at, std::span<char const>(block.span()).first(got));
        backend.store(std::span<char const>(block.span()).first(got), to, at);
        at += got;
      }
    });
    return size;
  }

  text_job& job_;
  sink& to_;
  sort_options options_;
  duplicates kept_;  // treatment of equal lines within runs
  spill_options const& spill_;
  external::run_files files_;
  memory_plan plan_;
  std::size_t max_merged_;
  external::run_levels<line_run> runs_;
  sort_report report_;
};

}  // namespace

sort_report sort_external(texts const& from, sink& to, sort_options const& options, duplicates equal,
                          spill_options const& spill, phase_observer const& began) {
  check_delimiter(options.delimiter);
  text_job job{from, to, options, equal, began};
  job.begin(phase::read, from.bytes);
  if (sorted_on_gpu(job) || sorted_small(job) || sorted_head(job, spill) || sorted_counted(job, spill))
    return std::move(job.report);
  return external_sort(job, spill).run();
}

}  // namespace ordo::inline v0::strings
