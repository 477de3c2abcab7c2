#include "spectra/mgf/slice_work.hpp"

#include <algorithm>

#include "spectra/detect_format.hpp"
#include "spectra/mgf/permute.hpp"

namespace ordo::spectra::detail {

bool slice_work::next(slices& from, std::size_t wanted) {
  failure = nullptr;
  scanned = false;
  start_times();
  peaks_left = spectra_left = reordered = without_precursor = 0;
  added = 0;
  selected_.reset();
  bool any = true;
  try {
    any = timed(reading, 0, [&] { return from.next(part, wanted); });
    bytes[reading] = any ? part.size : 0;
  } catch (...) {  // that comes after what is wrong in the slices before
    failure = std::current_exception();
    part.size = 0;
  }
  return any;
}

void slice_work::run(slices const& from, slice_task const& task, sink* to) noexcept try {
  if (failure || part.size >= slices::limit) return;
  timed(reading, 0, [&] { from.fill(part); });
  if (task.keys && part.last) added = part.end_last_line();
  scan_options how = task.scan;
  how.begun = part.begun;
  timed(scanning, part.size, [&] { scan(part.text(), how, found); });
  std::string_view const text(part.text().data(), part.size);
  if (task.keys) records.look_at(text, how, found);
  warned.clear();
  for (finding const& warning : found.first_warnings) warned.emplace_back(line_of(warning, text));
  kind = part.begun ? std::string_view() : kind_of(text);
  scanned = true;
  if (found.error || found.disorder) return;
  if (task.summarize) {
    counted = {};
    for (std::size_t s = 0; s < found.table.spectra.size(); ++s) counted.add(found.table.at(s));
  }
  if (task.select) return select(task);
  peaks_left = found.all_peaks;
  spectra_left = found.spectra;
  reordered = found.ends.size();
  if (task.keys) records.take_all(text, *task.keys, found);  // before anything moves
  if (task.machines && !found.ends.empty()) {
    timed(sorting, found.peaks.size() * sizeof(std::uint64_t), [&] { sort(*task.machines); });
    timed(moving, part.size, [&] { move_lines(); });
  }
  if (to) timed(writing, part.size, [&] { to->write_at(part.offset, part.text()); });
} catch (...) {
  failure = std::current_exception();
}

void slice_work::write(sink& to) noexcept try {
  if (failure || !scanned || found.error) return;
  timed(writing, output().size(), [&] { to.write_at(placed, output()); });
} catch (...) {
  failure = std::current_exception();
}

void slice_work::sort(peak_machines& machines) {
  std::size_t const peaks = found.peaks.size(), spectra = found.ends.size();
  codes_.resize(peaks);
  order_.resize(peaks);
  offsets_.resize(spectra + 1);
  std::transform(found.peaks.begin(), found.peaks.end(), codes_.begin(), [](peak const& one) { return one.code; });
  std::transform(found.ends.begin(), found.ends.end(), offsets_.begin() + 1,
                 [](std::size_t end) { return std::uint32_t(end); });
  kept_waiting(sorting, machines.sort(codes_, offsets_, order_, double(spectra) / double(found.spectra)));
}

void slice_work::move_lines() {
  std::size_t begin = 0;
  for (std::size_t const end : found.ends) {
    permute_lines(part.text(), std::span(found.peaks).subspan(begin, end - begin),
                  std::span(order_).subspan(begin, end - begin), std::uint32_t(begin),
                  found.unterminated && end == found.peaks.size(), scratch_);
    begin = end;
  }
}

}  // namespace ordo::spectra::detail
