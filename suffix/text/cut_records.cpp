#include "ordo/suffix/cut_records.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/complement.hpp"
#include "suffix/text/ending_letters.hpp"

namespace ordo::suffix {
namespace {

/// Letters of a record, side by side: positions [begin, end) of all records.
struct run {
  std::size_t record, begin, end;
};

constexpr std::size_t piece_bytes = 3 * 8;  // of its columns

/// What is to be known of a letter.
enum letter_kind : unsigned char { thymine = 1, uracil = 2, refused = 4, ending = 8 };

std::array<unsigned char, 256> kinds_of_letters(policy const& which) {
  complement const other(false);
  auto const ends = detail::ending_letters(which);
  std::array<unsigned char, 256> kinds{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    char const c = static_cast<char>(byte);
    if (detail::needs_nucleotides(which) && other(c) == '\0') kinds[byte] |= refused;
    if (ends[byte])
      kinds[byte] |= ending;
    else if (c == 'T' || c == 't')
      kinds[byte] |= thymine;
    else if (c == 'U' || c == 'u')
      kinds[byte] |= uracil;
  }
  return kinds;
}

/// The letters that stay, found by all threads: first how many there are, and in how many runs, and then where.
class kept_letters {
 public:
  kept_letters(text const& input, policy const& which)
      : input_(input), kinds_(kinds_of_letters(which)), parts_(input.size(), detail::letters_at_once), runs_in_(parts_.count) {
    std::atomic<unsigned> seen{0};
    std::atomic<std::size_t> letters{0};
    parts_.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      std::size_t kept = 0;
      seen |= find(begin, end, [&](run const& one) {
        ++runs_in_[b];
        kept += one.end - one.begin;
      });
      letters += kept;
    });
    seen_ = seen;
    letters_ = letters;
  }

  [[nodiscard]] std::size_t letters() const { return letters_; }
  /// About how many runs there are: without those of no letters; those that two threads have found count twice.
  [[nodiscard]] std::size_t likely_runs() const { return std::accumulate(runs_in_.begin(), runs_in_.end(), std::size_t{0}); }
  /// Memory: twice what is returned.
  [[nodiscard]] std::vector<run> runs() const {
    std::vector<std::vector<run>> found(parts_.count);
    parts_.run([&](std::size_t b, std::size_t begin, std::size_t end) {
      found[b].reserve(runs_in_[b]);
      find(begin, end, [&](run const& one) { found[b].push_back(one); });
    });
    std::vector<run> all;
    all.reserve(likely_runs());
    for (std::vector<run>& some : found) {
      for (run const& one : some) add(all, one);
      some = {};
    }
    add_empty(all, input_.records());
    return all;
  }
  [[nodiscard]] bool has(letter_kind kind) const { return (seen_ & kind) != 0; }
  /// The first letter of a kind, if there is one.
  [[nodiscard]] std::optional<std::size_t> first(letter_kind kind) const {
    if (!has(kind)) return std::nullopt;
    auto const is_of_kind = [&](char c) { return (kinds_[static_cast<unsigned char>(c)] & kind) != 0; };
    return std::size_t(std::ranges::find_if(input_.residues, is_of_kind) - input_.residues.begin());
  }

