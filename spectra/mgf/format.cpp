#include "spectra/mgf/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "ordo/error.hpp"
#include "spectra/chunk/detect_format.hpp"
#include "spectra/chunk/title.hpp"
#include "spectra/mgf/cutter.hpp"
#include "spectra/mgf/scan.hpp"
#include "spectra/mgf/writer.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

bool needs_headers(chunk_task const& task) {
  return task.choice || task.keys || task.titles() ||
         (task.select && (task.select->remove_precursor || task.options->select_levels.is_set()));
}

scan_options make_scan_options(chunk_task const& task) {
  scan_options scan;
  scan.by = task.options->by;
  scan.descending = task.options->descending;
  scan.lenient = task.options->lenient;
  scan.check = task.goal == purpose::check;
  scan.max_warnings = task.options->on_warning ? task.options->warnings_shown : 0;
  if (task.reads_all()) {
    scan.all_headers = true;
    scan.keeps = scan_keeps::table_and_headers;
  }
  scan.needed.precursor = task.options->select.remove_precursor.has_value();
  if (order_keys const* const keys = task.keys) {
    scan.keeps = scan_keeps::disordered_and_headers;
    scan.end_needed = true;
    scan.needed = {.precursor = task.options->select.remove_precursor || keys->has(spectrum_key::pepmass) ||
                                keys->has(spectrum_key::mass) || keys->has(spectrum_key::charge),
                   .rt = keys->has(spectrum_key::rt),
                   .scan = keys->has(spectrum_key::scan)};
  }
  if (task.goal == purpose::choose) scan.keeps = scan_keeps::disordered_and_headers;
  if (spectrum_choice const* const choice = task.choice) {
    if (task.goal != purpose::choose) scan.keeps = scan_keeps::table_and_headers;
    scan.needed.precursor |= choice->precursor_mz.is_set() || choice->charges.is_set();
    scan.needed.rt |= choice->rt_seconds.is_set();
    scan.needed.scan |= choice->scans.is_set();
    scan.needed.ms_level |= choice->ms_levels.is_set();
  } else if (task.print || task.titles()) {
    scan.keeps = scan_keeps::table_and_headers;
  } else if (task.select) {
    scan.keeps = needs_headers(task) ? scan_keeps::table_and_headers : scan_keeps::table;
  }
  if (task.print) scan.needed.precursor = true;
  scan.needed.ms_level |= task.select && task.options->select_levels.is_set();
  return scan;
}

// Returns the number of bytes at the front of a text that are empty lines.
std::size_t empty_lines(std::string_view text) {
  std::size_t size = 0;
  while (!text.empty()) {
    std::size_t const before = text.size();
    if (!trimmed(consume_line(text)).empty()) break;
    size += before - text.size();
  }
  return size;
}

class mgf_chunk final : public chunk {
 public:
  mgf_chunk(mgf_cutter const& cutter, chunk_task const& task, scan_options const& scan)
      : cutter_(cutter), task_(task), scan_(scan) {}

  /// @param spectra_before  the number of spectra in the chunks before, if it is needed; becomes that with this one
  bool next(mgf_cutter& cutter, std::size_t wanted, std::uint64_t& spectra_before) {
    restart();
    scanned = false;
    added_ = 0;
    lost_lines = no_intensity = 0;
    lost = {};
    selected_.reset();
    filled_ = false;
    try {
      bool const any = timed(reading, 0, [&] { return cutter.next(text, wanted); });
      if (any && task_.needs_numbers()) {
        timed(reading, 0, [&] { fill(); });
        text.first_spectrum = std::exchange(spectra_before, spectra_before + count_spectra(text.view()));
      }
      if (any) add_bytes(reading, text.size);
      return any;
    } catch (...) {  // reported after what is wrong in the chunks before
      failure = std::current_exception();
      text.size = 0;
      return true;
    }
  }

