#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "bench/gpu_bench.cuh"

// The common parts of the benchmarks of whole arrays: the check of results, and one row.
namespace ordo::inline v0::bench {

/// Returns 64 bits that represent an item in checks.
template <Key K>
ORDO_FN std::uint64_t to_word(K key) {
  return encode_key(key);
}

template <class T>
concept knows_position = requires(T const& item) {
  item.position;
};

/// Returns 1 for a wrong item. The value of a pair, or a member of an item, is its position in the input. If items also ascend
/// strictly by (item, position), the result is a permutation, sorted and stable.
template <class T, class V, class Less>
struct out_of_place {
  static constexpr bool pairs = columns<T, V>::pairs, traced = pairs || knows_position<T>;
  T const *source, *items;
  stored<V> const* values;
  std::size_t n;
  Less less;
  ORDO_FN std::uint64_t position(std::size_t i) const {
    if constexpr (pairs)
      return values[i];
    else if constexpr (traced)
      return items[i].position;
    else
      return 0;
  }
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    if (traced && (position(i) >= n || to_word(items[i]) != to_word(source[position(i)]))) return 1;
    if (i == 0) return 0;
    if (less(items[i], items[i - 1])) return 1;
    return traced && !less(items[i - 1], items[i]) && position(i) <= position(i - 1);
  }
};

template <class T>
struct mixed_word {
  T const* items;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return mixed(to_word(items[i])); }
};

/// Returns true if the result is a correct stable sort of `source`.
template <class T, class V, class Less>
bool is_right(cuda_backend& lab, columns<T, V> const& source, T const* items, stored<V> const* values, Less less) {
  using check = out_of_place<T, V, Less>;
  std::size_t const n = source.keys.size();
  if (lab.reduce(n, check{source.keys.data(), items, values, n, less}, std::uint64_t{0}, sum{}) != 0) return false;
  return check::traced || lab.reduce(n, mixed_word<T>{source.keys.data()}, std::uint64_t{0}, sum{}) ==
                              lab.reduce(n, mixed_word<T>{items}, std::uint64_t{0}, sum{});
}

/// For sorts that have one form.
struct in_place_only {};

/// Measures one row at one size.
/// @param make_input    make_input(n) returns columns<T, V>
/// @param allowed       bytes of temporary memory that the contract allows
/// @param sort          sort(machine, input, keys, values) sorts keys and values, which are copies of the input
/// @param race          race(input, output, judge) runs rivals; judge(name, timing, keys, values) checks and adds one
/// @param sort_out_of_place  sort_out_of_place(machine, input, keys, values) sorts the input into other arrays. The faster form
///                      counts.
template <class T, class V, class Less, class Make, class Sort, class Race, class SortOutOfPlace = in_place_only>
void measure_whole(session& s, whole_row const& row, unsigned log_items, Make make_input, Less less, std::size_t allowed,
                   Sort sort, Race race, [[maybe_unused]] SortOutOfPlace sort_out_of_place = {}) {
  whole_result result;
  result.row = row;
  result.log_items = log_items;
  result.name = row.name() + " 2^" + std::to_string(log_items);
  if (!s.options.selects(result.name)) return;
  std::size_t const n = result.items = std::size_t{1} << log_items;
  s.lab.pool().trim();
  // Input, output, and temporary memory.
  constexpr std::size_t item_bytes = sizeof(T) + (columns<T, V>::pairs ? sizeof(stored<V>) : 0);
  if (2 * n * item_bytes + std::max(allowed, n * item_bytes + n / 4) + (std::size_t{1} << 28) > free_memory())
    return s.out.say(result.name + ": left out: not enough memory");
  auto const in = make_input(n);
  columns<T, V> const out(s.lab, n);
  result.target_times = log_items == 28 && row.target_at_28 != 0 ? row.target_at_28 : row.target_times;
  result.copy = median_time(
      s.lab.stream(), s.options.runs, [] {}, [&] { in.copy_to(out, s.lab.stream()); });
  result.extra_bytes = on_fresh_machine(s, [&](cuda_backend& machine) {
    result.ours = time_whole(
        machine.stream(), s.options.runs, n, [&] { in.copy_to(out, machine.stream()); },
        [&] { sort(machine, in, out.keys.span(), out.values.span()); });
  });
  result.allowed_bytes = allowed;
  require(result, is_right(s.lab, in, out.keys.data(), out.values.data(), less), "wrong order");
  if constexpr (!std::is_same_v<SortOutOfPlace, in_place_only>) {
    std::size_t const extra_bytes = on_fresh_machine(s, [&](cuda_backend& machine) {
      result.other_form = time_whole(
          machine.stream(), s.options.runs, n, [] {},
          [&] { sort_out_of_place(machine, in, out.keys.span(), out.values.span()); });
    });
    require(result, is_right(s.lab, in, out.keys.data(), out.values.data(), less), "wrong order out of place");
    if (result.other_form.ms < result.ours.ms) {
      result.extra_bytes = extra_bytes;
      std::swap(result.ours, result.other_form);
      result.is_out_of_place = true;
    }
  }
  require(result, result.extra_bytes <= allowed, "more memory than the contract allows");
  auto const race_all = [&] {
    race(in, out, [&](char const* name, timing time, T const* items, stored<V> const* values) {
      result.rivals[name] = {time, is_right(s.lab, in, items, values, less)};
      require(result, result.rivals[name].right, "wrong result of a rival");  // most likely a wrong call
    });
  };
  if (s.options.rivals) if_it_fits(s, result.name + ", rivals", race_all);
  s.out.add(result);
}

/// Calls measure(log_items) for every size, with more runs for small sizes, whose times vary more.
template <class Measure>
void at_all_sizes(session& s, Measure measure) {
  unsigned const runs = s.options.runs;
  for (unsigned const log_items : s.options.sizes) {
    s.options.runs = log_items <= 20 ? 5 * runs : runs;
    measure(log_items);
  }
  s.options.runs = runs;
}

/// Runs a whole program: measure_row(session, row, log_items) for each of the rows make_rows(options) and each size, and the
/// tables.
template <class MakeRows, class Measure>
int run_rows(program name, int argc, char const* const* argv, std::vector<std::string> rivals, MakeRows make_rows,
             Measure measure_row) {
  bench_options options;
  if (auto const status = parse(name, argc, argv, options)) return *status;
  report out(name, options, describe_machine(), std::move(rivals));
  session s{cuda_backend(), options, out};
  for (whole_row const& row : make_rows(options)) at_all_sizes(s, [&](unsigned log_items) { measure_row(s, row, log_items); });
  out.print_rates();
  return out.status();
}

}  // namespace ordo::inline v0::bench
