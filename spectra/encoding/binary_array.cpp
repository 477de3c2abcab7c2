#include "spectra/encoding/binary_array.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <libdeflate.h>
#define ZSTD_STATIC_LINKING_ONLY  // for memory of one's own
#include <zstd.h>
#include <zstd_errors.h>

#include "base/large_blocks.hpp"
#include "spectra/encoding/numpress.hpp"
#include "spectra/encoding/xml.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr int zlib_level = 4;  // 0.3 % larger than zlib's level 6, in half the time
constexpr int zstd_level = ZSTD_CLEVEL_DEFAULT;
// The maximum ratios of deflate, and of blocks of zstd: 128 KiB of one byte in 4 bytes.
constexpr std::size_t max_zlib_ratio = 1032, max_zstd_ratio = 32768;
// The most bytes that are allocated because a frame of zstd states that it holds them.
constexpr std::size_t max_stated_bytes = std::size_t{1} << 26;

// A frame may have a window of up to 128 MiB.
constexpr ZSTD_customMem window_memory{[](void*, std::size_t bytes) { return ordo::detail::allocate_checked(bytes); },
                                       [](void*, void* block) { ordo::detail::free_checked(block); }, nullptr};

constexpr numpress::method to_method(number_coding coding) {
  return coding == number_coding::linear ? numpress::method::linear
         : coding == number_coding::pic  ? numpress::method::pic
                                         : numpress::method::slof;
}

constexpr std::size_t max_ratio(packing how) {
  return how == packing::zlib ? max_zlib_ratio : how == packing::zstd ? max_zstd_ratio : 1;
}

template <class T>
void convert(std::span<char const> numbers, std::vector<double>& to) {
  to.resize(numbers.size() / sizeof(T));
  for (std::size_t i = 0; i < to.size(); ++i) {
    T value;
    std::memcpy(&value, numbers.data() + i * sizeof(T), sizeof(T));
    to[i] = double(value);
  }
}

template <class T>
void take(std::span<char const> numbers, std::span<std::uint32_t const> order, char* to) {
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(to + i * sizeof(T), numbers.data() + order[i] * sizeof(T), sizeof(T));
}

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t wrong = 0x80000000;

// The bits that a character in each of the four places of a group adds to the group's 24; `wrong` if it is no character of
// base64.
using places = std::array<std::array<std::uint32_t, 256>, 4>;
constexpr places make_places() {
  places made{};
  for (auto& place : made) place.fill(wrong);
  for (std::size_t place = 0; place < 4; ++place)
    for (std::size_t i = 0; i < 64; ++i) made[place][std::uint8_t(alphabet[i])] = std::uint32_t(i) << (18 - 6 * place);
  return made;
}
constexpr places values = make_places();

// The two characters of every 12 bits.
using pair_table = std::array<std::array<char, 2>, 4096>;
constexpr pair_table make_pairs() {
  pair_table made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = {alphabet[i >> 6], alphabet[i & 63]};
  return made;
}
constexpr pair_table pairs = make_pairs();

void write_group(std::uint32_t bits, char* to) {
  to[0] = char(bits >> 16);
  to[1] = char(bits >> 8);
  to[2] = char(bits);
}

}  // namespace

void encode_base64(std::span<char const> bytes, char* output) {
  auto const* p = reinterpret_cast<unsigned char const*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 3; left -= 3, p += 3, output += 4) {
    std::uint32_t const bits = std::uint32_t(p[0]) << 16 | std::uint32_t(p[1]) << 8 | p[2];
    std::memcpy(output, pairs[bits >> 12].data(), 2);
    std::memcpy(output + 2, pairs[bits & 4095].data(), 2);
  }
  if (left == 0) return;
  std::uint32_t const bits = std::uint32_t(p[0]) << 16 | (left == 2 ? std::uint32_t(p[1]) << 8 : 0);
  std::memcpy(output, pairs[bits >> 12].data(), 2);
  output[2] = left == 2 ? alphabet[bits >> 6 & 63] : '=';
  output[3] = '=';
}

