#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr unsigned format_version = 1;
constexpr std::string_view format = "ordo suffix index", case_kept = "kept", case_folded = "folded to upper";
constexpr std::string_view order =
    "bytes, unsigned; a suffix ends with its record; one that ends is smaller than one that goes on; equal ones by position";

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump();
}

/// Reads a description by SAX: a tree of all records would take ten times the memory of the file.
class description_reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  index_description description;
  std::string flaw;
  bool keeps_case = false;
  std::optional<masked_letters> masked;  // absent from old descriptions

  /// Checks fields against each other once all have been read.
  [[nodiscard]] bool agree() {
    description.policy.masked = masked.value_or(keeps_case ? masked_letters::keep : masked_letters::fold);
    return description.policy.keeps_case() == keeps_case || refuse("case and mask contradict each other");
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_integer(std::int64_t) override { return unexpected("a negative number"); }
  bool number_float(double, std::string const&) override { return unexpected("a fraction or too large a number"); }
  bool binary(binary_t&) override { return unexpected("bytes"); }

  bool number_unsigned(std::uint64_t value) override {
    switch (std::exchange(at_, none)) {
      case version_of_format:
        return value == format_version ||
               refuse(fmt::format(
                   "format version {}, expected {}: build the index again, or use the version of Ordo that wrote it", value,
                   format_version));
      case residues:
        description.residues = value;
        return true;
      case width:
        description.width = unsigned(value);
        return value == 32 || value == 40 || value == 64 || refuse(fmt::format("unsupported width of {} bits", value));
      case sample:
        description.policy.sample = value;
        return true;
      case rows:
        description.kept_rows = value;
        return true;
      case record_length:
        description.lengths.push_back(value);
        return true;
      case file_records:
        description.files.back().records = value;
        file_records_ += value;
        return value <= file_records_ || refuse("too many records");
      case file_bad_lines:
        description.files.back().bad_lines = value;
        return true;
      case fm_sample:
        description.fm_sample = value;
        return true;
      case fm_letters:
        description.fm_letters = value;
        return value <= 256 || refuse("too many letters of the FM index");
      case kmer_length:
        description.kmers.length = unsigned(value);
        return value <= 64 || refuse("the k-mers are too long");
      case array_bytes:
        description.arrays.back().bytes = value;
        return true;
      case part_bytes:
        description.arrays.back().parts.back().bytes = value;
        return true;
      case record_start:
        description.starts.push_back(value);
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
        return text == order || refuse("unknown order of suffixes");
      case case_of_letters:
        keeps_case = text == case_kept;
        return keeps_case || text == case_folded || refuse("unknown case of letters");
      case strands_of_records:
        return choose(description.policy.strands, strands_words, text);
      case policy_of_ambiguous:
        return choose(description.policy.ambiguous, ambiguous_words, text);
      case policy_of_mask:
        return choose(masked.emplace(), masked_words, text);
      case kmer_letters:
        description.kmers.letters = text;
        return true;
      case input_of_text:
        return choose(description.input, input_words, text, "format of the input");
      case separator_of_records:
        return from_hex(description.separator, text) || refuse("invalid separator");
      case field_of_records:
        description.field = text;
        return true;
      case cut_of_records:
        description.is_cut = true;
        return text == "lengths" || refuse("unknown records");
      case file_name:
        description.files.back().name = text;
        return true;
      case file_cut:
        description.files.back().is_cut = true;
        return text == "unreadable" || refuse("unknown file");
      case array_name:
        description.arrays.back().name = text;
        return true;
      case description_crc32:
        return checksum(description.crc32.emplace(), text);
      case array_crc32:
        return checksum(description.arrays.back().crc32, text);
      case part_crc32:
        return checksum(description.arrays.back().parts.back().crc32, text);
      case record_name:
        description.names.push_back(text);
        return true;
      default:
        return refuse("a string in the wrong place");
    }
  }

  bool start_object(std::size_t) override {
    context const outer = context_;
    context_ = outer == context::outside   ? context::description
               : outer == context::arrays  ? context::array
               : outer == context::parts   ? context::part
               : outer == context::records ? context::record
               : outer == context::files   ? context::file
                                           : outer;
    if (context_ == outer) return unexpected("an object");
    for (std::size_t f = 0; f < none; ++f)
      if (fields[f].in == context_) seen_[f] = false;
    if (context_ == context::array) description.arrays.emplace_back();
    if (context_ == context::part) description.arrays.back().parts.emplace_back();
    if (context_ == context::file) {
      description.files.emplace_back();
      description.files.back().first_record = file_records_;
    }
    return true;
  }
  bool key(std::string& name) override {
    auto const it = std::ranges::find_if(fields, [&](known const& f) { return f.in == context_ && f.name == name; });
    if (it == fields.end())
      return refuse(fmt::format("unknown field {}: it is damaged, or a later version of Ordo wrote it", json_string(name)));
    at_ = field(it - fields.begin());
    return !std::exchange(seen_[at_], true) || refuse(fmt::format("field {} twice", name));
  }
  bool end_object() override {
    for (std::size_t f = 0; f < none; ++f)
      if (fields[f].in == context_ && !seen_[f] && !fields[f].optional)
        return refuse(fmt::format("no field {}", fields[f].name));
    context_ = context_ == context::array    ? context::arrays
               : context_ == context::part   ? context::parts
               : context_ == context::record ? context::records
               : context_ == context::file   ? context::files
                                             : context::outside;
    return true;
  }
  bool start_array(std::size_t) override {
    field const at = std::exchange(at_, none);
    if (at != arrays && at != parts && at != records && at != files) return refuse("a list in the wrong place");
    context_ = at == arrays ? context::arrays : at == parts ? context::parts : at == files ? context::files : context::records;
    return true;
  }
  bool end_array() override {
    bool const ends_parts = context_ == context::parts;
    context_ = ends_parts ? context::array : context::description;
    return !ends_parts || !description.arrays.back().parts.empty() || refuse("an array of no parts");
  }
  bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const& e) override { return refuse(e.what()); }

 private:
  enum class context { outside, description, arrays, array, parts, part, files, file, records, record };
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
    fm_sample,
    fm_letters,
    kmer_length,
    kmer_letters,
    input_of_text,
    separator_of_records,
    cut_of_records,
    field_of_records,
    files,
    arrays,
    records,
    array_name,
    array_bytes,
    array_crc32,
    parts,
    part_bytes,
    part_crc32,
    file_name,
    file_records,
    file_bad_lines,
    file_cut,
    record_name,
    record_start,
    record_length,
    none
  };
  struct known {
    context in;
    std::string_view name;
    bool optional;
  };
  static constexpr std::array<known, none> fields{{{context::description, "format", false},
                                                   {context::description, "format_version", false},
                                                   {context::description, "crc32", true},
                                                   {context::description, "version", false},
                                                   {context::description, "residues", false},
                                                   {context::description, "width", false},
                                                   {context::description, "order", false},
                                                   {context::description, "case", false},
                                                   {context::description, "strands", true},
                                                   {context::description, "ambiguous", true},
                                                   {context::description, "mask", true},
                                                   {context::description, "sample", true},
                                                   {context::description, "rows", true},
                                                   {context::description, "fm_sample", true},
                                                   {context::description, "fm_letters", true},
                                                   {context::description, "kmer_length", true},
                                                   {context::description, "kmer_letters", true},
                                                   {context::description, "input", true},
                                                   {context::description, "separator", true},
                                                   {context::description, "cut", true},
                                                   {context::description, "field", true},
                                                   {context::description, "files", true},
                                                   {context::description, "arrays", false},
                                                   {context::description, "records", false},
                                                   {context::array, "name", false},
                                                   {context::array, "bytes", false},
                                                   {context::array, "crc32", false},
                                                   {context::array, "parts", true},
                                                   {context::part, "bytes", false},
                                                   {context::part, "crc32", false},
                                                   {context::file, "name", false},
                                                   {context::file, "records", false},
                                                   {context::file, "bad_lines", true},
                                                   {context::file, "rest", true},
                                                   {context::record, "name", false},
                                                   {context::record, "start", false},
                                                   {context::record, "length", true}}};

  template <class Value, std::size_t N>
  bool choose(Value& value, std::array<std::string_view, N> const& words, std::string const& word,
              std::string_view subject = "policy") {
    auto const parsed = parse_word<Value>(words, word);
    if (!parsed) return refuse(fmt::format("unknown {} {}", subject, json_string(word)));
    value = *parsed;
    return true;
  }

  bool refuse(std::string why) {
    flaw = std::move(why);
    return false;
  }
  bool unexpected(char const* subject) {
    return refuse(at_ == none ? fmt::format("{} in the wrong place", subject)
                              : fmt::format("{}: {}", fields[at_].name, subject));
  }
  bool checksum(std::uint32_t& crc32, std::string const& text) {
    std::from_chars(text.data(), text.data() + text.size(), crc32, 16);
    return fmt::format("{:08x}", crc32) == text || refuse("invalid checksum");
  }

  static bool from_hex(std::string& bytes, std::string_view digits) {
    for (std::size_t at = 0; at + 2 <= digits.size(); at += 2) {
      unsigned byte = 0;
      auto const [end, error] = std::from_chars(digits.data() + at, digits.data() + at + 2, byte, 16);
      if (error != std::errc{} || end != digits.data() + at + 2) return false;
      bytes += static_cast<char>(byte);
    }
    return digits.size() % 2 == 0 && !digits.empty();
  }

  std::uint64_t file_records_ = 0;  // records of the files so far
  context context_ = context::outside;
  field at_ = none;  // the field whose value comes next
  std::array<bool, none> seen_{};
};

