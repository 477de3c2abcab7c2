#include "strings/keys/collation.hpp"

#include <langinfo.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::strings::detail {

locale_t named_locale(std::string const& name) {
  static std::mutex guard;
  static std::map<std::string, std::unique_ptr<std::remove_pointer_t<locale_t>, decltype(&freelocale)>> known;
  std::lock_guard const lock(guard);
  if (auto const it = known.find(name); it != known.end()) return it->second.get();
  // newlocale() takes an empty name for the locale of the environment.
  locale_t const locale = name.empty() ? locale_t{} : newlocale(LC_ALL_MASK, name.c_str(), locale_t{});
  if (!locale) throw usage_error(fmt::format("unknown locale '{}': the system has none of this name (see locale -a)", name));
  known.emplace(name, decltype(known)::mapped_type(locale, freelocale));
  return locale;
}

namespace {

// Returns the first level of the collation of a text.
std::string transform_first_level(std::string const& text, locale_t in) {
  char transformed[512];
  std::size_t const size = strxfrm_l(transformed, text.c_str(), sizeof transformed, in);
  if (size >= sizeof transformed) return {};
  return {transformed, std::size_t(std::find(transformed, transformed + size, '\1') - transformed)};
}

#ifdef __GLIBC__

// glibc has a number for each byte: its weight, or where a list of longer sequences begins. An entry of the list is a number of
// 32 bits, the count of bytes that follow the first, and these bytes; if the number is negative, it is the first and the last
// sequence of a range. The last entry has no bytes.
void read_joins(locale_t in, single_bytes& table) {
  auto const* const weights = reinterpret_cast<std::int32_t const*>(nl_langinfo_l(_NL_COLLATE_TABLEMB, in));
  auto const* const lists = reinterpret_cast<unsigned char const*>(nl_langinfo_l(_NL_COLLATE_EXTRAMB, in));
  if (!weights || !lists) return;
  for (unsigned byte = 1; byte < 256; ++byte) {
    table.known[byte] = true;
    if (weights[byte] >= 0) continue;
    for (unsigned char const* at = lists - weights[byte];;) {
      std::int32_t number = 0;
      std::memcpy(&number, at, sizeof number);
      std::size_t const count = at[sizeof number];
      unsigned char const* const first = at + sizeof number + 1;
      if (count == 0) break;
      for (unsigned next = first[0]; next <= first[number < 0 ? count : 0]; ++next) table.joins[byte][next] = true;
      std::size_t const bytes = 1 + (number < 0 ? 2 * count : count);
      at += sizeof number + (bytes + 3) / 4 * 4;
    }
  }
}

bool has_levels(locale_t in) {
  // The result is a number, though its type is a pointer.
  return std::uint32_t(reinterpret_cast<std::uintptr_t>(nl_langinfo_l(_NL_COLLATE_NRULES, in))) != 0;
}

#else

void read_joins(locale_t, single_bytes&) {}
bool has_levels(locale_t) {
  return false;
}

#endif

// Compares the table with strxfrm, for texts in which all known bytes occur beside many others.
bool is_confirmed(single_bytes const& table, locale_t in) {
  std::uint32_t random = 1;
  auto const next = [&] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 500; ++i) {
    std::string text, levels;
    for (int k = 0; k < 8; ++k)
      if (unsigned const byte = 1 + next() % (i % 2 == 0 ? 127 : 255); table.known[byte]) text += static_cast<char>(byte);
    for (std::size_t k = 0; k < text.size(); ++k) {
      auto const byte = static_cast<unsigned char>(text[k]);
      if (table.has(byte, k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0))
        levels.append(reinterpret_cast<char const*>(table.codes[byte].data()), table.size[byte]);
      else
        text.resize(k);
    }
    if (transform_first_level(text, in) != levels) return false;
  }
  return true;
}

std::unique_ptr<single_bytes> read(locale_t in) {
  auto table = std::make_unique<single_bytes>();
  if (!has_levels(in)) return table;
  read_joins(in, *table);
  for (unsigned byte = 1; byte < 256; ++byte) {
    std::string const level = transform_first_level({static_cast<char>(byte)}, in);
    if (level.size() > single_bytes::max_codes) table->known[byte] = false;
    table->size[byte] = static_cast<unsigned char>(std::min(level.size(), single_bytes::max_codes));
    std::copy_n(level.begin(), table->size[byte], table->codes[byte].begin());
  }
  if (table->known.none() || !is_confirmed(*table, in)) table->known.reset();
  return table;
}

}  // namespace

single_bytes const& cached_single_bytes(locale_t in) {
  static std::mutex guard;
  static std::map<locale_t, std::unique_ptr<single_bytes>> read_before;
  std::lock_guard const lock(guard);
  auto& table = read_before[in];
  if (!table) table = read(in);
  return *table;
}

