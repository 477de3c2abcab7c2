#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/jsonl.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

/// A sink of any size with addresses, for several threads.
class addressed final : public sink {
 public:
  void write(std::span<char const>) override { FAIL("out of order"); }
  bool expect_unknown() override { return true; }
  [[nodiscard]] bool addressable() const override { return true; }
  void write_at(std::uint64_t offset, std::span<char const> data) override {
    std::lock_guard const lock(writing_);
    bytes.resize(std::max(bytes.size(), std::size_t(offset) + data.size()));
    std::ranges::copy(data, bytes.begin() + std::ptrdiff_t(offset));
  }
  std::string bytes;

 private:
  std::mutex writing_;
};

/// Appends files to memory and to sinks by parts, one by one and all at once, and compares records and errors.
void expect_same(std::vector<std::string> const& files, suffix::corpus_options options, std::size_t part_bytes) {
  suffix::corpus whole;
  growing_sink residues;
  addressed residues_at;
  suffix::corpus_writer parts(residues, part_bytes), all_at_once(residues_at, part_bytes);
  auto const error_of = [&](auto append) -> std::string {
    try {
      append();
      return "";
    } catch (input_error const& e) {
      return e.what();
    }
  };
  auto const name = [](std::size_t k) { return "file" + std::to_string(k); };
  options.threads = 4;
  std::string const any_error = error_of([&] {
    all_at_once.append({.count = files.size(),
                        .open =
                            [&](std::size_t k) {
                              auto from = k % 2 == 0 ? std::shared_ptr<source>(new memory_source(files[k]))
                                                     : std::shared_ptr<source>(new test_source(files[k], false));
                              return suffix::corpus_files::opened{name(k), from};
                            },
                        .may_wait = [](std::size_t k) { return k == 3; }},
                       options);
  });
  options.threads = 1;
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::string const error = error_of([&] {
      test_source from(files[k], false);
      suffix::append_corpus(whole, name(k), from, options);
    });
    REQUIRE(error_of([&] {
              test_source from(files[k], false);
              parts.append(name(k), from, options);
            }) == error);
    if (!error.empty()) REQUIRE(any_error == error);
    if (!error.empty()) return;
  }
  REQUIRE(any_error.empty());
  std::string_view const text(whole.residues.data(), whole.residues.size());
  REQUIRE(residues.text() == text);
  REQUIRE(residues_at.bytes == text);
  for (suffix::corpus_writer const* const each : {&parts, &all_at_once}) {
    REQUIRE(each->size() == whole.view().size());
    REQUIRE(each->records().starts == whole.starts);
    REQUIRE(each->records().files == whole.files);
    REQUIRE(each->records().residue_bytes == whole.residue_bytes);
  }
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
    std::size_t const size = suffix::bytes_per_residue(options.format);
    std::string const alphabet = std::vector<std::string>{"ab", "a\n", std::string("\0\1", 2), all_bytes()}[random.below(4)];
    options.big_endian = size != 1 && random.below(2) == 0;
    if (!suffix::has_lines(options.format) && random.below(3) != 0)
      for (std::size_t k = 0, count = 1 + random.below(3); k < count; ++k)
        options.separator += std::string(size - 1, alphabet[0]) + alphabet[random.below(2)];
    std::vector<std::string> files;
    for (std::size_t k = 0, count = 1 + random.below(5); k < count; ++k) {
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
  growing_sink residues;
  suffix::corpus_writer parts(residues, 8);
  test_source from(numbers, false);
  CHECK_THROWS_AS(parts.append("x", from, {.format = fasta}), usage_error);
  CHECK_THROWS_AS(parts.append("x\n", from, {}), input_error);
  CHECK_THROWS_AS(parts.append("x", from, {.memory = 3}), out_of_memory);
}