std::optional<std::size_t> decode_base64(std::string_view text, char* output) {
  char* const begin = output;
  auto const* p = reinterpret_cast<unsigned char const*>(text.data());
  auto const* const end = p + text.size();
  for (;;) {
    for (; end - p >= 4; p += 4, output += 3) {
      std::uint32_t const bits = values[0][p[0]] | values[1][p[1]] | values[2][p[2]] | values[3][p[3]];
      if (bits & wrong) break;
      write_group(bits, output);
    }
    // Reads one group with blanks between its characters, or the last one.
    std::uint32_t bits = 0;
    std::size_t count = 0, padding = 0;
    for (; p != end && count + padding < 4; ++p) {
      if (is_space(char(*p))) continue;
      if (*p == '=' && count >= 2) {
        ++padding;
        continue;
      }
      if (padding != 0 || (values[0][*p] & wrong)) return std::nullopt;
      bits |= values[count++][*p];
    }
    if (count == 0) return std::size_t(output - begin);
    if (count + padding != 4) return std::nullopt;
    char group[3];
    write_group(bits, group);
    std::memcpy(output, group, count - 1);
    output += count - 1;
    if (padding == 0) continue;
    for (; p != end; ++p)
      if (!is_space(char(*p))) return std::nullopt;
    return std::size_t(output - begin);
  }
}

namespace {

// Puts the bytes of numbers in the order of an array: first byte i of each number, for i from 0 on.
void shuffle(std::size_t width, std::span<char const> numbers, char* to) {
  std::size_t const count = numbers.size() / width;
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t k = 0; k < count; ++k) *to++ = numbers[k * width + i];
}

void unshuffle(std::size_t width, std::span<char const> bytes, char* to) {
  std::size_t const count = bytes.size() / width;
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t k = 0; k < count; ++k) to[k * width + i] = bytes[i * count + k];
}

std::uint64_t read_bits(char const* from, std::size_t width) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, width);  // little-endian, as machines are
  return bits;
}

// A dictionary: the offset of the places and the number of values in 8 bytes each, the values in ascending order of their bits,
// and the places in as few bytes as there may be.
constexpr std::size_t dictionary_head = 16;

constexpr std::size_t width_of_places(std::uint64_t values) {
  return values <= std::uint64_t{1} << 8 ? 1 : values <= std::uint64_t{1} << 16 ? 2 : values <= std::uint64_t{1} << 32 ? 4 : 8;
}

// Returns false if the bytes are no dictionary of `count` numbers.
bool read_dictionary(std::size_t width, std::size_t count, std::span<char const> bytes, std::vector<char>& memory, char* to) {
  if (bytes.size() < dictionary_head) return false;
  std::uint64_t const places_at = read_bits(bytes.data(), 8), num_values = read_bits(bytes.data() + 8, 8);
  if (places_at < dictionary_head || places_at > bytes.size()) return false;
  auto const shuffled_values = bytes.subspan(dictionary_head, places_at - dictionary_head), shuffled = bytes.subspan(places_at);
  std::size_t const place_width = width_of_places(num_values);
  if (shuffled_values.size() % width != 0 || shuffled_values.size() / width != num_values) return false;
  if (shuffled.size() % place_width != 0 || shuffled.size() / place_width != count) return false;
  memory.resize(std::max(memory.size(), bytes.size()));
  unshuffle(width, shuffled_values, memory.data());
  char* const places = memory.data() + shuffled_values.size();
  unshuffle(place_width, shuffled, places);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const place = read_bits(places + i * place_width, place_width);
    if (place >= num_values) return false;
    std::memcpy(to + i * width, memory.data() + place * width, width);
  }
  return true;
}

