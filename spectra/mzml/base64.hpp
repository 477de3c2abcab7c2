#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

// Base64 (RFC 4648, section 4) as XML holds it: blanks and line ends may stand anywhere in the text.
namespace ordo::spectra::detail {

/// Characters for so many bytes, and bytes for so many characters at most.
constexpr std::size_t base64_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}
constexpr std::size_t base64_bytes_at_most(std::size_t characters) {
  return characters / 4 * 3 + 3;
}

/// @param to  of base64_size(from.size())
void encode_base64(std::span<char const> from, char* to);

/// @param to  of base64_bytes_at_most(text.size())
/// @returns how many bytes there are; nothing if the text is no base64
std::optional<std::size_t> decode_base64(std::string_view text, char* to);

}  // namespace ordo::spectra::detail
