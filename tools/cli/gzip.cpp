#include "tools/cli/gzip.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>

#include <zlib.h>

namespace ordo::cli {
namespace {

constexpr int window = 15 + 16;  // the largest, in gzip's wrapping
constexpr int level = 6;

void check(int code, z_stream const& z) {
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) throw std::runtime_error(z.msg ? z.msg : zError(code));
}

// One call of inflate or deflate: zlib counts in 32 bits.
template <class Call>
int run(z_stream& z, std::span<char const>& in, std::span<char>& out, Call call) {
  auto const least = [](std::size_t n) {
    return static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
  };
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  uInt const have = z.avail_in = least(in.size());
  uInt const free = z.avail_out = least(out.size());
  int const code = call();
  check(code, z);
  in = in.subspan(have - z.avail_in);
  out = out.subspan(free - z.avail_out);
  return code;
}

}  // namespace

struct inflater::state {
  z_stream z{};
  ~state() { inflateEnd(&z); }
};

inflater::inflater() : state_(std::make_unique<state>()) {
  check(inflateInit2(&state_->z, window), state_->z);
}
inflater::~inflater() = default;

bool inflater::step(std::span<char const>& in, std::span<char>& out) {
  for (;;) {
    int const code = run(state_->z, in, out, [&] { return inflate(&state_->z, Z_NO_FLUSH); });
    if (code == Z_STREAM_END) return true;
    if (in.empty() || out.empty()) return false;
  }
}

void inflater::reset() {
  check(inflateReset(&state_->z), state_->z);
}

struct deflater::state {
  z_stream z{};
  ~state() { deflateEnd(&z); }
};

deflater::deflater() : state_(std::make_unique<state>()) {
  check(deflateInit2(&state_->z, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), state_->z);
}
deflater::~deflater() = default;

bool deflater::step(std::span<char const>& in, std::span<char>& out, bool last) {
  for (;;) {
    bool const finish = last && in.size() <= std::numeric_limits<uInt>::max();
    int const code = run(state_->z, in, out, [&] { return deflate(&state_->z, finish ? Z_FINISH : Z_NO_FLUSH); });
    if (code == Z_STREAM_END) return true;
    if ((in.empty() && !last) || out.empty()) return false;
  }
}

struct bgzf_deflater::state {
  z_stream z{};
  gz_header header{};
  std::array<Bytef, 6> extra{'B', 'C', 2, 0, 0, 0};  // and the last two bytes are the block's length less one
  std::array<char, std::size_t{1} << 16> out;
  ~state() { deflateEnd(&z); }
};

bgzf_deflater::bgzf_deflater() : state_(std::make_unique<state>()) {
  check(deflateInit2(&state_->z, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), state_->z);
  state_->header.extra = state_->extra.data();
  state_->header.extra_len = static_cast<uInt>(state_->extra.size());
  state_->header.os = 255;  // unknown
}
bgzf_deflater::~bgzf_deflater() = default;

std::span<char const> bgzf_deflater::block(std::span<char const> text) {
  constexpr std::size_t length_at = 16;
  check(deflateReset(&state_->z), state_->z);
  check(deflateSetHeader(&state_->z, &state_->header), state_->z);
  std::span<char> free(state_->out);
  if (run(state_->z, text, free, [&] { return ::deflate(&state_->z, Z_FINISH); }) != Z_STREAM_END)
    throw std::logic_error("a BGZF block of more than 64 KiB");
  std::size_t const size = state_->out.size() - free.size();
  state_->out[length_at] = static_cast<char>((size - 1) & 255);
  state_->out[length_at + 1] = static_cast<char>((size - 1) >> 8);
  return std::span<char const>(state_->out).first(size);
}

}  // namespace ordo::cli
