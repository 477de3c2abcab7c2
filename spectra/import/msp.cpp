#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "spectra/encoding/msp_lines.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/import/format.hpp"
#include "spectra/import/record_reader.hpp"
#include "spectra/msp/keys.hpp"

// MSP, the text format of NIST's libraries, as NIST, AMDIS, MassBank, MoNA, MS-DIAL, SpectraST, matchms, msPurity and others
// write it. A record has lines "key: value" and the number of its peaks, and then the peaks: m/z, intensity and any annotation,
// one a line or several with semicolons, parentheses or blanks between them. Case does not matter in keys, nor do blanks and
// underscores.
namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t max_shown = 40;   // bytes of a line in a message
constexpr std::size_t max_charges = 8;  // the capacity of a charge_list

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = lower(c);
  return made;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns the first word of a text.
std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t"));
}

// Takes the first word off a text.
std::string_view consume_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::string_view const word = first_word(text);
  text.remove_prefix(word.size());
  return word;
}

// Returns true for a number such as 445,5, whose decimals a reader of 445 would lose.
bool has_decimal_comma(std::string_view text) {
  std::string_view const word = first_word(msp_trimmed(text));
  std::size_t const comma = word.find(',');
  return comma != std::string_view::npos && comma != 0 && comma + 1 < word.size() && is_digit(word[comma - 1]) &&
         is_digit(word[comma + 1]) && word.substr(0, comma).find('.') == std::string_view::npos;
}

// Returns the number that a text begins with.
template <class T>
std::optional<T> leading(std::string_view text) {
  text = msp_trimmed(text);
  return number<T>(text.substr(0, text.find_first_of(" \t,;/")));
}

// Returns the number before other text: "35eV", "60 % (nominal)".
std::optional<double> number_in_front(std::string_view text) {
  return number<double>(text.substr(0, text.find_first_not_of("0123456789.")));
}

// Returns true for a time of more digits than are printed, which stays as it is.
bool has_many_digits(std::string_view text) {
  return std::ranges::count_if(text, is_digit) > 10;
}

// Returns true for what programs write for a value that is not known.
bool is_unknown(std::string_view value) {
  constexpr std::array<std::string_view, 7> all{"", "n/a", "na", "nan", "none", "null", "unknown"};
  return std::ranges::find(all, lower(value)) != all.end();
}

// Reads "2", "2+", "+2", "-1", "1-", "[M+H]+" as no number.
std::optional<int> parse_charge(std::string_view text) {
  text = msp_trimmed(text);
  bool const negative = text.ends_with('-');
  if (negative || text.ends_with('+')) text.remove_suffix(1);
  auto const charge = number<int>(text);
  return charge && negative ? std::optional(-std::abs(*charge)) : charge;
}

// Returns the charge that the type of a precursor states: [M+H]+, [M-2H]2-; 0 if it states none.
int adduct_charge(std::string_view type) {
  std::size_t const bracket = type.rfind(']');
  std::string_view const sign = bracket == std::string_view::npos ? "" : msp_trimmed(type.substr(bracket + 1));
  if (sign == "+" || sign == "-") return sign == "+" ? 1 : -1;
  return sign.find_first_of("+-") == 1 ? parse_charge(sign).value_or(0) : 0;
}

std::optional<ion_polarity> parse_polarity(std::string_view value) {
  std::string const mode = lower(value);
  if (mode == "p" || mode.starts_with("pos") || mode.starts_with('+')) return ion_polarity::positive;
  if (mode == "n" || mode.starts_with("neg") || mode.starts_with('-')) return ion_polarity::negative;
  return std::nullopt;
}

// Returns the number after "name=" in a comment.
std::optional<double> number_in_comment(std::string_view comment, std::string_view name) {
  for (std::size_t at = comment.find(name); at != std::string_view::npos; at = comment.find(name, at + 1)) {
    if (at != 0 && comment[at - 1] != ' ' && comment[at - 1] != '"') continue;
    std::string_view const text = comment.substr(at + name.size());
    return leading<double>(text.substr(0, text.find('"')));
  }
  return std::nullopt;
}

