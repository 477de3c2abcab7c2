#include "tools/sufsort/check.hpp"

#include <cstdint>
#include <iostream>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::sufsort {

int check(std::string const& prefix, memory_limits const& memory, cli::common_options const& common, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(prefix);
  std::size_t bytes = 0;
  std::string names;
  for (suffix::index_array const& array : index.description().arrays) {
    bytes += array.bytes;
    names += (names.empty() ? "" : ", ") + array.name;
  }
  tell.stats.input(bytes);
  auto const disorder = [&](std::string const& array, std::string const& why) {
    cli::tell(fmt::format("sufsort: disorder: {}.{}: {}\n", prefix, array, why));
    return 1;
  };

  if (auto const array = index.unlisted_array()) return disorder(*array, "of another index: the description has no such array");

  tell.phase("prove", bytes);
  suffix::build_options how;
  how.machine = common.machine();
  how.memory = memory.host_bytes();
  how.rows = index.description().policy.rows();
  suffix::build_report done;
  std::size_t const copies =  // which are of 64 bits
      index.description().width == 40 ? (index.array("sa").size() + index.array("lcp").size()) * sizeof(std::uint64_t) : 0;
  auto const prove = [&](auto const& arrays) {
    try {
      return suffix::check(index.view(), arrays, how, &done);
    } catch (suffix::text_too_large const& e) {
      throw out_of_memory(fmt::format("{}: {}", e.what(), memory.advice_for_text(copies + e.min_bytes(), copies + e.bytes())),
                          copies + e.min_bytes());
    }
  };
  std::optional<suffix::mismatch> fault;
  if (index.description().width == 40) {  // which no machine has
    if (copies > how.memory) {
      suffix::extra_arrays const what{!index.array("lcp").empty(), !index.bytes("bwt").empty()};
      std::size_t const all = copies + suffix::check_memory(device::cpu, index.description().residues, index.view().records(),
                                                            sizeof(std::uint64_t), what, how.rows);
      throw out_of_memory(fmt::format("out of memory: entries of 40 bits, in 64: {} bytes are needed, {} may be taken: {}",
                                      copies, how.memory, memory.advice(all)),
                          all);
    }
    how.memory -= copies;
    auto const wide = [&](char const* array) {
      suffix::entries const values = index.array(array);
      std::vector<std::uint64_t> all(values.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[i];
      return all;
    };
    auto const sa = wide("sa"), lcp = wide("lcp");
    fault = prove(suffix::arrays<std::uint64_t const>{sa, lcp, index.bytes("bwt")});
  } else {
    fault = index.with_width([&]<class Index>(Index) { return prove(index.arrays<Index>()); });
  }
  tell.stats.machine(done.machine);
  tell.stats.device_memory(done.device_memory);
  if (fault) return disorder(fault->array, fmt::format("row {}: {}", fault->row, fault->reason));
  if (auto const wrong = suffix::find_contradiction(index.view(), index.pieces(), index.description().policy, common.threads))
    return disorder("seq", *wrong);

  if (auto const words = index.array("kmers"); !words.empty())
    if (auto const wrong = suffix::find_wrong_kmer(index.view(), index.array("sa"), index.description().kmers, words,
                                                   index.path("sa"), common.threads))
      return disorder("kmers", fmt::format("word {}: not the first row that is not below it", *wrong));

  tell.phase("checksums", bytes);
  if (auto const array = index.altered_array(common.threads))
    return disorder(*array, "not the bytes that were written: the checksum differs");
  tell.progress.clear();
  if (!common.quiet)
    std::cout << fmt::format("{}: right: {} of {} residues in {} records\n", prefix, names, index.description().residues,
                             index.description().starts.size());
  return 0;
}

}  // namespace ordo::sufsort
