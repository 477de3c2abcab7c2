#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra/import.hpp"
#include "spectra/encoding/binary_array.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// mzXML and MSP, which are read and written as MGF.
namespace {

using namespace ordo::spectra;
using mzml::replaced;

/// Sorts an input to MGF, by chunks of several sizes.
/// @returns the output, or the error message
std::string to_mgf(std::string_view text, format from, sort_options options = {}) {
  std::optional<std::string> first;
  options.name = "f";
  options.machine.device = ordo::device::cpu;
  for (std::size_t const bytes : {std::size_t{1} << 20, std::size_t{1}, std::size_t{300}}) {
    options.chunk_bytes = bytes;
    options.machine.threads = bytes == 1 ? 1 : 3;
    ordo::memory_source source(text);
    ordo::growing_sink sink;
    std::string message;
    try {
      auto const done = sort_to_mgf(source, sink, options, from);
      CHECK(done.bytes == text.size());
      message = sink.text();
    } catch (ordo::input_error const& e) {
      message = e.what();
    }
    if (!first) first = message;
    CHECK(message == *first);
  }
  return *first;
}

struct peak {
  double mz, intensity;
};

std::string peaks_text(std::vector<peak> const& peaks, unsigned precision, bool zlib) {
  std::string bytes;
  auto const add = [&](auto bits) {
    for (std::size_t i = sizeof bits; i-- != 0;) bytes += char(bits >> (8 * i));
  };
  for (auto const& one : peaks)
    for (double const value : {one.mz, one.intensity}) {
      if (precision == 32)
        add(std::bit_cast<std::uint32_t>(float(value)));
      else
        add(std::bit_cast<std::uint64_t>(value));
    }
  detail::binary_array array;
  array.compression = zlib ? detail::packing::zlib : detail::packing::none;
  detail::array_codec codec;
  std::string base64;
  codec.pack(array, bytes, base64);
  return fmt::format("<peaks precision=\"{}\" byteOrder=\"network\" contentType=\"m/z-int\" compressionType=\"{}\">{}</peaks>",
                     precision, zlib ? "zlib" : "none", base64);
}

std::string scan_text(std::size_t number, int level, std::vector<peak> const& peaks, std::string const& inner,
                      unsigned precision = 32, bool zlib = false) {
  return fmt::format("<scan num=\"{}\" msLevel=\"{}\" peaksCount=\"{}\" retentionTime=\"PT1M{}.5S\" polarity=\"+\">\n{}\n{}\n",
                     number, level, peaks.size(), number, inner, peaks_text(peaks, precision, zlib));
}

std::string const precursor = R"(<precursorMz precursorIntensity="7" precursorCharge="2">445.5</precursorMz>)";

std::string run_of(std::string const& scans) {
  return "<?xml version=\"1.0\"?>\n<mzXML xmlns=\"x\"><msRun>\n<parentFile fileName=\"C:\\a/run.1.raw\"/>\n" + scans +
         "</msRun>\n<index name=\"scan\"><offset id=\"1\">9</offset></index></mzXML>\n";
}

std::string mgf(std::size_t number, std::string const& peaks, std::string const& charge = "CHARGE=2+\n") {
  return fmt::format("BEGIN IONS\nTITLE=run.1.{0}.{0}.{1}\nRTINSECONDS={2}.5\nPEPMASS=445.5{3}\n{4}SCANS={0}\n{5}END IONS\n",
                     number, charge.empty() ? "" : "2", 60 + number, charge.empty() ? "" : " 7", charge, peaks);
}

std::string small_run() {
  return run_of(scan_text(1, 1, {{5, 1}}, "") + scan_text(2, 2, {{200.25, 3}, {100.5, 4.5}}, precursor) + "</scan>" +
                scan_text(3, 2, {{300, 1}, {100.125, 2}}, precursor, 64, true) + "</scan></scan>\n");
}

std::string const small_library =
    "Name: One\r\nPrecursorMZ: 445.5\r\nPrecursor_type: [M+H]+\r\nIon_mode: P\r\nCharge: 2\r\n"
    "RETENTIONTIME: 1.5\r\nNum Peaks: 2\r\n200.5\t10\t\"b; 2\"\r\n100.25\t20.5\r\n\r\n"
    "NAME: PEPTIDE/3_1\nMW: 1\nComment: \"x\" Parent=300.5 Mods=0\nNum peaks: 4\n5 1; 4 2; 3 3;\n2 4;\n"
    "Name: Three\nNum Peaks: 0\n\n\n# a comment\nName: Four\nPRECURSORMZ: 9\nIONMODE: Negative\nCharge: 1\n"
    "Num Peaks: 4\n1 2 3 4\n5 6 an ion 2\n7 8\n";

}  // namespace

TEST_CASE("import: mzXML becomes MGF") {
  CHECK(to_mgf(small_run(), format::mzxml) == mgf(2, "100.5 4.5\n200.25 3\n") + mgf(3, "100.125 2\n300 1\n"));
  // Whatever the precision and compression are, and whether scans are in one another.
  for (unsigned const precision : {32, 64})
    for (bool const zlib : {false, true}) {
      std::string const one = scan_text(4, 2, {{3, 1}, {2, 2}, {2, 1}}, precursor, precision, zlib);
      CHECK(to_mgf(run_of(one + "</scan>"), format::mzxml) == mgf(4, "2 2\n2 1\n3 1\n"));
      CHECK(to_mgf(run_of(scan_text(1, 1, {}, "", precision, zlib) + one + "</scan></scan>"), format::mzxml) ==
            mgf(4, "2 2\n2 1\n3 1\n"));
    }
  // A scan without peaks may have a pair of zeros, or no tag for them.
  std::string const filled = replaced(scan_text(5, 2, {}, precursor), "></peaks>", ">AAAAAAAAAAA=</peaks>");
  CHECK(to_mgf(run_of(filled + "</scan>"), format::mzxml) == mgf(5, ""));
  std::string const bare = "<scan num=\"5\" msLevel=\"2\" peaksCount=\"0\" retentionTime=\"PT65.5S\">" + precursor;
  CHECK(to_mgf(run_of(bare + "</scan>"), format::mzxml) == mgf(5, ""));
  CHECK(to_mgf(run_of(bare + "<peaks/>" + scan_text(6, 2, {{1, 1}}, precursor) + "</scan></scan>"), format::mzxml) ==
        mgf(5, "") + mgf(6, "1 1\n"));
  CHECK(to_mgf(run_of(bare + scan_text(6, 2, {{1, 1}}, precursor) + "</scan></scan>"), format::mzxml) ==
        mgf(5, "") + mgf(6, "1 1\n"));
  // Spectra without precursor are left out; negative ions have negative charges.
  CHECK(to_mgf(run_of(scan_text(7, 2, {{1, 1}}, "") + "</scan>"), format::mzxml).empty());
  std::string const negative =
      replaced(run_of(scan_text(7, 2, {{1, 1}}, precursor) + "</scan>"), "polarity=\"+\"", "polarity=\"-\"");
  CHECK(to_mgf(negative, format::mzxml).find("\nCHARGE=2-\n") != std::string::npos);
  CHECK(to_mgf(run_of(""), format::mzxml).empty());

  sort_options options;
  options.select.top = 1;
  options.by = sort_key::intensity;
  CHECK(to_mgf(small_run(), format::mzxml, options) == mgf(2, "100.5 4.5\n") + mgf(3, "100.125 2\n"));
  options.choice.scans.ranges = {{3, 9}};
  CHECK(to_mgf(small_run(), format::mzxml, options) == mgf(3, "100.125 2\n"));
}