void write_dictionary(std::size_t width, std::span<char const> numbers, std::vector<char>& to) {
  std::vector<std::uint64_t> all(numbers.size() / width);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = read_bits(numbers.data() + i * width, width);
  std::vector<std::uint64_t> values = all;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::size_t const place_width = width_of_places(values.size()), value_bytes = values.size() * width;
  std::vector<char> plain(value_bytes + all.size() * place_width);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(plain.data() + i * width, &values[i], width);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const place = std::uint64_t(std::ranges::lower_bound(values, all[i]) - values.begin());
    std::memcpy(plain.data() + value_bytes + i * place_width, &place, place_width);
  }
  to.resize(dictionary_head + plain.size());
  std::uint64_t const head[2] = {dictionary_head + value_bytes, values.size()};
  std::memcpy(to.data(), head, dictionary_head);
  shuffle(width, std::span(plain).first(value_bytes), to.data() + dictionary_head);
  shuffle(place_width, std::span(plain).subspan(value_bytes), to.data() + dictionary_head + value_bytes);
}

// Undoes the prediction of each number by the one before, or the two before. The order of operations, in the type of the
// numbers, is that of the writers (ProteoWizard's mzMLb).
template <class T>
void add_predictions(number_coding coding, std::size_t count, char* numbers) {
  auto const at = [&](std::size_t i) {
    T value;
    std::memcpy(&value, numbers + i * sizeof(T), sizeof(T));
    return value;
  };
  for (std::size_t i = 2; i < count; ++i) {
    T const value = coding == number_coding::delta ? T(T(at(i) + at(i - 1)) - at(0))
                                                   : T(T(T(at(i) + T(2 * at(i - 1))) - at(i - 2)) - at(1));
    std::memcpy(numbers + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

struct array_codec::state {
  std::vector<char> packed, raw, numbers, coded, memory;
  numpress::integers integers, permuted;
  std::vector<unsigned char> encoded;
  libdeflate_decompressor* in = libdeflate_alloc_decompressor();
  libdeflate_compressor* out = libdeflate_alloc_compressor(zlib_level);
  ZSTD_DCtx* zstd_in = ZSTD_createDCtx_advanced(window_memory);
  ZSTD_CCtx* zstd_out = ZSTD_createCCtx();
  ~state() {
    libdeflate_free_decompressor(in);
    libdeflate_free_compressor(out);
    ZSTD_freeDCtx(zstd_in);
    ZSTD_freeCCtx(zstd_out);
  }

  /// Decompresses a zlib stream of at most max_bytes.
  /// @returns nothing if it is corrupt; more than max_bytes if it is longer
  std::optional<std::size_t> inflate(std::span<char const> from, std::size_t max_bytes) {
    raw.resize(std::max(raw.size(), max_bytes + 1));
    std::size_t got = 0;
    switch (libdeflate_zlib_decompress(in, from.data(), from.size(), raw.data(), max_bytes, &got)) {
      case LIBDEFLATE_SUCCESS:
        return got;
      case LIBDEFLATE_INSUFFICIENT_SPACE:
        return max_bytes + 1;
      default:
        return std::nullopt;
    }
  }

  /// The same for frames of zstd. Memory grows with what they hold, not with what they state.
  std::optional<std::size_t> inflate_zstd(std::span<char const> from, std::size_t max_bytes) {
    auto const stated = ZSTD_getFrameContentSize(from.data(), from.size());
    if (stated == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
    bool const known = stated != ZSTD_CONTENTSIZE_UNKNOWN;
    if (known && stated > max_bytes) return max_bytes + 1;
    raw.resize(std::max<std::size_t>(raw.size(), std::min<std::size_t>(known ? stated : max_bytes, max_stated_bytes) + 1));
    ZSTD_DCtx_reset(zstd_in, ZSTD_reset_session_only);
    ZSTD_inBuffer input{from.data(), from.size(), 0};
    for (std::size_t got = 0;;) {
      ZSTD_outBuffer output{raw.data() + got, raw.size() - got, 0};
      std::size_t const left = ZSTD_decompressStream(zstd_in, &output, &input);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_isError(left)) return std::nullopt;
      got += output.pos;
      if (got > max_bytes) return got;
      if (input.pos == input.size && left == 0) return got;
      if (input.pos == input.size && output.pos < output.size) return std::nullopt;  // truncated
      if (got == raw.size()) raw.resize(2 * raw.size());
    }
  }
};

array_codec::array_codec() : state_(std::make_unique<state>()) {
  if (!state_->in || !state_->out || !state_->zstd_in || !state_->zstd_out) throw std::bad_alloc();
}
array_codec::~array_codec() = default;

namespace {

[[noreturn]] void fail(binary_array const& array, std::string const& why) {
  throw text_fault(array.begin, "not a binary array", why);
}

[[noreturn]] void wrong_length(binary_array const& array) {
  if (array.is_numpress()) fail(array, fmt::format("it does not hold {} numbers of MS-Numpress", array.count));
  fail(array, fmt::format("it does not hold {} numbers of {} bytes", array.count, array.width()));
}

bool is_empty(binary_array const& array, std::string_view text) {
  return array.count == 0 && std::ranges::all_of(array.base64(text), is_space);
}

// Returns the maximum number of bytes of an array before it is compressed.
std::size_t max_coded_bytes(binary_array const& array) {
  if (array.is_numpress()) return numpress::max_bytes(array.count);
  if (array.coding == number_coding::dictionary) return dictionary_head + array.count * (array.width() + sizeof(std::uint64_t));
  return array.count * array.width();
}

}  // namespace

// Returns the bytes that were compressed, or stored as they are.
std::span<char const> array_codec::unpack_bytes(binary_array const& array, std::string_view text) {
  auto const refuse = [&](std::string const& subject, std::string const& name) {
    throw text_fault(array.tag, subject + " not supported", name.empty() ? "none is named" : fmt::format("'{}'", name));
  };
  if (array.type == number_type::unknown || !array.unknown_type.empty()) refuse("type of a binary array", array.unknown_type);
  if (array.compression == packing::unknown || !array.unknown_packing.empty())
    refuse("compression of a binary array", array.unknown_packing);
  std::string_view const base64 = array.base64(text);
  auto& packed = state_->packed;
  packed.resize(std::max(packed.size(), max_base64_bytes(base64.size())));
  auto const size = decode_base64(base64, packed.data());
  if (!size) fail(array, "it is no base64");
  // A number of MS-Numpress may have half a byte only, and one of a dictionary a byte.
  if (array.count > (*size + 1) * max_ratio(array.compression) * 2) wrong_length(array);
  auto const bytes = std::span(packed).first(*size);
  if (array.compression == packing::none || bytes.empty()) return bytes;
  bool const zlib = array.compression == packing::zlib;
  std::size_t const max_bytes = max_coded_bytes(array);
  auto const got = zlib ? state_->inflate(bytes, max_bytes) : state_->inflate_zstd(bytes, max_bytes);
  if (!got) fail(array, zlib ? "its zlib data is corrupt" : "its zstd data is corrupt");
  if (*got > max_bytes) wrong_length(array);
  return std::span(state_->raw).first(*got);
}

// Reads the integers of MS-Numpress.
void array_codec::decode_integers(binary_array const& array, std::string_view text) {
  auto const bytes = unpack_bytes(array, text);
  std::string_view const why =
      numpress::decode(to_method(array.coding), {reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size()},
                       array.count, state_->integers);
  if (!why.empty()) fail(array, fmt::format("it does not hold {} numbers of MS-Numpress: {}", array.count, why));
}

std::span<char const> array_codec::unpack(binary_array const& array, std::string_view text) {
  // An array that should be empty and is may be of any type.
  if (is_empty(array, text)) return {};
  auto& numbers = state_->numbers;
  std::size_t const wanted = array.count * array.width();
  auto const with_room = [&] { numbers.resize(std::max(numbers.size(), wanted)); };
  if (array.is_numpress()) {
    decode_integers(array, text);
    with_room();
    auto const& from = state_->integers;
    for (std::size_t i = 0; i < array.count; ++i) {
      double const value = numpress::number(to_method(array.coding), from.scale, from.values[i]);
      std::memcpy(numbers.data() + i * sizeof(double), &value, sizeof(double));
    }
    return std::span(numbers).first(wanted);
  }
  auto const bytes = unpack_bytes(array, text);
  if (array.coding == number_coding::dictionary) {
    if (bytes.empty() && array.count == 0) return {};
    // Each number has a place of a byte or more.
    if (bytes.size() < array.count) wrong_length(array);
    with_room();
    if (!read_dictionary(array.width(), array.count, bytes, state_->memory, numbers.data()))
      fail(array, fmt::format("it is no dictionary of {} numbers of {} bytes", array.count, array.width()));
    return std::span(numbers).first(wanted);
  }
  if (bytes.size() != wanted) wrong_length(array);
  if (array.coding == number_coding::plain) return bytes;
  with_room();
  if (array.coding == number_coding::shuffled) {
    unshuffle(array.width(), bytes, numbers.data());
  } else {
    std::ranges::copy(bytes, numbers.begin());
    switch (array.type) {
      case number_type::float32:
        add_predictions<float>(array.coding, array.count, numbers.data());
        break;
      case number_type::float64:
        add_predictions<double>(array.coding, array.count, numbers.data());
        break;
      case number_type::int32:  // unsigned, as malformed arrays may wrap
        add_predictions<std::uint32_t>(array.coding, array.count, numbers.data());
        break;
      default:
        add_predictions<std::uint64_t>(array.coding, array.count, numbers.data());
    }
  }
  return std::span(numbers).first(wanted);
}

std::span<char const> array_codec::compress(packing how, std::span<char const> bytes) {
  auto& packed = state_->packed;
  if (how == packing::zlib) {
    std::size_t const room = libdeflate_zlib_compress_bound(state_->out, bytes.size());
    packed.resize(std::max(packed.size(), room));
    return {packed.data(), libdeflate_zlib_compress(state_->out, bytes.data(), bytes.size(), packed.data(), room)};
  }
  if (how == packing::zstd) {
    std::size_t const room = ZSTD_compressBound(bytes.size());
    packed.resize(std::max(packed.size(), room));
    std::size_t const size = ZSTD_compressCCtx(state_->zstd_out, packed.data(), room, bytes.data(), bytes.size(), zstd_level);
    if (ZSTD_isError(size)) throw std::bad_alloc();  // nothing else can go wrong with that much room
    return {packed.data(), size};
  }
  return bytes;
}

std::size_t array_codec::pack(binary_array const& array, std::span<char const> numbers, std::string& to) {
  auto& coded = state_->coded;
  if (array.coding == number_coding::shuffled) {
    coded.resize(numbers.size());
    shuffle(array.width(), numbers, coded.data());
    numbers = coded;
  } else if (array.coding == number_coding::dictionary) {
    coded.clear();
    if (!numbers.empty()) write_dictionary(array.width(), numbers, coded);
    numbers = coded;
  }
  auto const bytes = compress(array.compression, numbers);
  std::size_t const before = to.size(), size = base64_size(bytes.size());
  to.resize(before + size);
  encode_base64(bytes, to.data() + before);
  return size;
}

array_codec::repacked array_codec::repack(binary_array const& array, std::string_view text,
                                          std::span<std::uint32_t const> order, std::string& to) {
  if (array.is_numpress() && !is_empty(array, text)) {
    decode_integers(array, text);
    auto const& from = state_->integers;
    auto& permuted = state_->permuted;
    permuted.scale = from.scale;
    permuted.values.resize(order.size());
    std::ranges::transform(order, permuted.values.begin(), [&](std::uint32_t i) { return from.values[i]; });
    if (numpress::encode(to_method(array.coding), permuted, state_->encoded)) {
      auto const& encoded = state_->encoded;
      binary_array stored;
      stored.compression = array.compression;
      return {pack(stored, {reinterpret_cast<char const*>(encoded.data()), encoded.size()}, to), false};
    }
  }
  auto const numbers = unpack(array, text);
  auto& taken = state_->memory;
  taken.resize(order.size() * array.width());
  gather_numbers(array.width(), numbers, order, taken.data());
  return pack_numbers(array, taken, to);
}

array_codec::repacked array_codec::pack_numbers(binary_array const& array, std::span<char const> numbers, std::string& to) {
  bool const keeps = array.coding == number_coding::plain || array.coding == number_coding::shuffled ||
                     array.coding == number_coding::dictionary;
  if (keeps) return {pack(array, numbers, to), false};
  binary_array plain;
  plain.compression = packing::zlib;
  return {pack(plain, numbers, to), true};
}

array_codec::repacked array_codec::pack_values(binary_array const& array, std::span<double const> values, std::string& to) {
  auto& numbers = state_->memory;
  numbers.resize(values.size() * array.width());
  auto const put = [&](auto as_number) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const number = as_number(values[i]);
      std::memcpy(numbers.data() + i * sizeof number, &number, sizeof number);
    }
  };
  auto const as_integer = [&]<class Integer>(Integer max) {
    return [&array, max](double value) {
      if (!(std::abs(value) <= double(max)) || std::trunc(value) != value)
        throw text_fault(array.tag, "cannot write a binary array",
                         fmt::format("its integers cannot hold the sum {} of intensities", value));
      return Integer(value);
    };
  };
  switch (array.type) {
    case number_type::float32:
      put([](double value) { return float(value); });
      break;
    case number_type::int32:
      put(as_integer(std::numeric_limits<std::int32_t>::max()));
      break;
    case number_type::int64:
      put(as_integer(std::int64_t{1} << 53));
      break;
    default:
      put([](double value) { return value; });
  }
  return pack_numbers(array, numbers, to);
}

std::size_t array_codec::pack_as(binary_array const& array, std::span<double const> values, std::string& to) {
  binary_array stored;
  stored.compression = array.compression;
  if (array.is_numpress()) {
    auto& scaled = state_->permuted;
    if (std::string_view const why = numpress::scale(to_method(array.coding), values, scaled); !why.empty())
      throw text_fault(array.tag, "cannot write MS-Numpress", std::string(why));
    if (!numpress::encode(to_method(array.coding), scaled, state_->encoded))
      throw text_fault(array.tag, "cannot write MS-Numpress", "its numbers differ by more than 32 bits");
    auto const& encoded = state_->encoded;
    return pack(stored, {reinterpret_cast<char const*>(encoded.data()), encoded.size()}, to);
  }
  stored.type = array.type;
  return pack_values(stored, values, to).characters;
}

binary_array encode_as(binary_array const& array, array_encoding const& encoding) {
  binary_array made = array;
  bool const is_mz = array.kind == array_kind::mz, is_intensity = array.kind == array_kind::intensity;
  auto const bits = is_mz ? encoding.mz_bits : is_intensity ? encoding.intensity_bits : std::nullopt;
  auto const press = is_mz ? encoding.mz : is_intensity ? encoding.intensity : array_encoding::numpress::none;
  if (encoding.packing)
    made.compression = *encoding.packing == array_encoding::compression::none   ? packing::none
                       : *encoding.packing == array_encoding::compression::zlib ? packing::zlib
                                                                                : packing::zstd;
  if (bits) made.type = *bits == 32 ? number_type::float32 : number_type::float64;
  // Other codings are those of one compression, and of numbers as they are.
  if (bits || (encoding.packing && made.compression != array.compression && !array.is_numpress()))
    made.coding = number_coding::plain;
  if (press == array_encoding::numpress::none) return made;
  made.type = number_type::float64;
  made.coding = press == array_encoding::numpress::linear ? number_coding::linear
                : press == array_encoding::numpress::pic  ? number_coding::pic
                                                          : number_coding::slof;
  return made;
}

void to_doubles(number_type type, std::span<char const> numbers, std::vector<double>& to) {
  switch (type) {
    case number_type::float32:
      return convert<float>(numbers, to);
    case number_type::float64:
      return convert<double>(numbers, to);
    case number_type::int32:
      return convert<std::int32_t>(numbers, to);
    case number_type::int64:
      return convert<std::int64_t>(numbers, to);
    case number_type::unknown:
      to.clear();
  }
}

void gather_numbers(std::size_t width, std::span<char const> numbers, std::span<std::uint32_t const> order, char* to) {
  if (width == 4) {
    take<std::uint32_t>(numbers, order, to);
  } else {
    take<std::uint64_t>(numbers, order, to);
  }
}

}  // namespace ordo::inline v0::spectra::detail
