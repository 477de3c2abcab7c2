#include "spectra/encoding/numpress.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace ordo::inline v0::spectra::detail::numpress {
namespace {

constexpr std::size_t scale_bytes = 8, first_bytes = 4, logarithm_bytes = 2;
constexpr unsigned digits_of_number = 8;  // half bytes of 32 bits

// A reader of numbers of 32 bits, whose leading half bytes of 0 or of 15 are left out. A half byte c comes first: c of 0 up to
// 8, c - 8 of 15 from 9 on. The others follow from the lowest to the highest.
class half_byte_reader {
 public:
  explicit half_byte_reader(std::span<unsigned char const> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool read(std::uint32_t& number) {
    if (left() == 0) return false;
    unsigned const head = next();
    unsigned const leading = head <= digits_of_number ? head : head - digits_of_number;
    if (left() < digits_of_number - leading) return false;
    number = head <= digits_of_number ? 0 : ~std::uint32_t{0} << (4 * (digits_of_number - leading));
    for (unsigned i = 0; i + leading < digits_of_number; ++i) number |= std::uint32_t(next()) << (4 * i);
    return true;
  }
  // Returns true if nothing is left but half a byte of zeros, which fills the last one.
  [[nodiscard]] bool at_end() { return left() == 0 || (left() == 1 && next() == 0); }

 private:
  [[nodiscard]] std::size_t left() const { return 2 * bytes_.size() - at_; }
  unsigned next() {
    unsigned const byte = bytes_[at_ / 2];
    return at_++ % 2 == 0 ? byte >> 4 : byte & 15;
  }

  std::span<unsigned char const> bytes_;
  std::size_t at_ = 0;  // in half bytes
};

class half_byte_writer {
 public:
  explicit half_byte_writer(std::vector<unsigned char>& to) : to_(to) {}

  void write(std::uint32_t number) {
    unsigned const zeros = unsigned(std::countl_zero(number)) / 4, ones = unsigned(std::countl_one(number)) / 4;
    // A number of ones only keeps one half byte, as no head stands for eight of them.
    unsigned const leading = ones == 0 ? zeros : ones == digits_of_number ? digits_of_number - 1 : ones;
    put(ones == 0 ? zeros : digits_of_number + leading);
    for (unsigned i = 0; i + leading < digits_of_number; ++i) put(number >> (4 * i) & 15);
  }

 private:
  void put(unsigned half) {
    if (half_)
      to_.back() = static_cast<unsigned char>(to_.back() | half);
    else
      to_.push_back(static_cast<unsigned char>(half << 4));
    half_ = !half_;
  }

  std::vector<unsigned char>& to_;
  bool half_ = false;
};

// The scale has its highest byte first.
double read_scale(std::span<unsigned char const> bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < scale_bytes; ++i) bits = bits << 8 | bytes[i];
  return std::bit_cast<double>(bits);
}

void write_scale(double scale, std::vector<unsigned char>& to) {
  auto const bits = std::bit_cast<std::uint64_t>(scale);
  for (std::size_t i = scale_bytes; i-- != 0;) to.push_back(static_cast<unsigned char>(bits >> (8 * i)));
}

// Other integers have their lowest byte first.
std::uint32_t read_integer(std::span<unsigned char const> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- != 0;) value = value << 8 | bytes[i];
  return value;
}

void write_integer(std::uint32_t value, std::size_t bytes, std::vector<unsigned char>& to) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<unsigned char>(value >> (8 * i)));
}

// Continues a straight line. Integers of malformed arrays may wrap.
std::int64_t next_of_line(std::int64_t before, std::int64_t last) {
  return std::int64_t(2 * std::uint64_t(last) - std::uint64_t(before));
}

constexpr std::string_view too_few = "it ends before its last number", too_many = "more numbers follow the last one",
                           bad_scale = "its scale is not above 0";

std::string_view decode_linear(std::span<unsigned char const> bytes, std::size_t count, integers& to) {
  for (std::size_t i = 0; i < count && i < 2; ++i) {
    if (bytes.size() < first_bytes) return too_few;
    to.values.push_back(read_integer(bytes.first(first_bytes)));
    bytes = bytes.subspan(first_bytes);
  }
  half_byte_reader from(bytes);
  for (std::size_t i = 2; i < count; ++i) {
    std::uint32_t difference = 0;
    if (!from.read(difference)) return too_few;
    std::int64_t const line = next_of_line(to.values[i - 2], to.values[i - 1]);
    to.values.push_back(std::int64_t(std::uint64_t(line) + std::uint64_t(std::int64_t(std::int32_t(difference)))));
  }
  return from.at_end() ? std::string_view() : too_many;
}

