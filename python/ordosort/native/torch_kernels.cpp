// The kernels of ordosort.torch, which the module compiles on first use for the version of PyTorch that is here. PyTorch's
// dispatcher calls them from any thread, several at a time, without Python.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include "calls.hpp"

namespace {

using ordosort::input;
using ordosort::output;
using ordosort::place;
using ordosort::rows;
using ordosort::status;
using ordosort::type;

/// Writes the stream that is current on a GPU. Returns 0.
using current_stream = std::int32_t (*)(std::int32_t device, void** stream);

ordosort::calls const* calls = nullptr;
current_stream stream_of = nullptr;

type to_type(at::ScalarType kind) {
  switch (kind) {
    case at::ScalarType::Bool:
    case at::ScalarType::Byte:
      return type::uint8;
    case at::ScalarType::Char:
      return type::int8;
    case at::ScalarType::Short:
      return type::int16;
    case at::ScalarType::Int:
      return type::int32;
    case at::ScalarType::Long:
      return type::int64;
    case at::ScalarType::UInt16:
      return type::uint16;
    case at::ScalarType::UInt32:
      return type::uint32;
    case at::ScalarType::UInt64:
      return type::uint64;
    case at::ScalarType::Half:
      return type::float16;
    case at::ScalarType::BFloat16:
      return type::bfloat16;
    case at::ScalarType::Float:
      return type::float32;
    case at::ScalarType::Double:
      return type::float64;
    default:
      return type::none;
  }
}

void check_keys(at::Tensor const& keys) {
  TORCH_CHECK_TYPE(to_type(keys.scalar_type()) != type::none, keys.scalar_type(),
                   ": keys are bools, integers and floating-point numbers of 8 to 64 bits");
}

void check_segments(at::Tensor const& keys, at::Tensor const& offsets) {
  check_keys(keys);
  bool const fit = keys.dim() != 0 && offsets.dim() == keys.dim() &&
                   offsets.sizes().slice(0, std::size_t(keys.dim()) - 1) == keys.sizes().slice(0, std::size_t(keys.dim()) - 1);
  TORCH_CHECK_VALUE(fit, "offsets: shape ", offsets.sizes(), ", where the keys have ", keys.sizes());
  TORCH_CHECK_VALUE(offsets.size(-1) != 0, "offsets: none, where there is one more than segments");
  switch (to_type(offsets.scalar_type())) {
    case type::int32:
    case type::int64:
    case type::uint32:
    case type::uint64:
      break;
    default:
      TORCH_CHECK_TYPE(false, "offsets: ", offsets.scalar_type(), ", where integers of 32 or 64 bits are expected");
  }
  TORCH_CHECK_VALUE(offsets.device() == keys.device(), "offsets: on ", offsets.device(), ", where the keys are on ",
                    keys.device());
}

/// Throws the error of a call.
void check(status outcome) {
  if (outcome == status::ok) return;
  TORCH_CHECK_VALUE(outcome != status::usage_error, calls->last_error());
  if (outcome == status::out_of_memory) throw std::bad_alloc();
  TORCH_CHECK(false, calls->last_error());
}

/// Describes the device of a sort. On a GPU, temporary memory is tensors, which PyTorch frees in the order of the stream.
class placed {
 public:
  explicit placed(at::Tensor const& keys) : device_(keys.device()) {
    if (!device_.is_cuda()) {
      place_.threads = unsigned(at::get_num_threads());
      return;
    }
    place_.gpu = device_.index();
    TORCH_CHECK(stream_of && stream_of(place_.gpu, &place_.stream) == 0, "ordosort: no current stream of ", device_);
    place_.context = this;
    place_.allocate = [](void* context, std::size_t bytes) { return static_cast<placed*>(context)->allocate(bytes); };
  }
  placed(placed const&) = delete;
  placed& operator=(placed const&) = delete;

  /// Calls f(place).
  template <class F>
  void run(F f) {
    status const outcome = f(place_);
    if (error_) std::rethrow_exception(error_);
    check(outcome);
  }

 private:
  void* allocate(std::size_t bytes) noexcept {
    try {
      blocks_.push_back(at::empty({std::int64_t(bytes)}, at::TensorOptions().dtype(at::kByte).device(device_)));
      return blocks_.back().mutable_data_ptr();
    } catch (...) {
      error_ = std::current_exception();
      return nullptr;
    }
  }

