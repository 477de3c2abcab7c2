#include "spectra/mzml/document/record.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "spectra/encoding/xml.hpp"
#include "spectra/mzml/document/head.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::string_view software_id = "ordo_specsort", processing_id = "ordo_specsort_processing";

// The lists of software and processing in the head.
class head_reader {
 public:
  explicit head_reader(std::string_view head) : text_(head), cv(psi_ms_name(head)), root_(parse_head(head)) {
    note_ids(root_);
    head_element const* const mzml = root_.name == "mzML" ? &root_ : root_.find("mzML");
    if (!mzml) return;
    version = mzml->value("version");
    software_list = elements(*mzml, "softwareList", "software", software);
    processing_list = elements(*mzml, "dataProcessingList", "dataProcessing", processing);
    if (head_element const* const run = mzml->find("run")) spectra = run->find("spectrumList");
  }
  head_reader(head_reader const&) = delete;

 private:
  std::string_view text_;

 public:
  std::string_view version, cv;  // cv: the document's name of the PSI-MS vocabulary
  head_element const *software_list = nullptr, *processing_list = nullptr, *spectra = nullptr;
  std::vector<head_element const*> software, processing;
  std::set<std::string_view> ids;

  // Returns the blanks before a place.
  [[nodiscard]] std::string_view blanks_before(std::size_t at) const { return detail::blanks_before(text_, at); }

 private:
  void note_ids(head_element const& element) {
    if (std::string_view const id = element.value("id"); !id.empty()) ids.insert(id);
    for (auto const& child : element.children) note_ids(child);
  }
  static head_element const* elements(head_element const& mzml, std::string_view list, std::string_view name,
                                      std::vector<head_element const*>& to) {
    head_element const* const element = mzml.find(list);
    if (!element || element->is_empty()) return nullptr;
    for (auto const& one : element->children)
      if (one.name == name) to.push_back(&one);
    return element;
  }

  head_element root_;
};

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

}  // namespace

processing_record record_processing(std::string_view head, std::vector<std::pair<std::string, std::string>> const& options) {
  head_reader const all(head);
  auto const lacks = [](std::string why) { return processing_record{{}, std::move(why), {}, {}}; };
  if (!all.spectra) return {};  // without spectra nothing was processed
  if (all.version.starts_with("1.0")) return lacks(fmt::format("the document is mzML {}", all.version));
  if (!all.software_list || all.software.empty()) return lacks("the document has no softwareList");
  if (!all.processing_list || all.processing.empty()) return lacks("the document has no dataProcessingList");
  std::string_view const now = all.spectra->value("defaultDataProcessingRef");
  auto const get_id = [](head_element const* element) { return element->value("id"); };
  auto const found_old = std::ranges::find(all.processing, now, get_id);
  if (now.empty() || found_old == all.processing.end()) return lacks("the list of spectra refers to no dataProcessing");

  head_element const* const old = *found_old;

  // Finds our software, of this version.
  auto const known = std::ranges::find_if(all.software, [&](head_element const* element) {
    return get_id(element).starts_with(software_id) && element->value("version") == version;
  });
  bool const is_known = known != all.software.end();
  std::string const software = is_known ? std::string(get_id(*known)) : unused_id(software_id, all.ids);

  std::string_view const steps = head.substr(old->tag_end, old->content_end - old->tag_end);
  std::size_t order = 0, last_order = 0;
  std::size_t last_method = std::string_view::npos;
  for (auto result = next_markup(steps, 0); result; result = next_markup(steps, result->end)) {
    if (result->name != "processingMethod" || result->kind == markup_kind::end) continue;
    std::string_view const tag = steps.substr(result->begin, result->end - result->begin);
    auto const at = attribute_in(tag, "order");
    last_order = at ? number<std::size_t>(tag.substr(at->begin, at->size)).value_or(0) : 0;
    order = std::max(order, last_order + 1);
    last_method = result->begin;
  }
  std::size_t const like = last_method == std::string_view::npos ? old->tag_end : old->tag_end + last_method;
  writer const method(all.blanks_before(like), prefix_of_tag(old->tag));
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
    writer const style(all.blanks_before(all.software.front()->begin), prefix_of_tag(all.software.front()->tag));
    insert(all.software_list->content_end,
           style.element("software", fmt::format("id=\"{}\" version=\"{}\"", software, version),
                         style.term(all.cv, "MS:1000799", "custom unreleased software tool", "ordo specsort")));
  }
  if (get_id(old).starts_with(processing_id)) {  // nothing else refers to it
    insert(old->content_end, processing_method(method, all.cv, order, software, options));
    return made;
  }
  std::string const processing = made.after = unused_id(processing_id, all.ids);
  set_count(*all.processing_list, all.processing.size() + 1, made.edits);
  writer const style(all.blanks_before(old->begin), prefix_of_tag(old->tag));
  std::string content(steps.substr(0, steps.size() - all.blanks_before(old->content_end).size()));
  content += processing_method(method, all.cv, order, software, options);
  insert(all.processing_list->content_end, style.element("dataProcessing", fmt::format("id=\"{}\"", processing), content));
  auto const reference = attribute_in(all.spectra->tag, "defaultDataProcessingRef");
  std::size_t const at = all.spectra->begin + reference->begin;
  made.edits.push_back({at, at + reference->size, processing});
  std::ranges::sort(made.edits, {}, &text_edit::begin);
  return made;
}

}  // namespace ordo::inline v0::spectra::detail
