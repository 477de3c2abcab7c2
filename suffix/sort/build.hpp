#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "suffix/sort/bwt.hpp"
#include "suffix/sort/check.hpp"
#include "suffix/sort/delivery.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/lcp.hpp"
#include "suffix/sort/memory_plan.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/sort/sampled_positions.hpp"
#include "suffix/sort/suffix_sort.hpp"
#include "suffix/text/packed_text.hpp"

namespace ordo::suffix::detail {

/// What one machine does for build and check; see suffix.hpp. They return the machine's peak memory. Instantiated in
/// suffix_host.cpp and suffix_cuda.cu.
template <class Index>
std::size_t build_on_host(text const& input, results<Index> const& out, options const& how);
template <class Index>
std::size_t build_on_cuda(text const& input, results<Index> const& out, options const& how, unsigned gpu_index);
template <class Index>
std::size_t check_on_host(text const& input, arrays<Index const> all, options const& how, std::optional<fault>& found);
template <class Index>
std::size_t check_on_cuda(text const& input, arrays<Index const> all, options const& how, unsigned gpu_index,
                          std::optional<fault>& found);

/// Returns the bytes of input from which a GPU is faster than the CPU. @param threads  as in machine_options
std::size_t min_gpu_bytes(unsigned threads);

/// Says how much would do where the GPU that was asked for has run out of memory. @throws out_of_memory
[[noreturn]] void refuse_on_gpu(out_of_memory const& e, std::size_t n, std::size_t most);

/// See memory_needed and memory_for_check.
template <class Index>
memory_plan build_memory_on_host(std::size_t n, std::size_t records, wanted what, row_choice rows);
template <class Index>
memory_plan build_memory_on_cuda(std::size_t n, std::size_t records, wanted what, row_choice rows);
/// How many suffixes are in a range, of so many bytes.
template <class Index>
std::size_t most_in_range_on_host(std::size_t n, std::size_t records, wanted what, row_choice rows, std::size_t available);
template <class Index>
std::size_t most_in_range_on_cuda(std::size_t n, std::size_t records, wanted what, row_choice rows, std::size_t available);
template <class Index>
std::size_t check_memory_on_host(std::size_t n, std::size_t records, wanted what);
template <class Index>
std::size_t check_memory_on_cuda(std::size_t n, std::size_t records, wanted what);

/// Tells the sinks of build_into what they will hold; where rows are left out, that is told by expect_rows, when they have been
/// counted. @param index_bytes  of the Index @throws as build_into
void expect_arrays(std::size_t n, std::span<std::uint64_t const> starts, sinks const& out, std::size_t index_bytes,
                   row_choice rows);
void expect_rows(std::size_t rows, sinks const& out, std::size_t index_bytes);
/// @param present  the letters of a text @throws input_error  if they are not codes of nucleotides and ambiguous ones are to be
///     left out
void expect_nucleotides(std::span<unsigned char const> present, row_choice rows);

/// A buffer of n that is to be filled for the first n of `memory`; or, if that is none, for itself.
template <Backend B, class T>
buffer<T> target_of(B& machine, std::span<T> memory, std::size_t n) {
  return memory.empty() ? machine.template buffer<T>(n) : machine.target(memory.first(n));
}

/// Begins the LCP from the keys of the first round, range by range. (A named type: nvcc takes no local one here.)
template <Backend B, class Index>
struct lcp_from_keys {
  B& machine;
  packed_view text;
  results<Index> const& to;
  std::size_t n;
  buffer<Index>& lcp;
  std::optional<std::uint64_t> last = {};

