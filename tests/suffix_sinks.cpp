#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <zlib.h>

#include "sort_core/error.hpp"
#include "suffix/index.hpp"
#include "suffix/suffix.hpp"
#include "tests/catch.hpp"
#include "tests/devices.hpp"
#include "tests/suffix_texts.hpp"

using namespace ordo;

namespace {

/// Bytes in memory, by address or in order; from the byte `bad` on it fails.
class string_sink final : public sink {
 public:
  explicit string_sink(bool addressed, std::uint64_t bad = ~std::uint64_t{0}) : addressed_(addressed), bad_(bad) {}

  void write(std::span<char const> data) override {
    check(all.size() + data.size());
    all.append(data.data(), data.size());
  }
  bool expect(std::uint64_t bytes) override {
    expected = bytes;
    if (addressed_) all.assign(bytes, '?');
    return addressed_;
  }
  [[nodiscard]] bool addressable() const override { return addressed_; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    check(offset + data.size());
    std::lock_guard const lock(writing_);
    all.replace(offset, data.size(), data.data(), data.size());
    written += data.size();
  }

  std::string all;
  std::uint64_t expected = 0, written = 0;

 private:
  void check(std::uint64_t end) const {
    if (end > bad_) throw output_error("cannot write: a test: full");
  }

  bool addressed_;
  std::uint64_t bad_;
  std::mutex writing_;
};

template <class T>
std::string bytes_of(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

std::uint32_t crc32_of(std::string const& bytes) {
  return std::uint32_t(crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()));
}

suffix::options on(device where) {
  suffix::options how;
  how.machine.where = where;
  return how;
}

template <class Index>
void expect_same(suffix::text const& text, device where) {
  auto const made = suffix::build<Index>(text, {true, true}, on(where));
  for (bool addressed : {true, false}) {
    string_sink sa(addressed), lcp(addressed), bwt(addressed);
    suffix::checksum_sink sum(sa);
    suffix::report const done = suffix::build_into<Index>(text, {&sum, &lcp, &bwt}, on(where));
    CHECK(done.machine.where == where);
    REQUIRE((sa.all == bytes_of(made.sa)));
    REQUIRE((lcp.all == bytes_of(made.lcp)));
    REQUIRE((bwt.all == made.bwt));
    CHECK(sa.expected == made.sa.size() * sizeof(Index));
    if (addressed) CHECK(bwt.written == made.bwt.size());  // each byte once
    suffix::index_array const about = sum.of("sa");
    CHECK(about.bytes == sa.all.size());
    CHECK(about.crc32 == crc32_of(sa.all));
    string_sink alone(addressed);
    suffix::build_into<Index>(text, {&alone}, on(where));
    REQUIRE((alone.all == sa.all));
  }
}

}  // namespace

TEST_CASE("what is built into sinks is what is built into arrays", "[suffix]") {
  random_numbers random(7);
  stored_text const some(std::vector<std::string>{"GATTACA", "", "TACA", "$"});
  std::string letters(2'500'000, 'A');  // some blocks of a transfer
  for (char& c : letters) c = "ACGT"[random() % 4];
  for (device const where : devices()) {
    expect_same<std::uint32_t>(some.view(), where);
    expect_same<std::uint64_t>(some.view(), where);
    expect_same<std::uint32_t>({""}, where);
    expect_same<std::uint32_t>({letters}, where);
  }
}

TEST_CASE("a sink that fails ends the build", "[suffix]") {
  std::string const letters(1'000'000, 'C');
  for (device const where : devices()) {
    for (bool addressed : {true, false}) {
      string_sink full(addressed, 3'000'000), other(addressed);
      CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, {&full}, on(where)), output_error);
      string_sink rows(addressed, 500'000);
      CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, {&other, nullptr, &rows}, on(where)), output_error);
      CHECK_THROWS_AS(suffix::store(letters, rows), output_error);
    }
  }
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, suffix::sinks{}), usage_error);
}

TEST_CASE("a checksum of parts in any order", "[suffix]") {
  std::string bytes(100'000, '\0');
  random_numbers random(3);
  for (char& c : bytes) c = static_cast<char>(random());
  string_sink to(true);
  suffix::checksum_sink sum(to);
  sum.expect(bytes.size());
  std::span<char const> const all(bytes);
  sum.write_at(70'000, all.subspan(70'000));
  sum.write_at(1, all.subspan(1, 69'999));
  CHECK_THROWS_AS(sum.of("sa"), std::logic_error);  // a byte is missing
  sum.write_at(0, all.first(1));
  CHECK(sum.of("sa").crc32 == crc32_of(bytes));
  CHECK(sum.of("sa").bytes == bytes.size());
}
