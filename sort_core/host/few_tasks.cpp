#include "sort_core/host/few_tasks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "sort_core/host/column_codes.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/host/presorted.hpp"
#include "sort_core/host/radix.hpp"
#include "sort_core/host/vector_selection.hpp"
#include "sort_core/operations/rows.hpp"
#include "sort_core/operations/top_k.hpp"

namespace ordo::inline v0::host_detail {
namespace {

using detail::sort_task;

/// Few records: codes of up to 64 bits, and where their keys are.
struct few_records {
  std::array<std::uint64_t, max_packed> codes;
  std::array<std::uint32_t, max_packed> positions;

  void number(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) positions[i] = std::uint32_t(i);
  }
  /// Sorts records [begin, end) by their codes, stably.
  void sort(std::size_t begin, std::size_t end) {
    whole<std::uint64_t, smaller> const code;
    if (in_order(codes.data() + begin, end - begin, code)) return;
    records<std::uint64_t, std::uint32_t> const all{codes.data() + begin, positions.data() + begin};
    sort_few(all, all, end - begin, code);
  }
};

/// Returns the number of records up to which few_records is faster than a backend.
std::size_t max_few(std::size_t key_bytes) {
  constexpr std::size_t wide_keys = 128;
  if (network_keys(sizeof(std::uint64_t)) == 0) return small_limit;
  return key_bytes <= 4 ? max_packed : std::max(wide_keys, max_packed_here<std::uint64_t>());
}

void const* keys_read(sort_task const& task) {
  return task.out_of_place ? task.keys_in : task.keys;
}

template <class K>
void number_and_code(sort_task const& task, few_records& few) {
  auto code = detail::codes_for<K>(task);
  code.keys = static_cast<K const*>(keys_read(task));
  K const mask = detail::bit_mask<K>(detail::clipped<K>(task.bits));
  for (std::size_t i = 0; i < task.n; ++i) few.codes[i] = K(code(i) & mask);
  few.number(task.n);
}

constexpr std::size_t max_moved_bytes = 16 * max_packed;

/// Moves from[positions[i]] to to[i], which may be the same array. Items have any alignment.
/// @param fixed  the bytes of an item where these are known to the compiler, else 0
template <std::size_t Fixed>
void move_fixed_items(void const* from, void* to, std::size_t bytes, few_records const& few, std::size_t n) {
  std::array<char, max_moved_bytes> copy;
  std::size_t const width = Fixed == 0 ? bytes : Fixed;
  std::memcpy(copy.data(), from, n * width);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<char*>(to) + i * width, copy.data() + few.positions[i] * width, width);
}
void move_items(void const* from, void* to, std::size_t bytes, few_records const& few, std::size_t n) {
  switch (bytes) {
    case 1:
      return move_fixed_items<1>(from, to, bytes, few, n);
    case 2:
      return move_fixed_items<2>(from, to, bytes, few, n);
    case 4:
      return move_fixed_items<4>(from, to, bytes, few, n);
    case 8:
      return move_fixed_items<8>(from, to, bytes, few, n);
    case 16:
      return move_fixed_items<16>(from, to, bytes, few, n);
    default:
      return move_fixed_items<0>(from, to, bytes, few, n);
  }
}

/// Returns true if there are many keys of which neighbours are in order almost everywhere in a sample.
template <class K>
bool is_nearly_sorted(K const* keys, std::size_t n, key_code<K> code) {
  constexpr std::size_t min_keys = 256, samples = 32, max_descents = 4;
  if (n < min_keys) return false;
  std::size_t descents = 0;
  for (std::size_t s = 0; s < samples; ++s) {
    std::size_t const i = s * (n / samples);
    descents += code.encode(keys[i]) > code.encode(keys[i + 1]);
  }
  return descents <= max_descents;
}

/// Sorts keys[0, n) that are nearly in order: takes out those that are not, sorts these, and merges them with the rest. Returns
/// false, with the keys in any order, if there are too many.
template <class K>
bool sort_nearly_sorted(K* keys, std::size_t n, key_code<K> code) {
  constexpr std::size_t max_out = 512, share = 16;
  std::array<K, max_out> out;
  std::size_t const capacity = std::min(max_out, n / share);
  std::size_t num_out = 0, kept = 1;
  K last = code.encode(keys[0]);
  for (std::size_t i = 1; i < n; ++i) {
    K const key = keys[i], c = code.encode(key);
    if (c >= last) {
      keys[kept++] = key;
      last = c;
    } else if (num_out == capacity) {
      std::copy_n(out.begin(), num_out, keys + kept);  // as many places are free
      return false;
    } else if (kept > 1 && code.encode(keys[kept - 2]) <= c) {  // the last key was too great, rather than this one too small
      out[num_out++] = std::exchange(keys[kept - 1], key);
      last = c;
    } else {
      out[num_out++] = key;
    }
  }
  sort_by_vectors(out.data(), num_out, code, code);
  for (std::size_t to = n; num_out != 0;) {
    bool const from_out = kept == 0 || code.encode(out[num_out - 1]) >= code.encode(keys[kept - 1]);
    keys[--to] = from_out ? out[--num_out] : keys[--kept];
  }
  return true;
}

