#pragma once
#include <string>

#include "ordo/communicator.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/sufsort/building/build_options.hpp"
#include "tools/sufsort/building/merged_records.hpp"
#include "tools/sufsort/building/read_records.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/memory_limits.hpp"
#include "tools/sufsort/reporter.hpp"

namespace ordo::inline v0::sufsort {

/// Builds the arrays of records that were read, and writes the index.
/// @param members  if others help, of whom this is the first
/// @returns the exit status
int write_index(loaded_corpus const& records, index_writer& writer, build_options const& options,
                cli::common_options const& common, reporter& report, communicator* members = nullptr);
int write_index(suffix::loaded_fasta& records, index_writer& writer, build_options const& options,
                cli::common_options const& common, reporter& report, communicator* members = nullptr);

/// Builds as another member than the first one.
int help_build(communicator& members, loaded_corpus const& records, build_options const& options,
               cli::common_options const& common, reporter& report);
int help_build(communicator& members, suffix::loaded_fasta const& records, build_options const& options,
               cli::common_options const& common, reporter& report);

/// Returns the options with which an index was built, but for the width of its entries, which a larger one may exceed.
build_options recorded_options(suffix::index_description const& about, std::string const& prefix, memory_limits const& memory);

/// Returns an index as one that is merged.
merged_part to_merged_part(suffix::stored_index const& index);

/// Merges two texts and their arrays, and writes the index. @param fm  that of the first; may be empty
/// @returns the exit status
int write_merged(merged_part const& first, merged_part const& second, suffix::fm_index const& fm, build_options const& options,
                 cli::common_options const& common, reporter& report);

}  // namespace ordo::inline v0::sufsort
