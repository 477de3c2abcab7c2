#include "strings/keys/named_locale.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::strings::detail {

locale_t named_locale(std::string const& name) {
  static std::mutex guard;
  static std::map<std::string, std::unique_ptr<std::remove_pointer_t<locale_t>, decltype(&freelocale)>> known;
  std::lock_guard const lock(guard);
  if (auto const found = known.find(name); found != known.end()) return found->second.get();
  // An empty name stands for the environment's locale there.
  locale_t const made = name.empty() ? locale_t{} : newlocale(LC_ALL_MASK, name.c_str(), locale_t{});
  if (!made) throw usage_error(fmt::format("unknown locale '{}': the system has none of this name (see locale -a)", name));
  known.emplace(name, decltype(known)::mapped_type(made, freelocale));
  return made;
}

}  // namespace ordo::strings::detail