namespace {

constexpr char level_end = 1;  // ends a level in the output of strxfrm; all other bytes of it are greater
constexpr std::size_t usual_piece = 4096;
// A piece that is cut may end inside of a character, or of characters that are collated as one. So a code counts only if this
// many codes follow it.
constexpr std::size_t unsure_codes = 2048;

int to_sign(int x) {
  return (x > 0) - (x < 0);
}

// Returns the output of strxfrm, in `few` or in `many`.
std::string_view transformed(char const* text, locale_t by, char* few, std::size_t few_size, std::string& many) {
  std::size_t const size = strxfrm_l(few, text, few_size, by);
  if (size < few_size) return {few, size};
  many.resize(size);
  strxfrm_l(many.data(), text, size + 1, by);
  return many;
}

// Writes the codes of a piece and returns their number, if all bytes are characters by themselves. @param to  has room for the
// codes of one byte more; null: the codes are only counted
std::optional<std::size_t> write_single_bytes(compiled_key const& by, text_piece const& of, char* to) {
  single_bytes const& all = *by.single;
  unsigned char const* p = of.first;
  auto const next = [&]() -> unsigned {  // 0: a NUL or the end
    while (p != of.last)
      if (unsigned const byte = by.image[*p++]; byte != compiled_key::dropped) return byte;
    return 0;
  };
  std::size_t size = 0;
  for (unsigned byte = next(); byte != 0 && size < by.first_level_codes;) {
    unsigned const after = next();
    if (!all.has(byte, after)) return {};
    if (to) std::memcpy(to + size, all.codes[byte].data(), single_bytes::max_codes);
    size += all.size[byte];
    byte = after;
  }
  return std::min(size, by.first_level_codes);
}

}  // namespace

collated_text::collated_text(compiled_key const& by, text_piece const& of, std::size_t max_bytes) {
  std::size_t const bytes = std::size_t(of.last - of.first), taken = std::min(bytes, max_bytes);
  cut_ = taken < bytes;
  text_ = few_;
  if (taken >= sizeof few_) {
    many_.resize(taken);
    text_ = many_.data();
  }
  if (by.direct) {
    if (taken != 0) std::memcpy(text_, of.first, taken);
    size_ = taken;
  } else {
    char* to = text_;
    for (mapped_piece piece(by, {of.first, of.first + taken, of.limit}); *piece != mapped_piece::end; ++piece)
      *to++ = static_cast<char>(*piece);
    size_ = std::size_t(to - text_);
  }
  text_[size_] = 0;
}

int collate(compiled_key const& by, text_piece const& a, text_piece const& b) {
  std::size_t const bytes = std::size_t(a.last - a.first);
  if (bytes == std::size_t(b.last - b.first) && (bytes == 0 || std::memcmp(a.first, b.first, bytes) == 0)) return 0;
  collated_text const text_a(by, a), text_b(by, b);
  std::string_view rest_a = text_a.view(), rest_b = text_b.view();
  int difference = int(!rest_a.empty()) - int(!rest_b.empty());
  if (!rest_a.empty() && !rest_b.empty() && rest_a != rest_b) {
    while (true) {
      difference = to_sign(strcoll_l(rest_a.data(), rest_b.data(), by.locale));
      if (difference != 0) break;
      std::size_t const end_a = rest_a.find('\0'), end_b = rest_b.find('\0');
      difference = int(end_a != rest_a.npos) - int(end_b != rest_b.npos);
      if (difference != 0 || end_a == rest_a.npos) break;
      rest_a.remove_prefix(end_a + 1);
      rest_b.remove_prefix(end_b + 1);
    }
  }
  return by.reverse ? -difference : difference;
}

first_level::first_level(compiled_key const& by, text_piece const& of) {
  static_assert(sizeof few_ >= max_first_level_codes + single_bytes::max_codes);
  if (auto const size = write_single_bytes(by, of, few_)) {
    codes_ = few_;
    size_ = *size;
    return;
  }
  for (std::size_t max_bytes = usual_piece;; max_bytes *= 4) {
    collated_text const text(by, of, max_bytes);
    // The text after a NUL counts only if all before it is equal.
    bool const cut = text.is_cut() && text.view().find('\0') == std::string_view::npos;
    std::string_view const all = transformed(text.view().data(), by.locale, few_, sizeof few_, many_);
    codes_ = all.data();
    size_ = std::min(all.size(), all.find(level_end));
    if (cut && size_ < by.first_level_codes + unsure_codes) continue;
    size_ = std::min(size_, by.first_level_codes);
    return;
  }
}

std::size_t first_level::max_size(compiled_key const& by, text_piece const& of) {
  return write_single_bytes(by, of, nullptr).value_or(by.first_level_codes);
}

void add_transformed(compiled_key const& by, text_piece const& of, md5& hash) {
  collated_text const text(by, of);
  std::string_view rest = text.view();
  char few[1024];
  std::string many;
  while (!rest.empty()) {
    for (char const c : transformed(rest.data(), by.locale, few, sizeof few, many)) hash.add(static_cast<unsigned char>(c));
    hash.add(0);
    rest.remove_prefix(std::min(rest.size(), std::min(rest.size(), rest.find('\0')) + 1));
  }
}

}  // namespace ordo::inline v0::strings::detail
