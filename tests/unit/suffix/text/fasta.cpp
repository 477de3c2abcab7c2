#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <htslib/bgzf.h>

#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/fasta.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/gzip_member.hpp"
#include "tests/unit/suffix/text/texts.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"

using namespace ordo;
using namespace std::string_literals;
using namespace std::string_view_literals;
using strings_list = std::vector<std::string>;
using starts_list = std::vector<std::uint64_t>;

namespace {

suffix::fasta read(strings_list const& paths, suffix::fasta_options const& options = {}) {
  suffix::fasta all;
  for (std::string const& path : paths) {
    cli::input in(path, options.machine.threads);
    suffix::append_fasta(all, in.name(), in, options);
  }
  return all;
}

suffix::fasta parse(std::string_view content, suffix::fasta_options const& options = {}) {
  temporary_folder const folder;
  return read({folder.write("in.fa", content)}, options);
}

void expect_error(std::string_view content, std::string const& message) {
  INFO(content);
  CHECK_THROWS_WITH(parse(content), contains_text("bad FASTA: ") && contains_text("in.fa") && contains_text(message));
  CHECK_THROWS_AS(parse(content), input_error);
}

std::string gzip(temporary_folder const& folder, std::string_view name, std::string_view content) {
  return folder.write(std::string(name), gzip_member(content));
}

std::string bgzip(temporary_folder const& folder, std::string_view name, std::string_view content) {
  BGZF* const file = bgzf_open(folder.path(name).c_str(), "w");
  REQUIRE(bgzf_write(file, content.data(), content.size()) == ssize_t(content.size()));
  REQUIRE(bgzf_close(file) == 0);
  return folder.path(name);
}

bool same(suffix::fasta const& a, suffix::fasta const& b) {
  return a.view().residues == b.view().residues && a.starts == b.starts && a.names == b.names;
}

}  // namespace

TEST_CASE("records of a FASTA file", "[suffix]") {
  auto const all = parse(">chr1 the first\nACGT\nACG\n>chr2\tsecond\nTTT\n");
  CHECK(all.view().residues == "ACGTACGTTT");
  CHECK(all.starts == starts_list{0, 7});
  CHECK(all.names == suffix::record_names{"chr1", "chr2"});
  CHECK(all.view().records() == 2);
}

TEST_CASE("FASTA as people write it", "[suffix]") {
  CHECK(parse(">a\nAC\n>b\nGT").view().residues == "ACGT");                      // no last newline
  CHECK(parse(">a").names == suffix::record_names{"a"});                         // not even a line of residues
  CHECK(parse(">a\r\nAC\r\nGT\r\n>b x\r\nTT\r\n").view().residues == "ACGTTT");  // CR LF
  CHECK(parse(">a\r\nAC\r\n").names == suffix::record_names{"a"});
  CHECK(parse(">a\r\nAC\r").view().residues == "AC");
  CHECK(parse("\n\n>a\n\nAC\n\n\nGT\n\n").view().residues == "ACGT");  // empty lines
  CHECK(parse("  \n>a\nAC GT\tAC\n").view().residues == "ACGTAC");     // blanks
  CHECK(parse("; old\n>a\n;comment, 1984!\nAC\n;\nGT\n").view().residues == "ACGT");
  auto const empty = parse(">a\n>b\n\n>c\nA\n>d\n");
  CHECK(empty.starts == starts_list{0, 0, 0, 1});
  CHECK(empty.names == suffix::record_names{"a", "b", "c", "d"});
  CHECK(parse(">\nA\n> b\nC\n").names == suffix::record_names{"", ""});
  CHECK(parse(">a \0b\nA\n"s).names == suffix::record_names{"a"});  // no part of the name
  CHECK(parse("\xef\xbb\xbf>a\nA\n").view().residues == "A");       // a byte order mark
  CHECK(parse("\xef\xbb\xbf;\n\n>a\nA\n").view().residues == "A");
  CHECK(parse("\xef\xbb\xbf>a\nA\n").names == suffix::record_names{"a"});
  CHECK(parse(">a>b\nA\n").names == suffix::record_names{"a>b"});
  CHECK(parse(">Gr\xc3\xbc\xc3\x9f\nA\n").names == suffix::record_names{"Gr\xc3\xbc\xc3\x9f"});
}

