#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/streams.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/suffix/distributed_build.hpp"
#include "suffix/arrays/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

// The algorithm of backends without workers, which GPUs take, on a CPU.
namespace {

struct without_workers : host_backend {
  std::size_t worker_share(std::size_t) const = delete;
};
static_assert(Backend<without_workers> && !has_workers<without_workers>);

template <class Residue>
void expect(std::vector<std::vector<Residue>> const& records) {
  std::vector<Residue> all;
  std::vector<std::uint64_t> starts;
  for (auto const& record : records) {
    starts.push_back(all.size());
    all.insert(all.end(), record.begin(), record.end());
  }
  std::size_t const n = all.size();
  suffix::text input;
  if constexpr (sizeof(Residue) == 1)
    input = {std::string_view(reinterpret_cast<char const*>(all.data()), n), starts};
  else
    input = suffix::make_text(std::span<Residue const>(all), starts);
  auto const suffix_at = [&](std::size_t p) {
    return std::span<Residue const>(all).subspan(p, input.end(input.record_at(p)) - p);
  };
  std::vector<std::uint32_t> expected(n), lcp(n);
  for (std::size_t p = 0; p < n; ++p) expected[p] = std::uint32_t(p);
  std::ranges::stable_sort(
      expected, [&](std::size_t p, std::size_t q) { return std::ranges::lexicographical_compare(suffix_at(p), suffix_at(q)); });
  for (std::size_t i = 1; i < n; ++i) {
    auto const a = suffix_at(expected[i - 1]), b = suffix_at(expected[i]);
    lcp[i] = std::uint32_t(std::ranges::mismatch(a, b).in1 - a.begin());
  }

  auto const needed =
      suffix::detail::rows_memory<std::uint32_t, without_workers>(n, records.size(), {.lcp = true}, true, 1, sizeof(Residue));
  for (std::size_t const memory : {needed.max_bytes, needed.min_bytes}) {  // at once, and by ranges where that takes less
    INFO(n << " residues of " << sizeof(Residue) << " bytes in " << records.size() << " records, " << memory << " bytes");
    without_workers backend;
    pool::limit const limited(backend.pool(), memory);
    std::vector<std::uint32_t> sa(n), found(n);
    suffix::detail::results<std::uint32_t> const to{{.lcp = true}, {sa, found, {}}, {}};
    suffix::detail::build_on(backend, input, to, suffix::build_options{});
    REQUIRE((sa == expected));
    REQUIRE((found == lcp));
  }
}

template <class Residue>
std::vector<Residue> drawn(random_numbers& random, std::uint64_t first, std::uint64_t different, std::size_t n) {
  std::vector<Residue> all(n);
  for (Residue& x : all) x = Residue(first + random.below(different));
  return all;
}

template <class Residue>
void expect_all() {
  random_numbers random(sizeof(Residue));
  std::uint64_t const max = std::numeric_limits<Residue>::max();
  for (std::uint64_t const different : std::vector<std::uint64_t>{1, 2, 4, 5, 200, std::min<std::uint64_t>(max, 50257), max})
    for (std::size_t const n : {0, 1, 2, 63, 64, 65, 3000})
      expect<Residue>({drawn<Residue>(random, max - different, different, n)});
  for (int times = 0; times < 10; ++times) {
    std::vector<std::vector<Residue>> records;
    for (std::size_t r = 0, count = 1 + random.below(20); r < count; ++r)
      records.push_back(r != 0 && random.below(3) == 0 ? records[random.below(r)]
                                                       : drawn<Residue>(random, random.below(100), 3, random.below(120)));
    expect<Residue>(records);
  }
  std::vector<Residue> const once = drawn<Residue>(random, 0, 200, 1500);
  std::vector<Residue> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  expect<Residue>({twice, twice});
}

}  // namespace

TEST_CASE("suffix arrays without workers", "[suffix][tokens]") {
  expect_all<unsigned char>();
  expect_all<std::uint16_t>();
  expect_all<std::uint32_t>();
}

// Suffix arrays by the members of a group: the bytes of one machine.
namespace {

/// The arrays of a build, as all members write them.
class written_arrays {
 public:
  sink* open(std::string_view array, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    one& of = all_[std::string(array)];
    if (!of.to) {
      of.bytes.resize(bytes);
      of.to = std::make_unique<memory_sink>(of.bytes);
    }
    REQUIRE(of.bytes.size() == bytes);
    return of.to.get();
  }
  [[nodiscard]] std::string const& operator[](std::string const& array) { return all_[array].bytes; }

