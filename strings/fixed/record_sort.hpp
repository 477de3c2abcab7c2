#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ordo/io.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/external_sort.hpp"
#include "strings/fixed/record_order.hpp"

namespace ordo::inline v0::strings::detail {

/// Sorts the records of all texts into a sink, as sort_external() sorts lines: in memory, or in runs on disk. Ranges of the
/// runs are merged by several threads if the sink is addressable. The work is the CPU's.
/// @param options  `memory` and `machine.threads` matter, others do not  @param equal  keep or drop
/// @throws out_of_memory  if memory is too little for a few records; what sources and sink throw
sort_report sort_records(texts const& from, sink& to, record_order const& by, sort_options const& options, duplicates equal,
                         spill_options const& spill, phase_observer const& began = {});

/// Reads a text of whole records.
class whole_records final : public source {
 public:
  /// @param name  the name of the text, for messages
  /// @throws input_error  if the text ends within a record: here if its size is known, else when it is read
  whole_records(std::unique_ptr<source> from, std::size_t record_bytes, std::string name);

  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return from_->size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_->read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return from_->position(); }
  void skip(std::uint64_t bytes) override { from_->skip(bytes); }

 private:
  void check(std::uint64_t bytes) const;

  std::unique_ptr<source> from_;
  std::size_t record_bytes_;
  std::string name_;
  std::uint64_t read_ = 0;
};

}  // namespace ordo::inline v0::strings::detail
