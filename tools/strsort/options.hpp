#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tools/strsort/command.hpp"
#include "tools/strsort/numbers.hpp"

/// The one table of strsort's options: parsing, help, the man page and completions are made from it.
namespace ordo::strsort {

enum class section { ordering, other, ours, common };
enum class argument { none, required, optional };

struct option {
  char letter = 0;              // 0: it has none
  std::string_view name = {};   // empty: it has but a letter
  std::string_view value = {};  // FILE, DIR, N: what help calls its value
  argument takes = argument::none;
  section where = section::other;
  std::string_view choices = {};  // of its value, with blanks between
  std::string_view help = {};     // empty: known for compatibility, and not told
  std::function<void(command& made, value_of const& given)> set = {};
};

/// GNU sort's in the order in which its messages name them, then ours.
std::span<option const> all_options();
[[nodiscard]] inline bool is_gnu(option const& o) {
  return o.where == section::ordering || o.where == section::other;
}

}  // namespace ordo::strsort