TEST_CASE("import: what is wrong in mzXML is named with its line") {
  std::string const good = small_run();
  struct {
    char const *what, *by, *message;
  } const all[]{
      {"</msRun>", "", "malformed XML: f:15: mismatched tag"},
      {"peaksCount=\"2\"", "peaksCount=\"3\"", "not a binary array: f:9: it does not hold 6 numbers of 4 bytes"},
      {"peaksCount=\"2\"", "peaksCount=\"x\"", "not a number: f:7: peaksCount is 'x'"},
      {"peaksCount=\"2\"", "", "not mzXML: f:7: a scan without peaksCount"},
      {"peaksCount=\"1\"", "peaksCount=\"0\"", "not a binary array: f:6: it holds peaks, where peaksCount is 0"},
      {"445.5", "abc", "not a number: f:8: precursorMz is 'abc'"},
      {"PT1M1.5S", "PT1Y", "not a duration: f:4: retentionTime is 'PT1Y'"},
      {"precision=\"32\"", "precision=\"16\"", "peaks not supported: f:6: precision is '16'"},
      {"m/z-int", "m/z ruler", "peaks not supported: f:6: contentType is 'm/z ruler'"},
      {"compressionType=\"zlib\"", "compressionType=\"x\"", "peaks not supported: f:12: compressionType is 'x'"},
      {"network", "little", "peaks not supported: f:6: byteOrder is 'little'"},
      {"</peaks>", "<a/></peaks>", "not mzXML: f:6: a tag between <peaks> and </peaks>"},
      {"</peaks>", "*</peaks>", "not a binary array: f:6: it is no base64"},
      {"<mzXML", "<mzML", "not mzXML: f:2: its first tag is <mzML>"},
      {"<mzXML", "<!DOCTYPE x><mzXML", "document type: f:2: neither mzML nor mzXML has one"},
  };
  for (auto const& [what, by, message] : all) {
    CAPTURE(what, by);
    CHECK(to_mgf(replaced(good, what, by), format::mzxml) == message);
  }
  CHECK(to_mgf("", format::mzxml) == "malformed XML: f:1: no element found");
  CHECK(to_mgf(good.substr(0, good.find("</peaks>")), format::mzxml) ==
        "truncated: f:4: the input ends inside the scan that begins here");
}

TEST_CASE("import: MSP becomes MGF") {
  std::string const expected =
      "BEGIN IONS\nTITLE=One\nRTINSECONDS=90\nPEPMASS=445.5\nCHARGE=2+\nNAME=One\nADDUCT=[M+H]+\nIONMODE=positive\n"
      "100.25 20.5\n200.5 10\nEND IONS\n"
      "BEGIN IONS\nTITLE=PEPTIDE/3_1\nPEPMASS=300.5\nCHARGE=3+\nNAME=PEPTIDE/3_1\nMW=1\n"
      "COMMENT=\"x\" Parent=300.5 Mods=0\n2 4\n3 3\n4 2\n5 1\nEND IONS\n"
      "BEGIN IONS\nTITLE=Three\nPEPMASS=0\nNAME=Three\nEND IONS\n"
      "BEGIN IONS\nTITLE=Four\nPEPMASS=9\nCHARGE=1-\nNAME=Four\nIONMODE=negative\n1 2\n3 4\n5 6\n7 8\nEND IONS\n";
  CHECK(to_mgf(small_library, format::msp) == expected);
  CHECK(to_mgf("\xef\xbb\xbf" + small_library, format::msp) == expected);
  CHECK(to_mgf(small_library.substr(0, small_library.size() - 1), format::msp) == expected);
  CHECK(to_mgf("", format::msp).empty());
  CHECK(detect_format("\n\nName: a\n") == format::msp);
  CHECK(detect_format("<mzXML>") == format::mzxml);

  // Without a charge, the type of the precursor has it.
  for (auto const& [type, charge] : std::vector<std::pair<std::string, std::string>>{{"[M+H]+", "CHARGE=1+\n"},
                                                                                     {"[M-H]-", "CHARGE=1-\n"},
                                                                                     {"[M+2H]2+", "CHARGE=2+\n"},
                                                                                     {"[M-2H]2-", "CHARGE=2-\n"},
                                                                                     {"M+", ""},
                                                                                     {"[M]", ""}})
    CHECK(to_mgf("Name: a\nPrecursorMZ: 3\nPrecursor_type: " + type + "\nNum Peaks: 1\n1 2\n", format::msp) ==
          "BEGIN IONS\nTITLE=a\nPEPMASS=3\n" + charge + "NAME=a\nADDUCT=" + type + "\n1 2\nEND IONS\n");

  ordo::memory_source source(small_library);
  auto const read = read_spectra(source, {}, format::msp);
  CHECK(read.mz == std::vector<double>{200.5, 100.25, 5, 4, 3, 2, 1, 3, 5, 7});
  CHECK(read.charge == std::vector<std::int32_t>{2, 3, 0, -1});
  ordo::memory_source again(small_library);
  auto const first = check(again, {}, format::msp).first;
  REQUIRE(first);
  CHECK(first->line == 1);
  CHECK(first->title == "One");
  CHECK(first->peak == "100.25 20.5");
  ordo::memory_source once_more(small_library);
  CHECK(summarize(once_more, {}, format::msp).spectra == 4);
}

