#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "ordo/detail/checks.hpp"
#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/ranges.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"

#pragma GCC visibility push(default)

/// The sorts of the core, on an ordo::gpu (gpu.hpp) or an ordo::cpu (cpu.hpp). They are compiled once, in the library, and work
/// with any compiler.
///
/// Keys are integers, enumerations, bool, characters and floating-point numbers of 8 to 64 bits, half precision among them
/// (radix_key.hpp). Values are of any trivially copyable type. Arrays may have more than 2^32 items. Keys, values, index and
/// heads are std::spans of any kind, or lvalues of std::vector, std::array and other contiguous ranges. They are in the
/// machine's memory: device memory for a gpu, host memory for a cpu. A gpu queues work on its stream, in order with the
/// caller's own work there; a cpu has finished when the call returns.
///
/// Integers order by value, enumerations as their underlying type, false before true. Floating-point keys order as IEEE 754
/// totalOrder: negative NaNs, -inf, ..., -0.0, +0.0, ..., +inf, positive NaNs. `bits` selects bits of the encoded key
/// (radix_key.hpp); bit 0 is the lowest. All sorts are stable, also in descending order, except sort_arrays for large arrays.
/// The same input gives the same bytes.
///
/// A key_order changes the order of NaNs and zeros:
/// - nan_order::last puts NaNs after all numbers, in both directions, at no extra pass. For argsort, and for const keys of
///   sort_segments, all NaNs are equal: their positions and values stay in input order, as those of numpy.argsort. Other calls
///   write keys and distinguish NaNs: first come those whose sign would put them last anyway, then the others, each by
///   totalOrder.
/// - nan_order::greatest does the same in ascending order, and puts NaNs before all numbers in descending order.
/// - zeros::equal makes -0.0 and +0.0 equal: they stay in input order with their signs. argsort and const keys take no extra
///   pass. Other calls sort positions, and then move keys and values to them: they take longer and more memory (X_memory with
///   the same key_order). Adding 0.0 to each key first is cheaper if the sign of zeros is not needed.
///
/// Values of 4, 8 and 16 bytes, aligned to their width, move with the keys. For all others, the calls sort positions of 32 bits
/// (of 64 for more than 2^32 keys) with the keys and then move the values once: they take memory for a position and a value an
/// item beside that of the sort. That holds for sort_arrays, too, whose memory is then no longer O(arrays).
///
/// Temporary memory comes from the machine's pool and stays there for the next call. X_memory returns the maximum for X.
///
/// @throws out_of_memory  if memory runs out. The array then holds a permutation of its items
/// @throws usage_error  before anything is read or written, for an array whose length differs from that of the keys, a null
///     pointer, an address that is not aligned for its type, an index too narrow for the keys, bad segments (see
///     sort_segments), or a GPU that does not exist
/// @throws device_error  if a CUDA call fails
namespace ordo::inline v0 {
namespace detail {

/// The type of values where there are none.
struct none {};

template <class V>
concept moved_along = std::is_trivially_copyable_v<V> && std::same_as<V, std::remove_cv_t<V>> && !std::same_as<V, none>;

/// Arrays of keys that a sort writes, of keys that it may only read, of values, and of positions.
template <class R>
concept key_array = array_argument<R> && Key<element_of<R>>;
template <class R>
concept any_key_array = array_argument<R> && Key<std::remove_const_t<element_of<R>>>;
template <class R>
concept value_array = array_argument<R> && moved_along<element_of<R>>;
template <class R>
concept index_array = array_argument<R> && index_type<element_of<R>>;

/// A range or a pointer: an argument that may stand for an array. Messages about arrays are for these alone.
template <class R>
concept array_or_pointer = std::ranges::range<R> || std::is_pointer_v<std::remove_cvref_t<R>>;

template <class R>
concept wrong_keys = array_or_pointer<R> && !any_key_array<R>;
template <class R>
concept const_keys = any_key_array<R> && !key_array<R>;
template <class R>
concept wrong_values = array_or_pointer<R> && !value_array<R>;
template <class R>
concept wrong_index = array_or_pointer<R> && !index_array<R>;

// Deleted functions return these types, because compilers name them in the error of a wrong call.
struct keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits {};
struct keys_that_a_sort_writes_must_not_be_const {};
struct values_must_be_a_span_or_lvalue_array_of_trivially_copyable_items {};
struct index_must_be_a_span_or_lvalue_array_of_integers_of_32_or_64_bits {};

/// The array of heads: one byte each, of type std::uint8_t, bool or another integer. Empty if none are wanted.
class head_array {
 public:
  head_array() = default;
  template <array_argument R>
  requires(std::is_integral_v<element_of<R>> && !std::is_const_v<element_of<R>> && sizeof(element_of<R>) == 1)
      // NOLINTNEXTLINE(google-explicit-constructor): callers pass their arrays
      head_array(R&& heads)
      : heads_(reinterpret_cast<std::uint8_t*>(std::ranges::data(heads)), std::ranges::size(heads)) {}
  [[nodiscard]] std::span<std::uint8_t> span() const { return heads_; }

