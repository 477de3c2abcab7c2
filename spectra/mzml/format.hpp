#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/chunk/located.hpp"
#include "spectra/mzml/cutter.hpp"
#include "spectra/mzml/document/record.hpp"
#include "spectra/mzml/document/renames.hpp"
#include "spectra/mzml/spectra.hpp"

namespace ordo::inline v0::spectra::detail {

/// mzML, written as mzML or printed as another format.
/// @param task, log  must outlive the format
/// @param output  the output of a document of mzML; else nullptr
std::unique_ptr<input_format> make_mzml_format(source& input, sink* output, chunk_task const& task, diagnostics& log);

/// The work on mzML.
struct mzml_task : chunk_task {
  explicit mzml_task(chunk_task const& task) : chunk_task(task) {}

  /// Returns true if all peaks are read. Else only the key is, to find spectra out of order.
  [[nodiscard]] bool reads_peaks() const { return print || select || encodes(); }
  /// Returns true if arrays of mzML get another encoding.
  [[nodiscard]] bool encodes() const { return writes() && !print && !options->encoding.empty(); }
  /// Returns true if mzML may lose spectra, so that the others get new numbers.
  [[nodiscard]] bool renumbers() const { return !print && writes() && (choice || (select && select->min_peaks != 0)); }
  /// Returns true if the processing is recorded, and values that were made of peaks are made anew.
  [[nodiscard]] bool records() const { return writes() && !print && drops() && !options->keep_metadata; }
  /// Returns true if the m/z of precursors matters.
  [[nodiscard]] bool uses_precursors() const {
    return print || (select && select->remove_precursor) || (choice && choice->precursor_mz.is_set()) ||
           (keys && (keys->has(spectrum_key::pepmass) || keys->has(spectrum_key::mass)));
  }
  /// Returns true if the retention times of all spectra are needed, chosen or not.
  [[nodiscard]] bool chooses_by_time() const { return choice && choice->rt_seconds.is_set(); }
  [[nodiscard]] bool needs_time() const { return reads_all() || print || (keys && keys->has(spectrum_key::rt)); }
};

/// A chunk of an mzML document.
class mzml_chunk final : public chunk {
 public:
  explicit mzml_chunk(mzml_task const& task) : task_(task), reader_(task.options->isolation != isolation_target::ignore) {}

  bool next(mzml_cutter& cutter, std::size_t wanted);
  bool parse() override;
  [[nodiscard]] bool selects() const override { return task_.reads_peaks(); }
  void compose() override;
  [[nodiscard]] std::span<char const> output() const override { return output_text(); }
  [[nodiscard]] std::uint64_t offset() const override { return text.offset; }
  std::uint32_t input_checksum() override { return compute_checksum(text.view()); }
  bool save(value_writer& to) const override;
  void load(value_reader& from) override;
  [[nodiscard]] std::string_view output_text() const { return replaced_ ? std::string_view(out_) : text.view(); }

  mzml_text text;  // its marks are moved to their places in the output

  /// A spectrum in the output.
  struct start {
    std::size_t id, at;
    std::string_view name = {};             // its id as it is written, between quotes
    bool dropped = false;                   // it is not in the output
    std::optional<std::size_t> index = {};  // the place of its number, if that may change
    std::size_t index_size = 0;
    std::size_t end = 0, read_at = 0;  // its end in the output, its begin in the text
  };
  std::vector<start> starts;
  key_table keys;  // the keys of each spectrum, if spectra of mzML are ordered
  std::uint64_t chosen_spectra = 0;
  std::vector<std::size_t> references;  // hashes of the ids to which kept spectra refer, if some may be dropped

  struct warning_counts {
    std::uint64_t fixed_order = 0;                                // spectra that stay out of order
    std::uint64_t level_1 = 0, no_precursor = 0, not_finite = 0;  // left out of MGF: spectra, spectra, peaks
    std::uint64_t targets = 0, several_ions = 0;                  // spectra
    std::uint64_t times_without_unit = 0, repaired = 0, own_processing = 0;
  } warned;
  std::optional<located_disorder> disorder;
  std::shared_ptr<processing_record const> record;  // record of the document's processing, if it is recorded