TEST_CASE("import: what is wrong in MSP is named with its line") {
  struct {
    char const *what, *by, *message;
  } const all[]{
      {"Num Peaks: 2", "Num Peaks: 3", "not MSP: f:1: the record that begins here has 2 peaks, where Num Peaks is 3"},
      {"Num Peaks: 2", "Num Peaks: 1", "not MSP: f:1: the record that begins here has 2 peaks, where Num Peaks is 1"},
      {"Num Peaks: 2", "Num Peaks: x", "not MSP: f:7: Num Peaks is 'x'"},
      {"PrecursorMZ: 445.5", "PrecursorMZ: x", "not MSP: f:2: PrecursorMZ is 'x', which is no number"},
      {"100.25\t20.5", "100.25\tx", "not MSP: f:9: '100.25\tx' is no peak"},
      {"4 2;", "4;", "not MSP: f:15: '5 1; 4; 3 3;' is no peak"},
      {"445.5", "445,5", "not MSP: f:2: PrecursorMZ is '445,5', which is no number"},
      {"1.5", "1,5", "not MSP: f:6: RETENTIONTIME is '1,5', which is no number"},
      {"200.5\t10", "200,5 10", "not MSP: f:8: '200,5 10\t\"b; 2\"' is no peak"},
      {"Charge: 2", "Charge 2", "not MSP: f:5: 'Charge 2' is no line \"key: value\""},
      {"Num Peaks: 2\r\n", "\r\n", "not MSP: f:1: the record that begins here has no Num Peaks:"},
      {"# a", "a", "not MSP: f:21: 'a comment' where a record begins with a line \"key: value\""},
  };
  for (auto const& [what, by, message] : all) {
    CAPTURE(what, by);
    CHECK(to_mgf(replaced(small_library, what, by), format::msp) == message);
  }
}

