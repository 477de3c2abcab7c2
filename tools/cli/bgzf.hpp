#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "tools/cli/decoder.hpp"
#include "tools/cli/encoder.hpp"

namespace ordo::cli {

/// Inflates BGZF blocks that follow one another, by several threads. They end where no BGZF header follows.
class bgzf_blocks {
 public:
  /// @param threads  0: as many as the process may use
  bgzf_blocks(lookahead& from, unsigned threads);
  ~bgzf_blocks();
  /// Fills `to`, or what of it the rest of the blocks fills. More blocks may come later, after other members.
  /// @throws decode_error if a block is truncated or corrupt, or the last one is not empty, as BGZF's end marker is
  std::size_t read(std::span<char> to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

std::unique_ptr<encoder> make_bgzf_encoder(unsigned threads);

}  // namespace ordo::cli
