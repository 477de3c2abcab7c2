#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings/order.hpp"
#include "tools/strsort/command.hpp"

/// --debug, as GNU sort has it.
namespace ordo::strsort {

/// What looks like a mistake in the options, a line each.
std::vector<std::string> remarks(command const& made, strings::order const& by);

/// Behind each line its keys, underlined, a line each, and in the end the whole line, where that may decide.
/// @returns the line with them: every one ended by a newline, tabs as '>'
std::string annotated(std::string_view line, strings::order const& by);

/// Annotates the lines that are written.
class annotated_lines final : public sink {
 public:
  annotated_lines(sink& to, strings::order const& by, char delimiter) : to_(to), by_(by), delimiter_(delimiter) {}

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t) override { return false; }

 private:
  sink& to_;
  strings::order const& by_;
  char delimiter_;
  std::string unfinished_;
};

}  // namespace ordo::strsort
