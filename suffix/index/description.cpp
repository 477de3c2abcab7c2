#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/description_reader.hpp"

namespace ordo::suffix {
namespace {

using detail::description_reader, detail::json_string;

constexpr std::uint64_t piece_bytes = 3 * 8;

constexpr std::string_view checksum_begin = "  \"crc32\": \"", checksum_end = "\",\n";

// The line of a description that goes between the others, neither of which are none.
std::string checksum_line(std::string_view before, std::string_view behind) {
  auto const add = [](uLong sum, std::string_view part) {
    return crc32_z(sum, reinterpret_cast<Bytef const*>(part.data()), part.size());
  };
  return fmt::format("{}{:08x}{}", checksum_begin, add(add(crc32_z(0, nullptr, 0), before), behind), checksum_end);
}

// The bytes that an array must have; nothing for a name that is none.
std::optional<std::uint64_t> bytes_of(index_description const& about, std::string_view array) {
  if (array == "sa" || array == "lcp") return about.rows() * (about.width / 8);
  if (array == "seq") return about.residues;
  if (array == "bwt") return about.residues + about.text_records();
  if (array == "pieces") return about.text_records() * piece_bytes;
  if (array == "kmers") return (about.words.count().value() + 1) * (about.width / 8);
  return std::nullopt;
}

// What a policy asks for.
std::optional<std::string> flaw_in_policy(index_description const& about) {
  policy const& which = about.policy;
  if (which.sample == 0) return "a sample of every 0th position";
  if (which.cuts() != (about.find("pieces") != nullptr)) return which.cuts() ? "no array pieces" : "pieces of whole records";
  if (about.lengths.size() != (which.cuts() ? about.starts.size() : 0)) return "records without length, or with one too many";
  if (which.rows().all() != !about.left_rows.has_value())
    return which.rows().all() ? "rows left out of all" : "the number of rows is missing";
  if (about.rows() > about.residues) return "more rows than residues";
  if (!which.rows().all() && about.find("bwt")) return "a BWT without all its rows";
  return std::nullopt;
}

// What is wrong with a description, if anything.
std::optional<std::string> flaw_in(index_description const& about) {
  if (about.starts.empty()) return "no records";
  if (about.starts.front() != 0 || !std::ranges::is_sorted(about.starts) || about.starts.back() > about.residues)
    return "the records' starts are out of order";
  if (about.residues > ~std::uint64_t{0} / 8) return "more residues than there can be";
  if (!index_fits(about.width / 8, about.residues, about.text_records())) return "the width is too small";
  if (auto const flaw = flaw_in_policy(about)) return flaw;
  for (char const* name : {"sa", "seq"})
    if (!about.find(name)) return fmt::format("no array {}", name);
  if (about.words.length != 0 || !about.words.letters.empty() || about.find("kmers")) {
    auto const byte = [](char c) { return static_cast<unsigned char>(c); };
    if (!about.words.count() || !std::ranges::is_sorted(about.words.letters, std::ranges::less_equal{}, byte))
      return "a table of k-mers that there cannot be";
    if (!about.find("kmers")) return "no array kmers";
  }
  for (index_array const& array : about.arrays) {
    auto const bytes = bytes_of(about, array.name);
    if (!bytes) return fmt::format("an unknown array {}", json_string(array.name));
    if (*bytes != array.bytes) return fmt::format("array {} of {} bytes, {} expected", array.name, array.bytes, *bytes);
    if (about.find(array.name) != &array) return fmt::format("array {} twice", array.name);
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t index_description::text_records() const {
  index_array const* const pieces = find("pieces");
  return pieces ? pieces->bytes / piece_bytes : starts.size();
}

index_array const* index_description::find(std::string_view array) const {
  auto const found = std::ranges::find(arrays, array, &index_array::name);
  return found == arrays.end() ? nullptr : &*found;
}

std::string to_json(index_description const& about) {
  std::string text;
  auto const to = std::back_inserter(text);
  policy const& which = about.policy;
  fmt::format_to(to, "{{\n  \"format\": \"{}\",\n  \"format_version\": {},\n", detail::format, detail::format_version);
  std::size_t const checksum = text.size();
  fmt::format_to(to, "  \"version\": {},\n  \"residues\": {},\n  \"width\": {},\n  \"order\": {},\n  \"case\": \"{}\",\n",
                 json_string(version), about.residues, about.width, json_string(detail::order),
                 which.keeps_case() ? detail::case_kept : detail::case_folded);
  fmt::format_to(to, "  \"strands\": \"{}\",\n  \"ambiguous\": \"{}\",\n  \"mask\": \"{}\",\n  \"sample\": {},\n",
                 strands_words[std::size_t(which.strands)], ambiguous_words[std::size_t(which.ambiguous)],
                 masked_words[std::size_t(which.masked)], which.sample);
  if (about.left_rows) fmt::format_to(to, "  \"rows\": {},\n", *about.left_rows);
  if (about.words.length != 0)
    fmt::format_to(to, "  \"kmer_length\": {},\n  \"kmer_letters\": {},\n", about.words.length,
                   json_string(about.words.letters));
  text += "  \"arrays\": [";
  for (std::size_t i = 0; i < about.arrays.size(); ++i)
    fmt::format_to(to, "{}\n    {{\"name\": {}, \"bytes\": {}, \"crc32\": \"{:08x}\"}}", i == 0 ? "" : ",",
                   json_string(about.arrays[i].name), about.arrays[i].bytes, about.arrays[i].crc32);
  text += "\n  ],\n  \"records\": [";
  for (std::size_t r = 0; r < about.names.size(); ++r) {
    fmt::format_to(to, "{}\n    {{\"name\": {}, \"start\": {}", r == 0 ? "" : ",", json_string(about.names[r]),
                   about.starts[r]);
    if (r < about.lengths.size()) fmt::format_to(to, ", \"length\": {}", about.lengths[r]);
    text += '}';
  }
  text += "\n  ]\n}\n";
  std::string_view const lines = text;
  text.insert(checksum, checksum_line(lines.substr(0, checksum), lines.substr(checksum)));
  return text;
}

bool is_altered(std::string_view json) {
  std::size_t const begin = json.find(checksum_begin);  // an array's is in the midst of a line
  std::size_t const end = begin + checksum_begin.size() + 8 + checksum_end.size();
  return begin == json.npos || end >= json.size() ||
         json.substr(begin, end - begin) != checksum_line(json.substr(0, begin), json.substr(end));
}

index_description from_json(std::string_view json, std::string const& name) {
  description_reader reader;
  std::optional<std::string> flaw;
  if (nlohmann::json::sax_parse(json.begin(), json.end(), &reader) && reader.agree())
    flaw = flaw_in(reader.about);
  else
    flaw = std::move(reader.flaw);
  if (flaw) throw input_error(fmt::format("bad index: {}: {}", name, *flaw));
  return std::move(reader.about);
}

}  // namespace ordo::suffix
