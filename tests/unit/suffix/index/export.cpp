#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/aligner_index.hpp"
#include "ordo/suffix/export.hpp"
#include "ordo/suffix/index.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/suffix/text/texts.hpp"
#include "tests/unit/temporary_folder.hpp"

using namespace ordo;

namespace {

std::string entries_of(std::vector<std::uint64_t> const& values, unsigned bytes) {
  std::string all(values.size() * bytes, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) suffix::store_entry(all.data() + i * bytes, bytes, values[i]);
  return all;
}

std::string name_of(std::size_t record) {
  return std::to_string(record).append("th");
}

// Writes an index of these records to files, with entries of `width` bits.
void write_index(temporary_folder const& folder, stored_text const& stored, unsigned width, bool with_lcp) {
  auto const made = suffix::build<std::uint64_t>(stored.view(), {.lcp = with_lcp, .bwt = false});
  suffix::index_description about;
  about.residues = stored.residues.size();
  about.width = width;
  about.starts = stored.starts;
  for (std::size_t r = 0; r < stored.starts.size(); ++r) about.names.push_back(name_of(r));
  auto const add = [&](std::string const& name, std::string const& bytes) {
    about.arrays.push_back({name, bytes.size(), suffix::compute_crc32(bytes)});
    folder.write("x." + name, bytes);
  };
  add("seq", stored.residues);
  add("sa", entries_of(made.sa, width / 8));
  if (with_lcp) add("lcp", entries_of(made.lcp, width / 8));
  folder.write("x.json", suffix::to_json(about));
}

std::string exported(std::string const& prefix, suffix::export_format options) {
  suffix::stored_index const index(prefix);
  test_sink out(false);
  suffix::export_index(index, options, out);
  CHECK(out.expected() == out.text().size());
  return out.text();
}

/// Reads a file as sufr does, in its order, and checks that nothing is missing or left over.
struct sufr_file {
  unsigned version = 0;
  bool dna = false, ambiguous = false, softmask = false;
  std::uint64_t text_length = 0, text_at = 0, sa_at = 0, lcp_at = 0, suffixes = 0, query = 0;
  std::vector<std::uint64_t> starts, sa, lcp;
  std::string text;
  std::vector<std::string> names;

  explicit sufr_file(std::string bytes) : bytes_(std::move(bytes)) {
    version = unsigned(number(1));
    dna = number(1) == 1;
    ambiguous = number(1) == 1;
    softmask = number(1) == 1;
    text_length = number(8);
    text_at = number(8);
    sa_at = number(8);
    lcp_at = number(8);
    suffixes = number(8);
    query = number(8);
    unsigned const entry = text_length < std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
    starts = numbers(number(8), entry);
    REQUIRE(number(8) == 0);  // the length of the mask
    REQUIRE(at_ == text_at);
    text = bytes_.substr(at_, text_length);
    at_ += text_length;
    REQUIRE(at_ == sa_at);
    sa = numbers(suffixes, entry);
    REQUIRE(at_ == lcp_at);
    lcp = numbers(suffixes, entry);
    for (std::uint64_t count = number(8); count != 0; --count) {
      std::size_t const length = number(8);
      names.push_back(bytes_.substr(at_, length));
      at_ += length;
    }
    REQUIRE(at_ == bytes_.size());
  }

