#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "spectra/encoding/terms.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/import/format.hpp"
#include "spectra/import/record_reader.hpp"
#include "spectra/msp/keys.hpp"
#include "spectra/mzspeclib/attributes.hpp"

// The text form of mzSpecLib (HUPO-PSI, 1.0). A library begins with <mzSpecLib>, its attributes and sets of attributes. Each
// spectrum begins with <Spectrum=KEY>, and has attributes, <Analyte=KEY> and <Interpretation=KEY> with theirs, and <Peaks>:
// lines of m/z, intensity and annotations. An attribute is a line "[group]ACCESSION|name=value"; the group, which a value
// shares with its unit, may be missing.
namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t max_shown = 40;  // bytes of a line in a message
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view spectrum_tag = "<Spectrum=", all_sets = "all", unit_accession = "UO:0000000";

using namespace library_terms;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view excerpt(std::string_view line) {
  return trimmed(line).substr(0, max_shown);
}

[[noreturn]] void fail(std::size_t at, std::string const& why) {
  throw text_fault(at, "not mzSpecLib", why);
}

bool begins_spectrum(std::string_view line) {
  return line.starts_with(spectrum_tag);
}

struct attribute {
  std::size_t at;  // position of its line
  std::string_view group, accession, name, value;
  std::uint32_t number = 0;  // number of an accession MS:1000041; else 0
};

attribute parse_attribute(std::string_view line, std::size_t at) {
  std::string_view text = trimmed(line);
  attribute attribute{at, {}, {}, {}, {}};
  if (text.starts_with('[')) {
    std::size_t const end = text.find(']');
    if (end == std::string_view::npos) fail(at, fmt::format("'{}' is no attribute", excerpt(line)));
    attribute.group = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  }
  std::size_t const bar = text.find('|'), equals = text.find('=', bar == std::string_view::npos ? 0 : bar);
  if (bar == std::string_view::npos) fail(at, fmt::format("'{}' is no attribute", excerpt(line)));
  attribute.accession = text.substr(0, bar);
  attribute.name = text.substr(bar + 1, equals == std::string_view::npos ? equals : equals - bar - 1);
  if (equals != std::string_view::npos) attribute.value = trimmed(text.substr(equals + 1));
  if (attribute.accession.starts_with("MS:"))
    attribute.number = number<std::uint32_t>(attribute.accession.substr(3)).value_or(0);
  return attribute;
}

// Lines of a text.
class line_source {
 public:
  line_source(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  // Returns the next line without its end; nothing after the last one.
  std::optional<std::string_view> next() {
    if (at_ >= text_.size()) return std::nullopt;
    begin_ = at_;
    auto const it = *finder_.find(text_, at_, true);
    at_ = it.next;
    return text_.substr(begin_, it.end - begin_);
  }
  void back() { at_ = begin_; }
  [[nodiscard]] std::size_t at() const { return begin_; }  // of the last line

 private:
  std::string_view text_;
  line_finder finder_;
  std::size_t at_, begin_ = 0;
};

bool is_nothing(std::string_view line) {
  std::string_view const text = trimmed(line);
  return text.empty() || text.front() == '#';
}

// The attributes of a section.
using attribute_list = std::vector<attribute>;

// Reads attributes up to the next tag.
void read_attributes(line_source& lines, attribute_list& to) {
  while (auto const line = lines.next()) {
    if (line->starts_with('<')) return lines.back();
    if (!is_nothing(*line)) to.push_back(parse_attribute(*line, lines.at()));
  }
}

// Sets of attributes that spectra, and analytes, may refer to.
struct library_front {
  std::string text;  // the text that the attributes are parts of
  std::map<std::string, attribute_list, std::less<>> spectra, analytes;
};

// The metadata of a spectrum, as its attributes give them. The first value of each counts.
struct stated_values {
  std::optional<double> selected_mz, experimental_mz, target_mz, theoretical_mz, rt_seconds, mobility, intensity;
  std::optional<std::uint64_t> scan, num_peaks;
  std::optional<unsigned> level;
  charge_list charges, possible_charges;
  std::optional<ion_polarity> polarity;
  std::string_view name, title, peptidoform, method;  // method of dissociation: "HCD"
  std::vector<metadata_entry> own;                    // properties without terms; they replace those of the same keys

