#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <malloc.h>

#include "base/streams.hpp"
#include "ordo/strings/distributed_sort.hpp"
#include "ordo/strings/external_sort.hpp"
#include "strings/external/first_lines.hpp"
#include "strings/fixed/record_sort.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/parts.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/strsort/debug.hpp"
#include "tools/strsort/genomics.hpp"
#include "tools/strsort/gff.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/modes.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::size_t min_memory = std::size_t{16} << 20;

}  // namespace

strings::spill_options make_spill_options(work const& w) {
  command const& made = w.made;
  strings::spill_options where;
  where.folders = {cli::temporary_folder()};
  if (!made.temporary_folders.empty()) where.folders = made.temporary_folders;
  where.available_memory = [min_bytes = made.memory ? min_memory : 0, cached = std::optional<std::size_t>()]() mutable {
    if (!cached) cached = std::max(cli::available_memory(), min_bytes);
    return *cached;
  };
  where.compress_program = made.compress_program.value_or("");
  if (made.rules != strings::gnu_rules::v9_1)
    where.on_no_program = [&w, said = false](std::string const& why) mutable {
      if (std::exchange(said, true)) return;
      cli::say(w.called.name(), fmt::format("{}could not run compress program {}: {}", w.called.is_gnu() ? "" : "warning: ",
                                            always_quoted(*w.made.compress_program), why));
    };
  where.batch_size = std::size_t(made.batch_size.value_or(0));
  if (made.merge) {  // merge fewer files at a time if no more can be open, with the temporary ones
    constexpr std::size_t usual = 16, of_program = 2;
    std::size_t const others = where.folders.size() + (where.compress_program.empty() ? 0 : of_program) + made.by_count;
    std::size_t const wanted = std::min(made.batch_size ? where.batch_size : usual, made.files.size());
    std::size_t const can_be = free_descriptors(wanted + others);
    if (can_be < wanted + others) where.batch_size = can_be > others + 2 ? can_be - others : 2;
  }
  return where;
}

strings::sort_options make_sort_options(work const& w) {
  strings::sort_options options = w.options();
  // With little memory there would be too many runs. GNU sort raises it, too.
  if (w.made.memory) options.memory = std::size_t(std::max<std::uint64_t>(*w.made.memory, min_memory));
  options.head = w.made.head.value_or(options.head);
  return options;
}

namespace {

/// Returns true if several GPUs of this process can do the work together.
bool is_divided(command const& made) {
  return made.out_dir.empty() && !made.record_bytes && !made.checksum && made.check == 0 && !made.merge && !made.debug &&
         !made.by_count && !made.has_records() && !made.explain && !made.estimate && !made.keep_order;
}

/// Returns the machines that sort together: the fewest GPUs of all that hold the lines, or one for each file of the output.
std::vector<machine_options> machines_for(command const& made, strings::order const& by) {
  cli::common_options common = made.common;
  if (!is_divided(made)) return {common.machine()};
  auto const is_regular = [](std::string const& file) { return file != "-" && std::filesystem::is_regular_file(file); };
  std::size_t const writers = std::size_t(made.parts.value_or(1));
  if (std::ranges::all_of(made.files, is_regular)) {
    constexpr std::size_t short_line = 16;  // bytes
    auto const bytes = std::size_t(known_bytes(made.files));
    common.keep_fewest([&](std::size_t count) {
      if (count < writers) return std::numeric_limits<std::size_t>::max();  // each writes a file
      std::size_t const share = bytes / count + 1, exchanged = count == 1 ? 0 : 2 * share;
      return strings::sort_memory(device::gpu, share, share / short_line, by, made.delimiter) + exchanged;
    });
  } else if (made.parts) {
    common.keep_first(writers);
  }
  return common.machines();
}

}  // namespace

bool is_shared(command const& made) {
  return is_divided(made) && !made.parts;
}

