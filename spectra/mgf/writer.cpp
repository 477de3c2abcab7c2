#include "spectra/mgf/writer.hpp"

#include <algorithm>
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

// Returns true if readers would take a parameter for one of the header, or refuse it.
bool is_misread(std::string_view key, std::string_view value) {
  if (key == "TITLE" || key == "PEPMASS" || key == "CHARGE" || key == "PRECURSOR_MZ") return true;
  bool const is_number = key == "RTINSECONDS" || key == "SCANS" || key == "MSLEVEL" || key == "ION_MOBILITY";
  return is_number && (value.empty() || value.front() < '0' || value.front() > '9');
}

// Appends a line KEY=value, whose key has capitals and no blanks, as programs of MGF expect.
void add_parameter(metadata_entry const& entry, std::string& output) {
  std::size_t const begin = output.size();
  if (is_comment(entry.key)) output += '_';
  for (char const c : entry.key)
    output += c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c == '=' || static_cast<unsigned char>(c) <= ' ' ? '_' : c;
  if (is_misread(std::string_view(output).substr(begin), entry.value)) output.insert(begin, "STATED_");
  output += '=';
  for (char const c : entry.value) output += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  output += '\n';
}

// Returns the annotation if it is a charge, such as "2+": MGF has them after the intensity. A number without sign is one only
// in quotation marks, with which MSP is written from MGF.
std::string_view charge_in(std::string_view annotation) {
  bool const quoted = annotation.size() > 2 && annotation.front() == '"' && annotation.back() == '"';
  if (quoted) annotation = annotation.substr(1, annotation.size() - 2);
  std::string_view digits = annotation;
  if (digits.ends_with('+') || digits.ends_with('-'))
    digits.remove_suffix(1);
  else if (!quoted)
    return {};
  bool const is_number = !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == digits.npos;
  return is_number ? annotation : std::string_view();
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

void add_title(spectrum_header& header, std::string& title, std::string& output) {
  title = *header.title;
  for (char& c : title)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  output += title;
  header.title = trimmed(title);
}

void round_time(spectrum_header& header) {
  if (header.rt_seconds && !std::isfinite(*header.rt_seconds)) header.rt_seconds.reset();
  if (header.rt_seconds) header.rt_seconds = rounded(*header.rt_seconds);
}

void add_peak(double mz, char separator, double intensity, peak_digits digits, std::string& output) {
  char line[2 * max_number_bytes + 1];
  char* end = write_number(line, mz, digits.mz_single);
  *end++ = separator;
  end = write_number(end, intensity, digits.intensity_single);
  output.append(line, end);
}

print_losses print_mgf(printed_spectrum const& spectrum, sort_options const& /*options*/, std::string& title,
                       std::string& output) {
  spectrum_header& header = spectrum.header;
  auto const is_replaced = [&](std::string_view key) {
    return std::ranges::find(spectrum.metadata, key, &metadata_entry::key) != spectrum.metadata.end();
  };
  output += begin_ions;
  output += '\n';
  if (header.title) {
    output += "TITLE=";
    add_title(header, title, output);
    output += '\n';
  }
  round_time(header);
  if (header.rt_seconds && !is_replaced("RTINSECONDS")) {
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
  if (header.scan && !is_replaced("SCANS")) fmt::format_to(std::back_inserter(output), "SCANS={}\n", *header.scan);
  if (header.ms_level && *header.ms_level != 2) fmt::format_to(std::back_inserter(output), "MSLEVEL={}\n", *header.ms_level);
  if (header.ion_mobility && std::isfinite(*header.ion_mobility) && !is_replaced("ION_MOBILITY")) {
    output += "ION_MOBILITY=";
    add_number(*header.ion_mobility, output);
    output += '\n';
  }
  for (metadata_entry const& entry : spectrum.metadata) add_parameter(entry, output);
  print_losses losses;
  for (std::uint32_t const i : spectrum.order) {
    double const mz = spectrum.peaks.mz[i], intensity = spectrum.peaks.intensity[i];
    if (!std::isfinite(mz) || !std::isfinite(intensity)) {
      ++losses.not_finite;
      continue;
    }
    add_peak(mz, ' ', intensity, spectrum.digits, output);
    if (!spectrum.annotations.empty() && !spectrum.annotations[i].empty()) {
      std::string_view const charge = charge_in(spectrum.annotations[i]);
      losses.annotations += charge.empty();
      if (!charge.empty()) output += ' ';
      output += charge;
    }
    output += '\n';
  }
  output += end_ions;
  output += "\n";
  return losses;
}

}  // namespace ordo::inline v0::spectra::detail
