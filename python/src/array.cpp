#include "python/src/array.hpp"

#include <string>
#include <string_view>

#include <nanobind/stl/string.h>

namespace ordo_python {

struct dlpack_tensor {
  void* data;
  std::int32_t device_type, device_index;
  std::int32_t dimensions;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};

namespace {

constexpr int dlpack_cpu = 1, dlpack_cuda = 2, dlpack_cuda_host = 3, dlpack_cuda_managed = 13;

[[noreturn]] void refuse(PyObject* kind, char const* name, std::string const& why) {
  PyErr_SetString(kind, (std::string("bad ") + name + ": " + why).c_str());
  throw nb::python_error();
}

/// Returns the type of items of `bytes` bytes of a kind of NumPy's: i, u, f or b; 0 if no keys have it.
ordo_type item_type(char kind, std::size_t bytes) {
  switch (kind) {
    case 'i':
      return bytes == 1 ? ORDO_INT8 : bytes == 2 ? ORDO_INT16 : bytes == 4 ? ORDO_INT32 : bytes == 8 ? ORDO_INT64 : 0;
    case 'u':
      return bytes == 1 ? ORDO_UINT8 : bytes == 2 ? ORDO_UINT16 : bytes == 4 ? ORDO_UINT32 : bytes == 8 ? ORDO_UINT64 : 0;
    case 'f':
      return bytes == 2 ? ORDO_FLOAT16 : bytes == 4 ? ORDO_FLOAT32 : bytes == 8 ? ORDO_FLOAT64 : 0;
    case 'b':
      return bytes == 1 ? ORDO_UINT8 : 0;
    default:
      return 0;
  }
}

/// Returns the kind of a format of the struct module, if it is one number in the order of this machine.
char kind_of_format(std::string_view format) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) format.remove_prefix(1);
  if (format.size() != 1) return 0;
  if (std::string_view("bhilqn").find(format[0]) != std::string_view::npos) return 'i';
  if (std::string_view("BHILQN").find(format[0]) != std::string_view::npos) return 'u';
  if (std::string_view("efd").find(format[0]) != std::string_view::npos) return 'f';
  return format[0] == '?' ? 'b' : 0;
}

}  // namespace

// Arrays of other libraries than NumPy may have the buffer protocol, too, but export no buffer of a GPU's memory (CuPy, JAX),
// or none that is written, also of a new array, which only the caller knows (JAX).
array::array(nb::handle object, char const* name, bool writable, std::uintptr_t stream) : name_(name) {
  numpy::ndarray const* const known = numpy::as_array(object);
  if (known && known->is_carray() && (known->is_writeable() || !writable) && numpy::key_type(*known) != 0)
    import_numpy(*known);
  else if (!known && nb::hasattr(object, "__dlpack__") && nb::hasattr(object, "__dlpack_device__"))
    import_dlpack(object, stream == 0 ? 1 : stream);
  else if (PyObject_CheckBuffer(object.ptr()))
    import_buffer(object, writable);
  else if (nb::hasattr(object, "__cuda_array_interface__"))
    import_interface(object.attr("__cuda_array_interface__"), writable);
  else
    refuse(PyExc_TypeError, name_, "not an array");
}

array::~array() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

void array::import_numpy(numpy::ndarray const& known) {
  owner_ = nb::borrow(const_cast<PyObject*>(reinterpret_cast<PyObject const*>(&known)));
  data_ = known.data;
  type_ = numpy::key_type(known);
  item_bytes_ = numpy::item_width(type_);
  for (int d = 0; d < known.dimensions; ++d) size_ *= std::size_t(known.shape[d]);
}

void array::import_buffer(nb::handle object, bool writable) {
  int const flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) != 0) throw nb::python_error();
  has_buffer_ = true;
  data_ = buffer_.buf;
  item_bytes_ = std::size_t(buffer_.itemsize);
  size_ = item_bytes_ == 0 ? 0 : std::size_t(buffer_.len) / item_bytes_;
  type_ = item_type(kind_of_format(buffer_.format ? buffer_.format : "B"), item_bytes_);
}

void array::import_interface(nb::handle interface, bool writable) {
  auto const type = nb::cast<std::string>(interface["typestr"]);
  nb::tuple const data = nb::cast<nb::tuple>(interface["data"]), shape = nb::cast<nb::tuple>(interface["shape"]);
  if (writable && nb::cast<bool>(data[1])) refuse(PyExc_ValueError, name_, "read-only");
  if (type.size() < 3 || type[0] == '>') refuse(PyExc_TypeError, name_, "type " + type);
  item_bytes_ = std::stoull(type.substr(2));
  for (nb::handle length : shape) size_ *= nb::cast<std::size_t>(length);
  if (nb::object const given = interface.attr("get")("strides"); !given.is_none()) {
    nb::tuple const strides = nb::cast<nb::tuple>(given);
    std::size_t expected = item_bytes_;
    for (std::size_t d = shape.size(); d-- > 0; expected *= nb::cast<std::size_t>(shape[d]))
      if (nb::cast<std::size_t>(shape[d]) > 1 && nb::cast<std::size_t>(strides[d]) != expected)
        refuse(PyExc_ValueError, name_, "not contiguous");
  }
  data_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  type_ = item_type(type[1], item_bytes_);
  gpu_ = 0;  // the interface has no device: the first one that is shown
  owner_ = nb::borrow(interface);
}

void array::import_dlpack(nb::handle object, std::uintptr_t stream) {
  nb::tuple const device = nb::cast<nb::tuple>(object.attr("__dlpack_device__")());
  int const kind = nb::cast<int>(device[0]);
  bool const on_gpu = kind == dlpack_cuda || kind == dlpack_cuda_managed;
  if (!on_gpu && kind != dlpack_cpu && kind != dlpack_cuda_host)
    refuse(PyExc_ValueError, name_, "neither on a CPU nor on an NVIDIA GPU");
  owner_ = on_gpu ? object.attr("__dlpack__")(nb::arg("stream") = stream) : object.attr("__dlpack__")();
  auto const* const tensor = static_cast<dlpack_tensor const*>(PyCapsule_GetPointer(owner_.ptr(), "dltensor"));
  if (!tensor) throw nb::python_error();
  item_bytes_ = std::size_t(tensor->type_bits) * tensor->type_lanes / 8;
  for (std::int32_t d = 0; d < tensor->dimensions; ++d) size_ *= std::size_t(tensor->shape[d]);
  if (tensor->strides) {
    std::int64_t expected = 1;
    for (std::int32_t d = tensor->dimensions; d-- > 0; expected *= tensor->shape[d])
      if (tensor->shape[d] > 1 && tensor->strides[d] != expected && size_ != 0)
        refuse(PyExc_ValueError, name_, "not contiguous");
  }
  data_ = static_cast<char*>(tensor->data) + tensor->byte_offset;
  constexpr char kinds[] = {'i', 'u', 'f', 0, 0, 0, 'b'};
  if (tensor->type_lanes == 1) {
    if (tensor->type_code < sizeof(kinds)) type_ = item_type(kinds[tensor->type_code], item_bytes_);
    if (tensor->type_code == 4 && item_bytes_ == 2) type_ = ORDO_BFLOAT16;
  }
  if (on_gpu) gpu_ = unsigned(tensor->device_index);
  // The capsule keeps its name, so that its own destructor frees the tensor.
}

}  // namespace ordo_python
