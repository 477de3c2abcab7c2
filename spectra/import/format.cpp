#include "spectra/import/format.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/count_bytes.hpp"
#include "ordo/error.hpp"
#include "spectra/chunk/located.hpp"
#include "spectra/chunk/title.hpp"
#include "spectra/encoding/text_fault.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/msp/writer.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

class import_chunk final : public chunk {
 public:
  import_chunk(chunk_task const& task, import_reader const& reader)
      : task_(task), parser_(reader.make_parser()), is_run_(reader.is_run()) {}

  bool next(import_reader& reader, std::size_t wanted) {
    restart();
    warned = {};
    disorder.reset();
    bool const any = timed(reading, 0, [&] { return reader.next(text, wanted); });
    if (any) add_bytes(reading, text.size);
    return any;
  }

  bool parse() override {
    timed(parsing, text.size, [&] {
      counted.bytes = text.size;
      counted.lines = count_bytes(text.view(), '\n');
      read_.clear();
      try {
        parser_->parse(text, read_);
      } catch (...) {
        failure = std::current_exception();
      }
      if (!failure) failure = text.failure;
      warned.faults = read_.faults;
      add_spectra();
    });
    return !failure && !disorder;
  }

  void compose() override {
    timed(composing, text.size, [&] { print_spectra(); });
  }
  [[nodiscard]] bool selects() const override { return true; }
  [[nodiscard]] std::span<char const> output() const override { return out_; }
  [[nodiscard]] std::uint64_t offset() const override { return text.offset; }

  std::uint32_t input_checksum() override { return compute_checksum(text.view()); }
  bool save(value_writer& to) const override {
    if (failure || disorder || !composed) return false;
    save_counts(to);
    to.put(warned, out_);
    return true;
  }
  void load(value_reader& from) override {
    load_counts(from);
    from.take(warned, out_);
  }

  import_text text;
  struct warning_counts {
    std::uint64_t level_1 = 0, no_precursor = 0, chosen = 0;
    std::uint64_t assumed_seconds = 0, assumed_minutes = 0;  // retention times
    forgiven_faults faults;
    print_losses lost;
  } warned;
  std::optional<located_disorder> disorder;

 private:
  [[nodiscard]] std::size_t first_peak(std::size_t s) const { return s == 0 ? 0 : read_.ends[s - 1]; }
  [[nodiscard]] peak_list peaks_at(std::size_t s) const {
    std::size_t const begin = first_peak(s), size = read_.ends[s] - begin;
    return {std::span(read_.mz).subspan(begin, size), std::span(read_.intensity).subspan(begin, size), {}};
  }

  [[nodiscard]] std::span<metadata_entry const> metadata_at(std::size_t s) const {
    std::size_t const begin = s == 0 ? 0 : read_.metadata_ends[s - 1];
    return std::span(read_.metadata).subspan(begin, read_.metadata_ends[s] - begin);
  }
  [[nodiscard]] std::span<std::string_view const> annotations_at(std::size_t s) const {
    if (read_.annotations.empty()) return {};
    return std::span(read_.annotations).subspan(first_peak(s), read_.ends[s] - first_peak(s));
  }

  // Replaces the sequence of a spectrum, if there is another one.
  std::span<metadata_entry const> with_sequence(std::span<metadata_entry const> metadata, std::string const* sequence) {
    if (!sequence) return metadata;
    metadata_.assign(metadata.begin(), metadata.end());
    set_sequence(metadata_, *sequence);
    return metadata_;
  }