  bool parse() override {
    if (failure || text.size >= chunk_text::max_bytes) return false;
    timed(reading, 0, [&] { fill(); });
    if (task_.keys && text.last) added_ = text.end_last_line();
    scan_options options = scan_;
    options.begun = text.begun;
    timed(parsing, text.size, [&] { scan(text.bytes(), options, parsed); });
    if (task_.keys && !task_.print) note_spectra(options);
    warned.clear();
    for (line_fault const& warning : parsed.first_warnings) warned.emplace_back(fault_line(warning, text.view()));
    kind = text.begun ? std::string_view() : detect_kind(text.view());
    scanned = true;
    counted.bytes = text.size - added_;
    counted.lines = parsed.lines;
    counted.spectra = parsed.spectra;
    counted.peaks = parsed.all_peaks;
    if (parsed.error || parsed.disorder) return false;
    if (task_.reads_all())
      for (std::size_t s = 0; s < parsed.table.spectra.size(); ++s)
        if (choose(s) || task_.reads_others()) add(task_, parsed.table.at(s), text.first_spectrum + s);
    if (task_.goal == purpose::choose)
      for (std::size_t s = 0; s < parsed.table.spectra.size(); ++s) choose(s);
    if (!task_.writes()) return true;
    if (task_.selects())
      prepare_selection();
    else
      prepare_sort();
    return true;
  }

  [[nodiscard]] bool selects() const override { return task_.selects(); }

  void compose() override {
    if (task_.print)
      timed(composing, text.size, [&] { print_spectra(); });
    else if (task_.selects())
      timed(composing, text.size, [&] { compose_selection(); });
    else if (!peaks.codes.empty())
      timed(composing, text.size, [&] { move_lines(); });
  }

  [[nodiscard]] std::span<char const> output() const override {
    if (selected_) return *selected_;
    return text.bytes().first(scanned ? text.size : 0);
  }
  [[nodiscard]] std::uint64_t offset() const override { return text.offset; }

  std::uint32_t input_checksum() override {
    if (failure || text.size >= chunk_text::max_bytes) return 0;
    timed(reading, 0, [&] { fill(); });
    return compute_checksum(text.view());
  }
  bool save(value_writer& to) const override {
    if (failure || !composed || parsed.warnings != 0 || !kind.empty() || lost_lines != 0 || no_intensity != 0) return false;
    save_counts(to);
    to.put(parsed.lines, parsed.open, std::string_view(output().data(), output().size()));
    return true;
  }
  void load(value_reader& from) override {
    load_counts(from);
    parsed = {};
    from.take(parsed.lines, parsed.open, loaded_);
    warned.clear();
    kind = {};
    scanned = true;
    selected_ = loaded_;
  }

  mgf_text text;
  scan_result parsed;
  std::vector<std::string> warned;  // the lines of found.first_warnings, before any line was moved
  std::string_view kind;            // kind of a text that does not look like MGF, if no spectrum began before it
  bool scanned = false;
  // Values that another format cannot hold: lines that are no parameters of a spectrum, and missing intensities.
  std::uint64_t lost_lines = 0, no_intensity = 0;
  print_losses lost;

 private:
  using chunk::choose;
  bool choose(std::size_t s) {
    auto& [range, first_peak, header] = parsed.table.spectra[s];
    if (task_.choice && (task_.choice->total_ion_current.is_set() || task_.choice->base_peak.is_set())) sum_peaks(s, header);
    return choose(task_, header, text.first_spectrum, s, range.begin + mark_size(range));
  }

  // Sets the sums of peaks, which MGF does not state.
  void sum_peaks(std::size_t s, spectrum_header& header) const {
    double sum = 0, greatest = 0;
    for (double const intensity : parsed.table.peaks(s).intensity) {
      if (std::isnan(intensity)) continue;
      sum += intensity;
      greatest = std::max(greatest, intensity);
    }
    header.total_ion_current = sum;
    header.base_peak = greatest;
  }

  void note_too_few_peaks(std::size_t s) {
    if (!task_.reasons || peaks.is_left_out(s)) return;
    text_range const range = parsed.table.spectra[s].text;
    dropped.push_back({s, range.begin + mark_size(range), task_.reasons->too_few_peaks()});
  }

  // Makes the title of a spectrum, if titles are made anew. @returns true if they are
  bool make_title(std::size_t s, spectrum_header& header) {
    if (!task_.titles()) return false;
    std::string const& name = task_.options->name;
    fill_title(task_.options->title_template, header, text.first_spectrum + s, name, run_of_file(name), title_);
    for (char& c : title_)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    header.title = trimmed(title_);
    return true;
  }

