#include "tools/sufsort/symbols.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/queries.hpp"

namespace ordo::inline v0::sufsort {
namespace {

std::optional<char> byte_of_hex(std::string_view digits) {
  unsigned byte = 0;
  if (digits.size() < 2) return std::nullopt;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
  if (error != std::errc{} || end != digits.data() + 2) return std::nullopt;
  return static_cast<char>(byte);
}

bool is_between(char c) {
  return c == ' ' || c == ',' || c == '\t' || c == '\r';
}

/// Calls use(number) for each number of a line.
/// @returns the text of the first one that is none
template <class Use>
std::optional<std::string_view> each_number(std::string_view line, Use use) {
  for (std::size_t at = 0; at < line.size();) {
    if (is_between(line[at])) {
      ++at;
      continue;
    }
    std::size_t const end = std::size_t(std::find_if(line.begin() + std::ptrdiff_t(at), line.end(), is_between) - line.begin());
    std::string_view const digits = line.substr(at, end - at);
    std::uint64_t number = 0;
    auto const [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size() || !use(number)) return digits;
    at = end;
  }
  return std::nullopt;
}

std::string parse_tokens(std::string_view pattern, unsigned token_bytes) {
  std::string bytes;
  auto const wrong = each_number(pattern, [&](std::uint64_t token) {
    bytes.append(reinterpret_cast<char const*>(&token), token_bytes);  // on little-endian machines
    return token >> (8 * token_bytes) == 0;
  });
  if (wrong) throw usage_error(fmt::format("invalid token: '{}': a number below 2^{} is expected", *wrong, 8 * token_bytes));
  if (bytes.empty()) throw usage_error(fmt::format("empty pattern: '{}': it would match everywhere", pattern));
  return bytes;
}

}  // namespace

std::vector<std::uint64_t> read_numbers(std::string const& file) {
  cli::input in(file, 1);
  line_reader lines(in);
  std::vector<std::uint64_t> numbers;
  while (auto const line = lines.next())
    if (auto const wrong = each_number(*line, [&](std::uint64_t number) {
          numbers.push_back(number);
          return true;
        }))
      throw input_error(fmt::format("bad number: {}:{}: '{}'", in.name(), lines.number(), shortened(*wrong)));
  return numbers;
}

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

void append_tokens(std::string& to, std::string_view bytes, unsigned token_bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += token_bytes) {
    std::uint64_t token = 0;
    std::memcpy(&token, bytes.data() + at, token_bytes);  // on little-endian machines
    if (at != 0) to += ',';
    append(to, token);
  }
}

std::string parse_symbols(std::string_view pattern, pattern_format format, unsigned residue_bytes) {
  bool const tokens = format == pattern_format::tokens;
  if (tokens != (residue_bytes != 1))
    throw usage_error(fmt::format("conflicting options: --pattern-format: the index is of {}",
                                  tokens ? "bytes, and has no tokens" : "tokens: give patterns as tokens"));
  if (format == pattern_format::text) return std::string(pattern);
  if (tokens) return parse_tokens(pattern, residue_bytes);
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
  if (bytes.empty()) throw usage_error(fmt::format("empty pattern: '{}': it would match everywhere", pattern));
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
  return bytes;
}

}  // namespace ordo::inline v0::sufsort
