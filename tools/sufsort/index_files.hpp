#pragma once
#include <string>
#include <vector>

#include "tools/cli/output.hpp"

namespace ordo::sufsort {

/// Every file that belongs to an index, or did before it was built anew.
std::vector<std::string> files_of(std::string const& prefix);

/// Refuses the name of a file where the prefix of an index belongs, and says how to build one. A damaged or
/// missing index passes: opening it fails. @throws input_error
void expect_index(std::string const& prefix);

/// What an index is made of cannot be replaced by it. @throws output_error
void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs);

/// What is printed may not go into the index that is read. @throws output_error
void refuse_stdout(std::string const& prefix);

/// Nor what is written. @throws output_error
void refuse_output(std::string const& prefix, cli::output const& out);

}  // namespace ordo::sufsort
