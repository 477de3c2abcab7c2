#pragma once
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

/// Hidden names that the files of an index have while they replace another index.
namespace ordo::inline v0::suffix {

/// Returns the begin of hidden names: the prefix without its folder, shortened so that the names do not become too long.
inline std::string hidden_base(std::string const& prefix) {
  constexpr std::size_t longest = 200;  // a name may have 255 bytes
  std::string base = prefix.substr(prefix.rfind('/') + 1);
  if (base.size() <= longest) return base;
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (char const c : base) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}.{:016x}", base.substr(0, longest), sum);
}

/// Returns the hidden name of PREFIX.NAME: FOLDER/.PREFIX.NAME.SUM, where SUM is the checksum (compute_crc32) of its
/// description. If PREFIX.NAME is a symbolic link, the hidden name is one, too, and leads to a file beside the end of that
/// link. The file "json" is empty; it exists from before the description is replaced until all arrays have been renamed.
inline std::string hidden_part(std::string const& prefix, std::string_view name, std::uint32_t sum) {
  return fmt::format("{}.{}.{}.{:08x}", prefix.substr(0, prefix.rfind('/') + 1), hidden_base(prefix), name, sum);
}

/// Returns true if a file in the folder of the prefix has such a name, with any checksum.
inline bool is_hidden_part(std::string const& prefix, std::string_view file) {
  std::size_t constexpr digits = 8;
  for (std::string_view const name : {"json", "seq", "sa", "lcp", "bwt", "kmers", "fm", "rlfm", "pieces", "starts"}) {
    std::string const begin = fmt::format(".{}.{}.", hidden_base(prefix), name);
    if (file.size() != begin.size() + digits || !file.starts_with(begin)) continue;
    if (file.find_first_not_of("0123456789abcdef", begin.size()) == file.npos) return true;
  }
  return false;
}

}  // namespace ordo::inline v0::suffix
