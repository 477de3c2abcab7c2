#include "ordo/suffix/kmer_table.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t lookahead = 16;  // rows whose letters are prefetched

std::array<std::size_t, 256> count_bytes(std::string_view text) {
  std::array<std::size_t, 256> count{};
  for (char const c : text) ++count[static_cast<unsigned char>(c)];
  return count;
}

/// Counts the k-mers that are not greater than a suffix: those whose entries are at most its row.
class kmers_below {
 public:
  kmers_below(text const& input, entries sa, kmer_set const& kmers, std::string const& name)
      : input_(input), sa_(sa), length_(kmers.length), name_(name), finder_(input) {
    std::size_t const letters = kmers.letters.size();
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const above = [&](char c) { return static_cast<unsigned char>(c) < byte; };
      smaller_[byte] = std::uint32_t(std::ranges::count_if(kmers.letters, above));
      is_letter_[byte] = kmers.letters.find(static_cast<char>(byte)) != kmers.letters.npos;
    }
    power_.push_back(1);
    for (unsigned k = 0; k < length_; ++k) power_.push_back(power_.back() * letters);
  }

  void prefetch(std::size_t row) const noexcept {
    if (row < sa_.size()) __builtin_prefetch(input_.residues.data() + std::min<std::uint64_t>(sa_[row], input_.size()));
  }
  std::uint64_t operator()(std::size_t row) const {
    std::uint64_t const p = sa_[row];
    if (p >= input_.size())
      throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name_, row, p, input_.size()));
    std::size_t const end = input_.end(finder_(p));
    std::uint64_t kmers = 0;
    for (unsigned k = 0; k < length_; ++k) {
      if (p + k >= end) return kmers;
      auto const byte = static_cast<unsigned char>(input_.residues[p + k]);
      kmers += smaller_[byte] * power_[length_ - k - 1];
      if (!is_letter_[byte]) return kmers;
    }
    return kmers + 1;
  }

 private:
  text input_;
  entries sa_;
  unsigned length_;
  std::string const& name_;
  record_finder finder_;
  std::vector<std::uint64_t> power_;
  std::array<std::uint32_t, 256> smaller_{};
  std::array<bool, 256> is_letter_{};
};

/// Calls f(k-mer, row) for each k-mer, from several threads: its first row that is not smaller; and f(number of k-mers, number
/// of rows).
template <class F>
void each_first_row(text const& input, entries sa, kmer_set const& kmers, std::string const& name, unsigned threads, F f) {
  std::uint64_t const count = kmers.count().value();
  kmers_below const below(input, sa, kmers, name);
  std::size_t const n = sa.size();
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks(n, std::size_t{1} << 14).run([&](std::size_t, std::size_t begin, std::size_t end) {
      std::uint64_t before = begin == 0 ? 0 : below(begin - 1);
      for (std::size_t row = begin; row < end; ++row) {
        below.prefetch(row + lookahead);
        std::uint64_t const next = below(row);
        if (next < before)
          throw input_error(fmt::format("bad index: {}: row {}: out of order with the row before it", name, row));
        for (; before < next; ++before) f(before, row);
      }
    });
  });
  for (std::uint64_t word = n == 0 ? 0 : below(n - 1); word <= count; ++word) f(word, n);
}

}  // namespace

std::optional<std::uint64_t> kmer_set::count() const noexcept {
  constexpr std::uint64_t max_count = std::uint64_t{1} << 30;
  if (length == 0 || letters.empty()) return std::nullopt;
  if (length > max_length) return std::nullopt;
  std::uint64_t count = 1;
  for (unsigned k = 0; k < length; ++k)
    if ((count *= letters.size()) > max_count) return std::nullopt;
  return count;
}