TEST_CASE("residues of every kind", "[suffix]") {
  CHECK(parse(">a\nacgtnRYKMSWBDHVN\n").view().residues == "ACGTNRYKMSWBDHVN");
  CHECK(parse(">a\nacgtACGT\n", {.keep_case = true}).view().residues == "acgtACGT");
  CHECK(parse(">rna\nAUGGCUUAA\n").view().residues == "AUGGCUUAA");
  CHECK(parse(">p\nMKWVTFISLLXBZJUO*\n").view().residues == "MKWVTFISLLXBZJUO*");
  CHECK(parse(">gaps\nA-C.G*\n").view().residues == "A-C.G*");
}

TEST_CASE("FASTA that is none", "[suffix]") {
  expect_error("", "in.fa: no records");
  expect_error("\n\n", "in.fa: no records");
  expect_error("; just a comment\n", "in.fa: no records");
  expect_error("ACGT\n", "in.fa:1: text before the first '>'");
  expect_error("\n@read\nACGT\n+\nIIII\n", "in.fa:2: this is FASTQ, whose reads begin with '@'; expected FASTA");
  expect_error("\xef\xbb\xbf@read\nACGT\n+\nIIII\n", "in.fa:1: this is FASTQ");
  expect_error("\xef\xbb\xbf", "in.fa: no records");
  expect_error("\xef\xbb\xbf\xef\xbb\xbf>a\nA\n", "in.fa:1: text before the first '>'");
  expect_error("\xef\xbb>a\nA\n", "in.fa:1: text before the first '>'");
  expect_error(">a\nA\n\xef\xbb\xbf>b\n", "in.fa:3: byte 0xef is not a residue");
  expect_error(">a\0b\nA\n"s, "in.fa:1: a NUL byte in the record's name");
  expect_error(">a\nA\n>\0\n"s, "in.fa:3: a NUL byte in the record's name");
  expect_error(">a\nA\n>b\0"s, "in.fa:3: a NUL byte in the record's name");
  expect_error(">"s + std::string(200, 'n') + "\0 x\nA\n"s, "in.fa:1: a NUL byte in the record's name");
  expect_error(">a\nAC\nA1\n", "in.fa:3: '1' is not a residue");
  expect_error(">a\nAC$\n", "in.fa:2: '$' is not a residue");
  expect_error(">a\nAC>b\n", "in.fa:2: '>' is not a residue");
  expect_error(">a\nAC;x\n", "in.fa:2: ';' is not a residue");
  expect_error(">a\n\nA\0C\n"s, "in.fa:3: byte 0x00 is not a residue");
  expect_error(">a\nA\xc3\xa4\n", "in.fa:2: byte 0xc3 is not a residue");
  expect_error(">a\nAC\rGT\n", "in.fa:2: a carriage return inside a line");
  expect_error(">a\nAC\r\r\n", "in.fa:2: a carriage return inside a line");
  expect_error(">a\rACGT\r>b\rAC\r", "in.fa:1: a carriage return inside a line; do all lines end in CR alone?");
  expect_error(">\xff\nA\n", "in.fa:1: the record's name is not UTF-8");
}

TEST_CASE("several FASTA files in order, and each must have records", "[suffix]") {
  temporary_folder const folder;
  std::string const one = folder.write("one", ">a\nAC"), two = folder.write("two", ">b\nGT\n>c\n"),
                    none = folder.write("none", "");
  auto const all = read({one, two, one});
  CHECK(all.view().residues == "ACGTAC");
  CHECK(all.starts == starts_list{0, 2, 4, 4});
  CHECK(all.names == suffix::record_names{"a", "b", "c", "a"});
  CHECK_THROWS_WITH(read({one, none}), contains_text("none: no records"));
  CHECK_THROWS_WITH(read({one, folder.path("missing")}),
                    contains_text("cannot read: ") && contains_text("missing: No such file"));
  CHECK_THROWS_WITH(read({folder.path("")}), contains_text("Is a directory"));
  folder.write("rest", "ACGT\n>d\n");  // a record does not continue in the next file
  CHECK_THROWS_WITH(read({one, folder.path("rest")}), contains_text("rest:1: text before the first '>'"));
}