  /// @param others  receives what is none of these, by the keys of MGF or the names of the attributes; nullptr: it is left out
  void take(attribute_list const& all, std::vector<metadata_entry>* others, bool of_analyte = false) {
    charge_list const before = possible_charges;
    for (attribute const& attribute : all) try {
        bool const is_known = (attribute.number == terms::possible_charge_state && !before.empty()) || take(attribute, all);
        if (!is_known && others) add(attribute, all, of_analyte, *others);
      } catch (text_fault& fault) {
        if (fault.at == text_fault::here) fault.at = attribute.at;
        throw;
      }
  }

 private:
  template <class T>
  static bool set(std::optional<T>& to, attribute const& attribute) {
    if (!to) to = parse_number<T>(attribute.name, attribute.value);
    return true;
  }

  // Adds an attribute that is no value of the header.
  void add(attribute const& attribute, attribute_list const& all, bool of_analyte, std::vector<metadata_entry>& to) {
    if (attribute.number == other_name) return add_other(attribute, all);
    bool const is_partner = attribute.accession == unit_accession || attribute.number == other_value;
    if (attribute.number == attribute_set || is_partner || attribute.value.empty() || attribute.name.empty()) return;
    std::string_view key = attribute.name, value = attribute.value;
    std::string const normalized = normalized_key(attribute.name);
    if (library_attribute const* const held = find_attribute(attribute.number)) {
      key = held->key;
    } else if (attribute.number == dissociation_method && !terms::activation(term_number(value)).empty()) {
      key = "FRAGMENTATION_MODE";
      value = method = terms::activation(term_number(value));
    } else if (library_key const* const known = find_library_key(normalized)) {
      key = known->mgf;
    }
    bool const has_term = find_attribute(attribute.number) || key == attribute.name;
    to.push_back(
        {key, value, has_term ? attribute.accession : std::string_view(), partner(attribute, all, unit_accession), of_analyte});
  }

  // Adds a property that has no term, but a name of its own.
  void add_other(attribute const& name, attribute_list const& all) {
    std::string const normalized = normalized_key(name.value);
    std::string_view const value = partner(name, all, "MS:1003276");
    if (name.value.empty() || value.empty()) return;
    if (name.value == "TITLE" && title.empty()) {
      title = value;
      return;
    }
    if (name.value == "ION_MOBILITY" && !mobility) {
      mobility = number<double>(value);
      if (mobility) return;
    }
    library_key const* const known = find_library_key(normalized);
    bool const has_own_meaning = normalized == "spectrumtype" || normalized == "retentiontime";
    own.push_back({known && !has_own_meaning ? known->mgf : name.value, value});
  }

  // Returns the value of another attribute of the group of one.
  static std::string_view partner(attribute const& of, attribute_list const& all, std::string_view accession) {
    if (of.group.empty()) return {};
    for (attribute const& other : all)
      if (other.accession == accession && other.group == of.group) return other.value;
    return {};
  }

  static std::uint32_t term_number(std::string_view value) {
    value = value.substr(0, value.find('|'));
    return value.starts_with("MS:") ? number<std::uint32_t>(value.substr(3)).value_or(0) : 0;
  }

