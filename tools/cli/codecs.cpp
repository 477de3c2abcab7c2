#include "tools/cli/codecs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ordo::cli {
namespace {

using namespace std::string_view_literals;

// The bytes that a file begins with. One of them, at `varies`, may be any from the one that stands there to `last`.
struct magic {
  compression how;
  std::string_view bytes;
  std::size_t varies = std::string_view::npos;
  char last = 0;

  // Of as many bytes as both have.
  [[nodiscard]] bool begins_as(std::span<char const> head) const {
    for (std::size_t i = 0; i < std::min(head.size(), bytes.size()); ++i)
      if (i == varies ? head[i] < bytes[i] || head[i] > last : head[i] != bytes[i]) return false;
    return true;
  }
};

// bzip2's own three letters may begin a text: the block's mark behind them, or that of the end, belongs to it.
constexpr std::array magics{magic{compression::gzip, "\x1f\x8b"sv},
                            magic{compression::bzip2, "BZh1\x31\x41\x59\x26\x53\x59"sv, 3, '9'},
                            magic{compression::bzip2, "BZh1\x17\x72\x45\x38\x50\x90"sv, 3, '9'},
                            magic{compression::xz, "\xfd\x37zXZ\0"sv},
                            magic{compression::zstd, "\x28\xb5\x2f\xfd"sv},
                            magic{compression::zstd, "\x50\x2a\x4d\x18"sv, 0, '\x5f'}};  // a frame to be skipped

constexpr std::array endings{std::pair{".gz"sv, compression::gzip},   std::pair{".bgz"sv, compression::bgzf},
                             std::pair{".bgzf"sv, compression::bgzf}, std::pair{".bz2"sv, compression::bzip2},
                             std::pair{".xz"sv, compression::xz},     std::pair{".zst"sv, compression::zstd},
                             std::pair{".zstd"sv, compression::zstd}};

bool ends_with_any_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin(), [](char e, char c) {
           return c == e || (c >= 'A' && c <= 'Z' && c + 32 == e);
         });
}

}  // namespace

std::string_view name_of(compression how) {
  constexpr std::array names{"plain"sv, "gzip"sv, "BGZF"sv, "bzip2"sv, "xz"sv, "zstd"sv};
  return names[static_cast<std::size_t>(how)];
}

compression compression_named(std::string_view path) {
  for (auto const& [end, how] : endings)
    if (ends_with_any_case(path, end)) return how;
  return compression::none;
}

bool is_bgzf(std::span<char const> head) {
  constexpr auto extra = "\6\0BC\2\0"sv;
  return head.size() >= longest_magic && std::string_view(head.data(), 4) == "\x1f\x8b\x08\x04"sv &&
         std::string_view(head.data() + 10, extra.size()) == extra;
}

compression compression_of(std::span<char const> head) {
  if (is_bgzf(head)) return compression::bgzf;
  for (magic const& m : magics)
    if (head.size() >= m.bytes.size() && m.begins_as(head)) return m.how;
  return compression::none;
}

bool is_cut_magic(compression how, std::span<char const> head) {
  if (how == compression::bgzf) how = compression::gzip;
  return std::ranges::any_of(magics,
                             [&](magic const& m) { return m.how == how && head.size() < m.bytes.size() && m.begins_as(head); });
}

}  // namespace ordo::cli
