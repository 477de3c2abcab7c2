#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <zlib.h>

#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/arrays/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/environment.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

template <class T>
std::string bytes_of(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

std::uint32_t crc32_of(std::string const& bytes) {
  return std::uint32_t(crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()));
}

suffix::build_options on(device where) {
  suffix::build_options options;
  options.machine.device = where;
  return options;
}

// Five bytes of each entry.
std::string narrow_bytes_of(std::vector<std::uint64_t> const& values) {
  std::string bytes;
  for (std::uint64_t const value : values)
    for (unsigned k = 0; k < 5; ++k) bytes += char(value >> (8 * k));
  return bytes;
}

template <class Index>
void expect_same(suffix::text const& text, device where) {
  auto const made = suffix::build<Index>(text, {true, true}, on(where));
  for (bool addressed : {true, false}) {
    test_sink sa(addressed), lcp(addressed), bwt(addressed);
    suffix::checksum_sink sum(sa);
    suffix::build_report const done = suffix::build_into<Index>(text, {&sum, &lcp, &bwt}, on(where));
    CHECK(done.machine.device == where);
    REQUIRE((sa.text() == bytes_of(made.sa)));
    REQUIRE((lcp.text() == bytes_of(made.lcp)));
    REQUIRE((bwt.text() == made.bwt));
    CHECK(sa.expected() == made.sa.size() * sizeof(Index));
    if (addressed) CHECK(bwt.taken() == made.bwt.size());  // each byte once
    suffix::index_array const about = sum.of("sa");
    CHECK(about.bytes == sa.text().size());
    CHECK(about.crc32 == crc32_of(sa.text()));
    if constexpr (sizeof(Index) == 8) {
      test_sink narrow(addressed), narrow_lcp(addressed);
      suffix::build_into<Index>(text, {&narrow, &narrow_lcp, nullptr, 5}, on(where));
      REQUIRE((narrow.text() == narrow_bytes_of(made.sa)));
      REQUIRE((narrow_lcp.text() == narrow_bytes_of(made.lcp)));
    }
    test_sink alone(addressed), lcp_alone(addressed), bwt_alone(addressed), no_sa_lcp(addressed), no_sa_bwt(addressed);
    suffix::build_into<Index>(text, {&alone}, on(where));
    REQUIRE((alone.text() == sa.text()));
    suffix::build_into<Index>(text, {.lcp = &lcp_alone}, on(where));
    REQUIRE((lcp_alone.text() == lcp.text()));
    suffix::build_into<Index>(text, {.bwt = &bwt_alone}, on(where));
    REQUIRE((bwt_alone.text() == bwt.text()));
    CHECK(bwt_alone.expected() == made.bwt.size());
    suffix::build_into<Index>(text, {.lcp = &no_sa_lcp, .bwt = &no_sa_bwt}, on(where));
    REQUIRE((no_sa_lcp.text() == lcp.text()));
    REQUIRE((no_sa_bwt.text() == bwt.text()));
  }
}

suffix::fasta_texts as_texts(std::vector<std::string> const& all, bool stream) {
  suffix::fasta_texts texts;
  texts.count = all.size();
  for (std::string const& text : all) texts.bytes += stream ? 0 : text.size();
  texts.open = [&all, stream](std::size_t k) {
    std::unique_ptr<source> from = std::make_unique<memory_source>(all[k]);
    if (stream) from = std::make_unique<test_source>(all[k], false);
    return suffix::fasta_texts::opened{"text " + std::to_string(k), std::move(from), stream ? all[k].size() / 2 : 0};
  };
  texts.reopen = true;
  return texts;
}

/// Compares all arrays of a text's FASTA with those of the text.
suffix::build_report expect_loaded(std::vector<std::string> const& all, machine_options const& machine, bool stream) {
  suffix::fasta plain;
  for (std::string const& text : all) {
    memory_source from(text);
    suffix::append_fasta(plain, "plain", from);
  }
  auto const right = suffix::build<std::uint32_t>(plain.view(), {true, true}, on(device::cpu));
  suffix::loaded_fasta loaded(as_texts(all, stream), {true, true}, machine, {});
  REQUIRE(loaded.size() == plain.residues.size());
  REQUIRE((loaded.names() == plain.names));
  REQUIRE((loaded.starts() == plain.starts));
  test_sink sa(true), lcp(false), bwt(true), residues(!stream);
  suffix::build_report const done = loaded.build_into<std::uint32_t>({&sa, &lcp, &bwt}, residues, {});
  REQUIRE((residues.text() == plain.view().residues));
  CHECK(residues.expected() == plain.residues.size());
  REQUIRE((sa.text() == bytes_of(right.sa)));
  REQUIRE((lcp.text() == bytes_of(right.lcp)));
  REQUIRE((bwt.text() == right.bwt));
  return done;
}

std::string letters_of(std::size_t n, unsigned seed) {
  random_numbers random(seed);
  std::string letters(n, 'A');
  for (char& c : letters) c = "ACGT"[random() % 4];
  return letters;
}

}  // namespace

