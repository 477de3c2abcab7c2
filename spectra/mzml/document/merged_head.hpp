#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spectra/mzml/document/head.hpp"
#include "spectra/mzml/document/renames.hpp"

namespace ordo::inline v0::spectra::detail {

/// The head of a document made of others: that of the first, with what those after it add. Their source files, software,
/// instruments and so on get other ids where another element has them, and elements that are equal but for their ids become
/// one.
class merged_head {
 public:
  /// @param several  there may be more than one document; else the head stays as it is
  explicit merged_head(bool several) : several_(several) {}
  merged_head(merged_head const&) = delete;
  merged_head& operator=(merged_head const&) = delete;

  /// Adds the head of the next document, up to its first list of spectra or chromatograms. @param name  the name of the input
  /// @param path  its file; empty: there is none @param encoding  that its declaration names
  /// @returns the changes of its elements
  /// @throws input_error  if the documents cannot be one
  mzml_renames add(std::string_view head, std::string_view name, std::string const& path, std::string_view encoding);
  /// Returns the head, in an indexedmzML.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool several() const noexcept { return several_; }
  /// Returns the prefix of tags, with the colon.
  [[nodiscard]] std::string const& prefix() const noexcept { return prefix_; }
  /// Notes that a document has a list. The list of the output states the dataProcessing of the first one.
  void note_list(bool of_spectra, std::string_view processing);
  [[nodiscard]] default_processing const& processing() const noexcept { return processing_; }

 private:
  // Elements that later documents add to an element of the first one, or to a list that it lacks.
  struct additions {
    std::string children, terms, user_terms;  // terms: cvParam and references to groups
    std::size_t count = 0;                    // number of children
  };

  void add_first(std::string_view head, std::string_view name, std::string_view encoding);
  void add_list(std::size_t list, head_element const& mzml, std::string_view text, mzml_renames& renames);
  void add_parameters(head_element const& from, std::string_view text, mzml_renames const& renames, std::size_t to);
  void add_contacts(head_element const& from, std::string_view text, mzml_renames const& renames);
  std::string rename_source(head_element const& mzml, head_element const& run, std::string_view text, std::string_view name,
                            std::string const& path, mzml_renames const& renames);
  [[nodiscard]] std::string renamed(std::string_view element, mzml_renames const& renames) const;

  bool several_;
  std::string first_, first_name_, prefix_, encoding_;
  std::map<std::string, std::string, std::less<>> namespaces_;  // values of the declarations of prefixes, by xmlns:PREFIX
  std::string new_namespaces_;                                  // attributes that later documents add
  head_element root_;
  head_element const *mzml_ = nullptr, *run_ = nullptr;
  std::size_t documents_ = 0;
  default_processing processing_;
  bool any_spectra_ = false, any_chromatograms_ = false;   // lists
  std::string source_file_, instrument_;                   // defaults of the run
  std::map<std::string, std::string, std::less<>> known_;  // ids of elements, by their kind and text without the id
  std::set<std::string, std::less<>> same_;                // ids and texts of the same
  std::set<std::string, std::less<>> ids_, parameters_;
  std::array<additions, 10> added_;  // one per list, then fileContent's and the run's
};

}  // namespace ordo::inline v0::spectra::detail
