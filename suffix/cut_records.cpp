#include "suffix/cut_records.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "sort_core/error.hpp"
#include "sort_core/host/parallel.hpp"
#include "sort_core/host/threads.hpp"
#include "suffix/complement.hpp"
#include "suffix/ending_letters.hpp"

namespace ordo::suffix {
namespace {

/// Letters of a record, side by side: positions [begin, end) of all records.
struct run {
  std::size_t record, begin, end;
};

/// What is to be known of a letter.
enum : unsigned char { thymine = 1, uracil = 2, refused = 4, ending = 8 };

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

/// The letters that stay, found by all threads.
class kept_letters {
 public:
  kept_letters(text const& input, policy const& which) : input_(input), kinds_(kinds_of_letters(which)) {
    host_detail::blocks const parts(input.size(), detail::letters_at_once);
    std::vector<std::vector<run>> found(parts.count);
    std::atomic<unsigned> seen{0};
    parts.run([&](std::size_t b, std::size_t begin, std::size_t end) { seen |= find(begin, end, found[b]); });
    seen_ = seen;
    if ((seen_ & refused) != 0) return;
    for (std::vector<run>& some : found) {
      for (run const& one : some) add(one);
      some = {};
    }
    add_empty(input.records());
  }

  [[nodiscard]] std::vector<run> const& runs() const { return runs_; }
  [[nodiscard]] bool is_rna() const { return (seen_ & (thymine | uracil)) == uracil; }
  /// The first letter that cannot be there.
  [[nodiscard]] std::optional<std::size_t> first_refused() const {
    if ((seen_ & refused) == 0) return std::nullopt;
    auto const is_refused = [&](char c) { return (kinds_[static_cast<unsigned char>(c)] & refused) != 0; };
    return std::size_t(std::ranges::find_if(input_.residues, is_refused) - input_.residues.begin());
  }

 private:
  unsigned find(std::size_t begin, std::size_t end, std::vector<run>& to) const {
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
        if (p != first) to.push_back({record, first, p});
        if (p < stop) ++p;
      }
    }
    return seen;
  }
  // A run that two threads have found is one.
  void add(run const& one) {
    if (!runs_.empty() && runs_.back().record == one.record && runs_.back().end == one.begin) {
      runs_.back().end = one.end;
      return;
    }
    add_empty(one.record);
    runs_.push_back(one);
  }
  // Of records before `record` that have none.
  void add_empty(std::size_t record) {
    for (std::size_t r = runs_.empty() ? 0 : runs_.back().record + 1; r < record; ++r)
      runs_.push_back({r, input_.begin_of(r), input_.begin_of(r)});
  }

  text input_;
  std::array<unsigned char, 256> kinds_;
  unsigned seen_ = 0;
  std::vector<run> runs_;
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

cut_text cut_records(fasta const& from, policy const& which, std::size_t memory, unsigned threads) {
  text const input = from.view();
  bool const both = which.strands == strands::both;
  cut_text made;
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    kept_letters const kept(input, which);
    if (auto const p = kept.first_refused()) {
      std::size_t const record = input.record_of(*p);
      throw input_error(fmt::format("no nucleotide: record '{}': letter {} is '{}': {} is for nucleotides", from.names[record],
                                    *p - input.begin_of(record) + 1, input.residues[*p],
                                    both ? "an index of both strands" : "a policy of ambiguous letters"));
    }
    std::vector<run> const& runs = kept.runs();
    std::size_t letters = 0;
    for (run const& one : runs) letters += one.end - one.begin;
    std::size_t const strands = both ? 2 : 1, count = runs.size() * strands, bytes = letters * strands + 3 * 8 * count;
    if (bytes > memory)
      throw out_of_memory(fmt::format("out of memory: text of the index: {} bytes are needed, {} may be taken", bytes, memory),
                          bytes);

    made.residues.resize(letters * strands);
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

    complement const other(kept.is_rna());
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