namespace {

struct flavour {
  char const *of, *text, *expected;
};

// Records as programs write them.
constexpr flavour flavours[]{
    {"matchms, with its keys in capitals",
     "COMPOUND_NAME: foo\nCHARGE: 1\nPRECURSOR_MZ: 100.1\nIONMODE: positive\nNUM PEAKS: 2\n60.0\t2.0\n50.0\t1.0\n\n"
     "COMPOUND_NAME: bar\nADDUCT: [M-2H]2-\nPRECURSOR_MZ: N/A\nIONMODE: N/A\nNUM PEAKS: 0\n\n",
     "BEGIN IONS\nTITLE=foo\nPEPMASS=100.1\nCHARGE=1+\nNAME=foo\nIONMODE=positive\n50 1\n60 2\nEND IONS\nBEGIN IONS\n"
     "TITLE=bar\nPEPMASS=0\nCHARGE=2-\nNAME=bar\nADDUCT=[M-2H]2-\nEND IONS\n"},
    {"the name in the middle, the number of peaks before it",
     "NUM PEAKS: 1\nSMILES: [H]\nNAME: a\nIONIZATION_MODE: NSI\nPRECURSOR_MZ: 3\n1 2\n\nNUM PEAKS: 1\nSMILES: C\nNAME: b\n3 "
     "4\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=3\nSMILES=[H]\nNAME=a\nIONIZATION_MODE=NSI\n1 2\nEND IONS\nBEGIN IONS\nTITLE=b\n"
     "PEPMASS=0\nSMILES=C\nNAME=b\n3 4\nEND IONS\n"},
    {"a synonym first, as NAME is not the first of its records",
     "SYNONYM: x\nNAME: a\nNum Peaks: 1\n1 2\nSYNONYM: y\nNAME: b\nNum Peaks: 1\n3 4\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nSYNON=x\nNAME=a\n1 2\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nSYNON=y\n"
     "NAME=b\n3 4\nEND IONS\n"},
    {"msPurity, and lines that end twice",
     "RECORD_TITLE: a | b\r\r\nMS$FOCUSED_ION: PRECURSOR_M/Z 150.5\r\r\nAC$CHROMATOGRAPHY: RETENTION_TIME 90 s\r\r\n"
     "MS$FOCUSED_ION: PRECURSOR_TYPE [M-H]-\r\r\nAC$MASS_SPECTROMETRY: ION_MODE NEGATIVE\r\r\nCH$NAME: c\r\r\n"
     "PK$NUM_PEAK: 2\r\r\nPK$PEAK: m/z int. rel.int.\r\r\n104.5\t16\t100\r\r\n102.5\t4\t25\r\n\r\r\n"
     "RECORD_TITLE: d\r\r\nPK$NUM_PEAK: 0\r\r\nPK$PEAK: m/z int. rel.int.\r\r\n",
     "BEGIN IONS\nTITLE=a | b\nRTINSECONDS=90\nPEPMASS=150.5\nCHARGE=1-\nADDUCT=[M-H]-\nIONMODE=negative\nNAME=c\n"
     "102.5 4\n104.5 16\nEND IONS\nBEGIN IONS\nTITLE=d\nPEPMASS=0\nEND IONS\n"},
    {"SpectraST, with its head",
     "### x.sptxt  (Text version of x.splib)\n### SpectraST (version 5.0)\n### ===\nName: PEPTIDER/2\nLibID: 0\n"
     "PrecursorMZ: 478.25\nFullName: K.PEPTIDER.D/2\nComment: AvePrecursorMz=478.3\nNumPeaks: 2\n"
     "175.5\t1000.0\ty1/0.00\t2/2 0.001|0.1\n98.5\t500.0\tb1/0.01,a2/0.00\t2/2 0.001|0.1\n\n",
     "BEGIN IONS\nTITLE=PEPTIDER/2\nPEPMASS=478.25\nCHARGE=2+\nNAME=PEPTIDER/2\nLIBID=0\nFULLNAME=K.PEPTIDER.D/2\n"
     "COMMENT=AvePrecursorMz=478.3\n98.5 500\n175.5 1000\nEND IONS\n"},
    {"GOLM, with colons", "Name: a\nNum Peaks: 4\n70:10 81:7 77:1000 78:110 \n\nName: b\nNum Peaks: 1\n90:10 \"x: y\"\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n70 10\n77 1000\n78 110\n81 7\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\n"
     "NAME=b\n90 10\nEND IONS\n"},
    {"AMDIS, with parentheses",
     "\nNAME:a\nSOURCE:C:\\a b.MSL\nNUM PEAKS:  6 \n(  50   10) ( 104   18) (  52    5) ( 53 7)\n( 55 102) (51 100) \n\n"
     "NAME:b\nNUM PEAKS: 3\n(1,2)(3, 4); (5:6)\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\nSOURCE=C:\\a b.MSL\n50 10\n51 100\n52 5\n53 7\n55 102\n104 18\n"
     "END IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nNAME=b\n1 2\n3 4\n5 6\nEND IONS\n"},
    {"numbers after a peak, and annotations with semicolons",
     "Name: a\nNum Peaks: 2\n1 2 0.5 7\n3 4 0.25 8\n\nName: b\nNum Peaks: 2\n3 4 C6H9;C12H18 2/2\n1 2 ?\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n1 2\n3 4\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nNAME=b\n1 2\n3 4\n"
     "END IONS\n"},
    {"comments, a byte order mark, and a Ctrl-Z at the end",
     "# a comment\n\n\xef\xbb\xbfName: a\nNum Peaks: 1\n1 2\n# between\n\nName: b\nNum Peaks: 1\n3 4\n\x1a",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n1 2\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nNAME=b\n3 4\nEND IONS\n"},
    {"empty lines between all lines", "Name: a\n\nMW: 1\n\nNum Peaks: 2\n\n3 4\n\n1 2\n\nName: b\n\nNum Peaks: 0\n\n",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\nMW=1\n1 2\n3 4\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nNAME=b\n"
     "END IONS\n"},
    {"lines that end with CR alone", "Name: a\rNum Peaks: 1\r1 2\r\rName: b\rNum Peaks: 1\r3 4\r",
     "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n1 2\nEND IONS\nBEGIN IONS\nTITLE=b\nPEPMASS=0\nNAME=b\n3 4\nEND IONS\n"},
    {"MetaMorpheus, peptides with a crosslink",
     "Name: A(1)B(2)/3\nMW: 7\nComment: Parent=7.5 RT=1\nNum alpha peaks: 1, Num beta peaks: 1\n3 4 \"y1\"\n1 2 \"b1\"\n",
     "BEGIN IONS\nTITLE=A(1)B(2)/3\nPEPMASS=7.5\nCHARGE=3+\nNAME=A(1)B(2)/3\nMW=7\nCOMMENT=Parent=7.5 RT=1\n1 2\n3 4\n"
     "END IONS\n"},
    {"a charge in the comment", "Name: c\nComments: Consensus Charge=2 Parent=582.5 MS_mode=\"+\"\nNum peaks: 1\n1 2 \"4 4\"\n",
     "BEGIN IONS\nTITLE=c\nPEPMASS=582.5\nCHARGE=2+\nNAME=c\nCOMMENT=Consensus Charge=2 Parent=582.5 MS_mode=\"+\"\n"
     "1 2\nEND IONS\n"},
};

// Returns the output, and the warnings after it, a line each.
std::string mgf_and_warnings(std::string_view text, sort_options options = {}) {
  std::string warnings;
  options.name = "f";
  options.machine.device = ordo::device::cpu;
  options.on_warning = [&](std::string const& message) { warnings += message + '\n'; };
  ordo::memory_source source(text);
  ordo::growing_sink sink;
  sort_to_mgf(source, sink, options, format::msp);
  return std::string(sink.text()) + warnings;
}

}  // namespace

TEST_CASE("import: MSP is read as each program writes it, and known by its content") {
  for (auto const& [of, text, expected] : flavours) {
    CAPTURE(of);
    CHECK(to_mgf(text, format::msp) == expected);
    CHECK(detect_format(text) == format::msp);
  }
  // Text of other formats with colons.
  for (char const* const other : {"COM=a: b\nBEGIN IONS\n", "# Name: a\nBEGIN IONS\n", "BEGIN IONS\nTITLE=Name: a\n",
                                  "a: b\nc: d\n", "ACCESSION: x\nRECORD_TITLE: y\nPK$NUM_PEAK: 1\n"})
    CHECK(detect_format(other) == format::mgf);
  CHECK(foreign_format("ACCESSION: x\nRECORD_TITLE: y\nPK$NUM_PEAK: 1\n").starts_with("it looks like a record of MassBank; "));
  CHECK(foreign_format("BEGIN IONS\n1 2\nEND IONS\n\x1a\r\n").empty());
  CHECK(foreign_format("BEGIN IONS\n1 2\n\x1a\nEND IONS\n") != "");
  CHECK(detect_format("Name: a\nno key\n") == format::msp);
  // Comments may be longer than the front of a file.
  CHECK(detect_format(std::string(100, '#') + '\n' + std::string(5000, '#') + "\nNAME: a\n") == format::msp);
}

TEST_CASE("import: retention times of MSP without a unit count as seconds or minutes, with a warning") {
  auto const record = [](std::string const& time) { return "Name: a\n" + time + "\nNum Peaks: 0\n"; };
  auto const seconds = [](std::string const& value) {
    return "BEGIN IONS\nTITLE=a\nRTINSECONDS=" + value + "\nPEPMASS=0\nNAME=a\nEND IONS\n";
  };
  std::string const no_precursor = "f: 1 spectrum has no precursor m/z: its PEPMASS is 0\n";
  std::string const as_minutes = "f: 1 retention time states no unit, and counts as minutes (--rt-unit=s: as seconds)\n";
  std::string const as_seconds = "f: 1 retention time states no unit, and counts as seconds (--rt-unit=min: as minutes)\n";
  struct {
    char const *line, *value, *stated;
    bool warns, in_seconds;
  } const all[]{
      {"RT: 10.5", "630", nullptr, true, false},
      {"RETENTIONTIME: 1.5", "90", nullptr, true, false},
      {"RetentionTime:2", "120", nullptr, true, false},
      {"RETENTION_TIME: 52.56", "52.56", nullptr, true, true},
      {"AC$CHROMATOGRAPHY: RETENTION_TIME 63.5", "63.5", nullptr, true, true},
      {"RT: 10.5 min", "630", nullptr, false, false},
      {"RETENTION_TIME: 0.5 minutes", "30", nullptr, false, false},
      {"RETENTIONTIME: 7 sec", "7", nullptr, false, false},
      {"RETENTIONTIME: 7s", "7", nullptr, false, false},
      {"RT: 1 h", "3600", nullptr, false, false},
      {"RT: 500 ms", "0.5", nullptr, false, false},
      {"RTINSECONDS: 7", "7", nullptr, false, false},
  };
  for (auto const& one : all) {
    CAPTURE(one.line);
    CHECK(mgf_and_warnings(record(one.line)) == seconds(one.value) + no_precursor +
                                                    (!one.warns       ? ""
                                                     : one.in_seconds ? as_seconds
                                                                      : as_minutes));
    sort_options options;
    options.rt_unit_seconds = 60;
    std::string const made = mgf_and_warnings(record(one.line), options);
    CHECK(made.find("unit") == std::string::npos);
    if (!one.warns) CHECK(made == seconds(one.value) + no_precursor);
  }
  sort_options options;
  options.rt_unit_seconds = 1;
  CHECK(mgf_and_warnings(record("RT: 10.5"), options) == seconds("10.5") + no_precursor);
  for (char const* const none : {"RT: None", "RETENTIONTIME:", "RETENTIONTIME: -1", "RETENTION_TIME: N/A"})
    CHECK(mgf_and_warnings(record(none)) == "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\nEND IONS\n" + no_precursor);
  CHECK(mgf_and_warnings(record("RT: soon")) == "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\nRT=soon\nEND IONS\n" + no_precursor);
  // A check does not need times.
  std::string warnings;
  options = {};
  options.on_warning = [&](std::string const& message) { warnings += message; };
  std::string const text = record("RT: 1");
  ordo::memory_source source{std::string_view(text)};
  check(source, options, format::msp);
  CHECK(warnings.empty());
}

TEST_CASE("import: a lenient reader of MSP takes the peaks that are there, and counts what it leaves out") {
  sort_options options;
  options.lenient = true;
  std::string const no_precursor = "f: 1 spectrum has no precursor m/z: its PEPMASS is 0\n";
  auto const expect = [&](std::string const& text, std::string const& peaks, std::string const& warnings) {
    CAPTURE(text);
    CHECK(mgf_and_warnings(text, options) ==
          "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n" + peaks + "END IONS\n" + no_precursor + warnings);
    CHECK(to_mgf(text, format::msp).starts_with("not MSP: f:"));
  };
  std::string const counts = "f: 1 record has another number of peaks than it states\n",
                    lines = "f: 1 line that the format does not allow is left out\n";
  expect("Name: a\nNum peaks: 4\n3 4 \"y1\"\n1 2 \"b2\"\n", "1 2\n3 4\n",
         counts + "f: 2 annotations of peaks are left out: MGF has none but charges\n");
  expect("Name: a\nNum peaks: 1\n3 4\n1 2\n", "1 2\n3 4\n", counts);
  expect("Name: a\nNum peaks: x\n3 4\n1 2\n", "1 2\n3 4\n", counts);
  expect("Name: a\n3 4\n1 2\n", "1 2\n3 4\n", counts);
  expect("Name: a\nNum peaks: 2\n3 4\n1 x\n1 2\n", "1 2\n3 4\n", lines);
  expect("Name: a\nQI=74.1\nNum peaks: 1\n1 2\n", "1 2\n", lines);
  expect("Name: a\nPrecursorMZ: 4,5\nNum peaks: 1\n1 2\n", "1 2\n", lines);
  CHECK_THROWS_AS(mgf_and_warnings("what is this\n1 2\n", options), ordo::input_error);
}

namespace {

/// Sorts an input to MSP, or another format, by chunks of several sizes.
/// @returns the output, and the warnings after it, a line each
std::string to_msp(std::string_view text, format from, msp_style names = msp_style::nist,
                   decltype(&sort_to_msp) sort_to = sort_to_msp) {
  std::optional<std::string> first;
  for (std::size_t const bytes : {std::size_t{1} << 20, std::size_t{1}}) {
    sort_options options;
    std::string warnings;
    options.name = "f";
    options.machine.device = ordo::device::cpu;
    options.chunk_bytes = bytes;
    options.names = names;
    options.on_warning = [&](std::string const& message) { warnings += message + '\n'; };
    ordo::memory_source source(text);
    ordo::growing_sink sink;
    sort_to(source, sink, options, from);
    std::string const made = std::string(sink.text()) + warnings;
    if (!first) first = made;
    CHECK(made == *first);
  }
  return *first;
}

std::string to_mzspeclib(std::string_view text, format from) {
  return to_msp(text, from, msp_style::nist, sort_to_mzspeclib);
}

/// Returns the lines of a text in ascending order.
std::string ordered_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (; !text.empty(); text.remove_prefix(lines.back().size())) lines.push_back(text.substr(0, text.find('\n') + 1));
  std::ranges::sort(lines);
  std::string all;
  for (std::string_view const line : lines) all += line;
  return all;
}

std::string const whole_record =
    "BEGIN IONS\nTITLE=scan 7\nRTINSECONDS=90\nPEPMASS=445.5 1000\nCHARGE=2+ and 3+\nION_MOBILITY=0.75\nNAME=One\nSCANS=7-9\n"
    "SYNON=the first\nSPECTRUMID=X1\nADDUCT=[M+2H]2+\nIONMODE=positive\nMSLEVEL=2\nCOLLISION_ENERGY=35 eV\nSMILES=CC=O\n"
    "INCHI=InChI=1S/C2H4O/c1-2-3/h2H,1H3\nINCHIKEY=IKHGUXGNUITLKF-UHFFFAOYSA-N\nFORMULA=C2H4O\nCOMMENT=a \"b\" c: d\n"
    "ONTOLOGY=Aldehydes\n1/K0=0.8\n100.25 20.5 1+\n200.5 10\nEND IONS\n";

}  // namespace

