#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sort_core/error.hpp"
#include "suffix/build.hpp"
#include "tests/catch.hpp"
#include "tests/devices.hpp"
#include "tests/suffix_texts.hpp"

using namespace ordo;

namespace {

constexpr std::size_t residues = 160000;

struct sample {
  char const* name;
  stored_text text;
  bool repeats;                 // itself, so that it may take more than the least
  bool repeats_much = repeats;  // so that it surely does
};

std::vector<sample> samples() {
  random_numbers random(1);
  std::vector<sample> all;
  all.push_back({"all equal", stored_text(std::string(residues, 'A')), true});
  std::string const genome = random_letters(random, "ACGT", residues / 4);
  std::vector<std::string> strains(4, genome);
  for (std::string& strain : strains)
    for (int k = 0; k < 100; ++k) strain[random.below(strain.size())] = 'C';
  all.push_back({"nearly identical", stored_text(strains), true});
  std::vector<std::string> families, proteins;
  for (int k = 0; k < 100; ++k) families.push_back(random_letters(random, "ACDEFGHIKLMNPQRSTVWY", 100 + random.below(400)));
  for (std::size_t n = 0; n < residues; n += proteins.back().size()) {
    std::string protein = families[random.below(families.size())];
    for (std::size_t k = 0; k < protein.size() / 20; ++k) protein[random.below(protein.size())] = 'A';
    proteins.push_back(protein.substr(random.below(50)));
  }
  all.push_back({"proteins", stored_text(proteins), true, false});
  all.push_back({"random", stored_text(random_letters(random, "ACGT", residues)), false});
  std::vector<std::string> reads(residues / 4);
  for (std::string& read : reads) read = random_letters(random, "ACGT", 4);
  all.push_back({"many records", stored_text(reads), false});
  all.push_back({"every byte", stored_text(random_letters(random, all_bytes(), residues)), false});
  return all;
}

template <class Index>
struct made {
  std::vector<Index> sa, lcp;
  std::string bwt;

  made(suffix::text const& text, suffix::wanted what)
      : sa(text.size()), lcp(what.lcp ? text.size() : 0), bwt(what.bwt ? text.size() + text.records() : 0, ' ') {}
  suffix::arrays<Index> arrays() { return {sa, lcp, bwt}; }
  suffix::arrays<Index const> arrays() const { return {sa, lcp, bwt}; }
};

// What building and checking take, beside what they are planned to take.
template <class Index>
void expect_plan(sample const& one, suffix::wanted what, device where) {
  suffix::text const text = one.text.view();
  INFO(one.name << ": " << 8 * sizeof(Index) << " bits, lcp " << what.lcp << ", " << to_string(where));
  auto const plan = suffix::memory_needed(where, text.size(), text.records(), sizeof(Index), what);
  made<Index> all(text, what);
  suffix::options how;
  how.machine.where = where;
  std::size_t const peak = where == device::cpu ? suffix::detail::build_on_host<Index>(text, {what, all.arrays(), {}}, how)
                                                : suffix::build<Index>(text, all.arrays(), how).device_memory;
  CHECK(peak <= plan.most);
  if (!one.repeats) CHECK(peak <= plan.least);
  // Nor are the plans idle: the one is reached by a text of one letter, the other by random ones. The GPU's hold some room for
  // what CUB takes.
  std::size_t const room = where == device::cpu ? 0 : std::size_t{3} << 20;
  if (one.name == std::string("all equal")) CHECK(peak + room > plan.most - plan.most / 4);
  if (!one.repeats) CHECK(peak + room > plan.least - plan.least / 4);
  if (one.repeats_much && where == device::cpu) CHECK(peak > plan.least);

  std::size_t const check = suffix::memory_for_check(where, text.size(), text.records(), sizeof(Index));
  suffix::report report;
  std::optional<suffix::fault> fault;
  std::size_t const taken =
      where == device::cpu
          ? suffix::detail::check_on_host<Index>(text, std::as_const(all).arrays(), how, fault)
          : (fault = suffix::check<Index>(text, std::as_const(all).arrays(), how, &report), report.device_memory);
  CHECK_FALSE(fault.has_value());
  CHECK(taken <= check);
  CHECK(taken + room > check - check / 4);
}

}  // namespace

TEST_CASE("suffix arrays take the memory that is planned", "[suffix][memory]") {
  for (sample const& one : samples())
    for (device const where : devices())
      for (suffix::wanted const what : {suffix::wanted{}, suffix::wanted{true, true}}) {
        expect_plan<std::uint32_t>(one, what, where);
        expect_plan<std::uint64_t>(one, what, where);
      }
}

TEST_CASE("a limit on the memory of suffix arrays is kept", "[suffix][memory]") {
  for (sample const& one : samples()) {
    INFO(one.name);
    suffix::text const text = one.text.view();
    auto const plan = suffix::memory_needed(device::cpu, text.size(), text.records(), 4, {});
    suffix::options how;
    how.machine.where = device::cpu;
    how.memory = one.repeats ? plan.most : plan.least;
    CHECK_NOTHROW(suffix::build(text, {}, how));
    if (!one.repeats_much) continue;
    how.memory = plan.least;
    CHECK_THROWS_AS(suffix::build(text, {}, how), out_of_memory);
    CHECK_THROWS_WITH(suffix::build(text, {}, how),
                      contains_text("the text repeats itself: up to " + std::to_string(plan.most) + " bytes are needed, " +
                                    std::to_string(plan.least) + " may be taken"));
  }
}
