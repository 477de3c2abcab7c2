#include "spectra/mzml_pipeline.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include "sort_core/error.hpp"
#include "sort_core/host/threads.hpp"
#include "spectra/pipeline.hpp"

namespace ordo::spectra::detail {

mzml_pipeline::mzml_pipeline(options how, mzml_options what, order_options const* order)
    : how_(std::move(how)), what_(what), order_(order), arena_(threads_for(how_.machine.threads)) {
  if (what_.writes()) machines_.emplace(how_, unsigned(arena_.max_concurrency()));
  for (std::string_view const name : mzml_step_names) totals_.phases.push_back({.name = name});
}

std::uint64_t mzml_pipeline::line_at(std::size_t at, std::string_view text) const {
  text = text.substr(0, at);
  return totals_.lines + std::uint64_t(std::count(text.begin(), text.end(), '\n')) + 1;
}

void mzml_pipeline::fail(std::exception_ptr failure, std::string_view text) const {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (xml_fault const& fault) {
    throw input_error(fault.message(how_.name, line_at(fault.at, text)));
  }
}

void mzml_pipeline::warn(std::string const& message) {
  if (how_.on_warning && totals_.warnings < how_.warnings_shown) how_.on_warning(message);
  ++totals_.warnings;
}

void mzml_pipeline::warn_at_end() {
  auto const say = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) warn(fmt::format("{}: {} {}", how_.name, count, what));
  };
  say(counted_.other_order, "spectra stay as they are: transitions, or in the order of ion mobility or another axis");
  say(counted_.no_precursor, "spectra of MS level 2 or above have no selected ion and are left out");
  say(counted_.not_finite, "peaks are not finite and are left out");
  say(counted_.stray_references, "references to spectra that were left out stay");
  if (what_.as == format::mgf && counted_.level_1 == counted_.spectra)
    warn(how_.name + ": there are no spectra of MS level 2 or above");
}

void mzml_pipeline::count(mzml_work const& one) {
  auto const& found = one.counted;
  totals_.bytes += one.piece.size;
  totals_.lines += found.lines;
  totals_.spectra += found.spectra;
  totals_.peaks += found.peaks;
  totals_.reordered += found.reordered;
  totals_.written += one.written().size();
  totals_.spectra_left += what_.whole() ? found.spectra_left : found.spectra;
  totals_.peaks_left += what_.whole() ? found.peaks_left : found.peaks;
  totals_.without_precursor += found.without_precursor;
  if (what_.summarize) summary_.add(one.summarized);
  counted_.spectra += found.spectra;
  counted_.other_order += found.other_order;
  counted_.level_1 += found.level_1;
  counted_.no_precursor += found.no_precursor;
  counted_.not_finite += found.not_finite;
  one.add_to(totals_.phases, how_);
  if (how_.on_progress) how_.on_progress(totals_.bytes);
}

void mzml_pipeline::finish(mzml_work& one, sink* to, mzml_writer* writer) {
  if (stopped_) return;
  std::string_view const text = one.piece.text();
  if (one.disorder) {
    first_disorder_ = disorder{line_at(one.disorder->at, text), one.piece.first_spectrum + one.disorder->spectrum + 1,
                               one.disorder->title, one.disorder->peak};
    stopped_ = true;
    return;
  }
  if (one.failure) fail(one.failure, text);
  if (to) {
    one.timed(mzml_writing, one.written().size(), [&] {
      if (what_.as == format::mgf) return to->write(one.written());
      try {
        writer->write(one);
      } catch (xml_fault const&) {
        fail(std::current_exception(), text);
      }
    });
  }
  count(one);
}

void mzml_pipeline::run(source& from, sink* to) {
  mzml_pieces cut(from);
  std::optional<mzml_writer> writer;
  if (order_)
    writer.emplace(*to, *what_.keys, *order_, how_.machine);
  else if (to && what_.as == format::mzml)
    writer.emplace(*to, what_.renumbers() ? &how_.temporary_folder : nullptr);
  std::size_t const tokens = 2 * std::size_t(arena_.max_concurrency()) + 1;
  auto const next = [&](tbb::flow_control& control) -> mzml_work* {
    mzml_work* const one = &works_.take();
    if (stopped_ || !one->next(cut, slice_size(how_.block_bytes, tokens, machines_ && machines_->on_gpu()))) control.stop();
    return one;
  };
  auto const work = [&](mzml_work* one) {
    one->run(what_, machines_ ? &*machines_ : nullptr);
    return one;
  };
  auto const end = [&](mzml_work* one) {
    finish(*one, to, writer ? &*writer : nullptr);
    works_.give_back(*one);
  };
  using tbb::filter_mode;
  arena_.execute([&] {
    tbb::parallel_pipeline(tokens, tbb::make_filter<void, mzml_work*>(filter_mode::serial_in_order, next) &
                                       tbb::make_filter<mzml_work*, mzml_work*>(filter_mode::parallel, work) &
                                       tbb::make_filter<mzml_work*, void>(filter_mode::serial_in_order, end));
  });
  if (stopped_) return;
  if (writer) {
    writer->end();
    counted_.stray_references = writer->stray_references();
    if (order_) writer->tell(ordered_);
  }
  warn_at_end();
}

report mzml_pipeline::done() const {
  report all = totals_;
  if (machines_) machines_->tell(all);
  return all;
}

}  // namespace ordo::spectra::detail

namespace ordo::spectra {

report sort_mzml(source& from, sink& to, options const& how, format as) {
  how.select.check();
  detail::mzml_pipeline work(how, {how.by, how.descending, as, false, how.select});
  work.run(from, &to);
  return work.done();
}

order_report order_mzml(source& from, sink& to, options const& how, order_options const& order) {
  how.select.check();
  if (order.parts || order.part_bytes) throw usage_error("parts of a document of mzML cannot be had");
  detail::order_keys const keys(order.order);
  detail::mzml_options what{how.by, how.descending, format::mzml, false, how.select};
  what.keys = &keys;
  options own = how;
  own.block_bytes = std::clamp<std::size_t>(order.memory / detail::order_blocks, 1, how.block_bytes);
  detail::mzml_pipeline work(std::move(own), what, &order);
  work.run(from, &to);
  order_report made = work.ordered();
  made.done = work.done();
  made.parts = 1;
  return made;
}

checked check_mzml(source& from, options const& how) {
  detail::mzml_pipeline work(how, {how.by, how.descending, format::mzml, true, {}});
  work.run(from, nullptr);
  return {work.first_disorder(), work.done()};
}

summary summarize_mzml(source& from, options const& how) {
  detail::mzml_options what;
  what.summarize = true;
  detail::mzml_pipeline work(how, what);
  work.run(from, nullptr);
  summary all = work.summarized();
  all.take_size(work.done());
  return all;
}

}  // namespace ordo::spectra
