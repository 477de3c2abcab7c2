#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/external/bucket_file.hpp"
#include "base/external/merge.hpp"
#include "base/external/ordered_write.hpp"
#include "base/external/runs.hpp"
#include "base/ordered_turns.hpp"
#include "base/temporary_file.hpp"
#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"

using namespace ordo;

namespace {

struct item {
  int key, input, number;
  friend bool operator==(item const&, item const&) = default;
};

class item_reader {
 public:
  explicit item_reader(std::vector<item> items) : items_(std::move(items)) {}
  bool next() { return next_++ < items_.size(); }
  [[nodiscard]] item const& front() const { return items_[next_ - 1]; }

 private:
  std::vector<item> items_;
  std::size_t next_ = 0;
};

std::string read_all(source& from) {
  std::string text(100, '\0');
  text.resize(from.read(text));
  return text;
}

}  // namespace

TEST_CASE("A loser tree merges inputs stably", "[external][small]") {
  std::mt19937 random(1);
  for (int count : {0, 1, 2, 3, 7, 16, 33}) {
    std::vector<item_reader> inputs;
    std::vector<item> all;
    for (int input = 0; input < count; ++input) {
      std::vector<int> keys(random() % 20);
      for (int& key : keys) key = int(random() % 10);
      std::ranges::sort(keys);
      std::vector<item> items;
      for (int key : keys) items.push_back({key, input, int(items.size())});
      all.insert(all.end(), items.begin(), items.end());
      inputs.emplace_back(std::move(items));
    }
    std::ranges::stable_sort(all, {}, &item::key);
    external::loser_tree tree(std::move(inputs), [](auto const& a, auto const& b) { return a.front().key - b.front().key; });
    std::vector<item> merged;
    while (item_reader const* const input = tree.next()) {
      CHECK(&tree[tree.winner()] == input);
      merged.push_back(input->front());
    }
    CHECK(merged == all);
    CHECK(tree.next() == nullptr);
  }
}

TEST_CASE("Runs are merged with their neighbours, and few remain", "[external][small]") {
  using run = std::string;
  for (std::size_t max_merged : {2, 3, 10})
    for (std::size_t count : {0, 1, 2, 5, 9, 10, 11, 100}) {
      for (bool const early : {false, true}) {
        external::run_levels<run> runs;
        auto const merge = [&](std::span<run> some) {
          CHECK(some.size() <= max_merged);
          run merged;
          for (run& r : some) merged += std::exchange(r, "discarded");
          return merged;
        };
        run all;
        std::size_t most = 0;
        for (std::size_t k = 0; k < count; ++k) {
          run next(1, char('a' + k % 26));
          all += next;
          if (early)
            runs.add(next, max_merged, merge);
          else
            runs.add(next);
          most = std::max(most, runs.size());
        }
        if (early) CHECK(most < 7 * max_merged);
        std::size_t const passes = runs.reduce(max_merged, merge);
        CHECK(runs.empty() == (count == 0));
        CHECK(runs.size() <= max_merged);
        if (!early) CHECK((passes != 0) == (count > max_merged));
        run merged;
        for (run const& r : runs.runs()) merged += r;
        CHECK(merged == all);
      }
    }
}

TEST_CASE("Runs are read as they were written, and damage is found", "[external][small]") {
  external::run_files files({"/tmp", "/tmp"});
  std::vector<external::stored_range> runs;
  for (std::string const text : {"first", "second", "", "fourth"})
    runs.push_back(files.write([&](sink& to) {
      if (text == "second") {
        CHECK(to.expect(text.size()));
        to.write_at(3, std::string_view("ond"));
        to.write_at(0, std::string_view("sec"));
      } else {
        to.write(text);
      }
    }));
  CHECK(read_all(*files.open(runs[0])) == "first");
  CHECK(read_all(*files.open(runs[1])) == "second");
  CHECK(read_all(*files.open(runs[2])).empty());
  for (auto const& run : runs) run.check();
  external::ranges_source parts({{&runs[0], 1, 3}, {&runs[2], 0, 0}, {&runs[3], 2, 6}});
  CHECK(parts.size() == 6u);
  CHECK(read_all(parts) == "irurth");
  CHECK(runs[1].offset == 0);  // of the other file
  runs[3].file->write_at(runs[3].offset, std::string_view("F"));
  external::stored_range& damaged = runs[3];
  damaged.loaded = std::make_unique<positional_checksum>();
  CHECK(read_all(*files.open(damaged)) == "Fourth");
  CHECK_THROWS_AS(damaged.check(), input_error);
  damaged.discard();
  CHECK(damaged.bytes == 0);
  CHECK_THROWS_AS(external::run_files({}).write([](sink&) {}), usage_error);
}

TEST_CASE("What is not in a temporary file, or is not what was written, is an input error", "[external][small]") {
  using Catch::Matchers::Message;
  std::string const name = "cannot read: temporary file in /tmp: ";
  temporary_file file("/tmp");
  file.write_at(0, std::string_view("abc"));
  std::string to(4, '?');
  CHECK_THROWS_MATCHES(file.read_at(0, to), input_error, Message(name + "unexpected end at byte 3"));
  CHECK_THROWS_AS(file.read_at(std::uint64_t{1} << 63, to), input_error);  // the system knows no such offset
  CHECK_THROWS_WITH(file.read_at(std::uint64_t{1} << 63, to), StartsWith(name));

  external::bucket_file buckets("/tmp", 1, 1, 16);
  buckets.append(0, std::string_view("abc"));
  buckets.flush();
  std::vector<char> got;
  REQUIRE(buckets.blocks(0).size() == 1);
  auto block = buckets.blocks(0)[0];
  buckets.read(block, got);
  CHECK(std::string(got.begin(), got.end()) == "abc");
  block.checksum ^= 1;
  CHECK_THROWS_MATCHES(buckets.read(block, got), input_error, Message(name + "it is not what was written to it"));
}

TEST_CASE("A program compresses runs", "[external][small]") {
  external::run_files files({"/tmp"}, "gzip");
  std::string const text(90, 'x');
  external::stored_range const run = files.write([&](sink& to) { to.write(text); });
  CHECK(run.bytes == text.size());
  CHECK(read_all(*files.open(run)) == text);
  run.check();
}

TEST_CASE("Threads have turns in order, until one stops them", "[external][small]") {
  ordered_turns turns;
  std::vector<int> order;
  {
    std::vector<std::jthread> threads;
    for (int k = 7; k >= 0; --k)
      threads.emplace_back([&, k] {
        bool const had_turn = turns.take(std::uint64_t(k), [&] {
          order.push_back(k);
          if (k == 4) turns.stop();
        });
        static_cast<void>(had_turn);
      });
  }
  CHECK(order == std::vector{0, 1, 2, 3, 4});
}

TEST_CASE("Windows are planned and ended in order", "[external][small]") {
  struct window {
    int number = 0, filled = 0;
  };
  int planned = 0, ended = 0;
  external::write_windows<window>(
      [&](window& w) {
        w.number = planned;
        return planned++ < 50;
      },
      [](window& w) { w.filled = w.number + 1; },
      [&](window& w) {
        CHECK(w.number == ended++);
        CHECK(w.filled == w.number + 1);
      });
  CHECK(ended == 50);
}
