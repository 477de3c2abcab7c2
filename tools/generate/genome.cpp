#include "tools/generate/genome.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sort_core/error.hpp"
#include "tools/generate/random.hpp"

namespace ordo::generate {
namespace {

constexpr std::string_view bases = "ACGT";

char upper(char c) {
  return static_cast<char>(c & ~0x20);
}

char complement(char c) {
  return "TGCA"[bases.find(c)];
}

struct substitution {
  std::size_t position;
  char residue;
};

class genome {
 public:
  genome(genome_options const& options);
  genome_report write(sink& out);

 private:
  struct interval {
    std::size_t begin, end;
  };
  [[nodiscard]] std::size_t longest_record() const;
  void cut_into_records();
  void fill_background(std::string& text, std::size_t length);
  void scatter_families();
  void scatter_tandem_repeats();
  void plant_duplications();
  void plant_n_runs();
  interval reserve(std::size_t length, std::string_view what);
  void mutate(std::string& piece, double rate);
  char other_than(char a, char b = 0);
  void put(std::size_t position, std::string_view piece);
  [[nodiscard]] std::vector<substitution> diverge(std::string& copy);
  void compare_copies(std::vector<std::vector<substitution>> const& copies);
  void write_copy(std::string_view text, std::size_t copy, sink& out) const;

