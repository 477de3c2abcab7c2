#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/sort.hpp"
#include "ordo/sparse.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/short_rows.hpp"
#include "sort_core/operations/products.hpp"

// The product of sparse matrices by expansion, sorting and compression (Bell, Dalton and Olson, SIAM J. Sci. Comput. 2012), the
// products of each row sorted as a segment (Hou et al., ICS'17, section 5.2).
namespace ordo::inline v0::detail::product {

/// Computes the number of products of an entry of the first matrix: the second has as many entries in the row of its column.
struct products_of_entry {
  std::uint32_t const* columns;
  std::uint64_t const* offsets;
  ORDO_FN std::uint64_t operator()(std::size_t e) const { return offsets[columns[e] + std::size_t{1}] - offsets[columns[e]]; }
};

/// Writes the number of products before row r.
struct products_to_row {
  std::uint64_t const* offsets;
  std::uint64_t const* ends;  // ends of each entry's products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = offsets[r] == 0 ? 0 : ends[offsets[r] - 1]; }
};

/// Returns the larger of the numbers of entries and of products of row r.
struct row_length {
  std::uint64_t const *offsets, *to_row;
  ORDO_FN std::uint64_t operator()(std::size_t r) const {
    return maximum{}(offsets[r + 1] - offsets[r], to_row[r + 1] - to_row[r]);
  }
};

/// Returns the first position in ends[low, high) whose number is above `value`, or high.
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

/// The end of the rows that are worked on together, and their entries and products.
struct part_of_rows {
  std::uint64_t last_row, first_entry, last_entry, first_product, last_product;
};

/// Writes the part of rows from `first` on that has at most max_products products, and at least one row.
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

inline constexpr std::size_t block = 64;  // products per entry of the table in which expand looks for an entry

/// Writes the entry of each block's first product, and after these the entry of the last product.
struct write_block_entries {
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

/// Writes the column and the value of a product.
template <class T>
struct expand {
  csr_view<T> a, b;
  std::uint64_t const* ends;
  std::uint64_t const* block_entry;
  std::uint64_t begin;  // position of the first of these products among all
  std::uint32_t* column;
  T* value;
  ORDO_FN void operator()(std::size_t p) const {
    std::uint64_t const at = begin + p;
    std::size_t const e = first_above(ends, block_entry[p / block], block_entry[p / block + 1], at);
    std::uint64_t const k = b.offsets.data()[a.column_indices.data()[e]] + (at - (e == 0 ? 0 : ends[e - 1]));
    column[p] = b.column_indices.data()[k];
    value[p] = a.values.data()[e] * b.values.data()[k];
  }
};

/// Writes the position at which a row begins among the products of a part.
template <class Position>
struct row_begin {
  std::uint64_t const* to_row;  // from the part's first row on
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
struct own_position {
  ORDO_FN Position operator()(std::size_t i) const { return Position(i); }
};

inline constexpr std::size_t counted = 256;  // products per entry of the table of sums

/// Adds the products of one column, in the order of the first matrix's entries, and writes the number of sums that begin before
/// each block of `counted` products.
template <class T, class Position>
struct compress {
  Position const* starts;
  std::size_t sums, products;
  std::uint32_t const* from_column;
  T const* from_value;
  std::uint32_t* column;
  T* value;
  std::uint64_t* before;  // for each block, and for the end of the last one
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

/// Writes the number of sums before a row.
template <class Position>
struct sums_before {
  Position const* starts;
  std::size_t sums, products;
  std::uint64_t const* before;
  Position const* begins;  // positions of rows among the products
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const begin = begins[r], b = begin / counted;
    to[r] = begin == 0          ? 0
            : begin == products ? sums
                                : first_above(starts, std::size_t(before[b]), std::size_t(before[b + 1]), begin - 1);
  }
};

/// Returns the number of sums of row r.
struct sums_of_row {
  std::uint32_t const* sums;
  ORDO_FN std::uint64_t operator()(std::size_t r) const { return sums[r]; }
};

/// Copies an offset, and adds the number of entries before the part.
template <class Offset>
struct shift_offset {
  Offset const* from;
  std::uint64_t before;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = before + std::uint64_t(from[r]); }
};

struct write_zero {
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t r) const { to[r] = 0; }
};

/// The offsets and columns of a matrix.
struct pattern {
  std::uint64_t const* offsets;
  std::uint32_t const* column_indices;
  std::size_t rows, entries, columns;

