#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "spectra/import/format.hpp"
#include "spectra/import/record_reader.hpp"
#include "spectra/mzml/xml.hpp"

// MSP, the text format of NIST's libraries, as NIST, MassBank, MoNA, MS-DIAL, RIKEN and SpectraST write it. A record begins
// with Name:, has lines "key: value" up to Num Peaks: N, and then N peaks: m/z, intensity and any annotation, one a line or
// several with semicolons or blanks between them. Case does not matter in keys, nor do blanks and underscores.
namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t max_shown = 40;  // bytes of a line in a message

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

std::string_view trimmed_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Returns true if a record begins with this line.
bool begins_record(std::string_view line) {
  constexpr std::string_view name = "name:";
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  return line.size() >= name.size() && std::ranges::equal(line.substr(0, name.size()), name, {}, lower);
}

std::string normalized(std::string_view key) {
  std::string made;
  for (char const c : key)
    if (c != ' ' && c != '_' && c != '\t') made += lower(c);
  return made;
}

// Returns the number that a text begins with.
template <class T>
std::optional<T> leading(std::string_view text) {
  text = trimmed_blanks(text);
  return number<T>(text.substr(0, text.find_first_of(" \t,;/")));
}

// Reads "2", "2+", "+2", "-1", "1-", "[M+H]+" as no number.
std::optional<int> charge_of(std::string_view text) {
  text = trimmed_blanks(text);
  bool const negative = text.ends_with('-');
  if (negative || text.ends_with('+')) text.remove_suffix(1);
  auto const charge = number<int>(text);
  return charge && negative ? std::optional(-std::abs(*charge)) : charge;
}

class msp_parser final : public import_parser {
 public:
  void parse(import_text const& text, imported_spectra& to) override {
    text_ = text.view();
    to_ = &to;
    at_ = 0;
    while (at_ < text_.size()) {
      std::size_t const begin = at_;
      std::string_view const line = take_line();
      if (trimmed_blanks(line).empty() || (line.starts_with('#') && !begins_record(line))) continue;
      if (!begins_record(line)) fail(begin, fmt::format("'{}' where a record begins with Name:", shown(line)));
      read_record(begin, line);
    }
  }

 private:
  [[noreturn]] static void fail(std::size_t at, std::string const& why) { throw xml_fault(at, "not MSP", why); }
  static std::string_view shown(std::string_view line) { return trimmed_blanks(line).substr(0, max_shown); }

