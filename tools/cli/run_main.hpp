#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace ordo::cli {

/// What every tool's main returns: body()'s status, or 2 after one line "tool: what: where: why" on stderr. The only catch
/// of the project, with run_beside. Also sees to what a filter owes its user:
/// - standard output is flushed and checked at the end: a full disk or a closed stdout is an error, if anything was written;
/// - a closed pipe ends the process by SIGPIPE, without a word (or is an error where the caller ignores SIGPIPE);
/// - a write beyond `ulimit -f` is an error, not a signal;
/// - a signal that ends the process does so after its temporary files are removed;
/// - an exception that is caught nowhere, in a thread of a library's, ends the process as one that is caught here.
/// @param reworded  what to say in the place of a message, for a tool that stands in for another one
int run_main(std::string_view tool, std::function<int()> const& body,
             std::function<std::string(std::string_view)> const& reworded = {});

/// Runs work() on a thread beside run_main's. If it throws, the process ends at once as run_main would end it, temporary files
/// removed: so a failed write is told while another thread waits for input that may never come.
void run_beside(std::string_view tool, std::function<void()> const& work);

/// One line "tool: text" on stderr, in the place of the progress line. A stderr that takes nothing is no reason to stop the
/// work.
void say(std::string_view tool, std::string_view text) noexcept;
/// What the user asked to be told, such as where a check found disorder, on stderr in the place of the progress line: these
/// bytes, line end and all. @throws output_error
void tell(std::string_view line);

}  // namespace ordo::cli
