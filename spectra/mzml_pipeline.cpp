#include "spectra/mzml_pipeline.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "spectra/pipeline.hpp"

namespace ordo::spectra::detail {
namespace {

mzml_options options_of(options const& how, format as) {
  mzml_options made;
  made.by = how.by;
  made.descending = how.descending;
  made.as = as;
  made.select = how.select;
  made.keep_metadata = how.keep_metadata;
  made.lenient = how.lenient;
  return made;
}

}  // namespace

mzml_pipeline::mzml_pipeline(options how, mzml_options what, order_options const* order)
    : how_(std::move(how)), what_(what), order_(order), arena_(threads_for(how_.machine.threads)) {
  if (what_.writes()) machines_.emplace(how_, unsigned(arena_.max_concurrency()));
  for (std::string_view const name : mzml_step_names) totals_.phases.push_back({.name = name});
}

// The processing, if the document has spectra.
std::shared_ptr<processing_record const> mzml_pipeline::recorded(mzml_piece const& head) const {
  auto const list = std::ranges::find(head.marks, index_mark::kind::spectra, &index_mark::what);
  if (head.failure || list == head.marks.end()) return nullptr;
  auto options = as_options(what_.select);
  options.emplace_back("--by", what_.by == sort_key::mz ? "mz" : "intensity");
  if (what_.descending) options.emplace_back("--descending", "");
  return std::make_shared<processing_record const>(record_processing(head.text().substr(0, list->begin), options));
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
  say(counted_.times_without_unit, "retention times have no unit, and count as seconds");
  say(counted_.repaired, what_.writes() && what_.as == format::mzml
                             ? "bytes are no UTF-8: they are read as Windows-1252, and stay as they are"
                             : "bytes are no UTF-8, and are read as Windows-1252");
  say(counted_.own_processing, "spectra refer to a dataProcessing of their own, where no step is recorded");
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
  counted_.times_without_unit += found.times_without_unit;
  counted_.repaired += found.repaired;
  counted_.own_processing += found.own_processing;
  if (one.piece.head && one.record && !one.record->lacks.empty())
    warn(fmt::format("{}: no processing step is recorded: {}", how_.name, one.record->lacks));
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
  mzml_pieces cut(from, what_.records(), what_.lenient);
  std::optional<mzml_writer> writer;
  if (order_)
    writer.emplace(*to, *what_.keys, *order_, how_.machine);
  else if (to && what_.as == format::mzml)
    writer.emplace(*to, what_.renumbers() ? &how_.temporary_folder : nullptr);
  std::size_t const tokens = 2 * std::size_t(arena_.max_concurrency()) + 1;
  auto const next = [&](tbb::flow_control& control) -> mzml_work* {
    mzml_work* const one = &works_.take();
    if (stopped_ || !one->next(cut, slice_size(how_.block_bytes, tokens, machines_ && machines_->on_gpu()))) {
      control.stop();
      return one;
    }
    if (what_.records() && one->piece.head) record_ = recorded(one->piece);
    one->record = record_;
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
    if (std::string const how = writer->index_differences(); !how.empty())
      warn(fmt::format("{}: the index was wrong and is made anew: {}", how_.name, how));
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
  detail::mzml_pipeline work(how, detail::options_of(how, as));
  work.run(from, &to);
  return work.done();
}

order_report order_mzml(source& from, sink& to, options const& how, order_options const& order) {
  how.select.check();
  if (order.parts || order.part_bytes) throw usage_error("parts of a document of mzML cannot be had");
  detail::order_keys const keys(order.order);
  detail::mzml_options what = detail::options_of(how, format::mzml);
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
  detail::mzml_options what = detail::options_of(how, format::mzml);
  what.check = true;
  what.select = {};
  detail::mzml_pipeline work(how, what);
  work.run(from, nullptr);
  return {work.first_disorder(), work.done()};
}

summary summarize_mzml(source& from, options const& how) {
  detail::mzml_options what;
  what.lenient = how.lenient;
  what.summarize = true;
  detail::mzml_pipeline work(how, what);
  work.run(from, nullptr);
  summary all = work.summarized();
  all.take_size(work.done());
  return all;
}

}  // namespace ordo::spectra
