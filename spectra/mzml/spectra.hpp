#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/encoding/binary_array.hpp"
#include "spectra/encoding/text_fault.hpp"
#include "spectra/mzml/cutter.hpp"

namespace ordo::inline v0::spectra::detail {

/// One spectrum of mzML without the numbers of its arrays. Places are those of the text of the chunk.
struct mzml_spectrum {
  std::size_t begin = 0;
  std::string id, title;
  std::string activation, instrument;  // the texts that the header views
  spectrum_header header;             // its title is `title`, as msconvert makes it for MGF
  std::size_t count = 0;              // defaultArrayLength
  std::vector<precursor_ion> ions;    // the selected ions of all precursors; the first one is that of the header
  bool has_target = false;            // the m/z of the first one is the target of an isolation window
  bool transitions = false;           // SRM or CRM, whose points are not peaks of a scan
  std::string processing;             // the dataProcessing to which it refers, if any
  bool time_without_unit = false;     // so its retention time counts as seconds
  std::optional<text_fault> bad_time;  // its unit is not one of time; an error if the time is needed
  /// The tag of a value that was made of peaks, such as the total ion current.
  struct peak_value {
    std::uint32_t term;
    std::size_t tag, tag_end;
  };
  std::vector<peak_value> peak_values;
  std::vector<std::pair<std::string, std::string>> parameters;  // parameters of MGF, as print_mzml has them
  std::vector<binary_array> arrays;
  std::vector<std::size_t> references;  // hashes of the ids of spectra from which it was made

  /// Returns the first array of a kind; nullptr if there is none.
  [[nodiscard]] binary_array const* find(array_kind kind) const;
};

/// Reads the spectra of a chunk. It keeps memory: one for each thread.
class mzml_spectra final : private xml_handler {
 public:
  /// @param takes_targets  a precursor without the m/z of a selected ion has that of its isolation window
  explicit mzml_spectra(bool takes_targets) : takes_targets_(takes_targets) {}
  /// @throws text_fault  after which all() are the spectra before the fault
  void read(mzml_text const& chunk);
  [[nodiscard]] std::vector<mzml_spectrum> const& all() const noexcept { return all_; }
  /// Returns the number of bytes read as Windows-1252.
  [[nodiscard]] std::uint64_t repaired() const noexcept { return repaired_; }

 private:
  enum class place { other, spectrum, scan, precursor, window, ion, activation, array, binary };
  struct content {
    std::size_t begin, text_end, end;
    bool plain;  // without markup, so that the parser need not read it
  };

  void read(xml_parser& parser, mzml_text::element const& element, std::string_view text);
  bool read_plain(xml_parser& parser, mzml_text::element const& element, std::string_view text);
  bool read_plain_tags(mzml_text::element const& element, std::string_view text);
  void start(std::string_view name, attributes const& all) override;
  void end(std::string_view name) override;
  void characters(std::string_view text) override;
  void start_spectrum(attributes const& all);
  void start_array(attributes const& all);
  void read_reference(attributes const& all);
  void start_binary();
  void end_spectrum();
  void take(cv_term const& term, mzml_text::element tag);
  void read_user_param(attributes const& all, mzml_text::element tag);
  void read_time(cv_term const& term, std::size_t at);
  void read_spectrum_term(cv_term const& term, mzml_text::element tag);
  void read_ion(cv_term const& term);
  void read_mobility(cv_term const& term);
  void read_window(cv_term const& term);
  void read_activation(cv_term const& term);
  void end_precursor();

  mzml_context const* context_ = nullptr;
  std::string_view text_;
  xml_parser* parser_ = nullptr;  // while read() runs
  std::vector<mzml_spectrum> all_;
  std::size_t used_ = 0;  // how many of all_ are in use; the memory of the others is kept
  std::uint64_t repaired_ = 0;
  mzml_spectrum* now_ = nullptr;
  std::size_t begin_ = 0;  // where the spectrum being read begins
  std::vector<place> where_;
  std::vector<mzml_text::element> array_tags_, term_tags_;  // the tags that the parser reads
  std::vector<content> contents_;
  std::vector<attributes::attribute> plain_;
  std::vector<std::string_view> open_;  // elements
  std::size_t next_array_ = 0, next_content_ = 0, next_term_ = 0;
  std::size_t scans_ = 0;
  bool ion_begins_ = false;          // its first parameter comes
  std::size_t precursor_ions_ = 0;   // ions of the spectrum before those of the precursor
  std::optional<double> target_mz_;  // target m/z of the precursor
  std::size_t precursors_ = 0;       // precursors of the spectrum so far
  bool takes_targets_;
  bool negative_ = false, positive_ = false, ms1_ = false;
  std::string charge_;        // charge of the ion as text, unless it is only a possible one
  std::string first_charge_;  // first charge of the first ion
};

}  // namespace ordo::inline v0::spectra::detail
