#include "ordo/spectra.hpp"

#include "tests/unit/spectra/cases.hpp"

// The dialects of MGF and the ways in which files are broken, one by one.
namespace {

using namespace std::string_literals;

// A spectrum with this body, lines ended by LF.
std::string spectrum(std::string const& body) {
  return "BEGIN IONS\nTITLE=a title\nPEPMASS=500.5 100\nCHARGE=2+\n" + body + "END IONS\n";
}

// How a body comes out.
void check_body(std::string const& body, std::string const& expected, ordo::spectra::sort_options const& options = {}) {
  CHECK(sorted(spectrum(body), options) == spectrum(expected));
}

void check_unchanged(std::string const& text) {
  CHECK(sorted(text) == text);
}

}  // namespace

TEST_CASE("spectra: peaks are sorted, inside their own spectrum", "[small]") {
  std::string const in = "BEGIN IONS\n3 1\n1 2\n2 3\nEND IONS\nBEGIN IONS\n30 9\n4 8\nEND IONS\n";
  CHECK(sorted(in) == "BEGIN IONS\n1 2\n2 3\n3 1\nEND IONS\nBEGIN IONS\n4 8\n30 9\nEND IONS\n");
  CHECK(sorted(in, by_intensity()) == "BEGIN IONS\n3 1\n1 2\n2 3\nEND IONS\nBEGIN IONS\n4 8\n30 9\nEND IONS\n");
  CHECK(sorted(in, by_intensity(true)) == "BEGIN IONS\n2 3\n1 2\n3 1\nEND IONS\nBEGIN IONS\n30 9\n4 8\nEND IONS\n");
  ordo::spectra::sort_options descending;
  descending.descending = true;
  CHECK(sorted(in, descending) == "BEGIN IONS\n3 1\n2 3\n1 2\nEND IONS\nBEGIN IONS\n30 9\n4 8\nEND IONS\n");
}

TEST_CASE("spectra: nothing, and no spectra") {
  check_unchanged("");
  check_unchanged("\n");
  check_unchanged("\n\r\n\r");
  check_unchanged("COM=a search\nMASS=Monoisotopic\n");
  check_unchanged("COM=no end of line");
  check_unchanged("\xef\xbb\xbf# nothing but remarks\n; and\n! more\n/ of them\n");
}

TEST_CASE("spectra: queries and parameters outside of spectra pass through") {
  std::string const outside =
      "COM=peptide mass fingerprint\n1024.6\n1000.1\n1896 ions(345.6:24.7,234.5:1)\n2321 seq(n-ACTL) comp(2[C])\n# 5\n;\n!\n/\n"
      "300,3 decimal comma\nNaN\n";
  CHECK(sorted(outside + spectrum("2 1\n1 1\n") + outside) == outside + spectrum("1 1\n2 1\n") + outside);
}

