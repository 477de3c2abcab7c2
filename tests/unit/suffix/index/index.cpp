#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>
#include <zlib.h>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/suffix/text/texts.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace ordo;
using namespace std::string_literals;

namespace {

suffix::index_description description() {
  suffix::index_description about;
  about.residues = 7;
  about.width = 32;
  about.arrays = {{"sa", 28, 0x1234abcd}, {"bwt", 11, 1}, {"seq", 7, 0xffffffff}};
  about.names = {"chr1", "quote\" and \\ and \x01", "", "Gr\xc3\xbc\xc3\x9f"};
  about.starts = {0, 3, 3, 7};
  return about;
}

template <class T>
std::string bytes_of(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

void replace(std::string& text, std::string const& old, std::string const& now) {
  REQUIRE(text.find(old) != std::string::npos);
  text.replace(text.find(old), old.size(), now);
}

}  // namespace

TEST_CASE("an index description survives its file", "[suffix]") {
  for (bool keep_case : {false, true}) {
    suffix::index_description about = description();
    about.policy.masked = keep_case ? suffix::masked_letters::keep : suffix::masked_letters::fold;
    auto const reread = suffix::from_json(suffix::to_json(about), "x.json");
    CHECK(reread.residues == 7);
    CHECK(reread.width == 32);
    CHECK(reread.policy.keeps_case() == keep_case);
    CHECK(reread.names == about.names);
    CHECK(reread.starts == about.starts);
    REQUIRE(reread.arrays.size() == 3);
    CHECK(reread.arrays[0].name == "sa");
    CHECK(reread.arrays[0].bytes == 28);
    CHECK(reread.arrays[0].crc32 == 0x1234abcd);
    CHECK(reread.arrays[2].crc32 == 0xffffffff);
    CHECK(reread.find("bwt") != nullptr);
    CHECK(reread.find("lcp") == nullptr);
  }
}

TEST_CASE("a malformed index description is refused by name", "[suffix]") {
  std::string const good = suffix::to_json(description());
  auto const refuse = [&](std::string const& old, std::string const& now) {
    std::string bad = good;
    replace(bad, old, now);
    INFO(bad);
    CHECK_THROWS_AS(suffix::from_json(bad, "x.json"), input_error);
    CHECK_THROWS_WITH(suffix::from_json(bad, "x.json"), contains_text("bad index: x.json: "));
  };
  refuse("ordo suffix index", "something else");
  refuse("\"format_version\": 1", "\"format_version\": 2");
  refuse("\"residues\": 7", "\"residues\": 8");
  refuse("\"residues\": 7", "\"residues\": -7");
  refuse("\"residues\": 7", "\"residues\": \"seven\"");
  refuse("\"width\": 32", "\"width\": 16");
  refuse("\"width\": 32", "\"width\": 64");
  refuse("\"sa\"", "\"isa\"");
  refuse("\"bytes\": 28", "\"bytes\": 24");
  refuse("\"crc32\": \"1234abcd\"", "\"crc32\": \"none\"");
  refuse("\"start\": 3", "\"start\": 9");
  refuse("\"start\": 0", "\"start\": 1");
  refuse("\"case\"", "\"cases\"");
  // Mistakes that a careless reader would accept.
  refuse("\"residues\": 7", "\"residues\": 7.0");
  refuse("\"residues\": 7", "\"residues\": 7.9");
  refuse("\"residues\": 7", "\"residues\": 18446744073709551623");
  refuse("\"format_version\": 1", "\"format_version\": 4294967297");
  refuse("\"width\": 32", "\"width\": 4294967328");
  refuse("\"width\": 32", "\"width\": 32, \"width\": 32");
  refuse("\"width\": 32", "\"width\": 32, \"depth\": 32");
  refuse("\"width\": 32", "\"width\": true");
  refuse("\"case\": \"folded to upper\"", "\"case\": 7");
  refuse("\"case\": \"folded to upper\"", "\"case\": \"lower\"");
  refuse("\"case\": \"folded to upper\"", "\"case\": null");
  refuse("\"order\": \"bytes, unsigned", "\"order\": \"bytes, signed");
  refuse("\"version\": \"", "\"versions\": \"");
  for (char const* crc32 : {"1234abcd.", "1234abcdef", "0x1234ab", " 1234abc", "+1234abc", "1234ABCD", "234abcd", ""})
    refuse("\"crc32\": \"1234abcd\"", "\"crc32\": \""s + crc32 + "\"");
  refuse("\"crc32\": \"1234abcd\"", "\"crc32\": 305441741");
  refuse("{\"name\": \"bwt\"", "{\"name\": \"sa\", \"bytes\": 28, \"crc32\": \"1234abcd\"},\n    {\"name\": \"bwt\"");
  refuse("\"name\": \"chr1\"", "\"name\": 1");
  refuse("\"name\": \"chr1\"", "\"name\": [\"chr1\"]");
  refuse("\"name\": \"chr1\"", "\"name\": {\"chr\": 1}");
  refuse("\"name\": \"chr1\", ", "");
  refuse("\"start\": 3}", "\"start\": 3, \"start\": 3}");
  refuse("\"start\": 3}", "\"start\": 3, \"end\": 7}");
  refuse("\"start\": 3}", "\"start\": 3}, 7, {\"name\": \"x\", \"start\": 3}");
  refuse("\"start\": 7}", "\"start\": 7}, []");
  for (char const* whole : {"[]", "7", "\"ordo suffix index\"", "{}", "null", ""})
    CHECK_THROWS_AS(suffix::from_json(whole, "x.json"), input_error);
  CHECK_THROWS_AS(suffix::from_json(good + "{}", "x.json"), input_error);
  for (std::size_t size = 0; size + 2 < good.size(); ++size) {
    INFO(size);
    CHECK_THROWS_AS(suffix::from_json(good.substr(0, size), "x.json"), input_error);
  }
}

TEST_CASE("an index description with a table of k-mers", "[suffix]") {
  suffix::index_description about = description();
  about.width = 40;
  about.arrays = {{"sa", 35, 1}, {"seq", 7, 2}, {"kmers", (16 + 1) * 5, 3}};
  about.kmers = {2, "ACGT"};
  std::string const good = suffix::to_json(about);
  auto const reread = suffix::from_json(good, "x.json");
  CHECK(reread.width == 40);
  CHECK(reread.kmers.length == 2);
  CHECK(reread.kmers.letters == "ACGT");
  for (auto const& [old, now] :
       std::vector<std::pair<std::string, std::string>>{{"\"kmer_length\": 2", "\"kmer_length\": 3"},
                                                        {"\"kmer_length\": 2", "\"kmer_length\": 0"},
                                                        {"\"kmer_length\": 2", "\"kmer_length\": 4294967298"},
                                                        {"\"kmer_length\": 2,", ""},
                                                        {"\"kmer_letters\": \"ACGT\",", ""},
                                                        {"\"ACGT\"", "\"ACTG\""},
                                                        {"\"ACGT\"", "\"AACG\""},
                                                        {"\"kmers\", \"bytes\": 85", "\"kmers\", \"bytes\": 84"},
                                                        {"\"kmers\"", "\"lcp\""}}) {
    std::string bad = good;
    replace(bad, old, now);
    INFO(bad);
    CHECK_THROWS_WITH(suffix::from_json(bad, "x.json"), contains_text("bad index: x.json: "));
  }
}

TEST_CASE("an index description with a suffix array in parts", "[suffix]") {
  constexpr std::uint64_t unit = suffix::entries_of_part * 4;
  suffix::index_description about = description();
  about.residues = 3 * suffix::entries_of_part + 10;
  about.arrays = {suffix::join_parts("sa", {{2 * unit, 0x11111111}, {0, 0}, {unit + 40, 0xabcdef01}}),
                  {"seq", about.residues, 7}};
  std::string const good = suffix::to_json(about);
  auto const reread = suffix::from_json(good, "x.json");
  REQUIRE(reread.arrays.size() == 2);
  CHECK(reread.arrays[0].bytes == 3 * unit + 40);
  CHECK(reread.arrays[0].crc32 == about.arrays[0].crc32);
  REQUIRE(reread.arrays[0].parts.size() == 3);
  CHECK(reread.arrays[0].parts[2].bytes == unit + 40);
  CHECK(reread.arrays[0].parts[2].crc32 == 0xabcdef01);
  CHECK(reread.arrays[1].parts.empty());
  CHECK(suffix::to_json(reread) == good);
  std::string const first = "{\"bytes\": 524288, \"crc32\": \"11111111\"}",
                    last = "{\"bytes\": 262184, \"crc32\": \"abcdef01\"}";
  for (auto const& [old, now] :
       std::vector<std::pair<std::string, std::string>>{{"\"bytes\": 524288", "\"bytes\": 524284"},
                                                        {"\"bytes\": 524288", "\"bytes\": 18446744073709289472"},
                                                        {"\"bytes\": 262184", "\"bytes\": 262180"},
                                                        {"\"bytes\": 0, ", ""},
                                                        {"\"bytes\": 0", "\"bytes\": \"0\""},
                                                        {"\"bytes\": 0", "\"bytes\": 0, \"bytes\": 0"},
                                                        {"\"bytes\": 0", "\"bytes\": 0, \"name\": \"sa\""},
                                                        {", \"crc32\": \"11111111\"", ""},
                                                        {"\"11111111\"", "\"11111112\""},
                                                        {"\"11111111\"", "17"},
                                                        {first, "7"},
                                                        {first, "[" + first + "]"},
                                                        {first + ",", ""},
                                                        {last, first},
                                                        {"\"parts\": [", "\"parts\": [], \"parts\": ["},
                                                        {"\"parts\": [", "\"files\": ["},
                                                        {"\"parts\"", "\"part\""},
                                                        {"\"name\": \"sa\"", "\"name\": \"lcp\""}}) {
    std::string bad = good;
    replace(bad, old, now);
    INFO(bad);
    CHECK_THROWS_WITH(suffix::from_json(bad, "x.json"), contains_text("bad index: x.json: "));
  }
  std::string empty = suffix::to_json(description());
  replace(empty, "\"crc32\": \"1234abcd\"", "\"crc32\": \"1234abcd\", \"parts\": []");
  CHECK_THROWS_WITH(suffix::from_json(empty, "x.json"), contains_text("no parts"));
  about.arrays[0].parts.assign(suffix::max_parts, {0, 0});
  about.arrays[0].parts.back() = {about.arrays[0].bytes, about.arrays[0].crc32};
  CHECK(suffix::from_json(suffix::to_json(about), "x.json").arrays[0].parts.size() == suffix::max_parts);
  about.arrays[0].parts.insert(about.arrays[0].parts.begin(), suffix::index_part{});
  CHECK_THROWS_AS(suffix::from_json(suffix::to_json(about), "x.json"), input_error);
}

TEST_CASE("the policies of an index survive its file", "[suffix][policy]") {
  using suffix::ambiguous_letters, suffix::masked_letters, suffix::strands;
  for (strands const s : {strands::forward, strands::both})
    for (auto const a : {ambiguous_letters::symbol, ambiguous_letters::breaks, ambiguous_letters::skip})
      for (auto const m : {masked_letters::fold, masked_letters::keep, masked_letters::breaks})
        for (std::uint64_t const d : {std::uint64_t{1}, std::uint64_t{2}, ~std::uint64_t{0}}) {
          suffix::index_description about;
          about.residues = 7;
          about.policy = {s, a, m, d};
          bool const all = about.policy.rows().all(), cuts = about.policy.cuts();
          if (!all) about.kept_rows = 3;
          about.arrays = {{"sa", all ? 28u : 12u, 1}, {"seq", 7, 2}};
          about.names = {"a", "b"};
          about.starts = {0, 4};
          if (cuts) {
            about.arrays.push_back({"pieces", 3 * 24, 4});
            about.lengths = {9, 8};
          }
          std::string const good = suffix::to_json(about);
          auto const reread = suffix::from_json(good, "x.json");
          CHECK(reread.policy == about.policy);
          CHECK(reread.kept_rows == about.kept_rows);
          CHECK(reread.rows() == (all ? 7 : 3));
          CHECK(reread.lengths == about.lengths);
          CHECK(reread.text_records() == (cuts ? 3 : 2));
          auto const refuse = [&](std::string const& old, std::string const& now) {
            std::string bad = good;
            replace(bad, old, now);
            INFO(bad);
            CHECK_THROWS_WITH(suffix::from_json(bad, "x.json"), contains_text("bad index: x.json: "));
          };
          refuse("\"sample\": ", "\"sample\": 0, \"x\": ");
          refuse("\"sample\": " + std::to_string(d), "\"sample\": 0");
          refuse("\"sample\": " + std::to_string(d), "\"sample\": \"1\"");
          refuse("\"strands\": \"", "\"strands\": \"x");
          refuse("\"ambiguous\": \"", "\"ambiguous\": \"x");
          refuse("\"mask\": \"", "\"mask\": \"x");
          if (!all) refuse("\"rows\": 3", "\"rows\": 2");
          if (!all) refuse("\"rows\": 3", "\"rows\": 9223372036854775811");  // four times this wraps around
          if (!all) refuse("  \"rows\": 3,\n", "");
          if (all) refuse("\"sample\"", "\"rows\": 7, \"sample\"");
          if (!all)
            refuse("{\"name\": \"seq\"", "{\"name\": \"bwt\", \"bytes\": 9, \"crc32\": \"00000001\"}, {\"name\": \"seq\"");
          if (cuts) refuse("\"bytes\": 72", "\"bytes\": 71");
          if (cuts) refuse(", \"length\": 8", "");
          if (!cuts) refuse("\"start\": 4", "\"start\": 4, \"length\": 8");
          if (!cuts)
            refuse("{\"name\": \"seq\"", "{\"name\": \"pieces\", \"bytes\": 48, \"crc32\": \"00000001\"}, {\"name\": \"seq\"");
          if (m == masked_letters::keep) refuse("\"mask\": \"keep\"", "\"mask\": \"fold\"");
          if (m == masked_letters::fold) refuse("\"mask\": \"fold\"", "\"mask\": \"keep\"");
        }
  // Descriptions from before checksums existed.
  suffix::index_description about = description();
  for (auto const m : {masked_letters::fold, masked_letters::keep}) {
    about.policy.masked = m;
    std::string old = suffix::to_json(about);
    std::size_t const checksum = old.find("  \"crc32\"");
    old.erase(checksum, old.find('\n', checksum) + 1 - checksum);
    for (std::string const& field : {"  \"strands\": \"forward\",\n"s, "  \"ambiguous\": \"symbol\",\n"s, "  \"sample\": 1,\n"s,
                                     m == masked_letters::fold ? "  \"mask\": \"fold\",\n"s : "  \"mask\": \"keep\",\n"s})
      replace(old, field, "");
    CHECK(suffix::from_json(old, "x.json").policy == about.policy);
    CHECK_FALSE(suffix::from_json(old, "x.json").crc32);
  }
}

TEST_CASE("an index description tells its own checksum", "[suffix]") {
  std::string const good = suffix::to_json(description());
  CHECK(suffix::from_json(good, "x.json").crc32);
  CHECK_FALSE(suffix::is_altered(good));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] ^= 1;
    INFO(bad);
    CHECK(suffix::is_altered(bad));
  }
}

