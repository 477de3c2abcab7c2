#include "spectra/mzspeclib/writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "spectra/encoding/terms.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/msp/keys.hpp"
#include "spectra/mzspeclib/attributes.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::string_view tag = "<Spectrum=", empty_tag = "<Spectrum=>\n", name_line = "MS:1003061|library spectrum name=";

// Appends a value on one line.
void add_value(std::string_view value, std::string& output) {
  for (char const c : value) output += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
}

// Appends the attributes of a spectrum, or of its analyte, a line each.
class attribute_writer {
 public:
  explicit attribute_writer(std::string& output) : out_(output) {}

  void add(std::string_view accession, std::string_view name, std::string_view value, std::string_view unit = {}) {
    if (!unit.empty()) fmt::format_to(std::back_inserter(out_), "[{}]", ++groups_);
    fmt::format_to(std::back_inserter(out_), "{}|{}=", accession, name);
    add_value(value, out_);
    out_ += '\n';
    if (!unit.empty()) fmt::format_to(std::back_inserter(out_), "[{}]UO:0000000|unit={}\n", groups_, unit);
  }
  void add(std::uint32_t term, std::string_view name, std::string_view value, std::string_view unit = {}) {
    add(fmt::format("MS:{}", term), name, value, unit);
  }
  void add(std::uint32_t term, std::string_view name, double value, std::string_view unit = {}) {
    number_.clear();
    add_number(value, number_);
    add(term, name, number_, unit);
  }
  // Adds a property that has no term.
  void add_other(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "[{}]MS:{}|other attribute name=", ++groups_, library_terms::other_name);
    add_value(key, out_);
    fmt::format_to(std::back_inserter(out_), "\n[{}]MS:{}|other attribute value=", groups_, library_terms::other_value);
    add_value(value, out_);
    out_ += '\n';
  }

 private:
  std::string& out_;
  std::string number_;
  std::size_t groups_ = 0;  // groups of attributes so far
};

// Returns true for a number as XML writes it.
bool is_plain_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.-+eE") == text.npos && text.front() != '+' &&
         number<double>(text).has_value();
}

// Returns the number of "35 eV" and "35eV".
std::string_view number_of_volts(std::string_view text) {
  for (std::string_view const unit : {" eV", "eV"})
    if (text.ends_with(unit) && is_plain_number(text.substr(0, text.size() - unit.size())))
      return text.substr(0, text.size() - unit.size());
  return {};
}

// Returns an annotation without the quotation marks that MSP has around it. A number stays in them, as it is a charge of MGF.
std::string_view bare(std::string_view annotation) {
  bool const quoted = annotation.size() > 2 && annotation.front() == '"' && annotation.back() == '"';
  if (!quoted) return annotation;
  std::string_view const inner = annotation.substr(1, annotation.size() - 2);
  return inner.find('"') != inner.npos || inner.find_first_not_of("0123456789") == inner.npos || inner == "?" ? annotation
                                                                                                              : inner;
}

// Writes an entry.
class entry_writer {
 public:
  entry_writer(printed_spectrum const& spectrum, std::string& title, std::string& output)
      : spectrum_(spectrum), header_(spectrum.header), title_(title), out_(output), of_spectrum_(output) {}

  print_losses write() {
    out_ += empty_tag;
    sort_metadata();
    add_names();
    add_ion();
    bool any_analyte = std::ranges::any_of(entries_, [&](known_entry const& entry) { return entry.of_analyte(); });
    if (!any_analyte) add_charges(of_spectrum_);
    for (known_entry const& entry : entries_)
      if (!entry.of_analyte()) add(entry, of_spectrum_);
    auto const is_printed = [&](std::uint32_t i) {
      return std::isfinite(spectrum_.peaks.mz[i]) && std::isfinite(spectrum_.peaks.intensity[i]);
    };
    auto const count = std::ranges::count_if(spectrum_.order, is_printed);
    of_spectrum_.add(library_terms::number_of_peaks, "number of peaks", fmt::format("{}", count));
    for (known_entry const& entry : entries_)
      if (!entry.has_term || entry.repeats) of_spectrum_.add_other(entry.key, entry.of->value);
    if (any_analyte) {
      out_ += "<Analyte=1>\n";
      attribute_writer of_analyte(out_);
      add_charges(of_analyte);
      for (known_entry const& entry : entries_)
        if (entry.of_analyte()) add(entry, of_analyte);
    }
    out_ += "<Peaks>\n";
    for (std::uint32_t const i : spectrum_.order) {
      if (!is_printed(i)) continue;
      add_peak(spectrum_.peaks.mz[i], '\t', spectrum_.peaks.intensity[i], spectrum_.digits, out_);
      if (!spectrum_.annotations.empty() && !spectrum_.annotations[i].empty()) {
        out_ += '\t';
        out_ += bare(spectrum_.annotations[i]);
      }
      out_ += '\n';
    }
    out_ += '\n';
    return {.not_finite = spectrum_.order.size() - std::size_t(count)};
  }

