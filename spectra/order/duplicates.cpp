#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "base/external/positional_checksum.hpp"
#include "base/external/runs.hpp"
#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/encoding/digest.hpp"
#include "spectra/external/spill.hpp"
#include "spectra/pipeline/read_inputs.hpp"
#include "spectra/similarity/greedy_matching.hpp"

// Finds spectra that repeat earlier ones.
namespace ordo::inline v0::spectra {
namespace {

// All NaNs are equal, and so are the two zeros.
std::uint64_t canonical_bits(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value + 0.0);
}

bool is_equal(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::size_t usable_memory(order_options const& order) {
  return std::max(order.memory, detail::min_order_memory);
}

template <class T>
void append(std::vector<T>& to, std::vector<T> const& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Some spectra, in the order of the inputs, with their peaks in order of m/z.
class spectrum_table {
 public:
  void add(spectrum_columns const& some) {
    std::uint64_t const before = mz_.size();
    append(mz_, some.mz);
    append(intensity_, some.intensity);
    for (std::size_t s = 0; s < some.size(); ++s) offsets_.push_back(before + some.offsets[s + 1]);
    append(precursor_, some.precursor_mz);
    append(charge_, some.charge);
    append(ms_level_, some.ms_level);
  }

  void sort_peaks() {
    tbb::parallel_for(std::size_t{0}, size(), [this](std::size_t s) {
      std::size_t const begin = std::size_t(offsets_[s]), count = std::size_t(offsets_[s + 1]) - begin;
      std::vector<std::pair<double, double>> peaks(count);
      for (std::size_t i = 0; i < count; ++i) peaks[i] = {mz_[begin + i], intensity_[begin + i]};
      std::ranges::sort(peaks, [](auto const& a, auto const& b) {
        return is_equal(a.first, b.first) ? canonical_bits(a.second) < canonical_bits(b.second)
                                          : a.first < b.first || std::isnan(b.first);
      });
      for (std::size_t i = 0; i < count; ++i) std::tie(mz_[begin + i], intensity_[begin + i]) = peaks[i];
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return precursor_.size(); }
  /// Returns the bytes that the spectra take, without the room in which they may grow.
  [[nodiscard]] std::size_t bytes() const noexcept { return mz_.size() * bytes_of_peak + size() * bytes_of_spectrum; }
  [[nodiscard]] double precursor(std::size_t s) const { return precursor_[s]; }
  [[nodiscard]] std::int32_t charge(std::size_t s) const { return charge_[s]; }
  [[nodiscard]] std::uint32_t ms_level(std::size_t s) const { return ms_level_[s]; }
  [[nodiscard]] std::span<double const> mz(std::size_t s) const { return part(mz_, s); }
  [[nodiscard]] std::span<double const> intensity(std::size_t s) const { return part(intensity_, s); }

  void clear() {
    for (std::vector<double>* const column : {&mz_, &intensity_, &precursor_}) column->clear();
    offsets_.resize(1);
    charge_.clear();
    ms_level_.clear();
  }
  /// Drops the spectra for which drop(s).
  template <class Drop>
  void remove(Drop drop) {
    std::size_t kept = 0;
    std::uint64_t peaks = 0;
    for (std::size_t s = 0; s < size(); ++s) {
      if (drop(s)) continue;
      std::uint64_t const begin = offsets_[s], end = offsets_[s + 1];  // before they are written over
      for (std::vector<double>* const column : {&mz_, &intensity_})
        if (begin != peaks)
          std::copy(column->begin() + std::ptrdiff_t(begin), column->begin() + std::ptrdiff_t(end),
                    column->begin() + std::ptrdiff_t(peaks));
      peaks += end - begin;
      precursor_[kept] = precursor_[s];
      charge_[kept] = charge_[s];
      ms_level_[kept] = ms_level_[s];
      offsets_[++kept] = peaks;
    }
    resize(kept, peaks);
  }

  /// A table on disk, without spectra that can repeat no other.
  struct stored {
    external::stored_range bytes;
    std::size_t spectra, peaks;
  };
  [[nodiscard]] stored store(external::run_files& files) const {
    auto all = files.write([&](sink& to) {
      each_column(*this, [&](auto const& column) {
        to.write(std::span(reinterpret_cast<char const*>(column.data()), column.size() * sizeof(column[0])));
      });
    });
    return {std::move(all), size(), mz_.size()};
  }
  /// @throws input_error  if it is not what was stored
  void load(stored const& from) {
    resize(from.spectra, from.peaks);
    positional_checksum read;
    std::uint64_t at = 0;
    each_column(*this, [&](auto& column) {
      std::span<char> const to(reinterpret_cast<char*>(column.data()), column.size() * sizeof(column[0]));
      from.bytes.read_at(at, to);
      read.add(at, to);
      at += to.size();
    });
    if (read.sum() != from.bytes.checksum) from.bytes.fail();
  }

 private:
  static constexpr std::size_t bytes_of_peak = 2 * sizeof(double),
                               bytes_of_spectrum = 2 * sizeof(double) + sizeof(std::int32_t) + sizeof(std::uint32_t);

  template <class Table, class F>
  static void each_column(Table& all, F f) {
    f(all.offsets_);
    f(all.precursor_);
    f(all.charge_);
    f(all.ms_level_);
    f(all.mz_);
    f(all.intensity_);
  }
  void resize(std::size_t spectra, std::size_t peaks) {
    offsets_.resize(spectra + 1);
    precursor_.resize(spectra);
    charge_.resize(spectra);
    ms_level_.resize(spectra);
    mz_.resize(peaks);
    intensity_.resize(peaks);
  }
  [[nodiscard]] std::span<double const> part(std::vector<double> const& column, std::size_t s) const {
    return std::span(column).subspan(std::size_t(offsets_[s]), std::size_t(offsets_[s + 1] - offsets_[s]));
  }

  std::vector<double> mz_, intensity_;     // m/z and intensity of all peaks
  std::vector<std::uint64_t> offsets_{0};  // offsets of peaks: one more than there are spectra
  std::vector<double> precursor_;          // as in spectrum_columns
  std::vector<std::int32_t> charge_;
  std::vector<std::uint32_t> ms_level_;
};

// A spectrum of a table.
struct table_entry {
  spectrum_table const& table;
  std::size_t s;
  [[nodiscard]] double precursor() const { return table.precursor(s); }
};

bool is_alike(table_entry const& a, table_entry const& b) {
  return a.table.charge(a.s) == b.table.charge(b.s) && a.table.ms_level(a.s) == b.table.ms_level(b.s);
}

bool has_equal_peaks(table_entry const& a, table_entry const& b) {
  return std::ranges::equal(a.table.mz(a.s), b.table.mz(b.s), is_equal) &&
         std::ranges::equal(a.table.intensity(a.s), b.table.intensity(b.s), is_equal);
}

// Compares the cosine of the angle between two spectra with a bound.
class cosine_test {
 public:
  cosine_test(tolerance const& peaks, double min_cosine) : peaks_(peaks), min_cosine_(min_cosine) {}

  // Returns true for equal peaks, whatever their intensities are, and if the cosine is min_cosine or more. Sums are rounded, by
  // at most one unit for each peak and a few for the norm: a cosine that is less by no more than that counts as equal.
  bool operator()(table_entry const& a, table_entry const& b) {
    if (has_equal_peaks(a, b)) return true;
    auto const mz_a = a.table.mz(a.s), mz_b = b.table.mz(b.s);
    heights_a_.resize(mz_a.size());
    heights_b_.resize(mz_b.size());
    double const squares_a = detail::scale_intensities(a.table.intensity(a.s), heights_a_);
    double const norm = std::sqrt(squares_a * detail::scale_intensities(b.table.intensity(b.s), heights_b_));
    if (norm == 0 || std::isinf(norm)) return false;
    double const slack = double(mz_a.size() + mz_b.size() + 8) * detail::rounding_unit;
    double const min_sum = min_cosine_ * (1 - slack) * norm;
    matching_.clear();
    matching_.add(mz_a, heights_a_, mz_b, heights_b_, 0, false, [&](double mz) { return detail::distance_at(peaks_, mz); });
    return matching_.bound() >= min_sum && matching_.match(mz_a.size(), mz_b.size(), detail::ties::first).sum >= min_sum;
  }

 private:
  tolerance peaks_;
  double min_cosine_;
  std::vector<double> heights_a_, heights_b_;
  detail::greedy_matching matching_;
};

// Whether a spectrum repeats an earlier one by precursor and cosine. One thread at a time.
class similarity {
 public:
  explicit similarity(duplicate_rule const& rule) : rule_(rule), has_cosine_(rule.peaks, rule.min_cosine) {}

  bool operator()(table_entry const& earlier, table_entry const& later) {
    return std::abs(earlier.precursor() - later.precursor()) <= detail::distance_at(*rule_.precursor, earlier.precursor()) &&
           is_alike(earlier, later) && has_cosine_(earlier, later);
  }
  /// Returns a distance within which all precursors are that a spectrum may repeat. A distance in ppm is that of the earlier
  /// spectrum, so that one more or less may be within it on either side.
  [[nodiscard]] double reach(table_entry const& entry) const {
    return 2 * detail::distance_at(*rule_.precursor, entry.precursor());
  }

 private:
  duplicate_rule const& rule_;
  cosine_test has_cosine_;
};

std::vector<std::size_t> order_by_precursor(spectrum_table const& all) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < all.size(); ++s)
    if (!std::isnan(all.precursor(s))) order.push_back(s);
  std::ranges::stable_sort(order, {}, [&](std::size_t s) { return all.precursor(s); });
  return order;
}

// Marks each spectrum that repeats one of some earlier ones.
void mark_similar_to(spectrum_table const& earlier, spectrum_table const& all, duplicate_rule const& rule,
                     std::vector<std::uint8_t>& repeats) {
  std::vector<std::size_t> const order = order_by_precursor(earlier);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.size()), [&](tbb::blocked_range<std::size_t> const& some) {
    similarity is_similar(rule);
    for (std::size_t s = some.begin(); s < some.end(); ++s) {
      if (repeats[s] || std::isnan(all.precursor(s))) continue;
      double const reach = is_similar.reach({all, s}), last = all.precursor(s) + reach;
      auto const precursor = [&](std::size_t k) { return earlier.precursor(k); };
      auto next = std::ranges::lower_bound(order, all.precursor(s) - reach, {}, precursor);
      for (; next != order.end() && precursor(*next) <= last && !repeats[s]; ++next)
        repeats[s] = is_similar({earlier, *next}, {all, s});
    }
  });
}

// Marks the spectra that are similar to an unmarked spectrum before them. Spectra whose precursors differ by more than the
// tolerance are never compared.
void mark_similar(spectrum_table const& all, duplicate_rule const& rule, std::vector<std::uint8_t>& repeats) {
  std::vector<std::size_t> const order = order_by_precursor(all);
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 ||
        all.precursor(order[i]) - all.precursor(order[i - 1]) > detail::distance_at(*rule.precursor, all.precursor(order[i])))
      groups.push_back(i);
  groups.push_back(order.size());
  tbb::parallel_for(std::size_t{0}, groups.size() - 1, [&](std::size_t g) {
    auto const members = std::span(order).subspan(groups[g], groups[g + 1] - groups[g]);
    std::vector<std::size_t> by_input(members.size());
    std::iota(by_input.begin(), by_input.end(), std::size_t{0});
    std::ranges::sort(by_input, {}, [&](std::size_t i) { return members[i]; });
    similarity is_similar(rule);
    for (std::size_t const i : by_input) {
      std::size_t const s = members[i];
      auto const repeats_one = [&](std::size_t other) {
        return other < s && !repeats[other] && is_similar({all, other}, {all, s});
      };
      double const reach = is_similar.reach({all, s});
      for (std::size_t j = i; j-- > 0 && all.precursor(s) - all.precursor(members[j]) <= reach && !repeats[s];)
        repeats[s] = repeats_one(members[j]);
      for (std::size_t j = i + 1; j < members.size() && all.precursor(members[j]) - all.precursor(s) <= reach && !repeats[s];
           ++j)
        repeats[s] = repeats_one(members[j]);
    }
  });
}

