#include "tools/sufsort/duplicates/duplicates_report.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "tools/cli/html.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Returns the beginning of a string of the text.
std::string excerpt(suffix::text const& input, suffix::repeated_string const& repeated_string) {
  constexpr std::uint64_t max_residues = 100;
  std::size_t const size = input.residue_bytes;
  std::string_view bytes =
      input.residues.substr(repeated_string.position * size, std::min(repeated_string.length, max_residues) * size);
  // A character of UTF-8 stays whole.
  if (size == 1 && repeated_string.length > max_residues)
    for (int k = 0;
         k < 3 && (static_cast<unsigned char>(input.residues[repeated_string.position + bytes.size()]) & 0xc0) == 0x80; ++k)
      bytes.remove_suffix(1);
  std::string text;
  if (size == 1)
    append_printable(text, bytes);
  else
    append_tokens(text, bytes, unsigned(size));
  return cli::escape_html(text) + (repeated_string.length > max_residues ? " …" : "");
}

bool is_longer(suffix::duplicate_range const& a, suffix::duplicate_range const& b) {
  return a.end - a.begin > b.end - b.begin;
}

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0.0 : 100 * double(part) / double(all);
}

/// Appends a table of the first `max_rows` of files or sources, under a heading.
void append_files(std::string& page, suffix::stored_index const& index, std::string_view heading, std::string_view residue,
                  std::span<file_duplicates const> rows, bool are_sources, std::size_t max_rows) {
  auto const to = std::back_inserter(page);
  fmt::format_to(to,
                 "<h2>{0}</h2>\n<table>\n<tr><th>{1}</th>{2}<th>records</th><th>{3}s</th><th>ranges</th>"
                 "<th>{3}s in them</th><th>%</th><th>longest range</th></tr>\n",
                 heading, are_sources ? "source" : "file", are_sources ? "<th>files</th>" : "", residue);
  for (file_duplicates const& row : rows.first(std::min(rows.size(), max_rows))) {
    fmt::format_to(to, "<tr><td>{}</td>", cli::escape_html(row.name));
    if (are_sources) fmt::format_to(to, "<td class=\"number\">{}</td>", row.files);
    for (std::uint64_t const number : {row.records, row.size, row.ranges, row.residues})
      fmt::format_to(to, "<td class=\"number\">{}</td>", number);
    fmt::format_to(to, "<td class=\"number\">{:.3f}</td><td>", percent(row.residues, row.size));
    if (row.ranges != 0) {
      std::string name;
      index.description().append_name(name, row.example.record);
      fmt::format_to(to, "{}: <code>{}</code>", cli::escape_html(name),
                     excerpt(index.view(), {row.example.begin, row.example.end - row.example.begin, 1}));
    }
    page += "</td></tr>\n";
  }
  page += "</table>\n";
  if (rows.size() > max_rows) fmt::format_to(to, "<p>and {} with fewer</p>\n", quantity(rows.size() - max_rows, "file"));
}

void append_strings(std::string& page, suffix::text const& input, std::vector<suffix::repeated_string> const& strings) {
  page += "<table>\n<tr><th>occurrences</th><th>length</th><th>string</th></tr>\n";
  for (suffix::repeated_string const& string : strings)
    fmt::format_to(std::back_inserter(page),
                   "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td><code>{}</code></td></tr>\n", string.count,
                   string.length, excerpt(input, string));
  page += "</table>\n";
}

}  // namespace

void duplicate_counts::add(suffix::duplicate_range const& range) {
  std::uint64_t const length = range.end - range.begin;
  ++ranges;
  residues += length;
  longest = std::max(longest, length);
  records += range.record != last_record_;
  last_record_ = range.record;
  bin& to = bins[std::size_t(std::bit_width(length)) - 1];
  ++to.ranges;
  to.residues += length;
}

void duplicate_counts::add(duplicate_counts const& more) {
  ranges += more.ranges;
  residues += more.residues;
  records += more.records;
  longest = std::max(longest, more.longest);
  for (std::size_t k = 0; k < bins.size(); ++k) {
    bins[k].ranges += more.bins[k].ranges;
    bins[k].residues += more.bins[k].residues;
  }
}

void keep_different(std::vector<suffix::repeated_string>& strings, suffix::text const& input, std::uint64_t min_length,
                    std::size_t max_strings) {
  constexpr std::uint64_t max_searched = std::uint64_t{1} << 16;  // residues of a string
  std::size_t const size = input.residue_bytes;
  auto const bytes = [&](suffix::repeated_string const& repeated_string, std::uint64_t max_residues) {
    return input.residues.substr(repeated_string.position * size, std::min(repeated_string.length, max_residues) * size);
  };
  auto const holds = [&](std::string_view text, std::string_view part) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
      if (at % size == 0) return true;
    return false;
  };
  std::size_t kept = 0;
  for (suffix::repeated_string const& string : strings) {
    if (kept == max_strings) break;
    std::string_view const text = bytes(string, max_searched), begin = bytes(string, min_length);
    bool const is_variant = std::any_of(strings.begin(), strings.begin() + std::ptrdiff_t(kept), [&](auto const& other) {
      return holds(text, bytes(other, min_length)) || holds(bytes(other, max_searched), begin);
    });
    if (!is_variant) strings[kept++] = string;
  }
  strings.resize(kept);
}

