#include "spectra/mgf/writer.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "spectra/mgf/line.hpp"

namespace ordo::spectra::detail {
namespace {

// The longest is that of the smallest double: a sign, "0." and 1074 decimals at most.
constexpr std::size_t longest_number = 1100;

char* put_number(char* to, double value, bool single) {
  char* const end = to + longest_number;
  return single ? std::to_chars(to, end, float(value), std::chars_format::fixed).ptr
                : std::to_chars(to, end, value, std::chars_format::fixed).ptr;
}

void add_number(double value, std::string& to) {
  char text[longest_number];
  to.append(text, put_number(text, value, false));
}

// Of ten digits, and those at the end are no zeros.
double rounded(double value) {
  char text[40];
  *fmt::format_to_n(text, sizeof text - 1, "{:.10g}", value).out = 0;
  return std::strtod(text, nullptr);
}

void add_line(std::string_view key, std::string_view value, std::string& to) {
  to += key;
  for (char const c : value) to += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  to += '\n';
}

}  // namespace

std::size_t write_mgf(spectrum_header const& header, peak_list const& peaks, std::span<std::uint32_t const> order,
                      mgf_digits digits, std::string& to) {
  to += begin_ions;
  to += '\n';
  if (header.title) add_line("TITLE=", *header.title, to);
  if (header.rt_seconds && std::isfinite(*header.rt_seconds)) {
    to += "RTINSECONDS=";
    add_number(rounded(*header.rt_seconds), to);
    to += '\n';
  }
  to += "PEPMASS=";
  add_number(header.precursor_mz.value_or(0), to);
  if (header.precursor_intensity && std::isfinite(*header.precursor_intensity)) {
    to += ' ';
    add_number(*header.precursor_intensity, to);
  }
  to += '\n';
  if (!header.charges.empty()) {
    std::string_view before = "CHARGE=";
    for (int const charge : header.charges) {
      fmt::format_to(std::back_inserter(to), "{}{}{}", before, std::abs(charge), charge < 0 ? '-' : '+');
      before = " and ";
    }
    to += '\n';
  }
  if (header.scan) fmt::format_to(std::back_inserter(to), "SCANS={}\n", *header.scan);
  std::size_t left_out = 0;
  char line[2 * longest_number + 2];
  for (std::uint32_t const i : order) {
    double const mz = peaks.mz[i], intensity = peaks.intensity[i];
    if (!std::isfinite(mz) || !std::isfinite(intensity)) {
      ++left_out;
      continue;
    }
    char* end = put_number(line, mz, digits.mz_single);
    *end++ = ' ';
    end = put_number(end, intensity, digits.intensity_single);
    *end++ = '\n';
    to.append(line, end);
  }
  to += end_ions;
  to += "\n";
  return left_out;
}

}  // namespace ordo::spectra::detail
