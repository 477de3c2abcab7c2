#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "ordo/suffix/pieces.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/text/policies.hpp"

using namespace ordo;
using suffix::ambiguous_letters, suffix::masked_letters, suffix::strands;

namespace {

struct plain_piece {
  std::string letters;
  std::size_t record, offset;
  bool reverse;
};

// Applies the policies letter by letter, as they are defined.
std::vector<plain_piece> plain_pieces(std::vector<std::string> const& records, suffix::policy const& which) {
  std::vector<std::vector<plain_piece>> all;
  for (std::size_t r = 0; r < records.size(); ++r) {
    all.emplace_back();
    bool open = false;
    for (std::size_t i = 0; i < records[r].size(); ++i) {
      char c = records[r][i];
      bool const lower = c >= 'a' && c <= 'z';
      bool const ends =
          (which.masked == masked_letters::breaks && lower) ||
          (which.ambiguous == ambiguous_letters::breaks && std::string_view("ACGTUacgtu").find(c) == std::string::npos);
      if (which.masked == masked_letters::fold && lower) c = static_cast<char>(c - 'a' + 'A');
      if (!ends && !open) all.back().push_back({"", r, i, false});
      if (!ends) all.back().back().letters += c;
      open = !ends;
    }
    if (all.back().empty()) all.back().push_back({"", r, 0, false});
  }
  std::string letters;
  for (auto const& record : all)
    for (plain_piece const& one : record) letters += one.letters;
  bool const rna = letters.find_first_of("Uu") != std::string::npos && letters.find_first_of("Tt") == std::string::npos;
  std::vector<plain_piece> pieces;
  for (auto const& record : all) {
    pieces.insert(pieces.end(), record.begin(), record.end());
    for (std::size_t i = record.size(); which.strands == strands::both && i-- != 0;) {
      plain_piece one = record[i];
      one.reverse = true;
      std::reverse(one.letters.begin(), one.letters.end());
      for (char& c : one.letters) {
        std::string_view const from = "ACGTURYSWKMBDHVNacgturyswkmbdhvn-*.", to = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn-*.";
        c = rna && c == 'A' ? 'U' : rna && c == 'a' ? 'u' : to[from.find(c)];
      }
      pieces.push_back(one);
    }
  }
  return pieces;
}

// Returns the kept rows of a text, by definition.
std::vector<std::uint64_t> plain_rows(suffix::text const& text, suffix::row_selection which) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t const p : plain_suffix_array(text)) {
    bool const ambiguous = std::string_view("ACGTUacgtu").find(text.residues[p]) == std::string::npos;
    if ((p - text.begin(text.record_at(p))) % which.sample == 0 && !(which.skip_ambiguous && ambiguous)) rows.push_back(p);
  }
  return rows;
}

std::vector<suffix::policy> all_policies() {
  std::vector<suffix::policy> all;
  for (strands const s : {strands::forward, strands::both})
    for (auto const a : {ambiguous_letters::symbol, ambiguous_letters::breaks, ambiguous_letters::skip})
      for (auto const m : {masked_letters::fold, masked_letters::keep, masked_letters::breaks})
        for (std::uint64_t const d : {1, 2, 3, 70}) all.push_back({s, a, m, d});
  return all;
}

std::string fasta_of(std::vector<std::string> const& records) {
  std::string text;
  for (std::size_t r = 0; r < records.size(); ++r) {
    text += ">r" + std::to_string(r) + "\n";
    for (std::size_t at = 0; at < records[r].size(); at += 60) text += records[r].substr(at, 60) + "\n";
  }
  return text;
}

suffix::loaded_fasta loaded(std::string const& text, suffix::policy const& which, device where) {
  suffix::fasta_texts texts;
  texts.count = 1;
  texts.bytes = text.size();
  texts.reopen = true;
  texts.open = [&](std::size_t) { return suffix::fasta_texts::opened{"text", std::make_unique<memory_source>(text)}; };
  machine_options machine;
  machine.device = where;
  return {texts, {true, false}, machine, {}, which};
}

template <class Index>
std::vector<std::uint64_t> widened(std::vector<Index> const& values) {
  return {values.begin(), values.end()};
}