/// Sorts keys alone by whole codes.
template <class K>
bool sort_keys_alone(K const* from, K* to, std::size_t n, key_code<K> code) {
  auto const copy = [&] {
    if (from != to) std::copy_n(from, n, to);
  };
  if constexpr (is_narrow<K>) {
    if (n > max_widened || network_keys(sizeof(std::uint32_t)) == 0) return false;
    sort_widened(from, to, n, code);
  } else {
    std::size_t const max_vector = max_vector_keys(sizeof(K));
    if (n > std::min(max_vector, parallel_limit)) return false;
    if (n > small_limit) {
      encoded<K> const whole_key{code, K(~K{0})};
      if (in_order(from, n, whole_key)) {
        copy();
        return true;
      }
      if (nowhere(from, n, ascends(whole_key))) {  // keys with equal codes are equal
        copy();
        std::reverse(to, to + n);
        return true;
      }
    }
    bool nearly_sorted = false;
    if constexpr (sizeof(K) == sizeof(std::uint64_t)) nearly_sorted = is_nearly_sorted(from, n, code);
    // Digits hardly divide the exponents of floating-point keys, of which vectors of 32 bytes hold few.
    constexpr std::size_t of_32_bytes = 16 * 32 / sizeof(K);
    bool const is_float = code.flip_negative != 0 && network_keys(sizeof(K)) >= of_32_bytes;
    if (!nearly_sorted && !is_float && !fit_vectors(from, n, {0, 8 * sizeof(K)}, max_vector)) return false;
    copy();
    if (!nearly_sorted || !sort_nearly_sorted(to, n, code)) sort_by_vectors(to, n, code, code);
  }
  return true;
}

/// Returns the first position from `begin` on of a key that may have a code below `limit`.
template <class K>
std::size_t next_less(detail::code_at<K> const& code, std::size_t begin, std::size_t n, K limit) {
  // Both zeros may have the greater of their codes here; NaNs may all have the least.
  if (code.minus_zero != 0 && limit != K(~K{0})) ++limit;
  K const max_magnitude = code.nan == 0 ? code.max_magnitude : K(~K{0});
  if constexpr (is_narrow<K>)
    return begin + find_less_one_by_one(code.keys + begin, n - begin, code.code, limit, max_magnitude);
  else
    return begin + find_less(code.keys + begin, n - begin, code.code, limit, max_magnitude);
}