  void prepare_sort() {
    counted.peaks_kept = parsed.all_peaks;
    counted.spectra_kept = parsed.spectra;
    counted.reordered = parsed.ends.size();
    for (peak const& peak : parsed.peaks) peaks.codes.push_back(peak.code);
    for (std::size_t const end : parsed.ends) peaks.bounds.push_back(std::uint32_t(end));
    if (!task_.keys) return;
    auto const& spectra = parsed.table.spectra;  // recorded before any line is moved
    for (std::size_t s = 0; s < spectra.size(); ++s) {
      std::uint64_t const end = s + 1 < spectra.size() ? spectra[s + 1].first_peak : parsed.all_peaks;
      record(s, end - spectra[s].first_peak, spectra[s].text.end());
    }
  }

  void prepare_selection() {
    peak_table const& table = parsed.table;
    peaks.mz = table.mz;
    peaks.intensity = table.intensity;
    for (std::size_t s = 0; s <= table.spectra.size(); ++s) peaks.first.push_back(table.first_peak(s));
    for (std::size_t s = 0; s < table.spectra.size(); ++s) {
      spectrum_header const& header = table.spectra[s].header;
      if (task_.choice) peaks.left_out.push_back(!choose(s));
      if (!task_.select) continue;
      if (task_.select->remove_precursor) peaks.headers.push_back(&header);
      if (task_.options->select_levels.is_set()) peaks.whole.push_back(!peaks.is_left_out(s) && !is_selected(task_, header));
    }
  }

  void move_lines() {
    for (std::size_t begin = 0; std::size_t const end : parsed.ends) {
      permute_lines(text.bytes(), std::span(parsed.peaks).subspan(begin, end - begin),
                    std::span(peaks.order).subspan(begin, end - begin), std::uint32_t(begin),
                    parsed.unterminated && end == parsed.peaks.size(), scratch_);
      begin = end;
    }
  }