  std::string_view take_line() {
    std::size_t const end = text_.find('\n', at_);
    std::string_view line = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    at_ += line.size() + (end == std::string_view::npos ? 0 : 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void read_record(std::size_t begin, std::string_view line) {
    imported_spectrum one;
    one.begin = begin;
    std::optional<double> parent;
    std::optional<std::size_t> num_peaks;
    bool negative = false;
    adduct_charge_ = 0;
    std::size_t line_at = begin;
    for (;;) {
      if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      std::size_t const colon = line.find(':');
      if (colon == std::string_view::npos) fail(line_at, fmt::format("'{}' is no line \"key: value\"", shown(line)));
      std::string const key = normalized(line.substr(0, colon));
      std::string_view const value = trimmed_blanks(line.substr(colon + 1));
      if (key == "numpeaks") {
        num_peaks = leading<std::size_t>(value);
        if (!num_peaks) fail(line_at, fmt::format("Num Peaks is '{}'", shown(value)));
        break;
      }
      take(key, value, line_at, one, parent, negative);
      line_at = at_;
      if (at_ >= text_.size()) break;
      line = take_line();
      if (trimmed_blanks(line).empty() || begins_record(line)) break;
    }
    if (!num_peaks) fail(begin, "the record that begins here has no Num Peaks:");
    spectrum_header& header = one.header;
    if (!header.precursor_mz) header.precursor_mz = parent;
    if (header.charges.empty() && parent) {  // peptides: SEQUENCE/2, SEQUENCE/2_0
      std::size_t const slash = one.title.rfind('/');
      if (slash != std::string::npos)
        if (auto const charge = leading<int>(one.title.substr(slash + 1, one.title.find('_', slash) - slash - 1)))
          if (*charge != 0) header.charges.push_back(*charge);
    }
    if (header.charges.empty() && adduct_charge_ != 0) header.charges.push_back(adduct_charge_);
    if (negative) {
      charge_list turned;
      for (int const charge : header.charges) turned.push_back(-std::abs(charge));
      header.charges = turned;
    }
    if (!header.polarity && !header.charges.empty())
      header.polarity = header.charges.front() < 0 ? ion_polarity::negative : ion_polarity::positive;
    read_peaks(begin, *num_peaks);
    to_->add(std::move(one));
  }

  void take(std::string_view key, std::string_view value, std::size_t at, imported_spectrum& one, std::optional<double>& parent,
            bool& negative) {
    spectrum_header& header = one.header;
    auto const no_number = [&] { fail(at, fmt::format("{} is '{}', which is no number", key, shown(value))); };
    if (key == "name") {
      one.title = value;
    } else if (key == "precursormz") {
      if (value.empty() || normalized(value) == "n/a" || header.precursor_mz) return;
      header.precursor_mz = leading<double>(value);
      if (!header.precursor_mz) no_number();
      if (!(*header.precursor_mz > 0)) header.precursor_mz.reset();
    } else if (key == "charge") {
      if (auto const charge = charge_of(value); charge && *charge != 0 && header.charges.empty())
        header.charges.push_back(*charge);
    } else if (key == "precursortype") {  // [M+H]+, [M-2H]2-
      std::size_t const bracket = value.rfind(']');
      std::string_view const sign = bracket == std::string_view::npos ? "" : trimmed_blanks(value.substr(bracket + 1));
      adduct_charge_ = sign == "+" ? 1 : sign == "-" ? -1 : sign.find_first_of("+-") == 1 ? charge_of(sign).value_or(0) : 0;
    } else if (key == "ionmode") {
      char const first = value.empty() ? ' ' : lower(value.front());
      if (first == 'p' || first == '+') header.polarity = ion_polarity::positive;
      negative = first == 'n' || first == '-';
      if (negative) header.polarity = ion_polarity::negative;
    } else if (key == "retentiontime") {  // in minutes, as MS-DIAL and MassBank write it
      std::size_t const end = value.find_first_not_of("0123456789.+-eE");
      auto const time = number<double>(value.substr(0, end));
      std::string_view const unit = end == std::string_view::npos ? "" : trimmed_blanks(value.substr(end));
      if (time && *time >= 0) header.rt_seconds = unit.starts_with('s') ? *time : *time * 60;
    } else if (key == "scannumber" || key == "scan" || key == "scans") {
      header.scan = leading<std::uint64_t>(value);
    } else if (key == "spectrumtype" || key == "mslevel") {
      std::string_view level = value;
      if (level.size() > 2 && lower(level[0]) == 'm' && lower(level[1]) == 's') level.remove_prefix(2);
      header.ms_level = leading<unsigned>(level);
      if (header.ms_level == 0u) header.ms_level.reset();
    } else if (key == "comment" || key == "comments") {
      std::size_t const at_parent = value.find("Parent=");
      if (at_parent == std::string_view::npos || (at_parent != 0 && value[at_parent - 1] != ' ' && value[at_parent - 1] != '"'))
        return;
      std::string_view const text = value.substr(at_parent + 7);
      parent = leading<double>(text.substr(0, text.find('"')));
      if (parent && !(*parent > 0)) parent.reset();
    }
  }

  // Reads peaks up to an empty line, the next record or the end.
  void read_peaks(std::size_t record, std::size_t wanted) {
    std::size_t const before = to_->mz.size();
    while (at_ < text_.size()) {
      std::size_t const line_at = at_;
      std::string_view const line = take_line();
      if (begins_record(line)) {
        at_ = line_at;
        break;
      }
      if (trimmed_blanks(line).empty()) break;
      if (line.find_first_of(";(") == std::string_view::npos)
        read_line(line, line_at);
      else
        each_part(line, [&](std::string_view part) { read_part(part, line_at); });
    }
    std::size_t const found = to_->mz.size() - before;
    if (found != wanted)
      fail(record, fmt::format("the record that begins here has {} peaks, where Num Peaks is {}", found, wanted));
  }

  // Calls f(part) for the parts between semicolons, outside of quotation marks.
  template <class F>
  static void each_part(std::string_view line, F f) {
    while (!line.empty()) {
      std::size_t end = 0;
      for (bool quoted = false; end < line.size() && (quoted || line[end] != ';'); ++end) quoted ^= line[end] == '"';
      std::string_view const part = trimmed_blanks(line.substr(0, end));
      if (!part.empty()) f(part);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }

  // Takes the first word of a text.
  static std::string_view take_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t,()";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    std::string_view const word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
  }

  void read_part(std::string_view part, std::size_t at) {
    std::string_view rest = part;
    std::string_view const first = take_word(rest), second = take_word(rest);
    auto const mz = number<double>(first), intensity = number<double>(second);
    if (!mz || !intensity) fail(at, fmt::format("'{}' is no peak", shown(part)));
    to_->mz.push_back(*mz);
    to_->intensity.push_back(*intensity);
  }

  // A line without semicolons holds one peak with any annotation, or pairs of numbers alone.
  void read_line(std::string_view line, std::size_t at) {
    std::size_t words = 0;
    bool numbers = true;
    for (std::string_view rest = line; numbers;) {
      std::string_view const word = take_word(rest);
      if (word.empty()) break;
      numbers = number<double>(word).has_value();
      ++words;
    }
    if (!numbers || words < 4 || words % 2 != 0) return read_part(line, at);
    for (std::string_view rest = line; words != 0; words -= 2) {
      to_->mz.push_back(*number<double>(take_word(rest)));
      to_->intensity.push_back(*number<double>(take_word(rest)));
    }
  }

  std::string_view text_;
  imported_spectra* to_ = nullptr;
  std::size_t at_ = 0;
  int adduct_charge_ = 0;  // of the record, by the type of its precursor; 0: none
};

class msp_reader final : public record_reader {
 public:
  explicit msp_reader(source& input) : record_reader(input, begins_record) {}
  [[nodiscard]] std::unique_ptr<import_parser> make_parser() const override { return std::make_unique<msp_parser>(); }
};

}  // namespace

std::unique_ptr<import_reader> make_msp_reader(source& input) {
  return std::make_unique<msp_reader>(input);
}

}  // namespace ordo::inline v0::spectra::detail
