#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/merge_arrays.hpp"
#include "ordo/suffix/pieces.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {

/// A text that is merged with another one.
struct merged_part {
  suffix::index_description const& about;  // about of its records
  suffix::text input;
  suffix::pieces pieces;
  suffix::stored_arrays arrays;
};

/// Throws input_error or usage_error unless the records of two indexes can be those of one: they must have the same format and
/// policy, rows for all positions, and letters of a byte.
void check_mergeable(suffix::index_description const& first, std::string const& first_name,
                     suffix::index_description const& second, std::string const& second_name);

/// The records of two texts, one after the other, in host memory. Its arrays are merged from theirs.
class merged_records {
 public:
  /// @param fm  the FM index of the first text; empty: one is made while arrays are merged. All must outlive this
  merged_records(merged_part const& first, merged_part const& second, suffix::fm_index const& fm, unsigned threads);

  [[nodiscard]] std::size_t size() const { return residues_.size(); }
  [[nodiscard]] std::size_t records() const { return starts_.size(); }
  [[nodiscard]] std::string_view residues() const { return {residues_.data(), residues_.size()}; }
  [[nodiscard]] suffix::pieces pieces() const { return suffix::pieces(columns_); }

  /// Merges the arrays, and writes the residues to a sink.
  template <class Index>
  suffix::build_report build_into(suffix::sinks const& out, sink& residues, suffix::build_options const& options) const {
    return merge_into(out, residues, options);
  }

  friend std::size_t bytes_of_names(merged_records const& of) {
    return of.first_.about.names.bytes() + of.second_.about.names.bytes();
  }
  friend std::span<std::uint64_t const> starts_of_text(merged_records const& from, suffix::index_description const&) {
    return from.starts_;
  }
  /// Completes a description, and stores the starts of records unless the description has them.
  friend void describe(merged_records const& from, suffix::index_description& about, index_writer& writer) {
    from.describe_records(about, writer);
  }

 private:
  [[nodiscard]] suffix::build_report merge_into(suffix::sinks const& out, sink& residues,
                                                suffix::build_options const& options) const;
  void describe_records(suffix::index_description& about, index_writer& writer) const;

  merged_part first_, second_;
  suffix::fm_index const& fm_;
  unsigned threads_;
  host_bytes residues_;
  std::vector<std::uint64_t> starts_, columns_;  // starts and columns of the text, and of its pieces
};

}  // namespace ordo::inline v0::sufsort
