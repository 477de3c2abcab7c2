#include "spectra/mzml/spectra.hpp"

#include "spectra/mzml/printer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "spectra/encoding/xml.hpp"
#include "spectra/mzml/array_terms.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// Returns true if the text is free of XML markup, as base64 and most other text is.
bool is_plain(std::string_view text) {
  if (text.find(']') != std::string_view::npos) return false;
  // Mostly all characters are from '+' to 'z': no difference has a sign. The loop has no branch for a byte, so that the
  // compiler can work on many at a time.
  signed char signs = 0;
  for (signed char const c : text) signs |= static_cast<signed char>(static_cast<signed char>(c - '+') | ('z' - c));
  return signs >= 0 || std::ranges::all_of(text, [](char c) { return is_space(c) || (c > '&' && c <= '~'); });
}

// Returns the value of a key in a native id: "controllerType=0 controllerNumber=1 scan=7".
std::string_view id_value(std::string_view id, std::string_view key) {
  for (std::size_t at = 0; at < id.size();) {
    std::string_view const word = id.substr(at, id.find(' ', at) - at);
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=') return word.substr(key.size() + 1);
    at += word.size() + 1;
  }
  return {};
}

// Reads the charges that print_mzml states of a spectrum without a precursor m/z.
void read_missing_ion(mzml_spectrum& spectrum) {
  auto& parameters = spectrum.parameters;
  auto const find = [&](std::string_view key) {
    return std::ranges::find(parameters, key, &std::pair<std::string, std::string>::first);
  };
  if (auto const stated = find("PEPMASS"); stated == parameters.end() || stated->second != "0") return;
  parameters.erase(find("PEPMASS"));
  precursor_ion& ion = spectrum.ions.emplace_back();
  auto const stated = find("CHARGE");
  if (stated == parameters.end()) return;
  std::string_view rest = stated->second;
  while (!rest.empty()) {
    std::string_view const number = rest.substr(0, rest.find(','));
    int charge = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), charge).ec == std::errc() && charge != 0)
      ion.charges.push_back(charge);
    rest.remove_prefix(std::min(number.size() + 1, rest.size()));
  }
  parameters.erase(stated);
}

}  // namespace

binary_array const* mzml_spectrum::find(array_kind kind) const {
  for (auto const& array : arrays)
    if (array.kind == kind) return &array;
  return nullptr;
}

void mzml_spectra::read(mzml_text const& chunk) {
  now_ = nullptr;
  context_ = chunk.context.get();
  text_ = chunk.view();
  used_ = next_array_ = next_content_ = next_term_ = 0;
  array_tags_.clear();
  term_tags_.clear();
  contents_.clear();
  where_.clear();
  repaired_ = 0;
  if (chunk.spectra.empty()) return all_.clear();
  std::size_t const begin = chunk.spectra.front().begin;
  xml_parser parser(*this, false, context_->encoding, context_->lenient);
  parser_ = &parser;
  try {
    parser.parse("<spectrumList>", begin);  // parts of a document have one first tag, too
    for (auto const& spectrum : chunk.spectra)
      if (!read_plain(parser, spectrum, text_)) read(parser, spectrum, text_);
  } catch (...) {
    all_.resize(used_);
    throw;
  }
  repaired_ = parser.repaired();
  all_.resize(used_);
  for (auto& spectrum : all_) {
    if (!spectrum.title.empty()) spectrum.header.title = spectrum.title;
    spectrum.header.native_id = spectrum.id;
    if (!spectrum.activation.empty()) spectrum.header.activation = spectrum.activation;
    if (!spectrum.instrument.empty()) spectrum.header.instrument = spectrum.instrument;
    if (spectrum.ions.size() > 1) spectrum.header.other_precursors = std::span(spectrum.ions).subspan(1);
  }
}

// Most spectra are plain XML, which takes no parser. @returns false for others, with all as it was
bool mzml_spectra::read_plain(xml_parser& parser, mzml_text::element const& element, std::string_view text) {
  std::size_t const arrays = array_tags_.size(), contents = contents_.size(), outside = where_.size(), used = used_;
  bool done = false;
  try {
    done = read_plain_tags(element, text.substr(0, element.end));
  } catch (text_fault const&) {  // the parser, which knows the place, throws it again
  }
  if (done) return true;
  parser.want_characters(false);
  now_ = nullptr;
  used_ = used;
  where_.resize(outside);
  array_tags_.resize(arrays);
  contents_.resize(contents);
  next_array_ = arrays;
  next_content_ = contents;
  return false;
}