TEST_CASE("import: MGF becomes MSP by the names of NIST, MassBank and matchms, and MGF again with nothing lost") {
  for (msp_style const names : {msp_style::nist, msp_style::massbank, msp_style::matchms})
    CHECK(to_mgf(to_msp(whole_record, format::mgf, names), format::msp) == whole_record);
  std::string const msp = to_msp(whole_record, format::mgf);
  CHECK(msp ==
        "Name: One\nTitle: scan 7\nPrecursorMZ: 445.5\nPrecursor_intensity: 1000\nCharge: 2,3\nRTINSECONDS: 90\n"
        "ION_MOBILITY: 0.75\nScans: 7-9\nSynon: the first\nDB#: X1\nPrecursor_type: [M+2H]2+\nIon_mode: P\n"
        "Spectrum_type: MS2\nCollision_energy: 35 eV\nSMILES: CC=O\nInChI: InChI=1S/C2H4O/c1-2-3/h2H,1H3\n"
        "InChIKey: IKHGUXGNUITLKF-UHFFFAOYSA-N\nFormula: C2H4O\nComments: a \"b\" c: d\nONTOLOGY: Aldehydes\n1/K0: 0.8\n"
        "Num Peaks: 2\n100.25\t20.5\t\"1+\"\n200.5\t10\n\n");
  CHECK(to_msp(msp, format::msp) == msp);
  CHECK(to_msp(whole_record, format::mgf, msp_style::massbank).find("\nMS$FOCUSED_ION: PRECURSOR_TYPE [M+2H]2+\n") !=
        std::string::npos);
  CHECK(to_msp(whole_record, format::mgf, msp_style::matchms).starts_with("COMPOUND_NAME: One\nTITLE: scan 7\nPRECURSOR_MZ: "));
  // From MSP to MSP annotations and unknown keys stay.
  CHECK(to_msp("Name: a\nMy key: 7\nNum Peaks: 2\n2 3 \"y1; y2\"\n1 2 b1/0.5\n", format::msp) ==
        "Name: a\nMy key: 7\nNum Peaks: 2\n1\t2\tb1/0.5\n2\t3\t\"y1; y2\"\n\n");
  CHECK(to_msp("", format::mgf) == "f: there are no spectra\n");
}

