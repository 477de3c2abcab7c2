#include "ordo/suffix/duplicates.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/bits.hpp"
#include "base/threads.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t rows_at_once = std::size_t{1} << 14;

/// A bit for each position; it is set if a copy of min_length residues begins there.
using copy_bits = std::vector<std::uint64_t>;

/// Marks the copies. Rows whose suffixes share min_length residues are adjacent; the thread that has the first of them marks all.
copy_bits mark_copies(text const& input, entries sa, entries lcp, duplicate_options const& options, std::string const& name) {
  std::size_t const n = sa.size();
  copy_bits bits(n / 64 + 1);
  auto const begins = [&](std::size_t row) { return row == 0 || row >= n || lcp[row] < options.min_length; };
  auto const position = [&](std::size_t row) {
    std::uint64_t const p = sa[row];
    if (p >= n) throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name, row, p, input.size()));
    return p;
  };
  tbb::task_arena arena(threads_for(options.threads));
  arena.execute([&] {
    host_detail::blocks(n, rows_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
      while (begin < end && !begins(begin)) ++begin;
      while (begin < end) {
        std::size_t behind = begin + 1;
        while (!begins(behind)) ++behind;
        std::uint64_t kept = n;
        if (behind - begin > 1 && options.keep == kept_copies::first)
          for (std::size_t row = begin; row < behind; ++row) kept = std::min(kept, position(row));
        if (behind - begin > 1)
          for (std::size_t row = begin; row < behind; ++row)
            if (std::uint64_t const p = position(row); p != kept) or_relaxed(&bits[p / 64], std::uint64_t{1} << (p % 64));
        begin = behind;
      }
    });
  });
  return bits;
}

/// Returns the first position in [p, end) whose bit is `value`, or end.
std::size_t next(copy_bits const& bits, std::size_t p, std::size_t end, bool value) {
  while (p < end) {
    std::uint64_t const word = (value ? bits[p / 64] : ~bits[p / 64]) >> (p % 64);
    if (word != 0) return std::min<std::size_t>(end, p + trailing_zeros(word));
    p = (p / 64 + 1) * 64;
  }
  return end;
}

/// Shortens a range to whole characters.
void shorten(std::string_view bytes, std::size_t record_end, duplicate_range& range) {
  auto const continues = [&](std::uint64_t p) { return p < record_end && (static_cast<unsigned char>(bytes[p]) & 0xc0) == 0x80; };
  while (range.begin < range.end && continues(range.begin)) ++range.begin;
  while (range.begin < range.end && continues(range.end)) --range.end;
}

}  // namespace

std::uint64_t find_duplicates(text const& input, entries sa, entries lcp, duplicate_options const& options,
                              std::function<void(duplicate_range const&)> const& on_range, std::string const& name) {
  if (sa.size() != input.size() || lcp.size() != input.size())
    throw usage_error(fmt::format("wrong array size: duplicates: {} rows of sa and {} of lcp for {} residues", sa.size(),
                                  lcp.size(), input.size()));
  if (options.min_length == 0) throw usage_error("invalid length: duplicates: a duplicate has at least one residue");
  copy_bits const bits = mark_copies(input, sa, lcp, options, name);
  std::uint64_t all = 0;
  for (std::size_t record = 0; record < input.records(); ++record) {
    std::size_t const end = input.end_of(record);
    for (std::size_t p = input.begin_of(record); (p = next(bits, p, end, true)) < end;) {
      std::size_t const last = next(bits, p, end, false) - 1;
      // A wrong LCP may claim more residues than are left.
      duplicate_range range{record, p, last + std::min<std::uint64_t>(options.min_length, end - last)};
      p = last + 1;
      // The next copy may begin inside this one, or behind it.
      for (std::size_t limit; p < (limit = std::min<std::size_t>(end, range.end + 1));) {
        std::size_t const further = next(bits, p, limit, true);
        if (further == limit) break;
        std::size_t const behind = next(bits, further, end, false);
        range.end = std::max(range.end, behind - 1 + std::min<std::uint64_t>(options.min_length, end - behind + 1));
        p = behind;
      }
      p = std::max(p, std::size_t(range.end));
      if (options.whole_characters) shorten(input.residues, end, range);
      if (range.begin == range.end) continue;
      all += range.end - range.begin;
      on_range(range);
    }
  }
  return all;
}

}  // namespace ordo::inline v0::suffix
