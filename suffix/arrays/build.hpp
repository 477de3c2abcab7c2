#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ordo/suffix.hpp"
#include "suffix/arrays/bwt.hpp"
#include "suffix/arrays/check.hpp"
#include "suffix/arrays/distributed_check.hpp"
#include "suffix/arrays/lcp.hpp"
#include "suffix/arrays/memory_plan.hpp"
#include "suffix/sort/distributed_ranks.hpp"
#include "suffix/sort/early_download.hpp"
#include "suffix/sort/member_share.hpp"
#include "suffix/sort/row_filter.hpp"
#include "suffix/sort/suffix_sort.hpp"
#include "suffix/text/packed_text.hpp"

// Delivery of results to host memory and sinks.
namespace ordo::inline v0::suffix::detail {

/// The destinations of a build. A machine makes arrays in host memory or for it; if there is none, in its own memory; and
/// stores those that have sinks. If rows are left out, only sinks receive the remaining ones.
template <class Index>
struct results {
  extra_arrays extra;
  arrays<Index> memory;
  sinks stored;
  row_selection rows = {};
  member_share* share = nullptr;  // the share of a member, which opens the sinks; null: this machine builds all
};

constexpr std::size_t narrow_bytes = 5;  // bytes of an entry of 40 bits

/// Writes the first bytes of a sink.
inline void store_first(sink& to, std::span<char const> bytes) {
  if (to.addressable())
    to.write_at(0, bytes);
  else
    to.write(bytes);
}

/// Computes byte i of entries of five bytes.
template <class Index>
struct narrow_byte {
  Index const* entries;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const {
    to[i] = static_cast<unsigned char>(std::uint64_t(entries[i / narrow_bytes]) >> (8 * (i % narrow_bytes)));
  }
};

/// Copies results to host memory and to sinks.
template <Backend B, class Index>
class delivery {
 public:
  /// Allocates all the memory that it needs, for a text of n residues.
  delivery(B& backend, std::size_t n, std::size_t records, results<Index> const& to)
      : backend_(backend),
        to_(to),
        ends_(to.share && to.share->members.rank() != 0 ? 0 : records),
        narrow_(backend.template buffer<unsigned char>(to.stored.entry_bytes == narrow_bytes &&
                                                               (to.share || to.stored.sa || to.stored.lcp)
                                                           ? std::min(n, narrowed_at_once) * narrow_bytes
                                                           : 0)) {}

  /// Delivers sa and lcp, if there is one, from row `at` on; parts come in order.
  void give_order(std::span<Index const> sa, std::span<Index const> lcp, std::size_t at, row_filter<B, Index>* filter) const {
    if (filter) {
      (*filter)(sa, lcp, [&](std::span<Index const> kept, std::span<Index const> lengths, std::size_t row) {
        give_entries(kept, {}, to_.stored.sa, row);
        if (to_.extra.lcp) give_entries(lengths, {}, to_.stored.lcp, row);
      });
      return;
    }
    give_entries(sa, to_.memory.sa, to_.stored.sa, at);
    if (to_.extra.lcp) give_entries(lcp, to_.memory.lcp, to_.stored.lcp, at);
  }

  /// Delivers entries of sa or lcp, from entry `at` on.
  void give_entries(std::span<Index const> made, std::span<Index> memory, sink* stored, std::size_t at) const {
    if (narrow_.size() == 0) return give(made, memory, stored, at);
    give(made, memory, nullptr, at);
    for (std::size_t first = 0; stored && first < made.size(); first += narrowed_at_once) {
      std::size_t const bytes = std::min(made.size() - first, narrowed_at_once) * narrow_bytes;
      backend_.each(bytes, narrow_byte<Index>{made.data() + first, narrow_.data()});
      backend_.store(std::span<unsigned char const>(narrow_.span().first(bytes)), *stored, (at + first) * narrow_bytes);
    }
  }
  /// Delivers rows of the BWT after those of record ends.
  void give_rows(std::span<char const> made, std::size_t at) const { give(made, to_.memory.bwt, to_.stored.bwt, ends_ + at); }
  /// Delivers the rows of record ends.
  void give_rows_of_ends(packed_text<B> const& packed) const {
    if (ends_ == 0) return;
    auto const rows = backend_.template buffer<char>(ends_);
    residues_before_ends(backend_, packed, rows.span());
    std::string last(ends_, '\0');
    backend_.download(std::span<char const>(rows.span()), std::span<char>(last));
    if (to_.stored.bwt)
      store_first(*to_.stored.bwt, last);
    else
      std::ranges::copy(last, to_.memory.bwt.begin());
  }

