#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fmd.hpp"
#include "suffix/aligners/run_files.hpp"
#include "suffix/run_length/runs_on.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

class string_sink final : public sink {
 public:
  using sink::write;
  void write(std::span<char const> data) override { text.append(data.data(), data.size()); }
  std::string text;
};

template <class Write>
std::string written(Write write) {
  string_sink to;
  write(to);
  return to.text;
}

std::string by_sort(std::vector<std::string> const& records,
                    suffix::run_length_format format = suffix::run_length_format::fmd) {
  suffix::fmd_records all;
  for (std::string const& record : records) all.add(record);
  return written([&](sink& to) { all.write(to, {}, format); });
}

std::string fmd_of(suffix::run_length_index const& index) {
  return written([&](sink& to) { index.write(to); });
}

suffix::run_length_index inserted(std::span<std::string const> records, suffix::run_length_options const& options) {
  suffix::run_length_index index(options, suffix::run_length_index::method::insert);
  for (std::string const& record : records) index.add(record);
  index.finish();
  return index;
}

/// What ropebwt3 writes as .ssa, by the suffix array.
std::string samples_by_sort(std::vector<std::string> const& records, unsigned shift) {
  std::vector<std::string> strands;
  for (std::string const& record : records) {
    std::string forward, reverse;
    for (char const c : record) {
      std::size_t const at = std::string_view("acgtACGT").find(c);
      forward += at == std::string_view::npos ? 'Z' : "ACGTACGT"[at];
      reverse += at == std::string_view::npos ? 'Z' : "TGCATGCA"[at];
    }
    std::ranges::reverse(reverse);
    strands.push_back(forward);
    strands.push_back(reverse);
  }
  stored_text const stored(strands);
  suffix::text const text = stored.view();
  auto const sa = suffix::build<std::uint32_t>(text).sa;
  unsigned bits = 1;
  while ((1U << bits) < strands.size()) ++bits;
  std::vector<std::uint64_t> of_end, positions;
  for (std::size_t r = 0; r < strands.size(); ++r)
    if (strands[r].empty()) of_end.push_back(r);
  for (std::size_t row = 0; row < sa.size(); ++row) {
    std::size_t const record = text.record_at(sa[row]);
    std::uint64_t const position = sa[row] - text.starts[record];
    if (position == 0) of_end.push_back(record);
    if (row % (std::size_t{1} << shift) == 0) positions.push_back(position << bits | record);
  }
  std::string all = "SSA\1";
  auto const put = [&](auto value) { all.append(reinterpret_cast<char const*>(&value), sizeof(value)); };
  put(std::uint32_t(shift));
  put(std::uint32_t(bits));
  put(std::uint64_t(of_end.size()));
  put(std::uint64_t(positions.size()));
  for (auto const value : of_end) put(value);
  for (auto const value : positions) put(value);
  return all;
}

/// Records like those of genomes that are alike, and their difficult cases.
std::vector<std::string> random_genomes(random_numbers& random) {
  static constexpr std::array<char const*, 6> alphabets{"ACGT", "A", "ACGTN", "acgtACGTRYKMN-*.", "AT", "CG"};
  std::string const alphabet = alphabets[random.below(alphabets.size())];
  std::string base = random_letters(random, alphabet, random.below(random.below(3) == 0 ? 2000 : 120));
  if (random.below(3) == 0) {  // a tandem repeat
    std::string const unit = random_letters(random, alphabet, 1 + random.below(7));
    for (std::size_t k = random.below(200); k-- > 0;) base += unit;
  }
  if (random.below(4) == 0) base.insert(random.below(base.size() + 1), random.below(300), 'N');
  if (random.below(4) == 0) base += base;
  std::vector<std::string> records(1 + random.below(9));
  std::size_t const rate = 2 + random.below(200);
  for (std::string& record : records) {
    if (random.below(12) == 0) {
      record = random_letters(random, alphabet, random.below(4));
      continue;
    }
    record.clear();
    for (char const c : base) {
      std::size_t const change = random.below(8 * rate);
      if (change < 6) record += random_letters(random, alphabet, 1);
      if (change > 3) record += c;
    }
    if (random.below(4) == 0) record.resize(random.below(record.size() + 1));
  }
  if (random.below(3) == 0) records.push_back(records[0]);
  if (random.below(8) == 0) std::ranges::fill(records, records[0]);
  return records;
}

}  // namespace