  template <class T>
  explicit pattern(csr_view<T> const& of)
      : offsets(of.offsets.data()),
        column_indices(of.column_indices.data()),
        rows(of.rows),
        entries(of.num_entries()),
        columns(of.columns) {}
  [[nodiscard]] ORDO_FN std::size_t size() const { return rows + 1 + entries; }
  /// Returns true if offset i, or the column of entry i - rows - 1, is bad.
  [[nodiscard]] ORDO_FN bool is_bad(std::size_t i) const {
    if (i > rows) return column_indices[i - rows - 1] >= columns;
    std::uint64_t const low = i == 0 ? 0 : offsets[i - 1], high = i == 0 ? 0 : entries;
    return offsets[i] < low || offsets[i] > high || (i == rows && offsets[i] != entries);
  }
};

/// Returns i if that place is bad, of the first matrix and then of the second, else all ones.
struct bad_place {
  pattern a, b;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    bool const bad = i < a.size() ? a.is_bad(i) : b.is_bad(i - a.size());
    return bad ? i : ~std::uint64_t{0};
  }
};

/// Checks offsets and columns in one pass. @throws usage_error  naming the first bad place
template <Backend B, class T>
void check_patterns(B& backend, csr_view<T> const& a, csr_view<T> const& b) {
  pattern const first(a), second(b);
  std::uint64_t const bad =
      backend.reduce(first.size() + second.size(), bad_place{first, second}, ~std::uint64_t{0}, minimum{});
  if (bad == ~std::uint64_t{0}) return;
  bool const in_first = bad < first.size();
  csr_view<T> const& matrix = in_first ? a : b;
  char const* const name = in_first ? "a" : "b";
  std::size_t const place = std::size_t(bad) - (in_first ? 0 : first.size());
  if (place > matrix.rows) {
    std::size_t const entry = place - matrix.rows - 1;
    refuse_column(name, entry, value_at(backend, matrix.column_indices, entry), matrix.columns);
  }
  std::uint64_t const begin = place == 0 ? 0 : value_at(backend, matrix.offsets, place - 1);
  refuse_row(name, place, matrix.rows, begin, value_at(backend, matrix.offsets, place), matrix.num_entries());
}

/// A matrix whose offsets have 64 bits: copies of those of 32.
template <class T>
class wide_csr {
 public:
  template <Backend B>
  wide_csr(B& backend, csr_argument<T> const& of) : view_{of.rows, of.columns, {}, of.column_indices, of.values} {
    if (of.offset_bytes == sizeof(std::uint64_t)) {
      view_.offsets = {static_cast<std::uint64_t const*>(of.offsets), of.num_offsets};
      return;
    }
    copy_ = backend.template buffer<std::uint64_t>(of.num_offsets);
    backend.each(of.num_offsets, shift_offset<std::uint32_t>{static_cast<std::uint32_t const*>(of.offsets), 0, copy_.data()});
    view_.offsets = copy_.span();
  }
  [[nodiscard]] csr_view<T> const& view() const { return view_; }

 private:
  buffer<std::uint64_t> copy_;
  csr_view<T> view_;
};

/// Products in a part if the free memory of the machine is not known.
inline constexpr std::uint64_t max_products_unknown = std::uint64_t{1} << 26;
/// Products in a part if memory does not suffice for one part. Parts of one size take the memory of the part before.
inline constexpr std::uint64_t max_products_of_several = std::uint64_t{1} << 30;

/// Returns the number of products of two entries that there is memory for at a time.
template <class T, Backend B>
std::uint64_t products_at_once(B& backend) {
  constexpr std::size_t unknown = std::size_t{1} << 48;
  constexpr std::size_t entry = sizeof(std::uint32_t) + sizeof(T);
  // Each product and its copy while it is sorted, and its mark; its position and the result, if no two are added.
  constexpr std::size_t bytes = 2 * entry + sizeof(std::uint8_t) + sizeof(std::uint64_t) + entry;
  std::size_t const available = backend.pool().available();
  if (available >= unknown) return max_products_unknown;
  return std::max<std::size_t>((available - available / 8) / bytes, 1);
}

