// Compressed data of any kind, read in parts of any size; and texts that are compressed and read again.
#include "fuzz/fuzz.hpp"
#include "fuzz/mend.hpp"
#include "tools/cli/files/codecs.hpp"

using namespace ordo;

namespace {

constexpr std::size_t max_text = std::size_t{1} << 22;  // a bomb of compression is read in parts, as the tools do

std::pair<std::string, std::string> decode(std::string_view packed, std::size_t part) {
  std::size_t at = 0;
  cli::lookahead from([&](std::span<char> to) {
    std::size_t const got = std::min({to.size(), part, packed.size() - at});
    std::copy_n(packed.data() + at, got, to.data());
    at += got;
    return got;
  });
  std::string text, error;
  try {
    auto const decoder = cli::make_decoder(cli::detect_compression(from.peek(cli::longest_magic)), from, 1);
    std::vector<char> buffer(part);
    for (std::size_t got = part; got == part && text.size() < max_text;) {
      got = decoder->read(buffer);
      text.append(buffer.data(), got);
    }
  } catch (cli::decode_error const& e) {
    error = e.what();
  }
  return {text, error};
}

void check_parts(std::string_view packed, std::size_t part) {
  auto const [text, error] = decode(packed, 4096);
  auto const [other_text, other_error] = decode(packed, part);
  // In small parts, libzstd accepts a last block without bytes although its frame promised more.
  bool const short_frame = packed.starts_with("\x28\xb5\x2f\xfd") && error.empty() != other_error.empty();
  if (text.size() < max_text && other_text.size() < max_text && !short_frame) {
    fuzz::require(error.empty() == other_error.empty(), "parts fail as a whole file does");
    if (error.empty()) fuzz::require(text == other_text, "parts have the text of a whole file");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const option = bytes.number(256), part = 1 + 16 * bytes.number(256);
  std::string_view const packed = bytes.rest();
  check_parts(packed, part);
  std::string mended(packed);
  if (packed.starts_with("\x1f\x8b")) fuzz::mend_gzip(mended);
  if (packed.starts_with("\xfd\x37zXZ")) fuzz::mend_xz(mended);
  if (mended != packed) check_parts(mended, part);

  auto const format = cli::compression(1 + option % 5);
  std::string packed_again;
  auto const put = [&](std::span<char const> more) { packed_again.append(more.data(), more.size()); };
  auto const encoder = cli::make_encoder(format, 1);
  for (std::size_t at = 0; at < packed.size(); at += part) encoder->write(packed.substr(at, part), put);
  encoder->finish(put);
  auto const [unpacked, failed] = decode(packed_again, part);
  fuzz::require(failed.empty() && unpacked == packed, "what is compressed is read again");
  return 0;
}
