#include "tools/strsort/genomics.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "tools/cli/files/input.hpp"

namespace ordo::inline v0::strsort {
namespace {

using namespace std::string_view_literals;

// Puts the reads without a position, whose sequence is '*', after all others.
class unplaced_last final : public strings::piece_finder {
 public:
  [[nodiscard]] std::string_view find(std::string_view sequence, std::string&) const override {
    return sequence.empty() ? sequence : sequence == "*" ? "1"sv : "0"sv;
  }
};

unsigned parse_flags(std::string_view field) {
  unsigned flags = 0;
  for (char const c : field)
    if (c >= '0' && c <= '9') flags = 10 * flags + unsigned(c - '0');
  return flags;
}

// Puts reads of the forward strand before those of the reverse one at the same place, as samtools sort does.
class forward_first final : public strings::piece_finder {
 public:
  [[nodiscard]] std::string_view find(std::string_view field, std::string&) const override {
    constexpr unsigned reverse = 0x10;
    return (parse_flags(field) & reverse) != 0 ? "1"sv : "0"sv;
  }
};

// Orders reads of the same name as samtools does: of no side, the first, the second of a pair, and of each the primary line,
// the supplementary and the secondary ones.
class order_of_flags final : public strings::piece_finder {
 public:
  [[nodiscard]] std::string_view find(std::string_view field, std::string&) const override {
    constexpr std::string_view ranks = "0123456789abcdef";
    constexpr unsigned first = 0x40, second = 0x80, secondary = 0x100, supplementary = 0x800;
    unsigned const flags = parse_flags(field);
    unsigned const side = (flags & (first | second)) / first;
    return ranks.substr(4 * side + ((flags & secondary) != 0 ? 2 : 0) + ((flags & supplementary) != 0 ? 1 : 0), 1);
  }
};

// Makes texts of the names of reads whose bytes are in the order of samtools sort -n: numbers by their values and, if these are
// equal, the one with more zeros before it first.
class name_with_numbers final : public strings::piece_finder {
 public:
  [[nodiscard]] std::string_view find(std::string_view name, std::string& made) const override {
    auto const is_digit = [&](std::size_t i) { return i < name.size() && name[i] >= '0' && name[i] <= '9'; };
    for (std::size_t i = 0; i < name.size();) {
      if (!is_digit(i)) {
        made += name[i++];
        continue;
      }
      std::size_t const begin = i;
      while (i < name.size() && name[i] == '0') ++i;
      std::size_t const zeros = i - begin;
      while (is_digit(i)) ++i;
      made += '0';
      append_count(i - begin - zeros, made);
      made += name.substr(begin + zeros, i - begin - zeros);
      append_count(max_count - std::min(zeros, max_count), made);
    }
    return made;
  }