/// Finds the first k of n keys in one pass, which compares almost all of them with the k-th of those before and nothing else.
template <class K>
detail::first_items<K> select_first(detail::code_at<K> const& code, std::size_t n, std::size_t k) {
  detail::first_items<K> first(n, k);
  // The k-th of a sample bounds how many keys become candidates that ascend towards the first.
  constexpr std::size_t min_sample = 1024, sample_of_one = 32;
  if (std::size_t const size = std::max(min_sample, sample_of_one * k); size <= n / sample_of_one) {
    std::vector<K> sample(size);
    detail::write_sample<K> const write{code, n, size, sample.data()};
    for (std::size_t j = 0; j < size; ++j) write(j);
    std::nth_element(sample.begin(), sample.begin() + std::ptrdiff_t(k) - 1, sample.end());
    first.expect(sample[k - 1]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (first.is_full() && (i = next_less(code, i, n, first.limit())) == n) break;
    first.add(code(i), i);
  }
  return first;
}

/// Writes the first k keys of a task in sorted order, or in that of their positions.
template <class K>
bool select_few(detail::operation_task const& task) {
  constexpr std::size_t min_ratio = 8, min_ratio_of_many = 256, max_of_some = std::size_t{1} << 16;
  constexpr std::size_t max_k_of_many = std::size_t{1} << 12;  // one pass of this thread takes less than several of all
  std::size_t const n = task.sort.n, k = task.k;
  auto const code = detail::codes_for<K>(task.sort);
  auto const out = detail::make_outputs<K>(task, k);
  if (k < (n <= max_of_some ? n / min_ratio : std::min(n / min_ratio_of_many, max_k_of_many))) {
    auto first = select_first(code, n, k);
    std::size_t j = 0;
    for (auto const& item : first.take(task.sorted)) out.write(j++, code.keys[item.position], item.position);
    return true;
  }
  if (n > max_few(sizeof(K))) return false;
  few_records few;
  number_and_code<K>(task.sort, few);
  few.sort(0, n);
  if (!task.sorted) std::sort(few.positions.begin(), few.positions.begin() + std::ptrdiff_t(k));
  for (std::size_t j = 0; j < k; ++j) out.write(j, code.keys[few.positions[j]], few.positions[j]);
  return true;
}

/// Rows as numbers of many bits: of each column the bits in which rows differ, below a bit for null; the first column is
/// highest.
class packed_rows {
 public:
  packed_rows(detail::operation_task const& task, std::size_t n) : n_(n) {
    std::vector<detail::packed_column> const columns = detail::packed_columns(task);
    words_.reserve(std::min(columns.size(), max_reserved) * n);
    std::array<std::uint64_t, max_packed> room_for_values;
    std::span const values(room_for_values.data(), n);
    for (detail::packed_column const& column : columns) {
      if (column.has_flag) {
        for (std::size_t i = 0; i < n; ++i) values[i] = column.is_null(i) != column.nulls_first;
        append(values);
      }
      write_codes(column, 0, values);
      if (column.validity)
        for (std::size_t i = 0; i < n; ++i)
          if (column.is_null(i)) values[i] = 0;
      append(values);
    }
  }
  [[nodiscard]] std::size_t num_words() const { return words_.size() / n_; }
  [[nodiscard]] std::uint64_t word(std::size_t w, std::size_t row) const { return words_[w * n_ + row]; }

 private:
  static constexpr unsigned word_bits = 64;
  static constexpr std::size_t max_reserved = 4;  // words a row

  /// Appends one number of each row, less the smallest.
  void append(std::span<std::uint64_t> values) {
    std::uint64_t first = values[0], last = values[0];
    for (std::uint64_t const value : values) {
      first = std::min(first, value);
      last = std::max(last, value);
    }
    unsigned const width = unsigned(std::bit_width(last - first));
    if (width == 0) return;
    for (std::uint64_t& value : values) value -= first;
    if (unsigned const fit = std::min(free_bits_, width); fit != 0) {
      free_bits_ -= fit;
      std::uint64_t* const words = words_.data() + words_.size() - n_;
      for (std::size_t i = 0; i < n_; ++i) words[i] |= values[i] >> (width - fit) << free_bits_;
      if (fit == width) return;
      append_word(values, width - fit);
    } else {
      append_word(values, width);
    }
  }
  /// Appends the lowest bits of numbers as the highest of a new word.
  void append_word(std::span<std::uint64_t const> values, unsigned width) {
    free_bits_ = word_bits - width;
    std::size_t const begin = words_.size();
    words_.resize(begin + n_);
    for (std::size_t i = 0; i < n_; ++i) words_[begin + i] = values[i] << free_bits_;
  }

  std::size_t n_;
  unsigned free_bits_ = 0;  // the lowest of the last words
  std::vector<std::uint64_t> words_;
};

/// Sorts rows [begin, end) by words from `w` on: words after the first matter to rows that are equal so far.
void sort_rows(packed_rows const& rows, few_records& few, std::size_t begin, std::size_t end, std::size_t w) {
  if (w == rows.num_words() || end - begin < 2) return;
  for (std::size_t i = begin; i < end; ++i) few.codes[i] = rows.word(w, few.positions[i]);
  few.sort(begin, end);
  while (begin != end) {
    std::size_t next = begin + 1;
    while (next != end && few.codes[next] == few.codes[begin]) ++next;
    sort_rows(rows, few, begin, next, w + 1);
    begin = next;
  }
}

/// Replaces the number of keys with each digit by where they begin.
void to_begins(narrow_counts& counts) {
  std::size_t sum = 0;
  for (std::size_t& count : counts) sum += std::exchange(count, sum);
}

constexpr std::size_t max_narrow_positions = 4096;

/// Writes the order of n codes of 8 bits, n at most parallel_limit, or of 16, n at most max_narrow_positions.
template <class Code, class Index>
void argsort_narrow(Code code, std::size_t n, Index* index) {
  using K = decltype(code(0));
  narrow_counts low{};
  if constexpr (sizeof(K) == 1) {
    narrow_counts odd{};  // an increment waits for the one before if that was of the same counter
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      ++low[code(i)];
      ++odd[code(i + 1)];
    }
    if (i != n) ++low[code(i)];
    for (std::size_t b = 0; b < narrow_bins; ++b) low[b] += odd[b];
    to_begins(low);
    for (i = 0; i < n; ++i) index[low[code(i)]++] = Index(i);
  } else {
    narrow_counts high{};
    std::array<std::uint16_t, max_narrow_positions> codes, positions;
    std::array<std::uint8_t, max_narrow_positions> digits;
    for (std::size_t i = 0; i < n; ++i) {
      K const c = codes[i] = code(i);
      ++low[c & 0xff];
      ++high[c >> narrow_digit_bits];
    }
    to_begins(low);
    to_begins(high);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const at = low[codes[i] & 0xff]++;
      positions[at] = std::uint16_t(i);
      digits[at] = std::uint8_t(codes[i] >> narrow_digit_bits);
    }
    for (std::size_t i = 0; i < n; ++i) index[high[digits[i]]++] = Index(positions[i]);
  }
}
template <class K>
void argsort_narrow(sort_task const& task) {
  auto const at = detail::codes_for<K>(task);
  K const mask = detail::bit_mask<K>(detail::clipped<K>(task.bits));
  detail::with_offset_type(task.value_bytes, [&](auto index) {
    argsort_narrow([at, mask](std::size_t i) { return K(at(i) & mask); }, task.n, static_cast<decltype(index)*>(task.values));
  });
}

