#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <zlib.h>

/// Mends the checksums of a changed input, so that the code after them is tried, too. Data that cannot be parsed stays as it
/// is.
namespace fuzz {

inline std::uint32_t compute_crc32(std::string const& data, std::size_t begin, std::size_t bytes) {
  return std::uint32_t(crc32_z(0, reinterpret_cast<Bytef const*>(data.data() + begin), bytes));
}

inline std::uint32_t read_word(std::string const& data, std::size_t at) {
  std::uint32_t word;
  std::memcpy(&word, data.data() + at, sizeof word);
  return word;
}

inline void write_word(std::string& data, std::size_t at, std::uint32_t word) {
  if (at + sizeof word <= data.size()) std::memcpy(data.data() + at, &word, sizeof word);
}

/// Checksum and size at the end of each member.
inline void mend_gzip(std::string& data) {
  constexpr std::size_t max_text = std::size_t{1} << 22;
  for (std::size_t at = 0; at + 18 <= data.size();) {
    z_stream stream{};
    if (inflateInit2(&stream, 31) != Z_OK) return;
    stream.next_in = reinterpret_cast<Bytef*>(data.data() + at);
    stream.avail_in = uInt(data.size() - at);
    uLong sum = crc32_z(0, nullptr, 0);
    char text[4096];
    int done = Z_OK;
    while (done == Z_OK && stream.total_out < max_text) {
      stream.next_out = reinterpret_cast<Bytef*>(text);
      stream.avail_out = sizeof text;
      uLong const before = stream.total_out;
      done = inflate(&stream, Z_NO_FLUSH);
      sum = crc32_z(sum, reinterpret_cast<Bytef const*>(text), stream.total_out - before);
      if (done == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;
    }
    // A wrong checksum is found once its four bytes have been read, a wrong size after four more.
    bool const is_sum = done == Z_DATA_ERROR && stream.msg && std::strstr(stream.msg, "data check");
    bool const is_size = done == Z_DATA_ERROR && stream.msg && std::strstr(stream.msg, "length check");
    std::size_t const read = at + stream.total_in;
    auto const bytes = std::uint32_t(stream.total_out);
    inflateEnd(&stream);
    if (!is_sum && !is_size && done != Z_STREAM_END) return;
    std::size_t const trailer = read - (is_sum ? 4 : 8);
    write_word(data, trailer, std::uint32_t(sum));
    write_word(data, trailer + 4, bytes);
    at = trailer + 8;
  }
}

/// Those of the headers, the index and the footer of one stream.
inline void mend_xz(std::string& data) {
  constexpr std::size_t head = 12, foot = 12;
  if (data.size() < head + foot) return;
  write_word(data, 8, compute_crc32(data, 6, 2));
  std::size_t const block = (std::size_t{static_cast<unsigned char>(data[head])} + 1) * 4;
  if (data[head] != 0 && head + block <= data.size()) write_word(data, head + block - 4, compute_crc32(data, head, block - 4));
  std::size_t const footer = data.size() - foot;
  write_word(data, footer, compute_crc32(data, footer + 4, 6));
  std::size_t const index = (std::size_t{read_word(data, footer + 4)} + 1) * 4;
  if (index <= footer - head) write_word(data, footer - 4, compute_crc32(data, footer - index, index - 4));
}

/// The checksum of a description of an index, in a line of its own.
inline void mend_description(std::string& json) {
  constexpr char const begin[] = "  \"crc32\": \"", end[] = "\",\n";
  std::size_t const line = json.find(begin), digits = line + sizeof begin - 1;
  if (line == json.npos || json.compare(digits + 8, sizeof end - 1, end) != 0) return;
  std::string rest = json;
  rest.erase(line, sizeof begin - 1 + 8 + sizeof end - 1);
  char text[9];
  std::snprintf(text, sizeof text, "%08x", unsigned(compute_crc32(rest, 0, rest.size())));
  json.replace(digits, 8, text);
}

}  // namespace fuzz
