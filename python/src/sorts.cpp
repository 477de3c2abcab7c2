#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "python/src/options.hpp"

namespace ordo_python {
namespace {

void check_same_place(array const& a, array const& b, char const* name) {
  if (a.gpu() != b.gpu()) throw ordo::usage_error(std::string("bad ") + name + ": not on the device of the keys");
}

/// Returns the segments of rows of one length.
ordo_segments make_rows(std::size_t n, std::size_t length) {
  ordo_segments rows = ORDO_SEGMENTS_INIT;
  rows.uniform_length = length;
  rows.count = length == 0 ? 0 : n / length;
  return rows;
}

/// Returns true if keys on the host are floating-point numbers with a -0.0 among them. Equal zeros cost time only then.
bool has_negative_zero(array const& keys) {
  if (keys.gpu()) return false;
  auto const find = [&](auto sign) {
    auto const* const all = static_cast<decltype(sign) const*>(keys.data());
    return std::find(all, all + keys.size(), sign) != all + keys.size();
  };
  switch (keys.type()) {
    case ORDO_FLOAT16:
    case ORDO_BFLOAT16:
      return find(std::uint16_t{0x8000});
    case ORDO_FLOAT32:
      return find(std::uint32_t{1} << 31);
    case ORDO_FLOAT64:
      return find(std::uint64_t{1} << 63);
    default:
      return false;
  }
}

void sort(machines& on, nb::handle keys_given, std::size_t length, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", true, stream);
  auto const options = make_options(flags);
  auto const sort_by = [&](ordo_machine* machine) {
    ordo_status status = ORDO_OK;
    if (length == keys.size()) {
      status = ordo_sort_keys(machine, keys.type(), keys.data(), keys.size(), &options);
    } else {
      auto const rows = make_rows(keys.size(), length);
      status = ordo_sort_segments(machine, keys.type(), keys.data(), 0, nullptr, keys.size(), &rows, nullptr, &options);
    }
    return status;
  };
  on.run(keys.gpu(), stream, sort_by, keys.size());
}

void sort_pairs(machines& on, nb::handle keys_given, nb::handle values_given, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", true, stream), values(values_given, "values", true, stream);
  check_same_place(keys, values, "values");
  if (values.size() != keys.size())
    throw ordo::usage_error("bad values: length " + std::to_string(values.size()) + " for " + std::to_string(keys.size()) +
                            " keys");
  auto options = make_options(flags);
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    if (!(flags & has_total_order) && has_negative_zero(keys)) options.equal_zeros = 1;
    return ordo_sort_pairs(machine, keys.type(), keys.data(), values.item_bytes(), values.data(), keys.size(), &options);
  });
}

/// Writes the order of the keys of each row to `index`. On entry, if there is more than one row, index holds 0, 1, ... in each.
void argsort(machines& on, nb::handle keys_given, nb::handle index_given, std::size_t length, unsigned flags,
             std::uintptr_t stream) {
  array const keys(keys_given, "keys", false, stream), index(index_given, "index", true, stream);
  check_same_place(keys, index, "index");
  if (index.size() != keys.size()) throw ordo::usage_error("bad index: not as long as the keys");
  auto options = make_options(flags);
  options.equal_zeros = !(flags & has_total_order);  // at no cost
  auto const sort_by = [&](ordo_machine* machine) {
    void* const data = keys.data();
    if (length == keys.size())
      return ordo_argsort(machine, keys.type(), data, index.type(), index.data(), keys.size(), &options);
    auto const rows = make_rows(keys.size(), length);
    options.keep_keys = 1;
    return ordo_sort_segments(machine, keys.type(), data, index.item_bytes(), index.data(), keys.size(), &rows, nullptr,
                              &options);
  };
  on.run(keys.gpu(), stream, sort_by, keys.size());
}

