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

// The half of the GPU benchmarks that needs no nvcc: what is asked for, what is measured, the table and the JSON.
namespace ordo::bench {

struct options {
  bool quick = false;  // 2^24 items at most: a smoke test, its figures say little
  bool rivals = true;
  bool bounded = false;  // tell the sort how long the longest segment is
  unsigned runs = 5;
  std::string rows = ".*";  // names of rows, a regular expression
  std::string json;
  // radix_sort and comparator_sort only
  std::vector<unsigned> sizes{16, 20, 24, 28};  // logarithms
  // segmented_sort: over the length of segments; array_sort: over the number of arrays
  bool sweep = false;
  // segmented_sort only
  bool pairs = false, keys = false;
  std::size_t from = 1, to = 16384;
  // tune_segments only
  std::size_t longest = 0;  // that a block is to sort; 0: as in the present table
  // array_sort only
  double capacity = 0;  // 10^9 floats

  [[nodiscard]] bool chosen(std::string const& row) const;
};

enum class program { segmented_sort, array_sort, radix_sort, comparator_sort, tune_segments };
std::string_view name_of(program which);

/// Nothing: go on. Else the exit status. @throws usage_error
std::optional<int> parse(program which, int argc, char const* const* argv, options& to);

// How long the segments are.
struct fixed_lengths {
  std::size_t length;  // 0: one segment of everything
  bool holes = false;  // a hole of a quarter of the length, and one item, behind each segment
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

/// Of keys, and behind the underscore of values. pair: of two u64, in lexicographic order; record: 16 bytes, by a u32 in it.
enum class types { u32, u32_u32, u32_u64, u64, u64_u32, u64_u64, f32, f32_u32, f32_u64, f64, f64_u32, u8, u16, pair, record };

/// Of the values of keys.
enum class pattern {
  random,
  equal,
  few,  // 16 different ones
  sorted,
  reversed,
  gaussian,     // each the mean of four random ones (Helman et al.)
  power_law,    // 2^20 different ones in no order, the k-th as frequent as 1/k
  low_20_bits,  // random, the others 0
  low_half,     // random, the upper half of the bits the same in all
  and_2,        // two random words and-ed: a one is rarer than a zero, as in the entropies that CUB is measured with
  and_3,
  and_4,
  and_5,
  product,        // as a sparse matrix times its transpose gives them: row and column of each product (Polok et al.)
  bucket_sorted,  // these three after Helman et al., with the 240 blocks of Leischner et al.
  staggered,
  duplicates
};

/// One row of the table.
struct row {
  lengths segments;
  types of = types::u32_u32;
  pattern order = pattern::random;
  double target_ms = 0;    // on an H200, at full size; 0: none was set
  std::size_t arrays = 0;  // so many segments of a fixed length, instead of so many items
  bool computed = false;   // key(item) = table[item], a random read
  bool heads = false;      // the boundaries between equal keys are wanted too
  bool counted = false;    // the name says how many arrays

  /// "u32/u32 zipf 0.8 max 500", "u64 1000", "u32/u32 131072 reversed", "f32 1000 x 50000".
  [[nodiscard]] std::string name() const;
};

struct timing {
  double ms = 0;       // median, on the device
  unsigned runs = 0;   // 0: not run
  double wait_ms = 0;  // what the caller waits, median; 0: not measured
};

struct rival_result {
  timing time;
  bool right = true;
};

/// One row of the sorts of a whole array.
struct whole_row {
  types of = types::u32_u32;
  pattern order = pattern::random;
  double target_times = 0;  // CUB's time should be this many times ours, at any size; 0: none was set
  double target_at_28 = 0;  // the same, at 2^28 items
  bool bits_given = false;  // which bits can differ
  bool argsort = false;     // keys computed, values made by the sort

  /// "u32/u32 uniform", "u64 20-bit told", "u32/u32 uniform argsort".
  [[nodiscard]] std::string name() const;
};

/// What every measured row tells.
struct measured {
  std::string name;
  std::size_t items = 0;
  timing copy;  // of the same bytes, device to device
  std::map<std::string, rival_result> rivals;
  std::size_t extra_bytes = 0, allowed_bytes = 0;  // of temporary memory: taken, and what the contract says
  std::string wrong;                               // why a check failed; empty: right
};

struct row_result : measured {
  std::size_t segments = 0, longest = 0;
  timing offsets;  // segments told by offsets
  timing uniform;  // by uniform_segments
  bool headline_is_uniform = false;
  double target_ms = 0;

  /// The figure that is compared with rivals and target.
  [[nodiscard]] double headline() const { return headline_is_uniform && uniform.runs != 0 ? uniform.ms : offsets.ms; }
};

struct whole_result : measured {
  whole_row what;
  unsigned log_items = 0;
  timing ours;
  double target_times = 0;
};

/// A fall of the rate from one length to the next.
struct drop {
  std::size_t length;      // the shorter one
  double rate, next_rate;  // 10^9 items a second, at `length` and `length + 1`
  [[nodiscard]] double times() const { return rate / next_rate; }
};

struct sweep_result {
  std::string what;                // "u32/u32"
  std::size_t items = 0;           // about as many in all, at each length
  std::size_t from = 1;            // the first length
  std::vector<double> rates;       // 10^9 items a second, one length after the other
  std::vector<drop> worst;         // measured again with more runs, the worst first
  std::vector<std::size_t> wrong;  // lengths that failed the check
};

struct capacity_result {
  std::size_t floats = 0, arrays = 0, length = 0;
  double ms = 0;
  std::size_t free_before = 0, free_least = 0, pool_peak = 0, allowed_bytes = 0;
  std::uint64_t wrong_arrays = 0;
};

/// Where it ran: names and versions, in the order in which they are to be read.
using facts = std::vector<std::pair<std::string, std::string>>;

/// Prints each result as it comes, and rewrites the JSON file, so that a run that is cut short leaves what it has.
class report {
 public:
  /// @param rivals  the columns of the table
  report(program which, options const& how, facts const& where, std::vector<std::string> rivals);
  void add(row_result const& result);
  void add(whole_result const& result);
  void add(sweep_result const& result);
  void add(capacity_result const& result);
  /// Of the whole_results so far: rates over the number of items, a table for each type.
  void print_rates() const;
  void say(std::string_view line) const;
  /// 0, or 1 if any check failed.
  [[nodiscard]] int status() const noexcept { return failed_ ? 1 : 0; }

 private:
  void print_heading();
  void print_whole_heading();
  void print_rivals(measured const& result) const;
  void note_fault(measured const& result);
  void save() const;

  program which_;
  options how_;
  facts where_;
  std::vector<std::string> rivals_;
  std::vector<row_result> rows_;
  std::vector<whole_result> wholes_;
  std::vector<sweep_result> sweeps_;
  std::vector<capacity_result> capacities_;
  bool heading_ = false, failed_ = false;
};

}  // namespace ordo::bench