TEST_CASE("import: MGF and MSP become mzSpecLib, and again what they were, with nothing lost") {
  std::string const library = to_mzspeclib(whole_record, format::mgf);
  CHECK(library ==
        "<mzSpecLib>\nMS:1003186|library format version=1.0\nMS:1003188|library name=f\n<Spectrum=1>\n"
        "MS:1003061|library spectrum name=One\n[1]MS:1003275|other attribute name=TITLE\n"
        "[1]MS:1003276|other attribute value=scan 7\nMS:1000511|ms level=2\n"
        "MS:1000465|scan polarity=MS:1000130|positive scan\nMS:1000744|selected ion m/z=445.5\n"
        "MS:1003085|previous MSn-1 scan precursor intensity=1000\n[2]MS:1000894|retention time=90\n"
        "[2]UO:0000000|unit=UO:0000010|second\nMS:1003057|scan number=7\n[3]MS:1003275|other attribute name=ION_MOBILITY\n"
        "[3]MS:1003276|other attribute value=0.75\n[4]MS:1000045|collision energy=35\n"
        "[4]UO:0000000|unit=UO:0000266|electronvolt\nMS:1003059|number of peaks=2\n"
        "[5]MS:1003275|other attribute name=SCANS\n[5]MS:1003276|other attribute value=7-9\n"
        "[6]MS:1003275|other attribute name=SYNON\n[6]MS:1003276|other attribute value=the first\n"
        "[7]MS:1003275|other attribute name=SPECTRUMID\n[7]MS:1003276|other attribute value=X1\n"
        "[8]MS:1003275|other attribute name=COLLISION_ENERGY\n[8]MS:1003276|other attribute value=35 eV\n"
        "[9]MS:1003275|other attribute name=COMMENT\n[9]MS:1003276|other attribute value=a \"b\" c: d\n"
        "[10]MS:1003275|other attribute name=ONTOLOGY\n[10]MS:1003276|other attribute value=Aldehydes\n"
        "[11]MS:1003275|other attribute name=1/K0\n[11]MS:1003276|other attribute value=0.8\n"
        "<Analyte=1>\nMS:1000633|possible charge state=2\nMS:1000633|possible charge state=3\n"
        "MS:1002813|adduct ion formula=[M+2H]2+\nMS:1000868|SMILES string=CC=O\n"
        "MS:1003403|InChI=InChI=1S/C2H4O/c1-2-3/h2H,1H3\nMS:1002894|InChIKey=IKHGUXGNUITLKF-UHFFFAOYSA-N\n"
        "MS:1000866|molecular formula=C2H4O\n<Peaks>\n100.25\t20.5\t1+\n200.5\t10\n\n");
  CHECK(ordered_lines(to_mgf(library, format::mzspeclib)) == ordered_lines(whole_record));
  CHECK(to_mzspeclib(library, format::mzspeclib) == library);
  std::string const msp =
      "Name: a\nCharge: -1\nIon_mode: N\nMy key: 7\nCollision_energy: 20.0\nSMILES: C\nSMILES: CC\nExactMass: 45.03\nNum "
      "Peaks: 3\n"
      "1\t2\tb1/0.5\n2\t3\ty1,y2\n3\t4\t\"7\"\n\n";
  CHECK(ordered_lines(to_msp(to_mzspeclib(msp, format::msp), format::mzspeclib)) == ordered_lines(msp));
  // A name is missing, or is that of a later one; texts have no line ends.
  CHECK(to_mzspeclib("BEGIN IONS\n1 2\nEND IONS\nBEGIN IONS\nNAME=a\nNAME=b\tc\nEND IONS\n", format::mgf) ==
        "<mzSpecLib>\nMS:1003186|library format version=1.0\nMS:1003188|library name=f\n"
        "<Spectrum=1>\nMS:1003061|library spectrum name=1\nMS:1003059|number of peaks=1\n<Peaks>\n1\t2\n\n"
        "<Spectrum=2>\nMS:1003061|library spectrum name=a\nMS:1003059|number of peaks=0\n"
        "[1]MS:1003275|other attribute name=SYNON\n[1]MS:1003276|other attribute value=b c\n<Peaks>\n\n");
  CHECK(to_mzspeclib("", format::mgf) ==
        "<mzSpecLib>\nMS:1003186|library format version=1.0\nMS:1003188|library name=f\nf: there are no spectra\n");
}

TEST_CASE("import: attributes of mzSpecLib stay in mzSpecLib, with their terms, units and sets") {
  std::string const library =
      "<mzSpecLib>\nMS:1003186|library format version=1.0\n<AttributeSet Spectrum=all>\n"
      "MS:1003065|spectrum aggregation type=MS:1003067|consensus spectrum\n"
      "[1]MS:1003275|other attribute name=Date\n[1]MS:1003276|other attribute value=May\n<Spectrum=9>\n"
      "MS:1003061|library spectrum name=a\nMS:1000044|dissociation method=MS:1000422|beam-type collision-induced dissociation\n"
      "[1]MS:1000138|normalized collision energy=28\n[1]UO:0000000|unit=UO:0000187|percent\n"
      "[2]MS:1003275|other attribute name=Date\n[2]MS:1003276|other attribute value=June\n"
      "<Analyte=1>\nMS:1000888|stripped peptide sequence=PEP\n<Peaks>\n1\t2\ty1/0.1\n\n";
  CHECK(
      to_mzspeclib(library, format::mzspeclib) ==
      "<mzSpecLib>\nMS:1003186|library format version=1.0\nMS:1003188|library name=f\n<Spectrum=1>\n"
      "MS:1003061|library spectrum name=a\nMS:1000044|dissociation method=MS:1000422|beam-type collision-induced dissociation\n"
      "[1]MS:1000138|normalized collision energy=28\n[1]UO:0000000|unit=UO:0000187|percent\n"
      "MS:1003065|spectrum aggregation type=MS:1003067|consensus spectrum\nMS:1003059|number of peaks=1\n"
      "[2]MS:1003275|other attribute name=Date\n[2]MS:1003276|other attribute value=June\n"
      "<Analyte=1>\nMS:1000888|stripped peptide sequence=PEP\n<Peaks>\n1\t2\ty1/0.1\n\n");
  CHECK(to_mgf(library, format::mzspeclib) ==
        "BEGIN IONS\nTITLE=a\nPEPMASS=0\nFRAGMENTATION_MODE=HCD\nNORMALIZED_COLLISION_ENERGY=28\n"
        "SPECTRUM_AGGREGATION_TYPE=MS:1003067|consensus spectrum\nSTRIPPED_PEPTIDE_SEQUENCE=PEP\nNAME=a\nDATE=June\n"
        "1 2\nEND IONS\n");
}