  genome_options options_;
  random_source random_;
  std::string text_;
  std::vector<std::size_t> starts_;              // of the records, and the end
  std::map<std::size_t, std::size_t> reserved_;  // begin to end, disjoint
  genome_report report_;
};

genome::genome(genome_options const& options) : options_(options), random_(options.seed) {
  auto const demand = [](bool right, std::string_view option, std::string_view why) {
    if (!right) throw usage_error(fmt::format("genome: {}: {}", option, why));
  };
  auto const is_share = [](double x) { return x >= 0 && x <= 1; };
  demand(options.records > 0, "--records", "at least one");
  demand(options.length / 16 >= options.records, "--length", "fewer than 16 residues a record");
  demand(is_share(options.gc), "--gc", "not between 0 and 1");
  demand(is_share(options.interspersed), "--interspersed", "not between 0 and 1");
  demand(options.families > 0 || options.interspersed == 0, "--families", "at least one");
  demand(is_share(options.tandem), "--tandem", "not between 0 and 1");
  demand(options.copies > 0, "--copies", "at least one");
  demand(is_share(options.divergence), "--divergence", "not between 0 and 1");
  demand(options.width > 0, "--width", "at least one");
  cut_into_records();
  if (options_.duplication_length == 0) options_.duplication_length = std::min(options.length / 100, longest_record() / 4);
  if (options_.n_run_length == 0) options_.n_run_length = std::min(options.length / 50, longest_record() / 8);
  fill_background(text_, options.length);
  scatter_families();
  scatter_tandem_repeats();
  plant_n_runs();
  plant_duplications();
}

std::size_t genome::longest_record() const {
  std::size_t longest = 0;
  for (std::size_t i = 1; i != starts_.size(); ++i) longest = std::max(longest, starts_[i] - starts_[i - 1]);
  return longest;
}

void genome::cut_into_records() {
  std::vector<std::size_t> weights(options_.records);
  std::size_t sum = 0, before = 0;
  for (auto& weight : weights) sum += weight = random_.between(1, 16);
  for (auto const weight : weights) {
    starts_.push_back(options_.length / sum * before + options_.length % sum * before / sum);
    before += weight;
  }
  starts_.push_back(options_.length);
}

void genome::fill_background(std::string& text, std::size_t length) {
  std::string table(4096, '\0');  // twelve random bits to a base
  std::size_t const gc = static_cast<std::size_t>(options_.gc * 2048 + 0.5), at = 2048 - gc;
  for (std::size_t i = 0; i != table.size(); ++i) table[i] = i < gc ? 'G' : i < 2 * gc ? 'C' : i < 2 * gc + at ? 'A' : 'T';
  text.resize(length);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i != length; ++i) {
    if (i % 5 == 0) bits = random_();
    text[i] = table[bits & 4095];
    bits >>= 12;
  }
}

char genome::other_than(char a, char b) {
  for (;;)
    if (char const c = bases[random_.below(4)]; c != upper(a) && c != upper(b)) return c;
}

void genome::mutate(std::string& piece, double rate) {
  for (auto i = random_.exponential(1 / rate); i < static_cast<double>(piece.size()); i += 1 + random_.exponential(1 / rate))
    piece[static_cast<std::size_t>(i)] = other_than(piece[static_cast<std::size_t>(i)]);
}

void genome::put(std::size_t position, std::string_view piece) {
  std::copy(piece.begin(), piece.end(), text_.begin() + static_cast<std::ptrdiff_t>(position));
  if (options_.soft_mask)
    for (std::size_t i = position; i != position + piece.size(); ++i) text_[i] |= 0x20;
}

void genome::scatter_families() {
  std::vector<std::string> families(options_.interspersed > 0 ? options_.families : 0);
  for (auto& consensus : families)  // 100 to 6400 residues, short ones as many as long ones
    fill_background(consensus, static_cast<std::size_t>(100 * exact_exp(random_.unit() * exact_log(64))));
  auto const wanted = static_cast<std::size_t>(options_.interspersed * static_cast<double>(options_.length));
  while (report_.interspersed < wanted) {
    auto const& consensus = families[std::min(random_.below(families.size()), random_.below(families.size()))];
    std::size_t const whole = random_.chance(0.4) ? consensus.size() : 1 + random_.below(consensus.size());
    std::size_t const length = std::min(whole, wanted - report_.interspersed);
    std::string piece = consensus.substr(consensus.size() - length);  // cut at the front, as old copies are
    mutate(piece, 0.005 + 0.195 * random_.unit());
    if (random_.chance(0.5)) {
      std::reverse(piece.begin(), piece.end());
      for (char& c : piece) c = complement(c);
    }
    put(random_.below(options_.length - length + 1), piece);
    report_.interspersed += length;
  }
}

void genome::scatter_tandem_repeats() {
  auto const wanted = static_cast<std::size_t>(options_.tandem * static_cast<double>(options_.length));
  while (report_.tandem < wanted) {
    std::string unit;
    fill_background(unit, static_cast<std::size_t>(exact_exp(random_.unit() * exact_log(172))));
    std::size_t const length = std::min(unit.size() * random_.between(5, 60), wanted - report_.tandem);
    std::string array;
    while (array.size() < length) array += unit;
    array.resize(length);
    mutate(array, 0.02);
    put(random_.below(options_.length - length + 1), array);
    report_.tandem += length;
  }
}

// A stretch inside one record, with a residue of the same record on both sides, that no other reservation touches.
genome::interval genome::reserve(std::size_t length, std::string_view what) {
  for (std::size_t attempt = 0; length + 2 <= options_.length && attempt != 10000; ++attempt) {
    std::size_t const begin = random_.below(options_.length - length - 1), end = begin + length + 2;
    if (end > *std::upper_bound(starts_.begin(), starts_.end(), begin)) continue;
    auto const next = reserved_.lower_bound(begin);
    if (next != reserved_.end() && next->first < end) continue;
    if (next != reserved_.begin() && std::prev(next)->second > begin) continue;
    reserved_.emplace(begin, end);
    return {begin + 1, end - 1};
  }
  throw usage_error(fmt::format("genome: {}: no room for one of {} residues", what, length));
}

void genome::plant_n_runs() {
  std::size_t const count = options_.n_runs;
  for (std::size_t i = 0; i != count; ++i) {
    std::size_t const length = std::max<std::size_t>(1, options_.n_run_length - options_.n_run_length / count * i);
    auto const run = reserve(length, "--n-run-length");
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(run.begin), text_.begin() + static_cast<std::ptrdiff_t>(run.end),
              'N');
    if (length > 1) report_.planted.push_back({planted_repeat::n_run, length - 1, run.begin, run.begin + 1});
  }
}

