#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)

// Spectra as the readers of formats give them to selections, orders, summaries and writers.
namespace ordo::inline v0::spectra {

/// A list of charges as a header has it, at most eight, without zeros; negative ions have negative charges. The first one is
/// the charge of the precursor.
class charge_list {
 public:
  charge_list() = default;
  charge_list(std::initializer_list<int> all) {
    for (int const charge : all) push_back(charge);
  }
  void push_back(int charge) noexcept {
    if (size_ < charges_.size()) charges_[size_++] = charge;
  }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] int front() const noexcept { return charges_.front(); }
  [[nodiscard]] int const* begin() const noexcept { return charges_.data(); }
  [[nodiscard]] int const* end() const noexcept { return charges_.data() + size_; }

 private:
  std::array<int, 8> charges_{};
  std::size_t size_ = 0;
};

/// The polarity of the ions of a spectrum.
enum class ion_polarity : std::uint8_t { positive, negative };

/// An ion that was selected for fragmentation.
struct precursor_ion {
  std::optional<double> mz;  // above 0
  std::optional<double> intensity;
  charge_list charges;
};

/// A header: the values of a spectrum as a whole. A value that the input lacks is empty.
struct spectrum_header {
  std::optional<std::string_view> title;  // a view of memory that the reader keeps
  std::optional<double> precursor_mz;     // above 0
  std::optional<double> precursor_intensity;
  charge_list charges;  // charges of the precursor
  std::optional<double> rt_seconds;
  std::optional<std::uint64_t> scan;  // the first, of several
  std::optional<unsigned> ms_level;
  std::optional<ion_polarity> polarity;
  std::optional<std::string_view> native_id;        // a view, as the title
  std::optional<std::string_view> sequence;         // a view: SEQ of MGF and of libraries, the peptide
  std::optional<double> ion_mobility;               // in the unit of the input
  std::span<precursor_ion const> other_precursors;  // a view, too: ions that were selected besides the precursor
  std::optional<double> compensation_voltage;       // voltage of FAIMS, in volts
  std::optional<double> collision_energy;           // in the unit of the input
  std::optional<double> isolation_width;            // width of the window of the first precursor, in m/z
  std::optional<double> total_ion_current, base_peak;  // as the input states them; the base peak by its intensity
  std::optional<std::string_view> activation;          // a view: abbreviations with commas between them, "ETD" or "EThcD"
  std::optional<std::string_view> instrument;          // a view: the id of the instrument configuration

  /// Returns false for MS level 1: such a spectrum has no precursor among its peaks, even if the header has an m/z. MGF of
  /// metabolomics has the m/z of the feature there.
  [[nodiscard]] bool may_have_precursor() const noexcept { return ms_level != 1u; }
};

/// Mass of a proton, Da.
inline constexpr double proton_mass = 1.00727646688;

/// Returns the mass of the precursor without its charge, in Da: (m/z - proton) z by its first charge, or (m/z + proton) |z| for
/// a negative one. Empty if m/z or charge is missing.
std::optional<double> neutral_mass(spectrum_header const& header);

/// A range of bytes of a text of less than 4 GiB.
struct text_range {
  std::uint32_t begin = 0, size = 0;

  [[nodiscard]] std::uint32_t end() const noexcept { return begin + size; }
  [[nodiscard]] std::string_view of(std::string_view text) const { return text.substr(begin, size); }
  bool operator==(text_range const&) const = default;
};

/// The peaks of one spectrum in the order of the input, as views of arrays that the reader keeps.
struct peak_list {
  std::span<double const> mz, intensity;  // as many of one as of the other; a missing intensity is NaN
  std::span<text_range const> lines;      // the line of each peak, with its end; empty in formats without lines

  [[nodiscard]] std::size_t size() const noexcept { return mz.size(); }
};

struct spectrum {
  spectrum_header header;
  peak_list peaks;
  text_range text;        // text of the spectrum; in MGF from BEGIN IONS to the end of the line END IONS
  std::uint64_t number;   // in its input, from 0
  std::uint64_t key = 0;  // smaller keys come first, equal ones in the order of the input
};

/// A reader of the header of one spectrum of MGF. It takes the lines that are not peaks, one after the other, and reads TITLE,
/// PEPMASS (m/z, intensity, charge), CHARGE, RTINSECONDS, SCANS, MSLEVEL, IONMODE, ION_MOBILITY and SEQ, and PRECURSOR_MZ if
/// PEPMASS has no m/z, and the number in front of COLLISION_ENERGY. The first value that is not missing counts. Without IONMODE
/// the polarity is that of the charge. The native id is that which msconvert writes into titles: NativeID:"...". RTINSECONDS
/// and SCANS may be lists or ranges, whose first number counts; CHARGE may be "2+", "-2", "2+ and 3+", "1,2,3". Empty values,
/// charges of 0 and m/z that are not above 0 are missing.
class mgf_header {
 public:
  enum class taken {
    other,         // another line
    read,          // one of these parameters
    not_a_number,  // one of these parameters, whose value is no number and counts as missing
  };
  /// Takes the next line, without line end. The title becomes a view of it.
  taken take(std::string_view line);
  /// Returns the header read since the last call.
  spectrum_header done();

 private:
  spectrum_header header_;
  std::optional<double> fallback_mz_;
  charge_list fallback_charges_;
};

/// Reads the header of a spectrum whose BEGIN IONS is the first line of `text`, up to END IONS.
spectrum_header read_mgf_header(std::string_view text);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