/// Computes the rows of one part, from first_row on, whose products are numbered by Position.
/// @param ends    the ends of each entry's products
/// @param to_row  products before each row
template <class Position, Backend B, class T>
void multiply_part(machine& on, B& backend, csr_view<T> const& a, csr_view<T> const& b, std::uint64_t const* ends,
                   std::uint64_t const* to_row, std::size_t first_row, part_of_rows const& part, csr_matrix<T>& result) {
  std::size_t const products = std::size_t(part.last_product - part.first_product), rows = result.rows;
  auto const begins = backend.template buffer<Position>(rows + 1);
  backend.each(rows + 1, row_begin<Position>{to_row + first_row, part.first_product, begins.data()});
  auto column = backend.template buffer<std::uint32_t>(products);
  auto value = backend.template buffer<T>(products);
  {
    auto const entry = backend.template buffer<std::uint64_t>((products + block - 1) / block + 1);
    backend.each(std::size_t(part.last_entry - part.first_entry), write_block_entries{ends, part, entry.data()});
    backend.each(products, expand<T>{a, b, ends, entry.data(), part.first_product, column.data(), value.data()});
  }
  auto heads = backend.template buffer<std::uint8_t>(products);
  sort_segments(on, column.span(), value.span(), segments_from_offsets(std::span<Position const>(begins.span())), heads.span());
  std::size_t const sums = backend.reduce(products, mark_at{heads.data()}, std::uint64_t{0}, plus{});
  auto const starts = backend.template buffer<Position>(sums);
  backend.select(products, is_marked{heads.data()}, own_position<Position>{}, starts.span());
  heads = {};
  auto const before = backend.template buffer<std::uint64_t>((products + counted - 1) / counted + 1);
  result.column_indices = backend.template buffer<std::uint32_t>(sums);
  result.values = backend.template buffer<T>(sums);
  backend.each(sums, compress<T, Position>{starts.data(), sums, products, column.data(), value.data(),
                                           result.column_indices.data(), result.values.data(), before.data()});
  backend.each(rows + 1,
               sums_before<Position>{starts.data(), sums, products, before.data(), begins.data(), result.offsets.data()});
}

/// Computes the rows of one part, all of them short: products are made, sorted and added without writing them to memory.
/// @param longest  the largest number of entries or products of a row
template <Backend B, class T>
void multiply_short_part(B& backend, csr_view<T> const& a, csr_view<T> const& b, std::uint64_t const* to_row,
                         std::size_t first_row, part_of_rows const& part, std::uint64_t longest, csr_matrix<T>& result) {
  std::size_t const products = std::size_t(part.last_product - part.first_product), rows = result.rows;
  auto const column = backend.template buffer<std::uint32_t>(products);
  auto const value = backend.template buffer<T>(products);
  auto const sums = backend.template buffer<std::uint32_t>(rows);
  short_rows<T> const work{a, b, first_row, rows, to_row + first_row, column.data(), value.data(), sums.data()};
  backend.multiply_short_rows(work, longest);
  std::span<std::uint64_t> const offsets = result.offsets.span();
  backend.each(1, write_zero{offsets.data()});
  backend.scan(rows, sums_of_row{sums.data()}, offsets.subspan(1), plus{});
  std::size_t const all = std::size_t(value_at(backend, offsets, rows));
  result.column_indices = backend.template buffer<std::uint32_t>(all);
  result.values = backend.template buffer<T>(all);
  backend.copy_short_rows(work, offsets.data(), result.column_indices.data(), result.values.data());
}

/// Calls on_part(first_row, csr_matrix) for all rows, in parts of at most max_products products.
template <Backend B, class T, class OnPart>
void for_parts(machine& on, B& backend, csr_argument<T> const& given_a, csr_argument<T> const& given_b,
               std::uint64_t max_products, OnPart const& on_part) {
  wide_csr<T> const wide_a(backend, given_a), wide_b(backend, given_b);
  csr_view<T> const &a = wide_a.view(), &b = wide_b.view();
  check_patterns(backend, a, b);
  std::size_t const entries = a.num_entries();
  auto const ends = backend.template buffer<std::uint64_t>(entries);
  backend.scan(entries, products_of_entry{a.column_indices.data(), b.offsets.data()}, ends.span(), plus{});
  auto const to_row = backend.template buffer<std::uint64_t>(a.rows + 1);
  backend.each(a.rows + 1, products_to_row{a.offsets.data(), ends.data(), to_row.data()});
  auto const split = backend.template buffer<part_of_rows>(1);
  constexpr bool has_short = multiplies_short_rows<B, T>;
  std::uint64_t longest = 0;
  if constexpr (has_short)
    longest = backend.reduce(a.rows, row_length{a.offsets.data(), to_row.data()}, std::uint64_t{0}, maximum{});

  auto const find = [&](std::size_t first, std::uint64_t most) {
    backend.each(1, find_part{to_row.data(), a.offsets.data(), a.rows, first, most, split.data()});
    return value_at(backend, split.span(), 0);
  };
  bool several = false;
  for (std::size_t first = 0; first < a.rows;) {
    std::uint64_t limit = max_products != 0 ? max_products : products_at_once<T>(backend);
    if (several) limit = std::min(limit, max_products_of_several);
    part_of_rows part = find(first, limit);
    if (max_products == 0 && !several && part.last_row < a.rows) {
      several = true;
      part = find(first, std::min(limit, max_products_of_several));
    }
    std::size_t const rows = std::size_t(part.last_row) - first;
    std::uint64_t const products = part.last_product - part.first_product;
    csr_matrix<T> result{rows, b.columns, backend.template buffer<std::uint64_t>(rows + 1), {}, {}};
    bool const is_short = has_short && longest <= max_short_row;
    if (products == 0) {
      backend.each(rows + 1, write_zero{result.offsets.data()});
    } else if (is_short) {
      if constexpr (has_short) multiply_short_part(backend, a, b, to_row.data(), first, part, longest, result);
    } else if (products <= ~std::uint32_t{0}) {
      multiply_part<std::uint32_t>(on, backend, a, b, ends.data(), to_row.data(), first, part, result);
    } else {
      multiply_part<std::uint64_t>(on, backend, a, b, ends.data(), to_row.data(), first, part, result);
    }
    on_part(first, std::move(result));
    first = std::size_t(part.last_row);
  }
}

