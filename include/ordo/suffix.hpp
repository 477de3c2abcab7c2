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

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix/policy.hpp"

#pragma GCC visibility push(default)

/// Suffix arrays of one or many records. The suffix at position p runs to the end of p's record. Suffixes compare by unsigned
/// bytes, or by tokens; a proper prefix is smaller; equal suffixes compare by position. For a single record this is the
/// textbook suffix array.
namespace ordo::inline v0::suffix {

/// Records of residues laid end to end without separators. Record r is [starts[r], starts[r + 1]); the last one ends with the
/// text. Records may be empty. Without starts the text is one record. A residue is a byte, or a token: an unsigned number of 2
/// or 4 bytes, little-endian and aligned (make_text makes such texts). All sizes, starts and positions count residues.
struct text {
  std::string_view residues;  // their bytes
  std::span<std::uint64_t const> starts = {};
  unsigned residue_bytes = 1;  // 1, 2 or 4

  [[nodiscard]] std::size_t size() const noexcept { return residues.size() / residue_bytes; }
  [[nodiscard]] std::size_t records() const noexcept { return starts.empty() ? 1 : starts.size(); }
  [[nodiscard]] std::size_t begin(std::size_t record) const noexcept { return record == 0 ? 0 : starts[record]; }
  [[nodiscard]] std::size_t end(std::size_t record) const noexcept {
    return record + 1 < starts.size() ? starts[record + 1] : size();
  }
  /// Returns the record that holds position p, p in [0, size()).
  [[nodiscard]] std::size_t record_at(std::size_t p) const noexcept;
};

/// Returns a text of tokens. Both spans must outlive it.
[[nodiscard]] inline text make_text(std::span<std::uint16_t const> tokens,
                                    std::span<std::uint64_t const> starts = {}) noexcept {
  return {{reinterpret_cast<char const*>(tokens.data()), tokens.size_bytes()}, starts, sizeof(std::uint16_t)};
}
[[nodiscard]] inline text make_text(std::span<std::uint32_t const> tokens,
                                    std::span<std::uint64_t const> starts = {}) noexcept {
  return {{reinterpret_cast<char const*>(tokens.data()), tokens.size_bytes()}, starts, sizeof(std::uint32_t)};
}

/// The arrays that build makes besides the suffix array.
struct extra_arrays {
  bool lcp = false, bwt = false;
};

/// The arrays of a text of n residues in k records: results, or input if Index is const. If rows are left out
/// (build_options::rows), sa and lcp have num_rows() entries, and there is no bwt.
template <class Index>
struct arrays {
  std::span<Index> sa;   // n positions, in suffix order; a build leaves it out if it is empty and lcp or bwt is not
  std::span<Index> lcp;  // empty, or n: lcp[0] = 0, lcp[i] is the length of the common prefix of suffixes sa[i - 1] and sa[i]
  // Empty, or n + k: one row for the end of each record, in record order, then one for each entry of sa. A row holds the
  // residue before its position, or '$' at the start of a record. Texts of tokens have none.
  std::span<std::conditional_t<std::is_const_v<Index>, char const, char>> bwt;
};

/// Sinks for results that need not fit into host memory: those of the arrays that are wanted. Each receives the bytes of its
/// array, little-endian.
struct sinks {
  sink *sa = nullptr, *lcp = nullptr, *bwt = nullptr;
  std::size_t entry_bytes =
      0;  // bytes of an entry of sa and lcp: 0 for sizeof(Index); 5 for positions below 2^40 if Index has 8 bytes
};

struct build_options {
  machine_options machine;
  /// The host memory in bytes that the CPU may use besides the text and the results. This is a hard limit.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  row_selection rows = {};  // which suffixes have rows
  /// Called at the start of each phase ("sort", "lcp", "bwt"; "pack" in a group) with the number of text bytes that it processes.
  std::function<void(std::string_view, std::uint64_t)> on_phase = {};
};

/// Thrown if a text needs more than build_options::memory. bytes() suffices.
class text_too_large : public out_of_memory {
 public:
  /// @param min_bytes  suffices unless the text is repetitive
  /// @param bytes  suffices for any text
  text_too_large(std::string const& what, std::size_t min_bytes, std::size_t bytes)
      : out_of_memory(what, bytes), min_bytes_(min_bytes) {}
  [[nodiscard]] std::size_t min_bytes() const noexcept { return min_bytes_; }

