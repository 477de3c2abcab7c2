#include "base/streams.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"

using namespace ordo;

namespace {

/// A source and a sink that do no more than they must.
struct plain_source final : source {
  std::size_t read(std::span<char>) override { return 0; }
};
struct plain_sink final : sink {
  void write(std::span<char const>) override {}
};

}  // namespace

TEST_CASE("A growing sink keeps bytes in order, or by offset from the announcement on", "[streams]") {
  growing_sink in_order;
  CHECK_FALSE(in_order.expect(2));
  CHECK_FALSE(in_order.addressable());
  for (std::string_view const part : {"ab", "", "cde"}) in_order.write(part);
  CHECK(in_order.text() == "abcde");

  growing_sink placed(true);
  CHECK_FALSE(placed.addressable());
  CHECK(placed.expect(5));
  CHECK(placed.addressable());
  placed.write_at(3, std::string_view("de"));
  placed.write(std::string_view("ab"));
  placed.write(std::string_view("c"));
  CHECK(placed.text() == "abcde");
  CHECK(placed.expect(3));  // of a part that became shorter: nothing is lost
  CHECK(placed.text() == "abcde");
  CHECK(placed.release().size() == 5);
  CHECK(placed.bytes().empty());

  growing_sink empty(true);
  CHECK(empty.expect(0));
  empty.write_at(0, {});
  CHECK(empty.text().empty());
}

TEST_CASE("A part of a source is a source of its own", "[streams]") {
  memory_source const whole("0123456789");
  part_source part(whole, 2, 5);
  CHECK(part.size() == 5);
  std::string got(3, '?');
  CHECK(part.read(got) == 3);
  CHECK(got == "234");
  part.read_at(1, got);
  CHECK(got == "345");
  CHECK(part.position() == 3);
  CHECK(part.read(got) == 2);
  CHECK(got.substr(0, 2) == "56");
  CHECK(part.read(got) == 0);
  part_source beyond(whole, 2, 5);
  beyond.skip(9);
  CHECK(beyond.read(got) == 0);

  // An owner keeps the source.
  std::weak_ptr<source const> alive;
  {
    auto const owned = std::make_shared<memory_source const>("abc");
    alive = owned;
    part_source const last(owned, 1, 1);
    CHECK_FALSE(alive.expired());
  }
  CHECK(alive.expired());
}

TEST_CASE("Parts of a sink are written where they belong", "[streams]") {
  test_sink addressed(true), in_order(false);
  addressed.expect(6);
  part_sink second(addressed, 3, true), first(addressed, 0, true);
  CHECK(second.expect(3));
  second.write(std::string_view("d"));
  second.write(std::string_view("ef"));
  first.write_at(0, std::string_view("abc"));
  CHECK(addressed.text() == "abcdef");

  part_sink one(in_order, 0, false), other(in_order, 3, false);
  CHECK_FALSE(one.expect(3));
  CHECK_FALSE(one.addressable());
  one.write(std::string_view("abc"));
  other.write(std::string_view("def"));
  CHECK(in_order.text() == "abcdef");

  // A write that fails gives back its turn.
  std::counting_semaphore<> turns(1);
  test_sink full(true, 0);
  full.expect(1);
  part_sink limited(full, 0, true, &turns);
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(limited.write(std::string_view("x")), output_error);
}

