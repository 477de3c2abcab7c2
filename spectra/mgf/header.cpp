#include <charconv>
#include <cmath>
#include <string_view>

#include <fast_float/fast_float.h>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::inline v0::spectra {
namespace {

using detail::is_blank;

using taken = mgf_header::taken;

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

// Takes a finite number off a text. A comma may follow it only in a `list`, as it may be a decimal comma.
std::optional<double> consume_real(std::string_view& text, bool list = false) {
  skip_blanks(text);
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  double value = 0;
  auto const [end, error] = fast_float::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return {};
  rest.remove_prefix(std::size_t(end - rest.data()));
  bool const ended = rest.empty() || is_blank(rest.front()) || (list && (rest.front() == ',' || rest.front() == '-'));
  if (!ended) return {};
  text = rest;
  return value;
}

constexpr int max_charge = 1000;

// Takes a charge off a text: 2, 2+, 2-, +2, -2. Greater values are no charges.
std::optional<int> consume_charge(std::string_view& text) {
  bool negative = false;
  std::string_view rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  int value = 0;
  auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || value < 0 || value > max_charge) return {};
  rest.remove_prefix(std::size_t(end - rest.data()));
  if (rest.starts_with('+') || rest.starts_with('-')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  text = rest;
  return negative ? -value : value;
}

// "2+", "2+ and 3+", "2+,3+", "1, 2, 3": charges with blanks, commas, "and" and "or" between them.
taken read_charges(std::string_view text, charge_list& to) {
  charge_list list;
  for (;;) {
    while (!text.empty() && (is_blank(text.front()) || text.front() == ',' || text.front() == ';')) text.remove_prefix(1);
    if (text.empty()) break;
    if (text.starts_with("and")) {
      text.remove_prefix(3);
    } else if (text.starts_with("or")) {
      text.remove_prefix(2);
    } else if (auto const charge = consume_charge(text)) {
      if (*charge != 0) list.push_back(*charge);
    } else {
      return taken::not_a_number;
    }
  }
  if (to.empty()) to = list;
  return taken::read;
}

template <class T>
void set(std::optional<T>& to, T value) {
  if (!to) to = value;
}

taken read_real(std::string_view text, std::optional<double>& to) {
  if (text.empty()) return taken::read;
  auto const value = consume_real(text, true);
  if (!value) return taken::not_a_number;
  set(to, *value);
  return taken::read;
}

template <class T>
taken read_whole(std::string_view text, std::optional<T>& to) {
  if (text.empty()) return taken::read;
  T value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return taken::not_a_number;
  set(to, value);
  return taken::read;
}

// "positive", "Negative", "neg", "+", "N": by the first letter. Other values are missing.
taken read_polarity(std::string_view text, std::optional<ion_polarity>& to) {
  if (text.empty()) return taken::read;
  char const first = text.front();
  if (first == 'p' || first == 'P' || first == '+') set(to, ion_polarity::positive);
  if (first == 'n' || first == 'N' || first == '-') set(to, ion_polarity::negative);
  return taken::read;
}

// Returns the native id in a title of msconvert: ... NativeID:"controllerType=0 controllerNumber=1 scan=7"
std::optional<std::string_view> native_id_in(std::string_view title) {
  constexpr std::string_view mark = "NativeID:\"";
  std::size_t const at = title.find(mark);
  if (at == std::string_view::npos) return {};
  title.remove_prefix(at + mark.size());
  std::size_t const end = title.find('"');
  if (end == std::string_view::npos) return {};
  return title.substr(0, end);
}

taken read_mz(std::string_view& text, std::optional<double>& to) {
  skip_blanks(text);
  if (text.empty()) return taken::read;
  auto const value = consume_real(text);
  if (!value) return taken::not_a_number;
  if (*value > 0) set(to, *value);
  return taken::read;
}

}  // namespace

std::optional<double> neutral_mass(spectrum_header const& header) {
  if (!header.precursor_mz || header.charges.empty()) return {};
  int const charge = header.charges.front();
  return charge > 0 ? (*header.precursor_mz - proton_mass) * charge : (*header.precursor_mz + proton_mass) * -charge;
}

mgf_header::taken mgf_header::take(std::string_view line) {
  line = detail::trimmed(line);
  std::size_t const equals = line.find('=');
  if (equals == std::string_view::npos) return taken::other;
  std::string_view const key = line.substr(0, equals);
  std::string_view value = detail::trimmed(line.substr(equals + 1));
  if (key == "TITLE") {
    set(header_.title, value);
    return taken::read;
  }
  if (key == "PEPMASS") {
    if (taken const mz = read_mz(value, header_.precursor_mz); mz != taken::read) return mz;
    skip_blanks(value);
    if (value.empty()) return taken::read;
    if (auto const intensity = consume_real(value)) set(header_.precursor_intensity, *intensity);
    skip_blanks(value);
    read_charges(value, fallback_charges_);
    return taken::read;
  }
  if (key == "PRECURSOR_MZ") return read_mz(value, fallback_mz_);
  if (key == "CHARGE") return read_charges(value, header_.charges);
  if (key == "RTINSECONDS") return read_real(value, header_.rt_seconds);
  if (key == "SCANS") return read_whole(value, header_.scan);
  if (key == "MSLEVEL") return read_whole(value, header_.ms_level);
  if (key == "ION_MOBILITY") return read_real(value, header_.ion_mobility);
  if (key == "COLLISION_ENERGY") {  // "35 eV", "60 % (nominal)"
    std::string_view const digits = value.substr(0, value.find_first_not_of("0123456789."));
    double energy = 0;
    auto const [end, error] = fast_float::from_chars(digits.data(), digits.data() + digits.size(), energy);
    if (error == std::errc() && end == digits.data() + digits.size()) set(header_.collision_energy, energy);
    return taken::read;
  }
  if (key == "SEQ") {
    if (!value.empty()) set(header_.sequence, value);
    return taken::read;
  }
  if (key == "IONMODE") return read_polarity(value, header_.polarity);
  return taken::other;
}

spectrum_header mgf_header::done() {
  if (!header_.precursor_mz) header_.precursor_mz = fallback_mz_;
  if (header_.charges.empty()) header_.charges = fallback_charges_;
  if (!header_.polarity && !header_.charges.empty())
    header_.polarity = header_.charges.front() < 0 ? ion_polarity::negative : ion_polarity::positive;
  if (header_.title) header_.native_id = native_id_in(*header_.title);
  spectrum_header const read = header_;
  *this = {};
  return read;
}

spectrum_header read_mgf_header(std::string_view text) {
  mgf_header header;
  detail::consume_line(text);
  while (!text.empty()) {
    std::string_view const line = detail::consume_line(text);
    if (detail::trimmed(line) == detail::end_ions) break;
    header.take(line);
  }
  return header.done();
}

}  // namespace ordo::inline v0::spectra