 private:
  /// What is seen of letters [begin, end), of the runs of which f(run) is told.
  template <class F>
  unsigned find(std::size_t begin, std::size_t end, F f) const {
    unsigned seen = 0;
    for (std::size_t record = begin == end ? 0 : input_.record_of(begin), p = begin; p < end; ++record) {
      std::size_t const stop = std::min(end, input_.end_of(record));
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
  // A run that two threads have found is one.
  void add(std::vector<run>& all, run const& one) const {
    if (!all.empty() && all.back().record == one.record && all.back().end == one.begin) {
      all.back().end = one.end;
      return;
    }
    add_empty(all, one.record);
    all.push_back(one);
  }
  // Of records before `record` that have none.
  void add_empty(std::vector<run>& all, std::size_t record) const {
    for (std::size_t r = all.empty() ? 0 : all.back().record + 1; r < record; ++r)
      all.push_back({r, input_.begin_of(r), input_.begin_of(r)});
  }

  text input_;
  std::array<unsigned char, 256> kinds_;
  host_detail::blocks parts_;
  std::vector<std::size_t> runs_in_;  // by part
  unsigned seen_ = 0;
  std::size_t letters_ = 0;
};

/// The runs in the order of the text: of each record forward, and then, for both strands, backward. f(run, reverse).
template <class F>
void each_piece(std::vector<run> const& runs, bool both, F f) {
  for (std::size_t first = 0, end = 0; first < runs.size(); first = end) {
    while (end < runs.size() && runs[end].record == runs[first].record) ++end;
    for (std::size_t i = first; i < end; ++i) f(i, false);
    for (std::size_t i = end; both && i-- != first;) f(i, true);
  }
}

}  // namespace

std::size_t cut_memory(std::size_t letters, std::size_t runs, strands which) {
  std::size_t const strands = which == strands::both ? 2 : 1;
  return strands * letters + runs * (sizeof(run) + strands * (piece_bytes + sizeof(std::size_t)));
}

cut_text cut_records(fasta const& from, policy const& which, std::size_t memory, unsigned threads) {
  text const input = from.view();
  bool const both = which.strands == strands::both;
  cut_text made;
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    kept_letters const kept(input, which);
    auto const refuse = [&](std::size_t p, char const* what, std::string_view why) {
      std::size_t const record = input.record_of(p);
      throw input_error(fmt::format("{}: record '{}': letter {} is '{}'{}", what, from.names[record],
                                    p - input.begin_of(record) + 1, input.residues[p], why));
    };
    if (auto const p = kept.first(refused))
      refuse(*p, "no nucleotide",
             both ? ": an index of both strands is for nucleotides" : ": a policy of ambiguous letters is for nucleotides");
    if (auto const p = kept.first(uracil); p && both && kept.has(thymine))
      refuse(*p, "T and U", ", and others are 'T': an index of both strands is of DNA or of RNA");
    std::size_t const strands = both ? 2 : 1, letters = kept.letters() * strands;
    auto const check_memory = [&](std::size_t runs) {
      std::size_t const bytes = cut_memory(kept.letters(), runs, which.strands);
      if (bytes > memory)
        throw records_too_large(
            fmt::format("out of memory: text of the index, in {} pieces: {} bytes are needed, {} may be taken", runs * strands,
                        bytes, memory),
            bytes, letters, runs * strands, true);
    };
    check_memory(kept.likely_runs());
    std::vector<run> const runs = kept.runs();
    check_memory(runs.size());

    std::size_t const count = runs.size() * strands;
    made.residues.resize(letters);
    made.columns.resize(3 * count);
    std::vector<std::size_t> run_of(count);
    std::size_t piece = 0, at = 0;
    each_piece(runs, both, [&](std::size_t i, bool reverse) {
      run_of[piece] = i;
      made.columns[piece] = at;
      made.columns[count + piece] = 2 * runs[i].record + (reverse ? 1 : 0);
      made.columns[2 * count + piece++] = runs[i].begin - input.begin_of(runs[i].record);
      at += runs[i].end - runs[i].begin;
    });

    complement const other(kept.has(uracil));
    char* const to = made.residues.data();
    host_detail::parallel_each(count, 1, [&](std::size_t p) {
      run const& one = runs[run_of[p]];
      char* const piece_at = to + made.columns[p];
      bool const reverse = made.columns[count + p] % 2 != 0;
      host_detail::blocks(one.end - one.begin, detail::letters_at_once)
          .run([&](std::size_t, std::size_t begin, std::size_t end) {
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

}  // namespace ordo::suffix
