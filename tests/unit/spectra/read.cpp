#include <cmath>
#include <string>
#include <vector>

#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/read.hpp"
#include "tests/unit/spectra/cases.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

namespace {

using ordo::memory_source;
using namespace ordo::spectra;

/// Equal, where a NaN equals a NaN.
bool same(std::vector<double> const& a, std::vector<double> const& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("spectra of MGF as columns", "[spectra][read]") {
  std::string const text =
      "COM=head\nBEGIN IONS\nTITLE=a b\nPEPMASS=500.5\nCHARGE=2+\nRTINSECONDS=12\nMSLEVEL=2\nSCANS=7-9\nSEQ=PEPTIDE\n3 1\n1 0\n"
      "2.5 7\nEND IONS\nBEGIN IONS\nPEPMASS=400\nCHARGE=2-\nION_MOBILITY=0.75\n1 5\n1\nEND IONS\n\nBEGIN IONS\nTITLE=last\nEND "
      "IONS\n";
  for (std::size_t const block : block_sizes()) {
    sort_options options;
    options.chunk_bytes = block;
    memory_source from(text);
    spectrum_columns const all = read_spectra(from, options);
    CHECK(all.size() == 3);
    CHECK(all.mz == std::vector<double>{3, 1, 2.5, 1, 1});
    CHECK(same(all.intensity, {1, 0, 7, 5, missing}));
    CHECK(all.offsets == std::vector<std::uint64_t>{0, 3, 5, 5});
    CHECK(same(all.precursor_mz, {500.5, 400, missing}));
    CHECK(same(all.rt_seconds, {12, missing, missing}));
    CHECK(all.charge == std::vector<std::int32_t>{2, -2, 0});
    CHECK(all.ms_level == std::vector<std::uint32_t>{2, 0, 0});
    CHECK(all.scan == std::vector<std::int64_t>{7, -1, -1});
    CHECK(same(all.ion_mobility, {missing, 0.75, missing}));
    CHECK(all.polarity == std::vector<std::int8_t>{1, -1, 0});
    CHECK((all.sequences[0] == "PEPTIDE" && all.sequences[1].empty() && all.native_ids[2].empty()));
    CHECK((all.title(0) == "a b" && all.title(1).empty() && all.title(2) == "last"));
  }
}

TEST_CASE("spectra of nothing, and of what is not right, as columns", "[spectra][read]") {
  memory_source nothing("");
  spectrum_columns const none = read_spectra(nothing, {});
  CHECK((none.size() == 0 && none.mz.empty() && none.offsets == std::vector<std::uint64_t>{0}));
  memory_source bad("BEGIN IONS\n1 2\n");
  CHECK_THROWS_AS(read_spectra(bad, {}), ordo::input_error);
  memory_source other("<html>");
  CHECK_THROWS_AS(read_mzml_spectra(other, {}), ordo::input_error);
  ordo::growing_sink to;
  for (format const as : {format::mzml, format::mzxml})
    CHECK_THROWS_MATCHES(write_spectra(none, to, as), ordo::usage_error,
                         Catch::Matchers::Message("format not written: columns: neither MGF, MSP nor mzSpecLib"));
  CHECK(to.text().empty());
}

TEST_CASE("spectra of mzML as columns", "[spectra][read][mzml]") {
  using namespace mzml;
  document made;
  made.spectra.push_back({{mz({3, 1, 2}), intensity({1, 5, 7})}});
  made.spectra.push_back({{mz({1, 2}), intensity({1})}, 3});  // not of these m/z
  made.spectra.back().arrays[1].attributes = " arrayLength=\"1\"";
  made.spectra.push_back({{intensity({1, 2})}, 1, "", "", ""});  // no peaks
  std::string const text = text_of(made);
  for (std::size_t const block : {std::size_t{1}, std::size_t{1} << 20}) {
    sort_options options;
    options.chunk_bytes = block;
    memory_source from(text);
    spectrum_columns const all = read_mzml_spectra(from, options);
    REQUIRE(all.size() == 3);
    CHECK(all.mz == std::vector<double>{3, 1, 2, 1, 2});
    CHECK(same(all.intensity, {1, 5, 7, missing, missing}));
    CHECK(all.offsets == std::vector<std::uint64_t>{0, 3, 5, 5});
    CHECK(all.ms_level == std::vector<std::uint32_t>{2, 3, 1});
    CHECK((!all.title(0).empty() && all.title(0) != all.title(1)));
    CHECK(all.precursor_mz[0] == 445.34);
    CHECK(std::isnan(all.precursor_mz[2]));
  }
}