// Checks everything about an index of these records against the definitions.
void expect_policy(std::vector<std::string> const& records, suffix::policy const& which, device where) {
  INFO(int(which.strands) << int(which.ambiguous) << int(which.masked) << " " << which.sample << " " << fasta_of(records));
  std::vector<plain_piece> const pieces = plain_pieces(records, which);
  std::vector<std::string> letters;
  for (plain_piece const& one : pieces) letters.push_back(one.letters);
  stored_text const stored(letters);
  suffix::text const text = stored.view();
  std::vector<std::uint64_t> const sa = plain_rows(text, which.rows()), lcp = plain_lcp(text, sa);

  std::string const source = fasta_of(records);
  for (unsigned const bytes : {4u, 5u, 8u}) {
    suffix::loaded_fasta from = loaded(source, which, where);
    REQUIRE(from.size() == text.size());
    REQUIRE(from.records() == text.records());
    bytes_sink to_sa, to_lcp, residues;
    suffix::sinks const to{&to_sa, &to_lcp, nullptr, bytes};
    if (bytes == 4)
      from.build_into<std::uint32_t>(to, residues, {});
    else
      from.build_into<std::uint64_t>(to, residues, {});
    REQUIRE((residues.all == text.residues));
    REQUIRE((numbers_in(to_sa.all, bytes) == sa));
    REQUIRE((numbers_in(to_lcp.all, bytes) == lcp));
    suffix::pieces const cut = from.pieces();
    REQUIRE(cut.empty() == !which.cuts());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      REQUIRE(cut.source_record(i) == pieces[i].record);
      REQUIRE(cut.piece_offset(i) == pieces[i].offset);
      REQUIRE(cut.is_reverse(i) == pieces[i].reverse);
    }
    if (which.cuts()) {
      CHECK(suffix::find_flaw(cut, text.size(), from.starts(), from.lengths(), which) == std::nullopt);
      CHECK(suffix::find_contradiction(text, cut, which) == std::nullopt);
    }
  }

  suffix::build_options options;
  options.machine.device = where;
  options.rows = which.rows();
  auto const made = suffix::build<std::uint32_t>(text, {.lcp = true, .bwt = false}, options);
  REQUIRE((widened(made.sa) == sa));
  REQUIRE((widened(made.lcp) == lcp));
  CHECK_FALSE(suffix::check(text, suffix::arrays<std::uint32_t const>{made.sa, made.lcp, {}}, options).has_value());
}

}  // namespace

TEST_CASE("indexes of all policies are what the policies say", "[suffix][policy]") {
  random_numbers random(11);
  for (device const where : devices())
    for (suffix::policy const& which : all_policies()) {
      for (std::string_view const alphabet : {"ACGT", "AaN", "ACGTNRYSWKMBDHVacgtnry-", "ACGUNacu", "Nn", "nA"})
        expect_policy(random_records(random, alphabet), which, where);
      for (std::vector<std::string> const& records : {std::vector<std::string>{""}, {"", ""}, {"N"}, {"n", "A", ""}, {"NAN"}})
        expect_policy(records, which, where);
    }
}

TEST_CASE("both strands of RNA, and of codes of IUPAC", "[suffix][policy]") {
  suffix::fasta from;
  memory_source reading(">a\nACGU\n>b\nRYKMBVDHSWN\n");
  suffix::append_fasta(from, "text", reading);
  suffix::policy which;
  which.strands = strands::both;
  CHECK(suffix::cut_records(from, which, 1 << 20).view().residues == "ACGUACGURYKMBVDHSWNNWSDHBVKMRY");
}

