#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/catch.hpp"
#include "tests/unit/gzip_member.hpp"
#include "tools/cli/files/codecs.hpp"

using namespace ordo;
using namespace std::string_literals;
using namespace std::string_view_literals;
using cli::compression;

namespace {

constexpr std::array formats{compression::gzip, compression::bgzf, compression::bzip2, compression::xz, compression::zstd};
constexpr std::size_t all_at_once = std::string::npos;

std::string encode(compression how, std::string_view text, std::size_t step = all_at_once, unsigned threads = 0) {
  auto const encoder = cli::make_encoder(how, threads);
  std::string packed;
  auto const put = [&](std::span<char const> bytes) { packed.append(bytes.data(), bytes.size()); };
  for (std::size_t at = 0; at < text.size(); at += std::min(step, text.size() - at)) encoder->write(text.substr(at, step), put);
  encoder->finish(put);
  return packed;
}

// As encode(), but gzip as other programs write it.
std::string pack(compression how, std::string_view text, std::size_t step = all_at_once, unsigned threads = 0) {
  return how == compression::gzip ? gzip_member(text) : encode(how, text, step, threads);
}

// Returns the text of a reader that gives at most `chunk` bytes a time, in steps of `step`. @throws cli::decode_error
std::string unpack(std::string_view packed, std::size_t step = 1 << 16, std::size_t chunk = all_at_once, unsigned threads = 0) {
  cli::lookahead from([&](std::span<char> to) {
    std::size_t const n = std::min({to.size(), packed.size(), chunk});
    std::copy_n(packed.begin(), n, to.begin());
    packed.remove_prefix(n);
    return n;
  });
  auto const decoder = cli::make_decoder(cli::detect_compression(from.peek(cli::longest_magic)), from, threads);
  std::string text, part(step, '?');
  for (std::size_t got = step; got == step;) {
    got = decoder->read(part);
    text.append(part, 0, got);
  }
  CHECK(decoder->read(part) == 0);
  CHECK(packed.empty());
  return text;
}

// Nothing where it is an error, as it should be.
std::optional<std::string> unpack_or_error(std::string_view packed, std::size_t chunk = all_at_once) {
  try {
    return unpack(packed, 1 << 16, chunk);
  } catch (cli::decode_error const&) {
    return {};
  }
}

std::string noise(std::size_t n) {
  std::string text(n, 'a');
  unsigned state = 12345;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

std::string lines(std::size_t n) {
  std::string text;
  while (text.size() < n) text += "a line of text, the " + std::to_string(text.size() % 1009) + "th or so\n";
  text.resize(n);
  return text;
}

std::size_t magic_of(compression how) {
  return how == compression::bzip2 ? 10 : how == compression::xz ? 6 : how == compression::zstd ? 4 : 2;
}

}  // namespace

TEST_CASE("a text comes back from every compression", "[codecs]") {
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    for (std::size_t n : {0, 1, 17, 1000, 65279, 65280, 65281, 65536, 300000}) {
      for (std::string const& text : {noise(n), lines(n), std::string(n, 'x')}) {
        std::string const packed = pack(how, text);
        CHECK(cli::detect_compression(packed) == how);
        CHECK(unpack(packed) == text);
        CHECK(unpack(packed, n == 0 ? 1 : n) == text);
      }
    }
    std::string const text = lines(3000), packed = pack(how, text);
    CHECK(unpack(packed, 1) == text);
    CHECK(unpack(packed, 4096, 1) == text);
    CHECK(unpack(packed, 777, 13) == text);
  }
}

TEST_CASE("megabytes come back from every compression, by one thread and by several", "[codecs]") {
  std::string const text = lines(1500000) + noise(700000) + std::string(3000000, '\0');
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const packed = pack(how, text);
    CHECK(unpack(packed, 1 << 20) == text);
    if (how == compression::bgzf)
      for (unsigned threads : {1, 2, 5}) CHECK(unpack(packed + packed, 999999, 65536, threads) == text + text);
  }
}

TEST_CASE("the same text is compressed to the same bytes, whatever the steps and the threads", "[codecs]") {
  std::string const text = lines(1200000) + noise(100000);
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const packed = encode(how, text);
    CHECK(encode(how, text, 70001, 1) == packed);
    if (how != compression::bzip2 && how != compression::zstd) CHECK(encode(how, text, 1 << 20, 3) == packed);
  }
}

