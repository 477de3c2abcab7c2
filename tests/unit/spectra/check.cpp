#include "tests/unit/spectra/cases.hpp"

// Finding the first peak out of order.
namespace {

using ordo::spectra::disorder;
using ordo::spectra::sort_options;

// Returns the disorder that is found, in memory and in a stream, in chunks of any size.
std::optional<disorder> first_disorder(std::string const& text, sort_options options = {}) {
  options.name = "f.mgf";
  std::optional<std::optional<disorder>> first;
  for (std::size_t block : block_sizes()) {
    options.chunk_bytes = block;
    text_stream stream(text);
    auto const in_memory = ordo::spectra::check(std::span<char const>(text), options).first;
    for (auto const& found : {in_memory, ordo::spectra::check(stream, options).first}) {
      if (!first) first = found;
      REQUIRE(found.has_value() == first->has_value());
      if (!found) continue;
      CHECK(found->line == (*first)->line);
      CHECK(found->spectrum == (*first)->spectrum);
      CHECK(found->title == (*first)->title);
      CHECK(found->peak == (*first)->peak);
    }
  }
  return *first;
}

}  // namespace

TEST_CASE("spectra: the check finds the first peak out of order") {
  std::string const good = "BEGIN IONS\r\nTITLE=good\r\n1 3\r\n1 2\r\n2 1\r\nEND IONS\r\n\r\n";
  CHECK_FALSE(first_disorder(""));
  CHECK_FALSE(first_disorder(good + good + good));
  CHECK_FALSE(first_disorder(good, by_intensity(true)));
  std::string many;
  for (std::size_t i = 0; i < 100; ++i) many += good;
  auto const found = first_disorder(many + "BEGIN IONS\n1 1\n2.5 7\n2 1 b\nTITLE=after\n1 1\nEND IONS\nBEGIN IONS\n2 1\n1 1\n");
  REQUIRE(found);
  CHECK(found->line == 704);
  CHECK(found->spectrum == 101);
  CHECK(found->title == "after");
  CHECK(found->peak == "2 1 b");

  auto const by = first_disorder(many, by_intensity());
  REQUIRE(by);
  CHECK(by->line == 4);
  CHECK(by->spectrum == 1);
  CHECK(by->title == "good");
  CHECK(by->peak == "1 2");

  auto const untitled = first_disorder("BEGIN IONS\n2\n1", lenient());
  REQUIRE(untitled);
  CHECK(untitled->line == 3);
  CHECK(untitled->title.empty());
  CHECK(untitled->peak == "1");
}

TEST_CASE("spectra: of disorder and error, the check reports what comes first") {
  std::string const disorder = "BEGIN IONS\n2 1\n1 1\nEND IONS\n", error = "BEGIN IONS\nbad\nEND IONS\n";
  CHECK(first_disorder(disorder + error));
  for (std::size_t block : block_sizes()) {
    sort_options options;
    options.chunk_bytes = block;
    CHECK_THROWS_AS(ordo::spectra::check(std::span<char const>(error + disorder), options), ordo::input_error);
  }
  sort_options options;
  options.lenient = true;
  options.name = "f.mgf";
  std::vector<std::string> seen;
  options.on_warning = [&](std::string const& message) { seen.push_back(message); };
  CHECK(ordo::spectra::check(std::span<char const>(error + disorder + error), options).first);
  CHECK(seen == std::vector<std::string>{"neither peak, parameter nor comment: f.mgf:2: 'bad'"});
}

TEST_CASE("spectra: a check is seen while it goes on") {
  std::string text;
  for (std::size_t i = 0; i < 100; ++i) text += "BEGIN IONS\n1 3\n2 1\nEND IONS\n";
  sort_options options;
  options.chunk_bytes = text.size() / 4;
  text_stream stream(text);
  std::vector<std::uint64_t> seen;
  options.on_progress = [&](std::uint64_t bytes) { seen.push_back(bytes); };
  ordo::spectra::check(stream, options);
  REQUIRE(seen.size() >= 4);
  CHECK(seen.front() <= text.size() / 2);
  CHECK(seen.back() == text.size());
}
