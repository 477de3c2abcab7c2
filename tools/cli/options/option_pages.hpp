#pragma once
#include <string>
#include <string_view>

#include "tools/cli/options/option_table.hpp"

/// Help, manual pages and completions, made from the table of a command.
namespace ordo::inline v0::cli {

/// Returns the usage and the commands of a program, which it prints if no command is given.
std::string command_list(command_table const& table);

/// Returns the text of --help in lines of at most 80 columns. @param program  the name by which the command was called
std::string help_text(command_table const& table, std::string_view program);

/// The values of --generate.
inline constexpr std::string_view generated_kinds = "man complete-bash complete-zsh complete-fish";

/// Returns a manual page of `command`, or completions of `program` and its subcommands; nothing for a kind not in
/// generated_kinds.
std::string generated(command_table const& program, command_table const& command, std::string_view kind);

}  // namespace ordo::inline v0::cli
