#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/repeats.hpp"
#include "suffix/text/circular.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// A text whose circular records go on with their first letters, so that each string that goes around once at most is within a
/// record of it.
struct turned_text {
  std::string residues;
  std::vector<std::uint64_t> starts;

  /// @param more  called as more(letters of a circular record): how many letters follow
  template <class More>
  turned_text(text const& input, std::vector<bool> const& circular, More more) {
    detail::check_circular(input, circular.size());
    for (std::size_t record = 0; record < input.records(); ++record) {
      std::size_t const begin = input.begin(record), size = input.end(record) - begin;
      starts.push_back(residues.size());
      residues += input.residues.substr(begin, size);
      if (circular[record]) residues += input.residues.substr(begin, std::size_t(more(std::uint64_t(size))));
    }
  }
  [[nodiscard]] text view() const { return {residues, starts}; }
};

/// Calls f(sa, lcp) with the arrays of a text, vectors of a type that can number its letters.
template <class F>
void with_arrays(text const& input, build_options const& options, F f) {
  auto const with = [&]<class Index>(Index) {
    std::vector<Index> sa(input.size()), lcp(input.size());
    build<Index>(input, arrays<Index>{sa, lcp, {}}, options);
    f(std::span<Index const>(sa), std::span<Index const>(lcp));
  };
  if (index_fits(4, input.size(), input.records()))
    with(std::uint32_t{});
  else
    with(std::uint64_t{});
}

template <class Index>
entries as_entries(std::span<Index const> array) {
  return {{reinterpret_cast<char const*>(array.data()), array.size_bytes()}, 8 * sizeof(Index)};
}

void check_size(std::string_view name, std::size_t size, text const& input) {
  if (size != input.size())
    throw usage_error(fmt::format("wrong array size: {}: {} numbers for {} residues", name, size, input.size()));
}

}  // namespace

template <class Count>
std::uint64_t count_similar(text const& input, std::vector<bool> const& circular, std::uint64_t length, unsigned mismatches,
                            letter_choice letters, std::span<Count> at, build_options const& options) {
  check_size("occurrences", at.size(), input);
  // As many letters more as give each letter of the record one k-mer that begins with it.
  turned_text const turned(input, circular,
                           [&](std::uint64_t size) { return size < length ? 0 : std::max<std::uint64_t>(length, 1) - 1; });
  std::uint64_t left_out = 0;
  with_arrays(turned.view(), options, [&]<class Index>(std::span<Index const> sa, std::span<Index const> lcp) {
    std::vector<Index> counts(sa.size());
    left_out = count_similar<Index>(turned.view(), as_entries(sa), as_entries(lcp), length, mismatches, letters, counts,
                                    "suffix array", options.machine.threads, options.memory);
    for (std::size_t record = 0; record < input.records(); ++record) {
      std::size_t const begin = input.begin(record);
      for (std::size_t p = begin; p < input.end(record); ++p)
        at[p] = Count(counts[std::size_t(turned.starts[record]) + p - begin]);
    }
  });
  return left_out;
}

template std::uint64_t count_similar(text const&, std::vector<bool> const&, std::uint64_t, unsigned, letter_choice,
                                     std::span<std::uint32_t>, build_options const&);
template std::uint64_t count_similar(text const&, std::vector<bool> const&, std::uint64_t, unsigned, letter_choice,
                                     std::span<std::uint64_t>, build_options const&);

template <class Length>
void find_shortest_unique(text const& input, std::vector<bool> const& circular, std::span<Length> lengths,
                          build_options const& options) {
  check_size("unique", lengths.size(), input);
  turned_text const turned(input, circular, [](std::uint64_t size) { return std::max<std::uint64_t>(size, 1) - 1; });
  text const all = turned.view();
  record_finder const record_at(all);
  /// A row, if its suffix begins in the first turn of a record.
  struct place {
    bool counts;
    std::uint64_t position, room;  // in the input; the most letters that a string may have
  };
  auto const place_at = [&](std::uint64_t p) {
    std::size_t const record = record_at(p);
    std::uint64_t const offset = p - turned.starts[record], begin = input.begin(record), size = input.end(record) - begin;
    return place{offset < size, begin + offset, circular[record] ? size : size - std::min(offset, size)};
  };
  with_arrays(all, options, [&]<class Index>(std::span<Index const> sa, std::span<Index const> lcp) {
    std::size_t const n = sa.size();
    tbb::task_arena arena(threads_for(options.machine.threads));
    arena.execute([&] {
      host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
          place const here = place_at(sa[row]);
          if (!here.counts) continue;
          // The nearest rows share most, but a short record, or a row of the next turn, may be among them.
          std::uint64_t longest = 0;
          auto const compare = [&](std::size_t other, std::uint64_t shared) {
            place const there = place_at(sa[other]);
            if (there.counts) longest = std::max(longest, std::min({shared, here.room, there.room}));
          };
          std::uint64_t shared = here.room;
          for (std::size_t k = row; k > 0 && (shared = std::min<std::uint64_t>(shared, lcp[k])) > longest; --k)
            compare(k - 1, shared);
          shared = here.room;
          for (std::size_t k = row + 1; k < n && (shared = std::min<std::uint64_t>(shared, lcp[k])) > longest; ++k)
            compare(k, shared);
          lengths[std::size_t(here.position)] = longest < here.room ? Length(longest + 1) : 0;
        }
      });
    });
  });
}

template void find_shortest_unique(text const&, std::vector<bool> const&, std::span<std::uint32_t>, build_options const&);
template void find_shortest_unique(text const&, std::vector<bool> const&, std::span<std::uint64_t>, build_options const&);

}  // namespace ordo::inline v0::suffix
