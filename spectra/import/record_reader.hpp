#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "spectra/import/format.hpp"

namespace ordo::inline v0::spectra::detail {

/// Finds the lines of a text, which end with LF, CRLF or a lone CR.
class line_finder {
 public:
  struct line {
    std::size_t end, next;  // of the text of the line, and of the line with its end
  };
  /// Finds the line that begins at `from`, which does not descend.
  /// @param last  no text follows @returns nothing if the line may go on behind the text
  std::optional<line> find(std::string_view text, std::size_t from, bool last);

 private:
  std::size_t lf_ = 0;  // no LF is between the last `from` and here
};

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
  /// Reads what stands before the first record, of which the first text holds all. @throws xml_fault
  virtual void read_front(std::string_view /*text*/) {}

 private:
  void cut(import_text& text, std::size_t wanted);

  text_reader from_;
  bool ended_ = false, front_read_ = false;
  std::uint64_t spectra_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
