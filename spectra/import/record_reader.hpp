#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "spectra/encoding/line_finder.hpp"
#include "spectra/encoding/text_fault.hpp"
#include "spectra/import/format.hpp"

namespace ordo::inline v0::spectra::detail {

/// Cuts a library of text into whole records.
class record_reader : public import_reader {
 public:
  explicit record_reader(source& input) : from_(input) {}

  bool next(import_text& text, std::size_t wanted) final;
  [[nodiscard]] bool is_run() const final { return false; }

 protected:
  /// Begins a text, at the begin of the input or of a record.
  virtual void begin_text() {}
  /// Returns true for the first line of a record. Takes the lines of a text in their order.
  virtual bool begins_record(std::string_view line) = 0;
  /// Reads what stands before the first record, of which the first text holds all. @throws text_fault
  virtual void read_front(std::string_view /*text*/) {}

 private:
  void cut(import_text& text, std::size_t wanted);

  text_reader from_;
  bool ended_ = false, front_read_ = false;
  std::uint64_t spectra_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