TEST_CASE("an index description whose sizes overflow is refused", "[suffix]") {
  suffix::index_description about;
  about.width = 64;
  about.residues = std::uint64_t{1} << 61;  // eight times this wraps around to 0
  about.arrays = {{"sa", 0, 0}, {"seq", about.residues, 0}};
  about.names = {"x"};
  about.starts = {0};
  CHECK_THROWS_AS(suffix::from_json(suffix::to_json(about), "x.json"), input_error);
  about.width = 32;
  about.residues = ~std::uint64_t{0};  // adding a record wraps around to 0
  about.arrays = {{"sa", about.residues * 4, 0}, {"seq", about.residues, 0}};
  CHECK_THROWS_AS(suffix::from_json(suffix::to_json(about), "x.json"), input_error);
}

TEST_CASE("checksums are zlib's, in parts or whole", "[suffix]") {
  random_numbers random(1);
  std::string bytes((std::size_t{33} << 20) + 5, '\0');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(random());
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16} << 20, (std::size_t{16} << 20) + 1, bytes.size()}) {
    auto const whole = crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), size);
    CHECK(suffix::compute_crc32(std::span(bytes.data(), size)) == whole);
    CHECK(suffix::compute_crc32(std::span(bytes.data(), size), 1) == whole);
  }
}

