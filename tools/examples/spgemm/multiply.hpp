#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/sort.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

// The product of sparse matrices by expansion, sorting and compression (Bell, Dalton and Olson, SIAM J. Sci. Comput. 2012), the
// products of each row sorted as a segment (Hou et al., ICS'17, section 5.2). Written once for both machines, on the interface
// of the sort core.
namespace ordo::inline v0::spgemm {

/// Rows [first_row, first_row + rows) of a product, in the machine's memory: columns of a row rise, each stands once.
template <class T>
struct product_rows {
  std::size_t first_row = 0, rows = 0;
  buffer<std::uint64_t> offsets;  // rows + 1, from 0
  buffer<std::uint32_t> column;
  buffer<T> value;
};

namespace detail {

/// Products after each entry of the first matrix: as many as the second has entries in the row of the entry's column.
template <class T>
struct products_of_entry {
  std::uint32_t const* column;
  std::uint64_t const* offsets;
  ORDO_FN std::uint64_t operator()(std::size_t e) const { return offsets[column[e] + 1] - offsets[column[e]]; }
};

/// Products up to the end of row r.
struct products_to_row {
  std::uint64_t const* offsets;
  std::uint64_t const* ends;  // ends of each entry's products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = offsets[r] == 0 ? 0 : ends[offsets[r] - 1]; }
};

/// The first of ends[low, high) that is above `value`, or high.
template <class Number>
ORDO_FN std::size_t first_above(Number const* ends, std::size_t low, std::size_t high, std::uint64_t value) {
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (ends[middle] > value)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Rows that are worked on together, and what belongs to them of the entries and of the products.
struct part_of_rows {
  std::uint64_t last_row, first_entry, last_entry, first_product, last_product;
};

/// Returns the number of rows from `first` on that have at most this number of products, at least 1.
struct find_part {
  std::uint64_t const* to_row;  // products before each row
  std::uint64_t const* offsets;
  std::size_t rows, first;
  std::uint64_t max_products;
  part_of_rows* to;
  ORDO_FN void operator()(std::size_t) const {
    std::uint64_t const begin = to_row[first], rest = ~std::uint64_t{0} - begin;
    std::size_t const above = first_above(to_row, first + 1, rows + 1, begin + (max_products < rest ? max_products : rest));
    std::size_t const last = above - 1 > first ? above - 1 : first + 1;
    *to = {last, offsets[first], offsets[last], begin, to_row[last]};
  }
};

inline constexpr std::size_t block = 64;  // products, in which the entries are looked for between two that are known

/// Says for each block whose first product is the entry's that it is, and for the last product of all: where there is no block.
struct tell_blocks {
  std::uint64_t const* ends;
  part_of_rows part;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const e = std::size_t(part.first_entry) + i;
    std::uint64_t const begin = (e == part.first_entry ? part.first_product : ends[e - 1]) - part.first_product;
    std::uint64_t const end = ends[e] - part.first_product, all = part.last_product - part.first_product;
    for (std::uint64_t b = (begin + block - 1) / block; b * block < end; ++b) to[b] = e;
    if (begin < all && all == end) to[(all + block - 1) / block] = e;
  }
};

template <class T>
struct expand {
  matrix_view<T> a, b;
  std::uint64_t const* ends;
  std::uint64_t const* block_entry;
  std::uint64_t begin;  // begin of these products among all
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

/// The positions at which rows begin among the products of a part.
template <class Position>
struct row_begin {
  std::uint64_t const* to_row;  // to row of the part's first row
  std::uint64_t begin;
  Position* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = Position(to_row[r] - begin); }
};

struct mark_at {
  std::uint8_t const* heads;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return heads[i]; }
};
struct is_marked {
  std::uint8_t const* heads;
  ORDO_FN bool operator()(std::size_t i) const { return heads[i] != 0; }
};
template <class Position>
struct own_place {
  ORDO_FN Position operator()(std::size_t i) const { return Position(i); }
};

inline constexpr std::size_t counted = 256;  // products, of which it is known how many sums begin before them

/// Adds up products of one column, in the order of the first matrix's entries; and says how many sums begin before each block.
template <class T, class Position>
struct compress {
  Position const* starts;
  std::size_t sums, products;
  std::uint32_t const* from_column;
  T const* from_value;
  std::uint32_t* column;
  T* value;
  std::uint64_t* before;  // before of blocks of `counted` products, the last one's end among them
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const begin = starts[i], end = i + 1 < sums ? starts[i + 1] : products;
    T sum = from_value[begin];
    for (std::size_t p = begin + 1; p < end; ++p) sum += from_value[p];
    column[i] = from_column[begin];
    value[i] = sum;
    if (i == 0) before[0] = 0;
    std::size_t const last = i + 1 < sums ? end / counted : (products + counted - 1) / counted;
    for (std::size_t b = begin / counted + 1; b <= last; ++b) before[b] = i + 1;
  }
};

