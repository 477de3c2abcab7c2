#include "tools/cli/decoder.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/cli/bgzf.hpp"
#include "tools/cli/encoder.hpp"
#include "tools/cli/filters.hpp"

namespace ordo::cli {
namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10;

class plain_decoder final : public decoder {
 public:
  explicit plain_decoder(lookahead& from) : from_(from) {}
  std::size_t read(std::span<char> to) override { return from_.read(to); }

 private:
  lookahead& from_;
};

/// gzip's members, and BGZF, whose members say how long they are, in any order.
class gzip_decoder final : public decoder {
 public:
  gzip_decoder(lookahead& from, unsigned threads) : from_(from), threads_(threads), member_(from) {}

  std::size_t read(std::span<char> to) override {
    std::span<char> out = to;
    while (!out.empty() && (where_ != place::between || next())) {
      out = out.subspan(where_ == place::blocks ? blocks_->read(out) : member_.read(out));
      if (!out.empty()) where_ = place::between;
    }
    return to.size() - out.size();
  }

 private:
  enum class place { between, member, blocks };

  bool next() {
    auto const head = from_.peek(longest_magic);
    if (is_bgzf(head)) {
      if (!blocks_) blocks_ = std::make_unique<bgzf_blocks>(from_, threads_);
      where_ = place::blocks;
      return true;
    }
    if (compression_of(head) == compression::gzip) {
      where_ = place::member;
      return true;
    }
    if (!head.empty() && is_cut_magic(compression::gzip, head)) fail("truncated gzip data", head.size());
    skip_zeros();
    return false;
  }

  // They fill up blocks of tapes and disks.
  void skip_zeros() {
    for (auto rest = from_.peek(1); !rest.empty(); rest = from_.peek(1)) {
      auto const other = std::ranges::find_if(rest, [](char c) { return c != 0; });
      if (other != rest.end()) fail("garbage after gzip data", static_cast<std::size_t>(other - rest.begin()));
      from_.use(rest.size());
    }
  }

  [[noreturn]] void fail(std::string_view why, std::size_t further) const {
    throw decode_error(fmt::format("{} at byte {}", why, from_.offset() + further));
  }

  lookahead& from_;
  unsigned threads_;
  place where_ = place::between;
  gzip_member member_;
  std::unique_ptr<bgzf_blocks> blocks_;
};

}  // namespace

// Not initialised: most of it is never touched for a small file.
lookahead::lookahead(raw_reader read) : read_(std::move(read)), buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

std::span<char const> lookahead::peek(std::size_t least) {
  if (waiting_.size() >= least) return waiting_;
  std::copy(waiting_.begin(), waiting_.end(), buffer_.get());
  std::size_t have = waiting_.size();
  while (have < least) {
    std::size_t const got = read_(std::span(buffer_.get(), buffer_size).subspan(have));
    if (got == 0) break;
    have += got;
  }
  return waiting_ = std::span<char const>(buffer_.get(), have);
}

void lookahead::use(std::size_t n) {
  waiting_ = waiting_.subspan(n);
  offset_ += n;
}

std::size_t lookahead::read(std::span<char> to) {
  std::size_t done = std::min(to.size(), waiting_.size());
  std::copy_n(waiting_.begin(), done, to.begin());
  waiting_ = waiting_.subspan(done);
  while (done < to.size()) {
    std::size_t const got = read_(to.subspan(done));
    if (got == 0) break;
    done += got;
  }
  offset_ += done;
  return done;
}

std::unique_ptr<decoder> make_decoder(compression how, lookahead& from, unsigned threads) {
  switch (how) {
    case compression::none:
      return std::make_unique<plain_decoder>(from);
    case compression::gzip:
    case compression::bgzf:
      return std::make_unique<gzip_decoder>(from, threads);
    default:
      return make_filter_decoder(how, from);
  }
}

std::unique_ptr<encoder> make_encoder(compression how, unsigned threads) {
  switch (how) {
    case compression::none:
      return nullptr;
    case compression::bgzf:
      return make_bgzf_encoder(threads);
    default:
      return make_filter_encoder(how, threads);
  }
}

}  // namespace ordo::cli
