#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/xml.hpp"

namespace ordo::spectra::detail {

/// A term of a controlled vocabulary, as a cvParam gives it.
struct cv_term {
  std::uint32_t number = 0;  // of the accession MS:1000514: 1000514; 0 if it is of another vocabulary
  std::uint32_t unit = 0;    // of the unit's accession UO:0000031: 31; 0 if there is none
  std::string_view name, value;
};
/// @throws xml_fault  for a number that is none
cv_term term_of(attributes const& all);

/// What the parts of a document must know of its beginning to be read by themselves.
struct mzml_context {
  struct term {
    std::uint32_t number, unit;
    std::string name, value;
  };
  std::string encoding;
  std::string open;                                              // a tag with the namespaces in scope, to set before a part
  std::map<std::string, std::vector<term>, std::less<>> groups;  // referenceableParamGroups, by id
  /// Where spectra have no titles: ids of Thermo's form get this name before scan number and charge, as msconvert does it.
  bool thermo = false;
  std::string source_name;  // without its extension
};

/// A place outside of spectra that counts for the index, or where it is said how many spectra there are.
struct index_mark {
  enum class kind { spectra, chromatogram, list, entry, list_offset, checksum };
  kind what;
  std::size_t at = 0;              // where the tag begins in the piece
  std::size_t tag = 0;             // and where in what is written for it
  std::size_t begin = 0, end = 0;  // there, what stands between it and the next tag
  std::size_t id = 0;              // a hash: of a chromatogram's id, or of the one that an entry is for
  bool of_chromatograms = false;   // an entry: of that index
};

/// Reads an mzML document but for its spectra, which are left out of what it is given: is it mzML, and what do its parts need?
class mzml_outline final : private xml_handler {
 public:
  mzml_outline();

  /// Where marks are found from now on, each before the piece that it is in; they are completed when that is parsed.
  void take_marks(std::vector<index_mark>& marks);
  /// The next piece of the document, whole tags.
  /// @param at  of the piece in the text that faults are in. @throws xml_fault
  void parse(std::string_view piece, std::size_t at, bool last = false);
  /// As it is now, for the parts that follow.
  [[nodiscard]] std::shared_ptr<mzml_context const> context();
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  /// indexedmzML?
  [[nodiscard]] bool indexed() const noexcept { return indexed_; }

 private:
  void start(std::string_view name, attributes const& all) override;
  void end(std::string_view name) override;
  void encoding(std::string_view name) override { now_.encoding = name; }
  void complete(std::string_view name, attributes const& all);

  xml_parser parser_;
  mzml_context now_;
  std::shared_ptr<mzml_context const> given_;
  std::string group_;  // that is being read; empty: none
  std::string index_;  // its name
  std::vector<index_mark>* marks_ = nullptr;
  std::size_t next_mark_ = 0;
  std::size_t source_files_ = 0;
  bool begun_ = false, indexed_ = false, in_group_ = false;
};

/// The kind of mark that a tag of this name makes, if any.
[[nodiscard]] bool mark_named(std::string_view name, index_mark::kind& kind);
std::size_t id_hash(std::string_view id);

}  // namespace ordo::spectra::detail