bool mzml_spectra::read_plain_tags(mzml_text::element const& element, std::string_view text) {
  begin_ = element.begin;
  open_.clear();
  for (std::size_t at = element.begin;;) {
    auto const result = plain_tag(text, at, plain_);
    if (!result) return false;
    at = result->end;
    bool const empty = result->kind == markup_kind::empty;
    mzml_text::element const tag{result->begin, result->end};
    if (result->kind == markup_kind::end) {
      if (open_.empty() || open_.back() != result->name) return false;
      open_.pop_back();
      end(result->name);
    } else if (bool const term = result->name == "cvParam"; term || result->name == "userParam") {
      if (!empty) return false;
      term ? take(read_term(attributes(plain_)), tag) : read_user_param(attributes(plain_), tag);
    } else {
      if (result->name == "binaryDataArray") array_tags_.push_back(tag);
      if (result->name == "binary") {
        std::size_t const ending = empty ? at : text.find('<', at);
        if (ending == std::string_view::npos || !is_plain(text.substr(at, ending - at))) return false;
        contents_.push_back({at, ending, ending, true});
        at = ending;
      }
      start(result->name, attributes(plain_));
      empty ? end(result->name) : open_.push_back(result->name);
    }
    if (open_.empty()) return at == text.size();
    while (at != text.size() && is_space(text[at])) ++at;
    if (at == text.size() || text[at] != '<') return false;
  }
}

// The parser does not read plain text between <binary> and </binary>, which is most of it, and plain parameters.
void mzml_spectra::read(xml_parser& parser, mzml_text::element const& element, std::string_view text) {
  begin_ = element.begin;
  text = text.substr(0, element.end);
  std::size_t given = element.begin;
  auto const give = [&](std::size_t end) {
    if (given != end) parser.parse(text.substr(given, end - given), given);
    given = end;
  };
  bool open = false;  // <binary>
  for (auto result = next_markup(text, element.begin); result; result = next_markup(text, result->end)) {
    if (std::exchange(open, false)) {
      content& last = contents_.back();
      last.text_end = last.end = result->begin;
      last.plain = is_plain(text.substr(last.begin, last.end - last.begin));
      if (last.plain) {
        give(last.begin);
        given = last.text_end;
      }
    }
    if (result->kind == markup_kind::end && result->name == "binary" && !contents_.empty())
      contents_.back().end = result->begin;
    if (result->kind != markup_kind::start && result->kind != markup_kind::empty) continue;
    std::string_view const tag = text.substr(result->begin, result->end - result->begin);
    bool const term = result->name == "cvParam", parameter = term || result->name == "userParam";
    bool const prefixed = tag.data() + 1 != result->name.data();
    if (parameter && !prefixed && result->kind == markup_kind::empty && plain_tag(text, result->begin, plain_)) {
      if (text.substr(given, result->begin - given).find_first_not_of(" \t\r\n") != std::string_view::npos) give(result->begin);
      mzml_text::element const place{result->begin, result->end};
      term ? take(read_term(attributes(plain_)), place) : read_user_param(attributes(plain_), place);
      given = result->end;
    } else if (parameter) {
      term_tags_.push_back({result->begin, result->end});
    } else if (result->name == "binaryDataArray") {
      array_tags_.push_back({result->begin, result->end});
    } else if (result->name == "binary") {
      contents_.push_back({result->end, result->end, result->end, true});
      open = result->kind == markup_kind::start;
    }
  }
  give(element.end);
}

