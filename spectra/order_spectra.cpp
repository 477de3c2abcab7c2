#include "ordo/spectra/order.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "spectra/mgf/file_header.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/parts.hpp"
#include "spectra/order/spill.hpp"
#include "spectra/order/store.hpp"
#include "spectra/pipeline.hpp"

namespace ordo::spectra {
namespace {

using namespace detail;

constexpr std::size_t most_window = std::size_t{1} << 20, least_window = std::size_t{16} << 10;

class single_part final : public spectrum_parts {
 public:
  explicit single_part(sink& to) : to_(to) {}
  sink& open(std::size_t) override { return to_; }

 private:
  sink& to_;
};

class ordering final : private slice_taker {
 public:
  ordering(spectrum_inputs const& from, spectrum_parts& to, options const& how, order_options const& order)
      : from_(from),
        how_(how),
        memory_(std::max(order.memory, least_order_memory)),
        keys_(order.order),
        arena_(threads_for(how.machine.threads)),
        heads_([this](std::string const& message) { warn(message); }),
        store_(keys_, memory_ - memory_ / 8),
        spilled_(order.folders, keys_, memory_, window_of(1)),
        writer_(to, order, heads_.front()),
        streams_(keys_.count() == 0 && !order.parts && order.part_bytes) {
    if (order.parts && order.part_bytes) throw usage_error("parts of a size and a number of parts: only one can be had");
    if (order.parts == 0) throw usage_error("no parts: there is always one");
    done_.missing.resize(keys_.count());
    how_.on_progress = [this, told = how.on_progress](std::uint64_t bytes) {
      if (told) told(done_.done.bytes + bytes);
    };
  }

  order_report run() {
    for (input_ = 0; input_ < from_.count; ++input_) read(from_.open(input_));
    if (spilled_.empty())
      write_stored();
    else
      write_merged();
    done_.done.written = writer_.written();
    done_.parts = writer_.parts();
    done_.runs = spilled_.runs();
    done_.passes = spilled_.passes();
    tell_phases();
    return std::move(done_);
  }

 private:
  using clock = std::chrono::steady_clock;

  template <class F>
  decltype(auto) timed(phase_time& phase, std::uint64_t bytes, F f) {
    struct timer {
      phase_time& phase;
      clock::time_point begin = clock::now();
      ~timer() { phase.seconds += std::chrono::duration<double>(clock::now() - begin).count(); }
    } const running{phase};
    phase.bytes += bytes;
    return f();
  }

  void warn(std::string const& message) {
    if (how_.on_warning && warned_ < how_.warnings_shown) how_.on_warning(message);
    ++warned_;
    ++done_.done.warnings;
  }

  // Windows hold what is written, and what was read of runs.
  [[nodiscard]] std::size_t window_of(std::size_t runs) const {
    std::size_t const threads = std::size_t(arena_.max_concurrency());
    return std::clamp(memory_ / (2 * (threads + 2)), least_window, std::max(most_window, runs * read_of_run));
  }
  void read(spectrum_inputs::opened opened) {
    options how = how_;
    how.name = opened.name;
    how.input_bytes = opened.bytes;
    if (opened.selected) how.select = {};
    how.block_bytes = std::clamp<std::size_t>(memory_ / order_blocks, 1, how.block_bytes);
    how.warnings_shown -= std::min(how.warnings_shown, warned_);
    name_ = opened.name;
    head_.clear();
    begun_ = false;
    spectra_ = 0;
    begin_ = opened.from->size() ? opened.from->position() : 0;
    pipeline work(std::move(how), purpose::order, &keys_, this);
    work.run(*opened.from, nullptr, true);
    if (!begun_) carried_ += heads_.take(head_, false, name_);
    add(work.done());
  }

  void add(report const& one) {
    report& all = done_.done;
    warned_ += one.warnings;
    all.bytes += one.bytes;
    all.lines += one.lines;
    all.spectra += one.spectra;
    all.peaks += one.peaks;
    all.reordered += one.reordered;
    all.spectra_left += one.spectra_left;
    all.peaks_left += one.peaks_left;
    all.without_precursor += one.without_precursor;
    all.warnings += one.warnings;
    all.device_memory = std::max(all.device_memory, one.device_memory);
    if (input_ == 0 || one.machine.device == device::gpu) all.machine = one.machine;
    all.phases.resize(one.phases.size());
    for (std::size_t p = 0; p < one.phases.size(); ++p) {
      all.phases[p].name = one.phases[p].name;
      all.phases[p].seconds += one.phases[p].seconds;
      all.phases[p].waited += one.phases[p].waited;
      all.phases[p].bytes += one.phases[p].bytes;
    }
  }

  // Behind what is done to slices, but for writing, which is done to what is in order.
  void tell_phases() {
    auto& phases = done_.done.phases;
    std::erase_if(phases, [&](phase_time const& one) { return one.name == write_.name; });
    phases.insert(phases.end(), {order_, spill_, write_});
  }

