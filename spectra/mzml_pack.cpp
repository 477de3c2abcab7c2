#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml_work.hpp"
#include "spectra/xml.hpp"

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
void mzml_work::replace_value(std::size_t begin, std::size_t end, std::string_view name, std::size_t by) {
  auto const value = attribute_in(piece.text().substr(begin, end - begin), name);
  if (!value) return;
  copy_to(begin + value->begin);
  out_ += fmt::format("{}", by);
  copied_ += value->size;
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
  for (auto const& [name, value] : values) replace_value(array.tag, array.tag_end, name, value);
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

void mzml_work::pack(mzml_spectrum const& one, job const* change, bool renumbers) {
  start& made = starts.emplace_back(start{id_hash(one.id), place_of(one.begin)});
  if (!change && !renumbers) return;
  auto const found = next_markup(piece.text(), one.begin);
  std::string_view const tag = piece.text().substr(found->begin, found->end - found->begin);
  auto const index = attribute_in(tag, "index");
  auto const note_index = [&] {
    if (!index || !renumbers) return;
    made.index = place_of(found->begin + index->begin);
    made.index_size = index->size;
  };
  if (!change) return note_index();
  auto const order = order_of(*change);
  auto const length = attribute_in(tag, "defaultArrayLength");
  bool const index_first = !index || !length || index->begin < length->begin;
  if (index_first) note_index();
  if (order.size() != change->count && one.count == change->count)
    replace_value(found->begin, found->end, "defaultArrayLength", order.size());
  if (!index_first) note_index();
  for (auto const& array : one.arrays)
    if (array.count == change->count) replace_array(array, order);
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
  replaced_ = std::any_of(jobs_.begin(), jobs_.end(), [](job const& one) { return one.changes(); });
  out_.clear();
  copied_ = 0;
  auto next_mark = piece.marks.begin();
  // What lies behind a change moves with it.
  auto const move_marks = [&](std::size_t end) {
    for (; next_mark != piece.marks.end() && next_mark->tag < end; ++next_mark) {
      std::size_t const by = out_.size() - copied_;
      next_mark->tag += by;
      next_mark->begin += by;
      next_mark->end += by;
    }
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
      starts.push_back({id_hash(one.id), out_.size(), true});
      continue;
    }
    pack(one, change && change->changes() ? change : nullptr, how.renumbers());
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
