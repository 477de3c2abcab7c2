#pragma once
#include <string>
#include <vector>

#include "ordo/suffix/index.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/building/build_options.hpp"
#include "tools/sufsort/reporter.hpp"

/// Indexes of runs: PREFIX.rlfm, PREFIX.pieces and PREFIX.json, for searches in many genomes.
namespace ordo::inline v0::sufsort {

/// Makes an index of runs of the records of FASTA files, one genome after another.
/// @param base  an index of runs to which they are added; null: none
/// @returns the exit status
int build_run_index(build_options const& options, cli::common_options const& common, reporter& report,
                    suffix::stored_index const* base = nullptr);

/// Writes the runs of an index of runs, or of ropebwt3, to OUTPUT.bwt.heads and OUTPUT.bwt.len.
void export_run_index(std::string const& index, std::string const& output, cli::common_options const& common, reporter& report);

}  // namespace ordo::inline v0::sufsort
