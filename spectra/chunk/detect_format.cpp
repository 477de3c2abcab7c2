#include "spectra/chunk/detect_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "ordo/spectra/mzml.hpp"
#include "spectra/encoding/line_finder.hpp"
#include "spectra/encoding/msp_lines.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t max_front = 4096;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", msp = "MSP", massbank = "a record of MassBank";

// Keys that a record of MSP may begin with, as msp_lines has them.
constexpr std::array msp_keys{"name"sv,           "compoundname"sv,   "recordtitle"sv,   "synon"sv,   "synonym"sv,
                              "ch$name"sv,        "precursormz"sv,    "precursortype"sv, "adduct"sv,  "ionmode"sv,
                              "ionizationmode"sv, "retentiontime"sv,  "spectrumtype"sv,  "mslevel"sv, "scannumber"sv,
                              "inchi"sv,          "inchikey"sv,       "smiles"sv,        "formula"sv, "casno"sv,
                              "instrumenttype"sv, "collisionenergy"sv};

struct signature {
  std::string_view front, kind;
};

constexpr std::array signatures{
    signature{"\x1f\x8b", "gzip data inside gzip"},
    signature{"\xff\xfe", "UTF-16 text"},
    signature{"\xfe\xff", "UTF-16 text"},
    signature{"BZh", "bzip2 data"},
    signature{"\xfd"
              "7zXZ",
              "xz data"},
    signature{"\x28\xb5\x2f\xfd", "zstd data"},
    signature{"PK\x03\x04", "a zip archive"},
    signature{"\x89HDF", "HDF5, as mzMLb and mz5 are"},
    signature{"SQLite format 3", "an SQLite database, as Bruker's .tdf and .tsf are"},
    signature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE2 file, as Sciex's .wiff is"},
    signature{"\x01\xa1"
              "F\0i\0n\0n\0"sv,
              "a Thermo RAW file"},
};

// Documents by their first tags.
constexpr std::array documents{
    signature{"mzML", "mzML"},   signature{"indexedmzML", "mzML"}, signature{"mzXML", "mzXML"},
    signature{"msRun", "mzXML"}, signature{"mzData", "mzData"},    signature{"mzSpecLib", "mzSpecLib"},
    signature{"html", "HTML"},   signature{"HTML", "HTML"},
};

// Returns the name of the first tag of an XML document, without its prefix; empty if the tag is not in this text.
std::string_view first_tag(std::string_view text) {
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    std::string_view name = text.substr(at + 1);
    if (!name.starts_with('?') && !name.starts_with('!')) {
      name = name.substr(0, name.find_first_of(" \t\r\n/>"));
      return name.substr(name.find(':') + 1);  // all of it where there is no prefix
    }
    at = text.find(name.starts_with("!--") ? "-->" : name.starts_with('?') ? "?>" : ">", at);
  }
  return {};
}

// Returns the kind of a text of lines "key: value", of which the last may be cut; nothing for another text.
std::string_view kind_of_keys(std::string_view text) {
  bool known = false, spectrast = false;
  std::string first;
  msp_lines lines;
  line_finder finder;
  for (std::size_t at = 0; at < text.size();) {
    auto const ends = *finder.find(text, at, true);
    std::string_view const line = text.substr(at, ends.end - at);
    at = ends.next;
    auto const [is, begins] = lines.next(line);
    spectrast |= line.starts_with("###") && (line.find("SpectraST") != line.npos || line.find(".sptxt") != line.npos);
    if (is == msp_lines::kind::nothing) continue;
    if (is != msp_lines::kind::header) break;
    std::string_view const key = lines.key();
    if (key.find('=') != key.npos) return {};  // a parameter of MGF
    if (is_peak_count(key)) return msp;
    if (begins) first = key;
    if (first == "accession" && key == "recordtitle") return massbank;
    known |= std::ranges::find(msp_keys, key) != msp_keys.end();
  }
  return known || spectrast ? msp : ""sv;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
}

}  // namespace

std::string_view detect_kind(std::string_view text) {
  std::string_view const all = text;
  text = text.substr(0, max_front);
  // mzPeak is Parquet in a zip archive, whose first entry has its name in front.
  bool const holds_parquet = text.find(".parquet") != std::string_view::npos || text.find("mzpeak") != std::string_view::npos;
  if (text.starts_with("PK\x03\x04") && holds_parquet) return "mzPeak (Parquet in a zip archive)";
  for (auto const& [front, kind] : signatures)
    if (text.starts_with(front)) return kind;
  // Every other byte of Latin text is zero.
  auto const zeros = std::ranges::count(text, '\0');
  if (text.size() >= 4 && std::size_t(zeros) >= text.size() / 2 - text.size() / 16 && (text[0] == 0) != (text[1] == 0))
    return "UTF-16 text";
  // DOS ended text with Ctrl-Z.
  if (std::ranges::any_of(text.substr(0, text.find_last_not_of(" \t\r\n\x1a") + 1), is_control)) return "binary data";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with('<')) {
    std::string_view const name = first_tag(text);
    for (auto const& [tag, kind] : documents)
      if (name == tag) return kind;
    return "XML";
  }
  if (text.starts_with('{') || text.starts_with('[')) return "JSON";
  if (auto const kind = kind_of_keys(all); !kind.empty()) return kind;
  if (text.starts_with("H\t") || text.starts_with("S\t")) return "MS2";
  return {};
}

std::string describe_kind(std::string_view kind, std::string_view line) {
  std::string text = line.empty() ? fmt::format("it looks like {}", kind) : fmt::format("it looks like {}: '{}'", kind, line);
  if (kind.starts_with("an SQLite"))
    return text + "; that cannot be read, but msconvert --mzML makes mzML of the .d folder that holds it";
  if (kind == "mzData" || kind.starts_with("HDF5") || kind.starts_with("an OLE2"))
    return text + "; that cannot be read, but msconvert --mzML makes mzML of it";
  if (kind == "a Thermo RAW file")
    return text + "; that cannot be read, but msconvert --mzML or ThermoRawFileParser makes mzML of it";
  return text + "; MGF, mzML, mzXML, MSP and mzSpecLib can be read";
}

std::string_view kind_of_line(std::string_view line) {
  if (line.find('\t') != std::string_view::npos) return "a table";
  for (std::size_t i = 1; i + 1 < line.size(); ++i)
    if ((line[i] == ',' || line[i] == ';') && line[i + 1] != ' ' && line[i + 1] != '\t') return "CSV";
  return {};
}

}  // namespace ordo::inline v0::spectra::detail

namespace ordo::inline v0::spectra {

std::string_view to_string(format of) {
  constexpr std::array<std::string_view, 5> names{"mgf", "mzml", "mzxml", "msp", "mzspeclib"};
  return names[std::size_t(of)];
}

format detect_format(std::string_view front) {
  std::string_view const kind = detail::detect_kind(front);
  return kind == "mzML"        ? format::mzml
         : kind == "mzXML"     ? format::mzxml
         : kind == "MSP"       ? format::msp
         : kind == "mzSpecLib" ? format::mzspeclib
                               : format::mgf;
}

std::string foreign_format(std::string_view front) {
  std::string_view const kind = detail::detect_kind(front);
  return kind.empty() || detect_format(front) != format::mgf ? "" : detail::describe_kind(kind);
}

}  // namespace ordo::inline v0::spectra
