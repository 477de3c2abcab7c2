#include "ordo/suffix/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/arrays/bwt.hpp"
#include "suffix/text/checked_position.hpp"
#include "suffix/text/circular.hpp"

namespace ordo::inline v0::suffix {
namespace {

using detail::record_begin;

/// The letter before a suffix that begins its record: no letter.
constexpr std::uint64_t no_letter = ~std::uint64_t{0};

/// An LCP array and the letters before suffixes, without the excluded ones.
class common_letters {
 public:
  common_letters(entries lcp, std::span<char const> bwt, excluded_letters const& excluded)
      : lcp_(lcp), bwt_(bwt), excluded_(excluded) {}

  [[nodiscard]] std::size_t size() const noexcept { return lcp_.size(); }
  /// Returns the length of the common prefix of a row's suffix and the one before; 0 if it is shorter than `min_length`.
  [[nodiscard]] std::uint64_t length(std::size_t row, std::uint64_t min_length) const noexcept {
    std::uint64_t length = lcp_[row];
    if (length < min_length) return 0;
    if (excluded_.positions) {
      std::uint64_t const p = excluded_.sa[row];
      if (auto const next = excluded_.positions->next(p)) length = std::min(length, *next - p);
    }
    return length < min_length ? 0 : length;
  }
  /// Returns the letter before a row's suffix, or no_letter if it differs from all others.
  [[nodiscard]] std::uint64_t before(std::size_t row) const noexcept {
    auto const letter = static_cast<unsigned char>(bwt_[row]);
    bool const alone = letter == record_begin || (excluded_.positions && !is_nucleotide(letter));
    return alone ? no_letter : letter;
  }

 private:
  entries lcp_;
  std::span<char const> bwt_;
  excluded_letters excluded_;
};

/// The same of a text whose letters may be any bytes or tokens.
class common_bytes {
 public:
  common_bytes(text const& input, entries sa, entries lcp, std::string const& name)
      : input_(input), record_at_(input_), sa_(sa), lcp_(lcp), name_(name) {}

  [[nodiscard]] std::size_t size() const noexcept { return lcp_.size(); }
  [[nodiscard]] std::uint64_t length(std::size_t row, std::uint64_t min_length) const noexcept {
    std::uint64_t const length = lcp_[row];
    return length < min_length ? 0 : length;
  }
  [[nodiscard]] std::uint64_t before(std::size_t row) const {
    constexpr std::size_t ahead = 16;
    if (row + ahead < sa_.size())
      __builtin_prefetch(input_.residues.data() +
                         std::min<std::uint64_t>(sa_[row + ahead], input_.size()) * input_.residue_bytes);
    std::uint64_t const p = detail::checked_position(sa_[row], input_.size(), name_, row);
    if (p == input_.begin(record_at_(p))) return no_letter;
    std::uint64_t letter = 0;
    std::memcpy(&letter, input_.residues.data() + (p - 1) * input_.residue_bytes, input_.residue_bytes);
    return letter;
  }

