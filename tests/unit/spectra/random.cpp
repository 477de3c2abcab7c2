#include <cstdio>
#include <cstdlib>

#include "tests/unit/inputs.hpp"
#include "tests/unit/shard.hpp"
#include "tests/unit/spectra/cases.hpp"

// Inputs made at random, against a sort that is as plain as can be.
namespace {

using ordo::spectra::sort_key;
using ordo::spectra::sort_options;

struct line {
  std::string text;  // with its end
  bool is_peak = false;
  double key = 0;
  bool has_key = true;
};

// Inputs as sequences of spectra, each a sequence of lines.
using spectrum = std::vector<line>;

std::string joined(std::vector<spectrum> const& all) {
  std::string text;
  for (auto const& one : all)
    for (auto const& part : one) text += part.text;
  return text;
}

class generator {
 public:
  generator(std::uint64_t seed, sort_key by) : random_(seed), by_(by) {
    // Lone CRs and empty lines ended by LF make CRLFs of one another when they meet: not both in one input.
    std::vector<lines> const kinds{{"\n"}, {"\r\n"}, {"\r"}, {"\n", "\r\n"}};
    ends_ = kinds[random_.below(kinds.size())];
    few_values_ = random_.below(2) == 0;
  }

  std::vector<spectrum> spectra(std::size_t count, std::size_t max_peaks) {
    std::vector<spectrum> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back({other("BEGIN IONS")});
      for (std::size_t n = random_.below(4); n != 0; --n) all.back().push_back(opaque());
      for (std::size_t n = random_.below(max_peaks + 1); n != 0; --n) {
        all.back().push_back(peak());
        if (random_.below(20) == 0) all.back().push_back(opaque());
      }
      all.back().push_back(other("END IONS"));
      while (random_.below(3) == 0) all.push_back({other(random_.below(2) == 0 ? "" : "# 1 2")});
    }
    return all;
  }

 private:
  std::string end() { return ends_[random_.below(ends_.size())]; }
  std::string blanks(std::size_t least) {
    std::string const some = random_.below(8) == 0 ? " \t" : random_.below(8) == 0 ? "\t" : "";
    return some.size() < least ? " " : some;
  }
  line other(std::string const& text) { return {text + end(), false, 0, true}; }
  line opaque() {
    lines const kinds{"", "  ", "TITLE=t 1 2", "1/K0=0.5", "# 7 7", "; 1", "USER00=" + std::string(random_.below(100), 'u')};
    return other(kinds[random_.below(kinds.size())]);
  }
  std::string number() {
    double const value = few_values_ ? double(random_.below(5)) - 2 : double(random_.below(1u << 24)) / 7777;
    char const* const formats[] = {"%.5f", "%g", "%.10f", "%.3e", "%+.2f", "%.17g"};
    char text[64];
    std::snprintf(text, sizeof text, formats[random_.below(std::size(formats))], value);
    return text;
  }
  line peak() {
    std::string const mz = number(), intensity = random_.below(10) == 0 ? "" : number();
    std::string text = blanks(0) + mz + (intensity.empty() ? "" : blanks(1) + intensity);
    if (!intensity.empty() && random_.below(5) == 0) text += " b" + std::to_string(random_.below(20)) + "+1=x";
    line made{text + blanks(0) + end(), true, 0, true};
    made.has_key = by_ == sort_key::mz || !intensity.empty();
    made.key = std::strtod((by_ == sort_key::mz ? mz : intensity).c_str(), nullptr);
    return made;
  }

  random_numbers random_;
  sort_key by_;
  lines ends_;
  bool few_values_ = false;
};

// The peaks of every spectrum in order.
std::vector<spectrum> in_order(std::vector<spectrum> all, bool descending) {
  for (auto& one : all) {
    spectrum peaks;
    for (auto const& part : one)
      if (part.is_peak) peaks.push_back(part);
    std::stable_sort(peaks.begin(), peaks.end(), [&](line const& a, line const& b) {
      if (!a.has_key || !b.has_key) return a.has_key && !b.has_key;
      return descending ? a.key > b.key : a.key < b.key;
    });
    auto next = peaks.begin();
    for (auto& part : one)
      if (part.is_peak) part = *next++;
  }
  return all;
}

// Spectra made from this seed come out as a plain sort puts them.
void check_random(std::uint64_t seed) {
  CAPTURE(seed);
  sort_options options;
  options.by = seed % 2 == 0 ? sort_key::mz : sort_key::intensity;
  options.descending = seed % 3 == 0;
  auto const all = generator(seed, options.by).spectra(seed % 12, seed % 5 == 0 ? 200 : 12);
  std::string const in = joined(all), expected = joined(in_order(all, options.descending));
  std::string const out = sorted(in, options);
  REQUIRE(out == expected);
  REQUIRE(sorted(out, options) == out);

  auto const before = ordo::spectra::check(std::span<char const>(in), options);
  auto const after = ordo::spectra::check(std::span<char const>(out), options);
  CHECK(before.first.has_value() == (in != out));
  CHECK_FALSE(after.first.has_value());
  CHECK(after.done.bytes == out.size());
}

// One spectrum, in blocks that hold it and in blocks that do not.
void check_large_spectrum(std::size_t peaks) {
  random_numbers random(peaks);
  std::vector<spectrum> all{{{"BEGIN IONS\n"}}};
  for (std::size_t i = 0; i < peaks; ++i) {
    double const mz = double(random.below(40000));  // with repeats
    all[0].push_back({std::to_string(std::size_t(mz)) + " " + std::to_string(i) + "\n", true, mz, true});
  }
  all[0].push_back({"END IONS\n"});
  std::string const in = joined(all), expected = joined(in_order(all, false));
  for (ordo::device where : devices()) {
    for (std::size_t const block : {std::size_t{1000}, std::size_t{1} << 26}) {
      sort_options options;
      options.machine.device = where;
      options.chunk_bytes = block;
      text_stream stream(in);
      ordo::spectra::sort(stream, stream, options);
      REQUIRE(stream.written == expected);
    }
  }
}

}  // namespace

TEST_CASE("spectra: random inputs come out as a plain sort puts them") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) check_random(seed);
}

TEST_CASE("spectra: small inputs", "[small][shards]") {
  test_shard shard;
  for (std::uint64_t seed : {5, 6, 10, 23, 30})
    if (shard.has_next()) check_random(seed);
  for (std::size_t peaks : {33, 1025, 5000})
    if (shard.has_next()) check_large_spectrum(peaks);
}

TEST_CASE("spectra: blocks of many pieces, on every number of threads") {
  auto const all = generator(7, sort_key::mz).spectra(9000, 30);
  std::string const in = joined(all), expected = joined(in_order(all, false));
  REQUIRE(in.size() > (std::size_t{2} << 20));
  for (ordo::device where : devices()) {
    for (unsigned threads : {1u, 2u, 5u}) {
      sort_options options;
      options.machine = {where, threads};
      std::string out(in.size(), '?');
      auto const done = ordo::spectra::sort(std::span<char const>(in), out, options);
      CHECK(done.spectra == 9000);
      CHECK(done.reordered > 5000);
      REQUIRE(out == expected);
      CHECK(ordo::spectra::sort(out, out, options).reordered == 0);  // in place, and nothing is left to do
      REQUIRE(out == expected);
    }
  }
}

TEST_CASE("spectra: a spectrum of more peaks than 16 bits count, in blocks that are smaller") {
  for (std::size_t peaks : {10001, 65536, 200003}) check_large_spectrum(peaks);
}
