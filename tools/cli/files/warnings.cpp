#include "tools/cli/files/warnings.hpp"

#include <cstdio>

namespace ordo::inline v0::cli {
namespace {

bool is_quiet = false;

void print_alone(std::string_view text) noexcept {
  std::fprintf(stderr, "ordo: warning: %.*s\n", static_cast<int>(text.size()), text.data());
}
void (*printer)(std::string_view) noexcept = print_alone;

}  // namespace

void warn(std::string_view text) noexcept {
  if (!is_quiet) printer(text);
}

void quiet_warnings() noexcept {
  is_quiet = true;
}

void print_warnings_with(void (*print)(std::string_view) noexcept) noexcept {
  printer = print;
}

}  // namespace ordo::inline v0::cli