// The seconds of a unit of time; nothing for a text that is none.
std::optional<double> seconds_of_unit(std::string_view unit) {
  struct known_unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<known_unit, 14> all{{{"s", 1},
                                            {"sec", 1},
                                            {"secs", 1},
                                            {"second", 1},
                                            {"seconds", 1},
                                            {"m", 60},
                                            {"min", 60},
                                            {"mins", 60},
                                            {"minute", 60},
                                            {"minutes", 60},
                                            {"h", 3600},
                                            {"hour", 3600},
                                            {"hours", 3600},
                                            {"ms", 0.001}}};
  std::string name = lower(unit);
  std::erase_if(name, [](char c) { return c == '(' || c == ')' || c == '.'; });
  auto const it = std::ranges::find(all, name, &known_unit::name);
  return it == all.end() ? std::nullopt : std::optional(it->seconds);
}

// Peaks of a record.
class peak_reader {
 public:
  explicit peak_reader(imported_spectra& to) : to_(to) {}

  // Reads all peaks of a line. @returns false if it holds something else; some peaks may have been read
  bool read_line(std::string_view line) {
    line = msp_trimmed(line);
    if (line.starts_with('(')) return read_groups(line);
    if (line.find(';') == std::string_view::npos) return read_part(line);
    while (!line.empty()) {  // between semicolons outside of quotation marks
      std::size_t end = 0;
      for (bool quoted = false; end < line.size() && (quoted || line[end] != ';'); ++end) quoted ^= line[end] == '"';
      std::string_view const part = msp_trimmed(line.substr(0, end));
      if (!part.empty() && !read_part(part)) return false;
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return true;
  }

  // Reads a line as one peak, whatever follows its two numbers.
  bool read_single(std::string_view line) {
    line = msp_trimmed(line);
    std::string_view const mz = consume_word(line);
    if (!add(mz, consume_word(line))) return false;
    to_.annotate(msp_trimmed(line));
    return true;
  }

 private:
  bool add(std::string_view mz, std::string_view intensity) {
    auto const first = number<double>(mz), second = number<double>(intensity);
    if (!first || !second) return false;
    to_.mz.push_back(*first);
    to_.intensity.push_back(*second);
    return true;
  }

  // Reads "70:10" or "70,10".
  bool add_joined(std::string_view pair) {
    std::size_t const between = pair.find_first_of(":,");
    return between != std::string_view::npos && add(pair.substr(0, between), pair.substr(between + 1));
  }

  // Takes the next word without commas around it.
  static std::string_view consume_value(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size()));
    std::string_view word = consume_word(text);
    while (word.ends_with(',')) word.remove_suffix(1);
    return word;
  }

  // Reads "(50 10) (51 18)".
  bool read_groups(std::string_view line) {
    for (;;) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t,;"), line.size()));
      if (line.empty()) return true;
      std::size_t const end = line.find(')');
      if (line.front() != '(' || end == std::string_view::npos) return false;
      std::string_view pair = line.substr(1, end - 1);
      std::string_view const first = consume_value(pair), second = consume_value(pair);
      if (!pair.empty() && !msp_trimmed(pair).empty()) return false;
      if (!(second.empty() ? add_joined(first) : add(first, second))) return false;
      line.remove_prefix(end + 1);
    }
  }

  // Reads one peak with any annotation, or pairs of numbers alone.
  bool read_part(std::string_view part) {
    std::string_view rest = part;
    std::string_view const first = consume_value(rest);
    if (first.find_first_of(":,") != std::string_view::npos) return read_joined(part);
    std::string_view const second = consume_value(rest);
    if (!add(first, second)) return false;
    rest = msp_trimmed(rest);
    if (rest.empty()) return true;
    std::size_t words = 0;
    bool only_numbers = true;
    for (std::string_view others = rest; only_numbers && !others.empty(); others = msp_trimmed(others), ++words)
      only_numbers = number<double>(consume_value(others)).has_value();
    if (!only_numbers || words % 2 != 0) {
      to_.annotate(rest);
      return true;
    }
    for (; words != 0; words -= 2) {
      std::string_view const mz = consume_value(rest);
      static_cast<void>(add(mz, consume_value(rest)));
    }
    return true;
  }

  // Reads "70:10 76:35", and an annotation after them.
  bool read_joined(std::string_view part) {
    char const* const end = part.data() + part.size();
    for (bool any = false;; any = true) {
      std::string_view const pair = consume_value(part);
      if (pair.empty()) return true;
      if (add_joined(pair)) continue;
      if (!any || is_digit(pair.front())) return false;
      to_.annotate(std::string_view(pair.data(), std::size_t(end - pair.data())));
      return true;
    }
  }

  imported_spectra& to_;
};

