#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ordo/error.hpp"
#include "python/src/argsort_columns.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "python/src/numpy.hpp"
#include "python/src/options.hpp"

// Columns of other libraries by the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), in the
// memory where they are. Python reads the buffers at their addresses (ordosort/_arrow.py).
namespace ordo_python {

namespace nb = nanobind;

namespace {

// The structures of the interface, whose layout and member names it prescribes.
struct ArrowSchema {
  char const *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  void const** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  char const* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

/// Owns a structure of the interface.
template <class T>
class owned {
 public:
  owned() = default;
  /// Moves the structure out of a capsule.
  owned(nb::handle capsule, char const* name) {
    auto* const from = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!from) throw nb::python_error();
    value_ = std::exchange(*from, T{});
  }
  owned(owned&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~owned() {
    if (value_.release) value_.release(&value_);
  }
  [[nodiscard]] T* get() { return &value_; }

 private:
  T value_{};
};

struct imported {
  owned<ArrowSchema> schema;
  std::vector<owned<ArrowArray>> chunks;
};

/// A column, or one of its children or its dictionary: its type and the parts of its values.
class arrow_column {
 public:
  arrow_column(std::shared_ptr<imported> all, ArrowSchema const* schema, std::vector<ArrowArray const*> chunks)
      : all_(std::move(all)), schema_(schema), chunks_(std::move(chunks)) {}

  [[nodiscard]] std::string format() const { return schema_->format ? schema_->format : ""; }
  [[nodiscard]] std::string name() const { return schema_->name ? schema_->name : ""; }
  /// Returns for each chunk its length, offset and number of nulls (-1 if that is not known), and the addresses of its buffers.
  [[nodiscard]] nb::list chunks() const {
    nb::list all;
    for (ArrowArray const* chunk : chunks_) {
      nb::list addresses;
      for (std::int64_t b = 0; b < chunk->n_buffers; ++b) addresses.append(reinterpret_cast<std::uintptr_t>(chunk->buffers[b]));
      all.append(nb::make_tuple(chunk->length, chunk->offset, chunk->null_count, addresses));
    }
    return all;
  }
  /// Returns the bytes and the offsets of strings in one chunk without nulls, over memory of `self`; None for other columns.
  /// Small calls depend on it. The other arguments are dtypes of NumPy.
  [[nodiscard]] nb::object plain_strings(nb::handle self, nb::handle uint8, nb::handle int32, nb::handle int64) const {
    std::string const kind = format();
    bool const is_wide = kind == "U" || kind == "Z";
    if (is_dictionary() || chunks_.size() != 1 || (!is_wide && kind != "u" && kind != "z")) return nb::none();
    ArrowArray const& chunk = *chunks_[0];
    if (chunk.length == 0 || chunk.n_buffers != 3 || !chunk.buffers[1] || !chunk.buffers[2] ||
        (chunk.null_count != 0 && chunk.buffers[0]))
      return nb::none();
    std::size_t const n = std::size_t(chunk.length), first = std::size_t(chunk.offset);
    auto const view = [&](auto const* offsets, nb::handle type) {
      auto const end = offsets[first + n];
      if (end <= 0) return nb::object(nb::none());
      return nb::object(nb::make_tuple(numpy::view(self, chunk.buffers[2], std::size_t(end), uint8),
                                       numpy::view(self, offsets + first, n + 1, type)));
    };
    return is_wide ? view(static_cast<std::int64_t const*>(chunk.buffers[1]), int64)
                   : view(static_cast<std::int32_t const*>(chunk.buffers[1]), int32);
  }
  [[nodiscard]] std::vector<arrow_column> children() const {
    std::vector<arrow_column> all;
    for (std::int64_t c = 0; c < schema_->n_children; ++c) {
      std::vector<ArrowArray const*> chunks;
      for (ArrowArray const* chunk : chunks_) chunks.push_back(chunk->children[c]);
      all.emplace_back(all_, schema_->children[c], std::move(chunks));
    }
    return all;
  }
  /// Returns the dictionary of each chunk.
  [[nodiscard]] std::vector<arrow_column> dictionaries() const {
    std::vector<arrow_column> all;
    if (schema_->dictionary)
      for (ArrowArray const* chunk : chunks_)
        all.emplace_back(all_, schema_->dictionary, std::vector<ArrowArray const*>{chunk->dictionary});
    return all;
  }
  [[nodiscard]] bool is_dictionary() const { return schema_->dictionary != nullptr; }
  /// Returns true for a dictionary whose codes have the order that is meant.
  [[nodiscard]] bool is_ordered() const { return (schema_->flags & 1) != 0; }

