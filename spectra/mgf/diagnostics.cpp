#include "spectra/mgf/diagnostics.hpp"

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "spectra/detect_format.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::spectra::detail {
namespace {

constexpr std::size_t longest_excerpt = 60;

std::string excerpt(std::string_view line) {
  line = trimmed(line);
  std::string text(line.substr(0, longest_excerpt));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = c == '\t' ? ' ' : '?';
  return line.size() > longest_excerpt ? text + "..." : text;
}

bool has_decimal_comma(std::string_view line) {
  auto const digit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
  auto const comma = line.find(',');
  return comma != std::string_view::npos && comma != 0 && digit(comma - 1) && digit(comma + 1);
}

}  // namespace

bool findings::take(std::string_view text, scan_result const& found, std::span<std::string const> warned,
                    std::string_view kind) {
  if (totals.bytes == 0) kind_ = kind;
  // Behind a slice that ends inside a spectrum comes one that begins with BEGIN IONS.
  if (open_) forgive(missing_end(0, *open_));
  open_.reset();
  for (std::size_t i = 0; i < warned.size(); ++i) warn(message(found.first_warnings[i], warned[i]));
  totals.warnings += found.warnings - found.first_warnings.size();
  if (found.error) throw input_error(message(*found.error, line_of(*found.error, text)));
  if (found.disorder) {
    disorder_at const& at = *found.disorder;
    first_disorder = disorder{totals.lines + at.where.line + 1, totals.spectra + at.spectrum + 1,
                              std::string(title_of(text.substr(at.begin))), std::string(line_of(at.where, text))};
    return false;
  }
  if (found.open) open_ = totals.lines + *found.open;
  totals.lines += found.lines;
  totals.spectra += found.spectra;
  totals.peaks += found.all_peaks;
  totals.bytes += text.size();
  return true;
}

void findings::end() {
  if (open_)
    forgive(fmt::format("missing END IONS: {}:{}: the input ends inside the spectrum of line {}", how_.name, totals.lines,
                        *open_ + 1));
}

void findings::refuse_large(std::uint64_t bytes) const {
  throw input_error(fmt::format("spectrum too large: {}:{}: {} bytes, where less than 4 GiB can be sorted", how_.name,
                                totals.lines + 1, bytes));
}

void findings::warn(std::string const& message) {
  if (how_.on_warning && totals.warnings < how_.warnings_shown) how_.on_warning(message);
  ++totals.warnings;
}

void findings::forgive(std::string const& message) {
  if (!how_.lenient || end_needed_) throw input_error(message);
  warn(message);
}

std::string findings::missing_end(std::uint64_t line, std::uint64_t since) const {
  return fmt::format("missing END IONS: {}:{}: another BEGIN IONS inside the spectrum of line {}", how_.name,
                     totals.lines + line + 1, since + 1);
}

std::string findings::message(finding const& found, std::string_view line) const {
  std::string const where = fmt::format("{}:{}", how_.name, totals.lines + found.line + 1);
  switch (found.what) {
    case fault::missing_end:
      return missing_end(found.line, totals.lines + found.since);
    case fault::stray_end:
      return fmt::format("stray END IONS: {}: no spectrum has begun", where);
    case fault::not_delimiter:
      return fmt::format("not a delimiter: {}: '{}', where only BEGIN IONS and END IONS are", where, excerpt(line));
    case fault::not_finite:
      return fmt::format("not a peak: {}: '{}' is not finite, and stays where it is", where, excerpt(line));
    case fault::bad_header:
    case fault::bad_number:
    case fault::bad_intensity:
      if (has_decimal_comma(line)) return fmt::format("decimal comma: {}: '{}'; a point is expected", where, excerpt(line));
      return fmt::format("not a number: {}: {} of '{}'", where,
                         found.what == fault::bad_number   ? "the m/z"
                         : found.what == fault::bad_header ? "the value"
                                                           : "the intensity",
                         excerpt(line));
    case fault::foreign:
      if (!kind_.empty()) return fmt::format("not MGF: {}: {}", where, description_of(kind_));
      if (auto const kind = kind_of_line(line); !kind.empty())
        return fmt::format("not MGF: {}: it looks like {}: '{}'", where, kind, excerpt(line));
      return fmt::format("not MGF: {}: neither parameter, comment, query nor BEGIN IONS: '{}'", where, excerpt(line));
    case fault::moved_scope:
      return fmt::format("parameter between spectra: {}: '{}' would come to stand before other spectra", where, excerpt(line));
    case fault::unknown:
      break;
  }
  return fmt::format("neither peak, parameter nor comment: {}: '{}'", where, excerpt(line));
}

}  // namespace ordo::spectra::detail
