#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "python/src/options.hpp"
#include "sort_core/host/vector_selection.hpp"
#include "sort_core/host/vectorized.hpp"

// Partitions with NumPy's contract. Vectors select from all but large arrays. For others two splitters, drawn from a sample,
// enclose the wanted item and few others. One pass writes the items below them to the front, those above to the back, and those
// between to the side, where they are sorted.
namespace ordo_python {
namespace {

/// Below this number of items a sort takes as long.
constexpr std::size_t sorted_below = 4096;

/// Items, and their positions or null, as an input and a result of one length.
template <class K>
struct part {
  K* keys;
  std::int64_t* index;
  [[nodiscard]] part from(std::size_t first) const { return {keys + first, index ? index + first : nullptr}; }
};

template <class K>
constexpr ordo_type key_type() {
  if constexpr (std::is_same_v<K, float>) return ORDO_FLOAT32;
  if constexpr (std::is_same_v<K, double>) return ORDO_FLOAT64;
  if constexpr (sizeof(K) == 4) return std::is_signed_v<K> ? ORDO_INT32 : ORDO_UINT32;
  return std::is_signed_v<K> ? ORDO_INT64 : ORDO_UINT64;
}

template <class K>
void sort(ordo_machine* machine, part<K> items, std::size_t n) {
  auto const options = make_options(0);
  check(items.index ? ordo_sort_pairs(machine, key_type<K>(), items.keys, sizeof(items.index[0]), items.index, n, &options)
                    : ordo_sort_keys(machine, key_type<K>(), items.keys, n, &options));
}

/// Returns the number of keys alone up to which vectors are the fastest way to select one.
template <class K>
std::size_t max_selected_by_vectors() {
  constexpr std::size_t max_bytes = std::size_t{1} << 25;
  return std::min(max_bytes / sizeof(K), ordo::host_detail::max_vector_keys(sizeof(K)));
}

template <class K>
void select_by_vectors(K* keys, std::size_t n, std::size_t k) {
  using word = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
  auto const options = make_options(0);
  auto const code = ordo::detail::code_for<word>(ordo::detail::c_sort_task(key_type<K>(), keys, 0, nullptr, n, &options));
  ordo::host_detail::select_by_vectors(static_cast<word*>(static_cast<void*>(keys)), n, k, code);
}

/// Returns a sorted sample of one item in each of `count` ranges.
template <class K>
std::vector<K> sorted_sample(ordo_machine* machine, K const* keys, std::size_t n, std::size_t count) {
  std::vector<K> sample(count);
  std::size_t const width = n / count;
  for (std::size_t j = 0; j < count; ++j) {
    std::uint64_t const x = (j + 1) * 0x9e3779b97f4a7c15u;
    sample[j] = keys[j * width + std::size_t((x ^ (x >> 32)) % width)];
  }
  sort(machine, part<K>{sample.data(), nullptr}, count);
  return sample;
}

/// The numbers of items that are below both splitters, and between them.
struct split {
  std::size_t less, middle;
};

/// Splits n items. NaNs are above all numbers. `number(i)` is the position of item i, `side` has room for n items.
template <bool WithIndex, class K, class Number>
split split_around(K const* from, std::size_t n, K low, K high, part<K> to, part<K> side, Number number) {
  std::size_t less = 0, greater = 0, middle = 0;
  // Each item is written to all three places, of which one moves on: there is no branch to predict.
  for (std::size_t i = 0; i < n; ++i) {
    K const key = from[i];
    bool const is_less = key < low, is_greater = !(key <= high);
    to.keys[less] = key;
    to.keys[n - 1 - greater] = key;
    side.keys[middle] = key;
    if constexpr (WithIndex) to.index[less] = to.index[n - 1 - greater] = side.index[middle] = number(i);
    less += is_less;
    greater += is_greater;
    middle += !is_less & !is_greater;
  }
  return {less, middle};
}

/// Memory that is not touched before it is written.
template <class T>
std::unique_ptr<T[]> uninitialized(std::size_t n) {
  return std::unique_ptr<T[]>(new T[n]);
}

/// Writes n items in such an order that those at the positions `kth`, which ascend, are where a sort puts them.
/// @param numbers  the positions of the items, or null if these count from 0
/// @param to  does not overlap the input
template <class K>
void partition(ordo_machine* machine, K const* from, std::int64_t const* numbers, std::size_t n,
               std::span<std::size_t const> kth, part<K> to) {
  constexpr std::size_t max_kth = 8;  // for which passes are faster than a sort
  auto const number = [numbers](std::size_t i) { return numbers ? numbers[i] : std::int64_t(i); };
  auto const copy = [&] {
    std::copy_n(from, n, to.keys);
    for (std::size_t i = 0; to.index && i < n; ++i) to.index[i] = number(i);
  };
  if (kth.empty()) return copy();
  if (!to.index && kth.size() == 1 && n <= max_selected_by_vectors<K>()) {
    copy();
    return select_by_vectors(to.keys, n, kth[0]);
  }
  if (n < sorted_below || kth.size() > max_kth) {
    copy();
    return sort(machine, to, n);
  }

  std::size_t const k = kth[kth.size() / 2], count = std::clamp<std::size_t>(n / 64, 256, std::size_t{1} << 14);
  std::vector<K> const sample = sorted_sample(machine, from, n, count);
  double const rank = double(k) / double(n) * double(count);
  double const margin = 4 * std::sqrt(rank * (1 - double(k) / double(n))) + 4;  // a few standard deviations
  K const low = sample[std::size_t(std::max(rank - margin, 0.0))];
  K const high = sample[std::min(std::size_t(rank + margin), count - 1)];
  if (high != high) {  // NaN
    copy();
    return sort(machine, to, n);
  }
  auto const keys = uninitialized<K>(n);
  auto const index = uninitialized<std::int64_t>(to.index ? n : 0);
  part<K> const side{keys.get(), to.index ? index.get() : nullptr};
  split const done = to.index ? split_around<true>(from, n, low, high, to, side, number)
                              : split_around<false>(from, n, low, high, to, side, number);
  if (low != high) sort(machine, side, done.middle);
  std::copy_n(side.keys, done.middle, to.keys + done.less);
  if (to.index) std::copy_n(side.index, done.middle, to.index + done.less);

  // The other items that are wanted are between the splitters, too, or in the parts beside them.
  std::size_t const end = done.less + done.middle;
  auto const partition_rest = [&](std::size_t begin, std::size_t last) {
    std::vector<std::size_t> inside;
    for (std::size_t const position : kth)
      if (position >= begin && position < last) inside.push_back(position - begin);
    if (inside.empty()) return;
    part<K> const own = to.from(begin);
    std::copy_n(own.keys, last - begin, side.keys);
    if (own.index) std::copy_n(own.index, last - begin, side.index);
    if (k >= begin && k < last) return sort(machine, own, last - begin);  // a bad sample
    partition<K>(machine, side.keys, own.index ? side.index : nullptr, last - begin, inside, own);
  };
  partition_rest(0, done.less);
  partition_rest(end, n);
}

/// Partitions rows of one length.
template <class K>
void partition_rows(ordo_machine* machine, array const& from, std::size_t length, std::span<std::size_t const> kth,
                    array const& out, bool with_index) {
  std::vector<K> keys(with_index ? length : 0);  // which are not part of the result
  for (std::size_t begin = 0; begin < from.size(); begin += length) {
    K const* const row = static_cast<K const*>(from.data()) + begin;
    part<K> const to = with_index ? part<K>{keys.data(), static_cast<std::int64_t*>(out.data()) + begin}
                                  : part<K>{static_cast<K*>(out.data()) + begin, nullptr};
    partition<K>(machine, row, nullptr, length, kth, to);
  }
}

/// Calls f(K()) for the type of keys that are partitioned. Returns false, and does nothing, for types that are sorted as fast.
template <class F>
bool with_type(ordo_type type, F f) {
  switch (type) {
    case ORDO_INT32:
      f(std::int32_t{});
      return true;
    case ORDO_INT64:
      f(std::int64_t{});
      return true;
    case ORDO_UINT32:
      f(std::uint32_t{});
      return true;
    case ORDO_UINT64:
      f(std::uint64_t{});
      return true;
    case ORDO_FLOAT32:
      f(float{});
      return true;
    case ORDO_FLOAT64:
      f(double{});
      return true;
    default:
      return false;
  }
}

/// Writes the items of each row to `out`, or with_index their positions, so that those at the positions `kth`, which ascend,
/// are where a sort puts them. Returns false, and does nothing, for types that are sorted as fast.
bool partition_keys(machines& on, nb::handle keys_given, std::size_t length, nb::list const& kth_given, nb::handle out_given,
                    bool with_index) {
  array const keys(keys_given, "keys", false), out(out_given, "out", true);
  std::vector<std::size_t> kth;
  for (nb::handle position : kth_given) {
    kth.push_back(nb::cast<std::size_t>(position));
    if (kth.back() >= length || (kth.size() > 1 && kth.back() <= kth[kth.size() - 2]))
      throw ordo::usage_error("bad kth: not ascending positions");
  }
  if (keys.gpu() || out.gpu() || out.size() != keys.size() || out.type() != (with_index ? ORDO_INT64 : keys.type()) ||
      length == 0 || keys.size() % length != 0)
    throw ordo::usage_error("bad out: type or length");
  return with_type(keys.type(), [&]<class K>(K) {
    on.run(std::nullopt, 0, [&](ordo_machine* machine) {
      partition_rows<K>(machine, keys, length, kth, out, with_index);
      return ordo_status(ORDO_OK);
    });
  });
}

/// Returns the items, or with_index their positions, partitioned around position `kth`; None for arrays that Python converts.
nb::object partition_plain(machines& on, nb::handle given, std::ptrdiff_t kth, bool with_index) {
  numpy::plain const from(given);
  if (!from) return nb::none();
  std::size_t const n = from.size();
  if (kth < -std::ptrdiff_t(n) || kth >= std::ptrdiff_t(n))
    throw nb::value_error(("kth: " + std::to_string(kth) + " of " + std::to_string(n) + " items").c_str());
  std::size_t const k = std::size_t(kth < 0 ? kth + std::ptrdiff_t(n) : kth);
  nb::object result = with_index ? numpy::new_positions(n) : from.new_like(n);
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        bool const done = !(with_index && n < sorted_below) && with_type(from.type(), [&]<class K>(K) {
          std::vector<K> keys(with_index ? n : 0);  // which are not part of the result
          part<K> const to =
              with_index ? part<K>{keys.data(), numpy::data<std::int64_t>(result)} : part<K>{numpy::data<K>(result), nullptr};
          partition<K>(machine, static_cast<K const*>(from.data()), nullptr, n, {&k, 1}, to);
        });
        auto options = make_options(0);
        options.equal_zeros = with_index;
        return done         ? ordo_status(ORDO_OK)
               : with_index ? ordo_argsort(machine, from.type(), from.data(), ORDO_INT64, numpy::data(result), n, &options)
                            : ordo_sort_keys_copy(machine, from.type(), from.data(), numpy::data(result), n, &options);
      },
      n);
  return result;
}

}  // namespace

void add_partition(nb::module_& module) {
  module.def("partition", &partition_keys);
  module.def("partition_plain", &partition_plain);
}

}  // namespace ordo_python