/// Sorts the segments that offsets, or begins and ends, bound. With keep_keys only the values move.
void sort_segments(machines& on, nb::handle keys_given, nb::handle values_given, nb::handle begins_given, nb::handle ends_given,
                   std::size_t max_length, bool keep_keys, unsigned flags, std::uintptr_t stream) {
  array const keys(keys_given, "keys", !keep_keys, stream), begins(begins_given, "offsets", false, stream);
  std::optional<array> values, ends;
  check_same_place(keys, begins, "offsets");
  ordo_segments segments = ORDO_SEGMENTS_INIT;
  segments.begins = begins.data();
  segments.count = begins.size();
  segments.offset_type = begins.type();
  segments.max_length = max_length;
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
  auto options = make_options(flags);
  options.keep_keys = keep_keys;
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    if (!(flags & has_total_order)) options.equal_zeros = keep_keys || (values && has_negative_zero(keys));
    return ordo_sort_segments(machine, keys.type(), keys.data(), values ? values->item_bytes() : 0,
                              values ? values->data() : nullptr, keys.size(), &segments, nullptr, &options);
  });
}

/// Writes the k greatest or smallest keys of each row, and their positions in it.
void top_k(machines& on, nb::handle keys_given, std::size_t length, std::size_t k, nb::handle best_given,
           nb::handle index_given, bool smallest, bool sorted, std::uintptr_t stream) {
  array const keys(keys_given, "keys", false, stream), best(best_given, "out", true, stream),
      index(index_given, "index", true, stream);
  check_same_place(keys, best, "out");
  check_same_place(keys, index, "index");
  auto const rows = make_rows(keys.size(), length);
  if (k > length) throw ordo::usage_error("bad k: " + std::to_string(k) + " of " + std::to_string(length) + " keys");
  if (best.size() != rows.count * k || best.type() != keys.type() || index.size() != best.size())
    throw ordo::usage_error("bad out: type or length");
  ordo_top_k_options options = ORDO_TOP_K_OPTIONS_INIT;
  options.smallest = smallest;
  options.unsorted = !sorted;
  options.relative = 1;
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    if (best.size() == 0) return ordo_status(ORDO_OK);
    if (rows.count == 1)
      return ordo_top_k(machine, keys.type(), keys.data(), keys.size(), k, best.data(), index.type(), index.data(), &options);
    return ordo_segmented_top_k(machine, keys.type(), keys.data(), keys.size(), &rows, k, best.data(), index.type(),
                                index.data(), &options);
  });
}

/// The same for segments with offsets. Items of segments of fewer than k keys are not written.
void segmented_top_k(machines& on, nb::handle keys_given, nb::handle offsets_given, std::size_t max_length, std::size_t k,
                     nb::handle best_given, nb::handle index_given, bool smallest, std::uintptr_t stream) {
  array const keys(keys_given, "keys", false, stream), offsets(offsets_given, "offsets", false, stream),
      best(best_given, "out", true, stream), index(index_given, "index", true, stream);
  check_same_place(keys, offsets, "offsets");
  check_same_place(keys, best, "out");
  check_same_place(keys, index, "index");
  ordo_segments segments = ORDO_SEGMENTS_INIT;
  segments.begins = offsets.data();
  segments.count = offsets.size() == 0 ? 0 : offsets.size() - 1;
  segments.offset_type = offsets.type();
  segments.max_length = max_length;
  if (best.type() != keys.type() || index.size() != best.size() || (k != 0 && best.size() / k != segments.count))
    throw ordo::usage_error("bad out: type or length");
  ordo_top_k_options options = ORDO_TOP_K_OPTIONS_INIT;
  options.smallest = smallest;
  on.run(keys.gpu(), stream, [&](ordo_machine* machine) {
    return ordo_segmented_top_k(machine, keys.type(), keys.data(), keys.size(), &segments, k, best.data(), index.type(),
                                index.data(), &options);
  });
}

