#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/io.hpp"
#include "suffix/arrays/build.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/devices.hpp"
#include "tests/unit/suffix/text/texts.hpp"

using namespace ordo;

namespace {

constexpr std::size_t residues = 160000;

struct sample {
  char const* name;
  stored_text text;
  bool repeats;  // whether it is repetitive and may take more than the minimum
};

std::vector<sample> samples() {
  random_numbers random(1);
  std::vector<sample> all;
  all.push_back({"all equal", stored_text(std::string(residues, 'A')), true});
  all.push_back({"two letters in turn", stored_text(repeated("AC", residues)), true});
  std::string const genome = random_letters(random, "ACGT", residues / 4);
  std::vector<std::string> strains(4, genome);
  for (std::string& strain : strains)
    for (int k = 0; k < 100; ++k) strain[random.below(strain.size())] = 'C';
  all.push_back({"nearly identical", stored_text(strains), true});
  std::string runs = random_letters(random, "ACGT", residues);
  for (std::size_t k = 0; k < 40; ++k) {
    std::size_t const at = random.below(residues), size = std::min<std::size_t>(residues - at, 500 + random.below(2000));
    runs.replace(at, size, size, "NNNACT"[random.below(6)]);
  }
  all.push_back({"runs", stored_text({runs.substr(0, residues / 2), runs.substr(residues / 2)}), true});
  std::vector<std::string> families, proteins;
  for (int k = 0; k < 100; ++k) families.push_back(random_letters(random, "ACDEFGHIKLMNPQRSTVWY", 100 + random.below(400)));
  for (std::size_t n = 0; n < residues; n += proteins.back().size()) {
    std::string protein = families[random.below(families.size())];
    for (std::size_t k = 0; k < protein.size() / 20; ++k) protein[random.below(protein.size())] = 'A';
    proteins.push_back(protein.substr(random.below(50)));
  }
  all.push_back({"proteins", stored_text(proteins), true});
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

  made(suffix::text const& text, suffix::extra_arrays what)
      : sa(text.size()), lcp(what.lcp ? text.size() : 0), bwt(what.bwt ? text.size() + text.records() : 0, ' ') {}
  suffix::arrays<Index> arrays() { return {sa, lcp, bwt}; }
  suffix::arrays<Index const> arrays() const { return {sa, lcp, bwt}; }
};

// Checks that building and checking take the memory that is planned.
template <class Index>
void expect_plan(sample const& one, suffix::extra_arrays what, device where) {
  suffix::text const text = one.text.view();
  INFO(one.name << ": " << 8 * sizeof(Index) << " bits, lcp " << what.lcp << ", " << to_string(where));
  auto const plan = suffix::build_memory(where, text.size(), text.records(), sizeof(Index), what);
  made<Index> all(text, what);
  suffix::build_options options;
  options.machine.device = where;
  std::size_t const peak = where == device::cpu
                               ? suffix::detail::host_builder<Index>().build(text, {what, all.arrays(), {}}, options, 0)
                               : suffix::build<Index>(text, all.arrays(), options).device_memory;
  CHECK(plan.min_bytes <= plan.fast_bytes);
  CHECK(peak <= plan.max_bytes);
  if (!one.repeats) CHECK(peak <= plan.fast_bytes);
  // The plans are tight, too: on a GPU a text of one letter reaches one of them, random texts the other. The GPU's include some
  // room for CUB.
  std::size_t const room = where == device::cpu ? 0 : std::size_t{3} << 20;
  if (where == device::gpu && one.name == std::string("all equal")) CHECK(peak + room > plan.max_bytes - plan.max_bytes / 4);
  // On the CPU much of the plan is for letters of eight bits.
  if (!one.repeats) CHECK(peak + room > plan.fast_bytes - plan.fast_bytes / (where == device::cpu ? 2 : 4));

  std::size_t const check = suffix::check_memory(where, text.size(), text.records(), sizeof(Index), what);
  suffix::build_report report;
  std::optional<suffix::mismatch> fault;
  std::size_t const taken =
      where == device::cpu
          ? suffix::detail::host_builder<Index>().check(text, std::as_const(all).arrays(), options, 0, fault)
          : (fault = suffix::check<Index>(text, std::as_const(all).arrays(), options, &report), report.device_memory);
  CHECK_FALSE(fault.has_value());
  CHECK(taken <= check);
  CHECK(taken + room > check - check / 4);
}

}  // namespace

TEST_CASE("suffix arrays take the memory that is planned", "[suffix][memory]") {
  for (sample const& one : samples())
    for (device const where : devices())
      for (suffix::extra_arrays const what : {suffix::extra_arrays{}, suffix::extra_arrays{true, true}}) {
        expect_plan<std::uint32_t>(one, what, where);
        expect_plan<std::uint64_t>(one, what, where);
      }
}