TEST_CASE("import: keys that a reader would misread are written so that it does not") {
  CHECK(to_msp("BEGIN IONS\nNAME=a\nNAME=b\n200=100\n\"x=1\nNum peaks=9\n1 2\nEND IONS\n", format::mgf) ==
        "Name: a\nSynon: b\n_200: 100\n_\"x: 1\nNum Peaks: 1\n1\t2\n\n");
  CHECK(to_mgf("Name: a\nPepmass: 5\nPRECURSORMZ: 4\nScans: x\nRTINSECONDS: soon\nmy=key: 1\n!k: 2\nNum Peaks: 0\n",
               format::msp) ==
        "BEGIN IONS\nTITLE=a\nPEPMASS=5\nNAME=a\nSTATED_SCANS=x\nSTATED_RTINSECONDS=soon\nMY_KEY=1\n_!K=2\nEND IONS\n");
}

TEST_CASE("import: MGF by the names of matchms has a name in MSP") {
  // Times of many digits, and values that are no numbers, stay as they are.
  std::string const odd =
      "BEGIN IONS\nTITLE=a\nPEPMASS=5\nNAME=a\nRTINSECONDS=4284.29846656\nION_MOBILITY=354.8 1046 1.25\n1 2\nEND IONS\n";
  for (msp_style const names : {msp_style::nist, msp_style::massbank, msp_style::matchms})
    CHECK(to_mgf(to_msp(odd, format::mgf, names), format::msp) == odd);
  CHECK(to_msp("BEGIN IONS\nCOMPOUND_NAME=a\nPRECURSOR_MZ=5\nRETENTION_TIME=7\n1 2\nEND IONS\n", format::mgf) ==
        "Name: a\nPrecursorMZ: 5\nRETENTION_TIME: 7\nNum Peaks: 1\n1\t2\n\n");
}

TEST_CASE("import: warnings count what MSP cannot hold") {
  CHECK(to_msp("COM=x\n# c\nBEGIN IONS\nPEPMASS=3\n# d\n1\n2 3 text\nEND IONS\n\n", format::mgf) ==
        "Name: \nPrecursorMZ: 3\nNum Peaks: 2\n1\t0\n2\t3\ttext\n\n"
        "f: 3 lines are no parameters of a spectrum, and are left out\nf: 1 peak has no intensity, and gets 0\n");
  // The number of peaks has a line of its own, and the m/z of the precursor is there once.
  CHECK(to_msp("BEGIN IONS\nPEPMASS=3\nPRECURSOR_MZ=3.0\nNUM_PEAKS=7\n1 2\nEND IONS\n", format::mgf) ==
        "Name: \nPrecursorMZ: 3\nNum Peaks: 1\n1\t2\n\n");
}

TEST_CASE("import: mzXML states what spectra are chosen by") {
  std::string const run =
      "<mzXML><msRun><scan num=\"1\" msLevel=\"2\" peaksCount=\"0\" collisionEnergy=\"35\" compensationVoltage=\"-45\" "
      "totIonCurrent=\"7e5\" basePeakIntensity=\"9\"><precursorMz windowWideness=\"2\" activationMethod=\"HCD\">5</precursorMz>"
      "<peaks/></scan></msRun></mzXML>";
  auto const is_chosen = [&](auto set) {
    sort_options options;
    set(options.choice);
    return to_mgf(run, format::mzxml, options).find("PEPMASS=5") != std::string::npos;
  };
  CHECK(is_chosen([](spectrum_choice& choice) { choice.compensation_voltage.ranges = {{-45, -45}}; }));
  CHECK(is_chosen([](spectrum_choice& choice) { choice.collision_energy.ranges = {{30, 40}}; }));
  CHECK(is_chosen([](spectrum_choice& choice) { choice.isolation_width.ranges = {{2, 2}}; }));
  CHECK(is_chosen([](spectrum_choice& choice) { choice.total_ion_current.ranges = {{7e5, 7e5}}; }));
  CHECK(is_chosen([](spectrum_choice& choice) { choice.base_peak.ranges = {{9, 10}}; }));
  CHECK(is_chosen([](spectrum_choice& choice) { choice.activation.pattern.emplace("etd,hcd"); }));
  CHECK(!is_chosen([](spectrum_choice& choice) { choice.activation.pattern.emplace("HC"); }));
  CHECK(!is_chosen([](spectrum_choice& choice) { choice.instrument.pattern.emplace("*"); }));
}

TEST_CASE("import: structures in MoNA's comments get keys of their own") {
  CHECK(to_mgf("Name: a\nComments: \"SMILES=CC\" \"InChI=InChI=1S/C2H6/c1-2/h1-2H3\" \"x=y\"\nNum Peaks: 0\n", format::msp) ==
        "BEGIN IONS\nTITLE=a\nPEPMASS=0\nNAME=a\n"
        "COMMENT=\"SMILES=CC\" \"InChI=InChI=1S/C2H6/c1-2/h1-2H3\" \"x=y\"\nSMILES=CC\n"
        "INCHI=InChI=1S/C2H6/c1-2/h1-2H3\nEND IONS\n");
}

TEST_CASE("import: text that is no MGF is refused by a lenient reader, too") {
  for (std::string const text : {"what is this\n1 2\n", "Name: a\nNum Peaks: 2\n1 2\n", "{}\n", "a,b\n1,2\n"}) {
    CAPTURE(text);
    sort_options options;
    options.lenient = true;
    options.name = "f";
    options.machine.device = ordo::device::cpu;
    for (std::size_t const shown : {0, 10}) {
      options.warnings_shown = shown;
      ordo::memory_source source{std::string_view(text)}, again{std::string_view(text)};
      ordo::growing_sink sink;
      CHECK_THROWS_AS(ordo::spectra::sort(source, sink, options), ordo::input_error);
      CHECK_THROWS_AS(check(again, options), ordo::input_error);
    }
  }
}

namespace {

std::string const small_mzspeclib =
    "<mzSpecLib>\r\nMS:1003186|library format version=1.0\n# a comment\n<AttributeSet Spectrum=all>\nMS:1000511|ms level=3\n"
    "[1]MS:1000045|collision energy=39.0\n[1]UO:0000000|unit=UO:0000266|electronvolt\n\n"
    "<AttributeSet Spectrum=negatives>\nMS:1000465|scan polarity=MS:1000129|negative scan\n<AttributeSet Analyte=two>\n"
    "MS:1000041|charge state=2\n<AttributeSet Interpretation=all>\n"
    "<Spectrum=1>\nMS:1003061|library spectrum name=A=B/2\nMS:1003208|experimental precursor monoisotopic m/z=445.5\n"
    "MS:1000511|ms level=2\n[1]UO:0000000|unit=UO:0000031|minute\n[1]MS:1000894|retention time=1.5\n"
    "MS:1003057|scan number=17\nMS:1003059|number of peaks=2\n<Analyte=1>\nMS:1000041|charge state=2\n"
    "<Analyte=2>\nMS:1000041|charge state=5\n<Interpretation=1>\nMS:1002357|PSM-level probability=0.9\n"
    "<InterpretationMember=1>\nMS:1002357|x=0.9\n<Peaks>\n200.5\t10\ty1/0.1,b2\n100.25\t20.5\t?\n\n"
    "<Spectrum=two>\nMS:1003212|library attribute set name=negatives\nMS:1000744|selected ion m/z=9\n"
    "MS:1003208|experimental precursor monoisotopic m/z=8\nMS:1000894|retention time=7\n<Analyte=1>\n"
    "MS:1003270|proforma peptidoform ion notation=PEP\nMS:1003212|library attribute set name=two\n<Peaks>\n1 2\n"
    "<Spectrum=3>\nMS:1003085|previous MSn-1 scan precursor intensity=5e3\n<Analyte=1>\nMS:1003053|theoretical m/z=3.5\n"
    "<Cluster=1>\nMS:1003267|cluster key=1\n";

}  // namespace

