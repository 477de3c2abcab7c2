#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

bool is_right_fm(suffix::stored_index const& index, suffix::entries sa, unsigned threads) {
  static_cast<void>(index.fm());  // names what contradicts itself
  std::vector<char> const right =
      suffix::make_fm_index(index.view(), sa, index.description().fm_sample, index.path("sa"), threads);
  return std::ranges::equal(right, index.bytes("fm"));
}

// Builds the suffix array that the index was made from, and compares the arrays made of it. Returns the first wrong one.
template <class Index>
std::optional<std::string> find_wrong_array(suffix::stored_index const& index, suffix::build_options const& options,
                                            suffix::build_report& done) {
  bool const has_bwt = index.description().find("bwt") != nullptr;
  suffix::result<Index> const all = suffix::build<Index>(index.view(), {.bwt = has_bwt}, options);
  done = all.report;
  if (has_bwt && !std::ranges::equal(all.bwt, index.bytes("bwt"))) return "bwt";
  unsigned const entry = index.description().width / 8;
  std::vector<char> packed(all.sa.size() * entry);
  for (std::size_t i = 0; i < all.sa.size(); ++i) suffix::store_entry(packed.data() + i * entry, entry, all.sa[i]);
  if (!is_right_fm(index, {packed, index.description().width}, options.machine.threads)) return "fm";
  return std::nullopt;
}

std::optional<std::string> find_wrong_without_sa(suffix::stored_index const& index, suffix::build_options const& options,
                                                 suffix::build_report& done) {
  return index.description().width == 32 ? find_wrong_array<std::uint32_t>(index, options, done)
                                         : find_wrong_array<std::uint64_t>(index, options, done);
}

}  // namespace

int check(std::string const& prefix, memory_limits const& memory, cli::common_options const& common, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(prefix);
  std::size_t bytes = 0;
  std::string names;
  for (suffix::index_array const& array : index.description().arrays) {
    bytes += array.bytes;
    names += (names.empty() ? "" : ", ") + array.name;
  }
  report.stats.input(bytes);
  auto const disorder = [&](std::string const& array, std::string const& why) {
    cli::print_result(fmt::format("sufsort: disorder: {}.{}: {}\n", prefix, array, why));
    return 1;
  };

  if (auto const array = index.unlisted_array()) return disorder(*array, "of another index: the description does not list it");

  report.phase("prove", bytes);
  suffix::build_options options;
  options.machine = common.machine();
  options.memory = memory.host_bytes();
  options.rows = index.description().policy.rows();
  suffix::build_report done;
  std::size_t const copies =  // of 64 bits an entry
      index.has_sa() && index.description().width == 40
          ? (index.array("sa").size() + index.array("lcp").size()) * sizeof(std::uint64_t)
          : 0;
  auto const prove = [&](auto const& arrays) {
    try {
      return suffix::check(index.view(), arrays, options, &done);
    } catch (suffix::text_too_large const& e) {
      throw out_of_memory(fmt::format("{}: {}", e.what(), memory.advice_for_text(copies + e.min_bytes(), copies + e.bytes())),
                          copies + e.min_bytes());
    }
  };
  std::optional<suffix::mismatch> fault;
  if (!index.has_sa() && !index.description().find("fm")) {
    // A text alone: only its checksums can be wrong.
  } else if (!index.has_sa()) {
    if (auto const wrong = find_wrong_without_sa(index, options, done))
      return disorder(*wrong, "differs from what the text gives");
  } else if (index.description().width == 40) {  // machines have no such type
    if (copies > options.memory) {
      suffix::extra_arrays const what{!index.array("lcp").empty(), !index.bytes("bwt").empty()};
      std::size_t const all =
          copies + suffix::check_memory(device::cpu, index.description().residues, index.view().records(),
                                        sizeof(std::uint64_t), what, options.rows, index.view().residue_bytes);
      throw out_of_memory(
          fmt::format("out of memory: entries of 40 bits, unpacked to 64: {} bytes are needed, {} are available: {}", copies,
                      options.memory, memory.advice(all)),
          all);
    }
    options.memory -= copies;
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
  report.stats.machine(done.machine);
  report.stats.device_memory(done.device_memory);
  if (fault) return disorder(fault->array, fmt::format("row {}: {}", fault->row, fault->reason));
  if (auto const wrong = suffix::find_contradiction(index.view(), index.pieces(), index.description().policy, common.threads))
    return disorder("seq", *wrong);

  if (index.has_sa() && index.description().find("fm") && !is_right_fm(index, index.array("sa"), common.threads))
    return disorder("fm", "differs from what the suffix array gives");

  if (auto const words = index.array("kmers"); !words.empty())
    if (auto const wrong = suffix::find_wrong_kmer(index.view(), index.array("sa"), index.description().kmers, words,
                                                   index.path("sa"), common.threads))
      return disorder("kmers", fmt::format("k-mer {}: not the first row that is not smaller", *wrong));

  report.phase("checksums", bytes);
  if (auto const array = index.altered_array(common.threads))
    return disorder(*array, "the checksum differs from that of the bytes written");
  report.progress.clear();
  if (!common.quiet)
    std::cout << fmt::format("{}: right: {} of {} residues in {} records\n", prefix, names, index.description().residues,
                             index.description().records());
  return 0;
}

int info(std::string const& prefix, reporter& report) {
  report.phase("open");
  suffix::stored_index const index(prefix);
  suffix::index_description const& about = index.description();
  cli::output out("-");
  auto const line = [&](std::string const& text) { out.write(std::string_view(text)); };
  line(fmt::format("residues\t{}\nrecords\t{}\nwidth\t{}\ncase\t{}\n", about.residues, about.records(), about.width,
                   about.policy.keeps_case() ? "kept" : "folded to upper"));
  line(fmt::format("strands\t{}\nambiguous\t{}\nmask\t{}\nsample\t{}\nrows\t{}\n",
                   suffix::strands_words[std::size_t(about.policy.strands)],
                   suffix::ambiguous_words[std::size_t(about.policy.ambiguous)],
                   suffix::masked_words[std::size_t(about.policy.masked)], about.policy.sample, about.rows()));
  if (about.input != suffix::input_format::fasta) {
    line(fmt::format("input\t{}\n", suffix::input_words[std::size_t(about.input)]));
    if (!about.field.empty()) line(fmt::format("field\t{}\n", about.field));
    std::string separator;
    if (unsigned const size = suffix::residue_bytes_of(about.input); size == 1)
      append_printable(separator, about.separator);
    else
      append_tokens(separator, about.separator, size);
    if (!separator.empty()) line(fmt::format("separator\t{}\n", separator));
    for (suffix::input_file const& file : about.files) line(fmt::format("file\t{}\t{} records\n", file.name, file.records));
  }
  for (suffix::index_array const& array : about.arrays)
    line(fmt::format("array\t{}\t{} bytes\tcrc32 {:08x}\n", array.name, array.bytes, array.crc32));
  suffix::text const input = index.view();
  if (about.fm_sample != 0) line(fmt::format("fm\tposition of each {}. row, {} letters\n", about.fm_sample, about.fm_letters));
  std::string name;
  for (std::size_t r = 0; r < about.records(); ++r) {
    about.append_name(name, r);
    std::uint64_t const start = about.policy.cuts() ? about.starts[r] : input.begin_of(r);
    line(fmt::format("record\t{}\t{}\t{}\n", name, start, about.policy.cuts() ? about.lengths[r] : input.end_of(r) - start));
    name.clear();
  }
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::sufsort