  void add_spectra() {
    if (!read_.annotations.empty()) read_.annotations.resize(read_.mz.size());
    not_finite_.assign(read_.all.size(), 0);
    if (task_.writes() && task_.prints_as != "mzml") drop_not_finite();
    if (read_.mz.size() > ~std::uint32_t{0}) {
      failure = std::make_exception_ptr(text_fault(0, "too large", "more than 2^32 peaks in spectra that follow one another"));
      return;
    }
    for (auto& spectrum : read_.all) {
      if (!spectrum.title.empty()) spectrum.header.title = spectrum.title;
      if (!spectrum.native_id.empty()) spectrum.header.native_id = spectrum.native_id;
      if (!spectrum.activation.empty()) spectrum.header.activation = spectrum.activation;
    }
    out_.clear();
    for (std::size_t s = 0; s < read_.all.size() && !disorder; ++s) add_spectrum(s);
    if (!task_.writes()) return;
    // Peaks of spectra that are not written stay in the arrays, as spectra that are left out.
    peaks.mz = read_.mz;
    peaks.intensity = read_.intensity;
    peaks.first.push_back(std::uint32_t(read_.mz.size()));
  }

  // Drops the peaks that are not finite: no printed format but mzML has them, and no rule may count them.
  void drop_not_finite() {
    std::size_t kept = 0;
    for (std::size_t s = 0, i = 0; s < read_.all.size(); ++s) {
      std::size_t const kept_before = kept, begin = i;
      for (; i < read_.ends[s]; ++i) {
        if (!std::isfinite(read_.mz[i]) || !std::isfinite(read_.intensity[i])) continue;
        read_.mz[kept] = read_.mz[i];
        read_.intensity[kept] = read_.intensity[i];
        if (!read_.annotations.empty()) read_.annotations[kept] = read_.annotations[i];
        ++kept;
      }
      read_.ends[s] = kept;
      not_finite_[s] = (i - begin) - (kept - kept_before);
      counted.peaks += not_finite_[s];
    }
    read_.cut_peaks(kept);
  }

  void add_spectrum(std::size_t s) {
    imported_spectrum const& spectrum = read_.all[s];
    ++counted.spectra;
    std::size_t const num_peaks = peaks_at(s).size();
    counted.peaks += num_peaks;
    spectrum_header& header = read_.all[s].header;
    if (task_.choice && (task_.choice->total_ion_current.is_set() || task_.choice->base_peak.is_set())) sum_peaks(s, header);
    bool is_written = choose(task_, header, text.first_spectrum, s, spectrum.begin);
    if (is_written ? needs_time() : chooses_by_time()) {
      warned.assumed_seconds += spectrum.unit == assumed_unit::seconds;
      warned.assumed_minutes += spectrum.unit == assumed_unit::minutes;
    }
    if (task_.goal == purpose::choose) return;
    if (task_.goal == purpose::read)
      for (metadata_entry const& entry : metadata_at(s))
        if (entry.key == "SEQ" && !header.sequence) header.sequence = entry.value;
    std::uint64_t const number = text.first_spectrum + s;
    if (task_.reads_all() && (is_written || task_.reads_others())) {
      warned.chosen += is_written;
      return add(task_, {spectrum.header, peaks_at(s), {}, number}, number, true, is_in_mgf(spectrum.header));
    }
    if (is_written) {
      ++warned.chosen;
      if (task_.goal == purpose::check) return find_disorder(s);
      is_written = counts_in_mgf(spectrum.header);
      if (!is_written && task_.reasons) dropped.push_back({s, spectrum.begin, task_.reasons->not_printed()});
    }
    if (!task_.writes()) return;
    peaks.first.push_back(std::uint32_t(first_peak(s)));
    peaks.left_out.push_back(!is_written);
    if (!task_.select) return;
    if (task_.select->remove_precursor) peaks.headers.push_back(&spectrum.header);
    if (task_.options->select_levels.is_set()) peaks.whole.push_back(is_written && !is_selected(task_, spectrum.header));
  }

  // Sets the sums of peaks that the input does not state.
  void sum_peaks(std::size_t s, spectrum_header& header) const {
    double sum = 0, greatest = 0;
    for (double const intensity : peaks_at(s).intensity) {
      sum += intensity;
      greatest = std::max(greatest, intensity);
    }
    if (!header.total_ion_current) header.total_ion_current = sum;
    if (!header.base_peak) header.base_peak = greatest;
  }

