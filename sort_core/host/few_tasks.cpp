#include "sort_core/host/few_tasks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "sort_core/host/backend.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/host/presorted.hpp"
#include "sort_core/host/radix.hpp"
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
void move_items_of(void const* from, void* to, std::size_t bytes, few_records const& few, std::size_t n) {
  std::array<char, max_moved_bytes> copy;
  std::size_t const width = Fixed == 0 ? bytes : Fixed;
  std::memcpy(copy.data(), from, n * width);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<char*>(to) + i * width, copy.data() + few.positions[i] * width, width);
}
void move_items(void const* from, void* to, std::size_t bytes, few_records const& few, std::size_t n) {
  switch (bytes) {
    case 1:
      return move_items_of<1>(from, to, bytes, few, n);
    case 2:
      return move_items_of<2>(from, to, bytes, few, n);
    case 4:
      return move_items_of<4>(from, to, bytes, few, n);
    case 8:
      return move_items_of<8>(from, to, bytes, few, n);
    case 16:
      return move_items_of<16>(from, to, bytes, few, n);
    default:
      return move_items_of<0>(from, to, bytes, few, n);
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
    if (!nearly_sorted && !fit_vectors(from, n, {0, 8 * sizeof(K)}, max_vector)) return false;
    copy();
    if (!nearly_sorted || !sort_nearly_sorted(to, n, code)) sort_by_vectors(to, n, code, code);
  }
  return true;
}

/// Writes the first k keys of a task in sorted order, or in that of their positions.
template <class K>
bool select_few(detail::operation_task const& task) {
  constexpr std::size_t max_selected_from = std::size_t{1} << 16, min_ratio = 8;
  std::size_t const n = task.sort.n, k = task.k;
  auto const code = detail::codes_for<K>(task.sort);
  auto const out = detail::make_outputs<K>(task, k);
  if (n <= max_selected_from && k < n / min_ratio) {
    detail::first_items<std::uint64_t> first(n, k);
    for (std::size_t i = 0; i < n; ++i) first.add(code(i), i);
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

/// Sorts rows by one word of their columns after the other, from the highest bits on: those below matter to equal rows only.
class row_sort {
 public:
  explicit row_sort(detail::operation_task const& task) : columns_(detail::packed_columns(task)) {
    if (columns_.empty()) return;
    num_bits_ = columns_.front().begin + detail::code_bits(task.row_keys[0]);
  }
  void sort(few_records& few, std::size_t n) const { sort(few, 0, n, num_bits_); }

 private:
  /// Sorts the rows [begin, end), which are equal in the bits from `bits` on.
  void sort(few_records& few, std::size_t begin, std::size_t end, std::uint64_t bits) const {
    if (bits == 0 || end - begin < 2) return;
    constexpr std::uint64_t word_bits = 64;
    std::uint64_t const rest = bits > word_bits ? bits - word_bits : 0;
    auto first = columns_.begin(), last = columns_.end();  // the columns that have some of these bits
    while (first + 1 != last && first->begin >= bits) ++first;
    while (last - 1 != first && (last - 2)->begin <= rest) --last;
    detail::row_word const word{&*first, std::size_t(last - first), rest};
    for (std::size_t i = begin; i < end; ++i) few.codes[i] = word(few.positions[i]);
    few.sort(begin, end);
    while (begin != end) {
      std::size_t next = begin + 1;
      while (next != end && few.codes[next] == few.codes[begin]) ++next;
      sort(few, begin, next, rest);
      begin = next;
    }
  }

  std::vector<detail::packed_column> columns_;
  std::uint64_t num_bits_ = 0;
};

}  // namespace

bool run_few(sort_task const& task) noexcept {
  bool const argsort = task.kind == sort_task::operation::argsort;
  if (task.n == 0 || (!argsort && task.kind != sort_task::operation::keys)) return false;
  bool const alone = !argsort && task.value_bytes == 0;
  return detail::with_key_type(task.key_bytes, [&](auto key) {
    using K = decltype(key);
    if (alone && !task.equal_zeros && detail::bit_mask<K>(detail::clipped<K>(task.bits)) == K(~K{0}))
      return sort_keys_alone(static_cast<K const*>(keys_read(task)), static_cast<K*>(task.keys), task.n,
                             detail::code_for<K>(task));
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
  });
}

bool run_few(detail::operation_task const& task) {
  using operation = detail::operation_task::operation;
  constexpr std::size_t max_columns = 64;  // their words are on the stack
  if (task.kind == operation::top_k && task.k != 0)
    return detail::with_key_type(task.sort.key_bytes, [&](auto key) { return select_few<decltype(key)>(task); });
  if (task.kind == operation::argsort_rows && task.sort.n <= max_few(sizeof(std::uint64_t)) &&
      task.num_row_keys <= max_columns) {
    few_records few;
    few.number(task.sort.n);
    row_sort(task).sort(few, task.sort.n);
    detail::any_positions const index(task.out_index);
    for (std::size_t i = 0; i < task.sort.n; ++i) index.set(i, few.positions[i]);
    return true;
  }
  return false;
}

}  // namespace ordo::inline v0::host_detail
