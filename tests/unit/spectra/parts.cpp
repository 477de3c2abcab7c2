#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "ordo/cpu_backend.hpp"
#include "ordo/detail/config.hpp"
#include "spectra/mgf/format.hpp"
#include "spectra/mgf/line.hpp"
#include "spectra/mgf/number.hpp"
#include "spectra/peaks/peak_sort.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/spectra/cases.hpp"

using namespace ordo::spectra;

namespace {

// The number at the front of a text, whose bytes end exactly where the memory does.
std::optional<double> number_in(std::string const& text) {
  std::unique_ptr<char[]> const exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  char const* p = exact.get();
  double value = 0;
  if (!detail::consume_number(p, p + text.size(), value)) return {};
  CHECK(std::size_t(p - exact.get()) == text.find_first_of(" \t\r\n"));
  return value;
}

// The first or the second number of a line that is a plain pair, at the front of a text whose bytes end where the memory does.
template <bool First>
std::optional<double> plain_number_in(std::string const& text) {
  std::unique_ptr<char[]> const exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  char const* p = exact.get();
  double mz = 0, intensity = 0;
  bool const taken = detail::consume_plain_pair<First, !First>(p, p + text.size(), mz, intensity);
  CHECK(std::size_t(p - exact.get()) == (taken ? text.find('\n') : 0));
  if (!taken) return std::nullopt;
  // Both at a time are the same.
  double both_mz = 0, both_intensity = 0;
  CHECK((p = exact.get(), detail::consume_plain_pair<true, true>(p, p + text.size(), both_mz, both_intensity)));
  CHECK((First ? both_mz == mz : both_intensity == intensity));
  return First ? mz : intensity;
}

}  // namespace

TEST_CASE("spectra: numbers have the value that strtod gives them") {
  random_numbers random(1);
  auto const some_digits = [&](std::size_t most) {
    std::string digits;
    for (std::size_t n = random.below(most + 1); n != 0; --n) digits += char('0' + random.below(10));
    return digits;
  };
  for (std::size_t i = 0; i < 20000; ++i) {
    std::size_t const most = i % 3 == 0 ? 25 : 9;
    std::string const whole = some_digits(most), part = some_digits(most);
    if (whole.empty() && part.empty()) continue;
    std::string text = std::string(i % 5 == 0 ? "-" : i % 7 == 0 ? "+" : "") + whole;
    if (part.empty() ? i % 2 == 0 : true) text += "." + part;
    if (i % 4 == 0) text += (i % 8 == 0 ? "e" : "E-") + std::to_string(random.below(i % 16 == 0 ? 400 : 30));
    for (std::string const end : {"\n", " 1234567890\n", "\t\n", "\r"}) {
      auto const value = number_in(text + end);
      REQUIRE(value.has_value());
      if (*value != std::strtod(text.c_str(), nullptr)) FAIL(text);
    }
  }
}

TEST_CASE("spectra: words that are no numbers") {
  for (std::string const word : {"",      "+",   "-",   ".",   "-.", "e1",  "1e",        "1e+",         "1e1.5",
                                 "1.2.3", "+-1", "--1", "1,5", "1a", "0x1", "12345678a", "1.12345678a", "1234567812345678x",
                                 "inf",   "nan", "1=",  "1:2"})
    CHECK_FALSE(number_in(word + "\n").has_value());
}

