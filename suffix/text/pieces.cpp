#include "ordo/suffix/pieces.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/policy.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Returns the letters that are removed from the text, and before which records end.
constexpr std::array<bool, 256> ending_letters(policy const& rules) {
  std::array<bool, 256> ends{};
  for (unsigned byte = 0; byte < 256; ++byte)
    ends[byte] = (rules.ambiguous == ambiguous_letters::breaks && !is_nucleotide(static_cast<unsigned char>(byte))) ||
                 (rules.masked == masked_letters::breaks && byte >= 'a' && byte <= 'z');
  return ends;
}

/// Returns true if a policy requires a text of nucleotides.
constexpr bool needs_nucleotides(policy const& rules) {
  return rules.strands == strands::both || rules.ambiguous != ambiguous_letters::symbol;
}

/// The number of letters that a thread processes at a time.
constexpr std::size_t letters_at_once = std::size_t{1} << 18;

}  // namespace

complement::complement(bool rna) {
  constexpr std::string_view letters = "ACGTURYSWKMBDHVN", complements = "TGCAAYRSWMKVHDBN";
  auto const set = [&](char letter, char other) { of_[static_cast<unsigned char>(letter)] = other; };
  auto const lower = [](char c) { return static_cast<char>(c - 'A' + 'a'); };
  for (std::size_t k = 0; k < letters.size(); ++k) {
    char const other = rna && letters[k] == 'A' ? 'U' : complements[k];
    set(letters[k], other);
    set(lower(letters[k]), lower(other));
  }
  for (char const same : {'-', '.', '*'}) set(same, same);
}

std::size_t complement::first_without(std::string_view letters) const noexcept {
  for (std::size_t k = 0; k < letters.size(); ++k)
    if ((*this)(letters[k]) == '\0') return k;
  return letters.npos;
}

void complement::append_reversed(std::string& to, std::string_view letters) const {
  std::size_t const first = to.size();
  to.resize(first + letters.size());
  char* next = to.data() + to.size();
  for (char const letter : letters) {
    char const other = (*this)(letter);
    *--next = other == '\0' ? letter : other;
  }
}

namespace {

/// Returns the first position in [0, n) for which wrong(p), on all threads.
template <class Wrong>
std::optional<std::size_t> first_wrong_letter(std::size_t n, Wrong wrong) {
  std::atomic<std::size_t> first{n};
  host_detail::blocks(n, letters_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      if (!wrong(p)) continue;
      std::size_t known = first;
      while (p < known && !first.compare_exchange_weak(known, p)) {}
      return;
    }
  });
  return first == n ? std::nullopt : std::optional<std::size_t>(first);
}

}  // namespace

std::optional<std::string> find_flaw(pieces const& all, std::uint64_t residues, std::span<std::uint64_t const> starts,
                                     std::span<std::uint64_t const> lengths, policy const& rules) {
  std::size_t const count = all.size(), records = starts.size();
  auto const begins = all.begins();
  if (count == 0 || begins[0] != 0 || !std::ranges::is_sorted(begins) || begins[count - 1] > residues)
    return "the starts of pieces are out of order";
  auto const piece_length = [&](std::size_t i) { return (i + 1 < count ? begins[i + 1] : residues) - begins[i]; };
  auto const belongs_to = [&](std::size_t i, std::size_t record, bool reverse) {
    return i < count && all.source_record(i) == record && all.is_reverse(i) == reverse;
  };
  bool const both = rules.strands == strands::both;
  std::size_t next = 0;
  for (std::size_t r = 0; r < records; ++r) {
    std::size_t const first = next;
    auto const bad = [&](char const* why) { return fmt::format("record {}: {}", r, why); };
    std::uint64_t reached = 0;
    for (; belongs_to(next, r, false); ++next) {
      std::uint64_t const offset = all.piece_offset(next), length = piece_length(next);
      if (offset < reached || offset > lengths[r] || length > lengths[r] - offset) return bad("pieces outside the record");
      if (length == 0 && (offset != 0 || next != first)) return bad("an empty piece");
      reached = offset + length + 1;  // pieces are not adjacent
    }
    std::size_t const own = next - first;
    if (own == 0 || begins[first] != starts[r]) return bad("no piece at its start");
    if (own > 1 && piece_length(first) == 0) return bad("an empty piece");
    if (!rules.breaks() && (own != 1 || piece_length(first) != lengths[r])) return bad("the pieces do not cover it");
    for (std::size_t i = own; both && i-- != 0; ++next)
      if (!belongs_to(next, r, true) || all.piece_offset(next) != all.piece_offset(first + i) ||
          piece_length(next) != piece_length(first + i))
        return bad("the pieces of the strands differ");
  }
  if (next != count) return "pieces of no record";
  return std::nullopt;
}