 private:
  static constexpr std::size_t narrowed_at_once = std::size_t{1} << 23;

  template <class T>
  void give(std::span<T const> made, std::span<T> memory, sink* stored, std::size_t at) const {
    if (!memory.empty()) backend_.download(made, memory.subspan(at, made.size()));
    if (stored) backend_.store(made, *stored, at * sizeof(T));
  }

  B& backend_;
  results<Index> const& to_;
  std::size_t ends_;  // ends of records, whose rows this machine delivers
  buffer<unsigned char> narrow_;
};

/// The operations of one kind of machine after build and check; see suffix.hpp. build and check return the peak use of the
/// machine's memory; the CPU ignores gpu_index.
template <class Index>
struct suffix_builder {
  std::size_t (*build)(text const& input, results<Index> const& to, build_options const& options, unsigned gpu_index);
  std::size_t (*check)(text const& input, arrays<Index const> all, build_options const& options, unsigned gpu_index,
                       std::optional<mismatch>& found);
  std::size_t (*check_share)(communicator& members, text const& input, arrays<Index const> own, build_options const& options,
                             unsigned gpu_index, check_report& report);
  memory_estimate (*build_memory)(std::size_t n, std::size_t records, extra_arrays extra, row_selection rows,
                                  unsigned residue_bytes);
  std::size_t (*max_in_range)(std::size_t n, std::size_t records, extra_arrays extra, row_selection rows,
                              std::size_t available);
  std::size_t (*check_memory)(std::size_t n, std::size_t records, extra_arrays extra, unsigned residue_bytes);
};
/// Returns the operations of a backend that state memory. The others are null.
template <class Index, Backend B>
suffix_builder<Index> memory_of_builder() {
  static constexpr bool copies = !has_workers<B>;  // inputs and results are copied to the backend's memory
  suffix_builder<Index> of{};
  of.build_memory = [](std::size_t n, std::size_t records, extra_arrays extra, row_selection rows, unsigned residue_bytes) {
    return rows_memory<Index, B>(n, records, extra, copies, rows.sample, residue_bytes);
  };
  of.max_in_range = [](std::size_t n, std::size_t records, extra_arrays extra, row_selection rows, std::size_t available) {
    return max_in_range<Index, B>(n, records, extra, copies, rows.sample, available);
  };
  of.check_memory = [](std::size_t n, std::size_t records, extra_arrays extra, unsigned residue_bytes) {
    return proof_memory<Index, B>(n, records, extra, copies, residue_bytes);
  };
  return of;
}
template <class Index>
suffix_builder<Index> host_builder();  // in on_host.cpp
template <class Index>
suffix_builder<Index> cuda_builder();  // in on_cuda.cu

/// Returns the bytes of input from which a GPU is faster than the CPU. @param threads  as in machine_options
std::size_t min_gpu_bytes(unsigned threads);

/// Rethrows the error of a required GPU that ran out of memory, with the number of bytes that suffices.
[[noreturn]] void refuse_on_gpu(out_of_memory const& e, std::size_t n, std::size_t max_bytes);

/// Checks the residues of a text. @throws usage_error
void check_residues(text const& input, row_selection rows, bool bwt);

/// Checks the arguments of a build of n residues with these starts.
/// @param entry_bytes  as of sinks
/// @returns the same, if it is not 0 @param index_bytes  size of an Index
/// @throws usage_error
std::size_t check_arrays(std::size_t n, std::span<std::uint64_t const> starts, std::size_t entry_bytes, std::size_t index_bytes,
                         row_selection rows, bool bwt);

/// Announces sizes to the sinks of build_into. If rows are left out, expect_rows does so once they have been counted.
/// @param index_bytes  size of an Index
/// @throws as build_into
void expect_arrays(std::size_t n, std::span<std::uint64_t const> starts, sinks const& out, std::size_t index_bytes,
                   row_selection rows);
void expect_rows(std::size_t rows, sinks const& out, std::size_t index_bytes);
/// @param present  the letters of a text
/// @throws input_error  if ambiguous letters are to be left out, and some letter is no nucleotide code
void expect_nucleotides(std::span<unsigned char const> present, row_selection rows);

/// Returns a buffer that fills the first n items of `memory`, or one of its own if there is no `memory`.
template <Backend B, class T>
buffer<T> make_target(B& backend, std::span<T> memory, std::size_t n) {
  return memory.empty() ? backend.template buffer<T>(n) : backend.target(memory.first(n));
}

/// Starts the LCP from the keys of the first round, range by range. (A named type, because nvcc accepts no local one here.)
template <Backend B, class Index>
struct lcp_from_keys {
  B& backend;
  packed_view text;
  results<Index> const& to;
  std::size_t n;
  buffer<Index>& lcp;
  std::optional<std::uint64_t> last = {};

