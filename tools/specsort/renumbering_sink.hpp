#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ordo/io.hpp"

namespace ordo::inline v0::specsort {

/// A sink that passes MGF or MSP on with the scan numbers 1, 2 and so on in place of those that spectra have.
class renumbering_sink final : public sink {
 public:
  /// @param to  must outlive this @param number  the number of the last spectrum, which counts on over several sinks
  /// @param key  the key of the number, as in the format and style that is written: "SCANS=" of MGF, "Scans: "
  renumbering_sink(sink& to, std::uint64_t& number, std::string_view key);

  void write(std::span<char const> data) override;
  /// Writes a last line without an end.
  void finish();

 private:
  void pass(std::string_view line);

  sink& to_;
  std::uint64_t& number_;
  std::string_view key_;
  bool is_mgf_;
  bool inside_ = false;     // a spectrum of MGF; of MSP, its lines before the peaks
  std::string line_, out_;  // a line whose end is still to come; text to be written
};

}  // namespace ordo::inline v0::specsort