 private:
  std::shared_ptr<imported> all_;
  ArrowSchema const* schema_;
  std::vector<ArrowArray const*> chunks_;
};

bool has_interface(nb::handle object) {
  return nb::hasattr(object, "__arrow_c_array__") || nb::hasattr(object, "__arrow_c_stream__");
}

/// Reads an object that has __arrow_c_array__ or __arrow_c_stream__.
std::shared_ptr<imported> read_arrow(nb::handle object) {
  auto const all = std::make_shared<imported>();
  if (nb::object const to_array = nb::getattr(object, "__arrow_c_array__", nb::none()); !to_array.is_none()) {
    nb::tuple const capsules = nb::cast<nb::tuple>(to_array());
    all->schema = owned<ArrowSchema>(nb::object(capsules[0]), "arrow_schema");
    all->chunks.emplace_back(nb::object(capsules[1]), "arrow_array");
  } else {
    owned<ArrowArrayStream> stream(object.attr("__arrow_c_stream__")(), "arrow_array_stream");
    auto const check = [&](int error) {
      if (error == 0) return;
      char const* const text = stream.get()->get_last_error(stream.get());
      throw ordo::usage_error(std::string("bad array: Arrow stream: ") + (text ? text : "error " + std::to_string(error)));
    };
    check(stream.get()->get_schema(stream.get(), all->schema.get()));
    for (;;) {
      owned<ArrowArray> chunk;
      check(stream.get()->get_next(stream.get(), chunk.get()));
      if (!chunk.get()->release) break;  // the end
      all->chunks.push_back(std::move(chunk));
    }
  }
  return all;
}

arrow_column import_arrow(nb::handle object) {
  auto all = read_arrow(object);
  std::vector<ArrowArray const*> chunks;
  for (auto& chunk : all->chunks) chunks.push_back(chunk.get());
  ArrowSchema const* const schema = all->schema.get();
  return {std::move(all), schema, std::move(chunks)};
}

/// Returns the type of keys that items of a format are in memory, for numbers, dates and times; 0 for others.
ordo_type key_type(std::string_view format) {
  constexpr std::string_view numbers = "cCsSiIlLefg";
  constexpr ordo_type types[] = {ORDO_INT8,  ORDO_UINT8,  ORDO_INT16,   ORDO_UINT16,  ORDO_INT32,  ORDO_UINT32,
                                 ORDO_INT64, ORDO_UINT64, ORDO_FLOAT16, ORDO_FLOAT32, ORDO_FLOAT64};
  if (format.size() == 1) {
    std::size_t const at = numbers.find(format[0]);
    return at == std::string_view::npos ? 0 : types[at];
  }
  if (format == "tdD" || format == "tts" || format == "ttm") return ORDO_INT32;
  if (format == "tdm" || format == "ttu" || format == "ttn") return ORDO_INT64;
  return format.starts_with("ts") || format.starts_with("tD") ? ORDO_INT64 : 0;
}

/// Items in one chunk, some of which may be null.
struct nullable_items {
  ordo_type type;
  void const* items;
  std::uint8_t const* validity;  // a bit for each item, or null
  std::size_t offset, n;         // bits before that of the first item

  static constexpr std::size_t max_few = 2048;

