#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra.hpp"
#include "spectra/encoding/text_fault.hpp"

// The arrays of a spectrum: numbers of 4 or 8 bytes as they are or encoded, compressed or not, as base64.
namespace ordo::inline v0::spectra::detail {

enum class array_kind { other, mz, intensity, axis };  // axis: another array by which spectra may be ordered, as ion mobility
enum class number_type { unknown, float32, float64, int32, int64 };
enum class packing { unknown, none, zlib, zstd };

/// The form of the numbers before they are compressed.
/// - linear, pic, slof: MS-Numpress. The numbers are of 64 bits, whatever type the document states.
/// - shuffled: the first byte of each number, then the second of each, and so on.
/// - dictionary: the different values, and for each number the place of its value; both shuffled.
/// - delta, second_delta: numbers but the first two are stored as differences, rounded to their type.
enum class number_coding { plain, linear, pic, slof, shuffled, dictionary, delta, second_delta };

/// The tag of a term in the text.
struct term_place {
  static constexpr std::size_t in_group = ~std::size_t{0};  // it is in a referenceableParamGroup
  std::size_t begin = 0, end = 0;                           // equal: there is no such term, or it is in a group

  [[nodiscard]] bool in_text() const noexcept { return begin != end; }
  [[nodiscard]] bool is_shared() const noexcept { return begin == in_group; }
};

struct binary_array {
  array_kind kind = array_kind::other;
  number_type type = number_type::unknown;
  number_type stated_type = number_type::unknown;  // in the document, where numbers of MS-Numpress may have another
  packing compression = packing::unknown;
  number_coding coding = number_coding::plain;
  term_place type_term, packing_term, coding_term;  // coding_term may be the packing_term, too
  std::string unknown_type, unknown_packing;        // names of terms that are not supported
  std::size_t count = 0;                            // numbers

  // Places in the text: of the tag, and of the text between <binary> and </binary>.
  std::size_t tag = 0, tag_end = 0, begin = 0, end = 0;
  std::string content;                   // the text, if it holds entities or CDATA sections
  bool in_text = true;                   // false: `content` counts
  std::optional<std::size_t> own_count;  // arrayLength, if the tag has it

  [[nodiscard]] std::size_t width() const noexcept {
    return type == number_type::float32 || type == number_type::int32 ? 4 : 8;
  }
  [[nodiscard]] bool is_numpress() const noexcept {
    return coding == number_coding::linear || coding == number_coding::pic || coding == number_coding::slof;
  }
  [[nodiscard]] std::string_view base64(std::string_view text) const {
    return in_text ? text.substr(begin, end - begin) : std::string_view(content);
  }
};

/// Returns an array of m/z or intensity with the type, coding and compression that an encoding gives it. Other arrays get the
/// compression alone.
binary_array encode_as(binary_array const& array, array_encoding const& encoding);

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

/// Decodes base64 with blanks and line ends anywhere, as XML may have it. @param output  max_base64_bytes(text.size())
/// @returns the number of bytes; nothing if the text is no base64
std::optional<std::size_t> decode_base64(std::string_view text, char* output);

/// A codec of arrays, which reuses its memory. One for each thread.
class array_codec {
 public:
  array_codec();
  ~array_codec();
  array_codec(array_codec const&) = delete;
  array_codec& operator=(array_codec const&) = delete;

  /// Returns the bytes of the numbers of an array, valid until the next call. @throws text_fault
  std::span<char const> unpack(binary_array const& array, std::string_view text);
  /// Appends numbers as base64, encoded and compressed as the array is. @param array  no MS-Numpress or differences
  /// @returns the number of characters appended
  std::size_t pack(binary_array const& array, std::span<char const> numbers, std::string& to);

  struct repacked {
    std::size_t characters;
    bool as_zlib;  // plain numbers of array.type, compressed by zlib, whatever the array was
  };
  /// Appends the numbers order[0], order[1], ... of an array as base64, encoded and compressed as the array is. Arrays that
  /// cannot hold the same numbers in another order become plain ones. @throws text_fault
  repacked repack(binary_array const& array, std::string_view text, std::span<std::uint32_t const> order, std::string& to);
  /// Appends other numbers than those of an array as base64, as an array of its type: encoded and compressed as it is, but
  /// without MS-Numpress and differences. Floats are rounded. @throws text_fault  if integers cannot hold them
  repacked pack_values(binary_array const& array, std::span<double const> values, std::string& to);
  /// Appends numbers as base64, as floats, doubles or MS-Numpress, compressed as the array is.
  /// @returns the number of characters appended @throws text_fault  if the coding cannot hold them
  std::size_t pack_as(binary_array const& array, std::span<double const> values, std::string& to);

 private:
  struct state;
  repacked pack_numbers(binary_array const& array, std::span<char const> numbers, std::string& to);
  std::span<char const> unpack_bytes(binary_array const& array, std::string_view text);
  std::span<char const> compress(packing how, std::span<char const> bytes);
  void decode_integers(binary_array const& array, std::string_view text);

  std::unique_ptr<state> state_;
};

/// Converts numbers to double. Integers beyond 2^53 are rounded.
void to_doubles(number_type type, std::span<char const> numbers, std::vector<double>& to);

/// Copies number order[i] to to[i]. @param to  order.size() numbers
void gather_numbers(std::size_t width, std::span<char const> numbers, std::span<std::uint32_t const> order, char* to);

}  // namespace ordo::inline v0::spectra::detail