 private:
  std::span<std::uint8_t> heads_;
};

template <sort_order Order, class K>
sort_task task_of_keys(sort_task::operation kind, std::size_t n, key_order order = {}) {
  using encoding = radix_key<std::remove_const_t<K>, Order>;
  sort_task task;
  task.kind = kind;
  task.key_bytes = sizeof(K);
  task.host = typed_host_code<sizeof(K)>();
  task.keep_keys = std::is_const_v<K>;
  task.n = n;
  task.flip = encoding::code.flip;
  task.flip_negative = encoding::code.flip_negative;
  if constexpr (encoding::nans != 0) {
    // The lowest and the highest codes are NaNs, in both directions. Codes that are not decoded may be equal for all NaNs.
    bool const first = order.nans == nan_order::greatest && Order == sort_order::descending;
    if (order.nans != nan_order::total && task.keep_keys) {
      task.max_magnitude = typename encoding::type(encoding::top - 1 - encoding::nans);
      task.nans_first = first;
    } else if (order.nans != nan_order::total) {
      task.rotate = first ? typename encoding::type(0 - encoding::nans) : encoding::nans;
    }
    task.equal_zeros = order.zeros == zeros::equal;
  }
  return task;
}

template <sort_order Order, class K>
sort_task make_task(sort_task::operation kind, std::span<K> keys, bit_range bits, key_order order = {}) {
  sort_task task = task_of_keys<Order, K>(kind, keys.size(), order);
  task.keys = const_cast<std::remove_const_t<K>*>(keys.data());
  task.bits = bits;
  return task;
}

/// Adds the width of values, if V is a type of values.
template <class V>
void add_value_type(sort_task& task) {
  if constexpr (!std::same_as<V, none>) {
    task.value_bytes = sizeof(V);
    task.value_alignment = alignof(V);
  }
}

template <class V>
void add_values(sort_task& task, std::span<V> values) {
  task.values = values.data();
  add_value_type<V>(task);
  task.values_given = values.size();
}

/// Adds the arrays that a sort reads where these are not the ones that it writes.
template <class K>
void add_keys_in(sort_task& task, std::span<K> keys_in) {
  task.out_of_place = true;
  task.keys_in = keys_in.data();
  task.keys_in_given = keys_in.size();
}
template <class V>
void add_values_in(sort_task& task, std::span<V> values_in) {
  task.values_in = values_in.data();
  task.values_in_given = values_in.size();
}

/// An array of which a sort into an array of type Out may read the items.
template <class In, class Out>
concept input_of = array_argument<In> && std::same_as<std::remove_const_t<element_of<In>>, element_of<Out>>;

inline void add_heads(sort_task& task, std::span<std::uint8_t> heads) {
  task.heads = heads.empty() ? nullptr : heads.data();
  task.heads_given = heads.size();
}

template <class Offset>
void add_segments(sort_task& task, segment_list<Offset> const& segments) {
  static_assert(position_type<Offset>);
  task.begins = segments.begins.data();
  task.ends = segments.ends.data();
  task.offset_bytes = sizeof(Offset);
  task.signed_offsets = sizeof(Offset) == 8;  // the type does not say, and no array has 2^63 items
  task.segments = segments.size();
  task.ends_given = segments.ends.size();
  task.max_length = segments.max_length;
  task.uniform_length = segments.uniform_length;
}

}  // namespace detail

/// Sorts keys in place. Stable.
///
/// On a GPU the call may wait for the device for some microseconds to choose a method. It never waits while a CUDA graph is
/// captured, nor with gpu_options::capturable.
/// @code
///   ordo::gpu gpu;
///   ordo::sort_keys(gpu, std::span(device_floats, n));
///   ordo::sort_keys<ordo::sort_order::descending>(gpu, std::span(device_floats, n));
///   ordo::sort_keys(gpu, std::span(device_floats, n), {}, {.nans = ordo::nan_order::last});
/// @endcode
/// (Polok, Ila and Smrz, HPC'14. On GPUs an MSD radix sort where that is faster.)
template <sort_order Order = sort_order::ascending, detail::key_array Keys>
void sort_keys(machine& on, Keys&& keys, bit_range bits = {}, key_order order = {}) {
  on.run(detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order));
}

