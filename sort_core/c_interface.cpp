#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo.h"
#include "ordo/cpu.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"
#include "ordo/rows.hpp"
#include "ordo/top_k.hpp"
#include "sort_core/c_machine.hpp"

// The C interface makes a sort_task of run-time types, which is all that the templates of sort.hpp do with theirs.
namespace ordo::inline v0::detail {
namespace {

/// The text of the last error of a thread. A fixed size, because storing the text of an error must not fail.
thread_local char last_error[4096];

void store_error(char const* text) noexcept {
  std::size_t const length = strnlen(text, sizeof(last_error) - 1);
  std::memmove(last_error, text, length);
  last_error[length] = '\0';
}

struct type_properties {
  std::size_t bytes;
  bool is_signed, is_float;
  unsigned mantissa_bits = 0;  // 0: no floating-point type
};

type_properties properties_for(char const* where, ordo_type type) {
  switch (type) {
    case ORDO_INT8:
      return {1, true, false};
    case ORDO_INT16:
      return {2, true, false};
    case ORDO_INT32:
      return {4, true, false};
    case ORDO_INT64:
      return {8, true, false};
    case ORDO_UINT8:
      return {1, false, false};
    case ORDO_UINT16:
      return {2, false, false};
    case ORDO_UINT32:
      return {4, false, false};
    case ORDO_UINT64:
      return {8, false, false};
    case ORDO_FLOAT16:
      return {2, true, true, 10};
    case ORDO_BFLOAT16:
      return {2, true, true, 7};
    case ORDO_FLOAT32:
      return {4, true, true, 23};
    case ORDO_FLOAT64:
      return {8, true, true, 52};
    case ORDO_INT128:
    case ORDO_UINT128:
    case ORDO_INT256:
    case ORDO_BYTES:
      throw usage_error(fmt::format("bad type: {}: {}: only columns of ordo_argsort_rows have it", where, type));
    default:
      throw usage_error(fmt::format("unknown type: {}: {} is no ordo_type", where, type));
  }
}

/// Returns the magnitude of infinity, above which there are NaNs, as an unsigned number.
std::uint64_t infinity_magnitude(type_properties const& floating) {
  std::uint64_t const nans = (std::uint64_t{1} << floating.mantissa_bits) - 1;
  return (~std::uint64_t{0} >> (65 - 8 * floating.bytes)) - nans;
}

/// Returns the width of a type of positions of n items.
std::size_t position_bytes(char const* where, ordo_type type, std::size_t n) {
  auto const [bytes, is_signed, is_float, mantissa_bits] = properties_for(where, type);
  if (is_float || bytes < 4)
    throw usage_error(fmt::format("bad {}: type {}: positions are integers of 32 or 64 bits", where, type));
  if (is_signed && bytes == 4 && n > std::size_t{1} << 31)
    throw usage_error(fmt::format("bad {}: type {}: positions of {} items do not fit 31 bits", where, type, n));
  return bytes;
}

template <class T>
T& checked(T* pointer, char const* name) {
  if (!pointer) throw usage_error(fmt::format("bad {}: a null pointer", name));
  return *pointer;
}

/// Returns a copy of a structure of options. Members that an older program does not know have their defaults. A newer program
/// may set no member that this library does not know.
/// @param first_size  the size of the structure in its first version
template <class T>
T read_options(T const* given, char const* name, std::size_t first_size = sizeof(T)) {
  T options{};
  if (!given) return options;
  constexpr std::size_t max_size = 4096;  // a larger size was never set
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  if (size < first_size || size > max_size)
    throw usage_error(fmt::format("bad {}: size: {}, where {} bytes are expected", name, size, sizeof(T)));
  auto const* const bytes = reinterpret_cast<unsigned char const*>(given);
  for (std::size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0) throw usage_error(fmt::format("bad {}: byte {}: not known to this version of Ordo", name, i));
  std::memcpy(&options, given, std::min(size, sizeof(T)));
  return options;
}

/// Checks a member that is 0 or 1.
bool flag(std::uint32_t value, char const* name) {
  if (value > 1) throw usage_error(fmt::format("bad {}: {}: neither 0 nor 1", name, value));
  return value != 0;
}
void check_reserved(std::uint32_t value) {
  if (value != 0) throw usage_error(fmt::format("bad reserved: {}: not 0", value));
}
void check_allocator(ordo_allocator const& allocator) {
  if ((allocator.allocate == nullptr) != (allocator.deallocate == nullptr))
    throw usage_error("bad allocator: one of allocate and deallocate is a null pointer");
}
void check_order(ordo_order order) {
  if (order != ORDO_ASCENDING && order != ORDO_DESCENDING)
    throw usage_error(fmt::format("unknown order: {}: neither ORDO_ASCENDING nor ORDO_DESCENDING", order));
}
ordo_nans known_nans(ordo_nans nans, bool may_be_first) {
  if (nans < ORDO_NANS_TOTAL_ORDER || nans > ORDO_NANS_GREATEST || (nans == ORDO_NANS_FIRST && !may_be_first))
    throw usage_error(fmt::format("unknown nans: {}: no ordo_nans of this call", nans));
  return nans;
}
std::size_t to_limit(std::size_t memory_limit) {
  return memory_limit == 0 ? ~std::size_t{0} : memory_limit;
}

void check_aligned(char const* array, void const* items, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(items) % bytes != 0)
    throw usage_error(
        fmt::format("misaligned: {}: items of {} bytes at an address that is not a multiple of their size", array, bytes));
}

void add_keys(sort_task& task, ordo_type type, void const* keys, std::size_t n) {
  auto const [bytes, is_signed, is_float, mantissa_bits] = properties_for("keys", type);
  check_extent("keys", n, bytes);
  check_aligned("keys", keys, bytes);
  std::uint64_t const all = ~std::uint64_t{0} >> (64 - 8 * bytes), top = (all >> 1) + 1;
  task.keys = const_cast<void*>(keys);
  task.key_bytes = bytes;
  task.host = host_code_for(bytes);
  task.n = n;
  task.flip = is_signed ? top : 0;
  task.flip_negative = is_float ? all >> 1 : 0;
}

void add_value_width(sort_task& task, std::size_t bytes) {
  check_extent("values", std::max<std::size_t>(task.n, 1), bytes);
  task.value_bytes = bytes;
  task.value_alignment = bytes == 4 || bytes == 8 || bytes == 16 ? bytes : 1;
}

/// Lowers the alignment of values until it divides their address.
void limit_alignment(sort_task& task, void const* values) {
  while (reinterpret_cast<std::uintptr_t>(values) % task.value_alignment != 0) task.value_alignment /= 2;
}

void add_values(sort_task& task, std::size_t bytes, void* values) {
  add_value_width(task, bytes);
  if (bytes == 0 && values) throw usage_error("bad values: width: values of 0 bytes");
  if (bytes == 0) return;
  limit_alignment(task, values);
  task.values = values;
  task.values_given = task.n;
}

/// Adds the arrays that a sort reads where these are not the ones that it writes, after the others.
void add_inputs(sort_task& task, void const* keys_in, void const* values_in) {
  check_aligned("keys_in", keys_in, task.key_bytes);
  task.out_of_place = true;
  task.keys_in = keys_in;
  task.keys_in_given = task.n;
  if (task.value_bytes == 0) {
    if (values_in) throw usage_error("bad values_in: width: values of 0 bytes");
    return;
  }
  limit_alignment(task, values_in);
  task.values_in = values_in;
  task.values_in_given = task.n;
}

/// Adds the options, after the keys.
void add_options(sort_task& task, ordo_type key_type, ordo_sort_options const* given) {
  auto const options = read_options(given, "ordo_sort_options");
  check_order(options.order);
  if (options.order == ORDO_DESCENDING) task.flip ^= ~std::uint64_t{0} >> (64 - 8 * task.key_bytes);
  task.keep_keys = flag(options.keep_keys, "keep_keys") || task.kind == sort_task::operation::argsort;
  if (options.keep_keys && (task.kind != sort_task::operation::segments || task.value_bytes == 0))
    throw usage_error("bad keep_keys: only sorts of segments with values have it");
  if (task.kind == sort_task::operation::arrays && (options.begin_bit != 0 || options.end_bit != 0))
    throw usage_error("bad bits: sorts of arrays compare whole keys");
  ordo_nans const nans_order = known_nans(options.nans, false);
  bool const equal_zeros = flag(options.equal_zeros, "equal_zeros");
  if (auto const properties = properties_for("keys", key_type); properties.is_float) {
    // As task_of_keys of sort.hpp does it.
    std::uint64_t const nans = (std::uint64_t{1} << properties.mantissa_bits) - 1;
    bool const first = nans_order == ORDO_NANS_GREATEST && options.order == ORDO_DESCENDING;
    if (nans_order != ORDO_NANS_TOTAL_ORDER && task.keep_keys) {
      task.max_magnitude = infinity_magnitude(properties);
      task.nans_first = first;
    } else if (nans_order != ORDO_NANS_TOTAL_ORDER) {
      task.rotate = first ? ~std::uint64_t{0} - nans + 1 : nans;
    }
    task.equal_zeros = equal_zeros;
  }
  task.bits = {options.begin_bit, options.end_bit == 0 ? ~0u : options.end_bit};
}

bool is_signed(ordo_type type) {
  return properties_for("index", type).is_signed;
}

void add_index(sort_task& task, ordo_type type, void* index) {
  std::size_t const bytes = position_bytes("index", type, task.n);
  check_aligned("index", index, bytes);
  add_values(task, bytes, index);
  task.signed_index = is_signed(type);
}

void add_segments(sort_task& task, ordo_segments const* given) {
  checked(given, "segments");
  auto const segments = read_options(given, "ordo_segments");
  check_reserved(segments.reserved);
  task.segments = segments.count;
  task.uniform_length = segments.uniform_length;
  task.max_length = to_limit(segments.max_length);
  if (segments.uniform_length != 0) {
    if (segments.begins || segments.ends) throw usage_error("bad segments: uniform: offsets and a uniform length");
    if (segments.max_length == 0) task.max_length = segments.uniform_length;
    return;
  }
  if (segments.count == 0) return;
  task.offset_bytes = position_bytes("segments", segments.offset_type, task.n);
  task.signed_offsets = properties_for("segments", segments.offset_type).is_signed;
  check_extent("segments", segments.count, 2 * task.offset_bytes);
  check_aligned("segments", segments.begins, task.offset_bytes);
  check_aligned("segments", segments.ends, task.offset_bytes);
  task.begins = &checked(static_cast<char const*>(segments.begins), "segments");
  task.ends = segments.ends ? segments.ends : static_cast<char const*>(segments.begins) + task.offset_bytes;
  task.ends_given = segments.count;
}

sort_task make_task(sort_task::operation operation, ordo_type key_type, void const* keys, std::size_t n) {
  sort_task task;
  task.kind = operation;
  add_keys(task, key_type, keys, n);
  return task;
}

using operation = sort_task::operation;

/// Returns the array of a result, which is not wanted if it is null.
task_array make_result(void* items, std::size_t size, std::size_t bytes, bool is_signed) {
  if (!items) return {};
  check_extent("result", size, bytes);
  check_aligned("result", items, bytes);
  return {items, size, bytes, is_signed};
}

operation_task top_k_task(operation_task::operation kind, ordo_type key_type, void const* keys, std::size_t n, std::size_t k,
                          ordo_top_k_options const* given) {
  ordo_top_k_options const usual = ORDO_TOP_K_OPTIONS_INIT;
  auto const options = read_options(given ? given : &usual, "ordo_top_k_options");
  check_reserved(options.reserved);
  operation_task task;
  task.kind = kind;
  task.sort = make_task(operation::argsort, key_type, keys, n);
  task.host = host_operations_for(task.sort.key_bytes);
  ordo_sort_options order = ORDO_SORT_OPTIONS_INIT;
  order.order = flag(options.smallest, "smallest") ? ORDO_ASCENDING : ORDO_DESCENDING;
  order.nans = options.nans;
  order.equal_zeros = options.equal_zeros;
  add_options(task.sort, key_type, &order);
  task.k = k;
  task.sorted = !flag(options.unsorted, "unsorted");
  task.relative = flag(options.relative, "relative");
  return task;
}

/// Returns the column of a key whose order is known, without its options.
row_key read_column(ordo_row_key const& key, std::size_t n) {
  bool const is_string = key.type == ORDO_BYTES;
  if (is_string == (key.value_bytes == 0))
    throw usage_error(is_string ? "bad value_bytes: 0: strings have at least 1 byte"
                                : fmt::format("bad value_bytes: {}: only ORDO_BYTES has them", key.value_bytes));
  if (is_string || key.type == ORDO_INT128 || key.type == ORDO_UINT128 || key.type == ORDO_INT256) {
    std::size_t const bytes = is_string ? key.value_bytes : key.type == ORDO_INT256 ? 32 : 16;
    check_extent("keys", n, bytes);
    if (!is_string) check_aligned("keys", key.values, 8);
    if (is_string) return {key.values, n, bytes, 0, 0, 0, {}, row_format::bytes};
    return {key.values, n, bytes, key.type == ORDO_UINT128 ? 0 : std::uint64_t{1} << 63, 0, 0, {}, row_format::words};
  }
  sort_task task = make_task(operation::keys, key.type, key.values, n);
  ordo_sort_options order = ORDO_SORT_OPTIONS_INIT;
  order.order = key.order;
  add_options(task, key.type, &order);
  row_key column{key.values, n, task.key_bytes, task.flip, task.flip_negative, 0, {}};
  if (auto const properties = properties_for("keys", key.type); properties.is_float)
    column.infinity = infinity_magnitude(properties);
  return column;
}

row_key read_row_key(ordo_row_key const& given, std::size_t n) {
  auto const key = read_options(&given, "ordo_row_key", offsetof(ordo_row_key, value_bytes));
  check_reserved(key.reserved);
  check_order(key.order);
  row_key column = read_column(key, n);
  column.options.order = key.order == ORDO_DESCENDING ? sort_order::descending : sort_order::ascending;
  ordo_nans nans = known_nans(key.nans, true);
  if (nans == ORDO_NANS_GREATEST) nans = key.order == ORDO_DESCENDING ? ORDO_NANS_FIRST : ORDO_NANS_LAST;
  column.options.nans = nans == ORDO_NANS_LAST    ? row_nans::last
                        : nans == ORDO_NANS_FIRST ? row_nans::first
                                                  : row_nans::total_order;
  column.options.equal_zeros = flag(key.equal_zeros, "equal_zeros");
  column.options.nulls = flag(key.nulls_first, "nulls_first") ? row_nulls::first : row_nulls::last;
  column.options.validity = key.validity;
  column.options.validity_offset = key.validity_offset;
  return column;
}

sort_task c_segments_task(ordo_type key_type, void* keys, std::size_t value_bytes, void* values, std::size_t n,
                          ordo_segments const* segments, std::uint8_t* heads, ordo_sort_options const* options) {
  sort_task task = make_task(operation::segments, key_type, keys, n);
  add_values(task, value_bytes, values);
  add_segments(task, segments);
  task.heads = heads;
  task.heads_given = heads ? n : 0;
  add_options(task, key_type, options);
  return task;
}

std::vector<row_key> read_row_keys(ordo_row_key const* keys, std::size_t num_keys, std::size_t n) {
  if (num_keys != 0) checked(keys, "keys");
  check_extent("keys", num_keys, sizeof(ordo_row_key));
  std::vector<row_key> columns;
  columns.reserve(num_keys);
  for (std::size_t i = 0; i < num_keys; ++i) columns.push_back(read_row_key(keys[i], n));
  return columns;
}

/// @param columns  must outlive the task
operation_task rows_task(std::vector<row_key> const& columns, std::size_t n, ordo_type index_type, void* index) {
  operation_task task;
  task.kind = operation_task::operation::argsort_rows;
  task.host = &host_operations_on_rows;
  task.row_keys = columns.data();
  task.num_row_keys = columns.size();
  task.sort.n = n;
  task.out_index = {index, n, position_bytes("index", index_type, n), is_signed(index_type)};
  return task;
}

/// Returns an array of an operation. A null pointer has no items.
task_array make_array(char const* name, void const* items, std::size_t size, std::size_t bytes, std::size_t alignment) {
  if (size != 0 && !items) throw usage_error(fmt::format("bad {}: {} items at a null pointer", name, size));
  check_extent(name, size, bytes);
  check_aligned(name, items, alignment);
  return {const_cast<void*>(items), size, bytes, false, alignment};
}

template <class Task>
void write_memory(ordo_machine* machine, Task const& task, std::size_t* bytes) {
  checked(bytes, "bytes") = checked(machine, "machine").machine->memory_for(task);
}

}  // namespace

