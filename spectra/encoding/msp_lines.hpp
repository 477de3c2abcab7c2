#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ordo::inline v0::spectra::detail {

/// Returns a text without white space around it, and without the Ctrl-Z (0x1a) with which DOS ended text.
std::string_view msp_trimmed(std::string_view text);

/// Returns true for the key of the number of peaks, as normalized.
bool is_peak_count(std::string_view key);

/// Classifies the lines of MSP, and finds where records begin. The format has no mark between records, and the programs that
/// write it put their keys in any order.
///
/// A record has lines "key: value", then peaks, after the number of peaks. The next one begins with a key after the peaks. A
/// record without peaks ends before a second Name, or after an empty line where the number of peaks is 0 or a record begins as
/// this one did. Else empty lines say nothing, as some programs write them between all lines.
class msp_lines {
 public:
  enum class kind {
    nothing,  // an empty line, or a comment
    header,   // key: value
    peaks,
    other,  // another line
  };
  struct found {
    kind is;
    bool begins = false;  // a record begins
  };

  /// Begins a text that begins with a record, or with what stands before the first one.
  void restart() { *this = {}; }
  found next(std::string_view line) {
    // Most lines are peaks.
    if (!in_record_ || !counted_ || line.empty() || line.front() < '0' || line.front() > '9') return classified(line);
    any_peaks_ = true;
    empty_line_ = false;
    return {kind::peaks};
  }

  /// Returns the key of the last header: as it is, and in small letters without blanks and underscores.
  [[nodiscard]] std::string_view stated_key() const noexcept { return stated_key_; }
  [[nodiscard]] std::string const& key() const noexcept { return key_; }
  [[nodiscard]] std::string_view value() const noexcept { return value_; }

 private:
  found classified(std::string_view line);
  [[nodiscard]] bool begins_another() const;
  void read_key(std::string_view text, std::size_t colon);

  std::string_view stated_key_, value_;
  std::string key_, first_key_;
  bool in_record_ = false, named_ = false;
  bool counted_ = false;     // the number of peaks was there
  bool any_wanted_ = false;  // it is not 0
  bool any_peaks_ = false, empty_line_ = false;
};

}  // namespace ordo::inline v0::spectra::detail
