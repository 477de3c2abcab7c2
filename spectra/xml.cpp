#include "spectra/xml.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <expat.h>
#include <fmt/format.h>

namespace ordo::spectra::detail {
namespace {

// Between a namespace, or its prefix, and a name. No namespace that is an address holds it behind its last colon.
constexpr char separator = ':';

std::string_view local_name(char const* name) {
  char const* const found = std::strrchr(name, separator);
  return found ? found + 1 : name;
}

// Behind the `ending` of what began before `from`.
std::optional<markup> up_to(std::string_view text, std::size_t begin, std::size_t from, std::string_view ending) {
  std::size_t const found = text.find(ending, from);
  if (found == std::string_view::npos) return std::nullopt;
  return markup{markup_kind::other, begin, found + ending.size(), {}};
}

bool ends_name(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '/' || c == '>' || c == '=';
}

}  // namespace

std::string xml_fault::message(std::string_view name, std::uint64_t line) const {
  return fmt::format("{}: {}:{}: {}", what_, name, line, why_);
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
  char quote = 0;
  std::size_t at = 1;
  for (; at != rest.size(); ++at) {
    char const c = rest[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      break;
    }
  }
  if (at == rest.size()) return std::nullopt;
  bool const closes = rest[1] == '/';
  std::string_view name = rest.substr(closes ? 2 : 1);
  name = name.substr(0, std::size_t(std::find_if(name.begin(), name.end(), ends_name) - name.begin()));
  if (auto const colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  auto const kind = closes ? markup_kind::end : rest[at - 1] == '/' ? markup_kind::empty : markup_kind::start;
  return markup{kind, begin, begin + at + 1, name};
}

std::optional<value_range> attribute_in(std::string_view tag, std::string_view name) {
  std::size_t at = std::size_t(std::find_if(tag.begin(), tag.end(), ends_name) - tag.begin());
  for (;;) {
    while (at < tag.size() && is_space(tag[at])) ++at;
    std::size_t const begin = at;
    while (at < tag.size() && !ends_name(tag[at])) ++at;
    std::string_view const found = tag.substr(begin, at - begin);
    at = tag.find_first_of("\"'", at);
    if (found.empty() || at == std::string_view::npos) return std::nullopt;
    std::size_t const end = tag.find(tag[at], at + 1);
    if (end == std::string_view::npos) return std::nullopt;
    if (found == name) return value_range{at + 1, end - at - 1};
    at = end + 1;
  }
}

bool plain_attributes(std::string_view tag, std::vector<attributes::attribute>& all) {
  all.clear();
  char const* at = std::find_if(tag.begin(), tag.end(), ends_name);
  char const* const end = tag.end() - 2;  // "/>"
  for (;;) {
    char const* const before = at;
    while (at != end && is_space(*at)) ++at;
    if (at == end) return true;
    char const* const name = at;
    while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')) ++at;
    if (name == before || name == at || end - at < 3 || at[0] != '=' || at[1] != '"') return false;
    std::string_view const key(name, at);
    char const* const value = at += 2;
    while (at != end && *at >= 0x20 && *at != '"' && *at != '&' && *at != '<') ++at;
    if (at == end || *at != '"') return false;
    for (auto const& other : all)
      if (other.name == key) return false;
    all.push_back({key, {value, at++}});
  }
}

struct xml_parser::state {
  XML_Parser parser = nullptr;
  xml_handler* to = nullptr;
  XML_Index given = 0;  // bytes, in the pieces before
  std::vector<attributes::attribute> known;
  std::exception_ptr thrown;  // must not pass through expat, which is C

  // f(), and if that throws nothing more.
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
      auto& known = static_cast<state*>(data)->known;
      known.clear();
      for (char const** one = all; *one; one += 2) known.push_back({one[0], one[1]});
      to.start(local_name(name), attributes(known));
    });
  }
  static void end(void* data, char const* name) {
    guarded(data, [&](xml_handler& to) { to.end(local_name(name)); });
  }
  static void characters(void* data, char const* text, int size) {
    guarded(data, [&](xml_handler& to) { to.characters({text, std::size_t(size)}); });
  }
  static void declaration(void* data, char const*, char const* encoding, int) {
    guarded(data, [&](xml_handler& to) {
      if (encoding) to.encoding(encoding);
    });
  }
  static void document_type(void* data, char const*, char const*, char const*, int) {
    guarded(data, [](xml_handler&) { throw xml_fault(xml_fault::here, "not mzML", "a document type"); });
  }

  ~state() {
    if (parser) XML_ParserFree(parser);
  }
};

xml_parser::xml_parser(xml_handler& to, bool whole, std::string const& encoding) : state_(std::make_unique<state>()) {
  state_->to = &to;
  char const* const known = encoding.empty() ? nullptr : encoding.c_str();
  XML_Parser const parser = whole ? XML_ParserCreateNS(known, separator) : XML_ParserCreate(known);
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

void xml_parser::parse(std::string_view piece, std::size_t at, bool last) {
  constexpr std::size_t most = std::size_t{1} << 30;  // expat counts with int
  do {
    std::string_view const part = piece.substr(0, most);
    piece.remove_prefix(part.size());
    auto const status = XML_Parse(state_->parser, part.data(), int(part.size()), last && piece.empty());
    if (status == XML_STATUS_ERROR) {
      auto const index = XML_GetCurrentByteIndex(state_->parser) - state_->given;
      std::size_t const where = at + std::size_t(std::clamp<XML_Index>(index, 0, XML_Index(part.size())));
      if (state_->thrown) {
        try {
          std::rethrow_exception(std::exchange(state_->thrown, nullptr));
        } catch (xml_fault& fault) {
          if (fault.at == xml_fault::here) fault.at = where;
          throw;
        }
      }
      auto const code = XML_GetErrorCode(state_->parser);
      if (code == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      throw xml_fault(where, "malformed XML", XML_ErrorString(code));
    }
    state_->given += XML_Index(part.size());
    at += part.size();
  } while (!piece.empty());
}

}  // namespace ordo::spectra::detail
