#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml/terms.hpp"
#include "spectra/mzml/work.hpp"
#include "spectra/mzml/xml.hpp"
#include "spectra/mzml/xml_number.hpp"

// The part of a piece's work that makes text of it again.
namespace ordo::spectra::detail {

// The peaks of its output, as they are numbered in the input.
std::span<std::uint32_t const> mzml_work::order_of(job const& one) {
  std::size_t const size = one.whole ? one.size : one.count;
  relative_.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t const place = one.codes ? order_[*one.codes + i] - *one.codes : i;
    relative_[i] = one.whole ? left_[one.left + place] : std::uint32_t(place);
  }
  return relative_;
}

// The piece's text up to there, behind what was copied or replaced before.
void mzml_work::copy_to(std::size_t end) {
  out_.append(piece.text().substr(copied_, end - copied_));
  copied_ = end;
}

// Of an attribute, in the tag from `begin` to `end`; nothing if it has none.
void mzml_work::replace_value(std::size_t begin, std::size_t end, std::string_view name, std::string_view by) {
  auto const value = attribute_in(piece.text().substr(begin, end - begin), name);
  if (!value) return;
  copy_to(begin + value->begin);
  out_ += by;
  copied_ += value->size;
}

// Those that begin before `end`.
void mzml_work::apply_edits(std::size_t end) {
  for (; !edits_.empty() && edits_.front().begin < end; edits_ = edits_.subspan(1)) {
    copy_to(edits_.front().begin);
    out_ += edits_.front().text;
    copied_ = edits_.front().end;
  }
}

// Does it refer to the dataProcessing in whose place another one is now?
bool mzml_work::refers_anew(mzml_spectrum const& one) const {
  return record && !one.processing.empty() && one.processing == record->before && record->after != record->before;
}

void mzml_work::replace_array(binary_array const& array, std::span<std::uint32_t const> order) {
  auto const numbers = codec_.unpack(array, piece.text());
  numbers_.resize(order.size() * array.width());
  take_numbers(array.width(), numbers, order, numbers_.data());
  base64_.clear();
  std::array<std::pair<std::string_view, std::size_t>, 2> values{
      {{"encodedLength", codec_.pack(array, numbers_, base64_)}, {"arrayLength", order.size()}}};
  std::string_view const tag = piece.text().substr(array.tag, array.tag_end - array.tag);
  auto const place = [&](std::string_view name) {
    auto const at = attribute_in(tag, name);
    return at ? at->begin : 0;
  };
  if (place(values[1].first) < place(values[0].first)) std::swap(values[0], values[1]);
  for (auto const& [name, value] : values) replace_value(array.tag, array.tag_end, name, fmt::format("{}", value));
  copy_to(array.begin);
  out_ += base64_;
  copied_ = array.end;
}

// Without what stands between it and the tag before.
void mzml_work::leave_out(mzml_piece::element const& spectrum) {
  copy_to(spectrum.begin);
  while (!out_.empty() && is_space(out_.back())) out_.pop_back();
  copied_ = spectrum.end;
}

// Sets a value to what the peaks that stay make of it, which is 0 of none; if it is another.
void mzml_work::replace_value_of_peaks(mzml_spectrum::peak_value const& given, job const& one) {
  double sum = 0, base = 0, base_mz = 0, least = 0, greatest = 0;
  bool any = false, any_base = false;
  for (std::size_t i = one.left; i < one.left + one.size; ++i) {
    double const mz = mz_[one.first + left_[i]], height = intensity_[one.first + left_[i]];
    least = any ? std::min(least, mz) : mz;
    greatest = any ? std::max(greatest, mz) : mz;
    any = true;
    if (std::isnan(height)) continue;
    sum += height;
    if (any_base && !(height > base || (height == base && mz < base_mz))) continue;
    any_base = true;
    base = height;
    base_mz = mz;
  }
  // With as many digits as give the array's own value back.
  auto const set = [&](double value, bool single) {
    std::string_view const tag = piece.text().substr(given.tag, given.tag_end - given.tag);
    auto const at = attribute_in(tag, "value");
    auto const now = at ? number<double>(tag.substr(at->begin, at->size)) : std::nullopt;
    if (now && (single ? float(*now) == float(value) : *now == value)) return;
    std::string const text = std::isinf(value)   ? (value < 0 ? "-INF" : "INF")
                             : std::isnan(value) ? "NaN"
                             : single            ? fmt::format("{}", float(value))
                                                 : fmt::format("{}", value);
    replace_value(given.tag, given.tag_end, "value", text);
  };
  switch (given.term) {
    case terms::total_ion_current:
      return set(sum, false);
    case terms::base_peak_mz:
      return set(base_mz, one.digits.mz_single);
    case terms::base_peak_intensity:
      return set(base, one.digits.intensity_single);
    case terms::lowest_mz:
      return set(least, one.digits.mz_single);
    case terms::highest_mz:
      return set(greatest, one.digits.mz_single);
    default:
      return set(double(one.size), false);
  }
}