  /// The state of a document that becomes a part of another one.
  struct joining {
    std::shared_ptr<mzml_renames const> renames;  // nullptr: nothing changes
    default_processing now, stated;               // as for rename_references
    std::size_t begin = 0;                        // where the output begins: at the end of the head, which is not a part of it
  } joined;

 private:
  // A spectrum that changes, or of which all peaks are read.
  struct job {
    std::size_t spectrum, count;
    std::size_t row;     // in `peaks`: of a spectrum, or of a disordered one if only the key is read
    bool whole = false;  // all peaks are read
    peak_digits digits = {};
  };

  void unpack();
  void check_time(mzml_spectrum const& spectrum);
  void require_time(mzml_spectrum const& spectrum);
  void read_key(std::size_t index);
  void read_peaks(std::size_t index);
  void keep_unselected(std::size_t num_peaks);
  void read_all(mzml_spectrum const& spectrum, std::uint64_t number);
  bool follows_axis(mzml_spectrum const& spectrum, std::size_t count);
  void note_disorder(std::size_t index);

  // compose.cpp
  [[nodiscard]] bool is_left_out(std::size_t spectrum) const { return !left_out_.empty() && left_out_[spectrum]; }
  [[nodiscard]] bool is_dropped(job const& job) const;
  [[nodiscard]] bool is_changed(job const& job) const;
  [[nodiscard]] std::size_t count_peaks(job const& job) const {
    return job.whole ? peaks.kept_peaks(job.row).size() : job.count;
  }
  std::span<std::uint32_t const> peak_order(job const& job);
  void compose_mzml();
  void rename();
  void print_spectra();
  void compose_spectrum(mzml_spectrum const& spectrum, job const* change);
  void replace_text(binary_array const& array, std::vector<text_edit>& edits);
  void replace_form(binary_array const& array, binary_array const& made, std::span<std::uint32_t const> order,
                    std::span<double const> values);
  void replace_array(binary_array const& array, std::span<std::uint32_t const> order, std::span<double const> values);
  void replace_value(std::size_t begin, std::size_t end, std::string_view name, std::string_view by);
  /// Values of a spectrum that are made of its peaks.
  struct kept_values {
    double sum = 0, base = 0, base_mz = 0, lowest = 0, highest = 0;
  };
  [[nodiscard]] kept_values values_of_kept(job const& job) const;
  void replace_peak_value(mzml_spectrum::peak_value const& given, job const& job, kept_values const& kept);
  void replace_arrays(mzml_spectrum const& spectrum, job const& change);
  [[nodiscard]] bool refers_anew(mzml_spectrum const& spectrum) const;
  void apply_edits(std::size_t end);
  void add_keys(mzml_spectrum const& spectrum, job const* change);
  void leave_out(mzml_text::element const& spectrum);
  void copy_to(std::size_t end);
  /// Returns the place in the output of a place in the text after which nothing was copied yet.
  [[nodiscard]] std::size_t output_offset(std::size_t at) const { return at + out_.size() - copied_; }

  mzml_task const& task_;
  bool replaced_ = false;
  mzml_spectra reader_;
  array_codec codec_;
  std::vector<job> jobs_;
  std::vector<std::uint8_t> left_out_;  // 1: the spectrum is not chosen; empty: all are
  std::vector<double> values_, axis_;   // the numbers and the axis of one spectrum
  std::vector<double> mz_, intensity_;  // m/z and intensity of all jobs, or of a spectrum of which all is read
  std::vector<std::uint32_t> relative_;
  std::vector<metadata_entry> metadata_;  // metadata of the spectrum that is printed
  std::string out_, base64_, renamed_;
  std::string titles_;                // end to end, if another process made them
  std::span<text_edit const> edits_;  // edits still to be made in the text before the spectra
  std::size_t copied_ = 0;            // bytes of the text that are in out_ or replaced
};

}  // namespace ordo::inline v0::spectra::detail
