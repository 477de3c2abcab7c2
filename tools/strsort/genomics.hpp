#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/line_comparison.hpp"
#include "ordo/strings/order.hpp"
#include "tools/strsort/options/command.hpp"

namespace ordo::inline v0::cli {
class input;
}

/// The text formats of --as.
namespace ordo::inline v0::strsort {

/// A text format with a sequence and a position in each line.
struct preset {
  std::string_view name;
  std::vector<std::string_view> header_prefixes;
  bool has_sequences;  // the header lists them
  std::vector<std::string_view> keys;
};
preset const& get_preset(std::string_view name);

/// Puts the keys of the format before those that are given. The first one, the sequence, takes the order given outside of keys.
/// @throws usage_error for an order that it cannot take
void set_preset_keys(command& made);

/// Returns the names of the lines "##contig=<ID=chr1,...>" or "@SQ\tSN:chr1\t..." of a header, in order, each once.
std::vector<std::string> parse_sequences(std::string_view header);
/// Returns a header with the lines of these names in this order.
std::string with_sequences_in_order(std::string_view header, strings::line_comparison const& compare);
/// Returns the header of a SAM file with this order, such as "coordinate" or "queryname:natural", in its line @HD. Without such a line, adds one unless the order is
/// "unknown".
std::string with_sort_order(std::string_view header, std::string_view sort_order);
/// Returns the header of the sorted file.
std::string sorted_header(command const& made, std::string const& header, strings::order const& by);

/// Finds the level of a feature of GFF3 or GTF in its fields from the type on: parents come before their children.
class feature_level final : public strings::piece_finder {
 public:
  /// Returns one digit, or nothing for a line without a type.
  [[nodiscard]] std::string_view find(std::string_view fields, std::string& made) const override;
};

/// Checks the first bytes of an input. Compressed binary data, whose lines nobody sorts, is an error, and any binary data where
/// a format of text is given; other bytes are lines. @throws input_error
void refuse_binary(cli::input& in, command const& made);

}  // namespace ordo::inline v0::strsort