 private:
  // A property, and where it goes.
  struct known_entry {
    metadata_entry const* of;
    std::string_view key;                // a key of MGF
    library_attribute const* attribute;  // nullptr: there is none for the key
    bool has_term;
    bool repeats = false;  // else its text is that of an other attribute
    [[nodiscard]] bool of_analyte() const {
      return attribute ? attribute->of_analyte && (has_term || !term_value(*this).empty()) : has_term && of->of_analyte;
    }
  };

  // Returns the value of the term of an entry.
  static std::string_view term_value(known_entry const& entry) {
    if (entry.has_term) return entry.of->value;
    return entry.key == "COLLISION_ENERGY" ? number_of_volts(entry.of->value) : std::string_view();
  }

  // Finds the terms of properties. A key that comes again has its first value as the term.
  void sort_metadata() {
    for (metadata_entry const& entry : spectrum_.metadata) {
      if (!entry.accession.empty()) {
        entries_.push_back({&entry, entry.key, find_attribute(entry.key), true});
        continue;
      }
      std::string const normalized = normalized_key(entry.key);
      bool const has_own_meaning = normalized == "spectrumtype" || normalized == "retentiontime";
      library_key const* const known = has_own_meaning ? nullptr : find_library_key(normalized);
      std::string_view const key = known ? known->mgf : entry.key == "USI" ? "USI" : std::string_view();
      if (key == "NAME" && !name_) {
        name_ = &entry;
        continue;
      }
      if (is_in_header(key, entry)) continue;
      library_attribute const* const attribute = find_attribute(key);
      auto const first = std::ranges::find(entries_, key, &known_entry::key);
      bool const is_first = first == entries_.end();
      if (!is_first) first->repeats = true;  // all its values are other attributes, too;
      bool const has_term = attribute && is_first && (attribute->unit.empty() || is_plain_number(entry.value));
      entries_.push_back({&entry,
                          key.empty()     ? entry.key
                          : key == "NAME" ? "SYNON"
                                          : key,
                          is_first ? attribute : nullptr, has_term});
    }
  }

  // Returns true if the attributes of the header say all of a property.
  bool is_in_header(std::string_view key, metadata_entry const& entry) {
    std::string_view const value = entry.value;
    if (key == "IONMODE" && (value == "positive" || value == "negative") && !polarity_) {
      polarity_ = value == "negative" ? ion_polarity::negative : ion_polarity::positive;
      return true;
    }
    if (key == "MSLEVEL") return header_.ms_level && value == fmt::format("{}", *header_.ms_level);
    if (key == "PEPMASS" || entry.key == "PRECURSOR_MZ")
      return header_.precursor_mz && number<double>(value) == header_.precursor_mz;
    if (key == "FRAGMENTATION_MODE" && !method_ && terms::dissociation(value)) {
      method_ = terms::dissociation(value);
      return true;
    }
    return false;
  }

  void add_names() {
    std::string printed;
    if (header_.title) add_title(header_, title_, printed);
    out_ += name_line;
    add_value(name_ ? name_->value : std::string_view(printed), out_);
    out_ += '\n';
    if (name_ && header_.title && *header_.title != name_->value) of_spectrum_.add_other("TITLE", *header_.title);
    if (!header_.title && name_) header_.title = name_->value;
  }

