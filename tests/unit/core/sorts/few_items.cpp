#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/rows.hpp"
#include "ordo/sort.hpp"
#include "ordo/top_k.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/host/operations.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/core/sorts/with_vectors.hpp"
#include "tests/unit/mixed.hpp"

// Sorts of few items by a cpu, which take neither memory nor threads of its backend, give the backend's bytes.
namespace {

using ordo::detail::operation_task;
using ordo::detail::sort_task;

constexpr std::size_t guard = 64;

/// An array with guard bytes around it, at a multiple of its items' width.
template <class T>
class held {
 public:
  explicit held(std::vector<T> const& items) : size_(items.size()), bytes_(size_ * sizeof(T) + 2 * guard, 0xa5) {
    if (size_ != 0) std::memcpy(bytes_.data() + guard, items.data(), size_ * sizeof(T));
  }
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(bytes_.data() + guard); }
  [[nodiscard]] std::span<T> span() { return {data(), size_}; }
  /// Returns all bytes, with those of the guard.
  [[nodiscard]] std::vector<unsigned char> const& bytes() const { return bytes_; }

 private:
  std::size_t size_;
  std::vector<unsigned char> bytes_;
};

template <class K>
constexpr bool is_float = std::is_floating_point_v<K>;

constexpr unsigned num_patterns = 9;

/// Returns n keys of a pattern; floating-point keys among them NaNs of both signs and zeros.
template <class K>
std::vector<K> keys_of(unsigned pattern, std::size_t n) {
  std::vector<K> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const x = mixed(n + i);
    K const random = [&] {
      using U = typename ordo::radix_key<K>::type;
      return std::bit_cast<K>(U(x >> (64 - 8 * sizeof(K))));
    }();
    switch (pattern) {
      case 0:
        all[i] = random;
        break;
      case 1:
        all[i] = K(i);
        break;
      case 2:
        all[i] = K(n - i);
        break;
      case 3:
        all[i] = K(7);
        break;
      case 4:
        all[i] = K(x % 3);
        break;
      case 5:  // nearly sorted
        all[i] = x % 64 == 0 ? random : K(i);
        break;
      case 6:  // too far from that, which a sample may not show
        all[i] = x % 11 == 0 ? random : K(i);
        break;
      case 7:
        all[i] = x % 4 == 0 ? K(0) : x % 4 == 1 ? K(-K(0)) : random;
        break;
      default:
        all[i] = K(i / 2);
        if constexpr (is_float<K>)
          if (x % 3 == 0) all[i] = std::copysign(std::numeric_limits<K>::quiet_NaN(), x % 2 ? K(1) : K(-1));
    }
  }
  return all;
}

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n <= 36; ++n) all.push_back(n);
  for (std::size_t n : {63, 64, 65, 127, 128, 129, 255, 256, 257, 510, 511, 512, 513, 1000, 4096, 4097}) all.push_back(n);
  return all;
}

/// Runs a task by a backend, as it would without few_tasks.
void run_by_backend(sort_task const& task) {
  ordo::host_backend backend(1);
  ordo::detail::check_arguments(task);
  ordo::detail::run_task(backend, task);
}
void run_by_backend(operation_task const& task) {
  ordo::host_backend backend(1);
  ordo::detail::run_operation(backend, task);
}

template <class K>
std::vector<sort_task> orders() {
  std::vector<sort_task> all;
  auto const add = [&](sort_task::operation kind, ordo::key_order order, ordo::bit_range bits) {
    std::span<K> const none;
    std::span<K const> const read;
    if (kind == sort_task::operation::argsort) {
      all.push_back(ordo::detail::make_task<ordo::sort_order::ascending>(kind, read, bits, order));
      all.push_back(ordo::detail::make_task<ordo::sort_order::descending>(kind, read, bits, order));
    } else {
      all.push_back(ordo::detail::make_task<ordo::sort_order::ascending>(kind, none, bits, order));
      all.push_back(ordo::detail::make_task<ordo::sort_order::descending>(kind, none, bits, order));
    }
  };
  for (auto const kind : {sort_task::operation::keys, sort_task::operation::argsort}) {
    add(kind, {}, {});
    if constexpr (is_float<K>) {
      add(kind, {.nans = ordo::nan_order::last}, {});
      add(kind, {.nans = ordo::nan_order::last, .zeros = ordo::zeros::equal}, {});
    } else {
      add(kind, {}, {1, 8 * sizeof(K) - 2});
    }
  }
  return all;
}