TEST_CASE("spectra: an input that is not MGF is refused") {
  // In one block: what it looks like may stand lines after the one that is named.
  auto const looks_like = [](std::string const& text) {
    ordo::spectra::sort_options options;
    options.name = "f.mgf";
    std::string out = text, message;
    try {
      ordo::spectra::sort(std::span<char const>(text), out, options);
    } catch (ordo::input_error const& e) {
      message = e.what();
    }
    CHECK_THROWS_WITH(ordo::spectra::check(std::span<char const>(text), options), message);
    for (std::size_t block : block_sizes()) {
      options.chunk_bytes = block;
      CHECK_THROWS_AS(ordo::spectra::check(std::span<char const>(text), options), ordo::input_error);
    }
    // A lenient reader needs a spectrum somewhere.
    CHECK_THROWS_AS(sorted(text, lenient()), ordo::input_error);
    std::string const with_spectrum = text + '\n' + spectrum("1 1\n2 1\n");
    CHECK(sorted(with_spectrum, lenient()) == with_spectrum);
    auto const advice = message.find("; ");
    CHECK((advice == std::string::npos || message.ends_with("mzML, mzXML, MSP and mzSpecLib can be read") ||
           message.find("makes mzML of") != std::string::npos));
    return message.substr(0, advice);
  };
  auto const wide = [](std::string const& text, bool big) {
    std::string bytes = big ? "\xfe\xff" : "\xff\xfe";
    for (char c : text) bytes += big ? "\0"s + c : c + "\0"s;
    return bytes;
  };
  std::string const mgf = spectrum("2 1\n1 1\n");
  CHECK(looks_like("<?xml version=\"1.0\"?>\n<indexedmzML xmlns=\"http://psi.hupo.org/ms/mzml\">\n") ==
        "not MGF: f.mgf:1: it looks like mzML");
  CHECK(looks_like("\xef\xbb\xbf\n<mzXML\n xmlns=\"a\">\n") == "not MGF: f.mgf:2: it looks like mzXML");
  CHECK(looks_like("<a b=\"c\"/>") == "not MGF: f.mgf:1: it looks like XML");
  CHECK(looks_like("{\"peaks\": \"1=2\"}\n") == "not MGF: f.mgf:1: it looks like JSON");
  CHECK(looks_like(wide(mgf, false)) == "not MGF: f.mgf:1: it looks like UTF-16 text");
  CHECK(looks_like(wide(mgf, true)) == "not MGF: f.mgf:1: it looks like UTF-16 text");
  CHECK(looks_like(wide(mgf, true).substr(2)) == "not MGF: f.mgf:1: it looks like UTF-16 text");
  CHECK(looks_like("\x1f\x8b\x08\x04=\n") == "not MGF: f.mgf:1: it looks like gzip data inside gzip");
  CHECK(looks_like("PK\x03\x04=\x14spectra_data.parquet") ==
        "not MGF: f.mgf:1: it looks like mzPeak (Parquet in a zip archive)");
  CHECK(looks_like("\x89HDF\r\n\x1a\n") == "not MGF: f.mgf:1: it looks like HDF5, as mzMLb and mz5 are");
  CHECK(looks_like("SQLite format 3\0\x10"s) ==
        "not MGF: f.mgf:1: it looks like an SQLite database, as Bruker's .tdf and .tsf are");
  CHECK(looks_like("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"s) ==
        "not MGF: f.mgf:1: it looks like an OLE2 file, as Sciex's .wiff is");
  CHECK(looks_like("PK\x03\x04=\x14") == "not MGF: f.mgf:1: it looks like a zip archive");
  CHECK(looks_like("\x7f"
                   "ELF\x02\x01\x01\0\0"s) == "not MGF: f.mgf:1: it looks like binary data");
  CHECK(looks_like("# a comment\nmz,intensity\n1,2\n") == "not MGF: f.mgf:2: it looks like CSV: 'mz,intensity'");
  CHECK(looks_like("100.1,200.5\n") == "not MGF: f.mgf:1: it looks like CSV: '100.1,200.5'");
  CHECK(looks_like("mz\tintensity\n1\t2\n") == "not MGF: f.mgf:1: it looks like a table: 'mz intensity'");
  CHECK(looks_like("Name: one\nNum Peaks: 1\n100 1\n") == "not MGF: f.mgf:1: it looks like MSP");
  CHECK(looks_like("\n\nDear Sir, dear Madam\n") ==
        "not MGF: f.mgf:3: neither parameter, comment, query nor BEGIN IONS: 'Dear Sir, dear Madam'");
  CHECK(refusal("junk\n" + mgf) == "not MGF: f.mgf:1: neither parameter, comment, query nor BEGIN IONS: 'junk'");
  // After a spectrum whatever is there is left alone.
  CHECK(sorted(mgf + "junk\n" + mgf) == spectrum("1 1\n2 1\n") + "junk\n" + spectrum("1 1\n2 1\n"));
}

TEST_CASE("spectra: line ends are LF, CRLF or CR, and belong to their lines") {
  CHECK(sorted("BEGIN IONS\r\n2 1\r\n1 1\r\nEND IONS\r\n") == "BEGIN IONS\r\n1 1\r\n2 1\r\nEND IONS\r\n");
  CHECK(sorted("BEGIN IONS\r2 1\r1 1\rEND IONS\r") == "BEGIN IONS\r1 1\r2 1\rEND IONS\r");
  CHECK(sorted("BEGIN IONS\r\r\r2 1\r\r\r1 1\r\r\rEND IONS\r\r\r") == "BEGIN IONS\r\r\r1 1\r\r\r2 1\r\r\rEND IONS\r\r\r");
  CHECK(sorted("BEGIN IONS\r\r\n2 1\r\r\n1 1\r\r\nEND IONS\r\r\n") == "BEGIN IONS\r\r\n1 1\r\r\n2 1\r\r\nEND IONS\r\r\n");
  CHECK(sorted("BEGIN IONS\n3 1\r\n2 1\r1 1\nEND IONS\n") == "BEGIN IONS\n1 1\n2 1\r3 1\r\nEND IONS\n");
}

