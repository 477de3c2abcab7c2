#pragma once
#include <memory>
#include <string>
#include <string_view>

#include <libdeflate.h>

#include "tests/unit/catch.hpp"

/// Returns a member as gzip writes it, without the length by which BGZF states it. The programs write BGZF only.
inline std::string gzip_member(std::string_view text) {
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> const compressor(libdeflate_alloc_compressor(6),
                                                                                            libdeflate_free_compressor);
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(), packed.size()));
  REQUIRE(!packed.empty());
  return packed;
}