 private:
  text input_;
  record_finder record_at_;
  entries sa_, lcp_;
  std::string const& name_;
};

/// Visits the intervals of rows that share at least `min_length` letters, which are the inner nodes of the suffix tree, without
/// the tree. A node has Data about those of its rows that have been seen. leaf(row) returns the data of a single row; add(node,
/// data) adds those of a child, in order of rows; close(node, end) ends the node with rows [node.begin, end). Children close
/// before parents.
template <class Data>
struct interval {
  std::uint64_t length;
  std::size_t begin;
  Data data;
};
template <class Data, class Letters, class Leaf, class Add, class Close>
void walk_intervals(Letters const& lcp, std::uint64_t min_length, Leaf leaf, Add add, Close close) {
  std::vector<interval<Data>> open;
  auto const outer = [&] { return open.empty() ? 0 : open.back().length; };
  std::size_t const n = lcp.size();
  for (std::size_t row = 1; row <= n; ++row) {
    std::uint64_t const length = row == n ? 0 : lcp.length(row, min_length);  // length of this row and the one before
    if (length > outer()) open.push_back({length, row - 1, {}});
    if (!open.empty()) add(open.back(), leaf(row - 1, open.size() == 1 && open.back().begin == row - 1));
    while (length < outer()) {
      interval<Data> done = std::move(open.back());
      open.pop_back();
      close(done, row);
      if (length > outer())
        open.push_back({length, done.begin, std::move(done.data)});  // its first child
      else if (!open.empty())
        add(open.back(), std::move(done.data));
    }
  }
}

/// A list of rows that follow the same letter.
struct rows_of_letter {
  std::uint64_t letter;
  std::size_t first, last, count;
};

struct letter_lists {
  std::vector<rows_of_letter> lists;
  std::uint64_t pairs = 0;  // pairs in the interval itself
};

template <class Letters>
void report_repeats(Letters const& letters, std::uint64_t min_length, std::function<void(repeat const&)> const& on_repeat) {
  struct nothing {};
  std::size_t changed = 0;  // the last row whose preceding letter differs from that of the row before
  walk_intervals<nothing>(
      letters, min_length,
      [&](std::size_t row, bool) {
        std::uint64_t const before = letters.before(row);
        if (row != 0 && (before != letters.before(row - 1) || before == no_letter)) changed = row;
        return nothing{};
      },
      [](interval<nothing>&, nothing) {},
      [&](interval<nothing> const& interval, std::size_t end) {
        if (changed > interval.begin) on_repeat({interval.length, {interval.begin, end}});
      });
}

template <class Letters>
void report_pairs(Letters const& letters, std::uint64_t min_length, std::uint64_t limit,
                  std::function<void(repeat_pair const&)> const& on_pair,
                  std::function<void(repeat_pair_count const&)> const& on_repeat) {
  std::size_t run = 0;            // the first row of the outermost interval
  std::vector<std::size_t> next;  // for each of its rows, the next one in a list
  auto const each_pair = [&](std::uint64_t length, rows_of_letter const& some, rows_of_letter const& others,
                             std::uint64_t max_pairs) {
    std::size_t row = some.first;
    for (std::size_t i = 0; i < some.count; ++i, row = next[row - run]) {
      std::size_t other = others.first;
      for (std::size_t k = 0; k < others.count; ++k, other = next[other - run]) {
        if (max_pairs-- == 0) return;
        on_pair({length, row, other});
      }
    }
  };
  walk_intervals<letter_lists>(
      letters, min_length,
      [&](std::size_t row, bool begins_run) {
        if (begins_run) {
          run = row;
          next.clear();
        }
        next.push_back(row);
        return letter_lists{{{letters.before(row), row, row, 1}}};
      },
      [&](interval<letter_lists>& to, letter_lists child) {
        for (rows_of_letter const& others : child.lists)
          for (rows_of_letter const& some : to.data.lists) {
            if (some.letter == others.letter && some.letter != no_letter) continue;
            std::uint64_t const pairs_before = to.data.pairs;
            to.data.pairs += std::uint64_t(some.count) * others.count;
            if (limit == 0 || pairs_before < limit)
              each_pair(to.length, some, others, limit == 0 ? ~std::uint64_t{0} : limit - pairs_before);
          }
        for (rows_of_letter const& others : child.lists) {
          auto const same = std::ranges::find(to.data.lists, others.letter, &rows_of_letter::letter);
          if (same == to.data.lists.end()) {
            to.data.lists.push_back(others);
            continue;
          }
          next[same->last - run] = others.first;
          same->last = others.last;
          same->count += others.count;
        }
      },
      [&](interval<letter_lists>& interval, std::size_t end) {
        if (interval.data.pairs != 0)
          on_repeat({{interval.length, {interval.begin, end}}, std::exchange(interval.data.pairs, 0)});
      });
}

void check_rows(text const& input, entries sa, entries lcp) {
  if (sa.size() != input.size() || lcp.size() != input.size())
    throw usage_error(fmt::format("wrong array size: repeats: {} rows of sa and {} of lcp for {} residues", sa.size(),
                                  lcp.size(), input.size()));
}

}  // namespace

void find_repeats(entries lcp, std::span<char const> bwt, excluded_letters const& excluded, std::uint64_t min_length,
                  std::function<void(repeat const&)> const& on_repeat) {
  report_repeats(common_letters(lcp, bwt, excluded), min_length, on_repeat);
}

void find_repeats(text const& input, entries sa, entries lcp, std::uint64_t min_length,
                  std::function<void(repeat const&)> const& on_repeat, std::string const& name) {
  check_rows(input, sa, lcp);
  report_repeats(common_bytes(input, sa, lcp, name), min_length, on_repeat);
}

void find_pairs(entries lcp, std::span<char const> bwt, excluded_letters const& excluded, std::uint64_t min_length,
                std::uint64_t limit, std::function<void(repeat_pair const&)> const& on_pair,
                std::function<void(repeat_pair_count const&)> const& on_repeat) {
  report_pairs(common_letters(lcp, bwt, excluded), min_length, limit, on_pair, on_repeat);
}

void find_pairs(text const& input, entries sa, entries lcp, std::uint64_t min_length, std::uint64_t limit,
                std::function<void(repeat_pair const&)> const& on_pair,
                std::function<void(repeat_pair_count const&)> const& on_repeat, std::string const& name) {
  check_rows(input, sa, lcp);
  report_pairs(common_bytes(input, sa, lcp, name), min_length, limit, on_pair, on_repeat);
}

namespace {

/// Clears the counts of k-mers that hold an ambiguous letter.
/// @returns their number
template <class Count>
std::uint64_t clear_ambiguous(text const& input, ambiguous_positions const& ambiguous, std::uint64_t length,
                              std::span<Count> at) {
  std::atomic<std::uint64_t> cleared{0};
  host_detail::blocks(at.size(), std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
    std::uint64_t here = 0;
    for (std::size_t record = begin == end ? 0 : input.record_at(begin), p = begin; p < end; ++record) {
      std::size_t const stop = input.end(record);
      if (stop - input.begin(record) >= length) {  // its k-mers begin before `kmers_end`
        std::size_t const kmers_end = std::min(end, stop - std::size_t(length) + 1);
        while (p < kmers_end) {
          auto const next = ambiguous.next(p);
          if (!next || *next - p >= length + (kmers_end - p - 1)) break;
          std::size_t const first = std::max<std::size_t>(p, *next - std::min<std::uint64_t>(*next, length - 1));
          std::size_t const last = std::min<std::size_t>(kmers_end - 1, *next);
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
    throw usage_error(fmt::format("wrong array size: occurrences: {} counts of {} residues, {} rows of sa and {} of lcp",
                                  at.size(), input.size(), n, lcp.size()));
  if (length == 0) throw usage_error("invalid length: occurrences: 0: a string has at least one letter");
  std::ranges::fill(at, Count{0});
  auto const begins = [&](std::size_t row) { return row == 0 || row >= n || lcp[row] < length; };
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    // Rows that share the letters are adjacent; the thread that has the first of them counts them.
    host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      while (begin < end && !begins(begin)) ++begin;
      while (begin < end) {
        std::size_t after = begin + 1;
        while (!begins(after)) ++after;
        for (std::size_t row = begin; row < after; ++row) {
          std::uint64_t const p = detail::checked_position(sa[row], input.size(), name, row);
          store_relaxed(at.data() + p, Count(after - begin));
        }
        begin = after;
      }
    });
    host_detail::parallel_each(input.records(), 1, [&](std::size_t record) {
      std::size_t const begin = input.begin(record), end = input.end(record);
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

template <class Count>
std::uint64_t add_circular_occurrences(text const& input, searcher const& rows, std::vector<bool> const& circular,
                                       std::uint64_t length, letter_choice letters, std::span<Count> at) {
  if (at.size() != input.size())
    throw usage_error(fmt::format("wrong array size: occurrences: {} counts of {} residues", at.size(), input.size()));
  detail::check_circular(input, circular.size());
  struct crossing {
    std::string_view letters;
    std::uint64_t position;
  };
  std::vector<crossing> all;
  std::deque<std::string> turns;  // the letters around each end
  std::uint64_t left_out = 0;
  for (std::size_t record = 0; length > 1 && record < circular.size(); ++record) {
    std::size_t const begin = input.begin(record), end = input.end(record), others = std::size_t(length) - 1;
    if (!circular[record] || end - begin < length) continue;
    turns.emplace_back(input.residues.substr(end - others, others)) += input.residues.substr(begin, others);
    for (std::size_t i = 0; i < others; ++i) {
      std::string_view const string = std::string_view(turns.back()).substr(i, length);
      if (letters == letter_choice::nucleotides &&
          !std::ranges::all_of(string, [](char c) { return is_nucleotide(static_cast<unsigned char>(c)); }))
        ++left_out;
      else
        all.push_back({string, end - others + i});
    }
  }
  std::ranges::sort(all, {}, &crossing::letters);
  std::vector<std::uint64_t> positions;
  for (std::size_t i = 0, after = 0; i < all.size(); i = after) {
    while (after < all.size() && all[after].letters == all[i].letters) ++after;
    row_range const within = rows.find(all[i].letters);
    positions.resize(within.size());
    std::iota(positions.begin(), positions.end(), std::uint64_t(within.begin));
    rows.positions(positions);
    for (std::uint64_t const p : positions) at[p] += Count(after - i);
    for (std::size_t k = i; k < after; ++k) at[all[k].position] = Count(within.size() + after - i);
  }
  return left_out;
}

template std::uint64_t add_circular_occurrences(text const&, searcher const&, std::vector<bool> const&, std::uint64_t,
                                                letter_choice, std::span<std::uint32_t>);
template std::uint64_t add_circular_occurrences(text const&, searcher const&, std::vector<bool> const&, std::uint64_t,
                                                letter_choice, std::span<std::uint64_t>);

template <class Length>
void find_shortest_unique(text const& input, entries sa, entries lcp, std::span<Length> lengths, std::string const& name,
                          unsigned threads) {
  std::size_t const n = input.size();
  if (sa.size() != n || lcp.size() != n || lengths.size() != n)
    throw usage_error(fmt::format("wrong array size: unique: {} lengths of {} residues, {} rows of sa and {} of lcp",
                                  lengths.size(), n, sa.size(), lcp.size()));
  std::ranges::fill(lengths, Length{0});
  record_finder const record_at(input);
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        std::uint64_t const p = detail::checked_position(sa[row], n, name, row);
        // The neighbours share most with a suffix.
        std::uint64_t const shared = std::max(lcp[row], row + 1 < n ? lcp[row + 1] : 0), room = input.end(record_at(p)) - p;
        if (shared < room) store_relaxed(lengths.data() + p, Length(shared + 1));
      }
    });
  });
}

template void find_shortest_unique(text const&, entries, entries, std::span<std::uint32_t>, std::string const&, unsigned);
template void find_shortest_unique(text const&, entries, entries, std::span<std::uint64_t>, std::string const&, unsigned);

std::vector<spectrum_entry> find_spectrum(text const& input, entries sa, entries lcp, std::uint64_t length,
                                          letter_choice letters, std::string const& name, unsigned threads) {
  ambiguous_positions const ambiguous =
      letters == letter_choice::nucleotides ? ambiguous_positions(input.residues, threads) : ambiguous_positions();
  std::size_t const n = sa.size();
  if (lcp.size() != n || length == 0)
    throw usage_error(
        fmt::format("wrong array size: spectrum: {} rows of sa and {} of lcp, k-mers of {}", n, lcp.size(), length));
  record_finder const record_at(input);
  auto const begins = [&](std::size_t row) { return row == 0 || row >= n || lcp[row] < length; };
  auto const is_kmer = [&](std::size_t row) {
    std::uint64_t const p = detail::checked_position(sa[row], input.size(), name, row);
    if (input.end(record_at(p)) - p < length) return false;
    auto const next = ambiguous.count() == 0 ? std::nullopt : ambiguous.next(p);
    return !next || *next - p >= length;
  };
  std::map<std::uint64_t, std::uint64_t> all;
  std::mutex adding;
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    // Rows that share the letters are adjacent; the thread that has the first of them counts them.
    host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      constexpr std::size_t few = 256;
      std::vector<std::uint64_t> often(few);
      std::map<std::uint64_t, std::uint64_t> here;
      while (begin < end && !begins(begin)) ++begin;
      while (begin < end) {
        std::size_t after = begin + 1;
        while (!begins(after)) ++after;
        std::size_t const count = after - begin;
        if (is_kmer(begin)) ++(count < few ? often[count] : here[count]);
        begin = after;
      }
      for (std::size_t count = 1; count < few; ++count)
        if (often[count] != 0) here[count] += often[count];
      std::lock_guard const lock(adding);
      for (auto const& [count, kmers] : here) all[count] += kmers;
    });
  });
  std::vector<spectrum_entry> spectrum;
  for (auto const& [count, kmers] : all) spectrum.push_back({count, kmers});
  return spectrum;
}

}  // namespace ordo::inline v0::suffix
