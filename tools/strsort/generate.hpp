#pragma once
#include <string>
#include <string_view>

#include "tools/strsort/gnu_messages.hpp"

/// What is made from the table of options.
namespace ordo::strsort {

std::string help_text(caller const& by);

/// What --generate can make.
constexpr std::string_view generated_kinds = "man complete-bash complete-zsh complete-fish";
/// Nothing for a kind that is none of those.
std::string generated(std::string_view kind);

}  // namespace ordo::strsort
