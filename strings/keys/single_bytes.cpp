#include "strings/keys/single_bytes.hpp"

#include <langinfo.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ordo::strings::detail {

namespace {

// What of a text's collation is the first level.
std::string first_level_of(std::string const& text, locale_t in) {
  char made[512];
  std::size_t const size = strxfrm_l(made, text.c_str(), sizeof made, in);
  if (size >= sizeof made) return {};
  return {made, std::size_t(std::find(made, made + size, '\1') - made)};
}

#ifdef __GLIBC__

// glibc has a number for each byte: what it is by itself, or where a list of longer sequences begins. An entry of it is a
// number of 32 bits, the count of bytes that follow the first, and those; where the number is negative, the first and the last
// sequence of a range. The last entry has no bytes.
void read_joins(locale_t in, single_bytes& made) {
  auto const* const table = reinterpret_cast<std::int32_t const*>(nl_langinfo_l(_NL_COLLATE_TABLEMB, in));
  auto const* const lists = reinterpret_cast<unsigned char const*>(nl_langinfo_l(_NL_COLLATE_EXTRAMB, in));
  if (!table || !lists) return;
  for (unsigned byte = 1; byte < 256; ++byte) {
    made.known[byte] = true;
    if (table[byte] >= 0) continue;
    for (unsigned char const* at = lists - table[byte];;) {
      std::int32_t number = 0;
      std::memcpy(&number, at, sizeof number);
      std::size_t const count = at[sizeof number];
      unsigned char const* const first = at + sizeof number + 1;
      if (count == 0) break;
      for (unsigned next = first[0]; next <= first[number < 0 ? count : 0]; ++next) made.joins[byte][next] = true;
      std::size_t const bytes = 1 + (number < 0 ? 2 * count : count);
      at += sizeof number + (bytes + 3) / 4 * 4;
    }
  }
}

bool has_levels(locale_t in) {
  // A number in the place of a pointer.
  return std::uint32_t(reinterpret_cast<std::uintptr_t>(nl_langinfo_l(_NL_COLLATE_NRULES, in))) != 0;
}

#else

void read_joins(locale_t, single_bytes&) {}
bool has_levels(locale_t) {
  return false;
}

#endif

// Texts of all bytes that are known, each beside many others.
bool is_confirmed(single_bytes const& made, locale_t in) {
  std::uint32_t random = 1;
  auto const next = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 500; ++i) {
    std::string text, levels;
    for (int k = 0; k < 8; ++k)
      if (unsigned const byte = 1 + next() % (i % 2 == 0 ? 127 : 255); made.known[byte]) text += static_cast<char>(byte);
    for (std::size_t k = 0; k < text.size(); ++k) {
      auto const byte = static_cast<unsigned char>(text[k]);
      if (made.has(byte, k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0))
        levels.append(reinterpret_cast<char const*>(made.codes[byte].data()), made.size[byte]);
      else
        text.resize(k);
    }
    if (first_level_of(text, in) != levels) return false;
  }
  return true;
}

std::unique_ptr<single_bytes> read(locale_t in) {
  auto made = std::make_unique<single_bytes>();
  if (!has_levels(in)) return made;
  read_joins(in, *made);
  for (unsigned byte = 1; byte < 256; ++byte) {
    std::string const level = first_level_of({static_cast<char>(byte)}, in);
    if (level.size() > single_bytes::most_codes) made->known[byte] = false;
    made->size[byte] = static_cast<unsigned char>(std::min(level.size(), single_bytes::most_codes));
    std::copy_n(level.begin(), made->size[byte], made->codes[byte].begin());
  }
  if (made->known.none() || !is_confirmed(*made, in)) made->known.reset();
  return made;
}

}  // namespace

single_bytes const& single_bytes_of(locale_t in) {
  static std::mutex guard;
  static std::map<locale_t, std::unique_ptr<single_bytes>> read_before;
  std::lock_guard const lock(guard);
  auto& made = read_before[in];
  if (!made) made = read(in);
  return *made;
}

}  // namespace ordo::strings::detail