TEST_CASE("FASTA goes to the machine that builds", "[suffix][fasta]") {
  std::vector<std::string> const small{">a x\nGATT\nACA\n>b\n>c\r\ntaca", ";\n>d\n\n$"};
  std::vector<std::string> const right{small[0], ">d\nAC-*."};
  std::vector<std::string> const large{">one\n" + letters_of(2'500'000, 5) + "\n>two\n", ">three\n" + letters_of(70'000, 6)};
  for (device const where : devices()) {
    machine_options options;
    options.device = where;
    for (bool const stream : {false, true}) {
      CHECK(expect_loaded(right, options, stream).machine.device == where);
      CHECK(expect_loaded(large, options, stream).machine.device == where);
      CHECK(expect_loaded({">"}, options, stream).machine.device == where);
      CHECK_THROWS_WITH((suffix::loaded_fasta(as_texts(small, stream), {}, options, {})),
                        "bad FASTA: text 1:4: '$' is not a residue");
    }
    test_sink full(true, 1'000'000), sa(true);
    suffix::loaded_fasta loaded(as_texts(large, false), {}, options, {});
    CHECK_THROWS_AS(loaded.build_into<std::uint32_t>({&sa}, full, {}), output_error);
  }
}

TEST_CASE("FASTA that a GPU finds too large", "[suffix][fasta]") {
  // Every suffix shares its first letters with others.
  std::size_t const n = suffix::detail::min_gpu_bytes(1) / 4 * 5;
  std::vector<std::string> const all{">one\n" + std::string(n - 10, 'A') + "\n>two\n" + std::string(10, 'A')};
  machine_options options;
  options.threads = 1;  // so that a GPU is worth starting
  {
    environment const limit("ORDO_GPU_MEMORY", "1M"), automatic("ORDO_DEVICE", "auto");
    suffix::build_report const done = expect_loaded(all, options, false);
    CHECK(done.machine.device == device::cpu);
    CHECK(done.machine.fell_back == !gpus().empty());
  }
  if (gpus().empty()) return;
  suffix::memory_estimate const plan = suffix::build_memory(device::gpu, n, 2, 4, {true, true});
  for (std::size_t const max_count :
       {n / 2, plan.min_bytes + (plan.max_bytes - plan.min_bytes) / 8, plan.max_bytes + (std::size_t{8} << 20)}) {
    gpu machine({.memory_limit = max_count});
    options.on = &machine;
    if (max_count > plan.max_bytes)
      CHECK(expect_loaded(all, options, false).machine.device == device::gpu);
    else
      CHECK_THROWS_AS(expect_loaded(all, options, false), out_of_memory);
  }
}

TEST_CASE("what is built into sinks is what is built into arrays", "[suffix]") {
  random_numbers random(7);
  stored_text const some(std::vector<std::string>{"GATTACA", "", "TACA", "$"});
  std::string letters(2'500'000, 'A');  // several blocks of a transfer
  for (char& c : letters) c = "ACGT"[random() % 4];
  for (device const where : devices()) {
    expect_same<std::uint32_t>(some.view(), where);
    expect_same<std::uint64_t>(some.view(), where);
    expect_same<std::uint32_t>({""}, where);
    expect_same<std::uint32_t>({letters}, where);
  }
}

TEST_CASE("a BWT and an LCP are built without the suffix array", "[suffix]") {
  random_numbers random(8);
  std::vector<stored_text> texts{stored_text(std::vector<std::string>{""}),
                                 stored_text(std::vector<std::string>{"G"}),
                                 stored_text(std::vector<std::string>{"GATTACA", "", "TACA", "$", "TACA"}),
                                 stored_text(std::string(1000, 'A')),
                                 stored_text(repeated("ACCA", 1500)),
                                 stored_text(random_letters(random, "ACGT", 20000))};
  for (device const where : devices())
    for (stored_text const& stored : texts) {
      suffix::text const text = stored.view();
      auto const order = plain_suffix_array(text);
      std::string const expected = plain_bwt(text, order);
      std::string rows(expected.size(), ' '), alone = rows;
      suffix::build_options options = on(where);
      options.memory =  // of the CPU
          suffix::build_memory(device::cpu, text.size(), text.records(), sizeof(std::uint32_t), {.bwt = true}).max_bytes;
      suffix::build(text, suffix::arrays<std::uint32_t>{{}, {}, alone}, options);
      REQUIRE((alone == expected));
      std::vector<std::uint64_t> lcp(text.size());
      suffix::build(text, suffix::arrays<std::uint64_t>{{}, lcp, rows}, on(where));
      REQUIRE((rows == expected));
      REQUIRE((lcp == plain_lcp(text, order)));
    }
  std::vector<std::uint32_t> none;
  CHECK_THROWS_AS(suffix::build({"GATTACA"}, suffix::arrays<std::uint32_t>{none, {}, {}}), usage_error);
}

TEST_CASE("a sink that fails ends the build", "[suffix]") {
  std::string const letters(1'000'000, 'C');
  for (device const where : devices()) {
    for (bool addressed : {true, false}) {
      test_sink full(addressed, 3'000'000), other(addressed);
      CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, {&full}, on(where)), output_error);
      test_sink rows(addressed, 500'000);
      CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, {&other, nullptr, &rows}, on(where)), output_error);
      CHECK_THROWS_AS(suffix::store(letters, rows), output_error);
    }
  }
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, suffix::sinks{}), usage_error);
  test_sink narrow(true);
  CHECK_THROWS_AS(suffix::build_into<std::uint32_t>({letters}, {&narrow, nullptr, nullptr, 5}), usage_error);
}

TEST_CASE("a checksum of parts in any order", "[suffix]") {
  std::string bytes(100'000, '\0');
  random_numbers random(3);
  for (char& c : bytes) c = static_cast<char>(random());
  test_sink to(true);
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