 private:
  std::size_t min_bytes_;
};

struct build_report {
  machine_choice machine;
  std::size_t device_memory = 0;  // peak use of GPU memory in bytes
};

/// Returns the number of suffixes that have rows. Uses `threads` threads (0: all).
std::size_t num_rows(text const& input, row_selection selection, unsigned threads = 0);

/// Returns the maximum number of suffixes that are sorted to make the arrays of these rows: only the sampled ones if the rows
/// are a sample. The CPU holds arrays of that many entries.
std::size_t num_sorted_suffixes(std::size_t n, std::size_t records, row_selection rows) noexcept;

/// Returns true if an Index of `bytes` bytes (4, 5 or 8) can number n residues in `records` records.
bool index_fits(std::size_t bytes, std::size_t n, std::size_t records) noexcept;

/// The temporary memory of a build, in bytes. The exact amount is known after the first sort: it grows with the number of
/// suffixes that share a whole key (29 letters of DNA, 12 of proteins) with another one. The CPU sorts very repetitive texts by
/// induction (induced_sort.hpp), in little memory, if all positions have rows and fit into one bit less than an entry. Tokens
/// of 4 bytes are taken to be below 2^20, except by max_bytes.
struct memory_estimate {
  std::size_t min_bytes = 0;   // suffices if few suffixes share a whole key
  std::size_t fast_bytes = 0;  // the same, for the fastest method: see build_plan::ranges
  std::size_t max_bytes = 0;   // suffices for any text
};

/// Returns the temporary memory of a build: host memory for device::cpu, besides text, results and some megabytes a thread; all
/// GPU memory for device::gpu. In a build without CUDA, all figures are those of the CPU.
/// @param residue_bytes  as of a text
memory_estimate build_memory(device where, std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                             row_selection rows = {}, unsigned residue_bytes = 1);

/// The machine, memory and method that a build would use.
struct build_plan {
  machine_choice machine;
  memory_estimate memory;      // what that machine takes: see build_memory
  std::size_t available = 0;   // how much of that memory there is
  std::size_t host_bytes = 0;  // host memory for text and results, if the CPU works
  // The number of ranges of suffixes that would be sorted one after the other; 0 if the build would be refused. One range is
  // fastest on a GPU. The CPU, which profits from caches, is fastest with one range for up to 2^24 suffixes; beyond that, up to
  // 16 ranges are equally fast.
  std::size_t ranges = 0;
};

/// Plans a build of n residues into sinks.
/// @param memory  the host memory that may be used, in bytes
/// @throws as choose_machine()
build_plan plan_build(std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                      machine_options const& machine, std::size_t memory, row_selection rows = {}, unsigned residue_bytes = 1);

/// Returns the temporary memory of check, for any text. If rows are left out, it suffices for texts that are not repetitive.
/// @param what  the arrays to check besides sa
std::size_t check_memory(device where, std::size_t n, std::size_t records, std::size_t index_bytes, extra_arrays extra,
                         row_selection rows = {}, unsigned residue_bytes = 1);

/// Builds the arrays that are wanted by prefix doubling (Hou et al., ICS'17, section 5.1) in O(n log n): see suffix_sort.hpp.
/// Index is std::uint32_t or std::uint64_t. The result is the same on every machine. If the machine is chosen automatically and
/// the GPU's memory runs out, the CPU takes over. The CPU holds the suffix array on the way, if it is not wanted, too.
/// @throws usage_error  arrays of the wrong size, starts out of order, an Index too narrow, a device that does not exist, a BWT
///     with rows left out, a sample of 0; a BWT of tokens, or rows of tokens without ambiguous letters; residue_bytes other
///     than 1, 2 and 4, or bytes that are no whole or no aligned tokens
/// @throws input_error  ambiguous letters are to be left out, and the text has letters that are no nucleotide codes
/// @throws text_too_large  before any work if the CPU certainly needs more than options.memory; later if the text turns out to
///     be repetitive and needs more
/// @throws out_of_memory  the same for a GPU that was required
template <class Index>
ORDO_API build_report build(text const& input, arrays<Index> out, build_options const& options = {});

/// Builds into sinks. A GPU stores from its own memory, and the host holds no array. Sinks learn their size before the work
/// begins, and receive the data when all arrays are complete. The caller names the Index: build_into<std::uint32_t>(...).
/// @throws as build, and what the sinks throw
template <class Index>
ORDO_API build_report build_into(text const& input, sinks const& out, build_options const& options = {});

template <class Index>
struct result {
  std::vector<Index> sa, lcp;
  std::string bwt;
  build_report report;
};

/// Builds into vectors.
template <class Index = std::uint32_t>
ORDO_API result<Index> build(text const& input, extra_arrays extra = {}, build_options const& options = {});

/// The first row at which a check fails. For lcp and bwt it is the first wrong row. The order is checked from row to row: if
/// two rows were swapped, it may be a later one.
struct mismatch {
  std::string array;  // "sa", "lcp" or "bwt"
  std::size_t row = 0;
  std::string reason;
};

/// Checks that `all` is right, in O(n log n) at most, and returns the first mismatch otherwise. sa must be a permutation;
/// adjacent suffixes must be in order by their first residues and, if these are equal, by the ranks of the suffixes that
/// follow; lcp and bwt are compared row by row. Lengths as for build.
/// If rows are left out, the ranks of the following suffixes are unknown. Then all suffixes are sorted again, that order is
/// checked as above, and each row is compared with it. So the check does not depend on the sort. It takes the memory of build,
/// and host memory for the arrays of all rows. The number of rows may be wrong; that is a mismatch.
/// @throws as build
template <class Index>
ORDO_API std::optional<mismatch> check(text const& input, arrays<Index const> all, build_options const& options = {},
                                       build_report* done = nullptr);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
