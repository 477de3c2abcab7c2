#include "tools/sufsort/info.hpp"

#include <string_view>

#include <fmt/format.h>

#include "ordo/suffix/index.hpp"
#include "tools/cli/output.hpp"

namespace ordo::sufsort {

int info(std::string const& prefix, telling& tell) {
  tell.phase("open");
  suffix::stored_index const index(prefix);
  suffix::index_description const& about = index.description();
  cli::output out("-");
  auto const line = [&](std::string const& text) { out.write(std::string_view(text)); };
  line(fmt::format("residues\t{}\nrecords\t{}\nwidth\t{}\ncase\t{}\n", about.residues, about.starts.size(), about.width,
                   about.policy.keeps_case() ? "kept" : "folded to upper"));
  line(fmt::format("strands\t{}\nambiguous\t{}\nmask\t{}\nsample\t{}\nrows\t{}\n",
                   suffix::strands_words[std::size_t(about.policy.strands)],
                   suffix::ambiguous_words[std::size_t(about.policy.ambiguous)],
                   suffix::masked_words[std::size_t(about.policy.masked)], about.policy.sample, about.rows()));
  for (suffix::index_array const& array : about.arrays)
    line(fmt::format("array\t{}\t{} bytes\tcrc32 {:08x}\n", array.name, array.bytes, array.crc32));
  for (std::size_t r = 0; r < about.starts.size(); ++r)
    line(fmt::format("record\t{}\t{}\t{}\n", about.names[r], about.starts[r],
                     about.policy.cuts() ? about.lengths[r] : index.view().end_of(r) - about.starts[r]));
  out.commit();
  return 0;
}

}  // namespace ordo::sufsort
