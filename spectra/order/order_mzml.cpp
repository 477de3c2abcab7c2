#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/ordered_texts.hpp"
#include "spectra/external/parts.hpp"
#include "spectra/mzml/document/documents.hpp"
#include "spectra/mzml/document/merged_head.hpp"
#include "spectra/mzml/format.hpp"
#include "spectra/mzml/stray_references.hpp"
#include "spectra/mzml/unique_ids.hpp"
#include "spectra/order/input_reader.hpp"

namespace ordo::inline v0::spectra {
namespace {

using namespace detail;

// Chromatograms may use one eighth of the memory limit.
constexpr std::size_t chromatogram_share = 8;

// Returns the order of spectra or of chromatograms.
order_options with_memory(order_options order, std::size_t memory) {
  order.memory = memory;
  order.on_written = {};
  return order;
}

// The spectra of many documents, in one document or in parts.
class joining final : private chunk_receiver {
 public:
  joining(spectrum_inputs const& from, output_parts& to, sort_options const& options, order_options const& order)
      : from_(from),
        to_(to),
        order_(order),
        reader_(options, order),
        keys_(order.order),
        head_(from.count > 1),
        spectra_(keys_, with_memory(order, reader_.memory() - reader_.memory() / chromatogram_share), options.machine),
        chromatograms_(order_keys({}), with_memory(order, reader_.memory() / chromatogram_share), options.machine) {
    reader_.done.missing.resize(keys_.count());
  }

  order_report run() {
    for (input_ = 0; input_ < from_.count; ++input_) read(from_.open(input_));
    if (is_helper(reader_.options())) return std::move(reader_.done);
    phase_time writing{.name = "write"};
    document_frame frame{.head = head_.text(),
                         .prefix = head_.prefix(),
                         .spectrum_list = spectrum_list_,
                         .chromatogram_list = chromatogram_list_,
                         .spectra = num_spectra_,
                         .spectra_bytes = spectra_bytes_,
                         .chromatograms = num_chromatograms_,
                         .chromatogram_bytes = chromatogram_bytes_};
    document_writer writer(to_, order_, std::move(frame), [this](auto const& output) {
      chromatograms_.drain([&](ordered_spectrum const& about, std::string_view text) {
        output(with_suffixes(about.input, text, chromatogram_text_));
      });
    });
    reader_.timed(writing, spectra_bytes_, [&] {
      spectra_.drain([&](ordered_spectrum const& about, std::string_view text) {
        writer.add(about, with_suffixes(about.input, text, spectrum_text_));
      });
      writer.finish();
    });
    order_report& done = reader_.end({.name = "order"}, {.name = "spill"}, writing);
    done.done.written = writer.written();
    done.parts = writer.parts();
    done.runs = spectra_.runs() + chromatograms_.runs();
    done.passes = spectra_.passes() + chromatograms_.passes();
    return std::move(done);
  }

 private:
  enum class place { outside, spectra, chromatograms };

  void read(spectrum_inputs::opened const& opened) {
    if (opened.from_format != format::mzml)
      throw usage_error(fmt::format("cannot be written as mzML: {}: it is not mzML", opened.name));
    number_ = 0;
    place_ = place::outside;
    carried_.clear();
    references_.clear();
    sort_report const report = reader_.read(opened, {.to = format::mzml, .keys = &keys_, .receiver = this, .merged = &head_});
    reader_.add(report);
    if (std::uint64_t const stray = references_.count(); stray != 0)
      reader_.warn(fmt::format(
          "{}: {}", opened.name,
          quantity(stray, "reference to a spectrum that was left out stays", "references to spectra that were left out stay")));
    if (!head_.several()) return;
    spectrum_ids_.end_input();
    chromatogram_ids_.end_input();
  }

  void take(chunk const& part) override {
    auto const& joined_chunk = static_cast<mzml_chunk const&>(part);
    std::string_view const text = joined_chunk.output_text();
    std::size_t at = joined_chunk.joined.begin;
    marks_ = joined_chunk.text.marks;
    for (std::size_t i = 0; i < joined_chunk.starts.size(); ++i) {
      auto const& spectrum = joined_chunk.starts[i];
      read_outside(text.substr(at, spectrum.at - at));
      at = spectrum.at;
      std::uint64_t const number = number_++;
      if (spectrum.dropped) {
        references_.drop(spectrum.id);
        continue;
      }
      ordered_spectrum about;
      about.input = std::uint32_t(input_);
      about.number = number;
      about.offset = joined_chunk.text.offset + spectrum.read_at;
      std::size_t const count = keys_.count();
      auto const codes = std::span(joined_chunk.keys.codes).subspan(i * count, count);
      for (std::size_t k = 0; k < count; ++k) reader_.done.missing[k] += codes[k] == order_keys::missing;
      std::string_view const kept = references_.name(text.substr(at, spectrum.end - at), named_);
      spectra_.add(carried_, kept, about, codes, joined_chunk.keys.titles[i]);
      spectra_bytes_ += carried_.size() + kept.size();
      ++num_spectra_;
      if (head_.several()) spectrum_ids_.add(spectrum.id);
      carried_.clear();
      at = spectrum.end;
    }
    read_outside(text.substr(at));
    references_.add(joined_chunk.references);
  }

