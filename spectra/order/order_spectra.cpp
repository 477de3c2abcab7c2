#include "ordo/spectra/order.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/parts.hpp"
#include "spectra/external/spill.hpp"
#include "spectra/external/store.hpp"
#include "spectra/mgf/file_header.hpp"
#include "spectra/mzml/new_document.hpp"
#include "spectra/mzspeclib/writer.hpp"
#include "spectra/order/collector.hpp"
#include "spectra/order/input_reader.hpp"

namespace ordo::inline v0::spectra {
namespace {

using namespace detail;

// Outputs that are made of the whole of a part: documents of mzML, or libraries. Made is their sink.
template <class Made>
class new_files : public output_parts {
 public:
  explicit new_files(output_parts& to) : to_(to) {}

  /// Returns inputs that this notes when they are opened.
  [[nodiscard]] spectrum_inputs note(spectrum_inputs const& from) {
    spectrum_inputs noted = from;
    noted.open = [&](std::size_t k) {
      spectrum_inputs::opened opened = from.open(k);
      if (k == sources_.size()) sources_.push_back({opened.from_format, opened.name, opened.path});
      check(opened);
      return opened;
    };
    return noted;
  }

  sink& open(std::size_t part) final { return open_.try_emplace(part, to_.open(part), about()).first->second; }
  void close(std::size_t part) final {
    auto const it = open_.find(part);
    end(it->second);
    written_ += it->second.written();
    open_.erase(it);
    to_.close(part);
  }
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 protected:
  std::vector<source_file> sources_;

 private:
  virtual void check(spectrum_inputs::opened const&) {}
  [[nodiscard]] virtual std::string const& about() const = 0;  // the second argument of what is made
  virtual void end(Made& made) = 0;

  output_parts& to_;
  std::map<std::size_t, Made> open_;
  std::uint64_t written_ = 0;
};

class new_documents final : public new_files<new_document> {
 public:
  new_documents(output_parts& to, std::size_t inputs, std::string const& folder)
      : new_files(to), inputs_(inputs), folder_(folder) {}

 private:
  void check(spectrum_inputs::opened const& input) override {
    if (input.from_format == format::mzml)
      throw usage_error(fmt::format("cannot merge: {}: mzML and other formats do not become one mzML", input.name));
  }
  [[nodiscard]] std::string const& about() const override { return folder_; }
  void end(new_document& made) override {
    made.end(sources_, inputs_ == 1 && sources_.front().from == format::mzxml);  // scan numbers of several runs are no ids
  }

  std::size_t inputs_;
  std::string const& folder_;
};

class new_libraries final : public new_files<library_sink> {
 public:
  using new_files::new_files;

 private:
  [[nodiscard]] std::string const& about() const override { return sources_.front().name; }  // libraries are named after it
  void end(library_sink& made) override { made.end(); }
};

class ordering {
 public:
  ordering(spectrum_inputs const& from, output_parts& to, sort_options const& options, order_options const& order)
      : from_(from),
        reader_(options, order),
        memory_(reader_.memory()),
        keys_(order.order),
        arena_(threads_for(options.machine.threads)),
        heads_([this](std::string const& message) { reader_.warn(message); }),
        store_(keys_, memory_ - memory_ / 8),
        stored_(
            reader_, keys_, store_, order.to, from.count > 1,
            [this](std::size_t, std::string const& head, bool has_spectra, std::string const& name) {
              return heads_.take(head, has_spectra, name);
            },
            [this] { spill(); }),
        spilled_(order.folders, keys_, memory_, merge_window(1)),
        writer_(to, order, heads_.front()),
        streams_(keys_.count() == 0 && !order.parts) {
    check_parts(order);
    reader_.done.missing.resize(keys_.count());
  }

  order_report run() {
    for (std::size_t k = 0; k < from_.count; ++k) stored_.read(from_.open(k), k);
    if (is_helper(reader_.options())) return std::move(reader_.done);
    if (auto const warning = warning_of_titles(stored_.titles())) reader_.warn(*warning);
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
  [[nodiscard]] std::size_t merge_window(std::size_t runs) const {
    return window_size(memory_, std::size_t(arena_.max_concurrency()), runs);
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
      reader_.timed(write_, store_.text_bytes(), [&] { writer_.write(from, merge_window(1)); });
    } else {
      reader_.timed(spill_, store_.text_bytes(), [&] { spilled_.add(from, store_.text_bytes()); });
    }
    store_.clear();
  }

  void write_stored() {
    arena_.execute([&] {
      stored_in_order from = ordered();
      if (!streams_) writer_.expect(store_.text_bytes(), stored_.carried().size());
      reader_.timed(write_, store_.text_bytes(), [&] {
        writer_.write(from, merge_window(1));
        writer_.finish(stored_.carried());
      });
    });
  }

  void write_merged() {
    arena_.execute([&] {
      if (!store_.empty()) spill();
      store_.release();
      merged_runs from = reader_.timed(spill_, 0, [&] { return spilled_.merged(); });
      std::uint64_t const bytes = from.bytes();
      writer_.expect(bytes, stored_.carried().size());
      reader_.timed(write_, bytes, [&] {
        writer_.write(from, merge_window(spilled_.left()));
        from.check();
        writer_.finish(stored_.carried());
      });
    });
  }

  spectrum_inputs const& from_;
  input_reader reader_;
  std::size_t memory_;
  order_keys keys_;
  pooled_arena arena_;
  input_heads heads_;
  spectrum_store store_;
  spectrum_collector stored_;
  spilled_spectra spilled_;
  part_writer writer_;
  bool streams_;
  phase_time order_{.name = "order"}, spill_{.name = "spill"}, write_{.name = "write"};
};

}  // namespace

order_report order_spectra(spectrum_inputs const& from, output_parts& to, sort_options const& options,
                           order_options const& order) {
  auto const write = [&](auto&& files) {
    spectrum_inputs const noted = files.note(from);
    order_report report = ordering(noted, files, options, order).run();
    report.done.written = files.written();
    return report;
  };
  if (order.to == format::mzspeclib) return write(new_libraries(to));
  if (order.to == format::mzml) return write(new_documents(to, from.count, options.temporary_folder));
  return ordering(from, to, options, order).run();
}

order_report order_spectra(spectrum_inputs const& from, sink& to, sort_options const& options, order_options const& order) {
  if (order.parts || order.part_bytes) throw usage_error("a single sink has no parts");
  single_part part(to);
  return order_spectra(from, part, options, order);
}

}  // namespace ordo::inline v0::spectra