std::string frequent_letters(std::string_view residues) {
  auto const count = count_bytes(residues);
  std::string all;
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (count[byte] != 0) all += static_cast<char>(byte);
  auto const of = [&](char c) { return count[static_cast<unsigned char>(c)]; };
  std::size_t const known = residues.size() - of('N');
  for (char const* nucleotides : {"ACGT", "ACGU"}) {
    std::string_view const four = nucleotides;
    std::size_t result = 0;
    for (char const c : four) result += of(c);
    if (result != 0 && result >= known - known / 10) return std::string(four);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, of);
  std::size_t result = 0, letters = 0;
  while (letters < all.size() && result < residues.size() - residues.size() / 100) result += of(all[letters++]);
  all.resize(letters);
  std::ranges::sort(all, {}, [](char c) { return static_cast<unsigned char>(c); });
  return all;
}

kmer_table::kmer_table(kmer_set kmers, entries first_rows, std::string name)
    : kmers_(std::move(kmers)), first_rows_(first_rows), name_(std::move(name)) {
  digit_of_.fill(-1);
  for (std::size_t k = 0; k < kmers_.letters.size(); ++k)
    digit_of_[static_cast<unsigned char>(kmers_.letters[k])] = static_cast<signed char>(k);
  power_[0] = 1;
  for (unsigned k = 0; k < kmers_.length; ++k) power_[k + 1] = power_[k] * kmers_.letters.size();
}

std::optional<kmer_table::bounds> kmer_table::find(std::string_view pattern) const noexcept {
  if (first_rows_.empty()) return std::nullopt;
  std::uint64_t word = 0;
  unsigned known = 0;
  for (; known < kmers_.length && known < pattern.size(); ++known) {
    int const digit = digit_of_[static_cast<unsigned char>(pattern[known])];
    if (digit < 0) break;
    word = word * kmers_.letters.size() + std::uint64_t(digit);
  }
  if (known == 0) return std::nullopt;
  std::uint64_t const step = power_[kmers_.length - known];
  // A suffix that begins with a prefix of a k-mer may be smaller than the first k-mer of that prefix: if its record ends, or if
  // a letter follows that no k-mer has.
  std::uint64_t const first = word * step;
  return bounds{known == kmers_.length ? first : first - std::min<std::uint64_t>(first, 1), first + step};
}

void kmer_table::prefetch(std::string_view pattern) const noexcept {
  if (auto const result = find(pattern)) {
    first_rows_.prefetch(result->first);
    first_rows_.prefetch(result->last);
  }
}

row_range kmer_table::rows(std::string_view pattern, std::size_t n) const {
  auto const result = find(pattern);
  if (!result) return {0, n};
  // Suffixes that begin with a part of the first k-mer may be smaller than it.
  std::uint64_t const begin = result->first == 0 ? 0 : first_rows_[result->first], end = first_rows_[result->last];
  if (begin > end || end > n)
    throw input_error(fmt::format("bad index: {}: k-mers {} and {}: rows {} and {} of {}", name_, result->first, result->last,
                                  begin, end, n));
  return {std::size_t(begin), std::size_t(end)};
}

std::vector<char> make_kmer_table(text const& input, entries sa, kmer_set const& kmers, std::string const& name,
                                  unsigned threads) {
  unsigned const size = sa.width() / 8;
  std::vector<char> table((kmers.count().value() + 1) * size);
  each_first_row(input, sa, kmers, name, threads,
                 [&](std::uint64_t word, std::size_t row) { store_entry(table.data() + word * size, size, row); });
  return table;
}

std::optional<std::size_t> find_wrong_kmer(text const& input, entries sa, kmer_set const& kmers, entries first_rows,
                                           std::string const& name, unsigned threads) {
  std::size_t const none = kmers.count().value() + 1;
  std::atomic<std::size_t> wrong{none};
  each_first_row(input, sa, kmers, name, threads, [&](std::uint64_t word, std::size_t row) {
    if (first_rows[word] == row) return;
    std::size_t first = wrong;
    while (word < first && !wrong.compare_exchange_weak(first, word)) {}
  });
  return wrong == none ? std::nullopt : std::optional<std::size_t>(wrong);
}

}  // namespace ordo::inline v0::suffix