  [[nodiscard]] std::size_t width() const { return numpy::item_width(type); }
  /// Copies the items that are valid, which are numbers of the width of T. Returns their number.
  template <class T>
  std::size_t copy_valid(T* to) const {
    auto const* const from = static_cast<T const*>(items);
    std::size_t kept = 0, bit = offset;
    // Each item is written, and the place moves on if it is valid: there is no branch to predict.
    for (std::size_t i = 0; i < n; ++i, ++bit) {
      to[kept] = from[i];
      kept += validity[bit / 8] >> (bit % 8) & 1;
    }
    return kept;
  }
  std::size_t copy_valid(void* to) const {
    switch (width()) {
      case 1:
        return copy_valid(static_cast<std::uint8_t*>(to));
      case 2:
        return copy_valid(static_cast<std::uint16_t*>(to));
      case 4:
        return copy_valid(static_cast<std::uint32_t*>(to));
      default:
        return copy_valid(static_cast<std::uint64_t*>(to));
    }
  }
  /// Writes the order of few items, with nulls last: a sort of those that are valid takes less time than one of rows.
  template <class T>
  ordo_status argsort_few(ordo_machine* machine, ordo_sort_options const& options, std::int64_t* index) const {
    std::array<T, max_few> keys;
    // Those of valid items from the front on, those of others from the end on.
    std::array<std::int64_t, max_few> positions;
    auto const* const from = static_cast<T const*>(items);
    std::size_t kept = 0, bit = offset;
    for (std::size_t i = 0; i < n; ++i, ++bit) {
      keys[kept] = from[i];
      positions[n - 1 - (i - kept)] = std::int64_t(i);
      positions[kept] = std::int64_t(i);
      kept += validity[bit / 8] >> (bit % 8) & 1;
    }
    ordo_status const status = ordo_argsort(machine, type, keys.data(), ORDO_INT64, index, kept, &options);
    for (std::size_t j = 0; j < kept; ++j) index[j] = positions[std::size_t(index[j])];
    std::reverse_copy(positions.begin() + std::ptrdiff_t(kept), positions.begin() + std::ptrdiff_t(n), index + kept);
    return status;
  }
  ordo_status argsort_few(ordo_machine* machine, ordo_sort_options const& options, std::int64_t* index) const {
    switch (width()) {
      case 1:
        return argsort_few<std::uint8_t>(machine, options, index);
      case 2:
        return argsort_few<std::uint16_t>(machine, options, index);
      case 4:
        return argsort_few<std::uint32_t>(machine, options, index);
      default:
        return argsort_few<std::uint64_t>(machine, options, index);
    }
  }
  /// Returns the items as a key of rows.
  [[nodiscard]] ordo_row_key key(bool descending, ordo_nans nans, bool nulls_first) const {
    ordo_row_key key = ORDO_ROW_KEY_INIT;
    key.values = items;
    key.type = type;
    key.order = descending ? ORDO_DESCENDING : ORDO_ASCENDING;
    key.nans = nans;
    key.equal_zeros = nans != ORDO_NANS_TOTAL_ORDER;
    key.nulls_first = nulls_first;
    key.validity = validity;
    key.validity_offset = offset;
    return key;
  }
};

/// Returns the numbers, dates or times of an array, or none for other arrays.
std::optional<nullable_items> read_items(ArrowSchema const& schema, ArrowArray const& chunk) {
  ordo_type const type = schema.dictionary || !schema.format ? 0 : key_type(schema.format);
  if (type == 0 || chunk.length <= 0 || chunk.n_buffers != 2 || !chunk.buffers[1]) return std::nullopt;
  std::size_t const offset = std::size_t(chunk.offset), width = numpy::item_width(type);
  auto const* const items = static_cast<char const*>(chunk.buffers[1]) + offset * width;
  if (reinterpret_cast<std::uintptr_t>(items) % width != 0) return std::nullopt;
  auto const* const validity = chunk.null_count == 0 ? nullptr : static_cast<std::uint8_t const*>(chunk.buffers[0]);
  return nullable_items{type, items, validity, offset, std::size_t(chunk.length)};
}
/// Returns those of a column in one chunk.
std::optional<nullable_items> read_items(imported& column) {
  if (column.chunks.size() != 1) return std::nullopt;
  return read_items(*column.schema.get(), *column.chunks[0].get());
}

/// Returns the order of a column of numbers, dates or times in one chunk, with nulls last; None for other columns. Small calls
/// depend on it.
nb::object argsort_arrow(machines& on, nb::handle object, unsigned flags) {
  auto const all = read_arrow(object);
  auto const items = read_items(*all);
  if (!items) return nb::none();
  auto options = make_options(flags);
  bool const has_nulls = items->validity != nullptr;
  if (has_nulls && items->n > nullable_items::max_few)
    return argsort_columns(on, {items->key(flags & is_descending, options.nans, false)}, items->n);
  nb::object index = numpy::new_positions(items->n);
  options.equal_zeros = !(flags & has_total_order);  // at no cost
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        if (has_nulls) return items->argsort_few(machine, options, numpy::data<std::int64_t>(index));
        return ordo_argsort(machine, items->type, items->items, ORDO_INT64, numpy::data(index), items->n, &options);
      },
      items->n);
  return index;
}

/// Returns the sorted items of such a column that are valid, in an array of uint8, int32 or int64 for all of its items, their
/// number, and the format; None for other columns.
nb::object sort_arrow(machines& on, nb::handle object, unsigned flags) {
  if (!has_interface(object)) return nb::none();
  auto const all = read_arrow(object);
  auto const items = read_items(*all);
  if (!items || items->width() == 2) return nb::none();
  nb::object const sorted = numpy::new_array(items->width() == 1   ? ORDO_UINT8
                                             : items->width() == 4 ? ORDO_INT32
                                                                   : ORDO_INT64,
                                             items->n);
  auto const options = make_options(flags);
  std::size_t num_valid = items->n;
  void* const to = numpy::data(sorted);
  on.run(
      std::nullopt, 0,
      [&](ordo_machine* machine) {
        if (!items->validity) return ordo_sort_keys_copy(machine, items->type, items->items, to, items->n, &options);
        num_valid = items->copy_valid(to);
        return ordo_sort_keys(machine, items->type, to, num_valid, &options);
      },
      items->n);
  return nb::make_tuple(sorted, num_valid, all->schema.get()->format);
}

/// Columns of rows in the memory of their libraries.
class column_items {
 public:
  /// Adds the columns of a table in one chunk. Returns false for other tables, and if a column is none that argsort_arrow
  /// sorts.
  bool add_table(nb::handle table) {
    auto const& all = held_.emplace_back(read_arrow(table));
    ArrowSchema const& schema = *all->schema.get();
    if (!schema.format || std::string_view(schema.format) != "+s" || all->chunks.size() != 1) return false;
    ArrowArray const& chunk = *all->chunks[0].get();
    if (chunk.offset != 0 || (chunk.null_count != 0 && chunk.n_buffers > 0 && chunk.buffers[0])) return false;
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
      auto const items = read_items(*schema.children[c], *chunk.children[c]);
      if (!items || items->n < std::size_t(chunk.length)) return false;
      items_.push_back(*items);
      items_.back().n = std::size_t(chunk.length);
    }
    return !items_.empty();
  }
  /// Adds a column of Arrow, or an array of NumPy that lives as long as this. Returns false for others, and if there are
  /// columns of another length.
  bool add(nb::handle column) {
    if (numpy::plain const array(column); array) {
      items_.push_back({array.type(), array.data(), nullptr, 0, array.size()});
    } else {
      if (!has_interface(column)) return false;
      auto const items = read_items(*held_.emplace_back(read_arrow(column)));
      if (!items) return false;
      items_.push_back(*items);
    }
    return items_.back().n == items_.front().n;
  }
  [[nodiscard]] std::vector<nullable_items> const& items() const { return items_; }