TEST_CASE("spectra: plain pairs have the values of their numbers, and nothing else is one") {
  std::string const rest(40, '7');
  for (std::string const line :
       {"1 2\n", "1.5\t.25\n", "1234567.7654321 1.\n", "0 0000000.0000000\n", "1234567.1234567 1234567.7654321\n"}) {
    INFO(line);
    CHECK(plain_number_in<true>(line + rest) == std::strtod(line.c_str(), nullptr));
    CHECK(plain_number_in<false>(line + rest) == std::strtod(line.c_str() + line.find_first_of(" \t"), nullptr));
  }
  for (std::string const line : {"",       "1",          "1 ",           " 1 2",
                                 "1  2",   "1 2 ",       "1 2 3",        "1 2\r",
                                 "-1 2",   "1 +2",       "1e1 2",        "1 2e1",
                                 "1..2 3", "1.2.3 4",    ". 1",          "1 .",
                                 "1,5 2",  "12345678 1", "1 1.12345678", "1 2=",
                                 "1/1 2",  "1 2:",       "BEGIN IONS",   "1234567.1234567 1234567.12345678"}) {
    INFO(line);
    CHECK_FALSE(plain_number_in<true>(line + '\n' + rest).has_value());
    CHECK_FALSE(plain_number_in<false>(line + '\n' + rest).has_value());
  }
  random_numbers random(5);
  std::string const bytes = "0123456789012345678901234567890123456789... \t\n\r-e:/";
  std::size_t taken = 0;
  for (std::size_t i = 0; i < 50000; ++i) {
    std::string text;
    for (std::size_t n = random.below(12); n != 0; --n) text += bytes[random.below(bytes.size())];
    text += ' ';
    for (std::size_t n = random.below(12); n != 0; --n) text += bytes[random.below(bytes.size())];
    text += '\n';
    text.append(random.below(2) * random.below(40), '7');
    auto const first = plain_number_in<true>(text), second = plain_number_in<false>(text);
    if (first.has_value() != second.has_value()) FAIL(text);
    if (!first) continue;
    ++taken;
    std::size_t const blank = text.find_first_of(" \t");
    if (number_in(text) != first || number_in(text.substr(blank + 1)) != second) FAIL(text);
  }
  CHECK(taken > 500);
}

TEST_CASE("spectra: a text is cut where a spectrum begins, or outside of spectra after a line") {
  std::string const one = "BEGIN IONS\n1 1\nEND IONS\n";
  auto const whole = [](std::string const& text) { return detail::find_cut(text).at; };
  CHECK(whole("") == 0);
  CHECK(whole("COM=x") == 0);
  CHECK(whole("COM=x\nCOM") == 6);
  CHECK(whole("COM=x\r") == 0);  // an LF may follow
  CHECK(whole("COM=x\ry") == 6);
  CHECK(whole("COM=x\r\n") == 7);
  CHECK(whole(one) == one.size());
  CHECK(whole(one + "BEGIN IO") == one.size());
  CHECK(whole(one + "BEGIN IONS") == one.size());
  CHECK(whole(one + "BEGIN IONS\n") == one.size());
  CHECK(whole(one + " \tBEGIN IONS \n1 1\nEND ION") == one.size());
  CHECK(whole(one + "\xef\xbb\xbf" + one.substr(0, 15)) == one.size());
  CHECK(whole(one + "BEGIN IONS\nTITLE=END IONS\n1 1\n") == one.size());
  CHECK(whole(one + "BEGIN IONS\n1 1\nEND IONS\nCOM=y\nz") == 2 * one.size() + 6);
  CHECK(whole("BEGIN IONS\n1 1\n2 2\n") == 0);
  CHECK(whole("BEGIN IONS\r1 1\rEND IONS\r") == 0);
  CHECK(whole("BEGIN IONS\r1 1\rEND IONS\rx") == 24);
  // A BEGIN IONS without END IONS before it begins a spectrum too.
  CHECK(whole("BEGIN IONS\n1 1\nBEGIN IONS\n1 1\n") == 15);
}

TEST_CASE("spectra: lines and titles") {
  std::string_view text = "a\nb\r\nc\rd\r\r\n\n";
  lines all;
  while (!text.empty()) all.emplace_back(detail::consume_line(text));
  CHECK(all == lines{"a", "b", "c", "d", "", ""});
  CHECK(detail::read_title("BEGIN IONS\nPEPMASS=1\n TITLE=a=b c \nEND IONS\n") == "a=b c");
  CHECK(detail::read_title("BEGIN IONS\n1 1\nEND IONS\nBEGIN IONS\nTITLE=b\nEND IONS\n").empty());
  CHECK(detail::read_title("BEGIN IONS\n1 1\nBEGIN IONS\nTITLE=b\nEND IONS\n").empty());
  CHECK(detail::read_title("BEGIN IONS\nTITLE=").empty());
}