  // @returns false for an attribute that is none of the values
  bool take(attribute const& attribute, attribute_list const& all) {
    switch (attribute.number) {
      case spectrum_name:
        if (name.empty()) name = attribute.value;
        return true;
      case proforma_notation:
        if (peptidoform.empty()) peptidoform = attribute.value;
        return false;
      case terms::selected_ion_mz:
        return set(selected_mz, attribute);
      case experimental_precursor_mz:
        return set(experimental_mz, attribute);
      case terms::isolation_target:
        return set(target_mz, attribute);
      case theoretical_ion_mz:
        return set(theoretical_mz, attribute);
      case terms::inverse_mobility:
      case terms::drift_time:
        return set(mobility, attribute);
      case precursor_intensity:
        return set(intensity, attribute);
      case scan_number:
        return set(scan, attribute);
      case number_of_peaks:
        return set(num_peaks, attribute);
      case terms::ms_level:
        return set(level, attribute);
      case terms::charge_state:
      case terms::possible_charge_state: {
        charge_list& to = attribute.number == terms::charge_state ? charges : possible_charges;
        if (attribute.number == terms::charge_state && !to.empty()) return true;
        if (auto const charge = parse_number<int>(attribute.name, attribute.value); charge && *charge != 0)
          to.push_back(*charge);
        return true;
      }
      case scan_polarity:
      case terms::positive_scan:
      case terms::negative_scan: {
        std::string_view const term =
            attribute.number == scan_polarity ? attribute.value.substr(0, attribute.value.find('|')) : attribute.accession;
        if (!polarity && term == "MS:1000129") polarity = ion_polarity::negative;
        if (!polarity && term == "MS:1000130") polarity = ion_polarity::positive;
        return true;
      }
      case retention_time:
      case local_retention_time:
      case terms::scan_start_time:
        if (!rt_seconds) read_time(attribute, all);
        return true;
      default:
        return false;
    }
  }

  // A time has its unit in another attribute of its group; without one it is in seconds.
  void read_time(attribute const& given, attribute_list const& all) {
    auto const time = parse_number<double>(given.name, given.value);
    if (!time) return;
    std::string_view const unit = partner(given, all, unit_accession);
    std::size_t const bar = unit.find('|');
    std::string_view const named = bar == std::string_view::npos ? std::string_view() : unit.substr(bar + 1);
    rt_seconds = terms::seconds(*time, unit.substr(0, bar), named);
    if (!rt_seconds)
      throw text_fault(given.at, "unit not supported",
                       fmt::format("{} is in '{}', which is no unit of time", given.name, unit));
  }
};

class mzspeclib_parser final : public import_parser {
 public:
  explicit mzspeclib_parser(library_front const& front) : front_(front) {}

  void parse(import_text const& text, imported_spectra& to) override {
    text_ = text.view();
    line_source lines(text_, 0);
    bool inside = false;  // a spectrum or what else may follow; else in the front, which the reader has read
    while (auto const line = lines.next()) {
      if (begins_spectrum(*line)) {
        read_spectrum(lines, *line, to);
        inside = true;
      } else if (inside && !is_nothing(*line) && !line->starts_with("<Cluster")) {
        if (!in_cluster_) fail(lines.at(), fmt::format("'{}' where a spectrum begins with {}", excerpt(*line), spectrum_tag));
      }
      in_cluster_ = line->starts_with("<Cluster") || (in_cluster_ && !begins_spectrum(*line));
    }
    in_cluster_ = false;
  }

 private:
  // Adds the attributes of sets: those that a section names, then those for all.
  static void add_sets(attribute_list const& own, std::map<std::string, attribute_list, std::less<>> const& sets,
                       stated_values& to, bool of_analyte, imported_spectra& spectra) {
    std::vector<metadata_entry>& others = spectra.metadata;
    auto const take = [&](std::string_view name) {
      auto const it = sets.find(name);
      if (it == sets.end()) return;
      std::vector<metadata_entry> defaults, others_before = to.own;
      to.take(it->second, &defaults, of_analyte);
      to.own.erase(std::remove_if(to.own.begin() + std::ptrdiff_t(others_before.size()), to.own.end(),
                                  [&](metadata_entry const& entry) {
                                    return std::ranges::find(others_before, entry.key, &metadata_entry::key) !=
                                           others_before.end();
                                  }),
                   to.own.end());
      std::size_t const before = spectra.metadata_ends.empty() ? 0 : spectra.metadata_ends.back();
      auto const own = std::span<metadata_entry const>(others).subspan(before);
      std::erase_if(defaults, [&](metadata_entry const& entry) {
        return std::ranges::find(own, entry.key, &metadata_entry::key) != own.end();
      });
      others.insert(others.end(), defaults.begin(), defaults.end());
    };
    for (attribute const& attribute : own)
      if (attribute.number == attribute_set) take(attribute.value);
    take(all_sets);
  }