constexpr std::uint64_t piece_bytes = 3 * 8, start_bytes = 8;

constexpr std::string_view checksum_begin = "  \"crc32\": \"", checksum_end = "\",\n";

// Returns the line with the checksum of the lines before and after it, neither of which are empty.
std::string checksum_line(std::string_view before, std::string_view after) {
  auto const add = [](uLong sum, std::string_view part) {
    return crc32_z(sum, reinterpret_cast<Bytef const*>(part.data()), part.size());
  };
  return fmt::format("{}{:08x}{}", checksum_begin, add(add(crc32_z(0, nullptr, 0), before), after), checksum_end);
}

// Returns the size that an array must have; nothing for an unknown name.
std::optional<std::uint64_t> size_in_bytes(index_description const& description, std::string_view array) {
  if (array == "sa" || array == "lcp") return description.rows() * (description.width / 8);
  if (array == "seq") return description.residues * bytes_per_residue(description.input);
  if (array == "bwt") return description.residues + description.text_records();
  if (array == "pieces") return description.text_records() * piece_bytes;
  if (array == "starts") return description.text_records() * start_bytes;
  if (array == "fm" || array == "rlfm") return description.find(array)->bytes;  // the FM index knows its size
  if (array == "kmers") return (description.kmers.count().value() + 1) * (description.width / 8);
  return std::nullopt;
}

