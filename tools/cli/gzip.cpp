#include "tools/cli/gzip.hpp"

#include <algorithm>
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

}  // namespace ordo::cli
