#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "strings/keys/key_codes.hpp"
#include "strings/keys/random_codes.hpp"

// Pieces of lines as the C library's locale collates them. strcoll is the order, and strxfrm is not always of its opinion: in
// glibc 2.36 "3-D" goes before "3d" by strcoll in en_US.UTF-8, and behind it by strxfrm, as strcoll loses a digit's second
// weight. What both agree on is the first level, the letters without accents and case. So codes are of the first level alone,
// and what they leave equal is compared. A text that has NULs is compared piece by piece, as strcoll ends at one.
namespace ordo::strings::detail {

/// A piece of a line as a key reads it, with a NUL behind it.
class collated_text {
 public:
  /// @param most  bytes of the piece that are looked at
  collated_text(compiled_key const& by, text_piece const& of, std::size_t most = ~std::size_t{0});
  collated_text(collated_text const&) = delete;
  collated_text& operator=(collated_text const&) = delete;

  [[nodiscard]] std::string_view view() const { return {text_, size_}; }
  /// Was the piece longer?
  [[nodiscard]] bool is_cut() const { return cut_; }

 private:
  char few_[256];
  std::string many_;
  char* text_;
  std::size_t size_;
  bool cut_;
};

/// Below, above or equal to 0, for keys that are collated.
int collate(compiled_key const& by, text_piece const& a, text_piece const& b);

/// Of a line, at most.
constexpr std::size_t most_first_level_codes = 1024;

/// Codes of the first level, by.first_level_codes of them at most: of two pieces that compare differently, those of the lesser
/// one are not greater.
class first_level {
 public:
  first_level(compiled_key const& by, text_piece const& of);
  [[nodiscard]] std::string_view codes() const { return {codes_, size_}; }
  /// How many there are; or more, so that no piece need be transformed twice, but never more than by.first_level_codes.
  static std::size_t most(compiled_key const& by, text_piece const& of);

 private:
  char few_[1040];
  std::string many_;
  char const* codes_;
  std::size_t size_;
};

/// What -R hashes in the place of a piece's bytes.
void add_transformed(compiled_key const& by, text_piece const& of, md5& hash);

}  // namespace ordo::strings::detail
