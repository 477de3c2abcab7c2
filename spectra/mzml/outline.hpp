#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/mzml/xml.hpp"

namespace ordo::spectra::detail {

/// A term of a controlled vocabulary, as a cvParam gives it.
struct cv_term {
  std::uint32_t number = 0;  // of the accession MS:1000514: 1000514; 0 if it is of another vocabulary
  std::string_view accession, name, value;
  std::string_view unit, unit_name;  // accession and name of the value's unit; empty if it has none
};
cv_term term_of(attributes const& all);

/// What the parts of a document must know of its beginning to be read by themselves.
struct mzml_context {
  struct term {
    std::uint32_t number;
    std::string accession, name, value, unit, unit_name;
    explicit term(cv_term const& from)
        : number(from.number),
          accession(from.accession),
          name(from.name),
          value(from.value),
          unit(from.unit),
          unit_name(from.unit_name) {}
    [[nodiscard]] cv_term view() const { return {number, accession, name, value, unit, unit_name}; }
  };
  std::string encoding;
  bool lenient = false;                                          // bytes that are no UTF-8 are read as Windows-1252
  std::string open;                                              // a tag with the namespaces in scope, to set before a part
  std::map<std::string, std::vector<term>, std::less<>> groups;  // referenceableParamGroups, by id
  /// Where spectra have no titles: ids of Thermo's form get this name before scan number and charge, as msconvert does it.
  bool thermo = false;
  std::string source_name;  // without its extension
};

/// A place outside of spectra that counts for the index, or where it is said how many spectra there are.
struct index_mark {
  enum class kind { spectra, chromatogram, list, index, entry, index_end, list_end, list_offset, checksum, document_end };
  kind what;
  std::size_t at = 0;              // where the tag begins in the piece
  std::size_t tag = 0;             // and where in what is written for it
  std::size_t begin = 0, end = 0;  // there, what stands between it and the next tag
  std::size_t id = 0;              // a hash: of a chromatogram's id, or of the one that an entry is for
  enum class subject { spectra, chromatograms, other };
  subject of = subject::spectra;  // of an index, its entries and its end: what it is an index of
};

/// Reads an mzML document but for its spectra, which are left out of what it is given: is it mzML, and what do its parts need?
class mzml_outline final : private xml_handler {
 public:
  /// @param lenient  in UTF-8, bytes that are none are read as Windows-1252
  explicit mzml_outline(bool lenient);

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
  /// Bytes that were read as Windows-1252, so far.
  [[nodiscard]] std::uint64_t repaired() const noexcept { return parser_.repaired(); }

 private:
  void start(std::string_view name, attributes const& all) override;
  void end(std::string_view name) override;
  void encoding(std::string_view name) override { now_.encoding = name; }
  index_mark* next_mark(std::string_view name, bool end);

  xml_parser parser_;
  mzml_context now_;
  std::shared_ptr<mzml_context const> given_;
  std::string group_;                                         // that is being read; empty: none
  index_mark::subject index_ = index_mark::subject::spectra;  // that is being read
  std::vector<index_mark>* marks_ = nullptr;
  std::size_t next_mark_ = 0;
  std::size_t source_files_ = 0;
  bool begun_ = false, indexed_ = false, in_group_ = false;
};

/// The kind of mark that a tag of this name makes, or its end, if any.
[[nodiscard]] bool mark_named(std::string_view name, bool end, index_mark::kind& kind);
std::size_t id_hash(std::string_view id);

}  // namespace ordo::spectra::detail
