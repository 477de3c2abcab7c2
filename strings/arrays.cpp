#include "ordo/strings/arrays.hpp"

#include <algorithm>
#include <bitset>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_sort.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"

namespace ordo::inline v0::strings {
namespace {

template <class F>
void each(std::size_t n, F f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 4096), [&](auto const& part) {
    for (std::size_t k = part.begin(); k < part.end(); ++k) f(k);
  });
}

template <class Index>
void check_width(std::size_t bytes) {
  if (bytes > std::numeric_limits<Index>::max())
    throw usage_error(fmt::format("bad index: {} bits: places in {} bytes need more", 8 * sizeof(Index), bytes));
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return std::size_t(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// Returns the number of each sorted line in the text.
template <class Index>
std::vector<Index> make_permutation(sorted_lines const& lines) {
  std::size_t const n = lines.size();
  std::vector<Index> starts(n), permutation(n);
  each(n, [&](std::size_t k) { starts[k] = Index(lines.start(k)); });
  tbb::parallel_sort(starts);
  each(n, [&](std::size_t k) {
    permutation[k] = Index(std::lower_bound(starts.begin(), starts.end(), Index(lines.start(k))) - starts.begin());
  });
  return permutation;
}

// Fills the other arrays. string(permutation, k) is the k-th string in order, inside of `base`.
template <class Index, class String>
order_arrays<Index> arrays_with(std::vector<Index> permutation, char const* base, String string) {
  std::size_t const n = permutation.size();
  order_arrays<Index> all{.permutation = std::move(permutation),
                          .starts = std::vector<Index>(n),
                          .lengths = std::vector<Index>(n),
                          .common_prefixes = std::vector<Index>(n),
                          .machine = {}};
  each(n, [&](std::size_t k) {
    std::string_view const one = string(all.permutation, k);
    all.starts[k] = Index(one.data() - base);
    all.lengths[k] = Index(one.size());
    if (k != 0) all.common_prefixes[k] = Index(common_prefix(string(all.permutation, k - 1), one));
  });
  return all;
}

using byte_set = std::bitset<256>;

byte_set bytes_in(std::string_view text) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, text.size(), std::size_t{1} << 20), byte_set(),
      [&](auto const& part, byte_set seen) {
        bool found[256] = {};
        for (std::size_t i = part.begin(); i < part.end(); ++i) found[static_cast<unsigned char>(text[i])] = true;
        for (std::size_t b = 0; b < 256; ++b)
          if (found[b]) seen.set(b);
        return seen;
      },
      [](byte_set const& a, byte_set const& b) { return a | b; });
}

// Returns a byte that is in no string. NUL is the one that keys expect.
std::optional<char> free_byte(byte_set const& seen) {
  for (unsigned b = 0; b < 0x80; ++b)
    if (!seen[b]) return static_cast<char>(b);
  return {};
}

// If every byte occurs, NUL ends strings, NUL in a string becomes 1 1, and 1 becomes 1 2. This keeps the order of bytes.
constexpr char escape = 1;
bool is_escaped(char c) {
  return c == 0 || c == escape;
}

// A copy of the strings of a column, with a delimiter after each.
class delimited {
 public:
  /// @param free  a byte that is in none of the strings, if there is one
  template <class String>
  delimited(std::size_t n, std::optional<char> free, std::size_t limit, String string)
      : escaped_(!free), delimiter_(free.value_or(0)), ends_(n) {
    each(n, [&](std::size_t i) { ends_[i] = stored_size(string(i)); });
    std::size_t size = 0;
    for (std::size_t& end : ends_) end = size += end;
    if (size > limit)
      throw out_of_memory(
          fmt::format("out of memory: a copy of {} strings: {} bytes are needed, {} are available", n, size, limit), size);
    text_.resize(size);
    each(n, [&](std::size_t i) { put(string(i), text_.data() + (i == 0 ? 0 : ends_[i - 1])); });
  }

