#pragma once
#include <cstddef>
#include <cstdint>

#include <nanobind/nanobind.h>

#include "ordo.h"

// Arrays of NumPy in its own structures: the buffer protocol takes as long as a sort of a hundred items, for each array.
namespace ordo_python::numpy {

namespace nb = nanobind;

/// The begin of NumPy's PyArray_Descr (numpy/ndarraytypes.h), which is the same in NumPy 1 and 2.
struct item_type {
  PyObject_HEAD PyTypeObject* scalar;
  char kind, code, byte_order, former_flags;
  int number;
  // NumPy 1 has the bytes of an item next, as int; NumPy 2 has flags of 64 bits, and then the bytes.
};

/// The begin of NumPy's PyArrayObject, which is the same in NumPy 1 and 2.
struct ndarray {
  PyObject_HEAD char* data;
  int dimensions;
  Py_ssize_t *shape, *strides;
  PyObject* base;
  item_type* type;
  int flags;

  /// Returns true for items in C order that are aligned.
  [[nodiscard]] bool is_carray() const noexcept { return (flags & (c_contiguous | aligned)) == (c_contiguous | aligned); }
  [[nodiscard]] bool is_writeable() const noexcept { return (flags & writeable) != 0; }

 private:
  static constexpr int c_contiguous = 1, aligned = 0x100, writeable = 0x400;
};

/// Returns an array of NumPy, or of a class derived from it, or null. Imports NumPy when it is first called.
ndarray* as_array(nb::handle object);

/// Returns the type of the items of an array as keys: numbers in the order of this machine, and bools; 0 for others.
ordo_type key_type(ndarray const& a) noexcept;

/// Returns the bytes of an item of a type that key_type() returns.
std::size_t item_width(ordo_type type) noexcept;

/// Returns a new array of one dimension and n items of the type of another, which are not set.
nb::object new_like(ndarray const& a, std::size_t n);

/// An array that a sort takes as it is: of NumPy itself, of one dimension, not empty, in C order, with keys of the core.
class plain {
 public:
  explicit plain(nb::handle object);
  [[nodiscard]] explicit operator bool() const noexcept { return type_ != 0; }
  [[nodiscard]] ordo_type type() const noexcept { return type_; }
  [[nodiscard]] void const* data() const noexcept { return array_->data; }
  [[nodiscard]] std::size_t size() const noexcept { return std::size_t(array_->shape[0]); }
  [[nodiscard]] nb::object new_like(std::size_t n) const { return numpy::new_like(*array_, n); }

 private:
  ndarray* array_ = nullptr;
  ordo_type type_ = 0;
};

/// Strings of NumPy's type U that are sorted as they are: in an array of NumPy itself, of one dimension, not empty, in C order.
class plain_unicode {
 public:
  explicit plain_unicode(nb::handle object);
  [[nodiscard]] explicit operator bool() const noexcept { return item_bytes_ != 0; }
  [[nodiscard]] std::uint32_t const* units() const noexcept { return static_cast<std::uint32_t const*>(data()); }
  [[nodiscard]] void const* data() const noexcept { return array_->data; }
  [[nodiscard]] std::size_t size() const noexcept { return std::size_t(array_->shape[0]); }
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }
  [[nodiscard]] nb::object new_like(std::size_t n) const { return numpy::new_like(*array_, n); }

 private:
  ndarray* array_ = nullptr;
  std::size_t item_bytes_ = 0;
};

/// Returns a new array of n items, which are not set.
/// @param type  ORDO_UINT8, ORDO_INT32 or ORDO_INT64
nb::object new_array(ordo_type type, std::size_t n);
inline nb::object new_positions(std::size_t n) {
  return new_array(ORDO_INT64, n);
}

/// Returns an array over memory of an owner, which it keeps alive and does not write to.
/// @param type  a dtype of NumPy
nb::object view(nb::handle owner, void const* data, std::size_t n, nb::handle type);

/// Returns the memory of an array that was made here.
template <class T = void>
T* data(nb::handle array) {
  return static_cast<T*>(static_cast<void*>(reinterpret_cast<ndarray*>(array.ptr())->data));
}

}  // namespace ordo_python::numpy
