#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/spectra/selection.hpp"
#include "ordo/spectra/spectrum.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/reduce_segments.hpp"
#include "sort_core/algorithms/selects_from_segments.hpp"
#include "sort_core/algorithms/sort_by_key.hpp"

// Selects peaks of many spectra at a time, over a Backend: the rules of selection.hpp.
namespace ordo::inline v0::spectra::detail {

/// A column of floats or doubles in memory of a machine: one instance of an algorithm serves both.
struct real_column {
  void const* data = nullptr;
  bool wide = true;

  ORDO_FN double operator[](std::size_t i) const {
    return wide ? static_cast<double const*>(data)[i] : double(static_cast<float const*>(data)[i]);
  }
};

/// The peaks of many spectra in memory of a backend. Spectrum s has the peaks [begin(s), begin(s + 1)).
struct peak_arrays {
  real_column mz, intensity;  // NaN: missing
  void const* offsets = nullptr;
  bool wide_offsets = false;
  std::size_t first = 0;  // subtracted from the offsets
  std::size_t spectra = 0;
  real_column precursor_mz;              // one a spectrum, NaN: missing; to remove precursors
  std::int32_t const* charge = nullptr;  // one a spectrum, 0: missing; may be null
  void* sums = nullptr;                  // the memory of `intensity`, to which merging adds; else null

  [[nodiscard]] ORDO_FN std::size_t begin(std::size_t s) const {
    return (wide_offsets ? std::size_t(static_cast<std::uint64_t const*>(offsets)[s])
                         : std::size_t(static_cast<std::uint32_t const*>(offsets)[s])) -
           first;
  }
  /// Replaces an intensity. A finite one that is too great for a float becomes the greatest.
  ORDO_FN void set_intensity(std::size_t i, double value) const {
    constexpr double max_float = 3.4028234663852886e38;
    if (intensity.wide) {
      static_cast<double*>(sums)[i] = value;
    } else {
      static_cast<float*>(sums)[i] = float(value > max_float ? max_float : value < -max_float ? -max_float : value);
    }
  }
};

/// A selection as kernels read it. A rule that is not set has a value that keeps all peaks.
struct selection_values {
  double min_mz, max_mz, min_intensity, min_relative, precursor_below, precursor_above, near_distance, per, around;
  bool drop_zero, has_min_intensity, has_min_relative, remove_precursor, all_charges, merge;
  std::size_t top;

  explicit selection_values(selection const& rules) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    // The factor of ppm is part of the distance; see distance().
    auto const to_distance = [](std::optional<tolerance> const& given) {
      return given ? (given->ppm ? -given->value * 1e-6 : given->value) : 0;
    };
    min_mz = rules.min_mz.value_or(-infinite);
    max_mz = rules.max_mz.value_or(infinite);
    min_intensity = rules.min_intensity.value_or(0);
    min_relative = rules.min_relative.value_or(0);
    precursor_below = to_distance(rules.remove_precursor);
    precursor_above = rules.remove_precursor_above ? to_distance(rules.remove_precursor_above) : precursor_below;
    near_distance = to_distance(rules.dedupe ? rules.dedupe : rules.merge);
    per = rules.per.value_or(0);
    around = rules.around.value_or(0);
    drop_zero = rules.drop_zero;
    has_min_intensity = rules.min_intensity.has_value();
    has_min_relative = rules.min_relative.has_value();
    remove_precursor = rules.remove_precursor.has_value();
    all_charges = rules.all_charges;
    merge = rules.merge.has_value();
    top = rules.top.value_or(std::numeric_limits<std::size_t>::max());
  }

  /// Returns a distance in m/z. A negative one is relative to `mz`.
  [[nodiscard]] ORDO_FN static double distance(double given, double mz) {
    return given < 0 ? -given * (mz < 0 ? -mz : mz) : given;
  }
};

ORDO_FN inline bool is_near(double a, double b, double distance) {
  return (a < b ? b - a : a - b) <= distance;
}

