#include "spectra/chunk/reports.hpp"

#include "tests/unit/catch.hpp"

using namespace ordo::spectra;

namespace {

// A report whose counts are `first`, `first` + 1 and so on. The binding names every member: add new ones to report_counts() and
// to the tests below.
sort_report numbered(std::uint64_t first) {
  sort_report report;
  auto& [bytes, lines, spectra, peaks, reordered, written, spectra_kept, peaks_kept, missing_precursor, warnings, sent, machine,
         device_memory, phases] = report;
  for (std::uint64_t* const count : {&bytes, &lines, &spectra, &peaks, &reordered, &written, &spectra_kept, &peaks_kept,
                                     &missing_precursor, &warnings, &sent})
    *count = first++;
  device_memory = first;
  phases = {{.name = "read", .seconds = 1, .waited = 2, .bytes = first}};
  machine.reason = std::to_string(first);
  return report;
}

}  // namespace

TEST_CASE("spectra: the sum of two reports has every member", "[spectra]") {
  sort_report all = numbered(1000);
  sort_report more = numbered(1);
  more.phases.push_back({.name = "write", .seconds = 3, .waited = 4, .bytes = 5});
  detail::add(all, more);
  CHECK(all.bytes == 1000 + 1);
  CHECK(all.lines == 1001 + 2);
  CHECK(all.spectra == 1002 + 3);
  CHECK(all.peaks == 1003 + 4);
  CHECK(all.reordered == 1004 + 5);
  CHECK(all.written == 1005 + 6);
  CHECK(all.spectra_kept == 1006 + 7);
  CHECK(all.peaks_kept == 1007 + 8);
  CHECK(all.missing_precursor == 1008 + 9);
  CHECK(all.warnings == 1009 + 10);
  CHECK(all.sent == 1010 + 11);
  CHECK(all.device_memory == 1011);
  CHECK(all.machine.reason == "1011");
  REQUIRE(all.phases.size() == 2);
  CHECK(all.phases[0].seconds == 2);
  CHECK(all.phases[0].waited == 4);
  CHECK(all.phases[0].bytes == 1011 + 12);
  CHECK(all.phases[1].name == "write");
  CHECK(all.phases[1].bytes == 5);
}

TEST_CASE("spectra: the counts of a chunk are added to a report", "[spectra]") {
  sort_report all = numbered(1000);
  detail::add(all,
              {.bytes = 1,
               .lines = 2,
               .spectra = 3,
               .peaks = 4,
               .spectra_kept = 7,
               .peaks_kept = 8,
               .reordered = 5,
               .fixed_order = 100,
               .missing_precursor = 9},
              6);
  sort_report want = numbered(1000);
  std::uint64_t add = 0;
  for (std::uint64_t* const count : detail::report_counts(want)) *count += ++add <= 9 ? add : 0;
  auto const counts = detail::report_counts(all), wanted = detail::report_counts(want);
  for (std::size_t i = 0; i < counts.size(); ++i) CHECK(*counts[i] == *wanted[i]);
  CHECK(all.phases.size() == 1);
}

TEST_CASE("spectra: the counts of members are summed on each", "[spectra]") {
  ordo::run_members(3, [](ordo::communicator& members, ordo::cpu&) {
    sort_report report = numbered(100 * members.rank());
    detail::add_others(members, report);
    std::uint64_t want = 300;
    for (std::uint64_t const* const count : detail::report_counts(report)) {
      if (*count != want) throw std::logic_error("a count is not the sum");  // CHECK is not thread-safe
      want += 3;
    }
  });
}
