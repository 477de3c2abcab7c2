#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace ordo::inline v0::spectra::detail {

/// The SHA-1 of a text, as fileChecksum of mzML states it.
class sha1_digest {
 public:
  /// @throws std::bad_alloc
  sha1_digest();
  ~sha1_digest();
  sha1_digest(sha1_digest&&) noexcept;
  sha1_digest& operator=(sha1_digest&&) noexcept;

  void add(std::string_view text);
  /// Returns the digest of everything added so far, in hexadecimal digits.
  [[nodiscard]] std::array<unsigned char, 20> bytes() const;
  /// Returns it in hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0::spectra::detail