/// Returns true if a call may be within a call for each word of the rows.
bool has_few_words(detail::operation_task const& task) {
  constexpr std::size_t max_words = 64;
  std::size_t words = 0;
  for (std::size_t c = 0; c < task.num_row_keys && words <= max_words; ++c) words += detail::key_words(task.row_keys[c]);
  return words <= max_words;
}

}  // namespace

template <class K>
bool run_few_keys(sort_task const& task) noexcept {
  bool const argsort = task.kind == sort_task::operation::argsort;
  if (task.n == 0 || (!argsort && task.kind != sort_task::operation::keys)) return false;
  bool const alone = !argsort && task.value_bytes == 0;
  if (alone && !task.equal_zeros && detail::bit_mask<K>(detail::clipped<K>(task.bits)) == K(~K{0}))
    return sort_keys_alone(static_cast<K const*>(keys_read(task)), static_cast<K*>(task.keys), task.n,
                           detail::code_for<K>(task));
  if constexpr (is_narrow<K>)
    if (argsort && task.n > max_few(sizeof(K)) && task.n <= (sizeof(K) == 1 ? parallel_limit : max_narrow_positions)) {
      argsort_narrow<K>(task);
      return true;
    }
  if (task.n > max_few(sizeof(K)) || task.n * task.value_bytes > max_moved_bytes) return false;
  few_records few;
  number_and_code<K>(task, few);
  few.sort(0, task.n);
  if (argsort) {
    detail::any_positions index;
    index.data = task.values;
    index.wide = task.value_bytes == 8;
    for (std::size_t i = 0; i < task.n; ++i) index.set(i, few.positions[i]);
    return true;
  }
  move_items(keys_read(task), task.keys, sizeof(K), few, task.n);
  if (!alone) move_items(task.out_of_place ? task.values_in : task.values, task.values, task.value_bytes, few, task.n);
  return true;
}
template bool run_few_keys<std::uint8_t>(sort_task const&) noexcept;
template bool run_few_keys<std::uint16_t>(sort_task const&) noexcept;
template bool run_few_keys<std::uint32_t>(sort_task const&) noexcept;
template bool run_few_keys<std::uint64_t>(sort_task const&) noexcept;

template <class K>
bool select_few_keys(detail::operation_task const& task) {
  return task.kind == detail::operation_task::operation::top_k && task.k != 0 && select_few<K>(task);
}
template bool select_few_keys<std::uint8_t>(detail::operation_task const&);
template bool select_few_keys<std::uint16_t>(detail::operation_task const&);
template bool select_few_keys<std::uint32_t>(detail::operation_task const&);
template bool select_few_keys<std::uint64_t>(detail::operation_task const&);

bool run_few_rows(detail::operation_task const& task) {
  constexpr std::size_t max_few_rows = 192;  // argsort_packed_rows takes less time for more
  std::size_t const n = task.sort.n;
  if (task.kind != detail::operation_task::operation::argsort_rows || n == 0 ||
      n > std::min(max_few_rows, max_few(sizeof(std::uint64_t))) || !has_few_words(task))
    return false;
  few_records few;
  few.number(n);
  sort_rows(packed_rows(task, n), few, 0, n, 0);
  detail::any_positions const index(task.out_index);
  for (std::size_t i = 0; i < n; ++i) index.set(i, few.positions[i]);
  return true;
}

}  // namespace ordo::inline v0::host_detail
