#include "suffix/arrays/rows.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "suffix/sort/row_filter.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

struct plain_letters {
  char const* residues;
  [[nodiscard]] unsigned char byte(std::size_t p) const { return static_cast<unsigned char>(residues[p]); }
};

}  // namespace

chosen_rows::chosen_rows(text const& input, row_selection selection, unsigned threads) : words_((input.size() + 63) / 64) {
  static constexpr std::uint64_t one_record[1] = {0};
  mark_rows<plain_letters> const mark{{input.residues.data()},
                                      input.starts.empty() ? one_record : input.starts.data(),
                                      input.records(),
                                      input.size(),
                                      selection};
  pooled_arena arena(threads_for(threads));
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

// Returns the first row of arrays without some rows that differs from arrays of all rows, which are right.
template <class Index>
std::optional<mismatch> first_other_row(chosen_rows const& chosen, arrays<Index const> whole, arrays<Index const> all,
                                        unsigned threads) {
  std::size_t const n = whole.sa.size(), rows = all.sa.size();
  std::size_t wrong_order = rows, wrong_length = rows;
  pooled_arena arena(threads_for(threads));
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
      bool known = false;  // whether the kept row before `begin` is in this part
      Index lowest = 0;
      for (std::size_t i = begin; i < end && row < rows; ++i) {
        if (!all.lcp.empty()) lowest = known ? std::min(lowest, whole.lcp[i]) : whole.lcp[i];
        known = true;
        if (!chosen(whole.sa[i])) continue;
        if (row == first_row[b] && !all.lcp.empty())
          for (std::size_t k = begin; k != 0 && !chosen(whole.sa[k - 1]); --k) lowest = std::min(lowest, whole.lcp[k - 1]);
        if (order[b] == rows && all.sa[row] != whole.sa[i]) order[b] = row;
        if (length[b] == rows && !all.lcp.empty() && all.lcp[row] != lowest) length[b] = row;
        ++row;
        known = false;
      }
    });
    wrong_order = *std::ranges::min_element(order);
    wrong_length = *std::ranges::min_element(length);
  });
  if (wrong_order != rows) return mismatch{"sa", wrong_order, "not the next suffix that has a row"};
  if (rows != chosen.count())
    return mismatch{
        "sa", std::min(rows, chosen.count()),
        rows < chosen.count() ? "rows are missing: more suffixes have rows" : "a row too many: no more suffixes have rows"};
  if (wrong_length != rows) return mismatch{"lcp", wrong_length, "not the length of the common prefix"};
  return std::nullopt;
}

}  // namespace

template <class Index>
std::optional<mismatch> check_chosen(text const& input, arrays<Index const> all, build_options const& options,
                                     build_report* done) {
  extra_arrays const extra{.lcp = !all.lcp.empty()};
  std::size_t const n = input.size(), records = input.records();
  std::size_t const whole_bytes = memory_of_all_rows(n, sizeof(Index), extra.lcp);
  if (whole_bytes > options.memory) {
    std::size_t const min_bytes = check_memory(device::cpu, n, records, sizeof(Index), extra, options.rows);
    std::size_t const max_bytes = whole_bytes + build_memory(device::cpu, n, records, sizeof(Index), extra).max_bytes;
    throw text_too_large(fmt::format("out of memory: check of {} residues: {} bytes are needed for all rows, {} are allowed", n,
                                     whole_bytes, options.memory),
                         min_bytes, std::max(min_bytes, max_bytes));
  }
  build_options here = options;
  here.rows = {};
  here.memory -= whole_bytes;
  result<Index> whole;
  try {
    whole = build<Index>(input, extra, here);
    if (auto const wrong = check(input, arrays<Index const>{whole.sa, whole.lcp, {}}, here, done))
      throw std::logic_error(fmt::format("suffix array: the reference of the check is wrong: {}", wrong->reason));
  } catch (text_too_large const& e) {  // besides the arrays of all rows
    throw text_too_large(e.what(), whole_bytes + e.min_bytes(), whole_bytes + e.bytes());
  }
  arrays<Index const> const rows{whole.sa, whole.lcp, {}};
  return first_other_row(chosen_rows(input, options.rows, options.machine.threads), rows, all, options.machine.threads);
}

template std::optional<mismatch> check_chosen(text const&, arrays<std::uint32_t const>, build_options const&, build_report*);
template std::optional<mismatch> check_chosen(text const&, arrays<std::uint64_t const>, build_options const&, build_report*);

}  // namespace ordo::inline v0::suffix::detail
