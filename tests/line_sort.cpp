#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sort_core/error.hpp"
#include "strings/prefix_sort.hpp"
#include "strings/strings.hpp"
#include "tests/lines.hpp"
#include "tests/machines_host.hpp"

// The prefix sort with both widths against a comparison sort. On the CPU machine only: the library holds the GPU's copy of the
// algorithm, which a second translation unit must not instantiate again (see sort_core/refinement.hpp); the tests of lines run
// it.
namespace {

using ordo::strings::detail::sort_memory;
using ordo::strings::detail::sort_on;

constexpr std::size_t no_limit = ~std::size_t{0};

template <class Offset, class B>
void check_sort(B& machine, std::string const& text, char delimiter, bool reverse) {
  ordo::strings::options how;
  how.delimiter = delimiter;
  how.reverse = reverse;
  auto const sorted = sort_on<Offset>(machine, text, how, no_limit);
  auto const want = sorted_lines_of(text, delimiter, reverse);
  REQUIRE(sorted.lines == want.size());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < want.size(); ++k) {
    bool const repeats = k != 0 && want[k] == want[k - 1];
    if (sorted.starts[k] != std::size_t(want[k].data() - text.data()) || (sorted.repeats[k] != 0) != repeats) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

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

MACHINE_TEST("sorting lines takes no more memory than is planned", "[strings]") {
  if (!present<TestType>()) return;
  auto const within_plan = [](std::string_view text, auto offset) {
    using offset_type = decltype(offset);
    TestType machine;
    auto const sorted = sort_on<offset_type>(machine, text, {}, no_limit);
    std::size_t const planned = sort_memory<offset_type, TestType>(text.size(), sorted.lines);
    CHECK(sorted.peak_memory <= planned + text.size() / 8 * 9);
    if (sorted.lines != 0) CHECK_THROWS_AS(sort_on<offset_type>(machine, text, {}, planned - 1), ordo::out_of_memory);
    CHECK(sort_on<offset_type>(machine, text, {}, planned).lines == sorted.lines);
  };
  for (auto const& [name, text] : line_texts('\n')) {
    INFO(name);
    within_plan(text, std::uint32_t{});
    within_plan(text, std::uint64_t{});
  }
}