void mzml_spectra::start(std::string_view name, attributes const& all) {
  place const outer = where_.empty() ? place::other : where_.back();
  place inner = place::other;
  if (bool const term = name == "cvParam"; term || name == "userParam") {
    if (next_term_ >= term_tags_.size()) throw text_fault(text_fault::here, "malformed XML", "a tag where none can be");
    mzml_text::element const place = term_tags_[next_term_++];
    term ? take(read_term(all), place) : read_user_param(all, place);
  } else if (name == "spectrum") {
    start_spectrum(all);
    inner = place::spectrum;
  } else if (name == "scan") {
    read_reference(all);
    if (now_ && scans_ == 0 && all.has("instrumentConfigurationRef")) now_->instrument = all.get("instrumentConfigurationRef");
    inner = scans_++ == 0 ? place::scan : place::other;
  } else if (name == "precursor" && now_) {
    read_reference(all);
    target_mz_.reset();
    precursor_ions_ = now_->ions.size();
    ++precursors_;
    inner = place::precursor;
  } else if (name == "isolationWindow" && outer == place::precursor) {
    inner = place::window;
  } else if (name == "activation" && outer == place::precursor && precursors_ == 1) {
    inner = place::activation;
  } else if (name == "selectedIon" && now_) {
    ion_begins_ = true;
    charge_.clear();
    inner = place::ion;
  } else if (name == "binaryDataArray" && now_) {
    start_array(all);
    inner = place::array;
  } else if (name == "binary" && outer == place::array) {
    start_binary();
    inner = place::binary;
  } else if (name == "referenceableParamGroupRef") {
    auto const it = context_->groups.find(all.get("ref"));
    if (it == context_->groups.end())
      throw text_fault(text_fault::here, "not mzML", fmt::format("no referenceableParamGroup '{}'", all.get("ref")));
    for (auto const& stored : it->second) take(stored.view(), {text_fault::here, text_fault::here});
  }
  where_.push_back(inner);
}

void mzml_spectra::end(std::string_view name) {
  place const inner = where_.back();
  where_.pop_back();
  if (inner == place::binary) {
    parser_->want_characters(false);
    binary_array& array = now_->arrays.back();
    if (!array.in_text) array.end = contents_[next_content_ - 1].end;
  } else if (inner == place::precursor) {
    end_precursor();
  } else if (inner == place::spectrum) {
    end_spectrum();
  }
  static_cast<void>(name);
}

void mzml_spectra::characters(std::string_view text) {
  if (where_.empty() || where_.back() != place::binary) return;
  binary_array& array = now_->arrays.back();
  if (array.in_text) array.content = contents_[next_content_ - 1].plain ? array.base64(text_) : std::string_view();
  array.in_text = false;
  array.content += text;
}

void mzml_spectra::start_spectrum(attributes const& all) {
  if (now_) throw text_fault(text_fault::here, "not mzML", "a spectrum inside a spectrum");
  if (used_ == all_.size()) all_.emplace_back();
  now_ = &all_[used_];
  *now_ = {};
  now_->begin = begin_;
  now_->id = all.get("id");
  auto const count = parse_number<std::size_t>("defaultArrayLength", all.get("defaultArrayLength"));
  if (!count) throw text_fault(text_fault::here, "not mzML", "a spectrum without defaultArrayLength");
  now_->count = *count;
  now_->header.scan = number<std::uint64_t>(id_value(now_->id, "scan"));
  now_->processing = all.get("dataProcessingRef");
  now_->instrument = context_->instrument;
  precursors_ = 0;
  scans_ = 0;
  negative_ = positive_ = ms1_ = false;
  charge_.clear();
  first_charge_.clear();
}

void mzml_spectra::read_reference(attributes const& all) {
  if (now_ && all.has("spectrumRef")) now_->references.push_back(id_hash(all.get("spectrumRef")));
}

void mzml_spectra::start_array(attributes const& all) {
  if (next_array_ >= array_tags_.size()) throw text_fault(text_fault::here, "malformed XML", "a tag where none can be");
  auto const& tag = array_tags_[next_array_++];
  binary_array& array = now_->arrays.emplace_back();
  array.tag = tag.begin;
  array.tag_end = array.begin = array.end = tag.end;
  array.own_count = parse_number<std::size_t>("arrayLength", all.get("arrayLength"));
}

void mzml_spectra::start_binary() {
  if (next_content_ >= contents_.size()) throw text_fault(text_fault::here, "malformed XML", "a tag where none can be");
  content const& content = contents_[next_content_++];
  binary_array& array = now_->arrays.back();
  array.begin = content.begin;
  array.end = content.text_end;
  parser_->want_characters(true);
}

