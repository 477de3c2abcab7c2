#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "python/src/argsort_columns.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "python/src/options.hpp"

// Calls on arrays that a sort takes as they are. They make the results, too: few items are sorted in less time than calls of
// NumPy and checks in Python take. Each returns None for other arrays, which Python converts.
namespace ordo_python {
namespace {

using numpy::plain;

nb::object sort_plain(machines& on, nb::handle given, unsigned flags) {
  plain const from(given);
  if (!from) return nb::none();
  nb::object result = from.new_like(from.size());
  auto const options = make_options(flags);
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        return ordo_sort_keys_copy(machine, from.type(), from.data(), numpy::data(result), from.size(), &options);
      },
      from.size());
  return result;
}

nb::object argsort_plain(machines& on, nb::handle given, unsigned flags) {
  plain const from(given);
  if (!from) return nb::none();
  nb::object index = numpy::new_positions(from.size());
  auto options = make_options(flags);
  options.equal_zeros = !(flags & has_total_order);  // at no cost
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        return ordo_argsort(machine, from.type(), from.data(), ORDO_INT64, numpy::data(index), from.size(), &options);
      },
      from.size());
  return index;
}

/// Returns a pair of the k greatest or smallest items, and their positions.
nb::object top_k_plain(machines& on, nb::handle given, std::ptrdiff_t k, bool smallest, bool sorted) {
  plain const from(given);
  if (!from) return nb::none();
  std::size_t const n = from.size(), count = std::size_t(k);
  if (k < 0 || count > n) throw nb::value_error(("k: " + std::to_string(k) + " of " + std::to_string(n) + " items").c_str());
  nb::object best = from.new_like(count), index = numpy::new_positions(count);
  ordo_top_k_options options = ORDO_TOP_K_OPTIONS_INIT;
  options.smallest = smallest;
  options.unsorted = !sorted;
  if (k != 0)
    on.run(
        std::nullopt, 0,
        [&](ordo_machine* machine) {
          return ordo_top_k(machine, from.type(), from.data(), n, count, numpy::data(best), ORDO_INT64, numpy::data(index),
                            &options);
        },
        n);
  return nb::make_tuple(best, index);
}

/// Returns true for items that are one value: NaNs are, and both zeros.
template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}
struct half {
  std::uint16_t bits;
  [[nodiscard]] bool is_nan() const { return (bits & 0x7fff) > 0x7c00; }
};
bool same(half a, half b) {
  return a.bits == b.bits || ((a.bits | b.bits) & 0x7fff) == 0 || (a.is_nan() && b.is_nan());
}

/// Moves the first item of each run of n >= 1 sorted items to the front. Returns the number of runs.
/// @param starts  takes the position of each run's first item, or null
template <class T>
std::size_t keep_first(T* items, std::size_t n, std::int64_t* starts) {
  T last = items[0];
  std::size_t kept = 1;
  // Each item is written, and the place moves on if it was a new one: there is no branch to predict.
  for (std::size_t i = 1; i < n; ++i) {
    T const item = items[i];
    items[kept] = item;
    if (starts) starts[kept] = std::int64_t(i);
    kept += !same(item, last);
    last = item;
  }
  return kept;
}

std::size_t keep_first(ordo_type type, void* items, std::size_t n, std::int64_t* starts) {
  switch (type) {
    case ORDO_FLOAT16:
      return keep_first(static_cast<half*>(items), n, starts);
    case ORDO_FLOAT32:
      return keep_first(static_cast<float*>(items), n, starts);
    case ORDO_FLOAT64:
      return keep_first(static_cast<double*>(items), n, starts);
    default:
      break;
  }
  switch (numpy::item_width(type)) {
    case 1:
      return keep_first(static_cast<std::uint8_t*>(items), n, starts);
    case 2:
      return keep_first(static_cast<std::uint16_t*>(items), n, starts);
    case 4:
      return keep_first(static_cast<std::uint32_t*>(items), n, starts);
    default:
      return keep_first(static_cast<std::uint64_t*>(items), n, starts);
  }
}

/// Returns the different items in order, and if they are wanted, how often each occurs.
nb::object unique_plain(machines& on, nb::handle given, bool with_counts) {
  plain const from(given);
  if (!from) return nb::none();
  std::size_t const n = from.size();
  nb::object all = from.new_like(n);
  auto const options = make_options(0);
  std::vector<std::int64_t> starts(with_counts ? n + 1 : 0);
  std::size_t kept = 0;
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        ordo_status const done = ordo_sort_keys_copy(machine, from.type(), from.data(), numpy::data(all), n, &options);
        if (done == ORDO_OK) kept = keep_first(from.type(), numpy::data(all), n, with_counts ? starts.data() : nullptr);
        return done;
      },
      n);
  nb::object values = all;
  if (kept != n) {
    values = from.new_like(kept);
    std::memcpy(numpy::data(values), numpy::data(all), kept * numpy::item_width(from.type()));
  }
  if (!with_counts) return values;
  nb::object counts = numpy::new_positions(kept);
  starts[kept] = std::int64_t(n);
  for (std::size_t j = 0; j < kept; ++j) numpy::data<std::int64_t>(counts)[j] = starts[j + 1] - starts[j];
  return nb::make_tuple(values, counts);
}

/// Returns the order of rows by columns that ascend, with NaNs last, of arrays that are all of one length.
nb::object argsort_rows_plain(machines& on, nb::list const& columns) {
  std::vector<nb::object> held;  // another thread may change the list
  std::vector<ordo_row_key> keys;
  held.reserve(columns.size());
  keys.reserve(columns.size());
  std::size_t n = 0;
  for (nb::handle column : columns) {
    plain const values(column);
    if (!values || (!keys.empty() && values.size() != n)) return nb::none();
    n = values.size();
    held.push_back(nb::borrow(column));
    ordo_row_key key = ORDO_ROW_KEY_INIT;
    key.values = values.data();
    key.type = values.type();
    key.nans = ORDO_NANS_LAST;
    key.equal_zeros = 1;
    keys.push_back(key);
  }
  if (keys.empty()) return nb::none();
  return argsort_columns(on, keys, n);
}

}  // namespace

void add_plain(nb::module_& module) {
  module.def("sort_plain", &sort_plain);
  module.def("argsort_plain", &argsort_plain);
  module.def("top_k_plain", &top_k_plain);
  module.def("unique_plain", &unique_plain);
  module.def("argsort_rows_plain", &argsort_rows_plain);
}

}  // namespace ordo_python
