#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include "bench/gpu_bench.cuh"
#include "ordo/error.hpp"
#include "ordo/sparse.hpp"
#include "sort_core/operations/multiply.hpp"

// The product of sparse matrices by expansion, one sort of all products by row and column, and compression (Bell, Dalton and
// Olson, SIAM J. Sci. Comput. 2012), as CUSP makes it, rebuilt on today's CUB: a rival of the product whose rows are segments.
namespace ordo::inline v0::bench {

/// The row of an entry.
struct row_of_entry {
  std::uint64_t const* offsets;
  std::size_t rows;
  ORDO_FN std::uint32_t operator()(std::size_t e) const {
    return std::uint32_t(detail::product::first_above(offsets, 1, rows + 1, e) - 1);
  }
};

/// Writes the key of a product, its row above its column, and its value.
template <class Key, class T>
struct expand_with_key {
  csr_view<T> a, b;
  std::uint64_t const *ends, *block_entry;
  std::uint32_t const* row;  // row of each entry of a
  std::uint64_t columns;
  Key* key;
  T* value;
  ORDO_FN void operator()(std::size_t p) const {
    using detail::product::block;
    std::size_t const e = detail::product::first_above(ends, block_entry[p / block], block_entry[p / block + 1], p);
    std::uint64_t const k = b.offsets.data()[a.column_indices.data()[e]] + (p - (e == 0 ? 0 : ends[e - 1]));
    key[p] = Key(row[e] * columns + b.column_indices.data()[k]);
    value[p] = a.values.data()[e] * b.values.data()[k];
  }
};

/// All products of two entries of a and b. Key is wide enough for rows times columns.
template <class Key, class T>
struct expanded {
  std::size_t products = 0;
  unsigned bits = 0;  // bits of the largest key
  buffer<Key> key;
  buffer<T> value;

  expanded(cuda_backend& machine, csr_view<T> a, csr_view<T> b) {
    namespace part = detail::product;
    std::size_t const entries = a.num_entries();
    auto const ends = machine.buffer<std::uint64_t>(entries);
    machine.scan(entries, part::products_of_entry{a.column_indices.data(), b.offsets.data()}, ends.span(), sum{});
    products = entries == 0 ? 0 : value_at(machine, ends.span(), entries - 1);
    bits = bit_length(a.rows * b.columns - 1);
    auto const row = machine.buffer<std::uint32_t>(entries);
    fill(machine, row.span(), row_of_entry{a.offsets.data(), a.rows});
    auto const block_entry = machine.buffer<std::uint64_t>((products + part::block - 1) / part::block + 1);
    machine.each(entries, part::write_block_entries{ends.data(), {a.rows, 0, entries, 0, products}, block_entry.data()});
    key = machine.buffer<Key>(products);
    value = machine.buffer<T>(products);
    machine.each(products, expand_with_key<Key, T>{a, b, ends.data(), block_entry.data(), row.data(), b.columns, key.data(),
                                                   value.data()});
  }
};

template <class Key>
struct row_begins {
  Key const* keys;
  std::size_t entries;
  std::uint64_t columns;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const {
    std::size_t low = 0, high = entries;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (keys[middle] >= r * columns)
        high = middle;
      else
        low = middle + 1;
    }
    to[r] = low;
  }
};

template <class Key>
struct column_of {
  Key const* keys;
  std::uint64_t columns;
  ORDO_FN std::uint32_t operator()(std::size_t i) const { return std::uint32_t(keys[i] % columns); }
};

template <class T>
struct esc_product {
  buffer<std::uint64_t> offsets;
  buffer<std::uint32_t> column;
  buffer<T> value;
};

/// Adds up the products of equal keys, which must be sorted.
template <class Key, class T>
esc_product<T> compressed(cuda_backend& machine, Key const* keys, T const* values, std::size_t products, std::size_t rows,
                          std::uint64_t columns) {
  if (products > std::size_t(std::numeric_limits<std::int32_t>::max())) throw error("more than 2^31 products");
  auto const distinct = machine.buffer<Key>(products);
  auto const sums = machine.buffer<T>(products);
  auto const count = machine.buffer<std::int32_t>(1);
  std::size_t bytes = 0;
  auto const reduce = [&](void* temporary) {
    ORDO_CUDA(cub::DeviceReduce::ReduceByKey(temporary, bytes, keys, distinct.data(), values, sums.data(), count.data(), sum{},
                                             std::int32_t(products), machine.stream()));
  };
  reduce(nullptr);
  auto const temporary = machine.buffer<char>(bytes + 1);
  reduce(temporary.data());
  std::size_t const entries = std::size_t(value_at(machine, count.span(), 0));
  esc_product<T> made{machine.buffer<std::uint64_t>(rows + 1), machine.buffer<std::uint32_t>(entries),
                      machine.buffer<T>(entries)};
  machine.each(rows + 1, row_begins<Key>{distinct.data(), entries, columns, made.offsets.data()});
  fill(machine, made.column.span(), column_of<Key>{distinct.data(), columns});
  fill(machine, made.value.span(), load<T>{sums.data()});
  return made;
}

/// a b by CUB's sorts.
template <class T>
esc_product<T> multiply_by_esc(cuda_backend& machine, csr_view<T> a, csr_view<T> b) {
  expanded<std::uint64_t, T> of(machine, a, b);
  auto const other_key = machine.buffer<std::uint64_t>(of.products);
  auto const other_value = machine.buffer<T>(of.products);
  cub::DoubleBuffer<std::uint64_t> key(of.key.data(), other_key.data());
  cub::DoubleBuffer<T> value(of.value.data(), other_value.data());
  std::size_t bytes = 0;
  auto const sort = [&](void* temporary) {
    ORDO_CUDA(cub::DeviceRadixSort::SortPairs(temporary, bytes, key, value, of.products, 0, int(of.bits), machine.stream()));
  };
  sort(nullptr);
  auto const temporary = machine.buffer<char>(bytes + 1);
  sort(temporary.data());
  return compressed(machine, key.Current(), value.Current(), of.products, a.rows, b.columns);
}

}  // namespace ordo::inline v0::bench
