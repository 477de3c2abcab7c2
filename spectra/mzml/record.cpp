#include "spectra/mzml/record.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "spectra/mzml/xml.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::string_view software_id = "ordo_specsort", processing_id = "ordo_specsort_processing";

// An element of the head, from its tag's < to its end tag's >.
struct element {
  std::size_t begin = 0, tag_end = 0, end_tag = 0;
  std::string_view tag, id;
};

// The lists of software and processing in the head.
class head_reader {
 public:
  explicit head_reader(std::string_view head) : text_(head) {
    for (auto found = next_markup(head, 0); found; found = next_markup(head, found->end)) {
      if (found->kind == markup_kind::end)
        end(*found);
      else if (found->kind != markup_kind::other)
        start(*found);
    }
    if (cv.empty()) cv = "MS";
  }

  std::string_view version, cv;  // cv: the document's name of the PSI-MS vocabulary
  std::optional<element> software_list, processing_list, spectra;
  std::vector<element> software, processing;
  std::set<std::string_view> ids;

  [[nodiscard]] std::string_view value(element const& of, std::string_view name) const { return value_of(of.tag, name); }
  // Returns the blanks before a place.
  [[nodiscard]] std::string_view blanks_before(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && is_space(text_[begin - 1])) --begin;
    return text_.substr(begin, at - begin);
  }
  // Returns the prefix of the name of an element, with the colon.
  [[nodiscard]] std::string prefix(element const& like) const {
    std::string_view const name = like.tag.substr(1, like.tag.find_first_of(" \t\r\n/>") - 1);
    auto const colon = name.find(':');
    return colon == std::string_view::npos ? "" : std::string(name.substr(0, colon + 1));
  }

 private:
  static std::string_view value_of(std::string_view tag, std::string_view name) {
    auto const found = attribute_in(tag, name);
    return found ? tag.substr(found->begin, found->size) : std::string_view();
  }

  void start(markup const& found) {
    element one{found.begin, found.end, found.end, text_.substr(found.begin, found.end - found.begin), {}};
    one.id = value_of(one.tag, "id");
    if (!one.id.empty()) ids.insert(one.id);
    bool const empty = found.kind == markup_kind::empty;
    if (found.name == "mzML")
      version = value_of(one.tag, "version");
    else if (found.name == "cvParam" && cv.empty() && value_of(one.tag, "accession").starts_with("MS:"))
      cv = value_of(one.tag, "cvRef");
    else if (found.name == "softwareList" && !empty)
      software_list = one;
    else if (found.name == "software")
      software.push_back(one);
    else if (found.name == "dataProcessingList" && !empty)
      processing_list = one;
    else if (found.name == "dataProcessing")
      processing.push_back(one);
    else if (found.name == "spectrumList")
      spectra = one;
  }

  void end(markup const& found) {
    if (found.name == "softwareList" && software_list) software_list->end_tag = found.begin;
    if (found.name == "dataProcessingList" && processing_list) processing_list->end_tag = found.begin;
    if (found.name == "software" && !software.empty()) software.back().end_tag = found.begin;
    if (found.name == "dataProcessing" && !processing.empty()) processing.back().end_tag = found.begin;
  }

  std::string_view text_;
};

std::string unused(std::string_view id, std::set<std::string_view> const& ids) {
  std::string made(id);
  for (std::size_t number = 2; ids.contains(made); ++number) made = fmt::format("{}_{}", id, number);
  return made;
}

// A writer of elements in the manner of an adjacent one: indented alike, or all in one line.
struct writer {
  std::string outer, inner, prefix;

  writer(std::string_view blanks, std::string prefix) : prefix(std::move(prefix)) {
    auto const line = blanks.rfind('\n');
    if (line == std::string_view::npos) return;
    outer = blanks.substr(line > 0 && blanks[line - 1] == '\r' ? line - 1 : line);
    inner = outer + (outer.ends_with('\t') ? "\t" : "  ");
  }
  [[nodiscard]] std::string element(std::string_view name, std::string_view attributes, std::string const& content) const {
    return fmt::format("{0}<{1}{2} {3}>{4}{0}</{1}{2}>", outer, prefix, name, attributes, content);
  }
  [[nodiscard]] std::string term(std::string_view cv, std::string_view accession, std::string_view name,
                                 std::string_view value) const {
    return fmt::format("{}<{}cvParam cvRef=\"{}\" accession=\"{}\" name=\"{}\" value=\"{}\"/>", inner, prefix, cv, accession,
                       name, value);
  }
};