  // Reads whole tags that are not those of spectra.
  void read_outside(std::string_view text) {
    std::size_t done = 0;
    auto const carry_text = [&](std::size_t end) {
      if (place_ != place::outside) carried_ += text.substr(done, end - done);
      done = end;
    };
    for (auto result = next_markup(text, 0); result; result = next_markup(text, result->end)) {
      if (result->kind == markup_kind::other) continue;
      bool const ends = result->kind == markup_kind::end, empty = result->kind == markup_kind::empty;
      if (result->name == "spectrumList" || result->name == "chromatogramList") {
        place const list = result->name == "spectrumList" ? place::spectra : place::chromatograms;
        std::string_view const tag = text.substr(result->begin, result->end - result->begin);
        if (!ends) note_list(list, tag, empty);
        place_ = ends || empty ? place::outside : list;
        carried_.clear();
        done = result->end;
      } else if (place_ == place::chromatograms && result->name == "chromatogram") {
        if (!ends) begins_chromatogram();
        carry_text(result->end);
        if (ends || empty) end_chromatogram();
      }
    }
    carry_text(text.size());
  }

  void note_list(place list, std::string_view tag, bool empty) {
    std::string& to = list == place::spectra ? spectrum_list_ : chromatogram_list_;
    if (!to.empty()) return;
    to = tag;
    if (empty) to.erase(to.size() - 2, 1);
    std::string const& stated = list == place::spectra ? head_.processing().spectra : head_.processing().chromatograms;
    if (auto const at = attribute_in(to, "defaultDataProcessingRef")) to.replace(at->begin, at->size, stated);
  }

  void begins_chromatogram() {
    while (!marks_.empty() && marks_.front().type != index_mark::kind::chromatogram) marks_ = marks_.subspan(1);
    if (marks_.empty()) return;
    chromatogram_id_ = marks_.front().id;
    marks_ = marks_.subspan(1);
  }

  void end_chromatogram() {
    ordered_spectrum about;
    about.input = std::uint32_t(input_);
    chromatograms_.add(carried_, {}, about, {});
    chromatogram_bytes_ += carried_.size();
    ++num_chromatograms_;
    if (head_.several()) chromatogram_ids_.add(chromatogram_id_);
    carried_.clear();
  }

  // Replaces the slots of a text by the suffixes of the ids of its input. @param memory  for the result
  std::string_view with_suffixes(std::size_t input, std::string_view text, std::string& memory) const {
    if (!head_.several()) return text;
    std::size_t spectrum = text.find(spectrum_slot), chromatogram = text.find(chromatogram_slot);
    memory.clear();
    for (std::size_t at = 0;;) {
      bool const of_spectrum = spectrum < chromatogram;
      std::size_t& slot = of_spectrum ? spectrum : chromatogram;
      memory += text.substr(at, slot - at);
      if (slot == std::string_view::npos) return memory;
      memory += (of_spectrum ? spectrum_ids_ : chromatogram_ids_).suffix(input);
      at = slot + 1;
      slot = text.find(of_spectrum ? spectrum_slot : chromatogram_slot, at);
    }
  }

  spectrum_inputs const& from_;
  output_parts& to_;
  order_options const& order_;
  input_reader reader_;
  order_keys keys_;
  merged_head head_;
  ordered_texts spectra_, chromatograms_;
  unique_ids spectrum_ids_, chromatogram_ids_;
  std::string spectrum_list_, chromatogram_list_;  // tags of the first lists
  std::uint64_t num_spectra_ = 0, spectra_bytes_ = 0, num_chromatograms_ = 0, chromatogram_bytes_ = 0;
  std::string spectrum_text_,
      chromatogram_text_;  // entries of the output's index; chromatograms are written while a spectrum waits

  // State of the input that is being read.
  std::size_t input_ = 0;
  std::uint64_t number_ = 0;  // number of the next spectrum
  place place_ = place::outside;
  std::string carried_;  // text that belongs to the next element
  std::span<index_mark const> marks_;
  std::size_t chromatogram_id_ = 0;
  stray_references references_;
  std::string named_;  // a spectrum with other references
};

}  // namespace

order_report order_mzml(source& input, sink& output, sort_options const& options, order_options const& order) {
  options.select.check();
  if (order.parts || order.part_bytes) throw usage_error("a single sink has no parts");
  order_keys const keys(order.order);
  sort_options limited = options;
  limited.chunk_bytes = std::clamp<std::size_t>(order.memory / order_blocks, 1, options.chunk_bytes);
  pipeline work(std::move(limited),
                {.goal = purpose::order, .from = format::mzml, .to = format::mzml, .keys = &keys, .order = &order});
  work.run(input, &output);
  order_report report = work.ordered();
  report.done = work.report();
  report.parts = 1;
  return report;
}

order_report order_mzml(spectrum_inputs const& inputs, output_parts& output, sort_options const& options,
                        order_options const& order) {
  options.select.check();
  check_parts(order);
  if (inputs.count == 0) throw usage_error("no document to write");
  if (order.folders.empty()) throw usage_error("no folder for temporary files");
  return joining(inputs, output, options, order).run();
}

}  // namespace ordo::inline v0::spectra
