#include "ordo/suffix/duplicates.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/duplicates/copy_bits.hpp"
#include "suffix/text/checked_position.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

using detail::copy_bits, detail::mark, detail::record_order, detail::report_ranges;

constexpr std::size_t rows_at_once = std::size_t{1} << 14;

/// The rows of a suffix array by groups whose suffixes share min_length residues.
class row_groups {
 public:
  row_groups(text const& input, entries sa, entries lcp, std::uint64_t min_length, std::string const& name)
      : sa_(sa), lcp_(lcp), positions_(input.size()), min_length_(min_length), name_(name) {}

  [[nodiscard]] std::uint64_t position(std::size_t row) const {
    return detail::checked_position(sa_[row], positions_, name_, row);
  }
  /// Calls use(first row, row after) for each group, in parallel. The thread that has the first row of a group has all of it.
  template <class Use>
  void each(unsigned threads, Use use) const {
    std::size_t const n = sa_.size();
    auto const begins = [&](std::size_t row) { return row == 0 || row >= n || lcp_[row] < min_length_; };
    pooled_arena arena(threads_for(threads));
    arena.execute([&] {
      host_detail::blocks(n, rows_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
        while (begin < end && !begins(begin)) ++begin;
        auto here = use;  // each block has its own state
        while (begin < end) {
          std::size_t after = begin + 1;
          while (!begins(after)) ++after;
          here(begin, after);
          begin = after;
        }
      });
    });
  }

 private:
  entries sa_, lcp_;
  std::uint64_t positions_, min_length_;
  std::string const& name_;
};

/// Marks the copies of a group, wherever they are.
struct mark_anywhere {
  row_groups const& rows;
  bool keeps_first;
  copy_bits& bits;

  void operator()(std::size_t begin, std::size_t after) const {
    if (after - begin == 1) return;
    std::uint64_t kept = ~std::uint64_t{0};
    if (keeps_first)
      for (std::size_t row = begin; row < after; ++row) kept = std::min(kept, rows.position(row));
    for (std::size_t row = begin; row < after; ++row)
      if (std::uint64_t const p = rows.position(row); p != kept) mark(bits, p);
  }
};

/// Marks the copies of a group but the first one in the longest or best record.
struct mark_lesser {
  row_groups const& rows;
  text const& input;
  duplicate_options const& options;
  copy_bits& bits;
  record_finder const& record_at;

  void operator()(std::size_t begin, std::size_t after) const {
    if (after - begin == 1) return;
    std::pair kept{~std::uint64_t{0}, ~std::uint64_t{0}};
    for (std::size_t row = begin; row < after; ++row) {
      std::uint64_t const p = rows.position(row);
      kept = std::min(kept, std::pair{record_order(input, options, record_at(p)), p});
    }
    for (std::size_t row = begin; row < after; ++row)
      if (std::uint64_t const p = rows.position(row); p != kept.second) mark(bits, p);
  }
};

/// Marks the copies of a group that another record has.
struct mark_across {
  row_groups const& rows;
  text const& input;
  duplicate_options const& options;
  copy_bits& bits;
  record_finder const& record_at;

  void operator()(std::size_t begin, std::size_t after) const {
    if (after - begin == 1) return;
    std::size_t first = ~std::size_t{0}, last = 0;
    std::pair kept{~std::uint64_t{0}, ~std::size_t{0}};
    for (std::size_t row = begin; row < after; ++row) {
      std::size_t const record = record_at(rows.position(row));
      first = std::min(first, record);
      last = std::max(last, record);
      kept = std::min(kept, std::pair{record_order(input, options, record), record});
    }
    if (first == last) return;
    for (std::size_t row = begin; row < after; ++row)
      if (std::uint64_t const p = rows.position(row); options.keep == kept_copies::none || record_at(p) != kept.second)
        mark(bits, p);
  }
};

/// Marks the copies of a group that the same record has.
struct mark_within {
  row_groups const& rows;
  bool keeps_first;
  copy_bits& bits;
  record_finder const& record_at;
  std::vector<std::uint64_t> positions = {};

  void operator()(std::size_t begin, std::size_t after) {
    if (after - begin == 1) return;
    positions.clear();
    for (std::size_t row = begin; row < after; ++row) positions.push_back(rows.position(row));
    std::ranges::sort(positions);
    for (std::size_t i = 0, last = 0; i < positions.size(); i = last) {
      std::size_t const record = record_at(positions[i]);
      for (last = i + 1; last < positions.size() && record_at(positions[last]) == record;) ++last;
      if (last - i == 1) continue;
      for (std::size_t k = i + keeps_first; k < last; ++k) mark(bits, positions[k]);
    }
  }
};

