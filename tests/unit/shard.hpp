#pragma once
#include <cstdio>
#include <cstdlib>

/// The cases of a test that this process runs. With ORDO_SHARD=K/N, under compute-sanitizer, each N-th one, from the K-th on; a
/// kernel takes up to a thousand times longer there (tools/compute_sanitizer.sh). Without it, all. Tests that one such process
/// has no time for have the tag [shards].
class test_shard {
 public:
  test_shard() {
    char const* const text = std::getenv("ORDO_SHARD");
    if (!text) return;
    sampled_ = true;
    if (std::sscanf(text, "%u/%u", &number_, &shards_) != 2 || number_ < 1 || number_ > shards_) number_ = shards_ = 1;
  }
  /// Returns true if the next case is one of them. A sanitizer sees each `step`-th case alone: use a step that has no factor in
  /// common with the inner loops of a test, so that each value of each loop is met.
  bool has_next(unsigned step = 1) {
    if (sampled_ && seen_++ % step != 0) return false;
    return next_++ % shards_ == number_ - 1;
  }

 private:
  bool sampled_ = false;
  unsigned number_ = 1, shards_ = 1, seen_ = 0, next_ = 0;
};
