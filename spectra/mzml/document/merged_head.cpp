#include "spectra/mzml/document/merged_head.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "spectra/encoding/digest.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

struct head_list {
  std::string_view name, child;
  std::optional<id_kind> kind;  // kind of the ids of its elements, unless these are vocabularies
};

// In the order of the schema; sourceFileList is a part of fileDescription.
constexpr std::array<head_list, 8> lists{{{"cvList", "cv", {}},
                                          {"sourceFileList", "sourceFile", id_kind::source_file},
                                          {"referenceableParamGroupList", "referenceableParamGroup", id_kind::group},
                                          {"sampleList", "sample", id_kind::sample},
                                          {"softwareList", "software", id_kind::software},
                                          {"scanSettingsList", "scanSettings", id_kind::scan_settings},
                                          {"instrumentConfigurationList", "instrumentConfiguration", id_kind::instrument},
                                          {"dataProcessingList", "dataProcessing", id_kind::processing}}};
constexpr std::size_t source_files = 1, file_content = 8, run_parameters = 9;
// Elements refer to those of lists before them in this order.
constexpr std::array<std::size_t, 8> by_reference{0, 2, 1, 3, 4, 5, 6, 7};
constexpr std::string_view file_description = "fileDescription";

std::string_view element_text(head_element const& element, std::string_view head) {
  return head.substr(element.begin, element.end - element.begin);
}

// Returns the text of an element without the blanks between its tags.
std::string without_blanks_between(std::string_view text) {
  std::string made;
  std::size_t done = 0;
  for (auto result = next_markup(text, 0); result; result = next_markup(text, result->end)) {
    std::string_view const between = text.substr(done, result->begin - done);
    if (between.find_first_not_of(" \t\r\n") != std::string_view::npos) made += between;
    made += text.substr(result->begin, result->end - result->begin);
    done = result->end;
  }
  return made;
}

// Returns what identifies an element of a list but for its id.
std::string identity(std::string_view list, std::string text) {
  if (auto const id = attribute_in(text, "id")) text.replace(id->begin, id->size, "");
  return std::string(list) + ' ' + without_blanks_between(text);
}

head_element const* find_mzml(head_element const& root) {
  return root.name == "mzML" ? &root : root.find("mzML");
}

// Returns the element that holds a list.
head_element const* find_holder(std::size_t list, head_element const& mzml) {
  return list == source_files ? mzml.find(file_description) : &mzml;
}
head_element const* find_list(std::size_t list, head_element const& mzml) {
  head_element const* const holder = find_holder(list, mzml);
  return holder ? holder->find(lists[list].name) : nullptr;
}

using namespace_map = std::map<std::string, std::string, std::less<>>;

// Returns the declarations of namespaces with a prefix, but that of the schema's location, with their values.
namespace_map read_namespaces(head_element const& root, head_element const& mzml) {
  namespace_map all;
  for (std::string_view tag : {root.tag, mzml.tag}) {
    for (std::size_t at = tag.find("xmlns:"); at != std::string_view::npos; at = tag.find("xmlns:", at + 1)) {
      std::string_view const name = tag.substr(at, tag.find_first_of(" \t\r\n=", at) - at);
      auto const value = attribute_in(tag, name);
      if (value && name != "xmlns:xsi")
        all.insert_or_assign(std::string(name), std::string(tag.substr(value->begin, value->size)));
    }
  }
  return all;
}

std::string upper(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return made.empty() ? "UTF-8" : made;
}

bool is_parameter(head_element const& element) {
  return element.name == "cvParam" || element.name == "userParam" || element.name == "referenceableParamGroupRef";
}

std::string quote(std::string_view value) {
  std::string made;
  for (char const c : value) made += c == '"' ? std::string("&quot;") : std::string(1, c);
  return made;
}

[[noreturn]] void refuse(std::string_view name, std::string const& why) {
  throw input_error(fmt::format("cannot merge: {}: {}", name, why));
}

}  // namespace

std::string merged_head::renamed(std::string_view element, mzml_renames const& renames) const {
  std::string made;
  default_processing none;
  rename_references(element, renames, none, {}, made);
  return made;
}

