#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ordo::suffix {

/// The other strand, with the codes of IUPAC; '-', '.' and '*' stay, case is kept.
class complement {
 public:
  /// @param rna  A has the complement U, else T
  explicit complement(bool rna);

  /// Of a letter; NUL where it has none.
  [[nodiscard]] char operator()(char letter) const noexcept { return of_[static_cast<unsigned char>(letter)]; }
  /// Where the first letter is that has none.
  [[nodiscard]] std::size_t first_without(std::string_view letters) const noexcept;
  /// Appends the reverse complement. Letters that have none stay what they are.
  void append_reversed(std::string& to, std::string_view letters) const;

 private:
  char of_[256] = {};  // NUL: none
};

}  // namespace ordo::suffix
