#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// The part of the GPU benchmarks that needs no nvcc: options, rows, results, the table and the JSON file.
namespace ordo::inline v0::bench {

struct bench_options {
  bool quick = false;  // a smoke test with 2^24 items at most; its times say little
  bool rivals = true;
  bool bounded = false;  // pass the length of the longest segment to the sort
  unsigned runs = 5;
  std::string rows = ".*";  // regular expression for the names of rows
  std::string json;
  // radix_sort and comparator_sort only
  std::vector<unsigned> sizes{16, 20, 24, 28};  // binary logarithms of the numbers of items
  // segmented_sort: sweep over the length of segments; array_sort: over the number of arrays
  bool sweep = false;
  // segmented_sort only
  bool pairs = false, keys = false;
  std::size_t from = 1, to = 16384;
  // tune_segments only
  std::size_t longest = 0;  // the longest segment that a block sorts; 0: that of the present table
  // array_sort only
  double capacity = 0;      // 10^9 floats
  bool by_length = false;  // 50,000 arrays of each length
  // comparator_sort only
  bool beside_radix = false;  // keys of 64 bits beside CUB's radix sort

  [[nodiscard]] bool selects(std::string const& row) const;
};

enum class program {
  segmented_sort,
  array_sort,
  radix_sort,
  comparator_sort,
  small_sorts,
  tune_segments,
  segment_kernels
};
std::string_view program_name(program benchmark);

/// Parses the command line. Returns the exit status if the program must end. @throws usage_error
std::optional<int> parse(program benchmark, int argc, char const* const* argv, bench_options& options);

// Lengths of segments.
struct fixed_lengths {
  std::size_t length;  // 0: one segment of all items
  bool holes = false;  // a hole of a quarter of the length and one item after each segment
};
/// P(l) proportional to l^-exponent, 1 <= l <= longest: the "power law" of Hou et al. (ICS'17, section 4.2).
struct zipf_lengths {
  double exponent;
  std::size_t longest;
};
struct log_normal_lengths {
  double median, sigma;
};
using lengths = std::variant<fixed_lengths, zipf_lengths, log_normal_lengths>;

/// The types of keys and, after the underscore, of values. pair: two u64 in lexicographic order; record: 16 bytes with a u32 as
/// key.
enum class types { u32, u32_u32, u32_u64, u64, u64_u32, u64_u64, f32, f32_u32, f32_u64, f64, f64_u32, u8, u16, pair, record };

/// The distribution of keys.
enum class pattern {
  random,
  equal,
  few,  // 16 distinct keys
  sorted,
  reversed,
  gaussian,     // means of four random keys (Helman et al.)
  power_law,    // 2^20 distinct keys in random order; the frequency of the k-th is proportional to 1/k
  low_20_bits,  // random, the other bits 0
  low_half,     // random, the upper half of the bits equal in all keys
  and_2,        // the bitwise and of two random words: ones are rarer than zeros, as in CUB's own benchmarks
  and_3,
  and_4,
  and_5,
  product,        // row and column of each product of a sparse matrix and its transpose (Polok et al.)
  bucket_sorted,  // this and the next two after Helman et al., with the 240 blocks of Leischner et al.
  staggered,
  duplicates
};

/// A row of the benchmarks of segments and arrays.
struct segment_row {
  lengths segments;
  types type = types::u32_u32;
  pattern order = pattern::random;
  double target_ms = 0;    // on an H200, at full size; 0: none
  std::size_t arrays = 0;  // number of segments of a fixed length; 0: by the number of items
  bool computed = false;   // key(item) = table[item], a read at random
  bool heads = false;      // report the boundaries between groups of equal keys
  bool counted = false;    // the name has the number of arrays

