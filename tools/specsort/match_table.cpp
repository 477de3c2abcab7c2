#include "tools/specsort/match_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {
namespace {

using namespace std::string_view_literals;

// Names of columns, in lower case without blanks, underscores and dots; the first one that a table has counts.
constexpr std::array sequence_columns{"proforma"sv,          "peptidoform"sv, "modifiedpeptide"sv, "modifiedsequence"sv,
                                      "annotatedsequence"sv, "peptide"sv,     "sequence"sv,        "predictions"sv};
constexpr std::array spectrum_columns{
    "usi"sv,   "nativeid"sv, "spectrumid"sv, "scannr"sv,        "scan"sv,  "scannumber"sv,       "scannum"sv,
    "scans"sv, "ms2scan"sv,  "spectrum"sv,   "spectrumtitle"sv, "title"sv, "spectrumreference"sv};
constexpr std::array number_columns{"index"sv, "spectrumindex"sv};
constexpr std::array run_columns{"filename"sv, "file"sv, "rawfile"sv, "run"sv, "spectrumfile"sv, "spectrumfilename"sv};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string normalized(std::string_view name) {
  std::string text = lower_case(trimmed(name));
  std::erase_if(text, [](char c) { return c == ' ' || c == '_' || c == '.' || c == '-'; });
  return text;
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// Returns the name of a run: that of a file without its folder and extensions.
std::string run_name(std::string_view file) {
  std::size_t const slash = file.find_last_of("/\\");
  std::string name(file.substr(slash == file.npos ? 0 : slash + 1));
  if (cli::compression_named(name) != cli::compression::none) name.resize(name.find_last_of('.'));
  std::string const lower = lower_case(name);
  for (std::string_view const extension : {".mzml", ".mzxml", ".mgf", ".raw", ".d", ".msp", ".wiff"})
    if (lower.ends_with(extension)) name.erase(name.size() - extension.size());
  return name;
}

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    std::size_t const tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == line.npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

// Returns a sequence without the residues before and after it: PEPTIDE for K.PEPTIDE.R.
std::string_view without_neighbours(std::string_view sequence) {
  bool const has_both = sequence.size() > 4 && sequence[1] == '.' && sequence[sequence.size() - 2] == '.';
  return has_both ? sequence.substr(2, sequence.size() - 4) : sequence;
}

class match_reader {
 public:
  match_reader(std::string const& path, std::vector<std::string> const& inputs) : path_(path) {
    for (std::string const& input : inputs) runs_.push_back(run_name(input));
    spectra_.resize(inputs.size());
  }

  void read() {
    host_bytes const bytes = cli::read_all(path_);
    std::string_view text(bytes.data(), bytes.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    char const end = text.find('\n') == text.npos ? '\r' : '\n';
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find(end));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (!trimmed(line).empty() && !line.starts_with('#')) read_line(line);
    }
    if (rows_ == 0) throw input_error(fmt::format("not a table of matches: {}: it names no spectra", path_));
    if (!any_)
      throw input_error(
          fmt::format("not a table of these spectra: {}: it has the run {}, and not {}", path_, other_run_, runs_.front()));
  }
  [[nodiscard]] std::vector<spectra::named_spectra>& spectra() { return spectra_; }

 private:
  enum class kind { unknown, usi, mztab, table };

  [[noreturn]] void fail(std::string const& why) const {
    throw input_error(fmt::format("not a table of matches: {}:{}: {}", path_, line_, why));
  }

  void read_line(std::string_view line) {
    if (kind_ == kind::unknown) {
      std::string_view const front = line.substr(0, 4);
      bool const is_mztab = front == "MTD\t" || front == "COM\t" || front == "PSH\t";
      kind_ = line.starts_with("mzspec:") ? kind::usi : is_mztab ? kind::mztab : kind::table;
      if (kind_ == kind::table) return read_names(split_fields(line), 0);
    }
    if (kind_ == kind::usi) return read_usi(trimmed(line));
    std::vector<std::string_view> const fields = split_fields(line);
    if (kind_ == kind::table) return read_row(fields);
    if (fields[0] == "MTD" && fields.size() > 2) {
      constexpr std::string_view begin = "ms_run[", end = "]-location";
      if (fields[1].starts_with(begin) && fields[1].ends_with(end))
        mztab_runs_[std::string(fields[1].substr(0, fields[1].size() - end.size() + 1))] = run_name(trimmed(fields[2]));
    } else if (fields[0] == "PSH") {
      read_names(fields, 1);
    } else if (fields[0] == "PSM") {
      read_mztab_row(fields);
    }
  }

  // Finds the columns.
  void read_names(std::vector<std::string_view> const& fields, std::size_t first) {
    std::map<std::string, std::size_t> places;
    for (std::size_t k = first; k < fields.size(); ++k) places.emplace(normalized(fields[k]), k);
    auto const find = [&](std::span<std::string_view const> names) -> std::optional<std::size_t> {
      for (std::string_view const name : names)
        if (auto const it = places.find(std::string(name)); it != places.end()) return it->second;
      return {};
    };
    if (kind_ == kind::mztab) {
      spectrum_ = find(std::array{"spectraref"sv});
      for (auto const& [name, at] : places)
        if (name.find("proforma") != name.npos || name.find("peptidoform") != name.npos) sequence_ = at;
      if (!sequence_) sequence_ = find(std::array{"sequence"sv});
    } else {
      spectrum_ = find(spectrum_columns);
      number_ = find(number_columns);
      run_ = find(run_columns);
      sequence_ = find(sequence_columns);
    }
    if (!spectrum_ && !number_)
      fail("no column names spectra: scan, spectrum, title, native_id, index, usi or, in mzTab, spectra_ref");
  }

  [[nodiscard]] std::string_view field(std::vector<std::string_view> const& fields, std::optional<std::size_t> column) const {
    if (!column) return {};
    if (*column >= fields.size()) fail(fmt::format("a row of {} columns", fields.size()));
    return trimmed(fields[*column]);
  }

  void read_row(std::vector<std::string_view> const& fields) {
    std::string_view const sequence = without_neighbours(field(fields, sequence_));
    std::string_view const spectrum = field(fields, spectrum_);
    std::string const run = run_name(field(fields, run_));
    if (spectrum.starts_with("mzspec:")) return read_usi(spectrum, sequence);
    if (spectrum_) return add(run, spectrum, sequence);
    auto const number = whole(field(fields, number_));
    if (!number) fail(fmt::format("'{}' is not the number of a spectrum, from 0 on", field(fields, number_)));
    add(run, fmt::format("index={}", *number), sequence);
  }

  // "ms_run[1]:scan=17|ms_run[1]:scan=18"
  void read_mztab_row(std::vector<std::string_view> const& fields) {
    if (!spectrum_) fail("a row before the names of columns");
    std::string_view all = field(fields, spectrum_);
    std::string_view const sequence = field(fields, sequence_);
    while (!all.empty()) {
      std::string_view const reference = all.substr(0, all.find('|'));
      all.remove_prefix(std::min(all.size(), reference.size() + 1));
      std::size_t const colon = reference.find(':');
      if (colon == reference.npos) fail(fmt::format("'{}' is no spectra_ref", reference));
      auto const run = mztab_runs_.find(reference.substr(0, colon));
      add(run == mztab_runs_.end() ? std::string() : run->second, reference.substr(colon + 1),
          sequence == "null" ? "" : sequence);
    }
  }

  // mzspec:PXD000561:run:scan:17555:VLHPLEGAVVIIFK/2
  void read_usi(std::string_view usi, std::string_view sequence = {}) {
    std::array<std::string_view, 6> parts;
    std::string_view rest = usi;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      std::size_t const colon = k + 1 < parts.size() ? std::min(rest.find(':'), rest.size()) : rest.size();
      parts[k] = rest.substr(0, colon);
      rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    auto const& [mzspec, collection, run, type, number, interpretation] = parts;
    if (mzspec != "mzspec" || number.empty()) fail(fmt::format("'{}' is no universal spectrum identifier", usi));
    if (sequence.empty()) sequence = interpretation.substr(0, interpretation.rfind('/'));
    if (type == "nativeId")
      add(std::string(run), number, sequence);
    else if ((type == "scan" || type == "index") && whole(number))
      add(std::string(run), fmt::format("{}={}", type, number), sequence);
    else
      fail(fmt::format("'{}' names a spectrum neither by scan, index nor nativeId", usi));
  }

  // @param name  17, scan=17, index=16, a native id, or a title
  void add(std::string run, std::string_view name, std::string_view sequence) {
    ++rows_;
    std::optional<std::uint64_t> scan = whole(name), number;
    for (std::size_t at = 0; at < name.size() && !scan && !number;) {  // words key=value
      std::string_view const word = name.substr(at, name.find(' ', at) - at);
      if (word.starts_with("scan=")) scan = whole(word.substr(5));
      if (word.starts_with("index=") && word.size() == name.size()) number = whole(word.substr(6));
      at += word.size() + 1;
    }
    // The titles of msconvert: run.00017.00017.2
    std::array<std::string_view, 4> parts;
    std::string_view rest = name;
    for (std::size_t k = parts.size(); k-- > 1;) {
      std::size_t const dot = rest.rfind('.');
      if (dot == rest.npos) break;
      parts[k] = rest.substr(dot + 1);
      rest = rest.substr(0, dot);
    }
    bool const is_title = whole(parts[1]) && parts[1] == parts[2] && (parts[3].empty() || whole(parts[3]));
    if (is_title && run.empty()) run = rest;
    if (is_title) scan = whole(parts[1]);
    if (run.empty() && runs_.size() > 1) fail(fmt::format("'{}' has no run, where there are several inputs", name));
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (!run.empty() && run != runs_[k] && runs_[k] != "-") {
        if (other_run_.empty()) other_run_ = run;
        continue;
      }
      any_ = true;
      if (scan)
        spectra_[k].by_scan.try_emplace(*scan, sequence);
      else if (number)
        spectra_[k].by_number.try_emplace(*number, sequence);
      else
        spectra_[k].by_id.try_emplace(std::string(name), sequence);
    }
  }

  std::string const& path_;
  std::vector<std::string> runs_;
  std::vector<spectra::named_spectra> spectra_;
  kind kind_ = kind::unknown;
  std::uint64_t line_ = 0, rows_ = 0;
  std::map<std::string, std::string, std::less<>> mztab_runs_;
  std::optional<std::size_t> spectrum_, number_, run_, sequence_;  // columns
  std::string other_run_;
  bool any_ = false;  // a row is of an input
};

}  // namespace

std::vector<std::shared_ptr<spectra::named_spectra const>> read_matches(std::string const& path,
                                                                        std::vector<std::string> const& inputs) {
  match_reader reader(path, inputs);
  reader.read();
  std::vector<std::shared_ptr<spectra::named_spectra const>> all;
  for (spectra::named_spectra& one : reader.spectra())
    all.push_back(std::make_shared<spectra::named_spectra const>(std::move(one)));
  return all;
}

}  // namespace ordo::inline v0::specsort
