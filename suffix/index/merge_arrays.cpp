#include "ordo/suffix/merge_arrays.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/text/checked_position.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Two texts and the array of each. Positions of both count from 0.
struct two_texts {
  text first, second;
  stored_arrays const &of_first, &of_second;
  record_finder first_record, second_record;

  two_texts(text const& a, text const& b, stored_arrays const& of_a, stored_arrays const& of_b)
      : first(a), second(b), of_first(of_a), of_second(of_b), first_record(first), second_record(second) {}

  /// Returns the letters from a position of the first text to the end of its record.
  [[nodiscard]] std::string_view first_suffix(std::uint64_t p) const {
    return first.residues.substr(p, first.end(first_record(p)) - p);
  }
  /// Returns the position in a row. @throws input_error
  [[nodiscard]] std::uint64_t first_at(std::uint64_t row) const {
    return detail::checked_position(of_first.sa[row], first.size(), "suffix array", row);
  }
  [[nodiscard]] std::uint64_t second_at(std::uint64_t row) const {
    return detail::checked_position(of_second.sa[row], second.size(), "suffix array", row);
  }
};

/// The letters [begin, end) of a record of the second text, which one walk goes through from the end.
struct walked_part {
  std::uint64_t begin, end, record_end;
};

std::vector<walked_part> split_text(text const& input, std::uint64_t max_letters) {
  std::vector<walked_part> parts;
  for (std::size_t r = 0; r < input.records(); ++r)
    for (std::uint64_t begin = input.begin(r), end = input.end(r); begin < end; begin += max_letters)
      parts.push_back({begin, std::min<std::uint64_t>(end, begin + max_letters), end});
  return parts;
}

/// Computes for each suffix of the second text how many suffixes of the first one come before it: those that are not greater.
class rank_walks {
 public:
  rank_walks(two_texts const& texts, fm_index const& fm, std::vector<std::uint64_t>& ranks)
      : texts_(texts), fm_(fm), ends_(texts.first.records()), ranks_(ranks) {}

  void run(std::span<walked_part const> parts) const {
    struct lane {
      walked_part part;
      std::uint64_t row;  // the number of rows before the suffix at part.end, with those of the ends of records
    };
    constexpr std::size_t max_lanes = 12;
    std::array<lane, max_lanes> lanes;
    std::size_t active = 0, next = 0;
    auto const start = [&](lane& lane) {
      if (next == parts.size()) return false;
      lane.part = parts[next++];
      lane.row = find_rank(texts_.second.residues.substr(lane.part.end, lane.part.record_end - lane.part.end));
      return true;
    };
    while (active < max_lanes && start(lanes[active])) ++active;
    while (active != 0)
      for (std::size_t i = 0; i < active;) {
        lane& lane = lanes[i];
        if (lane.part.begin == lane.part.end) {
          if (!start(lane)) lane = lanes[--active];
          continue;
        }
        lane.row = fm_.rows_before(texts_.second.residues[--lane.part.end], lane.row);
        ranks_[lane.part.end] = lane.row - ends_;
        fm_.prefetch({lane.row, lane.row});
        ++i;
      }
  }

 private:
  // Searches by the array, whose suffixes may share many letters with this one. An empty suffix comes after all ends of
  // records.
  [[nodiscard]] std::uint64_t find_rank(std::string_view suffix) const {
    std::uint64_t low = 0, high = suffix.empty() ? 0 : texts_.first.size();
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      std::string_view const other = texts_.first_suffix(texts_.first_at(middle));
      std::size_t const room = std::min(suffix.size(), other.size());
      std::size_t const common = common_prefix(suffix.data(), other.data(), room);
      bool const is_greater = common == room
                                  ? other.size() > suffix.size()
                                  : static_cast<unsigned char>(other[common]) > static_cast<unsigned char>(suffix[common]);
      if (is_greater)
        high = middle;
      else
        low = middle + 1;
    }
    return low + ends_;
  }

  two_texts const& texts_;
  fm_index const& fm_;
  std::uint64_t ends_;
  std::vector<std::uint64_t>& ranks_;
};

/// The common prefixes of each suffix of the second text with the suffixes of the first one before and after it.
struct neighbour_lengths {
  std::vector<std::uint64_t> before, after;
};

// From one position to the next a length falls by one at most (Kasai et al., CPM'01).
void compare_neighbours(two_texts const& texts, std::vector<std::uint64_t> const& ranks, walked_part const& part,
                        neighbour_lengths& to) {
  std::uint64_t length_before = 0, length_behind = 0;
  for (std::uint64_t p = part.begin; p < part.end; ++p) {
    constexpr std::uint64_t ahead = 16;
    if (p + ahead < part.end && ranks[p + ahead] < texts.first.size()) texts.of_first.sa.prefetch(ranks[p + ahead]);
    std::string_view const suffix = texts.second.residues.substr(p, part.record_end - p);
    auto const extend = [&](std::uint64_t& length, std::uint64_t row, bool is_there) {
      if (!is_there) return length = 0;
      std::string_view const other = texts.first_suffix(texts.first_at(row));
      std::uint64_t const room = std::min(suffix.size(), other.size());
      length = std::min(length == 0 ? 0 : length - 1, room);
      return length += common_prefix(suffix.data() + length, other.data() + length, room - length);
    };
    to.before[p] = extend(length_before, ranks[p] - 1, ranks[p] != 0);
    to.after[p] = extend(length_behind, ranks[p], ranks[p] < texts.first.size());
  }
}