mzml_renames merged_head::add(std::string_view head, std::string_view name, std::string const& path,
                              std::string_view encoding) {
  mzml_renames renames;
  head_element const root = parse_head(head);
  head_element const* const mzml = find_mzml(root);
  head_element const* const run = mzml ? mzml->find("run") : nullptr;
  if (!run) refuse(name, "the document has no run");
  bool const first = documents_++ == 0;
  if (first) add_first(head, name, encoding);
  if (!several_) return renames;
  if (std::string_view const version = mzml->value("version"); !version.empty() && !version.starts_with("1.1"))
    refuse(name, fmt::format("it is mzML {}, and only documents of mzML 1.1 can become one", version));
  std::string const own_encoding = upper(encoding);
  renames.escapes = own_encoding != encoding_;
  renames.latin = own_encoding != "UTF-8" && own_encoding != "UTF8";
  if (!first) {
    if (prefix_of_tag(mzml->tag) != prefix_)
      refuse(name, fmt::format("its tags have other prefixes than those of {}", first_name_));
    for (auto const& [declared, space] : read_namespaces(root, *mzml)) {
      auto const [known, is_new] = namespaces_.emplace(declared, space);
      if (is_new) new_namespaces_ += fmt::format(" {}=\"{}\"", declared, quote(space));
      if (known->second != space)
        refuse(name, fmt::format("{} is '{}' in it, and '{}' in the inputs before", declared, space, known->second));
    }
    for (std::size_t const list : by_reference) add_list(list, *mzml, head, renames);
    if (head_element const* const description = mzml->find(file_description)) {
      if (head_element const* const content = description->find("fileContent"))
        add_parameters(*content, head, renames, file_content);
      add_contacts(*description, head, renames);
    }
    add_parameters(*run, head, renames, run_parameters);
    std::string about(run->value("id"));
    for (std::string_view const attribute : {"startTimeStamp", "sampleRef"}) {
      std::string_view const value = run->value(attribute);
      if (!value.empty())
        about += fmt::format(" {}={}", attribute, attribute == "sampleRef" ? renames.of(id_kind::sample, value) : value);
    }
    added_[run_parameters].user_terms += fmt::format(
        "\n      <{}userParam name=\"merged run\" type=\"xsd:string\" value=\"{}\"/>", prefix_, renamed(quote(about), renames));
  }
  std::string const source = rename_source(*mzml, *run, head, name, path, renames);
  if (source != source_file_) renames.source_file = source;
  auto const instrument = renames.of(id_kind::instrument, run->value("defaultInstrumentConfigurationRef"));
  if (instrument != instrument_) renames.instrument = instrument;
  return renames;
}

void merged_head::note_list(bool of_spectra, std::string_view processing) {
  std::string& stated = of_spectra ? processing_.spectra : processing_.chromatograms;
  if (!std::exchange(of_spectra ? any_spectra_ : any_chromatograms_, true)) stated = processing;
}

void merged_head::add_first(std::string_view head, std::string_view name, std::string_view encoding) {
  first_ = head;
  first_name_ = name;
  encoding_ = upper(encoding);
  root_ = parse_head(first_);
  mzml_ = find_mzml(root_);
  run_ = mzml_->find("run");
  prefix_ = prefix_of_tag(mzml_->tag);
  namespaces_ = read_namespaces(root_, *mzml_);
  source_file_ = run_->value("defaultSourceFileRef");
  instrument_ = run_->value("defaultInstrumentConfigurationRef");
  if (std::string_view const id = run_->value("id"); !id.empty()) ids_.emplace(id);
  for (std::size_t list = 0; list < lists.size(); ++list) {
    head_element const* const result = find_list(list, *mzml_);
    if (!result) continue;
    for (head_element const& element : result->children) {
      if (element.name != lists[list].child) continue;
      if (lists[list].kind) ids_.emplace(element.value("id"));
      std::string const text = lists[list].kind ? identity(lists[list].name, std::string(element_text(element, first_)))
                                                : fmt::format("cv {}", element.value("id"));
      known_.emplace(text, element.value("id"));
      same_.insert(fmt::format("{} {}", element.value("id"), text));
    }
  }
  head_element const* const description = mzml_->find(file_description);
  for (head_element const* const holder : {description, description ? description->find("fileContent") : nullptr, run_}) {
    if (!holder) continue;
    for (head_element const& element : holder->children)
      parameters_.insert(without_blanks_between(fmt::format("{} {}", holder->name, element_text(element, first_))));
  }
}

