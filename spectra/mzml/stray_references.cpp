#include "spectra/mzml/stray_references.hpp"

#include <algorithm>

#include "spectra/encoding/xml.hpp"
#include "spectra/mzml/document/renames.hpp"
#include "spectra/mzml/outline.hpp"

namespace ordo::inline v0::spectra::detail {

std::string_view stray_references::name(std::string_view text, std::string& memory) {
  if (dropped_.empty()) return text;
  constexpr std::string_view reference = "spectrumRef", external = "externalSpectrumID";
  memory.clear();
  std::size_t done = 0;
  for (auto result = next_markup(text, 0); result; result = next_markup(text, result->end)) {
    if (result->kind == markup_kind::end) continue;
    if (result->name == "binaryDataArrayList") break;  // no references follow
    if (result->name != "precursor" && result->name != "scan") continue;
    std::string_view const tag = text.substr(result->begin, result->end - result->begin);
    auto const id = attribute_in(tag, reference);
    if (!id) continue;
    std::string_view value = tag.substr(id->begin, id->size);
    if (value.ends_with(spectrum_slot)) value.remove_suffix(1);                         // the id is that of another document
    if (value.find('&') != value.npos || !dropped_.contains(id_hash(value))) continue;  // one with entities stays
    memory += text.substr(done, result->begin + tag.substr(0, id->begin).rfind(reference) - done);
    memory += external;
    std::size_t const end = tag.substr(0, id->begin).rfind(reference) + reference.size();
    memory += tag.substr(end, id->begin - end);  // the = and the quote
    memory += value;
    done = result->begin + id->begin + id->size;
    ++named_;
  }
  if (done == 0) return text;
  return memory += text.substr(done);
}

std::uint64_t stray_references::count() const {
  auto const all = std::ranges::count_if(references_, [this](std::size_t id) { return dropped_.contains(id); });
  return std::uint64_t(all) - named_;
}

}  // namespace ordo::inline v0::spectra::detail
