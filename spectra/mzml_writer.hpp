#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sort_core/io.hpp"
#include "spectra/mzml_work.hpp"

namespace ordo::spectra::detail {

/// Writes the pieces of a document in their order; the index of an indexedmzML and its checksum are made anew.
class mzml_writer {
 public:
  explicit mzml_writer(sink& to);
  ~mzml_writer();

  /// @throws xml_fault  for an index that names what is not there; and what the sink throws
  void write(mzml_work const& one);

 private:
  struct place {
    std::size_t id;
    std::uint64_t at;
  };
  /// Where elements begin, in the order of the document; asked for mostly in that order.
  struct places {
    std::vector<place> all, by_id;
    std::size_t next = 0;
    place const* find(std::size_t id);
  };
  struct digest;

  void put(std::string_view text);
  void write_marks(mzml_work const& one, std::string_view text);

  sink& to_;
  std::uint64_t written_ = 0, list_at_ = 0;
  places spectra_, chromatograms_;
  std::unique_ptr<digest> digest_;
};

}  // namespace ordo::spectra::detail