std::vector<file_duplicates> find_file_duplicates(suffix::stored_index const& index, suffix::copy_finder const& copies) {
  suffix::text const input = index.view();
  std::vector<file_duplicates> all;
  for (suffix::input_file const& file : index.description().files) {
    file_duplicates& to = all.emplace_back(file_duplicates{.name = file.name, .records = file.records});
    if (file.records == 0) continue;
    std::size_t const first = std::size_t(file.first_record), last = first + std::size_t(file.records);
    to.size = input.end(last - 1) - input.begin(first);
    to.residues = copies.report(first, last, [&](suffix::duplicate_range const& range) {
      ++to.ranges;
      if (is_longer(range, to.example)) to.example = range;
    });
  }
  return all;
}

std::vector<file_duplicates> sum_by_source(std::vector<file_duplicates> const& files,
                                           std::vector<std::size_t> const& file_sources,
                                           std::vector<std::string> const& sources) {
  std::vector<file_duplicates> all;
  for (std::string const& name : sources) all.push_back({.name = name, .files = 0});
  all.push_back({.name = "others", .files = 0});
  for (std::size_t k = 0; k < files.size(); ++k) {
    file_duplicates const& from = files[k];
    file_duplicates& to = all[file_sources[k]];
    ++to.files;
    to.records += from.records;
    to.size += from.size;
    to.ranges += from.ranges;
    to.residues += from.residues;
    if (is_longer(from.example, to.example)) to.example = from.example;
  }
  if (all.back().files == 0) all.pop_back();
  return all;
}

std::string duplicates_page(suffix::stored_index const& index, duplicate_counts const& counts,
                            std::vector<file_duplicates> files, std::vector<file_duplicates> const& sources,
                            suffix::repeated_strings const& strings,
                            std::vector<std::pair<std::string_view, std::string>> const& settings) {
  suffix::text const input = index.view();
  std::string page = cli::page_front("Duplicates");
  auto const to = std::back_inserter(page);
  std::string_view const residue = input.residue_bytes != 1                                   ? "token"
                                   : index.description().input == suffix::input_format::fasta ? "residue"
                                                                                              : "byte";
  page += "<h1>Duplicates</h1>\n<table>\n";
  for (auto const& [name, value] : settings)
    fmt::format_to(to, "<tr><th>{}</th><td>{}</td></tr>\n", name, cli::escape_html(value));
  fmt::format_to(to, "<tr><th>text</th><td>{} in {}</td></tr>\n", quantity(input.size(), residue),
                 quantity(input.records(), "record"));
  fmt::format_to(to, "<tr><th>duplicates</th><td>{} ({:.3f} %) in {} of {}</td></tr>\n", quantity(counts.residues, residue),
                 percent(counts.residues, input.size()), quantity(counts.ranges, "range"), quantity(counts.records, "record"));
  fmt::format_to(to, "<tr><th>longest range</th><td>{}</td></tr>\n</table>\n", quantity(counts.longest, residue));

  fmt::format_to(to, "<h2>Lengths of ranges</h2>\n<table>\n<tr><th>length</th><th>ranges</th><th>{}s</th><th></th></tr>\n",
                 residue);
  std::uint64_t most = 1;
  for (duplicate_counts::bin const& bin : counts.bins) most = std::max(most, bin.residues);
  for (std::size_t k = 0; k < counts.bins.size(); ++k) {
    auto const& [ranges, residues] = counts.bins[k];
    if (ranges == 0) continue;
    fmt::format_to(to,
                   "<tr><td>{} to {}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
                   "<td class=\"bar\"><div style=\"width: {:.1f}%\"></div></td></tr>\n",
                   std::uint64_t{1} << k, (std::uint64_t{2} << k) - 1, ranges, residues, percent(residues, most));
  }
  page += "</table>\n";
  if (!sources.empty()) append_files(page, index, "Sources", residue, sources, true, sources.size());
  std::ranges::stable_sort(files, std::greater<>(), &file_duplicates::residues);
  if (!files.empty()) append_files(page, index, "Files", residue, files, false, 100);
  if (strings.longest.count != 0) {
    page += "<h2>Longest repeated string</h2>\n";
    append_strings(page, input, {strings.longest});
  }
  if (!strings.frequent.empty()) {
    page += "<h2>Most frequent strings</h2>\n";
    append_strings(page, input, strings.frequent);
  }
  page += cli::page_end;
  return page;
}

}  // namespace ordo::inline v0::sufsort
