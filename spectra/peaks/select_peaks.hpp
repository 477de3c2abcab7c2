#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/sort_by_key.hpp"
#include "spectra/peaks/peak_arrays.hpp"

// Which peaks stay: selection.hpp, over a Backend, for many spectra at a time.
namespace ordo::spectra::detail {

/// A selection as kernels read it: what is not set has a value that lets everything through.
struct selection_values {
  double least_mz, most_mz, min_intensity, min_relative, precursor_distance, dedupe_distance, per;
  bool drop_zero, has_min_intensity, has_min_relative, remove_precursor, all_charges, dedupe;
  std::size_t top;

  explicit selection_values(selection const& how) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    // The factor of a ppm is part of the distance; see distance().
    auto const distance_of = [](std::optional<tolerance> const& given) {
      return given ? (given->ppm ? -given->value * 1e-6 : given->value) : 0;
    };
    least_mz = how.least_mz.value_or(-infinite);
    most_mz = how.most_mz.value_or(infinite);
    min_intensity = how.min_intensity.value_or(0);
    min_relative = how.min_relative.value_or(0);
    precursor_distance = distance_of(how.remove_precursor);
    dedupe_distance = distance_of(how.dedupe);
    per = how.per.value_or(0);
    drop_zero = how.drop_zero;
    has_min_intensity = how.min_intensity.has_value();
    has_min_relative = how.min_relative.has_value();
    remove_precursor = how.remove_precursor.has_value();
    all_charges = how.all_charges;
    dedupe = how.dedupe.has_value();
    top = how.top.value_or(std::numeric_limits<std::size_t>::max());
  }

  /// A distance that is negative is one relative to the m/z that it is from.
  [[nodiscard]] ORDO_FN static double distance(double given, double mz) {
    return given < 0 ? -given * (mz < 0 ? -mz : mz) : given;
  }
};

ORDO_FN inline bool is_near(double a, double b, double distance) {
  return (a < b ? b - a : a - b) <= distance;
}

/// Is an m/z that of the precursor, as it is or at a smaller charge?
ORDO_FN inline bool is_precursor(selection_values const& how, double mz, double precursor, int charge) {
  if (is_near(mz, precursor, how.distance(how.precursor_distance, precursor))) return true;
  if (!how.all_charges || charge == 0) return false;
  double const proton = charge < 0 ? -proton_mass : proton_mass;
  int const most = charge < 0 ? -charge : charge;
  double const neutral = (precursor - proton) * most;
  for (int c = 1; c < most; ++c) {
    double const reduced = neutral / c + proton;
    if (is_near(mz, reduced, how.distance(how.precursor_distance, reduced))) return true;
  }
  return false;
}

/// keep[i] := does peak i of spectrum s pass all steps up to min_relative. @returns how many do
ORDO_FN inline std::uint32_t pass_thresholds(selection_values const& how, peak_arrays const& in, std::size_t s,
                                             std::uint8_t* keep) {
  std::size_t const begin = in.begin(s), end = in.begin(s + 1);
  double const precursor = how.remove_precursor ? in.precursor_mz[s] : 0;
  bool const has_precursor = how.remove_precursor && precursor == precursor;
  int const charge = has_precursor && how.all_charges && in.charge ? in.charge[s] : 0;
  double greatest = 0;
  std::uint32_t count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    double const mz = in.mz[i], height = in.intensity[i];
    bool good = mz >= how.least_mz && mz <= how.most_mz && !(how.drop_zero && height == 0);
    if (how.has_min_intensity) good = good && height >= how.min_intensity;
    if (has_precursor && good) good = !is_precursor(how, mz, precursor, charge);
    keep[i] = good;
    count += good;
    if (good && height > greatest) greatest = height;
  }
  double const least = how.min_relative * greatest;
  if (!how.has_min_relative || greatest == 0) return count;
  count = 0;
  for (std::size_t i = begin; i < end; ++i) {
    bool const good = keep[i] && in.intensity[i] >= least;
    keep[i] = good;
    count += good;
  }
  return count;
}

/// Orders intensities from the greatest down; what is missing comes last.
ORDO_FN inline std::uint64_t descending_code(double intensity) {
  return intensity == intensity ? ~radix_key<double>::encode(intensity + 0.0) : ~std::uint64_t{0};
}

/// The peaks that are left so far, spectrum by spectrum: those of spectrum s are [starts[s], starts[s + 1]) of items.
struct candidates {
  buffer<std::uint32_t> items, starts;
};