void merged_head::add_list(std::size_t list, head_element const& mzml, std::string_view text, mzml_renames& renames) {
  head_element const* const result = find_list(list, mzml);
  if (!result) return;
  additions& to = added_[list];
  for (head_element const& head_element : result->children) {
    if (head_element.name != lists[list].child) continue;
    std::string_view const id = head_element.value("id");
    std::string element = renamed(element_text(head_element, text), renames);
    if (!lists[list].kind) {  // the accessions of terms name their vocabularies
      if (!known_.emplace(fmt::format("cv {}", id), id).second) continue;
    } else {
      std::string const text_but_id = identity(lists[list].name, element);
      if (same_.contains(fmt::format("{} {}", id, text_but_id))) continue;  // one of several that are equal
      auto const [known, is_new] = known_.emplace(text_but_id, id);
      auto& ids = renames.ids[std::size_t(*lists[list].kind)];
      if (is_new && !ids_.insert(std::string(id)).second) {
        known->second = unused_id(id, ids_, documents_);
        ids_.insert(known->second);
        auto const at = attribute_in(element, "id");
        if (at) element.replace(at->begin, at->size, known->second);
      }
      if (known->second != id) ids[std::string(id)] = known->second;
      if (!is_new) continue;
      same_.insert(fmt::format("{} {}", known->second, text_but_id));
    }
    to.children += fmt::format("\n      {}", element);
    ++to.count;
  }
}

void merged_head::add_parameters(head_element const& from, std::string_view text, mzml_renames const& renames, std::size_t to) {
  for (head_element const& element : from.children) {
    if (!is_parameter(element)) continue;
    std::string const made = renamed(element_text(element, text), renames);
    if (!parameters_.insert(without_blanks_between(fmt::format("{} {}", from.name, made))).second) continue;
    std::string& all = element.name == "userParam" ? added_[to].user_terms : added_[to].terms;
    if (element.name == "referenceableParamGroupRef")
      all.insert(0, fmt::format("\n      {}", made));  // they come first
    else
      all += fmt::format("\n      {}", made);
  }
}

void merged_head::add_contacts(head_element const& from, std::string_view text, mzml_renames const& renames) {
  for (head_element const& element : from.children) {
    if (element.name != "contact") continue;
    std::string const made = renamed(element_text(element, text), renames);
    if (parameters_.insert(without_blanks_between(fmt::format("{} {}", from.name, made))).second)
      added_[file_content].children += fmt::format("\n    {}", made);
  }
}

// Returns the id of the source file of spectra that state none; a document that has none is that itself.
std::string merged_head::rename_source(head_element const& mzml, head_element const& run, std::string_view text,
                                       std::string_view name, std::string const& path, mzml_renames const& renames) {
  if (std::string_view const id = run.value("defaultSourceFileRef"); !id.empty())
    return std::string(renames.of(id_kind::source_file, id));
  if (head_element const* const list = find_list(source_files, mzml))
    if (head_element const* const file = list->find(lists[source_files].child))
      return std::string(renames.of(id_kind::source_file, file->value("id")));
  std::string const id = unused_id("ordo_source_file", ids_, documents_);
  ids_.insert(id);
  std::string file;
  for (char const c : name.substr(name.find_last_of('/') + 1)) {
    auto const byte = static_cast<unsigned char>(c);
    file += c == '&' || c == '<' || c == '"' || byte < 0x20 || byte > 0x7e ? fmt::format("%{:02X}", byte) : std::string(1, c);
  }
  std::string_view const cv = psi_ms_name(text);
  auto const term = [&](std::string_view accession, std::string_view term_name, std::string_view value = {}) {
    return fmt::format("\n        <{}cvParam cvRef=\"{}\" accession=\"{}\" name=\"{}\" value=\"{}\"/>", prefix_, cv, accession,
                       term_name, value);
  };
  added_[source_files].children +=
      fmt::format("\n      <{0}sourceFile id=\"{1}\" name=\"{2}\" location=\"file:///\">{3}{4}{5}\n      </{0}sourceFile>",
                  prefix_, id, file, term("MS:1000824", "no nativeID format"), term("MS:1000584", "mzML format"),
                  path.empty() ? "" : term("MS:1000569", "SHA-1", sha1_of_file(path)));
  ++added_[source_files].count;
  return id;
}

