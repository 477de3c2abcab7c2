#include <algorithm>
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

  [[nodiscard]] bool is_valid(std::size_t i) const { return (validity[(offset + i) / 8] >> ((offset + i) % 8) & 1) != 0; }
  /// Copies the items that are valid. Writes their positions to the front of `positions`, and those of the others to its end,
  /// the first one last. Returns the number of items that are valid.
  template <class K>
  std::size_t separate(K* keys, std::int64_t* positions) const {
    auto const* const from = static_cast<K const*>(items);
    std::size_t kept = 0;
    // Each item is written as one of both. The write that is wrong is to a place that a later item has, or the same item.
    for (std::size_t i = 0; i < n; ++i) {
      keys[kept] = from[i];
      positions[n - 1 - (i - kept)] = std::int64_t(i);
      positions[kept] = std::int64_t(i);
      kept += is_valid(i);
    }
    return kept;
  }
  template <class K>
  ordo_status argsort(ordo_machine* machine, ordo_sort_options const& options, std::int64_t* index) const {
    auto const keys = std::make_unique_for_overwrite<K[]>(n);
    auto const positions = std::make_unique_for_overwrite<std::int64_t[]>(n);
    std::size_t const num_valid = separate(keys.get(), positions.get());
    ordo_status const status = ordo_argsort(machine, type, keys.get(), ORDO_INT64, index, num_valid, &options);
    for (std::size_t j = 0; j < num_valid; ++j) index[j] = positions[std::size_t(index[j])];
    std::reverse_copy(positions.get() + num_valid, positions.get() + n, index + num_valid);
    return status;
  }
  /// Writes the order of the items, with nulls last.
  ordo_status argsort(ordo_machine* machine, ordo_sort_options const& options, std::int64_t* index) const {
    if (!validity) return ordo_argsort(machine, type, items, ORDO_INT64, index, n, &options);
    switch (numpy::item_width(type)) {
      case 1:
        return argsort<std::uint8_t>(machine, options, index);
      case 2:
        return argsort<std::uint16_t>(machine, options, index);
      case 4:
        return argsort<std::uint32_t>(machine, options, index);
      default:
        return argsort<std::uint64_t>(machine, options, index);
    }
  }
};

/// Returns the order of a column of numbers, dates or times in one chunk, with nulls last; None for other columns. Small calls
/// depend on it.
nb::object argsort_arrow(machines& on, nb::handle object, unsigned flags) {
  auto const all = read_arrow(object);
  ArrowSchema const& schema = *all->schema.get();
  ordo_type const type = schema.dictionary || !schema.format ? 0 : key_type(schema.format);
  if (type == 0 || all->chunks.size() != 1) return nb::none();
  ArrowArray const& chunk = *all->chunks[0].get();
  std::size_t const offset = std::size_t(chunk.offset), n = std::size_t(chunk.length);
  if (n == 0 || chunk.n_buffers != 2 || !chunk.buffers[1]) return nb::none();
  auto const* const validity = chunk.null_count == 0 ? nullptr : static_cast<std::uint8_t const*>(chunk.buffers[0]);
  auto const* const items = static_cast<char const*>(chunk.buffers[1]) + offset * numpy::item_width(type);
  if (reinterpret_cast<std::uintptr_t>(items) % numpy::item_width(type) != 0) return nb::none();
  nullable_items const keys{type, items, validity, offset, n};
  nb::object index = numpy::new_positions(n);
  auto options = make_options(flags);
  options.equal_zeros = !(flags & has_total_order);  // at no cost
  auto const sort_by = [&](ordo_machine* machine) {
    return keys.argsort(machine, options, numpy::data<std::int64_t>(index));
  };
  on.run(std::nullopt, 0, sort_by, n);
  return index;
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
  module.def("view", [](nb::handle owner, std::uintptr_t address, std::size_t n, nb::handle type) {
    return numpy::view(owner, reinterpret_cast<void const*>(address), n, type);
  });
}

}  // namespace ordo_python
