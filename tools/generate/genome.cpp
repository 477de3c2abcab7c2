#include "tools/generate/genome.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "ordo/error.hpp"
#include "tools/generate/random.hpp"

namespace ordo::inline v0::generate {
namespace {

constexpr std::string_view bases = "ACGT";

char upper(char c) {
  return static_cast<char>(c & ~0x20);
}

char complement(char c) {
  return static_cast<char>(c ^ (c == 'A' || c == 'T' ? 'A' ^ 'T' : 'C' ^ 'G'));
}

char other_than(random_source& random, char a, char b = 0) {
  for (;;)
    if (char const c = bases[random.below(4)]; c != upper(a) && c != upper(b)) return c;
}

void mutate(std::string& piece, double rate, random_source& random) {
  for (auto i = random.exponential(1 / rate); i < static_cast<double>(piece.size()); i += 1 + random.exponential(1 / rate))
    piece[static_cast<std::size_t>(i)] = other_than(random, piece[static_cast<std::size_t>(i)]);
}

struct substitution {
  std::size_t position;
  char residue;
};

class genome {
 public:
  /// Fills `text`, which has the length of one copy.
  genome(genome_options const& options, std::span<char> text);
  /// Makes the other copies, each where place(copy) says, and hands each, also the first, to done(copy, residues).
  template <class Place, class Done>
  genome_report copies(Place place, Done done);
  void write_copy(std::string_view text, std::size_t copy, sink& out) const;

 private:
  struct interval {
    std::size_t begin, end;
  };
  /// A repeat that covers a part of the text. Its residues come from a seed of its own, so that any thread can make it.
  struct repeat {
    std::size_t begin, length;
    std::string const* consensus;  // consensus of its family; none: a tandem repeat
    std::size_t unit;              // length of what is repeated there
    std::uint64_t seed;
  };
  [[nodiscard]] std::size_t longest_record() const;
  void cut_into_records();
  void fill_background(std::span<char> text, random_source& random) const;
  void plan_families();
  void plan_tandem_repeats();
  void make_residues();
  [[nodiscard]] std::string make_repeat(repeat const& what) const;
  void plant_duplications();
  void plant_n_runs();
  interval reserve(std::size_t length, std::string_view what);
  [[nodiscard]] std::vector<substitution> diverge(std::span<char> copy);
  void compare_copies(std::vector<std::vector<substitution>> const& copies);

