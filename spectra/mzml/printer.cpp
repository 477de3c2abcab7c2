#include "spectra/mzml/printer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "spectra/encoding/binary_array.hpp"
#include "spectra/encoding/terms.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/mzml/array_terms.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// Returns the bytes of the first character of a text, 0 if it is not UTF-8 or XML does not have it.
std::size_t character_size(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' ? 1 : 0;
  std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  unsigned const second = byte(1);
  bool const is_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool const is_outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  bool const is_none = first == 0xef && second == 0xbf && byte(2) > 0xbd;
  return is_long || is_outside || is_none ? 0 : size;
}

// Appends terms, a line each.
class term_writer {
 public:
  term_writer(std::string& output, std::size_t blanks) : output_(output), blanks_(blanks) {}
  void operator()(std::string_view accession, std::string_view name, std::string_view value = {}, std::string_view unit = {},
                  std::string_view unit_name = {}) {
    output_.append(blanks_, ' ');
    fmt::format_to(std::back_inserter(output_), "<cvParam cvRef=\"MS\" accession=\"{}\" name=\"{}\" value=\"", accession, name);
    add_attribute(value, output_);
    if (!unit.empty())
      fmt::format_to(std::back_inserter(output_), "\" unitCvRef=\"{}\" unitAccession=\"{}\" unitName=\"{}", unit.substr(0, 2),
                     unit, unit_name);
    output_ += "\"/>\n";
  }
  void operator()(std::string_view accession, std::string_view name, double value, std::string_view unit = {},
                  std::string_view unit_name = {}) {
    (*this)(accession, name, fmt::format("{}", value), unit, unit_name);
  }

 private:
  std::string& output_;
  std::size_t blanks_;
};

constexpr std::string_view mz_unit = "MS:1000040", counts = "MS:1000131", counts_name = "number of detector counts";

void print_scan(spectrum_header const& header, std::string& output) {
  output += "        <scanList count=\"1\">\n";
  term_writer(output, 10)("MS:1000795", "no combination");
  output += "          <scan>\n";
  term_writer term(output, 12);
  if (header.rt_seconds) term("MS:1000016", "scan start time", *header.rt_seconds, "UO:0000010", "second");
  if (header.compensation_voltage)
    term("MS:1001581", "FAIMS compensation voltage", *header.compensation_voltage, "UO:0000218", "volt");
  output += "          </scan>\n        </scanList>\n";
}

void print_ion(std::optional<double> mz, std::optional<double> intensity, charge_list const& charges, std::string& output) {
  output += "              <selectedIon>\n";
  term_writer term(output, 16);
  if (mz) term("MS:1000744", "selected ion m/z", *mz, mz_unit, "m/z");
  bool const is_known = charges.size() == 1;
  for (int const charge : charges)
    term(is_known ? "MS:1000041" : "MS:1000633", is_known ? "charge state" : "possible charge state",
         fmt::format("{}", std::abs(charge)));
  if (intensity && std::isfinite(*intensity)) term("MS:1000042", "peak intensity", *intensity, counts, counts_name);
  output += "              </selectedIon>\n";
}

void print_precursor(spectrum_header const& header, std::string& output) {
  output += "        <precursorList count=\"1\">\n          <precursor>\n";
  if (header.isolation_width) {
    output += "            <isolationWindow>\n";
    term_writer term(output, 14);
    term("MS:1000827", "isolation window target m/z", *header.precursor_mz, mz_unit, "m/z");
    term("MS:1000828", "isolation window lower offset", *header.isolation_width / 2, mz_unit, "m/z");
    term("MS:1000829", "isolation window upper offset", *header.isolation_width / 2, mz_unit, "m/z");
    output += "            </isolationWindow>\n";
  }
  fmt::format_to(std::back_inserter(output), "            <selectedIonList count=\"{}\">\n",
                 1 + header.other_precursors.size());
  print_ion(header.precursor_mz, header.precursor_intensity, header.charges, output);
  for (precursor_ion const& ion : header.other_precursors) print_ion(ion.mz, ion.intensity, ion.charges, output);
  output += "            </selectedIonList>\n            <activation>\n";
  term_writer term(output, 14);
  if (auto const method = terms::dissociation(header.activation.value_or("")))
    term(method->accession, method->name);
  else
    term("MS:1000044", "dissociation method");
  if (header.collision_energy) term("MS:1000045", "collision energy", *header.collision_energy, "UO:0000266", "electronvolt");
  output += "            </activation>\n          </precursor>\n        </precursorList>\n";
}

