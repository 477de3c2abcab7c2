#include "suffix/occurrences.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "sort_core/error.hpp"
#include "sort_core/host/parallel.hpp"
#include "sort_core/host/threads.hpp"
#include "sort_core/load.hpp"

namespace ordo::suffix {

template <class Count>
void count_occurrences(text const& input, entries sa, entries lcp, std::uint64_t length, std::span<Count> at,
                       std::string const& name, unsigned threads) {
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
  });
}

template void count_occurrences(text const&, entries, entries, std::uint64_t, std::span<std::uint32_t>, std::string const&,
                                unsigned);
template void count_occurrences(text const&, entries, entries, std::uint64_t, std::span<std::uint64_t>, std::string const&,
                                unsigned);

}  // namespace ordo::suffix