  void operator()(std::span<std::uint64_t const> keys, std::size_t first, std::uint64_t from) {
    if (!to.what.lcp) return;
    if (first == 0) (void)rows();
    common_prefixes_of_keys(machine, text, last, keys, from, lcp.span().subspan(first, keys.size()));
    if (first + keys.size() < n) last = value_at(machine, keys, keys.size() - 1) + from;
  }
  /// Where the LCP is to begin; none if none is wanted.
  std::span<Index> rows() {
    if (to.what.lcp) lcp = target_of(machine, to.memory.lcp, n);
    return lcp.span();
  }
};

template <class Index>
struct no_lcp_from_keys {
  void operator()(std::span<std::uint64_t const>, std::size_t, std::uint64_t) const {}
  [[nodiscard]] std::span<Index> rows() const { return {}; }
};

/// The last suffix of a part, before the first one of the next.
template <class Index>
struct last_to_front {
  Index* part;
  std::size_t size;
  ORDO_FN void operator()(std::size_t) const { part[0] = part[size]; }
};

/// Makes the arrays of a text whole, and stores them.
/// @param chosen  which positions have suffixes that are sorted, `count` of them @param in_range  how many at a time
/// @param filter  where rows of theirs are left out @param stores  set as soon as anything is stored
template <Backend B, class Index, class Numbers = every_position>
void build_whole(B& machine, packed_text<B> const& packed, results<Index> const& to, options const& how, std::size_t in_range,
                 row_filter<B, Index>* filter, bool& stores, std::size_t count, Numbers chosen = {}) {
  std::size_t const n = packed.size(), ends = to.what.bwt ? packed.records() : 0;
  auto const phase = [&](std::string_view name) {
    if (how.on_phase) how.on_phase(name, n);
  };
  auto const sa = target_of(machine, to.memory.sa, count);
  order_ahead<B, Index> ahead(machine, std::span<Index const>(sa.span()), to.memory.sa.first(to.memory.sa.empty() ? 0 : count),
                              ahead_share(in_range < count));
  buffer<Index> lcp;
  {
    std::optional<pool::limit> limited;
    if constexpr (std::is_same_v<Numbers, every_position>) {
      pool& memory = machine.pool();
      if (auto const most = build_plan<Index, B>{n, packed.records(), to.what, !has_workers<B>}.workers_limit())
        limited.emplace(memory, memory.in_use() + std::min(memory.available(), *most));
    }
    suffix_sort<B, Index, Numbers> sort(machine, packed, sa.span(), chosen, &ahead);
    lcp_from_keys<B, Index> const with_keys{machine, packed.first_view(), to, count, lcp};
    constexpr bool at_once = std::is_same_v<Numbers, every_position> && !has_workers<B>;
    if constexpr (at_once)
      if (in_range >= n) sort.at_once(with_keys);
    if ((!at_once || in_range < n) && count != 0) sort.by_ranges(in_range, with_keys);
  }
  if (to.what.lcp) {
    phase("lcp");
    common_prefixes(machine, packed.view(), n, packed.first_view().letters, std::span<Index const>(sa.span()), lcp.span(),
                    chosen);
  }
  auto const rows =
      to.what.bwt ? target_of(machine, to.memory.bwt.empty() ? to.memory.bwt : to.memory.bwt.subspan(ends), n) : buffer<char>{};
  if (to.what.bwt) {
    phase("bwt");
    residues_before(machine, packed.view(), std::span<Index const>(sa.span()), rows.span());
  }
  // From here on no memory can be lacking but a little, so that what is stored is stored once.
  if (to.stored.sa) phase("store");
  ahead.finish();
  results<Index> left = to;
  left.memory.sa = {};
  delivery<B, Index> const out(machine, packed, left);
  stores = true;
  if (to.what.bwt) out.give_rows_of_ends(packed);
  out.give_order(std::span<Index const>(sa.span()), std::span<Index const>(lcp.span()), 0, filter);
  if (to.what.bwt) out.give_rows(std::span<char const>(rows.span()), 0);
}

/// Makes the arrays of a text part by part, and stores each. Memory: see suffix_sort; then the ranks, sizeof(Index) bytes a
/// letter more for an LCP, and what one part takes.
template <Backend B, class Index>
void build_in_parts(B& machine, packed_text<B> const& packed, results<Index> const& to, options const& how,
                    build_plan<Index, B> const& plan, row_filter<B, Index>* filter, bool& stores) {
  std::size_t const n = packed.size();
  packed_view const text = packed.view();
  auto const phase = [&](std::string_view name) {
    if (how.on_phase) how.on_phase(name, n);
  };
  suffix_sort<B, Index> sort(machine, packed, {});
  sort.by_ranges(plan.in_range(machine.pool().available(), false), no_lcp_from_keys<Index>{});

  auto const by_position = machine.template buffer<Index>(to.what.lcp ? n : 0);
  // Which positions of an LCP are open takes memory, too.
  std::size_t const available = machine.pool().available(), share = available / 4 * (to.what.lcp ? 1 : 3);
  std::size_t const size = std::clamp<std::size_t>(share / plan.row(), 1, n);
  auto const sa = machine.template buffer<Index>(size + 1);
  auto const each_part = [&](auto take) {
    for (std::size_t first = 0; first < n; first += size) {
      std::size_t const count = std::min(size, n - first);
      if (first != 0) machine.each(1, last_to_front<Index>{sa.data(), size});
      sort.order(first, sa.span().subspan(1, count));
      take(first, count, part_row<Index>{text, sa.data(), first == 0});
    }
  };
  if (to.what.lcp) {
    phase("lcp");
    each_part([&](std::size_t, std::size_t count, part_row<Index> row) {
      open_prefixes_of_part(machine, row, count, by_position.span());
    });
    common_prefixes_by_position(machine, text, n, text.letters, by_position.span());
  }
  auto const lcp = machine.template buffer<Index>(to.what.lcp ? size : 0);
  auto const rows = machine.template buffer<char>(to.what.bwt ? size : 0);
  delivery<B, Index> const out(machine, packed, to);
  phase("store");
  stores = true;
  if (to.what.bwt) out.give_rows_of_ends(packed);
  each_part([&](std::size_t first, std::size_t count, part_row<Index> row) {
    std::span<Index const> const part = sa.span().subspan(1, count);
    std::span<Index> const lengths = lcp.span().first(to.what.lcp ? count : 0);
    if (to.what.lcp) common_prefixes_of_part(machine, row, std::span<Index const>(by_position.span()), lengths);
    out.give_order(part, lengths, first, filter);
    if (to.what.bwt) {
      residues_before(machine, text, part, rows.span().first(count));
      out.give_rows(std::span<char const>(rows.span().first(count)), first);
    }
  });
}

/// Makes the arrays of every so many-th position of each record, and stores them: in one range where that is quickest and there
/// is the memory, else in as few as that has room for.
template <Backend B, class Index>
void build_sampled(B& machine, packed_text<B> const& packed, results<Index> const& to, options const& how,
                   row_filter<B, Index>* filter) {
  std::size_t const n = packed.size();
  sampled_positions<B> const sample(machine, packed, to.rows.sample);
  std::size_t const count = sample.count();
  if (!filter) expect_rows(count, to.stored, sizeof(Index));
  auto const plan = sampled_plan<Index, B>(n, count, packed.records(), to.what, !has_workers<B>);
  bool stores = false;
  auto const make = [&](std::size_t in_range) {
    build_whole(machine, packed, to, how, in_range, filter, stores, count, sample.numbers());
  };
  bool const is_quickest = has_workers<B> || plan.at_once();
  if (is_quickest && sampled_sort_memory<Index, B>(plan, 0) <= machine.pool().available()) {
    try {
      return make(count);
    } catch (out_of_memory const&) {
      if (stores) throw;
    }
  }
  make(plan.in_range(machine.pool().available(), true));
}

/// Makes the arrays of a text, and stores them: at once where that is quickest and there is the memory, else by ranges.
template <Backend B, class Index>
void build_arrays(B& machine, packed_text<B> const& packed, results<Index> const& to, options const& how) {
  std::size_t const n = packed.size();
  build_plan<Index, B> const plan{n, packed.records(), to.what, !has_workers<B>};
  auto const available = [&] { return machine.pool().available(); };
  auto const total = [&](std::size_t bytes) { return bytes + std::min(machine.pool().in_use(), ~bytes); };
  bool const sampled = to.rows.sample != 1 && n != 0;
  std::optional<row_filter<B, Index>> filter;
  if (!to.rows.all()) expect_nucleotides(packed.bytes(), to.rows);
  if (to.rows.skip_ambiguous || (!to.rows.all() && !sampled)) {  // else there is a row for each suffix that is sorted
    filter.emplace(machine, packed, to.rows, to.what.lcp);
    expect_rows(filter->rows(), to.stored, sizeof(Index));
  }
  row_filter<B, Index>* const drop = filter ? &*filter : nullptr;
  if (sampled) return build_sampled(machine, packed, to, how, drop);
  std::size_t const at_once = build_memory<Index, B>(n, packed.records(), to.what, plan.copies).quickest +
                              (filter ? row_filter_memory<Index>(n, to.what.lcp) : 0);
  bool stores = false;
  if (n == 0 || (!has_workers<B> && plan.at_once() && at_once <= total(available()))) {
    try {
      return build_whole(machine, packed, to, how, n, drop, stores, n);
    } catch (out_of_memory const&) {
      if (stores) throw;
    }
  }
  auto const by_ranges = [&] {
    std::size_t const some = std::min(available(), plan.workers_limit().value_or(available()));
    build_whole(machine, packed, to, how, plan.in_range(some, true), drop, stores, n);
  };
  if (has_workers<B> && !to.memory.sa.empty()) return by_ranges();
  if (plan.by_ranges() <= available()) {
    try {
      return by_ranges();
    } catch (out_of_memory const&) {
      if (stores) throw;
    }
  }
  build_in_parts(machine, packed, to, how, plan, drop, stores);
}

template <Backend B, class Index>
std::size_t build_on(B& machine, text const& input, results<Index> const& to, options const& how) {
  if (how.on_phase) how.on_phase("sort", input.size());
  packed_text<B> const packed(machine, input);
  build_arrays(machine, packed, to, how);
  return machine.pool().peak();
}

}  // namespace ordo::suffix::detail