  /// "u32/u32 zipf 0.8 max 500", "u64 1000", "u32/u32 131072 reversed", "f32 1000 x 50000".
  [[nodiscard]] std::string name() const;
};

struct timing {
  double ms = 0;                  // median, on the device
  unsigned runs = 0;              // 0: not run
  double wait_ms = 0;             // time that the caller waits, median; 0: not measured
  double min_ms = 0, max_ms = 0;  // time of the runs on the device
};

struct rival_result {
  timing time;
  bool right = true;
};

/// A row of the sorts of a whole array.
struct whole_row {
  types type = types::u32_u32;
  pattern order = pattern::random;
  double target_times = 0;  // wanted ratio of CUB's time to ours, at any size; 0: none
  double target_at_28 = 0;  // the same, at 2^28 items
  bool bits_given = false;  // the caller passes the range of bits in use
  bool argsort = false;     // keys are computed, and values are positions

  /// "u32/u32 uniform", "u64 20-bit told", "u32/u32 uniform argsort".
  [[nodiscard]] std::string name() const;
};

/// The results that all rows have.
struct measured {
  std::string name;
  std::size_t items = 0;
  timing copy;  // a copy of the same bytes, device to device
  std::map<std::string, rival_result> rivals;
  std::size_t extra_bytes = 0, allowed_bytes = 0;  // temporary memory: taken, and allowed by the contract
  std::string wrong;                               // the check that failed; empty: none
};

struct row_result : measured {
  std::size_t segments = 0, longest = 0;
  timing offsets;  // segments given by offsets
  timing uniform;  // segments given by uniform_segments
  bool headline_is_uniform = false;
  double target_ms = 0;

  /// Returns the time that is compared with rivals and target.
  [[nodiscard]] double headline() const { return headline_is_uniform && uniform.runs != 0 ? uniform.ms : offsets.ms; }
};

struct whole_result : measured {
  whole_row row;
  unsigned log_items = 0;
  timing ours;                   // the faster form, in place or out of place
  timing other_form;             // the slower form; no runs: not measured
  bool is_out_of_place = false;  // whether the faster form writes to other arrays
  double target_times = 0;
};

/// A drop of the rate from one length to the next.
struct drop {
  std::size_t length;      // the shorter one
  double rate, next_rate;  // 10^9 items a second, at `length` and `length + 1`
  [[nodiscard]] double times() const { return rate / next_rate; }
};

struct sweep_result {
  std::string types;               // "u32/u32"
  std::size_t items = 0;           // approximate number at each length
  std::size_t from = 1;            // the first length
  std::vector<double> rates;       // 10^9 items a second, by length
  std::vector<drop> worst;         // measured again with more runs, in descending order
  std::vector<std::size_t> wrong;  // lengths that failed the check
};

struct capacity_result {
  std::size_t floats = 0, arrays = 0, length = 0;
  double ms = 0;
  std::size_t free_before = 0, min_free = 0, pool_peak = 0, allowed_bytes = 0;
  std::uint64_t wrong_arrays = 0;
};

/// Names and versions of the machine and the software, in the order of the report.
using facts = std::vector<std::pair<std::string, std::string>>;

/// Prints each result when it is added, and rewrites the JSON file, so that an interrupted run leaves its results.
class report {
 public:
  /// @param rivals  the columns of the table
  report(program benchmark, bench_options const& options, facts const& machine, std::vector<std::string> rivals);
  void add(row_result const& result);
  void add(whole_result const& result);
  void add(sweep_result const& result);
  void add(capacity_result const& result);
  /// Prints the rates of the whole_results over the number of items, in a table for each type.
  void print_rates() const;
  void say(std::string_view line) const;
  /// Returns 0, or 1 if any check failed.
  [[nodiscard]] int status() const noexcept { return failed_ ? 1 : 0; }

 private:
  void print_heading();
  void print_whole_heading();
  void print_rivals(measured const& result) const;
  void print_fault(measured const& result);
  void save() const;

  program program_;
  bench_options options_;
  facts machine_;
  std::vector<std::string> rivals_;
  std::vector<row_result> rows_;
  std::vector<whole_result> wholes_;
  std::vector<sweep_result> sweeps_;
  std::vector<capacity_result> capacities_;
  bool heading_ = false, failed_ = false;
};

}  // namespace ordo::inline v0::bench
