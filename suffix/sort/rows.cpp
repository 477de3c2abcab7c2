#include "suffix/sort/rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "suffix/sort/row_filter.hpp"

namespace ordo::suffix::detail {
namespace {

struct plain_letters {
  char const* residues;
  [[nodiscard]] unsigned char byte(std::size_t p) const { return static_cast<unsigned char>(residues[p]); }
};

}  // namespace

chosen_rows::chosen_rows(text const& input, row_choice which, unsigned threads) : words_((input.size() + 63) / 64) {
  static constexpr std::uint64_t one_record[1] = {0};
  mark_rows<plain_letters> const mark{
      {input.residues.data()}, input.starts.empty() ? one_record : input.starts.data(), input.records(), input.size(), which};
  tbb::task_arena arena(threads_for(threads));
  std::atomic<std::size_t> count{0};
  arena.execute([&] {
    host_detail::blocks(words_.size(), 4096).run([&](std::size_t, std::size_t begin, std::size_t end) {
      std::size_t some = 0;
      for (std::size_t w = begin; w < end; ++w) {
        words_[w] = mark(w);
        some += std::size_t(std::popcount(words_[w]));
      }
      count += some;
    });
  });
  count_ = count;
}

namespace {

// The first row of arrays with left out rows that is not what is left of arrays of all rows, which are right.
template <class Index>
std::optional<fault> first_other_row(chosen_rows const& chosen, arrays<Index const> whole, arrays<Index const> all,
                                     unsigned threads) {
  std::size_t const n = whole.sa.size(), rows = all.sa.size();
  std::size_t wrong_order = rows, wrong_length = rows;
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks const parts(n, 1 << 14);
    std::vector<std::size_t> first_row(parts.count + 1, 0);
    parts.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) first_row[b + 1] += chosen(whole.sa[i]);
    });
    for (std::size_t b = 0; b < parts.count; ++b) first_row[b + 1] += first_row[b];
    std::vector<std::size_t> order(parts.count, rows), length(parts.count, rows);
    parts.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      std::size_t row = first_row[b];
      bool known = false;  // is the row before `begin`, that stays, among these?
      Index least = 0;
      for (std::size_t i = begin; i < end && row < rows; ++i) {
        if (!all.lcp.empty()) least = known ? std::min(least, whole.lcp[i]) : whole.lcp[i];
        known = true;
        if (!chosen(whole.sa[i])) continue;
        if (row == first_row[b] && !all.lcp.empty())
          for (std::size_t k = begin; k != 0 && !chosen(whole.sa[k - 1]); --k) least = std::min(least, whole.lcp[k - 1]);
        if (order[b] == rows && all.sa[row] != whole.sa[i]) order[b] = row;
        if (length[b] == rows && !all.lcp.empty() && all.lcp[row] != least) length[b] = row;
        ++row;
        known = false;
      }
    });
    wrong_order = *std::ranges::min_element(order);
    wrong_length = *std::ranges::min_element(length);
  });
  if (wrong_order != rows) return fault{"sa", wrong_order, "not the next suffix of those that have rows"};
  if (rows != chosen.count())
    return fault{"sa", std::min(rows, chosen.count()),
                 rows < chosen.count() ? "rows are missing: there are fewer than suffixes that have rows"
                                       : "a row too many: there are no more suffixes that have rows"};
  if (wrong_length != rows) return fault{"lcp", wrong_length, "not the length of the common prefix"};
  return std::nullopt;
}

}  // namespace

template <class Index>
std::optional<fault> check_chosen(text const& input, arrays<Index const> all, options const& how, report* done) {
  wanted const what{.lcp = !all.lcp.empty()};
  std::size_t const n = input.size(), records = input.records();
  std::size_t const whole_bytes = memory_of_all_rows(n, sizeof(Index), what.lcp);
  if (whole_bytes > how.memory) {
    std::size_t const least = memory_for_check(device::cpu, n, records, sizeof(Index), what, how.rows);
    std::size_t const most = whole_bytes + memory_needed(device::cpu, n, records, sizeof(Index), what).most;
    throw text_too_large(fmt::format("out of memory: proof of {} residues: {} bytes are needed for all rows, {} may be taken",
                                     n, whole_bytes, how.memory),
                         least, std::max(least, most));
  }
  options here = how;
  here.rows = {};
  here.memory -= whole_bytes;
  result<Index> whole;
  try {
    whole = build<Index>(input, what, here);
    if (auto const wrong = check(input, arrays<Index const>{whole.sa, whole.lcp, {}}, here, done))
      throw std::logic_error(fmt::format("suffix array: what the rows are compared with is wrong: {}", wrong->why));
  } catch (text_too_large const& e) {  // beside all rows
    throw text_too_large(e.what(), whole_bytes + e.least(), whole_bytes + e.bytes());
  }
  arrays<Index const> const rows{whole.sa, whole.lcp, {}};
  return first_other_row(chosen_rows(input, how.rows, how.machine.threads), rows, all, how.machine.threads);
}

template std::optional<fault> check_chosen(text const&, arrays<std::uint32_t const>, options const&, report*);
template std::optional<fault> check_chosen(text const&, arrays<std::uint64_t const>, options const&, report*);

}  // namespace ordo::suffix::detail
