#pragma once
#include <functional>
#include <memory>
#include <span>

#include "tools/cli/codecs.hpp"

namespace ordo::cli {

/// Takes compressed bytes; may throw.
using raw_writer = std::function<void(std::span<char const>)>;

/// Compresses a text, from front to back. The same text gives the same bytes, whatever the threads and the steps.
class encoder {
 public:
  virtual ~encoder() = default;
  virtual void write(std::span<char const> text, raw_writer const& put) = 0;
  /// Call once, last.
  virtual void finish(raw_writer const& put) = 0;
};

/// Nothing for compression::none. @param threads  that make BGZF and xz, 0: all that the process may use
std::unique_ptr<encoder> make_encoder(compression how, unsigned threads = 0);

}  // namespace ordo::cli
