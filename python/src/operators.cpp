// The sorts that operators of JAX and PyTorch call: with pointers in place of arrays, from any thread, several at a time.
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "base/processes/forks.hpp"
#include "python/ordosort/native/calls.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

using ordosort::input;
using ordosort::output;
using ordosort::place;
using ordosort::rows;
using ordosort::status;

static_assert(int(ordosort::type::float64) == ORDO_FLOAT64 && int(ordosort::type::uint8) == ORDO_UINT8 &&
              int(status::usage_error) == ORDO_USAGE_ERROR && int(status::out_of_memory) == ORDO_OUT_OF_MEMORY);

ordo_type to_type(ordosort::type kind) {
  return ordo_type(kind);
}
status to_status(ordo_status outcome) {
  return status(outcome);
}

std::size_t item_bytes(ordosort::type kind) {
  switch (kind) {
    case ordosort::type::int8:
    case ordosort::type::uint8:
      return 1;
    case ordosort::type::int16:
    case ordosort::type::uint16:
    case ordosort::type::float16:
    case ordosort::type::bfloat16:
      return 2;
    case ordosort::type::int32:
    case ordosort::type::uint32:
    case ordosort::type::float32:
      return 4;
    default:
      return 8;  // wrong types are refused by the call
  }
}

/// The temporary memory that an idle machine of a CPU keeps.
constexpr std::size_t max_idle_bytes = std::size_t{256} << 20;

/// A machine, and the place of its present call, whose memory it uses.
struct placed_machine {
  place const* now = nullptr;
  ordo_machine* machine = nullptr;
};

void* allocate(void* context, std::size_t bytes, void*) {
  place const& now = *static_cast<placed_machine*>(context)->now;
  return now.allocate(now.context, bytes);
}
void keep(void*, void*, std::size_t, void*) {}  // the framework frees what a call allocated

