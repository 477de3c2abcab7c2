#include "strings/keys/collation.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "strings/keys/single_bytes.hpp"

namespace ordo::strings::detail {

namespace {

constexpr char level_end = 1;  // ends a level in what strxfrm writes, and is below all that it writes besides
constexpr std::size_t usual_piece = 4096;
// A piece that is cut may end inside of a character, or of characters that are collated as one. So codes count only as far as
// so many more follow them.
constexpr std::size_t unsure_codes = 2048;

int sign_of(int x) {
  return (x > 0) - (x < 0);
}

// All that strxfrm makes of a text, in `few` or in `many`.
std::string_view transformed(char const* text, locale_t by, char* few, std::size_t few_size, std::string& many) {
  std::size_t const size = strxfrm_l(few, text, few_size, by);
  if (size < few_size) return {few, size};
  many.resize(size);
  strxfrm_l(many.data(), text, size + 1, by);
  return many;
}

// The codes, if all bytes that they are of are characters by themselves. @param to  as many codes, and those of one byte more;
// null: they are only counted
std::optional<std::size_t> put_single_bytes(compiled_key const& by, text_piece const& of, char* to) {
  single_bytes const& all = *by.single;
  unsigned char const* p = of.first;
  auto const next = [&]() -> unsigned {  // 0 is a NUL or the end
    while (p != of.last)
      if (unsigned const byte = by.image[*p++]; byte != compiled_key::dropped) return byte;
    return 0;
  };
  std::size_t size = 0;
  for (unsigned byte = next(); byte != 0 && size < by.first_level_codes;) {
    unsigned const behind = next();
    if (!all.has(byte, behind)) return {};
    if (to) std::memcpy(to + size, all.codes[byte].data(), single_bytes::most_codes);
    size += all.size[byte];
    byte = behind;
  }
  return std::min(size, by.first_level_codes);
}

}  // namespace

collated_text::collated_text(compiled_key const& by, text_piece const& of, std::size_t most) {
  std::size_t const bytes = std::size_t(of.last - of.first), taken = std::min(bytes, most);
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
      difference = sign_of(strcoll_l(rest_a.data(), rest_b.data(), by.locale));
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
  static_assert(sizeof few_ >= most_first_level_codes + single_bytes::most_codes);
  if (auto const size = put_single_bytes(by, of, few_)) {
    codes_ = few_;
    size_ = *size;
    return;
  }
  for (std::size_t most = usual_piece;; most *= 4) {
    collated_text const text(by, of, most);
    // What follows a NUL counts only if all before it is equal.
    bool const cut = text.is_cut() && text.view().find('\0') == std::string_view::npos;
    std::string_view const all = transformed(text.view().data(), by.locale, few_, sizeof few_, many_);
    codes_ = all.data();
    size_ = std::min(all.size(), all.find(level_end));
    if (cut && size_ < by.first_level_codes + unsure_codes) continue;
    size_ = std::min(size_, by.first_level_codes);
    return;
  }
}

std::size_t first_level::most(compiled_key const& by, text_piece const& of) {
  return put_single_bytes(by, of, nullptr).value_or(by.first_level_codes);
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

}  // namespace ordo::strings::detail
