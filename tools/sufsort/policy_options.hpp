#pragma once
#include <optional>
#include <string>

#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/policy.hpp"

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What of the records an index is built of.
void add_policy_options(CLI::App& command, suffix::policy& which);

/// Which letters `what`, as "k-mers", may hold; nothing: those that suit the text.
void add_letters_option(CLI::App& command, std::string const& what, std::optional<suffix::letter_choice>& letters);

}  // namespace ordo::sufsort