class msp_parser final : public import_parser {
 public:
  explicit msp_parser(sort_options const& options) : lenient_(options.lenient), unit_seconds_(options.rt_unit_seconds) {}

  void parse(import_text const& text, imported_spectra& to) override {
    std::string_view const all = text.view();
    to_ = &to;
    lines_.restart();
    line_finder finder;
    bool inside = false;
    for (std::size_t at = 0; at < all.size();) {
      auto const ends = *finder.find(all, at, true);
      std::string_view const line = all.substr(at, ends.end - at);
      msp_lines::classified_line const result = lines_.next(line);
      if (result.begins) {
        if (std::exchange(inside, true)) end_record();
        begin_record(at);
      }
      if (result.is == msp_lines::kind::header)
        read_header(at);
      else if (result.is == msp_lines::kind::peaks)
        peak_lines_.push_back({at, line});
      else if (result.is == msp_lines::kind::other)
        read_other(at, line, inside);
      at = ends.next;
    }
    if (inside) end_record();
  }

 private:
  struct peak_line {
    std::size_t at;
    std::string_view text;
  };

  [[noreturn]] static void fail(std::size_t at, std::string const& why) { throw text_fault(at, "not MSP", why); }
  static std::string_view excerpt(std::string_view line) { return msp_trimmed(line).substr(0, max_shown); }

  // A fault of a line that is left out if the input may be wrong.
  void forgive(std::size_t at, std::string const& why) {
    if (!lenient_) fail(at, why);
    ++to_->faults.lines;
  }

  void read_other(std::size_t at, std::string_view line, bool inside) {
    bool const in_header = inside && !wanted_ && peak_lines_.empty();
    if (!inside) fail(at, fmt::format("'{}' where a record begins with a line \"key: value\"", excerpt(line)));
    forgive(at, in_header ? fmt::format("'{}' is no line \"key: value\"", excerpt(line))
                          : fmt::format("'{}' where a record begins with a line \"key: value\"", excerpt(line)));
  }

  void begin_record(std::size_t at) {
    one_ = {};
    one_.begin = at;
    name_rank_ = names.size();
    parent_.reset();
    wanted_.reset();
    negative_ = false;
    adduct_charge_ = comment_charge_ = 0;
    full_name_.clear();
    peak_lines_.clear();
    to_->metadata.resize(to_->metadata_ends.empty() ? 0 : to_->metadata_ends.back());
    first_entry_ = to_->metadata.size();
  }

  // The keys of titles and names; the first of them that a record has is its title.
  static constexpr std::array<std::string_view, 5> names{"title", "recordtitle", "name", "compoundname", "ch$name"};
  static constexpr std::size_t num_titles = 2;  // the first keys, which are those of titles

  void read_header(std::size_t at) {
    std::string_view key = lines_.key(), value = lines_.value(), stated = lines_.stated_key();
    if (is_peak_count(key)) return read_count(at, key, value);
    if (auto const name = std::ranges::find(names, key); name != names.end())
      return read_name(std::size_t(name - names.begin()), value);
    if (key == "pk$peak") return;  // the names of columns
    std::string inner;
    if (has_subkeys(key)) {  // as in MassBank's records: "MS$FOCUSED_ION: PRECURSOR_M/Z 150.1"
      std::string_view const word = first_word(value), subkey = word.substr(0, word.find(':'));
      inner = normalized_key(subkey);
      if (find_library_key(inner) || is_parameter(inner)) {
        value = msp_trimmed(value.substr(std::min(subkey.size() + 1, value.size())));
        return take(inner, subkey, value, at);
      }
    }
    take(key, stated, value, at);
  }