TEST_CASE("an index in files", "[suffix]") {
  temporary_folder const folder;
  stored_text const stored(std::vector<std::string>{"GATTACA", "", "TACA"});
  auto const made = suffix::build<std::uint64_t>(stored.view(), {.lcp = true, .bwt = false});
  suffix::index_description about;
  about.residues = stored.residues.size();
  about.width = 64;
  about.names = {"a", "b", "c"};
  about.starts = stored.starts;
  auto const add = [&](std::string const& name, std::string const& bytes) {
    about.arrays.push_back({name, bytes.size(), suffix::compute_crc32(bytes)});
    folder.write("x." + name, bytes);
  };
  add("seq", stored.residues);
  add("sa", bytes_of(made.sa));
  add("lcp", bytes_of(made.lcp));
  folder.write("x.json", suffix::to_json(about));
  std::string const prefix = folder.path("x");
  {
    suffix::stored_index const index(prefix);
    CHECK(index.view().residues == stored.residues);
    CHECK(index.view().records() == 3);
    auto const all = index.arrays<std::uint64_t>();
    CHECK(std::equal(all.sa.begin(), all.sa.end(), made.sa.begin(), made.sa.end()));
    CHECK(std::equal(all.lcp.begin(), all.lcp.end(), made.lcp.begin(), made.lcp.end()));
    CHECK(all.bwt.empty());
    CHECK_FALSE(suffix::check(index.view(), all).has_value());
    CHECK_FALSE(index.altered_array().has_value());
    CHECK_FALSE(index.unlisted_array().has_value());
    folder.write("x.bwt", "");
    CHECK_FALSE(index.unlisted_array().has_value());
    folder.write("x.bwt", "x");
    CHECK(index.unlisted_array() == "bwt");
    CHECK(index.with_width([](auto zero) { return sizeof(zero); }) == 8);
  }
  for (char const* name : {"x.seq", "x.sa", "x.lcp"}) {
    std::string const whole = folder.read(name);
    std::string bad = whole;
    bad[bad.size() / 2] ^= 1;
    folder.write(name, bad);
    CHECK("x." + suffix::stored_index(prefix).altered_array().value_or("") == name);
    for (std::string const& wrong : {whole.substr(0, whole.size() - 1), ""s, whole + "x"}) {
      folder.write(name, wrong);
      CHECK_THROWS_AS(suffix::stored_index(prefix), input_error);
      CHECK_THROWS_WITH(suffix::stored_index(prefix), contains_text(name + ": "s + std::to_string(wrong.size()) + " bytes"));
    }
    folder.write(name, whole);
  }
  std::string const json = folder.read("x.json");
  std::string renamed = json;
  replace(renamed, "\"a\"", "\"A\"");
  folder.write("x.json", renamed);
  CHECK(suffix::stored_index(prefix).altered_array() == "json");
  // Neither size nor presence of an ignored array matters.
  folder.write("x.json", json);
  std::filesystem::remove(folder.path("x.lcp"));
  CHECK_THROWS_AS(suffix::stored_index(prefix), input_error);
  CHECK(suffix::stored_index(prefix, "lcp").bytes("lcp").empty());
  CHECK_THROWS_WITH(suffix::stored_index(folder.path("y")), contains_text("y.json: No such file"));
}