/// Returns true if an m/z is that of the precursor, at its charge or a smaller one.
ORDO_FN inline bool is_precursor(selection_values const& rules, double mz, double precursor, int charge) {
  auto const near = [&](double centre) {
    return is_near(mz, centre, rules.distance(mz < centre ? rules.precursor_below : rules.precursor_above, centre));
  };
  if (near(precursor)) return true;
  if (!rules.all_charges || charge == 0) return false;
  double const proton = charge < 0 ? -proton_mass : proton_mass;
  int const max_charge = charge < 0 ? -charge : charge;
  double const neutral = (precursor - proton) * max_charge;
  for (int c = 1; c < max_charge; ++c)
    if (near(neutral / c + proton)) return true;
  return false;
}

/// The peaks of a spectrum that pass the thresholds but min_relative, and whether all of its peaks are in the order of m/z.
struct passing_peaks {
  double greatest = 0;  // intensity; 0 if none is above 0
  std::uint32_t count = 0, in_order = 1;
};
struct join_passing {
  ORDO_FN passing_peaks operator()(passing_peaks const& a, passing_peaks const& b) const {
    return {a.greatest > b.greatest ? a.greatest : b.greatest, a.count + b.count, a.in_order & b.in_order};
  }
};

/// Sets keep[i] to 1 if peak i of spectrum s passes all steps before min_relative, else to 0.
struct pass_thresholds {
  selection_values rules;
  peak_arrays in;
  std::uint32_t const* starts;  // where each spectrum begins
  std::uint8_t* keep;

  ORDO_FN passing_peaks operator()(std::size_t s, std::size_t i) const {
    double const mz = in.mz[i], height = in.intensity[i];
    bool good = mz >= rules.min_mz && mz <= rules.max_mz && !(rules.drop_zero && height == 0);
    if (rules.has_min_intensity) good = good && height >= rules.min_intensity;
    if (good && rules.remove_precursor) {
      double const precursor = in.precursor_mz[s];
      int const charge = rules.all_charges && in.charge ? in.charge[s] : 0;
      if (precursor == precursor) good = !is_precursor(rules, mz, precursor, charge);
    }
    keep[i] = good;
    return {good && height > 0 ? height : 0, std::uint32_t(good), std::uint32_t(i == starts[s] || in.mz[i - 1] <= mz)};
  }
};

/// Drops peaks below min_relative. Returns 1 for a peak that is kept.
struct pass_relative_threshold {
  selection_values rules;
  peak_arrays in;
  passing_peaks const* passing;  // passing peaks of each spectrum
  std::uint8_t* keep;

  ORDO_FN std::uint32_t operator()(std::size_t s, std::size_t i) const {
    double const greatest = passing[s].greatest;
    bool const good = keep[i] && (greatest == 0 || in.intensity[i] >= rules.min_relative * greatest);
    keep[i] = good;
    return good;
  }
};

/// The length of the longest of some spectra, and whether the peaks of all are in the order of m/z.
struct spectra_shape {
  std::uint32_t longest = 0, in_order = 1;
};
struct join_shapes {
  ORDO_FN spectra_shape operator()(spectra_shape const& a, spectra_shape const& b) const {
    return {a.longest > b.longest ? a.longest : b.longest, a.in_order & b.in_order};
  }
};

/// Encodes an intensity so that the greatest comes first, and missing ones last.
ORDO_FN inline std::uint64_t descending_code(double intensity) {
  return intensity == intensity ? ~radix_key<double>::encode(intensity + 0.0) : ~std::uint64_t{0};
}

/// The peaks kept so far, spectrum by spectrum: those of spectrum s are [starts[s], starts[s + 1]) of items.
struct candidates {
  buffer<std::uint32_t> items, starts;
};