sort_task c_sort_task(ordo_type key_type, void* keys, std::size_t value_bytes, void* values, std::size_t n,
                      ordo_sort_options const* options) {
  sort_task task = make_task(operation::keys, key_type, keys, n);
  add_values(task, value_bytes, values);
  add_options(task, key_type, options);
  return task;
}

ordo_status c_status_of_exception() noexcept {
  try {
    throw;
  } catch (usage_error const& e) {
    store_error(e.what());
    return ORDO_USAGE_ERROR;
  } catch (input_error const& e) {
    store_error(e.what());
    return ORDO_INPUT_ERROR;
  } catch (output_error const& e) {
    store_error(e.what());
    return ORDO_OUTPUT_ERROR;
  } catch (out_of_memory const& e) {
    store_error(e.what());
    return ORDO_OUT_OF_MEMORY;
  } catch (device_error const& e) {
    store_error(e.what());
    return ORDO_DEVICE_ERROR;
  } catch (std::bad_alloc const&) {
    store_error("out of memory: host: an allocation failed");
    return ORDO_OUT_OF_MEMORY;
  } catch (std::exception const& e) {
    store_error(e.what());
    return ORDO_OTHER_ERROR;
  } catch (...) {
    store_error("unknown exception");
    return ORDO_OTHER_ERROR;
  }
}