TEST_CASE("spectra: a byte order mark stays in front and hides nothing") {
  std::string const mark = "\xef\xbb\xbf";
  CHECK(sorted(mark + "BEGIN IONS\n2 1\n1 1\nEND IONS\n") == mark + "BEGIN IONS\n1 1\n2 1\nEND IONS\n");
  check_unchanged(mark);
  check_unchanged(mark + "\n");
  // Files put together.
  CHECK(sorted(mark + spectrum("2 1\n1 1\n") + mark + spectrum("4 1\n3 1\n")) ==
        mark + spectrum("1 1\n2 1\n") + mark + spectrum("3 1\n4 1\n"));
}

TEST_CASE("spectra: an input need not end with a line end") {
  CHECK(sorted("BEGIN IONS\n2 1\n1 1\nEND IONS") == "BEGIN IONS\n1 1\n2 1\nEND IONS");
  CHECK(sorted("BEGIN IONS\n2 1\n1 1\nEND IONS\nPMF") == "BEGIN IONS\n1 1\n2 1\nEND IONS\nPMF");
  // If the last line is a peak and moves, it takes the line end of the peak that comes last.
  CHECK(sorted("BEGIN IONS\n3 1\n2 1\n1 1", lenient()) == "BEGIN IONS\n1 1\n2 1\n3 1");
  CHECK(sorted("BEGIN IONS\r\n3 1\r\n2 1\r\n1 1", lenient()) == "BEGIN IONS\r\n1 1\r\n2 1\r\n3 1");
  CHECK(sorted("BEGIN IONS\r3 1\r2 1\r1 1", lenient()) == "BEGIN IONS\r1 1\r2 1\r3 1");
  CHECK(sorted("BEGIN IONS\n3 1\r\n1 1\n2 22", lenient()) == "BEGIN IONS\n1 1\n2 22\r\n3 1");
  CHECK(sorted("BEGIN IONS\n3 1\nUSER=0\n2 1\n5 1", lenient()) == "BEGIN IONS\n2 1\nUSER=0\n3 1\n5 1");
  CHECK(sorted("BEGIN IONS\n3 1\n2 1\nUSER=0", lenient()) == "BEGIN IONS\n2 1\n3 1\nUSER=0");
  CHECK(sorted("BEGIN IONS\n3", lenient()) == "BEGIN IONS\n3");
  CHECK(sorted("BEGIN IONS", lenient()) == "BEGIN IONS");
}

TEST_CASE("spectra: END IONS that is missing") {
  std::string const before_begin = "BEGIN IONS\n2 1\n1 1\nBEGIN IONS\n4 1\n3 1\nEND IONS\n";
  CHECK(refusal(before_begin) == "missing END IONS: f.mgf:4: another BEGIN IONS inside the spectrum of line 1");
  CHECK(sorted(before_begin, lenient()) == "BEGIN IONS\n1 1\n2 1\nBEGIN IONS\n3 1\n4 1\nEND IONS\n");
  CHECK(warnings(before_begin, lenient()) ==
        lines{"missing END IONS: f.mgf:4: another BEGIN IONS inside the spectrum of line 1"});

  std::string const at_the_end = "\n\nBEGIN IONS\n2 1\n1 1\n";
  CHECK(refusal(at_the_end) == "missing END IONS: f.mgf:5: the input ends inside the spectrum of line 3");
  CHECK(sorted(at_the_end, lenient()) == "\n\nBEGIN IONS\n1 1\n2 1\n");
  CHECK(warnings(at_the_end, lenient()) == lines{"missing END IONS: f.mgf:5: the input ends inside the spectrum of line 3"});
  CHECK(refusal("BEGIN IONS\nBEGIN IONS\n") == "missing END IONS: f.mgf:2: another BEGIN IONS inside the spectrum of line 1");
  CHECK(warnings("BEGIN IONS\nBEGIN IONS\nBEGIN IONS", lenient()).size() == 3);
}

