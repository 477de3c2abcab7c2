#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/pieces.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/option_rows.hpp"
#include "tools/sufsort/output_text.hpp"
#include "tools/sufsort/search/pattern_search.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Counts patterns that have more hits than are printed.
class cut_patterns {
 public:
  void add(std::string_view name, std::size_t hits);
  /// Warns if there are any.
  void report(std::size_t limit) const;

 private:
  std::size_t count_ = 0, hits_ = 0;
  std::string first_;
};

/// The hits that are printed, and how.
struct wanted_hits {
  std::size_t limit = 1000;  // maximum number of hits of a pattern; 0: all
  bool bed = false;
  std::size_t context = 0;  // letters before and after a hit
};

struct hit {
  suffix::location at;
  std::uint64_t position;
};

/// Formats the output of locate.
class hit_printer {
 public:
  hit_printer(searched_index const& index, circular_records const& circular, wanted_hits const& wanted)
      : index_(index), circular_(circular), wanted_(wanted) {
    if (wanted.context != 0) static_cast<void>(index.stored.view());  // throws if there is no text
  }

  /// Returns the number of lines of a pattern.
  [[nodiscard]] std::size_t lines(std::size_t hits) const { return wanted_.limit == 0 ? hits : std::min(hits, wanted_.limit); }

  /// Appends the lines of pattern i to `text` and calls flush(text) after each.
  void print(found_batch const& batch, std::size_t i, std::string& text, std::function<void(std::string&)> const& flush);

 private:
  void find_hits(found_batch const& batch, std::size_t i);
  void add_context(std::string& text, hit const& hit, std::size_t length) const;
  void add_bed(std::string& text, found_batch const& batch, std::size_t i, hit const& hit, std::uint64_t begin,
               std::uint64_t end) const;
  [[nodiscard]] std::string letters(std::size_t record, std::size_t begin, std::size_t length) const;

  searched_index const& index_;
  circular_records const& circular_;
  wanted_hits const& wanted_;
  std::vector<hit> hits_;
  std::vector<std::uint64_t> positions_;
};

void cut_patterns::add(std::string_view name, std::size_t hits) {
  if (count_++ != 0) return;
  first_ = shortened(name);
  hits_ = hits;
}

void cut_patterns::report(std::size_t limit) const {
  if (count_ == 0) return;
  std::string const others =
      count_ == 1 ? "" : fmt::format(", and {} too many", quantity(count_ - 1, "more pattern has", "more patterns have"));
  cli::say("sufsort",
           fmt::format("warning: not all printed: pattern '{}': {} of its {} hits {} printed{}: use --limit=0 to print all",
                       first_, limit, hits_, limit == 1 ? "is" : "are", others));
}

void hit_printer::print(found_batch const& batch, std::size_t i, std::string& text,
                        std::function<void(std::string&)> const& flush) {
  find_hits(batch, i);
  std::string_view const name = batch.queries.name(i);
  std::size_t const count = batch.hits(i), length = batch.patterns[i].size() / index_.input.residue_bytes;
  if (hits_.empty() && !wanted_.bed) {
    (text += name) += "\t0\t.\t.\t.";
    if (wanted_.context != 0) text += "\t.\t.";
    text += '\n';
  }
  for (hit const& hit : hits_) {
    if (wanted_.bed) {
      // A hit across the end of a record has two lines.
      std::size_t const record = index_.search.record_at(hit.position);
      std::uint64_t const size = index_.input.end(record) - index_.input.begin(record);
      std::uint64_t const end = hit.at.offset + length;
      bool const is_around = hit.position + length > index_.input.end(record);
      add_bed(text, batch, i, hit, hit.at.offset, is_around ? size : end);
      if (is_around) add_bed(text, batch, i, hit, 0, end - size);
    } else {
      text += name;
      append(text += '\t', count);
      index_.stored.description().append_name(text += '\t', hit.at.record);
      append(text += '\t', hit.at.offset);
      text += hit.at.reverse ? "\t-" : "\t+";
      if (wanted_.context != 0) add_context(text, hit, length);
      text += '\n';
    }
    flush(text);
  }
}