TEST_CASE("gzip is written as BGZF, which ends with its marker", "[codecs]") {
  std::string const marker("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0"s);
  CHECK(encode(compression::gzip, "") == marker);
  for (std::string const& text : {"x"s, lines(100), noise(0xff00), noise(0xff01), std::string(300000, '\0'), noise(1000000)}) {
    std::string const packed = encode(compression::gzip, text);
    CHECK(packed == encode(compression::bgzf, text));
    CHECK(packed.ends_with(marker));
    CHECK(unpack(packed) == text);
    // Each block is one that BGZF allows, down to the end.
    std::string_view rest = packed;
    while (!rest.empty()) {
      REQUIRE(cli::is_bgzf(rest));
      std::size_t const size =
          (static_cast<unsigned char>(rest[16]) | std::size_t{static_cast<unsigned char>(rest[17])} << 8) + 1;
      REQUIRE(size <= rest.size());
      rest.remove_prefix(size);
    }
  }
}

TEST_CASE("members, streams and frames are one text, empty ones too", "[codecs]") {
  std::string const a = lines(100000), b = "second\n";
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const none = pack(how, "");
    CHECK(unpack(none).empty());
    CHECK(unpack(none + none).empty());
    for (std::size_t chunk : {all_at_once, std::size_t{1}, std::size_t{1000}})
      CHECK(unpack(none + pack(how, a) + none + pack(how, b) + none, 1 << 16, chunk) == a + b);
  }
}

TEST_CASE("data cut at any byte is an error", "[codecs]") {
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    for (std::string const& text : {lines(200), noise(150), ""s}) {
      std::string const one = pack(how, text), two = one + pack(how, lines(90));
      for (std::size_t cut = magic_of(how); cut < two.size(); ++cut) {
        CAPTURE(cut);
        if (cut == one.size()) continue;  // whole as it stands
        bool const within_marker = how == compression::bgzf && cut > one.size() && cut - one.size() < 2;
        for (std::size_t chunk : {all_at_once, std::size_t{1}})
          if (within_marker)
            CHECK_FALSE(unpack_or_error(std::string_view(two).substr(0, cut), chunk));
          else
            CHECK_THROWS_WITH(unpack(std::string_view(two).substr(0, cut), 512, chunk), contains_text("truncated"));
      }
    }
  }
}

TEST_CASE("data with any bit flipped gives an error or the same text", "[codecs]") {
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const text = lines(100), good = pack(how, text) + pack(how, text);
    std::size_t errors = 0;
    for (std::size_t bit = 8 * magic_of(how); bit < 8 * good.size(); ++bit) {
      std::string bad = good;
      bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
      auto const got = unpack_or_error(bad);
      errors += !got;
      if (got && *got != text + text) FAIL_CHECK("bit " << bit << " gives another text");
    }
    CHECK(errors > 4 * good.size());  // most
  }
}

TEST_CASE("what follows the data is an error; zeros as the compression's own program has it", "[codecs]") {
  std::string const text = lines(5000);
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const good = pack(how, text);
    for (std::string const& rest : {"x"s, "garbage that is longer\n"s, "\0\0\0\0x"s, std::string(300000, '\0') + "x", "\x1f"s,
                                    "B"s, "BZ"s, "\xfd"s, "\x28\xb5"s})
      for (std::size_t chunk : {all_at_once, std::size_t{1}}) CHECK_FALSE(unpack_or_error(good + rest, chunk));
    bool const gzip = how == compression::gzip || how == compression::bgzf;
    for (std::size_t zeros : {1, 2, 3, 4, 7, 8, 512, 600000, 600001}) {
      CAPTURE(zeros);
      auto const got = unpack_or_error(good + std::string(zeros, '\0'));
      CHECK(got.has_value() == (gzip || (how == compression::xz && zeros % 4 == 0)));
      if (got) CHECK(*got == text);
    }
  }
  CHECK_THROWS_WITH(unpack(pack(compression::bzip2, text) + "garbage"), contains_text("garbage after bzip2 data"));
  CHECK_THROWS_WITH(unpack(pack(compression::zstd, text) + "garbage"), contains_text("garbage after zstd data"));
  CHECK_THROWS_WITH(unpack(pack(compression::gzip, text) + std::string(9, '\0') + "x"),
                    "garbage after gzip data at byte " + std::to_string(pack(compression::gzip, text).size() + 9));
}

TEST_CASE("errors say at which byte", "[codecs]") {
  std::string const text = noise(400000);  // takes several blocks, buffers and jobs
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const good = pack(how, text);
    std::string const cut = good.substr(0, good.size() / 2);
    CHECK_THROWS_WITH(unpack(cut),
                      "truncated "s + std::string(cli::compression_name(how)) + " data at byte " + std::to_string(cut.size()));
  }
  std::string blocks = pack(compression::bgzf, text + text + text);
  auto const second_block = (static_cast<unsigned char>(blocks[16]) | static_cast<unsigned char>(blocks[17]) << 8) + 1;
  blocks[static_cast<std::size_t>(second_block) + 1000] ^= 1;
  for (unsigned threads : {1, 4})
    CHECK_THROWS_WITH(unpack(blocks, 1 << 16, all_at_once, threads),
                      "corrupt BGZF data at byte " + std::to_string(second_block));
}

