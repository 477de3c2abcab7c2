#include "spectra/encoding/xml.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <expat.h>
#include <fmt/format.h>

#include "base/large_blocks.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

/// Returns where the parser is. Newer versions of expat have a call that is 64 bits wide on every system, and deprecate the
/// other.
template <class Parser>
std::int64_t byte_index(Parser parser) {
  if constexpr (requires { XML_GetCurrentByteIndex64(parser); })
    return XML_GetCurrentByteIndex64(parser);
  else
    return XML_GetCurrentByteIndex(parser);
}

// The memory of expat, which holds the longest tag or text. Where it does not suffice, XML_Parse() fails.
void* reallocate(void* old, std::size_t bytes) {
  if (old) ordo::detail::forget_large_block(old);
  return ordo::detail::checked_block(
      bytes, [old, bytes] { return std::realloc(old, bytes); }, [](auto const&) {});
}
constexpr XML_Memory_Handling_Suite checked_memory{ordo::detail::allocate_checked, reallocate, ordo::detail::free_checked};

// Separates a namespace, or its prefix, from a name. No namespace that is an address holds it after its last colon.
constexpr char separator = ':';

// expat keeps memory for each element that is open. Files of instruments have a dozen, one in another.
constexpr std::size_t max_depth = 1000;

std::string_view local_name(char const* name) {
  char const* const result = std::strrchr(name, separator);
  return result ? result + 1 : name;
}

// Returns a markup up to the first `ending` after `from`.
std::optional<markup> up_to(std::string_view text, std::size_t begin, std::size_t from, std::string_view ending) {
  std::size_t const result = text.find(ending, from);
  if (result == std::string_view::npos) return std::nullopt;
  return markup{markup_kind::other, begin, result + ending.size(), {}};
}

bool ends_name(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/' || c == '>' || c == '=';
}

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Returns the number of bytes of the character that begins there; 0 if none does.
std::size_t utf8_size(std::string_view text, std::size_t at) {
  unsigned char const first = byte_at(text, at);
  if (first < 0x80) return 1;
  std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || size > text.size() - at) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  // No overlong form, no surrogate, nothing above U+10FFFF.
  unsigned char const second = byte_at(text, at + 1);
  bool const bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
                   (first == 0xf4 && second > 0x8f);
  return bad ? 0 : size;
}