/// Those of `all` that keep[] has, or of all peaks where there are none; the order stays. counts[s] says how many.
template <Backend B>
candidates left_over(B& machine, peak_arrays const& in, std::span<std::uint32_t const> counts, std::uint8_t const* keep,
                     candidates const* all) {
  std::size_t const spectra = counts.size();
  candidates left;
  left.starts = machine.template buffer<std::uint32_t>(spectra + 1);
  auto* const starts = left.starts.data();
  auto const* const count = counts.data();
  machine.each(1, [=] ORDO_FN(std::size_t) { starts[0] = 0; });
  machine.scan(
      spectra, [=] ORDO_FN(std::size_t s) { return count[s]; }, left.starts.span().subspan(1),
      [=] ORDO_FN(std::uint32_t a, std::uint32_t b) { return a + b; });
  left.items = machine.template buffer<std::uint32_t>(value_at(machine, left.starts.span(), spectra));
  auto* const items = left.items.data();
  auto const* const before = all ? all->items.data() : nullptr;
  auto const* const starts_before = all ? all->starts.data() : nullptr;
  machine.each(spectra, [=] ORDO_FN(std::size_t s) {
    std::uint32_t to = starts[s];
    std::uint32_t const full = starts[s + 1];
    std::size_t const begin = before ? starts_before[s] : in.begin(s), end = before ? starts_before[s + 1] : in.begin(s + 1);
    // What does not stay is overwritten: no branch asks for it.
    for (std::size_t i = begin; i < end && to < full; ++i) {
      std::uint32_t const item = before ? before[i] : std::uint32_t(i);
      items[to] = item;
      to += keep[item];
    }
  });
  return left;
}

/// Puts the candidates of each spectrum in the order of m/z, stably.
template <Backend B>
void by_mz(B& machine, peak_arrays const& in, candidates const& left) {
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  std::uint64_t const out_of_order = machine.reduce(
      left.starts.size() - 1,
      [=] ORDO_FN(std::size_t s) {
        for (std::size_t i = starts[s] + 1; i < starts[s + 1]; ++i)
          if (in.mz[items[i]] < in.mz[items[i - 1]]) return std::uint64_t{1};
        return std::uint64_t{0};
      },
      std::uint64_t{0}, [=] ORDO_FN(std::uint64_t a, std::uint64_t b) { return a | b; });
  if (out_of_order == 0) return;
  sort_by_key(machine, left.items.span(), segments_from_offsets(std::span<std::uint32_t const>(left.starts.span())),
              [=] ORDO_FN(std::uint32_t item) { return radix_key<double>::encode(in.mz[item] + 0.0); });
}

/// Takes out of one spectrum, whose candidates are [begin, end) in the order of m/z, what is near a greater one that stays.
/// @param order  the candidates' places, from the greatest down  @param state  of each place, 0 before
/// @returns how many are left
ORDO_FN inline std::uint32_t drop_near(selection_values const& how, peak_arrays const& in, std::uint32_t const* items,
                                       std::size_t begin, std::size_t end, std::uint32_t const* order, std::uint8_t* state,
                                       std::uint8_t* keep) {
  constexpr std::uint8_t stays = 1, goes = 2;
  std::uint32_t left = 0;
  for (std::size_t t = begin; t < end; ++t) {
    std::size_t const at = order[t];
    if (state[at] == goes) continue;
    state[at] = stays;
    ++left;
    double const mz = in.mz[items[at]], distance = how.distance(how.dedupe_distance, mz);
    auto const drop = [&](std::size_t other) {
      if (!is_near(in.mz[items[other]], mz, distance)) return false;
      if (state[other] == 0) {
        state[other] = goes;
        keep[items[other]] = 0;
      }
      return true;
    };
    for (std::size_t other = at + 1; other < end && drop(other); ++other) {}
    for (std::size_t other = at; other > begin && drop(other - 1); --other) {}
  }
  return left;
}

/// One peak near another, of candidates in the order of m/z.
template <Backend B>
void drop_duplicates(B& machine, peak_arrays const& in, selection_values const& how, candidates const& left,
                     std::span<std::uint8_t> keep, std::span<std::uint32_t> counts) {
  std::size_t const n = left.items.size();
  auto const keys = machine.template buffer<std::uint64_t>(n);
  auto const places = machine.template buffer<std::uint32_t>(n);
  auto const states = machine.template buffer<std::uint8_t>(n);
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  auto* const key = keys.data();
  auto* const place = places.data();
  auto* const state = states.data();
  auto* const keep_at = keep.data();
  auto* const count = counts.data();
  machine.each(n, [=] ORDO_FN(std::size_t i) {
    key[i] = descending_code(in.intensity[items[i]]);
    place[i] = std::uint32_t(i);
    state[i] = 0;
  });
  machine.segmented_sort(keys.span(), places.span(), segments_from_offsets(std::span<std::uint32_t const>(left.starts.span())));
  machine.each(counts.size(), [=] ORDO_FN(std::size_t s) {
    count[s] = drop_near(how, in, items, starts[s], starts[s + 1], place, state, keep_at);
  });
}

