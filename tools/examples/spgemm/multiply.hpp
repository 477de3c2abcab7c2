#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/backend.hpp"
#include "sort_core/functors.hpp"
#include "sort_core/sort.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

// The product of sparse matrices by expansion, sorting and compression (Bell, Dalton and Olson, SIAM J. Sci. Comput. 2012), the
// products of each row sorted as a segment (Hou et al., ICS'17, section 5.2). Written once for both machines, on the door of
// the sort core.
namespace ordo::spgemm {

/// Rows [first_row, first_row + rows) of a product, in the machine's memory: columns of a row rise, each stands once.
template <class T>
struct product_rows {
  std::size_t first_row = 0, rows = 0;
  buffer<std::uint64_t> offsets;  // rows + 1, from 0
  buffer<std::uint32_t> column;
  buffer<T> value;
};

namespace detail {

/// Products behind each entry of the first matrix: as many as the second has entries in the row of the entry's column.
template <class T>
struct products_of_entry {
  std::uint32_t const* column;
  std::uint64_t const* offsets;
  ORDO_FN std::uint64_t operator()(std::size_t e) const { return offsets[column[e] + 1] - offsets[column[e]]; }
};

/// Products up to the end of row r.
struct products_to_row {
  std::uint64_t const* offsets;
  std::uint64_t const* ends;  // of each entry's products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = offsets[r] == 0 ? 0 : ends[offsets[r] - 1]; }
};

/// The first of ends[low, high) that is above `value`, or high.
ORDO_FN inline std::size_t first_above(std::uint64_t const* ends, std::size_t low, std::size_t high, std::uint64_t value) {
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (ends[middle] > value)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

inline constexpr std::size_t block = 64;  // products, in which the entries are looked for between two that are known

/// Which entry every block's first product belongs to, and the last product of all.
struct find_block_entry {
  std::uint64_t const* ends;
  std::size_t first_entry, last_entry;
  std::uint64_t begin, size;  // of the products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t b) const {
    std::uint64_t const p = b * block < size ? b * block : size - 1;
    to[b] = first_above(ends, first_entry, last_entry, begin + p);
  }
};

template <class T>
struct expand {
  matrix_view<T> a, b;
  std::uint64_t const* ends;
  std::uint64_t const* block_entry;
  std::uint64_t begin;  // of these products among all
  std::uint32_t* column;
  T* value;
  ORDO_FN void operator()(std::size_t p) const {
    std::uint64_t const at = begin + p;
    std::size_t const e = first_above(ends, block_entry[p / block], block_entry[p / block + 1], at);
    std::uint64_t const k = b.offsets.data()[a.column.data()[e]] + (at - (e == 0 ? 0 : ends[e - 1]));
    column[p] = b.column.data()[k];
    value[p] = a.value.data()[e] * b.value.data()[k];
  }
};

/// Where rows begin among the products of a part.
struct row_begin {
  std::uint64_t const* row_ends;  // of the part's first row, of which it is the begin
  std::uint64_t begin;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = row_ends[r] - begin; }
};

struct mark_at {
  std::uint8_t const* heads;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return heads[i]; }
};
struct is_marked {
  std::uint8_t const* heads;
  ORDO_FN bool operator()(std::size_t i) const { return heads[i] != 0; }
};
struct own_place {
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return i; }
};

/// Adds up products of one column, in the order of the first matrix's entries.
template <class T>
struct compress {
  std::uint64_t const* starts;
  std::size_t sums, products;
  std::uint32_t const* from_column;
  T const* from_value;
  std::uint32_t* column;
  T* value;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const begin = starts[i], end = i + 1 < sums ? starts[i + 1] : products;
    T sum = from_value[begin];
    for (std::size_t p = begin + 1; p < end; ++p) sum += from_value[p];
    column[i] = from_column[begin];
    value[i] = sum;
  }
};

/// How many sums stand before each row.
struct sums_before {
  std::uint64_t const* starts;
  std::size_t sums;
  std::uint64_t* rows;  // where they begin among the products; becomes the answer
  ORDO_FN void operator()(std::size_t r) const { rows[r] = rows[r] == 0 ? 0 : first_above(starts, 0, sums, rows[r] - 1); }
};

}  // namespace detail