template <class K>
void check_task(ordo::cpu& cpu, sort_task task, std::vector<K> const& input, std::size_t value_bytes, bool apart) {
  std::size_t const n = input.size();
  std::vector<unsigned char> values(n * value_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(mixed(i) >> 3);
  held<K> const blank{std::vector<K>(n)};
  held<K> few = apart ? blank : held<K>(input), expected = few, few_in(input), expected_in(input);
  held<unsigned char> few_values(values), expected_values(values), few_values_in(values), expected_values_in(values);
  task.n = n;
  auto const add = [&](held<K>& keys, held<unsigned char>& of_values, held<K>& keys_in, held<unsigned char>& values_in) {
    task.keys = keys.data();
    task.value_bytes = value_bytes;
    task.value_alignment = 1;
    if (value_bytes != 0) {
      task.values = of_values.data();
      task.values_given = n;
      if (value_bytes == 4 || value_bytes == 8 || value_bytes == 16)
        task.value_alignment = std::min<std::size_t>(value_bytes, 8);
    }
    if (task.kind == sort_task::operation::argsort) task.keys = keys_in.data();
    if (apart && task.kind == sort_task::operation::keys) {
      ordo::detail::add_keys_in(task, std::span<K const>(keys_in.span()));
      if (value_bytes != 0) {
        task.values_in = values_in.data();
        task.values_in_given = n;
      }
    }
  };
  add(few, few_values, few_in, few_values_in);
  cpu.run(task);
  add(expected, expected_values, expected_in, expected_values_in);
  run_by_backend(task);
  bool const same = few.bytes() == expected.bytes() && few_values.bytes() == expected_values.bytes() &&
                    few_in.bytes() == expected_in.bytes() && few_values_in.bytes() == expected_values_in.bytes();
  if (!same) CHECK(same);  // CHECK alone takes microseconds
}

template <class K>
void check_type() {
  ordo::cpu cpu({.threads = 1});
  for (std::size_t bytes : vector_sizes) {
    with_vectors const limit(bytes);
    for (std::size_t n : sizes()) {
      INFO("vectors of " << bytes << " bytes, keys of " << sizeof(K) << ", " << n);
      unsigned turn = 0;
      for (sort_task const& task : orders<K>()) {
        for (unsigned pattern = 0; pattern < num_patterns; ++pattern, ++turn) {
          auto const input = keys_of<K>(pattern, n);
          if (task.kind == sort_task::operation::argsort) {
            check_task(cpu, task, input, turn % 2 == 0 ? 4 : 8, false);
          } else {
            std::size_t const widths[] = {0, 1, 2, 3, 4, 8, 16, 24};
            check_task(cpu, task, input, 0, turn % 2 == 0);
            check_task(cpu, task, input, widths[(turn + turn / 8) % 8], turn % 2 != 0);
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("few items are sorted as a backend sorts them", "[few_items]") {
  check_type<std::uint8_t>();
  check_type<std::int16_t>();
  check_type<std::uint32_t>();
  check_type<std::int64_t>();
  check_type<float>();
  check_type<double>();
}

TEST_CASE("the first of few keys are those of a backend", "[few_items][top_k]") {
  ordo::cpu cpu({.threads = 1});
  auto const check = [&]<class K>(K) {
    constexpr std::size_t max_k_of_many = 4096;
    for (std::size_t n : {1, 2, 10, 32, 33, 100, 511, 512, 1000, 70'000, 1'100'000}) {
      if (n > 1'000'000 && sizeof(K) != 8) continue;
      for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
        auto const input = keys_of<K>(pattern, n);
        for (std::size_t k : {std::size_t{1}, std::size_t{10}, max_k_of_many - 1, max_k_of_many, n / 9, n / 8, n / 2, n}) {
          if (k > n) continue;
          unsigned const turn = unsigned(n + k + pattern);
          ordo::top_k_options const options{.largest = turn % 2 == 0, .sorted = turn % 3 != 0};
          auto task = ordo::detail::task_of_top_k(operation_task::operation::top_k, std::span<K const>(input), k, options);
          held<K> few{std::vector<K>(k)}, expected = few;
          held<std::uint32_t> few_index{std::vector<std::uint32_t>(k)}, expected_index = few_index;
          task.out_keys = ordo::detail::argument(few.span());
          task.out_index = ordo::detail::argument(few_index.span());
          cpu.run(task);
          task.out_keys = ordo::detail::argument(expected.span());
          task.out_index = ordo::detail::argument(expected_index.span());
          run_by_backend(task);
          INFO(n << ", " << k << ", " << pattern);
          bool const same = few.bytes() == expected.bytes() && few_index.bytes() == expected_index.bytes();
          if (!same) CHECK(same);
        }
      }
    }
  };
  check(std::int8_t{});
  check(std::uint64_t{});
  check(float{});
}

TEST_CASE("few rows are sorted as a backend sorts them", "[few_items][rows]") {
  ordo::cpu cpu({.threads = 1});
  for (std::size_t bytes : vector_sizes) {
    with_vectors const limit(bytes);
    for (std::size_t n : sizes()) {
      for (unsigned pattern = 0; pattern < num_patterns; ++pattern) {
        auto const small = keys_of<std::int8_t>(4, n);
        auto const wide = keys_of<std::uint64_t>((pattern + 4) % num_patterns, n);
        auto const real = keys_of<double>(pattern, n);
        std::vector<std::uint8_t> valid(n / 8 + 2);
        for (std::size_t i = 0; i < valid.size(); ++i) valid[i] = std::uint8_t(mixed(i));
        std::vector<ordo::row_key> const all{
            ordo::key_column(small),
            ordo::key_column(real, {.order = ordo::sort_order::descending, .validity = valid.data(), .validity_offset = 3}),
            ordo::key_column(wide, {.nulls = ordo::row_nulls::first, .validity = valid.data()}),
            ordo::key_column(real, {.nans = ordo::row_nans::first}),
            ordo::key_column(small, {.order = ordo::sort_order::descending}),
        };
        for (std::size_t first = 0; first < all.size(); ++first) {
          for (std::size_t count : {std::size_t{1}, std::size_t{3}, all.size() - first}) {
            if (first + count > all.size()) continue;
            operation_task task;
            task.kind = operation_task::operation::argsort_rows;
            task.host = &ordo::detail::host_operations_on_rows;
            task.row_keys = all.data() + first;
            task.num_row_keys = count;
            task.sort.n = n;
            held<std::uint64_t> few{std::vector<std::uint64_t>(n)}, expected = few;
            task.out_index = ordo::detail::argument(few.span());
            cpu.run(task);
            task.out_index = ordo::detail::argument(expected.span());
            run_by_backend(task);
            INFO(n << " rows, pattern " << pattern << ", columns " << first << " to " << first + count);
            bool const same = few.bytes() == expected.bytes();
            if (!same) CHECK(same);
          }
        }
      }
    }
  }
}

TEST_CASE("sorts of few items take no memory of their machine", "[few_items]") {
  ordo::cpu cpu({.threads = 1, .memory_limit = 1});
  std::size_t const network = ordo::host_detail::network_keys(8);
  for (std::size_t const n : {10, 100}) {
    if (network == 0 || (network < 64 && n > 32)) continue;  // vectors of less than 32 bytes
    auto keys = keys_of<double>(0, n);
    std::vector<std::uint32_t> index(n);
    std::vector<double> best(3);
    CHECK_NOTHROW(ordo::argsort(cpu, std::span<double const>(keys), std::span(index)));
    CHECK_NOTHROW(ordo::top_k(cpu, std::span<double const>(keys), 3, std::span(best)));
    ordo::row_key const columns[] = {ordo::key_column(keys)};
    CHECK_NOTHROW(ordo::argsort_rows(cpu, columns, std::span(index)));
    CHECK_NOTHROW(ordo::sort_pairs(cpu, std::span(keys), std::span(index)));
    CHECK_NOTHROW(ordo::sort_keys(cpu, std::span(keys)));
    CHECK(cpu.peak_memory() == 0);
  }
  auto many = keys_of<double>(0, 10'000);
  std::vector<std::uint32_t> index(many.size());
  CHECK_THROWS_AS(ordo::argsort(cpu, std::span<double const>(many), std::span(index)), ordo::out_of_memory);
}