std::optional<std::string> find_contradiction(text const& input, pieces const& all, policy const& rules, unsigned threads) {
  std::optional<std::string> result;
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    auto const byte = [&](std::size_t p) { return static_cast<unsigned char>(input.residues[p]); };
    auto const is_lower = [&](std::size_t p) { return byte(p) >= 'a' && byte(p) <= 'z'; };
    if (auto const p = rules.masked == masked_letters::fold ? first_wrong_letter(input.size(), is_lower) : std::nullopt) {
      result = fmt::format("position {}: '{}' is lower case, which the policy folds", *p, input.residues[*p]);
      return;
    }
    if (rules.breaks()) {
      auto const ends = ending_letters(rules);
      if (auto const p = first_wrong_letter(input.size(), [&](std::size_t q) { return ends[byte(q)]; })) {
        result = fmt::format("position {}: '{}' should have ended a record", *p, input.residues[*p]);
        return;
      }
    }
    if (rules.strands != strands::both) return;
    auto const occurs = [&](std::string_view letters) { return input.residues.find_first_of(letters) != input.residues.npos; };
    complement const other(!occurs("Tt") && occurs("Uu"));
    for (std::size_t first = 0; first < all.size();) {
      std::size_t own = 0;  // own of the record, on each strand
      while (first + own < all.size() && !all.is_reverse(first + own) &&
             all.source_record(first + own) == all.source_record(first))
        ++own;
      // The pieces of the reverse strand, read backwards, are adjacent letters, too.
      std::size_t const begin = input.begin(first), letters = input.end(first + own - 1) - begin;
      std::size_t const last = begin + 2 * letters - 1;
      auto const wrong = first_wrong_letter(
          letters, [&](std::size_t k) { return input.residues[last - k] != other(input.residues[begin + k]); });
      if (wrong) {
        result = fmt::format("position {}: '{}' is not the complement of '{}' at {}", last - *wrong,
                             input.residues[last - *wrong], input.residues[begin + *wrong], begin + *wrong);
        return;
      }
      first += 2 * own;
    }
  });
  return result;
}

namespace {

/// Adjacent letters of a record: positions [begin, end) of all records.
struct run {
  std::size_t record, begin, end;
};

constexpr std::size_t piece_bytes = 3 * 8;  // piece bytes of its columns

/// Properties of a letter, as bits.
enum letter_kind : unsigned char { thymine = 1, uracil = 2, refused = 4, ending = 8 };

std::array<unsigned char, 256> kinds_of_letters(policy const& rules) {
  complement const other(false);
  auto const ends = ending_letters(rules);
  std::array<unsigned char, 256> kinds{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    char const c = static_cast<char>(byte);
    if (needs_nucleotides(rules) && other(c) == '\0') kinds[byte] |= refused;
    if (ends[byte])
      kinds[byte] |= ending;
    else if (c == 'T' || c == 't')
      kinds[byte] |= thymine;
    else if (c == 'U' || c == 'u')
      kinds[byte] |= uracil;
  }
  return kinds;
}

/// The kept letters, found by all threads: their number and their runs are counted first, and listed later.
class kept_letters {
 public:
  kept_letters(text const& input, policy const& rules)
      : input_(input), kinds_(kinds_of_letters(rules)), parts_(input.size(), letters_at_once), runs_in_(parts_.count) {
    std::atomic<unsigned> seen{0};
    std::atomic<std::size_t> letters{0};
    parts_.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      std::size_t kept = 0;
      seen |= find(begin, end, [&](run const& run) {
        ++runs_in_[b];
        kept += run.end - run.begin;
      });
      letters += kept;
    });
    seen_ = seen;
    letters_ = letters;
  }

  [[nodiscard]] std::size_t letters() const { return letters_; }
  /// Returns the approximate number of runs: runs that two threads share count twice, empty ones do not count.
  [[nodiscard]] std::size_t likely_runs() const { return std::accumulate(runs_in_.begin(), runs_in_.end(), std::size_t{0}); }
  /// Lists the runs. Takes twice the memory of the result.
  [[nodiscard]] std::vector<run> runs() const {
    std::vector<std::vector<run>> result(parts_.count);
    parts_.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      result[b].reserve(runs_in_[b]);
      find(begin, end, [&](run const& run) { result[b].push_back(run); });
    });
    std::vector<run> all;
    all.reserve(likely_runs());
    for (std::vector<run>& some : result) {
      for (run const& run : some) add(all, run);
      some = {};
    }
    add_empty(all, input_.records());
    return all;
  }
  [[nodiscard]] bool has(letter_kind kind) const { return (seen_ & kind) != 0; }
  /// Returns the first letter of a kind, if there is one.
  [[nodiscard]] std::optional<std::size_t> first(letter_kind kind) const {
    if (!has(kind)) return std::nullopt;
    auto const is_of_kind = [&](char c) { return (kinds_[static_cast<unsigned char>(c)] & kind) != 0; };
    return std::size_t(std::ranges::find_if(input_.residues, is_of_kind) - input_.residues.begin());
  }

 private:
  /// Calls f(run) for the runs in [begin, end).
  /// @returns the kinds of letters seen
  template <class F>
  unsigned find(std::size_t begin, std::size_t end, F f) const {
    unsigned seen = 0;
    for (std::size_t record = begin == end ? 0 : input_.record_at(begin), p = begin; p < end; ++record) {
      std::size_t const stop = std::min(end, input_.end(record));
      while (p < stop) {
        std::size_t const first = p;
        unsigned kind = 0;
        for (; p < stop; ++p) {
          kind = kinds_[static_cast<unsigned char>(input_.residues[p])];
          seen |= kind;
          if ((kind & ending) != 0) break;
        }
        if (p != first) f(run{record, first, p});
        if (p < stop) ++p;
      }
    }
    return seen;
  }
  // Appends a run. Joins it to the last one if two threads have found parts of it.
  void add(std::vector<run>& all, run const& run) const {
    if (!all.empty() && all.back().record == run.record && all.back().end == run.begin) {
      all.back().end = run.end;
      return;
    }
    add_empty(all, run.record);
    all.push_back(run);
  }
  // Appends empty runs for records before `record` that have none.
  void add_empty(std::vector<run>& all, std::size_t record) const {
    for (std::size_t r = all.empty() ? 0 : all.back().record + 1; r < record; ++r)
      all.push_back({r, input_.begin(r), input_.begin(r)});
  }

  text input_;
  std::array<unsigned char, 256> kinds_;
  host_detail::blocks parts_;
  std::vector<std::size_t> runs_in_;  // by part
  unsigned seen_ = 0;
  std::size_t letters_ = 0;
};

