#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/strings.hpp"
#include "strings/sort/prefix_sort.hpp"
#include "strings/sort/sort_texts.hpp"
#include "tests/unit/core/machines/failing_memory.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/machines_host.hpp"
#include "tests/unit/strings/count_lines.hpp"
#include "tests/unit/strings/lines.hpp"

// The prefix sort with both widths against a comparison sort. On the CPU machine only: the library holds the GPU's copy of the
// algorithm, which a second translation unit must not instantiate again (see sort_core/algorithms/refinement.hpp); the tests of lines run
// it.
namespace {

using ordo::strings::detail::prefix_sort_memory;
using ordo::strings::detail::sort_on;

constexpr std::size_t no_limit = ~std::size_t{0};

template <class Offset>
void check_order(Offset const* starts, std::uint8_t const* repeats, std::string const& text,
                 std::vector<std::string_view> const& want) {
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    bool const repeat = k != 0 && want[k] == want[k - 1];
    if (starts[k] != std::size_t(want[k].data() - text.data()) || (repeats[k] != 0) != repeat) ++wrong;
  }
  CHECK(wrong == 0);
}

// The way of machines without workers, whatever the machine's own is.
template <class Offset, class B>
void check_rounds(B& machine, std::string const& text, char delimiter, bool reverse,
                  std::vector<std::string_view> const& want) {
  if (text.empty()) return;
  auto const bytes = machine.upload(std::span(reinterpret_cast<unsigned char const*>(text.data()), text.size()));
  ordo::strings::detail::symbols const all(bytes.data(), bytes.size(), static_cast<unsigned char>(delimiter));
  auto const counts = ordo::strings::detail::count_delimiters<Offset>(machine, all);
  guarded<B, Offset> const order(machine, std::vector<Offset>(want.size()));
  guarded<B, std::uint8_t> const repeats(machine, std::vector<std::uint8_t>(want.size()));
  auto starts = machine.template buffer<Offset>(want.size());
  write_starts(machine, all, std::span<Offset const>(counts.span()), starts.span());
  sort_breadth_first(machine, all, std::move(starts), reverse, order.span(), repeats.span());
  check_order(order.values().data(), repeats.values().data(), text, want);
  CHECK(order.intact());
  CHECK(repeats.intact());
}

template <class Offset, class B>
void check_sort(B& machine, std::string const& text, char delimiter, bool reverse) {
  ordo::strings::sort_options how;
  how.delimiter = delimiter;
  how.by.reverse = reverse;
  auto const sorted = sort_on<Offset>(machine, text, how, no_limit);
  auto const want = sorted_lines_of(text, delimiter, reverse);
  REQUIRE(sorted.lines == want.size());
  check_order(sorted.starts.data(), sorted.repeats.data(), text, want);
  check_rounds<Offset>(machine, text, delimiter, reverse, want);
}

// Groups of sizes round those that one thread may take, and round those that are sorted without a look at the rest.
std::vector<std::pair<std::string, std::string>> grouped_texts(char delimiter) {
  std::vector<std::pair<std::string, std::string>> all;
  random_numbers random(3);
  auto const add = [&](std::string name, std::vector<std::string> lines) {
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
    std::string text;
    for (std::string const& line : lines) text += line + delimiter;
    text.pop_back();
    all.emplace_back(std::move(name), std::move(text));
  };
  auto const number = [&](std::size_t below) { return std::to_string(random.below(below)); };
  std::vector<std::string> lines;
  for (std::size_t const size : {23u, 24u, 25u, 31u, 32u, 33u, 128u, 2047u, 2048u, 2049u, 2500u, 4096u, 4097u}) {
    std::string const of = "group " + std::to_string(size) + " of lines ";
    for (std::size_t i = 0; i < size; ++i) {
      lines.push_back(of + "that go on: " + number(size));
      lines.push_back(of + "that end");
      lines.push_back(std::to_string(size));
    }
  }
  add("groups of many sizes", lines);
  lines.clear();
  for (std::size_t i = 0; i < 9000; ++i) lines.push_back(std::string(1 + i % 300, 'A'));
  add("nested prefixes", lines);
  for (std::string& line : lines) line.insert(0, 1 + random.below(3), '\0').append(number(3));
  add("nested prefixes between others", lines);
  lines.assign(6000, std::string(300, 'x'));
  add("one large group of equal lines", lines);
  for (std::size_t i = 0; i < 3000; ++i) lines[2 * i] += number(9);
  add("a large group that differs after its end", lines);
  lines.assign(5000, "");
  for (std::size_t i = 0; i < 5000; ++i) lines.push_back(std::string(8 * random.below(5), '\1') + number(4));
  add("many empty lines, and ends at multiples of eight", lines);
  lines.clear();
  for (std::size_t i = 0; i < 12000; ++i) lines.push_back("http://www." + number(3) + "/a/path/of/some/length/" + number(2000));
  add("three large groups", lines);
  lines.clear();
  for (std::size_t i = 0; i < 20000; ++i)
    lines.push_back((random.below(4) != 0 ? "www." : number(90)) + std::string(random.below(3), 'a') + number(500) + "/" +
                    number(9));
  add("uneven keys", lines);
  return all;
}

