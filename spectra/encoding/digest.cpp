#include "spectra/encoding/digest.hpp"

#include <cstddef>
#include <fstream>
#include <new>
#include <vector>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::spectra::detail {

struct sha1_digest::state {
  EVP_MD_CTX* context = nullptr;

  state() {
    // OpenSSL would use the context that it could not make for want of memory.
    if (!OSSL_LIB_CTX_get0_global_default()) throw std::bad_alloc();
    context = EVP_MD_CTX_new();
    if (!context || EVP_DigestInit_ex(context, EVP_sha1(), nullptr) != 1) {
      EVP_MD_CTX_free(context);
      throw std::bad_alloc();
    }
  }
  ~state() { EVP_MD_CTX_free(context); }
  state(state const&) = delete;
  state& operator=(state const&) = delete;
};

sha1_digest::sha1_digest() : state_(std::make_unique<state>()) {}
sha1_digest::~sha1_digest() = default;
sha1_digest::sha1_digest(sha1_digest&&) noexcept = default;
sha1_digest& sha1_digest::operator=(sha1_digest&&) noexcept = default;

void sha1_digest::add(std::string_view text) {
  EVP_DigestUpdate(state_->context, text.data(), text.size());
}

std::array<unsigned char, 20> sha1_digest::bytes() const {
  state copy;
  std::array<unsigned char, 20> made{};
  EVP_MD_CTX_copy_ex(copy.context, state_->context);
  EVP_DigestFinal_ex(copy.context, made.data(), nullptr);
  return made;
}

std::string sha1_digest::hex() const {
  std::string text;
  for (unsigned char const byte : bytes()) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha1_of_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  sha1_digest digest;
  std::vector<char> some(std::size_t{1} << 20);
  while (file) {
    file.read(some.data(), std::streamsize(some.size()));
    digest.add({some.data(), std::size_t(file.gcount())});
  }
  if (!file.eof()) throw input_error(fmt::format("cannot read: {}: its SHA-1 is not known", path));
  return digest.hex();
}

}  // namespace ordo::inline v0::spectra::detail