  genome_options options_;
  random_source random_;
  std::span<char> text_;
  std::string background_;                       // twelve random bits to a base
  std::vector<std::string> families_;            // their consensus
  std::vector<repeat> repeats_;                  // the later ones cover those before
  std::vector<std::size_t> starts_;              // starts of the records, and the end
  std::map<std::size_t, std::size_t> reserved_;  // begin to end, disjoint
  genome_report report_;
};

genome::genome(genome_options const& options, std::span<char> text) : options_(options), random_(options.seed), text_(text) {
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
  background_.resize(4096);
  std::size_t const gc = static_cast<std::size_t>(options_.gc * 2048 + 0.5), at = 2048 - gc;
  for (std::size_t i = 0; i != background_.size(); ++i)
    background_[i] = i < gc ? 'G' : i < 2 * gc ? 'C' : i < 2 * gc + at ? 'A' : 'T';
  plan_families();
  plan_tandem_repeats();
  make_residues();
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

void genome::fill_background(std::span<char> text, random_source& random) const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (i % 5 == 0) bits = random();
    text[i] = background_[bits & 4095];
    bits >>= 12;
  }
}

void genome::plan_families() {
  families_.resize(options_.interspersed > 0 ? options_.families : 0);
  for (auto& consensus : families_) {  // 100 to 6400 residues, short ones as many as long ones
    consensus.resize(static_cast<std::size_t>(100 * exact_exp(random_.unit() * exact_log(64))));
    fill_background(consensus, random_);
  }
  auto const wanted = static_cast<std::size_t>(options_.interspersed * static_cast<double>(options_.length));
  while (report_.interspersed < wanted) {
    auto const& consensus = families_[std::min(random_.below(families_.size()), random_.below(families_.size()))];
    std::size_t const whole = random_.chance(0.4) ? consensus.size() : 1 + random_.below(consensus.size());
    std::size_t const length = std::min(whole, wanted - report_.interspersed);
    repeats_.push_back({random_.below(options_.length - length + 1), length, &consensus, 0, random_()});
    report_.interspersed += length;
  }
}

void genome::plan_tandem_repeats() {
  auto const wanted = static_cast<std::size_t>(options_.tandem * static_cast<double>(options_.length));
  while (report_.tandem < wanted) {
    auto const unit = static_cast<std::size_t>(exact_exp(random_.unit() * exact_log(172)));
    std::size_t const length = std::min(unit * random_.between(5, 60), wanted - report_.tandem);
    repeats_.push_back({random_.below(options_.length - length + 1), length, nullptr, unit, random_()});
    report_.tandem += length;
  }
}

std::string genome::make_repeat(repeat const& repeat) const {
  random_source random(repeat.seed);
  std::string piece;
  if (repeat.consensus) {
    piece = repeat.consensus->substr(repeat.consensus->size() - repeat.length);  // cut at the front, as old copies are
    mutate(piece, 0.005 + 0.195 * random.unit(), random);
    if (random.chance(0.5)) {
      std::reverse(piece.begin(), piece.end());
      for (char& c : piece) c = complement(c);
    }
  } else {
    std::string unit(repeat.unit, '\0');
    fill_background(unit, random);
    while (piece.size() < repeat.length) piece += unit;
    piece.resize(repeat.length);
    mutate(piece, 0.02, random);
  }
  if (options_.soft_mask)
    for (char& c : piece) c |= 0x20;
  return piece;
}

// Block by block, by all threads: the blocks are the same however many there are.
void genome::make_residues() {
  constexpr std::size_t block = std::size_t{1} << 22;
  struct part {
    std::uint64_t seed;
    std::vector<std::size_t> repeats;
  };
  std::vector<part> parts((text_.size() + block - 1) / block);
  for (auto& part : parts) part.seed = random_();
  for (std::size_t i = 0; i != repeats_.size(); ++i)
    for (std::size_t b = repeats_[i].begin / block; b * block < repeats_[i].begin + repeats_[i].length; ++b)
      parts[b].repeats.push_back(i);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t b) {
    std::size_t const begin = b * block, end = std::min(begin + block, text_.size());
    random_source random(parts[b].seed);
    fill_background(text_.subspan(begin, end - begin), random);
    for (std::size_t const i : parts[b].repeats) {
      auto const& what = repeats_[i];
      std::size_t const from = std::max(begin, what.begin), to = std::min(end, what.begin + what.length);
      std::string const residues = make_repeat(what);
      std::copy_n(residues.begin() + static_cast<std::ptrdiff_t>(from - what.begin), to - from,
                  text_.begin() + static_cast<std::ptrdiff_t>(from));
    }
  });
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
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(from.begin), length,
                text_.begin() + static_cast<std::ptrdiff_t>(to.begin));
    text_[to.begin - 1] = other_than(random_, text_[from.begin - 1]);
    text_[to.end] = other_than(random_, text_[from.end]);
    report_.planted.push_back({planted_repeat::duplication, length, from.begin, to.begin});
  }
}

std::vector<substitution> genome::diverge(std::span<char> copy) {
  std::vector<substitution> changes;
  if (options_.divergence == 0) return changes;
  double const gap = 1 / options_.divergence;
  for (double i = random_.exponential(gap); i < static_cast<double>(copy.size()); i += 1 + random_.exponential(gap)) {
    auto const position = static_cast<std::size_t>(i);
    if (copy[position] == 'N') continue;
    copy[position] = static_cast<char>(other_than(random_, copy[position]) | (copy[position] & 0x20));
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

template <class Place, class Done>
genome_report genome::copies(Place place, Done done) {
  done(std::size_t{0}, std::span<char const>(text_));
  std::vector<std::vector<substitution>> changes(options_.copies);
  for (std::size_t copy = 1; copy != options_.copies; ++copy) {
    std::span<char> const to = place(copy);
    std::copy(text_.begin(), text_.end(), to.begin());
    changes[copy] = diverge(to);
    done(copy, std::span<char const>(to));
  }
  compare_copies(changes);
  report_.residues = options_.length * options_.copies;
  report_.records = options_.records * options_.copies;
  std::stable_sort(report_.planted.begin(), report_.planted.end(),
                   [](auto const& a, auto const& b) { return a.length > b.length; });
  return std::move(report_);
}

}  // namespace

genome_report write_genome(genome_options const& options, sink& out) {
  std::string text(options.length, '\0'), diverged(options.copies > 1 ? options.length : 0, '\0');
  genome made(options, text);
  return made.copies([&](std::size_t) { return std::span<char>(diverged); },
                     [&](std::size_t copy, std::span<char const> residues) {
                       made.write_copy({residues.data(), residues.size()}, copy, out);
                     });
}

genome_report make_genome(genome_options const& options, std::span<char> residues) {
  if (options.copies == 0 || residues.size() % options.copies != 0 || residues.size() / options.copies != options.length)
    throw usage_error(
        fmt::format("genome: room for {} residues, not for {} times {}", residues.size(), options.copies, options.length));
  return genome(options, residues.first(options.length))
      .copies([&](std::size_t copy) { return residues.subspan(copy * options.length, options.length); },
              [](std::size_t, std::span<char const>) {});
}

}  // namespace ordo::inline v0::generate