TEST_CASE("records that take more memory than they may are refused", "[suffix]") {
  std::string const content = ">one\nACGT\n>two\n" + std::string(900, 'A') + "\n";
  suffix::fasta_options options;
  options.memory = 1000;  // 904 residues; twice 6 bytes of names and 32 of starts
  for (std::uint64_t const expected : {0, 1 << 30}) {
    options.expected = expected;
    CHECK(parse(content, options).residues.size() == 904);
    CHECK_THROWS_AS(parse(content + std::string(30, 'C'), options), out_of_memory);
  }
  temporary_folder const folder;
  std::string const path = folder.write("in.fa", content);
  CHECK_THROWS_WITH(read({path, path}, options), contains_text("out of memory: " + path));
  std::string const names = gzip(folder, "names.fa.gz", '>' + std::string(500, 'x') + '\n');
  CHECK_THROWS_AS(read({names}, options), out_of_memory);
}

TEST_CASE("lines longer than any buffer, cut anywhere", "[suffix]") {
  random_numbers random(1);
  std::string const long_line = random_letters(random, "ACGTacgt", 3'000'001),
                    folded(parse(">x\n" + long_line).view().residues);
  CHECK(folded.size() == long_line.size());
  CHECK(parse(">x\n" + long_line, {.keep_case = true}).view().residues == long_line);
  // Line ends and headers around the end of a block of 1 MiB.
  constexpr std::size_t block = std::size_t{1} << 20;
  for (std::size_t shift = 0; shift <= 12; ++shift) {
    std::string content = ">first name\r\n";
    content += std::string(block - shift - content.size(), 'A') + "\r\n>second name\r\nC\r\n";
    auto const all = parse(content);
    INFO(shift);
    CHECK(all.names == suffix::record_names{"first", "second"});
    CHECK(all.view().residues == std::string(block - shift - 13, 'A') + "C");
    content[block - shift] = 'A';  // now a CR ends a block, but not a line
    content[block - shift + 1] = '\r';
    content[block - shift + 2] = 'A';
    CHECK_THROWS_WITH(parse(content), contains_text(":2: a carriage return inside a line"));
  }
}

TEST_CASE("compressed FASTA is known by its bytes, with any number of threads", "[suffix]") {
  temporary_folder const folder;
  random_numbers random(2);
  std::string content;
  for (int r = 0; r < 50; ++r)
    content += ">record" + std::to_string(r) + "\n" + random_letters(random, "ACGT", random.below(20000)) + "\n";
  auto const plain = parse(content);
  for (unsigned threads : {1u, 2u, 5u}) {
    suffix::fasta_options options;
    options.machine.threads = threads;
    CHECK(same(plain, read({gzip(folder, "gz", content)}, options)));
    CHECK(same(plain, read({bgzip(folder, "bgz", content)}, options)));
  }
  // gzip members and whole BGZF files, one after the other.
  std::size_t const middle = content.size() / 2;
  gzip(folder, "a", content.substr(0, middle));
  gzip(folder, "b", content.substr(middle));
  CHECK(same(plain, read({folder.write("members", folder.read("a") + folder.read("b"))})));
  bgzip(folder, "a", content.substr(0, middle));
  bgzip(folder, "b", content.substr(middle));
  CHECK(same(plain, read({folder.write("members", folder.read("a") + folder.read("b"))})));
}