TEST_CASE("insertion of genomes gives the index that a sort gives", "[suffix][run_length]") {
  std::size_t const cases = 120;
  random_numbers random(73);
  for (std::size_t i = 0; i < cases; ++i) {
    std::vector<std::string> const records = random_genomes(random);
    static constexpr std::array<std::uint64_t, 6> walks{1, 2, 16, 64, 333, 0};
    suffix::run_length_options options;
    options.machine.threads = 1 + random.below(2);
    options.walk_letters = walks[random.below(walks.size())];
    options.batch_letters = 1 + random.below(random.below(2) == 0 ? 2 : 3000);
    options.part_letters = random.below(2) == 0 ? 1 + random.below(100) : 0;
    INFO("case " << i << ": " << records.size() << " records, the first one of " << records[0].size() << ", walks "
                 << options.walk_letters << ", batches " << options.batch_letters << ", parts " << options.part_letters);
    suffix::run_length_index const index = inserted(records, options);
    std::string const expected = by_sort(records);
    REQUIRE(fmd_of(index) == expected);
    unsigned const shift = unsigned(random.below(4));
    REQUIRE(written([&](sink& to) { index.write_samples(to, shift); }) == samples_by_sort(records, shift));
    REQUIRE(written([&](sink& to) { index.write(to, suffix::run_length_format::fmr); }) ==
            by_sort(records, suffix::run_length_format::fmr));
    REQUIRE(index.has_all_rows());
    for (std::size_t r = 0; r < records.size(); ++r) REQUIRE(index.holds(2 * r, records[r]));
    std::string changed = records[0] + "A";
    REQUIRE_FALSE(index.holds(0, changed));
  }
}

namespace {

// What GPUs take, on a CPU.
struct without_workers : host_backend {
  std::size_t worker_share(std::size_t) const = delete;
};
static_assert(Backend<without_workers> && !has_workers<without_workers>);

struct with_backend_without_workers {
  std::shared_ptr<without_workers> backend = std::make_shared<without_workers>();
  template <class F>
  auto operator()(F f) const {
    return f(*backend);
  }
};

std::vector<std::uint8_t> codes_of(std::string_view record, bool is_reverse) {
  std::vector<std::uint8_t> codes;
  for (char const c : record) {
    std::size_t const at = std::string_view("acgtACGT").find(c);
    codes.push_back(std::uint8_t(at == std::string_view::npos ? 5 : is_reverse ? 4 - at % 4 : 1 + at % 4));
  }
  if (is_reverse) std::ranges::reverse(codes);
  return codes;
}

using run_list = std::vector<std::pair<char, std::uint64_t>>;

run_list runs_of(suffix::run_length::run_arrays const& arrays) {
  run_list runs;
  suffix::run_length::piece_reader in(arrays.blocks.data(), 0, arrays.blocks.size());
  unsigned letter = 0;
  for (std::uint64_t rows = 0; in.next(letter, rows);) {
    char const c = "$ACGTN"[letter];
    if (!runs.empty() && runs.back().first == c)
      runs.back().second += rows;
    else
      runs.emplace_back(c, rows);
  }
  return runs;
}

}  // namespace