  void read_spectrum(line_source& lines, std::string_view tag, imported_spectra& to) {
    std::size_t const begin = lines.at();
    imported_spectrum spectrum;
    spectrum.begin = begin;
    stated_values values;
    attributes_.clear();
    read_attributes(lines, attributes_);
    to.metadata.resize(to.metadata_ends.empty() ? 0 : to.metadata_ends.back());
    values.take(attributes_, &to.metadata);
    add_sets(attributes_, front_.spectra, values, false, to);
    std::size_t const before = to.mz.size();
    bool first_analyte = true;
    while (auto const line = lines.next()) {
      if (line->starts_with("<Peaks>")) {
        read_peaks(lines, to);
        break;
      }
      bool const analyte = line->starts_with("<Analyte=");
      if (!analyte && !line->starts_with("<Interpretation")) {
        lines.back();
        break;
      }
      attributes_.clear();
      read_attributes(lines, attributes_);
      if (!analyte || !std::exchange(first_analyte, false)) continue;
      values.take(attributes_, &to.metadata, true);
      add_sets(attributes_, front_.analytes, values, true, to);
    }
    std::size_t const result = to.mz.size() - before;
    if (values.num_peaks && *values.num_peaks != result)
      fail(begin, fmt::format("the spectrum that begins here has {}, where it states {}", quantity(result, "peak"),
                              *values.num_peaks));
    std::string_view key = tag.substr(spectrum_tag.size());
    spectrum.title = !values.title.empty()         ? values.title
                     : !values.name.empty()        ? values.name
                     : !values.peptidoform.empty() ? values.peptidoform
                                                   : key.substr(0, key.find('>'));
    spectrum.activation = values.method;
    set_header(values, spectrum.header);
    add_own(values, to);
    std::size_t const first = to.metadata_ends.empty() ? 0 : to.metadata_ends.back();
    for (metadata_entry const& entry : std::span(to.metadata).subspan(first))
      if (entry.key == "COLLISION_ENERGY" && !spectrum.header.collision_energy)
        spectrum.header.collision_energy = number<double>(entry.value.substr(0, entry.value.find_first_not_of("0123456789.")));
    to.add(std::move(spectrum));
  }

  // Adds the properties that are not among the attributes of terms, or have another text there.
  static void add_own(stated_values const& values, imported_spectra& to) {
    auto const is_own = [&](std::string_view key) {
      return std::ranges::find(values.own, key, &metadata_entry::key) != values.own.end();
    };
    auto const first = to.metadata.begin() + std::ptrdiff_t(to.metadata_ends.empty() ? 0 : to.metadata_ends.back());
    to.metadata.erase(std::remove_if(first, to.metadata.end(), [&](auto const& entry) { return is_own(entry.key); }),
                      to.metadata.end());
    auto const add = [&](std::string_view key, std::string_view value) {
      if (!is_own(key)) to.metadata.push_back({key, value});
    };
    if (!values.name.empty()) add("NAME", values.name);
    if (values.level == 2u) add("MSLEVEL", "2");
    if (values.polarity) add("IONMODE", values.polarity == ion_polarity::negative ? "negative" : "positive");
    to.metadata.insert(to.metadata.end(), values.own.begin(), values.own.end());
  }