template <sort_order Order = sort_order::ascending, class Keys, class... Rest>
requires detail::wrong_keys<Keys> detail::keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits sort_keys(
    machine& on, Keys&& keys, Rest&&... rest)
= delete;
template <sort_order Order = sort_order::ascending, class Keys>
requires detail::const_keys<Keys> detail::keys_that_a_sort_writes_must_not_be_const sort_keys(machine& on, Keys&& keys,
                                                                                              bit_range bits = {},
                                                                                              key_order order = {})
= delete;

/// Sorts keys in place, and moves values[i] with keys[i]. Stable. Waits as sort_keys does.
template <sort_order Order = sort_order::ascending, detail::key_array Keys, detail::value_array Values>
void sort_pairs(machine& on, Keys&& keys, Values&& values, bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order);
  detail::add_values(task, detail::as_span(values));
  on.run(task);
}

template <sort_order Order = sort_order::ascending, class Keys, class... Rest>
requires detail::wrong_keys<Keys> detail::keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits sort_pairs(
    machine& on, Keys&& keys, Rest&&... rest)
= delete;
template <sort_order Order = sort_order::ascending, class Keys, class Values>
requires detail::const_keys<Keys> detail::keys_that_a_sort_writes_must_not_be_const sort_pairs(machine& on, Keys&& keys,
                                                                                               Values&& values,
                                                                                               bit_range bits = {},
                                                                                               key_order order = {})
= delete;
template <sort_order Order = sort_order::ascending, detail::key_array Keys, class Values>
requires detail::wrong_values<Values> detail::values_must_be_a_span_or_lvalue_array_of_trivially_copyable_items sort_pairs(
    machine& on, Keys&& keys, Values&& values, bit_range bits = {}, key_order order = {})
= delete;

/// Sorts keys_in into `keys`, which is as long. keys_in is not changed. The two do not overlap, or are the same memory and are
/// sorted in place. Stable. Waits as sort_keys does. After an exception the contents of `keys` are unspecified.
///
/// Where a sort in place makes an odd number of passes and ends with a copy, this form has none. On a GPU it begins with one
/// where an MSD sort of large arrays pays in spite of it.
/// @throws usage_error  also if keys_in overlaps a part of `keys`
/// @code
///   ordo::sort_keys(gpu, std::span<float const>(device_floats, n), std::span(device_sorted, n));
/// @endcode
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys>
requires detail::input_of<In, Keys>
void sort_keys(machine& on, In&& keys_in, Keys&& keys, bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order);
  detail::add_keys_in(task, detail::as_span(keys_in));
  on.run(task);
}

/// Does the same, and writes to values[i] the value in values_in of the key that comes to keys[i]. Each input may be its output
/// itself, and overlaps no output otherwise.
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys, class ValuesIn,
          detail::value_array Values>
requires(detail::input_of<In, Keys>&& detail::input_of<ValuesIn, Values>)  //
    void sort_pairs(machine& on, In&& keys_in, Keys&& keys, ValuesIn&& values_in, Values&& values, bit_range bits = {},
                    key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::keys, detail::as_span(keys), bits, order);
  detail::add_values(task, detail::as_span(values));
  detail::add_keys_in(task, detail::as_span(keys_in));
  detail::add_values_in(task, detail::as_span(values_in));
  on.run(task);
}