// Finds the spectra that repeat earlier ones, chunk by chunk in the order of the inputs.
class repeat_finder : public detail::chunk_receiver {
 public:
  /// Returns true if each spectrum repeats an earlier one.
  virtual std::vector<std::uint8_t> find_repeats() = 0;
};

// Keeps 128 bits of the SHA-1 of each spectrum: its precursor, charge, MS level and peaks in order.
class identical_finder final : public repeat_finder {
 public:
  std::vector<std::uint8_t> find_repeats() override {
    std::vector<std::size_t> order(digests_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t s) { return std::pair(digests_[s], s); });
    std::vector<std::uint8_t> repeats(order.size());
    for (std::size_t i = 1; i < order.size(); ++i) repeats[order[i]] = digests_[order[i]] == digests_[order[i - 1]];
    return repeats;
  }

 private:
  using digest = std::array<std::uint64_t, 2>;

  void take(detail::chunk const& chunk) override {
    some_.clear();
    some_.add(chunk.columns);
    some_.sort_peaks();
    std::size_t const before = digests_.size();
    digests_.resize(before + some_.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, some_.size()), [&](tbb::blocked_range<std::size_t> const& range) {
      std::vector<std::uint64_t> bits;
      for (std::size_t s = range.begin(); s < range.end(); ++s) {
        bits.assign({canonical_bits(some_.precursor(s)), std::uint64_t(some_.charge(s)), some_.ms_level(s)});
        for (double const value : some_.mz(s)) bits.push_back(canonical_bits(value));
        for (double const value : some_.intensity(s)) bits.push_back(canonical_bits(value));
        detail::sha1_digest sum;
        sum.add({reinterpret_cast<char const*>(bits.data()), bits.size() * sizeof(std::uint64_t)});
        std::memcpy(digests_[before + s].data(), sum.bytes().data(), sizeof(digest));
      }
    });
  }

  spectrum_table some_;
  std::vector<digest> digests_;
};