 private:
  std::uint64_t number(unsigned size) {
    REQUIRE(at_ + size <= bytes_.size());
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at_, size);
    at_ += size;
    return value;
  }
  std::vector<std::uint64_t> numbers(std::uint64_t count, unsigned size) {
    std::vector<std::uint64_t> all;
    for (; count != 0; --count) all.push_back(number(size));
    return all;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("a suffix array in other programs' formats", "[suffix]") {
  using suffix::export_format;
  for (auto const& records : std::vector<std::vector<std::string>>{{"GATTACA"}, {"GATTACA", "", "TACA"}, {"MKLV*"}, {""}}) {
    temporary_folder const folder;
    stored_text const stored(records);
    auto const sa = plain_suffix_array(stored.view());
    std::size_t const n = sa.size();
    for (unsigned width : {32u, 40u, 64u}) {
      write_index(folder, stored, width, true);
      std::string const prefix = folder.path("x");
      CHECK(exported(prefix, export_format::raw32) == entries_of(sa, 4));
      CHECK(exported(prefix, export_format::raw40) == entries_of(sa, 5));
      CHECK(exported(prefix, export_format::raw64) == entries_of(sa, 8));
      std::string const sdsl = exported(prefix, export_format::sdsl);
      CHECK(sdsl.substr(0, 8) == entries_of({n * width}, 8));
      CHECK(sdsl[8] == static_cast<char>(width));
      CHECK(sdsl.substr(9, n * width / 8) == entries_of(sa, width / 8));
      CHECK((sdsl.size() - 9) % 8 == 0);
      CHECK(sdsl.size() - 9 - n * width / 8 < 8);

      sufr_file const file(exported(prefix, export_format::sufr));
      CHECK(file.version == 6);
      CHECK(file.dna == (records[0] != "MKLV*"));
      CHECK(file.text.ends_with('$'));
      REQUIRE(file.names.size() == records.size());
      std::string joined;
      for (std::size_t r = 0; r < records.size(); ++r) {
        CHECK(file.names[r] == name_of(r));
        CHECK(file.starts[r] == joined.size());
        joined += records[r];
        joined += r + 1 == records.size() ? '$' : '%';
      }
      CHECK(file.text == joined);
      REQUIRE(file.sa.size() == n + 1);
      CHECK(file.sa[0] == joined.size() - 1);
      auto const to_end = [&](std::uint64_t p) { return joined.substr(p, joined.find_first_of("%$", p) - p); };
      for (std::size_t i = 1; i <= n; ++i) {
        CHECK(to_end(file.sa[i - 1]) <= to_end(file.sa[i]));
        std::string const above = to_end(file.sa[i - 1]), below = to_end(file.sa[i]);
        std::size_t common = 0;
        while (common < above.size() && common < below.size() && above[common] == below[common]) ++common;
        CHECK(file.lcp[i] == common);
      }
    }
  }
}

TEST_CASE("what a format cannot hold is refused", "[suffix]") {
  using suffix::export_format;
  temporary_folder const folder;
  write_index(folder, stored_text(std::string("GATTACA")), 40, false);
  CHECK_THROWS_WITH(exported(folder.path("x"), export_format::sufr), contains_text("no LCP array: "));
  std::string bytes = folder.read("x.sa");
  bytes[4] = 1;  // the highest byte of the first row
  folder.write("x.sa", bytes);
  for (auto const options : {export_format::raw32, export_format::raw64, export_format::sdsl})
    CHECK_THROWS_WITH(exported(folder.path("x"), options), contains_text("x.sa: row 0: position 4294967302 of 7 residues"));

  // Both strands of a record.
  stored_text const strands(std::vector<std::string>{"GATT", "AATC"});
  suffix::index_description about;
  about.residues = strands.residues.size();
  about.policy.strands = suffix::strands::both;
  about.names = {"a"};
  about.starts = {0};
  about.lengths = {4};
  auto const add = [&](std::string const& name, std::string const& content) {
    about.arrays.push_back({name, content.size(), suffix::compute_crc32(content)});
    folder.write("y." + name, content);
  };
  add("seq", strands.residues);
  add("sa", entries_of(plain_suffix_array(strands.view()), 4));
  add("pieces", entries_of({0, 4, 0, 1, 0, 0}, 8));
  folder.write("y.json", suffix::to_json(about));
  suffix::stored_index const index(folder.path("y"));
  test_sink to(false);
  CHECK_THROWS_AS(suffix::export_infini_gram(index, {0, 1, &to, &to, &to}, {}), input_error);
  CHECK_THROWS_WITH(suffix::export_infini_gram(index, {0, 1, &to, &to, &to}, {}),
                    contains_text("y.json: infini-gram has no pieces of records and no reverse complements"));
  CHECK(to.calls() == 0);
}

TEST_CASE("a reference without letters has no index of an aligner", "[suffix]") {
  test_sink to(false);
  auto const no_letters = contains_text("no letters: reference: an index needs at least one");
  suffix::bwa_reference bwa;
  bwa.add("a", "", "");
  CHECK_THROWS_AS(bwa.write(suffix::bwa_files{to, to, to, to, to}, {}), input_error);
  CHECK_THROWS_WITH(bwa.write(suffix::bwa_files{to, to, to, to, to}, {}), no_letters);
  CHECK_THROWS_WITH(bwa.write(suffix::bwa_mem2_files{to, to, to, to, to}, {}), no_letters);
  suffix::minibwa_reference minibwa;
  CHECK_THROWS_AS(minibwa.write({to, to}, {}), input_error);
  CHECK_THROWS_WITH(minibwa.write({to, to}, {}), no_letters);
  suffix::bowtie_reference bowtie;
  for (auto const size : {suffix::bowtie_size::small, suffix::bowtie_size::large}) {
    CHECK_THROWS_AS(bowtie.write({to, to, to, to, to, to}, size, {}), input_error);
    CHECK_THROWS_WITH(bowtie.write({to, to, to, to, to, to}, size, {}), no_letters);
  }
  CHECK(to.calls() == 0);
}