/// Returns those of `all`, or of all peaks if it is null, whose keep[] is 1, in their order; counts[s] of spectrum s.
template <Backend B>
candidates find_kept(B& backend, peak_arrays const& in, std::span<std::uint32_t const> counts, std::uint8_t const* keep,
                     candidates const* all) {
  std::size_t const spectra = counts.size();
  candidates left;
  left.starts = backend.template buffer<std::uint32_t>(spectra + 1);
  auto* const starts = left.starts.data();
  auto const* const count = counts.data();
  backend.each(1, [=] ORDO_FN(std::size_t) { starts[0] = 0; });
  backend.scan(
      spectra, [=] ORDO_FN(std::size_t s) { return count[s]; }, left.starts.span().subspan(1),
      [=] ORDO_FN(std::uint32_t a, std::uint32_t b) { return a + b; });
  left.items = backend.template buffer<std::uint32_t>(value_at(backend, left.starts.span(), spectra));
  auto* const items = left.items.data();
  auto const* const before = all ? all->items.data() : nullptr;
  auto const* const starts_before = all ? all->starts.data() : nullptr;
  backend.each(spectra, [=] ORDO_FN(std::size_t s) {
    std::uint32_t to = starts[s];
    std::uint32_t const full = starts[s + 1];
    std::size_t const begin = before ? starts_before[s] : in.begin(s), end = before ? starts_before[s + 1] : in.begin(s + 1);
    // Peaks that are not kept are overwritten, without a branch.
    for (std::size_t i = begin; i < end && to < full; ++i) {
      std::uint32_t const item = before ? before[i] : std::uint32_t(i);
      items[to] = item;
      to += keep[item];
    }
  });
  return left;
}

/// Sorts the candidates of each spectrum by m/z, stably.
template <Backend B>
void sort_by_mz(B& backend, peak_arrays const& in, candidates const& left) {
  sort_by_key(backend, left.items.span(), segments_from_offsets(std::span<std::uint32_t const>(left.starts.span())),
              [=] ORDO_FN(std::uint32_t item) { return radix_key<double>::encode(in.mz[item] + 0.0); });
}

/// Returns a sum of finite numbers. A sum that is too great is the greatest number.
ORDO_FN inline double finite_sum(double a, double b) {
  constexpr double max_double = 1.7976931348623157e308;
  double const sum = a + b;
  return sum > max_double ? max_double : sum < -max_double ? -max_double : sum;
}

ORDO_FN inline bool is_finite_number(double value) {
  constexpr double max_double = 1.7976931348623157e308;
  return value >= -max_double && value <= max_double;
}

/// Drops the candidates [begin, end) of a spectrum, in the order of m/z, that are near a greater one that is kept; with
/// merging, adds their intensities to it.
/// @param order  positions of the candidates, from the greatest down @param state  the state of each position, initially 0
/// @returns the number of kept candidates
ORDO_FN inline std::uint32_t drop_near(selection_values const& rules, peak_arrays const& in, std::uint32_t const* items,
                                       std::size_t begin, std::size_t end, std::uint32_t const* order, std::uint8_t* state,
                                       std::uint8_t* keep) {
  constexpr std::uint8_t kept = 1, dropped = 2;
  std::uint32_t count = 0;
  for (std::size_t t = begin; t < end; ++t) {
    std::size_t const at = order[t];
    if (state[at] == dropped) continue;
    state[at] = kept;
    ++count;
    double const mz = in.mz[items[at]], distance = rules.distance(rules.near_distance, mz);
    double const own = rules.merge ? in.intensity[items[at]] : 0;
    double sum = own;
    auto const drop = [&](std::size_t other) {
      if (!is_near(in.mz[items[other]], mz, distance)) return false;
      if (state[other] == 0) {
        state[other] = dropped;
        keep[items[other]] = 0;
        if (rules.merge && is_finite_number(sum) && is_finite_number(in.intensity[items[other]]))
          sum = finite_sum(sum, in.intensity[items[other]]);
      }
      return true;
    };
    for (std::size_t other = at + 1; other < end && drop(other); ++other) {}
    for (std::size_t other = at; other > begin && drop(other - 1); --other) {}
    if (rules.merge && sum != own && sum == sum) in.set_intensity(items[at], sum);
  }
  return count;
}

/// Drops or merges peaks that are near a greater one. The candidates are in the order of m/z.
template <Backend B>
void drop_near_peaks(B& backend, peak_arrays const& in, selection_values const& rules, candidates const& left,
                     std::span<std::uint8_t> keep, std::span<std::uint32_t> counts) {
  std::size_t const n = left.items.size();
  auto const keys = backend.template buffer<std::uint64_t>(n);
  auto const places = backend.template buffer<std::uint32_t>(n);
  auto const states = backend.template buffer<std::uint8_t>(n);
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  auto* const key = keys.data();
  auto* const place = places.data();
  auto* const state = states.data();
  auto* const keep_at = keep.data();
  auto* const count = counts.data();
  backend.each(n, [=] ORDO_FN(std::size_t i) {
    key[i] = descending_code(in.intensity[items[i]]);
    place[i] = std::uint32_t(i);
    state[i] = 0;
  });
  backend.segmented_sort(keys.span(), places.span(), segments_from_offsets(std::span<std::uint32_t const>(left.starts.span())));
  backend.each(counts.size(), [=] ORDO_FN(std::size_t s) {
    count[s] = drop_near(rules, in, items, starts[s], starts[s + 1], place, state, keep_at);
  });
}

