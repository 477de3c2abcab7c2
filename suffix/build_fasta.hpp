#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sort_core/io.hpp"
#include "suffix/fasta.hpp"
#include "suffix/suffix.hpp"

/// From FASTA to suffix arrays by way of the memory of the machine that does the work.
namespace ordo::suffix {

namespace detail {
class records_on_gpu;
}

/// FASTA texts whose records become one text, in order.
struct fasta_texts {
  struct opened {
    std::string name;  // for messages
    std::unique_ptr<source> from;
    std::uint64_t expected = 0;  // see fasta_options
  };
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // of all of them, as far as is known before they are opened: the machine is chosen by it
  /// The k-th, k in [0, count): each in its turn, when the one before is used up and gone.
  std::function<opened(std::size_t k)> open;
  /// May all be opened anew, when what was read did not fit a GPU?
  bool reopen = false;
};

/// Records in the memory of the machine that will build their arrays. A GPU loads and parses the texts itself: the host holds
/// names and starts of records, never the residues.
class loaded_fasta {
 public:
  /// Reads all texts. Where a GPU's memory runs out, the CPU does it all, unless the GPU was asked for.
  /// @param machine  that builds @param what  as will be built: whether a GPU has the memory is asked before the texts are read
  /// @param how  `machine` counts where the CPU builds, `expected` not at all
  /// @throws as choose(), append_fasta(), and what texts.open throws
  loaded_fasta(fasta_texts const& texts, wanted what, machine_options const& machine, fasta_options const& how);
  ~loaded_fasta();
  loaded_fasta(loaded_fasta&& other) noexcept;
  loaded_fasta& operator=(loaded_fasta&& other) noexcept;

  /// Residues, and records.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t records() const noexcept { return all_.starts.size(); }
  [[nodiscard]] std::vector<std::uint64_t> const& starts() const noexcept { return all_.starts; }
  [[nodiscard]] record_names const& names() const noexcept { return all_.names; }

  /// build_into() of suffix.hpp; the residues go to a sink of their own meanwhile. Once. The machine of `how` does not count.
  /// @throws as build_into
  template <class Index>
  report build_into(sinks const& out, sink& residues, options const& how);

 private:
  void read(fasta_texts const& texts, fasta_options const& how);

  machine_options given_;
  decision machine_;
  fasta all_;  // on a GPU without residues
  std::unique_ptr<detail::records_on_gpu> gpu_;
};

}  // namespace ordo::suffix
