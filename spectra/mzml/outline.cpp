#include "spectra/mzml/outline.hpp"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "spectra/encoding/terms.hpp"
#include "spectra/encoding/text_fault.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

std::uint32_t accession_number(std::string_view accession) {
  constexpr std::string_view vocabulary = "MS:";
  std::uint32_t number = 0;
  if (accession.starts_with(vocabulary)) {
    accession.remove_prefix(vocabulary.size());
    std::from_chars(accession.data(), accession.data() + accession.size(), number);
  }
  return number;
}

}  // namespace

cv_term read_term(attributes const& all) {
  cv_term made;
  for (auto const& [name, value] : all.all()) {
    if (name == "accession") {
      made.accession = value;
      made.number = accession_number(value);
    } else if (name == "name") {
      made.name = value;
    } else if (name == "value") {
      made.value = value;
    } else if (name == "unitAccession") {
      made.unit = value;
    } else if (name == "unitName") {
      made.unit_name = value;
    }
  }
  return made;
}

bool mark_named(std::string_view name, bool end, index_mark::kind& kind) {
  using enum index_mark::kind;
  struct known_tag {
    std::string_view name;
    bool end;
    index_mark::kind type;
  };
  constexpr std::array<known_tag, 10> all{{{"spectrumList", false, spectra},
                                           {"chromatogram", false, chromatogram},
                                           {"indexList", false, list},
                                           {"index", false, index},
                                           {"offset", false, entry},
                                           {"index", true, index_end},
                                           {"indexList", true, list_end},
                                           {"indexListOffset", false, list_offset},
                                           {"fileChecksum", false, checksum},
                                           {"indexedmzML", true, document_end}}};
  for (auto const& [known, ends, type] : all) {
    if (name != known || end != ends) continue;
    kind = type;
    return true;
  }
  return false;
}

std::size_t id_hash(std::string_view id, std::size_t before) {
  constexpr std::size_t prime = 0x100000001b3;
  for (char const c : id) before = (before ^ static_cast<unsigned char>(c)) * prime;
  return before;
}

mzml_outline::mzml_outline(bool lenient) : parser_(*this, true, {}, lenient) {
  now_.lenient = lenient;
}

void mzml_outline::set_marks(std::vector<index_mark>& marks) {
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
    if (!indexed_ && name != "mzML") throw text_fault(text_fault::here, "not mzML", fmt::format("its first tag is <{}>", name));
  }
  if (name == "cvParam") {
    cv_term const term = read_term(all);
    if (in_group_) now_.groups[group_].emplace_back(term);
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
  } else if (name == "run") {
    now_.run_id = all.get("id");
    now_.instrument = all.get("defaultInstrumentConfigurationRef");
    given_.reset();
  }
  if (name == "index") {
    using enum index_mark::subject;
    std::string_view const of = all.get("name");
    index_ = of == "chromatogram" ? chromatograms : of.empty() || of == "spectrum" ? spectra : other;
  }
  index_mark* const mark = next_mark(name, false);
  if (!mark) return;
  if (mark->type == index_mark::kind::chromatogram) mark->id = id_hash(all.get("id"));
  if (mark->type == index_mark::kind::entry) mark->id = id_hash(all.get("idRef"));
}

void mzml_outline::end(std::string_view name) {
  if (name == "referenceableParamGroup") in_group_ = false;
  if (name == "sourceFileList") source_files_ = 2;  // terms after it belong to no file
  next_mark(name, true);
}

// Returns the mark of a tag, if it has one. Marks are in the order of their tags.
index_mark* mzml_outline::next_mark(std::string_view name, bool end) {
  index_mark::kind kind;
  if (!mark_named(name, end, kind)) return nullptr;
  if (next_mark_ >= marks_->size() || (*marks_)[next_mark_].type != kind)
    throw text_fault(text_fault::here, "malformed XML", fmt::format("a tag <{}> where none can be", name));
  index_mark& mark = (*marks_)[next_mark_++];
  mark.of = index_;
  mark.is_parsed = true;
  return &mark;
}

}  // namespace ordo::inline v0::spectra::detail