int sort(work const& w, cli::stats& stats) {
  command const& made = w.made;
  // By default the C library allocates large blocks in its heap once one has been freed, and keeps freed ones between others.
  // The process would use up to three times the memory of -S.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  bool const writes = !w.members || w.members->rank() == 0;
  std::optional<cli::output> out;
  std::optional<cli::split_output> parts;
  std::optional<strings::detail::record_order> records_by;
  if (made.record_bytes) records_by.emplace(w.by, std::size_t(*made.record_bytes));
  if (writes)
    for (std::string const& file : made.files) must_be_readable(file, "cannot read");
  if (made.parts) {
    parts.emplace(*made.output, cli::split_output::options{.parts = std::size_t(*made.parts),
                                                           .item_bytes = std::size_t(made.record_bytes.value_or(0)),
                                                           .delimiter = made.delimiter,
                                                           .threads = made.common.threads,
                                                           .folder = make_spill_options(w).folders.front()});
    parts->refuse_inputs(made.files);
  } else if (writes) {
    std::string const path = made.output.value_or("-");
    if (w.called.is_gnu())
      out.emplace(path, cli::compression::none, made.common.threads);
    else
      out.emplace(path, made.common.threads);
    if (made.order_file) out->refuse_inputs(std::span(&*made.order_file, 1));
    // GNU sort replaces its list.
    if (made.files_from && !w.called.is_gnu()) out->refuse_inputs(std::span(&*made.files_from, 1));
  }
  w.writing = true;
  cli::progress progress(w.called.name(), made.common, made.files, made.output.value_or("-"));

  strings::texts const files{made.files.size(), known_bytes(made.files),
                             [&](std::size_t k) { return cli::watched(w.inputs.open(k), progress, w.read); }};
  std::optional<observed_sink> watched;
  if (out) watched.emplace(*out, [&](std::uint64_t /*bytes*/) { progress.at(out->written()); });
  if (parts) watched.emplace(*parts, [&](std::uint64_t /*bytes*/) { progress.at(parts->written()); });
  auto const began = [&](strings::phase phase_now, std::uint64_t bytes) {
    constexpr std::string_view names[] = {"read", "sort", "write"}, labels[] = {"reading", "sorting", "writing"};
    auto const row = static_cast<std::size_t>(phase_now);
    progress.phase(labels[row], phase_now == strings::phase::sort ? 0 : bytes);
    stats.phase(names[row]);
  };
  strings::sort_options options = make_sort_options(w);
  using strings::duplicates;
  auto const equal = made.by_count ? duplicates::by_count
                     : made.count  ? duplicates::count
                     : made.unique ? duplicates::drop
                                   : duplicates::keep;
  strings::spill_options const where = make_spill_options(w);
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
    auto const machines = machines_for(made, w.by);
    if (machines.size() == 1) options.machine = machines.front();
    if (machines.size() > 1 && strings::can_be_divided(options, equal))
      return strings::sort(machines, files, *watched, options, equal, began);
    if (records_by) return strings::detail::sort_records(files, *watched, *records_by, options, equal, where, began);
    std::string const header = sorted_header(made, w.inputs.header(), w.by);
    strings::detail::record_sink records(*watched, header, made.quoted.has_value(), w.inputs.header().empty());
    std::optional<gff_sink> gff;
    if (w.inputs.gff()) gff.emplace(records, *w.inputs.gff());
    sink& lines = gff ? static_cast<sink&>(*gff) : records;
    line_sink underlined(made.delimiter, [&](std::string_view line) { lines.write(annotated(line, w.by)); });
    sink& to = made.debug ? static_cast<sink&>(underlined) : lines;
    auto report = made.merge        ? strings::merge(files, to, options, equal, where, began)
                  : made.keep_order ? strings::detail::write_first_lines(
                                          files, to, options, std::min(options.memory, where.available_memory()), began)
                                    : strings::sort_external(files, to, options, equal, where, began);
    if (gff) report.written += gff->finish();
    records.finish();
    report.written += records.header_size();
    return report;
  }();
  if (out) out->commit();
  if (parts) parts->commit();
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

}  // namespace ordo::inline v0::strsort
