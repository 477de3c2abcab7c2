#include <mutex>
#include <stdexcept>

#include "ordo/io.hpp"
#include "spectra/mgf/cutter.hpp"
#include "spectra/pipeline/pipeline.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/spectra/cases.hpp"

// From sources to sinks: where chunks are cut, which bytes are read and written, and what happens if that fails.
namespace {

using namespace ordo::spectra;

std::string spectra_out_of_order(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "BEGIN IONS\nTITLE=" + std::to_string(i) + "\n" + std::to_string(i % 7 + 2) + " 1\n2 2\n1.5 3\nEND IONS\n";
  return text;
}

sort_options in_blocks(std::size_t bytes, unsigned threads) {
  sort_options options;
  options.chunk_bytes = bytes;
  options.machine = {ordo::device::cpu, threads};
  options.name = "f.mgf";
  return options;
}

std::vector<std::string> cut(ordo::source& from, std::size_t wanted) {
  detail::mgf_cutter all(from);
  detail::mgf_text one;
  std::vector<std::string> texts;
  std::size_t offset = 0;
  while (all.next(one, wanted)) {
    all.fill(one);
    CHECK(one.offset == offset);
    offset += one.size;
    texts.emplace_back(one.view());
    CHECK((one.size != 0 || one.last));
  }
  CHECK(one.last);
  return texts;
}

}  // namespace

TEST_CASE("spectra: a source with addresses is cut at whole spectra, and no more than its end is read") {
  // An end is looked for in the last 16 KiB first, then in four times as many. What those begin with may be half a line.
  constexpr std::size_t tail = 16384;
  for (std::string const half : {"TITLE=", "#", "\xef\xbb\xbf", " ", "x \t", "\n", "\r", "\n \t"}) {
    std::string text = "BEGIN IONS\n1 1\nEND IONS\n\nBEGIN IONS\nCOM=";
    text += std::string(3000, 'c') + half;
    std::size_t const begin = text.size();
    text += "BEGIN IONS\n";
    while (text.size() < begin + tail + 60) text += "100.25 1\n";
    std::string const rest = "END IONS\nBEGIN IONS\n1 1\nEND IONS\n";
    text += rest;
    for (std::size_t size = begin + tail - 15; size <= begin + tail + 3; ++size) {
      test_source from(text, true);
      detail::mgf_cutter all(from);
      detail::mgf_text one;
      REQUIRE(all.next(one, size));
      CHECK(one.size == detail::find_cut(std::string_view(text).substr(0, size)).at);
    }
    for (std::size_t const wanted : {std::size_t{1}, std::size_t{25}, tail - 1, tail + 9, begin + tail, text.size()}) {
      test_source addressed(text, true), in_order(text, false);
      std::string joined;
      for (std::string const& one : cut(addressed, wanted)) joined += one;
      CHECK(joined == text);
      joined.clear();
      for (std::string const& one : cut(in_order, wanted)) joined += one;
      CHECK(joined == text);
    }
  }
}

TEST_CASE("spectra: chunks for a GPU are large, and few enough for the memory") {
  constexpr std::size_t block = std::size_t{512} << 10, mib = std::size_t{1} << 20;
  for (std::size_t const threads : {1, 2, 16, 64, 200}) {
    std::size_t const chunks = 2 * threads + 1, size = detail::chunk_size(block, chunks, true);
    CHECK(detail::chunk_size(block, chunks, false) == block);
    CHECK(size >= block);
    CHECK(size <= 16 * block);
    CHECK((size * chunks <= 288 * mib && (size == 16 * block || size * chunks > 287 * mib)));
  }
  CHECK(detail::chunk_size(10 * mib, 401, true) == 10 * mib);
}

TEST_CASE("spectra: chunks know whether a spectrum may have begun before them") {
  // 16 KiB before the end of the first chunk stand words that a line before makes no BEGIN IONS.
  std::string text = "#";
  std::size_t const begin = text.size();
  text += "BEGIN IONS\n";
  while (text.size() < begin + 16384) text += "#\n";
  std::size_t const first = text.size();
  text += "no MGF\n";
  sort_options options = in_blocks(begin + 16384, 2);
  test_source from(text, true);
  test_sink to(true);
  CHECK_THROWS_WITH(ordo::spectra::sort(from, to, options),
                    Catch::Matchers::StartsWith("not MGF: f.mgf:" + std::to_string((first - 12) / 2 + 2)));
}

TEST_CASE("spectra: from source to sink, with addresses and without, by many threads") {
  std::string const text = spectra_out_of_order(400), expected = sorted(text);
  for (bool const reads_at : {true, false})
    for (bool const writes_at : {true, false})
      for (std::size_t const block : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, text.size() + 1})
        for (unsigned const threads : {1u, 4u}) {
          test_source from(text, reads_at);
          test_sink to(reads_at && writes_at);
          auto const done = ordo::spectra::sort(from, to, in_blocks(block, threads));
          REQUIRE(to.text() == expected);
          CHECK(to.taken() == text.size());
          CHECK(from.position() == text.size());
          CHECK(done.spectra == 400);
          CHECK(done.reordered == 400);
          for (auto const& [name, seconds, waited, bytes] : done.phases) {
            CHECK(seconds > 0);
            CHECK(waited > 0);
            CHECK(bytes == (name == "sort" ? 1200 * sizeof(std::uint64_t) : text.size()));
          }
        }
}

