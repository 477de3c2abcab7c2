#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "suffix/bwt.hpp"
#include "suffix/lcp.hpp"
#include "suffix/memory.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/prefix_doubling.hpp"
#include "suffix/proof.hpp"

namespace ordo::suffix::detail {

/// Where the results of build go. A machine makes them in the host's memory, or for it; where there is none, in its own; and
/// stores to the sinks that there are.
template <class Index>
struct results {
  wanted what;
  arrays<Index> memory;
  sinks stored;
};

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

/// See memory_needed and memory_for_check.
template <class Index>
memory_plan build_memory_on_host(std::size_t n, std::size_t records, wanted what);
template <class Index>
memory_plan build_memory_on_cuda(std::size_t n, std::size_t records, wanted what);
template <class Index>
std::size_t check_memory_on_host(std::size_t n, std::size_t records);
template <class Index>
std::size_t check_memory_on_cuda(std::size_t n, std::size_t records);

/// Tells the sinks of build_into what they will hold. @throws as build_into
void expect_arrays(std::size_t n, std::span<std::uint64_t const> starts, sinks const& out, std::size_t index_bytes);

/// A buffer of n that is to be filled for `memory`; or, if that is none, for itself.
template <Backend B, class T>
buffer<T> target_of(B& machine, std::span<T> memory, std::size_t n) {
  return memory.empty() ? machine.template buffer<T>(n) : machine.target(memory);
}

/// Begins the LCP from the keys of the first round. (A named type: nvcc takes no local one here.)
template <Backend B, class Index>
struct lcp_from_keys {
  B& machine;
  packed_view text;
  results<Index> const& to;
  buffer<Index>& lcp;

  void operator()(std::span<std::uint64_t const> keys) const {
    if (!to.what.lcp) return;
    lcp = target_of(machine, to.memory.lcp, keys.size());
    common_prefixes_of_keys(machine, text, keys, lcp.span());
  }
};

/// The first bytes of a sink.
inline void store_first(sink& to, std::span<char const> bytes) {
  if (to.addressable())
    to.write_at(0, bytes);
  else
    to.write(bytes);
}

/// Makes the arrays of a text, and stores them.
template <Backend B, class Index>
void build_arrays(B& machine, packed_text<B> const& packed, results<Index> const& to, options const& how) {
  std::size_t const n = packed.size(), ends = to.what.bwt ? packed.records() : 0;
  auto const phase = [&](std::string_view name) {
    if (how.on_phase) how.on_phase(name, n);
  };
  auto const sa = target_of(machine, to.memory.sa, n);
  buffer<Index> lcp;
  sort_suffixes(machine, packed, sa.span(), lcp_from_keys<B, Index>{machine, packed.view(), to, lcp});
  if (to.what.lcp) {
    phase("lcp");
    common_prefixes(machine, packed.view(), std::span<Index const>(sa.span()), lcp.span());
  }
  auto const memory_rows = to.memory.bwt.empty() ? std::span<char>{} : to.memory.bwt.subspan(ends);
  auto const rows = to.what.bwt ? target_of(machine, memory_rows, n) : buffer<char>{};
  auto const rows_of_ends = machine.template buffer<char>(ends);
  if (to.what.bwt) {
    phase("bwt");
    residues_before_ends(machine, packed, rows_of_ends.span());
    residues_before(machine, packed.view(), std::span<Index const>(sa.span()), rows.span());
  }
  // From here on no memory can be lacking, so that what is stored is stored once.
  if (to.stored.sa) phase("store");
  auto const give = [&]<class T>(std::span<T const> made, std::span<T> memory, sink* stored, std::size_t at) {
    if (!memory.empty()) machine.download(made, memory);
    if (stored) machine.store(made, *stored, at);
  };
  give(std::span<Index const>(sa.span()), to.memory.sa, to.stored.sa, 0);
  if (to.what.lcp) give(std::span<Index const>(lcp.span()), to.memory.lcp, to.stored.lcp, 0);
  if (to.what.bwt) {
    std::string last(ends, '\0');
    machine.download(std::span<char const>(rows_of_ends.span()), std::span(last));
    if (to.stored.bwt)
      store_first(*to.stored.bwt, last);
    else
      std::ranges::copy(last, to.memory.bwt.begin());
    give(std::span<char const>(rows.span()), memory_rows, to.stored.bwt, ends);
  }
}

template <Backend B, class Index>
std::size_t build_on(B& machine, text const& input, results<Index> const& to, options const& how) {
  if (how.on_phase) how.on_phase("sort", input.size());
  packed_text<B> const packed(machine, input);
  build_arrays(machine, packed, to, how);
  return machine.pool().peak();
}

}  // namespace ordo::suffix::detail
