#include "tools/sufsort/files/other_formats.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::sufsort {
namespace {

using namespace std::string_view_literals;

constexpr auto samtools = "convert it first, as by samtools fasta"sv, columns = "write its column of text as JSONL first"sv,
               shards = "python -m ordosort.corpus removes its copies; else write its column of text as JSONL first"sv,
               unpack = "unpack it first"sv, convert = "convert it to FASTA first"sv,
               text_of_it = "write its text as lines first"sv, one_a_line = "write an object a line, which is JSONL"sv,
               table = "write its column of text as JSONL, or read whole lines by --format=lines"sv;

struct magic {
  std::string_view bytes;
  other_format format;
  std::size_t at = 0;
};
// No text begins with these.
constexpr std::array magics{magic{"PAR1"sv, {"Parquet", shards}},
                            magic{"ARROW1\0"sv, {"Arrow", shards}},
                            magic{"ORC"sv, {"ORC", columns}},
                            magic{"Obj\1"sv, {"Avro", columns}},
                            magic{"BAM\1"sv, {"BAM", samtools}},
                            magic{"CRAM"sv, {"CRAM", samtools}},
                            magic{"BCF\2"sv, {"BCF", convert}},
                            magic{"\x89HDF\r\n"sv, {"HDF5", convert}},
                            magic{"SQLite format 3\0"sv, {"SQLite", columns}},
                            magic{"\x1a\x41\x27\x43"sv, {"2bit", "convert it first, as by twoBitToFa"}},
                            magic{"\x43\x27\x41\x1a"sv, {"2bit", "convert it first, as by twoBitToFa"}},
                            magic{"NCBI.sra"sv, {"SRA", "convert it first, as by fasterq-dump"}},
                            magic{"ABIF"sv, {"ABI", convert}},
                            magic{"PK\3\4"sv, {"ZIP", unpack}},
                            magic{"7z\xbc\xaf\x27\x1c"sv, {"7z", unpack}},
                            magic{"Rar!\x1a"sv, {"RAR", unpack}},
                            magic{"ustar"sv, {"tar", unpack}, 257},
                            magic{"%PDF-"sv, {"PDF", text_of_it}}};
// Lines with which formats of text begin.
constexpr std::array beginnings{magic{"LOCUS  "sv, {"GenBank", convert}},
                                magic{"ID   "sv, {"EMBL", convert}},
                                magic{"##fileformat=VCF"sv, {"VCF", convert}},
                                magic{"##gff-version"sv, {"GFF", convert}},
                                magic{"# STOCKHOLM"sv, {"Stockholm", convert}},
                                magic{"CLUSTAL"sv, {"Clustal", convert}},
                                magic{"#NEXUS"sv, {"NEXUS", convert}},
                                magic{"@HD\t"sv, {"SAM", samtools}},
                                magic{"@SQ\t"sv, {"SAM", samtools}},
                                magic{"@RG\t"sv, {"SAM", samtools}},
                                magic{"@PG\t"sv, {"SAM", samtools}},
                                magic{"@CO\t"sv, {"SAM", samtools}},
                                magic{"<?xml"sv, {"XML", text_of_it}},
                                magic{"<!DOCTYPE html"sv, {"HTML", text_of_it}},
                                magic{"<html"sv, {"HTML", text_of_it}},
                                magic{"{\\rtf"sv, {"RTF", text_of_it}}};
constexpr std::array names{
    std::pair{".parquet"sv, other_format{"Parquet", shards}}, std::pair{".csv"sv, other_format{"CSV", table}},
    std::pair{".tsv"sv, other_format{"TSV", table}},           std::pair{".gb"sv, other_format{"GenBank", convert}},
    std::pair{".gbk"sv, other_format{"GenBank", convert}},     std::pair{".embl"sv, other_format{"EMBL", convert}},
    std::pair{".bam"sv, other_format{"BAM", samtools}},        std::pair{".sam"sv, other_format{"SAM", samtools}},
    std::pair{".cram"sv, other_format{"CRAM", samtools}},      std::pair{".vcf"sv, other_format{"VCF", convert}},
    std::pair{".json"sv, other_format{"JSON", one_a_line}}};

template <std::size_t N>
std::optional<other_format> find(std::array<magic, N> const& among, std::string_view begin) {
  auto const it = std::ranges::find_if(
      among, [&](magic const& magic) { return begin.size() > magic.at && begin.substr(magic.at).starts_with(magic.bytes); });
  return it == among.end() ? std::nullopt : std::optional(it->format);
}

/// Returns true if the first lines are divided into the same number of columns, three or more.
bool has_columns(std::string_view begin, char separator) {
  std::ptrdiff_t columns = -1;
  for (int line = 0; line < 3; ++line) {
    std::size_t const end = begin.find('\n');
    if (end == begin.npos) return line >= 2;  // the rest of a line, or nothing
    auto const count = std::ranges::count(begin.substr(0, end), separator);
    if (count < 2 || (columns >= 0 && count != columns)) return false;
    columns = count;
    begin.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

std::optional<other_format> detect_other_format(std::string_view begin) {
  return find(magics, begin);
}

std::optional<other_format> detect_other_format(std::string_view name, std::string_view begin) {
  if (auto const binary = detect_other_format(begin)) return binary;
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (auto const text = find(beginnings, begin)) return text;
  if (begin.empty() || begin.starts_with('>') || begin.starts_with('@') || begin.starts_with(';')) return std::nullopt;
  for (std::string_view const compressed : {".gz", ".bgz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(compressed)) name.remove_suffix(compressed.size());
  for (auto const& [end, format] : names)
    if (name.ends_with(end)) return format;
  if (begin.starts_with('{') || begin.starts_with('[')) return other_format{"JSON", one_a_line};
  if (has_columns(begin, ',')) return other_format{"CSV", table};
  if (has_columns(begin, '\t')) return other_format{"TSV", table};
  return std::nullopt;
}

void expect_fasta(std::string const& name, std::string_view begin, std::string_view advice) {
  if (auto const other = detect_other_format(name, begin))
    throw input_error(fmt::format("no FASTA: {}: it is {}: {}", name, other->name, other->advice));
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  bool has_comments = false;
  for (std::uint64_t line = 1;; ++line) {
    std::size_t const end = begin.find('\n');
    std::string_view text = begin.substr(0, end);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r"), text.size()));
    bool const is_comment = text.starts_with(';');
    has_comments |= is_comment;
    if (text.starts_with('>') || text.starts_with('@')) return;
    if (!text.empty() && !is_comment)
      throw input_error(
          fmt::format("bad FASTA: {}:{}: text before the first '>': {}", name, line,
                      has_comments ? "a line that begins with ';' is a comment, not the name of a record" : advice));
    if (end == begin.npos) return;
    begin.remove_prefix(end + 1);
  }
}

}  // namespace ordo::inline v0::sufsort