std::string_view decode_pic(std::span<unsigned char const> bytes, std::size_t count, integers& to) {
  half_byte_reader from(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = 0;
    if (!from.read(value)) return too_few;
    to.values.push_back(value);
  }
  return from.at_end() ? std::string_view() : too_many;
}

std::string_view decode_slof(std::span<unsigned char const> bytes, std::size_t count, integers& to) {
  if (bytes.size() / logarithm_bytes < count) return too_few;
  if (bytes.size() != logarithm_bytes * count) return too_many;
  for (std::size_t i = 0; i < count; ++i)
    to.values.push_back(read_integer(bytes.subspan(logarithm_bytes * i, logarithm_bytes)));
  return {};
}

bool encode_linear(std::vector<std::int64_t> const& values, std::vector<unsigned char>& to) {
  for (std::size_t i = 0; i < values.size() && i < 2; ++i) {
    if (values[i] < 0 || values[i] > std::numeric_limits<std::uint32_t>::max()) return false;
    write_integer(std::uint32_t(values[i]), first_bytes, to);
  }
  half_byte_writer writer(to);
  for (std::size_t i = 2; i < values.size(); ++i) {
    auto const difference = std::int64_t(std::uint64_t(values[i]) - std::uint64_t(next_of_line(values[i - 2], values[i - 1])));
    if (difference != std::int32_t(difference)) return false;
    writer.write(std::uint32_t(std::int32_t(difference)));
  }
  return true;
}

}  // namespace

std::string_view decode(method how, std::span<unsigned char const> bytes, std::size_t count, integers& to) {
  to.values.clear();
  to.scale = 1;
  if (how == method::pic) return decode_pic(bytes, count, to);
  if (count == 0 && bytes.empty()) return {};
  if (bytes.size() < scale_bytes) return too_few;
  to.scale = read_scale(bytes);
  bytes = bytes.subspan(scale_bytes);
  if (count != 0 && !(to.scale > 0)) return bad_scale;
  return how == method::linear ? decode_linear(bytes, count, to) : decode_slof(bytes, count, to);
}

double number(method how, double scale, std::int64_t value) {
  switch (how) {
    case method::linear:
      return double(value) / scale;
    case method::slof:
      return std::exp(double(value) / scale) - 1;
    case method::pic:
      break;
  }
  return double(value);
}

std::string_view scale(method how, std::span<double const> numbers, integers& to) {
  constexpr double max_integer = 0x7fffffff, max_logarithm = 0xffff;
  double max = 0;  // linear: of the first two numbers, and of the differences to the line through the two before
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) return "a number is not finite";
    if (how != method::linear && numbers[i] < 0) return "a number is below 0";
    double const line = i < 2 ? 0 : 2 * numbers[i - 1] - numbers[i - 2];
    max = std::max(max, how != method::linear ? numbers[i]
                        : i < 2               ? std::abs(numbers[i])
                                              : std::ceil(std::abs(numbers[i] - line) + 1));
  }
  if (how == method::pic && max > max_integer) return "a number is above 2^31";
  to.scale = 1;
  if (how == method::linear && max != 0) to.scale = std::floor(max_integer / max);
  if (how == method::slof && max != 0) to.scale = std::floor(max_logarithm / std::log(max + 1));
  if (!(to.scale >= 1) || !std::isfinite(to.scale)) {
    if (how == method::linear) return "a number is too large";
    to.scale = max_logarithm / std::log(max + 1);
    if (!std::isfinite(to.scale)) to.scale = 1;
  }
  to.values.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double const value = how == method::slof ? std::log(numbers[i] + 1) : numbers[i];
    to.values[i] = std::int64_t(std::floor((how == method::pic ? value : value * to.scale) + 0.5));
    if (how == method::slof) to.values[i] = std::min(to.values[i], std::int64_t(max_logarithm));
  }
  return {};
}

bool encode(method how, integers const& from, std::vector<unsigned char>& to) {
  to.clear();
  if (how != method::pic) write_scale(from.scale, to);
  if (how == method::linear) return encode_linear(from.values, to);
  half_byte_writer writer(to);
  for (std::int64_t const value : from.values) {
    if (how == method::slof)
      write_integer(std::uint32_t(value), logarithm_bytes, to);
    else
      writer.write(std::uint32_t(value));
  }
  return true;
}

}  // namespace ordo::inline v0::spectra::detail::numpress
