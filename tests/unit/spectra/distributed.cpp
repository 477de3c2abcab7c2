#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/streams.hpp"
#include "ordo/communicator.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "ordo/spectra/order.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/io_ends.hpp"

using namespace ordo;

namespace {

/// Sorts with so many members.
/// @returns the output; nothing if one process has to sort alone
std::optional<std::string> sorted(std::string const& text, std::size_t size, spectra::sort_options const& options,
                                  std::size_t max_part, bool in_order) {
  growing_sink one;
  std::string written(text.size(), '\0');
  memory_sink all(written);
  std::vector<std::optional<spectra::distributed_report>> reports(size);
  bool drops = false;
  run_members(
      size,
      [&](communicator& members, cpu& on) {
        memory_source const input{std::string_view(text)};
        spectra::sort_options here = options;
        here.machine.on = &on;
        auto const open = [&](std::optional<std::uint64_t> bytes) -> sink* {
          if (members.rank() == 0) drops = !bytes;
          if (in_order) return members.rank() == 0 ? &one : nullptr;
          return members.rank() % 3 == 2 ? nullptr : static_cast<sink*>(&all);
        };
        reports[members.rank()] = spectra::sort(members, input, open, here, max_part);
      },
      1);
  for (auto const& report : reports) REQUIRE(report.has_value() == reports[0].has_value());
  if (!reports[0]) return std::nullopt;
  for (auto const& report : reports) CHECK(report->sort.written == reports[0]->sort.written);
  CHECK(reports[0]->sort.bytes == text.size());
  written.resize(reports[0]->sort.written);
  return in_order ? std::string(one.text()) : written;
}

/// Orders an input over two members, whose output is not opened. @param input  called with a member's rank, returns its source
/// @returns the number of members that could share the work
template <class Input>
std::size_t shared_by_two(Input input, spectra::order_options const& order = {}) {
  std::atomic<std::size_t> shared{0};
  run_members(
      2,
      [&](communicator& members, cpu& on) {
        spectra::spectrum_inputs inputs;
        inputs.count = 1;
        inputs.open = [&](std::size_t) {
          spectra::spectrum_inputs::opened made;
          made.from = input(members.rank());
          made.name = "in";
          return made;
        };
        spectra::sort_options options;
        options.machine.on = &on;
        auto const open = [](std::optional<std::uint64_t>) -> sink* { throw std::logic_error("the output is opened"); };
        if (spectra::order_spectra(members, inputs, open, options, order)) ++shared;
      },
      1);
  return shared;
}

std::string random_mgf(random_numbers& random, std::size_t spectra, bool ends_last_line) {
  std::string const end = random.below(4) == 0 ? "\r\n" : "\n";
  std::string text = random.below(2) == 0 ? "# comment" + end + "COM=BEGIN IONS" + end : "";
  for (std::size_t s = 0; s < spectra; ++s) {
    text += "BEGIN IONS" + end + "TITLE=BEGIN IONS " + std::to_string(s) + end;
    text += "PEPMASS=" + std::to_string(100 + random.below(800)) + end + "CHARGE=" + std::to_string(1 + random.below(3)) + "+" +
            end;
    for (std::size_t peaks = random.below(random.below(10) == 0 ? 3000 : 20); peaks-- != 0;)
      text += std::to_string(100 + random.below(1000)) + ".5 " + std::to_string(random.below(100)) + end;
    text += "END IONS" + end;
    for (std::size_t lines = random.below(3); lines-- != 0;) text += random.below(4) == 0 ? "# BEGIN IONS" + end : end;
  }
  if (!ends_last_line && !text.empty()) text.resize(text.size() - end.size());
  return text;
}

}  // namespace

TEST_CASE("MGF sorted over a communicator has the bytes of one process", "[spectra][distributed]") {
  random_numbers random(11);
  for (int trial = 0; trial < 150; ++trial) {
    std::string const text = random_mgf(random, random.below(40), random.below(4) != 0);
    spectra::sort_options options;
    options.chunk_bytes = 1 + random.below(3000);
    options.descending = random.below(2) == 0;
    if (random.below(3) == 0) options.select.top = 1 + random.below(8);
    if (random.below(3) == 0) options.choice.charges.ranges = {{2, 3}};
    growing_sink expected;
    memory_source input{std::string_view(text)};
    auto const report = spectra::sort(input, expected, options);
    REQUIRE(report.warnings == 0);
    auto const made = sorted(text, 1 + random.below(16), options, 1 + random.below(20000), random.below(2) == 0);
    REQUIRE(made.has_value());
    REQUIRE((*made == expected.text()));
  }
}