/// Products of two entries that a machine has the memory for at a time.
template <class T, class B>
std::uint64_t products_at_once(B& machine) {
  constexpr std::size_t entry = sizeof(std::uint32_t) + sizeof(T);
  // Each and its copy while it is sorted, its mark; and, where no two fall together, its place and the result.
  constexpr std::size_t bytes = 2 * entry + sizeof(std::uint8_t) + sizeof(std::uint64_t) + entry;
  std::size_t const available = machine.pool().available();
  return std::max<std::size_t>((available - available / 8) / bytes, 1);
}

/// Gives take(product_rows<T>) the product of a and b in order of rows, as many rows at a time as `most_products` products of
/// two entries allow, one at least; 0: as memory allows. a.columns is b.rows. The same values on every machine.
/// @param on  an ordo::cpu or an ordo::gpu, in whose memory a and b lie @throws out_of_memory
template <class Machine, class T, class Take>
void multiply(Machine& on, matrix_view<T> a, matrix_view<T> b, std::uint64_t most_products, Take take) {
  with_backend(on, [&](auto& machine) {
    auto ends = machine.template buffer<std::uint64_t>(a.entries());
    machine.scan(a.entries(), detail::products_of_entry<T>{a.column.data(), b.offsets.data()}, ends.span(), plus{});
    auto row_ends = machine.template buffer<std::uint64_t>(a.rows + 1);
    machine.each(a.rows + 1, detail::products_to_row{a.offsets.data(), ends.data(), row_ends.data()});
    std::vector<std::uint64_t> to_row(a.rows + 1), entry_of_row(a.rows + 1);
    machine.download(std::span<std::uint64_t const>(row_ends.span()), std::span(to_row));
    machine.download(a.offsets, std::span(entry_of_row));
    if (most_products == 0) most_products = products_at_once<T>(machine);

    for (std::size_t first = 0, last = 0; first < a.rows; first = last) {
      last = std::size_t(
          std::upper_bound(to_row.begin() + std::ptrdiff_t(first) + 1, to_row.end(), to_row[first] + most_products) -
          to_row.begin());
      last = std::max(last - 1, first + 1);
      std::size_t const products = to_row[last] - to_row[first], rows = last - first;
      product_rows<T> part{.first_row = first,
                           .rows = rows,
                           .offsets = machine.template buffer<std::uint64_t>(rows + 1),
                           .column = {},
                           .value = {}};
      machine.each(rows + 1, detail::row_begin{row_ends.data() + first, to_row[first], part.offsets.data()});
      if (products != 0) {
        auto column = machine.template buffer<std::uint32_t>(products);
        auto value = machine.template buffer<T>(products);
        {
          std::size_t const blocks = (products + detail::block - 1) / detail::block;
          auto entry = machine.template buffer<std::uint64_t>(blocks + 1);
          machine.each(blocks + 1, detail::find_block_entry{ends.data(), entry_of_row[first], entry_of_row[last], to_row[first],
                                                            products, entry.data()});
          machine.each(products,
                       detail::expand<T>{a, b, ends.data(), entry.data(), to_row[first], column.data(), value.data()});
        }
        auto heads = machine.template buffer<std::uint8_t>(products);
        sort_segments(on, column.span(), value.span(), of_offsets(std::span<std::uint64_t const>(part.offsets.span())),
                      heads.span());
        std::size_t const sums = machine.reduce(products, detail::mark_at{heads.data()}, std::uint64_t{0}, plus{});
        auto starts = machine.template buffer<std::uint64_t>(sums);
        machine.select(products, detail::is_marked{heads.data()}, detail::own_place{}, starts.span());
        part.column = machine.template buffer<std::uint32_t>(sums);
        part.value = machine.template buffer<T>(sums);
        machine.each(sums, detail::compress<T>{starts.data(), sums, products, column.data(), value.data(), part.column.data(),
                                               part.value.data()});
        machine.each(rows + 1, detail::sums_before{starts.data(), sums, part.offsets.data()});
      }
      take(std::move(part));
    }
  });
}

}  // namespace ordo::spgemm