/// Calls group(begin, end) for each window that holds more than `top` of a spectrum's candidates [begin, end), which are in the
/// order of m/z. Without windows, the spectrum is one.
/// @returns the number of calls
template <class Group>
ORDO_FN std::uint32_t large_groups(selection_values const& rules, peak_arrays const& in, std::uint32_t const* items,
                                   std::size_t begin, std::size_t end, Group group) {
  std::uint32_t count = 0;
  while (begin < end) {
    std::size_t next = end;
    if (rules.per > 0) {
      double const window = ::floor(in.mz[items[begin]] / rules.per);
      for (next = begin + 1; next < end && ::floor(in.mz[items[next]] / rules.per) == window;) ++next;
    }
    if (next - begin > rules.top) {
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

/// Makes a segment of each group, with keys and values to sort.
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

/// Keeps the greatest candidates, which are in the order of m/z: sorts each group that holds too many by intensity.
template <Backend B>
void keep_greatest(B& backend, peak_arrays const& in, selection_values const& rules, candidates const& left,
                   std::span<std::uint8_t> keep) {
  std::size_t const n = left.items.size(), spectra = left.starts.size() - 1;
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  auto* const keep_at = keep.data();
  auto const counts = backend.template buffer<std::uint32_t>(spectra + 1);
  auto* const count = counts.data();
  backend.each(spectra + 1, [=] ORDO_FN(std::size_t s) {
    count[s] = s == 0 ? 0 : large_groups(rules, in, items, starts[s - 1], starts[s], no_groups{});
  });
  backend.scan(
      spectra + 1, [=] ORDO_FN(std::size_t s) { return count[s]; }, counts.span(),
      [=] ORDO_FN(std::uint32_t a, std::uint32_t b) { return a + b; });
  std::size_t const groups = value_at(backend, counts.span(), spectra);
  if (groups == 0) return;
  auto const bounds = backend.template buffer<std::uint32_t>(2 * groups);
  auto const keys = backend.template buffer<std::uint64_t>(n);
  auto const values = backend.template buffer<std::uint32_t>(n);
  auto* const begins = bounds.data();
  auto* const ends = begins + groups;
  auto* const key = keys.data();
  auto* const value = values.data();
  write_groups const write{in, items, begins, ends, key, value};
  backend.each(spectra, [=] ORDO_FN(std::size_t s) {
    write_groups here = write;
    here.at = count[s];
    large_groups(rules, in, items, starts[s], starts[s + 1], here);
  });
  backend.segmented_sort(
      keys.span(), values.span(),
      segments_from_bounds(std::span<std::uint32_t const>(begins, groups), std::span<std::uint32_t const>(ends, groups)));
  std::size_t const top = rules.top;
  backend.each(groups, [=] ORDO_FN(std::size_t g) {
    for (std::size_t i = begins[g] + top; i < ends[g]; ++i) keep_at[value[i]] = 0;
  });
}

/// The codes of peaks that are kept so far, the greatest first and those without intensity last; after them all others.
template <class Number>
struct kept_codes {
  Number const* intensity;
  std::uint8_t const* keep;

  using code_type = typename radix_key<Number>::type;
  ORDO_FN code_type operator()(std::size_t i) const {
    constexpr code_type last = code_type(~code_type{0});
    Number const value = intensity[i];
    if (!keep[i]) return last;
    return value == value ? code_type(~radix_key<Number>::encode(value + Number(0))) : code_type(last - 1);
  }
};

/// Keeps the greatest of the kept peaks of each spectrum, which are in the order of m/z. Temporary memory: 4 bytes for each of
/// `top` peaks of each spectrum, and 8 a spectrum.
template <selects_from_segments B>
void select_greatest(B& backend, peak_arrays const& in, segment_list<std::uint32_t> const& spectra, std::uint32_t top,
                     std::span<std::uint8_t> keep) {
  auto const rows = backend.template buffer<std::uint32_t>(spectra.size() * top);
  auto const ends = backend.template buffer<std::uint64_t>(spectra.size());
  auto* const row = rows.data();
  auto* const end = ends.data();
  auto* const keep_at = keep.data();
  auto const select = [&](auto const* intensity) {
    using number = std::remove_cvref_t<decltype(*intensity)>;
    backend.select_smallest(kept_codes<number>{intensity, keep_at}, spectra, top, top, rows.span(), ends.span());
  };
  if (in.intensity.wide)
    select(static_cast<double const*>(in.intensity.data));
  else
    select(static_cast<float const*>(in.intensity.data));
  // A selected peak is marked by a second bit. It may be one that is not kept, where a spectrum has no others left.
  backend.each(spectra.size() * top, [=] ORDO_FN(std::size_t t) {
    if (t < end[t / top]) keep_at[row[t]] |= 2;
  });
  constexpr std::size_t at_once = sizeof(std::uint64_t);
  auto* const words = reinterpret_cast<std::uint64_t*>(keep_at);  // the memory of a backend is aligned
  std::size_t const n = keep.size();
  backend.each((n + at_once - 1) / at_once, [=] ORDO_FN(std::size_t word) {
    if ((word + 1) * at_once <= n) {
      words[word] = words[word] & words[word] >> 1 & 0x0101010101010101u;
    } else {
      for (std::size_t i = word * at_once; i < n; ++i) keep_at[i] = keep_at[i] == 3;
    }
  });
}

/// Candidates for which the greatest intensity is known, so that a search for greater ones can skip them.
inline constexpr std::size_t ranked_block = 64;

/// Returns true if candidate `at` of [begin, end), which are in the order of m/z, has at least `top` different greater
/// intensities around it. @param greatest  the code of the greatest candidate of each block of all candidates
ORDO_FN inline bool is_surpassed(selection_values const& rules, peak_arrays const& in, std::uint32_t const* items,
                                 std::uint64_t const* greatest, std::size_t begin, std::size_t end, std::size_t at) {
  double const mz = in.mz[items[at]];
  std::size_t first = begin, last = end;
  for (std::size_t after = at; first < after;) {
    std::size_t const middle = first + (after - first) / 2;
    if (mz - in.mz[items[middle]] < rules.around)
      after = middle;
    else
      first = middle + 1;
  }
  for (std::size_t before = at + 1; before < last;) {
    std::size_t const middle = before + (last - before) / 2;
    if (in.mz[items[middle]] - mz < rules.around)
      before = middle + 1;
    else
      last = middle;
  }
  // Calls use(code) for the codes of greater intensities than that of `code`, until it returns true.
  auto const each_greater = [&](std::uint64_t code, auto use) {
    for (std::size_t i = first; i < last;) {
      if (i % ranked_block == 0 && last - i >= ranked_block && greatest[i / ranked_block] >= code) {
        i += ranked_block;
        continue;
      }
      std::uint64_t const other = descending_code(in.intensity[items[i++]]);
      if (other < code && use(other)) return;
    }
  };
  std::uint64_t code = descending_code(in.intensity[items[at]]);
  constexpr std::size_t max_seen = 128;
  if (rules.top <= max_seen) {
    std::uint64_t seen[max_seen];
    std::size_t count = 0;
    each_greater(code, [&](std::uint64_t other) {
      for (std::size_t k = 0; k < count; ++k)
        if (seen[k] == other) return false;
      seen[count++] = other;
      return count == rules.top;
    });
    return count == rules.top;
  }
  std::size_t greater = 0;
  each_greater(code, [&](std::uint64_t) { return ++greater == rules.top; });
  if (greater < rules.top) return false;
  // Equal intensities count once: each round finds the next greater one.
  for (std::size_t rank = 0; rank < rules.top; ++rank) {
    std::uint64_t next = 0;
    bool any = false;
    each_greater(code, [&](std::uint64_t other) {
      next = any && next > other ? next : other;
      any = true;
      return false;
    });
    if (!any) return false;
    code = next;
  }
  return true;
}

/// Drops candidates, which are in the order of m/z, with too many greater ones around them.
template <Backend B>
void keep_greatest_around(B& backend, peak_arrays const& in, selection_values const& rules, candidates const& left,
                          std::span<std::uint8_t> keep) {
  auto const* const items = left.items.data();
  auto const* const starts = left.starts.data();
  auto* const keep_at = keep.data();
  std::size_t const n = left.items.size(), spectra = left.starts.size() - 1;
  auto const blocks = backend.template buffer<std::uint64_t>((n + ranked_block - 1) / ranked_block);
  auto* const greatest = blocks.data();
  backend.each(blocks.size(), [=] ORDO_FN(std::size_t block) {
    std::uint64_t least = ~std::uint64_t{0};
    for (std::size_t i = block * ranked_block; i < n && i < (block + 1) * ranked_block; ++i) {
      std::uint64_t const code = descending_code(in.intensity[items[i]]);
      least = code < least ? code : least;
    }
    greatest[block] = least;
  });
  backend.each(n, [=] ORDO_FN(std::size_t i) {
    // The spectrum of the candidate, by bisection: the last that begins at or before it.
    std::size_t s = 0, after = spectra;
    while (after - s > 1) {
      std::size_t const middle = s + (after - s) / 2;
      (starts[middle] <= i ? s : after) = middle;
    }
    if (is_surpassed(rules, in, items, greatest, starts[s], starts[s + 1], i)) keep_at[items[i]] = 0;
  });
}

/// Sets keep[i] to 1 if peak i is kept by all steps but min_peaks, else to 0, and makes sums of the intensities of merged
/// peaks, where peak_arrays::sums must be set. All arrays are memory of the machine; fewer than 2^32 peaks. Temporary memory:
/// up to 25 bytes a peak that passes the thresholds, 40 a spectrum, and that of segmented_sort.
template <Backend B>
void select_peaks(B& backend, peak_arrays const& in, selection const& select, std::span<std::uint8_t> keep) {
  selection_values const rules(select);
  std::size_t const spectra = in.spectra;
  auto const counts = backend.template buffer<std::uint32_t>(spectra);
  auto* const count = counts.data();
  auto* const keep_at = keep.data();
  auto const starts = backend.template buffer<std::uint32_t>(spectra + 1);
  auto const result = backend.template buffer<passing_peaks>(spectra);
  auto* const start = starts.data();
  auto const* const passing = result.data();
  backend.each(spectra + 1, [=] ORDO_FN(std::size_t s) { start[s] = std::uint32_t(in.begin(s)); });
  auto segments = segments_from_offsets(std::span<std::uint32_t const>(starts.span()));
  reduce_segments(backend, segments, pass_thresholds{rules, in, start, keep_at}, passing_peaks{}, join_passing{},
                  result.span());
  if (rules.has_min_relative) {
    reduce_segments(backend, segments, pass_relative_threshold{rules, in, passing, keep_at}, std::uint32_t{0}, plus{},
                    counts.span());
  } else {
    backend.each(spectra, [=] ORDO_FN(std::size_t s) { count[s] = passing[s].count; });
  }
  bool const drops_near = select.dedupe || select.merge;
  if (!drops_near && !select.top) return;
  spectra_shape const shape = backend.reduce(
      spectra,
      [=] ORDO_FN(std::size_t s) {
        return spectra_shape{start[s + 1] - start[s], passing[s].in_order};
      },
      spectra_shape{}, join_shapes{});
  bool const all_in_order = shape.in_order != 0;
  if constexpr (selects_from_segments<B>) {
    bool const by_spectrum = !drops_near && !select.per && !select.around;
    segments.max_length = shape.longest;
    if (by_spectrum && all_in_order && *select.top != 0 && *select.top <= keep.size() / spectra)
      return select_greatest(backend, in, segments, std::uint32_t(*select.top), keep);
  }
  candidates left = find_kept(backend, in, counts.span(), keep_at, nullptr);
  if (!all_in_order) sort_by_mz(backend, in, left);
  if (drops_near) {
    drop_near_peaks(backend, in, rules, left, keep, counts.span());
    if (!select.top) return;
    left = find_kept(backend, in, counts.span(), keep_at, &left);
  }
  if (select.around)
    keep_greatest_around(backend, in, rules, left, keep);
  else
    keep_greatest(backend, in, rules, left, keep);
}

}  // namespace ordo::inline v0::spectra::detail
