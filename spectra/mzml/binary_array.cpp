#include "spectra/mzml/binary_array.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <libdeflate.h>

#include "spectra/mzml/base64.hpp"
#include "spectra/mzml/xml.hpp"

namespace ordo::spectra::detail {
namespace {

constexpr int zlib_level = 4;  // 0.3 % more than zlib's 6 makes of peaks, in half the time
// No stream of deflate holds more bytes for each of its own.
constexpr std::size_t most_deflated = 1032;

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

}  // namespace

struct array_codec::state {
  std::vector<char> packed, numbers;
  libdeflate_decompressor* in = libdeflate_alloc_decompressor();
  libdeflate_compressor* out = libdeflate_alloc_compressor(zlib_level);
  ~state() {
    libdeflate_free_decompressor(in);
    libdeflate_free_compressor(out);
  }
};

array_codec::array_codec() : state_(std::make_unique<state>()) {
  if (!state_->in || !state_->out) throw std::bad_alloc();
}
array_codec::~array_codec() = default;

std::span<char const> array_codec::unpack(binary_array const& array, std::string_view text) {
  // What holds nothing, and should not, may be of any type.
  if (array.count == 0 && std::ranges::all_of(array.base64(text), is_space)) return {};
  auto const fail = [&](std::string const& why) { throw xml_fault(array.begin, "not a binary array", why); };
  auto const refuse = [&](std::string const& what, std::string const& name) {
    throw xml_fault(array.tag, what + " not supported", name.empty() ? "none is named" : fmt::format("'{}'", name));
  };
  if (array.type == number_type::unknown || !array.unknown_type.empty()) refuse("type of a binary array", array.unknown_type);
  if (array.how == packing::unknown || !array.unknown_packing.empty())
    refuse("compression of a binary array", array.unknown_packing);
  std::string_view const base64 = array.base64(text);
  auto& packed = state_->packed;
  packed.resize(std::max(packed.size(), base64_bytes_at_most(base64.size())));
  auto const size = decode_base64(base64, packed.data());
  if (!size) fail("it is no base64");
  auto const wrong_length = [&] { fail(fmt::format("it does not hold {} numbers of {} bytes", array.count, array.width())); };
  if (array.count > (*size + 1) * most_deflated) wrong_length();
  std::size_t const wanted = array.count * array.width();
  if (array.how == packing::none || *size == 0) {
    if (*size != wanted) wrong_length();
    return std::span(packed).first(wanted);
  }
  auto& numbers = state_->numbers;
  numbers.resize(std::max<std::size_t>(numbers.size(), wanted + 1));
  std::size_t got = 0;
  switch (libdeflate_zlib_decompress(state_->in, packed.data(), *size, numbers.data(), wanted, &got)) {
    case LIBDEFLATE_SUCCESS:
      if (got != wanted) wrong_length();
      break;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      wrong_length();
      break;
    default:
      fail("its zlib data is corrupt");
  }
  return std::span(numbers).first(wanted);
}

std::size_t array_codec::pack(binary_array const& array, std::span<char const> numbers, std::string& to) {
  if (array.how == packing::zlib) {
    auto& packed = state_->packed;
    std::size_t const room = libdeflate_zlib_compress_bound(state_->out, numbers.size());
    packed.resize(std::max(packed.size(), room));
    numbers = {packed.data(), libdeflate_zlib_compress(state_->out, numbers.data(), numbers.size(), packed.data(), room)};
  }
  std::size_t const before = to.size(), size = base64_size(numbers.size());
  to.resize(before + size);
  encode_base64(numbers, to.data() + before);
  return size;
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

void take_numbers(std::size_t width, std::span<char const> numbers, std::span<std::uint32_t const> order, char* to) {
  if (width == 4) {
    take<std::uint32_t>(numbers, order, to);
  } else {
    take<std::uint64_t>(numbers, order, to);
  }
}

}  // namespace ordo::spectra::detail