  static void set_header(stated_values const& values, spectrum_header& header) {
    for (auto const& mz : {values.selected_mz, values.experimental_mz, values.target_mz, values.theoretical_mz})
      if (mz && *mz > 0 && std::isfinite(*mz) && !header.precursor_mz) header.precursor_mz = mz;
    header.precursor_intensity = values.intensity;
    header.charges = values.charges.empty() ? values.possible_charges : values.charges;
    header.rt_seconds = values.rt_seconds;
    header.scan = values.scan;
    header.ms_level = values.level;
    header.ion_mobility = values.mobility;
    header.polarity = values.polarity;
    if (values.polarity == ion_polarity::negative) {
      charge_list turned;
      for (int const charge : header.charges) turned.push_back(-std::abs(charge));
      header.charges = turned;
    }
    if (!header.polarity && !header.charges.empty())
      header.polarity = header.charges.front() < 0 ? ion_polarity::negative : ion_polarity::positive;
  }

  // Reads peaks up to an empty line, the next tag or the end.
  static void read_peaks(line_source& lines, imported_spectra& to) {
    while (auto const line = lines.next()) {
      if (line->starts_with('<')) return lines.back();
      std::string_view rest = trimmed(*line);
      if (rest.empty()) return;
      if (rest.starts_with('#')) continue;
      auto const word = [&] {
        std::string_view const made = rest.substr(0, rest.find_first_of(" \t"));
        rest = trimmed(rest.substr(made.size()));
        return number<double>(made);
      };
      auto const mz = word(), intensity = word();
      if (!mz || !intensity) fail(lines.at(), fmt::format("'{}' is no peak", excerpt(*line)));
      to.mz.push_back(*mz);
      to.intensity.push_back(*intensity);
      if (rest != "?") to.annotate(rest);  // a peak that is not explained
    }
  }

  library_front const& front_;
  std::string_view text_;
  attribute_list attributes_;
  bool in_cluster_ = false;
};

class mzspeclib_reader final : public record_reader {
 public:
  explicit mzspeclib_reader(source& input) : record_reader(input) {}
  [[nodiscard]] std::unique_ptr<import_parser> make_parser() const override {
    return std::make_unique<mzspeclib_parser>(front_);
  }

 private:
  bool begins_record(std::string_view line) override { return begins_spectrum(line); }
  void read_front(std::string_view text) override {
    line_source all(text, 0);
    std::size_t end = text.size();
    for (auto line = all.next(); line && end == text.size(); line = all.next())
      if (begins_spectrum(*line)) end = all.at();
    front_.text = text.substr(0, end);
    line_source lines(front_.text, front_.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    auto line = lines.next();
    while (line && is_nothing(*line)) line = lines.next();
    if (!line || !line->starts_with("<mzSpecLib")) fail(0, "it does not begin with <mzSpecLib>");
    attribute_list library;
    read_attributes(lines, library);
    while ((line = lines.next())) {
      constexpr std::string_view set = "<AttributeSet ";
      if (!line->starts_with(set))
        fail(lines.at(), fmt::format("'{}' where a set of attributes or a spectrum begins", excerpt(*line)));
      std::string_view const kind_and_name = line->substr(set.size());
      std::size_t const equals = kind_and_name.find('=');
      attribute_list all;
      read_attributes(lines, all);
      if (equals == std::string_view::npos) continue;
      std::string_view const kind = kind_and_name.substr(0, equals), name = kind_and_name.substr(equals + 1);
      auto* const to = kind == "Spectrum" ? &front_.spectra : kind == "Analyte" ? &front_.analytes : nullptr;
      if (to) (*to)[std::string(name.substr(0, name.find('>')))] = std::move(all);
    }
    check_sets();
  }

  // An invalid number in a set is an error once, at its line.
  void check_sets() const {
    stated_values values;
    for (auto const* const sets : {&front_.spectra, &front_.analytes})
      for (auto const& [name, all] : *sets) {
        values = {};
        values.take(all, nullptr);
      }
  }

  library_front front_;
};

}  // namespace

std::unique_ptr<import_reader> make_mzspeclib_reader(source& input) {
  return std::make_unique<mzspeclib_reader>(input);
}

}  // namespace ordo::inline v0::spectra::detail