TEST_CASE("a long text takes little more memory than the CPU needs", "[suffix][memory]") {
  std::size_t const n = 712'000'000, records = 1'036'027;
  auto const plan = suffix::build_memory(device::cpu, n, records, 4, {});
  CHECK(plan.min_bytes <= plan.fast_bytes);
  CHECK(plan.fast_bytes < 6 * n);
  CHECK(plan.min_bytes > 2 * n);
  machine_options machine;
  machine.device = device::cpu;
  std::size_t const plenty = std::size_t{1} << 40;
  CHECK(suffix::plan_build(n, records, 4, {}, machine, plenty).ranges == 16);
  CHECK(suffix::plan_build(n, records, 4, {}, machine, std::size_t{10'000'000'000}).ranges >=
        16);  // including text and results
  CHECK(suffix::plan_build(1000, 1, 4, {}, machine, plenty).ranges == 1);
  CHECK(suffix::plan_build(n, records, 4, {}, machine, plan.min_bytes).ranges == 0);
}

TEST_CASE("a limit on the memory of suffix arrays is kept", "[suffix][memory]") {
  for (sample const& one : samples()) {
    INFO(one.name);
    suffix::text const text = one.text.view();
    auto const plan = suffix::build_memory(device::cpu, text.size(), text.records(), 4, {});
    suffix::build_options options;
    options.machine.device = device::cpu;
    options.memory = one.repeats ? plan.max_bytes : plan.min_bytes;
    CHECK_NOTHROW(suffix::build(text, {}, options));
  }
  // Samples are not sorted by induction: repetition is detected while sorting.
  stored_text const stored(repeated("AC", residues));
  suffix::build_options options;
  options.machine.device = device::cpu;
  options.rows.sample = 2;
  auto const plan = suffix::build_memory(device::cpu, residues, 1, 4, {}, options.rows);
  options.memory = plan.max_bytes;
  CHECK_NOTHROW(suffix::build(stored.view(), {}, options));
  options.memory = plan.min_bytes;
  CHECK_THROWS_AS(suffix::build(stored.view(), {}, options), out_of_memory);
  CHECK_THROWS_WITH(suffix::build(stored.view(), {}, options),
                    contains_text("the text is repetitive: up to " + std::to_string(plan.max_bytes) + " bytes are needed, " +
                                  std::to_string(plan.min_bytes) + " are allowed"));
}

namespace {

// Builds part by part, as a GPU does, so that the order is never whole on the machine.
template <class Index, class Build>
made<Index> made_in_parts(suffix::text const& text, suffix::extra_arrays what, Build build) {
  made<Index> all(text, what);
  auto const bytes_of = [](auto& array) {
    return std::span(reinterpret_cast<char*>(array.data()), std::span(array).size_bytes());
  };
  memory_sink sa(bytes_of(all.sa)), lcp(bytes_of(all.lcp)), bwt(bytes_of(all.bwt));
  build(suffix::sinks{&sa, what.lcp ? &lcp : nullptr, what.bwt ? &bwt : nullptr});
  return all;
}

// Expects the same bytes in limited memory, or an error.
template <class Index>
void expect_within(std::size_t bytes, device where, sample const& one, suffix::extra_arrays what, made<Index> const& right) {
  suffix::text const text = one.text.view();
  auto const tried = [&](char const* way, bool surely, auto build) {
    INFO(way << " in " << bytes << " bytes");
    try {
      made<Index> const all = build();
      CHECK((all.sa == right.sa));
      CHECK((all.lcp == right.lcp));
      CHECK((all.bwt == right.bwt));
    } catch (out_of_memory const&) {
      CHECK_FALSE(surely);
    }
  };
  suffix::build_options options;
  if (where == device::gpu) {
    gpu machine({.memory_limit = bytes});
    options.machine.on = &machine;
    tried("a GPU", !one.repeats, [&] {
      return made_in_parts<Index>(text, what, [&](suffix::sinks const& to) { suffix::build_into<Index>(text, to, options); });
    });
    return;
  }
  options.memory = bytes;
  tried("the order kept", !one.repeats, [&] {
    made<Index> all(text, what);
    std::size_t const peak = suffix::detail::host_builder<Index>().build(text, {what, all.arrays(), {}}, options, 0);
    CHECK(peak <= bytes);
    return all;
  });
  tried("parts", false, [&] {
    return made_in_parts<Index>(text, what, [&](suffix::sinks const& to) {
      suffix::detail::host_builder<Index>().build(text, {what, {}, to}, options, 0);
    });
  });
}

}  // namespace

TEST_CASE("suffix arrays are the same in whatever memory", "[suffix][memory]") {
  for (sample const& one : samples()) {
    for (suffix::extra_arrays const what : {suffix::extra_arrays{}, suffix::extra_arrays{true, true}}) {
      INFO(one.name << ", lcp " << what.lcp);
      suffix::text const text = one.text.view();
      made<std::uint32_t> right(text, what);
      suffix::build<std::uint32_t>(text, right.arrays());
      for (device const where : devices()) {
        auto const plan = suffix::build_memory(where, text.size(), text.records(), 4, what);
        for (std::size_t k = 0; k <= 12; ++k)
          expect_within(plan.min_bytes + (plan.max_bytes - plan.min_bytes) * k / 12, where, one, what, right);
      }
    }
  }
}