TEST_CASE("files that do not fit into a corpus", "[suffix][corpus]") {
  using enum suffix::input_format;
  std::string const numbers("\1\0\2\0\3\0\4\0", 8);
  for (bool const has_size : {false, true}) {
    suffix::corpus all;
    test_source from(numbers, has_size), again(numbers, has_size);
    CHECK_THROWS_AS(suffix::append_corpus(all, "x", from, {.memory = 3}), out_of_memory);
    suffix::corpus other;
    CHECK_THROWS_WITH(suffix::append_corpus(other, "x", again, {.memory = 3}),
                      "out of memory: records of x: 8 bytes are needed, 3 are allowed");
  }
  std::string const empty_rows = npy("<u2", "(2, 0)", "");
  auto const append = [](std::string const& file, suffix::corpus_options const& options) {
    suffix::corpus all;
    test_source from(file, false);
    suffix::append_corpus(all, "x", from, options);
  };
  CHECK_THROWS_AS(append(empty_rows, {.format = u16}), input_error);
  CHECK_THROWS_WITH(append(empty_rows, {.format = u16}), "bad array: x: the rows of the .npy file are empty");
  std::vector<std::uint64_t> const lengths{8};
  CHECK_THROWS_AS(append(numbers, {.separator = ",", .lengths = lengths}), usage_error);
  CHECK_THROWS_WITH(append(numbers, {.separator = ",", .lengths = lengths}),
                    "conflicting records: a separator and a list of lengths");
  suffix::corpus of_bytes;
  test_source first(numbers, false), second(numbers, false);
  suffix::append_corpus(of_bytes, "x", first);
  CHECK_THROWS_AS(suffix::append_corpus(of_bytes, "y", second, {.format = u16}), usage_error);
  CHECK_THROWS_WITH(suffix::append_corpus(of_bytes, "y", second, {.format = u16}),
                    "conflicting formats: bytes and tokens of other sizes");
  CHECK(of_bytes.view().residues == numbers);
}

TEST_CASE("objects of JSON without a field are as they were written", "[suffix][corpus]") {
  auto const without = [](std::string const& line, std::string const& field) {
    auto const written = suffix::find_json_string(line, suffix::field_names(field));
    REQUIRE(written);
    return suffix::without_json_field(line, *written);
  };
  CHECK(without(R"({"text": "a"})", "text") == "{}");
  CHECK(without(R"( { "text" : "a\"" } )" "\r", "text") == "{ }");
  CHECK(without(R"({"text":"a","n":1.50})", "text") == R"({"n":1.50})");
  CHECK(without(R"({"n" : 1e400 , "text":"","m":[{"text":"b"}]})", "text") == R"({"n" : 1e400 , "m":[{"text":"b"}]})");
  CHECK(without(R"({"n":"{" , "t\u0065xt" :"a"})", "text") == R"({"n":"{"})");
  CHECK(without(R"({"a\\":"\\","\"":"x"})", "\"") == R"({"a\\":"\\"})");
  CHECK(without(R"({"\\\"":"x","b":2})", "\\\"") == R"({"b":2})");
  CHECK(without(R"({"m":{"t":"a","u":2},"k":3})", "m.t") == R"({"m":{"u":2},"k":3})");
  CHECK(without("\xef\xbb\xbf{\"text\":\"a\",\t\"b\":null}", "text") == "{\"b\":null}");
}