// Characters of the bytes 0x80 to 0x9f. Bytes that Windows-1252 does not define are control characters, as in HTML.
constexpr std::array<std::uint16_t, 32> windows_1252{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                                     0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

void add_windows_1252(unsigned char byte, std::string& to) {
  std::uint32_t const code = windows_1252_code(byte);
  if (code < 0x800) {
    to += char(0xc0 | (code >> 6));
  } else {
    to += char(0xe0 | (code >> 12));
    to += char(0x80 | ((code >> 6) & 0x3f));
  }
  to += char(0x80 | (code & 0x3f));
}

// Characters in plain values of attributes.
constexpr std::array<bool, 256> make_plain_values() {
  std::array<bool, 256> made{};
  for (std::size_t c = 0x20; c < 0x80; ++c) made[c] = c != '"' && c != '&' && c != '<';
  return made;
}
constexpr std::array<bool, 256> is_plain_value = make_plain_values();

// Returns the place of the > that ends the tag from `begin` on; npos if the text ends before it.
std::size_t end_of_tag(std::string_view text, std::size_t begin) {
  // Mostly it is the first one, after an even number of quotation marks.
  std::size_t const first = text.find('>', begin + 1);
  if (first == std::string_view::npos) return first;
  std::size_t quotes = 0;
  bool apostrophe = false;
  for (char const c : text.substr(begin, first - begin)) {
    quotes += c == '"';
    apostrophe |= c == '\'';
  }
  if (quotes % 2 == 0 && !apostrophe) return first;
  char quote = 0;
  for (std::size_t at = begin + 1; at != text.size(); ++at) {
    char const c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_named(std::string_view encoding, std::string_view name) {
  return std::ranges::equal(encoding, name, {}, [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
}

// Returns the encoding that the declaration at the front of a document names.
std::string declared_encoding(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (!text.starts_with("<?xml")) return {};
  text = text.substr(0, text.find("?>"));
  auto const result = attribute_in(text, "encoding");
  return result ? std::string(text.substr(result->begin, result->size)) : std::string();
}

}  // namespace

std::uint32_t windows_1252_code(unsigned char byte) {
  return byte < 0xa0 ? windows_1252[byte - 0x80u] : byte;
}

std::size_t find_invalid_utf8(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    std::size_t const size = utf8_size(text, from);
    if (size == 0) return from;
    from += size;
  }
  return std::string_view::npos;
}

std::optional<markup> next_markup(std::string_view text, std::size_t from) {
  constexpr std::string_view comment = "<!--", cdata = "<![CDATA[";
  std::size_t const begin = text.find('<', from);
  if (begin == std::string_view::npos || begin + 1 >= text.size()) return std::nullopt;
  std::string_view const rest = text.substr(begin);
  if (rest[1] == '?') return up_to(text, begin, begin + 2, "?>");
  if (rest[1] == '!') {
    if (rest.starts_with(comment)) return up_to(text, begin, begin + comment.size(), "-->");
    if (rest.starts_with(cdata)) return up_to(text, begin, begin + cdata.size(), "]]>");
    if (comment.starts_with(rest) || cdata.starts_with(rest)) return std::nullopt;
    return up_to(text, begin, begin, ">");  // a document type: refused when it is parsed
  }
  std::size_t const end = end_of_tag(text, begin);
  if (end == std::string_view::npos) return std::nullopt;
  bool const closes = rest[1] == '/';
  std::string_view name = rest.substr(closes ? 2 : 1);
  name = name.substr(0, std::size_t(std::find_if(name.begin(), name.end(), ends_name) - name.begin()));
  if (auto const colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  auto const kind = closes ? markup_kind::end : text[end - 1] == '/' ? markup_kind::empty : markup_kind::start;
  return markup{kind, begin, end + 1, name};
}

std::optional<markup> next_markup_but_starts(std::string_view text, std::size_t from) {
  for (;; ++from) {
    from = text.find('<', from);
    if (from == std::string_view::npos || from + 1 >= text.size()) return std::nullopt;
    char const next = text[from + 1];
    if (next == '/' || next == '!' || next == '?') return next_markup(text, from);
  }
}

markup element_tag(std::string_view text, std::string_view name) {
  auto tag = next_markup(text, 0);
  while (tag->name != name || (tag->kind != markup_kind::start && tag->kind != markup_kind::empty))
    tag = next_markup(text, tag->end);
  return *tag;
}

std::optional<value_range> attribute_in(std::string_view tag, std::string_view name) {
  std::size_t at = std::size_t(std::find_if(tag.begin(), tag.end(), ends_name) - tag.begin());
  for (;;) {
    while (at < tag.size() && is_space(tag[at])) ++at;
    std::size_t const begin = at;
    while (at < tag.size() && !ends_name(tag[at])) ++at;
    std::string_view const result = tag.substr(begin, at - begin);
    at = tag.find_first_of("\"'", at);
    if (result.empty() || at == std::string_view::npos) return std::nullopt;
    std::size_t const end = tag.find(tag[at], at + 1);
    if (end == std::string_view::npos) return std::nullopt;
    if (result == name) return value_range{at + 1, end - at - 1};
    at = end + 1;
  }
}

std::optional<markup> plain_tag(std::string_view text, std::size_t begin, std::vector<attributes::attribute>& all) {
  constexpr std::size_t max_plain_attributes = 32;  // each is compared with those before it
  all.clear();
  char const* at = text.data() + begin + 1;
  char const* const end = text.data() + text.size();
  auto const skip_letters = [&] {
    while (at != end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) ++at;
  };
  bool const closes = at != end && *at == '/';
  at += closes;
  char const* const name = at;
  skip_letters();
  if (at == name) return std::nullopt;
  std::string_view const named(name, at);
  auto const made = [&](markup_kind kind, char const* after) {
    return markup{kind, begin, std::size_t(after - text.data()), named};
  };
  for (;;) {
    char const* const before = at;
    while (at != end && is_space(*at)) ++at;
    if (at == end) return std::nullopt;
    if (*at == '>') return made(closes ? markup_kind::end : markup_kind::start, at + 1);
    if (closes) return std::nullopt;
    if (*at == '/') {
      if (end - at < 2 || at[1] != '>') return std::nullopt;
      return made(markup_kind::empty, at + 2);
    }
    char const* const key_begin = at;
    skip_letters();
    if (key_begin == before || key_begin == at || end - at < 3 || at[0] != '=' || at[1] != '"') return std::nullopt;
    std::string_view const key(key_begin, at);
    char const* const value = at += 2;
    while (at != end && is_plain_value[static_cast<unsigned char>(*at)]) ++at;
    if (at == end || *at != '"') return std::nullopt;
    if (all.size() == max_plain_attributes) return std::nullopt;
    for (auto const& other : all)
      if (other.name == key) return std::nullopt;
    all.push_back({key, {value, at++}});
  }
}

struct xml_parser::state {
  XML_Parser parser = nullptr;
  std::size_t depth = 0;  // elements that are open
  xml_handler* to = nullptr;
  std::int64_t given = 0;  // bytes in the pieces before
  std::vector<attributes::attribute> known;
  std::exception_ptr thrown;  // must not pass through expat, which is C
  std::string encoding;
  bool whole = false, lenient = false, begun = false;
  std::uint64_t repaired = 0;
  // The piece with its bytes of Windows-1252 in UTF-8; the places of these bytes in the piece, and the bytes that they gain.
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> longer;

  [[nodiscard]] bool is_utf8() const { return encoding.empty() || is_named(encoding, "UTF-8") || is_named(encoding, "UTF8"); }

  std::string_view repair(std::string_view piece) {
    longer.clear();
    std::size_t bad = find_invalid_utf8(piece);
    if (bad == std::string_view::npos) return piece;
    text.clear();
    std::size_t done = 0;
    for (; bad != std::string_view::npos; bad = find_invalid_utf8(piece, done)) {
      text += piece.substr(done, bad - done);
      std::size_t const before = text.size();
      add_windows_1252(byte_at(piece, bad), text);
      longer.emplace_back(bad, text.size() - before - 1);
      done = bad + 1;
      ++repaired;
    }
    text += piece.substr(done);
    return text;
  }
  // Returns the place that a byte of the repaired piece had before.
  [[nodiscard]] std::size_t place_before(std::size_t at) const {
    std::size_t more = 0;
    for (auto const& [bad, by] : longer) {
      if (bad + more >= at) break;
      more += by;
    }
    return at - std::min(more, at);
  }

  // expat reports a byte outside the encoding as an invalid token.
  [[nodiscard]] text_fault fault(XML_Error code, std::string_view piece, std::size_t index, std::size_t where) const {
    bool const odd = (code == XML_ERROR_INVALID_TOKEN || code == XML_ERROR_PARTIAL_CHAR) && index < piece.size() &&
                     byte_at(piece, index) >= 0x80;
    if (odd && is_utf8() && utf8_size(piece, index) == 0)
      return {where, "not UTF-8",
              fmt::format("byte 0x{:02x}, where the document says that it is UTF-8; --lenient reads it as Windows-1252",
                          byte_at(piece, index))};
    if (odd && is_named(encoding, "US-ASCII"))
      return {where, "not ASCII",
              fmt::format("byte 0x{:02x}, where the document says that it is US-ASCII", byte_at(piece, index))};
    return {where, "malformed XML", XML_ErrorString(code)};
  }

  // Calls f(), and after an exception nothing more.
  template <class F>
  static void guarded(void* data, F f) {
    auto& self = *static_cast<state*>(data);
    if (self.thrown) return;
    try {
      f(*self.to);
    } catch (...) {
      self.thrown = std::current_exception();
      XML_StopParser(self.parser, XML_FALSE);
    }
  }
  static void start(void* data, char const* name, char const** all) {
    guarded(data, [&](xml_handler& to) {
      if (++static_cast<state*>(data)->depth > max_depth)
        throw text_fault(text_fault::here, "nested elements", fmt::format("more than {} are open", max_depth));
      auto& known = static_cast<state*>(data)->known;
      known.clear();
      for (char const** pair = all; *pair; pair += 2) known.push_back({pair[0], pair[1]});
      to.start(local_name(name), attributes(known));
    });
  }
  static void end(void* data, char const* name) {
    guarded(data, [&](xml_handler& to) {
      --static_cast<state*>(data)->depth;
      to.end(local_name(name));
    });
  }
  static void characters(void* data, char const* text, int size) {
    guarded(data, [&](xml_handler& to) { to.characters({text, std::size_t(size)}); });
  }
  static void declaration(void* data, char const*, char const* encoding, int) {
    guarded(data, [&](xml_handler& to) {
      if (!encoding) return;
      static_cast<state*>(data)->encoding = encoding;
      to.encoding(encoding);
    });
  }
  static void document_type(void* data, char const*, char const*, char const*, int) {
    guarded(data, [](xml_handler&) { throw text_fault(text_fault::here, "document type", "neither mzML nor mzXML has one"); });
  }

  ~state() {
    if (parser) XML_ParserFree(parser);
  }
};

xml_parser::xml_parser(xml_handler& to, bool whole, std::string const& encoding, bool lenient)
    : state_(std::make_unique<state>()) {
  state_->to = &to;
  state_->encoding = encoding;
  state_->whole = whole;
  state_->lenient = lenient;
  char const* const known = encoding.empty() ? nullptr : encoding.c_str();
  XML_Parser const parser = XML_ParserCreate_MM(known, &checked_memory, whole ? &separator : nullptr);
  if (!parser) throw std::bad_alloc();
  state_->parser = parser;
  XML_SetUserData(parser, state_.get());
  XML_SetElementHandler(parser, state::start, state::end);
  XML_SetXmlDeclHandler(parser, state::declaration);
  XML_SetStartDoctypeDeclHandler(parser, state::document_type);
}

void xml_parser::want_characters(bool wanted) {
  XML_SetCharacterDataHandler(state_->parser, wanted ? state::characters : nullptr);
}

xml_parser::~xml_parser() = default;
xml_parser::xml_parser(xml_parser&&) noexcept = default;

std::uint64_t xml_parser::repaired() const noexcept {
  return state_->repaired;
}

void xml_parser::parse(std::string_view piece, std::size_t at, bool last) {
  constexpr std::size_t max_bytes = std::size_t{1} << 30;  // expat counts with int
  std::size_t const begin = at;
  state_->longer.clear();
  if (state_->lenient) {
    if (state_->whole && !state_->begun && !piece.empty()) state_->encoding = declared_encoding(piece);
    state_->begun |= !piece.empty();
    if (state_->is_utf8()) piece = state_->repair(piece);
  }
  do {
    std::string_view const part = piece.substr(0, max_bytes);
    piece.remove_prefix(part.size());
    auto const status = XML_Parse(state_->parser, part.data(), int(part.size()), last && piece.empty());
    if (status == XML_STATUS_ERROR) {
      std::int64_t const index = byte_index(state_->parser) - state_->given;
      std::size_t const place = std::size_t(std::clamp<std::int64_t>(index, 0, std::int64_t(part.size())));
      std::size_t const where = begin + state_->place_before(at + place - begin);
      if (state_->thrown) {
        try {
          std::rethrow_exception(std::exchange(state_->thrown, nullptr));
        } catch (text_fault& fault) {
          if (fault.at == text_fault::here) fault.at = where;
          throw;
        }
      }
      auto const code = XML_GetErrorCode(state_->parser);
      if (code == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      throw state_->fault(code, part, place, where);
    }
    state_->given += std::int64_t(part.size());
    at += part.size();
  } while (!piece.empty());
}

}  // namespace ordo::inline v0::spectra::detail
