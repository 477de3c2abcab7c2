#include "spectra/mgf/scan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "spectra/mgf/line.hpp"
#include "spectra/mgf/number.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

char const* skip_blanks(char const* p) {
  while (is_blank(*p)) ++p;
  return p;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool begins_number(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
}

// Returns true for NaN and infinity as printf and others spell them.
bool not_finite(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  return same_letters(word, "nan") || same_letters(word, "inf") || same_letters(word, "infinity");
}

// Takes the first word off a line.
std::string_view consume_word(std::string_view& line) {
  line = trimmed(line);
  std::string_view const word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

// Returns true for "begin ions" and the like, which are perhaps meant to delimit a spectrum.
bool nearly_delimiter(std::string_view line) {
  std::string_view const first = consume_word(line);
  return (same_letters(first, "begin") || same_letters(first, "end")) && same_letters(trimmed(line), "ions");
}

bool is_number(std::string_view word) {
  std::string const text = std::string(word) + '\n';
  char const* p = text.data();
  double value;
  return consume_number(p, p + text.size(), value) && p == text.data() + word.size();
}

bool is_needed(std::string_view line, needed_parameters const& all) {
  line = trimmed(line);
  return (all.precursor &&
          (line.starts_with("PEPMASS=") || line.starts_with("PRECURSOR_MZ=") || line.starts_with("CHARGE="))) ||
         (all.rt && line.starts_with("RTINSECONDS=")) || (all.scan && line.starts_with("SCANS=")) ||
         (all.ms_level && line.starts_with("MSLEVEL="));
}

// Returns the fault of a line inside a spectrum that is neither delimiter nor peak; nothing for blank lines, comments and
// parameters.
std::optional<fault> find_fault(std::string_view line) {
  if (line.empty() || is_comment(line)) return {};
  std::string_view rest = line;
  std::string_view const word = consume_word(rest);
  if (word.find('=') != std::string_view::npos) return {};
  if (not_finite(word)) return fault::not_finite;
  if (begins_number(line[0])) {
    if (!is_number(word)) return fault::bad_number;
    return not_finite(consume_word(rest)) ? fault::not_finite : fault::bad_intensity;
  }
  if (nearly_delimiter(line)) return fault::not_delimiter;
  if (line.find('=') != std::string_view::npos) return {};
  return fault::unknown;
}

// Scans one chunk, line by line, in a window of text that ends with a line end: first the chunk up to its last line end, then a
// copy of the rest with a line end added.
enum class wanted { mz, intensity, table };

template <wanted What>
class scanner {
  static constexpr bool mz = What != wanted::intensity, intensity = What != wanted::mz, table = What == wanted::table;

 public:
  scanner(std::span<char const> text, scan_options const& options, scan_result& result)
      : text_(text),
        options_(options),
        out_(result),
        code_(options.descending),
        with_headers_(options.keeps == scan_keeps::table_and_headers || options.keeps == scan_keeps::disordered_and_headers) {}

  void run() {
    std::size_t whole = text_.size();
    while (whole != 0 && !is_line_end(text_[whole - 1])) --whole;
    if (!look_through({text_.data(), whole}, 0)) return;
    if (whole != text_.size()) {
      std::string const rest = std::string(text_.data() + whole, text_.size() - whole) + '\n';
      std::size_t const before = kept();
      if (!look_through(rest, whole)) return;
      if (kept() > before) {
        --(table ? out_.table.lines.back().size : out_.peaks.back().length);  // the line end is not in the text
        out_.unterminated = true;
      }
    }
    if (!inside_) return;
    out_.open = since_;
    close_spectrum(text_.size());
    out_.unterminated = out_.unterminated && kept() > first_peak_;
  }

 private:
  [[nodiscard]] std::size_t kept() const { return table ? out_.table.lines.size() : out_.peaks.size(); }

  // @returns false if the scan stops
  bool look_through(std::string_view window, std::size_t offset) {
    if (window.empty()) return true;
    window_ = window.data();
    end_ = window_ + window.size();
    offset_ = offset;
    line_feed_ = next_line_feed(window_);
    for (char const* p = window_; p != end_;) {
      if (inside_) {
        p = peak_lines(p);
        if (p == end_) return true;
      }
      if (p) p = inside_ ? line_inside(p) : line_outside(p);
      if (!p) return false;
      ++out_.lines;
    }
    return true;
  }

  char const* next_line_feed(char const* p) const {
    auto const* const result = static_cast<char const*>(std::memchr(p, '\n', std::size_t(end_ - p)));
    return result ? result : end_;
  }

  // Finds the next line end at or after p. The next LF is remembered, as memchr must not search a text without LF to its end
  // for every line.
  char const* line_end(char const* p) {
    if (line_feed_ < p) line_feed_ = next_line_feed(p);
    auto const* const cr = static_cast<char const*>(std::memchr(p, '\r', std::size_t(line_feed_ - p)));
    return cr ? cr : line_feed_;
  }

  // Returns the place after the line end at p.
  char const* after(char const* p) const { return p + (*p == '\r' && p + 1 != end_ && p[1] == '\n' ? 2 : 1); }

  [[nodiscard]] std::size_t offset(char const* p) const { return offset_ + std::size_t(p - window_); }

  [[nodiscard]] line_fault here(fault fault, char const* begin, char const* end, std::uint64_t since = 0) const {
    return {fault, out_.lines, offset(begin), offset(end), since};
  }

  void warn(line_fault const& fault) { out_.warn(fault, options_.max_warnings); }

  // @returns true if the scan goes on
  bool forgive(line_fault const& line_fault) {
    bool const must_be = options_.end_needed && line_fault.what == fault::missing_end;
    if (line_fault.what == fault::not_finite || (options_.lenient && !must_be)) {
      warn(line_fault);
      return true;
    }
    out_.error = line_fault;
    return false;
  }

  char const* line_outside(char const* p) {
    char const* const end = line_end(p);
    std::string_view const line = trimmed({p, std::size_t(end - p)});
    if (line == begin_ions) {
      open_spectrum(p);
    } else if (line == end_ions) {
      if (!forgive(here(fault::stray_end, p, end))) return nullptr;
    } else if (nearly_delimiter(line)) {
      warn(here(fault::not_delimiter, p, end));
    } else if (!options_.begun && out_.spectra == 0 && is_foreign(line)) {
      if (!forgive(here(fault::foreign, p, end))) return nullptr;
    }
    return after(end);
  }

  char const* line_inside(char const* p) {
    char const* const end = line_end(p);
    std::string_view const line = trimmed({p, std::size_t(end - p)});
    char const* const next = after(end);
    if (line == end_ions) {
      close_spectrum(std::min(offset(next), text_.size()));
    } else if (line == begin_ions) {
      if (!forgive(here(fault::missing_end, p, end, since_))) return nullptr;
      close_spectrum(offset(p));
      open_spectrum(p);
    } else if (auto const fault = find_fault(line)) {
      if (!forgive(here(*fault, p, end))) return nullptr;
    } else if (with_headers_ && !read_header(p, end)) {
      return nullptr;
    }
    return next;
  }

  // @returns true if the scan goes on
  bool read_header(char const* p, char const* end) {
    // The text lives as long as the result; the window may be a copy of its end.
    std::string_view const line(text_.data() + offset(p), std::size_t(end - p));
    if (header_.take(line) != mgf_header::taken::not_a_number) return true;
    line_fault const line_fault = here(fault::bad_header, p, end);
    if (!options_.all_headers) return !is_needed(line, options_.needed) || forgive(line_fault);
    warn(line_fault);
    return true;
  }

  void open_spectrum(char const* p) {
    inside_ = true;
    since_ = out_.lines;
    spectrum_begin_ = offset(p);
    first_peak_ = kept();
    peaks_before_ = std::uint32_t(out_.all_peaks);
    last_code_ = 0;
    in_order_ = true;
    ++out_.spectra;
  }

  // @param end  in the text
  void close_spectrum(std::size_t end) {
    inside_ = false;
    if (table || with_headers_) {
      text_range const range{std::uint32_t(spectrum_begin_), std::uint32_t(end - spectrum_begin_)};
      out_.table.spectra.push_back({range, peaks_before_, header_.done()});
    }
    if constexpr (table) return;
    if (in_order_) {
      out_.peaks.resize(first_peak_);
    } else if (!options_.check) {
      out_.ends.push_back(out_.peaks.size());
    }
  }

  // Reads peaks from p on. @returns the first line that is no peak, or nullptr if the scan stops
  char const* peak_lines(char const* p) {
    std::uint64_t last = last_code_, count = 0;
    bool in_order = true;
    while (p != end_) {
      char const* s = p;
      double mass = 0, height = 0;
      bool has_intensity = true;
      if (!consume_plain_pair<mz, intensity>(s, end_, mass, height)) {
        s = skip_blanks(p);
        if (!consume_number<mz>(s, end_, mass)) break;
        s = skip_blanks(s);
        has_intensity = !is_line_end(*s);
        if (has_intensity) {
          if (!consume_number<intensity>(s, end_, height)) break;
          s = skip_blanks(s);
          if (!is_line_end(*s)) s = line_end(s);
        }
      }
      char const* const next = after(s);
      if constexpr (table) {
        out_.table.mz.push_back(mass);
        out_.table.intensity.push_back(has_intensity ? height : std::numeric_limits<double>::quiet_NaN());
        out_.table.lines.push_back({std::uint32_t(offset(p)), std::uint32_t(next - p)});
        ++count;
        p = next;
        continue;
      }
      std::uint64_t code = code_.of_number(mz ? mass : height);
      if (intensity && !has_intensity) code = peak_code::missing;
      in_order &= code >= last;
      if (options_.check) {
        if (!in_order) {
          out_.lines += count;
          out_.disorder = disorder_at{here(fault::unknown, p, s), out_.spectra - 1, spectrum_begin_};
          return nullptr;
        }
      } else {
        out_.peaks.push_back({code, std::uint32_t(offset(p)), std::uint32_t(next - p)});
      }
      last = code;
      ++count;
      p = next;
    }
    in_order_ &= in_order;
    last_code_ = last;
    out_.all_peaks += count;
    out_.lines += count;
    return p;
  }

  std::span<char const> text_;
  scan_options options_;
  scan_result& out_;
  peak_code code_;

  char const *window_ = nullptr, *end_ = nullptr, *line_feed_ = nullptr;
  std::size_t offset_ = 0;  // where the window is in the text

  bool inside_ = false, in_order_ = true;
  std::uint64_t since_ = 0, last_code_ = 0;
  std::size_t spectrum_begin_ = 0, first_peak_ = 0;
  std::uint32_t peaks_before_ = 0;
  bool with_headers_;
  mgf_header header_;
};

}  // namespace

// It may have comments, parameters and queries of peptide mass fingerprints there, such as "1896 ions(345.6:24.7)". A
// parameter's name is no tag and no string, though XML and JSON hold '='.
bool is_foreign(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return true;
  if (line.empty() || is_comment(line)) return false;
  if (std::ranges::any_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; })) return true;
  std::size_t const equals = line.find('=');
  if (equals != std::string_view::npos && equals != 0 && line.find_first_of("<>\"{") > equals) return false;
  std::string_view rest = line;
  std::string word(consume_word(rest));
  if (not_finite(word)) return false;
  if (std::size_t const comma = word.find(','); comma != std::string::npos) word[comma] = '.';  // a decimal comma
  return !begins_number(word[0]) || !is_number(word);
}

void scan(std::span<char const> text, scan_options const& options, scan_result& result) {
  auto peaks = std::move(result.peaks);
  auto ends = std::move(result.ends);
  auto table = std::move(result.table);
  peaks.clear();
  ends.clear();
  table.clear();
  result = scan_result{};
  result.peaks = std::move(peaks);
  result.ends = std::move(ends);
  result.table = std::move(table);
  std::size_t const expected = text.size() / 32;  // peaks of a usual text; unused memory costs nothing
  if (options.keeps == scan_keeps::table || options.keeps == scan_keeps::table_and_headers) {
    result.table.mz.reserve(expected);
    result.table.intensity.reserve(expected);
    result.table.lines.reserve(expected);
    return scanner<wanted::table>(text, options, result).run();
  }
  result.peaks.reserve(expected);
  if (options.by == sort_key::mz)
    scanner<wanted::mz>(text, options, result).run();
  else
    scanner<wanted::intensity>(text, options, result).run();
}

}  // namespace ordo::inline v0::spectra::detail
