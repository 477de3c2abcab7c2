#include "spectra/pipeline.hpp"

#include <algorithm>
#include <utility>

#include <tbb/parallel_pipeline.h>

#include "sort_core/host/threads.hpp"

namespace ordo::spectra::detail {

std::size_t slice_size(std::size_t block, std::size_t slices, bool on_gpu) {
  // A GPU wants more at a time than fits the cache of a thread. With what belongs to a text it takes up to 2.5 times its size.
  constexpr std::size_t gpu_blocks = 16, most = std::size_t{288} << 20;
  return on_gpu ? std::max(block, std::min(gpu_blocks * block, most / slices)) : block;
}

pipeline::pipeline(options how, bool check)
    : how_(std::move(how)),
      scan_options_{how_.by, how_.descending, how_.lenient, check, how_.on_warning ? how_.warnings_shown : 0, false},
      arena_(threads_for(how_.machine.threads)),
      found_(how_) {
  if (!check) machines_.emplace(how_, unsigned(arena_.max_concurrency()));
  for (std::string_view const name : step_names) phases_.push_back({.name = name});
}

slice_work* pipeline::take_idle() {
  std::lock_guard const lock(changing_);
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);
    return all_.emplace_back(std::make_unique<slice_work>()).get();
  }
  slice_work* const one = idle_.back();
  idle_.pop_back();
  return one;
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
  if (to && !text.empty()) one.timed(writing, text.size(), [&] { to->write(text); });
  for (std::size_t s = 0; s < steps; ++s) {
    phases_[s].seconds += one.seconds[s];
    phases_[s].waited += one.waited[s];
    phases_[s].bytes += one.bytes[s];
    if (how_.on_phase && one.bytes[s] != 0) how_.on_phase(step_names[s], one.bytes[s]);
  }
  if (how_.on_progress) how_.on_progress(found_.totals.bytes);
}

void pipeline::run(source& from, sink* to, bool last) {
  std::uint64_t const begin = from.position();
  std::optional<std::uint64_t> const size = from.size();
  bool const addressable = to && size && to->expect(*size - std::min(*size, begin));
  slices cut(from, found_.totals.spectra != 0);
  idle_.clear();
  for (auto const& one : all_) idle_.push_back(one.get());

  // More than threads, as slices take different times; and none waits for the one before it to be written.
  std::size_t const tokens = 2 * std::size_t(arena_.max_concurrency()) + 1;
  auto const next = [&](tbb::flow_control& control) -> slice_work* {
    slice_work* const one = take_idle();
    if (stopped_ || !one->next(cut, slice_size(how_.block_bytes, tokens, machines_ && machines_->on_gpu()))) control.stop();
    return one;
  };
  auto const work = [&](slice_work* one) {
    one->run(cut, scan_options_, machines_ ? &*machines_ : nullptr, addressable ? to : nullptr);
    return one;
  };
  auto const end = [&](slice_work* one) {
    finish(*one, addressable ? nullptr : to, last);
    std::lock_guard const lock(changing_);
    idle_.push_back(one);
  };
  using tbb::filter_mode;
  arena_.execute([&] {
    tbb::parallel_pipeline(tokens, tbb::make_filter<void, slice_work*>(filter_mode::serial_in_order, next) &
                                       tbb::make_filter<slice_work*, slice_work*>(filter_mode::parallel, work) &
                                       tbb::make_filter<slice_work*, void>(filter_mode::serial_in_order, end));
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