TEST_CASE("FASTA from any reader", "[suffix]") {
  suffix::fasta all;
  for (std::string_view const text : {">a\nAC\nGT\n>b\n"sv, ">c\nTT"sv}) {
    memory_source from(text);
    suffix::append_fasta(all, "text", from);
  }
  CHECK(all.view().residues == "ACGTTT");
  CHECK(all.names == suffix::record_names{"a", "b", "c"});
  CHECK(all.starts == starts_list{0, 4, 4});
  memory_source nothing("");
  CHECK_THROWS_WITH(suffix::append_fasta(all, "nothing", nothing), "bad FASTA: nothing: no records");
}

TEST_CASE("a truncated FASTA.gz is an error, wherever it is cut", "[suffix]") {
  temporary_folder const folder;
  random_numbers random(3);
  std::string const content =
      ">one\n" + random_letters(random, "ACGTN", 400) + "\n>two\n" + random_letters(random, "ACGT", 90) + "\n";
  gzip(folder, "gz", content);
  bgzip(folder, "bgz", content);
  bgzip(folder, "other", content);
  folder.write("two", folder.read("bgz").substr(0, folder.read("bgz").size() - 28) + folder.read("other"));
  gzip(folder, "other", content);
  folder.write("members", folder.read("gz") + folder.read("other"));
  std::size_t const one_member = folder.read("gz").size();
  for (char const* name : {"gz", "bgz", "two", "members"}) {
    std::string const whole = folder.read(name);
    CHECK_NOTHROW(read({folder.path(name)}));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (name == "members"s && size == one_member) continue;
      INFO(name << " cut at " << size << " of " << whole.size());
      for (unsigned threads : {1u, 3u}) {
        suffix::fasta_options options;
        options.machine.threads = threads;
        CHECK_THROWS_AS(read({folder.write("cut", whole.substr(0, size))}, options), input_error);
      }
    }
  }
}

TEST_CASE("a corrupt FASTA.gz is an error", "[suffix]") {
  temporary_folder const folder;
  random_numbers random(4);
  suffix::fasta_options
      one_thread;  // with more threads, htslib 1.16 leaks 32 bytes for each block in flight when it finds bad data
  one_thread.machine.threads = 1;
  std::string const content = ">one\n" + random_letters(random, "ACGTN", 300) + "\n";
  gzip(folder, "gz", content);
  bgzip(folder, "bgz", content);
  auto const plain = parse(content);
  for (char const* name : {"gz", "bgz"}) {
    std::string const whole = folder.read(name);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string bad = whole;
      bad[at] = static_cast<char>(bad[at] ^ 0x10);
      folder.write("bad", bad);
      INFO(name << " changed at " << at);
      bool right = true;
      try {  // some bytes do not matter: time, system and the like
        right = same(plain, read({folder.path("bad")}, one_thread));
      } catch (input_error const&) {}
      CHECK(right);
    }
    folder.write("bad", whole + "garbage, long enough to look like another header");
    CHECK_THROWS_AS(read({folder.path("bad")}, one_thread), input_error);
    folder.write("bad", whole + "x");
    CHECK_THROWS_AS(read({folder.path("bad")}, one_thread), input_error);
  }
}