TEST_CASE("spectra: peaks that do not fit a machine together are sorted in parts") {
  // Segments of 0 to 40 peaks, and one that is larger than the host sorts on one thread.
  random_numbers random(5);
  std::vector<std::uint32_t> offsets{0};
  for (std::size_t s = 0; s < 2000; ++s)
    offsets.push_back(offsets.back() + std::uint32_t(s == 1000 ? 70000 : random.below(41)));
  std::vector<std::uint64_t> codes(offsets.back());
  for (auto& code : codes) code = random.below(50);
  std::vector<std::uint32_t> expected(codes.size()), order(codes.size());
  std::iota(expected.begin(), expected.end(), 0);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1],
                     [&](auto a, auto b) { return codes[a] < codes[b]; });

  for (std::size_t const limit : {std::size_t{4} << 20, std::size_t{2} << 20}) {
    ordo::cpu machine({.threads = 1, .memory_limit = limit});
    detail::peak_sorter_on<ordo::cpu> sorter({.on = &machine}, 0);
    for (std::size_t round = 0; round < 2; ++round) {
      std::fill(order.begin(), order.end(), 0);
      sorter.sort(codes, offsets, order);
      CHECK(order == expected);
    }
    CHECK(sorter.peak_memory() <= limit);
  }
  if constexpr (ordo::cuda_enabled) {
    if (devices().back() == ordo::device::gpu) {
      std::fill(order.begin(), order.end(), 0);
      detail::peak_sorter_on_cuda({}, 0)->sort(codes, offsets, order);
      CHECK(order == expected);
    }
  }
  ordo::cpu small({.threads = 1, .memory_limit = 4096});
  detail::peak_sorter_on<ordo::cpu> sorter({.on = &small}, 0);
  CHECK_THROWS_AS(sorter.sort(codes, offsets, order), ordo::out_of_memory);
}

TEST_CASE("spectra: phases and progress are called in order") {
  std::string text;
  for (std::size_t i = 0; i < 10; ++i) text += "BEGIN IONS\n2 1\n1 1\nEND IONS\n";
  sort_options options;
  std::vector<std::string> phases;
  std::vector<std::uint64_t> progress;
  options.on_phase = [&](std::string_view name, std::uint64_t bytes) {
    phases.emplace_back(name);
    CHECK(bytes == (name == "sort" ? 20 * sizeof(std::uint64_t) : text.size()));
  };
  options.on_progress = [&](std::uint64_t bytes) { progress.push_back(bytes); };
  text_stream stream(text);
  ordo::spectra::sort(stream, stream, options);
  CHECK(phases == std::vector<std::string>{"read", "scan", "sort", "move", "write"});
  CHECK(progress == std::vector<std::uint64_t>{text.size()});
}

TEST_CASE("spectra: what reading and writing throw comes through") {
  std::string text;
  for (std::size_t i = 0; i < 100; ++i) text += "BEGIN IONS\n2 1\n1 1\nEND IONS\n";
  sort_options options;
  options.machine.device = ordo::device::cpu;  // a GPU takes longer blocks
  options.chunk_bytes = 100;
  struct failing_source final : ordo::source {
    text_stream& from;
    std::size_t fails_at, calls = 0;
    failing_source(text_stream& from, std::size_t fails_at) : from(from), fails_at(fails_at) {}
    std::size_t read(std::span<char> output) override {
      if (++calls == fails_at) throw std::runtime_error("read");
      return from.read(output);
    }
  };
  struct failing_sink final : ordo::sink {
    std::size_t fails_at, calls = 0;
    explicit failing_sink(std::size_t fails_at) : fails_at(fails_at) {}
    void write(std::span<char const>) override {
      if (++calls == fails_at) throw std::runtime_error("write");
    }
  };
  for (std::size_t const call : {1, 2, 5}) {
    text_stream stream(text), other(text);
    failing_source input(stream, call);
    CHECK_THROWS_WITH(ordo::spectra::sort(input, stream, options), "read");
    failing_sink output(call);
    CHECK_THROWS_WITH(ordo::spectra::sort(other, output, options), "write");
    CHECK(output.calls == call);
  }
}