/// Writes to index[i] the position of the i-th smallest key. Positions of equal keys ascend. The keys are not changed. Waits as
/// sort_keys does.
/// @param index  has the length of keys; integers of 32 bits (unsigned for at most 2^32 keys, signed for at most 2^31) or 64
/// @code
///   ordo::argsort(gpu, std::span<double const>(device_doubles, n), std::span(device_order, n));
/// @endcode
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, detail::index_array Index>
void argsort(machine& on, Keys&& keys, Index&& index, bit_range bits = {}, key_order order = {}) {
  std::span<detail::element_of<Keys> const> const read = detail::as_span(keys);
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::argsort, read, bits, order);
  detail::add_values(task, detail::as_span(index));
  task.signed_index = std::is_signed_v<detail::element_of<Index>>;
  on.run(task);
}

template <sort_order Order = sort_order::ascending, class Keys, class... Rest>
requires detail::wrong_keys<Keys> detail::keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits argsort(machine& on,
                                                                                                                 Keys&& keys,
                                                                                                                 Rest&&... rest)
= delete;
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, class Index>
requires detail::wrong_index<Index> detail::index_must_be_a_span_or_lvalue_array_of_integers_of_32_or_64_bits argsort(
    machine& on, Keys&& keys, Index&& index, bit_range bits = {}, key_order order = {})
= delete;

/// Sorts the keys of each segment in place. Stable. Holes between segments are not written.
///
/// Segments are given by begins and ends, by one array of offsets, or by uniform_segments (segments.hpp). Offsets have 32 or 64
/// bits and are in the machine's memory.
///
/// A cpu checks each segment: its end is neither before its begin nor after the keys, its length is at most `max_length`, and
/// it overlaps no other. This is one pass over the offsets. Where segments do not ascend, it also sorts their bounds, in 64
/// bytes per segment of memory outside the pool. A gpu checks only what the host knows: the numbers of begins and ends, null
/// pointers, and the bounds of uniform segments. To check offsets on the device, call check_segments; a debug build of the
/// library (without NDEBUG) calls it in each sort that is not captured in a graph.
///
/// On a GPU the call never waits for the device. Once the pool holds the memory, after reserve or an earlier call, it can be
/// captured in a CUDA graph. The graph is valid while the machine lives and neither trim nor a larger reserve is called.
/// @param heads  empty or as long as keys. heads[i] becomes 1 where a group of equal keys begins within a segment, else 0
/// @throws usage_error  for bad segments
/// @code
///   auto const segments = ordo::segments_from_offsets(std::span(device_offsets, count + 1));
///   ordo::sort_segments(gpu, std::span(device_keys, n), segments);
/// @endcode
/// (Hou, Liu, Wang and Feng, ICS'17.)
template <sort_order Order = sort_order::ascending, detail::key_array Keys, detail::position_type Offset>
void sort_segments(machine& on, Keys&& keys, segment_list<Offset> segments, detail::head_array heads = {}, bit_range bits = {},
                   key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::segments, detail::as_span(keys), bits, order);
  detail::add_segments(task, segments);
  detail::add_heads(task, heads.span());
  on.run(task);
}

/// Sorts the keys of each segment, and moves values[i] with keys[i]. Stable. If K is const, only the values are reordered; this
/// takes temporary memory for a copy of the keys.
/// @code
///   ordo::sort_segments(gpu, std::span(device_keys, n), std::span(device_values, n), segments);
///   ordo::sort_segments(gpu, std::span<float const>(device_keys, n), std::span(device_values, n), segments);  // values only
/// @endcode
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, detail::value_array Values,
          detail::position_type Offset>
void sort_segments(machine& on, Keys&& keys, Values&& values, segment_list<Offset> segments, detail::head_array heads = {},
                   bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::segments, detail::as_span(keys), bits, order);
  detail::add_segments(task, segments);
  detail::add_values(task, detail::as_span(values));
  detail::add_heads(task, heads.span());
  on.run(task);
}