TEST_CASE("MGF with faults is left to one process", "[spectra][distributed]") {
  random_numbers random(12);
  unsigned faults = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::string text = random_mgf(random, 1 + random.below(20), true);
    constexpr char const* lines[] = {"zz\n", "100 nan\n", "END IONS\n", "BEGIN IONS\n", "100 x\n", "\n", "CHARGE=2+\n"};
    std::size_t const at = text.find('\n', random.below(text.size()));
    text.insert(at + 1, lines[random.below(std::size(lines))]);
    spectra::sort_options options;
    options.lenient = random.below(2) == 0;
    growing_sink expected;
    memory_source input{std::string_view(text)};
    bool is_right = true;
    try {
      is_right = spectra::sort(input, expected, options).warnings == 0;
    } catch (input_error const&) {
      is_right = false;
    }
    faults += !is_right;
    auto const made = sorted(text, 1 + random.below(6), options, 1 + random.below(2000), true);
    REQUIRE(made.has_value() == is_right);
    if (made) REQUIRE((*made == expected.text()));
  }
  CHECK(faults > 20);
  spectra::sort_options options;
  options.choice.numbers = std::make_shared<std::vector<std::uint64_t> const>();
  CHECK_FALSE(spectra::can_be_divided(options));
  CHECK_THROWS_AS(sorted("", 2, options, 100, true), usage_error);
}

TEST_CASE("Spectra of several inputs ordered over a communicator have the bytes of one process",
          "[spectra][distributed][order]") {
  random_numbers random(13);
  std::size_t divided = 0;
  for (int trial = 0; trial < 120; ++trial) {
    std::vector<std::string> texts(1 + random.below(5));
    std::size_t bytes = 0;
    for (std::string& text : texts) {
      text = random.below(8) == 0 ? "" : random_mgf(random, random.below(30), random.below(4) != 0);
      // Parameters before the first spectrum, which differ from those of another input, are a matter for one process.
      if (random.below(20) != 0)
        if (std::size_t const at = text.find("COM="); at != text.npos) text.insert(at, "# ");
      if (random.below(4) == 0) text.insert(0, "\xef\xbb\xbf");
      bytes += text.size() + 2;
    }
    spectra::spectrum_inputs inputs;
    inputs.count = texts.size();
    inputs.open = [&](std::size_t k) {
      spectra::spectrum_inputs::opened one;
      one.from = std::make_unique<memory_source>(std::string_view(texts[k]));
      one.name = "input " + std::to_string(k);
      return one;
    };
    spectra::sort_options options;
    options.chunk_bytes = 1 + random.below(3000);
    if (random.below(3) == 0) options.select.top = 1 + random.below(8);
    if (random.below(3) == 0) options.choice.charges.ranges = {{2, 3}};
    spectra::order_options order;
    constexpr spectra::spectrum_key keys[] = {spectra::spectrum_key::charge, spectra::spectrum_key::pepmass,
                                              spectra::spectrum_key::title, spectra::spectrum_key::rt};
    order.order.descending = random.below(2) == 0;
    for (spectra::spectrum_key const key : keys)
      if (random.below(3) == 0) order.order.by.push_back(key);

    std::size_t const size = 1 + random.below(16);
    std::optional<spectra::order_report> expected;
    growing_sink one;
    std::vector<std::string> of_inputs;  // warnings that a group gives, too
    std::size_t others = 0;
    options.on_warning = [&](std::string const& text) {
      if (text.ends_with("there are no spectra") || text.find("title of another one") != text.npos)
        of_inputs.push_back(text);
      else
        ++others;
    };
    try {
      expected = spectra::order_spectra(inputs, one, options, order);
    } catch (input_error const&) {}
    options.on_warning = {};
    bool const is_right = expected && others == 0;
    std::string written(bytes, '\0');
    memory_sink all(written);
    growing_sink in_sequence;
    bool const in_order = random.below(2) == 0;
    std::vector<std::optional<spectra::distributed_order_report>> reports(size);
    run_members(
        size,
        [&](communicator& members, cpu& on) {
          spectra::sort_options here = options;
          here.machine.on = &on;
          auto const open = [&](std::optional<std::uint64_t> announced) -> sink* {
            if (announced != one.text().size()) throw std::logic_error("another size");  // CHECK is not thread-safe
            if (in_order) return members.rank() == 0 ? &in_sequence : nullptr;
            return members.rank() % 3 == 2 ? nullptr : static_cast<sink*>(&all);
          };
          reports[members.rank()] = spectra::order_spectra(members, inputs, open, here, order);
        },
        1);
    for (auto const& report : reports) REQUIRE(report.has_value() == is_right);
    if (!is_right) continue;
    ++divided;
    written.resize(one.text().size());
    REQUIRE(((in_order ? in_sequence.text() : std::string_view(written)) == one.text()));
    for (auto const& report : reports) {
      CHECK(report->warnings == of_inputs);
      CHECK(report->order.missing == expected->missing);
      CHECK(report->order.done.written == one.text().size());
      CHECK(report->order.done.spectra == expected->done.spectra);
    }
  }
  CHECK(divided > 60);

  // One process alone sorts what does not fit the memory of all.
  std::string const text = random_mgf(random, 400, true);
  spectra::spectrum_inputs inputs;
  inputs.count = 1;
  inputs.open = [&](std::size_t) {
    spectra::spectrum_inputs::opened one;
    one.from = std::make_unique<memory_source>(std::string_view(text));
    return one;
  };
  spectra::order_options order;
  order.order.by = {spectra::spectrum_key::title};
  order.memory = text.size() / 4;
  std::atomic<std::size_t> divided_among{0};  // members
  run_members(
      3,
      [&](communicator& members, cpu&) {
        auto const open = [](std::optional<std::uint64_t>) -> sink* { throw usage_error("the output is opened"); };
        if (spectra::order_spectra(members, inputs, open, {}, order)) ++divided_among;
      },
      1);
  CHECK(divided_among == 0);
  // Half of the memory holds a part, because what has crossed is freed.
  std::string const large = random_mgf(random, 2000, true);
  inputs.open = [&](std::size_t) {
    spectra::spectrum_inputs::opened one;
    one.from = std::make_unique<memory_source>(std::string_view(large));
    return one;
  };
  order.memory = large.size() * 11 / 8;
  growing_sink expected;
  spectra::order_spectra(inputs, expected, {}, order);
  std::string written(large.size() + 2, '\0');
  memory_sink all(written);
  run_members(
      2,
      [&](communicator& members, cpu&) {
        auto const open = [&](std::optional<std::uint64_t>) -> sink* { return &all; };
        if (spectra::order_spectra(members, inputs, open, {}, order)) ++divided_among;
      },
      1);
  CHECK(divided_among == 2);
  written.resize(expected.text().size());
  CHECK((written == expected.text()));
  order.parts = 2;
  CHECK_FALSE(spectra::can_be_divided({}, order));
}