TEST_CASE("BGZF and gzip, one after the other: BGZF ends with its marker", "[codecs]") {
  std::string const whole = pack(compression::bgzf, "one"), marker = pack(compression::bgzf, ""), zeros(1000, '\0');
  REQUIRE(marker.size() == 28);
  std::string const unmarked = whole.substr(0, whole.size() - marker.size()), gzip = pack(compression::gzip, "two");
  CHECK(unpack(whole + gzip) == "onetwo");
  CHECK(unpack(whole + gzip + whole) == "onetwoone");
  CHECK(unpack(gzip + whole + zeros) == "twoone");
  CHECK(unpack(whole + whole) == "oneone");
  CHECK(unpack(marker + gzip + marker) == "two");
  for (std::string const& bad : {unmarked + gzip, unmarked + zeros, gzip + unmarked, unmarked, whole + unmarked})
    CHECK_THROWS_WITH(unpack(bad), contains_text("the end marker is missing"));
  // A long BGZF part of many jobs, read in steps that end where it does.
  std::string const text = lines(4000000), blocks = pack(compression::bgzf, text);
  CHECK(unpack(blocks + gzip + blocks, text.size()) == text + "two" + text);
  CHECK_THROWS_WITH(unpack(blocks.substr(0, blocks.size() - 28)), contains_text("the end marker is missing"));
}

TEST_CASE("a decoder that is left in the midst of its work stops", "[codecs]") {
  for (compression const how : formats) {
    std::string const text = noise(how == compression::bgzf ? 5000000 : how == compression::bzip2 ? 2000000 : 600000);
    std::string_view packed;
    std::string const all = pack(how, text);
    packed = all;
    cli::lookahead from([&](std::span<char> to) {
      if (packed.size() < all.size() / 2) throw std::runtime_error("the disk is gone");
      std::size_t const n = std::min<std::size_t>({to.size(), packed.size(), 65536});
      std::copy_n(packed.begin(), n, to.begin());
      packed.remove_prefix(n);
      return n;
    });
    std::string part(1000, '?');
    CHECK(cli::make_decoder(how, from, 4)->read(part) == part.size());
    auto const decoder = cli::make_decoder(how, from, 4);  // from somewhere within
    CHECK_THROWS([&] {
      while (decoder->read(part) == part.size()) continue;
    }());
  }
}

TEST_CASE("a failed write of an encoder is the caller's, and ends its work", "[codecs]") {
  for (compression const how : formats) {
    std::string const text = noise(how == compression::bgzf ? 5000000 : how == compression::bzip2 ? 2000000 : 600000);
    auto const encoder = cli::make_encoder(how, 4);
    std::size_t written = 0;
    auto const put = [&](std::span<char const> bytes) {
      written += bytes.size();
      if (written > 100000) throw std::runtime_error("no space left");
    };
    CHECK_THROWS_WITH((encoder->write(text, put), encoder->finish(put)), "no space left");
  }
}

TEST_CASE("compressions are known by their bytes and promised by names", "[codecs]") {
  CHECK(cli::detect_compression(""sv) == compression::none);
  CHECK(cli::detect_compression("BZh9 is how a text may begin"sv) == compression::none);
  CHECK(cli::detect_compression("BZh01AY&SY...."sv) == compression::none);
  CHECK(cli::detect_compression("(a line)\n"sv) == compression::none);
  CHECK(cli::detect_compression("\x5f\x2a\x4d\x18"sv) == compression::zstd);
  CHECK(cli::detect_compression("\x60\x2a\x4d\x18"sv) == compression::none);
  std::string const frame = pack(compression::zstd, "text"), skipped = "\x53\x2a\x4d\x18\5\0\0\0#####"s;
  CHECK(unpack(skipped + frame + skipped + frame) == "texttext");
  CHECK_FALSE(unpack_or_error(skipped.substr(0, 10)));
  CHECK(unpack(skipped).empty());
  for (compression const how : formats) {
    CAPTURE(cli::compression_name(how));
    std::string const packed = pack(how, "text");
    std::size_t const magic = magic_of(how);
    for (std::size_t n = 0; n < magic; ++n) CHECK(cli::is_cut_magic(how, std::string_view(packed).substr(0, n)));
    CHECK_FALSE(cli::is_cut_magic(how, std::string_view(packed).substr(0, magic)));
    CHECK_FALSE(cli::is_cut_magic(how, "x"sv));
  }
  CHECK_FALSE(cli::is_cut_magic(compression::none, ""sv));
  CHECK(cli::compression_named("a.BZ2") == compression::bzip2);
  CHECK(cli::compression_named("a.b.xz") == compression::xz);
  CHECK(cli::compression_named("a.zst") == compression::zstd);
  CHECK(cli::compression_named("a.zstd") == compression::zstd);
  CHECK(cli::compression_named("zst") == compression::none);
}