/// Writes rows in order of blocks, or in any order if the sink is addressable.
class row_sink {
 public:
  row_sink(sink* to, std::uint64_t entry_bytes, std::uint64_t entries, std::uint64_t before = 0)
      : to_(to), size_(entry_bytes), before_(before) {
    if (to_) addressable_ = to_->expect(before + entries * entry_bytes);
  }
  [[nodiscard]] bool wanted() const noexcept { return to_ != nullptr; }
  [[nodiscard]] bool addressable() const noexcept { return !to_ || addressable_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  void write(std::uint64_t row, std::span<char const> bytes) const {
    if (!to_ || bytes.empty()) return;
    if (addressable_)
      to_->write_at(before_ + row * size_, bytes);
    else
      to_->write(bytes);
  }
  void write_first(std::span<char const> bytes) const {
    if (addressable_)
      to_->write_at(0, bytes);
    else
      to_->write(bytes);
  }

 private:
  sink* to_;
  std::uint64_t size_, before_;
  bool addressable_ = false;
};

/// Interleaves the rows of two texts.
class row_merge {
 public:
  row_merge(two_texts const& texts, std::vector<std::uint64_t> const& ranks, neighbour_lengths const& lengths, sinks const& out)
      : texts_(texts),
        ranks_(ranks),
        lengths_(lengths),
        n_(texts.first.size() + texts.second.size()),
        sa_(out.sa, out.entry_bytes, n_),
        lcp_(out.lcp, out.entry_bytes, n_),
        bwt_(out.bwt, 1, n_, texts.first.records() + texts.second.records()) {}

  void run() const {
    if (bwt_.wanted()) {
      std::string ends(texts_.of_first.bwt.data(), texts_.first.records());
      ends.append(texts_.of_second.bwt.data(), texts_.second.records());
      bwt_.write_first(ends);
    }
    constexpr std::uint64_t rows = std::uint64_t{1} << 18;
    std::uint64_t const blocks = (n_ + rows - 1) / rows;
    auto const block = [&](std::uint64_t b) { merge_rows(b * rows, std::min(n_, (b + 1) * rows)); };
    if (sa_.addressable() && lcp_.addressable() && bwt_.addressable())
      host_detail::parallel_each(blocks, 1, block);
    else
      for (std::uint64_t b = 0; b < blocks; ++b) block(b);
  }

 private:
  // Returns the number of the second text's rows before row i of the result.
  [[nodiscard]] std::uint64_t second_before(std::uint64_t i) const {
    std::uint64_t low = 0, high = std::min<std::uint64_t>(i, texts_.second.size());
    while (low < high) {
      std::uint64_t const j = low + (high - low) / 2;
      if (ranks_[texts_.second_at(j)] + j < i)
        low = j + 1;
      else
        high = j;
    }
    if (i - low > texts_.first.size()) refuse(low);
    return low;
  }
  [[noreturn]] static void refuse(std::uint64_t row) {
    throw input_error(fmt::format("bad index: suffix array: row {}: out of order", row));
  }

  void merge_rows(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t const n_first = texts_.first.size(), n_second = texts_.second.size();
    std::vector<char> sa, lcp, bwt;
    if (sa_.wanted()) sa.resize((end - begin) * sa_.size());
    if (lcp_.wanted()) lcp.resize((end - begin) * lcp_.size());
    if (bwt_.wanted()) bwt.resize(end - begin);
    std::uint64_t j = second_before(begin == 0 ? 0 : begin - 1);
    std::uint64_t p = 0;  // position of the last row of the second text
    bool last_is_second = false;
    for (std::uint64_t i = begin == 0 ? 0 : begin - 1; i < end; ++i) {
      std::uint64_t const row = i - j;  // row in the first text
      bool is_second = row == n_first;
      std::uint64_t length = 0;
      if (j < n_second) {
        constexpr std::uint64_t ahead = 16;
        if (j + ahead < n_second) __builtin_prefetch(ranks_.data() + std::min(texts_.of_second.sa[j + ahead], n_second - 1));
        std::uint64_t const next = texts_.second_at(j), rank = ranks_[next];
        if (rank < row) refuse(j);
        is_second |= rank == row;
        if (is_second && lcp_.wanted()) length = last_is_second ? texts_.of_second.lcp[j] : lengths_.before[next];
        if (!is_second && lcp_.wanted()) length = last_is_second ? lengths_.after[p] : texts_.of_first.lcp[row];
        if (is_second) p = next;
      } else if (lcp_.wanted() && !is_second) {
        length = last_is_second ? lengths_.after[p] : texts_.of_first.lcp[row];
      }
      if (is_second && j == n_second) refuse(j);
      if (i >= begin) {
        std::uint64_t const position = is_second ? n_first + p : texts_.first_at(row), at = i - begin;
        if (sa_.wanted()) store_entry(sa.data() + at * sa_.size(), unsigned(sa_.size()), position);
        if (lcp_.wanted()) store_entry(lcp.data() + at * lcp_.size(), unsigned(lcp_.size()), length);
        if (bwt_.wanted())
          bwt[at] =
              is_second ? texts_.of_second.bwt[texts_.second.records() + j] : texts_.of_first.bwt[texts_.first.records() + row];
      }
      j += is_second;
      last_is_second = is_second;
    }
    sa_.write(begin, sa);
    lcp_.write(begin, lcp);
    bwt_.write(begin, bwt);
  }

