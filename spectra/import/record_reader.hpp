#pragma once
#include <cstdint>
#include <string_view>

#include "spectra/import/format.hpp"

namespace ordo::inline v0::spectra::detail {

/// Cuts a library of text into whole records, each of which begins with a line of a certain form.
class record_reader : public import_reader {
 public:
  using line_test = bool (*)(std::string_view line);
  /// @param begins_record  returns true for the first line of a record
  record_reader(source& input, line_test begins_record) : from_(input), begins_record_(begins_record) {}

  bool next(import_text& text, std::size_t wanted) final;
  [[nodiscard]] bool is_run() const final { return false; }

 protected:
  /// Reads what stands before the first record, of which the first text holds all. @throws xml_fault
  virtual void read_front(std::string_view /*text*/) {}

 private:
  void cut(import_text& text, std::size_t wanted);

  text_reader from_;
  line_test begins_record_;
  bool ended_ = false, front_read_ = false;
  std::uint64_t spectra_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
