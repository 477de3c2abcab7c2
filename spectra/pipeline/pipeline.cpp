#include "spectra/pipeline/pipeline.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/parallel_pipeline.h>

#include "base/large_blocks.hpp"
#include "base/threads.hpp"
#include "spectra/chunk/reports.hpp"
#include "spectra/import/format.hpp"
#include "spectra/mgf/format.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/msp/writer.hpp"
#include "spectra/mzml/format.hpp"
#include "spectra/mzml/printer.hpp"
#include "spectra/mzspeclib/writer.hpp"
#include "spectra/pipeline/chunk_exchange.hpp"

namespace ordo::inline v0::spectra::detail {

std::uint32_t compute_checksum(std::string_view text) {
  return libdeflate_crc32(0, text.data(), text.size());
}

print_spectrum choose_printer(format to) {
  return to == format::mgf ? print_mgf : to == format::mzml ? print_mzml : to == format::msp ? print_msp : print_mzspeclib;
}

bool is_helper(sort_options const& options) {
  return options.members && options.members->rank() != 0;
}

std::size_t chunk_size(std::size_t chunk_bytes, std::size_t chunks, bool on_gpu) {
  // A GPU needs more at a time than fits the cache of a thread. Memory for a text is up to 2.5 times its size.
  constexpr std::size_t gpu_factor = 16, max_bytes = std::size_t{288} << 20;
  return on_gpu ? std::max(chunk_bytes, std::min(gpu_factor * chunk_bytes, max_bytes / chunks)) : chunk_bytes;
}

pipeline::pipeline(sort_options options, pipeline_task const& task)
    : options_(std::move(options)), from_(task.from), receiver_(task.receiver), arena_(threads_for(options_.machine.threads)) {
  task_.goal = task.goal;
  task_.options = &options_;
  task_.keys = task.keys;
  task_.lists = task.lists;
  task_.filters = task.filters;
  options_.choice.check();
  if (task.goal != purpose::check && !options_.choice.empty()) task_.choice = &options_.choice;
  if (task_.writes() || task_.filters || task_.goal == purpose::compare) options_.select.check();
  // Libraries are printed from libraries, too: by other names, and without what their dialects have besides.
  bool const prints = task.to == format::msp || task.to == format::mzspeclib ||
                      ((task.to == format::mgf || task.to == format::mzml) && task.from != task.to);
  if (prints && (task_.writes() || task.goal == purpose::compare)) {
    task_.print = choose_printer(task.to);
    task_.prints_as = to_string(task.to);
  }
  if (!task_.writes()) return;
  if (options_.on_dropped) task_.reasons = &reasons_.emplace(options_, task_.prints_as);
  // MGF that stays MGF is not read for its titles.
  task_.notes_titles = task.several || task_.print || task_.titles();
  if (!options_.title_template.empty()) check_title_template(options_.title_template);
  if (!options_.select.empty()) task_.select = &options_.select;
  if (task.order) {
    task_.order = task.order;
    task_.ordered = &ordered_;
  }
  task_.merged = task.merged;
  task_.several = task.several;
  machines_.emplace(options_, unsigned(arena_.max_concurrency()));
}

pipeline::~pipeline() = default;

chunk& pipeline::acquire_idle() {
  std::lock_guard const lock(changing_);
  if (idle_.empty()) {
    idle_.reserve(chunks_.size() + 1);  // so that giving back throws nothing
    return *chunks_.emplace_back(format_->make_chunk());
  }
  chunk& chunk = *idle_.back();  // the last one given back is in a cache
  idle_.pop_back();
  return chunk;
}

// @param output  only to write chunks at their offsets
void pipeline::work(chunk& chunk, sink* output) noexcept try {
  if (!chunk.parse()) return;
  if (machines_) {
    bool const selects = chunk.selects();
    if (selects)
      chunk.timed(sorting, 2 * chunk.peaks.mz.size() * sizeof(double),
                  [&] { chunk.count_as_waiting(sorting, chunk.peaks.select(options_, *machines_, chunk.counted)); });
    if (!chunk.peaks.codes.empty()) {
      double const share = double(chunk.counted.reordered) / double(std::max<std::uint64_t>(chunk.counted.spectra, 1));
      chunk.timed(sorting, chunk.peaks.codes.size() * sizeof(std::uint64_t),
                  [&] { chunk.count_as_waiting(sorting, chunk.peaks.sort(*machines_, share)); });
    }
    chunk.compose();
  }
  chunk.composed = true;
  if (output) chunk.timed(writing, chunk.output().size(), [&] { output->write_at(chunk.offset(), chunk.output()); });
} catch (...) {
  chunk.failure = std::current_exception();
}

// @param output  only to write chunks one after the other
void pipeline::finish(chunk& chunk, sink* output) {
  if (stopped_) return;
  if (!format_->accept(chunk)) {
    stopped_ = true;
    return;
  }
  std::size_t const size = chunk.output().size();
  if (chunk.counted.bytes != 0) {  // the format may have something to do for a chunk of which nothing is kept
    if (output) chunk.timed(writing, size, [&] { format_->write(chunk, *output); });
    if (receiver_) receiver_->take(chunk);
  }
  sort_report& totals = found_.totals;
  add(totals, chunk.counted, size);
  report_dropped(chunk);
  auto const& hashes = chunk.records.title_hashes();
  constexpr std::size_t max_titles = std::size_t{1} << 23;  // the warning is not worth more memory
  if (!receiver_ && task_.goal == purpose::sort && titles_.size() + hashes.size() <= max_titles)
    titles_.insert(titles_.end(), hashes.begin(), hashes.end());
  if (task_.goal == purpose::summary) summary_.add(chunk.summarized);
  if (task_.goal == purpose::compare) compared_.add(chunk.compared);
  if (task_.goal == purpose::read && !receiver_) columns_.add(chunk.columns);
  if (task_.goal == purpose::choose || task_.lists) chosen_.insert(chosen_.end(), chunk.chosen.begin(), chunk.chosen.end());
  voltages_.insert(chunk.voltages.begin(), chunk.voltages.end());
  found_.unstated.add(chunk.unstated);
  chunk.add_to(phases_, options_);
  if (options_.on_progress) options_.on_progress(totals.bytes);
}

// Reports the spectra of a chunk that are left out, in their order.
void pipeline::report_dropped(chunk& chunk) {
  if (!reasons_ || chunk.dropped.empty()) return;
  std::ranges::stable_sort(chunk.dropped, {}, &chunk::dropped_entry::number);
  std::vector<dropped_spectrum> all;
  for (auto const& [number, offset, reason] : chunk.dropped)
    all.push_back({chunk.records.first_number + number, chunk.records.first_offset + offset, reasons_->text(reason)});
  options_.on_dropped(all);
}

void pipeline::make_format(source& input, sink* output) {
  switch (from_) {
    case format::mgf:
      format_ = make_mgf_format(input, task_, found_);
      break;
    case format::mzml:
      format_ = make_mzml_format(input, task_.print ? nullptr : output, task_, found_);
      break;
    case format::mzxml:
      format_ = make_import_format(make_mzxml_reader(input, options_.lenient), task_, found_);
      break;
    case format::msp:
      format_ = make_import_format(make_msp_reader(input, options_), task_, found_);
      break;
    case format::mzspeclib:
      format_ = make_import_format(make_mzspeclib_reader(input), task_, found_);
  }
  for (std::size_t s = 0; s < num_steps; ++s) phases_[s].name = format_->steps()[s];
}

void pipeline::run(source& input, sink* output) {
  make_format(input, is_helper(options_) ? nullptr : output);
  // More than threads, as chunks take different times, and none waits for the one before it to be written.
  tokens_ = 2 * std::size_t(arena_.max_concurrency()) + 1;
  chunk_bytes_ = chunk_size(options_.chunk_bytes, tokens_, machines_ && machines_->on_gpu());
  if (options_.members && options_.members->size() > 1 && task_.writes()) {
    if (options_.members->moves_device_memory())
      throw usage_error("cannot share: spectra: the members are GPUs of one process");
    others_ = std::make_unique<chunk_exchange>(*options_.members, chunk_bytes_, std::size_t(arena_.max_concurrency()));
    chunk_bytes_ = others_->chunk_bytes();
    if (!others_->is_first()) return help();
  }
  try {
    work_in_order(output);
  } catch (member_lost const&) {
    throw;
  } catch (...) {
    try {
      if (others_) others_->end(nullptr);
    } catch (...) {  // the first failure is thrown
    }
    ordo::detail::rethrow_refused_block(fmt::format("{}: the spectra after byte {}", options_.name, found_.totals.bytes));
  }
  if (others_) others_->end(&found_.totals);
}

bool pipeline::next(chunk& chunk) {
  chunk.composed = false;
  chunk.chunk_number = next_chunk_++;
  return !stopped_ && format_->next(chunk, chunk_bytes_);
}

// Takes the results of another member. If it has none, or has read something else, this one does the work, and finds what there
// is to say.
void pipeline::store_results(chunk& chunk) {
  if (!others_ || others_->is_own(chunk.chunk_number)) return;
  std::span<char const> const results = others_->receive_results(chunk.chunk_number);
  if (results.empty() || chunk.failure) return work(chunk, nullptr);
  value_reader from(results);
  std::uint32_t checksum = 0;
  from.take(checksum);
  if (checksum != chunk.checksum) return work(chunk, nullptr);
  chunk.load(from);
  chunk.composed = true;
}

// Works on chunks for member 0, until it needs no more.
void pipeline::help() {
  std::exception_ptr failure;  // this member's, unless member 0 fails, too
  try {
    auto const next = [&](tbb::flow_control& control) -> chunk* {
      chunk* const chunk = &acquire_idle();
      if (!this->next(*chunk)) control.stop();
      return chunk;
    };
    auto const work_on = [&](chunk* chunk) {
      chunk->results.clear();
      if (!others_->is_own(chunk->chunk_number)) return chunk;
      value_writer to(chunk->results);
      try {
        to.put(chunk->input_checksum());
        work(*chunk, nullptr);
        if (!chunk->save(to)) chunk->results.clear();
      } catch (...) {
        chunk->results.clear();
      }
      return chunk;
    };
    auto const end = [&](chunk* chunk) {
      if (!others_->add(chunk->chunk_number, chunk->results)) stopped_ = true;
      if (others_->is_own(chunk->chunk_number)) chunk->add_to(phases_, options_);
      std::lock_guard const lock(changing_);
      idle_.push_back(chunk);
    };
    using tbb::filter_mode;
    arena_.execute([&] {
      tbb::parallel_pipeline(tokens_, tbb::make_filter<void, chunk*>(filter_mode::serial_in_order, next) &
                                          tbb::make_filter<chunk*, chunk*>(filter_mode::parallel, work_on) &
                                          tbb::make_filter<chunk*, void>(filter_mode::serial_in_order, end));
    });
  } catch (member_lost const&) {
    throw;
  } catch (...) {
    failure = std::current_exception();
  }
  if (!others_->is_cut()) try {
      others_->finish(found_.totals);
    } catch (member_lost const&) {
      throw;
    } catch (...) {
      if (!failure) throw;
    }
  if (failure) std::rethrow_exception(failure);
}

void pipeline::work_in_order(sink* output) {
  // Known before anything is read: a read may wait for input that never comes, while write() can fail at once.
  std::optional<std::uint64_t> const bytes = others_ ? std::nullopt : format_->addressable_bytes();
  bool const addressable = output && bytes && (task_.selects() ? output->expect_unknown() : output->expect(*bytes));
  bool const places = addressable && task_.selects();

  auto const next = [&](tbb::flow_control& control) -> chunk* {
    chunk* const chunk = &acquire_idle();
    if (!this->next(*chunk)) control.stop();
    return chunk;
  };
  auto const work_on = [&](chunk* chunk) {
    if (others_ && !others_->is_own(chunk->chunk_number))
      chunk->checksum = chunk->input_checksum();
    else
      work(*chunk, addressable && !places ? output : nullptr);
    return chunk;
  };
  // A selection changes the length of chunks, so that the place of each depends on those before it.
  std::uint64_t placed = 0;
  auto const place = [&](chunk* chunk) {
    chunk->place = std::exchange(placed, placed + chunk->output().size());
    return chunk;
  };
  auto const write = [&](chunk* chunk) {
    if (!chunk->composed) return chunk;
    try {
      chunk->timed(writing, chunk->output().size(), [&] { output->write_at(chunk->place, chunk->output()); });
    } catch (...) {
      chunk->failure = std::current_exception();
    }
    return chunk;
  };
  auto const end = [&](chunk* chunk) {
    store_results(*chunk);
    finish(*chunk, addressable ? nullptr : output);
    std::lock_guard const lock(changing_);
    idle_.push_back(chunk);
  };
  using tbb::filter_mode;
  arena_.execute([&] {
    auto steps = tbb::make_filter<void, chunk*>(filter_mode::serial_in_order, next) &
                 tbb::make_filter<chunk*, chunk*>(filter_mode::parallel, work_on);
    if (format_->follows())  // beside the steps that follow, which may take as long
      steps = steps & tbb::make_filter<chunk*, chunk*>(filter_mode::serial_in_order, [&](chunk* chunk) {
                format_->follow(*chunk);
                return chunk;
              });
    if (places)
      steps = steps & tbb::make_filter<chunk*, chunk*>(filter_mode::serial_in_order, place) &
              tbb::make_filter<chunk*, chunk*>(filter_mode::parallel, write);
    tbb::parallel_pipeline(tokens_, steps & tbb::make_filter<chunk*, void>(filter_mode::serial_in_order, end));
  });
  if (stopped_) return;
  format_->end();
  if (std::uint64_t const repeated = count_repeated(titles_); repeated != 0)
    found_.warn_of_count(repeated, "spectrum has the title of another one", "spectra have the title of another one");
  // Not of a part of an input, whose reader takes no warnings.
  if (found_.totals.spectra == 0 && options_.on_warning && (task_.writes() || task_.goal == purpose::check))
    found_.warn(options_.name + ": there are no spectra");
  warn_of_unstated();
}

void pipeline::warn_of_unstated() {
  auto const warn = [&](std::uint64_t count, std::string_view property, bool inverse) {
    std::string_view const end = inverse ? "chosen" : "not chosen";
    found_.warn_of_count(count, fmt::format("spectrum does not state {}, and is {}", property, end),
                         fmt::format("spectra do not state {}, and are {}", property, end));
  };
  spectrum_choice const& choice = options_.choice;
  unstated_values const& all = found_.unstated;
  warn(all.ms_level, "an MS level", choice.ms_levels.inverse);
  warn(all.rt, "a retention time", choice.rt_seconds.inverse);
  warn(all.scan, "a scan number", choice.scans.inverse);
  warn(all.charge, "a charge", choice.charges.inverse);
  warn(all.polarity, "a polarity", choice.inverse_polarity);
  warn(all.precursor, "a precursor m/z", choice.precursor_mz.inverse);
  warn(all.title, "a title", choice.title.inverse);
  warn(all.native_id, "a native id", choice.native_id.inverse);
  warn(all.compensation_voltage, "a compensation voltage", choice.compensation_voltage.inverse);
  warn(all.collision_energy, "a collision energy", choice.collision_energy.inverse);
  warn(all.activation, "an activation", choice.activation.inverse);
  warn(all.isolation_width, "an isolation width", choice.isolation_width.inverse);
  warn(all.instrument, "an instrument configuration", choice.instrument.inverse);
  warn(all.base_peak, "a base peak", choice.base_peak.inverse);
  warn(all.total_ion_current, "a total ion current", choice.total_ion_current.inverse);
  bool const filters = options_.select_levels.inverse;
  found_.warn_of_count(all.selection_level,
                       fmt::format("spectrum does not state an MS level, and {}", filters ? "is filtered" : "keeps all peaks"),
                       fmt::format("spectra do not state an MS level, and {}", filters ? "are filtered" : "keep all peaks"));
}

sort_report pipeline::report() const {
  sort_report all = found_.totals;
  if (others_) all.sent = others_->sent();
  if (machines_) machines_->report(all);
  for (phase_time const& phase : phases_)
    if (!phase.name.empty()) all.phases.push_back(phase);
  return all;
}

}  // namespace ordo::inline v0::spectra::detail
