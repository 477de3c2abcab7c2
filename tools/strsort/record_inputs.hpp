#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings/order.hpp"
#include "strings/external/records.hpp"
#include "tools/strsort/options/command.hpp"
#include "tools/strsort/gff.hpp"

/// Header lines, columns and presets: --header, --csv, --tsv and --as.
namespace ordo::inline v0::strsort {

/// Opens the k-th input.
using input_opener = std::function<std::unique_ptr<source>(std::size_t k)>;

/// The inputs of a command without their headers, which must be the same.
class record_inputs {
 public:
  /// Reads the header of the first input that is not empty, if the command has headers. `made` must outlive this object.
  /// @throws input_error
  record_inputs(command const& made, input_opener open);

  /// Opens the k-th input after its header. @throws input_error if that differs from the header of the first input
  std::unique_ptr<source> open(std::size_t k);
  [[nodiscard]] std::string const& header() const { return header_; }
  /// Returns the number in its file of the n-th record of the only input, both from 1. The input is still open.
  [[nodiscard]] std::uint64_t line_number(std::uint64_t n) const;
  /// Returns what GFF has besides features, else null.
  [[nodiscard]] gff_parts const* gff() const { return gff_ ? &*gff_ : nullptr; }
  [[nodiscard]] char delimiter() const { return format_.sorted_delimiter(); }

 private:
  std::unique_ptr<strings::detail::record_source> opened(std::size_t k);

  command const& made_;
  input_opener open_;
  strings::detail::record_format format_;
  std::string header_;
  std::uint64_t header_lines_ = 0;
  std::optional<gff_parts> gff_;
  gff_source const* features_ = nullptr;          // features of the input opened last
  std::size_t first_ = 0;                         // the input that the header is of
  std::vector<std::unique_ptr<source>> waiting_;  // inputs up to that one, opened to read the header
};

/// Sets what --csv, --tsv and --as imply, before the inputs are opened. @throws usage_error for options that exclude one
/// another
void complete(command& made);
/// Replaces names of columns by their numbers. @throws usage_error for a name that the header does not have
void resolve_names(command& made, std::string const& header);
/// Sets the order of keys that have none of their own. @throws usage_error if two are given
void resolve_orders(command& made);
/// Returns the values of --order-file or, with presets that have one, of the header: the sequences in their order. Null if no
/// key needs them. @throws input_error
std::shared_ptr<std::vector<std::string> const> listed_values(command const& made, std::string const& header);

}  // namespace ordo::inline v0::strsort
