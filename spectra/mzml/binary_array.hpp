#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The arrays of a spectrum: base64, compressed or not, of numbers of 4 or 8 bytes.
namespace ordo::inline v0::spectra::detail {

enum class array_kind { other, mz, intensity, axis };  // axis: another array by which spectra may be ordered, as ion mobility
enum class number_type { unknown, float32, float64, int32, int64 };
enum class packing { unknown, none, zlib };

struct binary_array {
  array_kind kind = array_kind::other;
  number_type type = number_type::unknown;
  packing compression = packing::unknown;
  std::string unknown_type, unknown_packing;  // names of terms that are not supported
  std::size_t count = 0;                      // numbers

  // Places in the text: of the tag, and of the text between <binary> and </binary>.
  std::size_t tag = 0, tag_end = 0, begin = 0, end = 0;
  std::string content;                   // the text, if it holds entities or CDATA sections
  bool in_text = true;                   // false: `content` counts
  std::optional<std::size_t> own_count;  // arrayLength, if the tag has it

  [[nodiscard]] std::size_t width() const noexcept {
    return type == number_type::float32 || type == number_type::int32 ? 4 : 8;
  }
  [[nodiscard]] std::string_view base64(std::string_view text) const {
    return in_text ? text.substr(begin, end - begin) : std::string_view(content);
  }
};

/// Returns the number of characters of base64 (RFC 4648, section 4) for some bytes.
constexpr std::size_t base64_size(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}
/// Returns the maximum number of bytes that some characters hold.
constexpr std::size_t max_base64_bytes(std::size_t characters) {
  return characters / 4 * 3 + 3;
}

/// Writes base64_size(bytes.size()) characters.
void encode_base64(std::span<char const> bytes, char* output);

/// Decodes base64 with blanks and line ends anywhere, as XML may have it. @param output  of max_base64_bytes(text.size())
/// @returns the number of bytes; nothing if the text is no base64
std::optional<std::size_t> decode_base64(std::string_view text, char* output);

/// A codec of arrays, which reuses its memory. One for each thread.
class array_codec {
 public:
  array_codec();
  ~array_codec();
  array_codec(array_codec const&) = delete;
  array_codec& operator=(array_codec const&) = delete;

  /// Returns the bytes of the numbers of an array, valid until the next call. @throws xml_fault
  std::span<char const> unpack(binary_array const& array, std::string_view text);
  /// Appends numbers as base64, compressed as the array is. @returns the number of characters appended
  std::size_t pack(binary_array const& array, std::span<char const> numbers, std::string& to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Converts numbers to double. Integers beyond 2^53 are rounded.
void to_doubles(number_type type, std::span<char const> numbers, std::vector<double>& to);

/// Copies number order[i] to to[i]. @param to  of order.size() numbers
void take_numbers(std::size_t width, std::span<char const> numbers, std::span<std::uint32_t const> order, char* to);

}  // namespace ordo::inline v0::spectra::detail