TEST_CASE("texts that are no nucleotides are refused by policies that are for these", "[suffix][policy]") {
  std::string const protein = ">first\nACGT\n>second\nACDEF\n";
  suffix::policy which;
  which.masked = masked_letters::breaks;
  CHECK_NOTHROW(loaded(protein, which, device::cpu));
  which = {.strands = strands::both};
  CHECK_THROWS_WITH(loaded(protein, which, device::cpu),
                    "not a nucleotide: record 'second': letter 4 is 'E': an index of both strands needs nucleotides");
  which = {.ambiguous = ambiguous_letters::breaks};
  CHECK_THROWS_AS(loaded(protein, which, device::cpu), input_error);
  for (device const where : devices()) {
    which = {.ambiguous = ambiguous_letters::skip};
    suffix::loaded_fasta skips = loaded(protein, which, where);
    bytes_sink sa, residues;
    CHECK_THROWS_WITH(skips.build_into<std::uint32_t>({&sa}, residues, {}), contains_text("the text has the letter 'E'"));
  }
}

TEST_CASE("an index of a policy does not take more memory than it may", "[suffix][policy]") {
  suffix::fasta from;
  std::string const text = ">a\n" + std::string(1000, 'A') + "\n";
  memory_source reading(text);
  suffix::append_fasta(from, "text", reading);
  CHECK_NOTHROW(suffix::cut_records(from, {.strands = strands::both}, 2000 + 88));
  CHECK_THROWS_AS(suffix::cut_records(from, {.strands = strands::both}, 2000 + 87), out_of_memory);
}

TEST_CASE("pieces that contradict each other are refused", "[suffix][policy]") {
  suffix::policy const breaks{.ambiguous = ambiguous_letters::breaks}, both{.strands = strands::both};
  std::vector<std::uint64_t> const starts{0, 5}, lengths{7, 3};
  auto const flaw = [&](std::vector<std::uint64_t> const& columns, suffix::policy const& which, std::size_t residues) {
    return suffix::find_flaw(suffix::pieces(columns), residues, starts, lengths, which);
  };
  std::vector<std::uint64_t> const good{0, 2, 5, 0, 0, 2, 1, 4, 0};
  CHECK_FALSE(flaw(good, breaks, 8));
  CHECK(flaw(good, breaks, 9));
  CHECK(flaw(good, breaks, 4));
  CHECK(flaw(good, both, 8));
  CHECK(flaw({}, breaks, 8));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (std::uint64_t const value :
         {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{6}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      std::vector<std::uint64_t> bad = good;
      bad[i] = value;
      // The last piece may lie anywhere in its record, and so may the first if it ends before the second.
      bool const harmless = bad == good || (i == 6 && value < 2);
      INFO(i << " := " << value);
      CHECK(flaw(bad, breaks, 8).has_value() == !harmless);
    }
  std::vector<std::uint64_t> const strands_of_two{0, 7, 14, 17, 0, 1, 2, 3, 0, 0, 0, 0};
  auto const of_both = [&](std::vector<std::uint64_t> const& columns) {
    return suffix::find_flaw(suffix::pieces(columns), 20, std::vector<std::uint64_t>{0, 14}, lengths, both);
  };
  CHECK_FALSE(of_both(strands_of_two));
  for (std::size_t i = 0; i < strands_of_two.size(); ++i) {
    std::vector<std::uint64_t> bad = strands_of_two;
    ++bad[i];
    CHECK(of_both(bad).has_value());
  }
}

TEST_CASE("a text that is not of its pieces and policy is told", "[suffix][policy]") {
  suffix::fasta from;
  std::string const letters = ">a\nACGTTTGNNAC\n>b\nACG\n";
  memory_source reading(letters);
  suffix::append_fasta(from, "text", reading);
  for (suffix::policy const which : {suffix::policy{.strands = strands::both},
                                     {.strands = strands::both, .ambiguous = ambiguous_letters::breaks},
                                     {.ambiguous = ambiguous_letters::breaks}}) {
    suffix::cut_text const cut = suffix::cut_records(from, which, 1 << 20);
    suffix::text const text = cut.view();
    CHECK_FALSE(suffix::find_contradiction(text, cut.pieces(), which));
    for (std::size_t p = 0; p < text.size(); ++p)
      for (char const c : {'A', 'C', 'N'}) {
        std::string other(text.residues);
        if (other[p] == c) continue;
        other[p] = c;
        bool const seen = which.strands == strands::both || c == 'N';
        CHECK(suffix::find_contradiction({other, text.starts}, cut.pieces(), which).has_value() == seen);
      }
  }
}