/// Calls f(run, reverse) in the order of the text: for each record forward and then, for both strands, backward.
template <class F>
void each_piece(std::vector<run> const& runs, bool both, F f) {
  for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
    while (end < runs.size() && runs[end].record == runs[first].record) ++end;
    for (std::size_t i = first; i < end; ++i) f(i, false);
    for (std::size_t i = end; both && i-- != first;) f(i, true);
  }
}

}  // namespace

std::size_t cut_memory(std::size_t letters, std::size_t runs, strands which_strands) {
  std::size_t const strands = which_strands == strands::both ? 2 : 1;
  return strands * letters + runs * (sizeof(run) + strands * (piece_bytes + sizeof(std::size_t)));
}

cut_text cut_records(fasta const& from, policy const& rules, std::size_t memory, unsigned threads) {
  text const input = from.view();
  bool const both = rules.strands == strands::both;
  cut_text made;
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    kept_letters const kept(input, rules);
    auto const refuse = [&](std::size_t p, char const* what, std::string_view why) {
      std::size_t const record = input.record_at(p);
      throw input_error(fmt::format("{}: record '{}': letter {} is '{}'{}", what, from.names[record],
                                    p - input.begin(record) + 1, input.residues[p], why));
    };
    if (auto const p = kept.first(refused))
      refuse(*p, "not a nucleotide",
             both ? ": an index of both strands needs nucleotides" : ": a policy of ambiguous letters needs nucleotides");
    if (auto const p = kept.first(uracil); p && both && kept.has(thymine))
      refuse(*p, "both T and U", ", and others are 'T': an index of both strands must be of DNA or of RNA");
    std::size_t const strands = both ? 2 : 1, letters = kept.letters() * strands;
    auto const check_memory = [&](std::size_t runs) {
      std::size_t const bytes = cut_memory(kept.letters(), runs, rules.strands);
      if (bytes > memory)
        throw records_too_large(
            fmt::format("out of memory: text of the index, in {} pieces: {} bytes are needed, {} are allowed", runs * strands,
                        bytes, memory),
            bytes, letters, runs * strands, true);
    };
    check_memory(kept.likely_runs());
    std::vector<run> const runs = kept.runs();
    check_memory(runs.size());

    std::size_t const count = runs.size() * strands;
    made.residues.resize(letters);
    made.columns.resize(3 * count);
    std::vector<std::size_t> run_by_piece(count);
    std::size_t piece = 0, at = 0;
    each_piece(runs, both, [&](std::size_t i, bool reverse) {
      run_by_piece[piece] = i;
      made.columns[piece] = at;
      made.columns[count + piece] = 2 * runs[i].record + (reverse ? 1 : 0);
      made.columns[2 * count + piece++] = runs[i].begin - input.begin(runs[i].record);
      at += runs[i].end - runs[i].begin;
    });

    complement const other(kept.has(uracil));
    char* const to = made.residues.data();
    host_detail::parallel_each(count, 1, [&](std::size_t p) {
      run const& one = runs[run_by_piece[p]];
      char* const piece_at = to + made.columns[p];
      bool const reverse = made.columns[count + p] % 2 != 0;
      host_detail::blocks(one.end - one.begin, letters_at_once).run([&](std::size_t, std::size_t begin, std::size_t end) {
        char const* const letter = input.residues.data();
        if (!reverse)
          std::copy(letter + one.begin + begin, letter + one.begin + end, piece_at + begin);
        else
          for (std::size_t k = begin; k < end; ++k) piece_at[k] = other(letter[one.end - 1 - k]);
      });
    });
  });
  return made;
}

}  // namespace ordo::inline v0::suffix