void genome::plant_duplications() {
  std::size_t const count = options_.duplications;
  for (std::size_t i = 0; i != count; ++i) {
    std::size_t const length = std::max<std::size_t>(1, options_.duplication_length - options_.duplication_length / count * i);
    auto const from = reserve(length, "--duplication-length"), to = reserve(length, "--duplication-length");
    text_.replace(to.begin, length, text_, from.begin, length);
    text_[to.begin - 1] = other_than(text_[from.begin - 1]);
    text_[to.end] = other_than(text_[from.end]);
    report_.planted.push_back({planted_repeat::duplication, length, from.begin, to.begin});
  }
}

std::vector<substitution> genome::diverge(std::string& copy) {
  std::vector<substitution> changes;
  if (options_.divergence == 0) return changes;
  double const gap = 1 / options_.divergence;
  for (double i = random_.exponential(gap); i < static_cast<double>(copy.size()); i += 1 + random_.exponential(gap)) {
    auto const position = static_cast<std::size_t>(i);
    if (copy[position] == 'N') continue;
    copy[position] = static_cast<char>(other_than(copy[position]) | (copy[position] & 0x20));
    changes.push_back({position, copy[position]});
  }
  return changes;
}

// The longest stretch, inside a record, in which two of the copies agree.
void genome::compare_copies(std::vector<std::vector<substitution>> const& copies) {
  planted_repeat longest{planted_repeat::near_identical_copy, 0, 0, 0};
  for (std::size_t a = 0; a != copies.size(); ++a)
    for (std::size_t b = a + 1; b != copies.size(); ++b) {
      std::size_t from = 0;  // they agree in [from, position)
      auto const differ_at = [&](std::size_t position, std::size_t next) {
        if (position - from > longest.length) {
          longest.length = position - from;
          longest.first = a * options_.length + from;
          longest.second = b * options_.length + from;
        }
        from = next;
      };
      auto start = starts_.begin() + 1;
      auto in_a = copies[a].begin(), in_b = copies[b].begin();
      while (in_a != copies[a].end() || in_b != copies[b].end()) {
        bool const both = in_a != copies[a].end() && in_b != copies[b].end() && in_a->position == in_b->position;
        bool const first = in_b == copies[b].end() || (in_a != copies[a].end() && in_a->position <= in_b->position);
        std::size_t const position = first ? in_a->position : in_b->position;
        bool const differ = !both || in_a->residue != in_b->residue;
        in_a += both || first;
        in_b += both || !first;
        for (; *start <= position; ++start) differ_at(*start, *start);
        if (differ) differ_at(position, position + 1);
      }
      for (; start != starts_.end(); ++start) differ_at(*start, *start);
    }
  if (longest.length > 0) report_.planted.push_back(longest);
}

void genome::write_copy(std::string_view text, std::size_t copy, sink& out) const {
  for (std::size_t i = 0; i + 1 != starts_.size(); ++i) {
    std::size_t const length = starts_[i + 1] - starts_[i];
    auto const name =
        fmt::format("{}_{} length={}", options_.copies > 1 ? fmt::format("copy{}", copy + 1) : "synthetic", i + 1, length);
    write_fasta(out, name, text.substr(starts_[i], length), options_.width);
  }
}

genome_report genome::write(sink& out) {
  write_copy(text_, 0, out);
  std::vector<std::vector<substitution>> changes(options_.copies);
  for (std::size_t copy = 1; copy != options_.copies; ++copy) {
    std::string diverged = text_;
    changes[copy] = diverge(diverged);
    write_copy(diverged, copy, out);
  }
  compare_copies(changes);
  report_.residues = options_.length * options_.copies;
  report_.records = options_.records * options_.copies;
  std::stable_sort(report_.planted.begin(), report_.planted.end(),
                   [](auto const& a, auto const& b) { return a.length > b.length; });
  return report_;
}

}  // namespace

genome_report write_genome(genome_options const& options, sink& out) {
  return genome(options).write(out);
}

}  // namespace ordo::generate
