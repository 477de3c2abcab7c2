#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/cut_records.hpp"
#include "ordo/suffix/fasta.hpp"
#include "ordo/suffix/policy.hpp"

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
/// names and starts of records, never the residues. But the host reads and cuts records of which the text is not all, or of
/// which it has the other strand, too.
class loaded_fasta {
 public:
  /// Reads all texts. Where a GPU's memory runs out, the CPU does it all, unless the GPU was asked for.
  /// @param machine  that builds @param what  as will be built: whether a GPU has the memory is asked before the texts are read
  /// @param how  `machine` counts where the CPU builds, `expected` not at all, `keep_case` as masked_letters::keep
  /// @param which  what of the records the text has, and which rows its arrays
  /// @throws as choose_machine(), append_fasta(), cut_records(), and what texts.open throws
  loaded_fasta(fasta_texts const& texts, wanted what, machine_options const& machine, fasta_options const& how,
               policy const& which = {});
  ~loaded_fasta();
  loaded_fasta(loaded_fasta&& other) noexcept;
  loaded_fasta& operator=(loaded_fasta&& other) noexcept;

  /// Residues of the text, and its records.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t records() const noexcept { return cut_ ? cut_->pieces().size() : all_.starts.size(); }
  /// The text, where the host has it: empty while it is on a GPU.
  [[nodiscard]] std::string_view residues() const noexcept {
    auto const& letters = cut_ ? cut_->residues : all_.residues;
    return {letters.data(), letters.size()};
  }
  /// Of the records that were read: where they begin in the text, and their names.
  [[nodiscard]] std::vector<std::uint64_t> const& starts() const noexcept { return all_.starts; }
  [[nodiscard]] record_names const& names() const noexcept { return all_.names; }
  /// How the text's records are made of these; and how long these are, as they were read. Empty where they are the same.
  [[nodiscard]] suffix::pieces pieces() const { return cut_ ? cut_->pieces() : suffix::pieces(); }
  [[nodiscard]] std::vector<std::uint64_t> const& lengths() const noexcept { return lengths_; }

  /// build_into() of suffix.hpp; the residues go to a sink of their own meanwhile. Once. Machine and rows of `how` do not
  /// count.
  /// @throws as build_into
  template <class Index>
  report build_into(sinks const& out, sink& residues, options const& how);

 private:
  void read(fasta_texts const& texts, fasta_options const& how);
  void cut(fasta_options const& how);

  machine_options given_;
  policy policy_;
  machine_choice machine_;
  fasta all_;                           // on a GPU, and where records are cut, without residues
  std::optional<cut_text> cut_;         // in their place
  std::vector<std::uint64_t> lengths_;  // then
  std::unique_ptr<detail::records_on_gpu> gpu_;
};

}  // namespace ordo::suffix