/// The machines that no call uses. They are never freed: a process may end while threads of a framework still work.
class idle_machines {
 public:
  /// Calls f(machine) with a machine for the place, which is then idle again.
  template <class F>
  status run(place const& on, F f) {
    kind const key{on.gpu, on.threads, on.allocate != nullptr};
    std::unique_ptr<placed_machine> own;
    {
      std::scoped_lock const lock(mutex_);
      auto& idle = idle_[key];
      if (!idle.empty()) {
        own = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!own) own = std::make_unique<placed_machine>();
    own->now = &on;
    if (!own->machine)
      if (auto const outcome = create(on, *own); outcome != ORDO_OK) return to_status(outcome);
    // A machine of a GPU serves all streams: one that is being captured in a CUDA graph finds a machine that has worked before.
    ordo_machine* view = nullptr;
    ordo_status done = on.gpu < 0 ? ORDO_OK : ordo_gpu_on_stream(&view, own->machine, on.stream);
    if (done == ORDO_OK) done = f(view ? view : own->machine);
    ordo_machine_free(view);
    status const outcome = to_status(done);
    if (!on.allocate) ordo_trim(own->machine, max_idle_bytes);
    own->now = nullptr;
    std::scoped_lock const lock(mutex_);
    idle_[key].push_back(std::move(own));
    return outcome;
  }

 private:
  using kind = std::tuple<std::int32_t, unsigned, bool>;  // members of place

  static ordo_status create(place const& on, placed_machine& own) {
    ordo_allocator memory{};
    if (on.allocate) memory = {allocate, keep, &own};
    if (on.gpu < 0) {
      ordo_cpu_options options = ORDO_CPU_OPTIONS_INIT;
      options.threads = on.threads;
      options.allocator = memory;
      return ordo_cpu_create(&own.machine, &options);
    }
    ordo_gpu_options options = ORDO_GPU_OPTIONS_INIT;
    options.device = std::uint32_t(on.gpu);
    options.use_stream = 1;
    options.stream = on.stream;
    options.allocator = memory;
    return ordo_gpu_create(&own.machine, &options);
  }

  std::mutex mutex_;
  std::map<kind, std::vector<std::unique_ptr<placed_machine>>> idle_;
};

/// Calls f(machine) without letting an exception out: callers have other compilers.
template <class F>
status run(place const& on, F f) noexcept {
  static auto* const idle = new ordo::per_process<idle_machines>;
  status outcome = status::ok;
  ordo_status const stored = ordo::detail::c_status([&] { outcome = idle->get().run(on, f); });
  return stored == ORDO_OK ? outcome : to_status(stored);
}

ordo_sort_options make_order(bool descending, bool equal_zeros) {
  ordo_sort_options options = ORDO_SORT_OPTIONS_INIT;
  options.order = descending ? ORDO_DESCENDING : ORDO_ASCENDING;
  options.nans = ORDO_NANS_GREATEST;
  options.equal_zeros = equal_zeros;
  return options;
}

ordo_segments make_segments(rows shape) {
  ordo_segments segments = ORDO_SEGMENTS_INIT;
  segments.count = shape.count;
  segments.uniform_length = shape.length;
  return segments;
}

status sort(place const& on, output keys, rows shape, bool descending) {
  std::size_t const n = shape.count * shape.length;
  if (n == 0) return status::ok;
  auto const options = make_order(descending, false);  // equal zeros would cost memory and time
  auto const segments = make_segments(shape);
  return run(on, [&](ordo_machine* machine) {
    if (shape.count == 1) return ordo_sort_keys(machine, to_type(keys.kind), keys.items, n, &options);
    return ordo_sort_segments(machine, to_type(keys.kind), keys.items, 0, nullptr, n, &segments, nullptr, &options);
  });
}

status argsort(place const& on, input keys, output index, rows shape, bool descending) {
  std::size_t const n = shape.count * shape.length;
  if (n == 0) return status::ok;
  auto const options = make_order(descending, true);
  auto const segments = make_segments(shape);
  ordo_type const type = to_type(keys.kind), index_type = to_type(index.kind);
  return run(on, [&](ordo_machine* machine) {
    if (shape.count == 1) return ordo_argsort(machine, type, keys.items, index_type, index.items, n, &options);
    return ordo_argsort_segments(machine, type, keys.items, n, &segments, index_type, index.items, 1, &options);
  });
}

/// Calls f(keys, segments, index) for each row of keys with offsets of its own, until one fails.
template <class F>
ordo_status each_row(input keys, input offsets, output index, rows shape, std::size_t segments, std::size_t index_length, F f) {
  auto const* const all_keys = static_cast<char const*>(keys.items);
  auto const* const all_offsets = static_cast<char const*>(offsets.items);
  for (std::size_t row = 0; row < shape.count; ++row) {
    ordo_segments of_row = ORDO_SEGMENTS_INIT;
    of_row.count = segments;
    of_row.begins = all_offsets + row * (segments + 1) * item_bytes(offsets.kind);
    of_row.offset_type = to_type(offsets.kind);
    void* const positions = static_cast<char*>(index.items) + row * index_length * item_bytes(index.kind);
    ordo_status const outcome = f(all_keys + row * shape.length * item_bytes(keys.kind), of_row, positions);
    if (outcome != ORDO_OK) return outcome;
  }
  return ORDO_OK;
}

status segmented_argsort(place const& on, input keys, input offsets, output index, rows shape, std::size_t segments,
                         bool descending) {
  auto const options = make_order(descending, true);
  return run(on, [&](ordo_machine* machine) {
    return each_row(keys, offsets, index, shape, segments, shape.length, [&](auto* row, auto const& of_row, auto* positions) {
      return ordo_argsort_segments(machine, to_type(keys.kind), row, shape.length, &of_row, to_type(index.kind), positions, 0,
                                   &options);
    });
  });
}

status top_k(place const& on, input keys, output index, rows shape, std::size_t k, bool largest) {
  if (shape.count * k == 0) return status::ok;
  ordo_top_k_options options = ORDO_TOP_K_OPTIONS_INIT;
  options.smallest = !largest;
  options.relative = 1;
  auto const segments = make_segments(shape);
  ordo_type const type = to_type(keys.kind), index_type = to_type(index.kind);
  std::size_t const n = shape.count * shape.length;
  return run(on, [&](ordo_machine* machine) {
    if (shape.count == 1) return ordo_top_k(machine, type, keys.items, n, k, nullptr, index_type, index.items, &options);
    return ordo_segmented_top_k(machine, type, keys.items, n, &segments, k, nullptr, index_type, index.items, &options);
  });
}

status segmented_top_k(place const& on, input keys, input offsets, output index, rows shape, std::size_t segments,
                       std::size_t k, bool largest) {
  ordo_top_k_options options = ORDO_TOP_K_OPTIONS_INIT;
  options.smallest = !largest;
  return run(on, [&](ordo_machine* machine) {
    return each_row(keys, offsets, index, shape, segments, segments * k, [&](auto* row, auto const& of_row, auto* positions) {
      return ordo_segmented_top_k(machine, to_type(keys.kind), row, shape.length, &of_row, k, nullptr, to_type(index.kind),
                                  positions, &options);
    });
  });
}

constexpr ordosort::calls all_calls{sizeof(ordosort::calls), sort,           argsort, segmented_argsort, top_k,
                                    segmented_top_k,         ordo_last_error};

/// A place whose temporary memory a function of Python allocates: allocate(bytes) returns an address. An exception of it is
/// thrown by the call that needed the memory.
class python_place {
 public:
  python_place(int gpu, std::uintptr_t stream, unsigned threads, nb::handle allocate) : allocate_(allocate) {
    place_.gpu = gpu;
    place_.stream = reinterpret_cast<void*>(stream);
    place_.threads = threads;
    if (allocate.is_none()) return;
    place_.allocate = [](void* context, std::size_t bytes) { return static_cast<python_place*>(context)->allocate(bytes); };
    place_.context = this;
  }
  python_place(python_place const&) = delete;
  python_place& operator=(python_place const&) = delete;

