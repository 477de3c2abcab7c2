#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "spectra/chunk/title.hpp"
#include "spectra/encoding/terms.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/mgf/writer.hpp"
#include "spectra/mzml/array_terms.hpp"
#include "spectra/mzml/format.hpp"

// The output of mzml_chunk.
namespace ordo::inline v0::spectra::detail {

bool mzml_chunk::is_dropped(job const& job) const {
  return job.whole && peaks.changes[job.row] == chunk_peaks::change::dropped;
}

bool mzml_chunk::is_changed(job const& job) const {
  return task_.encodes() || !job.whole || peaks.changes[job.row] != chunk_peaks::change::none || count_peaks(job) != job.count;
}

// Returns the peaks of its output by their numbers in the spectrum.
std::span<std::uint32_t const> mzml_chunk::peak_order(job const& job) {
  std::uint32_t const first = job.whole ? peaks.first[job.row] : peaks.bounds[job.row];
  auto const order =
      job.whole ? peaks.kept_peaks(job.row) : std::span<std::uint32_t const>(peaks.order).subspan(first, job.count);
  relative_.resize(order.size());
  std::ranges::transform(order, relative_.begin(), [&](std::uint32_t peak) { return peak - first; });
  return relative_;
}

void mzml_chunk::compose() {
  timed(composing, text.size, [&] {
    if (!peaks.sums.empty())
      for (job const& job : jobs_)
        if (job.whole && job.digits.intensity_single) peaks.round_sums(job.row);
    task_.print ? print_spectra() : compose_mzml();
    if (joined.renames) rename();
  });
}

// Copies the text up to `end`, from where it was copied or replaced before.
void mzml_chunk::copy_to(std::size_t end) {
  out_.append(text.view().substr(copied_, end - copied_));
  copied_ = end;
}

// Replaces the value of an attribute, if the tag from `begin` to `end` has it.
void mzml_chunk::replace_value(std::size_t begin, std::size_t end, std::string_view name, std::string_view by) {
  auto const value = attribute_in(text.view().substr(begin, end - begin), name);
  if (!value) return;
  copy_to(begin + value->begin);
  out_ += by;
  copied_ += value->size;
}

// Makes the edits that begin before `end`.
void mzml_chunk::apply_edits(std::size_t end) {
  for (; !edits_.empty() && edits_.front().begin < end; edits_ = edits_.subspan(1)) {
    copy_to(edits_.front().begin);
    out_ += edits_.front().text;
    copied_ = edits_.front().end;
  }
}

// Returns true if the spectrum refers to the dataProcessing that was replaced.
bool mzml_chunk::refers_anew(mzml_spectrum const& spectrum) const {
  return record && !spectrum.processing.empty() && spectrum.processing == record->before && record->after != record->before;
}

void mzml_chunk::replace_array(binary_array const& array, std::span<std::uint32_t const> order,
                               std::span<double const> values) {
  base64_.clear();
  binary_array const made = encode_as(array, task_.options->encoding);
  if (made.type != array.type || made.coding != array.coding || made.compression != array.compression)
    return replace_form(array, made, order, values);
  auto const [characters, as_zlib] =
      values.empty() ? codec_.repack(array, text.view(), order, base64_) : codec_.pack_values(array, values, base64_);
  std::vector<text_edit> edits;
  auto const set_value = [&](term_place tag, std::string_view name, std::string_view value) {
    if (auto const at = attribute_in(text.view().substr(tag.begin, tag.end - tag.begin), name))
      edits.push_back({tag.begin + at->begin, tag.begin + at->begin + at->size, std::string(value)});
  };
  term_place const tag{array.tag, array.tag_end};
  set_value(tag, "encodedLength", fmt::format("{}", characters));
  set_value(tag, "arrayLength", fmt::format("{}", order.size()));
  if (as_zlib) {
    auto const set_term = [&](term_place term, std::string_view accession, std::string_view name) {
      set_value(term, "accession", accession);
      set_value(term, "name", name);
    };
    bool const sets_type = array.is_numpress() && array.stated_type != number_type::float64;
    bool const has_two = array.packing_term.begin != array.coding_term.begin && array.packing_term.in_text();
    if (!array.coding_term.in_text() || array.packing_term.is_shared() || (sets_type && !array.type_term.in_text()))
      throw text_fault(array.tag, "cannot write a binary array",
                       "it has to become plain numbers, but a referenceableParamGroup states its type or compression");
    set_term(has_two ? array.packing_term : array.coding_term, "MS:1000574", "zlib compression");
    if (has_two) edits.push_back({array.coding_term.begin, array.coding_term.end, ""});
    if (sets_type) set_term(array.type_term, "MS:1000523", "64-bit float");
  }
  replace_text(array, edits);
}

// Makes changes to an array, and replaces its text.
void mzml_chunk::replace_text(binary_array const& array, std::vector<text_edit>& edits) {
  edits.push_back({array.begin, array.end, {}});
  std::ranges::stable_sort(edits, {}, &text_edit::begin);
  for (auto const& edit : edits) {
    copy_to(edit.begin);
    out_ += edit.begin == array.begin ? std::string_view(base64_) : std::string_view(edit.text);
    copied_ = edit.end;
  }
}

// Replaces an array by one of another type, coding or compression.
void mzml_chunk::replace_form(binary_array const& array, binary_array const& made, std::span<std::uint32_t const> order,
                              std::span<double const> values) {
  if (array.type_term.is_shared() || array.packing_term.is_shared() || array.coding_term.is_shared())
    throw text_fault(array.tag, "cannot write a binary array",
                     "it gets another encoding, but a referenceableParamGroup states its type or compression");
  std::size_t characters = 0;
  auto const numbers = codec_.unpack(array, text.view());
  if (made.type == array.type && !made.is_numpress() && values.empty()) {
    std::vector<char> taken(order.size() * array.width());
    gather_numbers(array.width(), numbers, order, taken.data());
    characters = codec_.pack(made, taken, base64_);
  } else {
    std::vector<double> all, taken(values.begin(), values.end());
    if (values.empty()) {
      to_doubles(array.type, numbers, all);
      for (std::uint32_t const i : order) taken.push_back(all[i]);
    }
    binary_array placed = made;
    placed.tag = array.tag;
    characters = codec_.pack_as(placed, taken, base64_);
  }
  std::vector<text_edit> edits;
  auto const set_value = [&](term_place tag, std::string_view name, std::string_view value) {
    if (auto const at = attribute_in(text.view().substr(tag.begin, tag.end - tag.begin), name))
      edits.push_back({tag.begin + at->begin, tag.begin + at->begin + at->size, std::string(value)});
  };
  auto const set_term = [&](term_place term, terms::written_term const& by) {
    set_value(term, "accession", by.accession);
    set_value(term, "name", by.name);
  };
  term_place const tag{array.tag, array.tag_end};
  set_value(tag, "encodedLength", fmt::format("{}", characters));
  set_value(tag, "arrayLength", fmt::format("{}", order.size()));
  bool const is_float = made.type == number_type::float32 || made.type == number_type::float64;
  if (is_float && array.type_term.in_text()) set_term(array.type_term, terms::find_type(made.type));
  auto const form = terms::find_form(made.coding, made.compression);
  term_place const first = array.packing_term.in_text() ? array.packing_term : array.coding_term;
  if (first.in_text()) {
    set_term(first, form);
    if (array.coding_term.in_text() && array.coding_term.begin != first.begin)
      edits.push_back({array.coding_term.begin, array.coding_term.end, ""});
  } else {  // no term stated that there is no compression
    edits.push_back(
        {array.type_term.end, array.type_term.end,
         fmt::format("<cvParam cvRef=\"MS\" accession=\"{}\" name=\"{}\" value=\"\"/>", form.accession, form.name)});
  }
  replace_text(array, edits);
}

// Leaves out a spectrum, and the blanks before it.
void mzml_chunk::leave_out(mzml_text::element const& spectrum) {
  copy_to(spectrum.begin);
  while (!out_.empty() && is_space(out_.back())) out_.pop_back();
  copied_ = spectrum.end;
}

// Returns the values of the kept peaks, 0 without peaks.
mzml_chunk::kept_values mzml_chunk::values_of_kept(job const& job) const {
  kept_values made;
  auto& [sum, base, base_mz, lowest, highest] = made;
  bool any = false, any_base = false;
  for (std::size_t i = peaks.first[job.row]; i < peaks.first[job.row + 1]; ++i) {  // in the order of the input
    if (!peaks.keep[i]) continue;
    double const mz = mz_[i], height = peaks.intensities()[i];
    lowest = any ? std::min(lowest, mz) : mz;
    highest = any ? std::max(highest, mz) : mz;
    any = true;
    if (std::isnan(height)) continue;
    sum += height;
    if (any_base && !(height > base || (height == base && mz < base_mz))) continue;
    any_base = true;
    base = height;
    base_mz = mz;
  }
  return made;
}

// Replaces a value by that of the kept peaks, if it differs.
void mzml_chunk::replace_peak_value(mzml_spectrum::peak_value const& given, job const& job, kept_values const& kept) {
  // Writes as few digits as give back the array's own value.
  auto const set = [&](double value, bool single) {
    std::string_view const tag = text.view().substr(given.tag, given.tag_end - given.tag);
    auto const at = attribute_in(tag, "value");
    auto const now = at ? number<double>(tag.substr(at->begin, at->size)) : std::nullopt;
    if (now && (single ? float(*now) == float(value) : *now == value)) return;
    std::string const printed = std::isinf(value)   ? (value < 0 ? "-INF" : "INF")
                                : std::isnan(value) ? "NaN"
                                : single            ? fmt::format("{}", float(value))
                                                    : fmt::format("{}", value);
    replace_value(given.tag, given.tag_end, "value", printed);
  };
  switch (given.term) {
    case terms::total_ion_current:
      return set(kept.sum, false);
    case terms::base_peak_mz:
      return set(kept.base_mz, job.digits.mz_single);
    case terms::base_peak_intensity:
      return set(kept.base, job.digits.intensity_single);
    case terms::lowest_mz:
      return set(kept.lowest, job.digits.mz_single);
    case terms::highest_mz:
      return set(kept.highest, job.digits.mz_single);
    default:
      return set(double(count_peaks(job)), false);
  }
}

// Replaces arrays and, if peaks were dropped, values that were made of peaks; in the order of the text.
void mzml_chunk::replace_arrays(mzml_spectrum const& spectrum, job const& change) {
  bool const fewer = task_.records() && change.whole && count_peaks(change) != change.count;
  auto next = spectrum.peak_values.begin();
  kept_values const kept = fewer && !spectrum.peak_values.empty() ? values_of_kept(change) : kept_values();
  auto const values_before = [&](std::size_t end) {
    for (; fewer && next != spectrum.peak_values.end() && next->tag < end; ++next) replace_peak_value(*next, change, kept);
  };
  auto const order = peak_order(change);
  values_.clear();
  if (change.whole && !peaks.sums.empty()) {
    auto const left = peaks.kept_peaks(change.row);
    if (std::ranges::any_of(left, [&](std::uint32_t peak) { return peaks.is_sum(peak); }))
      for (std::uint32_t const peak : left) values_.push_back(peaks.sums[peak]);
  }
  binary_array const* const sums = values_.empty() ? nullptr : spectrum.find(array_kind::intensity);
  for (auto const& array : spectrum.arrays) {
    if (array.count != change.count) continue;
    values_before(array.tag);
    replace_array(array, order, &array == sums ? std::span<double const>(values_) : std::span<double const>());
  }
  values_before(text.size);
}

void mzml_chunk::compose_spectrum(mzml_spectrum const& spectrum, job const* change) {
  start& made = starts.emplace_back(start{id_hash(spectrum.id), output_offset(spectrum.begin)});
  bool const renumbers = task_.renumbers(), refers = refers_anew(spectrum);
  if (!change && !renumbers && !refers && !text.indexed) return;
  auto const result = next_markup(text.view(), spectrum.begin);
  std::string_view const tag = text.view().substr(result->begin, result->end - result->begin);
  if (auto const id = attribute_in(tag, "id")) made.name = tag.substr(id->begin - 1, id->size + 2);

  // Changes to the tag, in its order. The writer sets its number in the output.
  std::size_t const size = change ? count_peaks(*change) : 0;
  enum { number, length, reference };
  std::array<std::pair<std::size_t, int>, 3> changes;
  std::size_t count = 0;
  auto const add = [&](std::string_view name, int which) {
    auto const value = attribute_in(tag, name);
    if (!value) return;
    std::size_t at = count++;
    for (; at != 0 && changes[at - 1].first > value->begin; --at) changes[at] = changes[at - 1];
    changes[at] = {value->begin, which};
  };
  if (renumbers) add("index", number);
  if (change && size != change->count && spectrum.count == change->count) add("defaultArrayLength", length);
  if (refers) add("dataProcessingRef", reference);
  for (std::size_t i = 0; i < count; ++i) {
    auto const [at, which] = changes[i];
    if (which == number) {
      made.index = output_offset(result->begin + at);
      made.index_size = attribute_in(tag, "index")->size;
    } else if (which == length) {
      replace_value(result->begin, result->end, "defaultArrayLength", fmt::format("{}", size));
    } else {
      replace_value(result->begin, result->end, "dataProcessingRef", record->after);
    }
  }
  if (change) replace_arrays(spectrum, *change);
}

// Adds the keys of a spectrum with the peaks that it has in the output.
void mzml_chunk::add_keys(mzml_spectrum const& spectrum, job const* change) {
  binary_array const* const mz = spectrum.find(array_kind::mz);
  std::size_t const num_peaks = change && change->whole ? count_peaks(*change) : mz ? mz->count : 0;
  std::size_t const count = task_.keys->count();
  keys.codes.resize(keys.codes.size() + count);
  task_.keys->encode(spectrum.header, num_peaks, keys.codes.data() + keys.codes.size() - count);
  keys.titles.push_back(spectrum.header.title.value_or(""));
}

void mzml_chunk::compose_mzml() {
  std::vector<mzml_spectrum> const& all = reader_.all();
  edits_ = {};
  if (record && text.head) edits_ = record->edits;
  replaced_ = !edits_.empty() || std::ranges::any_of(jobs_, [&](job const& job) { return is_changed(job); }) ||
              std::ranges::any_of(all, [&](mzml_spectrum const& spectrum) { return refers_anew(spectrum); }) ||
              std::ranges::find(left_out_, 1) != left_out_.end();
  out_.clear();
  copied_ = 0;
  auto next_mark = text.marks.begin();
  // Marks after a change move with it.
  auto const move_marks = [&](std::size_t end) {
    for (; next_mark != text.marks.end() && next_mark->tag < end; ++next_mark) {
      for (std::size_t* const place : {&next_mark->tag, &next_mark->begin, &next_mark->end}) {
        apply_edits(*place);
        *place = output_offset(*place);
      }
    }
    apply_edits(end);
  };
  auto next_job = jobs_.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    mzml_spectrum const& mzml_spectrum = all[i];
    move_marks(mzml_spectrum.begin);
    job const* change = nullptr;
    if (next_job != jobs_.end() && next_job->spectrum == i) change = &*next_job++;
    if (task_.keys) add_keys(mzml_spectrum, change);
    if (is_left_out(i) || (change && is_dropped(*change))) {
      if (!is_left_out(i) && task_.reasons) dropped.push_back({i, mzml_spectrum.begin, task_.reasons->too_few_peaks()});
      leave_out(text.spectra[i]);
      starts.push_back({id_hash(mzml_spectrum.id), out_.size(), {}, true});
      continue;
    }
    compose_spectrum(mzml_spectrum, change && is_changed(*change) ? change : nullptr);
    if (record && record->lacks.empty() && change && change->whole && count_peaks(*change) != change->count)
      warned.own_processing += !mzml_spectrum.processing.empty() && mzml_spectrum.processing != record->before;
    starts.back().end = output_offset(text.spectra[i].end);
    starts.back().read_at = mzml_spectrum.begin;
    if (task_.renumbers())
      references.insert(references.end(), mzml_spectrum.references.begin(), mzml_spectrum.references.end());
  }
  if (!replaced_) return;
  move_marks(text.size);
  copy_to(text.size);
}

