#pragma once
#include <cstdio>
#include <cstdlib>

/// The cases of a test that this process runs: with ORDO_SHARD=K/N each N-th one, from the K-th on; else all. Tests that use it
/// have the tag [shards]: under compute-sanitizer they take longer than one process has time (tools/compute_sanitizer.sh).
class test_shard {
 public:
  test_shard() {
    char const* const text = std::getenv("ORDO_SHARD");
    if (text && (std::sscanf(text, "%u/%u", &number_, &shards_) != 2 || number_ < 1 || number_ > shards_))
      number_ = shards_ = 1;
  }
  /// Returns true if the next case is one of them.
  bool has_next() { return next_++ % shards_ == number_ - 1; }

 private:
  unsigned number_ = 1, shards_ = 1, next_ = 0;
};