  // Prints the lines of peaks whose intensities are sums to `printed_`. Returns the lines of all peaks.
  std::span<text_range const> print_sums() {
    peak_table const& table = parsed.table;
    printed_.clear();
    if (peaks.sums.empty()) return table.lines;
    lines_ = table.lines;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!peaks.keep[i] || !peaks.is_sum(i)) continue;
      std::string_view const line = lines_[i].of(text.view());
      std::size_t begin = line.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
      auto const skip = [&](bool blanks) {
        while (begin < line.size() && is_blank(line[begin]) == blanks) ++begin;
      };
      skip(true);
      skip(false);
      skip(true);
      std::size_t end = begin;
      while (end < line.size() && !is_blank(line[end]) && !is_line_end(line[end])) ++end;
      std::size_t const before = printed_.size();
      printed_ += line.substr(0, begin);
      add_number(peaks.sums[i], printed_);
      printed_ += line.substr(end);
      if (text.size + 1 + printed_.size() >= chunk_text::max_bytes)
        throw input_error(
            fmt::format("too large: {}: sums of intensities make spectra longer than 4 GiB", task_.options->name));
      lines_[i] = {std::uint32_t(text.size + 1 + before), std::uint32_t(printed_.size() - before)};
    }
    return lines_;
  }

  // Makes the changes of the lines before the peaks of a spectrum: a new title, and the sequence of a table of matches.
  void edit_header(std::size_t s) {
    edits_.clear();
    spectrum_header& header = parsed.table.spectra[s].header;
    std::string const* const sequence = task_.find_sequence(header, text.first_spectrum + s);
    bool const has_title = make_title(s, header);
    if (!sequence && !has_title) return;
    text_range const whole = parsed.table.spectra[s].text;
    std::uint32_t const first = parsed.table.first_peak(s), last = parsed.table.first_peak(s + 1);
    std::uint32_t const end = first == last ? whole.end() : parsed.table.lines[first].begin;
    std::string_view const head = text.view().substr(whole.begin, end - whole.begin);
    std::string_view rest = head;
    std::size_t const begin_size = consume_line(rest).size();
    std::uint32_t const after_begin = std::uint32_t(end - rest.size());
    std::string_view const line_end = head.substr(begin_size, head.size() - rest.size() - begin_size);
    if (line_end.empty()) return;  // the input ends there
    auto const replace = [&](std::string_view key, std::string_view value) {
      for (std::string_view lines = rest; !lines.empty();) {
        std::uint32_t const begin = std::uint32_t(end - lines.size());
        std::string_view const line = consume_line(lines);
        std::size_t const at = line.find(key);
        if (at == line.npos || !trimmed(line).starts_with(key)) continue;
        std::uint32_t const from = begin + std::uint32_t(at + key.size());
        return edits_.push_back({{from, begin + std::uint32_t(line.size()) - from}, print(value)});
      }
      edits_.push_back({{after_begin, 0}, print(fmt::format("{}{}{}", key, value, line_end))});
    };
    if (has_title) replace("TITLE=", title_);
    if (sequence) replace("SEQ=", *sequence);
    std::ranges::stable_sort(edits_, {}, [](header_edit const& edit) { return edit.replaced.begin; });
  }

  // Appends to the second text of text_ranges.
  text_range print(std::string_view value) {
    std::size_t const before = printed_.size();
    printed_ += value;
    if (text.size + 1 + printed_.size() >= chunk_text::max_bytes)
      throw input_error(fmt::format("too large: {}: titles make spectra longer than 4 GiB", task_.options->name));
    return {std::uint32_t(text.size + 1 + before), std::uint32_t(value.size())};
  }

  void compose_selection() {
    peak_table const& table = parsed.table;
    auto const lines = print_sums();
    ranges_.clear();
    std::uint32_t at = 0;
    for (std::size_t s = 0; s < table.spectra.size(); ++s) {
      text_range const whole = table.spectra[s].text;
      ranges_.add({at, whole.begin - at});
      at = whole.end();
      if (peaks.is_left_out(s)) {
        std::size_t const next = s + 1 < table.spectra.size() ? table.spectra[s + 1].text.begin : text.size;
        at += std::uint32_t(empty_lines(text.view().substr(at, next - at)));
      }
      if (peaks.changes[s] == chunk_peaks::change::dropped) {
        note_too_few_peaks(s);
        continue;
      }
      auto const kept = peaks.kept_peaks(s);
      edit_header(s);
      add_spectrum(ranges_, text.view(), table, lines, s, peaks.keep, kept,
                   parsed.unterminated && s + 1 == table.spectra.size(), edits_);
      if (task_.keys)
        record(s, kept.size(), std::size_t(ranges_.size()));
      else if (task_.notes_titles)
        records.add_title(table.spectra[s].header);
    }
    ranges_.add({at, std::uint32_t(text.size - at)});
    if (ranges_.size() == text.size && ranges_.ranges().size() <= 1) return;  // the text did not change
    std::size_t const size = std::size_t(ranges_.size());
    if (scratch_.size() < size + text_ranges::overrun) scratch_.resize(size + text_ranges::overrun);
    ranges_.copy(text.view(), printed_, scratch_.data());
    selected_ = std::span<char const>(scratch_.data(), size);
  }

  // Prints the spectra in another format.
  void print_spectra() {
    peak_table const& table = parsed.table;
    printed_.clear();
    std::string title;
    std::uint32_t at = 0;
    for (std::size_t s = 0; s < table.spectra.size(); ++s) {
      text_range const whole = table.spectra[s].text;
      count_lost_lines(at, whole.begin);
      at = whole.end();
      if (peaks.changes[s] == chunk_peaks::change::dropped) {
        note_too_few_peaks(s);
        continue;
      }
      read_parameters(s);
      std::uint32_t const first = table.first_peak(s), size = table.first_peak(s + 1) - first;
      auto const heights = peaks.intensities().subspan(first, size);
      heights_.assign(heights.begin(), heights.end());
      auto const kept = peaks.kept_peaks(s);
      relative_.resize(kept.size());
      std::ranges::transform(kept, relative_.begin(), [&](std::uint32_t peak) { return peak - first; });
      for (std::uint32_t const i : relative_)
        if (std::isnan(heights_[i])) {
          heights_[i] = 0;
          ++no_intensity;
        }
      spectrum_header header = table.spectra[s].header;
      if (auto const* const sequence = task_.find_sequence(header, text.first_spectrum + s)) set_sequence(metadata_, *sequence);
      make_title(s, header);
      print_losses const losses = task_.print(
          {header, {std::span(table.mz).subspan(first, size), heights_, {}}, relative_, {}, metadata_, annotations_},
          *task_.options, title, printed_);
      lost.add(losses);
      if (task_.keys)
        records.add(*task_.keys, header, kept.size() - losses.not_finite, printed_.size(), s, whole.begin + mark_size(whole));
      if (task_.notes_titles) records.add_title(header);
    }
    count_lost_lines(at, std::uint32_t(text.size));
    records.any_spectra = !records.all().empty();
    selected_ = std::span<char const>(printed_);
  }

  void count_lost_lines(std::uint32_t begin, std::uint32_t end) {
    for (std::string_view rest = text.view().substr(begin, end - begin); !rest.empty();)
      lost_lines += !trimmed(consume_line(rest)).empty();
  }

  // Reads the parameters of a spectrum whose value its header does not hold, and the text after the intensity of each peak.
  void read_parameters(std::size_t s) {
    peak_table const& table = parsed.table;
    std::string_view const all = text.view();
    std::uint32_t const first = table.first_peak(s), last = table.first_peak(s + 1), end = table.spectra[s].text.end();
    metadata_.clear();
    annotations_.clear();
    bool any_title = false;
    std::string_view rest = table.spectra[s].text.of(all);
    consume_line(rest);
    for (std::uint32_t next = first; !rest.empty();) {
      if (next != last && table.lines[next].begin == end - rest.size()) {
        std::string_view line = trimmed(consume_line(rest));
        for (int words = 0; words < 2; ++words) {
          line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
          line = trimmed(line);
        }
        if (!line.empty()) annotations_.resize(next - first + 1);
        if (!line.empty()) annotations_.back() = line;
        ++next;
        continue;
      }
      std::string_view const line = trimmed(consume_line(rest));
      if (line.empty() || line == end_ions) continue;
      std::size_t const equals = line.find('=');
      std::string_view const key = trimmed(line.substr(0, equals));
      if (equals == line.npos || key.empty() || is_comment(line) || (key == "TITLE" && any_title)) {
        ++lost_lines;
        continue;
      }
      any_title |= key == "TITLE";
      std::string_view const value = trimmed(line.substr(equals + 1));
      if (!value.empty() && !is_in_header(key, value, table.spectra[s].header)) metadata_.push_back({key, value});
    }
    if (!annotations_.empty()) annotations_.resize(last - first);
  }

  // Returns true if the header of a spectrum holds all of a parameter.
  static bool is_in_header(std::string_view key, std::string_view value, spectrum_header const& header) {
    if (key == "TITLE" || key == "PEPMASS" || key == "CHARGE") return true;
    auto const is_number = [&] {
      double number;
      auto const [end, error] = fast_float::from_chars(value.data(), value.data() + value.size(), number);
      return error == std::errc() && end == value.data() + value.size();
    };
    // A time of more digits than are printed stays as it is.
    auto const num_digits = std::ranges::count_if(value, [](char c) { return c >= '0' && c <= '9'; });
    if (key == "RTINSECONDS") return header.rt_seconds && is_number() && num_digits <= 10;
    if (key == "ION_MOBILITY") return header.ion_mobility && is_number();
    if (key == "SCANS") return header.scan && value == fmt::format("{}", *header.scan);
    return key == "MSLEVEL" && header.ms_level && header.ms_level != 2u;
  }

  // Returns the size of a byte order mark before a spectrum.
  [[nodiscard]] std::uint32_t mark_size(text_range range) const {
    return range.of(text.view()).starts_with(byte_order_mark) ? std::uint32_t(byte_order_mark.size()) : 0;
  }

  // Notes where the first spectrum begins. Parameters between spectra are faults.
  void note_spectra(scan_options const& options) {
    auto const& spectra = parsed.table.spectra;
    records.any_spectra = !spectra.empty();
    records.head = records.any_spectra ? spectra.front().text.begin : text.size;
    records.marked = text.offset == 0 && records.head == 0 && records.any_spectra && text.view().starts_with(byte_order_mark);
    std::size_t counted_to = 0;
    std::uint64_t lines = 0;
    for (std::size_t s = 0; s < spectra.size() && !parsed.error; ++s) {
      std::size_t const end = s + 1 < spectra.size() ? spectra[s + 1].text.begin : text.size;
      std::string_view rest = text.view().substr(spectra[s].text.end(), end - spectra[s].text.end());
      while (!rest.empty() && !parsed.error) {
        std::size_t const at = end - rest.size();
        std::string_view const line = consume_line(rest);
        if (!is_parameter(trimmed(line))) continue;
        std::string_view before = text.view().substr(counted_to, at - counted_to);
        for (; !before.empty(); consume_line(before)) ++lines;
        counted_to = at;
        line_fault const line_fault{fault::moved_scope, lines, at, at + line.size()};
        if (!options.lenient)
          parsed.error = line_fault;
        else
          parsed.warn(line_fault, options.max_warnings);
      }
    }
  }

  // Records a spectrum of the output, which ends at `end` there, with the empty lines that follow it.
  void record(std::size_t s, std::uint64_t num_peaks, std::size_t end) {
    auto const& spectra = parsed.table.spectra;
    text_range const range = spectra[s].text;
    std::size_t const next = s + 1 < spectra.size() ? spectra[s + 1].text.begin : text.size;
    records.add(*task_.keys, spectra[s].header, num_peaks,
                end + empty_lines(text.view().substr(range.end(), next - range.end())), s, range.begin + mark_size(range));
    if (task_.notes_titles) records.add_title(spectra[s].header);
  }

  void fill() {
    if (!std::exchange(filled_, true)) cutter_.fill(text);
  }

  mgf_cutter const& cutter_;
  chunk_task const& task_;
  scan_options const& scan_;
  bool filled_ = false;
  std::size_t added_ = 0;  // bytes of a line end after the last line
  std::vector<char> scratch_;
  std::optional<std::span<char const>> selected_;  // the output of a selection, if it is not the text
  text_ranges ranges_;
  std::vector<text_range> lines_;  // lines of all peaks, if some are printed anew
  std::string printed_;
  std::string title_;
  std::vector<header_edit> edits_;        // changes of the spectrum that is copied
  std::vector<metadata_entry> metadata_;  // metadata of the spectrum that is printed
  std::vector<std::string_view> annotations_;
  std::vector<double> heights_;
  std::vector<std::uint32_t> relative_;
  std::string loaded_;  // the output, if another process made it
};

