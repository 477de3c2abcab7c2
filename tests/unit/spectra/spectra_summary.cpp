#include <string>

#include "ordo/spectra/summary.hpp"
#include "tests/unit/spectra/spectra_cases.hpp"

namespace {

using ordo::memory_source;
using namespace ordo::spectra;

summary summary_of(std::string_view text, sort_options options = {}) {
  std::optional<summary> first;
  for (std::size_t const block : block_sizes()) {
    options.chunk_bytes = block;
    memory_source from(text);
    summary const one = summarize(from, options);
    if (!first) first = one;
    CHECK(one.peak_counts == first->peak_counts);
    CHECK(one.duplicates == first->duplicates);
    CHECK(one.charges == first->charges);
    CHECK(one.lines == first->lines);
  }
  return *first;
}

}  // namespace

TEST_CASE("a summary of spectra", "[spectra][summary]") {
  std::string const text =
      "COM=head\nBEGIN IONS\nTITLE=a\nPEPMASS=500.5\nCHARGE=2+\nRTINSECONDS=12\nSCANS=5\nMSLEVEL=2\n3 1\n1 0\n2 7\n3 2\nEND "
      "IONS\n"
      "BEGIN IONS\nTITLE=b\nPEPMASS=400\nCHARGE=2-\n1 5\n1\n1 8\nEND IONS\n\nBEGIN IONS\nEND IONS\n";
  summary const all = summary_of(text);
  CHECK(all.bytes == text.size());
  CHECK(all.lines == 24);
  CHECK(all.spectra == 3);
  CHECK(all.peaks == 7);
  CHECK(all.in_order == 2);
  CHECK(all.zeros == 1);
  CHECK(all.without_intensity == 1);
  CHECK(all.duplicates == 3);
  CHECK(all.titles == 2);
  CHECK(all.scans == 1);
  CHECK(all.warnings == 0);
  CHECK(all.peak_counts == std::map<std::uint64_t, std::uint64_t>{{0, 1}, {3, 1}, {4, 1}});
  CHECK(all.peaks_at(0) == 0);
  CHECK(all.peaks_at(0.5) == 3);
  CHECK(all.peaks_at(1) == 4);
  CHECK((all.mz.min == 1 && all.mz.max == 3 && all.mz.count == 7));
  CHECK((all.intensity.min == 0 && all.intensity.max == 8 && all.intensity.count == 6));
  CHECK((all.precursor_mz.min == 400 && all.precursor_mz.max == 500.5 && all.precursor_mz.count == 2));
  CHECK((all.rt_seconds.count == 1 && all.rt_seconds.min == 12));
  CHECK(all.charges == std::map<int, std::uint64_t>{{-2, 1}, {0, 1}, {2, 1}});
  CHECK(all.ms_levels == std::map<unsigned, std::uint64_t>{{2, 1}});
}

TEST_CASE("a summary of nothing, and of what is not right", "[spectra][summary]") {
  summary const nothing = summary_of("");
  CHECK(nothing.spectra == 0);
  CHECK(nothing.peaks_at(0.5) == 0);
  CHECK(nothing.mz.count == 0);
  CHECK(summary_of("BEGIN IONS\nPEPMASS=1,5\nSCANS=x\n1 2\nEND IONS\n").warnings == 2);
  CHECK_THROWS_AS(summary_of("BEGIN IONS\n300,5 1\nEND IONS\n"), ordo::input_error);
  CHECK(summary_of("BEGIN IONS\n300,5 1\n1 1\nEND IONS\n", lenient()).peaks == 1);
}