void mzml_spectra::end_spectrum() {
  mzml_spectrum& spectrum = *std::exchange(now_, nullptr);
  for (auto& array : spectrum.arrays) {
    array.count = array.own_count.value_or(spectrum.count);
    if (array.compression == packing::unknown) array.compression = packing::none;  // as other readers have it
    if (!array.is_numpress()) continue;
    if (array.type != number_type::unknown) array.type = number_type::float64;  // as their readers have them
  }
  if (spectrum.title.empty() && context_->thermo) {
    std::string_view const scan = id_value(spectrum.id, "scan");
    spectrum.title = fmt::format("{}.{}.{}.{}", context_->source_name, scan, scan, first_charge_);
  } else if (spectrum.title.empty()) {
    spectrum.title = spectrum.id;
  }
  if (spectrum.ions.empty()) read_missing_ion(spectrum);
  // An electron transfer with supplemental collisions.
  for (auto const& [supplement, combined] :
       {std::pair("ETD,+HCD", "EThcD"), {"+HCD,ETD", "EThcD"}, {"ETD,+CID", "ETciD"}, {"+CID,ETD", "ETciD"}})
    if (spectrum.activation == supplement) spectrum.activation = combined;
  if (ms1_ && !spectrum.header.ms_level) spectrum.header.ms_level = 1;
  if (negative_ != positive_) spectrum.header.polarity = negative_ ? ion_polarity::negative : ion_polarity::positive;
  if (negative_) {
    for (precursor_ion& ion : spectrum.ions) {
      charge_list turned;
      for (int const charge : ion.charges) turned.push_back(-std::abs(charge));
      ion.charges = turned;
    }
  }
  if (!spectrum.ions.empty()) {
    spectrum.header.precursor_mz = spectrum.ions.front().mz;
    spectrum.header.precursor_intensity = spectrum.ions.front().intensity;
    spectrum.header.charges = spectrum.ions.front().charges;
  }
  ++used_;
}

// @param tag  its place, which is not known for terms of a parameter group
void mzml_spectra::take(cv_term const& term, mzml_text::element tag) try {
  if (!now_ || where_.empty()) return;
  switch (where_.back()) {
    case place::spectrum:
      return read_spectrum_term(term, tag);
    case place::scan:
      if (term.number == terms::scan_start_time) read_time(term, tag.begin);
      if (term.number == terms::faims_compensation_voltage) read_spectrum_term(term, tag);
      return read_mobility(term);
    case place::window:
      return read_window(term);
    case place::activation:
      return read_activation(term);
    case place::ion:
      return read_ion(term);
    case place::array:
      if (terms::is_external(term))
        throw text_fault(text_fault::here, "external binary array not supported",
                         fmt::format("'{}' ({}): its numbers are in another file", term.name, term.accession));
      return terms::describe(term.number, term.name, {tag.begin, tag.end}, now_->arrays.back());
    default:
      return;
  }
} catch (text_fault& fault) {
  fault.at = tag.begin;
  throw;
}

// Some writers give values that were made of peaks as userParam.
void mzml_spectra::read_user_param(attributes const& all, mzml_text::element tag) {
  if (!now_ || where_.empty() || where_.back() != place::spectrum) return;
  std::string_view const name = all.get("name");
  if (name.starts_with(parameter_prefix)) now_->parameters.emplace_back(name.substr(parameter_prefix.size()), all.get("value"));
  std::uint32_t const term = terms::value_of_peaks(name);
  if (term != 0) now_->peak_values.push_back({term, tag.begin, tag.end});
  if (term == terms::total_ion_current) now_->header.total_ion_current = number<double>(all.get("value"));
  if (term == terms::base_peak_intensity) now_->header.base_peak = number<double>(all.get("value"));
}

void mzml_spectra::read_time(cv_term const& term, std::size_t at) {
  auto& seconds = now_->header.rt_seconds;
  now_->bad_time.reset();
  seconds = parse_number<double>("the start time of a scan", term.value);
  if (!seconds) return;
  now_->time_without_unit = term.unit.empty() && term.unit_name.empty();
  seconds = terms::seconds(*seconds, term.unit, term.unit_name);
  if (seconds) return;
  now_->bad_time.emplace(at == text_fault::here ? begin_ : at, "unit not supported",
                         fmt::format("the start time of a scan is in '{}' ({}), which is no unit of time of a fixed length",
                                     term.unit_name, term.unit));
}