  [[nodiscard]] std::string_view text() const { return {text_.data(), text_.size()}; }
  [[nodiscard]] char delimiter() const { return delimiter_; }

 private:
  [[nodiscard]] std::size_t stored_size(std::string_view string) const {
    return string.size() + 1 + (escaped_ ? std::size_t(std::ranges::count_if(string, is_escaped)) : 0);
  }
  void put(std::string_view string, char* to) const {
    if (escaped_) {
      for (char const c : string) {
        if (is_escaped(c)) *to++ = escape;
        *to++ = is_escaped(c) ? static_cast<char>(c + 1) : c;
      }
    } else {
      to = std::copy(string.begin(), string.end(), to);
    }
    *to = delimiter_;
  }

  bool escaped_;
  char delimiter_;
  std::vector<std::size_t> ends_;
  host_bytes text_;
};

}  // namespace

template <class Index>
order_arrays<Index> to_arrays(sorted_lines const& lines, unsigned threads) {
  check_width<Index>(lines.text().size());
  order_arrays<Index> all;
  pooled_arena(threads_for(threads)).execute([&] {
    all =
        arrays_with(make_permutation<Index>(lines), lines.text().data(), [&](auto const&, std::size_t k) { return lines[k]; });
  });
  all.machine = lines.machine();
  all.device_memory = lines.device_memory();
  return all;
}

template <class Index, class Offset>
order_arrays<Index> sort(std::string_view bytes, std::span<Offset const> offsets, sort_options const& options) {
  check_width<Index>(bytes.size());
  std::size_t const n = offsets.empty() ? 0 : offsets.size() - 1;
  for (std::size_t i = 0; i <= n && !offsets.empty(); ++i)
    if (offsets[i] < (i == 0 ? Offset{0} : offsets[i - 1]) || std::uint64_t(offsets[i]) > bytes.size())
      throw usage_error(fmt::format("bad offset: strings: number {} is {}", i, offsets[i]));
  auto const string = [&](std::size_t i) { return bytes.substr(offsets[i], offsets[i + 1] - offsets[i]); };

  order_arrays<Index> all;
  pooled_arena arena(threads_for(options.machine.threads));
  std::optional<delimited> copy;
  std::string_view const column = n == 0 ? std::string_view() : bytes.substr(offsets[0], offsets[n] - offsets[0]);
  arena.execute([&] {
    auto const free = free_byte(bytes_in(column));
    if (!free && !options.by.is_plain())
      throw usage_error("bad strings: every byte below 0x80 is in some: none is left to end them, so no keys and no locale");
    copy.emplace(n, free, options.memory, string);
  });
  sort_options here = options;
  here.delimiter = copy->delimiter();
  here.memory -= std::min(here.memory, copy->text().size());
  sorted_lines const lines = sort(copy->text(), here);
  arena.execute([&] {
    all = arrays_with(make_permutation<Index>(lines), bytes.data(),
                      [&](std::vector<Index> const& permutation, std::size_t k) { return string(permutation[k]); });
  });
  all.machine = lines.machine();
  all.device_memory = lines.device_memory();
  return all;
}

#define ORDO_INSTANTIATE_OFFSET(Index, Offset) \
  template order_arrays<Index> sort(std::string_view, std::span<Offset const>, sort_options const&);
#define ORDO_INSTANTIATE(Index)                                          \
  template order_arrays<Index> to_arrays(sorted_lines const&, unsigned); \
  ORDO_INSTANTIATE_OFFSET(Index, std::int32_t)                           \
  ORDO_INSTANTIATE_OFFSET(Index, std::uint32_t)                          \
  ORDO_INSTANTIATE_OFFSET(Index, std::int64_t)                           \
  ORDO_INSTANTIATE_OFFSET(Index, std::uint64_t)
ORDO_INSTANTIATE(std::uint32_t)
ORDO_INSTANTIATE(std::uint64_t)

}  // namespace ordo::inline v0::strings
