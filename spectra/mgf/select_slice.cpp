#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "spectra/mgf/slice_work.hpp"

// The part of a slice's work that a selection is: which peaks stay, in which order, and the text that they make.
namespace ordo::spectra::detail {

void slice_work::select(slice_task const& task) {
  selection const& how = *task.select;
  peak_machines& machines = *task.machines;
  peak_table const& table = found.table;
  std::size_t const spectra = table.spectra.size();
  first_peaks_.resize(spectra + 1);
  for (std::size_t s = 0; s <= spectra; ++s) first_peaks_[s] = table.first_peak(s);
  keep_.resize(table.mz.size());
  if (how.remove_precursor) take_precursors(how);
  timed(sorting, 2 * table.mz.size() * sizeof(double), [&] {
    kept_waiting(sorting, machines.select({table.mz, table.intensity, first_peaks_, precursor_mz_, charges_}, how, keep_, 1));
    take_left(how, task.scan);
    put_in_order(machines);
  });
  timed(moving, part.size, [&] { compose(task.keys); });
}

void slice_work::take_precursors(selection const& how) {
  std::size_t const spectra = found.table.spectra.size();
  precursor_mz_.resize(spectra);
  charges_.resize(spectra);
  for (std::size_t s = 0; s < spectra; ++s) {
    spectrum_header const& header = found.table.spectra[s].header;
    bool const has = header.may_have_precursor();
    precursor_mz_[s] = (has ? header.precursor_mz : std::nullopt).value_or(std::numeric_limits<double>::quiet_NaN());
    charges_[s] = header.charges.empty() ? 0 : header.charges.front();
    if (has) without_precursor += !header.precursor_mz || (how.all_charges && header.charges.empty());
  }
}

// What stays, as it stands in the input; with codes where that is not the order of the output.
void slice_work::take_left(selection const& how, scan_options const& order) {
  peak_table const& table = found.table;
  std::size_t const spectra = table.spectra.size();
  std::vector<double> const& keys = order.by == sort_key::mz ? table.mz : table.intensity;
  peak_code const code(order.descending);
  auto const code_of = [&](std::uint32_t peak) { return std::isnan(keys[peak]) ? peak_code::missing : code.of(keys[peak]); };
  left_.resize(table.mz.size() + 1);
  disordered_.clear();
  codes_.clear();
  offsets_.assign(1, 0);
  first_left_.assign(1, 0);
  goes_.assign(spectra, 0);
  for (std::size_t s = 0; s < spectra; ++s) {
    std::size_t const begin = first_left_.back();
    std::size_t end = begin;
    for (std::uint32_t i = first_peaks_[s]; i < first_peaks_[s + 1]; ++i) {
      left_[end] = i;  // and the next one over it, if this one does not stay
      end += keep_[i];
    }
    goes_[s] = end - begin < how.min_peaks;
    if (goes_[s]) end = begin;
    std::uint64_t last = 0;
    bool in_order = true;
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t const now = code_of(left_[i]);
      in_order &= now >= last;
      last = now;
    }
    if (!in_order) {
      disordered_.push_back(s);
      for (std::size_t i = begin; i < end; ++i) codes_.push_back(code_of(left_[i]));
      offsets_.push_back(std::uint32_t(codes_.size()));
    }
    first_left_.push_back(end);
    spectra_left += !goes_[s];
  }
  peaks_left = first_left_.back();
  reordered = disordered_.size();
}

void slice_work::put_in_order(peak_machines& machines) {
  if (disordered_.empty()) return;
  order_.resize(codes_.size());
  kept_waiting(sorting, machines.sort(codes_, offsets_, order_, 1));
  for (std::size_t d = 0; d < disordered_.size(); ++d) {
    std::size_t const begin = first_left_[disordered_[d]];
    auto const order = std::span(order_).subspan(offsets_[d], offsets_[d + 1] - offsets_[d]);
    for (std::uint32_t& position : order) position = left_[begin + (position - offsets_[d])];
    std::copy(order.begin(), order.end(), left_.begin() + std::ptrdiff_t(begin));
  }
}

void slice_work::compose(order_keys const* keys) {
  peak_table const& table = found.table;
  std::string_view const text(part.text().data(), part.size);
  pieces_.clear();
  std::uint32_t at = 0;
  for (std::size_t s = 0; s < table.spectra.size(); ++s) {
    text_range const whole = table.spectra[s].text;
    pieces_.add({at, whole.begin - at});
    at = whole.end();
    if (goes_[s]) continue;
    bool const unterminated = found.unterminated && s + 1 == table.spectra.size();
    add_spectrum(pieces_, text, table, s, keep_, std::span(left_).subspan(first_left_[s], first_left_[s + 1] - first_left_[s]),
                 unterminated);
    if (keys) records.take(text, *keys, found.table, s, first_left_[s + 1] - first_left_[s], std::size_t(pieces_.size()));
  }
  pieces_.add({at, std::uint32_t(text.size() - at)});
  if (pieces_.size() == text.size() && pieces_.ranges().size() <= 1) return;  // it is the text as it is
  std::size_t const size = std::size_t(pieces_.size());
  if (scratch_.size() < size + text_pieces::overrun) scratch_.resize(size + text_pieces::overrun);
  pieces_.copy(text, scratch_.data());
  selected_ = std::span<char const>(scratch_.data(), size);
}

}  // namespace ordo::spectra::detail