void mzml_spectra::read_spectrum_term(cv_term const& term, mzml_text::element tag) {
  switch (term.number) {
    case terms::faims_compensation_voltage:
      now_->header.compensation_voltage = parse_number<double>("the compensation voltage", term.value);
      return;
    case terms::total_ion_current:
    case terms::base_peak_intensity:
      (term.number == terms::total_ion_current ? now_->header.total_ion_current : now_->header.base_peak) =
          number<double>(term.value);
      [[fallthrough]];
    case terms::base_peak_mz:
    case terms::highest_mz:
    case terms::lowest_mz:
    case terms::data_points:
      if (tag.begin != text_fault::here) now_->peak_values.push_back({term.number, tag.begin, tag.end});
      return;
    case terms::ms1_spectrum:
      ms1_ = true;
      return;
    case terms::ms_level:
      now_->header.ms_level = parse_number<unsigned>("the MS level", term.value);
      return;
    case terms::negative_scan:
      negative_ = true;
      return;
    case terms::positive_scan:
      positive_ = true;
      return;
    case terms::peak_list_scans:
      if (!now_->header.scan) now_->header.scan = number<std::uint64_t>(term.value);
      return;
    case terms::spectrum_title:
      now_->title = term.value;
      return;
    case terms::srm_spectrum:
    case terms::crm_spectrum:
      now_->transitions = true;
      return;
    default:
      return;
  }
}

void mzml_spectra::read_ion(cv_term const& term) {
  if (std::exchange(ion_begins_, false)) now_->ions.emplace_back();
  precursor_ion& ion = now_->ions.back();
  switch (term.number) {
    case terms::selected_ion_mz:
      ion.mz = parse_number<double>("the m/z of a selected ion", term.value);
      if (ion.mz && !(*ion.mz > 0 && std::isfinite(*ion.mz))) ion.mz.reset();
      return;
    case terms::peak_intensity:
      ion.intensity = parse_number<double>("the intensity of a selected ion", term.value);
      return;
    case terms::charge_state:
    case terms::possible_charge_state: {
      bool const known = term.number == terms::charge_state;
      if (!known && !charge_.empty()) return;
      auto const charge = parse_number<int>("the charge of a selected ion", term.value);
      if (known) {
        charge_ = charge ? fmt::format("{}", *charge) : "";
        if (now_->ions.size() == 1) first_charge_ = charge_;
        ion.charges = {};
      }
      if (charge && *charge != 0) ion.charges.push_back(*charge);
      return;
    }
    default:
      return read_mobility(term);
  }
}

// Writers give the mobility of a scan, or of the selected ion.
void mzml_spectra::read_mobility(cv_term const& term) {
  if (term.number != terms::inverse_mobility && term.number != terms::drift_time) return;
  auto& mobility = now_->header.ion_mobility;
  if (!mobility) mobility = parse_number<double>("an ion mobility", term.value);
}

// The width is that of the first precursor's window.
void mzml_spectra::read_window(cv_term const& term) {
  if (term.number == terms::isolation_target)
    target_mz_ = parse_number<double>("the target of an isolation window", term.value);
  if (precursors_ != 1 || (term.number != terms::isolation_lower_offset && term.number != terms::isolation_upper_offset))
    return;
  auto const offset = number<double>(term.value);
  if (offset) now_->header.isolation_width = now_->header.isolation_width.value_or(0) + *offset;
}

void mzml_spectra::read_activation(cv_term const& term) {
  if (term.number == terms::collision_energy && !now_->header.collision_energy)
    now_->header.collision_energy = number<double>(term.value);
  std::string_view const method = terms::activation(term.number);
  if (method.empty()) return;
  if (!now_->activation.empty()) now_->activation += ',';
  now_->activation += method;
}

// Takes the target of the isolation window for the m/z that no selected ion of the precursor states.
void mzml_spectra::end_precursor() {
  if (!takes_targets_ || !target_mz_ || !(*target_mz_ > 0)) return;
  auto& ions = now_->ions;
  auto const own = std::span(ions).subspan(precursor_ions_);
  if (std::ranges::any_of(own, [](precursor_ion const& ion) { return ion.mz.has_value(); })) return;
  if (own.empty()) ions.emplace_back();
  ions[precursor_ions_].mz = target_mz_;
  if (precursor_ions_ == 0) now_->has_target = true;
}

}  // namespace ordo::inline v0::spectra::detail
