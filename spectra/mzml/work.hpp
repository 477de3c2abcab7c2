#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/mzml/pieces.hpp"
#include "spectra/mzml/record.hpp"
#include "spectra/mzml/spectra.hpp"
#include "spectra/order/keys.hpp"
#include "spectra/peaks/peak_machines.hpp"
#include "spectra/peaks/step_times.hpp"

namespace ordo::spectra::detail {

enum mzml_step : std::size_t {
  mzml_reading,
  mzml_parsing,
  mzml_unpacking,
  mzml_sorting,
  mzml_packing,
  mzml_writing,
  mzml_steps
};
inline constexpr std::array<std::string_view, mzml_steps> mzml_step_names{"read", "parse", "unpack", "sort", "pack", "write"};

struct mzml_options {
  sort_key by = sort_key::mz;
  bool descending = false;
  format as = format::mzml;
  bool check = false;  // stop at the first disorder, write nothing
  selection select = {};
  bool summarize = false;            // and nothing else
  order_keys const* keys = nullptr;  // of spectra of mzML that are put in order
  bool keep_metadata = false, lenient = false;

  /// Are all peaks looked at? Else the key alone, to find out what is out of order.
  [[nodiscard]] bool whole() const { return as == format::mgf || !select.empty(); }
  [[nodiscard]] bool writes() const { return !check && !summarize; }
  /// May mzML lose spectra? Those that stay have other numbers then.
  [[nodiscard]] bool renumbers() const { return as == format::mzml && select.min_peaks != 0; }
  /// Is the processing recorded, and what was made of peaks made anew?
  [[nodiscard]] bool records() const { return writes() && as == format::mzml && !select.empty() && !keep_metadata; }
  /// Do retention times count?
  [[nodiscard]] bool needs_time() const { return summarize || as == format::mgf || (keys && keys->has(spectrum_key::rt)); }
};

/// A piece of an mzML document and what one thread at a time does to it.
class mzml_work : public step_times<mzml_steps> {
 public:
  mzml_piece piece;
  std::exception_ptr failure;  // the first, by its place in the piece

  /// What is written for the piece, and where in it the pieces's spectra begin; its marks are where they are in it.
  [[nodiscard]] std::string_view written() const { return replaced_ ? std::string_view(out_) : piece.text(); }
  struct start {
    std::size_t id, at;
    std::string_view name = {};             // its id as it stands in the piece, between quotes
    bool gone = false;                      // it begins no more: too few of its peaks are left
    std::optional<std::size_t> index = {};  // where its number is, if that may change
    std::size_t index_size = 0;
    std::size_t end = 0, read_at = 0;  // behind it; and where it begins in the piece
  };
  std::vector<start> starts;
  key_table keys;                       // of each of them, where spectra are put in order
  std::vector<std::size_t> references;  // from those that stay, to others: hashes of their ids; where some may go

  struct counts {
    std::uint64_t lines = 0, spectra = 0, peaks = 0, reordered = 0;
    std::uint64_t other_order = 0;                                // left as they were: their order is not that of the m/z
    std::uint64_t level_1 = 0, no_precursor = 0, not_finite = 0;  // left out of MGF: spectra, spectra, peaks
    std::uint64_t without_precursor = 0, spectra_left = 0, peaks_left = 0;
    std::uint64_t times_without_unit = 0, repaired = 0, own_processing = 0;
    std::uint64_t stray_references = 0;  // of the whole document
  } counted;
  struct first_disorder {
    std::size_t at;
    std::uint64_t spectrum;  // of the piece, from 0
    std::string title, peak;
  };
  std::optional<first_disorder> disorder;
  summary summarized;
  std::shared_ptr<processing_record const> record;  // of the document's processing, if it is recorded

  /// Before anything else. @returns false if there is no more
  bool next(mzml_pieces& from, std::size_t wanted);
  /// All but writing. Nothing is thrown. @param machines  nullptr to sort nothing
  void run(mzml_options const& how, peak_machines* machines) noexcept;

 private:
  // A spectrum that is written in another order, or that all peaks are looked at of.
  struct job {
    std::size_t spectrum, count;
    std::optional<std::size_t> codes;  // where they begin, if it is out of order
    // Where all peaks are looked at:
    std::size_t first = 0;           // in mz_ and intensity_
    std::size_t left = 0, size = 0;  // in left_: those that stay, in the order of the output
    mgf_digits digits = {};
    bool fixed = false;  // its order stays
    bool goes = false;   // too few peaks are left

    bool whole = false;  // all this is set
    [[nodiscard]] bool changes() const { return codes || goes || (whole && size != count); }
  };

  void unpack(mzml_options const& how);
  void check_time(mzml_options const& how, mzml_spectrum const& one);
  void look_at(mzml_options const& how, std::size_t index);
  void take_peaks(mzml_options const& how, std::size_t index);
  void stays(std::size_t peaks);
  void summarize(mzml_spectrum const& one);
  bool in_other_order(mzml_spectrum const& one, std::size_t count);
  std::optional<std::size_t> add_codes(mzml_options const& how, std::size_t index);
  void note_disorder(mzml_options const& how, std::size_t index);
  void select(mzml_options const& how, peak_machines& machines);
  void take_precursors(bool all_charges);
  void take_left(mzml_options const& how);
  void sort(peak_machines& machines);
  void replace_array(binary_array const& array, std::span<std::uint32_t const> order);
  void replace_value(std::size_t begin, std::size_t end, std::string_view name, std::string_view by);
  std::span<std::uint32_t const> order_of(job const& one);
  void pack(mzml_options const& how);
  void pack(mzml_options const& how, mzml_spectrum const& one, job const* change);
  [[nodiscard]] bool refers_anew(mzml_spectrum const& one) const;
  void apply_edits(std::size_t end);
  void replace_value_of_peaks(mzml_spectrum::peak_value const& given, job const& one);
  void replace_arrays(mzml_options const& how, mzml_spectrum const& one, job const& change);
  void add_keys(order_keys const& how, mzml_spectrum const& one, job const* made);
  void leave_out(mzml_piece::element const& spectrum);
  void pack_as_mgf();
  void copy_to(std::size_t end);
  /// Where that is in what is written, if nothing but what was copied or replaced changes before it.
  [[nodiscard]] std::size_t place_of(std::size_t at) const { return at + out_.size() - copied_; }

  bool replaced_ = false;
  mzml_spectra reader_;
  array_codec codec_;
  std::vector<job> jobs_;
  std::vector<double> keys_, axis_;     // of one spectrum
  std::vector<double> mz_, intensity_;  // of all that become MGF, or of one that is summarized
  std::vector<std::uint64_t> codes_;    // of all that are out of order
  std::vector<std::uint32_t> offsets_, order_, relative_;
  std::vector<std::uint32_t> first_peaks_, left_;
  std::vector<std::uint8_t> keep_;
  std::vector<double> precursor_mz_;
  std::vector<std::int32_t> charges_;
  std::vector<char> numbers_;
  std::string out_, base64_;
  std::span<text_edit const> edits_;  // of what stands before the spectra, those that are still to be done
  std::size_t copied_ = 0;            // of the piece's text, to out_
};

}  // namespace ordo::spectra::detail
