#include "ordo/detail/checks.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "ordo/detail/task.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::detail {
namespace {

void check_pointer(char const* array, void const* items, std::size_t n) {
  if (!items) throw usage_error(fmt::format("bad {}: sort: {} items at a null pointer", array, n));
}

void check_alignment(char const* array, void const* items, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(items) % alignment != 0)
    throw usage_error(fmt::format("bad {}: sort: misaligned: at an address that is not a multiple of {}", array, alignment));
}

bool overlap(void const* a, std::size_t a_bytes, void const* b, std::size_t b_bytes) {
  auto const x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/// Checks the inputs of a task of at least one key that does not sort in place.
void check_inputs(sort_task const& task) {
  struct array {
    char const* name;
    void const* items;
    std::size_t bytes;
  };
  std::size_t const key_bytes = task.n * task.key_bytes, value_bytes = task.n * task.value_bytes;
  bool const has_values = task.value_bytes != 0;
  array const inputs[] = {{"keys_in", task.keys_in, key_bytes}, {"values_in", task.values_in, value_bytes}};
  array const outputs[] = {{"keys", task.keys, key_bytes}, {"values", task.values, value_bytes}};
  for (unsigned i = 0; i < 1u + has_values; ++i) {
    check_pointer(inputs[i].name, inputs[i].items, task.n);
    check_alignment(inputs[i].name, inputs[i].items, i == 0 ? task.key_bytes : task.value_alignment);
    for (unsigned o = 0; o < 1u + has_values; ++o)
      if (!(i == o && inputs[i].items == outputs[o].items) &&
          overlap(inputs[i].items, inputs[i].bytes, outputs[o].items, outputs[o].bytes))
        throw usage_error(
            fmt::format("overlap: sort: {} overlaps the output of {}: the two must be apart, or the same array in place",
                        inputs[i].name, outputs[o].name));
  }
  if (has_values && overlap(task.keys, key_bytes, task.values, value_bytes))
    throw usage_error("overlap: sort: the outputs of keys and values overlap");
}

}  // namespace

void check_length(char const* array, char const* where, std::size_t length, std::size_t n) {
  if (length != n) throw usage_error(fmt::format("bad {}: {}: length {} for {} keys", array, where, length, n));
}

void check_index_width(std::size_t n, std::size_t index_bytes, bool is_signed) {
  if (index_bytes < 8 && n > std::size_t{1} << (is_signed ? 31 : 32))
    throw usage_error(fmt::format("index too narrow: argsort: positions of {} keys do not fit {} integers of 32 bits", n,
                                  is_signed ? "signed" : "unsigned"));
}

void check_known(known_segments const& s) {
  if (s.uniform_length != 0) {
    std::size_t end = 0;
    if (__builtin_mul_overflow(s.uniform_length, s.count, &end) || end > s.n)
      throw usage_error(
          fmt::format("bad segments: uniform: {} of length {} do not fit in {} items", s.count, s.uniform_length, s.n));
    if (s.count != 0 && s.uniform_length > s.max_length)
      throw usage_error(fmt::format("bad segments: uniform: length {}, but max_length is {}", s.uniform_length, s.max_length));
    return;
  }
  if (s.begins != s.ends) throw usage_error(fmt::format("bad segments: bounds: {} begins and {} ends", s.begins, s.ends));
  if (s.begins != 0 && s.null) throw usage_error(fmt::format("bad segments: bounds: {} at a null pointer", s.begins));
}

void check_arguments(sort_task const& task) {
  using operation = sort_task::operation;
  if (task.kind == operation::argsort) check_index_width(task.n, task.value_bytes, task.signed_index);
  if (task.kind == operation::segments || task.kind == operation::arrays || task.kind == operation::check)
    check_known({task.n, task.uniform_length == 0 ? task.segments : 0, task.ends_given,
                 task.begins == nullptr || task.ends == nullptr, task.max_length, task.uniform_length, task.segments});
  if (task.kind == operation::check) return;
  bool const has_values = task.value_bytes != 0, has_heads = task.heads_given != 0;
  char const* const values = task.kind == operation::argsort ? "index" : "values";
  if (has_values) check_length(values, "sort", task.values_given, task.n);
  if (has_heads) check_length("heads", "sort", task.heads_given, task.n);
  if (task.out_of_place) {
    check_length("keys_in", "sort", task.keys_in_given, task.n);
    if (has_values) check_length("values_in", "sort", task.values_in_given, task.n);
  }
  if (task.n == 0) return;
  check_pointer("keys", task.keys, task.n);
  if (has_values) check_pointer(values, task.values, task.n);
  if (has_heads) check_pointer("heads", task.heads, task.n);
  check_alignment("keys", task.keys, task.key_bytes);
  if (has_values) check_alignment(values, task.values, task.value_alignment);
  if (task.out_of_place) check_inputs(task);
}

void check_extent(char const* array, std::size_t n, std::size_t bytes) {
  constexpr std::size_t address_space = std::size_t{1} << 57;
  if (bytes != 0 && n > address_space / bytes)
    throw usage_error(fmt::format("bad length: {}: {} items of {} bytes exceed the address space", array, n, bytes));
}

void check_extents(sort_task const& task) {
  check_extent("keys", task.n, std::max<std::size_t>(task.key_bytes, 1));
  check_extent("values", std::max<std::size_t>(task.n, 1), task.value_bytes);
  check_extent("segments", task.segments, 16);
}

void refuse_segment(std::uint64_t number, std::uint64_t begin, std::uint64_t end, std::size_t n, std::size_t max_length,
                    std::size_t signed_bytes) {
  if (begin <= end && end <= n)
    throw usage_error(fmt::format("bad segments: segment {}: [{}, {}), but max_length is {}", number, begin, end, max_length));
  auto const text = [&](std::uint64_t offset) {
    if (signed_bytes == 4) return fmt::format("{}", std::int32_t(offset));
    return signed_bytes == 8 ? fmt::format("{}", std::int64_t(offset)) : fmt::format("{}", offset);
  };
  throw usage_error(fmt::format("bad segments: segment {}: [{}, {}) of {} items", number, text(begin), text(end), n));
}

void refuse_overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end) {
  throw usage_error(fmt::format("bad segments: [{}, {}): overlaps [{}, {})", begin, end, other_begin, other_end));
}

}  // namespace ordo::inline v0::detail
