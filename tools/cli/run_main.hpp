#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace ordo::inline v0::cli {

/// Returns the status of a tool: that of body(), or 2 after an exception, for which it prints one line "tool: what: where:
/// why". It and run_beside are the only places that catch exceptions to end a process. It also makes a tool behave as a filter:
/// - Standard output is flushed and checked at the end. A full disk or a closed stdout is an error if anything was written.
/// - A closed pipe ends the process by SIGPIPE without a message. It is an error if the caller ignores SIGPIPE.
/// - A write beyond `ulimit -f` is an error, not a signal.
/// - A signal that ends the process first removes its temporary files.
/// - An allocation for which the memory does not suffice fails, in a control group, too, instead of getting the process killed.
/// - A mapped file that shrinks, or that the disk cannot read, is an error, not SIGBUS.
/// - An uncaught exception in a thread of a library ends the process as one of body() does.
/// @param reworded  returns the message to print instead, for a tool that replaces another one
int run_main(std::string_view tool, std::function<int()> const& body,
             std::function<std::string(std::string_view)> const& reworded = {});

/// Runs work() on a thread other than run_main's. If it throws, the process ends at once as run_main ends it, and temporary
/// files are removed. So a failed write ends the process although another thread waits for input that may never come.
void run_beside(std::string_view tool, std::function<void()> const& work);

/// Prints run_main's line for the current exception.
void print_exception(std::string_view tool, std::function<std::string(std::string_view)> const& reworded = {});

/// Prints the line "tool: text" to stderr in place of the progress line. If stderr accepts nothing, work goes on.
void say(std::string_view tool, std::string_view text) noexcept;
/// Prints the line "tool: warning: text" of the tool that runs, as say() does, unless warnings are off.
void warn(std::string_view text) noexcept;
/// Turns off warn().
void quiet_warnings() noexcept;
/// Prints a result, such as the disorder that a check found, to stderr in place of the progress line. The text includes its
/// line end. @throws output_error
void print_result(std::string_view line);

}  // namespace ordo::inline v0::cli