TEST_CASE("What members cannot share is an error on all of them, or left to one process", "[spectra][distributed][order]") {
  using Catch::Matchers::Message;
  std::string const text = "BEGIN IONS\nPEPMASS=1\n1 1\nEND IONS\n", cut = "BEGIN IONS\nPEPMASS=1\n1 1\n";
  std::vector<std::string> const others{text, text + text};
  auto const in_memory = [](std::string const& from) { return std::make_unique<memory_source>(std::string_view(from)); };
  auto const sort = [&](bool addressed) {
    run_members(
        2,
        [&](communicator& members, cpu& on) {
          test_source const input(others[members.rank()], addressed);
          spectra::sort_options options;
          options.machine.on = &on;
          auto const open = [](std::optional<std::uint64_t>) -> sink* { throw std::logic_error("the output is opened"); };
          spectra::sort(members, input, open, options, 100);
        },
        1);
  };
  CHECK_THROWS_MATCHES(sort(false), usage_error, Message("cannot divide: spectra: the input is not addressable"));
  CHECK_THROWS_MATCHES(sort(true), input_error, Message("different inputs: input: the file must be the same on all hosts"));

  CHECK_THROWS_MATCHES(shared_by_two([&](std::size_t) { return std::make_unique<test_source>(text, false); }), usage_error,
                       Message("cannot divide: in: it is neither an addressable MGF file nor a compressed one"));
  CHECK_THROWS_MATCHES(shared_by_two([&](std::size_t rank) { return in_memory(others[rank]); }), input_error,
                       Message("different inputs: all inputs: the files must be the same on all hosts"));
  spectra::order_options order;
  order.parts = 2;
  CHECK_THROWS_MATCHES(shared_by_two([&](std::size_t) { return in_memory(text); }, order), usage_error,
                       Message("cannot divide: spectra: a rule of the choice needs numbers of spectra, or there are parts or "
                               "origins"));

  // An input that cannot be read, or has a fault; spectra of few bytes, which take more memory than their text.
  CHECK(shared_by_two([&](std::size_t) { return std::make_unique<test_source>(text, true, 5); }) == 0);
  CHECK(shared_by_two([&](std::size_t) { return in_memory(cut); }) == 0);
  std::string small;
  for (std::size_t i = 0; i < 20'000; ++i) small += "BEGIN IONS\nPEPMASS=1\nEND IONS\n";
  order = {};
  order.memory = std::size_t{1} << 20;
  CHECK(shared_by_two([&](std::size_t) { return in_memory(small); }, order) == 0);
}
