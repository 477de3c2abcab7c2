#include "strings/keys/whole_codes.hpp"

#include <algorithm>

#include "strings/keys/line_keys.hpp"

namespace ordo::inline v0::strings::detail {

bool whole_codes::are_known() const {
  return std::ranges::all_of(
      keys_.keys(), [](compiled_key const& k) { return !k.collated || k.type != key_type::bytes || has_whole_codes(k); });
}

void whole_codes::append(std::string_view line, std::string& to) const {
  appended_codes out(to);
  write_keys({keys_.keys().data(), keys_.keys().size(), keys_.rules().data()}, as_piece(line), out,
             host_key_types{.whole = true});
}

}  // namespace ordo::inline v0::strings::detail
