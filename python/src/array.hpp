#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nanobind/nanobind.h>

#include "ordo.h"
#include "python/src/numpy.hpp"

namespace ordo_python {

namespace nb = nanobind;

/// A tensor of DLPack (dlpack.h, version 0): what a capsule "dltensor" holds.
struct dlpack_tensor;

/// An array of another library, in the memory where it is, as one row of items in C order. Holds the array while it lives.
/// Needs the GIL for construction and destruction.
class array {
 public:
  /// @param name  the name of the argument, for messages
  /// @param stream  the CUDA stream on which a GPU's array is used, in the numbers of DLPack: 1 is the default stream
  /// @throws nb::python_error  for an object that is no array, is not contiguous, or is read-only where it will be written
  array(nb::handle object, char const* name, bool writable, std::uintptr_t stream = 0);
  ~array();
  array(array const&) = delete;
  array& operator=(array const&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] ordo_type type() const noexcept { return type_; }
  [[nodiscard]] std::size_t item_bytes() const noexcept { return item_bytes_; }
  /// Returns the index of the GPU that holds the array, or nothing for the host.
  [[nodiscard]] std::optional<unsigned> gpu() const noexcept { return gpu_; }

 private:
  void import_numpy(numpy::ndarray const& known);
  void import_buffer(nb::handle object, bool writable);
  void import_interface(nb::handle interface, bool writable);
  void import_dlpack(nb::handle object, std::uintptr_t stream);

  char const* name_;
  void* data_ = nullptr;
  std::size_t size_ = 1, item_bytes_ = 0;
  ordo_type type_ = 0;  // 0: items that are no keys, only values
  std::optional<unsigned> gpu_;
  bool has_buffer_ = false;
  Py_buffer buffer_{};
  nb::object owner_;
};

}  // namespace ordo_python
