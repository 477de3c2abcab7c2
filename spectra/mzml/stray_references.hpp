#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// The references of a document to spectra that are dropped. Those to spectra dropped before become names of spectra outside of
/// the document: spectrumRef becomes externalSpectrumID. Others stay.
class stray_references {
 public:
  void clear() { *this = {}; }
  /// Adds a spectrum that is dropped. @param id  the hash of its id
  void drop(std::size_t id) { dropped_.insert(id); }
  /// Adds references of kept spectra, as hashes of ids.
  void add(std::vector<std::size_t> const& ids) { references_.insert(references_.end(), ids.begin(), ids.end()); }
  /// Returns the text of a spectrum, or of a part of it, with its references to spectra that were dropped so far as names.
  /// @param memory  for the result, if it differs
  std::string_view name(std::string_view text, std::string& memory);
  /// Returns the number of references that stay.
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::unordered_set<std::size_t> dropped_;
  std::vector<std::size_t> references_;
  std::uint64_t named_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
