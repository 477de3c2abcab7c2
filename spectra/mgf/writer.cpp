#include "spectra/mgf/writer.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "spectra/mgf/line.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// A sign, "0." and at most 1074 decimals of the smallest double.
constexpr std::size_t max_number_bytes = 1100;

char* write_number(char* to, double value, bool single) {
  char* const end = to + max_number_bytes;
  return single ? std::to_chars(to, end, float(value), std::chars_format::fixed).ptr
                : std::to_chars(to, end, value, std::chars_format::fixed).ptr;
}

// Rounds to ten digits.
double rounded(double value) {
  char text[40];
  *fmt::format_to_n(text, sizeof text - 1, "{:.10g}", value).out = 0;
  return std::strtod(text, nullptr);
}

}  // namespace

std::string run_name(std::string_view path) {
  path.remove_prefix(path.find_last_of('/') + 1);  // npos + 1 is 0
  std::string lower(path);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  for (std::string_view const extension : {".mzml", ".mzxml"})
    if (std::size_t const end = lower.rfind(extension); end != std::string::npos) return std::string(path.substr(0, end));
  return {};
}

void add_number(double value, std::string& output) {
  char text[max_number_bytes];
  output.append(text, write_number(text, value, false));
}

std::size_t print_mgf(spectrum_header& header, std::string& title, peak_list const& peaks, std::span<std::uint32_t const> order,
                      peak_digits digits, std::string& output) {
  output += begin_ions;
  output += '\n';
  if (header.title) {
    title = *header.title;
    for (char& c : title)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    output += "TITLE=";
    output += title;
    output += '\n';
    header.title = trimmed(title);
  }
  if (header.rt_seconds && !std::isfinite(*header.rt_seconds)) header.rt_seconds.reset();
  if (header.rt_seconds) {
    header.rt_seconds = rounded(*header.rt_seconds);
    output += "RTINSECONDS=";
    add_number(*header.rt_seconds, output);
    output += '\n';
  }
  output += "PEPMASS=";
  add_number(header.precursor_mz.value_or(0), output);
  if (header.precursor_intensity && std::isfinite(*header.precursor_intensity)) {
    output += ' ';
    add_number(*header.precursor_intensity, output);
  }
  output += '\n';
  if (!header.charges.empty()) {
    std::string_view before = "CHARGE=";
    for (int const charge : header.charges) {
      fmt::format_to(std::back_inserter(output), "{}{}{}", before, std::abs(charge), charge < 0 ? '-' : '+');
      before = " and ";
    }
    output += '\n';
  }
  if (header.scan) fmt::format_to(std::back_inserter(output), "SCANS={}\n", *header.scan);
  if (header.ms_level && *header.ms_level != 2) fmt::format_to(std::back_inserter(output), "MSLEVEL={}\n", *header.ms_level);
  if (header.ion_mobility && std::isfinite(*header.ion_mobility)) {
    output += "ION_MOBILITY=";
    add_number(*header.ion_mobility, output);
    output += '\n';
  }
  std::size_t left_out = 0;
  char line[2 * max_number_bytes + 2];
  for (std::uint32_t const i : order) {
    double const mz = peaks.mz[i], intensity = peaks.intensity[i];
    if (!std::isfinite(mz) || !std::isfinite(intensity)) {
      ++left_out;
      continue;
    }
    char* end = write_number(line, mz, digits.mz_single);
    *end++ = ' ';
    end = write_number(end, intensity, digits.intensity_single);
    *end++ = '\n';
    output.append(line, end);
  }
  output += end_ions;
  output += "\n";
  return left_out;
}

}  // namespace ordo::inline v0::spectra::detail
