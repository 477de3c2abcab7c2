#include <string>
#include <vector>

#include "ordo/spectra/spectrum.hpp"
#include "tests/unit/catch.hpp"

namespace {

using namespace ordo::spectra;
using taken = mgf_header::taken;

taken take(std::string_view line) {
  return mgf_header().take(line);
}

std::vector<int> charges(std::string const& value) {
  mgf_header header;
  CHECK(header.take("CHARGE=" + value) == taken::read);
  auto const read = header.done();
  return {read.charges.begin(), read.charges.end()};
}

}  // namespace

TEST_CASE("the header of a spectrum", "[spectra][header]") {
  auto const header = read_mgf_header(
      "BEGIN IONS\r\n# TITLE=no\r\n\tTITLE= a = b \r\nPEPMASS=401.25 1e3 "
      "2+\r\nRTINSECONDS=12.5-13\r\nSCANS=17,18\r\nMSLEVEL=2\r\n"
      "CHARGE=3+ and 2+\r\n100 5\r\nTITLE=later\r\nEND IONS\r\nBEGIN IONS\r\nTITLE=other\r\nEND IONS\r\n");
  CHECK(header.title == "a = b");
  CHECK(header.precursor_mz == 401.25);
  CHECK(header.precursor_intensity == 1000);
  CHECK(std::vector<int>(header.charges.begin(), header.charges.end()) == std::vector<int>{3, 2});
  CHECK(header.rt_seconds == 12.5);
  CHECK(header.scan == 17u);
  CHECK(header.ms_level == 2u);
  CHECK(*neutral_mass(header) == Approx((401.25 - proton_mass) * 3));
}

TEST_CASE("what a header lacks is missing", "[spectra][header]") {
  auto const none = read_mgf_header("BEGIN IONS\nPEPMASS=\nCHARGE=\nSCANS=\n1 2\nEND IONS");
  CHECK(!none.title);
  CHECK(!none.precursor_mz);
  CHECK(!none.precursor_intensity);
  CHECK(none.charges.empty());
  CHECK(!none.rt_seconds);
  CHECK(!none.scan);
  CHECK(!none.ms_level);
  CHECK(!neutral_mass(none));
  CHECK(read_mgf_header("BEGIN IONS\nTITLE=\nEND IONS").title == "");

  CHECK(read_mgf_header("BEGIN IONS\nPEPMASS=0.0 5\nPRECURSOR_MZ=55.5\n").precursor_mz == 55.5);
  CHECK(read_mgf_header("BEGIN IONS\nPRECURSOR_MZ=55.5\nPEPMASS=7\n").precursor_mz == 7.0);
  CHECK(read_mgf_header("BEGIN IONS\nPEPMASS=7\nPEPMASS=8\n").precursor_mz == 7.0);
  CHECK(read_mgf_header("BEGIN IONS\nPEPMASS=7 1 2-\n").charges.front() == -2);
  CHECK(read_mgf_header("BEGIN IONS\nPEPMASS=7 1 2\nCHARGE=0\n").charges.front() == 2);
}

TEST_CASE("charges as they are written", "[spectra][header]") {
  CHECK(charges("2+") == std::vector{2});
  CHECK(charges("12") == std::vector{12});
  CHECK(charges("-2") == std::vector{-2});
  CHECK(charges("2-") == std::vector{-2});
  CHECK(charges("2+ and 3+") == std::vector{2, 3});
  CHECK(charges("2+,3+") == std::vector{2, 3});
  CHECK(charges("1, 2,3") == std::vector{1, 2, 3});
  CHECK(charges("0").empty());
  CHECK(charges("").empty());
  CHECK(charges("1 2 3 4 5 6 7 8 9").size() == 8);
  CHECK(*neutral_mass(read_mgf_header("BEGIN IONS\nPEPMASS=100\nCHARGE=2-\n")) == Approx((100 + proton_mass) * 2));
}

TEST_CASE("what is no number in a header is told", "[spectra][header]") {
  CHECK(take("PEPMASS=281,2013306") == taken::not_a_number);
  CHECK(take("PEPMASS=nan") == taken::not_a_number);
  CHECK(take("PRECURSOR_MZ=x") == taken::not_a_number);
  CHECK(take("CHARGE=two") == taken::not_a_number);
  CHECK(take("CHARGE=2000000000") == taken::not_a_number);
  CHECK(take("RTINSECONDS=PT5S") == taken::not_a_number);
  CHECK(take("SCANS=a1") == taken::not_a_number);
  CHECK(take("pepmass=5") == taken::other);
  CHECK(take("100.5 7") == taken::other);
  CHECK(take("TITLE") == taken::other);
  mgf_header header;
  header.take("PEPMASS=1,5");
  CHECK(!header.done().precursor_mz);
}