/// How many sums stand before each row.
template <class Position>
struct sums_before {
  Position const* starts;
  std::size_t sums, products;
  std::uint64_t const* before;
  Position const* begins;  // begins of rows among the products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const begin = begins[r], b = begin / counted;
    to[r] = begin == 0          ? 0
            : begin == products ? sums
                                : first_above(starts, std::size_t(before[b]), std::size_t(before[b + 1]), begin - 1);
  }
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

namespace detail {

/// The rows of one part, from `first_row` on, whose products are numbered by `Position`.
/// @param ends  the ends of each entry's products @param to_row  products before each row
template <class Position, class Machine, class B, class T>
void multiply_part(Machine& on, B& machine, matrix_view<T> a, matrix_view<T> b, std::uint64_t const* ends,
                   std::uint64_t const* to_row, part_of_rows const& part, product_rows<T>& result) {
  std::size_t const products = std::size_t(part.last_product - part.first_product), rows = result.rows;
  auto const begins = machine.template buffer<Position>(rows + 1);
  machine.each(rows + 1, row_begin<Position>{to_row + result.first_row, part.first_product, begins.data()});
  auto column = machine.template buffer<std::uint32_t>(products);
  auto value = machine.template buffer<T>(products);
  {
    auto const entry = machine.template buffer<std::uint64_t>((products + block - 1) / block + 1);
    machine.each(std::size_t(part.last_entry - part.first_entry), tell_blocks{ends, part, entry.data()});
    machine.each(products, expand<T>{a, b, ends, entry.data(), part.first_product, column.data(), value.data()});
  }
  auto heads = machine.template buffer<std::uint8_t>(products);
  sort_segments(on, column.span(), value.span(), segments_from_offsets(std::span<Position const>(begins.span())), heads.span());
  std::size_t const sums = machine.reduce(products, mark_at{heads.data()}, std::uint64_t{0}, plus{});
  auto const starts = machine.template buffer<Position>(sums);
  machine.select(products, is_marked{heads.data()}, own_place<Position>{}, starts.span());
  heads = {};
  auto const before = machine.template buffer<std::uint64_t>((products + counted - 1) / counted + 1);
  result.column = machine.template buffer<std::uint32_t>(sums);
  result.value = machine.template buffer<T>(sums);
  machine.each(sums, compress<T, Position>{starts.data(), sums, products, column.data(), value.data(), result.column.data(),
                                           result.value.data(), before.data()});
  machine.each(rows + 1,
               sums_before<Position>{starts.data(), sums, products, before.data(), begins.data(), result.offsets.data()});
}

struct no_sums {
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = 0; }
};

}  // namespace detail

/// Gives take(product_rows<T>) the product of a and b in order of rows, as many rows at a time as `max_products` products of
/// two entries allow, one at least; 0: as memory allows. a.columns is b.rows. The same values on every machine.
/// @param on  an ordo::cpu or an ordo::gpu, in whose memory a and b lie @throws out_of_memory
template <class Machine, class T, class Take>
void multiply(Machine& on, matrix_view<T> a, matrix_view<T> b, std::uint64_t max_products, Take take) {
  with_backend(on, [&](auto& machine) {
    auto const ends = machine.template buffer<std::uint64_t>(a.entries());
    machine.scan(a.entries(), detail::products_of_entry<T>{a.column.data(), b.offsets.data()}, ends.span(), plus{});
    auto const to_row = machine.template buffer<std::uint64_t>(a.rows + 1);
    machine.each(a.rows + 1, detail::products_to_row{a.offsets.data(), ends.data(), to_row.data()});
    auto const split = machine.template buffer<detail::part_of_rows>(1);
    if (max_products == 0) max_products = products_at_once<T>(machine);

    for (std::size_t first = 0; first < a.rows;) {
      machine.each(1, detail::find_part{to_row.data(), a.offsets.data(), a.rows, first, max_products, split.data()});
      detail::part_of_rows part;
      machine.download(std::span<detail::part_of_rows const>(split.span()), std::span(&part, 1));
      std::size_t const rows = std::size_t(part.last_row) - first;
      std::uint64_t const products = part.last_product - part.first_product;
      product_rows<T> result{.first_row = first,
                             .rows = rows,
                             .offsets = machine.template buffer<std::uint64_t>(rows + 1),
                             .column = {},
                             .value = {}};
      if (products == 0)
        machine.each(rows + 1, detail::no_sums{result.offsets.data()});
      else if (products <= ~std::uint32_t{0})
        detail::multiply_part<std::uint32_t>(on, machine, a, b, ends.data(), to_row.data(), part, result);
      else
        detail::multiply_part<std::uint64_t>(on, machine, a, b, ends.data(), to_row.data(), part, result);
      take(std::move(result));
      first = std::size_t(part.last_row);
    }
  });
}

}  // namespace ordo::inline v0::spgemm
