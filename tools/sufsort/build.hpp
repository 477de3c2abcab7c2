#pragma once
#include <string>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"
#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/kmers.hpp"
#include "tools/sufsort/memory_limits.hpp"

namespace ordo::sufsort {

/// What build is asked for.
struct build_options {
  std::string prefix;
  std::vector<std::string> files;
  suffix::extra_arrays what;
  std::string width = "auto";
  suffix::policy policy;
  memory_limits memory;
  bool plan = false;
  kmer_options kmers;
};

void add_build_options(CLI::App& command, build_options& how);

/// Makes an index of FASTA files, or tells what would be done. @returns the exit status
int build(build_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
