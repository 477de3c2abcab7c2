#pragma once
#include <memory>

#include "tools/cli/decoder.hpp"
#include "tools/cli/encoder.hpp"

namespace ordo::cli {

/// One gzip member after another, without what may stand between them.
class gzip_member {
 public:
  explicit gzip_member(lookahead& from);
  ~gzip_member();
  /// Fills `to`, or what of it the rest of the member fills: less than to.size() is its end, its checksum and length found
  /// right. The next call begins the next member.
  std::size_t read(std::span<char> to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// bzip2, xz or zstd: all streams or frames up to the end of the file.
std::unique_ptr<decoder> make_filter_decoder(compression how, lookahead& from);
/// gzip, bzip2, xz or zstd. @param threads  that make xz, 0: all that the process may use
std::unique_ptr<encoder> make_filter_encoder(compression how, unsigned threads);

}  // namespace ordo::cli
