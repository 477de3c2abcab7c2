#include "spectra/pipeline.hpp"

#include <algorithm>
#include <utility>

#include <tbb/parallel_pipeline.h>

#include "base/threads.hpp"

namespace ordo::spectra::detail {

std::size_t slice_size(std::size_t block, std::size_t slices, bool on_gpu) {
  // A GPU wants more at a time than fits the cache of a thread. With what belongs to a text it takes up to 2.5 times its size.
  constexpr std::size_t gpu_blocks = 16, most = std::size_t{288} << 20;
  return on_gpu ? std::max(block, std::min(gpu_blocks * block, most / slices)) : block;
}

pipeline::pipeline(options how, purpose what, order_keys const* keys, slice_taker* taker)
    : how_(std::move(how)), taker_(taker), arena_(threads_for(how_.machine.threads)), found_(how_, what == purpose::order) {
  task_.scan.by = how_.by;
  task_.scan.descending = how_.descending;
  task_.scan.lenient = how_.lenient;
  task_.scan.check = what == purpose::check;
  task_.scan.shown = how_.on_warning ? how_.warnings_shown : 0;
  if (what == purpose::summary) {
    task_.summarize = task_.scan.all_headers = true;
    task_.scan.keeps = scan_keeps::table_and_headers;
  }
  if (what == purpose::order) {
    task_.keys = keys;
    task_.scan.keeps = scan_keeps::disordered_and_headers;
    task_.scan.end_needed = true;
    task_.scan.needed = {.precursor = how_.select.remove_precursor || keys->has(spectrum_key::pepmass) ||
                                      keys->has(spectrum_key::mass) || keys->has(spectrum_key::charge),
                         .rt = keys->has(spectrum_key::rt),
                         .scan = keys->has(spectrum_key::scan)};
  }
  if (what == purpose::sort || what == purpose::order) {
    how_.select.check();
    if (!how_.select.empty()) {
      task_.select = &how_.select;
      task_.scan.keeps = how_.select.remove_precursor || task_.keys ? scan_keeps::table_and_headers : scan_keeps::table;
    }
    task_.machines = &machines_.emplace(how_, unsigned(arena_.max_concurrency()));
  }
  for (std::string_view const name : step_names) phases_.push_back({.name = name});
}

void pipeline::finish(slice_work& one, sink* to, bool last) {
  slice const& part = one.part;
  if (stopped_) return;
  if (part.size >= slices::limit) found_.refuse_large(part.size);
  std::string_view const text(part.text().data(), one.scanned ? part.size : 0);
  if (!text.empty() && !found_.take(text, one.found, one.warned, one.kind)) {
    stopped_ = true;
    return;
  }
  if (one.failure) std::rethrow_exception(one.failure);
  if (last && part.last) found_.end();
  if (to && !text.empty()) one.timed(writing, one.output().size(), [&] { to->write(one.output()); });
  if (taker_ && !text.empty()) taker_->take(one);
  report& totals = found_.totals;
  totals.bytes -= one.added;
  if (!text.empty()) totals.written += one.output().size();
  totals.peaks_left += one.peaks_left;
  totals.spectra_left += one.spectra_left;
  totals.reordered += one.reordered;
  totals.without_precursor += one.without_precursor;
  if (task_.summarize && !text.empty()) summary_.add(one.counted);
  one.add_to(phases_, how_);
  if (how_.on_progress) how_.on_progress(found_.totals.bytes);
}

void pipeline::run(source& from, sink* to, bool last) {
  std::uint64_t const begin = from.position();
  std::optional<std::uint64_t> const size = from.size();
  // Of a stream in order: a read may wait for what never comes, and write() can tell at once that it fails.
  bool const addressable = to && size && (task_.select ? to->expect_unknown() : to->expect(*size - std::min(*size, begin)));
  slices cut(from, found_.totals.spectra != 0, task_.keys ? slices::cut::spectrum : slices::cut::line);
  works_.take_back_all();

  // More than threads, as slices take different times; and none waits for the one before it to be written.
  std::size_t const tokens = 2 * std::size_t(arena_.max_concurrency()) + 1;
  auto const next = [&](tbb::flow_control& control) -> slice_work* {
    slice_work* const one = &works_.take();
    if (stopped_ || !one->next(cut, slice_size(how_.block_bytes, tokens, machines_ && machines_->on_gpu()))) control.stop();
    return one;
  };
  auto const work = [&](slice_work* one) {
    one->run(cut, task_, addressable ? to : nullptr);
    return one;
  };
  // What a selection leaves of a slice goes behind what it left of those before.
  std::uint64_t written = 0;
  auto const place = [&](slice_work* one) {
    one->placed = std::exchange(written, written + one->output().size());
    return one;
  };
  auto const write = [&](slice_work* one) {
    one->write(*to);
    return one;
  };
  auto const end = [&](slice_work* one) {
    finish(*one, addressable ? nullptr : to, last);
    works_.give_back(*one);
  };
  using tbb::filter_mode;
  arena_.execute([&] {
    auto steps = tbb::make_filter<void, slice_work*>(filter_mode::serial_in_order, next) &
                 tbb::make_filter<slice_work*, slice_work*>(filter_mode::parallel, work);
    if (task_.select && addressable)
      steps = steps & tbb::make_filter<slice_work*, slice_work*>(filter_mode::serial_in_order, place) &
              tbb::make_filter<slice_work*, slice_work*>(filter_mode::parallel, write);
    tbb::parallel_pipeline(tokens, steps & tbb::make_filter<slice_work*, void>(filter_mode::serial_in_order, end));
  });
  if (size && !stopped_) from.skip(*size - std::min(*size, begin));
}

report pipeline::done() const {
  report all = found_.totals;
  if (machines_) machines_->tell(all);
  all.phases = phases_;
  return all;
}

}  // namespace ordo::spectra::detail
