// The handlers of ordosort.jax for XLA's foreign function interface, which the module compiles on first use. XLA calls them
// from any thread, several at a time. Keys and positions have any leading dimensions; their last one is sorted.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "calls.hpp"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;
using ordosort::input;
using ordosort::output;
using ordosort::place;
using ordosort::rows;
using ordosort::status;
using ordosort::type;
using buffer = ffi::AnyBuffer;
using result = ffi::Result<ffi::AnyBuffer>;

ordosort::calls const* calls = nullptr;

type to_type(ffi::DataType kind) {
  switch (kind) {
    case ffi::DataType::PRED:
    case ffi::DataType::U8:
      return type::uint8;
    case ffi::DataType::S8:
      return type::int8;
    case ffi::DataType::S16:
      return type::int16;
    case ffi::DataType::S32:
      return type::int32;
    case ffi::DataType::S64:
      return type::int64;
    case ffi::DataType::U16:
      return type::uint16;
    case ffi::DataType::U32:
      return type::uint32;
    case ffi::DataType::U64:
      return type::uint64;
    case ffi::DataType::F16:
      return type::float16;
    case ffi::DataType::BF16:
      return type::bfloat16;
    case ffi::DataType::F32:
      return type::float32;
    case ffi::DataType::F64:
      return type::float64;
    default:
      return type::none;  // which the call refuses
  }
}

input read(buffer const& a) {
  return {to_type(a.element_type()), a.untyped_data()};
}
output write(result& a) {
  return {to_type(a->element_type()), a->untyped_data()};
}

rows row_shape(buffer const& a) {
  auto const dimensions = a.dimensions();
  rows shape{1, 1};
  if (dimensions.size() == 0) return shape;
  for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) shape.count *= std::size_t(dimensions[d]);
  shape.length = std::size_t(dimensions.back());
  return shape;
}

std::size_t last_dimension(buffer const& a) {
  return std::size_t(a.dimensions().back());
}

ffi::Error outcome(status of) {
  switch (of) {
    case status::ok:
      return ffi::Error::Success();
    case status::usage_error:
      return ffi::Error::InvalidArgument(calls->last_error());
    case status::out_of_memory:
      return ffi::Error(ffi::ErrorCode::kResourceExhausted, calls->last_error());
    default:
      return ffi::Error::Internal(calls->last_error());
  }
}

// XLA has copied the keys to the result, or has given up their memory to it.
struct sort {
  ffi::Error operator()(place const& on, buffer keys, result out, bool descending) const {
    if (out->untyped_data() != keys.untyped_data()) return ffi::Error::Internal("ordosort: the keys are not in the result");
    return outcome(calls->sort(on, write(out), row_shape(keys), descending));
  }
};

struct argsort {
  ffi::Error operator()(place const& on, buffer keys, result index, bool descending) const {
    return outcome(calls->argsort(on, read(keys), write(index), row_shape(keys), descending));
  }
};

struct segmented_argsort {
  ffi::Error operator()(place const& on, buffer keys, buffer offsets, result index, bool descending) const {
    return outcome(calls->segmented_argsort(on, read(keys), read(offsets), write(index), row_shape(keys),
                                            last_dimension(offsets) - 1, descending));
  }
};

struct top_k {
  ffi::Error operator()(place const& on, buffer keys, result index, bool largest) const {
    return outcome(calls->top_k(on, read(keys), write(index), row_shape(keys), last_dimension(*index), largest));
  }
};

// The positions that are not written are in the result already, as the keys of sort.
struct segmented_top_k {
  ffi::Error operator()(place const& on, buffer keys, buffer offsets, buffer unwritten, result index, bool largest) const {
    if (index->untyped_data() != unwritten.untyped_data())
      return ffi::Error::Internal("ordosort: the positions are not in the result");
    return outcome(calls->segmented_top_k(on, read(keys), read(offsets), write(index), row_shape(keys),
                                          last_dimension(offsets) - 1, last_dimension(*index), largest));
  }
};

template <class Operation>
struct on_cpu {
  template <class... Arguments>
  ffi::Error operator()(Arguments... arguments) const {
    return Operation{}(place{}, std::move(arguments)...);
  }
};

/// Returns memory of XLA, aligned to 256 bytes, or null. XLA refuses to promise more than 16.
void* allocate(ffi::ScratchAllocator& scratch, std::size_t bytes) {
  constexpr std::size_t promised = 16, alignment = 256;
  std::optional<void*> const begin = scratch.Allocate(bytes + (alignment - promised), promised);
  if (!begin) return nullptr;
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(*begin) + alignment - 1) / alignment * alignment);
}

/// Queues the operation on XLA's stream, with temporary memory of XLA, which frees it when the handler returns.
template <class Operation>
struct on_gpu {
  template <class... Arguments>
  ffi::Error operator()(void* stream, ffi::ScratchAllocator scratch, std::int32_t device, Arguments... arguments) const {
    place on;
    on.gpu = device;
    on.stream = stream;
    on.context = &scratch;
    on.allocate = [](void* context, std::size_t bytes) {
      return allocate(*static_cast<ffi::ScratchAllocator*>(context), bytes);
    };
    return Operation{}(on, std::move(arguments)...);
  }
};

auto cpu() {
  return ffi::Ffi::Bind();
}
auto gpu() {
  return ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Ctx<ffi::ScratchAllocator>().Ctx<ffi::DeviceOrdinal>();
}
template <class Binding>
auto one_array(Binding binding, char const* flag) {
  return std::move(binding).template Arg<buffer>().template Ret<buffer>().template Attr<bool>(flag);
}
template <class Binding>
auto segments(Binding binding, char const* flag) {
  return std::move(binding).template Arg<buffer>().template Arg<buffer>().template Ret<buffer>().template Attr<bool>(flag);
}
template <class Binding>
auto segments_of_k(Binding binding, char const* flag) {
  return std::move(binding)
      .template Arg<buffer>()
      .template Arg<buffer>()
      .template Arg<buffer>()
      .template Ret<buffer>()
      .template Attr<bool>(flag);
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int ordosort_bind(ordosort::calls const* given) {
  if (given->size != sizeof(ordosort::calls)) return 1;
  calls = given;
  return 0;
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_sort_cpu, on_cpu<sort>{}, one_array(cpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_sort_gpu, on_gpu<sort>{}, one_array(gpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_argsort_cpu, on_cpu<argsort>{}, one_array(cpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_argsort_gpu, on_gpu<argsort>{}, one_array(gpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_segmented_argsort_cpu, on_cpu<segmented_argsort>{}, segments(cpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_segmented_argsort_gpu, on_gpu<segmented_argsort>{}, segments(gpu(), "descending"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_top_k_cpu, on_cpu<top_k>{}, one_array(cpu(), "largest"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_top_k_gpu, on_gpu<top_k>{}, one_array(gpu(), "largest"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_segmented_top_k_cpu, on_cpu<segmented_top_k>{}, segments_of_k(cpu(), "largest"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ordosort_segmented_top_k_gpu, on_gpu<segmented_top_k>{}, segments_of_k(gpu(), "largest"));

#pragma GCC visibility pop
