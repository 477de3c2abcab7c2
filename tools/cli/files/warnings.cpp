#include "tools/cli/files/warnings.hpp"

namespace ordo::inline v0::cli {
namespace {

bool is_quiet = false;

void (*printer)(std::string_view) noexcept = nullptr;  // null: no tool runs

}  // namespace

void warn(std::string_view text) noexcept {
  if (!is_quiet && printer) printer(text);
}

void quiet_warnings() noexcept {
  is_quiet = true;
}

void print_warnings_with(void (*print)(std::string_view) noexcept) noexcept {
  printer = print;
}

}  // namespace ordo::inline v0::cli