  at::Device device_;
  place place_;
  std::vector<at::Tensor> blocks_;
  std::exception_ptr error_;
};

/// Returns a tensor as one array that is aligned to its items.
at::Tensor plain(at::Tensor const& a) {
  at::Tensor const one = a.contiguous();
  return reinterpret_cast<std::uintptr_t>(one.const_data_ptr()) % one.element_size() == 0 ? one : one.clone();
}

input read(at::Tensor const& a) {
  return {to_type(a.scalar_type()), a.const_data_ptr()};
}
output write(at::Tensor& index) {
  return {type::int64, index.mutable_data_ptr()};
}

/// The rows of the last dimension.
rows rows_of(at::Tensor const& keys) {
  std::size_t const length = keys.dim() == 0 ? 1 : std::size_t(keys.size(-1));
  return {length == 0 ? 0 : std::size_t(keys.numel()) / length, length};
}

at::Tensor positions(at::IntArrayRef sizes, at::Tensor const& keys) {
  return at::empty(sizes, keys.options().dtype(at::kLong));
}

at::Tensor argsort(at::Tensor const& given, bool descending) {
  check_keys(given);
  at::Tensor index = positions(given.sizes(), given);
  if (index.numel() == 0) return index;
  at::Tensor const keys = plain(given);
  placed(keys).run([&](place const& on) { return calls->argsort(on, read(keys), write(index), rows_of(keys), descending); });
  return index;
}

at::Tensor top_k(at::Tensor const& given, std::int64_t k, bool largest) {
  check_keys(given);
  TORCH_CHECK_VALUE(given.dim() != 0, "keys: no dimensions, where at least one is expected");
  TORCH_CHECK_VALUE(k >= 0, "k: ", k);
  TORCH_CHECK_VALUE(k <= given.size(-1), "k: ", k, " of ", given.size(-1), " items");
  std::vector<std::int64_t> sizes = given.sizes().vec();
  sizes.back() = k;
  at::Tensor index = positions(sizes, given);
  if (index.numel() == 0) return index;
  at::Tensor const keys = plain(given);
  placed(keys).run(
      [&](place const& on) { return calls->top_k(on, read(keys), write(index), rows_of(keys), std::size_t(k), largest); });
  return index;
}

/// Calls f(place, keys, offsets, rows, number of segments of a row) for tensors as arrays.
template <class F>
void with_segments(at::Tensor const& given_keys, at::Tensor const& given_offsets, F f) {
  at::Tensor const keys = plain(given_keys), offsets = plain(given_offsets);
  std::size_t const bounds = std::size_t(offsets.size(-1));
  rows const shape{std::size_t(offsets.numel()) / bounds, std::size_t(keys.size(-1))};
  placed(keys).run([&](place const& on) { return f(on, read(keys), read(offsets), shape, bounds - 1); });
}

at::Tensor segmented_argsort(at::Tensor const& keys, at::Tensor const& offsets, bool descending) {
  check_segments(keys, offsets);
  at::Tensor index = positions(keys.sizes(), keys);
  with_segments(keys, offsets, [&](place const& on, input k, input o, rows shape, std::size_t segments) {
    return calls->segmented_argsort(on, k, o, write(index), shape, segments, descending);
  });
  return index;
}

at::Tensor segmented_top_k(at::Tensor const& keys, at::Tensor const& offsets, std::int64_t k, bool largest) {
  check_segments(keys, offsets);
  TORCH_CHECK_VALUE(k >= 0, "k: ", k);
  std::vector<std::int64_t> sizes = offsets.sizes().vec();
  --sizes.back();
  sizes.push_back(k);
  at::Tensor index = at::full(sizes, -1, keys.options().dtype(at::kLong));
  with_segments(keys, offsets, [&](place const& on, input given, input o, rows shape, std::size_t segments) {
    return calls->segmented_top_k(on, given, o, write(index), shape, segments, std::size_t(k), largest);
  });
  return index;
}

void add(torch::Library& library) {
  library.impl("argsort", &argsort);
  library.impl("top_k", &top_k);
  library.impl("segmented_argsort", &segmented_argsort);
  library.impl("segmented_top_k", &segmented_top_k);
}

}  // namespace

/// Registers the kernels of operators that are defined. Returns 0, or 1 for a module of another version.
/// @param streams  a current_stream, or null for the kernels of CPUs alone
extern "C" __attribute__((visibility("default"))) int ordosort_register(ordosort::calls const* given, current_stream streams) {
  if (given->size != sizeof(ordosort::calls)) return 1;
  calls = given;
  stream_of = streams;
  // For as long as the process lives, as threads may call them until its end.
  add(*new torch::Library(torch::Library::IMPL, "ordosort", c10::DispatchKey::CPU, __FILE__, __LINE__));
  if (streams) add(*new torch::Library(torch::Library::IMPL, "ordosort", c10::DispatchKey::CUDA, __FILE__, __LINE__));
  return 0;
}
