#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/policy.hpp"

/// Suffix arrays of many records. The suffix at position p runs to the end of p's record. Suffixes compare by bytes
/// (unsigned); one that ends is smaller than one that goes on; equal suffixes compare by position. For a single record this
/// is the textbook suffix array.
namespace ordo::suffix {

/// Records of residues laid end to end, with nothing between them: record r is [starts[r], starts[r + 1]), the last one ends
/// with the text. Records may be empty. No starts: one record.
struct text {
  std::string_view residues;
  std::span<std::uint64_t const> starts = {};

  [[nodiscard]] std::size_t size() const noexcept { return residues.size(); }
  [[nodiscard]] std::size_t records() const noexcept { return starts.empty() ? 1 : starts.size(); }
  [[nodiscard]] std::size_t begin_of(std::size_t record) const noexcept { return record == 0 ? 0 : starts[record]; }
  [[nodiscard]] std::size_t end_of(std::size_t record) const noexcept {
    return record + 1 < starts.size() ? starts[record + 1] : size();
  }
  /// The record that holds position p, p in [0, size()).
  [[nodiscard]] std::size_t record_of(std::size_t p) const noexcept;
};

/// What build makes beside the suffix array.
struct wanted {
  bool lcp = false, bwt = false;
};

/// Where the results go, or with a const Index come from, for n residues in k records. Where rows are left out
/// (options::rows), sa and lcp have row_count() entries, and there is no bwt.
template <class Index>
struct arrays {
  std::span<Index> sa;   // n positions, their suffixes in order
  std::span<Index> lcp;  // empty, or n: lcp[0] = 0, lcp[i] the length of the common prefix of the suffixes sa[i - 1] and sa[i]
  // Empty, or n + k: one row for each record's end, in record order, then one for each of sa; a row holds the residue before
  // its position, '$' where a record begins.
  std::span<std::conditional_t<std::is_const_v<Index>, char const, char>> bwt;
};

/// Where the results go that shall not be whole in the host's memory: sa, and those of lcp and bwt that are wanted. Each gets
/// the bytes of its array, little-endian.
struct sinks {
  sink *sa = nullptr, *lcp = nullptr, *bwt = nullptr;
  std::size_t entry_bytes = 0;  // of sa and lcp: 0 for those of an Index; 5, where that has eight, for positions below 2^40
};

struct options {
  machine_options machine;
  /// Bytes of host memory that the CPU machine may take beside the text and the results. It never takes more.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  row_choice rows = {};  // which suffixes have rows
  /// Called as each phase begins - "sort", "lcp", "bwt" - with the bytes of text that it works on.
  std::function<void(std::string_view, std::uint64_t)> on_phase = {};
};

/// The host has not the memory that a text takes: see options::memory. bytes() of that suffice.
class text_too_large : public out_of_memory {
 public:
  /// @param least  enough, unless the text repeats itself @param bytes  enough for any text
  text_too_large(std::string const& what, std::size_t least, std::size_t bytes) : out_of_memory(what, bytes), least_(least) {}
  [[nodiscard]] std::size_t least() const noexcept { return least_; }

