#include "spectra/mzml/work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ordo/radix_key.hpp"

namespace ordo::spectra::detail {
namespace {

// A NaN is in no order.
bool in_order(std::span<double const> keys, bool descending) {
  bool ordered = true;
  if (descending) {
    for (std::size_t i = 1; i < keys.size(); ++i) ordered &= keys[i - 1] >= keys[i];
  } else {
    for (std::size_t i = 1; i < keys.size(); ++i) ordered &= keys[i - 1] <= keys[i];
  }
  return ordered && (keys.size() != 1 || !std::isnan(keys[0]));
}

// -0.0 + 0.0 is 0.0; NaN comes last, whatever the order.
std::uint64_t code_of(double key, bool descending) {
  if (std::isnan(key)) return ~std::uint64_t{0};
  return radix_key<double>::encode(key + 0.0) ^ (descending ? ~std::uint64_t{0} : 0);
}

array_kind kind_of(sort_key key) {
  return key == sort_key::mz ? array_kind::mz : array_kind::intensity;
}

bool is_single(binary_array const& array) {
  return array.type == number_type::float32;
}

}  // namespace

bool mzml_work::next(mzml_pieces& from, std::size_t wanted) {
  failure = nullptr;
  disorder.reset();
  counted = {};
  summarized = {};
  starts.clear();
  keys = {};
  references.clear();
  record.reset();
  replaced_ = false;
  start_times();
  bool const any = timed(mzml_reading, 0, [&] { return from.next(piece, wanted); });
  bytes[mzml_reading] = any ? piece.size : 0;
  return any;
}

void mzml_work::run(mzml_options const& how, peak_machines* machines) noexcept {
  try {
    timed(mzml_parsing, piece.size, [&] {
      std::string_view const text = piece.text();
      counted.lines = std::uint64_t(std::count(text.begin(), text.end(), '\n'));
      try {
        reader_.read(piece);
      } catch (...) {
        failure = std::current_exception();  // behind what is wrong with the spectra before
      }
      counted.repaired = piece.repaired + reader_.repaired();
    });
    timed(mzml_unpacking, piece.size, [&] { unpack(how); });
    if (failure || disorder) return;
    if (machines && how.whole()) timed(mzml_sorting, 2 * mz_.size() * sizeof(double), [&] { select(how, *machines); });
    if (machines && !codes_.empty()) timed(mzml_sorting, codes_.size() * sizeof(std::uint64_t), [&] { sort(*machines); });
    if (how.writes()) timed(mzml_packing, piece.size, [&] { how.as == format::mgf ? pack_as_mgf() : pack(how); });
  } catch (...) {
    failure = std::current_exception();
  }
  if (!failure) failure = piece.failure;
}

void mzml_work::unpack(mzml_options const& how) {
  jobs_.clear();
  codes_.clear();
  mz_.clear();
  intensity_.clear();
  offsets_.assign(1, 0);
  for (std::size_t i = 0; i < reader_.all().size() && !disorder; ++i) {
    if (how.needs_time()) check_time(how, reader_.all()[i]);
    if (how.summarize) {
      summarize(reader_.all()[i]);
    } else if (how.whole()) {
      take_peaks(how, i);
    } else {
      look_at(how, i);
    }
    ++counted.spectra;
  }
}

void mzml_work::check_time(mzml_options const& how, mzml_spectrum const& one) {
  if (how.as == format::mgf && (one.header.ms_level.value_or(0) < 2 || !one.has_ion)) return;  // it is left out
  if (one.bad_time) throw xml_fault(*one.bad_time);
  counted.times_without_unit += one.time_without_unit;
}

void mzml_work::look_at(mzml_options const& how, std::size_t index) {
  mzml_spectrum const& one = reader_.all()[index];
  if (binary_array const* const mz = one.find(array_kind::mz)) counted.peaks += mz->count;
  binary_array const* const array = one.find(kind_of(how.by));
  if (!array) return;
  to_doubles(array->type, codec_.unpack(*array, piece.text()), keys_);
  if (keys_.size() < 2 || in_order(keys_, how.descending)) return;
  if (one.transitions || in_other_order(one, array->count)) {
    ++counted.other_order;
    return;
  }
  if (auto const codes = add_codes(how, index)) jobs_.push_back({index, array->count, codes});
}

void mzml_work::take_peaks(mzml_options const& how, std::size_t index) {
  mzml_spectrum const& one = reader_.all()[index];
  bool const mgf = how.as == format::mgf;
  if (mgf && one.header.ms_level.value_or(0) < 2) {
    ++counted.level_1;
    return;
  }
  if (mgf && !one.has_ion) {
    ++counted.no_precursor;
    return;
  }
  binary_array const *const mz = one.find(array_kind::mz), *const intensity = one.find(array_kind::intensity);
  std::size_t const count = mz ? mz->count : 0;
  counted.peaks += count;
  if ((!mz != !intensity) || (intensity && intensity->count != count)) {
    if (!mgf) return stays(count);
    throw xml_fault(one.begin, "no peaks", "the spectrum has not as many m/z as intensities");
  }
  if (!mgf && one.transitions) {
    ++counted.other_order;
    return stays(count);
  }
  if (mz_.size() + count > ~std::uint32_t{0})
    throw xml_fault(one.begin, "too large", "more than 2^32 peaks in spectra that follow one another");
  job made{index, count, {}, mz_.size()};
  made.whole = true;
  if (mz) {
    to_doubles(mz->type, codec_.unpack(*mz, piece.text()), keys_);
    mz_.insert(mz_.end(), keys_.begin(), keys_.end());
    if (!how.select.empty())
      counted.not_finite += std::uint64_t(std::ranges::count_if(keys_, [](double mz) { return std::isnan(mz); }));
    to_doubles(intensity->type, codec_.unpack(*intensity, piece.text()), keys_);
    intensity_.insert(intensity_.end(), keys_.begin(), keys_.end());
    made.digits = {is_single(*mz), is_single(*intensity)};
    made.fixed = !mgf && in_other_order(one, count);
  }
  jobs_.push_back(made);
}

// A spectrum that no selection is for.
void mzml_work::stays(std::size_t peaks) {
  ++counted.spectra_left;
  counted.peaks_left += peaks;
}

void mzml_work::summarize(mzml_spectrum const& one) {
  binary_array const *const mz = one.find(array_kind::mz), *const intensity = one.find(array_kind::intensity);
  mz_.clear();
  if (mz) to_doubles(mz->type, codec_.unpack(*mz, piece.text()), mz_);
  if (intensity && intensity->count == mz_.size()) {
    to_doubles(intensity->type, codec_.unpack(*intensity, piece.text()), intensity_);
  } else {
    intensity_.assign(mz_.size(), std::numeric_limits<double>::quiet_NaN());
  }
  summarized.add({one.header, {mz_, intensity_, {}}, {}, 0});
}

// Has it another axis, that its points follow? Those of a combined ion mobility spectrum ascend in m/z at each mobility only.
bool mzml_work::in_other_order(mzml_spectrum const& one, std::size_t count) {
  if (count < 2) return false;
  for (auto const& array : one.arrays) {
    if (array.kind != array_kind::axis || array.count != count) continue;
    to_doubles(array.type, codec_.unpack(array, piece.text()), axis_);
    bool const constant = axis_.front() == axis_.back();
    if (!constant && (in_order(axis_, false) || in_order(axis_, true))) return true;
  }
  return false;
}

// Of keys_. @returns where they begin; nothing if they are in order all the same
std::optional<std::size_t> mzml_work::add_codes(mzml_options const& how, std::size_t index) {
  std::size_t const begin = codes_.size();
  if (begin + keys_.size() > ~std::uint32_t{0})
    throw xml_fault(reader_.all()[index].begin, "too large", "more than 2^32 peaks in spectra that follow one another");
  for (double const key : keys_) codes_.push_back(code_of(key, how.descending));
  if (std::is_sorted(codes_.begin() + std::ptrdiff_t(begin), codes_.end())) {
    codes_.resize(begin);
    return std::nullopt;
  }
  offsets_.push_back(std::uint32_t(codes_.size()));
  ++counted.reordered;
  if (how.check) note_disorder(how, index);
  return begin;
}

void mzml_work::note_disorder(mzml_options const& how, std::size_t index) {
  mzml_spectrum const& one = reader_.all()[index];
  std::size_t peak = 1;
  while (code_of(keys_[peak - 1], how.descending) <= code_of(keys_[peak], how.descending)) ++peak;
  std::string text;
  for (array_kind const kind : {array_kind::mz, array_kind::intensity}) {
    binary_array const* const array = one.find(kind);
    if (!array || array->count <= peak) continue;
    to_doubles(array->type, codec_.unpack(*array, piece.text()), keys_);
    if (!text.empty()) text += ' ';
    text += is_single(*array) ? fmt::format("{}", float(keys_[peak])) : fmt::format("{}", keys_[peak]);
  }
  disorder = {one.begin, index, one.title, text};
}

void mzml_work::select(mzml_options const& how, peak_machines& machines) {
  first_peaks_.clear();
  for (job const& one : jobs_) first_peaks_.push_back(std::uint32_t(one.first));
  first_peaks_.push_back(std::uint32_t(mz_.size()));
  keep_.assign(mz_.size(), 1);
  if (!how.select.empty()) {
    if (how.select.remove_precursor) take_precursors(how.select.all_charges);
    kept_waiting(mzml_sorting, machines.select({mz_, intensity_, first_peaks_, precursor_mz_, charges_}, how.select, keep_, 1));
  }
  take_left(how);
}

void mzml_work::take_precursors(bool all_charges) {
  precursor_mz_.clear();
  charges_.clear();
  for (job const& one : jobs_) {
    spectrum_header const& header = reader_.all()[one.spectrum].header;
    bool const has = header.may_have_precursor();
    precursor_mz_.push_back((has ? header.precursor_mz : std::nullopt).value_or(std::numeric_limits<double>::quiet_NaN()));
    charges_.push_back(header.charges.empty() ? 0 : header.charges.front());
    bool const lacks = !header.precursor_mz || (all_charges && header.charges.empty());
    counted.without_precursor += lacks && has;
  }
}

// What stays, as it stands in the input; with codes where that is not the order of the output.
void mzml_work::take_left(mzml_options const& how) {
  left_.clear();
  for (job& one : jobs_) {
    one.left = left_.size();
    for (std::size_t i = 0; i < one.count; ++i)
      if (keep_[one.first + i]) left_.push_back(std::uint32_t(i));
    one.goes = left_.size() - one.left < how.select.min_peaks;
    if (one.goes) left_.resize(one.left);
    one.size = left_.size() - one.left;
    counted.spectra_left += !one.goes;
    counted.peaks_left += one.size;
    double const* const all = (how.by == sort_key::mz ? mz_ : intensity_).data() + one.first;
    keys_.clear();
    for (std::size_t i = one.left; i < left_.size(); ++i) keys_.push_back(all[left_[i]]);
    if (in_order(keys_, how.descending)) continue;
    if (one.fixed) {
      ++counted.other_order;
    } else {
      one.codes = add_codes(how, one.spectrum);
    }
  }
}

void mzml_work::sort(peak_machines& machines) {
  order_.resize(codes_.size());
  double const share = double(counted.reordered) / double(std::max<std::uint64_t>(counted.spectra, 1));
  kept_waiting(mzml_sorting, machines.sort(codes_, offsets_, order_, share));
}

}  // namespace ordo::spectra::detail