template <sort_order Order = sort_order::ascending, class Keys, class... Rest>
requires detail::wrong_keys<Keys> detail::keys_must_be_a_span_or_lvalue_array_of_numbers_of_8_to_64_bits sort_segments(
    machine& on, Keys&& keys, Rest&&... rest)
= delete;

/// Copies keys_in to `keys`, which is as long, and sorts each segment there. keys_in is not changed. Items in holes are copied,
/// too. The two arrays do not overlap, or are the same memory. Otherwise as sort_segments.
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys, detail::position_type Offset>
requires detail::input_of<In, Keys>
void sort_segments_copy(machine& on, In&& keys_in, Keys&& keys, segment_list<Offset> segments, detail::head_array heads = {},
                        bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::segments, detail::as_span(keys), bits, order);
  detail::add_keys_in(task, detail::as_span(keys_in));
  detail::add_segments(task, segments);
  detail::add_heads(task, heads.span());
  on.run(task);
}

/// Does the same, and moves the values, which it copies from values_in to `values`, with their keys.
template <sort_order Order = sort_order::ascending, class In, detail::key_array Keys, class ValuesIn,
          detail::value_array Values, detail::position_type Offset>
requires(detail::input_of<In, Keys>&& detail::input_of<ValuesIn, Values>)  //
    void sort_segments_copy(machine& on, In&& keys_in, Keys&& keys, ValuesIn&& values_in, Values&& values,
                            segment_list<Offset> segments, detail::head_array heads = {}, bit_range bits = {},
                            key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::segments, detail::as_span(keys), bits, order);
  detail::add_values(task, detail::as_span(values));
  detail::add_keys_in(task, detail::as_span(keys_in));
  detail::add_values_in(task, detail::as_span(values_in));
  detail::add_segments(task, segments);
  detail::add_heads(task, heads.span());
  on.run(task);
}

struct argsort_segments_options {
  /// True if positions count from the begin of their segment; if not, from the begin of the array.
  bool relative = false;
  bit_range bits = {};
  key_order order = {};
};

/// Writes to each segment of `index` the positions of the segment's keys, in the order of the keys. Positions of equal keys
/// ascend. In holes, index[i] becomes i. The keys are not changed. Waits, graphs and checks are as in sort_segments.
/// @param index  see argsort; it must not overlap the keys
/// @code
///   ordo::argsort_segments(gpu, std::span(device_keys, n), segments, std::span(device_index, n), {.relative = true});
/// @endcode
template <sort_order Order = sort_order::ascending, detail::any_key_array Keys, detail::position_type Offset,
          detail::index_array Index>
void argsort_segments(machine& on, Keys&& keys, segment_list<Offset> segments, Index&& index,
                      argsort_segments_options const& options = {}) {
  std::span<detail::element_of<Keys> const> const read = detail::as_span(keys);
  detail::operation_task task;
  task.kind = detail::operation_task::operation::argsort_segments;
  task.host = detail::typed_host_operations<sizeof(detail::element_of<Keys>)>();
  task.sort = detail::make_task<Order>(detail::sort_task::operation::segments, read, options.bits, options.order);
  detail::add_segments(task.sort, segments);
  detail::add_values(task.sort, detail::as_span(index));
  task.sort.signed_index = std::is_signed_v<detail::element_of<Index>>;
  task.relative = options.relative;
  on.run(task);
}

/// Sorts the keys of each array in place, with O(arrays) bytes of temporary memory and no second copy of the data. (Keys of 8
/// and 16 bits are sorted as segments.) On a GPU, arrays too large for one block, of about 16,000 items and more, take a window
/// of 128 MiB, or of up to 1/64 of the data if that is more, and half as much again for lists.
///
/// Stable for arrays of at most max_stable_array_length items. In larger arrays, the order of values with equal keys depends on
/// the machine (backend.hpp) and is the same on every run. Waits, graphs and checks are as in sort_segments.
/// @code
///   ordo::sort_arrays(gpu, std::span(device_floats, 200'000 * 1000), ordo::uniform_segments(200'000, 1000));
/// @endcode
/// (The problem of Awan and Saeed, GPU-ArraySort, ICPP'16.)
template <sort_order Order = sort_order::ascending, detail::key_array Keys, detail::position_type Offset>
void sort_arrays(machine& on, Keys&& keys, segment_list<Offset> arrays, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::arrays, detail::as_span(keys), {}, order);
  detail::add_segments(task, arrays);
  on.run(task);
}

