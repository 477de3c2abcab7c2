#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/encoding/xml.hpp"

namespace ordo::inline v0::spectra::detail {

/// A term of a controlled vocabulary, as a cvParam gives it.
struct cv_term {
  std::uint32_t number = 0;  // number of the accession MS:1000514: 1000514; 0 if it is of another vocabulary
  std::string_view accession, name, value;
  std::string_view unit, unit_name;  // accession and name of the value's unit; empty if it has none
};
cv_term read_term(attributes const& all);

/// The context of a document in which its parts are read.
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
  bool lenient = false;                                          // invalid bytes in UTF-8 are read as Windows-1252
  std::string open;                                              // a tag with the namespaces in scope
  std::map<std::string, std::vector<term>, std::less<>> groups;  // referenceableParamGroups, by id
  /// If spectra have no titles, those with ids of Thermo's form are titled by this name, scan number and charge, as by
  /// msconvert.
  bool thermo = false;
  std::string source_name;  // without its extension
  std::string run_id;
  std::string instrument;  // the default instrument configuration of the run
};

/// A tag outside of spectra that matters for the index or for the number of spectra.
struct index_mark {
  enum class kind { spectra, chromatogram, list, index, entry, index_end, list_end, list_offset, checksum, document_end };
  kind type;
  std::size_t at = 0;              // the place of the tag in the text
  std::size_t tag = 0;             // the place of the tag in the output
  std::size_t begin = 0, end = 0;  // the text between the tag and the next one, in the output
  std::size_t id = 0;              // hash of the id of a chromatogram, or of the id of an entry
  enum class subject { spectra, chromatograms, other };
  subject of = subject::spectra;  // the elements that an index, its entries and its end are for
  bool is_parsed = false;         // the tag and all before it are well-formed
};

/// A reader of everything but the spectra of a document. It checks that the document is mzML, and keeps the context of its
/// parts.
class mzml_outline final : private xml_handler {
 public:
  /// @param lenient  reads invalid bytes in UTF-8 as Windows-1252
  explicit mzml_outline(bool lenient);

  /// Sets the list of marks. A mark is there before the piece with its tag is parsed, and is completed by parse().
  void set_marks(std::vector<index_mark>& marks);
  /// Parses the next piece of the document, whole tags. @param at  its place in the text, for faults @throws text_fault
  void parse(std::string_view piece, std::size_t at, bool last = false);
  /// Returns the context of the parts that follow.
  [[nodiscard]] std::shared_ptr<mzml_context const> context();
  [[nodiscard]] bool begun() const noexcept { return begun_; }
  /// Returns true for an indexedmzML.
  [[nodiscard]] bool indexed() const noexcept { return indexed_; }
  /// Returns the number of bytes read as Windows-1252 so far.
  [[nodiscard]] std::uint64_t repaired() const noexcept { return parser_.repaired(); }

 private:
  void start(std::string_view name, attributes const& all) override;
  void end(std::string_view name) override;
  void encoding(std::string_view name) override { now_.encoding = name; }
  index_mark* next_mark(std::string_view name, bool end);

  xml_parser parser_;
  mzml_context now_;
  std::shared_ptr<mzml_context const> given_;
  std::string group_;                                         // being read; empty: none
  index_mark::subject index_ = index_mark::subject::spectra;  // being read
  std::vector<index_mark>* marks_ = nullptr;
  std::size_t next_mark_ = 0;
  std::size_t source_files_ = 0;
  bool begun_ = false, indexed_ = false, in_group_ = false;
};

/// Finds the kind of mark that a tag of this name makes. @param end  it is an end tag
/// @returns false for other tags
[[nodiscard]] bool mark_named(std::string_view name, bool end, index_mark::kind& kind);

/// The hash of the empty id.
inline constexpr std::size_t no_id_hash = 0xcbf29ce484222325;
/// Returns the hash of an id (FNV-1a, 64 bits), or that of an id with `before` and this text after it.
std::size_t id_hash(std::string_view id, std::size_t before = no_id_hash);

}  // namespace ordo::inline v0::spectra::detail
