#pragma once
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

/// Hidden names that the files of an index have while they replace another index.
namespace ordo::inline v0::suffix {

/// Returns the hidden name of PREFIX.NAME: FOLDER/.PREFIX.NAME.SUM, where SUM is the checksum (crc32_of) of its description.
/// The file "json" is empty; it exists from before the description is replaced until all arrays have been renamed.
inline std::string hidden_part(std::string const& prefix, std::string_view name, std::uint32_t sum) {
  std::size_t const base = prefix.rfind('/') + 1;  // 0 if there is no folder
  return fmt::format("{}.{}.{}.{:08x}", prefix.substr(0, base), prefix.substr(base), name, sum);
}

/// Returns whether a file in the folder of the prefix has such a name, with any checksum.
inline bool is_hidden_part(std::string const& prefix, std::string_view file) {
  std::size_t constexpr digits = 8;
  for (std::string_view const name : {"json", "seq", "sa", "lcp", "bwt", "kmers", "fm", "pieces", "starts"}) {
    std::string const begin = fmt::format(".{}.{}.", prefix.substr(prefix.rfind('/') + 1), name);
    if (file.size() != begin.size() + digits || !file.starts_with(begin)) continue;
    if (file.find_first_not_of("0123456789abcdef", begin.size()) == file.npos) return true;
  }
  return false;
}

}  // namespace ordo::inline v0::suffix