  void add_ion() {
    using namespace library_terms;
    if (header_.ms_level) of_spectrum_.add(terms::ms_level, "ms level", fmt::format("{}", *header_.ms_level));
    if (polarity_)
      of_spectrum_.add(scan_polarity, "scan polarity",
                       *polarity_ == ion_polarity::negative ? "MS:1000129|negative scan" : "MS:1000130|positive scan");
    if (header_.precursor_mz) of_spectrum_.add(terms::selected_ion_mz, "selected ion m/z", *header_.precursor_mz);
    if (header_.precursor_intensity && std::isfinite(*header_.precursor_intensity))
      of_spectrum_.add(precursor_intensity, "previous MSn-1 scan precursor intensity", *header_.precursor_intensity);
    round_time(header_);
    if (header_.rt_seconds) of_spectrum_.add(retention_time, "retention time", *header_.rt_seconds, "UO:0000010|second");
    if (header_.scan) of_spectrum_.add(scan_number, "scan number", fmt::format("{}", *header_.scan));
    auto const has = [&](std::string_view key) {
      return std::ranges::find(entries_, key, &known_entry::key) != entries_.end();
    };
    if (!method_ && !has("FRAGMENTATION_MODE")) method_ = terms::dissociation(header_.activation.value_or(""));
    if (method_)
      of_spectrum_.add(dissociation_method, "dissociation method", fmt::format("{}|{}", method_->accession, method_->name));
    if (header_.collision_energy && !has("COLLISION_ENERGY"))
      of_spectrum_.add(terms::collision_energy, "collision energy", *header_.collision_energy, "UO:0000266|electronvolt");
    if (header_.ion_mobility && std::isfinite(*header_.ion_mobility) && !has("ION_MOBILITY")) {
      std::string number;
      add_number(*header_.ion_mobility, number);
      of_spectrum_.add_other("ION_MOBILITY", number);  // in a unit that is not known
    }
  }

  void add_charges(attribute_writer& to) const {
    bool const is_known = header_.charges.size() == 1;
    for (int const charge : header_.charges)
      to.add(is_known ? terms::charge_state : terms::possible_charge_state, is_known ? "charge state" : "possible charge state",
             fmt::format("{}", charge));
  }

  void add(known_entry const& entry, attribute_writer& to) const {
    if (!entry.attribute) {
      if (entry.has_term) to.add(entry.of->accession, entry.of->key, entry.of->value, entry.of->unit);
      return;
    }
    std::string_view const value = term_value(entry);
    if (value.empty()) return;
    bool const is_read = !entry.of->accession.empty();
    to.add(entry.attribute->term, entry.attribute->name, value, is_read ? entry.of->unit : entry.attribute->unit);
  }

  printed_spectrum const& spectrum_;
  spectrum_header& header_;
  std::string& title_;
  std::string& out_;
  attribute_writer of_spectrum_;
  std::vector<known_entry> entries_;
  metadata_entry const* name_ = nullptr;
  std::optional<ion_polarity> polarity_;
  std::optional<terms::term> method_;
};

}  // namespace

print_losses print_mzspeclib(printed_spectrum const& spectrum, sort_options const& /*options*/, std::string& title,
                             std::string& output) {
  return entry_writer(spectrum, title, output).write();
}

library_sink::library_sink(sink& to, std::string_view name) : to_(to) {
  std::string const stem = std::filesystem::path(name).stem().string();
  made_ = "<mzSpecLib>\nMS:1003186|library format version=1.0\nMS:1003188|library name=";
  add_value(stem.empty() ? "library" : stem, made_);
  made_ += '\n';
}

// An entry ends with an empty line, and there is none inside of it.
void library_sink::write(std::span<char const> data) {
  constexpr std::string_view end_of_entry = "\n\n";
  std::size_t const seen = pending_.empty() ? 0 : pending_.size() - 1;
  pending_.append(data.data(), data.size());
  std::string_view rest = pending_;
  for (std::size_t from = seen;; from = 0) {
    std::size_t const end = rest.find(end_of_entry, from);
    if (end == rest.npos) break;
    add_entry(rest.substr(0, end + end_of_entry.size()));
    rest.remove_prefix(end + end_of_entry.size());
  }
  pending_.erase(0, pending_.size() - rest.size());
  flush();
}

void library_sink::add_entry(std::string_view entry) {
  entry.remove_prefix(empty_tag.size() + name_line.size());
  fmt::format_to(std::back_inserter(made_), "{}{}>\n{}", tag, ++spectra_, name_line);
  if (entry.front() == '\n') fmt::format_to(std::back_inserter(made_), "{}", spectra_);  // a spectrum must have a name
  made_ += entry;
}

void library_sink::flush() {
  to_.write(made_);
  written_ += made_.size();
  made_.clear();
}

}  // namespace ordo::inline v0::spectra::detail
