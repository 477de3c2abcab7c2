#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "spectra/encoding/text_fault.hpp"

// Reads XML twice: next_markup() finds tags, to cut a text and to replace parts of it; expat reads their meaning, and checks
// that the document is well-formed. Most spectra consist of plain_tag()s, which need no expat: what is not plain goes to it.
namespace ordo::inline v0::spectra::detail {

/// Returns true for white space of XML.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum class markup_kind { start, empty, end, other };  // other: comment, CDATA section, instruction, declaration

struct markup {
  markup_kind kind;
  std::size_t begin, end;  // from < to after >
  std::string_view name;   // name of a tag, without its prefix
};

/// Finds the first markup that begins at `from` or after it, if the text holds all of it.
std::optional<markup> next_markup(std::string_view text, std::size_t from);
/// Finds the first markup that is no start of an element: an end, a comment and so on. In a tag that is not well-formed, it may
/// find one that begins inside of an attribute.
std::optional<markup> next_markup_but_starts(std::string_view text, std::size_t from);

/// Returns the first tag of an element in a text, which may begin with what stands before it.
markup element_tag(std::string_view text, std::string_view name);

/// The place of an attribute's value in a tag.
struct value_range {
  std::size_t begin, size;
};
std::optional<value_range> attribute_in(std::string_view tag, std::string_view name);

/// The attributes of a tag by name.
class attributes {
 public:
  struct attribute {
    std::string_view name, value;
  };
  explicit attributes(std::span<attribute const> all) : all_(all) {}
  [[nodiscard]] std::span<attribute const> all() const { return all_; }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::string_view get(std::string_view name) const {
    attribute const* const attribute = find(name);
    return attribute ? attribute->value : std::string_view();
  }

 private:
  [[nodiscard]] attribute const* find(std::string_view name) const {
    for (auto const& attribute : all_)
      if (attribute.name == name) return &attribute;
    return nullptr;
  }
  std::span<attribute const> all_;
};

/// Reads a tag that is as plain as most, with its attributes: ASCII, at most 32 of them, its names of letters alone, without
/// prefixes, entities and repeated names. @param begin  where its < is
/// @returns nothing for other markup, which a parser has to read
std::optional<markup> plain_tag(std::string_view text, std::size_t begin, std::vector<attributes::attribute>& all);

/// Finds the first byte from `from` on that begins no character of UTF-8; npos if there is none.
std::size_t find_invalid_utf8(std::string_view text, std::size_t from = 0);

/// Returns the character of a byte from 0x80 on in Windows-1252.
std::uint32_t windows_1252_code(unsigned char byte);

/// Reads the number of an attribute, which may have blanks around it. Whole numbers may have decimals of zero, as some programs
/// write them.
/// @returns nothing if the text is no number
template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  char const* const end = text.data() + text.size();
  bool good = false;
  if constexpr (std::is_floating_point_v<T>) {
    auto const got = fast_float::from_chars(text.data(), end, value);
    good = got.ec == std::errc() && got.ptr == end;
  } else {
    auto const got = std::from_chars(text.data(), end, value);
    good = got.ec == std::errc() && got.ptr == end;
    if (!good && got.ec == std::errc() && *got.ptr == '.')
      good = text.find_first_not_of('0', std::size_t(got.ptr - text.data()) + 1) == std::string_view::npos;
  }
  return good ? std::optional(value) : std::nullopt;
}

/// Reads a number.
/// @returns nothing for an empty text @throws text_fault  if the text is no number
template <class T>
std::optional<T> parse_number(std::string_view subject, std::string_view text) {
  if (text.empty()) return std::nullopt;
  auto const value = number<T>(text);
  if (!value) throw text_fault(text_fault::here, "not a number", fmt::format("{} is '{}'", subject, text));
  return value;
}

/// A receiver of the tags of a text, in order. It may throw.
class xml_handler {
 public:
  virtual ~xml_handler() = default;
  virtual void start(std::string_view name, attributes const& all) = 0;  // without its prefix
  virtual void end(std::string_view name) = 0;
  virtual void characters(std::string_view /*text*/) {}
  virtual void encoding(std::string_view /*name*/) {}
};

/// A parser (expat). A document comes in pieces of whole tags; an error is an text_fault at a byte of the piece.
class xml_parser {
 public:
  /// @param whole  true for a document, whose prefixes are checked and whose declaration names the encoding; false for a part
  /// of one in `encoding`
  /// @param lenient  reads invalid bytes in UTF-8 as Windows-1252
  xml_parser(xml_handler& to, bool whole, std::string const& encoding = {}, bool lenient = false);
  ~xml_parser();
  xml_parser(xml_parser&&) noexcept;

  /// Turns the calls of characters() on or off.
  void want_characters(bool wanted);
  /// Parses the next piece. @param at  its place in the text, for faults @throws text_fault, and errors of the handler
  void parse(std::string_view piece, std::size_t at, bool last = false);
  /// Returns the number of bytes read as Windows-1252 so far.
  [[nodiscard]] std::uint64_t repaired() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0::spectra::detail