// And what was made of its peaks, if some of them are gone: in the order of the text.
void mzml_work::replace_arrays(mzml_options const& how, mzml_spectrum const& one, job const& change) {
  bool const fewer = how.records() && change.whole && change.size != change.count;
  auto next = one.peak_values.begin();
  auto const values_before = [&](std::size_t end) {
    for (; fewer && next != one.peak_values.end() && next->tag < end; ++next) replace_value_of_peaks(*next, change);
  };
  auto const order = order_of(change);
  for (auto const& array : one.arrays) {
    if (array.count != change.count) continue;
    values_before(array.tag);
    replace_array(array, order);
  }
  values_before(piece.size);
}

void mzml_work::pack(mzml_options const& how, mzml_spectrum const& one, job const* change) {
  start& made = starts.emplace_back(start{id_hash(one.id), place_of(one.begin)});
  bool const renumbers = how.renumbers(), refers = refers_anew(one);
  if (!change && !renumbers && !refers && !piece.indexed) return;
  auto const found = next_markup(piece.text(), one.begin);
  std::string_view const tag = piece.text().substr(found->begin, found->end - found->begin);
  if (auto const id = attribute_in(tag, "id")) made.name = tag.substr(id->begin - 1, id->size + 2);

  // The changes to the tag, in its order. The writer knows its number in the output.
  std::size_t const size = !change ? 0 : change->whole ? change->size : change->count;
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
  if (change && size != change->count && one.count == change->count) add("defaultArrayLength", length);
  if (refers) add("dataProcessingRef", reference);
  for (std::size_t i = 0; i < count; ++i) {
    auto const [at, which] = changes[i];
    if (which == number) {
      made.index = place_of(found->begin + at);
      made.index_size = attribute_in(tag, "index")->size;
    } else if (which == length) {
      replace_value(found->begin, found->end, "defaultArrayLength", fmt::format("{}", size));
    } else {
      replace_value(found->begin, found->end, "dataProcessingRef", record->after);
    }
  }
  if (change) replace_arrays(how, one, *change);
}

// Its peaks are counted as they are in the output.
void mzml_work::add_keys(order_keys const& how, mzml_spectrum const& one, job const* made) {
  binary_array const* const mz = one.find(array_kind::mz);
  std::size_t const peaks = made && made->whole ? made->size : mz ? mz->count : 0;
  keys.codes.resize(keys.codes.size() + how.count());
  how.encode(one.header, peaks, keys.codes.data() + keys.codes.size() - how.count());
  keys.titles.push_back(one.header.title.value_or(""));
}

void mzml_work::pack(mzml_options const& how) {
  std::vector<mzml_spectrum> const& all = reader_.all();
  edits_ = {};
  if (record && piece.head) edits_ = record->edits;
  replaced_ = !edits_.empty() || std::any_of(jobs_.begin(), jobs_.end(), [](job const& one) { return one.changes(); }) ||
              std::any_of(all.begin(), all.end(), [&](mzml_spectrum const& one) { return refers_anew(one); });
  out_.clear();
  copied_ = 0;
  auto next_mark = piece.marks.begin();
  // What lies behind a change moves with it.
  auto const move_marks = [&](std::size_t end) {
    for (; next_mark != piece.marks.end() && next_mark->tag < end; ++next_mark) {
      for (std::size_t* const place : {&next_mark->tag, &next_mark->begin, &next_mark->end}) {
        apply_edits(*place);
        *place = place_of(*place);
      }
    }
    apply_edits(end);
  };
  auto next_job = jobs_.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    mzml_spectrum const& one = all[i];
    move_marks(one.begin);
    job const* change = nullptr;
    if (next_job != jobs_.end() && next_job->spectrum == i) change = &*next_job++;
    if (how.keys) add_keys(*how.keys, one, change);
    if (change && change->goes) {
      leave_out(piece.spectra[i]);
      starts.push_back({id_hash(one.id), out_.size(), {}, true});
      continue;
    }
    pack(how, one, change && change->changes() ? change : nullptr);
    if (record && record->lacks.empty() && change && change->whole && change->size != change->count)
      counted.own_processing += !one.processing.empty() && one.processing != record->before;
    starts.back().end = place_of(piece.spectra[i].end);
    starts.back().read_at = one.begin;
    if (how.renumbers()) references.insert(references.end(), one.references.begin(), one.references.end());
  }
  if (!replaced_) return;
  move_marks(piece.size);
  copy_to(piece.size);
}

void mzml_work::pack_as_mgf() {
  out_.clear();
  replaced_ = true;
  for (job const& one : jobs_) {
    if (one.goes) continue;
    mzml_spectrum const& about = reader_.all()[one.spectrum];
    peak_list const peaks{
        std::span(mz_).subspan(one.first, one.count), std::span(intensity_).subspan(one.first, one.count), {}};
    counted.not_finite += write_mgf(about.header, peaks, order_of(one), one.digits, out_);
  }
}

}  // namespace ordo::spectra::detail