  [[nodiscard]] bool chooses_by_time() const { return task_.choice && task_.choice->rt_seconds.is_set(); }
  [[nodiscard]] bool needs_time() const { return task_.writes() || task_.reads_all() || chooses_by_time(); }
  [[nodiscard]] bool is_in_mgf(spectrum_header const& header) const {
    return !is_run_ || task_.prints_as == "mzml" || (header.ms_level.value_or(0) >= 2 && header.precursor_mz);
  }

  // Returns true if the spectrum is written as MGF, and counts it if it is not.
  bool counts_in_mgf(spectrum_header const& header) {
    if (task_.prints_as == "mzml") return true;
    if (is_run_ && header.ms_level.value_or(0) < 2)
      ++warned.level_1;
    else
      warned.no_precursor += !header.precursor_mz;
    return is_in_mgf(header);
  }

  void find_disorder(std::size_t s) {
    peak_list const all = peaks_at(s);
    auto const values = task_.options->by == sort_key::mz ? all.mz : all.intensity;
    peak_code const code(task_.options->descending);
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (code(values[i - 1]) <= code(values[i])) continue;
      disorder = {read_.all[s].begin, s, read_.all[s].title,
                  fmt::format("{} {}", format_number(all.mz[i], read_.all[s].digits.mz_single),
                              format_number(all.intensity[i], read_.all[s].digits.intensity_single))};
      return;
    }
  }
  static std::string format_number(double value, bool single) {
    return single ? fmt::format("{}", float(value)) : fmt::format("{}", value);
  }

  void print_spectra() {
    std::string title, own_title;
    std::string const& name = task_.options->name;
    std::string const run = task_.titles() ? run_of_file(name) : task_.several && is_run_ ? run_name(name) : std::string();
    for (std::size_t s = 0; s < read_.all.size(); ++s) {
      imported_spectrum const& spectrum = read_.all[s];
      if (peaks.changes[s] == chunk_peaks::change::dropped) {
        if (task_.reasons && !peaks.left_out[s]) dropped.push_back({s, spectrum.begin, task_.reasons->too_few_peaks()});
        continue;
      }
      auto const kept = peaks.kept_peaks(s);
      relative_.resize(kept.size());
      std::ranges::transform(kept, relative_.begin(), [&](std::uint32_t peak) { return peak - peaks.first[s]; });
      spectrum_header header = spectrum.header;
      std::uint64_t const number = text.first_spectrum + s;
      if (task_.titles()) {
        fill_title(task_.options->title_template, header, number, name, run, own_title);
        header.title = own_title;
      } else if (!run.empty() && spectrum.title == spectrum.native_id) {  // ids are those of one run
        own_title = run + "." + spectrum.title;
        header.title = own_title;
      }
      peak_list list = peaks_at(s);
      if (!peaks.sums.empty()) {
        if (spectrum.digits.intensity_single) peaks.round_sums(s);
        list.intensity = peaks.intensities().subspan(first_peak(s), list.size());
      }
      std::span<metadata_entry const> const metadata =
          with_sequence(metadata_at(s), task_.find_sequence(spectrum.header, number));
      printed_spectrum const printed{header, list, relative_, spectrum.digits, metadata, annotations_at(s)};
      print_losses lost = task_.print(printed, *task_.options, title, out_);
      if (task_.notes_titles) records.add_title(header);
      if (task_.keys) records.add(*task_.keys, header, kept.size() - lost.not_finite, out_.size(), s, spectrum.begin);
      lost.not_finite += not_finite_[s];
      warned.lost.add(lost);
    }
    records.any_spectra = !records.all().empty();
  }

  chunk_task const& task_;
  std::unique_ptr<import_parser> parser_;
  bool is_run_;
  imported_spectra read_;
  std::vector<std::size_t> not_finite_;  // peaks of each spectrum that were dropped
  std::vector<std::uint32_t> relative_;
  std::vector<metadata_entry> metadata_;  // metadata of a spectrum with another sequence
  std::string out_;
};