 private:
  std::size_t least_;
};

struct report {
  machine_choice machine;
  std::size_t device_memory = 0;  // bytes of GPU memory in use at most
};

/// How many suffixes of a text have rows. By `threads` threads (0: all).
std::size_t row_count(text const& input, row_choice which, unsigned threads = 0);

/// How many suffixes of n residues in so many records are sorted at most, to have arrays of these rows: where the choice is a
/// sample, no others than those. The CPU machine holds arrays of as many entries.
std::size_t sorted_suffixes(std::size_t n, std::size_t records, row_choice rows) noexcept;

/// Does an index of `bytes` bytes, 4, 5 or 8, take n residues in so many records?
bool index_fits(std::size_t bytes, std::size_t n, std::size_t records) noexcept;

/// Bytes of memory. How many a text takes shows after the first sort: the more of its suffixes share the letters of a whole
/// key (29 of DNA, 12 of proteins) with another one, the more. The CPU sorts texts that repeat themselves often by induction
/// (induced_sort.hpp), in little memory, where rows are of all positions and these take a bit less than an entry has.
struct memory_plan {
  std::size_t least = 0;     // enough for texts in which few suffixes do
  std::size_t quickest = 0;  // the same, and for the quickest way: see build_outlook::ranges
  std::size_t most = 0;      // enough for any text
};

/// What building takes of a machine's memory: the host's for device::cpu, text and results not counted, and some megabytes a
/// thread; all of the GPU's. In a build without CUDA all figures are the CPU's.
memory_plan memory_needed(device where, std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                          row_choice rows = {});

/// What a build would do.
struct build_outlook {
  machine_choice machine;
  memory_plan memory;         // of that machine: see memory_needed
  std::size_t available = 0;  // of that memory
  std::size_t beside = 0;     // host memory for text and results, where the CPU works
  // In which suffixes would be sorted one after the other; 0: it would be refused. The quickest way is 1, all at once; on the
  // CPU, which has caches and whose memory is slow to get, that is so of up to 2^24 suffixes; of more, up to 16 are as quick.
  std::size_t ranges = 0;
};

/// For a build of n residues into sinks. @param memory  bytes that the host may give @throws as choose_machine()
build_outlook plan_build(std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                         machine_options const& machine, std::size_t memory, row_choice rows = {});

/// And what check takes of any text. @param what  beside the order
/// @param rows  where some are left out, it is what suffices unless the text repeats itself
std::size_t memory_for_check(device where, std::size_t n, std::size_t records, std::size_t index_bytes, wanted what,
                             row_choice rows = {});

/// Prefix doubling (Hou et al., ICS'17, section 5.1) in O(n log n): see prefix_doubling.hpp. Index is std::uint32_t or
/// std::uint64_t. Deterministic: the same bytes on every machine. Automatic choice of the machine falls back to the CPU when
/// the GPU's memory runs out.
/// @throws usage_error  arrays of the wrong size, starts out of order, an Index too narrow, a device that is not there, a BWT
///     where rows are left out, a sample of 0 @throws input_error  where ambiguous letters are left out, but the text has
///     letters that are no codes of nucleotides
/// @throws text_too_large  before any work if the CPU takes more than how.memory with certainty; later, once the text turns out
///     to repeat itself and takes more than it @throws out_of_memory  the same of the GPU that was asked for
template <class Index>
report build(text const& input, arrays<Index> out, options const& how = {});

/// The same, into sinks, to which a GPU stores its own memory: the host holds no array. They are told what they will hold
/// before the work begins, and get it when all is made. Index is given by the caller: build_into<std::uint32_t>(...).
/// @throws what the sinks throw
template <class Index>
report build_into(text const& input, sinks const& out, options const& how = {});

template <class Index>
struct result {
  std::vector<Index> sa, lcp;
  std::string bwt;
  report how;
};

/// The same, into vectors.
template <class Index = std::uint32_t>
result<Index> build(text const& input, wanted what = {}, options const& how = {});

/// The first row of an array at which the proof fails. For lcp and bwt that is the first wrong one; an order is proved from
/// row to row, and of two that were swapped one may be somewhat further on.
struct fault {
  std::string array;  // "sa", "lcp" or "bwt"
  std::size_t row = 0;
  std::string why;
};

/// Proves `all` right, or finds what is wrong, in O(n log n) at most: sa is a permutation; neighbours are in order by their
/// first residues and, where these are equal, by the ranks of the suffixes behind; lcp is what the text and sa say; bwt row by
/// row. Lengths as for build.
/// Where rows are left out, the ranks of the suffixes behind are not known. Then all suffixes are sorted anew, that order is
/// proved as above, and each row compared with what is left of it: what holds for the proof holds for the arrays, however
/// the sort works. That takes what build takes, and the host's memory for the arrays of all rows. Any number of rows will do; a
/// wrong one is a fault. @throws like build
template <class Index>
std::optional<fault> check(text const& input, arrays<Index const> all, options const& how = {}, report* done = nullptr);

}  // namespace ordo::suffix