TEST_CASE("spectra: END IONS that ends nothing") {
  std::string const in = "BEGIN IONS\n2 1\n1 1\nEND IONS\nEND IONS\n";
  CHECK(refusal(in) == "stray END IONS: f.mgf:5: no spectrum has begun");
  CHECK(sorted(in, lenient()) == "BEGIN IONS\n1 1\n2 1\nEND IONS\nEND IONS\n");
  CHECK(warnings(in, lenient()).size() == 1);
}

TEST_CASE("spectra: spectra without peaks") {
  check_unchanged("BEGIN IONS\nEND IONS\n");
  check_unchanged(spectrum("") + spectrum("") + spectrum("7 1\n") + spectrum("\n"));
}

TEST_CASE("spectra: other lines among the peaks stay in their slots") {
  check_body("3 1\n# comment\n2 1\n; comment\n! c\n/ c\n\n1 1\n", "1 1\n# comment\n2 1\n; comment\n! c\n/ c\n\n3 1\n");
  check_body("2 1\n1 1\nTAXONOMY=after the peaks\n", "1 1\n2 1\nTAXONOMY=after the peaks\n");
  check_body("3.25 1000\nUSER00=x\n2 1\n1 22\n\n", "1 22\nUSER00=x\n2 1\n3.25 1000\n\n");
  check_body("2 1\n1/K0=0.85\n1 1\n", "1 1\n1/K0=0.85\n2 1\n");
  check_body("2 1\n  \t\n  KEY=leading blanks\nA KEY=with a blank\nKEY = 1\n1 1\n",
             "1 1\n  \t\n  KEY=leading blanks\nA KEY=with a blank\nKEY = 1\n2 1\n");
}

TEST_CASE("spectra: lines that mean nothing") {
  std::string const in = spectrum("2 1\nCORRUPT\n1 1\n");
  CHECK(refusal(in) == "neither peak, parameter nor comment: f.mgf:6: 'CORRUPT'");
  CHECK(sorted(in, lenient()) == spectrum("1 1\nCORRUPT\n2 1\n"));
  CHECK(warnings(in, lenient()) == lines{"neither peak, parameter nor comment: f.mgf:6: 'CORRUPT'"});
  CHECK(refusal(spectrum("  x\ty\x01" + std::string(100, 'z') + "\n")) ==
        "neither peak, parameter nor comment: f.mgf:5: 'x y?" + std::string(56, 'z') + "...'");
  CHECK(refusal(spectrum("12abc 1\n")) == "not a number: f.mgf:5: the m/z of '12abc 1'");
  CHECK(refusal(spectrum("--- 1\n")) == "not a number: f.mgf:5: the m/z of '--- 1'");
  CHECK(refusal(spectrum("1 abc\n")) == "not a number: f.mgf:5: the intensity of '1 abc'");
  // The order does not decide which lines are peaks.
  CHECK(refusal(spectrum("1 abc\n"), by_intensity()) == refusal(spectrum("1 abc\n")));
  CHECK(refusal(spectrum("1x 1\n"), by_intensity()) == refusal(spectrum("1x 1\n")));
  for (std::string const word : {"+", "-", ".", "1e", "1e+", "1.2.3", "+-1", "0x10", "1_0", "e5", "1;2"})
    CHECK(refusal(spectrum(word + " 1\n")).find(word) != std::string::npos);
}

TEST_CASE("spectra: decimal commas") {
  std::string const in = "\r\n" + spectrum("300,3 100\n200,5 7\n");
  CHECK(refusal(in) == "decimal comma: f.mgf:6: '300,3 100'; a point is expected");
  CHECK(refusal(spectrum("1 2\n300.3 100,5\n")) == "decimal comma: f.mgf:6: '300.3 100,5'; a point is expected");
  CHECK(sorted(in, lenient()) == in);
  CHECK(warnings(in, lenient()).size() == 2);
  check_unchanged("BEGIN IONS\nPEPMASS=281,2013306\n1 1\nEND IONS\n");
}

