#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra/similarity.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {

/// Returns true if the name of a file of pairs says that it is GraphML, false for a table. @throws usage_error  for another
/// name
bool is_graphml(std::string_view path);

/// The output of --pairs: a table of edges as GNPS has it, or GraphML.
class pair_file {
 public:
  pair_file(std::string const& path, command const& made);
  /// @param clusters  the representative of each spectrum; empty: there are no clusters
  /// @param numbers  those of the spectra in each input, from 0 on
  void write(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
             std::span<std::uint64_t const> clusters, std::vector<std::vector<std::uint64_t>> const& numbers);
  void commit() { out_.commit(); }

 private:
  void write_table(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                   std::span<std::uint64_t const> clusters);
  void write_graph(std::span<spectra::similar_pair const> pairs, spectra::spectrum_columns const& spectra,
                   std::span<std::uint64_t const> clusters, std::vector<std::vector<std::uint64_t>> const& numbers);
  template <class Add>
  void print(std::span<spectra::similar_pair const> pairs, Add add);
  void flush(bool last = false);

  bool is_graph_;
  unsigned threads_;
  std::vector<std::string> const& inputs_;
  cli::output out_;
  std::string text_;
};

}  // namespace ordo::inline v0::specsort
