#include "spectra/encoding/msp_lines.hpp"

#include <utility>

#include "spectra/encoding/xml.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", name_key = "name";

bool is_blank(char c) {
  return is_space(c) || c == '\x1a';
}

bool begins_number(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

// Returns true if a text begins with a pair of numbers, as peaks do.
bool is_pair(std::string_view text) {
  constexpr std::string_view separators = " \t,:;()";
  for (int numbers = 0; numbers < 2; ++numbers) {
    std::size_t const begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos || !begins_number(text[begin])) return false;
    text.remove_prefix(begin);
    std::string_view const word = text.substr(0, text.find_first_of(separators));
    if (!number<double>(word)) return false;
    text.remove_prefix(word.size());
  }
  return true;
}

}  // namespace

std::string_view msp_trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_peak_count(std::string_view key) {
  return key == "numpeaks" || key == "numpeak" || key == "pk$numpeak" || key == "numberofpeaks" || key == "numalphapeaks";
}

void msp_lines::read_key(std::string_view text, std::size_t colon) {
  stated_key_ = msp_trimmed(text.substr(0, colon));
  value_ = msp_trimmed(text.substr(colon + 1));
  key_.clear();
  for (char const c : stated_key_)
    if (!is_blank(c) && c != '_') key_ += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

// Returns true if a record begins with the key, and not with the peaks after it.
bool msp_lines::begins_another() const {
  if (key_ == "pk$peak") return false;  // the names of the columns of peaks
  if (any_peaks_) return true;
  if (named_ && key_ == name_key) return true;
  return empty_line_ && ((counted_ && !any_wanted_) || key_ == first_key_);
}

msp_lines::found msp_lines::classified(std::string_view line) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  std::string_view const text = msp_trimmed(line);
  if (text.empty()) {
    empty_line_ = true;
    return {kind::nothing};
  }
  if (text.front() == '#') return {kind::nothing};
  bool const in_peaks = in_record_ && counted_;
  if (in_peaks && (begins_number(text.front()) || text.front() == '(')) {
    any_peaks_ = true;
    empty_line_ = false;
    return {kind::peaks};
  }
  std::size_t const colon = text.front() == '"' ? std::string_view::npos : text.find(':');
  if (in_record_ && !in_peaks && is_pair(text)) {  // peaks whose number was not there
    any_peaks_ = counted_ = true;
    empty_line_ = false;
    return {kind::peaks};
  }
  if (colon == std::string_view::npos || colon == 0) {
    bool const is_peak = in_peaks && !empty_line_;
    any_peaks_ |= is_peak;
    return {is_peak ? kind::peaks : kind::other};
  }
  read_key(text, colon);
  bool const begins = !in_record_ || begins_another();
  if (begins) {
    in_record_ = true;
    named_ = counted_ = any_wanted_ = any_peaks_ = false;
    first_key_ = key_;
  }
  empty_line_ = false;
  named_ |= key_ == name_key;
  if (is_peak_count(key_)) {
    counted_ = true;
    any_wanted_ = value_.find_first_of("123456789") != std::string_view::npos;
  }
  return {kind::header, begins};
}

}  // namespace ordo::inline v0::spectra::detail