 private:
  std::vector<std::shared_ptr<imported>> held_;
  std::vector<nullable_items> items_;
};

/// Returns the order of rows by columns as argsort_arrow and argsort_plain take them: of a table, or in a list. Returns None
/// for other columns, and unless each of `descending` is for one of the columns.
nb::object argsort_rows_arrow(machines& on, nb::handle columns, std::vector<bool> const& descending, ordo_nans nans,
                              bool nulls_first) {
  column_items all;
  nb::object held;  // another thread may change the list
  if (PyList_Check(columns.ptr())) {
    held = nb::steal(PyList_AsTuple(columns.ptr()));
    if (!held.is_valid()) throw nb::python_error();
    for (nb::handle column : nb::borrow<nb::tuple>(held))
      if (!all.add(column)) return nb::none();
  } else if (!all.add_table(columns)) {
    return nb::none();
  }
  auto const& items = all.items();
  if (items.empty() || (descending.size() != 1 && descending.size() != items.size())) return nb::none();
  std::vector<ordo_row_key> keys;
  for (std::size_t c = 0; c < items.size(); ++c)
    keys.push_back(items[c].key(descending[descending.size() == 1 ? 0 : c], nans, nulls_first));
  return argsort_columns(on, keys, items[0].n);
}

}  // namespace

void add_arrow(nb::module_& module) {
  nb::class_<arrow_column>(module, "ArrowColumn")
      .def_prop_ro("format", &arrow_column::format)
      .def_prop_ro("name", &arrow_column::name)
      .def_prop_ro("is_dictionary", &arrow_column::is_dictionary)
      .def_prop_ro("is_ordered", &arrow_column::is_ordered)
      .def("chunks", &arrow_column::chunks)
      .def("plain_strings",
           [](nb::handle self, nb::handle uint8, nb::handle int32, nb::handle int64) {
             return nb::cast<arrow_column&>(self).plain_strings(self, uint8, int32, int64);
           })
      .def("children", &arrow_column::children)
      .def("dictionaries", &arrow_column::dictionaries);
  module.def("import_arrow", &import_arrow);
  module.def("argsort_arrow", &argsort_arrow);
  module.def("argsort_rows_arrow", &argsort_rows_arrow);
  module.def("sort_arrow", &sort_arrow);
  module.def("view", [](nb::handle owner, std::uintptr_t address, std::size_t n, nb::handle type) {
    return numpy::view(owner, reinterpret_cast<void const*>(address), n, type);
  });
}

}  // namespace ordo_python