TEST_CASE("an index whose suffix array is in parts is as that of one file", "[suffix]") {
  temporary_folder const folder;
  constexpr std::size_t unit = suffix::entries_of_part * 4;
  std::string residues(2 * suffix::entries_of_part + 1000, 'A');
  random_numbers random(5);
  for (char& c : residues) c = "ACGT"[random.below(4)];
  std::vector<std::uint64_t> const starts{0};
  auto const made = suffix::build<std::uint32_t>({residues, starts}, suffix::extra_arrays{});
  std::string const sa = bytes_of(made.sa);
  for (std::vector<std::size_t> const& begins :
       {std::vector<std::size_t>{0}, {0, unit}, {0, unit, 2 * unit}, {0, 0, 2 * unit, 2 * unit}}) {
    suffix::index_description about;
    about.residues = residues.size();
    about.names = {"a"};
    about.starts = starts;
    about.arrays = {{"seq", residues.size(), suffix::compute_crc32(residues)}};
    std::vector<suffix::index_part> parts;
    std::vector<std::string> names, contents;
    for (std::size_t k = 0; k < begins.size(); ++k) {
      contents.push_back(sa.substr(begins[k], (k + 1 < begins.size() ? begins[k + 1] : sa.size()) - begins[k]));
      parts.push_back({contents.back().size(), suffix::compute_crc32(contents.back())});
      names.push_back("x." + suffix::name_of_part("sa", k + 1));
      folder.write(names.back(), contents.back());
    }
    about.arrays.push_back(suffix::join_parts("sa", parts));
    CHECK(about.arrays.back().crc32 == suffix::compute_crc32(sa));
    folder.write("x.seq", residues);
    folder.write("x.json", suffix::to_json(about));
    std::string const prefix = folder.path("x");
    std::size_t const k = random.below(names.size());
    {
      suffix::stored_index index(prefix);
      CHECK(index.path("sa") == prefix + ".sa.*");
      CHECK(index.path("seq") == prefix + ".seq");
      CHECK(std::ranges::equal(index.bytes("sa"), sa));
      CHECK(std::ranges::equal(index.arrays<std::uint32_t>().sa, made.sa));
      CHECK_FALSE(index.altered_array().has_value());
      std::atomic<int> wrong = 0;
      run_members(3, [&](communicator& members, cpu&) { wrong += index.altered_array(members).has_value(); });
      CHECK(wrong == 0);
      index.expect_few_reads();
      CHECK_FALSE(index.unlisted_array().has_value());
      for (std::string const& name : {"sa"s, suffix::name_of_part("sa", names.size() + 1)}) {
        folder.write("x." + name, "x");
        CHECK(index.unlisted_array() == name);
        std::filesystem::remove(folder.path("x." + name));
      }
      // A mapped array keeps its contents when its files are replaced.
      std::filesystem::remove(folder.path(names[k]));
      CHECK_THROWS_WITH(suffix::stored_index(prefix), contains_text(names[k] + ": No such file"));
      suffix::stored_index const moved = std::move(index);
      CHECK(std::ranges::equal(moved.bytes("sa"), sa));
    }
    for (std::size_t size : {contents[k].size() - 1, contents[k].size() + 1, std::size_t{4096}}) {
      if (size > contents[k].size() + 1) continue;
      folder.write(names[k], std::string(size, 'x'));
      CHECK_THROWS_WITH(suffix::stored_index(prefix),
                        contains_text(names[k] + ": " + std::to_string(size) + " bytes, expected "));
    }
    folder.write(names[k], contents[k]);
    if (!contents[k].empty()) {
      std::string bad = contents[k];
      bad[bad.size() / 2] ^= 1;
      folder.write(names[k], bad);
      CHECK("x." + suffix::stored_index(prefix).altered_array().value_or("") == names[k]);
    }
    for (std::string const& name : names) std::filesystem::remove(folder.path(name));
  }
}

TEST_CASE("files are mapped one after another at pages only", "[suffix]") {
  temporary_folder const folder;
  std::string const page(std::size_t(sysconf(_SC_PAGESIZE)), 'a');
  using part = suffix::mapped_file::part;
  std::vector<part> parts{
      {folder.write("one", page), page.size()}, {folder.write("two", "bc"), 2}, {folder.write("none", ""), 0}};
  suffix::mapped_file const all(parts);
  CHECK(std::string_view(all.bytes().data(), all.bytes().size()) == page + "bc");
  std::swap(parts[0], parts[1]);
  CHECK_THROWS_WITH(suffix::mapped_file(parts), contains_text("one: the parts before it are no multiple of the page size"));
  CHECK(suffix::mapped_file(std::vector<part>{}).bytes().empty());
  CHECK_THROWS_AS(suffix::mapped_file(std::vector<part>{{folder.path("none"), ~std::uint64_t{0} / 2}}), input_error);
}
