#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/suffix/fm_view.hpp"

// Strings that grow at both ends, by an index of runs, which is of both strands of each record: a letter after a string is its
// complement before the reverse complement (Li, Bioinformatics 2012).
namespace ordo::inline v0::suffix {

/// The rows of a string, and those of its reverse complement: as many.
struct two_way_rows {
  static constexpr std::uint64_t no_block = ~std::uint64_t{0};

  std::uint64_t begin = 0, other_begin = 0, size = 0;
  std::uint64_t block = no_block, other_block = no_block;  // blocks not after those of the first rows, if known

  [[nodiscard]] ORDO_FN bool empty() const noexcept { return size == 0; }
  [[nodiscard]] ORDO_FN fm_interval rows() const noexcept { return {begin, begin + size}; }
  /// Returns those of the reverse complement.
  [[nodiscard]] ORDO_FN two_way_rows reversed() const noexcept { return {other_begin, begin, size, other_block, block}; }
};

/// Makes strings of a query longer. @tparam Fm  see fm_walks.hpp
template <class Fm>
class string_grower {
 public:
  static constexpr unsigned no_code = run_length::num_codes;

  /// @pre fm.view().in_runs
  ORDO_FN string_grower(Fm const& fm, char const* query) : fm_(fm), query_(query) {}

  /// Returns the code of a letter of the query, or no_code for one that the text does not have.
  [[nodiscard]] ORDO_FN unsigned code_at(std::uint64_t offset) const noexcept {
    unsigned const code = fm_.view().symbols->of_byte[static_cast<unsigned char>(query_[offset])];
    return code == run_length::end_code ? no_code : code;
  }
  /// Returns the rows of the last letters before `end`, as many as the table of k-mers has but none before `begin`, and sets
  /// `at` to the offset of the first of them.
  [[nodiscard]] ORDO_FN two_way_rows last_letters(std::uint64_t begin, std::uint64_t end, std::uint64_t& at) const noexcept {
    constexpr std::size_t max_length = 32;
    fm_view const& view = fm_.view();
    std::size_t left = 0;
    fm_interval const rows = view.last_letters(query_ + begin, end - begin, left), all = view.all_rows();
    at = begin + left;
    if (std::size_t const length = end - at; length != 0 && length <= max_length) {
      char letters[max_length];
      for (std::size_t k = 0; k < length; ++k) letters[k] = "$TGCAN$"[code_at(end - 1 - k)];
      fm_interval const others = view.last_letters(letters, length, left);
      if (left == 0 && others.end - others.begin == rows.end - rows.begin)
        return {rows.begin, others.begin, rows.end - rows.begin};
      if (rows.empty()) return {};
    }
    at = end;
    return {all.begin, all.begin, all.end - all.begin};
  }
  /// Returns the rows of the letter at an offset followed by a string. No row is returned for counts that no BWT has.
  [[nodiscard]] ORDO_FN two_way_rows before(std::uint64_t offset, two_way_rows const& of) const {
    return prepend(code_at(offset), of);
  }
  /// Returns the rows of a string followed by the letter at an offset.
  [[nodiscard]] ORDO_FN two_way_rows after(std::uint64_t offset, two_way_rows const& of) const {
    return prepend(complement(code_at(offset)), of.reversed()).reversed();
  }
  /// Returns how many of some rows have a letter before them.
  [[nodiscard]] ORDO_FN std::uint64_t count(unsigned code, two_way_rows const& rows) const {
    return code == no_code || rows.empty() ? 0 : bounds(fm_.view().runs, rows).count(code);
  }
  /// Prefetches what `before` reads.
  ORDO_FN void prefetch(two_way_rows const& of) const noexcept {
    run_length::run_view const& runs = fm_.view().runs;
    if (of.block < runs.num_blocks) return runs.prefetch(of.block);
    ordo::prefetch(runs.blocks + runs.near(of.begin));
    ordo::prefetch(runs.blocks + runs.near(of.begin + of.size));
  }

 private:
  /// The blocks of the ends of an interval.
  struct bounds {
    run_length::run_view const& runs;
    std::uint64_t first, last, inside, end;  // blocks, and how many rows of them are before the interval's ends

    ORDO_FN bounds(run_length::run_view const& all, two_way_rows const& of)
        : runs(all), first(of.block == two_way_rows::no_block ? all.find(of.begin) : all.seek(of.block, of.begin)) {
      inside = of.begin - all.begin(first);
      end = inside + of.size;
      last = first;
      if (end <= all.blocks[first].rows()) return;  // most strings have few rows
      last = of.block == two_way_rows::no_block ? all.find(of.begin + of.size) : all.seek(first, of.begin + of.size);
      end = of.begin + of.size - all.begin(last);
    }
    /// Counts a letter before both ends, from the first block on.
    ORDO_FN void counts(unsigned code, std::uint64_t& low, std::uint64_t& high) const {
      if (first == last) return run_length::count_in_both(runs.blocks[first], code, inside, end, low, high);
      low = run_length::count_in(runs.blocks[first], code, inside);
      high = runs.before(last, code) - runs.before(first, code) + run_length::count_in(runs.blocks[last], code, end);
    }
    [[nodiscard]] ORDO_FN std::uint64_t count(unsigned code) const {
      std::uint64_t low = 0, high = 0;
      counts(code, low, high);
      return high < low ? 0 : high - low;
    }
  };

  [[nodiscard]] ORDO_FN static unsigned complement(unsigned code) noexcept { return code - 1 < 4 ? 5 - code : code; }

  [[nodiscard]] ORDO_FN two_way_rows prepend(unsigned code, two_way_rows const& to) const {
    run_length::run_view const& runs = fm_.view().runs;
    if (code == no_code || to.empty() || to.begin > runs.rows || to.size > runs.rows - to.begin) return {};
    bounds const at(runs, to);
    std::uint64_t low = 0, high = 0;
    at.counts(code, low, high);
    std::uint64_t const before = runs.before(at.first, code), all = runs.first[code + 1] - runs.first[code];
    if (low > high || high - low > to.size || before > all || high > all - before) {  // no BWT has these counts
      fm_.refuse_counts({runs.first[code] + before + low, runs.first[code] + before + high});
      return {};
    }
    two_way_rows result{runs.first[code] + before + low, to.other_begin, high - low, 0, to.other_block};
    result.block = runs.guess(code, result.begin, at.first);
    // The rows of the reverse complement are in the order of the letter that is after it now: first those of smaller letters.
    if (result.size != to.size && result.size != 0)
      for (unsigned smaller = 0; smaller < complement(code); ++smaller) result.other_begin += at.count(complement(smaller));
    return result;
  }

  Fm fm_;
  char const* query_;
};

}  // namespace ordo::inline v0::suffix