TEST_CASE("A divided sink gives each sink the bytes of its part, from any thread's offset or in order", "[streams]") {
  constexpr std::uint64_t unit = 4;
  for (bool const addressable : {false, true})
    for (std::size_t const parts : {1, 2, 3, 7})
      for (std::size_t size = 0; size <= 41; ++size) {
        std::string text(size, '\0');
        for (std::size_t k = 0; k < size; ++k) text[k] = char('A' + k);
        std::deque<growing_sink> sinks;
        std::vector<sink*> to;
        for (std::size_t k = 0; k < parts; ++k) to.push_back(&sinks.emplace_back(addressable));
        divided_sink all(to, unit);
        CHECK_THROWS_AS(all.write(std::string_view("x")), std::logic_error);
        REQUIRE(all.expect(size) == addressable);
        REQUIRE(all.addressable() == addressable);
        std::size_t const step = 1 + size / 3;
        for (std::size_t at = 0; at < size; at += step) {
          std::size_t const from = addressable ? (size - 1 - at) / step * step : at;  // from the end, where that can be
          std::string_view const some = std::string_view(text).substr(from, step);
          if (addressable)
            all.write_at(from, some);
          else
            all.write(some);
        }
        std::string joined;
        for (std::size_t k = 0; k < parts; ++k) {
          joined += sinks[k].text();
          if (k + 1 == parts) continue;
          std::size_t const units = size / unit * (k + 1) / parts - size / unit * k / parts;
          REQUIRE(sinks[k].text().size() == units * unit);
        }
        REQUIRE(joined == text);
      }
}

TEST_CASE("Observed sources and sinks call a function with what has passed", "[streams]") {
  std::vector<std::uint64_t> seen;
  auto const see = [&](std::uint64_t bytes) { seen.push_back(bytes); };
  observed_source from(std::make_unique<memory_source>("abcdef"), see);
  std::string got(4, '?');
  CHECK(from.size() == 6);
  CHECK(from.read(got) == 4);
  from.read_at(1, std::span(got).first(2));
  from.skip(1);
  CHECK(from.position() == 5);
  CHECK(from.read(got) == 1);
  CHECK(seen == std::vector<std::uint64_t>{4, 2, 1});

  seen.clear();
  test_sink addressed(true), full(false, 1);
  observed_sink to(addressed, see);
  CHECK(to.expect(3));
  CHECK(to.addressable());
  to.write_at(1, std::string_view("bc"));
  to.write_at(0, std::string_view("a"));
  CHECK(addressed.text() == "abc");
  observed_sink failing(full, see);
  CHECK_THROWS_AS(failing.write(std::string_view("ab")), output_error);
  CHECK(seen == std::vector<std::uint64_t>{2, 1});
}

TEST_CASE("A line sink calls a function with whole lines", "[streams]") {
  std::string const text = "one\n\nthree\nunfinished";
  for (std::size_t const piece : {1u, 4u, 100u}) {
    std::vector<std::string> lines;
    line_sink to('\n', [&](std::string_view line) { lines.emplace_back(line); });
    for (std::size_t at = 0; at < text.size(); at += piece) to.write(std::string_view(text).substr(at, piece));
    CHECK(lines == std::vector<std::string>{"one", "", "three"});
  }
}

TEST_CASE("Counts are written with their nouns", "[quantity]") {
  CHECK(quantity(0, "record") == "0 records");
  CHECK(quantity(1, "record") == "1 record");
  CHECK(quantity(2, "record") == "2 records");
  CHECK(quantity(1, "spectrum has", "spectra have") == "1 spectrum has");
  CHECK(quantity(~std::uint64_t{0}, "spectrum has", "spectra have") == "18446744073709551615 spectra have");
}

TEST_CASE("A source and a sink without addresses refuse the calls that need them", "[streams]") {
  using Catch::Matchers::Message;
  plain_source from;
  plain_sink to;
  CHECK_FALSE(from.size().has_value());
  CHECK_FALSE(to.expect(1));
  CHECK_THROWS_MATCHES(from.read_at(0, {}), std::logic_error, Message("source: no addresses"));
  CHECK_THROWS_MATCHES(from.skip(1), std::logic_error, Message("source: no addresses"));
  CHECK_THROWS_MATCHES(to.write_at(0, {}), std::logic_error, Message("sink: no addresses"));
}

TEST_CASE("More bytes than can be addressed are refused", "[streams]") {
  host_bytes bytes;
  CHECK_THROWS_MATCHES(bytes.reserve(~std::size_t{0}), out_of_memory,
                       Catch::Matchers::Message("out of memory: host: 18446744073709551615 bytes requested"));
  CHECK(bytes.data() == nullptr);
}
