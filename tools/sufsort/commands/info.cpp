#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/command.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Prints the description of an index.
class info final : public index_reader {
 public:
  cli::command_table table() override {
    return {.name = "sufsort info",
            .summary = "print the description of an index",
            .usage = {"[OPTION]... PREFIX"},
            .description = "Print the description of an index: residues, policy, arrays and records.",
            .operands = {prefix_operand(prefix_)},
            .examples = {{"See what an index holds", "sufsort info genome"},
                         {"List its records", "sufsort info genome | awk '$1 == \"record\"'"},
                         {"See its arrays and their checksums", "sufsort info genome | grep ^array"}}};
  }

  int run(cli::common_options const& /*common*/, reporter& report, communicator* /*members*/) override {
    report.phase("open");
    suffix::stored_index const index(prefix_);
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
      if (unsigned const size = suffix::bytes_per_residue(about.input); size == 1)
        append_printable(separator, about.separator);
      else
        append_tokens(separator, about.separator, size);
      if (!separator.empty()) line(fmt::format("separator\t{}\n", separator));
      for (suffix::input_file const& file : about.files)
        line(fmt::format("file\t{}\t{}{}{}\n", file.name, quantity(file.records, "record"),
                         file.bad_lines == 0 ? "" : ", " + quantity(file.bad_lines, "bad line") + " among them",
                         file.is_cut ? ", the rest is unreadable" : ""));
    }
    for (suffix::index_array const& array : about.arrays) {
      line(fmt::format("array\t{}\t{} bytes\tcrc32 {:08x}\n", array.name, array.bytes, array.crc32));
      std::vector<std::string> const names = suffix::names_of_files(array);
      for (std::size_t k = 0; k < array.parts.size(); ++k)
        line(fmt::format("part\t{}\t{} bytes\tcrc32 {:08x}\n", names[k], array.parts[k].bytes, array.parts[k].crc32));
    }
    suffix::text const input = index.text_of_search();
    if (about.fm_sample != 0)
      line(fmt::format("fm\tposition of each {}. row, {}\n", about.fm_sample, quantity(about.fm_letters, "letter")));
    std::string name;
    for (std::size_t r = 0; r < about.records(); ++r) {
      about.append_name(name, r);
      std::uint64_t const start = about.policy.cuts() ? about.starts[r] : input.begin(r);
      line(fmt::format("record\t{}\t{}\t{}\n", name, start, about.policy.cuts() ? about.lengths[r] : input.end(r) - start));
      name.clear();
    }
    out.commit();
    return 0;
  }
};

}  // namespace

std::unique_ptr<command> make_info() {
  return std::make_unique<info>();
}

}  // namespace ordo::inline v0::sufsort