TEST_CASE("lines of JSON: what is a string, what is refused, and where", "[suffix][corpus]") {
  // Some of 16 files of many lines, of which a thread reads parts that no other thread reads.
  constexpr std::size_t num_lines = 300;
  auto const record = [](std::size_t k) {
    return "{\"id\":" + std::to_string(k) + ",\"text\":\"" + std::string(k % 7, 'x') + "\"}\n";
  };
  auto const error_of = [&](std::string const& line, std::size_t at) -> std::string {
    std::vector<std::string> files(16);
    for (std::size_t k = 0; k < 16 * num_lines; ++k)
      files[k / num_lines] += k == at ? line + "\n" : k == at + 7 ? "{}\n" : record(k);
    growing_sink residues;
    suffix::corpus_writer writer(residues, 512);
    try {
      writer.append(
          {.count = files.size(),
           .open =
               [&](std::size_t k) {
                 return suffix::corpus_files::opened{std::to_string(k), std::make_shared<test_source>(files[k], false)};
               }},
          {.format = suffix::input_format::jsonl, .threads = 4});
    } catch (input_error const& e) {
      return e.what();
    }
    return std::string(residues.text());
  };
  auto const nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + ",\"text\":\"\"}";
  };
  for (std::size_t const at : {std::size_t{0}, 5 * num_lines - 1, 15 * num_lines + 1}) {
    std::string const place = std::to_string(at / num_lines) + ":" + std::to_string(at % num_lines + 1) + ": field text: ";
    auto const refuses = [&](std::string const& line, std::string const& why) {
      INFO(line);
      CHECK(error_of(line, at) == "bad JSON: " + place + why);
    };
    refuses("{\"text\":\"\xff\"}", "parse error: it is not UTF-8");
    refuses("{\"text\":\"a", "parse error: a string does not end");
    refuses("{\"text\":\"a\tb\"}", "parse error: a string holds a control character");
    refuses("{\"text\":\"\\ud800\"}", "parse error at byte 9");
    refuses("{\"text\":\"\\udc00\"}", "parse error at byte 9");
    refuses("{\"text\":\"\\ud800\\u0041\"}", "parse error at byte 9");
    refuses("{\"text\":\"a\",\"b\":01}", "parse error at byte 17");
    refuses("{\"text\":\"a\",\"b\":nul}", "parse error at byte 17");
    refuses("{\"text\":\"a\",\"\\x\":1}", "parse error at byte 14");
    refuses("{\"b\":[\"c\":1],\"text\":\"a\"}",
            "parse error: commas, colons, brackets or values are missing, or there are too many");
    refuses("{\"text\":\"a\"} x", "parse error: commas, colons, brackets or values are missing, or there are too many");
    refuses("{\"text\":\"a\"}" + std::string(1, '\0'),
            "parse error: commas, colons, brackets or values are missing, or there are too many");
    refuses(nested(1001), "it is nested more than 1000 deep");
    refuses("{\"text\":null,\"text\":\"a\"}", "it is null, but a string is expected");
  }
  auto const make_text = [](std::string const& line) {
    suffix::corpus one;
    memory_source from(line);
    suffix::append_corpus(one, "x", from, {.format = suffix::input_format::jsonl});
    return std::string(one.view().residues);
  };
  CHECK(make_text(nested(1000)).empty());
  CHECK(make_text("{\"text\":\"a\",\"text\":\"b\",\"n\":[1e999,123456789012345678901234567890,-0.5E+3]}") == "a");
  CHECK(make_text("\xef\xbb\xbf \n{\"te\\u0078t\":\"\\ud83d\\ude00\\u00e4\\/\"}\r\n") == "\xf0\x9f\x98\x80\xc3\xa4/");
}

TEST_CASE("formats that are certain", "[suffix][corpus]") {
  using enum suffix::input_format;
  auto const is = [](std::string_view name, std::string_view begin) { return suffix::recognized_format(name, begin); };
  CHECK(is("x", ">a\nACGT") == fasta);
  CHECK(is("x", "\xef\xbb\xbf;a\nACGT") == fasta);
  CHECK(is("x", "{\"a\": 1} \r\n") == jsonl);
  CHECK(is("x", "{\"a\": 1}") == jsonl);
  CHECK(is("x.c", "{\n  return;\n}") == std::nullopt);
  CHECK(is("x.c", "{" + std::string(4094, ' ') + "}") == std::nullopt);  // the line may go on
  CHECK(is("x.jsonl", "{" + std::string(4095, ' ')) == jsonl);
  CHECK(is("x.ndjson.zst", "") == jsonl);
  // The name decides before the content, which may be that of tokens.
  for (std::string const begin : {">\1\1\1", ";\5", "{}", "\x1f\x8b", "@a"}) {
    CHECK(is("x.u16", begin) == u16);
    CHECK(is("x.u32.zst", begin) == u32);
    CHECK(is("x.jsonl", begin) == jsonl);
    CHECK(is("x.ndjson.gz", begin) == jsonl);
  }
  CHECK(is("x.u16.gz", "ab") == u16);
  CHECK(is("x.u32", "ab") == u32);
  CHECK(is("x.txt", "ab\n") == std::nullopt);
  CHECK(is("x", "") == std::nullopt);
  CHECK(is("x", npy("|u1", "(1,)", "a")) == u16);
  CHECK(is("x", npy(">i4", "(1,)", "abcd")) == u32);
  CHECK(is("x", npy("<f4", "(1,)", "abcd")) == std::nullopt);
}
