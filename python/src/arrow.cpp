#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ordo/error.hpp"
#include "python/src/module.hpp"
#include "python/src/numpy.hpp"

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

/// Reads an object that has __arrow_c_stream__ or __arrow_c_array__.
arrow_column import_arrow(nb::handle object) {
  auto const all = std::make_shared<imported>();
  if (nb::hasattr(object, "__arrow_c_stream__")) {
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
  } else {
    nb::tuple const capsules = nb::cast<nb::tuple>(object.attr("__arrow_c_array__")());
    all->schema = owned<ArrowSchema>(nb::object(capsules[0]), "arrow_schema");
    all->chunks.emplace_back(nb::object(capsules[1]), "arrow_array");
  }
  std::vector<ArrowArray const*> chunks;
  for (auto& chunk : all->chunks) chunks.push_back(chunk.get());
  return {all, all->schema.get(), std::move(chunks)};
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
  module.def("view", [](nb::handle owner, std::uintptr_t address, std::size_t n, nb::handle type) {
    return numpy::view(owner, reinterpret_cast<void const*>(address), n, type);
  });
}

}  // namespace ordo_python