TEST_CASE("spectra: what comes of a source begins where it stands") {
  std::string const before = "BEGIN IONS\n", text = spectra_out_of_order(20);
  std::string const all = before + text;
  test_source from(all, true);
  from.skip(before.size());
  test_sink to(true);
  ordo::spectra::sort(from, to, in_blocks(64, 3));
  CHECK(to.text() == sorted(text));
  CHECK(from.position() == all.size());

  test_source nothing("", true);
  test_sink empty(true);
  CHECK(ordo::spectra::sort(nothing, empty, in_blocks(64, 3)).bytes == 0);
  CHECK(empty.text().empty());
}

TEST_CASE("spectra: a source that fails, in any thread") {
  std::string const text = spectra_out_of_order(300);
  for (bool const addresses : {true, false})
    for (std::size_t const at : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 1}) {
      test_source from(text, addresses, at);
      test_sink to(addresses);
      CHECK_THROWS_WITH(ordo::spectra::sort(from, to, in_blocks(200, 4)), "cannot read: test: bad byte");
      test_source checked(text, addresses, at);
      sort_options options = in_blocks(200, 4);
      if (at < 200) CHECK_THROWS_WITH(check(checked, options), "cannot read: test: bad byte");
    }
}

TEST_CASE("spectra: a sink that fails, in any thread") {
  std::string const text = spectra_out_of_order(300);
  for (bool const addresses : {true, false})
    for (std::size_t const call : {1, 2, 3, 30}) {
      test_source from(text, true);
      test_sink to(addresses, std::string::npos, call);
      CHECK_THROWS_WITH(ordo::spectra::sort(from, to, in_blocks(200, 4)), "cannot write: test: no space");
    }
}

TEST_CASE("spectra: of several errors the first in the input is reported") {
  std::string const half = spectra_out_of_order(100), text = half + "BEGIN IONS\nbad\nEND IONS\n" + half + "BEGIN IONS\nbad\n";
  std::size_t const after = half.size() + 1000;
  std::string const bad = "neither peak, parameter nor comment: f.mgf:602: 'bad'";
  for (std::size_t round = 0; round < 20; ++round) {
    auto const options = in_blocks(100, 4);
    auto const message = [&](test_source from, std::size_t write_fails_at) {
      test_sink to(true, write_fails_at);
      CHECK_THROWS_WITH(ordo::spectra::sort(from, to, options), bad);
    };
    message(test_source(text, true), std::string::npos);
    message(test_source(text, true), after);
    message(test_source(text, true, after), std::string::npos);
    test_source from(text, true);
    test_sink to(true, half.size() / 2);
    CHECK_THROWS_WITH(ordo::spectra::sort(from, to, options), "cannot write: test: no space");
    test_source short_one(text, true, half.size() / 2);
    test_sink whole(true);
    CHECK_THROWS_WITH(ordo::spectra::sort(short_one, whole, options), "cannot read: test: bad byte");
  }
}

TEST_CASE("spectra: one memory is sorted into another that it overlaps") {
  std::string const text = spectra_out_of_order(50), expected = sorted(text);
  for (std::size_t const shift : {std::size_t{0}, std::size_t{7}, text.size()}) {
    std::string both(text.size() + shift, '?');
    std::copy(text.begin(), text.end(), both.begin());
    std::span<char> const all(both);
    ordo::spectra::sort(all.first(text.size()), all.last(text.size()), in_blocks(100, 4));
    CHECK(both.substr(shift) == expected);
  }
}

TEST_CASE("spectra: warnings show lines as they were before peaks moved") {
  std::string const text = "first, no MGF\nBEGIN IONS\n30 1\n300,5 1\n1 2\nnan 7\n2 1\nEND IONS\n";
  test_source from(text, true);
  test_sink to(true);
  sort_options options = lenient();
  options.name = "f.mgf";
  std::vector<std::string> seen;
  options.on_warning = [&](std::string const& message) { seen.push_back(message); };
  ordo::spectra::sort(from, to, options);
  CHECK(to.text() == "first, no MGF\nBEGIN IONS\n1 2\n300,5 1\n2 1\nnan 7\n30 1\nEND IONS\n");
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].starts_with("not MGF: f.mgf:1: "));
  CHECK(seen[1] == "decimal comma: f.mgf:4: '300,5 1'; a point is expected");
  CHECK(seen[2] == "not a peak: f.mgf:6: 'nan 7' is not finite, and stays where it is");
}