 private:
  struct one {
    std::string bytes;
    std::unique_ptr<memory_sink> to;
  };
  std::mutex mutex_;
  std::map<std::string, one> all_;
};

/// The machines of the members, in turn, and whether the first member writes for all.
struct manner {
  bool cpus = true, as_gpus = false, through_first = false;
};

/// Builds an index with so many members.
/// @returns the rounds in which ranks crossed
template <class Index = std::uint32_t>
unsigned expect_same(std::size_t size, suffix::text const& input, manner how = {}, suffix::row_selection rows = {},
                     std::size_t entry_bytes = sizeof(Index)) {
  suffix::extra_arrays const what{.lcp = true, .bwt = rows.all() && input.residue_bytes == 1};
  INFO(input.size() << " residues in " << input.records() << " records, " << size << " members, as GPUs: " << how.as_gpus);
  suffix::build_options options;
  options.rows = rows;
  growing_sink sa, lcp, bwt;
  suffix::build_into<Index>(input, {&sa, &lcp, what.bwt ? &bwt : nullptr, entry_bytes}, options);

  written_arrays all;
  unsigned rounds = 0;
  std::vector<std::uint64_t> counts(size);
  auto const build = [&](communicator& members, cpu& on) {
    suffix::output_opener const open = [&](std::string_view array, std::uint64_t bytes) {
      return members.rank() == 0 || !how.through_first ? all.open(array, bytes) : nullptr;
    };
    suffix::build_options here = options;
    suffix::distributed_report report;
    if (how.as_gpus && (!how.cpus || members.rank() % 2 == 1)) {
      suffix::detail::member_share share(members, open, entry_bytes);
      without_workers backend;
      if constexpr (sizeof(Index) == 4)
        suffix::detail::build_on(backend, input,
                                 suffix::detail::results<Index>{what, {}, {.entry_bytes = entry_bytes}, rows, &share}, here);
      report.rows = share.report.rows;
      report.rounds = share.report.rounds;
    } else {
      here.machine.on = &on;
      report = suffix::build_into<Index>(members, input, what, open, entry_bytes, here);
    }
    counts[members.rank()] = report.rows;
    if (members.rank() == 0) rounds = report.rounds;
  };
  run_members(size, build, 1);
  REQUIRE((all["sa"] == sa.text()));
  REQUIRE((all["lcp"] == lcp.text()));
  REQUIRE((all["bwt"] == bwt.text()));
  std::uint64_t sum = 0;
  for (std::uint64_t const count : counts) sum += count;
  REQUIRE(sum == suffix::num_rows(input, {false, rows.sample}));
  return rounds;
}

}  // namespace

TEST_CASE("suffix arrays over a group", "[suffix][distributed]") {
  random_numbers random(44);
  std::string fibonacci = "a", before = "b";
  while (fibonacci.size() < 6000) before = std::exchange(fibonacci, fibonacci + before);
  std::string const genome = random_letters(random, "ACGT", 3000);
  std::string copies = genome, bytes;
  for (int k = 0; k < 3; ++k) {
    copies += genome;
    copies[random.below(copies.size())] = 'T';
  }
  std::string const twice = genome + "A" + genome + "G" + genome.substr(500, 2000) + "C";
  for (int k = 0; k < 4000; ++k) bytes += char(random.below(256));
  std::string periods;
  while (periods.size() < 4000) periods += "cab";
  // Few suffixes stay open, in groups of all members: owners know the ranks of these alone.
  std::string few = random_letters(random, "ACGT", 9000);
  for (int k = 0; k < 300; ++k) few += "GCA";
  few.insert(4000, few.substr(8000, 1500));
  std::vector<std::string> const texts{"",
                                       "a",
                                       "ba",
                                       std::string(3000, 'a'),
                                       random_letters(random, "ACGT", 5000),
                                       random_letters(random, "ACGTN", 4000),
                                       copies,
                                       twice,
                                       fibonacci,
                                       periods,
                                       few,
                                       bytes};
  for (std::string const& text : texts) {
    std::vector<std::uint64_t> starts{0};
    for (std::size_t k = random.below(8); k != 0; --k) starts.push_back(random.below(text.size() + 1));
    std::ranges::sort(starts);
    for (std::size_t const size : {1, 2, 3, 7}) {
      unsigned const rounds = expect_same(size, {text, starts}),
                     as_gpus = expect_same(size, {text}, {.cpus = false, .as_gpus = true});
      if (text == periods || text == few) CHECK((rounds != 0 && as_gpus != 0));
      // The members settle long repeats together, wherever these go on.
      if (text == copies || text == twice) CHECK(as_gpus == 0);
      expect_same(size, {text, starts}, {.as_gpus = true, .through_first = true});
      expect_same<std::uint64_t>(size, {text, starts}, {.through_first = size == 3}, {}, 5);
    }
    expect_same(3, {text, starts}, {}, {.sample = 3});
    expect_same(3, {text, starts}, {.as_gpus = true}, {.sample = 7});
  }
  for (std::string const& text :
       {random_letters(random, "ACGTN", 5000), random_letters(random, "NNNNA", 500), std::string(300, 'N'), copies}) {
    std::vector<std::uint64_t> const starts{0, text.size() / 3};
    expect_same(4, {text, starts}, {}, {.skip_ambiguous = true});
    expect_same(5, {text, starts}, {.as_gpus = true}, {.skip_ambiguous = true, .sample = 2});
  }
  std::vector<std::uint32_t> tokens(3000);
  for (std::uint32_t& token : tokens) token = std::uint32_t(random.below(3) << 20);
  expect_same(3, suffix::make_text(tokens), {.as_gpus = true});
}