void print_array(array_kind kind, std::span<double const> values, bool single, array_encoding const& encoding,
                 array_codec& codec, std::string& output) {
  binary_array made;
  made.kind = kind;
  made.type = single ? number_type::float32 : number_type::float64;
  made.compression = packing::zlib;
  made.count = values.size();
  made = encode_as(made, encoding);
  std::string base64;
  std::size_t const characters = codec.pack_as(made, values, base64);
  fmt::format_to(std::back_inserter(output), "          <binaryDataArray encodedLength=\"{}\">\n", characters);
  term_writer term(output, 12);
  auto const type = terms::find_type(made.type), form = terms::find_form(made.coding, made.compression);
  term(type.accession, type.name);
  term(form.accession, form.name);
  if (kind == array_kind::mz)
    term("MS:1000514", "m/z array", "", mz_unit, "m/z");
  else
    term("MS:1000515", "intensity array", "", counts, counts_name);
  output += "            <binary>";
  output += base64;
  output += "</binary>\n          </binaryDataArray>\n";
}

}  // namespace

void add_attribute(std::string_view text, std::string& output) {
  while (!text.empty()) {
    std::size_t const size = character_size(text);
    std::string_view const character = text.substr(0, size);
    if (size == 0)
      output += "\xef\xbf\xbd";
    else if (character == "&")
      output += "&amp;";
    else if (character == "<")
      output += "&lt;";
    else if (character == "\"")
      output += "&quot;";
    else if (character == "\t")
      output += "&#9;";
    else
      output += character;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
}

print_losses print_mzml(printed_spectrum const& spectrum, sort_options const& options, std::string& title,
                        std::string& output) {
  thread_local array_codec codec;  // its memory and contexts are reused from spectrum to spectrum
  spectrum_header& header = spectrum.header;
  std::string_view id = header.native_id.value_or("");
  if (!id.starts_with("scan=") || id.find_first_not_of("0123456789", 5) != id.npos || id.size() == 5) id = {};
  fmt::format_to(std::back_inserter(output), "      <spectrum index=\"\" id=\"{}\" defaultArrayLength=\"{}\">\n", id,
                 spectrum.order.size());
  term_writer term(output, 8);
  unsigned const level = header.ms_level.value_or(2);
  if (level == 1)
    term("MS:1000579", "MS1 spectrum");
  else
    term("MS:1000580", "MSn spectrum");
  term("MS:1000511", "ms level", fmt::format("{}", level));
  bool const is_negative = !header.charges.empty() && header.charges.front() < 0;
  if (header.polarity == ion_polarity::negative || is_negative)
    term("MS:1000129", "negative scan");
  else if (header.polarity == ion_polarity::positive || !header.charges.empty())
    term("MS:1000130", "positive scan");
  term("MS:1000127", "centroid spectrum");
  if (header.title) {
    std::string printed;
    add_title(header, title, printed);
    term("MS:1000796", "spectrum title", printed);
  }
  if (header.scan) term("MS:1000797", "peak list scans", fmt::format("{}", *header.scan));
  auto const add_parameter = [&](std::string_view key, std::string_view value) {
    output += "        <userParam name=\"";
    output += parameter_prefix;
    add_attribute(key, output);
    output += "\" value=\"";
    add_attribute(value, output);
    output += "\" type=\"xsd:string\"/>\n";
  };
  for (metadata_entry const& entry : spectrum.metadata) add_parameter(entry.key, entry.value);
  if (!header.precursor_mz && level != 1) {  // there is no selected ion that would hold these
    add_parameter("PEPMASS", "0");
    if (!header.charges.empty()) add_parameter("CHARGE", fmt::format("{}", fmt::join(header.charges, ",")));
  }
  if (header.ion_mobility &&
      std::ranges::find(spectrum.metadata, "ION_MOBILITY", &metadata_entry::key) == spectrum.metadata.end())
    fmt::format_to(std::back_inserter(output),
                   "        <userParam name=\"{}ION_MOBILITY\" value=\"{}\" type=\"xsd:string\"/>\n", parameter_prefix,
                   *header.ion_mobility);
  round_time(header);
  print_scan(header, output);
  if (header.precursor_mz) print_precursor(header, output);
  output += "        <binaryDataArrayList count=\"2\">\n";
  std::vector<double> values(spectrum.order.size());
  auto const add = [&](array_kind kind, std::span<double const> from, bool single) {
    std::ranges::transform(spectrum.order, values.begin(), [&](std::uint32_t i) { return from[i]; });
    print_array(kind, values, single, options.encoding, codec, output);
  };
  try {
    add(array_kind::mz, spectrum.peaks.mz, spectrum.digits.mz_single);
    add(array_kind::intensity, spectrum.peaks.intensity, spectrum.digits.intensity_single);
  } catch (text_fault const& fault) {  // there is no text of an array
    throw input_error(
        fmt::format("cannot write: {}: the spectrum '{}': {}", options.name, header.title.value_or(""), fault.what()));
  }
  output += "        </binaryDataArrayList>\n      </spectrum>\n";
  print_losses losses;
  losses.annotations = std::uint64_t(
      std::ranges::count_if(spectrum.annotations, [](std::string_view annotation) { return !annotation.empty(); }));
  return losses;
}

}  // namespace ordo::inline v0::spectra::detail
