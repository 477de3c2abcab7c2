#include "ordo/spectra/order.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/lent_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "spectra/mgf/file_header.hpp"
#include "spectra/mgf/line.hpp"
#include "spectra/order/input_reader.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/order/parts.hpp"
#include "spectra/order/spill.hpp"
#include "spectra/order/store.hpp"
#include "spectra/pipeline.hpp"

namespace ordo::inline v0::spectra {
namespace {

using namespace detail;

constexpr std::size_t max_window = std::size_t{1} << 20, min_window = std::size_t{16} << 10;

class single_part final : public output_parts {
 public:
  explicit single_part(sink& to) : to_(to) {}
  sink& open(std::size_t) override { return to_; }

 private:
  sink& to_;
};

class ordering final : private chunk_receiver {
 public:
  ordering(spectrum_inputs const& from, output_parts& to, sort_options const& options, order_options const& order)
      : from_(from),
        reader_(options, order),
        memory_(reader_.memory()),
        keys_(order.order),
        arena_(threads_for(options.machine.threads)),
        heads_([this](std::string const& message) { reader_.warn(message); }),
        store_(keys_, memory_ - memory_ / 8),
        spilled_(order.folders, keys_, memory_, window_of(1)),
        writer_(to, order, heads_.front()),
        streams_(keys_.count() == 0 && !order.parts) {
    check_parts(order);
    reader_.done.missing.resize(keys_.count());
  }

  order_report run() {
    for (input_ = 0; input_ < from_.count; ++input_) read(from_.open(input_));
    if (spilled_.empty())
      write_stored();
    else
      write_merged();
    order_report& done = reader_.end(order_, spill_, write_);
    done.done.written = writer_.written();
    done.parts = writer_.parts();
    done.runs = spilled_.runs();
    done.passes = spilled_.passes();
    return std::move(done);
  }

 private:
  // Returns the size of windows, which hold text that is written, and text that was read from runs.
  [[nodiscard]] std::size_t window_of(std::size_t runs) const {
    std::size_t const threads = std::size_t(arena_.max_concurrency());
    return std::clamp(memory_ / (2 * (threads + 2)), min_window, std::max(max_window, runs * read_of_run));
  }
  void read(spectrum_inputs::opened const& opened) {
    name_ = opened.name;
    head_.clear();
    begun_ = false;
    sort_report const report = reader_.read(opened, {.keys = &keys_, .receiver = this});
    if (!begun_) carried_ += heads_.take(head_, false, name_);
    reader_.add(report);
  }

  void take(chunk const& one) override {
    std::string_view const text(one.output().data(), one.output().size());
    spectrum_records const& records = one.records;
    std::size_t begin = 0;
    if (!begun_) {
      begin = records.head;
      head_ += text.substr(0, begin);
      if (records.marked) {
        head_ = byte_order_mark;
        if (text.starts_with(byte_order_mark)) begin = byte_order_mark.size();  // it was dropped with the first spectrum
      }
      if (!records.any_spectra) return;
      begun_ = true;
      carried_ += heads_.take(head_, true, name_);
      head_.clear();
    }
    if (!records.all().empty()) {
      std::size_t const end = records.all().back().end;
      store(records, begin, text.substr(begin, end - begin));
      begin = end;
    }
    carried_ += text.substr(begin);
  }

  // Stores the spectra of a chunk. @param text  of all of them @param skipped  bytes of the output before it
  void store(spectrum_records const& records, std::size_t skipped, std::string_view text) {
    std::size_t const size = carried_.size() + text.size(), titles = records.titles().size(), count = records.all().size();
    if (!store_.has_room(size + titles, count) && !store_.empty()) spill();
    char* const memory = store_.place(size + titles);
    std::ranges::copy(records.titles(), std::ranges::copy(text, std::ranges::copy(carried_, memory).out).out);
    ordered_spectrum one;
    one.input = std::uint32_t(input_);
    std::size_t end = 0, title = 0;
    for (std::size_t r = 0; r < count; ++r) {
      auto const& record = records.all()[r];
      std::size_t const begin = std::exchange(end, record.end - skipped + carried_.size());
      one.text = memory + begin;
      one.bytes = end - begin;
      one.number = records.first_number + record.number;
      one.offset = records.first_offset + record.offset;
      auto const codes = std::span(records.codes()).subspan(r * keys_.count(), keys_.count());
      for (std::size_t k = 0; k < codes.size(); ++k) reader_.done.missing[k] += codes[k] == order_keys::missing;
      store_.add(one, codes, {memory + size + title, record.title_end - title});
      title = record.title_end;
    }
    carried_.clear();
  }

  stored_in_order ordered() {
    return reader_.timed(order_, store_.text_bytes(), [&] {
      return stored_in_order(store_, sorted_order(keys_, store_.table(), store_.all().size(), reader_.options().machine));
    });
  }

  // Empties the memory: to disk, or to the output if the order is that of the inputs.
  void spill() {
    stored_in_order from = ordered();
    if (streams_) {
      reader_.timed(write_, store_.text_bytes(), [&] { writer_.write(from, window_of(1)); });
    } else {
      reader_.timed(spill_, store_.text_bytes(), [&] { spilled_.add(from, store_.text_bytes()); });
    }
    store_.clear();
  }

  void write_stored() {
    arena_.execute([&] {
      stored_in_order from = ordered();
      if (!streams_) writer_.expect(store_.text_bytes(), carried_.size());
      reader_.timed(write_, store_.text_bytes(), [&] {
        writer_.write(from, window_of(1));
        writer_.finish(carried_);
      });
    });
  }

  void write_merged() {
    arena_.execute([&] {
      if (!store_.empty()) spill();
      store_.release();
      merged_runs from = reader_.timed(spill_, 0, [&] { return spilled_.merged(); });
      std::uint64_t const bytes = from.bytes();
      writer_.expect(bytes, carried_.size());
      reader_.timed(write_, bytes, [&] {
        writer_.write(from, window_of(spilled_.left()));
        from.check();
        writer_.finish(carried_);
      });
    });
  }

  spectrum_inputs const& from_;
  input_reader reader_;
  std::size_t memory_;
  order_keys keys_;
  lent_arena arena_;
  input_heads heads_;
  spectrum_store store_;
  spilled_spectra spilled_;
  part_writer writer_;
  bool streams_;
  phase_time order_{.name = "order"}, spill_{.name = "spill"}, write_{.name = "write"};

  // State of the input that is being read.
  std::size_t input_ = 0;
  std::string name_, head_;
  bool begun_ = false;   // a spectrum has
  std::string carried_;  // text that belongs to the next spectrum
};

}  // namespace

order_report order_spectra(spectrum_inputs const& from, output_parts& to, sort_options const& options,
                           order_options const& order) {
  return ordering(from, to, options, order).run();
}

order_report order_spectra(spectrum_inputs const& from, sink& to, sort_options const& options, order_options const& order) {
  if (order.parts || order.part_bytes) throw usage_error("a single sink has no parts");
  single_part one(to);
  return order_spectra(from, one, options, order);
}

}  // namespace ordo::inline v0::spectra