copy_bits mark_copies(text const& input, entries sa, entries lcp, duplicate_options const& options, std::string const& name) {
  copy_bits bits(input.size() / 64 + 1);
  row_groups const rows(input, sa, lcp, options.min_length, name);
  bool const keeps_one = options.keep != kept_copies::none;
  if (options.scope == copy_scope::anywhere && !detail::compares_records(options)) {
    rows.each(options.threads, mark_anywhere{rows, keeps_one, bits});
    return bits;
  }
  record_finder const record_at(input);
  if (options.scope == copy_scope::anywhere)
    rows.each(options.threads, mark_lesser{rows, input, options, bits, record_at});
  else if (options.scope == copy_scope::across)
    rows.each(options.threads, mark_across{rows, input, options, bits, record_at});
  else
    rows.each(options.threads, mark_within{rows, keeps_one, bits, record_at});
  return bits;
}

/// Finds strings of another text in ascending order, by its suffix array.
class ascending_search {
 public:
  ascending_search(text const& input, text const& other, entries sa, record_finder const& record_at, std::uint64_t length,
                   std::string const& name)
      : input_(input), other_(other), sa_(sa), record_at_(record_at), length_(length), name_(name) {}

  /// Returns true if the other text has the string at p, which is not smaller than that of the last call.
  bool finds(std::uint64_t p) {
    // Strings that follow each other are near each other in the other text, too, unless it is much larger.
    std::size_t const rows = sa_.size();
    std::size_t step = 1;
    while (row_ < rows && step <= rows - row_ && compare(row_ + step - 1, p) < 0) {
      row_ += step;
      step *= 2;
    }
    std::size_t high = std::min(rows, row_ + step);
    while (row_ < high) {
      std::size_t const middle = row_ + (high - row_) / 2;
      if (compare(middle, p) < 0)
        row_ = middle + 1;
      else
        high = middle;
    }
    return row_ < rows && compare(row_, p) == 0;
  }

 private:
  /// Compares the suffix of a row, up to `length` residues, with the string at p.
  [[nodiscard]] int compare(std::size_t row, std::uint64_t p) const {
    std::uint64_t const q = detail::checked_position(sa_[row], other_.size(), name_, row);
    std::size_t const size = input_.residue_bytes;
    std::size_t const reach = std::min<std::uint64_t>(other_.end(record_at_(q)) - q, length_);
    char const *const a = other_.residues.data() + q * size, *const b = input_.residues.data() + p * size;
    std::size_t const agree = common_prefix(a, b, reach * size) / size;
    if (agree < reach) return residue_at(a, agree, size) < residue_at(b, agree, size) ? -1 : 1;
    return reach < length_ ? -1 : 0;
  }

  text const &input_, &other_;
  entries sa_;
  record_finder const& record_at_;
  std::uint64_t length_;
  std::string const& name_;
  std::size_t row_ = 0;
};

/// Marks the strings of a group that another text has.
struct mark_shared {
  row_groups const& rows;
  text const& input;
  record_finder const& record_at;
  std::uint64_t length;
  copy_bits& bits;
  ascending_search search;

  void operator()(std::size_t begin, std::size_t after) {
    std::uint64_t const p = rows.position(begin);
    if (input.end(record_at(p)) - p < length || !search.finds(p)) return;
    for (std::size_t row = begin; row < after; ++row) {
      std::uint64_t const q = rows.position(row);
      if (input.end(record_at(q)) - q >= length) mark(bits, q);  // a wrong LCP may claim more
    }
  }
};

void check(text const& input, entries sa, entries lcp, duplicate_options const& options) {
  if (sa.size() != input.size() || lcp.size() != input.size())
    throw usage_error(fmt::format("wrong array size: duplicates: {} rows of sa and {} of lcp for {} residues", sa.size(),
                                  lcp.size(), input.size()));
  if (options.unit != copied_unit::strings) throw usage_error("no strings: duplicates: copy_finder alone finds other units");
  detail::check(input, options);
}

}  // namespace

std::uint64_t find_duplicates(text const& input, entries sa, entries lcp, duplicate_options const& options,
                              std::function<void(duplicate_range const&)> const& on_range, std::string const& name) {
  check(input, sa, lcp, options);
  return report_ranges(mark_copies(input, sa, lcp, options, name), input, options, 0, input.records(), on_range);
}

std::uint64_t find_shared(text const& input, entries sa, entries lcp, text const& other, entries other_sa,
                          duplicate_options const& options, std::function<void(duplicate_range const&)> const& on_range,
                          std::string const& name, std::string const& other_name) {
  check(input, sa, lcp, options);
  if (other_sa.size() != other.size())
    throw usage_error(fmt::format("wrong array size: duplicates: {} rows of sa for {} residues of the other text",
                                  other_sa.size(), other.size()));
  if (input.residue_bytes != other.residue_bytes)
    throw usage_error(
        fmt::format("conflicting residues: duplicates: of {} and of {} bytes", input.residue_bytes, other.residue_bytes));
  copy_bits bits(input.size() / 64 + 1);
  row_groups const rows(input, sa, lcp, options.min_length, name);
  record_finder const record_at(input), other_record_at(other);
  ascending_search const search(input, other, other_sa, other_record_at, options.min_length, other_name);
  rows.each(options.threads, mark_shared{rows, input, record_at, options.min_length, bits, search});
  return report_ranges(bits, input, options, 0, input.records(), on_range);
}

