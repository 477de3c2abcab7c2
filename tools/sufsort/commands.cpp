#include <memory>
#include <vector>

#include "tools/sufsort/command.hpp"

namespace ordo::inline v0::sufsort {

using maker = std::unique_ptr<command>();
// clang-format off
maker make_build,
      make_merge,
      make_add,
      make_check,
      make_count,
      make_locate,
      make_mem,
      make_ms,
      make_repeats,
      make_unique_kmers,
      make_spectrum,
      make_duplicates,
      make_export,
      make_aligner_index,
      make_kmers,
      make_info;
// clang-format on

std::vector<std::unique_ptr<command>> all_commands() {
  std::vector<std::unique_ptr<command>> all;
  for (maker* const make :
       {make_build, make_merge, make_add, make_check, make_count, make_locate, make_mem, make_ms, make_repeats,
        make_unique_kmers, make_spectrum, make_duplicates, make_export, make_aligner_index, make_kmers, make_info})
    all.push_back(make());
  return all;
}

}  // namespace ordo::inline v0::sufsort
