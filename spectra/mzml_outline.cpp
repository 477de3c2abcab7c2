#include "spectra/mzml_outline.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "spectra/mzml_terms.hpp"

namespace ordo::spectra::detail {
namespace {

std::uint32_t accession_number(std::string_view accession, std::string_view vocabulary) {
  std::uint32_t number = 0;
  if (accession.starts_with(vocabulary)) {
    accession.remove_prefix(vocabulary.size());
    std::from_chars(accession.data(), accession.data() + accession.size(), number);
  }
  return number;
}

}  // namespace

cv_term term_of(attributes const& all) {
  return {accession_number(all.get("accession"), "MS:"), accession_number(all.get("unitAccession"), "UO:"), all.get("name"),
          all.get("value")};
}

bool mark_named(std::string_view name, index_mark::kind& kind) {
  using enum index_mark::kind;
  constexpr std::array<std::pair<std::string_view, index_mark::kind>, 6> all{{{"spectrumList", spectra},
                                                                              {"chromatogram", chromatogram},
                                                                              {"indexList", list},
                                                                              {"offset", entry},
                                                                              {"indexListOffset", list_offset},
                                                                              {"fileChecksum", checksum}}};
  for (auto const& [known, what] : all) {
    if (name != known) continue;
    kind = what;
    return true;
  }
  return false;
}

std::size_t id_hash(std::string_view id) {
  return std::hash<std::string_view>{}(id);
}

mzml_outline::mzml_outline() : parser_(*this, true) {}

void mzml_outline::take_marks(std::vector<index_mark>& marks) {
  marks_ = &marks;
  next_mark_ = 0;
}

void mzml_outline::parse(std::string_view piece, std::size_t at, bool last) {
  parser_.parse(piece, at, last);
}

std::shared_ptr<mzml_context const> mzml_outline::context() {
  if (!given_) given_ = std::make_shared<mzml_context>(now_);
  return given_;
}

void mzml_outline::start(std::string_view name, attributes const& all) {
  if (!begun_) {
    begun_ = true;
    indexed_ = name == "indexedmzML";
    if (!indexed_ && name != "mzML") throw xml_fault(xml_fault::here, "not mzML", fmt::format("its first tag is <{}>", name));
  }
  if (name == "cvParam") {
    cv_term const term = term_of(all);
    if (in_group_) now_.groups[group_].push_back({term.number, term.unit, std::string(term.name), std::string(term.value)});
    if (source_files_ == 1 && term.number == terms::thermo_native_id) now_.thermo = true;
    if (in_group_ || source_files_ == 1) given_.reset();
  } else if (name == "referenceableParamGroup") {
    group_ = all.get("id");
    in_group_ = true;
    now_.groups[group_];
    given_.reset();
  } else if (name == "sourceFile") {
    std::string_view const file = all.get("name");
    if (++source_files_ == 1) now_.source_name = file.substr(0, file.find_last_of('.'));
  } else if (name == "index") {
    index_ = all.get("name");
  } else {
    complete(name, all);
  }
}

void mzml_outline::end(std::string_view name) {
  if (name == "referenceableParamGroup") in_group_ = false;
  if (name == "sourceFileList") source_files_ = 2;  // what comes behind it is of none
}

// Marks come in the order of their tags.
void mzml_outline::complete(std::string_view name, attributes const& all) {
  index_mark::kind kind;
  if (!mark_named(name, kind)) return;
  if (next_mark_ >= marks_->size() || (*marks_)[next_mark_].what != kind)
    throw xml_fault(xml_fault::here, "malformed XML", fmt::format("a tag <{}> where none can be", name));
  index_mark& one = (*marks_)[next_mark_++];
  if (kind == index_mark::kind::chromatogram) one.id = id_hash(all.get("id"));
  if (kind == index_mark::kind::entry) one.id = id_hash(all.get("idRef"));
  one.of_chromatograms = index_ == "chromatogram";
}

}  // namespace ordo::spectra::detail