void hit_printer::add_bed(std::string& text, found_batch const& batch, std::size_t i, hit const& hit, std::uint64_t begin,
                          std::uint64_t end) const {
  index_.stored.description().append_name(text, hit.at.record);
  append(text += '\t', begin);
  append(text += '\t', end);
  (text += '\t') += batch.queries.name(i);
  append(text += '\t', std::min<std::size_t>(batch.hits(i), 1000));
  text += hit.at.reverse ? "\t-" : "\t+";
  if (wanted_.context != 0) add_context(text, hit, batch.patterns[i].size() / index_.input.residue_bytes);
  text += '\n';
}

// Finds the first hits of the pattern, then of its reverse complement, and orders them by location.
void hit_printer::find_hits(found_batch const& batch, std::size_t i) {
  hits_.clear();
  std::size_t const max_hits = lines(batch.hits(i)), length = batch.patterns[i].size() / index_.input.residue_bytes;
  auto const add = [&](std::size_t k, bool reverse) {
    positions_.clear();
    std::size_t const within = std::min(batch.count_within(k), max_hits - hits_.size());
    for (std::size_t number = 0; number < within; ++number)
      positions_.push_back(batch.listed.empty() ? batch.rows[k].begin + number : batch.listed[k][number]);
    if (batch.listed.empty()) index_.search.positions(positions_);
    for (std::size_t number = within; number < std::min(batch.count(k), max_hits - hits_.size()); ++number)
      positions_.push_back(batch.around[k][number - within]);
    for (std::size_t number = 0; number < positions_.size(); ++number) {
      std::uint64_t const p = positions_[number];
      std::size_t const record = index_.search.record_at(p);
      if (number < within && length > index_.input.end(record) - p)
        throw input_error(fmt::format("bad index: {}: position {}: out of order", index_.stored.path("sa"), p));
      suffix::location at = circular_.has(record) ? circular_.to_location(record, p, length)
                                                  : index_.pieces.to_location(index_.input, record, p, length);
      at.reverse ^= reverse;
      hits_.push_back({at, p});
    }
  };
  add(i, false);
  if (batch.has_reverse()) add(batch.reverse(i), true);
  std::ranges::sort(hits_, {}, &hit::at);
}

// Returns residues of a record, around it if it is circular.
std::string hit_printer::letters(std::size_t record, std::size_t begin, std::size_t length) const {
  std::size_t const size = index_.input.residue_bytes, first = index_.input.begin(record), end = index_.input.end(record);
  if (begin >= end && circular_.has(record)) begin = begin - end + first;
  std::size_t const there = std::min(length, end - std::min(begin, end));
  std::string all(index_.input.residues.substr(begin * size, there * size));
  return all += index_.input.residues.substr(first * size, (length - there) * size);
}

// Appends the letters before and after a hit in its record, in the direction of the pattern.
void hit_printer::add_context(std::string& text, hit const& hit, std::size_t length) const {
  std::size_t const size = index_.input.residue_bytes;
  std::size_t const record = index_.search.record_at(hit.position), begin = index_.input.begin(record),
                    end = index_.input.end(record), p = hit.position;
  bool const circular = circular_.has(record);
  std::size_t const others = circular ? std::min(wanted_.context, end - begin - length) : wanted_.context;
  std::size_t const num_before = circular ? others : std::min(others, p - begin),
                    num_behind = circular ? others : std::min(others, end - p - length);
  std::string const before =
                        letters(record, p >= begin + num_before ? p - num_before : p + (end - begin) - num_before, num_before),
                    after = letters(record, p + length, num_behind);
  bool const turned = hit.at.reverse && !index_.both_strands;
  for (std::string_view const side : {turned ? after : before, turned ? before : after}) {
    text += '\t';
    if (side.empty())
      text += '.';
    else if (turned)
      index_.other_strand.append_reversed(text, side);
    else if (size != 1)
      append_tokens(text, side, unsigned(size));
    else if (!index_.is_fasta())
      append_printable(text, side);
    else
      text += side;
  }
}

