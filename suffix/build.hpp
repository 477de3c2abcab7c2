#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "suffix/bwt.hpp"
#include "suffix/lcp.hpp"
#include "suffix/memory.hpp"
#include "suffix/packed_text.hpp"
#include "suffix/prefix_doubling.hpp"
#include "suffix/proof.hpp"

namespace ordo::suffix::detail {

/// What one machine does for build and check; see suffix.hpp. They return the machine's peak memory. Instantiated in
/// suffix_host.cpp and suffix_cuda.cu.
template <class Index>
std::size_t build_on_host(text const& input, arrays<Index> out, options const& how);
template <class Index>
std::size_t build_on_cuda(text const& input, arrays<Index> out, options const& how, unsigned gpu_index);
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

/// Begins the LCP from the keys of the first round. (A named type: nvcc takes no local one here.)
template <Backend B, class Index>
struct lcp_from_keys {
  B& machine;
  packed_view text;
  std::span<Index> wanted;
  buffer<Index>& lcp;

  void operator()(std::span<std::uint64_t const> keys) const {
    if (wanted.empty()) return;
    lcp = machine.target(wanted);
    common_prefixes_of_keys(machine, text, keys, lcp.span());
  }
};

template <Backend B, class Index>
std::size_t build_on(B& machine, text const& input, arrays<Index> out, options const& how) {
  auto const phase = [&](std::string_view name) {
    if (how.on_phase) how.on_phase(name, input.size());
  };
  phase("sort");
  packed_text<B> const packed(machine, input);
  auto const sa = machine.target(out.sa);
  buffer<Index> lcp;
  sort_suffixes(machine, packed, sa.span(), lcp_from_keys<B, Index>{machine, packed.view(), out.lcp, lcp});
  machine.download(std::span<Index const>(sa.span()), out.sa);
  if (!out.lcp.empty()) {
    phase("lcp");
    common_prefixes(machine, packed.view(), std::span<Index const>(sa.span()), lcp.span());
    machine.download(std::span<Index const>(lcp.span()), out.lcp);
  }
  if (!out.bwt.empty()) {
    phase("bwt");
    std::size_t const records = input.records();
    for (std::size_t r = 0; r < records; ++r) out.bwt[r] = residue_before_end(input, r);
    auto const host_rows = out.bwt.subspan(records);
    auto const rows = machine.target(host_rows);
    residues_before(machine, packed.view(), std::span<Index const>(sa.span()), rows.span());
    machine.download(std::span<char const>(rows.span()), host_rows);
  }
  return machine.pool().peak();
}

}  // namespace ordo::suffix::detail
