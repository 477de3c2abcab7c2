#include "spectra/mgf/order_records.hpp"

#include "spectra/mgf/line.hpp"

namespace ordo::spectra::detail {
namespace {

// How many bytes at the front of a text are empty lines.
std::size_t empty_lines(std::string_view text) {
  std::size_t size = 0;
  while (!text.empty()) {
    std::size_t const before = text.size();
    if (!trimmed(take_line(text)).empty()) break;
    size += before - text.size();
  }
  return size;
}

// Where lines are counted to.
struct line_count {
  std::size_t at = 0;
  std::uint64_t lines = 0;
};

// Parameters in text [begin, end), which is between spectra, are faults.
void find_parameters(std::string_view text, std::size_t begin, std::size_t end, scan_options const& how, line_count& counted,
                     scan_result& found) {
  std::string_view rest = text.substr(begin, end - begin);
  while (!rest.empty() && !found.error) {
    std::size_t const at = end - rest.size();
    std::string_view const line = take_line(rest);
    if (!is_parameter(trimmed(line))) continue;
    std::string_view before = text.substr(counted.at, at - counted.at);
    for (; !before.empty(); take_line(before)) ++counted.lines;
    counted.at = at;
    finding const one{fault::moved_scope, counted.lines, at, at + line.size()};
    if (!how.lenient) {
      found.error = one;
    } else {
      ++found.warnings;
      if (found.first_warnings.size() < how.shown) found.first_warnings.push_back(one);
    }
  }
}

}  // namespace

void spectrum_records::look_at(std::string_view text, scan_options const& how, scan_result& found) {
  all_.clear();
  codes_.clear();
  titles_.clear();
  auto const& spectra = found.table.spectra;
  any_ = !spectra.empty();
  head_ = any_ ? spectra.front().text.begin : text.size();
  line_count counted;
  for (std::size_t s = 0; s < spectra.size() && !found.error; ++s)
    find_parameters(text, spectra[s].text.end(), s + 1 < spectra.size() ? spectra[s + 1].text.begin : text.size(), how, counted,
                    found);
}

void spectrum_records::take_all(std::string_view text, order_keys const& keys, scan_result const& found) {
  auto const& spectra = found.table.spectra;
  for (std::size_t s = 0; s < spectra.size(); ++s) {
    std::uint64_t const end = s + 1 < spectra.size() ? spectra[s + 1].first_peak : found.all_peaks;
    take(text, keys, found.table, s, end - spectra[s].first_peak, spectra[s].text.end());
  }
}

void spectrum_records::take(std::string_view text, order_keys const& keys, peak_table const& table, std::size_t s,
                            std::uint64_t peaks, std::size_t end) {
  peak_table::entry const& one = table.spectra[s];
  std::size_t const next = s + 1 < table.spectra.size() ? table.spectra[s + 1].text.begin : text.size();
  std::size_t const behind = empty_lines(text.substr(one.text.end(), next - one.text.end()));
  if (keys.has(spectrum_key::title)) titles_ += one.header.title.value_or("");
  std::size_t const mark = one.text.of(text).starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  all_.push_back({end + behind, s, one.text.begin + mark, titles_.size()});
  codes_.resize(codes_.size() + keys.count());
  keys.encode(one.header, peaks, codes_.data() + codes_.size() - keys.count());
}

}  // namespace ordo::spectra::detail
