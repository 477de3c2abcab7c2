#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sort_core/cuda/kernels/each_by_warps.cuh"
#include "suffix/run_length/merge.hpp"
#include "suffix/run_length/ties.hpp"
#include "tests/gpu/emulation/machine.hpp"
#include "tests/unit/catch.hpp"

// Warps make blocks of letters, merge runs with new ones, compare new suffixes, make their keys, and add up counts. One lane
// does the same, and the results are compared.
namespace {

using namespace ordo::suffix::run_length;

std::mt19937_64 random_number(73);
std::uint64_t below(std::uint64_t n) {
  return random_number() % n;
}

/// An index without pointers, which a merge does not read.
struct plain_index {
  block_list list;
  std::vector<group_counts> groups;
  std::vector<std::uint64_t> ends;

  plain_index(std::size_t runs, std::uint64_t max_length) {
    block_writer<append_to_list> writer(append_to_list{&list});
    for (std::size_t i = 0; i < runs; ++i) {
      bool const is_short = below(3) != 0;
      unsigned const letter = below(20) == 0 ? end_code : unsigned(1 + below(5));
      writer.add(letter, 1 + below(is_short || letter == end_code ? 3 : max_length));
    }
    writer.finish();
    list.rows = writer.rows();
    std::size_t const blocks = list.blocks.size();
    groups.resize((blocks >> group_counts::shift) + 1);
    for (std::size_t g = 0; g < groups.size(); ++g) count_group{list.blocks.data(), blocks, groups.data()}(ordo::one_lane{}, g);
    group_counts all{};
    for (group_counts& group : groups)
      for (unsigned k = 0; k < 5; ++k) all.before[k] += std::exchange(group.before[k], all.before[k]);
  }
  [[nodiscard]] run_view view() const {
    run_view view;
    view.blocks = list.blocks.data();
    view.groups = groups.data();
    view.num_blocks = list.blocks.size();
    view.rows = list.rows;
    return view;
  }
};

/// Keys of every kind. One of them may be continued, before a row that is an end.
std::vector<std::uint64_t> random_keys(plain_index const& index, std::size_t count) {
  std::vector<std::uint64_t> keys;
  std::uint64_t const near = below(index.list.rows + 1), distance = below(3) == 0 ? 1 + below(40) : index.list.rows + 1;
  unsigned const letters = unsigned(1 + below(5));
  auto const add = [&](std::uint64_t row, unsigned first) {
    unsigned const before = below(10) == 0 ? unsigned{end_code} : unsigned(1 + below(letters));
    keys.push_back(suffix_key::of(std::min(row, index.list.rows), first, before));
  };
  for (std::size_t i = 0; i < count; ++i) add(below(4) == 0 ? below(index.list.rows + 1) : near + below(distance), 1);
  if (!index.list.ends.empty() && below(2) == 0) {
    std::uint64_t const row = index.list.ends[below(index.list.ends.size())];
    add(row, continued_code);
    for (std::uint64_t k = below(80); k-- > 0;) add(row, 1 + below(2) * (continued_code - 2));
  }
  std::ranges::stable_sort(keys, {}, [](std::uint64_t key) { return suffix_key::row(key); });
  if (std::size_t const mark = below(8); mark < keys.size() && suffix_key::first(keys[mark]) == 1)
    keys[mark] = (keys[mark] & ~std::uint64_t{letter_mask}) | continued_code;  // the end of a part, with letters to come
  return keys;
}

template <class T>
emulation::machine::buffer_of<T> copied(emulation::machine& machine, std::vector<T> const& from) {
  auto to = machine.buffer<T>(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// Compares blocks of a source with those of the same source for a machine.
template <class Source>
void check_parts(Source const& source, emulation::machine& machine, Source const& source_there) {
  using namespace ordo::cuda_detail;
  using draft = draft_part<Source>;
  using write = write_part<Source>;
  std::size_t const parts = source.num_parts();
  std::vector<part_size> expected_sizes(parts);
  for (std::size_t part = 0; part < parts; ++part) draft{source, expected_sizes.data(), nullptr, 0}(ordo::one_lane{}, part);
  auto const sizes = machine.buffer<part_size>(parts);
  // Drafts have room for all parts, for some, or for none.
  std::uint64_t const room = below(3) == 0 ? 0 : below(2) == 0 ? source.likely_blocks() : below(source.likely_blocks() + 1);
  auto const drafts = machine.buffer<run_block>(parts * room);
  launch<each_by_warps<draft>>(machine.kernels(), 2, by_warps_threads, 0, parts,
                               draft{source_there, sizes.data(), drafts.data(), room});
  for (std::size_t part = 0; part < parts; ++part) {
    REQUIRE(sizes.data()[part].blocks == expected_sizes[part].blocks);
    REQUIRE(sizes.data()[part].ends == expected_sizes[part].ends);
    REQUIRE(sizes.data()[part].rows == expected_sizes[part].rows);
    if (part != 0) sizes.data()[part] = add_sizes{}(sizes.data()[part - 1], sizes.data()[part]);
  }
  part_size const all = sizes.data()[parts - 1];
  std::vector<run_block> expected_blocks(all.blocks);
  std::vector<std::uint64_t> expected_ends(all.ends);
  for (std::size_t part = 0; part < parts; ++part)
    write{source, sizes.data(), nullptr, 0, expected_blocks.data(), expected_ends.data()}(ordo::one_lane{}, part);
  auto const blocks = machine.buffer<run_block>(all.blocks);
  auto const ends = machine.buffer<std::uint64_t>(all.ends);
  launch<each_by_warps<write>>(machine.kernels(), 2, by_warps_threads, 0, parts,
                               write{source_there, sizes.data(), drafts.data(), room, blocks.data(), ends.data()});
  for (std::size_t i = 0; i < all.blocks; ++i)
    REQUIRE(std::memcmp(blocks.data() + i, expected_blocks.data() + i, sizeof(run_block)) == 0);
  REQUIRE(std::ranges::equal(ends.span(), expected_ends));
}

void check_merge(plain_index const& index, std::vector<std::uint64_t> const& keys, std::uint64_t blocks_of_part) {
  INFO(index.list.blocks.size() << " blocks of " << index.list.rows << " rows, " << keys.size() << " keys, parts of "
                                << blocks_of_part << " blocks");
  merge_blocks const alone{index.view(), keys.data(), keys.size(), blocks_of_part};
  emulation::machine machine;
  auto const blocks_there = copied(machine, index.list.blocks);
  auto const groups_there = copied(machine, index.groups);
  auto const keys_there = copied(machine, keys);
  merge_blocks merge = alone;
  merge.index.blocks = blocks_there.data();
  merge.index.groups = groups_there.data();
  merge.keys = keys_there.data();
  check_parts(alone, machine, merge);
}

}  // namespace

TEST_CASE("warps merge runs as one lane does") {
  for (std::uint64_t const max_length : {1, 40, 9000, 3000000})
    for (std::size_t const runs : {0, 1, 23, 24, 25, 100, 1500})
      for (std::size_t const count : {0, 1, 31, 32, 33, 64, 700}) {
        if (runs == 0 && count == 0) continue;
        plain_index const index(runs, max_length);
        check_merge(index, random_keys(index, count), 1 + below(3) * below(30));
      }
}

TEST_CASE("warps make blocks of letters as one lane does") {
  std::string const codes = "$ACGTZ";
  for (std::uint64_t const max_length : {1, 3, 40, 9000})
    for (std::size_t const rows : {1, 31, 32, 33, 100, 5000, 20000})
      for (std::uint64_t const rows_of_part : {1, 32, 1000, 8192}) {
        if (rows / rows_of_part > 500) continue;
        std::vector<char> letters;
        while (letters.size() < rows)
          letters.insert(letters.end(), 1 + below(max_length), codes[below(20) == 0 ? below(6) : 1 + below(4)]);
        letters.resize(rows);
        INFO(rows << " rows, runs of up to " << max_length << ", parts of " << rows_of_part);
        emulation::machine machine;
        auto const there = copied(machine, letters);
        check_parts(letters_of_rows{letters.data(), rows, rows_of_part}, machine,
                    letters_of_rows{there.data(), rows, rows_of_part});
        // The blocks have the letters.
        std::string found;
        for (std::size_t part = 0; part * rows_of_part < rows; ++part) {
          block_list list;
          block_writer<append_to_list> to(append_to_list{&list});
          letters_of_rows{letters.data(), rows, rows_of_part}(part, to);
          piece_reader in(list.blocks.data(), 0, list.blocks.size());
          unsigned letter = 0;
          for (std::uint64_t length = 0; in.next(letter, length);) found.append(length, codes[letter]);
        }
        REQUIRE(std::ranges::equal(found, letters));
      }
}

TEST_CASE("warps add up the counts of blocks as one lane does") {
  constexpr std::size_t group = std::size_t{1} << group_counts::shift;
  for (std::size_t const blocks :
       {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, group - 1, group, group + 1, 2 * group + 100}) {
    std::vector<run_block> all(blocks);
    for (run_block& block : all) {
      for (std::uint32_t& count : block.before) count = std::uint32_t(below(run_block::max_rows + 1));
      block.shape = std::uint32_t(below(1000));
    }
    std::vector<run_block> alone = all;
    std::vector<group_counts> sums((blocks + group - 1) / group);
    for (std::size_t g = 0; g < sums.size(); ++g) count_group{alone.data(), blocks, sums.data()}(ordo::one_lane{}, g);
    emulation::machine machine;
    auto const there = copied(machine, all);
    auto const sums_there = machine.buffer<group_counts>(sums.size());
    using namespace ordo::cuda_detail;
    launch<each_by_warps<count_group>>(machine.kernels(), 2, by_warps_threads, 0, sums.size(),
                                       count_group{there.data(), blocks, sums_there.data()});
    INFO(blocks << " blocks");
    CHECK(std::memcmp(there.data(), alone.data(), blocks * sizeof(run_block)) == 0);
    CHECK(std::memcmp(sums_there.data(), sums.data(), sums.size() * sizeof(group_counts)) == 0);
    group_counts sum{};
    for (std::size_t i = 0; i < blocks; ++i) {
      if (i % group == 0) sum = {};
      for (unsigned k = 0; k < 5; ++k) {
        REQUIRE(alone[i].before[k] == sum.before[k]);
        sum.before[k] += all[i].before[k];
      }
    }
    for (unsigned k = 0; k < 5; ++k) CHECK(sums.back().before[k] == sum.before[k]);
  }
}

TEST_CASE("warps make the keys of suffixes as one lane does") {
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<std::uint8_t> codes;
    std::vector<walk> walks;
    std::vector<std::uint64_t> first_event{0};
    std::size_t const rate = 1 + below(200);
    std::vector<std::uint64_t> events(2000);
    for (std::size_t k = 1 + below(40); k-- > 0;) {
      walk w;
      w.begin = std::uint32_t(codes.size());
      for (std::size_t size = below(300); size-- > 0;) {
        if (below(rate) == 0) {
          events[codes.size() / 64] |= std::uint64_t{1} << codes.size() % 64;
          ++w.events;
        }
        codes.push_back(std::uint8_t(1 + below(5)));
      }
      w.end = std::uint32_t(codes.size());
      w.delta = below(1000);
      w.is_known = k == 0 || below(2) == 0;
      if (w.is_known) codes.push_back(std::uint8_t(below(2) == 0 ? end_code : continued_code));
      walks.push_back(w);
      first_event.push_back(first_event.back() + w.events);
    }
    std::vector<std::uint64_t> deltas(first_event.back()), rows(codes.size());
    for (std::uint64_t& delta : deltas) delta = below(1000);
    for (std::uint64_t& row : rows) row = below(1'000'000'000);
    emulation::machine machine;
    auto const codes_there = copied(machine, codes);
    auto const walks_there = copied(machine, walks);
    auto const events_there = copied(machine, events), first_there = copied(machine, first_event),
               deltas_there = copied(machine, deltas), rows_there = copied(machine, rows);
    make_keys const alone{codes.data(), walks.data(), events.data(), first_event.data(), deltas.data(), rows.data()};
    for (std::size_t k = 0; k < walks.size(); ++k) alone(ordo::one_lane{}, k);
    using namespace ordo::cuda_detail;
    launch<each_by_warps<make_keys>>(machine.kernels(), 2, by_warps_threads, 0, walks.size(),
                                     make_keys{codes_there.data(), walks_there.data(), events_there.data(), first_there.data(),
                                               deltas_there.data(), rows_there.data()});
    INFO("case " << i << ": " << walks.size() << " walks, an event each " << rate << " letters");
    REQUIRE(std::ranges::equal(rows_there.span(), rows));
  }
}

TEST_CASE("warps order ties as one lane does") {
  std::size_t ordered = 0, unknown = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    // Records that are alike, of which some end with letters to come.
    std::vector<std::uint8_t> codes;
    std::vector<std::uint8_t> base(1 + below(400));
    for (std::uint8_t& code : base) code = std::uint8_t(1 + below(5));
    std::vector<std::uint32_t> starts;
    bool const may_continue = below(4) == 0;
    for (std::size_t k = 2 + below(40); k-- > 0;) {
      starts.push_back(std::uint32_t(codes.size()));
      for (std::uint8_t const code : base) codes.push_back(below(300) == 0 ? std::uint8_t(1 + below(5)) : code);
      codes.resize(codes.size() - below(3) % base.size());
      codes.push_back(may_continue && below(10) == 0 ? std::uint8_t(continued_code) : std::uint8_t(end_code));
    }
    // Groups of suffixes that are equal by the letters ahead.
    std::vector<std::uint32_t> items, ends;
    letters_of_suffixes const letters{codes.data(), codes.size()};
    letters_ahead const ahead{letters};
    auto const is_letter = [&](std::uint32_t p) { return p < codes.size() && codes[p] - 1U < n_code; };
    for (std::size_t k = below(20); k-- > 0;) {
      auto const at = std::uint32_t(below(base.size()));
      std::uint32_t const first = starts[below(starts.size())] + at;
      if (!is_letter(first) || (ahead(first) & letter_mask) - 1 >= n_code) continue;
      std::size_t const begin = items.size(), limit = 2 + below(40);
      for (std::uint32_t const start : starts)
        if (is_letter(start + at) && ahead(start + at) == ahead(first) && items.size() - begin < limit)
          items.push_back(start + at);
      std::shuffle(items.begin() + std::ptrdiff_t(begin), items.end(), random_number);
      if (items.size() != begin) ends.push_back(std::uint32_t(items.size()));
    }
    if (ends.empty()) continue;
    ends.insert(ends.begin(), 0);
    auto const max_letters = std::uint32_t(22 + below(500));
    constexpr std::uint32_t max_work = 1000;  // more than there is: which group is one too many depends on time
    std::uint32_t const open = below(2) == 0 ? items[below(items.size())] : std::uint32_t(codes.size());
    emulation::machine machine;
    auto const codes_there = copied(machine, codes);
    auto const items_there = copied(machine, items), ends_there = copied(machine, ends),
               work = copied(machine, std::vector<std::uint32_t>(2));
    std::size_t const groups = ends.size() - 1;
    std::uint32_t alone_work[2] = {};
    compare_ties const alone{letters,    items.data(), ordo::segments_from_offsets(ends), open,
                             alone_work, max_work,     max_letters};
    for (std::size_t g = 0; g < groups; ++g) alone(ordo::one_lane{}, g);
    compare_ties of_warps = alone;
    of_warps.letters.codes = codes_there.data();
    of_warps.items = items_there.data();
    of_warps.groups = ordo::segments_from_offsets(std::span<std::uint32_t const>(ends_there.span()));
    of_warps.work = work.data();
    using namespace ordo::cuda_detail;
    launch<each_by_warps<compare_ties>>(machine.kernels(), 1, by_warps_threads, 0, groups, of_warps);
    INFO("case " << i << ": " << groups << " groups of " << items.size() << " suffixes, " << max_letters << " letters");
    REQUIRE((work.data()[1] != 0) == (alone_work[1] != 0));
    (alone_work[1] != 0 ? unknown : ordered) += 1;
    if (alone_work[1] != 0) continue;
    REQUIRE(work.data()[0] == alone_work[0]);
    REQUIRE(std::ranges::equal(items_there.span(), items));
  }
  CHECK(ordered > 20);
  CHECK(unknown > 20);
}
