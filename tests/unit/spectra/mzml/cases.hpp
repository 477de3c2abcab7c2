#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra/mzml.hpp"
#include "spectra/encoding/binary_array.hpp"
#include "tests/unit/catch.hpp"

// mzML documents made by the tests.
namespace mzml {

using ordo::spectra::detail::number_type;
using ordo::spectra::detail::packing;

struct array {
  std::string terms;  // cvParams beside type and compression
  number_type type = number_type::float64;
  packing compression = packing::none;
  std::vector<double> values;
  std::string attributes = {};  // of the tag, besides encodedLength
};

inline constexpr char const* mz_term = R"(<cvParam cvRef="MS" accession="MS:1000514" name="m/z array" value=""/>)";
inline constexpr char const* intensity_term = R"(<cvParam cvRef="MS" accession="MS:1000515" name="intensity array" value=""/>)";
inline constexpr char const* mobility_term = R"(<cvParam accession="MS:1003007" name="raw ion mobility array" value=""/>)";

inline array mz(std::vector<double> values, number_type type = number_type::float64, packing compression = packing::none) {
  return {mz_term, type, compression, std::move(values)};
}
inline array intensity(std::vector<double> values, number_type type = number_type::float32,
                       packing compression = packing::none) {
  return {intensity_term, type, compression, std::move(values)};
}

inline std::string bytes_of(array const& one) {
  std::string made;
  auto const add = [&](auto value) { made.append(reinterpret_cast<char const*>(&value), sizeof value); };
  for (double const value : one.values) {
    switch (one.type) {
      case number_type::float32:
        add(float(value));
        break;
      case number_type::int32:
        add(std::int32_t(value));
        break;
      case number_type::int64:
        add(std::int64_t(value));
        break;
      default:
        add(value);
    }
  }
  return made;
}

inline std::string text_of(array const& one) {
  char const* const types[] = {"", "MS:1000521", "MS:1000523", "MS:1000519", "MS:1000522"};
  ordo::spectra::detail::array_codec codec;
  ordo::spectra::detail::binary_array packed;
  packed.compression = one.compression;
  std::string base64;
  std::string const bytes = bytes_of(one);
  std::size_t const length = codec.pack(packed, bytes, base64);
  return fmt::format(
      "      <binaryDataArray encodedLength=\"{}\"{}>\n       {}\n       <cvParam accession=\"{}\" name=\"t\"/>\n"
      "       <cvParam accession=\"{}\" name=\"c\"/>\n       <binary>{}</binary>\n      </binaryDataArray>\n",
      length, one.attributes, one.terms, types[std::size_t(one.type)],
      one.compression == packing::zlib ? "MS:1000574" : "MS:1000576", base64);
}

struct spectrum {
  std::vector<array> arrays;
  int level = 2;
  std::string terms = {};  // of the spectrum
  std::string scan = R"(<cvParam accession="MS:1000016" name="scan start time" value="0.5" unitAccession="UO:0000031"/>)";
  std::string ion = R"(<cvParam accession="MS:1000744" value="445.34"/><cvParam accession="MS:1000041" value="2"/>)";
  std::size_t number = 0;  // of its scan; 0: its place in the document, from 1
  [[nodiscard]] std::size_t number_at(std::size_t index) const { return number != 0 ? number : index + 1; }
};

inline std::string text_of(spectrum const& one, std::size_t index) {
  std::string made = fmt::format(
      "   <spectrum index=\"{}\" id=\"controllerType=0 scan={}\" defaultArrayLength=\"{}\">\n"
      "    <cvParam cvRef=\"MS\" accession=\"MS:1000511\" name=\"ms level\" value=\"{}\"/>\n    {}\n"
      "    <scanList count=\"1\"><scan>{}</scan></scanList>\n",
      index, one.number_at(index), one.arrays.empty() ? 0 : one.arrays[0].values.size(), one.level, one.terms, one.scan);
  if (!one.ion.empty())
    made += fmt::format(
        "    <precursorList count=\"1\"><precursor><selectedIonList count=\"1\"><selectedIon>{}</selectedIon></selectedIonList>"
        "</precursor></precursorList>\n",
        one.ion);
  made += fmt::format("    <binaryDataArrayList count=\"{}\">\n", one.arrays.size());
  for (auto const& part : one.arrays) made += text_of(part);
  return made + "    </binaryDataArrayList>\n   </spectrum>\n";
}

struct document {
  std::vector<spectrum> spectra;
  bool indexed = false;
  std::string before = R"(<?xml version="1.0" encoding="utf-8"?>)"
                       "\n";
  std::string groups = {};
  std::string checksum = "0";  // what is written there; the right one is left to those who can make it
  bool right_offsets = true;
};

inline std::string text_of(document const& one) {
  std::string made = one.before;
  if (one.indexed) made += "<indexedmzML xmlns=\"http://psi.hupo.org/ms/mzml\">\n";
  made += " <mzML xmlns=\"http://psi.hupo.org/ms/mzml\" version=\"1.1.0\">\n" + one.groups + " <run id=\"r\">\n";
  made += fmt::format("  <spectrumList count=\"{}\">\n", one.spectra.size());
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < one.spectra.size(); ++i) {
    offsets.push_back(made.size() + 3);
    made += text_of(one.spectra[i], i);
  }
  made += "  </spectrumList>\n  <chromatogramList count=\"1\">\n";
  std::size_t const chromatogram = made.size() + 3;
  made += "   <chromatogram index=\"0\" id=\"TIC\" defaultArrayLength=\"2\">\n    <binaryDataArrayList count=\"1\">\n";
  made += text_of(array{R"(<cvParam accession="MS:1000595" name="time array"/>)", number_type::float64, packing::none, {2, 1}});
  made += "    </binaryDataArrayList>\n   </chromatogram>\n  </chromatogramList>\n </run>\n </mzML>\n";
  if (!one.indexed) return made;
  auto const offset = [&](std::size_t right) { return one.right_offsets ? right : 7; };
  std::size_t const list = made.size() + 1;
  made += " <indexList count=\"2\">\n  <index name=\"spectrum\">\n";
  for (std::size_t i = 0; i < offsets.size(); ++i)
    made += fmt::format("   <offset idRef=\"controllerType=0 scan={}\">{}</offset>\n", one.spectra[i].number_at(i),
                        offset(offsets[i]));
  made += fmt::format(
      "  </index>\n  <index name=\"chromatogram\">\n   <offset idRef=\"TIC\">{}</offset>\n  </index>\n </indexList>\n",
      offset(chromatogram));
  made += fmt::format(" <indexListOffset>{}</indexListOffset>\n <fileChecksum>{}</fileChecksum>\n</indexedmzML>\n",
                      offset(list), one.checksum);
  return made;
}