TEST_CASE("suffix arrays by several machines of a process", "[suffix][distributed]") {
  random_numbers random(45);
  std::string const text = random_letters(random, "ACGT", 4000) + std::string(3000, 'A');
  std::vector<std::uint64_t> const starts{0, 500, 4500};
  std::vector<machine_options> const machines(3, machine_options{device::cpu, 1});
  suffix::build_options options;
  for (suffix::row_selection const rows : {suffix::row_selection{}, suffix::row_selection{.sample = 2}}) {
    options.rows = rows;
    growing_sink sa, lcp, expected_sa, expected_lcp;
    suffix::build_into<std::uint32_t>({text, starts}, {&expected_sa, &expected_lcp}, options);
    auto const report = suffix::build_into<std::uint32_t>(machines, {text, starts}, {&sa, &lcp}, options);
    CHECK(report.rows != 0);
    CHECK((sa.text() == expected_sa.text()));
    CHECK((lcp.text() == expected_lcp.text()));
  }
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>(std::span(machines), {text}, {}, options), usage_error);
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>(std::span(machines).first(0), {text}, {}, options), usage_error);
  options.rows = {};
  options.memory = 3000;
  growing_sink sa;
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>(machines, {text, starts}, {&sa}, options), out_of_memory);
  CHECK_THROWS_WITH(suffix::build_into<std::uint32_t>(machines, {text, starts}, {&sa}, options),
                    contains_text("more members need less memory each"));
}

TEST_CASE("Groups of GPUs build the suffix array of one machine", "[distributed][suffix]") {
  auto const present = gpus();
  if (present.empty()) return;
  auto const on_gpu = [](unsigned index) { return machine_options{.device = device::gpu, .gpu_index = index}; };
  std::vector<machine_options> all;
  for (auto const& gpu : present) all.push_back(on_gpu(gpu.index));
  random_numbers random(6);
  std::string text(300'000, 'A');
  for (std::size_t i = 0; i < 200'000; ++i) text[i] = "ACGT"[random.below(4)];
  text += text.substr(1000, 100'000);
  std::vector<std::uint64_t> const starts{0, 5, 150'000, 290'000};
  for (auto const& machines : {std::vector{on_gpu(0), on_gpu(0)}, std::vector{on_gpu(0), on_gpu(0), on_gpu(0)}, all})
    for (suffix::row_selection const rows : {suffix::row_selection{}, suffix::row_selection{.sample = 3}}) {
      suffix::build_options options;
      options.rows = rows;
      growing_sink sa, lcp, bwt, expected_sa, expected_lcp, expected_bwt;
      bool const has_bwt = rows.sample == 1;
      auto const report =
          suffix::build_into<std::uint32_t>(machines, {text, starts}, {&sa, &lcp, has_bwt ? &bwt : nullptr}, options);
      options.machine.device = device::cpu;
      suffix::build_into<std::uint32_t>({text, starts}, {&expected_sa, &expected_lcp, has_bwt ? &expected_bwt : nullptr},
                                        options);
      INFO(machines.size() << " members, sample " << rows.sample);
      // Members exchange the suffixes in long repeats, and need no ranks; nor does a sample of positions.
      CHECK(report.rounds == 0);
      if (rows.sample == 1 && machines.size() != 1) CHECK(report.exchanged != 0);
      CHECK((sa.text() == expected_sa.text()));
      CHECK((lcp.text() == expected_lcp.text()));
      CHECK((bwt.text() == expected_bwt.text()));
    }
}

TEST_CASE("a member of a group that fails ends a build", "[suffix][distributed]") {
  written_arrays all;
  std::string const text(2000, 'a');
  auto const build = [&](communicator& members, cpu& on) {
    suffix::build_options options;
    options.machine.on = &on;
    if (members.rank() == 1) options.rows.sample = 0;
    suffix::build_into<std::uint32_t>(
        members, {text}, {}, [&](auto array, auto n) { return all.open(array, n); }, 0, options);
  };
  CHECK_THROWS_WITH(run_members(3, build, 1), contains_text("the sample must be above 0"));
}
