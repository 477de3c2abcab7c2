#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cli/output.hpp"

namespace ordo::sufsort {

/// Every file that belongs to an index, or did before it was built anew.
std::vector<std::string> files_of(std::string const& prefix);

/// Refuses the name of a file where the prefix of an index belongs, and says how to build one. A damaged or
/// missing index passes: opening it fails. @throws input_error
void expect_index(std::string const& prefix);

/// Writes an index, or what changes of one, in the place of an old one: whatever the moment at which the process ends,
/// stored_index finds the old index or the new one. The new arrays get hidden names that the checksum of the new description is
/// part of; then the description takes its place, which makes the new index the one that is there; then the arrays take theirs,
/// and those that it lacks go. Until that is done a hidden file says where a reader finds them (suffix/index/index_parts.hpp),
/// and the next exchange of that prefix completes it first. Where a file of the old index cannot be replaced in one step (it is
/// a symbolic link or a mount point, or the folder lets nothing be renamed) the old description goes first: then there is no
/// index until the new description is there.
/// @param arrays    that change, with their names ("sa")
/// @param unwanted  arrays that the new index does not have
/// @param made_of   the checksum of the description that the arrays belong to which stay
/// @throws output_error  if another description is there by now
void exchange_index(std::string const& prefix, std::string_view description, cli::output& json,
                    std::vector<std::pair<std::string, cli::output*>> const& arrays, std::vector<std::string> const& unwanted,
                    std::optional<std::uint32_t> made_of = std::nullopt);

/// Returns the checksum of the description that is there, in its place; nothing if there is none.
std::optional<std::uint32_t> sum_of_description(std::string const& prefix);

/// What an index is made of cannot be replaced by it. @throws output_error
void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs);

/// What is printed may not go into the index that is read. @throws output_error
void refuse_stdout(std::string const& prefix);

/// Nor what is written. @throws output_error
void refuse_output(std::string const& prefix, cli::output const& out);

}  // namespace ordo::sufsort