TEST_CASE("well-formed UTF-8", "[suffix]") {
  for (std::string const& good : {""s, "plain"s, "\0"s, "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xed\x9f\xbf"s,
                                  "\xef\xbf\xbf"s, "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s})
    CHECK(suffix::is_utf8(good));
  for (std::string const& bad :
       {"\x80"s, "\xbf"s, "\xc0\x80"s, "\xc1\xbf"s, "\xc2"s, "\xc2x"s, "\x9f\x80"s, "\xe0\x9f\xbf"s, "\xed\xa0\x80"s,
        "\xe1\x80"s, "\xf0\x8f\xbf\xbf"s, "\xf4\x90\x80\x80"s, "\xf5\x80\x80\x80"s, "\xff"s, "\xf0\x90\x80"s})
    CHECK_FALSE(suffix::is_utf8(bad));
}

TEST_CASE("a byte order mark is passed over whatever the text comes from", "[suffix]") {
  temporary_folder const folder;
  random_numbers random(5);
  std::string const plain = ">one\n"s + random_letters(random, "ACGTN", 100) + "\n>two\nACG\n",
                    marked = "\xef\xbb\xbf"s + plain;
  auto const right = parse(plain);
  for (unsigned threads : {1u, 3u}) {
    suffix::fasta_options options;
    options.machine.threads = threads;
    CHECK(same(right, parse(marked, options)));
    CHECK(same(right, read({gzip(folder, "gz", marked)}, options)));
    CHECK(same(right, read({bgzip(folder, "bgz", marked)}, options)));
    suffix::fasta twice = read({folder.write("a", marked), folder.write("b", marked)}, options);
    CHECK(twice.names == suffix::record_names{"one", "two", "one", "two"});
    CHECK(std::string(twice.view().residues) == std::string(right.view().residues) + std::string(right.view().residues));
  }
  // As long as the part of a stream that is read at a time, and longer.
  for (std::size_t size : {(1u << 22) - 3, (1u << 22), (1u << 22) + 1, (3u << 22) + 7}) {
    std::string const large = "\xef\xbb\xbf>a\n"s + std::string(size, 'A') + "\n>b\nC";
    suffix::fasta_options one_thread;
    one_thread.machine.threads = 1;
    auto const all = read({gzip(folder, "large", large)}, one_thread);
    CHECK(all.starts == starts_list{0, size});
    CHECK(all.residues.size() == size + 1);
  }
}

TEST_CASE("names that do not tell records apart", "[suffix]") {
  auto const expect = [](suffix::record_names const& names, std::vector<std::size_t> const& right) {
    for (unsigned threads : {1u, 3u}) {
      suffix::name_faults const found = suffix::find_name_faults(names, threads);
      CHECK(std::vector<std::size_t>{found.empty, found.repeated} == std::vector<std::size_t>{right[0], right[2]});
      if (right[0] != 0) CHECK(found.first_empty == right[1]);
      if (right[2] != 0) CHECK(std::pair(found.first_repeated, found.same_as) == std::pair(right[3], right[4]));
    }
  };
  expect({}, {0, 0, 0, 0, 0});
  expect({"a"}, {0, 0, 0, 0, 0});
  expect({"", "", "a", ""}, {3, 0, 0, 0, 0});
  expect({"a", "b", "b", "c", "b", "a", ""}, {1, 6, 3, 2, 1});
  expect({"b", "a", "a", "b"}, {0, 0, 2, 2, 1});
  suffix::record_names many;
  for (std::size_t r = 0; r < 100000; ++r) many.push_back(std::to_string(r));
  expect(many, {0, 0, 0, 0, 0});
  many.push_back("77777");
  many.push_back("3");
  expect(many, {0, 0, 2, 100000, 77777});
  suffix::record_names same;
  for (std::size_t r = 0; r < 100000; ++r) same.push_back("same");
  expect(same, {0, 0, 99999, 1, 0});
}

TEST_CASE("of records that do not fit it is said how much would do", "[suffix]") {
  std::string content = ">one\nACGT\n>two\n";
  while (content.size() < 9 << 20) content += std::string(80, 'A') + "\n>r\n";
  auto const all = parse(content);
  std::size_t const needed = all.residues.size() + 2 * (all.names.bytes() + 16 * all.starts.size());
  for (std::size_t const memory : {std::size_t{1}, needed / 2, needed - 1}) {
    try {
      static_cast<void>(parse(content, {.memory = memory}));
      FAIL("it fits");
    } catch (suffix::records_too_large const& e) {
      CHECK(e.bytes() == needed);
      CHECK(e.residues() == all.residues.size());
      CHECK(e.records() == all.starts.size());
      CHECK(e.all());
      CHECK_THAT(e.what(), contains_text("the records take " + std::to_string(needed) + " bytes, " + std::to_string(memory)));
    }
  }
  CHECK(same(all, parse(content, {.memory = needed})));
}
