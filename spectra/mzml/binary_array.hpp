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
namespace ordo::spectra::detail {

enum class array_kind { other, mz, intensity, axis };  // axis: what else spectra may be in order of, as ion mobility
enum class number_type { unknown, float32, float64, int32, int64 };
enum class packing { unknown, none, zlib };

struct binary_array {
  array_kind kind = array_kind::other;
  number_type type = number_type::unknown;
  packing how = packing::unknown;
  std::string unknown_type, unknown_packing;  // names of what cannot be read
  std::size_t count = 0;                      // numbers

  // Where it is in the text: its tag; and what stands between <binary> and </binary>.
  std::size_t tag = 0, tag_end = 0, begin = 0, end = 0;
  std::string content;                   // that, where it holds entities or CDATA sections
  bool in_text = true;                   // else `content` counts
  std::optional<std::size_t> own_count;  // arrayLength, where it has one: the value in its tag

  [[nodiscard]] std::size_t width() const noexcept {
    return type == number_type::float32 || type == number_type::int32 ? 4 : 8;
  }
  [[nodiscard]] std::string_view base64(std::string_view text) const {
    return in_text ? text.substr(begin, end - begin) : std::string_view(content);
  }
};

/// Unpacks and packs arrays. It keeps memory: one for each thread.
class array_codec {
 public:
  array_codec();
  ~array_codec();
  array_codec(array_codec const&) = delete;
  array_codec& operator=(array_codec const&) = delete;

  /// The bytes of the array's numbers, which stay until the next call. @throws xml_fault
  std::span<char const> unpack(binary_array const& array, std::string_view text);
  /// Appends the base64 of numbers, compressed as the array is; how many characters are appended.
  std::size_t pack(binary_array const& array, std::span<char const> numbers, std::string& to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Numbers as double. Integers beyond 2^53 are rounded.
void to_doubles(number_type type, std::span<char const> numbers, std::vector<double>& to);

/// to[i] := number order[i]. @param to  of order.size() numbers
void take_numbers(std::size_t width, std::span<char const> numbers, std::span<std::uint32_t const> order, char* to);

}  // namespace ordo::spectra::detail