TEST_CASE("insertion without workers gives the index of the CPU", "[suffix][run_length]") {
  using namespace suffix::run_length;
  random_numbers random(77);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<std::string> records = random_genomes(random);
    if (i % 12 == 0)
      for (std::size_t k = 0; k < 3; ++k) records.push_back(random_letters(random, "ACGTN", 20000));
    suffix::run_length_options options;
    options.machine.threads = 1;
    suffix::run_length_index const expected = inserted(records, options);
    runs_on<without_workers, with_backend_without_workers> index{with_backend_without_workers()};
    insert_options const with{.walk_letters = 1 + random.below(100)};
    insert_counts counts;
    std::size_t const limit = random.below(2) == 0 ? ~std::size_t{0} : 1 + random.below(200),
                      max_letters = 1 + random.below(4000);
    batch waiting;
    auto const append = [&](std::vector<std::uint8_t> const& codes, std::size_t begin, std::size_t end, unsigned terminator) {
      std::size_t const at = waiting.codes.size();
      waiting.codes.append(std::span(codes).subspan(begin, end - begin));
      waiting.segments.push_back({at, waiting.codes.size()});
      waiting.codes.push_back(std::uint8_t(terminator));
      if (terminator != continued_code) return;
      std::size_t const rest = std::min<std::size_t>(random.below(3) == 0 ? random.below(40) : 300, codes.size() - end);
      waiting.rest.assign(codes.begin() + std::ptrdiff_t(end), codes.begin() + std::ptrdiff_t(end + rest));
      if (end + rest == codes.size() && random.below(2) == 0) waiting.rest.push_back(end_code);
    };
    auto const insert_waiting = [&] {
      if (waiting.codes.empty()) return;
      auto const row = index.insert(waiting, with, counts);
      waiting = {};
      waiting.continued_row = row;
    };
    for (std::string const& record : records)
      for (bool const is_reverse : {false, true}) {
        std::vector<std::uint8_t> const codes = codes_of(record, is_reverse);
        std::size_t left = codes.size();
        unsigned terminator = end_code;
        if (left > limit) insert_waiting();
        for (; left > limit; left -= limit) {
          append(codes, left - limit, left, terminator);
          waiting.is_open = true;
          insert_waiting();
          terminator = continued_code;
        }
        append(codes, 0, left, terminator);
        if (waiting.codes.size() > max_letters) insert_waiting();
      }
    insert_waiting();
    INFO("case " << i << ": " << records.size() << " records, the first one of " << records[0].size() << ", walks "
                 << with.walk_letters << ", parts " << limit << ", batches " << max_letters);
    run_list runs;
    expected.each_run([&](char letter, std::uint64_t rows) { runs.emplace_back(letter, rows); });
    run_arrays const arrays = index.download();
    REQUIRE(runs_of(arrays) == runs);
    REQUIRE(index.num_ends() == 2 * records.size());
    host_backend backend(1);
    std::uint64_t const distance = 1 + random.below(9);
    bool const with_markers = random.below(2) == 0;
    sampled_rows const found = index.sample(distance, with_markers), wanted(backend, arrays.view(), distance, with_markers);
    REQUIRE(std::ranges::equal(found.positions.span(), wanted.positions.span()));
    REQUIRE(found.record_of_end == wanted.record_of_end);
    REQUIRE(found.lengths == wanted.lengths);
    REQUIRE(found.first_rows == wanted.first_rows);
    REQUIRE(found.rows_before == wanted.rows_before);
    REQUIRE(std::ranges::equal(found.marker_positions.span(), wanted.marker_positions.span()));
    index.upload(arrays.view());
    REQUIRE(runs_of(index.download()) == runs);
  }
}

TEST_CASE("blocks have all rows of runs that fill many of them", "[suffix][run_length]") {
  using namespace suffix::run_length;
  random_numbers random(80);
  for (std::size_t i = 0; i < 50; ++i) {
    run_list runs;
    block_list list;
    block_writer<append_to_list> writer(append_to_list{&list});
    for (std::size_t k = random.below(120); k-- > 0;) {
      char const letter = "ACGTN"[random.below(5)];
      std::uint64_t const rows = 1 + random.below(random.below(4) == 0 ? std::uint64_t{5} * run_block::max_rows : 40);
      if (!runs.empty() && runs.back().first == letter)
        runs.back().second += rows;
      else
        runs.emplace_back(letter, rows);
      writer.add(unsigned(std::string_view("$ACGTN").find(letter)), rows);
    }
    writer.finish();
    run_arrays arrays;
    arrays.blocks = buffer<run_block>(host_memory::shared(), list.blocks.size());
    std::ranges::copy(list.blocks, arrays.blocks.data());
    REQUIRE(runs_of(arrays) == runs);
  }
}