  void read_name(std::size_t rank, std::string_view value) {
    if (rank < name_rank_) one_.title = value;
    name_rank_ = std::min(name_rank_, rank);
    if (rank >= num_titles) add(has("NAME") ? "SYNON" : "NAME", value);
  }

  // Keeps a property.
  void add(std::string_view key, std::string_view value) {
    if (!value.empty()) to_->metadata.push_back({key, value});
  }
  [[nodiscard]] bool has(std::string_view key) const {
    return std::ranges::any_of(std::span(to_->metadata).subspan(first_entry_),
                               [&](auto const& entry) { return entry.key == key; });
  }

  void read_count(std::size_t at, std::string_view key, std::string_view value) {
    if (wanted_) return;
    wanted_ = leading<std::size_t>(value);
    if (key == "numalphapeaks" && wanted_) {  // peptides with a crosslink: "17, Num beta peaks: 13"
      auto const beta = leading<std::size_t>(value.substr(std::min(value.find(':'), value.size() - 1) + 1));
      wanted_ = beta && *beta <= ~*wanted_ ? std::optional(*wanted_ + *beta) : std::nullopt;
    }
    if (!wanted_ && !lenient_) fail(at, fmt::format("{} is '{}'", lines_.stated_key(), excerpt(value)));
  }

  // The keys of the values that a header has, but for those that library_key names.
  static bool is_parameter(std::string_view key) {
    constexpr std::array<std::string_view, 7> all{"precursorm/z", "retentiontime", "rt",     "mslevel",
                                                  "mstype",       "iontype",       "ionmode"};
    return std::ranges::find(all, key) != all.end();
  }

  void take(std::string_view key, std::string_view stated, std::string_view value, std::size_t at) {
    if (read_parameter(key, stated, value, at)) return;
    library_key const* const known = find_library_key(key);
    if (known && known->mgf == "COLLISION_ENERGY" && !one_.header.collision_energy)
      one_.header.collision_energy = number_in_front(value);
    add(known ? known->mgf : stated, value);
  }