// Compares a batch of spectra with those of all batches before that repeat none, which are on disk.
class similar_finder final : public repeat_finder {
 public:
  similar_finder(duplicate_rule const& rule, order_options const& order)
      : rule_(rule), batch_bytes_(usable_memory(order) / share), files_(order.folders) {}

  std::vector<std::uint8_t> find_repeats() override {
    mark_batch();
    return std::move(repeats_);
  }

 private:
  // A batch may take twice its size while it grows, and one that was stored is beside it.
  static constexpr std::size_t share = 4;

  void take(detail::chunk const& chunk) override {
    if (batch_.bytes() >= batch_bytes_) {
      mark_batch();
      std::size_t const first = repeats_.size() - batch_.size();
      batch_.remove([&](std::size_t s) { return repeats_[first + s] || std::isnan(batch_.precursor(s)); });
      if (batch_.size() != 0) stored_.push_back(batch_.store(files_));
      batch_.clear();
    }
    batch_.add(chunk.columns);
  }

  void mark_batch() {
    batch_.sort_peaks();
    std::vector<std::uint8_t> repeats(batch_.size());
    spectrum_table earlier;
    for (spectrum_table::stored const& stored : stored_) {
      earlier.load(stored);
      mark_similar_to(earlier, batch_, rule_, repeats);
    }
    mark_similar(batch_, rule_, repeats);
    append(repeats_, repeats);
  }

