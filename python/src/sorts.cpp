#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "python/src/machine.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

constexpr unsigned is_descending = 1, has_total_order = 2;

ordo_sort_options options_of(unsigned flags) {
  ordo_sort_options options = ORDO_SORT_OPTIONS_INIT;
  options.order = flags & is_descending ? ORDO_DESCENDING : ORDO_ASCENDING;
  return options;
}

void check_same_place(array const& a, array const& b, char const* name) {
  if (a.gpu() != b.gpu()) throw ordo::usage_error(std::string("bad ") + name + ": not on the device of the keys");
}

/// Returns the segments of rows of one length.
ordo_segments rows_of(std::size_t n, std::size_t length) {
  ordo_segments rows = ORDO_SEGMENTS_INIT;
  rows.uniform_length = length;
  rows.count = length == 0 ? 0 : n / length;
  return rows;
}

// NumPy's order has NaN behind all numbers, and equal zeros. The core's has NaNs of either sign at both ends, -0.0 before 0.0.

/// Calls f(U{}) for the unsigned type of the width of a floating-point type.
template <class F>
void with_float_bits(ordo_type type, F f) {
  if (type == ORDO_FLOAT16 || type == ORDO_BFLOAT16) f(std::uint16_t{});
  if (type == ORDO_FLOAT32) f(std::uint32_t{});
  if (type == ORDO_FLOAT64) f(std::uint64_t{});
}
std::uint64_t infinity_of(ordo_type type) {
  return type == ORDO_FLOAT16    ? 0x7c00u
         : type == ORDO_BFLOAT16 ? 0x7f80u
         : type == ORDO_FLOAT32  ? 0x7f800000u
                                 : std::uint64_t{0x7ff} << 52;
}

/// Moves the NaNs at the front of each sorted row behind its numbers.
void put_nans_last(array const& keys, std::size_t length) {
  with_float_bits(keys.type(), [&](auto bits) {
    using word = decltype(bits);
    auto const infinity = word(infinity_of(keys.type())), magnitude = word(word(~word{0}) >> 1);
    auto* const all = static_cast<word*>(keys.data());
    auto const is_nan = [=](word x) { return word(x & magnitude) > infinity; };
    for (std::size_t row = 0; length != 0 && row + length <= keys.size(); row += length)
      if (is_nan(all[row])) std::rotate(all + row, std::find_if_not(all + row, all + row + length, is_nan), all + row + length);
  });
}

/// Returns the bytes of keys in whose total order NaNs come last and zeros are equal.
std::vector<unsigned char> with_equal_zeros(array const& keys, bool descending) {
  std::vector<unsigned char> copy(keys.size() * keys.item_bytes());
  with_float_bits(keys.type(), [&](auto bits) {
    using word = decltype(bits);
    auto const infinity = word(infinity_of(keys.type())), magnitude = word(word(~word{0}) >> 1), sign = word(~magnitude);
    auto const last = word(descending ? sign | magnitude : magnitude);
    auto const* const from = static_cast<word const*>(keys.data());
    auto* const to = reinterpret_cast<word*>(copy.data());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      word const x = from[i];
      to[i] = word(x & magnitude) > infinity ? last : x == sign ? word{0} : x;
    }
  });
  return copy;
}

bool is_float(ordo_type type) {
  return type >= ORDO_FLOAT16;
}

void sort(machines& on, nb::handle keys_given, std::size_t length, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", true, stream);
  auto const options = options_of(flags);
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    ordo_status status = ORDO_OK;
    if (length == keys.size()) {
      status = ordo_sort_keys(machine, keys.type(), keys.data(), keys.size(), &options);
    } else {
      auto const rows = rows_of(keys.size(), length);
      status = ordo_sort_segments(machine, keys.type(), keys.data(), 0, nullptr, keys.size(), &rows, nullptr, &options);
    }
    if (status == ORDO_OK && !(flags & has_total_order) && is_float(keys.type()) && !keys.gpu()) put_nans_last(keys, length);
    return status;
  });
}

void sort_pairs(machines& on, nb::handle keys_given, nb::handle values_given, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", true, stream), values(values_given, "values", true, stream);
  check_same_place(keys, values, "values");
  if (values.size() != keys.size())
    throw ordo::usage_error("bad values: length " + std::to_string(values.size()) + " for " + std::to_string(keys.size()) +
                            " keys");
  auto const options = options_of(flags);
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    return ordo_sort_pairs(machine, keys.type(), keys.data(), values.item_bytes(), values.data(), keys.size(), &options);
  });
}

/// Writes the order of the keys of each row to `index`. On entry, if there is more than one row, index holds 0, 1, ... in each.
void argsort(machines& on, nb::handle keys_given, nb::handle index_given, std::size_t length, unsigned flags,
             std::uintptr_t stream) {
  array const keys(keys_given, "keys", false, stream), index(index_given, "index", true, stream);
  check_same_place(keys, index, "index");
  if (index.size() != keys.size()) throw ordo::usage_error("bad index: not as long as the keys");
  auto options = options_of(flags);
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    std::vector<unsigned char> copy;
    void* data = keys.data();
    if (!(flags & has_total_order) && is_float(keys.type()) && !keys.gpu()) {
      copy = with_equal_zeros(keys, flags & is_descending);
      data = copy.data();
    }
    if (length == keys.size())
      return ordo_argsort(machine, keys.type(), data, index.type(), index.data(), keys.size(), &options);
    auto const rows = rows_of(keys.size(), length);
    options.keep_keys = 1;
    return ordo_sort_segments(machine, keys.type(), data, index.item_bytes(), index.data(), keys.size(), &rows, nullptr,
                              &options);
  });
}

/// Sorts the segments that offsets, or begins and ends, bound. With keep_keys only the values move.
void sort_segments(machines& on, nb::handle keys_given, nb::handle values_given, nb::handle begins_given, nb::handle ends_given,
                   bool keep_keys, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", !keep_keys, stream), begins(begins_given, "offsets", false, stream);
  std::optional<array> values, ends;
  check_same_place(keys, begins, "offsets");
  ordo_segments segments = ORDO_SEGMENTS_INIT;
  segments.begins = begins.data();
  segments.count = begins.size();
  segments.offset_type = begins.type();
  if (ends_given.is_none()) {
    segments.count = begins.size() == 0 ? 0 : begins.size() - 1;
  } else {
    ends.emplace(ends_given, "ends", false, stream);
    check_same_place(keys, *ends, "ends");
    if (ends->size() != begins.size() || ends->type() != begins.type())
      throw ordo::usage_error("bad ends: not of the length and type of the begins");
    segments.ends = ends->data();
  }
  if (!values_given.is_none()) {
    values.emplace(values_given, "values", true, stream);
    check_same_place(keys, *values, "values");
    if (values->size() != keys.size()) throw ordo::usage_error("bad values: not as long as the keys");
  }
  auto options = options_of(flags);
  options.keep_keys = keep_keys;
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    return ordo_sort_segments(machine, keys.type(), keys.data(), values ? values->item_bytes() : 0,
                              values ? values->data() : nullptr, keys.size(), &segments, nullptr, &options);
  });
}

}  // namespace

void add_sorts(nb::module_& module) {
  module.def("sort", &sort);
  module.def("sort_pairs", &sort_pairs);
  module.def("argsort", &argsort);
  module.def("sort_segments", &sort_segments, nb::arg("machine"), nb::arg("keys"), nb::arg("values").none(), nb::arg("begins"),
             nb::arg("ends").none(), nb::arg("keep_keys"), nb::arg("flags"), nb::arg("stream"));
}

}  // namespace ordo_python
