#include "ordo/suffix/repeats.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "suffix/sort/bwt.hpp"

namespace ordo::suffix {
namespace {

using detail::record_begin;

/// An LCP array, and the letters before the suffixes, where some letters are like no others.
class common_letters {
 public:
  common_letters(entries lcp, std::span<char const> bwt, letters_apart const& apart) : lcp_(lcp), bwt_(bwt), apart_(apart) {}

  [[nodiscard]] std::size_t size() const noexcept { return lcp_.size(); }
  /// The common prefix of a row's suffix and the one before; 0 where it is shorter than `least`.
  [[nodiscard]] std::uint64_t length(std::size_t row, std::uint64_t least) const noexcept {
    std::uint64_t length = lcp_[row];
    if (length < least) return 0;
    if (apart_.positions) {
      std::uint64_t const p = apart_.sa[row];
      if (auto const next = apart_.positions->next(p)) length = std::min(length, *next - p);
    }
    return length < least ? 0 : length;
  }
  /// The letter before a row's suffix; record_begin where it is like no other.
  [[nodiscard]] char before(std::size_t row) const noexcept {
    char const letter = bwt_[row];
    return apart_.positions && !is_nucleotide(static_cast<unsigned char>(letter)) ? record_begin : letter;
  }

 private:
  entries lcp_;
  std::span<char const> bwt_;
  letters_apart apart_;
};

/// Goes through the intervals of rows that have `least` common letters or more: the inner nodes of the suffix tree, without the
/// tree. A node has Data, of the rows that have been seen of it. leaf(row) gives that of a row alone; add(node, data) adds a
/// child's, in order of rows; close(node, end) tells that it has all rows [node.begin, end). Children close before parents.
template <class Data>
struct interval {
  std::uint64_t length;
  std::size_t begin;
  Data data;
};
template <class Data, class Leaf, class Add, class Close>
void walk_intervals(common_letters const& lcp, std::uint64_t least, Leaf leaf, Add add, Close close) {
  std::vector<interval<Data>> open;
  auto const outer = [&] { return open.empty() ? 0 : open.back().length; };
  std::size_t const n = lcp.size();
  for (std::size_t row = 1; row <= n; ++row) {
    std::uint64_t const length = row == n ? 0 : lcp.length(row, least);  // of this row and the one before
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

/// Rows behind one and the same letter, as a list.
struct rows_of_letter {
  char letter;
  std::size_t first, last, count;
};

struct letter_lists {
  std::vector<rows_of_letter> lists;
  std::uint64_t pairs = 0;  // of the interval itself
};

}  // namespace

void find_repeats(entries lcp, std::span<char const> bwt, letters_apart const& apart, std::uint64_t least,
                  std::function<void(repeat const&)> const& found) {
  common_letters const letters(lcp, bwt, apart);
  struct nothing {};
  std::size_t changed = 0;  // the last row that has another letter before it than the row before
  walk_intervals<nothing>(
      letters, least,
      [&](std::size_t row, bool) {
        char const before = letters.before(row);
        if (row != 0 && (before != letters.before(row - 1) || before == record_begin)) changed = row;
        return nothing{};
      },
      [](interval<nothing>&, nothing) {},
      [&](interval<nothing> const& one, std::size_t end) {
        if (changed > one.begin) found({one.length, {one.begin, end}});
      });
}

void find_pairs(entries lcp, std::span<char const> bwt, letters_apart const& apart, std::uint64_t least, std::uint64_t limit,
                std::function<void(repeat_pair const&)> const& found, std::function<void(pairs_of_repeat const&)> const& told) {
  common_letters const letters(lcp, bwt, apart);
  std::size_t run = 0;            // the first row of the outermost interval
  std::vector<std::size_t> next;  // of its rows: the one behind in a list
  auto const each_pair = [&](std::uint64_t length, rows_of_letter const& some, rows_of_letter const& others,
                             std::uint64_t most) {
    std::size_t row = some.first;
    for (std::size_t i = 0; i < some.count; ++i, row = next[row - run]) {
      std::size_t other = others.first;
      for (std::size_t k = 0; k < others.count; ++k, other = next[other - run]) {
        if (most-- == 0) return;
        found({length, row, other});
      }
    }
  };
  walk_intervals<letter_lists>(
      letters, least,
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
            if (some.letter == others.letter && some.letter != record_begin) continue;
            std::uint64_t const told_before = to.data.pairs;
            to.data.pairs += std::uint64_t(some.count) * others.count;
            if (limit == 0 || told_before < limit)
              each_pair(to.length, some, others, limit == 0 ? ~std::uint64_t{0} : limit - told_before);
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
      [&](interval<letter_lists>& one, std::size_t end) {
        if (one.data.pairs != 0) told({{one.length, {one.begin, end}}, std::exchange(one.data.pairs, 0)});
      });
}

}  // namespace ordo::suffix
