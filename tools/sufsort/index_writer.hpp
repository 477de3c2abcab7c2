#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/output.hpp"

namespace ordo::sufsort {

/// The files of an index, which appear together: first all are written, then they are exchanged for the old ones
/// (exchange_index). Each replaces the old file, of which other names (hard links) keep the old content.
class index_writer {
 public:
  /// @param pieces, kmers  are there arrays of them? @throws output_error  where a file cannot be written
  index_writer(std::string prefix, suffix::extra_arrays what, bool pieces, bool kmers);

  /// Where an array goes; none if it is not wanted. At the same place until the end.
  sink* to(std::string const& name);
  /// What has been written.
  [[nodiscard]] std::vector<suffix::index_array> written() const;
  /// An array of which all has been written: nothing more can be. @throws output_error, input_error  where it cannot be read
  [[nodiscard]] suffix::mapped_file completed(std::string const& name);
  /// Where an array will be, for messages.
  [[nodiscard]] std::string path(std::string const& name) const { return prefix_ + "." + name; }

  void commit(suffix::index_description const& about);

 private:
  [[nodiscard]] std::size_t number_of(std::string const& name) const;
  void finish(std::size_t array);

  std::string prefix_;
  std::vector<std::string> unwanted_;  // arrays that the index does not have
  std::vector<std::string> names_;     // of the arrays that it has
  std::deque<cli::output> arrays_;
  std::deque<suffix::checksum_sink> sums_;
  std::vector<bool> finished_;
  cli::output json_;
};

}  // namespace ordo::sufsort