// Renames the references of the output, and leaves out the head.
void mzml_chunk::rename() {
  std::vector<std::size_t*> places;
  places.reserve(2 * starts.size());
  for (start& start : starts) {
    places.push_back(&start.at);
    if (!start.dropped) places.push_back(&start.end);
  }
  for (std::size_t* const place : places) *place -= joined.begin;
  renamed_.clear();
  rename_references(output_text().substr(joined.begin), *joined.renames, joined.now, joined.stated, renamed_, places);
  out_.swap(renamed_);
  replaced_ = true;
  joined.begin = 0;
}

void mzml_chunk::print_spectra() {
  out_.clear();
  replaced_ = true;
  std::string title, own_title;
  std::string const& name = task_.options->name;
  std::string run = task_.titles() ? run_of_file(name) : task_.several ? run_name(name) : std::string();
  if ((task_.several || task_.titles()) && run.empty()) run = text.context->run_id;
  for (job const& job : jobs_) {
    if (is_dropped(job)) {
      if (task_.reasons) dropped.push_back({job.spectrum, reader_.all()[job.spectrum].begin, task_.reasons->too_few_peaks()});
      continue;
    }
    auto const of_spectrum = [&](std::span<double const> values) { return values.subspan(peaks.first[job.row], job.count); };
    mzml_spectrum const& read = reader_.all()[job.spectrum];
    peak_list const list{of_spectrum(mz_), of_spectrum(peaks.intensities()), {}};
    auto const order = peak_order(job);
    bool const several = read.ions.size() > 1;
    warned.several_ions += several && !task_.options->all_precursors;
    for (std::size_t i = 0; i < (task_.options->all_precursors ? read.ions.size() : 1); ++i) {
      spectrum_header header = read.header;
      precursor_ion const& ion = read.ions[i];
      header.precursor_mz = ion.mz;
      header.precursor_intensity = ion.intensity;
      header.charges = ion.charges;
      // Ids are those of one run.
      bool const names_run = !task_.titles() && !run.empty() && read.title == read.id;
      std::uint64_t const number = text.first_spectrum + job.spectrum;
      if (names_run || i != 0 || task_.titles()) {
        if (task_.titles())
          fill_title(task_.options->title_template, header, number, name, run, own_title);
        else
          own_title = fmt::format("{}{}{}", names_run ? run : "", names_run ? "." : "", read.title);
        if (i != 0) own_title += fmt::format(" ion={}", i + 1);
        header.title = own_title;
      }
      metadata_.clear();
      for (auto const& [key, value] : read.parameters) metadata_.push_back({key, value});
      if (auto const* const sequence = task_.find_sequence(read.header, number)) set_sequence(metadata_, *sequence);
      std::size_t const not_finite =
          task_.print({header, list, order, job.digits, metadata_, {}}, *task_.options, title, out_).not_finite;
      if (task_.notes_titles) records.add_title(header);
      if (i == 0) warned.not_finite += not_finite;
      if (task_.keys) records.add(*task_.keys, header, count_peaks(job) - not_finite, out_.size(), job.spectrum, read.begin);
    }
  }
  records.any_spectra = !records.all().empty();
}

}  // namespace ordo::inline v0::spectra::detail