/// Prints the hits of patterns in the order of the patterns, and those of one pattern by record, position and strand.
class locate final : public pattern_search {
 public:
  cli::command_table table() override {
    cli::command_table table{
        .name = "sufsort locate",
        .summary = "print the positions at which patterns occur",
        .usage = {"[OPTION]... PREFIX PATTERN...", "[OPTION]... PREFIX --file=FILE"},
        .description =
            "Print a line for each hit, by record and offset: pattern, number of its hits, record, offset, and "
            "strand. Offsets count from 0.",
        .operands = operands(),
        .options = rows("find reverse complements, too, and print - as their strand",
                        "A hit goes around a record once at most. In BED such a hit has two lines."),
        .examples = {{"Find a pattern", "sufsort locate genome GATTACA"},
                     {"Find a pattern on both strands, with ten letters around it",
                      "sufsort locate genome GATTACA --both-strands --context=10"},
                     {"Find all reads as BED", "sufsort locate genome -f reads.fq.gz --format=bed --limit=0 -o hits.bed"}}};
    table.options.push_back({.name = "limit",
                             .value = "N",
                             .group = search_group,
                             .help = "print at most N hits of each pattern, the first ones in suffix order; 0 means all",
                             .preset = "1000",
                             .set = parse_to(wanted_.limit)});
    table.options.push_back(
        {.name = "format",
         .value = "NAME",
         .group = output_group,
         .help = "print tab-separated columns (tsv) or BED (bed)",
         .preset = "tsv",
         .details = "tsv: pattern, count, record, offset, strand, and a line for a pattern without hits. bed: record, begin, "
                    "end, pattern, count up to 1000, strand.",
         .choices = "tsv bed",
         .only_choices = true,
         .set = [this](std::string_view, std::string_view value) { wanted_.bed = value == "bed"; }});
    table.options.push_back({.name = "context",
                             .value = "N",
                             .group = output_group,
                             .help = "print two more columns: the N letters before the hit and the N after it",
                             .preset = "0",
                             .details = "They are read in the direction of the pattern.",
                             .set = parse_to(wanted_.context)});
    table.options.push_back(output_option(output_));
    return table;
  }

 private:
  void format(found_batch& batch, search_ends const& ends) const override {
    hit_printer printer(ends.index, ends.circular, wanted_);
    std::size_t const line = 64 + 2 * wanted_.context;
    for (std::size_t i = 0; i < batch.queries.size(); ++i, ++batch.num_written) {
      constexpr std::size_t ahead = 16;
      for (std::size_t k = i + ahead; k < batch.rows.size(); k += batch.queries.size())
        ends.index.search.prefetch(batch.rows[k].begin);
      if (batch.text.size() + printer.lines(batch.hits(i)) * (line + batch.queries.name(i).size()) > max_text) break;
      printer.print(batch, i, batch.text, [](std::string&) {});
    }
  }
  void write(found_batch& batch, search_ends const& ends) override {
    auto const write = [&](std::string& text) {
      ends.out.write(std::string_view(text));
      text.clear();
    };
    write(batch.text);
    hit_printer printer(ends.index, ends.circular, wanted_);
    for (std::size_t i = batch.num_written; i < batch.queries.size(); ++i)
      printer.print(batch, i, batch.text, [&](std::string& text) {
        if (text.size() >= max_text) write(text);
      });
    write(batch.text);
    for (std::size_t i = 0; i < batch.queries.size(); ++i)
      if (printer.lines(batch.hits(i)) < batch.hits(i)) cut_.add(batch.queries.name(i), batch.hits(i));
  }
  void warn() const override { cut_.report(wanted_.limit); }

  wanted_hits wanted_;
  cut_patterns cut_;
};

}  // namespace

std::unique_ptr<command> make_locate() {
  return std::make_unique<locate>();
}

}  // namespace ordo::inline v0::sufsort
