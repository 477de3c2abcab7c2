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

/// Returns the SHA-1 of the bytes of a file. @throws input_error
std::string sha1_of_file(std::string const& path);

}  // namespace ordo::inline v0::spectra::detail
