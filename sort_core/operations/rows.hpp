#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/rows.hpp"
#include "sort_core/operations/parts.hpp"

// Rows by several columns. The codes of a row's columns, with a bit for null before each that has a bitmap, form one string of
// bits, of which the last column has the lowest. Sorts by words of this string, from the lowest to the highest, are an LSD
// radix sort of the rows.
namespace ordo::inline v0::detail {

/// A column of at most 64 bits, or a word of a wider one, and the place of its code in the string of bits.
struct packed_column {
  unsigned char const* values;
  std::size_t stride;            // bytes from row to row
  std::uint8_t const* validity;  // or null
  std::uint64_t validity_offset;
  std::uint64_t flip, flip_negative, infinity;
  std::uint64_t begin;  // the first bit of the code; the bit for null follows the code
  std::uint32_t bytes;
  bool is_string;  // bytes, of which the first is the highest, at any address
  bool has_flag;   // has a bit for null
  bool nulls_first, equal_zeros, nans_first, nans_last;

  /// Returns the bit after the code and that for null.
  [[nodiscard]] ORDO_FN std::uint64_t end() const { return begin + 8 * bytes + (has_flag ? 1 : 0); }
  [[nodiscard]] ORDO_FN std::uint64_t bits_at(std::size_t i) const {
    unsigned char const* const value = values + i * stride;
    if (is_string) {
      std::uint64_t bits = 0;
      for (std::uint32_t b = 0; b != bytes; ++b) bits = bits << 8 | value[b];
      return bits;
    }
    switch (bytes) {
      case 1:
        return *value;
      case 2:
        return *reinterpret_cast<std::uint16_t const*>(value);
      case 4:
        return *reinterpret_cast<std::uint32_t const*>(value);
      default:
        return *reinterpret_cast<std::uint64_t const*>(value);
    }
  }
  [[nodiscard]] ORDO_FN std::uint64_t code_at(std::size_t i) const { return encode(bits_at(i)); }
  [[nodiscard]] ORDO_FN std::uint64_t encode(std::uint64_t bits) const {
    unsigned const width = 8 * bytes;
    std::uint64_t const all = ~std::uint64_t{0} >> (64 - width), top = std::uint64_t{1} << (width - 1);
    if (infinity != 0) {
      if (equal_zeros && bits == top) bits = 0;
      if ((bits & ~top) > infinity) {
        if (nans_first) return 0;
        if (nans_last) return all;
      }
    }
    return (bits ^ ((bits & top) != 0 ? flip_negative : 0) ^ flip) & all;
  }
  [[nodiscard]] ORDO_FN bool is_null(std::size_t i) const {
    if (!validity) return false;
    std::uint64_t const bit = validity_offset + i;
    return (validity[bit / 8] >> (bit % 8) & 1) == 0;
  }
};

/// Computes the bits [begin, begin + 64) of the string of a row, from the columns that have some of them.
struct row_word {
  packed_column const* columns;
  std::size_t num_columns;
  std::uint64_t begin;
  [[nodiscard]] ORDO_FN std::uint64_t operator()(std::size_t row) const {
    std::uint64_t word = 0;
    for (std::size_t c = 0; c < num_columns; ++c) {
      packed_column const& column = columns[c];
      bool const is_null = column.is_null(row);
      std::uint64_t const code = is_null ? 0 : column.code_at(row);
      if (column.begin >= begin) {
        if (column.begin - begin < 64) word |= code << (column.begin - begin);
      } else if (begin - column.begin < 64) {
        word |= code >> (begin - column.begin);
      }
      std::uint64_t const flag = column.begin + 8 * column.bytes - begin;  // wraps round to a large number below `begin`
      if (column.has_flag && flag < 64) word |= std::uint64_t(is_null != column.nulls_first) << flag;
    }
    return word;
  }
};

/// Writes the words of rows, in the order of `index`, or of the rows themselves, whose numbers it then writes to `index`.
template <class Word, class Index>
struct write_words {
  row_word word;
  Word* words;
  Index* index;
  bool first;
  ORDO_FN void operator()(std::size_t i) const {
    if (first) index[i] = Index(i);
    words[i] = Word(word(first ? i : std::size_t(index[i])));
  }
};

/// Returns the number of words of a key, each of which is a column of its own.
inline std::size_t key_words(row_key const& key) {
  return key.format == row_format::number ? 1 : (key.value_bytes + 7) / 8;
}

/// Returns the columns of all keys. The first has the highest bits.
inline std::vector<packed_column> packed_columns(operation_task const& task) {
  std::vector<packed_column> columns;  // the lowest first
  columns.reserve(task.num_row_keys);
  std::uint64_t begin = 0;
  for (std::size_t c = task.num_row_keys; c-- != 0;) {
    row_key const& key = task.row_keys[c];
    std::uint64_t const order = key.options.order == sort_order::descending ? ~std::uint64_t{0} : 0;
    for (std::size_t words = key_words(key), w = 0; w != words; ++w) {
      bool const is_highest = w + 1 == words;
      auto const* const values = static_cast<unsigned char const*>(key.values);
      packed_column column{values,
                           key.value_bytes,
                           key.options.validity,
                           key.options.validity_offset,
                           key.flip,
                           key.flip_negative,
                           key.infinity,
                           begin,
                           std::uint32_t(key.value_bytes),
                           false,
                           key.options.validity != nullptr && is_highest,
                           key.options.nulls == row_nulls::first,
                           key.options.equal_zeros,
                           key.options.nans == row_nans::first,
                           key.options.nans == row_nans::last};
      if (key.format == row_format::words) {
        column.values = values + 8 * w;
        column.bytes = 8;
        column.flip = order ^ (is_highest ? key.flip : 0);
      } else if (key.format == row_format::bytes) {
        std::size_t const first = 8 * (words - 1 - w);  // the last bytes are the lowest
        column.values = values + first;
        column.bytes = std::uint32_t(std::min<std::size_t>(8, key.value_bytes - first));
        column.flip = order;
        column.is_string = true;
      }
      columns.push_back(column);
      begin = column.end();
    }
  }
  std::ranges::reverse(columns);
  return columns;
}

template <class Word, Backend B, class Index>
void sort_by_word(B& backend, row_word const& word, std::span<Index> index, bool first, unsigned bits) {
  auto const words = backend.template buffer<Word>(index.size());
  backend.each(index.size(), write_words<Word, Index>{word, words.data(), index.data(), first});
  sort_codes(backend, words.span(), index, {0, bits});
}

template <Backend B, class Index>
void argsort_rows_by(B& backend, operation_task const& task) {
  auto const index = typed_span<Index>(task.out_index.data, task.sort.n);
  std::vector<packed_column> const packed = packed_columns(task);
  std::uint64_t const num_bits = packed.empty() ? 0 : packed.front().end();
  if (num_bits == 0) return backend.each(index.size(), write_number<Index>{index.data()});
  auto const columns = backend.upload(std::span<packed_column const>(packed));
  for (std::uint64_t begin = 0; begin < num_bits; begin += 64) {
    // The columns that have some of these bits; the first column has the highest.
    std::size_t first = 0, last = packed.size();
    while (packed[first].begin >= begin + 64) ++first;
    while (packed[last - 1].end() <= begin) --last;
    row_word const word{columns.data() + first, last - first, begin};
    unsigned const bits = unsigned(std::min<std::uint64_t>(64, num_bits - begin));
    if (bits <= 32)
      sort_by_word<std::uint32_t>(backend, word, index, begin == 0, bits);
    else
      sort_by_word<std::uint64_t>(backend, word, index, begin == 0, bits);
  }
}

template <Backend B>
void run_argsort_rows(B& backend, operation_task const& task) {
  if (task.sort.n == 0) return;
  with_offset_type(task.out_index.item_bytes, [&](auto index) { argsort_rows_by<B, decltype(index)>(backend, task); });
}

template <Backend B>
std::size_t task_argsort_rows_memory(B& backend, operation_task const& task) {
  std::size_t bits = 0, num_columns = 0;
  for (row_key const& key : std::span(task.row_keys, task.num_row_keys)) {
    bits += 8 * key.value_bytes + (key.options.validity ? 1 : 0);
    num_columns += key_words(key);
  }
  std::size_t const n = task.sort.n, index = task.out_index.item_bytes;
  if (n == 0 || bits == 0) return 0;
  auto const with_words = [&](std::size_t word) { return pool::rounded(n * word) + backend.radix_sort_memory(n, word, index); };
  return pool::rounded(num_columns * sizeof(packed_column)) +
         std::max(with_words(bits <= 32 ? 4 : 8), bits % 64 != 0 && bits % 64 <= 32 ? with_words(4) : 0);
}

/// Copies an item, word by word.
template <class Word>
struct gather_item {
  Word const* from;
  any_positions index;
  Word* to;
  std::size_t words;  // per item
  ORDO_FN void operator()(std::size_t i) const {
    Word const* const item = from + index.at(i) * words;
    for (std::size_t w = 0; w != words; ++w) to[i * words + w] = item[w];
  }
};
struct greatest_position {
  any_positions index;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return index.at(i); }
};

template <Backend B>
void run_gather(B& backend, operation_task const& task) {
  std::size_t const n = task.index.size;
  if (n == 0) return;
  any_positions const index(task.index);
  if constexpr (has_workers<B>) {
    std::uint64_t const greatest = backend.reduce(n, greatest_position{index}, std::uint64_t{0}, maximum{});
    if (greatest >= task.values.size)
      throw usage_error("bad index: gather: position " +
                        (!task.index.is_signed ? std::to_string(greatest)
                         : index.wide          ? std::to_string(std::int64_t(greatest))
                                               : std::to_string(std::int32_t(greatest))) +
                        " of " + std::to_string(task.values.size) + " items");
  }
  std::size_t const bytes = task.values.item_bytes;
  with_common_word(bytes, {task.values.data, task.out_values.data}, [&]<class Word>(Word) {
    backend.each(n, gather_item<Word>{static_cast<Word const*>(task.values.data), index,
                                      static_cast<Word*>(task.out_values.data), bytes / sizeof(Word)});
  });
}

}  // namespace ordo::inline v0::detail
