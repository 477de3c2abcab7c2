#include "spectra/msp/writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/encoding/msp_lines.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/msp/keys.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

class record_writer {
 public:
  record_writer(msp_style style, std::string& output) : style_(style), out_(output) {}

  // Writes a line of a property by its key in MGF, or of another one.
  void add(std::string_view key, std::string_view value) {
    std::string const normalized = normalized_key(key);
    if (is_peak_count(normalized)) return;  // the number of peaks has its own line
    // SPECTRUM_TYPE holds other values than levels, which MSLEVEL has, and RETENTIONTIME may be in minutes.
    bool const has_own_meaning = normalized == "spectrumtype" || normalized == "retentiontime";
    library_key const* known = has_own_meaning ? nullptr : find_library_key(normalized);
    // A second name would begin another record.
    if (known && known->mgf == "NAME" && std::exchange(named_, true)) known = find_library_key("synon");
    if (known) {
      key = known->in(style_);
      std::size_t const colon = key.find(':');
      out_ += key.substr(0, colon);
      out_ += ": ";
      if (colon != key.npos) {
        out_ += key.substr(colon + 2);
        out_ += ' ';
      }
      value = in_style(known->mgf, value);
    } else {
      // A reader would take these for peaks or annotations.
      bool const is_misread = number<double>(key) || std::string_view("\"#(").find(key.front()) != std::string_view::npos;
      if (is_misread) out_ += '_';
      for (char const c : key) out_ += c == ':' ? '_' : c;
      out_ += ": ";
    }
    out_ += value;
    out_ += '\n';
  }
  void add(std::string_view key, double value) {
    number_.clear();
    add_number(value, number_);
    add(key, number_);
  }

 private:
  // Returns a value as programs of the style write it.
  std::string_view in_style(std::string_view key, std::string_view value) {
    if (key == "RTINSECONDS" && style_ == msp_style::massbank && value.find_first_not_of("0123456789.") == value.npos) {
      stored_ = std::string(value) + " s";
      return stored_;
    }
    if (key == "MSLEVEL" && style_ != msp_style::matchms && value.size() == 1) {
      stored_ = "MS" + std::string(value);
      return stored_;
    }
    if (key != "IONMODE") return value;
    std::string const mode = normalized_key(value);
    bool const negative = mode == "negative" || mode == "neg" || mode == "n" || mode == "-";
    if (!negative && mode != "positive" && mode != "pos" && mode != "p" && mode != "+") return value;
    switch (style_) {
      case msp_style::nist:
        return negative ? "N" : "P";
      case msp_style::massbank:
        return negative ? "NEGATIVE" : "POSITIVE";
      case msp_style::matchms:
        break;
    }
    return negative ? "negative" : "positive";
  }

  msp_style style_;
  bool named_ = false;
  std::string& out_;
  std::string number_, stored_;
};

// Appends an annotation so that a reader does not take it for peaks.
void add_annotation(std::string_view annotation, std::string& output) {
  output += '\t';
  bool const is_plain = annotation.starts_with('"') ||
                        (annotation.find_first_of("0123456789+-.") != 0 && annotation.find(';') == annotation.npos);
  if (!is_plain) output += '"';
  output += annotation;
  if (!is_plain) output += '"';
}

}  // namespace

print_losses print_msp(printed_spectrum const& spectrum, sort_options const& options, std::string& title, std::string& output) {
  spectrum_header& header = spectrum.header;
  record_writer lines(options.names, output);
  auto const find = [&](std::string_view key) -> metadata_entry const* {
    auto const it = std::ranges::find(spectrum.metadata, key, &metadata_entry::key);
    return it == spectrum.metadata.end() ? nullptr : &*it;
  };
  // The name comes first, as programs expect that begin a record with it.
  auto const first_name = std::ranges::find_if(spectrum.metadata, [](metadata_entry const& entry) {
    library_key const* const known = find_library_key(normalized_key(entry.key));
    return known && known->mgf == "NAME";
  });
  metadata_entry const* const name = first_name == spectrum.metadata.end() ? nullptr : &*first_name;
  std::string printed;
  if (header.title) add_title(header, title, printed);
  lines.add("NAME", name ? name->value : header.title.value_or(""));
  if (name && header.title && *header.title != name->value) lines.add("TITLE", *header.title);
  if (!header.title && name) header.title = name->value;
  if (header.precursor_mz) lines.add("PEPMASS", *header.precursor_mz);
  if (header.precursor_intensity && std::isfinite(*header.precursor_intensity))
    lines.add("PRECURSOR_INTENSITY", *header.precursor_intensity);
  if (!header.charges.empty()) lines.add("CHARGE", fmt::format("{}", fmt::join(header.charges, ",")));
  round_time(header);
  if (header.rt_seconds && !find("RTINSECONDS")) lines.add("RTINSECONDS", *header.rt_seconds);
  if (header.scan && !find("SCANS")) lines.add("SCANS", fmt::format("{}", *header.scan));
  if (header.ms_level && !find("MSLEVEL")) lines.add("MSLEVEL", fmt::format("{}", *header.ms_level));
  if (header.ion_mobility && std::isfinite(*header.ion_mobility) && !find("ION_MOBILITY"))
    lines.add("ION_MOBILITY", *header.ion_mobility);
  for (metadata_entry const& entry : spectrum.metadata) {
    if (&entry == name) continue;
    // GNPS has the m/z of the precursor twice.
    if (entry.key == "PRECURSOR_MZ" && header.precursor_mz && number<double>(entry.value) == header.precursor_mz) continue;
    lines.add(entry.key, entry.value);
  }
  print_losses losses;
  auto const is_printed = [&](std::uint32_t i) {
    return std::isfinite(spectrum.peaks.mz[i]) && std::isfinite(spectrum.peaks.intensity[i]);
  };
  auto const count = std::ranges::count_if(spectrum.order, is_printed);
  losses.not_finite = spectrum.order.size() - std::size_t(count);
  fmt::format_to(std::back_inserter(output), "Num Peaks: {}\n", count);
  for (std::uint32_t const i : spectrum.order) {
    if (!is_printed(i)) continue;
    add_peak(spectrum.peaks.mz[i], '\t', spectrum.peaks.intensity[i], spectrum.digits, output);
    if (!spectrum.annotations.empty() && !spectrum.annotations[i].empty()) add_annotation(spectrum.annotations[i], output);
    output += '\n';
  }
  output += '\n';
  return losses;
}

}  // namespace ordo::inline v0::spectra::detail