/// Calls group(begin, end) for each window of a spectrum's candidates, which are [begin, end) in the order of m/z, that holds
/// more than `top`; without windows for the spectrum. @returns how many
template <class Group>
ORDO_FN std::uint32_t large_groups(selection_values const& how, peak_arrays const& in, std::uint32_t const* items,
                                   std::size_t begin, std::size_t end, Group group) {
  std::uint32_t count = 0;
  while (begin < end) {
    std::size_t next = end;
    if (how.per > 0) {
      double const window = ::floor(in.mz[items[begin]] / how.per);
      for (next = begin + 1; next < end && ::floor(in.mz[items[next]] / how.per) == window;) ++next;
    }
    if (next - begin > how.top) {
      group(begin, next);
      ++count;
    }
    begin = next;
  }
  return count;
}

struct no_groups {
  ORDO_FN void operator()(std::size_t, std::size_t) const {}
};

/// Makes segments of them, and what is sorted there.
struct write_groups {
  peak_arrays in;
  std::uint32_t const* items;
  std::uint32_t *begins, *ends;
  std::uint64_t* keys;
  std::uint32_t* values;
  std::size_t at = 0;

  ORDO_FN void operator()(std::size_t begin, std::size_t end) {
    begins[at] = std::uint32_t(begin);
    ends[at++] = std::uint32_t(end);
    for (std::size_t i = begin; i < end; ++i) {
      values[i] = items[i];
      keys[i] = descending_code(in.intensity[items[i]]);
    }
  }
};

/// The greatest ones, of candidates in the order of m/z: a segmented sort by intensity of each group that holds too many.
template <Backend B>
void keep_greatest(B& machine, peak_arrays const& in, selection_values const& how, candidates const& left,
                   std::span<std::uint8_t> keep) {
  std::size_t const n = left.items.size(), spectra = left.starts.size() - 1;
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  auto* const keep_at = keep.data();
  auto const counts = machine.template buffer<std::uint32_t>(spectra + 1);
  auto* const count = counts.data();
  machine.each(spectra + 1, [=] ORDO_FN(std::size_t s) {
    count[s] = s == 0 ? 0 : large_groups(how, in, items, starts[s - 1], starts[s], no_groups{});
  });
  machine.scan(
      spectra + 1, [=] ORDO_FN(std::size_t s) { return count[s]; }, counts.span(),
      [=] ORDO_FN(std::uint32_t a, std::uint32_t b) { return a + b; });
  std::size_t const groups = value_at(machine, counts.span(), spectra);
  if (groups == 0) return;
  auto const bounds = machine.template buffer<std::uint32_t>(2 * groups);
  auto const keys = machine.template buffer<std::uint64_t>(n);
  auto const values = machine.template buffer<std::uint32_t>(n);
  auto* const begins = bounds.data();
  auto* const ends = begins + groups;
  auto* const key = keys.data();
  auto* const value = values.data();
  write_groups const write{in, items, begins, ends, key, value};
  machine.each(spectra, [=] ORDO_FN(std::size_t s) {
    write_groups here = write;
    here.at = count[s];
    large_groups(how, in, items, starts[s], starts[s + 1], here);
  });
  machine.segmented_sort(
      keys.span(), values.span(),
      segments_from_bounds(std::span<std::uint32_t const>(begins, groups), std::span<std::uint32_t const>(ends, groups)));
  std::size_t const top = how.top;
  machine.each(groups, [=] ORDO_FN(std::size_t g) {
    for (std::size_t i = begins[g] + top; i < ends[g]; ++i) keep_at[value[i]] = 0;
  });
}

/// keep[i] := 1 if peak i stays, by all steps but min_peaks, else 0. All in the machine's memory; fewer than 2^32 peaks.
/// Beside that: up to 25 bytes a peak that passes the thresholds, 8 a spectrum, and what segmented_sort takes.
template <Backend B>
void select_peaks(B& machine, peak_arrays const& in, selection const& wanted, std::span<std::uint8_t> keep) {
  selection_values const how(wanted);
  std::size_t const spectra = in.spectra;
  auto const counts = machine.template buffer<std::uint32_t>(spectra);
  auto* const count = counts.data();
  auto* const keep_at = keep.data();
  machine.each(spectra, [=] ORDO_FN(std::size_t s) { count[s] = pass_thresholds(how, in, s, keep_at); });
  if (!wanted.dedupe && !wanted.top) return;
  candidates left = left_over(machine, in, counts.span(), keep_at, nullptr);
  by_mz(machine, in, left);
  if (wanted.dedupe) {
    drop_duplicates(machine, in, how, left, keep, counts.span());
    if (!wanted.top) return;
    left = left_over(machine, in, counts.span(), keep_at, &left);
  }
  keep_greatest(machine, in, how, left, keep);
}

}  // namespace ordo::spectra::detail