TEST_CASE("genomes with long gaps have one run of millions of rows, and the ends of gaps behind it", "[suffix][run_length]") {
  random_numbers random(83);
  std::string genome;
  for (std::size_t gap = 0; gap < 16; ++gap) genome += random_letters(random, "ACGT", 100) + std::string(34000 + 7 * gap, 'N');
  std::string other = genome;
  for (std::size_t changes = 0; changes < 20; ++changes) other[random.below(100)] = 'G';
  suffix::run_length_index const index = inserted(std::vector{genome, other}, {});
  CHECK(index.holds(0, genome));
  CHECK(index.holds(2, other));
  suffix::fmd_records first;
  first.add(genome);
  std::string const by_sort_alone = written([&](sink& to) { first.write(to, {}); });
  CHECK(fmd_of(inserted(std::vector{genome}, {})) == by_sort_alone);
}

TEST_CASE("a batch is inserted while the next one is read", "[suffix][run_length]") {
  random_numbers random(79);
  std::vector<std::string> records(1, random_letters(random, "ACGT", 3000));
  while (records.size() < 40) {
    records.push_back(records.back());
    records.back()[random.below(3000)] = 'G';
  }
  bool const has_threads = threads_for(0) > 1;
  std::size_t waits = 0;
  bool is_own_thread = true;
  suffix::run_length_options options;
  options.machine.device = device::cpu;
  options.batch_letters = 6000;
  options.on_phase = [&, own = std::this_thread::get_id()](std::string_view name, std::uint64_t) {
    waits += name == "insert";
    is_own_thread &= std::this_thread::get_id() == own;
  };
  REQUIRE(fmd_of(inserted(records, options)) == by_sort(records));
  REQUIRE(is_own_thread);
  REQUIRE((waits > 30) == has_threads);
  // An index may be destroyed in the middle.
  for (std::size_t count = 1; count < 9; ++count) {
    suffix::run_length_index index(options, suffix::run_length_index::method::insert);
    for (std::size_t r = 0; r < count; ++r) index.add(records[r]);
    REQUIRE(!(has_threads && count > 3 && index.is_complete()));
  }
}

namespace {

void check_on_gpu(std::vector<std::string> const& records, suffix::run_length_options options) {
  suffix::run_length_options on_gpu = options;
  options.machine.device = device::cpu;
  on_gpu.machine.device = device::gpu;
  suffix::run_length_index const expected = inserted(records, options), index = inserted(records, on_gpu);
  INFO(records.size() << " records, the first one of " << records[0].size() << ", batches " << options.batch_letters
                      << ", parts " << options.part_letters);
  REQUIRE(index.report().machine.device == device::gpu);
  REQUIRE(fmd_of(index) == fmd_of(expected));
  REQUIRE(written([&](sink& to) { index.write_samples(to, 3); }) ==
          written([&](sink& to) { expected.write_samples(to, 3); }));
  REQUIRE(written([&](sink& to) { index.write_index(to, 32, 5); }) ==
          written([&](sink& to) { expected.write_index(to, 32, 5); }));
}

}  // namespace

