#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings/order.hpp"
#include "tools/strsort/command.hpp"

/// The output of --debug, as GNU sort prints it.
namespace ordo::inline v0::strsort {

/// Returns warnings of options that look like mistakes, a line each.
std::vector<std::string> remarks(command const& made, strings::order const& by);

/// Returns the line, then a line for each key that underlines it, and one for the whole line if the last resort applies. Tabs
/// are shown as '>'.
std::string annotated(std::string_view line, strings::order const& by);

/// Annotates the lines that are written to it.
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

}  // namespace ordo::inline v0::strsort
