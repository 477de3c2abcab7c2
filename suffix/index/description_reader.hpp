#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordo/suffix/index.hpp"

namespace ordo::suffix::detail {

constexpr unsigned format_version = 1;
constexpr std::string_view format = "ordo suffix index", case_kept = "kept", case_folded = "folded to upper";
constexpr std::string_view order =
    "bytes, unsigned; a suffix ends with its record; one that ends is smaller than one that goes on; equal ones by position";

inline std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump();
}

/// Takes a description as it is read, piece by piece: a tree of all records would take ten times the memory of the file.
class description_reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  index_description about;
  std::string flaw;
  bool keeps_case = false;
  std::optional<masked_letters> masked;  // not told by old descriptions

  /// All has been read.
  [[nodiscard]] bool agree() {
    about.policy.masked = masked.value_or(keeps_case ? masked_letters::keep : masked_letters::fold);
    return about.policy.keeps_case() == keeps_case || refuse("case and mask contradict each other");
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_integer(std::int64_t) override { return unexpected("a number below 0"); }
  bool number_float(double, std::string const&) override { return unexpected("a fraction or too large a number"); }
  bool binary(binary_t&) override { return unexpected("bytes"); }

  bool number_unsigned(std::uint64_t value) override {
    switch (std::exchange(at_, none)) {
      case version_of_format:
        return value == format_version || refuse(fmt::format("version {} of the format, {} expected", value, format_version));
      case residues:
        about.residues = value;
        return true;
      case width:
        about.width = unsigned(value);
        return value == 32 || value == 40 || value == 64 || refuse(fmt::format("a width of {} bits", value));
      case sample:
        about.policy.sample = value;
        return true;
      case rows:
        about.left_rows = value;
        return true;
      case record_length:
        about.lengths.push_back(value);
        return true;
      case kmer_length:
        about.words.length = unsigned(value);
        return value <= 64 || refuse("k-mers that are too long");
      case array_bytes:
        about.arrays.back().bytes = value;
        return true;
      case record_start:
        about.starts.push_back(value);
        return true;
      default:
        return refuse("a number in the wrong place");
    }
  }

  bool string(std::string& text) override {
    switch (std::exchange(at_, none)) {
      case format_name:
        return text == format || refuse("not a suffix index");
      case version_of_writer:
        return true;
      case order_of_suffixes:
        return text == order || refuse("an unknown order of suffixes");
      case case_of_letters:
        keeps_case = text == case_kept;
        return keeps_case || text == case_folded || refuse("an unknown case of letters");
      case strands_of_records:
        return choose(about.policy.strands, strands_words, text);
      case policy_of_ambiguous:
        return choose(about.policy.ambiguous, ambiguous_words, text);
      case policy_of_mask:
        return choose(masked.emplace(), masked_words, text);
      case kmer_letters:
        about.words.letters = text;
        return true;
      case array_name:
        about.arrays.back().name = text;
        return true;
      case description_crc32:
        return checksum(about.crc32.emplace(), text);
      case array_crc32:
        return checksum(about.arrays.back().crc32, text);
      case record_name:
        about.names.push_back(text);
        return true;
      default:
        return refuse("a string in the wrong place");
    }
  }

  bool start_object(std::size_t) override {
    place const outer = place_;
    place_ = outer == place::outside   ? place::description
             : outer == place::arrays  ? place::array
             : outer == place::records ? place::record
                                       : outer;
    if (place_ == outer) return unexpected("an object");
    for (std::size_t f = 0; f < none; ++f)
      if (fields[f].in == place_) seen_[f] = false;
    if (place_ == place::array) about.arrays.emplace_back();
    return true;
  }
  bool key(std::string& name) override {
    auto const found = std::ranges::find_if(fields, [&](known const& f) { return f.in == place_ && f.name == name; });
    if (found == fields.end()) return refuse(fmt::format("an unknown field {}", json_string(name)));
    at_ = field(found - fields.begin());
    return !std::exchange(seen_[at_], true) || refuse(fmt::format("field {} twice", name));
  }
  bool end_object() override {
    for (std::size_t f = 0; f < none; ++f)
      if (fields[f].in == place_ && !seen_[f] && !fields[f].optional) return refuse(fmt::format("no field {}", fields[f].name));
    place_ = place_ == place::array ? place::arrays : place_ == place::record ? place::records : place::outside;
    return true;
  }
  bool start_array(std::size_t) override {
    field const at = std::exchange(at_, none);
    if (at != arrays && at != records) return refuse("a list in the wrong place");
    place_ = at == arrays ? place::arrays : place::records;
    return true;
  }
  bool end_array() override {
    place_ = place::description;
    return true;
  }
  bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const& e) override { return refuse(e.what()); }

 private:
  enum class place { outside, description, arrays, array, records, record };
  enum field : std::size_t {
    format_name,
    version_of_format,
    description_crc32,
    version_of_writer,
    residues,
    width,
    order_of_suffixes,
    case_of_letters,
    strands_of_records,
    policy_of_ambiguous,
    policy_of_mask,
    sample,
    rows,
    kmer_length,
    kmer_letters,
    arrays,
    records,
    array_name,
    array_bytes,
    array_crc32,
    record_name,
    record_start,
    record_length,
    none
  };
  struct known {
    place in;
    std::string_view name;
    bool optional;
  };
  static constexpr std::array<known, none> fields{{{place::description, "format", false},
                                                   {place::description, "format_version", false},
                                                   {place::description, "crc32", true},
                                                   {place::description, "version", false},
                                                   {place::description, "residues", false},
                                                   {place::description, "width", false},
                                                   {place::description, "order", false},
                                                   {place::description, "case", false},
                                                   {place::description, "strands", true},
                                                   {place::description, "ambiguous", true},
                                                   {place::description, "mask", true},
                                                   {place::description, "sample", true},
                                                   {place::description, "rows", true},
                                                   {place::description, "kmer_length", true},
                                                   {place::description, "kmer_letters", true},
                                                   {place::description, "arrays", false},
                                                   {place::description, "records", false},
                                                   {place::array, "name", false},
                                                   {place::array, "bytes", false},
                                                   {place::array, "crc32", false},
                                                   {place::record, "name", false},
                                                   {place::record, "start", false},
                                                   {place::record, "length", true}}};

  template <class Value, std::size_t N>
  bool choose(Value& value, std::array<std::string_view, N> const& words, std::string const& word) {
    auto const found = value_of<Value>(words, word);
    if (!found) return refuse(fmt::format("an unknown policy {}", json_string(word)));
    value = *found;
    return true;
  }

  bool refuse(std::string why) {
    flaw = std::move(why);
    return false;
  }
  bool unexpected(char const* what) {
    return refuse(at_ == none ? fmt::format("{} in the wrong place", what) : fmt::format("{}: {}", fields[at_].name, what));
  }
  bool checksum(std::uint32_t& crc32, std::string const& text) {
    std::from_chars(text.data(), text.data() + text.size(), crc32, 16);
    return fmt::format("{:08x}", crc32) == text || refuse("a bad checksum");
  }

  place place_ = place::outside;
  field at_ = none;  // whose value comes next
  std::array<bool, none> seen_{};
};

}  // namespace ordo::suffix::detail