/// Joins arrays of parts, and frees each after its copy.
template <class U, Backend B, class T>
buffer<U> joined(B& backend, std::vector<csr_matrix<T>>& parts, std::size_t entries, buffer<U> csr_matrix<T>::*array) {
  auto all = backend.template buffer<U>(entries);
  std::size_t to = 0;
  for (csr_matrix<T>& part : parts) {
    buffer<U>& from = part.*array;
    backend.copy(std::span<U const>(from.span()), all.span().subspan(to, from.size()));
    to += from.size();
    from = {};
  }
  return all;
}

/// Joins parts of rows of a matrix. Arrays are joined one after the other: values take their memory again only after the parts'
/// columns are free.
template <Backend B, class T>
csr_matrix<T> joined(B& backend, std::vector<csr_matrix<T>> parts, std::size_t rows, std::size_t columns) {
  if (parts.size() == 1) return std::move(parts.front());
  csr_matrix<T> all{rows, columns, backend.template buffer<std::uint64_t>(rows + 1), {}, {}};
  if (parts.empty()) backend.each(rows + 1, write_zero{all.offsets.data()});
  std::size_t first = 0, entries = 0;
  for (csr_matrix<T>& part : parts) {
    backend.each(part.rows + 1, shift_offset<std::uint64_t>{part.offsets.data(), entries, all.offsets.data() + first});
    first += part.rows;
    entries += part.num_entries();
    part.offsets = {};
  }
  all.column_indices = joined(backend, parts, entries, &csr_matrix<T>::column_indices);
  all.values = joined(backend, parts, entries, &csr_matrix<T>::values);
  return all;
}

}  // namespace ordo::inline v0::detail::product

namespace ordo::inline v0::detail {

template <class Machine, class T>
void multiply_in_parts_on(Machine& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products,
                          on_product_part<T> const& on_part) {
  check_product(a, b);
  with_backend(on, [&](auto& backend) { product::for_parts(on, backend, a, b, max_products, on_part); });
}

template <class Machine, class T>
csr_matrix<T> multiply_whole_on(Machine& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products) {
  check_product(a, b);
  return with_backend(on, [&](auto& backend) {
    std::vector<csr_matrix<T>> parts;
    std::size_t entries = 0;
    product::for_parts(on, backend, a, b, max_products, [&](std::size_t, csr_matrix<T> part) {
      // Without memory to join them, further parts are in vain, and would become smaller and smaller.
      entries += part.num_entries();
      if (!parts.empty() && entries * sizeof(std::uint32_t) > backend.pool().available())
        static_cast<void>(backend.template buffer<std::uint32_t>(entries));  // throws
      parts.push_back(std::move(part));
    });
    return product::joined(backend, std::move(parts), a.rows, b.columns);
  });
}

template <class Machine, class T>
void release_csr_on(Machine& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values) {
  with_backend(on, [&](auto& backend) {
    csr_matrix<T> const all = std::move(from);
    if (!offsets) return;
    backend.copy(std::span<std::uint64_t const>(all.offsets.span()), std::span(offsets, all.offsets.size()));
    backend.copy(std::span<std::uint32_t const>(all.column_indices.span()), std::span(column_indices, all.num_entries()));
    backend.copy(std::span<T const>(all.values.span()), std::span(values, all.num_entries()));
  });
}

}  // namespace ordo::inline v0::detail