/// Writes the order of rows by columns. `columns` holds arrays, which ascend with NaNs last and without nulls, and tuples of an
/// array, whether it descends, the bitmap of its nulls, as Arrow has it, or None, the number of bits before that of the first
/// row, whether nulls come first, an ordo_nans, and the type of integers of more than 64 bits, or 0.
void argsort_rows(machines& on, nb::list const& columns, nb::handle index_given, std::uintptr_t stream) {
  array const index(index_given, "index", true, stream);
  std::vector<std::unique_ptr<array>> held;
  std::vector<ordo_row_key> keys;
  auto const add = [&](nb::handle given) -> ordo_row_key& {
    auto const& values = *held.emplace_back(std::make_unique<array>(given, "column", false, stream));
    check_same_place(index, values, "column");
    if (values.size() != index.size()) throw ordo::usage_error("bad columns: not of one length");
    ordo_row_key key = ORDO_ROW_KEY_INIT;
    key.values = values.data();
    key.type = values.type();
    key.nans = ORDO_NANS_LAST;
    key.equal_zeros = 1;
    return keys.emplace_back(key);
  };
  for (nb::handle item : columns) {
    if (!nb::isinstance<nb::tuple>(item)) {
      add(item);
      continue;
    }
    auto const column = nb::cast<nb::tuple>(item);
    ordo_row_key& key = add(nb::object(column[0]));
    key.order = nb::cast<bool>(column[1]) ? ORDO_DESCENDING : ORDO_ASCENDING;
    key.nulls_first = nb::cast<bool>(column[4]);
    key.nans = nb::cast<ordo_nans>(column[5]);
    key.equal_zeros = key.nans != ORDO_NANS_TOTAL_ORDER;
    if (ordo_type const wide = nb::cast<ordo_type>(column[6]); wide != 0) {
      if ((wide != ORDO_INT128 && wide != ORDO_UINT128 && wide != ORDO_INT256) ||
          held.back()->item_bytes() != (wide == ORDO_INT256 ? 32 : 16))
        throw ordo::usage_error("bad columns: items of " + std::to_string(held.back()->item_bytes()) + " bytes");
      key.type = wide;
    }
    if (nb::object const bitmap = nb::object(column[2]); !bitmap.is_none()) {
      auto const& bits = *held.emplace_back(std::make_unique<array>(bitmap, "validity", false, stream));
      check_same_place(index, bits, "validity");
      key.validity_offset = nb::cast<std::size_t>(column[3]);
      if (bits.item_bytes() != 1 || bits.size() < (index.size() + key.validity_offset + 7) / 8)
        throw ordo::usage_error("bad validity: not a bit for each row");
      key.validity = static_cast<std::uint8_t const*>(bits.data());
    }
  }
  auto const sort_by = [&](ordo_machine* machine) {
    return ordo_argsort_rows(machine, keys.data(), keys.size(), index.size(), index.type(), index.data());
  };
  on.run(index.gpu(), stream, sort_by, index.size());
}

/// Merges two sorted arrays into a third.
void merge_sorted(machines& on, nb::handle a_given, nb::handle b_given, nb::handle out_given, unsigned flags,
                  std::uintptr_t stream) {
  array const a(a_given, "a", false, stream), b(b_given, "b", false, stream), out(out_given, "out", true, stream);
  check_same_place(a, b, "b");
  check_same_place(a, out, "out");
  if (a.type() == 0 || b.type() != a.type() || out.type() != a.type())
    throw ordo::usage_error("bad b: not keys of the type of a");
  auto options = make_options(flags);
  options.equal_zeros = !(flags & has_total_order);
  if (out.size() != a.size() + b.size()) throw ordo::usage_error("bad out: not as long as a and b");
  on.run(a.gpu(), stream, [&](ordo_machine* machine) {
    return ordo_merge(machine, a.type(), a.data(), a.size(), b.data(), b.size(), out.data(), 0, nullptr, nullptr, nullptr,
                      &options);
  });
}

}  // namespace

void add_sorts(nb::module_& module) {
  module.def("sort", &sort);
  module.def("sort_pairs", &sort_pairs);
  module.def("argsort", &argsort);
  module.def("top_k", &top_k);
  module.def("segmented_top_k", &segmented_top_k);
  module.def("argsort_rows", &argsort_rows);
  module.def("merge_sorted", &merge_sorted);
  module.def("sort_segments", &sort_segments, nb::arg("machine"), nb::arg("keys"), nb::arg("values").none(), nb::arg("begins"),
             nb::arg("ends").none(), nb::arg("max_length"), nb::arg("keep_keys"), nb::arg("flags"), nb::arg("stream"));
}

}  // namespace ordo_python