std::string processing_method(writer const& style, std::string_view cv, std::size_t order, std::string_view software,
                              std::vector<std::pair<std::string, std::string>> const& options) {
  std::string content = style.term(cv, "MS:1001486", "data filtering", "");
  for (auto const& [name, value] : options)
    content += value.empty() ? fmt::format("{}<{}userParam name=\"{}\"/>", style.inner, style.prefix, name)
                             : fmt::format("{}<{}userParam name=\"{}\" value=\"{}\"/>", style.inner, style.prefix, name, value);
  return style.element("processingMethod", fmt::format("order=\"{}\" softwareRef=\"{}\"", order, software), content);
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Sets the number of elements that a list states.
void set_count(element const& list, std::size_t count, std::vector<text_edit>& edits) {
  if (auto const at = attribute_in(list.tag, "count"))
    edits.push_back({list.begin + at->begin, list.begin + at->begin + at->size, fmt::format("{}", count)});
}

}  // namespace

processing_record record_processing(std::string_view head, std::vector<std::pair<std::string, std::string>> const& options) {
  head_reader const all(head);
  auto const lacks = [](std::string why) { return processing_record{{}, std::move(why), {}, {}}; };
  if (!all.spectra) return {};  // without spectra nothing was processed
  if (all.version.starts_with("1.0")) return lacks(fmt::format("the document is mzML {}", all.version));
  if (!all.software_list || all.software.empty()) return lacks("the document has no softwareList");
  if (!all.processing_list || all.processing.empty()) return lacks("the document has no dataProcessingList");
  std::string_view const now = all.value(*all.spectra, "defaultDataProcessingRef");
  auto const old = std::ranges::find(all.processing, now, &element::id);
  if (now.empty() || old == all.processing.end()) return lacks("the list of spectra refers to no dataProcessing");

  // Finds our software, of this version.
  auto const known = std::ranges::find_if(all.software, [&](element const& one) {
    return one.id.starts_with(software_id) && all.value(one, "version") == version;
  });
  bool const is_known = known != all.software.end();
  std::string const software = is_known ? std::string(known->id) : unused(software_id, all.ids);

  std::string_view const steps = head.substr(old->tag_end, old->end_tag - old->tag_end);
  std::size_t order = 0, last_order = 0;
  std::size_t last_method = std::string_view::npos;
  for (auto found = next_markup(steps, 0); found; found = next_markup(steps, found->end)) {
    if (found->name != "processingMethod" || found->kind == markup_kind::end) continue;
    std::string_view const tag = steps.substr(found->begin, found->end - found->begin);
    auto const at = attribute_in(tag, "order");
    last_order = at ? number<std::size_t>(tag.substr(at->begin, at->size)).value_or(0) : 0;
    order = std::max(order, last_order + 1);
    last_method = found->begin;
  }
  std::size_t const like = last_method == std::string_view::npos ? old->tag_end : old->tag_end + last_method;
  writer const method(all.blanks_before(like), all.prefix(*old));
  if (is_known && last_method != std::string_view::npos &&
      without_blanks(steps.substr(last_method)) ==
          without_blanks(processing_method(method, all.cv, last_order, software, options)))
    return {{}, {}, std::string(now), std::string(now)};

  processing_record made;
  made.before = made.after = now;
  auto const insert = [&](std::size_t before, std::string text) {
    std::size_t const at = before - all.blanks_before(before).size();
    made.edits.push_back({at, at, std::move(text)});
  };
  if (!is_known) {
    set_count(*all.software_list, all.software.size() + 1, made.edits);
    writer const style(all.blanks_before(all.software.front().begin), all.prefix(all.software.front()));
    insert(all.software_list->end_tag,
           style.element("software", fmt::format("id=\"{}\" version=\"{}\"", software, version),
                         style.term(all.cv, "MS:1000799", "custom unreleased software tool", "ordo specsort")));
  }
  if (old->id.starts_with(processing_id)) {  // nothing else refers to it
    insert(old->end_tag, processing_method(method, all.cv, order, software, options));
    return made;
  }
  std::string const processing = made.after = unused(processing_id, all.ids);
  set_count(*all.processing_list, all.processing.size() + 1, made.edits);
  writer const style(all.blanks_before(old->begin), all.prefix(*old));
  std::string content(steps.substr(0, steps.size() - all.blanks_before(old->end_tag).size()));
  content += processing_method(method, all.cv, order, software, options);
  insert(all.processing_list->end_tag, style.element("dataProcessing", fmt::format("id=\"{}\"", processing), content));
  auto const reference = attribute_in(all.spectra->tag, "defaultDataProcessingRef");
  std::size_t const at = all.spectra->begin + reference->begin;
  made.edits.push_back({at, at + reference->size, processing});
  std::ranges::sort(made.edits, {}, &text_edit::begin);
  return made;
}

}  // namespace ordo::inline v0::spectra::detail