  /// Calls f(place) without the GIL.
  template <class F>
  void run(F f) {
    status outcome = status::ok;
    {
      nb::gil_scoped_release const released;
      outcome = f(place_);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    check(ordo_status(outcome));
  }

 private:
  void* allocate(std::size_t bytes) noexcept {
    nb::gil_scoped_acquire const held;
    try {
      nb::object const address = allocate_(bytes);
      void* const block = PyLong_AsVoidPtr(address.ptr());
      if (PyErr_Occurred()) throw nb::python_error();
      return block;
    } catch (...) {
      error_ = std::current_exception();
      return nullptr;
    }
  }

  place place_;
  nb::handle allocate_;
  std::exception_ptr error_;
};

using address = std::uintptr_t;

input read(int type, address items) {
  return {ordosort::type(type), reinterpret_cast<void const*>(items)};
}
output positions(address items) {
  return {ordosort::type::int64, reinterpret_cast<void*>(items)};
}

}  // namespace

void add_operators(nb::module_& module) {
  nb::class_<python_place>(module, "Place")
      .def(nb::init<int, std::uintptr_t, unsigned, nb::handle>(), nb::arg("gpu"), nb::arg("stream"), nb::arg("threads"),
           nb::arg("allocate").none(), nb::keep_alive<1, 5>())
      .def(
          "argsort",
          [](python_place& on, int type, address keys, address index, std::size_t count, std::size_t length, bool descending) {
            on.run([&](place const& p) { return argsort(p, read(type, keys), positions(index), {count, length}, descending); });
          })
      .def("segmented_argsort",
           [](python_place& on, int type, address keys, int offset_type, address offsets, address index, std::size_t count,
              std::size_t length, std::size_t segments, bool descending) {
             on.run([&](place const& p) {
               return segmented_argsort(p, read(type, keys), read(offset_type, offsets), positions(index), {count, length},
                                        segments, descending);
             });
           })
      .def("top_k",
           [](python_place& on, int type, address keys, address index, std::size_t count, std::size_t length, std::size_t k,
              bool largest) {
             on.run([&](place const& p) { return top_k(p, read(type, keys), positions(index), {count, length}, k, largest); });
           })
      .def("segmented_top_k", [](python_place& on, int type, address keys, int offset_type, address offsets, address index,
                                 std::size_t count, std::size_t length, std::size_t segments, std::size_t k, bool largest) {
        on.run([&](place const& p) {
          return segmented_top_k(p, read(type, keys), read(offset_type, offsets), positions(index), {count, length}, segments,
                                 k, largest);
        });
      });
  module.def("calls", [] { return reinterpret_cast<std::uintptr_t>(&all_calls); });
}

}  // namespace ordo_python
