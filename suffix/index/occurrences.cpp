#include "ordo/suffix/occurrences.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"

namespace ordo::suffix {

namespace {

/// Clears the counts of k-mers that hold an ambiguous letter. @returns how many there are
template <class Count>
std::uint64_t clear_ambiguous(text const& input, ambiguous_positions const& ambiguous, std::uint64_t length,
                              std::span<Count> at) {
  std::atomic<std::uint64_t> cleared{0};
  host_detail::blocks(at.size(), std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
    std::uint64_t here = 0;
    for (std::size_t record = begin == end ? 0 : input.record_of(begin), p = begin; p < end; ++record) {
      std::size_t const stop = input.end_of(record);
      if (stop - input.begin_of(record) >= length) {  // k-mers of it begin before `behind`
        std::size_t const behind = std::min(end, stop - std::size_t(length) + 1);
        while (p < behind) {
          auto const next = ambiguous.next(p);
          if (!next || *next - p >= length + (behind - p - 1)) break;
          std::size_t const first = std::max<std::size_t>(p, *next - std::min<std::uint64_t>(*next, length - 1));
          std::size_t const last = std::min<std::size_t>(behind - 1, *next);
          std::ranges::fill(at.subspan(first, last - first + 1), Count{0});
          here += last - first + 1;
          p = last + 1;
        }
      }
      p = std::min(end, stop);
    }
    cleared += here;
  });
  return cleared;
}

}  // namespace

template <class Count>
std::uint64_t count_occurrences(text const& input, entries sa, entries lcp, std::uint64_t length, letter_choice letters,
                                std::span<Count> at, std::string const& name, unsigned threads) {
  ambiguous_positions const ambiguous =
      letters == letter_choice::nucleotides ? ambiguous_positions(input.residues, threads) : ambiguous_positions();
  std::uint64_t cleared = 0;
  std::size_t const n = sa.size();
  if (at.size() != input.size() || lcp.size() != n)
    throw usage_error(fmt::format("arrays of wrong size: occurrences: {} counts of {} residues, {} rows of sa and {} of lcp",
                                  at.size(), input.size(), n, lcp.size()));
  std::ranges::fill(at, Count{0});
  auto const begins = [&](std::size_t row) { return row == 0 || row >= n || lcp[row] < length; };
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    // Rows that have the letters in common lie side by side; whoever has the first of them counts them.
    host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      while (begin < end && !begins(begin)) ++begin;
      while (begin < end) {
        std::size_t behind = begin + 1;
        while (!begins(behind)) ++behind;
        for (std::size_t row = begin; row < behind; ++row) {
          std::uint64_t const p = sa[row];
          if (p >= input.size())
            throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name, row, p, input.size()));
          store_relaxed(at.data() + p, Count(behind - begin));
        }
        begin = behind;
      }
    });
    host_detail::parallel_each(input.records(), 1, [&](std::size_t record) {
      std::size_t const begin = input.begin_of(record), end = input.end_of(record);
      std::size_t const last = end - begin < length ? begin : end - std::size_t(length) + 1;
      std::ranges::fill(at.subspan(last, end - last), Count{0});
    });
    if (ambiguous.count() != 0) cleared = clear_ambiguous(input, ambiguous, length, at);
  });
  return cleared;
}

template std::uint64_t count_occurrences(text const&, entries, entries, std::uint64_t, letter_choice, std::span<std::uint32_t>,
                                         std::string const&, unsigned);
template std::uint64_t count_occurrences(text const&, entries, entries, std::uint64_t, letter_choice, std::span<std::uint64_t>,
                                         std::string const&, unsigned);

}  // namespace ordo::suffix