// Checks the fields that a policy requires.
std::optional<std::string> flaw_in_policy(index_description const& description) {
  policy const& rules = description.policy;
  if (rules.sample == 0) return "the sample must be above 0";
  if (rules.cuts() != (description.find("pieces") != nullptr))
    return rules.cuts() ? "the array pieces is missing" : "pieces although the records are whole";
  if (description.lengths.size() != (rules.cuts() ? description.starts.size() : 0))
    return "lengths of records are missing or superfluous";
  if (rules.rows().all() != !description.kept_rows.has_value())
    return rules.rows().all() ? "rows are left out although all are kept" : "the number of rows is missing";
  if (description.rows() > description.residues) return "more rows than residues";
  if (!rules.rows().all() && description.find("bwt")) return "a BWT although rows are left out";
  return std::nullopt;
}

// Checks the records of a description.
std::optional<std::string> flaw_in_records(index_description const& description) {
  bool const fasta = description.input == input_format::fasta;
  if (!fasta && !description.starts.empty()) return "records of FASTA, but another input";
  if (fasta &&
      (!description.files.empty() || !description.separator.empty() || !description.field.empty() || description.is_cut))
    return "files, a separator or a field, but FASTA";
  if (fasta == (description.find("starts") != nullptr))
    return fasta ? "an array of starts, but FASTA" : "the array starts is missing";
  if (description.records() == 0) return "no records";
  if (!fasta) {
    policy rules{.masked = masked_letters::keep};
    rules.sample = description.policy.sample;
    if (description.policy != rules) return "a policy of nucleotides, but another input than FASTA";
    if (description.kmers.length != 0) return "k-mers, but another input than FASTA";
    if (has_lines(description.input) && !description.separator.empty()) return "a separator, but lines";
    if (description.field.empty() != (description.input != input_format::jsonl)) return "a field is missing or superfluous";
    if (description.files.empty() ||
        description.files.back().first_record + description.files.back().records != description.records())
      return "the files have another number of records";
    return std::nullopt;
  }
  if (description.starts.front() != 0 || !std::ranges::is_sorted(description.starts) ||
      description.starts.back() > description.residues)
    return "the records' starts are out of order";
  return std::nullopt;
}