  void operator()(std::span<std::uint64_t const> keys, std::size_t first, std::uint64_t from) {
    if (!to.extra.lcp) return;
    if (first == 0) (void)rows();
    common_prefixes_of_keys(backend, text, last, keys, from, lcp.span().subspan(first, keys.size()));
    if (first + keys.size() < n) last = value_at(backend, keys, keys.size() - 1) + from;
  }
  /// Returns the memory in which the LCP starts; empty if no LCP is wanted.
  std::span<Index> rows() {
    if (to.extra.lcp) lcp = make_target(backend, to.memory.lcp, n);
    return lcp.span();
  }
};

template <class Index>
struct no_lcp_from_keys {
  void operator()(std::span<std::uint64_t const>, std::size_t, std::uint64_t) const {}
  [[nodiscard]] std::span<Index> rows() const { return {}; }
};

/// Moves the last suffix of a part in front of the next part.
template <class Index>
struct last_to_front {
  Index* part;
  std::size_t size;
  ORDO_FN void operator()(std::size_t) const { part[0] = part[size]; }
};

/// Runs the first of some methods, ordered by speed, that does not run out of memory before anything is stored.
inline void run_first_that_fits(std::vector<std::function<void()>> const& methods, bool const& stores) {
  for (std::size_t k = 0; k + 1 < methods.size(); ++k) {
    try {
      return methods[k]();
    } catch (out_of_memory const&) {
      if (stores) throw;
    }
  }
  methods.back()();
}

/// Returns the plan of a packed text.
template <class Index, Backend B>
sort_plan<Index, B> plan_sort(packed_text<B> const& packed, extra_arrays extra) {
  sort_plan<Index, B> plan{packed.size(), packed.records(), extra, !has_workers<B>};
  plan.max_alphabet = std::size_t{1} << packed.view().letter_bits;
  return plan;
}

/// Opens the sinks of one member's rows, and completes its LCP.
template <Backend B, class Index>
sinks open_share(group_ranks<B, Index> const& all, std::span<Index const> sa, std::span<Index> lcp,
                 row_filter<B, Index>* filter, extra_arrays extra, std::size_t ends) {
  if (extra.lcp) all.join(sa, lcp);
  return all.share().open(filter ? all.prepare(*filter, sa, lcp) : sa.size(), extra, ends);
}

/// Makes the whole arrays of a text, and stores them.
/// @param chosen  the positions whose suffixes are sorted, `count` of them
/// @param in_range  how many are sorted at a time
/// @param filter  removes rows, if not null
/// @param stores  set before anything is stored
/// @param all  the ranks of all members' suffixes, if the positions are one member's share
template <Backend B, class Index, class Numbers = every_position>
void build_whole(B& backend, packed_text<B> const& packed, results<Index> const& to, build_options const& options,
                 std::size_t in_range, row_filter<B, Index>* filter, bool& stores, std::size_t count, Numbers chosen = {},
                 group_ranks<B, Index>* all = nullptr) {
  std::size_t const n = packed.size(), ends = to.extra.bwt ? packed.records() : 0;
  auto const phase = [&](std::string_view name) {
    if (options.on_phase) options.on_phase(name, n);
  };
  auto const sa = make_target(backend, to.memory.sa, count);
  early_download<B, Index> early(backend, std::span<Index const>(sa.span()),
                                 to.memory.sa.first(to.memory.sa.empty() ? 0 : count), early_share(in_range < count));
  buffer<Index> lcp;
  {
    std::optional<pool::limit> limited;
    if constexpr (std::is_same_v<Numbers, every_position>) {
      pool& memory = backend.pool();
      if (auto const limit = plan_sort<Index>(packed, to.extra).workers_limit())
        limited.emplace(memory, memory.in_use() + std::min(memory.available(), *limit));
    }
    suffix_sort<B, Index, Numbers> sort(backend, packed, sa.span(), chosen, &early, all);
    lcp_from_keys<B, Index> const with_keys{backend, packed.first_view(), to, count, lcp};
    constexpr bool at_once = std::is_same_v<Numbers, every_position> && !has_workers<B>;
    if constexpr (!std::is_same_v<Numbers, every_position>)
      if (all && count == 0) sort.without_suffixes();
    if constexpr (at_once)
      if (in_range >= n) sort.at_once(with_keys);
    if ((!at_once || in_range < n) && count != 0) sort.by_ranges(in_range, with_keys);
  }
  if (to.extra.lcp) {
    phase("lcp");
    common_prefixes(backend, packed.view(), n, packed.first_view().letters, std::span<Index const>(sa.span()), lcp.span(),
                    chosen);
  }
  auto const rows = to.extra.bwt
                        ? make_target(backend, to.memory.bwt.empty() ? to.memory.bwt : to.memory.bwt.subspan(ends), count)
                        : buffer<char>{};
  if (to.extra.bwt) {
    phase("bwt");
    residues_before(backend, packed.view(), std::span<Index const>(sa.span()), rows.span());
  }
  // From here on only small buffers are allocated, so that results are stored once.
  if (to.stored.sa || to.stored.lcp || to.stored.bwt || all) phase("store");
  early.finish();
  results<Index> left = to;
  left.memory.sa = {};
  if (all) left.stored = open_share(*all, std::span<Index const>(sa.span()), lcp.span(), filter, to.extra, ends);
  delivery<B, Index> const out(backend, n, packed.records(), left);
  stores = true;
  if (to.extra.bwt) out.give_rows_of_ends(packed);
  out.give_order(std::span<Index const>(sa.span()), std::span<Index const>(lcp.span()), 0, filter);
  if (to.extra.bwt) out.give_rows(std::span<char const>(rows.span()), 0);
}

/// Makes the arrays of a text part by part, and stores each part. Memory: that of suffix_sort; then the ranks, sizeof(Index)
/// bytes a letter more for an LCP, and one part.
template <Backend B, class Index>
void build_in_parts(B& backend, packed_text<B> const& packed, results<Index> const& to, build_options const& options,
                    sort_plan<Index, B> const& plan, row_filter<B, Index>* filter, bool& stores) {
  std::size_t const n = packed.size();
  packed_view const text = packed.view();
  auto const phase = [&](std::string_view name) {
    if (options.on_phase) options.on_phase(name, n);
  };
  suffix_sort<B, Index> sort(backend, packed, {});
  sort.by_ranges(plan.in_range(backend.pool().available(), false), no_lcp_from_keys<Index>{});

  auto const by_position = backend.template buffer<Index>(to.extra.lcp ? n : 0);
  // The open positions of an LCP take memory, too.
  std::size_t const available = backend.pool().available(), share = available / 4 * (to.extra.lcp ? 1 : 3);
  std::size_t const size = std::clamp<std::size_t>(share / plan.row(), 1, n);
  auto const sa = backend.template buffer<Index>(size + 1);
  auto const each_part = [&](auto take) {
    for (std::size_t first = 0; first < n; first += size) {
      std::size_t const count = std::min(size, n - first);
      if (first != 0) backend.each(1, last_to_front<Index>{sa.data(), size});
      sort.order(first, sa.span().subspan(1, count));
      take(first, count, part_row<Index>{text, sa.data(), first == 0});
    }
  };
  if (to.extra.lcp) {
    phase("lcp");
    each_part([&](std::size_t, std::size_t count, part_row<Index> row) {
      open_prefixes_of_part(backend, row, count, by_position.span());
    });
    common_prefixes_by_position(backend, text, n, text.letters, by_position.span());
  }
  auto const lcp = backend.template buffer<Index>(to.extra.lcp ? size : 0);
  auto const rows = backend.template buffer<char>(to.extra.bwt ? size : 0);
  delivery<B, Index> const out(backend, n, packed.records(), to);
  phase("store");
  stores = true;
  if (to.extra.bwt) out.give_rows_of_ends(packed);
  each_part([&](std::size_t first, std::size_t count, part_row<Index> row) {
    std::span<Index const> const part = sa.span().subspan(1, count);
    std::span<Index> const lengths = lcp.span().first(to.extra.lcp ? count : 0);
    if (to.extra.lcp) common_prefixes_of_part(backend, row, std::span<Index const>(by_position.span()), lengths);
    out.give_order(part, lengths, first, filter);
    if (to.extra.bwt) {
      residues_before(backend, text, part, rows.span().first(count));
      out.give_rows(std::span<char const>(rows.span().first(count)), first);
    }
  });
}

/// Makes the arrays of a sample of the positions of each record, and stores them: in one range if that is fastest and fits into
/// memory, otherwise in as few ranges as fit.
template <Backend B, class Index>
void build_sampled(B& backend, packed_text<B> const& packed, results<Index> const& to, build_options const& options,
                   row_filter<B, Index>* filter) {
  std::size_t const n = packed.size();
  sampled_positions<B> const sample(backend, packed, to.rows.sample);
  std::size_t const count = sample.count();
  if (!filter) expect_rows(count, to.stored, sizeof(Index));
  auto const plan = sampled_plan<Index, B>(n, count, packed.records(), to.extra, !has_workers<B>);
  bool stores = false;
  auto const make = [&](std::size_t in_range) {
    build_whole(backend, packed, to, options, in_range, filter, stores, count, sample.numbers());
  };
  std::vector<std::function<void()>> methods;
  if ((has_workers<B> || plan.at_once()) && sampled_sort_memory<Index, B>(plan, 0) <= backend.pool().available())
    methods.push_back([&] { make(count); });
  methods.push_back([&] { make(plan.in_range(backend.pool().available(), true)); });
  run_first_that_fits(methods, stores);
}

/// Makes one member's rows of the arrays of a text, and stores them. Collective.
template <Backend B, class Index>
void build_share(B& backend, packed_text<B> const& packed, results<Index> const& to, build_options const& options) {
  std::optional<row_filter<B, Index>> filter;
  if (to.rows.skip_ambiguous) {
    expect_nucleotides(packed.bytes(), to.rows);
    filter.emplace(backend, packed, to.rows, to.extra.lcp);
  }
  group_ranks<B, Index> all(backend, packed, to.rows.sample, *to.share);
  auto const plan = sampled_plan<Index, B>(packed.size(), all.count(), packed.records(), to.extra, true);
  bool stores = false;
  build_whole(backend, packed, to, options, plan.in_range(backend.pool().available(), true), filter ? &*filter : nullptr,
              stores, all.count(), all.numbers(), &all);
  to.share->finish();
}

/// Makes the arrays of a text, and stores them: at once if that is fastest and fits into memory, otherwise by ranges.
template <Backend B, class Index>
void build_arrays(B& backend, packed_text<B> const& packed, results<Index> const& to, build_options const& options) {
  if (to.share) return build_share(backend, packed, to, options);
  std::size_t const n = packed.size();
  auto const plan = plan_sort<Index>(packed, to.extra);
  auto const available = [&] { return backend.pool().available(); };
  auto const total = [&](std::size_t bytes) { return bytes + std::min(backend.pool().in_use(), ~bytes); };
  bool const sampled = to.rows.sample != 1 && n != 0;
  std::optional<row_filter<B, Index>> filter;
  if (!to.rows.all()) expect_nucleotides(packed.bytes(), to.rows);
  if (to.rows.skip_ambiguous || (!to.rows.all() && !sampled)) {  // otherwise each sorted suffix has a row
    filter.emplace(backend, packed, to.rows, to.extra.lcp);
    expect_rows(filter->rows(), to.stored, sizeof(Index));
  }
  row_filter<B, Index>* const drop = filter ? &*filter : nullptr;
  if (sampled) return build_sampled(backend, packed, to, options, drop);
  std::size_t const at_once =
      all_rows_memory<Index, B>(n, packed.records(), to.extra, plan.copies, packed.residue_bytes()).fast_bytes +
      (filter ? row_filter_memory<Index>(n, to.extra.lcp) : 0);
  bool stores = false;
  std::vector<std::function<void()>> methods;
  if (n == 0 || (!has_workers<B> && plan.at_once() && at_once <= total(available())))
    methods.push_back([&] { build_whole(backend, packed, to, options, n, drop, stores, n); });
  bool const must_keep = has_workers<B> && !to.memory.sa.empty();
  if (must_keep || plan.by_ranges() <= available())
    methods.push_back([&] {
      std::size_t const some = std::min(available(), plan.workers_limit().value_or(available()));
      build_whole(backend, packed, to, options, plan.in_range(some, true), drop, stores, n);
    });
  if (!must_keep) methods.push_back([&] { build_in_parts(backend, packed, to, options, plan, drop, stores); });
  run_first_that_fits(methods, stores);
}

/// Returns true if the suffix array of a text, and nothing else, is made by one thread, which sorts by induction.
template <Backend B, class Index>
bool is_for_induction(B& backend, text const& input, results<Index> const& to) {
  return input.residue_bytes == 1 && input.size() != 0 && induced_sort<B, Index>::can_sort(input.size()) && !to.extra.lcp &&
         !to.extra.bwt && to.rows.all() && !to.share && worker_sort<B, Index>::threads(backend) == 1;
}

/// Makes the suffix array of a text by induction, and stores it. The text is not packed.
/// @returns false if memory is short
template <Backend B, class Index>
bool build_by_induction(B& backend, text const& input, results<Index> const& to, build_options const& options) {
  std::size_t const n = input.size(), records = input.records();
  results<Index> left = to;
  left.memory.sa = {};
  buffer<Index> sa;
  std::optional<delivery<B, Index>> out;
  try {
    sa = make_target(backend, to.memory.sa, n);
    auto const bounds = backend.template buffer<std::uint64_t>(records + 1);
    backend.each(bounds.size(), write_bounds{input.starts.data(), records, n, bounds.data()});
    std::span const residues(reinterpret_cast<unsigned char const*>(input.residues.data()), n);
    induced_sort<B, Index>::sort(backend, residues, bounds.span(), sa.span());
    out.emplace(backend, n, records, left);
  } catch (out_of_memory const&) {
    return false;
  }
  if (to.stored.sa && options.on_phase) options.on_phase("store", n);
  out->give_order(std::span<Index const>(sa.span()), {}, 0, nullptr);
  return true;
}

template <Backend B, class Index>
std::size_t build_on(B& backend, text const& input, results<Index> const& to, build_options const& options) {
  auto const phase = [&](std::string_view name) {
    if (options.on_phase) options.on_phase(name, input.size());
  };
  bool const pack_together = to.share && to.share->packs_parts() && input.residue_bytes == 1;
  phase(pack_together ? "pack" : "sort");
  if constexpr (has_workers<B>)
    if (is_for_induction(backend, input, to) && build_by_induction(backend, input, to, options)) return backend.pool().peak();
  packed_text<B> const packed = pack_together ? packed_text<B>(backend, input, *to.share) : packed_text<B>(backend, input);
  if (pack_together) phase("sort");
  build_arrays(backend, packed, to, options);
  return backend.pool().peak();
}

}  // namespace ordo::inline v0::suffix::detail
