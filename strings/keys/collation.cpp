#include "strings/keys/collation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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

// A piece without the bytes that the key drops and with those as which it reads others: the piece itself if it is read as it
// is.
class read_text {
 public:
  read_text(compiled_key const& by, text_piece const& of) {
    if (by.direct)
      text_ = {reinterpret_cast<char const*>(of.first), std::size_t(of.last - of.first)};
    else
      text_ = mapped_.emplace(by, of).view();
  }
  [[nodiscard]] std::string_view view() const { return text_; }

 private:
  std::optional<collated_text> mapped_;
  std::string_view text_;
};

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
  auto const compare = [&](std::string_view rest_a, std::string_view rest_b, auto compare_parts) {
    if (rest_a.empty() || rest_b.empty()) return int(!rest_a.empty()) - int(!rest_b.empty());
    if (rest_a == rest_b) return 0;
    while (true) {
      if (int const difference = compare_parts(rest_a, rest_b); difference != 0) return difference;
      std::size_t const end_a = rest_a.find('\0'), end_b = rest_b.find('\0');
      if (end_a == rest_a.npos || end_b == rest_b.npos) return int(end_a != rest_a.npos) - int(end_b != rest_b.npos);
      rest_a.remove_prefix(end_a + 1);
      rest_b.remove_prefix(end_b + 1);
    }
  };
  int difference = 0;
  if (by.table) {
    read_text const text_a(by, a), text_b(by, b);
    difference =
        compare(text_a.view(), text_b.view(), [&](std::string_view x, std::string_view y) { return by.table->compare(x, y); });
  } else {
    collated_text const text_a(by, a), text_b(by, b);
    difference = compare(text_a.view(), text_b.view(), [&](std::string_view x, std::string_view y) {
      return to_sign(strcoll_l(x.data(), y.data(), by.locale));
    });
  }
  return by.reverse ? -difference : difference;
}

bool has_whole_codes(compiled_key const& by) {
  return by.table && by.table->knows_all_levels();
}

namespace {

// The codes of short texts that a thread read last, by a hash of the text.
class known_codes {
 public:
  /// Returns the place for the codes of a text, which holds them if `text` says so.
  struct entry {
    static constexpr std::size_t max_text = 40, max_codes = 107;
    collation_table const* table;
    unsigned char text_size, codes_size;
    char text[max_text];
    char codes[max_codes];
  };
  entry& place(collation_table const* table, std::string_view text) {
    std::size_t const hash = std::hash<std::string_view>{}(text) + reinterpret_cast<std::uintptr_t>(table);
    return entries_[hash % entries_.size()];
  }

 private:
  std::array<entry, 1024> entries_{};
};

void append_parts(collation_table const& table, std::string_view text, std::string& to) {
  constexpr char last_part = 1, another_part = 2;
  while (true) {
    table.append_codes(text, to);
    std::size_t const end = text.find('\0');
    to += end == text.npos ? last_part : another_part;
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view collated_codes(compiled_key const& by, text_piece const& of) {
  thread_local std::string codes;
  thread_local std::unique_ptr<known_codes> known;
  using entry = known_codes::entry;
  read_text const read(by, of);
  std::string_view const text = read.view();
  codes.clear();
  if (text.size() > entry::max_text) {
    append_parts(*by.table, text, codes);
  } else {
    if (!known) known = std::make_unique<known_codes>();
    entry& place = known->place(by.table, text);
    if (place.table == by.table && text == std::string_view(place.text, place.text_size)) {
      codes.assign(place.codes, place.codes_size);
    } else {
      append_parts(*by.table, text, codes);
      if (codes.size() <= entry::max_codes) {
        place.table = by.table;
        place.text_size = static_cast<unsigned char>(text.copy(place.text, entry::max_text));
        place.codes_size = static_cast<unsigned char>(codes.copy(place.codes, entry::max_codes));
      }
    }
  }
  if (by.reverse)
    for (char& code : codes) code = static_cast<char>(256 - static_cast<unsigned char>(code));
  return codes;
}

first_level::first_level(compiled_key const& by, text_piece const& of) {
  if (by.table) {
    read_text const text(by, of);
    codes_ = few_;
    size_ = std::min(by.table->write_first_level(text.view(), by.first_level_codes, few_), by.first_level_codes);
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
  if (!by.table) return by.first_level_codes;
  read_text const text(by, of);
  return std::min(by.table->first_level_size(text.view(), by.first_level_codes), by.first_level_codes);
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
