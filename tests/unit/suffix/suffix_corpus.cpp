#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/corpus.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/suffix_texts.hpp"

using namespace ordo;

namespace {

/// A sink that keeps what it gets.
class kept final : public sink {
 public:
  void write(std::span<char const> data) override { bytes.append(data.data(), data.size()); }
  std::string bytes;
};

/// A file without addresses, which returns its bytes in order.
class sequential final : public source {
 public:
  explicit sequential(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(std::span<char> to) override {
    std::size_t const got = rest_.copy(to.data(), to.size());
    rest_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view rest_;
};

/// Appends files to memory and to a sink by parts, and compares records and errors.
void expect_same(std::vector<std::string> const& files, suffix::corpus_options const& options, std::size_t part_bytes) {
  suffix::corpus whole;
  kept residues;
  suffix::corpus_writer parts(residues, part_bytes);
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::string const name = "file" + std::to_string(k);
    auto const error_of = [&](auto append) -> std::string {
      try {
        sequential from(files[k]);
        append(from);
        return "";
      } catch (input_error const& e) {
        return e.what();
      }
    };
    std::string const error = error_of([&](source& from) { suffix::append_corpus(whole, name, from, options); });
    REQUIRE(error_of([&](source& from) { parts.append(name, from, options); }) == error);
    if (!error.empty()) return;
  }
  REQUIRE(residues.bytes == std::string_view(whole.residues.data(), whole.residues.size()));
  REQUIRE(parts.size() == whole.view().size());
  REQUIRE(parts.records().starts == whole.starts);
  REQUIRE(parts.records().files == whole.files);
  REQUIRE(parts.records().residue_bytes == whole.residue_bytes);
}

std::string npy(std::string const& type, std::string const& shape, std::string const& numbers) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return "\x93NUMPY\x01" + std::string(1, '\0') + std::string("\x76\0", 2) + header + "\n" + numbers;
}

}  // namespace

TEST_CASE("a corpus by parts is that of whole files", "[suffix][corpus]") {
  random_numbers random(6);
  using enum suffix::input_format;
  for (int times = 0; times < 400; ++times) {
    suffix::corpus_options options;
    options.format = std::vector{bytes, lines, u16, u32, jsonl}[random.below(5)];
    std::size_t const size = suffix::residue_bytes_of(options.format);
    std::string const alphabet = std::vector<std::string>{"ab", "a\n", std::string("\0\1", 2), all_bytes()}[random.below(4)];
    options.big_endian = size != 1 && random.below(2) == 0;
    if (!suffix::has_lines(options.format) && random.below(3) != 0)
      for (std::size_t k = 0, count = 1 + random.below(3); k < count; ++k)
        options.separator += std::string(size - 1, alphabet[0]) + alphabet[random.below(2)];
    std::vector<std::string> files;
    for (std::size_t k = 0, count = 1 + random.below(3); k < count; ++k) {
      if (options.format != jsonl) {
        files.push_back(random_letters(random, alphabet, random.below(60) * size + (random.below(10) == 0)));
        continue;
      }
      std::string file = random.below(4) == 0 ? "\xef\xbb\xbf" : "";
      for (std::size_t n = 0, lines = random.below(12); n < lines; ++n)
        file += random.below(20) == 0  ? "{\"text\":1}\n"
                : random.below(5) == 0 ? "\n"
                                       : "{\"text\":\"" + random_letters(random, "ab", random.below(40)) + "\\n\"}\n";
      if (!file.empty() && random.below(2) == 0) file.pop_back();
      files.push_back(file);
    }
    expect_same(files, options, 1 + random.below(50));
  }
  std::string const numbers("\1\0\2\0\3\0\4\0", 8);
  for (std::size_t const part_bytes : {1, 8, 1000}) {
    expect_same({npy("<u2", "(2, 2)", numbers), npy(">u2", "(4,)", numbers), numbers}, {.format = u16}, part_bytes);
    expect_same({npy("<f2", "(4,)", numbers)}, {.format = u16}, part_bytes);
    std::vector<std::uint64_t> const lengths{1, 0, 3}, wrong{1, 4};
    expect_same({numbers}, {.format = u16, .lengths = lengths}, part_bytes);
    expect_same({numbers}, {.format = u16, .lengths = wrong}, part_bytes);
  }
  kept residues;
  suffix::corpus_writer parts(residues, 8);
  sequential from(numbers);
  CHECK_THROWS_AS(parts.append("x", from, {.format = fasta}), usage_error);
  CHECK_THROWS_AS(parts.append("x\n", from, {}), input_error);
  CHECK_THROWS_AS(parts.append("x", from, {.memory = 3}), out_of_memory);
}

TEST_CASE("formats that are certain", "[suffix][corpus]") {
  using enum suffix::input_format;
  auto const is = [](std::string_view name, std::string_view begin) { return suffix::recognized_format(name, begin); };
  CHECK(is("x", ">a\nACGT") == fasta);
  CHECK(is("x.jsonl", "\xef\xbb\xbf;a\nACGT") == fasta);
  CHECK(is("x", "{\"a\": 1} \r\n") == jsonl);
  CHECK(is("x", "{\"a\": 1}") == jsonl);
  CHECK(is("x.c", "{\n  return;\n}") == std::nullopt);
  CHECK(is("x.c", "{" + std::string(4094, ' ') + "}") == std::nullopt);  // the line may go on
  CHECK(is("x.jsonl", "{" + std::string(4095, ' ')) == jsonl);
  CHECK(is("x.ndjson.zst", "") == jsonl);
  CHECK(is("x.u16.gz", "{}") == jsonl);
  CHECK(is("x.u16.gz", "ab") == u16);
  CHECK(is("x.u32", "ab") == u32);
  CHECK(is("x.txt", "ab\n") == std::nullopt);
  CHECK(is("x", "") == std::nullopt);
  CHECK(is("x", npy("|u1", "(1,)", "a")) == u16);
  CHECK(is("x", npy(">i4", "(1,)", "abcd")) == u32);
  CHECK(is("x", npy("<f4", "(1,)", "abcd")) == std::nullopt);
}