std::string excerpt(std::string_view line) {
  constexpr std::size_t max_excerpt = 60;
  line = trimmed(line);
  std::string text(line.substr(0, max_excerpt));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = c == '\t' ? ' ' : '?';
  return line.size() > max_excerpt ? text + "..." : text;
}

bool has_decimal_comma(std::string_view line) {
  auto const digit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
  auto const comma = line.find(',');
  return comma != std::string_view::npos && comma != 0 && digit(comma - 1) && digit(comma + 1);
}

class mgf_format final : public input_format {
 public:
  mgf_format(source& input, chunk_task const& task, diagnostics& diagnostics)
      : task_(task),
        scan_(make_scan_options(task)),
        cutter_(input, task.keys || task.choice || task.print ? mgf_cutter::cut::spectrum : mgf_cutter::cut::line,
                !scan_.lenient),
        found_(diagnostics) {}

  [[nodiscard]] step_names const& steps() const override {
    static constexpr step_names names{"read", "scan", "", "sort", "move", "write"};
    return names;
  }
  [[nodiscard]] std::unique_ptr<chunk> make_chunk() const override {
    return std::make_unique<mgf_chunk>(cutter_, task_, scan_);
  }
  [[nodiscard]] std::optional<std::uint64_t> addressable_bytes() const override { return cutter_.size(); }

