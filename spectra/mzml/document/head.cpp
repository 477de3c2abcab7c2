#include "spectra/mzml/document/head.hpp"

#include <optional>

#include <fmt/format.h>

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t max_depth = 6;  // indexedmzML, mzML, a list, its element, and what that holds

// Reads the elements of a text. Deeper ones are skipped, so that no head needs much of the stack.
class head_parser {
 public:
  explicit head_parser(std::string_view text) : text_(text) {}

  head_element root() {
    for (auto result = next(); result; result = next())
      if (result->kind == markup_kind::start || result->kind == markup_kind::empty) return element(*result, 1);
    return {};
  }

 private:
  std::optional<markup> next() {
    auto const result = next_markup(text_, at_);
    if (result) at_ = result->end;
    return result;
  }

  head_element element(markup const& tag, std::size_t depth) {
    head_element made{tag.name, text_.substr(tag.begin, tag.end - tag.begin), tag.begin, tag.end, tag.end, tag.end, {}};
    if (tag.kind == markup_kind::empty) return made;
    std::size_t open = 1;  // elements, of which the deeper ones are skipped
    for (auto result = next(); result; result = next()) {
      bool const starts = result->kind == markup_kind::start;
      if (result->kind == markup_kind::end && --open == 0) {
        made.content_end = result->begin;
        made.end = result->end;
        return made;
      }
      if (!starts && result->kind != markup_kind::empty) continue;
      if (depth < max_depth)
        made.children.push_back(element(*result, depth + 1));
      else
        open += starts;
    }
    made.content_end = made.end = text_.size();
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view head_element::value(std::string_view attribute) const {
  auto const result = attribute_in(tag, attribute);
  return result ? tag.substr(result->begin, result->size) : std::string_view();
}

head_element const* head_element::find(std::string_view child) const {
  for (auto const& element : children)
    if (element.name == child) return &element;
  return nullptr;
}

head_element parse_head(std::string_view head) {
  return head_parser(head).root();
}

std::string_view blanks_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && is_space(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

std::string prefix_of_tag(std::string_view tag) {
  std::size_t const begin = tag.starts_with("</") ? 2 : 1;
  std::string_view const name = tag.substr(begin, tag.find_first_of(" \t\r\n/>", begin) - begin);
  return std::string(name.substr(0, name.find(':') + 1));  // without prefix npos + 1 is 0
}

std::string_view psi_ms_name(std::string_view head) {
  for (auto result = next_markup(head, 0); result; result = next_markup(head, result->end)) {
    if (result->name != "cvParam" || result->kind == markup_kind::end) continue;
    std::string_view const tag = head.substr(result->begin, result->end - result->begin);
    auto const accession = attribute_in(tag, "accession"), name = attribute_in(tag, "cvRef");
    if (accession && name && tag.substr(accession->begin, accession->size).starts_with("MS:"))
      return tag.substr(name->begin, name->size);
  }
  return "MS";
}

void set_count(head_element const& list, std::size_t count, std::vector<text_edit>& edits) {
  if (auto const at = attribute_in(list.tag, "count"))
    edits.push_back({list.begin + at->begin, list.begin + at->begin + at->size, fmt::format("{}", count)});
}

std::string edited(std::string_view text, std::vector<text_edit> const& edits) {
  std::string made;
  std::size_t done = 0;
  for (auto const& edit : edits) {
    made += text.substr(done, edit.begin - done);
    made += edit.text;
    done = edit.end;
  }
  return made.append(text.substr(done));
}

}  // namespace ordo::inline v0::spectra::detail