  void take(slice_work& one) override {
    std::string_view const text(one.output().data(), one.output().size());
    spectrum_records const& records = one.records;
    std::size_t begin = 0;
    if (!begun_) {
      begin = records.head();
      head_ += text.substr(0, begin);
      std::string_view const read(one.part.text().data(), one.part.size);
      if (one.part.offset == 0 && begin == 0 && records.any_spectra() && read.starts_with(byte_order_mark)) {
        head_ = byte_order_mark;
        if (text.starts_with(byte_order_mark)) begin = byte_order_mark.size();  // it does not, if the first spectrum goes
      }
      if (!records.any_spectra()) return;
      begun_ = true;
      carried_ += heads_.take(head_, true, name_);
      head_.clear();
    }
    if (!records.all().empty()) {
      std::size_t const end = records.all().back().end;
      keep(one, text.substr(begin, end - begin));
      begin = end;
    }
    carried_ += text.substr(begin);
    spectra_ += one.found.spectra;
  }

  // The spectra of a slice, which are all of this text.
  void keep(slice_work const& one, std::string_view text) {
    spectrum_records const& records = one.records;
    std::size_t const size = carried_.size() + text.size(), titles = records.titles().size(), count = records.all().size();
    if (!store_.has_room(size + titles, count) && !store_.empty()) put_aside();
    char* const memory = store_.place(size + titles);
    std::copy(carried_.begin(), carried_.end(), memory);
    std::copy(text.begin(), text.end(), memory + carried_.size());
    std::copy(records.titles().begin(), records.titles().end(), memory + size);
    ordered_spectrum made;
    made.input = std::uint32_t(input_);
    made.text = memory;
    std::size_t const skipped = records.all().back().end - text.size();  // of the slice's output
    std::size_t end = 0, title = 0;
    for (std::size_t r = 0; r < count; ++r) {
      auto const& record = records.all()[r];
      std::size_t const begin = std::exchange(end, record.end - skipped + carried_.size());
      made.text = memory + begin;
      made.bytes = end - begin;
      made.number = spectra_ + record.number;
      made.offset = begin_ + one.part.offset + record.offset;
      auto const codes = std::span(records.codes()).subspan(r * keys_.count(), keys_.count());
      for (std::size_t k = 0; k < codes.size(); ++k) done_.missing[k] += codes[k] == order_keys::missing;
      store_.add(made, codes, {memory + size + title, record.title_end - title});
      title = record.title_end;
    }
    carried_.clear();
  }

  stored_in_order ordered() {
    return timed(order_, store_.text_bytes(), [&] {
      return stored_in_order(store_, sorted_order(keys_, store_.table(), store_.all().size(), how_.machine));
    });
  }

  // What is in the memory goes elsewhere: to disk, or where it belongs, if that is known.
  void put_aside() {
    stored_in_order from = ordered();
    if (streams_) {
      timed(write_, store_.text_bytes(), [&] { writer_.write(from, window_of(1)); });
    } else {
      timed(spill_, store_.text_bytes(), [&] { spilled_.add(from, store_.text_bytes()); });
    }
    store_.clear();
  }

  void write_stored() {
    arena_.execute([&] {
      stored_in_order from = ordered();
      if (!streams_) writer_.expect(store_.text_bytes(), carried_.size());
      timed(write_, store_.text_bytes(), [&] {
        writer_.write(from, window_of(1));
        writer_.finish(carried_);
      });
    });
  }

  void write_merged() {
    arena_.execute([&] {
      if (!store_.empty()) put_aside();
      store_.release();
      merged_runs from = timed(spill_, 0, [&] { return spilled_.merged(); });
      std::uint64_t const bytes = from.bytes();
      writer_.expect(bytes, carried_.size());
      timed(write_, bytes, [&] {
        writer_.write(from, window_of(spilled_.left()));
        from.check();
        writer_.finish(carried_);
      });
    });
  }

  spectrum_inputs const& from_;
  options how_;
  std::size_t memory_;
  order_keys keys_;
  tbb::task_arena arena_;
  input_heads heads_;
  spectrum_store store_;
  spilled_spectra spilled_;
  part_writer writer_;
  bool streams_;
  order_report done_;
  phase_time order_{.name = "order"}, spill_{.name = "spill"}, write_{.name = step_names[writing]};
  std::uint64_t warned_ = 0;

  // Of the input that is read.
  std::size_t input_ = 0;
  std::string name_, head_;
  bool begun_ = false;         // a spectrum has
  std::uint64_t begin_ = 0;    // where it stood
  std::uint64_t spectra_ = 0;  // before the slice
  std::string carried_;        // what goes with the spectrum that comes next
};

}  // namespace

order_report order_spectra(spectrum_inputs const& from, spectrum_parts& to, options const& how, order_options const& order) {
  return ordering(from, to, how, order).run();
}

order_report order_spectra(spectrum_inputs const& from, sink& to, options const& how, order_options const& order) {
  if (order.parts || order.part_bytes) throw usage_error("parts of a single sink cannot be had");
  single_part one(to);
  return order_spectra(from, one, how, order);
}

}  // namespace ordo::spectra
