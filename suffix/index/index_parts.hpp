#pragma once
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

/// Names of the files of an index while it takes the place of another one.
namespace ordo::suffix {

/// PREFIX.NAME under the hidden name that it has until it takes its place: FOLDER/.PREFIX.NAME.SUM, by the checksum (crc32_of)
/// of the description that it belongs to. The name "json" is that of an empty file, which is there from before the description
/// takes its place until all arrays have taken theirs.
inline std::string hidden_part(std::string const& prefix, std::string_view name, std::uint32_t sum) {
  std::size_t const base = prefix.rfind('/') + 1;  // 0 where there is none
  return fmt::format("{}.{}.{}.{:08x}", prefix.substr(0, base), prefix.substr(base), name, sum);
}

/// Whether a file in the folder of the prefix has such a name, of whatever checksum.
inline bool is_hidden_part(std::string const& prefix, std::string_view file) {
  std::size_t constexpr digits = 8;
  for (std::string_view const name : {"json", "seq", "sa", "lcp", "bwt", "kmers", "pieces"}) {
    std::string const begin = fmt::format(".{}.{}.", prefix.substr(prefix.rfind('/') + 1), name);
    if (file.size() != begin.size() + digits || !file.starts_with(begin)) continue;
    if (file.find_first_not_of("0123456789abcdef", begin.size()) == file.npos) return true;
  }
  return false;
}

}  // namespace ordo::suffix
