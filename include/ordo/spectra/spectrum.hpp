#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

// What stands between the readers of formats and what is done with spectra: filters, orders, summaries, other formats.
namespace ordo::spectra {

/// Charges in the order in which a header lists them, none of them 0; negative ones of negative ions. The first is the one that
/// counts where one is wanted. Those behind the eighth are dropped.
class charge_list {
 public:
  charge_list() = default;
  charge_list(std::initializer_list<int> all) {
    for (int const one : all) push_back(one);
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

/// What is said of a spectrum as a whole. What is missing in the input is missing here.
struct spectrum_header {
  std::optional<std::string_view> title;  // of memory that whoever made the header keeps
  std::optional<double> precursor_mz;     // above 0
  std::optional<double> precursor_intensity;
  charge_list charges;  // of the precursor
  std::optional<double> rt_seconds;
  std::optional<std::uint64_t> scan;  // the first, of several
  std::optional<unsigned> ms_level;

  /// A spectrum of MS level 1 has no precursor that could be among its peaks, whatever else is said of it: MGF of metabolomics
  /// has the feature's m/z there.
  [[nodiscard]] bool may_have_precursor() const noexcept { return ms_level != 1u; }
};

/// Mass of a proton, Da.
inline constexpr double proton_mass = 1.00727646688;

/// The mass of the precursor without its charge, Da: (m/z - proton) z by its first charge, or (m/z + proton) |z| for a negative
/// one. Missing where one of the two is.
std::optional<double> neutral_mass(spectrum_header const& header);

/// Some bytes of a text, which has less than 4 GiB.
struct text_range {
  std::uint32_t begin = 0, size = 0;

  [[nodiscard]] std::uint32_t end() const noexcept { return begin + size; }
  [[nodiscard]] std::string_view of(std::string_view text) const { return text.substr(begin, size); }
  bool operator==(text_range const&) const = default;
};

/// Peaks of one spectrum, in the input's order: views of arrays that whoever read them keeps.
struct peak_list {
  std::span<double const> mz, intensity;  // as long; a missing intensity is NaN
  std::span<text_range const> lines;      // of each peak, its line end included; none in formats that have no lines

  [[nodiscard]] std::size_t size() const noexcept { return mz.size(); }
};

struct spectrum {
  spectrum_header header;
  peak_list peaks;
  text_range text;        // all of it, in the text that it was read from: in MGF from BEGIN IONS to the end of END IONS' line
  std::uint64_t number;   // in its input, from 0
  std::uint64_t key = 0;  // what orders it among others: the smaller one comes first, equal ones in the input's order
};

/// Reads the header of one spectrum of MGF, from the lines of it that are not peaks, given one after the other.
/// TITLE, PEPMASS (m/z, intensity, charge), CHARGE, RTINSECONDS, SCANS and MSLEVEL are read, of a parameter that is there twice
/// the first that is not missing; PRECURSOR_MZ counts where PEPMASS has no m/z. Of RTINSECONDS and SCANS, which may be lists or
/// ranges, the first number counts, CHARGE may be "2+", "-2", "2+ and 3+", "1,2,3". A value that is empty, a charge of 0 and an
/// m/z that is not above 0 are missing.
class mgf_header {
 public:
  enum class taken {
    other,         // no parameter of these
    read,          //
    not_a_number,  // one of these, but its value is no number: it counts as missing
  };
  /// @param line  without its line end; the title is a view of it
  taken take(std::string_view line);
  /// What was read since the last call.
  spectrum_header done();

 private:
  spectrum_header header_;
  std::optional<double> fallback_mz_;
  charge_list fallback_charges_;
};

/// The same, of a whole spectrum: from the line after BEGIN IONS, at the front of `text`, to END IONS. Peaks are passed over.
spectrum_header read_mgf_header(std::string_view text);

}  // namespace ordo::spectra
