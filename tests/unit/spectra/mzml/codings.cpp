#include <algorithm>
#include <bit>

#include "ordo/spectra/read.hpp"
#include "spectra/encoding/numpress.hpp"
#include "spectra/encoding/xml.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// Arrays of mzML in MS-Numpress, and compressed by zstd.
namespace {

using namespace mzml;
using ordo::spectra::format;
using ordo::spectra::sort_key;
using ordo::spectra::detail::array_codec;
using ordo::spectra::detail::binary_array;
using ordo::spectra::detail::number_coding;
namespace numpress = ordo::spectra::detail::numpress;

struct form {
  char const* accession;
  char const* name;
  number_coding coding;
  packing compression;
};
constexpr form forms[]{
    {"MS:1002312", "MS-Numpress linear prediction compression", number_coding::linear, packing::none},
    {"MS:1002313", "MS-Numpress positive integer compression", number_coding::pic, packing::none},
    {"MS:1002314", "MS-Numpress short logged float compression", number_coding::slof, packing::none},
    {"MS:1002746", "linear, zlib compression", number_coding::linear, packing::zlib},
    {"MS:1002747", "pic, zlib compression", number_coding::pic, packing::zlib},
    {"MS:1002748", "slof, zlib compression", number_coding::slof, packing::zlib},
    {"MS:1003783", "linear, zstd compression", number_coding::linear, packing::zstd},
    {"MS:1003784", "pic, zstd compression", number_coding::pic, packing::zstd},
    {"MS:1003785", "slof, zstd compression", number_coding::slof, packing::zstd},
    {"MS:1003088", "truncation and zlib compression", number_coding::plain, packing::zlib},
    {"MS:1003780", "zstd compression", number_coding::plain, packing::zstd},
    {"MS:1003781", "byte-shuffled zstd compression", number_coding::shuffled, packing::zstd},
    {"MS:1003782", "dictionary-encoded zstd compression", number_coding::dictionary, packing::zstd},
};

numpress::method method_of(form const& one) {
  return one.coding == number_coding::linear ? numpress::method::linear
         : one.coding == number_coding::pic  ? numpress::method::pic
                                             : numpress::method::slof;
}
bool is_numpress(form const& one) {
  return one.coding == number_coding::linear || one.coding == number_coding::pic || one.coding == number_coding::slof;
}

/// Returns the numbers that the form holds instead of the whole numbers `values`.
std::vector<double> held(form const& one, std::vector<double> values) {
  if (is_numpress(one))
    for (double& value : values) value = numpress::number(method_of(one), 8, std::int64_t(value));
  return values;
}

std::string base64_of(form const& one, std::vector<double> const& values, number_type type) {
  binary_array array;
  array.type = type;
  array.compression = one.compression;
  std::string made = bytes_of({"", type, packing::none, values});
  if (is_numpress(one)) {
    std::vector<unsigned char> bytes;
    REQUIRE(numpress::encode(method_of(one), {8, {values.begin(), values.end()}}, bytes));
    made.assign(bytes.begin(), bytes.end());
  } else {
    array.coding = one.coding;
  }
  array_codec codec;
  std::string text;
  codec.pack(array, made, text);
  return text;
}

std::string array_text(form const& one, std::vector<double> const& values, number_type type, std::string_view kind) {
  char const* const types[] = {"", "MS:1000521", "MS:1000523", "MS:1000519", "MS:1000522"};
  std::string const base64 = base64_of(one, values, type);
  return fmt::format(
      "<binaryDataArray encodedLength=\"{}\"><cvParam accession=\"{}\" name=\"a\"/><cvParam accession=\"{}\" name=\"t\"/>\n"
      "<cvParam accession=\"{}\" name=\"{}\"/><binary>{}</binary></binaryDataArray>\n",
      base64.size(), kind, types[std::size_t(type)], one.accession, one.name, base64);
}

/// A document of one spectrum with these arrays.
std::string document_of(std::size_t count, std::string_view arrays) {
  std::string const text = text_of(document{{{{}}}});
  return replaced(replaced(text, "defaultArrayLength=\"0\"", fmt::format("defaultArrayLength=\"{}\"", count)),
                  "<binaryDataArrayList count=\"0\">\n", fmt::format("<binaryDataArrayList count=\"2\">\n{}", arrays));
}

std::vector<unsigned char> bytes_of_hex(std::string_view hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

}  // namespace

TEST_CASE("mzml: MS-Numpress as its reference implementation writes it") {
  struct known {
    numpress::method how;
    char const* bytes;
    std::vector<double> numbers;
  };
  using numpress::method;
  // The bytes and numbers are those of pynumpress 0.1.5.
  std::vector<known> const all{
      {method::linear,
       "408f4000000000007a1b06009488010030e3942016fc1a6e216c2f46fc10",
       {400.25, 100.5, 100.75, 1999.0, 101.0, 101.063}},
      {method::pic, "8717f6013071110effffff70", {0, 1, 15, 16, 70000, 2147483646}},
      {method::slof,
       "40af4000000000000000d50aded73593",
       {0, 0x1.000d7a39ac0f4p+0, 0x1.e8468e259cfdfp+19, 0x1.81d80f896d7d1p+13}},
      {method::linear, "", {}},
      {method::linear, "408f400000000000", {}},
      {method::linear, "408f4000000000007a1b0600", {400.25}},
      {method::pic, "ff", {4294967295}},
  };
  for (auto const& [how, hex, numbers] : all) {
    CAPTURE(hex);
    auto const bytes = bytes_of_hex(hex);
    numpress::integers got;
    CHECK(numpress::decode(how, bytes, numbers.size(), got) == "");
    std::vector<double> found;
    for (auto const value : got.values) found.push_back(numpress::number(how, got.scale, value));
    CHECK(found == numbers);
    std::vector<unsigned char> again;
    REQUIRE(numpress::encode(how, got, again));
    if (!bytes.empty()) CHECK(again == bytes);
    CHECK(numpress::decode(how, bytes, numbers.size() + 1, got) == "it ends before its last number");
    if (numbers.size() > 1) CHECK(numpress::decode(how, bytes, numbers.size() - 1, got) == "more numbers follow the last one");
    for (std::size_t size = 0; size < bytes.size() && !numbers.empty(); ++size)
      CHECK(numpress::decode(how, std::span(bytes).first(size), numbers.size(), got) == "it ends before its last number");
  }
  numpress::integers got;
  CHECK(numpress::decode(method::linear, bytes_of_hex("00000000000000007a1b0600"), 1, got) == "its scale is not above 0");
  CHECK(numpress::decode(method::slof, bytes_of_hex("ffffffffffffffff7a1b"), 1, got) == "its scale is not above 0");
  // A half byte that fills the last byte is 0.
  CHECK(numpress::decode(method::pic, bytes_of_hex("71"), 1, got) == "");
  CHECK(numpress::decode(method::pic, bytes_of_hex("81"), 1, got) == "more numbers follow the last one");
  CHECK(numpress::decode(method::pic, bytes_of_hex("80"), 1, got) == "");
  std::vector<unsigned char> bytes;
  CHECK_FALSE(numpress::encode(method::linear, {1, {0, 4294967295, 0}}, bytes));
  CHECK_FALSE(numpress::encode(method::linear, {1, {-1}}, bytes));
}

TEST_CASE("mzml: arrays keep MS-Numpress, zstd and dictionaries when peaks move") {
  std::vector<double> const a{8000, 800, 3200, 800}, b{1, 2, 3, 2};
  std::vector<std::size_t> const order{1, 3, 2, 0};
  auto const by = [&](std::vector<double> const& values) {
    std::vector<double> made;
    for (std::size_t const i : order) made.push_back(values[i]);
    return made;
  };
  for (form const& first : forms) {
    for (number_type const type : {number_type::float32, number_type::float64, number_type::int32, number_type::int64}) {
      form const& second = forms[(&first - forms + 5) % std::size(forms)];
      CAPTURE(first.name, second.name, int(type));
      auto const make = [&](auto turn) {
        return document_of(4, array_text(first, turn(a), type, "MS:1000514") + array_text(second, turn(b), type, "MS:1000515"));
      };
      std::string const in = make([](auto const& values) { return values; });
      CHECK(sorted(in) == make(by));
      ordo::memory_source from(in);
      auto const read = ordo::spectra::read_mzml_spectra(from, {});
      CHECK(read.mz == held(first, a));
      CHECK(read.intensity == held(second, b));
      // Dropped peaks, too.
      ordo::spectra::sort_options options;
      options.select.top = 2;
      options.keep_metadata = true;
      std::string const expected =
          document_of(2, array_text(first, {3200, 800}, type, "MS:1000514") + array_text(second, {3, 2}, type, "MS:1000515"));
      CHECK(sorted(in, options) == sorted(expected));
    }
  }
}

TEST_CASE("mzml: arrays that cannot keep their form become plain numbers, compressed by zlib") {
  // m/z by intensity: differences of more than 32 bits.
  std::vector<double> const far{0, 2e9, 4e9, 4.2e9};
  form const &linear = forms[0], &zstd = forms[10];
  std::string const in = document_of(4, array_text(linear, far, number_type::float32, "MS:1000514") +
                                            array_text(zstd, {2, 4, 1, 3}, number_type::float64, "MS:1000515"));
  ordo::spectra::sort_options options;
  options.by = sort_key::intensity;
  std::string const out = sorted(in, options);
  INFO(out);
  CHECK(out.find("MS:1002312") == std::string::npos);
  CHECK(out.find(R"(accession="MS:1000574" name="zlib compression")") != std::string::npos);
  CHECK(out.find(R"(accession="MS:1000523" name="64-bit float")") != std::string::npos);
  ordo::memory_source from(out);
  auto const read = ordo::spectra::read_mzml_spectra(from, {});
  CHECK(read.mz == std::vector<double>{5e8, 0, 5.25e8, 2.5e8});
  CHECK(read.intensity == std::vector<double>{1, 2, 3, 4});
  CHECK(sorted(out, options) == out);

  // Two terms, as ProteoWizard wrote them first, become one.
  std::string const zlib_name = R"(<cvParam accession="MS:1000574" name="z"/>)";
  std::string const term = R"(<cvParam accession="MS:1002312" name="MS-Numpress linear prediction compression"/>)";
  std::string const packed = base64_of(forms[3], far, number_type::float64);
  std::string const two = replaced(replaced(in, term, term + zlib_name), base64_of(linear, far, number_type::float64), packed);
  std::string const out_of_two = sorted(two, options);
  CHECK(out_of_two.find("Numpress") == std::string::npos);
  CHECK(out_of_two.find(R"(<cvParam accession="MS:1000574" name="zlib compression"/><binary>)") != std::string::npos);
  CHECK(sorted(out_of_two, options) == out_of_two);
  CHECK(sorted(two) == two);

  // Their terms must be in the array.
  std::string grouped = replaced(in, term, R"(<referenceableParamGroupRef ref="g"/>)");
  grouped = replaced(grouped, " <run id",
                     "<referenceableParamGroupList><referenceableParamGroup id=\"g\">" + term +
                         "</referenceableParamGroup></referenceableParamGroupList> <run id");
  CHECK(sorted(grouped) == grouped);
  ordo::memory_source source(grouped);
  ordo::growing_sink sink;
  CHECK_THROWS_WITH(ordo::spectra::sort_mzml(source, sink, options),
                    Catch::Matchers::StartsWith("cannot write a binary array: ") &&
                        Catch::Matchers::EndsWith("but a referenceableParamGroup states its type or compression"));
  options.encoding.packing = ordo::spectra::array_encoding::compression::zlib;
  ordo::memory_source again(grouped);
  CHECK_THROWS_WITH(
      ordo::spectra::sort_mzml(again, sink, options),
      Catch::Matchers::StartsWith("cannot write a binary array: ") &&
          Catch::Matchers::EndsWith("it gets another encoding, but a referenceableParamGroup states its type or compression"));
}

TEST_CASE("mzml: linear MS-Numpress refuses numbers that it cannot state") {
  // The numbers differ from the line through the two before by 2^31 - 2. From 2^52 on odd ones are rounded up.
  std::vector<double> far{0, 1};
  while (far.size() < 2060) far.push_back(2 * far[far.size() - 1] - far[far.size() - 2] + 2147483646.0);
  array_codec codec;
  binary_array array;
  array.coding = number_coding::linear;
  array.type = number_type::float64;
  std::string text;
  CHECK_THROWS_MATCHES(codec.pack_as(array, far, text), ordo::spectra::detail::text_fault,
                       Catch::Matchers::Message("cannot write MS-Numpress: its numbers differ by more than 32 bits"));
}

TEST_CASE("mzml: predicted numbers of mzMLb's writers") {
  // 3, 5, 9, 17 as differences that follow 3 and 5.
  struct {
    char const *accession, *name;
    std::vector<double> stored;
  } const all[]{{"MS:1003089", "truncation, delta prediction and zlib compression", {3, 5, 7, 11}},
                {"MS:1003090", "truncation, linear prediction and zlib compression", {3, 5, 7, 9}}};
  for (auto const& [accession, name, stored] : all) {
    form const one{accession, name, number_coding::plain, packing::zlib};
    for (number_type const type : {number_type::float32, number_type::float64, number_type::int32, number_type::int64}) {
      CAPTURE(name, int(type));
      std::string const in =
          document_of(4, array_text(one, stored, type, "MS:1000514") + array_text(one, stored, type, "MS:1000515"));
      CHECK(sorted(in) == in);
      ordo::memory_source from(in);
      CHECK(ordo::spectra::read_mzml_spectra(from, {}).mz == std::vector<double>{3, 5, 9, 17});
      ordo::spectra::sort_options options;
      options.descending = true;
      form const plain{"MS:1000574", "zlib compression", number_coding::plain, packing::zlib};
      CHECK(sorted(in, options) == document_of(4, array_text(plain, {17, 9, 5, 3}, type, "MS:1000514") +
                                                      array_text(plain, {17, 9, 5, 3}, type, "MS:1000515")));
    }
  }
}

TEST_CASE("mzml: wrong arrays in other forms are named with their line") {
  auto const refuse = [](form const& one, std::size_t count, std::string_view what = {}, std::string_view by = {}) {
    std::string text = document_of(count, array_text(one, {8, 16, 24}, number_type::float64, "MS:1000514"));
    if (!what.empty()) text = replaced(text, what, by);
    return refusal(text);
  };
  CHECK(refuse(forms[0], 2) ==
        "not a binary array: f.mzML:12: it does not hold 2 numbers of MS-Numpress: more numbers follow the last one");
  CHECK(refuse(forms[0], 4) ==
        "not a binary array: f.mzML:12: it does not hold 4 numbers of MS-Numpress: it ends before its last number");
  CHECK(refuse(forms[8], 2) ==
        "not a binary array: f.mzML:12: it does not hold 2 numbers of MS-Numpress: more numbers follow the last one");
  CHECK(refuse(forms[10], 2) == "not a binary array: f.mzML:12: it does not hold 2 numbers of 8 bytes");
  CHECK(refuse(forms[11], 4) == "not a binary array: f.mzML:12: it does not hold 4 numbers of 8 bytes");
  CHECK(refuse(forms[12], 2) == "not a binary array: f.mzML:12: it is no dictionary of 2 numbers of 8 bytes");
  CHECK(refuse(forms[10], 3, "<binary>K", "<binary>L") == "not a binary array: f.mzML:12: its zstd data is corrupt");
  CHECK(refuse(forms[10], std::size_t{1} << 60) ==
        "not a binary array: f.mzML:12: it does not hold 1152921504606846976 numbers of 8 bytes");
  CHECK(refuse(forms[1], 3, "<binary>", R"(<cvParam accession="MS:1002312" name="linear"/><binary>)") ==
        "compression of a binary array not supported: f.mzML:11: 'linear'");
  CHECK(refuse(forms[10], 3, "<binary>", R"(<cvParam accession="MS:1003826" name="coordinate grid encoding"/><binary>)") ==
        "compression of a binary array not supported: f.mzML:11: 'coordinate grid encoding'");
}

TEST_CASE("mzml: arrays whose compression is not stated are uncompressed") {
  constexpr std::string_view term = "<cvParam accession=\"MS:1000576\" name=\"c\"/>";
  document made{{{{mz({3, 1, 2}), intensity({1, 2, 3})}}, {{mz({1}), intensity({7})}}}};
  auto const without = [&](std::string text) {
    for (std::size_t at = text.find(term); at != std::string::npos; at = text.find(term)) text.erase(at, term.size());
    return text;
  };
  std::string const good = text_of(made);
  CHECK(sorted(without(good)) == without(sorted(good)));
  CHECK(sorted(without(good), {}, format::mgf) == sorted(good, {}, format::mgf));
  ordo::spectra::sort_options options;
  options.select.top = 1;
  CHECK(sorted(without(good), options, format::mgf) == sorted(good, options, format::mgf));
}

TEST_CASE("mzml: mutations of arrays in every form are read or refused") {
  random_numbers random(45);
  array_codec codec;
  std::size_t refused = 0, rounds = 0;
  for (form const& one : forms) {
    std::vector<double> values;
    for (std::size_t i = 0; i < 20; ++i) values.push_back(double(random.below(60000)));
    std::string const good = base64_of(one, values, number_type::float64);
    for (int round = 0; round < 100; ++round, ++rounds) {
      std::string text = good;
      for (std::size_t n = 1 + random.below(2); n != 0; --n) {
        std::size_t const at = random.below(text.size());
        switch (random.below(3)) {
          case 0:
            text[at] = "ABab01/+="[random.below(9)];
            break;
          case 1:
            text.resize(std::max<std::size_t>(at / 4 * 4, 1));
            break;
          default:
            text.insert(at / 4 * 4, "AAAA");
        }
      }
      binary_array array;
      array.type = number_type::float64;
      array.coding = one.coding;
      array.compression = one.compression;
      array.count = random.below(4) == 0 ? random.below(100) : values.size();
      array.end = text.size();
      try {
        if (codec.unpack(array, text).size() != 8 * array.count) FAIL("another number of values");
      } catch (ordo::spectra::detail::text_fault const&) {
        ++refused;
      }
    }
  }
  CHECK(refused > rounds / 2);
  CHECK(refused < rounds);
}
