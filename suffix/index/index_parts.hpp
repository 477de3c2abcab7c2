#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "ordo/suffix/index.hpp"

/// The parts of an array that is divided among files, and hidden names that the files of an index have while they replace
/// another index.
namespace ordo::inline v0::suffix {

/// Each part but the last has a multiple of this number of entries: its end is the end of a page, whatever the size of pages
/// is.
inline constexpr std::uint64_t entries_of_part = std::uint64_t{1} << 16;
inline constexpr std::size_t max_parts = 9999;

/// Returns the name of a part of an array, from 1 on: "sa.0001". Its file is PREFIX.NAME.
inline std::string name_of_part(std::string_view array, std::size_t number) {
  return fmt::format("{}.{:04}", array, number);
}
/// Returns the names of the files of an array.
inline std::vector<std::string> names_of_files(index_array const& array) {
  if (array.parts.empty()) return {array.name};
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= array.parts.size(); ++k) names.push_back(name_of_part(array.name, k));
  return names;
}
/// Returns the array that some parts are.
inline index_array join_parts(std::string name, std::vector<index_part> parts) {
  uLong sum = crc32_z(0, nullptr, 0);
  std::uint64_t bytes = 0;
  for (index_part const& part : parts) {
    sum = crc32_combine(sum, part.crc32, z_off_t(part.bytes));
    bytes += part.bytes;
  }
  return {std::move(name), bytes, std::uint32_t(sum), std::move(parts)};
}

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
/// link. The file "json" exists from before the description is replaced until all arrays have been renamed. It is empty, or
/// holds the number of parts of the suffix array that is replaced.
inline std::string hidden_part(std::string const& prefix, std::string_view name, std::uint32_t sum) {
  return fmt::format("{}.{}.{}.{:08x}", prefix.substr(0, prefix.rfind('/') + 1), hidden_base(prefix), name, sum);
}

/// Returns true if a file in the folder of the prefix has such a name, with any checksum.
inline bool is_hidden_part(std::string const& prefix, std::string_view file) {
  std::size_t constexpr sum_digits = 8, part_digits = 4;
  std::string const begin = fmt::format(".{}.", hidden_base(prefix));
  if (!file.starts_with(begin)) return false;
  file.remove_prefix(begin.size());
  std::size_t const dot = file.rfind('.');
  if (dot == file.npos || file.size() != dot + 1 + sum_digits) return false;
  if (file.find_first_not_of("0123456789abcdef", dot + 1) != file.npos) return false;
  std::string_view name = file.substr(0, dot);
  if (name.starts_with("sa.") && name.size() == 3 + part_digits && name.find_first_not_of("0123456789", 3) == name.npos)
    name = "sa";
  constexpr std::string_view names[] = {"json", "seq", "sa", "lcp", "bwt", "kmers", "fm", "rlfm", "pieces", "starts"};
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace ordo::inline v0::suffix
