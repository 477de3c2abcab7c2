#pragma once
#include <locale.h>
#include <cstddef>
#include <string>
#include <string_view>

#include "strings/keys/collation_table.hpp"
#include "strings/keys/key_codes.hpp"
#include "strings/keys/random_codes.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns a locale of the system, which is kept until the process ends. The current locale of a thread does not change.
/// @throws usage_error if the system has none of this name
locale_t named_locale(std::string const& name);

// Pieces of lines in the order of a locale. strcoll defines the order, and strxfrm does not always agree: in glibc 2.36 "3-D"
// comes before "3d" by strcoll in en_US.UTF-8, and after it by strxfrm, because strcoll loses the second weight of a digit.
// Both agree on the first level, the letters without accents and case. So codes are of the first level, and pieces with equal
// codes are compared. A text with NULs is compared part by part, because strcoll stops at a NUL. The collation_table does the
// work; strcoll and strxfrm do it if there is none.

/// A piece of a line as a key reads it, with a NUL after it.
class collated_text {
 public:
  /// @param max_bytes  the number of bytes of the piece that are read
  collated_text(compiled_key const& by, text_piece const& of, std::size_t max_bytes = ~std::size_t{0});
  collated_text(collated_text const&) = delete;
  collated_text& operator=(collated_text const&) = delete;

  [[nodiscard]] std::string_view view() const { return {text_, size_}; }
  /// Returns true if the piece was longer.
  [[nodiscard]] bool is_cut() const { return cut_; }

 private:
  char few_[256];
  std::string many_;
  char* text_;
  std::size_t size_;
  bool cut_;
};

/// Compares two pieces by a key that is collated. Returns a number below, above or equal to 0.
int collate(compiled_key const& by, text_piece const& a, text_piece const& b);

/// Returns true if collated_codes() can be called for the key.
bool has_whole_codes(compiled_key const& by);
/// Returns the codes of all levels of a piece (key_codes.hpp), reversed if the key is. Valid until the next call by the same
/// thread, which remembers those of pieces that come often.
std::string_view collated_codes(compiled_key const& by, text_piece const& of);

/// Maximum for a line.
constexpr std::size_t max_first_level_codes = 1024;

/// The codes of the first level, at most by.first_level_codes. If two pieces compare differently, the codes of the smaller one
/// are not greater.
class first_level {
 public:
  first_level(compiled_key const& by, text_piece const& of);
  [[nodiscard]] std::string_view codes() const { return {codes_, size_}; }
  /// Returns an upper bound of the number of codes, at most by.first_level_codes, so that no piece is transformed twice.
  static std::size_t max_size(compiled_key const& by, text_piece const& of);

 private:
  char few_[max_first_level_codes + collation_table::max_codes];
  std::string many_;
  char const* codes_;
  std::size_t size_;
};

/// Adds the bytes that -R hashes in place of the piece.
void add_transformed(compiled_key const& by, text_piece const& of, md5& hash);

}  // namespace ordo::inline v0::strings::detail