  duplicate_rule const& rule_;
  std::size_t batch_bytes_;
  external::run_files files_;
  std::vector<spectrum_table::stored> stored_;
  spectrum_table batch_;
  std::vector<std::uint8_t> repeats_;  // repeats in the batches before, and in this one once it is marked
};

}  // namespace

std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> find_duplicates(spectrum_inputs const& inputs,
                                                                               sort_options const& options,
                                                                               duplicate_rule const& rule,
                                                                               order_options const& order) {
  auto const check = [](tolerance const& tolerance) {
    if (!(tolerance.value >= 0) || !std::isfinite(tolerance.value) || (tolerance.ppm && tolerance.value > detail::max_ppm))
      throw usage_error("invalid tolerance of duplicates");
  };
  check(rule.peaks);
  if (rule.precursor) check(*rule.precursor);
  if (!(rule.min_cosine > 0 && rule.min_cosine <= 1)) throw usage_error("the cosine of duplicates is not above 0 and up to 1");
  std::unique_ptr<repeat_finder> finder;
  if (rule.precursor)
    finder = std::make_unique<similar_finder>(rule, order);
  else
    finder = std::make_unique<identical_finder>();
  std::vector<std::vector<std::uint64_t>> numbers(inputs.count);
  detail::read_inputs(
      inputs, options, {.goal = detail::purpose::read, .receiver = finder.get(), .lists = true},
      [&](sort_options& options) {
        options.choice.duplicates.reset();
        options.chunk_bytes = std::clamp<std::size_t>(usable_memory(order) / detail::order_blocks, 1, options.chunk_bytes);
      },
      [&](std::size_t k, std::uint64_t, detail::pipeline& work) { numbers[k] = work.release_chosen(); });
  pooled_arena arena(threads_for(options.machine.threads));
  std::vector<std::uint8_t> const repeats = arena.execute([&] { return finder->find_repeats(); });
  std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> result;
  auto next = repeats.begin();
  for (auto const& some : numbers) {
    std::vector<std::uint64_t> left_out;
    for (std::uint64_t const number : some)
      if (*next++ != 0) left_out.push_back(number);
    result.push_back(std::make_shared<std::vector<std::uint64_t> const>(std::move(left_out)));
  }
  return result;
}

}  // namespace ordo::inline v0::spectra