TEST_CASE("spectra: numbers as people write them") {
  check_body("3.0E+01 1\n1e-05 2\n1E1 1\n2.5e1 1\n", "1e-05 2\n1E1 1\n2.5e1 1\n3.0E+01 1\n");
  check_body("+300.3 1\n100. 2\n.5 3\n-7 4\n-.25 5\n+.75 6\n", "-7 4\n-.25 5\n.5 3\n+.75 6\n100. 2\n+300.3 1\n");
  check_body("2 0.24612045288085938\n1 0.2461204528808593\n", "1 0.2461204528808593\n2 0.24612045288085938\n", by_intensity());
  check_body("10 1\n9 1\n0009.5 1\n1e999 1\n-1e999 1\n123456789012345678901234567890 1\n",
             "-1e999 1\n9 1\n0009.5 1\n10 1\n123456789012345678901234567890 1\n1e999 1\n");
}

TEST_CASE("spectra: equal peaks keep the order of the input, whichever way they are sorted") {
  check_body("2 1\n1.0 1\n1 2\n1.00 0\n0.1e1 3\n", "1.0 1\n1 2\n1.00 0\n0.1e1 3\n2 1\n");
  ordo::spectra::sort_options descending;
  descending.descending = true;
  check_body("1.0 1\n1 2\n2 1\n1.00 0\n2.0 0\n", "2 1\n2.0 0\n1.0 1\n1 2\n1.00 0\n", descending);
  check_body("1 1\n0 1\n-0.0 2\n0.0 3\n-0 4\n", "0 1\n-0.0 2\n0.0 3\n-0 4\n1 1\n");
  check_body("9 5\n8 5.0\n7 5e0\n6 4\n", "6 4\n9 5\n8 5.0\n7 5e0\n", by_intensity());
}

TEST_CASE("spectra: peaks without intensity come last by intensity, both ways") {
  check_body("3\n2\n1 5\n", "1 5\n2\n3\n");
  check_body("3\n2 7\n9\n1 -5\n 4 1e999 \n5 \t\n", "1 -5\n2 7\n 4 1e999 \n3\n9\n5 \t\n", by_intensity());
  check_body("3\n2 -1e999\n9\n1 5\n", "1 5\n2 -1e999\n3\n9\n", by_intensity(true));
}

TEST_CASE("spectra: further columns move with their peak") {
  check_body("3 1 2\n2 1 2+\n1 1 1-\n", "1 1 1-\n2 1 2+\n3 1 2\n");
  check_body("3 1 2 4 5\n2 1\n1 1 x\n", "1 1 x\n2 1\n3 1 2 4 5\n");
  check_body("2 1 y5-H2O\n1 1 b1+1\n", "1 1 b1+1\n2 1 y5-H2O\n");
  check_body("2 1 SMILES=C(=O)O a=b\n1 1 \"y=2\"\n", "1 1 \"y=2\"\n2 1 SMILES=C(=O)O a=b\n");
  check_body("2\t1\t0\n1\t 1\t0 \n", "1\t 1\t0 \n2\t1\t0\n");
}

TEST_CASE("spectra: blanks before, between and after") {
  check_body("  3 1\n\t2 1\n 1\t \t1\n", " 1\t \t1\n\t2 1\n  3 1\n");
  check_body("3 1  \n2 1\t\n1 1\n", "1 1\n2 1\t\n3 1  \n");
  CHECK(sorted(" BEGIN IONS \n2 1\n1 1\n\tEND IONS\t\n") == " BEGIN IONS \n1 1\n2 1\n\tEND IONS\t\n");
}

TEST_CASE("spectra: what looks like a delimiter, but is none") {
  std::string const in = "begin ions\n2 1\n1 1\nend ions\nBEGIN  IONS\n";
  CHECK(refusal(in) == "not a delimiter: f.mgf:1: 'begin ions', where only BEGIN IONS and END IONS are");
  CHECK(refusal(spectrum("1 1\n") + in).starts_with("not a delimiter: f.mgf:"));
  CHECK(sorted(in, lenient()) == in);
  CHECK(warnings(in, lenient()) == lines{"not a delimiter: f.mgf:1: 'begin ions', where only BEGIN IONS and END IONS are",
                                         "not a delimiter: f.mgf:4: 'end ions', where only BEGIN IONS and END IONS are",
                                         "not a delimiter: f.mgf:5: 'BEGIN  IONS', where only BEGIN IONS and END IONS are",
                                         "f.mgf: there are no spectra"});
  std::string const inside = "BEGIN IONS\n2 1\n1 1\nEnd Ions\nEND IONS\n";
  CHECK(refusal(inside) == "not a delimiter: f.mgf:4: 'End Ions', where only BEGIN IONS and END IONS are");
  CHECK(sorted(inside, lenient()) == "BEGIN IONS\n1 1\n2 1\nEnd Ions\nEND IONS\n");
  check_body("TITLE=BEGIN IONS\n2 1\nUSER00=END IONS\n# BEGIN IONS\n1 1 BEGIN IONS\n",
             "TITLE=BEGIN IONS\n1 1 BEGIN IONS\nUSER00=END IONS\n# BEGIN IONS\n2 1\n");
}