TEST_CASE("a GPU takes the codes of a batch while it inserts the one before", "[suffix][run_length][gpu]") {
  if (gpus().empty()) return;
  random_numbers random(83);
  std::vector<std::string> records(5, random_letters(random, "ACGT", 530'000));
  for (std::string& record : records)
    for (std::size_t changes = 0; changes < 600; ++changes) record[random.below(record.size())] = 'G';
  suffix::run_length_options options;
  options.batch_letters = std::uint64_t{1} << 20;  // fewer codes are not worth it
  check_on_gpu(records, options);
}

TEST_CASE("a GPU makes small run-length indexes", "[suffix][run_length][gpu][small]") {
  if (gpus().empty()) return;
  random_numbers random(82);
  std::string const base = random_letters(random, "ACGTN", 3000) + std::string(500, 'N');
  std::vector<std::string> records(5, base);
  for (std::string& record : records)
    for (std::size_t changes = 0; changes < 30; ++changes) record[random.below(record.size())] = 'G';
  for (std::uint64_t const part_letters : {0, 1100}) {
    suffix::run_length_options options;
    options.batch_letters = 5000;
    options.part_letters = part_letters;
    check_on_gpu(records, options);
  }
}

TEST_CASE("a GPU makes the run-length index of the CPU", "[suffix][run_length][gpu]") {
  if (gpus().empty()) return;
  random_numbers random(78);
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<std::string> records = random_genomes(random);
    if (i % 12 == 0) {
      records.assign(1, random_letters(random, "ACGT", 300000));
      for (std::size_t k = 0; k < 4; ++k) {
        records.push_back(records[0]);
        for (std::size_t changes = 0; changes < 300; ++changes) records.back()[random.below(records[0].size())] = 'G';
      }
    }
    suffix::run_length_options options;
    options.batch_letters = random.below(2) == 0 ? 1 + random.below(3000) : 0;
    options.part_letters = random.below(2) == 0 ? 50 + random.below(1000) : 0;
    if (i % 12 == 0) options.part_letters = 0;
    INFO("case " << i);
    check_on_gpu(records, options);
  }
}

TEST_CASE("an index of ropebwt3 is read and extended", "[suffix][run_length]") {
  using suffix::run_length_format;
  random_numbers random(74);
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<std::string> records = random_genomes(random);
    if (i % 10 == 0) records.push_back(std::string(20000 + random.below(600000), 'A') + "C");  // wide counts and long runs
    run_length_format const format = i % 2 == 0 ? run_length_format::fmd : run_length_format::fmr;
    std::size_t const before = random.below(records.size()) + 1;
    std::string const first = by_sort({records.begin(), records.begin() + std::ptrdiff_t(before)}, format);
    suffix::run_length_index index;
    memory_source from(first);
    index.read(from, "first.fmd");
    REQUIRE(index.is_complete());
    for (std::size_t r = before; r < records.size(); ++r) index.add(records[r]);
    index.finish();
    REQUIRE(index.records() == 2 * records.size());
    REQUIRE(written([&](sink& to) { index.write(to, format); }) == by_sort(records, format));
  }
}

TEST_CASE("a damaged index of ropebwt3 is an error or an index", "[suffix][run_length]") {
  using suffix::run_length_format;
  random_numbers random(75);
  std::vector<std::string> records(4, random_letters(random, "ACGTN", 700));
  for (std::string& record : records) record[random.below(record.size())] = 'T';
  std::size_t read = 0;
  for (run_length_format const format : {run_length_format::fmd, run_length_format::fmr}) {
    std::string const whole = by_sort(records, format);
    for (std::size_t i = 0; i < 600; ++i) {
      std::string damaged = whole;
      if (i % 3 == 0) damaged.resize(random.below(whole.size()));
      for (std::size_t k = random.below(3); k < 3 && !damaged.empty(); ++k)
        damaged[random.below(i % 2 == 0 ? std::min<std::size_t>(damaged.size(), 120) : damaged.size())] =
            char(random.below(256));
      suffix::run_length_index index;
      memory_source from(damaged);
      try {
        index.read(from, "damaged.fmd");
        REQUIRE(damaged.size() == whole.size());
        index.add("GATTACA");
        index.finish();
        static_cast<void>(index.has_all_rows());
        written([&](sink& to) { index.write_samples(to); });
        ++read;
      } catch (input_error const&) {}
    }
  }
  REQUIRE(read > 10);  // changes of the table, which is made anew
}