void* c_host_memory::allocate(std::size_t bytes) {
  void* const block = callbacks_.allocate(callbacks_.context, bytes, nullptr);
  if (!block) throw out_of_memory(fmt::format("out of memory: the caller's allocator: {} bytes", bytes), bytes);
  return block;
}
void c_host_memory::deallocate(void* block, std::size_t bytes) noexcept {
  callbacks_.deallocate(callbacks_.context, block, bytes, nullptr);
}

void* c_device_memory::allocate(std::size_t bytes, CUstream_st* stream) {
  void* const block = callbacks_.allocate(callbacks_.context, bytes, stream);
  if (!block) throw out_of_memory(fmt::format("out of memory: the caller's allocator: {} bytes", bytes), bytes);
  return block;
}
void c_device_memory::deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept {
  callbacks_.deallocate(callbacks_.context, block, bytes, stream);
}

}  // namespace ordo::inline v0::detail

using namespace ordo::detail;

extern "C" {

ordo_status ordo_cpu_create(ordo_machine** machine, ordo_cpu_options const* given) {
  return c_status([&] {
    checked(machine, "machine") = nullptr;
    auto const options = read_options(given, "ordo_cpu_options");
    check_reserved(options.reserved);
    check_allocator(options.allocator);
    auto created = std::make_unique<ordo_machine>();
    ordo::cpu_options cpu{.threads = options.threads, .memory_limit = to_limit(options.memory_limit)};
    if (options.allocator.allocate) cpu.allocator = &created->host_memory.emplace(options.allocator);
    created->machine = std::make_unique<ordo::cpu>(cpu);
    *machine = created.release();
  });
}

ordo_status ordo_gpu_create(ordo_machine** machine, ordo_gpu_options const* given) {
  return c_status([&] {
    checked(machine, "machine") = nullptr;
    auto const options = read_options(given, "ordo_gpu_options", offsetof(ordo_gpu_options, capturable));
    check_allocator(options.allocator);
    check_reserved(options.reserved);
    bool const use_stream = flag(options.use_stream, "use_stream");
    if (!use_stream && options.stream) throw ordo::usage_error("bad stream: given, but use_stream is 0");
    if constexpr (!ordo::cuda_enabled) throw ordo::usage_error("no GPU support: this build was compiled without CUDA");
    auto created = std::make_unique<ordo_machine>();
    ordo::gpu_options gpu{.device = options.device,
                          .memory_limit = to_limit(options.memory_limit),
                          .capturable = flag(options.capturable, "capturable")};
    if (use_stream) gpu.stream = static_cast<CUstream_st*>(options.stream);
    if (options.allocator.allocate) gpu.allocator = &created->device_memory.emplace(options.allocator);
    auto of_device = std::make_unique<ordo::gpu>(gpu);
    created->gpu = of_device.get();
    created->machine = std::move(of_device);
    *machine = created.release();
  });
}

ordo_status ordo_gpu_on_stream(ordo_machine** view, ordo_machine* machine, void* stream) {
  return c_status([&] {
    checked(view, "view") = nullptr;
    if (!checked(machine, "machine").gpu) throw ordo::usage_error("bad machine: a CPU has no stream");
    auto created = std::make_unique<ordo_machine>();
    auto of_stream = std::make_unique<ordo::gpu>(std::move(*machine->gpu->with_stream(static_cast<CUstream_st*>(stream))));
    created->gpu = of_stream.get();
    created->machine = std::move(of_stream);
    *view = created.release();
  });
}

void ordo_machine_free(ordo_machine* machine) {
  delete machine;
}

ordo_status ordo_gpu_count(std::size_t* count) {
  return c_status([&] { checked(count, "count") = ordo::gpus().size(); });
}

ordo_status ordo_machine_device(ordo_machine const* machine, ordo_device* device) {
  return c_status([&] { checked(device, "device") = checked(machine, "machine").gpu ? ORDO_GPU : ORDO_CPU; });
}

ordo_status ordo_machine_stream(ordo_machine* machine, void** stream) {
  return c_status([&] {
    checked(stream, "stream") = nullptr;
    if (!checked(machine, "machine").gpu) throw ordo::usage_error("bad machine: a CPU has no stream");
    *stream = machine->gpu->stream();
  });
}

ordo_status ordo_synchronize(ordo_machine* machine) {
  return c_status([&] {
    if (checked(machine, "machine").gpu) machine->gpu->synchronize();
  });
}

ordo_status ordo_reserve(ordo_machine* machine, std::size_t bytes) {
  return c_status([&] {
    check_extent("reserve", bytes, 2);
    checked(machine, "machine").machine->reserve(bytes);
  });
}

ordo_status ordo_trim(ordo_machine* machine, std::size_t max_bytes) {
  return c_status([&] { checked(machine, "machine").machine->trim(max_bytes); });
}

ordo_status ordo_peak_memory(ordo_machine* machine, std::size_t* bytes) {
  return c_status([&] { checked(bytes, "bytes") = checked(machine, "machine").machine->peak_memory(); });
}

ordo_status ordo_sort_keys(ordo_machine* machine, ordo_type key_type, void* keys, std::size_t n,
                           ordo_sort_options const* options) {
  return c_status([&] { checked(machine, "machine").machine->run(c_sort_task(key_type, keys, 0, nullptr, n, options)); });
}

ordo_status ordo_sort_pairs(ordo_machine* machine, ordo_type key_type, void* keys, std::size_t value_bytes, void* values,
                            std::size_t n, ordo_sort_options const* options) {
  return c_status([&] {
    if (value_bytes == 0) throw ordo::usage_error("bad values: width: 0 bytes, where at least 1 is expected");
    checked(machine, "machine").machine->run(c_sort_task(key_type, keys, value_bytes, values, n, options));
  });
}

ordo_status ordo_sort_keys_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys, std::size_t n,
                                ordo_sort_options const* options) {
  return c_status([&] {
    sort_task task = c_sort_task(key_type, keys, 0, nullptr, n, options);
    add_inputs(task, keys_in, nullptr);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_sort_pairs_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys,
                                 std::size_t value_bytes, void const* values_in, void* values, std::size_t n,
                                 ordo_sort_options const* options) {
  return c_status([&] {
    if (value_bytes == 0) throw ordo::usage_error("bad values: width: 0 bytes, where at least 1 is expected");
    sort_task task = c_sort_task(key_type, keys, value_bytes, values, n, options);
    add_inputs(task, keys_in, values_in);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_argsort(ordo_machine* machine, ordo_type key_type, void const* keys, ordo_type index_type, void* index,
                         std::size_t n, ordo_sort_options const* options) {
  return c_status([&] {
    sort_task task = make_task(operation::argsort, key_type, keys, n);
    add_index(task, index_type, index);
    add_options(task, key_type, options);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_sort_segments(ordo_machine* machine, ordo_type key_type, void* keys, std::size_t value_bytes, void* values,
                               std::size_t n, ordo_segments const* segments, std::uint8_t* heads,
                               ordo_sort_options const* options) {
  return c_status([&] {
    sort_task const task = c_segments_task(key_type, keys, value_bytes, values, n, segments, heads, options);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_sort_segments_copy(ordo_machine* machine, ordo_type key_type, void const* keys_in, void* keys,
                                    std::size_t value_bytes, void const* values_in, void* values, std::size_t n,
                                    ordo_segments const* segments, std::uint8_t* heads, ordo_sort_options const* options) {
  return c_status([&] {
    sort_task task = c_segments_task(key_type, keys, value_bytes, values, n, segments, heads, options);
    if (task.keep_keys) throw ordo::usage_error("bad keep_keys: ordo_sort_segments_copy writes the keys");
    add_inputs(task, keys_in, values_in);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_sort_arrays(ordo_machine* machine, ordo_type key_type, void* keys, std::size_t value_bytes, void* values,
                             std::size_t n, ordo_segments const* arrays, ordo_sort_options const* options) {
  return c_status([&] {
    sort_task task = make_task(operation::arrays, key_type, keys, n);
    add_values(task, value_bytes, values);
    add_segments(task, arrays);
    add_options(task, key_type, options);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_check_segments(ordo_machine* machine, std::size_t n, ordo_segments const* segments) {
  return c_status([&] {
    sort_task task;
    task.kind = operation::check;
    task.n = n;
    add_segments(task, segments);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_sort_memory(ordo_machine* machine, ordo_type key_type, std::size_t value_bytes, std::size_t n,
                             ordo_sort_options const* options, std::size_t* bytes) {
  return c_status([&] {
    sort_task task = make_task(operation::keys, key_type, nullptr, n);
    add_value_width(task, value_bytes);
    add_options(task, key_type, options);
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_argsort_memory(ordo_machine* machine, ordo_type key_type, ordo_type index_type, std::size_t n,
                                ordo_sort_options const* options, std::size_t* bytes) {
  return c_status([&] {
    sort_task task = make_task(operation::argsort, key_type, nullptr, n);
    add_value_width(task, position_bytes("index", index_type, n));
    add_options(task, key_type, options);
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_sort_segments_memory(ordo_machine* machine, ordo_type key_type, std::size_t value_bytes, std::size_t n,
                                      std::size_t segments, std::size_t max_length, ordo_sort_options const* options,
                                      std::size_t* bytes) {
  return c_status([&] {
    sort_task task = make_task(operation::segments, key_type, nullptr, n);
    add_value_width(task, value_bytes);
    check_extent("segments", segments, 16);
    task.segments = segments;
    task.max_length = to_limit(max_length);
    add_options(task, key_type, options);
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_sort_arrays_memory(ordo_machine* machine, ordo_type key_type, std::size_t value_bytes, std::size_t n,
                                    std::size_t arrays, std::size_t max_length, ordo_sort_options const* options,
                                    std::size_t* bytes) {
  return c_status([&] {
    sort_task task = make_task(operation::arrays, key_type, nullptr, n);
    add_value_width(task, value_bytes);
    check_extent("segments", arrays, 16);
    task.segments = arrays;
    task.max_length = to_limit(max_length);
    add_options(task, key_type, options);
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_argsort_segments(ordo_machine* machine, ordo_type key_type, void const* keys, std::size_t n,
                                  ordo_segments const* segments, ordo_type index_type, void* index, std::uint32_t relative,
                                  ordo_sort_options const* options) {
  return c_status([&] {
    operation_task task;
    task.kind = operation_task::operation::argsort_segments;
    task.sort = make_task(operation::argsort, key_type, keys, n);  // for add_options: keys that are only read
    task.host = host_operations_for(task.sort.key_bytes);
    add_index(task.sort, index_type, index);
    add_segments(task.sort, segments);
    add_options(task.sort, key_type, options);
    task.sort.kind = operation::segments;
    task.relative = flag(relative, "relative");
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_top_k(ordo_machine* machine, ordo_type key_type, void const* keys, std::size_t n, std::size_t k,
                       void* out_keys, ordo_type index_type, void* out_index, ordo_top_k_options const* options) {
  return c_status([&] {
    operation_task task = top_k_task(operation_task::operation::top_k, key_type, keys, n, k, options);
    task.out_keys = make_result(out_keys, k, task.sort.key_bytes, false);
    if (out_index) task.out_index = make_result(out_index, k, position_bytes("index", index_type, n), is_signed(index_type));
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_segmented_top_k(ordo_machine* machine, ordo_type key_type, void const* keys, std::size_t n,
                                 ordo_segments const* segments, std::size_t k, void* out_keys, ordo_type index_type,
                                 void* out_index, ordo_top_k_options const* options) {
  return c_status([&] {
    operation_task task = top_k_task(operation_task::operation::segmented_top_k, key_type, keys, n, k, options);
    add_segments(task.sort, segments);
    std::size_t items = 0;
    if (__builtin_mul_overflow(task.sort.segments, k, &items))
      throw ordo::usage_error("bad k: the result exceeds the address space");
    task.out_keys = make_result(out_keys, items, task.sort.key_bytes, false);
    if (out_index)
      task.out_index = make_result(out_index, items, position_bytes("index", index_type, n), is_signed(index_type));
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_argsort_rows(ordo_machine* machine, ordo_row_key const* keys, std::size_t num_keys, std::size_t n,
                              ordo_type index_type, void* index) {
  return c_status([&] {
    if (n != 0) checked(static_cast<char*>(index), "index");
    auto const columns = read_row_keys(keys, num_keys, n);
    operation_task const task = rows_task(columns, n, index_type, index);
    check_aligned("index", index, task.out_index.item_bytes);
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_argsort_rows_memory(ordo_machine* machine, ordo_row_key const* keys, std::size_t num_keys, std::size_t n,
                                     ordo_type index_type, std::size_t* bytes) {
  return c_status([&] {
    auto const columns = read_row_keys(keys, num_keys, n);
    write_memory(machine, rows_task(columns, n, index_type, nullptr), bytes);
  });
}

ordo_status ordo_argsort_segments_memory(ordo_machine* machine, ordo_type key_type, ordo_type index_type, std::size_t n,
                                         std::size_t segments, std::size_t max_length, ordo_sort_options const* options,
                                         std::size_t* bytes) {
  return c_status([&] {
    operation_task task;
    task.kind = operation_task::operation::argsort_segments;
    task.sort = make_task(operation::argsort, key_type, nullptr, n);
    add_value_width(task.sort, position_bytes("index", index_type, n));
    task.sort.signed_index = is_signed(index_type);
    check_extent("segments", segments, 16);
    task.sort.segments = segments;
    task.sort.max_length = to_limit(max_length);
    add_options(task.sort, key_type, options);
    task.sort.kind = operation::segments;
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_merge(ordo_machine* machine, ordo_type key_type, void const* a, std::size_t n_a, void const* b,
                       std::size_t n_b, void* out, std::size_t value_bytes, void const* a_values, void const* b_values,
                       void* out_values, ordo_sort_options const* options) {
  return c_status([&] {
    operation_task task;
    task.kind = operation_task::operation::merge;
    task.sort = make_task(operation::argsort, key_type, a, n_a);
    task.host = host_operations_for(task.sort.key_bytes);
    add_options(task.sort, key_type, options);
    std::size_t n = 0;
    if (__builtin_add_overflow(n_a, n_b, &n)) throw ordo::usage_error("bad out: the result exceeds the address space");
    task.other_keys = make_array("b", b, n_b, task.sort.key_bytes, task.sort.key_bytes);
    task.out_keys = make_array("out", out, n, task.sort.key_bytes, task.sort.key_bytes);
    if (value_bytes != 0) {
      task.values = make_array("a_values", a_values, n_a, value_bytes, 1);
      task.other_values = make_array("b_values", b_values, n_b, value_bytes, 1);
      task.out_values = make_array("out_values", out_values, n, value_bytes, 1);
    } else if (a_values || b_values || out_values) {
      throw ordo::usage_error("bad values: width: values of 0 bytes");
    }
    checked(machine, "machine").machine->run(task);
  });
}

ordo_status ordo_merge_memory(ordo_machine* machine, std::size_t n, std::size_t* bytes) {
  return c_status([&] {
    operation_task task;
    task.kind = operation_task::operation::merge;
    task.sort.n = n;
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_run_length(ordo_machine* machine, ordo_type key_type, void const* keys, std::size_t n,
                            ordo_segments const* segments, void* out_keys, ordo_type index_type, void* out_lengths,
                            void* out_offsets, std::size_t capacity, std::size_t* groups) {
  return c_status([&] {
    checked(groups, "groups") = 0;
    operation_task task;
    task.kind = operation_task::operation::unique;
    task.sort = make_task(operation::segments, key_type, keys, n);
    task.host = host_operations_for(task.sort.key_bytes);
    task.sort.keep_keys = true;
    if (segments) {
      add_segments(task.sort, segments);
    } else {
      ordo::detail::add_segments(task.sort, ordo::uniform_segments(1, n));
      if (out_offsets) throw ordo::usage_error("bad out_offsets: without segments");
    }
    if (out_keys) task.out_keys = make_array("out_keys", out_keys, capacity, task.sort.key_bytes, task.sort.key_bytes);
    // Counts are at most n and no positions: a type of 31 bits may suffice for more items.
    auto const numbers = [&](char const* name, void* items, std::size_t size) {
      std::size_t const width = position_bytes(name, index_type, 0);
      task_array array = make_array(name, items, size, width, width);
      array.is_signed = is_signed(index_type);
      return array;
    };
    if (out_lengths) task.out_index = numbers("out_lengths", out_lengths, capacity);
    if (out_offsets) task.out_offsets = numbers("out_offsets", out_offsets, task.sort.segments + 1);
    *groups = std::size_t(checked(machine, "machine").machine->run(task));
  });
}

ordo_status ordo_unique(ordo_machine* machine, ordo_type key_type, void const* keys, std::size_t n,
                        ordo_segments const* segments, void* out_keys, ordo_type index_type, void* out_offsets,
                        std::size_t capacity, std::size_t* groups) {
  return ordo_run_length(machine, key_type, keys, n, segments, out_keys, index_type, nullptr, out_offsets, capacity, groups);
}

ordo_status ordo_unique_memory(ordo_machine* machine, std::size_t n, std::size_t segments, std::size_t* bytes) {
  return c_status([&] {
    operation_task task;
    task.kind = operation_task::operation::unique;
    check_extent("segments", segments, 16);
    task.sort.n = n;
    task.sort.segments = segments;
    write_memory(machine, task, bytes);
  });
}

ordo_status ordo_gather(ordo_machine* machine, std::size_t item_bytes, void const* from, std::size_t num_items,
                        ordo_type index_type, void const* index, std::size_t n, void* to) {
  return c_status([&] {
    if (item_bytes == 0) throw ordo::usage_error("bad item_bytes: 0");
    std::size_t const width = position_bytes("index", index_type, 0);
    operation_task task;
    task.kind = operation_task::operation::gather;
    task.host = &host_operations_on_rows;
    task.values = make_array("from", from, num_items, item_bytes, 1);
    task.index = make_array("index", index, n, width, width);
    task.index.is_signed = is_signed(index_type);
    task.out_values = make_array("to", to, n, item_bytes, 1);
    checked(machine, "machine").machine->run(task);
  });
}

char const* ordo_last_error(void) {
  return last_error;
}

char const* ordo_status_name(ordo_status status) {
  switch (status) {
    case ORDO_OK:
      return "success";
    case ORDO_USAGE_ERROR:
      return "usage error";
    case ORDO_INPUT_ERROR:
      return "input error";
    case ORDO_OUTPUT_ERROR:
      return "output error";
    case ORDO_OUT_OF_MEMORY:
      return "out of memory";
    case ORDO_DEVICE_ERROR:
      return "device error";
    case ORDO_OTHER_ERROR:
      return "other error";
    default:
      return "unknown status";
  }
}

char const* ordo_version(void) {
  return ordo::version;
}

}  // extern "C"
