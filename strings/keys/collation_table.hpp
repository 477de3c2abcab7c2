#pragma once
#include <locale.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::inline v0::strings::detail {

/// The collation of a locale, as glibc stores it: texts are collating elements, such as "a", "ch" in Czech or "e" with a
/// combining accent, and an element has weights for each of a few levels. Two texts compare as by strcoll of glibc, including
/// what that has of its own (see append_level). Copying weights takes a twentieth of the time of strxfrm. Texts are bounded by
/// their first NUL, where strcoll stops.
class collation_table {
 public:
  /// Returns the table of a locale, which is read once; null if the C library has none of this form, or if strcoll does not
  /// confirm it.
  static collation_table const* find(locale_t in);

  /// Writes codes of the first level, until at least `max_size` are written: bytes above 1 in the order of the weights, one for
  /// a usual letter, which glibc has up to three bytes for.
  /// @param to  has room for max_size + max_codes bytes
  /// @returns the number of codes, which may exceed max_size
  std::size_t write_first_level(std::string_view text, std::size_t max_size, char* to) const;
  /// Returns what write_first_level() returns.
  [[nodiscard]] std::size_t first_level_size(std::string_view text, std::size_t max_size) const;

  /// Compares two texts. Returns a number below, above or equal to 0.
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const;

  /// Returns true if append_codes() and compare() need no strcoll. Compares many texts by it at the first call.
  [[nodiscard]] bool knows_all_levels() const;
  /// Appends codes of all levels: bytes above 0 whose order by memcmp is the order of the texts. No text's codes are the
  /// beginning of another's. Most texts have two codes a letter. knows_all_levels() must be true.
  void append_codes(std::string_view text, std::string& to) const;

  static constexpr std::size_t max_codes = 512;  // codes of an element

 private:
  // The index of an element's weights in weights_ in its low 24 bits, and above them the number of its set of rules.
  using element = std::uint32_t;

  // What begins with a byte, or with two.
  struct start {
    static constexpr unsigned char many = 255;
    std::array<char, 4> codes{};  // codes of the first level, unless there are many
    unsigned char num_codes = 0;
    unsigned char num_bytes = 1;
    unsigned char list = 0;   // above 0 for one byte with which longer elements begin
    bool is_unused = true;    // no element is these two bytes
    element what = 0;         // unless one in the list is longer
    std::uint32_t begin = 0;  // entries of lists_ for longer elements that begin with the two bytes
    std::uint32_t end = 0;
  };
  // An entry of glibc's lists: the bytes of an element after its first byte, or a range of such.
  struct entry {
    std::int32_t number;  // an element or, below 0, the place in indirect_ of the first of a range
    std::uint32_t num_bytes;
    unsigned char const* first;
    unsigned char const* last;  // bytes of the last element of a range
    std::uint32_t next;
  };

  explicit collation_table(locale_t in);
  bool read();
  void find_usual_weights(unsigned level);
  void set_codes();
  void set_codes(start& of) const;
  bool read_list(unsigned byte, std::uint32_t at);
  bool add_rules(element what);
  bool is_confirmed(unsigned num_texts, unsigned seed) const;

  [[nodiscard]] entry entry_at(std::uint32_t at) const;
  [[nodiscard]] start const* start_at(unsigned char const* p, unsigned char const* last) const;
  element next(unsigned char const*& p, unsigned char const* last) const;
  [[nodiscard]] element longer(start const& of, unsigned char const*& p, unsigned char const* last) const;
  [[nodiscard]] std::span<unsigned char const> weights(element of, unsigned level) const;
  [[nodiscard]] unsigned rule(element of, unsigned level) const { return rules_[(of >> 24) * num_levels_ + level]; }
  [[nodiscard]] bool is_backward(element of, unsigned level) const { return (rule(of, level) & backward) != 0; }

  std::size_t write_codes(std::span<unsigned char const> weights, unsigned level, char* to) const;
  template <bool Writes>
  std::size_t write_first_level(unsigned char const*& p, unsigned char const* last, std::size_t max_size, char* to) const;
  [[nodiscard]] int compare_first_level(std::string_view a, std::string_view b) const;
  template <class OnElements>
  void with_elements(std::string_view text, OnElements on_elements) const;
  void append_level(std::span<element const> text, unsigned level, std::string& to) const;

  static constexpr unsigned backward = 2, position = 4;  // flags in a rule

  locale_t in_;
  unsigned num_levels_ = 0;
  unsigned char const* rules_ = nullptr;
  std::int32_t const* table_ = nullptr;
  unsigned char const* weights_ = nullptr;
  unsigned char const* lists_ = nullptr;
  std::int32_t const* indirect_ = nullptr;

  std::vector<start> of_byte_, of_two_;       // of_two_: 256 for each list
  std::vector<unsigned char> has_positions_;  // for each level
  // For each level the weights that have one code, sorted: up to four bytes each, the first the highest.
  std::vector<std::vector<std::uint32_t>> usual_weights_;
  // The code of the first level of each byte below 128 that, before another such byte, is an element with one or none; and the
  // number of its codes, or not_plain for other bytes.
  static constexpr unsigned char not_plain = 2;
  std::array<char, 256> plain_code_{};
  std::array<unsigned char, 256> plain_size_{};
  mutable std::once_flag confirmed_;
  mutable bool all_levels_ = false;
};

}  // namespace ordo::inline v0::strings::detail