TEST_CASE("run-length indexes of no records and of one strand are refused", "[suffix][run_length]") {
  CHECK_THROWS_AS(by_sort({}), input_error);
  CHECK_THROWS_WITH(by_sort({}), "no records: reference: an index needs at least one");
  // The record A, and the records A and C.
  for (std::string_view const bwt : {"A$", "AC$$"}) {
    std::string const file = written([&](sink& to) { suffix::write_fmd(bwt, to); });
    auto const read = [&] {
      memory_source from(file);
      suffix::run_length_index().read(from, "x.fmd");
    };
    CHECK_THROWS_AS(read(), input_error);
    CHECK_THROWS_WITH(read(), "cannot read: x.fmd: not an index of both strands of each record");
  }
}

TEST_CASE("threads decode the parts of an index of ropebwt3", "[suffix][run_length]") {
  constexpr std::size_t head = 80, block = 64, of_part = 2048;
  random_numbers random(81);
  std::vector<std::string> const records{random_letters(random, "ACGTN", 320000)};
  std::string const whole = by_sort(records);
  REQUIRE(whole.size() > head + 3 * of_part * block);
  suffix::run_length_options options;
  for (unsigned const threads : {1, 3}) {
    options.machine.threads = threads;
    suffix::run_length_index index(options);
    memory_source from(whole);
    index.read(from, "whole.fmd");
    CHECK(fmd_of(index) == whole);
    // A block with other counts, also the first one of a part, whose counts another thread has.
    for (std::size_t const at : {std::size_t{1}, of_part - 1, of_part, of_part + 1, 2 * of_part}) {
      std::string damaged = whole;
      ++damaged[head + at * block + 4];
      memory_source from_damaged(damaged);
      CHECK_THROWS_WITH(index.read(from_damaged, "x.fmd"),
                        "cannot read: x.fmd: byte " + std::to_string(head + (at + 1) * block) + ": a damaged block");
    }
  }
}

namespace {

void each_in_order(std::size_t n, std::function<void(std::size_t)> const& f) {
  for (std::size_t i = 0; i < n; ++i) f(i);
}

/// Writes runs of which at most so many come at a time.
void write_runs(std::span<suffix::dna_run const> runs, std::size_t at_a_time, sink& to) {
  suffix::write_fmd_runs(
      [&](suffix::run_list& next) {
        std::size_t const count = std::min(at_a_time, runs.size());
        for (suffix::dna_run const run : runs.first(count)) next.push_back(run);
        runs = runs.subspan(count);
        return count != 0;
      },
      each_in_order, to);
}

/// Returns true if an FMD has these runs, of which no two adjacent ones have one letter.
bool has_runs(std::string_view fmd, std::span<suffix::dna_run const> runs) {
  memory_source from(fmd);
  std::size_t at = 0;
  bool equal = true;
  suffix::read_runs(from, "x.fmd", each_in_order, [&](std::span<suffix::run_list const> parts) {
    for (suffix::run_list const& part : parts)
      for (std::size_t i = 0; i < part.size(); ++i, ++at)
        equal = equal && at < runs.size() && part[i].word() == runs[at].word();
  });
  return equal && at == runs.size();
}

}  // namespace

TEST_CASE("an FMD is the same however many runs come at a time", "[suffix][run_length]") {
  random_numbers random(83);
  for (std::size_t const count : {1, 60, 32767, 32768, 32769, 150000})
    for (unsigned const max_bits : {1, 4, 14, 33, 40}) {
      for (bool const are_equal : {false, true}) {
        std::vector<suffix::dna_run> runs;
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t const rows = std::uint64_t{1} << (are_equal ? max_bits - 1 : random.below(max_bits));
          std::size_t const skipped = are_equal ? 0 : random.below(2);
          runs.emplace_back(unsigned(1 + (i + skipped) * 2 % 5), are_equal ? rows : rows + random.below(rows));
        }
        auto const adjacent = [](suffix::dna_run a, suffix::dna_run b) { return a.letter() == b.letter(); };
        runs.erase(std::unique(runs.begin(), runs.end(), adjacent), runs.end());
        INFO(count << " runs of up to " << max_bits << " bits" << (are_equal ? ", all equal" : ""));
        std::string const expected = written([&](sink& to) { write_runs(runs, 1, to); });
        REQUIRE(has_runs(expected, runs));
        for (std::size_t const at_a_time : {std::size_t(1 + random.below(50000)), count}) {
          REQUIRE(written([&](sink& to) { write_runs(runs, at_a_time, to); }) == expected);
          std::string addressed(expected.size(), '\1');
          memory_sink to{std::span(addressed)};
          write_runs(runs, at_a_time, to);
          REQUIRE(addressed == expected);
        }
      }
    }
}