repeated_strings find_repeated_strings(text const& input, entries sa, entries lcp, std::uint64_t min_length,
                                       std::size_t max_strings, std::string const& name) {
  check(input, sa, lcp, {.min_length = min_length});
  row_groups const rows(input, sa, lcp, min_length, name);
  record_finder const record_at(input);
  auto const before = [&](std::uint64_t p) -> std::optional<std::uint32_t> {
    if (p == input.begin(record_at(p))) return std::nullopt;
    return residue_at(input.residues.data(), p - 1, input.residue_bytes);
  };
  // Puts the more frequent one first.
  auto const comes_first = [](repeated_string const& a, repeated_string const& b) {
    return std::tuple(b.count, b.length, a.position) < std::tuple(a.count, a.length, b.position);
  };
  repeated_strings all;
  std::size_t const n = sa.size();
  for (std::size_t begin = 0, after; begin < n; begin = after) {
    std::uint64_t min_lcp = n, max_lcp = 0;
    std::size_t max_row = begin;
    for (after = begin + 1; after < n && lcp[after] >= min_length; ++after) {
      std::uint64_t const length = lcp[after];
      if (length > n) throw input_error(fmt::format("bad index: {}: row {}: LCP of {} in {} residues", name, after, length, n));
      min_lcp = std::min(min_lcp, length);
      if (length > max_lcp) {
        max_lcp = length;
        max_row = after;
      }
    }
    if (after - begin == 1) continue;
    auto const first_position = [&](std::size_t from, std::size_t to) {
      std::uint64_t first = rows.position(from);
      for (std::size_t row = from; row < to; ++row) first = std::min(first, rows.position(row));
      return first;
    };
    if (max_lcp > all.longest.length) {
      std::size_t end = max_row + 1;
      while (end < after && lcp[end] == max_lcp) ++end;
      all.longest = {first_position(max_row - 1, end), max_lcp, end - max_row + 1};
    }
    std::uint64_t const count = after - begin;
    if (max_strings == 0 || (all.frequent.size() == max_strings && count < all.frequent.back().count)) continue;
    bool differ = false;
    std::optional<std::uint32_t> const letter = before(rows.position(begin));
    if (!letter) differ = true;  // the start of a record is like no other
    for (std::size_t row = begin + 1; row < after && !differ; ++row) differ = before(rows.position(row)) != letter;
    if (!differ) continue;
    repeated_string const repeated_string{first_position(begin, after), min_lcp, count};
    all.frequent.insert(std::ranges::upper_bound(all.frequent, repeated_string, comes_first), repeated_string);
    if (all.frequent.size() > max_strings) all.frequent.pop_back();
  }
  return all;
}

namespace {

template <class Index>
repeated_strings collect_strings(text const& input, std::uint64_t min_length, std::size_t max_strings,
                                 build_options const& options) {
  result<Index> const made = build<Index>(input, {.lcp = true}, options);
  return find_repeated_strings(input, entries(std::span<Index const>(made.sa)), entries(std::span<Index const>(made.lcp)),
                               min_length, max_strings);
}

}  // namespace

repeated_strings find_repeated_strings(text const& input, copy_finder const& copies, std::uint64_t min_length,
                                       std::size_t max_strings, build_options options) {
  detail::check(input, {.min_length = min_length});
  std::size_t ranges = 0;
  std::size_t const all = std::size_t(copies.report([&](duplicate_range const&) { ++ranges; })), size = input.residue_bytes;
  if (all == 0) return {};
  std::size_t const index_bytes = index_fits(4, all, ranges) ? 4 : 8,
                    held = all * (size + 2 * index_bytes) + ranges * 4 * sizeof(std::uint64_t);
  if (held > options.memory) {
    std::size_t const needed =
        held + build_memory(device::cpu, all, ranges, index_bytes, {.lcp = true}, {}, input.residue_bytes).min_bytes;
    throw out_of_memory(
        fmt::format("out of memory: repeated strings: {} bytes are needed, {} are allowed", needed, options.memory), needed);
  }
  options.memory -= held;
  host_bytes residues(all * size);
  std::vector<std::uint64_t> starts, origins;
  copies.report([&](duplicate_range const& range) {
    starts.push_back(residues.size() / size);
    origins.push_back(range.begin);
    residues.append(input.residues.substr(range.begin * size, (range.end - range.begin) * size));
  });
  text const of_copies{{residues.data(), residues.size()}, starts, input.residue_bytes};
  repeated_strings strings = index_bytes == 4 ? collect_strings<std::uint32_t>(of_copies, min_length, max_strings, options)
                                              : collect_strings<std::uint64_t>(of_copies, min_length, max_strings, options);
  auto const restore = [&](repeated_string& repeated_string) {
    std::size_t const range = std::size_t(std::ranges::upper_bound(starts, repeated_string.position) - starts.begin()) - 1;
    repeated_string.position += origins[range] - starts[range];
  };
  if (strings.longest.count != 0) restore(strings.longest);
  for (repeated_string& repeated_string : strings.frequent) restore(repeated_string);
  return strings;
}

}  // namespace ordo::inline v0::suffix
