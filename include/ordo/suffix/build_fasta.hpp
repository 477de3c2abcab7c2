#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/detail/config.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/records.hpp"

#pragma GCC visibility push(default)

/// Builds suffix arrays of FASTA files in the memory of the machine that does the work.
namespace ordo::inline v0::suffix {

namespace detail {
class records_on_gpu;
}

/// FASTA texts whose records form one text, in order.
struct fasta_texts {
  struct opened {
    std::string name;  // for messages
    std::unique_ptr<source> from;
    std::uint64_t expected = 0;  // see fasta_options
  };
  std::size_t count = 0;
  std::uint64_t bytes = 0;  // bytes of all texts, as far as known before they are opened; the machine is chosen by it
  /// Opens text k, k in [0, count). Texts are opened in order, each after the one before has been read and closed.
  std::function<opened(std::size_t k)> open;
  /// Whether all texts can be opened again, if the first attempt did not fit a GPU.
  bool reopen = false;
};

/// Records in the memory of the machine that will build their arrays. A GPU loads and parses the texts itself: the host holds
/// names and starts of records, never the residues. The host reads and cuts records if the text has only parts of them, or the
/// reverse strand, too.
class loaded_fasta {
 public:
  /// Reads all texts. If a GPU's memory runs out, the CPU does everything, unless the GPU was required.
  /// @param machine  that builds
  /// @param extra  the arrays that will be built; whether a GPU has the memory is checked before the texts are read
  /// @param options  `machine` is used if the CPU builds, `expected` is ignored, `keep_case` means masked_letters::keep
  /// @param rules  the policy of the text and its rows
  /// @throws as choose_machine(), append_fasta(), cut_records() and texts.open
  loaded_fasta(fasta_texts const& texts, extra_arrays extra, machine_options const& machine, fasta_options const& options,
               policy const& rules = {});
  ~loaded_fasta();
  loaded_fasta(loaded_fasta&& other) noexcept;
  loaded_fasta& operator=(loaded_fasta&& other) noexcept;

  /// Returns the number of residues of the text.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t records() const noexcept { return cut_ ? cut_->pieces().size() : all_.starts.size(); }
  /// Returns the text if it is on the host; empty if it is on a GPU.
  [[nodiscard]] std::string_view residues() const noexcept {
    auto const& letters = cut_ ? cut_->residues : all_.residues;
    return {letters.data(), letters.size()};
  }
  /// Returns the text with its records or pieces, if it is on the host.
  [[nodiscard]] text view() const noexcept { return cut_ ? cut_->view() : all_.view(); }
  /// The records that were read: their starts in the text, and their names.
  [[nodiscard]] std::vector<std::uint64_t> const& starts() const noexcept { return all_.starts; }
  [[nodiscard]] record_names const& names() const noexcept { return all_.names; }
  /// The pieces of records that the text consists of, and the lengths of the records that were read. Both are empty if the text
  /// consists of whole records.
  [[nodiscard]] suffix::pieces pieces() const { return cut_ ? cut_->pieces() : suffix::pieces(); }
  [[nodiscard]] std::vector<std::uint64_t> const& lengths() const noexcept { return lengths_; }

  /// Builds the arrays as build_into() of suffix.hpp, and writes the residues to a sink at the same time. Can be called once.
  /// Ignores machine and rows of `options`.
  /// @throws as build_into
  template <class Index>
  ORDO_API build_report build_into(sinks const& out, sink& residues, build_options const& options);

 private:
  void read(fasta_texts const& texts, fasta_options const& options);
  void cut(fasta_options const& options);

  machine_options given_;
  policy policy_;
  machine_choice machine_;
  fasta all_;                           // without residues if they are on a GPU or were cut
  std::optional<cut_text> cut_;         // the text, if records were cut
  std::vector<std::uint64_t> lengths_;  // lengths of the records that were read, if they were cut
  std::unique_ptr<detail::records_on_gpu> gpu_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
