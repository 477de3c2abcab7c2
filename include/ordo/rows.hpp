#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/ranges.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

/// The order of the rows of a table by several columns. Machines, memory and errors are as in sort.hpp.
namespace ordo::inline v0 {

/// The place of NaNs in a column. `total_order` orders them by their bits (radix_key.hpp); else they are equal, and come first
/// or last in either direction.
enum class row_nans { total_order, first, last };
/// The place of nulls in a column, in either direction. Nulls are equal.
enum class row_nulls { first, last };

/// A signed integer of 128 bits, as wide_key is an unsigned one.
__extension__ typedef __int128 signed_wide_key;

struct row_key_options {
  sort_order order = sort_order::ascending;
  row_nans nans = row_nans::last;
  /// True if -0.0 and +0.0 are equal.
  bool equal_zeros = true;
  row_nulls nulls = row_nulls::last;
  /// A bitmap in the machine's memory, as Arrow's: row i is null if bit (validity_offset + i) is 0. Bit b is bit b % 8 of byte
  /// b / 8; bit 0 is the lowest. Null if no row is null.
  std::uint8_t const* validity = nullptr;
  std::size_t validity_offset = 0;
};

/// The form of the values of a column: numbers of at most 64 bits; integers of several words of 64 bits, the lowest first; or
/// strings of bytes of one length.
enum class row_format { number, words, bytes };

/// A column as a key of argsort_rows, made by key_column, wide_column or byte_column. It refers to the column's memory.
struct row_key {
  void const* values;
  std::size_t size;
  std::size_t value_bytes;            // 1, 2, 4 or 8 for numbers
  std::uint64_t flip, flip_negative;  // the key_code of numbers; of words, what makes the highest one unsigned
  std::uint64_t infinity;             // the bits of +infinity; 0 for others than floating-point numbers
  row_key_options options;
  row_format format = row_format::number;
};

/// Returns a column as a key. Its values are keys of any type (radix_key.hpp).
template <detail::any_key_array Values>
row_key key_column(Values&& values, row_key_options const& options = {}) {
  using K = std::remove_const_t<detail::element_of<Values>>;
  using code = radix_key<K>;
  auto const order = options.order == sort_order::ascending ? code::code : radix_key<K, sort_order::descending>::code;
  std::uint64_t infinity = 0;
  if constexpr (key_traits<K>::format == key_format::floating_point)
    infinity = code::top - (std::uint64_t{1} << key_traits<K>::mantissa_bits);
  return {std::ranges::data(values), std::ranges::size(values), sizeof(K), order.flip, order.flip_negative, infinity, options};
}

/// Returns a column of integers of several words of 64 bits, the lowest first, as a key. Decimals of one scale are such
/// integers: those of 128 and 256 bits of Arrow have two and four words.
template <std::size_t Words>
requires(Words > 0) row_key
    wide_column(std::span<std::array<std::uint64_t, Words> const> values, bool is_signed, row_key_options const& options = {}) {
  std::uint64_t const sign = is_signed ? std::uint64_t{1} << 63 : 0;
  return {values.data(), values.size(), 8 * Words, sign, 0, 0, options, row_format::words};
}
/// Returns a column of integers of 128 bits as a key.
template <detail::array_argument Values>
requires std::same_as<std::remove_const_t<detail::element_of<Values>>, wide_key> ||
    std::same_as<std::remove_const_t<detail::element_of<Values>>, signed_wide_key>
        row_key key_column(Values&& values, row_key_options const& options = {}) {
  bool const is_signed = std::same_as<std::remove_const_t<detail::element_of<Values>>, signed_wide_key>;
  std::uint64_t const sign = is_signed ? std::uint64_t{1} << 63 : 0;
  return {std::ranges::data(values), std::ranges::size(values), sizeof(wide_key), sign, 0, 0, options, row_format::words};
}

/// Returns a column of strings of `width` bytes each, end to end, as a key. They order as memcmp has it. Time grows with
/// the width: each 8 bytes take a sort.
/// @param width  above 0
inline row_key byte_column(std::span<std::byte const> values, std::size_t width, row_key_options const& options = {}) {
  std::size_t const size = width == 0 ? values.size() : values.size() / width + (values.size() % width != 0 ? 1 : 0);
  return {values.data(), size, width, 0, 0, 0, options, row_format::bytes};
}

/// Writes to index[i] the number of the row that comes i-th in the order of the first key, of rows with equal first keys in the
/// order of the second, and so on. Stable. The columns are not changed. Waits as sort_keys does.
/// @param keys   columns of one length; the array itself is in the host's memory. Without keys all rows are equal
/// @param index  has the columns' length and a type of argsort's index
/// @throws usage_error  before anything is written, for columns of different lengths and null pointers
/// @code
///   ordo::row_key const keys[] = {
///       ordo::key_column(std::span<std::int32_t const>(device_days, n)),
///       ordo::key_column(std::span<double const>(device_prices, n), {.order = ordo::sort_order::descending})};
///   ordo::argsort_rows(gpu, keys, std::span(device_index, n));
///   ordo::gather(gpu, std::span<double const>(device_prices, n), std::span<std::uint32_t const>(device_index, n),
///                std::span(device_sorted_prices, n));
/// @endcode
/// (Packs the bits of all columns, with a bit for null, into words of 64 bits, and sorts by each word from the last to the
/// first. Columns of up to 64 bits in all take one sort.)
template <detail::index_array Index>
void argsort_rows(machine& on, std::span<row_key const> keys, Index&& index) {
  auto const numbers = detail::as_span(index);
  detail::operation_task task;
  task.kind = detail::operation_task::operation::argsort_rows;
  task.host = &detail::host_operations_on_rows;
  task.row_keys = keys.data();
  task.num_row_keys = keys.size();
  task.sort.n = numbers.size();
  task.out_index = {numbers.data(), numbers.size(), sizeof(numbers[0]), std::is_signed_v<detail::element_of<Index>>,
                    sizeof(numbers[0])};
  on.run(task);
}

/// Writes to[i] = from[index[i]], for example to put a column into the order of argsort_rows. A cpu checks each position.
/// @param from  items of any trivially copyable type, which do not overlap `to`
/// @param to    as long as index
/// @throws usage_error  on a cpu also if a position is not in `from`, before anything is written
template <detail::array_argument Items, detail::array_argument Index>
requires std::is_trivially_copyable_v<detail::element_of<Items>> &&
    detail::position_type<std::remove_const_t<detail::element_of<Index>>>
void gather(machine& on, Items&& from, Index&& index, std::span<std::remove_const_t<detail::element_of<Items>>> to) {
  using item = std::remove_const_t<detail::element_of<Items>>;
  using position = std::remove_const_t<detail::element_of<Index>>;
  auto const items = detail::as_span(from);
  auto const positions = detail::as_span(index);
  detail::operation_task task;
  task.kind = detail::operation_task::operation::gather;
  task.host = &detail::host_operations_on_rows;
  task.values = {const_cast<item*>(items.data()), items.size(), sizeof(item), false, alignof(item)};
  task.index = {const_cast<position*>(positions.data()), positions.size(), sizeof(position), std::is_signed_v<position>,
                sizeof(position)};
  task.out_values = {to.data(), to.size(), sizeof(item), false, alignof(item)};
  on.run(task);
}

/// Returns the maximum of temporary memory of argsort_rows, in bytes.
/// @param keys  columns whose types and bitmaps count; their values and lengths do not
template <class Index>
requires detail::index_type<Index> std::size_t argsort_rows_memory(machine& on, std::span<row_key const> keys, std::size_t n) {
  detail::operation_task task;
  task.kind = detail::operation_task::operation::argsort_rows;
  task.row_keys = keys.data();
  task.num_row_keys = keys.size();
  task.sort.n = n;
  task.out_index.item_bytes = sizeof(Index);
  task.out_index.is_signed = std::is_signed_v<Index>;
  return on.memory_for(task);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