// Checks the parts of an array whose size is right.
std::optional<std::string> flaw_in_parts(index_array const& array, unsigned width) {
  if (array.name != "sa") return fmt::format("array {} in parts", array.name);
  if (array.parts.size() > max_parts) return fmt::format("array {} has {} parts", array.name, array.parts.size());
  std::uint64_t left = array.bytes;
  for (std::size_t k = 0; k < array.parts.size(); ++k) {
    std::uint64_t const bytes = array.parts[k].bytes;
    bool const is_last = k + 1 == array.parts.size();
    if (is_last ? bytes != left : bytes > left || bytes % (entries_of_part * (width / 8)) != 0)
      return fmt::format("part {} has {} bytes", name_of_part(array.name, k + 1), bytes);
    left -= bytes;
  }
  if (join_parts(array.name, array.parts).crc32 != array.crc32)
    return fmt::format("the checksums of the parts of array {} are not those of the array", array.name);
  return std::nullopt;
}

// Checks a description, and returns what is wrong.
std::optional<std::string> find_flaw(index_description const& description) {
  if (auto const flaw = flaw_in_records(description)) return flaw;
  if (description.residues > ~std::uint64_t{0} / 8) return "too many residues";
  if (!index_fits(description.width / 8, description.residues, description.text_records())) return "the width is too small";
  if (auto const flaw = flaw_in_policy(description)) return flaw;
  bool const has_runs = description.find("rlfm") != nullptr, has_fm = has_runs || description.find("fm");
  if (has_runs) {
    policy const rules{.strands = strands::both};
    if (description.policy != rules || description.input != input_format::fasta)
      return "runs of another text than both strands";
    for (index_array const& array : description.arrays)
      if (array.name != "rlfm" && array.name != "pieces") return fmt::format("array {} beside runs", json_string(array.name));
  } else if (!description.find("seq")) {
    return "the array seq is missing";
  }
  if (!description.find("sa") && !has_fm && !description.policy.rows().all())
    return "the array sa is missing";  // a text or a BWT may stand alone
  if (has_fm != (description.fm_sample != 0) || (!has_fm && description.fm_letters != 0))
    return has_fm ? "the sample of the FM index is missing" : "the FM index is missing";
  if (has_fm && !description.policy.rows().all()) return "an FM index although rows are left out";
  if (!description.find("sa") && (description.find("lcp") || description.find("kmers"))) return "rows without the array sa";
  if (description.kmers.length != 0 || !description.kmers.letters.empty() || description.find("kmers")) {
    auto const byte = [](char c) { return static_cast<unsigned char>(c); };
    if (!description.kmers.count() || !std::ranges::is_sorted(description.kmers.letters, std::ranges::less_equal{}, byte))
      return "impossible k-mer table";
    if (!description.find("kmers")) return "the array kmers is missing";
  }
  for (index_array const& array : description.arrays) {
    auto const bytes = size_in_bytes(description, array.name);
    if (!bytes) return fmt::format("unknown array {}", json_string(array.name));
    if (*bytes != array.bytes) return fmt::format("array {} has {} bytes, expected {}", array.name, array.bytes, *bytes);
    if (!array.parts.empty())
      if (auto const flaw = flaw_in_parts(array, description.width)) return flaw;
    if (description.find(array.name) != &array) return fmt::format("array {} twice", array.name);
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t index_description::text_records() const {
  index_array const *const pieces = find("pieces"), *const begins = find("starts");
  return pieces ? pieces->bytes / piece_bytes : begins ? begins->bytes / start_bytes : starts.size();
}

void index_description::append_name(std::string& to, std::size_t record) const {
  if (input == input_format::fasta) {
    to += names[record];
    return;
  }
  // The last file that begins with this record or before it. Files without records begin where the next one does.
  input_file const& file = *(std::ranges::upper_bound(files, record, {}, &input_file::first_record) - 1);
  to += file.name;
  if (has_lines(input) || file.records != 1) fmt::format_to(std::back_inserter(to), ":{}", record - file.first_record + 1);
}

index_array const* index_description::find(std::string_view array) const {
  auto const it = std::ranges::find(arrays, array, &index_array::name);
  return it == arrays.end() ? nullptr : &*it;
}

std::string to_json(index_description const& description) {
  std::string text;
  auto const to = std::back_inserter(text);
  policy const& rules = description.policy;
  fmt::format_to(to, "{{\n  \"format\": \"{}\",\n  \"format_version\": {},\n", format, format_version);
  std::size_t const checksum = text.size();
  fmt::format_to(to, "  \"version\": {},\n  \"residues\": {},\n  \"width\": {},\n  \"order\": {},\n  \"case\": \"{}\",\n",
                 json_string(version), description.residues, description.width, json_string(order),
                 rules.keeps_case() ? case_kept : case_folded);
  fmt::format_to(to, "  \"strands\": \"{}\",\n  \"ambiguous\": \"{}\",\n  \"mask\": \"{}\",\n  \"sample\": {},\n",
                 strands_words[std::size_t(rules.strands)], ambiguous_words[std::size_t(rules.ambiguous)],
                 masked_words[std::size_t(rules.masked)], rules.sample);
  if (description.kept_rows) fmt::format_to(to, "  \"rows\": {},\n", *description.kept_rows);
  if (description.fm_sample != 0)
    fmt::format_to(to, "  \"fm_sample\": {},\n  \"fm_letters\": {},\n", description.fm_sample, description.fm_letters);
  if (description.kmers.length != 0)
    fmt::format_to(to, "  \"kmer_length\": {},\n  \"kmer_letters\": {},\n", description.kmers.length,
                   json_string(description.kmers.letters));
  if (description.input != input_format::fasta) {
    fmt::format_to(to, "  \"input\": \"{}\",\n", input_words[std::size_t(description.input)]);
    if (!description.separator.empty()) {
      text += "  \"separator\": \"";
      for (char const c : description.separator) fmt::format_to(to, "{:02x}", static_cast<unsigned char>(c));
      text += "\",\n";
    }
    if (!description.field.empty()) fmt::format_to(to, "  \"field\": {},\n", json_string(description.field));
    if (description.is_cut) text += "  \"cut\": \"lengths\",\n";
    text += "  \"files\": [";
    for (std::size_t i = 0; i < description.files.size(); ++i) {
      input_file const& file = description.files[i];
      fmt::format_to(to, "{}\n    {{\"name\": {}, \"records\": {}", i == 0 ? "" : ",", json_string(file.name), file.records);
      if (file.bad_lines != 0) fmt::format_to(to, ", \"bad_lines\": {}", file.bad_lines);
      text += file.is_cut ? ", \"rest\": \"unreadable\"}" : "}";
    }
    text += "\n  ],\n";
  }
  text += "  \"arrays\": [";
  for (std::size_t i = 0; i < description.arrays.size(); ++i) {
    index_array const& array = description.arrays[i];
    fmt::format_to(to, "{}\n    {{\"name\": {}, \"bytes\": {}, \"crc32\": \"{:08x}\"", i == 0 ? "" : ",",
                   json_string(array.name), array.bytes, array.crc32);
    for (std::size_t k = 0; k < array.parts.size(); ++k)
      fmt::format_to(to, "{}\n      {{\"bytes\": {}, \"crc32\": \"{:08x}\"}}", k == 0 ? ", \"parts\": [" : ",",
                     array.parts[k].bytes, array.parts[k].crc32);
    text += array.parts.empty() ? "}" : "]}";
  }
  text += "\n  ],\n  \"records\": [";
  for (std::size_t r = 0; r < description.names.size(); ++r) {
    fmt::format_to(to, "{}\n    {{\"name\": {}, \"start\": {}", r == 0 ? "" : ",", json_string(description.names[r]),
                   description.starts[r]);
    if (r < description.lengths.size()) fmt::format_to(to, ", \"length\": {}", description.lengths[r]);
    text += '}';
  }
  text += "\n  ]\n}\n";
  std::string_view const lines = text;
  text.insert(checksum, checksum_line(lines.substr(0, checksum), lines.substr(checksum)));
  return text;
}

bool is_altered(std::string_view json) {
  std::size_t const begin = json.find(checksum_begin);  // the checksum of an array is inside a line
  std::size_t const end = begin + checksum_begin.size() + 8 + checksum_end.size();
  return begin == json.npos || end >= json.size() ||
         json.substr(begin, end - begin) != checksum_line(json.substr(0, begin), json.substr(end));
}

index_description from_json(std::string_view json, std::string const& name) {
  description_reader reader;
  std::optional<std::string> flaw;
  if (nlohmann::json::sax_parse(json.begin(), json.end(), &reader) && reader.agree())
    flaw = find_flaw(reader.description);
  else
    flaw = std::move(reader.flaw);
  if (flaw) throw input_error(fmt::format("bad index: {}: {}", name, *flaw));
  return std::move(reader.description);
}

}  // namespace ordo::inline v0::suffix
