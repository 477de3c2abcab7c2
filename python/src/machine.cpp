#include "python/src/machine.hpp"

#include <new>

#include "ordo/error.hpp"

namespace ordo_python {
namespace {

PyObject* input_error_type = nullptr;

void set_error(PyObject* type, char const* text) {
  // A message may hold the bytes of a file's name.
  if (PyObject* const message =
          PyUnicode_DecodeUTF8(text, Py_ssize_t(std::char_traits<char>::length(text)), "backslashreplace")) {
    PyErr_SetObject(type, message);
    Py_DECREF(message);
  }
}

void translate(std::exception_ptr const& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (ordo::usage_error const& e) {
    set_error(PyExc_ValueError, e.what());
  } catch (ordo::input_error const& e) {
    set_error(input_error_type, e.what());
  } catch (ordo::output_error const& e) {
    set_error(PyExc_OSError, e.what());
  } catch (ordo::out_of_memory const& e) {
    set_error(PyExc_MemoryError, e.what());
  } catch (ordo::error const& e) {
    set_error(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

void check(ordo_status status) {
  switch (status) {
    case ORDO_OK:
      return;
    case ORDO_USAGE_ERROR:
      throw ordo::usage_error(ordo_last_error());
    case ORDO_INPUT_ERROR:
      throw ordo::input_error(ordo_last_error());
    case ORDO_OUTPUT_ERROR:
      throw ordo::output_error(ordo_last_error());
    case ORDO_OUT_OF_MEMORY:
      throw ordo::out_of_memory(ordo_last_error(), 0);
    default:
      throw ordo::device_error(ordo_last_error());
  }
}

void add_errors(nb::module_& module) {
  PyObject* const bases = PyTuple_Pack(2, PyExc_OSError, PyExc_ValueError);
  if (!bases) throw nb::python_error();
  input_error_type =
      PyErr_NewExceptionWithDoc("ordosort.InputError",
                                "An input that is missing, truncated or malformed. The message names the file, and the "
                                "line if there is one.",
                                bases, nullptr);
  Py_DECREF(bases);
  if (!input_error_type) throw nb::python_error();
  module.attr("InputError") = nb::borrow(input_error_type);
  nb::register_exception_translator(translate);
}

machines::machines(std::string const& device, unsigned threads, std::size_t memory_limit)
    : device_(device), options_(ordo::parse_device(device)), memory_limit_(memory_limit) {
  options_.threads = threads;
}

ordo_machine* machines::machine_for(of_process& own, std::optional<unsigned> gpu, std::uintptr_t stream) {
  ordo_machine* created = nullptr;
  if (!gpu) {
    if (options_.device == ordo::device::gpu)
      throw ordo::usage_error("bad machine: " + device_ + ": the arrays are in the host's memory");
    if (!own.cpu) {
      ordo_cpu_options options = ORDO_CPU_OPTIONS_INIT;
      options.threads = options_.threads;
      options.memory_limit = memory_limit_;
      check(ordo_cpu_create(&created, &options));
      own.cpu.reset(created);
    }
    return own.cpu.get();
  }
  if (options_.device == ordo::device::cpu)
    throw ordo::usage_error("bad machine: " + device_ + ": the arrays are in the memory of a GPU");
  auto& machine = own.gpus[{*gpu, stream}];
  if (!machine) {
    ordo_gpu_options options = ORDO_GPU_OPTIONS_INIT;
    options.device = *gpu;
    options.use_stream = 1;
    options.stream = reinterpret_cast<void*>(stream);
    options.memory_limit = memory_limit_;
    check(ordo_gpu_create(&created, &options));
    machine.reset(created);
  }
  return machine.get();
}

}  // namespace ordo_python