TEST_CASE("an FMD of several groups of blocks has all runs", "[suffix][run_length]") {
  // 2^20 blocks are a group, whose last block has less room: none if the one before has 2^30 rows.
  for (auto const& [bits, count] : {std::pair<unsigned, std::size_t>{25, 7'000'000}, {30, 2'200'000}}) {
    std::vector<suffix::dna_run> runs;
    for (std::uint64_t i = 0; i < count; ++i)
      runs.emplace_back(unsigned(1 + i % 5), (std::uint64_t{1} << bits) + (i * 0x9e3779b97f4a7c15 >> (64 - bits)));
    INFO("runs of " << bits << " bits");
    std::string const expected = written([&](sink& to) { write_runs(runs, 800'000, to); });
    REQUIRE(expected.size() > std::size_t{64} << 20);
    REQUIRE(has_runs(expected, runs));
    std::string addressed(expected.size(), '\1');
    memory_sink to{std::span(addressed)};
    write_runs(runs, 3'000'000, to);
    REQUIRE(addressed == expected);
  }
}

TEST_CASE("samples of an index whose walks leave it are refused", "[suffix][run_length]") {
  using namespace suffix::run_length;
  host_backend backend(1);
  std::vector<block_list> lists(1);
  block_writer<append_to_list> to(append_to_list{lists.data()});
  for (unsigned const letter : {1U, 4U, 0U, 0U}) to.add(letter, 1);  // both strands of the record A
  to.finish();
  lists[0].rows = to.rows();
  run_index<host_backend> const index(backend, std::move(lists));
  run_view view = index.view();
  CHECK(sampled_rows(backend, view, 1).lengths == std::vector<std::uint64_t>{1, 1});
  view.first[1] = view.rows;  // the rows of A are after all others
  CHECK_THROWS_AS(sampled_rows(backend, view, 1), std::length_error);
}

TEST_CASE("an insertion that fails is done again", "[suffix][run_length]") {
  random_numbers random(80);
  std::vector<std::string> records(3, random_letters(random, "ACGT", 3000));
  for (std::string& record : records) record[random.below(record.size())] = 'G';
  suffix::run_length_options options;
  options.machine.device = device::cpu;
  options.batch_letters = 6000;
  bool fails = true;
  options.on_phase = [&](std::string_view name, std::uint64_t) {
    if (name == "merge" && std::exchange(fails, false)) throw output_error("cannot write: test: no space");
  };
  suffix::run_length_index index(options, suffix::run_length_index::method::insert);
  index.add(records[0]);
  CHECK_THROWS_AS(index.add(records[1]), output_error);
  CHECK_FALSE(index.is_complete());
  index.add(records[2]);
  index.finish();
  CHECK(fmd_of(index) == by_sort(records));
}

TEST_CASE("a run-length index is sorted or inserted as its genomes and memory advise", "[suffix][run_length]") {
  random_numbers random(76);
  std::string const base = random_letters(random, "ACGT", 60000);
  std::vector<std::string> records;
  for (int k = 0; k < 4; ++k) {
    records.push_back(base);
    for (int change = 0; change < 150; ++change) records.back()[random.below(base.size())] = 'G';
  }
  std::string const expected = by_sort(records);
  for (std::size_t const memory : {~std::size_t{0}, std::size_t{1200000}, std::size_t{60000}})
    for (bool const alike : {true, false})
      for (auto const how : {suffix::run_length_index::method::choose, suffix::run_length_index::method::sort}) {
        std::vector<std::string> phases;
        suffix::run_length_options options;
        options.memory = memory;
        options.on_phase = [&](std::string_view name, std::uint64_t) { phases.emplace_back(name); };
        suffix::run_length_index index(options, how);
        std::vector<std::string> other = records;
        if (!alike)
          for (std::string& record : other) record = random_letters(random, "ACGT", 40000);
        for (std::string const& record : other) {
          index.add(record);
          index.end_genome();
        }
        index.finish();
        INFO("memory " << memory << ", alike " << alike);
        bool const inserts = std::ranges::count(phases, "walk") != 0;
        REQUIRE(inserts == (memory != ~std::size_t{0} || (alike && how == suffix::run_length_index::method::choose)));
        REQUIRE(fmd_of(index) == (alike ? expected : by_sort(other)));
      }
  // The first genome is sorted as a whole, however long the parts are in which others are inserted.
  {
    std::uint64_t sorted_rows = 0;
    suffix::run_length_options options;
    options.machine.device = device::cpu;
    options.marks_genomes = true;
    options.part_letters = 7000;
    options.on_phase = [&](std::string_view name, std::uint64_t rows) { sorted_rows += name == "runs" ? rows : 0; };
    suffix::run_length_index index(options);
    for (std::string const& record : records) {
      index.add(record);
      index.end_genome();
    }
    index.finish();
    REQUIRE(sorted_rows == 2 * (base.size() + 1));
    REQUIRE(fmd_of(index) == expected);
  }
  // Chromosomes of another genome come after those of the first one. Records alone are genomes if the caller marks none.
  std::string const other = random_letters(random, "ACGT", 140000), large = random_letters(random, "ACGT", 140000);
  auto const changed = [&](std::string record) {
    for (int change = 0; change < 300; ++change) record[random.below(record.size())] = 'G';
    return record;
  };
  std::vector<std::string> const chromosomes{large, other, changed(large), changed(other)};
  std::string const of_chromosomes = by_sort(chromosomes);
  for (bool const marks : {false, true}) {
    bool inserts = false;
    suffix::run_length_options options;
    options.marks_genomes = marks;
    options.on_phase = [&](std::string_view name, std::uint64_t) { inserts |= name == "walk"; };
    suffix::run_length_index index(options);
    for (std::string const& record : chromosomes) index.add(record);
    index.finish();
    REQUIRE(inserts != marks);
    REQUIRE(fmd_of(index) == of_chromosomes);
  }
  // A part of its 24-mers shows that a long genome is like the first one, and all of them that it is not.
  std::string const first = random_letters(random, "ACGT", 530000);
  for (bool const alike : {true, false}) {
    std::vector<std::string> const genomes{first, alike ? changed(first) : random_letters(random, "ACGT", 530000)};
    bool inserts = false;
    suffix::run_length_options options;
    options.on_phase = [&](std::string_view name, std::uint64_t) { inserts |= name == "walk"; };
    suffix::run_length_index index(options);
    for (std::string const& genome : genomes) {
      index.add(genome);
      index.end_genome();
    }
    index.finish();
    REQUIRE(inserts == alike);
    REQUIRE(fmd_of(index) == by_sort(genomes));
  }
  // The estimate of the index's growth refuses early: after three batches, which are larger on a GPU.
  suffix::run_length_options options;
  options.machine.device = device::cpu;
  options.memory = 40000000;
  options.letters_to_come = [] { return std::uint64_t{1} << 40; };
  suffix::run_length_index index(options, suffix::run_length_index::method::insert);
  REQUIRE_THROWS_AS(
      [&] {
        for (int k = 0; k < 20; ++k) index.add(random_letters(random, "ACGT", 150000));
      }(),
      out_of_memory);
}