TEST_CASE("import: mzSpecLib becomes MGF") {
  std::string const expected =
      "BEGIN IONS\nTITLE=A=B/2\nRTINSECONDS=90\nPEPMASS=445.5\nCHARGE=2+\nSCANS=17\nCOLLISION_ENERGY=39.0\nNAME=A=B/2\n"
      "MSLEVEL=2\n100.25 20.5\n200.5 10\nEND IONS\n"
      "BEGIN IONS\nTITLE=PEP\nRTINSECONDS=7\nPEPMASS=9\nCHARGE=2-\nMSLEVEL=3\nCOLLISION_ENERGY=39.0\n"
      "PROFORMA_PEPTIDOFORM_ION_NOTATION=PEP\nIONMODE=negative\n1 2\nEND IONS\n"
      "BEGIN IONS\nTITLE=3\nPEPMASS=3.5 5000\nMSLEVEL=3\nCOLLISION_ENERGY=39.0\nEND IONS\n";
  CHECK(to_mgf(small_mzspeclib, format::mzspeclib) == expected);
  CHECK(to_mgf("\xef\xbb\xbf" + small_mzspeclib, format::mzspeclib) == expected);
  CHECK(to_mgf("<mzSpecLib 1.0>\n", format::mzspeclib).empty());
  CHECK(to_mgf("<Spectrum=1>\n", format::mzspeclib) == "not mzSpecLib: f:1: it does not begin with <mzSpecLib>");
  CHECK(detect_format("<mzSpecLib>\n") == format::mzspeclib);
  CHECK(detect_format("<mzSpecLib 1.0>\n") == format::mzspeclib);
  struct {
    char const *what, *by, *message;
  } const all[]{
      {"<mzSpecLib>", "<Spectrum=0>",
       "not mzSpecLib: f:4: '<AttributeSet Spectrum=all>' where a spectrum begins with <Spectrum="},
      {"peaks=2", "peaks=3", "not mzSpecLib: f:14: the spectrum that begins here has 2 peaks, where it states 3"},
      {"m/z=445.5", "m/z=445,5", "not a number: f:16: experimental precursor monoisotopic m/z is '445,5'"},
      {"level=3", "level=x", "not a number: f:5: ms level is 'x'"},
      {"UO:0000031|minute", "UO:0000022|milligram",
       "unit not supported: f:19: retention time is in 'UO:0000022|milligram', which is no unit of time"},
      {"20.5\t?", "?", "not mzSpecLib: f:32: '100.25\t?' is no peak"},
      {"MS:1003057|", "MS:1003057", "not mzSpecLib: f:20: 'MS:1003057scan number=17' is no attribute"},
      {"[1]UO:0000000|unit=UO:0000031", "[1UO:0000000|unit=UO:0000031",
       "not mzSpecLib: f:18: '[1UO:0000000|unit=UO:0000031|minute' is no attribute"},
      {"<AttributeSet Analyte", "<Attributes Analyte",
       "not mzSpecLib: f:11: '<Attributes Analyte=two>' where a set of attributes or a spectrum begins"},
      {"?\n\n", "?\n\nmore\n", "not mzSpecLib: f:34: 'more' where a spectrum begins with <Spectrum="},
  };
  for (auto const& [what, by, message] : all) {
    CAPTURE(what, by);
    CHECK(to_mgf(replaced(small_mzspeclib, what, by), format::mzspeclib) == message);
  }
}

TEST_CASE("import: truncations and mutations of mzXML, MSP and mzSpecLib are read or refused") {
  random_numbers random(451);
  for (format const from : {format::mzxml, format::msp, format::mzspeclib}) {
    std::string const good = from == format::msp ? small_library : from == format::mzspeclib ? small_mzspeclib : small_run();
    std::size_t refused = 0;
    auto const survive = [&](std::string const& text) {
      sort_options options;
      options.name = "f";
      options.machine = {ordo::device::cpu, 1};
      options.chunk_bytes = text.size() % 2 == 0 ? 1 : 4096;
      ordo::memory_source source(text);
      ordo::growing_sink sink;
      try {
        sort_to_mgf(source, sink, options, from);
        // Whatever is in the metadata, MSP of the MGF is MSP, with the same spectra.
        ordo::memory_source mgf(sink.text());
        ordo::growing_sink msp, back;
        auto const to_msp = sort_to_msp(mgf, msp, options, format::mgf);
        ordo::memory_source library(msp.text());
        CHECK(sort_to_mgf(library, back, options, format::msp).spectra == to_msp.spectra);
        ordo::memory_source same(sink.text());
        ordo::growing_sink mzspeclib, again;
        sort_to_mzspeclib(same, mzspeclib, options, format::mgf);
        ordo::memory_source other(mzspeclib.text());
        CHECK(sort_to_mgf(other, again, options, format::mzspeclib).peaks == to_msp.peaks);
      } catch (ordo::input_error const& e) {
        if (std::string(e.what()).find(": f:") == std::string::npos) FAIL("no place: " << e.what());
        ++refused;
      }
    };
    for (std::size_t size = 0; size < good.size(); ++size) survive(good.substr(0, size));
    std::string_view const inserted = "<>&'\"/=; A0\n\xff:.#(_";
    for (int round = 0; round < 500; ++round) {
      std::string text = good;
      for (std::size_t n = 1 + random.below(3); n != 0; --n) {
        std::size_t const at = random.below(text.size());
        switch (random.below(4)) {
          case 0:
            text[at] = char(text[at] ^ (1 << random.below(8)));
            break;
          case 1:
            text.insert(at, 1, inserted[random.below(inserted.size())]);
            break;
          case 2:
            text.erase(at, 1 + random.below(40));
            break;
          default:
            text.insert(at, text.substr(random.below(text.size()), random.below(200)));
        }
      }
      survive(text);
    }
    CHECK(refused > 100);
  }
}
