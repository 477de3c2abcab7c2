#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// XML as it is read here: where the tags of a text are, which says where it may be cut and what may be replaced; and expat,
// which says what they mean and whether all is well-formed.
namespace ordo::spectra::detail {

/// Something wrong at a byte of a text. Whoever knows the file's name and the line of the text's first byte makes an
/// input_error of it: "what: name:line: why".
class xml_fault : public std::runtime_error {
 public:
  static constexpr std::size_t here = ~std::size_t{0};  // where the handler is called from
  xml_fault(std::size_t at, std::string what, std::string why)
      : std::runtime_error(what + ": " + why), at(at), what_(std::move(what)), why_(std::move(why)) {}
  [[nodiscard]] std::string message(std::string_view name, std::uint64_t line) const;
  std::size_t at;

 private:
  std::string what_, why_;
};

/// As XML has it.
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum class markup_kind { start, empty, end, other };  // other: comments, CDATA sections, instructions, declarations

struct markup {
  markup_kind kind;
  std::size_t begin, end;  // from < to behind >
  std::string_view name;   // of a tag, without its prefix
};

/// The first markup that begins at `from` or behind it, if the whole of it is there.
std::optional<markup> next_markup(std::string_view text, std::size_t from);

/// Where the value of an attribute is in a tag, as an offset in it and a size.
struct value_range {
  std::size_t begin, size;
};
std::optional<value_range> attribute_in(std::string_view tag, std::string_view name);

/// Attributes of a tag, by their names.
class attributes {
 public:
  struct attribute {
    std::string_view name, value;
  };
  explicit attributes(std::span<attribute const> all) : all_(all) {}
  [[nodiscard]] std::span<attribute const> all() const { return all_; }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::string_view get(std::string_view name) const {
    attribute const* const found = find(name);
    return found ? found->value : std::string_view();
  }

 private:
  [[nodiscard]] attribute const* find(std::string_view name) const {
    for (auto const& one : all_)
      if (one.name == name) return &one;
    return nullptr;
  }
  std::span<attribute const> all_;
};

/// The attributes of an empty tag that is as plain as most are: ASCII, no prefixes, no entities, no name twice.
/// @returns false if it is not, or is malformed: that is for a parser to say
bool plain_attributes(std::string_view tag, std::vector<attributes::attribute>& all);

/// The first byte from `from` on that begins no character of UTF-8, or none.
std::size_t find_invalid_utf8(std::string_view text, std::size_t from = 0);

/// What is done with the tags of a text, in order. May throw.
class xml_handler {
 public:
  virtual ~xml_handler() = default;
  virtual void start(std::string_view name, attributes const& all) = 0;  // without its prefix
  virtual void end(std::string_view name) = 0;
  virtual void characters(std::string_view /*text*/) {}
  virtual void encoding(std::string_view /*name*/) {}
};

/// expat. A document is given in pieces, each of whole tags; what is wrong is an xml_fault at a byte of the piece.
class xml_parser {
 public:
  /// @param whole  a document: prefixes are checked, and its encoding is what it says; else a part of one in that encoding
  /// @param lenient  in a document of UTF-8, bytes that are no UTF-8 are read as Windows-1252
  xml_parser(xml_handler& to, bool whole, std::string const& encoding = {}, bool lenient = false);
  ~xml_parser();
  xml_parser(xml_parser&&) noexcept;

  /// Is characters() wanted? Else it is not called.
  void want_characters(bool wanted);
  /// @param at  of the piece in the text that faults are in. @throws xml_fault, and what the handler throws
  void parse(std::string_view piece, std::size_t at, bool last = false);
  /// Bytes that were read as Windows-1252, so far.
  [[nodiscard]] std::uint64_t repaired() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::spectra::detail
