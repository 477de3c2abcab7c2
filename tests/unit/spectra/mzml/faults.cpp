#include "tests/unit/inputs.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// Faults of documents are errors that name the line. No change to a document has another effect.
namespace {

using namespace mzml;
using ordo::spectra::format;

document small() {
  document made{{{{mz({2, 1}, number_type::float64, packing::zlib), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}},
                true};
  return made;
}

// Done, or refused by one message that says where; anything else fails the test. @returns true if it was done
template <class Work>
bool done_or_refused(Work work) {
  try {
    work();
    return true;
  } catch (ordo::input_error const& e) {
    std::string const message = e.what();
    if (message.find(": f.mzML:") == std::string::npos) FAIL("no place: " << message);
    return false;
  }
}

std::string put_in_order(std::string const& text, ordo::spectra::sort_options const& options) {
  ordo::memory_source from(text);
  ordo::growing_sink to;
  ordo::spectra::order_options by;
  by.order = {{ordo::spectra::spectrum_key::scan}, true};
  ordo::spectra::order_mzml(from, to, options, by);
  return std::string(to.text());
}

// Sorted, with all spectra and without those of few peaks, made MGF and summarized, or refused; spectra put in order,
// too. What comes out is mzML that is in order. @returns true if all was done
bool survives(std::string const& text) {
  ordo::spectra::sort_options options;
  options.name = "f.mzML";
  options.machine = {ordo::device::cpu, 1};
  options.chunk_bytes = text.size() % 2 == 0 ? 1 : std::size_t{1} << 16;
  std::string out;
  bool good = done_or_refused([&] { mzml::sort(text, out, options, format::mgf); });
  ordo::memory_source from(text);
  good &= done_or_refused([&] { ordo::spectra::summarize_mzml(from, options); });
  for (std::size_t const min_peaks : {0, 2, 3}) {
    options.select.min_peaks = min_peaks;
    if (!done_or_refused([&] { mzml::sort(text, out, options); })) {
      good = false;
      continue;
    }
    std::string again;
    if (!done_or_refused([&] { mzml::sort(out, again, options); }) || again != out) FAIL("not in order: " << out);
    if (!done_or_refused([&] { out = put_in_order(text, options); })) {
      good = false;
      continue;
    }
    if (!done_or_refused([&] { again = put_in_order(out, options); }) || again != out) FAIL("not in order: " << out);
  }
  return good;
}

}  // namespace

TEST_CASE("mzml: what is wrong is named, with its line") {
  std::string const good = text_of(small());
  REQUIRE(refusal(good).empty());
  REQUIRE(refusal(good, format::mgf).empty());
  struct wrong {
    std::string what, by, message;
  };
  std::string const zlib = R"(<cvParam accession="MS:1000574" name="c"/>)",
                    none = R"(<cvParam accession="MS:1000576" name="c"/>)";
  std::vector<wrong> const all{
      {"<run id=\"r\">", "<run id=r>", "malformed XML: f.mzML:4: not well-formed (invalid token)"},
      {"  </spectrumList>", "", "malformed XML: f.mzML:59: mismatched tag"},
      {"</scan>", "</scam>", "malformed XML: f.mzML:9: mismatched tag"},
      {"value=\"2\"/>", "value=\"&two;\"/>", "malformed XML: f.mzML:7: undefined entity"},
      {"<run id=\"r\">", "<run x:id=\"r\">", "malformed XML: f.mzML:4: unbound prefix"},
      {"name=\"ms level\"", "name=\"\xff\"",
       "not UTF-8: f.mzML:7: byte 0xff, where the document says that it is UTF-8; --lenient reads it as Windows-1252"},
      {"<run id=\"r\">", "<run id=\"r\"><!-- \xe2\x82\xac -->\n<userParam name=\"M-\xb5-5\"/>",
       "not UTF-8: f.mzML:5: byte 0xb5, where the document says that it is UTF-8; --lenient reads it as Windows-1252"},
      {" name=\"c\"/>", " name=\"c\"/><cvParam accession=\"MS:1002841\" name=\"external HDF5 dataset\" value=\"a\"/>",
       "external binary array not supported: f.mzML:15: 'external HDF5 dataset' (MS:1002841): its numbers are in another file"},
      {" name=\"c\"/>", " name=\"c\"/><ims:cvParam accession=\"IMS:1000101\" name=\"external data\" value=\"true\"/>",
       "external binary array not supported: f.mzML:15: 'external data' (IMS:1000101): its numbers are in another file"},
      {" name=\"c\"/>", " name=\"c\"/><cvParam accession=\"IMS:1000101\" name=\"external data\" value=\"false\"/>", ""},
      {"encoding=\"utf-8\"", "encoding=\"utf-17\"", "malformed XML: f.mzML:1: unknown encoding"},
      {"<indexedmzML", "<!DOCTYPE x [<!ENTITY e \"e\">]><indexedmzML",
       "document type: f.mzML:2: neither mzML nor mzXML has one"},
      {"value=\"2\"/>", "value=\"two\"/>", "not a number: f.mzML:7: the MS level is 'two'"},
      {"defaultArrayLength=\"2\"", "", "not mzML: f.mzML:6: a spectrum without defaultArrayLength"},
      {"defaultArrayLength=\"2\"", "defaultArrayLength=\"-2\"", "not a number: f.mzML:6: defaultArrayLength is '-2'"},
      {"defaultArrayLength=\"2\"", "defaultArrayLength=\"3\"",
       "not a binary array: f.mzML:16: it does not hold 3 numbers of 8 bytes"},
      {"defaultArrayLength=\"2\"", "defaultArrayLength=\"18446744073709551615\"",
       "not a binary array: f.mzML:16: it does not hold 18446744073709551615 numbers of 8 bytes"},
      {"defaultArrayLength=\"2\"", "defaultArrayLength=\"0\"",
       "not a binary array: f.mzML:16: it does not hold 0 numbers of 8 bytes"},
      {"defaultArrayLength=\"2\"", "defaultArrayLength=\"1\"",
       "not a binary array: f.mzML:16: it does not hold 1 numbers of 8 bytes"},
      {"value=\"2\"/>", "value=\"2.5\"/>", "not a number: f.mzML:7: the MS level is '2.5'"},
      {"value=\"2\"/>", "value=\".\"/>", "not a number: f.mzML:7: the MS level is '.'"},
      {"<binary>e", "<binary>*", "not a binary array: f.mzML:16: it is no base64"},
      {"<binary>e", "<binary>f", "not a binary array: f.mzML:16: its zlib data is corrupt"},
      {zlib, "", "not a binary array: f.mzML:16: it does not hold 2 numbers of 8 bytes"},
      {zlib, R"(<cvParam accession="MS:9999999" name="another compression"/>)",
       "compression of a binary array not supported: f.mzML:12: 'another compression'"},
      {zlib, zlib + R"(<cvParam accession="MS:9999999" name="MS-Numpress of another kind"/>)",
       "compression of a binary array not supported: f.mzML:12: 'MS-Numpress of another kind'"},
      {zlib, R"(<cvParam accession="MS:1003780" name="zstd compression"/>)",
       "not a binary array: f.mzML:16: its zstd data is corrupt"},
      {R"(<cvParam accession="MS:1000523" name="t"/>)", R"(<cvParam accession="MS:1000520" name="16-bit float"/>)",
       "type of a binary array not supported: f.mzML:12: '16-bit float'"},
      {zlib, "<referenceableParamGroupRef ref=\"no\"/>", "not mzML: f.mzML:15: no referenceableParamGroup 'no'"},
      {"idRef=\"TIC\"", "idRef=\"tic\"", ""},
      {"   <spectrum index=\"0\"", "   <spectrum index=\"9\"><spectrum index=\"0\"",
       "not mzML: f.mzML:6: a spectrum without defaultArrayLength"},
      {"<precursorList", "<spectrum defaultArrayLength=\"1\"/><precursorList",
       "not mzML: f.mzML:10: a spectrum inside a spectrum"},
      {"<indexList ", "<spectrum defaultArrayLength=\"0\"/><indexList ", ""},
      {"</indexList>", "</indexList><spectrum defaultArrayLength=\"0\"/>", "not mzML: f.mzML:69: a spectrum after the index"},
      {"</indexList>", "</indexList><chromatogram id=\"a\"/>", "not mzML: f.mzML:69: a chromatogram after the index"},
      // Two prefixes, with which a tag is one for the parser alone.
      {"<cvParam cvRef=\"MS\" accession=\"MS:1000511\"", "<a:b:cvParam accession=\"MS:1000511\"",
       "malformed XML: f.mzML:7: a tag where none can be"},
      {"<binaryDataArray encodedLength", "<a:b:binaryDataArray encodedLength",
       "malformed XML: f.mzML:12: a tag where none can be"},
      {"<binary>", "<a:b:binary>", "malformed XML: f.mzML:16: a tag where none can be"},
  };
  for (auto const& [what, by, message] : all) {
    CAPTURE(what, by);
    CHECK(refusal(replaced(good, what, by)) == message);
  }
  CHECK(refusal(good.substr(0, good.find("</spectrum>"))) ==
        "truncated: f.mzML:6: the input ends inside the spectrum that begins here");
  std::string const empty = replaced(good, "defaultArrayLength=\"2\"", "defaultArrayLength=\"0\"");
  CHECK(refusal(empty, format::mgf) == "not a binary array: f.mzML:16: it does not hold 0 numbers of 8 bytes");
  CHECK(refusal("<?xml version=\"1.0\"?>\n<mzData>\n</mzData>") == "not mzML: f.mzML:2: its first tag is <mzData>");
  CHECK(refusal("<?xml version=\"1.0\"?>\n<indexedmzML/>") == "malformed XML: f.mzML:2: a tag <indexedmzML> where none can be");
  CHECK(refusal("") == "malformed XML: f.mzML:1: no element found");
  CHECK(refusal(replaced(good, "defaultArrayLength=\"2\"", "defaultArrayLength=\"4294967296\""), format::mgf) ==
        "too large: f.mzML:6: more than 2^32 peaks in spectra that follow one another");
  CHECK(refusal(replaced(good, "MS:1000515", "MS:1000516"), format::mgf) ==
        "no peaks: f.mzML:6: the spectrum has not as many m/z as intensities");
  CHECK(refusal(replaced(good, "value=\"445.34\"", "value=\"abc\""), format::mgf) ==
        "not a number: f.mzML:10: the m/z of a selected ion is 'abc'");
}

TEST_CASE("mzml: every truncation and a thousand mutations are sorted or refused") {
  std::string const good = text_of(small());
  std::size_t const whole = good.size() - 1;  // without the last line end
  for (std::size_t size = 0; size < good.size(); ++size)
    if (survives(good.substr(0, size)) != (size >= whole)) FAIL("cut at " << size);
  random_numbers random(18);
  std::string_view const inserted = "<>&'\"/=]! A0\n\xff";
  std::size_t refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string text = good;
    for (std::size_t n = 1 + random.below(3); n != 0; --n) {
      std::size_t const at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = char(text[at] ^ (1 << random.below(8)));
          break;
        case 1:
          text[at] = inserted[random.below(inserted.size())];
          break;
        case 2:
          text.insert(at, 1, inserted[random.below(inserted.size())]);
          break;
        case 3:
          text.erase(at, 1 + random.below(40));
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.below(200)));
      }
    }
    CAPTURE(round);
    refused += survives(text) ? 0 : 1;
  }
  CHECK(refused > 300);
  CHECK(refused < 1000);
}