/// Sorts the keys of each array, and moves values[i] with keys[i].
template <sort_order Order = sort_order::ascending, detail::key_array Keys, detail::value_array Values,
          detail::position_type Offset>
void sort_arrays(machine& on, Keys&& keys, Values&& values, segment_list<Offset> arrays, key_order order = {}) {
  detail::sort_task task = detail::make_task<Order>(detail::sort_task::operation::arrays, detail::as_span(keys), {}, order);
  detail::add_segments(task, arrays);
  detail::add_values(task, detail::as_span(values));
  on.run(task);
}

/// Checks the segments of an array of n items as sort_segments on a cpu does. Waits for the device. A GPU takes some kilobytes
/// of temporary memory, and 32 bytes per segment if segments do not ascend.
/// @throws usage_error  naming the first bad segment, or two that overlap
/// @code
///   ordo::check_segments(gpu, n, ordo::segments_from_offsets(device_offsets));  // once, before many sorts
/// @endcode
template <detail::position_type Offset>
void check_segments(machine& on, std::size_t n, segment_list<Offset> segments) {
  detail::sort_task task;
  task.kind = detail::sort_task::operation::check;
  task.n = n;
  detail::add_segments(task, segments);
  on.run(task);
}

/// Returns the maximum of temporary memory, in bytes, that sort_keys takes for n keys, or sort_pairs with values of type V, in
/// place or not.
/// After machine::reserve(X_memory(...)) the next X of that size allocates nothing.
template <Key K, class V = detail::none>
std::size_t sort_memory(machine& on, std::size_t n, key_order order = {}) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::keys, n, order);
  detail::add_value_type<V>(task);
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of argsort, in bytes. @throws usage_error  if the index is too narrow for n keys
template <Key K, detail::index_type Index>
std::size_t argsort_memory(machine& on, std::size_t n) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K const>(detail::sort_task::operation::argsort, n);
  detail::add_value_type<Index>(task);
  task.signed_index = std::is_signed_v<Index>;
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of sort_segments, in bytes. A const K means that only values are reordered.
/// @param n  the length of the array, with its holes
/// @param max_length  the bound in the segment_list, if it has one
template <class K, class V = detail::none>
requires Key<std::remove_const_t<K>> std::size_t sort_segments_memory(machine& on, std::size_t n, std::size_t segments,
                                                                      std::size_t max_length = ~std::size_t{0},
                                                                      bit_range bits = {}, key_order order = {}) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::segments, n, order);
  detail::add_value_type<V>(task);
  task.segments = segments;
  task.max_length = max_length;
  task.bits = bits;
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of argsort_segments, in bytes. See sort_segments_memory.
template <Key K, detail::index_type Index>
std::size_t argsort_segments_memory(machine& on, std::size_t n, std::size_t segments, std::size_t max_length = ~std::size_t{0},
                                    bit_range bits = {}) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::argsort_segments;
  task.sort = detail::task_of_keys<sort_order::ascending, K const>(detail::sort_task::operation::segments, n);
  detail::add_value_type<Index>(task.sort);
  task.sort.signed_index = std::is_signed_v<Index>;
  task.sort.segments = segments;
  task.sort.max_length = max_length;
  task.sort.bits = bits;
  return on.memory_for(task);
}

/// Returns the maximum of temporary memory of sort_arrays, in bytes.
template <Key K, class V = detail::none>
std::size_t sort_arrays_memory(machine& on, std::size_t n, std::size_t arrays, std::size_t max_length = ~std::size_t{0},
                               key_order order = {}) {
  detail::sort_task task = detail::task_of_keys<sort_order::ascending, K>(detail::sort_task::operation::arrays, n, order);
  detail::add_value_type<V>(task);
  task.segments = arrays;
  task.max_length = max_length;
  return on.memory_for(task);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
