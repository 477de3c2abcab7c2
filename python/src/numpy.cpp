#include "python/src/numpy.hpp"

#include <array>
#include <atomic>
#include <cstring>

namespace ordo_python::numpy {
namespace {

/// Functions of NumPy by their numbers in its table (numpy/__multiarray_api.h), which never change.
struct functions {
  using get_version = unsigned();
  using make_array = PyObject*(PyTypeObject*, int, Py_ssize_t const*, int, Py_ssize_t const*, void*, int, int, PyObject*);
  using make_array_of_type = PyObject*(PyTypeObject*, item_type*, int, Py_ssize_t const*, Py_ssize_t const*, void*, int,
                                       PyObject*);
  using set_base = int(ndarray*, PyObject*);

  bool is_version_1;
  PyTypeObject* array_type;
  make_array* array;
  make_array_of_type* array_of_type;
  set_base* base;
};

functions* load() {
  nb::object core;
  try {
    core = nb::module_::import_("numpy._core._multiarray_umath");
  } catch (nb::python_error const&) {
    core = nb::module_::import_("numpy.core._multiarray_umath");  // before NumPy 2
  }
  nb::object const table = core.attr("_ARRAY_API");
  auto* const* const all = static_cast<void* const*>(PyCapsule_GetPointer(table.ptr(), nullptr));
  if (!all) throw nb::python_error();
  unsigned const version = reinterpret_cast<functions::get_version*>(all[0])();
  constexpr unsigned version_1 = 0x1000009, version_2 = 0x2000000;
  if (version != version_1 && version != version_2) {
    PyErr_Format(PyExc_ImportError, "ordosort: NumPy has the binary interface %x, which this version does not know", version);
    throw nb::python_error();
  }
  return new functions{
      version == version_1, static_cast<PyTypeObject*>(all[2]), reinterpret_cast<functions::make_array*>(all[93]),
      reinterpret_cast<functions::make_array_of_type*>(all[94]), reinterpret_cast<functions::set_base*>(all[282])};
}

/// Without the lock of a static variable: a thread that imports NumPy may let another one run.
functions const& get() {
  static std::atomic<functions*> loaded{nullptr};
  functions* known = loaded.load(std::memory_order_acquire);
  if (!known) {
    known = load();
    loaded.store(known, std::memory_order_release);
  }
  return *known;
}

nb::object checked(PyObject* array) {
  if (!array) throw nb::python_error();
  return nb::steal(array);
}

}  // namespace

ndarray* as_array(nb::handle object) {
  return PyObject_TypeCheck(object.ptr(), get().array_type) ? reinterpret_cast<ndarray*>(object.ptr()) : nullptr;
}

ordo_type key_type(ndarray const& a) noexcept {
  // By the numbers of NPY_TYPES: bool, the integers from byte to unsigned long long, float and double.
  constexpr std::array<std::uint8_t, 13> types{ORDO_UINT8,  ORDO_INT8,    ORDO_UINT8,  ORDO_INT16,  ORDO_UINT16,
                                               ORDO_INT32,  ORDO_UINT32,  ORDO_INT64,  ORDO_UINT64, ORDO_INT64,
                                               ORDO_UINT64, ORDO_FLOAT32, ORDO_FLOAT64};
  constexpr int half = 23;
  item_type const& type = *a.type;
  if (type.byte_order == '>') return 0;
  if (type.number >= 0 && std::size_t(type.number) < types.size()) return types[std::size_t(type.number)];
  return type.number == half ? ORDO_FLOAT16 : 0;
}

std::size_t item_width(ordo_type type) noexcept {
  switch (type) {
    case ORDO_INT8:
    case ORDO_UINT8:
      return 1;
    case ORDO_INT16:
    case ORDO_UINT16:
    case ORDO_FLOAT16:
      return 2;
    case ORDO_INT32:
    case ORDO_UINT32:
    case ORDO_FLOAT32:
      return 4;
    default:
      return 8;
  }
}

plain::plain(nb::handle object) {
  if (Py_TYPE(object.ptr()) != get().array_type) return;
  array_ = reinterpret_cast<ndarray*>(object.ptr());
  // An empty array may lie at any address.
  if (array_->dimensions == 1 && array_->shape[0] != 0 && array_->is_carray()) type_ = key_type(*array_);
}

plain_unicode::plain_unicode(nb::handle object) {
  if (Py_TYPE(object.ptr()) != get().array_type) return;
  array_ = reinterpret_cast<ndarray*>(object.ptr());
  constexpr int unicode = 19;
  item_type const& type = *array_->type;
  if (type.number != unicode || type.byte_order == '>' || array_->dimensions != 1 || array_->shape[0] == 0 ||
      !array_->is_carray())
    return;
  char const* const next = static_cast<char const*>(static_cast<void const*>(&type)) + sizeof(item_type);
  int bytes_of_first = 0;
  Py_ssize_t bytes = 0;
  std::memcpy(&bytes_of_first, next, sizeof bytes_of_first);
  std::memcpy(&bytes, next + sizeof(std::uint64_t), sizeof bytes);
  item_bytes_ = get().is_version_1 ? std::size_t(bytes_of_first) : std::size_t(bytes);
}

nb::object new_like(ndarray const& a, std::size_t n) {
  auto const length = Py_ssize_t(n);
  Py_IncRef(reinterpret_cast<PyObject*>(a.type));  // which the function takes over
  return checked(get().array_of_type(get().array_type, a.type, 1, &length, nullptr, nullptr, 0, nullptr));
}

nb::object new_array(ordo_type type, std::size_t n) {
  constexpr int npy_ubyte = 2, npy_int = 5, npy_long = 7;
  static_assert(sizeof(long) == sizeof(std::int64_t));
  int const number = type == ORDO_UINT8 ? npy_ubyte : type == ORDO_INT32 ? npy_int : npy_long;
  auto const length = Py_ssize_t(n);
  return checked(get().array(get().array_type, 1, &length, number, nullptr, nullptr, 0, 0, nullptr));
}

nb::object view(nb::handle owner, void const* data, std::size_t n, nb::handle type) {
  auto const length = Py_ssize_t(n);
  Py_IncRef(type.ptr());
  nb::object result = checked(get().array_of_type(get().array_type, reinterpret_cast<item_type*>(type.ptr()), 1, &length,
                                                  nullptr, const_cast<void*>(data), 0, nullptr));
  Py_IncRef(owner.ptr());
  if (get().base(reinterpret_cast<ndarray*>(result.ptr()), owner.ptr()) != 0) throw nb::python_error();
  return result;
}

}  // namespace ordo_python::numpy
