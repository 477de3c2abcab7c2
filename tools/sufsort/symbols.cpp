#include "tools/sufsort/symbols.hpp"

#include <charconv>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::sufsort {
namespace {

std::optional<char> byte_of_hex(std::string_view digits) {
  unsigned byte = 0;
  if (digits.size() < 2) return std::nullopt;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
  if (error != std::errc{} || end != digits.data() + 2) return std::nullopt;
  return static_cast<char>(byte);
}

}  // namespace

void append_printable(std::string& to, std::string_view bytes) {
  bool const utf8 = suffix::is_utf8(bytes);
  for (char const c : bytes) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\t')
      to += "\\t";
    else if (c == '\n')
      to += "\\n";
    else if (c == '\r')
      to += "\\r";
    else if (c == '\\')
      to += "\\\\";
    else if (byte < ' ' || byte == 0x7f || (byte > 0x7f && !utf8))
      fmt::format_to(std::back_inserter(to), "\\x{:02x}", byte);
    else
      to += c;
  }
}

std::string parse_symbols(std::string_view pattern, pattern_format format) {
  if (format == pattern_format::text) return std::string(pattern);
  std::string bytes;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == ' ') {
      ++at;
      continue;
    }
    auto const byte = byte_of_hex(pattern.substr(at));
    if (!byte) throw usage_error(fmt::format("invalid pattern: '{}': pairs of hexadecimal digits are expected", pattern));
    bytes += *byte;
    at += 2;
  }
  if (bytes.empty()) throw usage_error("empty pattern: it would match everywhere");
  return bytes;
}

std::string unescaped(std::string_view option, std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      bytes += text[at];
      continue;
    }
    char const kind = ++at < text.size() ? text[at] : ' ';
    auto const byte = kind == 'x' ? byte_of_hex(text.substr(at + 1)) : std::optional<char>();
    if (byte) {
      bytes += *byte;
      at += 2;
    } else if (std::size_t const known = std::string_view("ntr0\\").find(kind); known != std::string_view::npos) {
      bytes += std::string_view("\n\t\r\0\\", 5)[known];
    } else {
      throw usage_error(fmt::format("invalid escape: {}: '{}': use \\n, \\t, \\r, \\0, \\xHH or \\\\", option, text));
    }
  }
  if (bytes.empty()) throw usage_error(fmt::format("invalid separator: {}: it must not be empty", option));
  return bytes;
}

}  // namespace ordo::inline v0::sufsort