  bool next(chunk& chunk, std::size_t wanted) override {
    return static_cast<mgf_chunk&>(chunk).next(cutter_, wanted, spectra_before_);
  }

  bool accept(chunk& chunk) override {
    auto& part = static_cast<mgf_chunk&>(chunk);
    part.records.first_number = found_.totals.spectra;
    part.records.first_offset = cutter_.begin() + part.text.offset;
    if (part.text.size >= chunk_text::max_bytes)
      throw input_error(fmt::format("spectrum too large: {}:{}: {} bytes, where less than 4 GiB can be sorted", name(),
                                    found_.totals.lines + 1, part.text.size));
    if (part.scanned && part.text.size != 0 && !accept_scan(part)) return false;
    if (part.failure) std::rethrow_exception(part.failure);
    if (part.text.last && open_)
      forgive(fmt::format("missing END IONS: {}:{}: the input ends inside the spectrum of line {}", name(),
                          found_.totals.lines + part.parsed.lines, *open_ + 1));
    return true;
  }

  void end() override {
    cutter_.skip_all();
    found_.warn_of_losses(lost_, task_.prints_as);
    found_.warn_of_count(lost_lines_, "line is no parameter of a spectrum, and is left out",
                         "lines are no parameters of a spectrum, and are left out");
    found_.warn_of_count(no_intensity_, "peak has no intensity, and gets 0", "peaks have no intensity, and get 0");
    if (foreign_ && found_.totals.spectra == 0) throw input_error(*foreign_);  // it is not MGF, however lenient the reader is
  }