  two_texts const& texts_;
  std::vector<std::uint64_t> const& ranks_;
  neighbour_lengths const& lengths_;
  std::uint64_t n_;
  row_sink sa_, lcp_, bwt_;
};

void check_arrays(text const& input, stored_arrays const& arrays, sinks const& out) {
  auto const refuse = [&](char const* name, std::size_t size, std::size_t expected) {
    throw usage_error(fmt::format("wrong array size: merge: {} of {} entries, expected {}", name, size, expected));
  };
  if (arrays.sa.size() != input.size()) refuse("sa", arrays.sa.size(), input.size());
  if (out.lcp && arrays.lcp.size() != input.size()) refuse("lcp", arrays.lcp.size(), input.size());
  if (out.bwt && arrays.bwt.size() != input.size() + input.records())
    refuse("bwt", arrays.bwt.size(), input.size() + input.records());
}

}  // namespace

std::size_t merge_memory(std::size_t n, bool lcp) {
  return n * sizeof(std::uint64_t) * (lcp ? 3 : 1);
}

void merge_arrays(text const& all, std::size_t first_records, stored_arrays const& first, stored_arrays const& second,
                  fm_index const& fm, sinks const& out, merge_options const& options) {
  if (all.residue_bytes != 1) throw usage_error("no bytes: merge: the texts are of tokens");
  if (first_records == 0 || first_records >= all.records())
    throw usage_error(fmt::format("wrong records: merge: {} of {} records are the first text's", first_records, all.records()));
  if (out.entry_bytes != 4 && out.entry_bytes != 5 && out.entry_bytes != 8)
    throw usage_error(fmt::format("wrong entry size: merge: {} bytes", out.entry_bytes));
  if (!index_fits(out.entry_bytes, all.size(), all.records()))
    throw usage_error(fmt::format("index too narrow: merge: {} bytes for {} residues", out.entry_bytes, all.size()));
  std::uint64_t const n_first = all.begin(first_records), n_second = all.size() - n_first;
  std::vector<std::uint64_t> starts(all.starts.begin() + std::ptrdiff_t(first_records), all.starts.end());
  for (std::uint64_t& start : starts) start -= n_first;
  text const a{all.residues.substr(0, n_first), all.starts.first(first_records)}, b{all.residues.substr(n_first), starts};
  check_arrays(a, first, out);
  check_arrays(b, second, out);
  if (std::size_t const bytes = merge_memory(n_second, out.lcp != nullptr); bytes > options.memory)
    throw out_of_memory(fmt::format("out of memory: merge: {} bytes are needed for the {} residues of the second text, {} are "
                                    "available",
                                    bytes, n_second, options.memory),
                        bytes);
  pooled_arena arena(threads_for(options.threads));
  arena.execute([&] {
    two_texts const texts(a, b, first, second);
    std::vector<std::uint64_t> ranks(n_second);
    std::size_t const threads = std::size_t(tbb::this_task_arena::max_concurrency());
    auto const parts = split_text(b, std::max<std::uint64_t>(n_second / (64 * threads) + 1, 4096));
    rank_walks const walks(texts, fm, ranks);
    constexpr std::size_t at_once = 24;
    host_detail::parallel_each((parts.size() + at_once - 1) / at_once, 1, [&](std::size_t k) {
      walks.run(std::span(parts).subspan(k * at_once, std::min(at_once, parts.size() - k * at_once)));
    });
    neighbour_lengths lengths;
    if (out.lcp) {
      lengths.before.resize(n_second);
      lengths.after.resize(n_second);
      host_detail::parallel_each(parts.size(), 1, [&](std::size_t k) { compare_neighbours(texts, ranks, parts[k], lengths); });
    }
    row_merge(texts, ranks, lengths, out).run();
  });
}

}  // namespace ordo::inline v0::suffix