// From a source to a sink through the machine's memory, as the GPU does it.
template <class Offset, class B>
void check_texts(B& machine, std::string const& text, char delimiter, bool addressed) {
  ordo::strings::sort_options how;
  how.delimiter = delimiter;
  ordo::strings::texts const from{2, 2 * text.size(), [&](std::size_t) { return std::make_unique<test_source>(text, true); }};
  std::string const part = text.empty() || text.back() == delimiter ? text : text + delimiter, whole = part + part;
  auto const want = sorted_lines_of(whole, delimiter, false);
  for (auto const equal : {ordo::strings::duplicates::keep, ordo::strings::duplicates::drop}) {
    std::string expected;
    for (std::size_t k = 0; k < want.size(); ++k)
      if (equal == ordo::strings::duplicates::keep || k == 0 || want[k] != want[k - 1])
        expected.append(want[k]).push_back(delimiter);
    test_sink to(addressed);
    ordo::strings::detail::text_job job{from, to, how, equal, {}};
    CHECK(ordo::strings::detail::sort_texts_on<Offset>(machine, job) == !text.empty());
    CHECK((to.text() == expected));
    CHECK(to.taken() == expected.size());
    CHECK(job.report.written == expected.size());
  }
}

// The same, counted and cut off.
template <class Offset, class B>
void check_selected(B& machine, std::string const& text, char delimiter) {
  using ordo::strings::duplicates;
  ordo::strings::sort_options how;
  how.delimiter = delimiter;
  how.by.reverse = delimiter == 0;
  ordo::strings::texts const from{1, text.size(), [&](std::size_t) { return std::make_unique<test_source>(text, true); }};
  for (auto const equal : {duplicates::keep, duplicates::drop, duplicates::count, duplicates::by_count})
    for (std::uint64_t const head :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{17}, ordo::strings::sort_options{}.head}) {
      how.head = head;
      test_sink to(head != 17);
      ordo::strings::detail::text_job job{from, to, how, equal, {}};
      CHECK(ordo::strings::detail::sort_texts_on<Offset>(machine, job) == !text.empty());
      std::string const want = selected_text(text, delimiter, how.by.reverse, equal, head);
      CHECK((to.text() == want));
      CHECK(to.taken() == want.size());
      CHECK(job.report.written == want.size());
    }
}

}  // namespace

MACHINE_TEST("lines are counted in the machine's memory", "[strings][count]") {
  if (!present<TestType>()) return;
  TestType machine;
  for (char const delimiter : {'\n', '\0'})
    for (auto const& [name, text] : line_texts(delimiter, true)) {
      INFO(name << ", delimiter " << int(delimiter));
      check_selected<std::uint32_t>(machine, text, delimiter);
      check_selected<std::uint64_t>(machine, text, delimiter);
    }
}

MACHINE_TEST("lines are gathered in order from the machine's memory", "[strings]") {
  if (!present<TestType>()) return;
  TestType machine;
  for (char const delimiter : {'\n', '\0'})
    for (auto const& [name, text] : line_texts(delimiter)) {
      INFO(name << ", delimiter " << int(delimiter));
      check_texts<std::uint32_t>(machine, text, delimiter, true);
      check_texts<std::uint64_t>(machine, text, delimiter, false);
    }
}

MACHINE_TEST("texts that a machine cannot sort after all are in the host's memory, whole", "[strings]") {
  if (!present<TestType>()) return;
  std::string text;
  for (unsigned i = 0; i < 30000; ++i) text += std::to_string(i * 2654435761u) + "\n";
  std::size_t refused = 0;
  for (std::size_t nth = 0;; ++nth) {
    plain_memory plain;
    failing_memory failing(plain, nth, true);
    auto machine = machine_over(failing);
    ordo::strings::sort_options const how;
    ordo::strings::texts const from{2, 2 * text.size(), [&](std::size_t) { return std::make_unique<test_source>(text, true); }};
    test_sink to(true);
    ordo::strings::detail::text_job job{from, to, how, ordo::strings::duplicates::keep, {}};
    try {
      bool const sorted = ordo::strings::detail::sort_texts_on<std::uint32_t>(machine, job);
      CHECK(sorted);
      break;
    } catch (ordo::out_of_memory const&) {
      ++refused;
      CHECK(job.now == ordo::strings::detail::text_job::stage::on_host);
      CHECK(to.taken() == 0);
      std::string const host(job.host.data(), job.host.size());
      CHECK(((host.empty() && job.next == 0) || host == text + text));
    }
  }
  CHECK(refused > 5);
}

