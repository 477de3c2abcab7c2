#include "tools/cli/files/codecs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace ordo::inline v0::cli {
namespace {

using namespace std::string_view_literals;

// The bytes with which a file begins. The one at `varies` may have any value up to `last`.
struct magic {
  compression how;
  std::string_view bytes;
  std::size_t varies = std::string_view::npos;
  char last = 0;

  // Compares the bytes that both have.
  [[nodiscard]] bool begins_as(std::span<char const> head) const {
    for (std::size_t i = 0; i < std::min(head.size(), bytes.size()); ++i)
      if (i == varies ? head[i] < bytes[i] || head[i] > last : head[i] != bytes[i]) return false;
    return true;
  }
};

// The three letters of bzip2 may begin a text, so the mark of a block, or of the end, after them is part of the magic.
constexpr std::array magics{magic{compression::gzip, "\x1f\x8b"sv},
                            magic{compression::bzip2, "BZh1\x31\x41\x59\x26\x53\x59"sv, 3, '9'},
                            magic{compression::bzip2, "BZh1\x17\x72\x45\x38\x50\x90"sv, 3, '9'},
                            magic{compression::xz, "\xfd\x37zXZ\0"sv},
                            magic{compression::zstd, "\x28\xb5\x2f\xfd"sv},
                            magic{compression::zstd, "\x50\x2a\x4d\x18"sv, 0, '\x5f'}};  // a frame to be skipped

constexpr std::array endings{std::pair{".gz"sv, compression::gzip},   std::pair{".bgz"sv, compression::bgzf},
                             std::pair{".bgzf"sv, compression::bgzf}, std::pair{".bz2"sv, compression::bzip2},
                             std::pair{".xz"sv, compression::xz},     std::pair{".zst"sv, compression::zstd},
                             std::pair{".zstd"sv, compression::zstd}};

bool ends_with_any_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && std::equal(end.rbegin(), end.rend(), text.rbegin(), [](char e, char c) {
           return c == e || (c >= 'A' && c <= 'Z' && c + 32 == e);
         });
}

constexpr std::size_t buffer_size = std::size_t{256} << 10;

class plain_decoder final : public decoder {
 public:
  explicit plain_decoder(lookahead& from) : from_(from) {}
  std::size_t read(std::span<char> to) override { return from_.read(to); }

 private:
  lookahead& from_;
};

/// Decodes members of gzip and of BGZF in any order.
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
    if (detect_compression(head) == compression::gzip) {
      where_ = place::member;
      return true;
    }
    if (!head.empty() && is_cut_magic(compression::gzip, head)) fail("truncated gzip data", head.size());
    skip_zeros();
    return false;
  }

  // Zeros fill up blocks of tapes and disks.
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

std::string_view compression_name(compression how) {
  constexpr std::array names{"plain"sv, "gzip"sv, "BGZF"sv, "bzip2"sv, "xz"sv, "zstd"sv};
  return names[static_cast<std::size_t>(how)];
}

compression compression_named(std::string_view path) {
  for (auto const& [end, how] : endings)
    if (ends_with_any_case(path, end)) return how;
  return compression::none;
}

bool is_bgzf(std::span<char const> head) {
  constexpr auto extra = "\6\0BC\2\0"sv;
  return head.size() >= longest_magic && std::string_view(head.data(), 4) == "\x1f\x8b\x08\x04"sv &&
         std::string_view(head.data() + 10, extra.size()) == extra;
}

compression detect_compression(std::span<char const> head) {
  if (is_bgzf(head)) return compression::bgzf;
  for (magic const& m : magics)
    if (head.size() >= m.bytes.size() && m.begins_as(head)) return m.how;
  return compression::none;
}

bool is_cut_magic(compression how, std::span<char const> head) {
  if (how == compression::bgzf) how = compression::gzip;
  return std::ranges::any_of(magics,
                             [&](magic const& m) { return m.how == how && head.size() < m.bytes.size() && m.begins_as(head); });
}

// The buffer is not initialised: small files touch little of it.
lookahead::lookahead(raw_reader read) : read_(std::move(read)), buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)) {}

std::span<char const> lookahead::peek(std::size_t min_bytes) {
  if (waiting_.size() >= min_bytes) return waiting_;
  std::copy(waiting_.begin(), waiting_.end(), buffer_.get());
  std::size_t have = waiting_.size();
  while (have < min_bytes) {
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
    case compression::gzip:  // Its readers read BGZF, too, and tabix, samtools and bcftools index no other.
    case compression::bgzf:
      return make_bgzf_encoder(threads);
    default:
      return make_filter_encoder(how, threads);
  }
}

}  // namespace ordo::inline v0::cli