 private:
  [[nodiscard]] std::string const& name() const { return task_.options->name; }

  // @returns false for a disorder
  bool accept_scan(mgf_chunk const& part) {
    scan_result const& result = part.parsed;
    std::string_view const text = part.text.view();
    if (found_.totals.bytes == 0) kind_ = part.kind;
    // A chunk that ends inside a spectrum is followed by one that begins with BEGIN IONS.
    if (open_) forgive(missing_end(0, *open_));
    open_.reset();
    for (std::size_t i = 0; i < part.warned.size(); ++i) found_.warn(message(result.first_warnings[i], part.warned[i]));
    found_.totals.warnings += result.warnings - result.first_warnings.size();
    if (result.first_foreign && !foreign_) foreign_ = message(*result.first_foreign, fault_line(*result.first_foreign, text));
    if (result.error) throw input_error(message(*result.error, fault_line(*result.error, text)));
    if (result.disorder) {
      disorder_at const& at = *result.disorder;
      found_.first_disorder = disorder{found_.totals.lines + at.where.line + 1, found_.totals.spectra + at.spectrum + 1,
                                       std::string(read_title(text.substr(at.begin))), std::string(fault_line(at.where, text))};
      return false;
    }
    if (result.open) open_ = found_.totals.lines + *result.open;
    lost_.add(part.lost);
    lost_lines_ += part.lost_lines;
    no_intensity_ += part.no_intensity;
    return true;
  }

  void forgive(std::string const& message) {
    if (!scan_.lenient || scan_.end_needed) throw input_error(message);
    found_.warn(message);
  }

  [[nodiscard]] std::string missing_end(std::uint64_t line, std::uint64_t since) const {
    return fmt::format("missing END IONS: {}:{}: another BEGIN IONS inside the spectrum of line {}", name(),
                       found_.totals.lines + line + 1, since + 1);
  }

  [[nodiscard]] std::string message(line_fault const& line_fault, std::string_view line) const {
    std::string const where = fmt::format("{}:{}", name(), found_.totals.lines + line_fault.line + 1);
    switch (line_fault.kind) {
      case fault::missing_end:
        return missing_end(line_fault.line, found_.totals.lines + line_fault.since);
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
                           line_fault.kind == fault::bad_number   ? "the m/z"
                           : line_fault.kind == fault::bad_header ? "the value"
                                                                  : "the intensity",
                           excerpt(line));
      case fault::foreign:
        if (!kind_.empty()) return fmt::format("not MGF: {}: {}", where, describe_kind(kind_));
        if (auto const kind = kind_of_line(line); !kind.empty())
          return fmt::format("not MGF: {}: {}", where, describe_kind(kind, excerpt(line)));
        return fmt::format("not MGF: {}: neither parameter, comment, query nor BEGIN IONS: '{}'", where, excerpt(line));
      case fault::moved_scope:
        return fmt::format("parameter between spectra: {}: '{}' would come to stand before other spectra", where,
                           excerpt(line));
      case fault::unknown:
        break;
    }
    return fmt::format("neither peak, parameter nor comment: {}: '{}'", where, excerpt(line));
  }

  chunk_task const& task_;
  scan_options scan_;
  mgf_cutter cutter_;
  diagnostics& found_;
  std::string_view kind_;               // kind of an input that does not look like MGF
  std::optional<std::string> foreign_;  // the error of its first line that no MGF has
  std::optional<std::uint64_t> open_;   // line of the BEGIN IONS that has no END IONS so far
  print_losses lost_;
  std::uint64_t lost_lines_ = 0, no_intensity_ = 0;
  std::uint64_t spectra_before_ = 0;  // in the chunks that were read, if it is needed
};

