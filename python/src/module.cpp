#include "python/src/module.hpp"

#include <nanobind/stl/string.h>

#include "python/src/machine.hpp"

using namespace ordo_python;

NB_MODULE(_ordosort, module) {
  add_errors(module);
  module.attr("__version__") = ordo_version();
  module.attr("built_with_cuda") = ordo::built_with_cuda();
  module.def(
      "gpus",
      [] {
        nb::list all;
        for (auto const& gpu : ordo::gpus()) {
          nb::dict entry;
          entry["index"] = gpu.index;
          entry["name"] = gpu.name;
          entry["compute_capability"] = nb::make_tuple(gpu.major, gpu.minor);
          entry["memory"] = gpu.memory;
          all.append(entry);
        }
        return all;
      },
      R"(Returns the GPUs that the driver shows, as dictionaries of index, name, compute_capability and memory.

>>> import ordosort
>>> isinstance(ordosort.gpus(), list)
True
)");

  nb::class_<machines>(module, "Machine",
                       R"(A machine that sorts: threads of the CPU, and streams of GPUs, with temporary memory that is
kept from call to call.

Create one, keep it, and pass it to the functions. Calls on one machine take turns; calls on different machines run at the same
time.

device: "auto", "cpu", "gpu", or "gpu:1" for a GPU by its index. Arrays are sorted on the device where they are, which must be
    one that the machine stands for. Functions that read files, texts or strings choose as the tools do: "auto" takes a GPU if
    there is one and the input is large enough.
threads: the number of threads of the CPU; 0 for all.
memory_limit: the maximum of temporary memory in bytes; 0 for no limit.

>>> import numpy as np, ordosort
>>> machine = ordosort.Machine("cpu", threads=2)
>>> ordosort.sort(np.array([2, 1]), machine=machine)
array([1, 2])
)")
      .def(nb::init<std::string const&, unsigned, std::size_t>(), nb::arg("device") = "auto", nb::kw_only(),
           nb::arg("threads") = 0, nb::arg("memory_limit") = 0)
      .def_prop_ro("device", &machines::device, "The device, as it was given.")
      .def_prop_ro("threads", &machines::threads, "The number of threads of the CPU; 0 for all.")
      .def(
          "reserve",
          [](machines& on, std::size_t bytes) { on.run(std::nullopt, 0, [&](auto* m) { return ordo_reserve(m, bytes); }); },
          nb::arg("bytes"), "Reserves temporary memory of the CPU. Later calls that need no more allocate nothing.")
      .def(
          "trim", [](machines& on, std::size_t max_bytes) { on.each([&](auto* m) { check(ordo_trim(m, max_bytes)); }); },
          nb::arg("max_bytes") = 0, "Frees cached temporary memory until at most `max_bytes` bytes remain on each device.")
      .def(
          "peak_memory",
          [](machines& on) {
            std::size_t total = 0;
            on.each([&](auto* m) {
              std::size_t bytes = 0;
              check(ordo_peak_memory(m, &bytes));
              total += bytes;
            });
            return total;
          },
          "Returns the maximum number of bytes of temporary memory in use since the last call, summed over all devices.")
      .def(
          "synchronize", [](machines& on) { on.each([](auto* m) { check(ordo_synchronize(m)); }); },
          "Waits for all queued work of the GPUs.")
      .def_static(
          "all",
          [] {
            nb::list all;
            for (auto const& gpu : ordo::gpus()) all.append(nb::cast(new machines("gpu:" + std::to_string(gpu.index), 0, 0)));
            if (all.size() == 0) all.append(nb::cast(new machines("cpu", 0, 0)));
            return all;
          },
          "Returns a machine for each GPU that the driver shows, or, without any, one for the CPU.")
      .def("__repr__", [](machines const& on) { return "ordosort.Machine('" + on.device() + "')"; });

  add_arrow(module);
  add_distributed(module);
  add_operators(module);
  add_partition(module);
  add_plain(module);
  add_programs(module);
  add_sorts(module);
  add_sparse(module);
  add_spectra(module);
  add_strings(module);
  add_suffix(module);
  add_tokens(module);
}