inline ordo::spectra::sort_report sort(std::string_view text, std::string& out, ordo::spectra::sort_options options,
                                       ordo::spectra::format as = ordo::spectra::format::mzml) {
  ordo::memory_source from(text);
  ordo::growing_sink to;
  auto const done = ordo::spectra::sort_mzml(from, to, options, as);
  out = to.text();
  return done;
}

/// Sorts a text. The size of chunks and the number of threads must not matter.
inline std::string sorted(std::string_view text, ordo::spectra::sort_options options = {},
                          ordo::spectra::format as = ordo::spectra::format::mzml) {
  std::string first;
  options.name = "f.mzML";
  options.machine.device = ordo::device::cpu;
  for (std::size_t const block : {std::size_t{1} << 20, std::size_t{1}, std::size_t{1000}}) {
    options.chunk_bytes = block;
    options.machine.threads = block == 1 ? 1 : 3;
    std::string out;
    auto const done = sort(text, out, options, as);
    CHECK(done.bytes == text.size());
    if (first.empty()) first = out;
    CHECK((out == first));
  }
  return first;
}

/// Returns the error message of a text; empty if there is none.
inline std::string refusal(std::string_view text, ordo::spectra::format as = ordo::spectra::format::mzml) {
  std::optional<std::string> first;
  for (std::size_t const block : {std::size_t{1} << 20, std::size_t{1}}) {
    ordo::spectra::sort_options options;
    options.name = "f.mzML";
    options.machine.device = ordo::device::cpu;
    options.chunk_bytes = block;
    std::string out, message;
    try {
      sort(text, out, options, as);
    } catch (ordo::input_error const& e) {
      message = e.what();
    }
    if (!first) first = message;
    CHECK(message == *first);
  }
  return *first;
}

inline std::string without_checksum(std::string const& text) {
  auto const at = text.find("<fileChecksum>");
  return text.substr(0, at == std::string::npos ? text.size() : at);
}

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  auto const at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace mzml