// ---- Writing ----

// Copies more than a short line: copies of a fixed size are faster. What is too much is overwritten next.
char* copy_line(char* to, char const* from, std::size_t size, char const* text_end) {
  if (size > text_ranges::overrun || std::size_t(text_end - from) < text_ranges::overrun) {
    std::memcpy(to, from, size);
  } else {
    std::memcpy(to, from, 32);
    if (size > 32) std::memcpy(to + 32, from + 32, 32);
  }
  return to + size;
}

std::uint32_t line_end_size(std::string_view line) {
  return line.ends_with("\r\n") ? 2 : 1;
}

}  // namespace

void permute_lines(std::span<char> text, std::span<peak const> slots, std::span<std::uint32_t const> order, std::uint32_t base,
                   bool unterminated, std::vector<char>& scratch) {
  std::size_t const begin = slots.front().begin;
  std::size_t const size = slots.back().begin + slots.back().length - begin;
  if (scratch.size() < size + text_ranges::overrun) scratch.resize(size + text_ranges::overrun);
  char const* const from = text.data();
  char const* const text_end = from + text.size();
  char* to = scratch.data();
  std::size_t const last = slots.size() - 1;
  for (std::size_t j = 0; j <= last; ++j) {
    peak const& line = slots[order[j] - base];
    to = copy_line(to, from + line.begin, line.length, text_end);
    if (unterminated && order[j] - base == last && j != last) {
      peak const& other = slots[order[last] - base];
      std::size_t const extra = line_end_size({from + other.begin, other.length});
      std::memcpy(to, from + other.begin + other.length - extra, extra);
      to += extra;
    }
    if (j != last) {
      std::size_t const gap = slots[j].begin + slots[j].length;
      if (std::size_t const between = slots[j + 1].begin - gap; between != 0) {
        std::memcpy(to, from + gap, between);
        to += between;
      }
    }
  }
  std::memcpy(text.data() + begin, scratch.data(), size);
}

void text_ranges::copy(std::string_view text, std::string_view second, char* output) const {
  char const *const end = text.data() + text.size(), *const second_end = second.data() + second.size();
  for (text_range const range : ranges_)
    output = range.begin <= text.size()
                 ? copy_line(output, text.data() + range.begin, range.size, end)
                 : copy_line(output, second.data() + (range.begin - text.size() - 1), range.size, second_end);
}

void add_spectrum(text_ranges& output, std::string_view text, peak_table const& table, std::span<text_range const> lines,
                  std::size_t s, std::span<std::uint8_t const> keep, std::span<std::uint32_t const> order, bool unterminated,
                  std::span<header_edit const> edits) {
  text_range const whole = table.spectra[s].text;
  std::uint32_t const first = table.first_peak(s), last = table.first_peak(s + 1);
  bool const ends_move = unterminated && keep[last - 1] && order.back() != last - 1;
  std::uint32_t at = whole.begin;
  for (auto const& [replaced, by] : edits) {
    output.add({at, replaced.begin - at});
    output.add(by);
    at = replaced.end();
  }
  auto next = order.begin();
  for (std::uint32_t i = first; i < last; ++i) {
    text_range const slot = table.lines[i];
    output.add({at, slot.begin - at});
    at = slot.end();
    if (!keep[i]) continue;
    text_range line = lines[*next];
    text_range line_end{};
    if (ends_move) {
      text_range const other = table.lines[order.back()];
      std::uint32_t const size = line_end_size(other.of(text));
      if (*next == last - 1) line_end = {other.end() - size, size};
      if (*next == order.back()) line.size -= size;
    }
    output.add(line);
    output.add(line_end);
    ++next;
  }
  output.add({at, whole.end() - at});
}

std::unique_ptr<input_format> make_mgf_format(source& input, chunk_task const& task, diagnostics& diagnostics) {
  return std::make_unique<mgf_format>(input, task, diagnostics);
}

}  // namespace ordo::inline v0::spectra::detail
