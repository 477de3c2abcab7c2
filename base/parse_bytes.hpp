#pragma once
#include <cstddef>
#include <string_view>

namespace ordo::inline v0 {

/// Parses a number of bytes such as "64M", with K, M, G and T for powers of 1024. @throws usage_error
std::size_t parse_bytes(std::string_view text);

}  // namespace ordo::inline v0