TEST_CASE("spectra: NaN and infinity are no peaks") {
  std::string const body = "3 1\nNaN 1\n2 nan\n-inf 5\n1 1\n1 +Infinity\n0 INF\n";
  std::string const expected = "1 1\nNaN 1\n2 nan\n-inf 5\n3 1\n1 +Infinity\n0 INF\n";
  check_body(body, expected);
  check_body("3 2\nNaN 1\n2 nan\n1 1\n", "1 1\nNaN 1\n2 nan\n3 2\n", by_intensity());
  CHECK(warnings(spectrum(body)).size() == 5);
  CHECK(warnings(spectrum(body)).front() == "not a peak: f.mgf:6: 'NaN 1' is not finite, and stays where it is");
}

TEST_CASE("spectra: parameters of all kinds are left alone") {
  for (std::string const line :
       {"CHARGE=2+ and 3+", "CHARGE=2+,3+", "CHARGE=2-", "CHARGE=-2", "CHARGE=", "PEPMASS=500.5 100 2", "PEPMASS=", "SCANS=1-5",
        "RTINSECONDS=1.5", "1/K0=0.9", "PEAK_COMMENTS={1.5: 'x'}", "#", "TITLE=a=b 1 2", "TITLE=", "+=1", "1=", "NaN=1"}) {
    std::string const head = "BEGIN IONS\n" + line + "\n";
    CHECK(sorted(head + "2 1\n1 1\nEND IONS\n") == head + "1 1\n2 1\nEND IONS\n");
    CHECK(sorted("BEGIN IONS\n2 1\n" + line + "\n1 1\nEND IONS\n") == "BEGIN IONS\n1 1\n" + line + "\n2 1\nEND IONS\n");
  }
}

TEST_CASE("spectra: titles need not be unique, nor present") {
  CHECK(sorted("BEGIN IONS\nTITLE=x\n2 1\n1 1\nEND IONS\nBEGIN IONS\nTITLE=x\n4 1\n3 1\nEND IONS\n") ==
        "BEGIN IONS\nTITLE=x\n1 1\n2 1\nEND IONS\nBEGIN IONS\nTITLE=x\n3 1\n4 1\nEND IONS\n");
}

TEST_CASE("spectra: an error names its line, wherever blocks are cut") {
  std::string text;
  std::size_t line = 0;
  for (std::size_t i = 0; i < 500; ++i, line += 6) text += "BEGIN IONS\rTITLE=x\r\n2 1\n1 1\nEND IONS\n\r";
  CHECK(refusal(text + "BEGIN IONS\n1 1\nbad\nEND IONS\nworse\n") ==
        "neither peak, parameter nor comment: f.mgf:" + std::to_string(line + 3) + ": 'bad'");
  CHECK(refusal(text + "BEGIN IONS\n1 1\n" + text) == "missing END IONS: f.mgf:" + std::to_string(line + 3) +
                                                          ": another BEGIN IONS inside the spectrum of line " +
                                                          std::to_string(line + 1));
  CHECK(refusal(text + "BEGIN IONS\n1 1\n") == "missing END IONS: f.mgf:" + std::to_string(line + 2) +
                                                   ": the input ends inside the spectrum of line " + std::to_string(line + 1));
}

TEST_CASE("spectra: the first warnings are shown, all are counted") {
  std::string text;
  for (std::size_t i = 0; i < 300; ++i) text += "BEGIN IONS\nNaN 1\nEND IONS\n";
  CHECK(warnings(text).size() == 10);
  CHECK(warnings(text).back() == "not a peak: f.mgf:29: 'NaN 1' is not finite, and stays where it is");
  ordo::spectra::sort_options options;
  std::string out(text.size(), '?');
  CHECK(ordo::spectra::sort(std::span<char const>(text), out, options).warnings == 300);
}