  // Takes a value of the header. @returns true if nothing of it is lost, or it states nothing
  bool read_parameter(std::string_view key, std::string_view stated, std::string_view value, std::size_t at) {
    spectrum_header& header = one_.header;
    auto const no_number = [&] {
      forgive(at, fmt::format("{} is '{}', which is no number", stated, excerpt(value)));
      return true;
    };
    if (key == "precursormz" || key == "precursorm/z" || key == "pepmass") {
      if (is_unknown(value) || header.precursor_mz) return true;
      if (!has_decimal_comma(value)) header.precursor_mz = leading<double>(value);
      if (header.precursor_mz && !std::isfinite(*header.precursor_mz)) header.precursor_mz.reset();
      if (!header.precursor_mz) return no_number();
      if (!(*header.precursor_mz > 0)) header.precursor_mz.reset();
      return true;
    }
    if (key == "precursorintensity") {
      header.precursor_intensity = leading<double>(value);
      return header.precursor_intensity.has_value();
    }
    if (key == "charge") {
      for (std::string_view rest = value; header.charges.size() < max_charges && !rest.empty();) {  // "2", "2,3"
        std::size_t const comma = std::min(rest.find(','), rest.size());
        if (auto const charge = parse_charge(rest.substr(0, comma)); charge && *charge != 0) header.charges.push_back(*charge);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
      return true;
    }
    if (key == "precursortype" || key == "adduct" || key == "adducttype" || key == "iontype") {
      if (int const charge = adduct_charge(value); charge != 0) adduct_charge_ = charge;
      return false;
    }
    if (key == "ionmode" || key == "ionizationmode" || key == "polarity") {
      auto const polarity = parse_polarity(value);
      if (!polarity && !is_unknown(value)) add(stated == "IONMODE" ? "ION_MODE" : stated, value);
      if (!polarity) return true;
      header.polarity = polarity;
      negative_ = polarity == ion_polarity::negative;
      if (!has("IONMODE")) add("IONMODE", negative_ ? "negative" : "positive");
      return true;
    }
    if (key == "retentiontime" || key == "rt") {
      if (is_unknown(value)) return true;
      if (has_decimal_comma(value)) return no_number();
      // Negative times stand for none.
      if (!read_time(value, stated.find('_') != std::string_view::npos) && !leading<double>(value)) add(stated, value);
      return true;
    }
    if (key == "rtinseconds") {
      auto const time = leading<double>(value);
      if (time && *time >= 0) header.rt_seconds = time;
      return number<double>(value) && time && *time >= 0 && !has_many_digits(value);
    }
    if (key == "ionmobility") {
      header.ion_mobility = leading<double>(value);
      return number<double>(value).has_value();
    }
    if (key == "scannumber" || key == "scan" || key == "scans") {
      header.scan = leading<std::uint64_t>(value.substr(0, value.find('-')));
      return number<std::uint64_t>(value).has_value() || is_unknown(value);
    }
    if (key == "spectrumtype" || key == "mslevel" || key == "mstype") {
      std::string_view level = value;
      if (level.size() > 2 && lower(level[0]) == 'm' && lower(level[1]) == 's') level.remove_prefix(2);
      auto const stated_level = leading<unsigned>(level);
      if (!stated_level || *stated_level == 0) {
        if (!is_unknown(value)) add("SPECTRUM_TYPE", value);
        return true;
      }
      if (!header.ms_level && *stated_level == 2) add("MSLEVEL", "2");
      header.ms_level = stated_level;
      return true;
    }
    if (key == "fullname") full_name_ = value;
    if (key == "comment" || key == "comments") {
      if (auto const parent = number_in_comment(value, "Parent="); parent && *parent > 0) parent_ = parent;
      if (auto const charge = number_in_comment(value, "Charge="); charge && std::abs(*charge) <= 100)
        comment_charge_ = int(*charge);
    }
    return false;
  }

  // MoNA has structures in the comment: "SMILES=CCO" "InChI=InChI=1S/...".
  void add_structures() {
    for (std::string_view const key : {"SMILES", "INCHI"}) {
      if (has(key)) continue;
      for (std::size_t e = first_entry_; e < to_->metadata.size(); ++e) {
        metadata_entry const entry = to_->metadata[e];
        if (entry.key != "COMMENT") continue;
        std::string_view const mark = key == "SMILES" ? "\"SMILES=" : "\"InChI=";
        std::size_t const at = entry.value.find(mark);
        if (at == entry.value.npos) continue;
        std::string_view const text = entry.value.substr(at + mark.size());
        add(key, text.substr(0, text.find('"')));
        break;
      }
    }
  }

  // Programs that write RETENTION_TIME write seconds (matchms, msPurity), those that write RT and RETENTIONTIME minutes (AMDIS,
  // MS-DIAL), but not all of them.
  // @returns true if the text is a time
  bool read_time(std::string_view value, bool is_in_seconds) {
    std::size_t const end = std::min(value.find_first_not_of("0123456789.+-eE"), value.size());
    auto const time = number<double>(value.substr(0, end));
    if (!time || !(*time >= 0)) return false;
    auto const unit = seconds_of_unit(first_word(msp_trimmed(value.substr(end))));
    if (!unit && !unit_seconds_) one_.unit = is_in_seconds ? assumed_unit::seconds : assumed_unit::minutes;
    double const factor = unit.value_or(unit_seconds_.value_or(is_in_seconds ? 1 : 60));
    one_.header.rt_seconds = *time * factor;
    if (factor == 1 && has_many_digits(value.substr(0, end))) add("RTINSECONDS", value.substr(0, end));
    return true;
  }

  void end_record() {
    if (!wanted_ && !lenient_) fail(one_.begin, "the record that begins here has no Num Peaks:");
    spectrum_header& header = one_.header;
    if (!header.precursor_mz) header.precursor_mz = parent_;
    if (header.charges.empty() && (parent_ || !full_name_.empty()))  // peptides: SEQUENCE/2, SEQUENCE/2_0
      if (auto const charge = peptide_charge(full_name_.empty() ? one_.title : full_name_)) header.charges.push_back(*charge);
    if (header.charges.empty() && adduct_charge_ != 0) header.charges.push_back(adduct_charge_);
    if (header.charges.empty() && comment_charge_ != 0) header.charges.push_back(comment_charge_);
    if (negative_) {
      charge_list turned;
      for (int const charge : header.charges) turned.push_back(-std::abs(charge));
      header.charges = turned;
    }
    if (!header.polarity && !header.charges.empty())
      header.polarity = header.charges.front() < 0 ? ion_polarity::negative : ion_polarity::positive;
    add_structures();
    read_peaks();
    to_->add(std::move(one_));
  }

  static std::optional<int> peptide_charge(std::string_view name) {
    std::size_t const slash = name.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    auto const charge = leading<int>(name.substr(slash + 1, name.find('_', slash) - slash - 1));
    return charge && *charge != 0 ? charge : std::nullopt;
  }

  void read_peaks() {
    std::size_t const before = to_->mz.size();
    peak_reader reader(*to_);
    std::uint64_t bad_lines = 0;
    peak_line const* first_bad = nullptr;
    // @param single  a line is one peak, whatever follows its two numbers
    auto const read = [&](bool single) {
      to_->cut_peaks(before);
      bad_lines = 0;
      for (peak_line const& line : peak_lines_) {
        std::size_t const good = to_->mz.size();
        if (single ? reader.read_single(line.text) : reader.read_line(line.text)) continue;
        to_->cut_peaks(good);
        if (bad_lines++ == 0) first_bad = &line;
      }
      return to_->mz.size() - before;
    };
    std::size_t result = read(false);
    if (bad_lines == 0 && result == wanted_) return;
    // Where there are as many lines as peaks, more numbers and semicolons in a line are an annotation.
    if (peak_lines_.size() == wanted_ && (bad_lines != 0 || *wanted_ > 1)) {
      if (read(true); bad_lines == 0) return;
      result = read(false);
    }
    if (bad_lines != 0 && !lenient_) fail(first_bad->at, fmt::format("'{}' is no peak", excerpt(first_bad->text)));
    to_->faults.lines += bad_lines;
    if (result == wanted_) return;
    if (!lenient_)
      fail(one_.begin,
           fmt::format("the record that begins here has {}, where Num Peaks is {}", quantity(result, "peak"), *wanted_));
    ++to_->faults.counts;
  }

  bool lenient_;
  std::optional<double> unit_seconds_;
  msp_lines lines_;
  imported_spectra* to_ = nullptr;

  // The record that is being read.
  imported_spectrum one_;
  std::size_t name_rank_ = 0;  // the rank of its title in `names`
  std::optional<double> parent_;
  std::optional<std::size_t> wanted_;  // peaks
  bool negative_ = false;
  int adduct_charge_ = 0, comment_charge_ = 0;  // 0: not stated
  std::string full_name_;
  std::vector<peak_line> peak_lines_;
  std::size_t first_entry_ = 0;  // the place of its metadata in imported_spectra
};

class msp_reader final : public record_reader {
 public:
  msp_reader(source& input, sort_options const& options) : record_reader(input), options_(options) {}
  [[nodiscard]] std::unique_ptr<import_parser> make_parser() const override { return std::make_unique<msp_parser>(options_); }

 private:
  void begin_text() override { lines_.restart(); }
  bool begins_record(std::string_view line) override { return lines_.next(line).begins; }

  sort_options const& options_;
  msp_lines lines_;
};

}  // namespace

std::unique_ptr<import_reader> make_msp_reader(source& input, sort_options const& options) {
  return std::make_unique<msp_reader>(input, options);
}

}  // namespace ordo::inline v0::spectra::detail
