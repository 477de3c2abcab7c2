#include "strings/external/first_lines.hpp"

#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/strings/line_comparison.hpp"
#include "strings/external/line_blocks.hpp"
#include "strings/external/line_table.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

sort_report write_first_lines(texts const& from, sink& to, sort_options const& options, std::size_t memory,
                              phase_observer const& began) {
  if (options.by.is_collated()) throw usage_error("equal lines are found by their bytes, not by the order of a locale");
  text_job job{from, to, options, duplicates::drop, began};
  job.begin(phase::write, from.bytes);
  line_blocks blocks(job, block);
  key_encoder const encoder(options.by, options.delimiter);
  bool const plain = options.by.keys.empty();
  std::uint64_t const seed = std::random_device{}();
  line_table seen;
  std::string codes, out;
  std::uint64_t left = options.head;
  while (left != 0 && blocks.read()) {
    out.clear();
    each_line(blocks.lines(), options.delimiter, [&](std::string_view line) {
      if (left == 0) return;
      codes.clear();
      if (!plain) encoder.append(line, codes);
      std::string_view const key = plain ? line : std::string_view(codes);
      std::uint64_t const hash = hash_text(key, seed);
      if (seen.find(key, hash)) return;
      if (seen.memory() + key.size() > memory)
        throw out_of_memory(
            fmt::format("out of memory: input: the {} distinct keys of the first {} bytes take more than {} bytes",
                        seen.entries().size(), blocks.count(), memory),
            seen.memory() + key.size());
      seen.insert_copies({hash, 1, key, key});
      out.append(line).push_back(options.delimiter);
      --left;
    });
    if (!out.empty()) to.write(out);
    job.report.written += out.size();
    blocks.drop();
  }
  job.report.bytes = blocks.count();
  job.report.machine.reason = "equal lines are found by the CPU";
  return std::move(job.report);
}

}  // namespace ordo::inline v0::strings::detail
