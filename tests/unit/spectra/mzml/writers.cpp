#include <fmt/format.h>

#include "ordo/spectra/import.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"
#include "tests/unit/temporary_folder.hpp"

// The forms that mzML has by other writers than those that most of it is made by.
namespace {

using namespace mzml;
using ordo::spectra::format;

}  // namespace

TEST_CASE("mzml: prefixes, entities, CDATA, line breaks, comments, parameter groups, other encodings") {
  std::string const plain = text_of(document{{{{mz({2, 1}), intensity({1, 2})}}}});
  std::string const sorted_plain = text_of(document{{{{mz({1, 2}), intensity({2, 1})}}}});
  std::string const mz_21 = "AAAAAAAAAEAAAAAAAADwPw==", mz_12 = "AAAAAAAA8D8AAAAAAAAAQA==";
  auto const both = [&](std::string_view what, std::string_view in, std::string_view out) {
    CHECK(sorted(replaced(plain, what, in)) == replaced(sorted_plain, what == mz_21 ? std::string_view(mz_12) : what, out));
  };
  both(mz_21, "AAAAAAAAAEAA\nAAAAAADw\r\n Pw==", mz_12);
  both(mz_21, "<![CDATA[AAAAAAAAAEAAAAAAAADwPw==]]>", mz_12);
  both(mz_21, "AAAAAAAAAEAA<!-- </spectrum> -->AAAAAADwPw==", mz_12);
  both(mz_21, "&#65;AAAAAAAAEAAAAAAAADwPw&#x3d;=", mz_12);
  both(mz_21, mz_21 + "<!-- kept -->", mz_12 + "<!-- kept -->");
  both("   <spectrum ", "<!-- </spectrum> <spectrum> --><userParam name=\"a > &amp; 'b'\"/>  <spectrum ",
       "<!-- </spectrum> <spectrum> --><userParam name=\"a > &amp; 'b'\"/>  <spectrum ");
  both("encoding=\"utf-8\"", "encoding=\"ISO-8859-1\"", "encoding=\"ISO-8859-1\"");
  both("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", "\xef\xbb\xbf", "\xef\xbb\xbf");

  // Spectra that a parser has to read are read as those beside them, whose tags are plain.
  document const two{{{{mz({2, 1}), intensity({1, 2})}}, {{mz({3, 1}), intensity({1, 2})}}}};
  document const sorted_two{{{{mz({1, 2}), intensity({2, 1})}}, {{mz({1, 3}), intensity({2, 1})}}}};
  for (std::string const odd : {"<binaryDataArrayList", "<cvParam", "</spectrum>"})
    CHECK(sorted(replaced(text_of(two), odd, "<!-- odd -->" + odd)) ==
          replaced(text_of(sorted_two), odd, "<!-- odd -->" + odd));

  auto const prefixed = [](std::string text) {
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1))
      if (text[at + 1] != '?') text.insert(at + (text[at + 1] == '/' ? 2 : 1), "ms:");
    for (std::size_t at; (at = text.find(" xmlns=")) != std::string::npos;) text.replace(at, 7, " xmlns:ms=");
    return text;
  };
  CHECK(sorted(prefixed(plain)) == prefixed(sorted_plain));

  auto const grouped = [](std::string const& text) {
    return replaced(
        replaced(text, mz_term, "<referenceableParamGroupRef ref=\"m&amp;z\"/>"), " <run id=\"r\">",
        fmt::format(" <referenceableParamGroup id=\"m&#38;z\">{}</referenceableParamGroup><run id=\"r\">", mz_term));
  };
  CHECK(sorted(grouped(plain)) == grouped(sorted_plain));
}

TEST_CASE("mzml: what other writers write") {
  std::string const plain = text_of(document{{{{mz({2, 1}), intensity({1, 2})}}}});
  std::string const in_order = text_of(document{{{{mz({1, 2}), intensity({2, 1})}}}});
  std::string const mgf = sorted(plain, {}, format::mgf);
  auto const same = [&](auto change) {
    CHECK((sorted(change(plain)) == change(in_order)));
    CHECK(sorted(change(plain), {}, format::mgf) == mgf);
  };
  auto const by = [](std::string const& what, std::string const& with) {
    return [=](std::string const& text) { return replaced(text, what, with); };
  };
  auto const all = [](std::string const& text, std::string_view what, std::string_view with) {
    std::string made;
    for (std::size_t at = 0;;) {
      std::size_t const found = text.find(what, at);
      made.append(text, at, found - at);
      if (found == std::string::npos) return made;
      made += with;
      at = found + what.size();
    }
  };
  same(by("name=\"ms level\" value=\"2\"", "name=\"ms level\" value=\" 2.0 \""));
  same(by("MS:1000041\" value=\"2\"", "MS:1000041\" value=\"+2.\""));
  same(by("value=\"445.34\"", "value=\" 4.4534e2\n\""));
  same(by("defaultArrayLength=\"2\"", "defaultArrayLength=\" +2 \""));
  same([&](std::string const& text) { return all(text, "\n", "\r\n"); });
  same([&](std::string const& text) { return all(text, "\"", "'"); });
  same([&](std::string const& text) { return all(text, "<binary>", "<binary >"); });
  same([&](std::string const& text) { return all(text, "</spectrum>", "</spectrum\n>"); });
  same([&](std::string const& text) { return all(text, "<precursorList", "<!-- </spectrum> <binary> --><precursorList"); });
  std::string const long_value(2'000'000, 'x');
  same(by("<spectrum ", fmt::format("<spectrum long=\"{}\" ", long_value)));
  same(by("<scanList", fmt::format("<userParam name=\"{}\"/><scanList", long_value)));
  CHECK((sorted(replaced(plain, "encodedLength=\"24\"", "encodedLength=\"7\"")) == in_order));  // made anew

  // Empty arrays may have any type.
  std::string const empty =
      all(text_of(document{{{{mz({}), intensity({})}}}}), "<cvParam accession=\"MS:1000523\" name=\"t\"/>", "");
  CHECK((sorted(empty) == empty));
  CHECK(sorted(empty, {}, format::mgf).find("SCANS=1\nEND IONS") != std::string::npos);
}

TEST_CASE("mzml: a file whose SHA-1 cannot be found is an error") {
  temporary_folder const folder;
  ordo::spectra::sort_options options;
  for (std::string const& path : {folder.path("missing"), folder.path("")}) {
    options.path = path;
    ordo::memory_source from("BEGIN IONS\nPEPMASS=1\n1 1\nEND IONS\n");
    ordo::growing_sink to;
    CHECK_THROWS_MATCHES(ordo::spectra::sort_to_mzml(from, to, options, format::mgf), ordo::input_error,
                         Catch::Matchers::Message("cannot read: " + path + ": its SHA-1 is not known"));
  }
}