 private:
  // Counts are written in printable characters. A name of SAM has at most 254 letters.
  static constexpr std::size_t base = 94, max_count = base * base * base - 1;
  static void append_count(std::size_t count, std::string& to) {
    count = std::min(count, max_count);
    for (std::size_t const unit : {base * base, base, std::size_t{1}}) to += char('!' + count / unit % base);
  }
};

std::string lower_case(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = char(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

// Returns true if attributes of GFF3 have "Parent=", or those of GTF a transcript.
bool has_parent(std::string_view attributes) {
  while (!attributes.empty()) {
    std::string_view item = attributes.substr(0, attributes.find(';'));
    attributes.remove_prefix(std::min(attributes.size(), item.size() + 1));
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    if (item.starts_with("Parent=") || (item.starts_with("transcript_id ") && !item.ends_with("\"\""))) return true;
  }
  return false;
}

// Calls on_line(line, end) with each line and its end.
template <class OnLine>
void each_header_line(std::string_view header, OnLine on_line) {
  while (!header.empty()) {
    std::size_t const newline = header.find('\n');
    std::string_view const all = header.substr(0, newline == header.npos ? newline : newline + 1);
    std::size_t const length = all.find_last_not_of("\r\n") + 1;
    on_line(all.substr(0, length), all.substr(length));
    header.remove_prefix(all.size());
  }
}

// Returns the value of a key of "<key=value,key="value, in quotes",key=[a,b]>".
std::optional<std::string> attribute(std::string_view list, std::string_view wanted) {
  if (list.ends_with('>')) list.remove_suffix(1);
  while (!list.empty()) {
    list.remove_prefix(std::min(list.find_first_not_of(", "), list.size()));
    std::size_t const key_end = list.find_first_of("=,");
    if (key_end == list.npos) return {};
    std::string_view const key = list.substr(0, key_end);
    bool const has_value = list[key_end] == '=';
    list.remove_prefix(key_end + 1);
    if (!has_value) continue;
    std::string value;
    if (list.starts_with('"')) {
      std::size_t at = 1;
      for (; at < list.size() && list[at] != '"'; ++at) {
        if (list[at] == '\\' && at + 1 < list.size()) ++at;
        value += list[at];
      }
      list.remove_prefix(std::min(at + 1, list.size()));
      list.remove_prefix(std::min(list.find(','), list.size()));
    } else {
      std::size_t const bracket = list.starts_with('[') ? std::min(list.find(']'), list.size()) : 0;
      value = list.substr(0, list.find(',', bracket));
      list.remove_prefix(value.size());
    }
    if (key == wanted) return value;
  }
  return {};
}

// Returns the sequence that a line of a header names.
std::optional<std::string> parse_sequence(std::string_view line) {
  constexpr std::string_view contig = "##contig=<", read_to = "@SQ\t", name = "SN:";
  if (line.starts_with(contig)) return attribute(line.substr(contig.size()), "ID");
  if (!line.starts_with(read_to)) return {};
  for (line.remove_prefix(read_to.size()); !line.empty();) {
    std::string_view const tag = line.substr(0, line.find('\t'));
    if (tag.starts_with(name)) return std::string(tag.substr(name.size()));
    line.remove_prefix(std::min(tag.size() + 1, line.size()));
  }
  return {};
}

// Returns the place of the key for sequences among the keys of the format.
std::size_t sequence_key(command const& made) {
  return made.preset == "sam" ? 1 : 0;
}

// Returns the order of the sequences, for whole lines.
strings::line_comparison comparison_of_names(strings::order by, std::size_t key) {
  strings::key sequence = by.keys.at(key);
  sequence.first_field = sequence.first_character = sequence.end_character = 0;
  sequence.last_field = strings::key::to_the_end;
  sequence.reverse = false;
  by.keys = {sequence};
  by.reverse = false;
  by.last_resort = true;
  return {by, '\n'};
}

struct signature {
  std::string_view bytes, name, advice = {};
  std::size_t offset = 0;
};

constexpr std::array signatures{
    signature{"BAM\1"sv, "BAM", "samtools sort sorts it"},
    signature{"CRAM\1"sv, "CRAM", "samtools sort sorts it"},
    signature{"CRAM\2"sv, "CRAM", "samtools sort sorts it"},
    signature{"CRAM\3"sv, "CRAM", "samtools sort sorts it"},
    signature{"CRAM\4"sv, "CRAM", "samtools sort sorts it"},
    signature{"BCF\2"sv, "BCF", "bcftools sort sorts it"},
    signature{"BCF\4"sv, "BCF", "bcftools sort sorts it"},
    signature{"TBI\1"sv, "an index of tabix"},
    signature{"CSI\1"sv, "an index of htslib"},
    signature{"CSI\2"sv, "an index of htslib"},
    signature{"BAI\1"sv, "an index of htslib"},
    signature{"\x26\xfc\x8f\x88"sv, "bigWig"},
    signature{"\x88\x8f\xfc\x26"sv, "bigWig"},
    signature{"\xeb\xf2\x89\x87"sv, "bigBed"},
    signature{"\x87\x89\xf2\xeb"sv, "bigBed"},
    signature{"\x43\x27\x41\x1a"sv, "2bit"},
    signature{"PAR1\x15"sv, "Parquet"},
    signature{"ARROW1\0"sv, "Arrow"},
    signature{"Obj\1"sv, "Avro"},
    signature{"\x89HDF\r\n\x1a\n"sv, "HDF5"},
    signature{"SQLite format 3\0"sv, "a database of SQLite"},
    signature{"\x93NUMPY"sv, "an array of NumPy"},
    signature{"PK\3\4"sv, "a ZIP archive"},
    signature{"\x1f\x8b"sv, "compressed twice: gzip"},
    signature{"\x28\xb5\x2f\xfd"sv, "compressed twice: zstd"},
    signature{"\xfd"
              "7zXZ\0"sv,
              "compressed twice: xz"},
    signature{"ustar\0"sv, "a tar archive", {}, 257},
    signature{"ustar  \0"sv, "a tar archive", {}, 257},
};

}  // namespace

preset const& get_preset(std::string_view name) {
  static std::array<preset, 4> const presets{{{"bed", {"#", "track", "browser"}, false, {"1,1", "2,2n", "3,3n"}},
                                              {"gff", {}, false, {"1,1", "4,4n", "5,5nr"}},
                                              {"vcf", {"#"}, true, {"1,1", "2,2n", "4,4f", "5,5f"}},
                                              {"sam", {"@"}, true, {"3,3", "4,4n"}}}};
  return *std::ranges::find(presets, name, &preset::name);
}

void set_preset_keys(command& made) {
  preset const& format = get_preset(made.preset);
  auto const refuse = [](std::string_view first, std::string_view second) {
    throw usage_error(fmt::format("options '{}' and '--{}' are incompatible", first, second));
  };
  using strings::key_type;
  std::vector<std::string_view> orders;
  for (key_type const type : made.own) orders.push_back(std::ranges::find(own_orders, type, &own_order::type)->name);
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (made.own[i] != key_type::natural && made.own[i] != key_type::listed) refuse("--as", orders[i]);
  if (orders.size() > 1) refuse(fmt::format("--{}", orders[0]), orders[1]);

  std::vector<given_key> further;
  std::swap(further, made.keys);
  auto const finish = [&] {
    // -r reverses the keys of the format.
    for (given_key& key : made.keys) key.options.reverse = key.options.reverse != made.global.reverse;
    made.keys.insert(made.keys.end(), further.begin(), further.end());
    made.has_preset_keys = true;
  };
  if (made.names != 0) {
    if (!made.own.empty()) refuse("--as", orders[0]);
    made.keys.push_back(parse_key("1,1"));
    if (made.names == 'n') made.keys.back().finder = std::make_shared<name_with_numbers>();
    made.keys.push_back(parse_key("2,2"));
    made.keys.back().finder = std::make_shared<order_of_flags>();
    made.stable = true;
    return finish();
  }
  for (std::string_view const key : format.keys) made.keys.push_back(parse_key(key));
  given_key& sequence = made.keys.front();
  sequence.options = made.global;
  sequence.options.reverse = false;
  bool const has_type = made.global.is_numeric() || made.global.month || made.global.random || made.global.version;
  if (!made.own.empty())
    sequence.options.own = made.own.front();
  else if (format.has_sequences && !has_type)
    sequence.options.own = key_type::listed;
  made.own.clear();
  if (made.preset == "sam") {
    given_key unplaced = parse_key("3,3");
    unplaced.finder = std::make_shared<unplaced_last>();
    made.keys.insert(made.keys.begin(), unplaced);
    given_key strand = parse_key("2,2");
    strand.finder = std::make_shared<forward_first>();
    made.keys.push_back(strand);
    made.stable = true;
  }
  if (made.preset == "gff") {
    // Of features at the same place the first one of the input stays first, unless it is a child of the other.
    given_key level = parse_key("3");
    level.finder = std::make_shared<feature_level>();
    made.keys.push_back(level);
    made.stable = true;
  }
  finish();
}

std::vector<std::string> parse_sequences(std::string_view header) {
  std::vector<std::string> result;
  std::unordered_set<std::string> known;
  each_header_line(header, [&](std::string_view line, std::string_view) {
    if (auto name = parse_sequence(line); name && known.insert(*name).second) result.push_back(*name);
  });
  return result;
}

std::string with_sequences_in_order(std::string_view header, strings::line_comparison const& compare) {
  struct named_line {
    std::string name;
    std::string_view line;
  };
  std::vector<named_line> named;
  each_header_line(header, [&](std::string_view line, std::string_view) {
    if (auto name = parse_sequence(line)) named.push_back({*std::move(name), line});
  });
  std::ranges::stable_sort(named, [&](auto const& a, auto const& b) { return compare(a.name, b.name) < 0; });
  std::string made;
  auto next = named.begin();
  each_header_line(header, [&](std::string_view line, std::string_view end) {
    (made += parse_sequence(line) ? (next++)->line : line) += end;
  });
  return made;
}

std::string with_sort_order(std::string_view header, std::string_view sort_order) {
  constexpr std::string_view record = "@HD";
  // "queryname:natural" is an order within "queryname".
  std::string_view const whole = sort_order.substr(0, sort_order.find(':'));
  std::string const states = fmt::format("\tSO:{}", whole) + (whole == sort_order ? "" : fmt::format("\tSS:{}", sort_order));
  std::string first, others;
  each_header_line(header, [&](std::string_view line, std::string_view end) {
    bool const is_first =
        first.empty() && line.starts_with(record) && (line.size() == record.size() || line[record.size()] == '\t');
    if (!is_first) {
      (others += line) += end;
      return;
    }
    first = record;
    bool has_order = false;
    for (line.remove_prefix(std::min(record.size() + 1, line.size())); !line.empty();) {
      std::string_view const tag = line.substr(0, line.find('\t'));
      line.remove_prefix(std::min(tag.size() + 1, line.size()));
      // Groups, and orders within an order, are gone.
      if (tag.starts_with("GO:") || tag.starts_with("SS:")) continue;
      if (!tag.starts_with("SO:"))
        (first += '\t') += tag;
      else if (!std::exchange(has_order, true))
        first += states;
    }
    if (!has_order && sort_order != "unknown") first += states;
    first += end;
  });
  if (first.empty() && sort_order != "unknown") first = fmt::format("{}\tVN:1.6{}\n", record, states);
  return first + others;
}

std::string sorted_header(command const& made, std::string const& header, strings::order const& by) {
  bool const is_sam = made.preset == "sam";
  if (!made.has_preset_keys) return is_sam ? with_sort_order(header, "unknown") : header;
  if (made.names != 0)
    return with_sort_order(header, made.global.reverse ? "unknown"
                                   : made.names == 'n' ? "queryname:natural"
                                                       : "queryname:lexicographical");
  std::string sorted = header;
  std::size_t const key = sequence_key(made);
  bool const is_of_header = by.keys.at(key).type == strings::key_type::listed && !made.order_file;
  if (get_preset(made.preset).has_sequences && !is_of_header)
    sorted = with_sequences_in_order(header, comparison_of_names(by, key));
  return is_sam ? with_sort_order(sorted, made.global.reverse ? "unknown" : "coordinate") : sorted;
}

std::string_view feature_level::find(std::string_view fields, std::string&) const {
  // Of landmarks, genes, transcripts, mature transcripts, exons and what else has a parent, parts of those, and proteins.
  constexpr std::string_view levels = "0123456";
  auto const is = [&](std::size_t level) { return levels.substr(level, 1); };
  std::string_view const field = fields.substr(0, fields.find('\t'));
  if (field.empty()) return {};
  std::string const type = lower_case(field);
  auto const ends = [&](auto... with) { return (type.ends_with(with) || ...); };
  auto const equals = [&](auto... to) { return ((type == to) || ...); };
  if (equals("region", "chromosome", "supercontig", "contig", "scaffold", "operon")) return is(0);
  if (ends("gene", "so:0000704")) return is(1);
  if (equals("mirna")) return is(3);
  if (ends("rna", "transcript", "gene_segment") || equals("so:0000234", "so:0000673")) return is(2);
  if (ends("exon") || equals("so:0000147")) return is(4);
  if (ends("utr", "_part", "intron", "selenocysteine") || type.find("codon") != type.npos || equals("cds", "so:0000316"))
    return is(5);
  if (ends("peptide")) return is(6);
  for (int i = 0; i < 6; ++i) fields.remove_prefix(std::min(fields.find('\t'), fields.size() - 1) + 1);
  return has_parent(fields) ? is(4) : is(1);
}

void refuse_binary(cli::input& in, command const& made) {
  constexpr std::size_t max_bytes = 4096;
  bool const is_text = !made.preset.empty() || made.tabs || made.quoted;
  if (!in.compressed() && !is_text) return;
  std::string_view const head = in.front(max_bytes);
  auto const it = std::ranges::find_if(
      signatures, [&](signature const& s) { return head.size() > s.offset && head.substr(s.offset).starts_with(s.bytes); });
  if (it != signatures.end())
    throw input_error(
        fmt::format("cannot read: {}: not text, but {}{}{}", in.name(), it->name, it->advice.empty() ? "" : ": ", it->advice));
  if (std::size_t const nul = head.find('\0'); !made.preset.empty() && nul != head.npos)
    throw input_error(fmt::format("cannot read: {}: byte {} is NUL: binary data, and not {}", in.name(), nul, made.preset));
}

}  // namespace ordo::inline v0::strsort