MACHINE_TEST("lines are sorted as by comparison, with 32 and with 64 bits", "[strings]") {
  if (!present<TestType>()) return;
  TestType machine;
  for (char const delimiter : {'\n', '\0'}) {
    for (auto const& [name, text] : line_texts(delimiter)) {
      for (bool const reverse : {false, true}) {
        INFO(name << ", delimiter " << int(delimiter) << ", reverse " << reverse);
        check_sort<std::uint32_t>(machine, text, delimiter, reverse);
        check_sort<std::uint64_t>(machine, text, delimiter, reverse);
      }
    }
  }
}

TEST_CASE("a worker sorts stably, in memory of its own", "[strings]") {
  struct low_bits {
    std::uint64_t mask;
    std::uint64_t operator()(std::uint32_t item) const { return item & mask; }
    void prefetch(std::uint32_t) const {}
  };
  random_numbers random(9);
  ordo::host_worker worker;
  for (std::size_t const n : {1u, 2u, 24u, 25u, 33u, 1000u, 70000u, 3u})
    for (std::uint64_t const mask : {0u, 1u, 0x7u, 0xf0f00u, 0xffffu}) {
      std::vector<std::uint32_t> items(n);
      for (auto& item : items) item = std::uint32_t(random.below(std::size_t{1} << 32));
      auto want = items;
      std::stable_sort(want.begin(), want.end(), [=](auto a, auto b) { return (a & mask) < (b & mask); });
      std::uint64_t const* const keys = worker.sort_by(items.data(), n, low_bits{mask});
      REQUIRE(items == want);
      CHECK(std::equal(keys, keys + n, items.begin(), [=](auto key, auto item) { return key == (item & mask); }));

      // Keys of all, and then part after part.
      for (auto& item : items) item = std::uint32_t(random.below(std::size_t{1} << 32));
      want = items;
      std::uint64_t* at = worker.evaluate_keys(items.data(), n, low_bits{mask});
      CHECK(std::equal(at, at + n, items.begin(), [=](auto key, auto item) { return key == (item & mask); }));
      for (std::size_t begin = 0, part = 1; begin < n; begin += part, part = std::min(3 * part, n - begin)) {
        worker.sort(at + begin, items.data() + begin, part);
        std::stable_sort(want.begin() + begin, want.begin() + begin + part,
                         [=](auto a, auto b) { return (a & mask) < (b & mask); });
        if (begin + part == n) break;
      }
      CHECK(items == want);
      CHECK(std::equal(at, at + n, items.begin(), [=](auto key, auto item) { return key == (item & mask); }));
    }
}

MACHINE_TEST("groups of lines of any size come out the same", "[strings]") {
  if (!present<TestType>()) return;
  TestType machine;
  for (char const delimiter : {'\n', '\x7f'})
    for (auto const& [name, text] : grouped_texts(delimiter))
      for (bool const reverse : {false, true}) {
        INFO(name << ", delimiter " << int(delimiter) << ", reverse " << reverse);
        check_sort<std::uint32_t>(machine, text, delimiter, reverse);
        check_sort<std::uint64_t>(machine, text, delimiter, reverse);
      }
}

MACHINE_TEST("sorting lines takes no more memory than is planned", "[strings]") {
  if (!present<TestType>()) return;
  auto const within_plan = [](std::string_view text, auto offset) {
    using offset_type = decltype(offset);
    TestType machine;
    auto const sorted = sort_on<offset_type>(machine, text, {}, no_limit);
    std::size_t const planned = prefix_sort_memory<offset_type, TestType>(text.size(), sorted.lines);
    CHECK(sorted.peak_memory <= planned + text.size() / 8 * 9);
    if (sorted.lines != 0) CHECK_THROWS_AS(sort_on<offset_type>(machine, text, {}, planned - 1), ordo::out_of_memory);
    CHECK(sort_on<offset_type>(machine, text, {}, planned).lines == sorted.lines);
  };
  auto texts = line_texts('\n');
  for (auto& grouped : grouped_texts('\n')) texts.push_back(std::move(grouped));
  for (auto const& [name, text] : texts) {
    INFO(name);
    within_plan(text, std::uint32_t{});
    within_plan(text, std::uint64_t{});
  }
}