std::string merged_head::text() const {
  std::vector<text_edit> edits;
  auto const insert = [&](std::size_t at, std::string text) {
    if (!text.empty()) edits.push_back({at, at, std::move(text)});
  };
  auto const before_blanks = [&](std::size_t at) { return at - blanks_before(first_, at).size(); };
  // Adds to the content of an element, which may be an empty tag.
  auto const append = [&](head_element const& to, std::size_t at, std::string const& text) {
    if (text.empty()) return;
    if (to.is_empty())
      edits.push_back({to.tag_end - 2, to.tag_end, fmt::format(">{}\n    </{}{}>", text, prefix_, to.name)});
    else
      insert(at, text);
  };
  if (root_.name != "indexedmzML") {
    std::string const declares = prefix_.empty() ? "xmlns" : "xmlns:" + prefix_.substr(0, prefix_.size() - 1);
    std::string_view const space = mzml_->value(declares);
    insert(mzml_->begin,
           fmt::format("<{}indexedmzML{}>\n  ", prefix_, space.empty() ? "" : fmt::format(" {}=\"{}\"", declares, space)));
  }
  insert(mzml_->tag_end - 1, new_namespaces_);
  head_element const* const description = mzml_->find(file_description);
  std::string in_description;
  // Returns the place of a list that the document lacks: before the next one.
  auto const place_of_list = [&](std::size_t list) {
    for (std::size_t next = list + 1; next < lists.size(); ++next)
      if (next != source_files)
        if (head_element const* const element = find_list(next, *mzml_)) return before_blanks(element->begin);
    return before_blanks(run_->begin);
  };
  auto const add_to_list = [&](std::size_t list) {
    additions const& added = added_[list];
    if (added.count == 0) return;
    if (head_element const* const element = find_list(list, *mzml_)) {
      set_count(*element,
                std::size_t(std::ranges::count(element->children, lists[list].child, &head_element::name)) + added.count,
                edits);
      return append(*element, before_blanks(element->content_end), added.children);
    }
    std::string text =
        fmt::format("\n    <{0}{1} count=\"{2}\">{3}\n    </{0}{1}>", prefix_, lists[list].name, added.count, added.children);
    if (list != source_files) {
      std::size_t place = place_of_list(list);
      if (list == 0 && description) place = before_blanks(description->begin);
      insert(place, std::move(text));
    } else {
      in_description += text;
    }
  };
  // Groups and terms go after those that are there, before parameters of the user and lists.
  auto const add_terms = [&](head_element const& to, additions const& added) {
    std::size_t terms = to.tag_end, all = to.tag_end;
    for (head_element const& element : to.children) {
      if (!is_parameter(element)) continue;
      all = element.end;
      if (element.name != "userParam") terms = element.end;
    }
    if (to.is_empty()) return append(to, all, added.terms + added.user_terms);
    insert(terms, added.terms);
    insert(all, added.user_terms);
  };
  // Additions to the same place follow one another as here.
  add_to_list(0);
  add_to_list(source_files);
  additions const& content = added_[file_content];
  head_element const* const old_content = description ? description->find("fileContent") : nullptr;
  if (old_content)
    add_terms(*old_content, content);
  else if (!content.terms.empty() || !content.user_terms.empty() || (!description && !in_description.empty()))
    in_description = fmt::format("\n    <{0}fileContent>{1}{2}\n    </{0}fileContent>{3}", prefix_, content.terms,
                                 content.user_terms, in_description);
  if (!description && !(in_description += content.children).empty())
    insert(place_of_list(source_files),
           fmt::format("\n    <{0}{1}>{2}\n    </{0}{1}>", prefix_, file_description, in_description));
  if (description && description->is_empty())
    append(*description, description->tag_end, in_description + content.children);
  else if (description) {
    insert(old_content ? old_content->end : description->tag_end, in_description);
    insert(before_blanks(description->content_end), content.children);
  }
  for (std::size_t list = source_files + 1; list < lists.size(); ++list) add_to_list(list);
  if (run_->is_empty())
    edits.push_back({run_->tag_end - 2, run_->tag_end, ">" + added_[run_parameters].user_terms});
  else
    add_terms(*run_, added_[run_parameters]);
  std::ranges::stable_sort(edits, {}, &text_edit::begin);
  return edited(first_, edits);
}

}  // namespace ordo::inline v0::spectra::detail