class import_format final : public input_format {
 public:
  import_format(std::unique_ptr<import_reader> reader, chunk_task const& task, diagnostics& diagnostics)
      : task_(task), reader_(std::move(reader)), found_(diagnostics), findings_(diagnostics, task.options->name) {}

  [[nodiscard]] step_names const& steps() const override {
    static constexpr step_names names{"read", "parse", "", "sort", "print", "write"};
    return names;
  }
  [[nodiscard]] std::unique_ptr<chunk> make_chunk() const override { return std::make_unique<import_chunk>(task_, *reader_); }

  bool next(chunk& chunk, std::size_t wanted) override { return static_cast<import_chunk&>(chunk).next(*reader_, wanted); }

  bool accept(chunk& chunk) override {
    auto& part = static_cast<import_chunk&>(chunk);
    if (!findings_.accept(part)) return false;
    warned_.level_1 += part.warned.level_1;
    warned_.no_precursor += part.warned.no_precursor;
    warned_.lost.add(part.warned.lost);
    warned_.chosen += part.warned.chosen;
    warned_.assumed_seconds += part.warned.assumed_seconds;
    warned_.assumed_minutes += part.warned.assumed_minutes;
    warned_.faults.lines += part.warned.faults.lines;
    warned_.faults.counts += part.warned.faults.counts;
    return true;
  }

  void end() override {
    if (reader_->is_run())
      found_.warn_of_count(warned_.no_precursor, "spectrum of MS level 2 or above has no precursor m/z and is left out",
                           "spectra of MS level 2 or above have no precursor m/z and are left out");
    else
      warn_of_no_precursor();
    found_.warn_of_count(warned_.faults.lines, "line that the format does not allow is left out",
                         "lines that the format does not allow are left out");
    found_.warn_of_count(warned_.faults.counts, "record has another number of peaks than it states",
                         "records have another number of peaks than they state");
    found_.warn_of_count(warned_.assumed_seconds,
                         "retention time states no unit, and counts as seconds (--rt-unit=min: as minutes)",
                         "retention times state no unit, and count as seconds (--rt-unit=min: as minutes)");
    found_.warn_of_count(warned_.assumed_minutes,
                         "retention time states no unit, and counts as minutes (--rt-unit=s: as seconds)",
                         "retention times state no unit, and count as minutes (--rt-unit=s: as seconds)");
    found_.warn_of_losses(warned_.lost, task_.prints_as);
    found_.warn_of_count(reader_->repaired(), "byte is no UTF-8, and is read as Windows-1252",
                         "bytes are no UTF-8, and are read as Windows-1252");
    if (task_.writes() && reader_->is_run() && task_.prints_as != "mzml")
      found_.warn_of_levels(task_.choice != nullptr, warned_.chosen, warned_.level_1);
  }

 private:
  // MSP and mzML say nothing of it.
  void warn_of_no_precursor() {
    if (task_.print == print_mgf)
      found_.warn_of_count(warned_.no_precursor, "spectrum has no precursor m/z: its PEPMASS is 0",
                           "spectra have no precursor m/z: their PEPMASS is 0");
  }

  chunk_task const& task_;
  std::unique_ptr<import_reader> reader_;
  diagnostics& found_;
  located_findings findings_;
  import_chunk::warning_counts warned_;
};

}  // namespace

std::unique_ptr<input_format> make_import_format(std::unique_ptr<import_reader> reader, chunk_task const& task,
                                                 diagnostics& diagnostics) {
  return std::make_unique<import_format>(std::move(reader), task, diagnostics);
}

}  // namespace ordo::inline v0::spectra::detail
