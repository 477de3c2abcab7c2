#include "tools/cli/files/codecs.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#define ZSTD_STATIC_LINKING_ONLY  // for memory of one's own
#include <zstd.h>
#include <zstd_errors.h>
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/symmetric.hpp>
#include <boost/iostreams/filter/zlib.hpp>

#include "base/large_blocks.hpp"
#include "base/threads.hpp"

// The filters of Boost are symmetric: filter(in, in_end, out, out_end, flush) advances both begins and returns true if there
// may be more. They are called directly, to learn which bytes are left and whether the stream has ended.
namespace ordo::inline v0::cli {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t max_at_once = std::size_t{1} << 30;  // zlib and bzip2 count in 32 bits
constexpr std::streamsize no_buffer = 1;                   // no buffer of Boost's own, which are not used

// zlib reads and writes the gzip format itself and checks all of it. The gzip filter of Boost ignores the length, the checksum
// of the header and unknown flags.
constexpr int gzip_wrapping = 15 + 16;

// The errors of filters for which Boost has no exception.
struct filter_error {
  std::string_view what;
  std::string why = {};
};

std::size_t check_zstd(std::size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();  // or a thread could not start
  if (ZSTD_isError(result)) throw filter_error{"corrupt", ZSTD_getErrorName(result)};
  return result;
}

// The zstd filter of Boost accepts truncated frames. This one does not.
class zstd_inflater {
 public:
  using char_type = char;
  zstd_inflater() {
    if (!context_) throw std::bad_alloc();
  }
  bool filter(char const*& in, char const* in_end, char*& out, char* out_end, bool flush) {
    if (in == in_end && flush && inside_) throw filter_error{"truncated"};
    if (in == in_end) return !flush;
    ZSTD_inBuffer from{in, static_cast<std::size_t>(in_end - in), 0};
    ZSTD_outBuffer to{out, static_cast<std::size_t>(out_end - out), 0};
    std::size_t const left = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_getErrorCode(left) == ZSTD_error_prefix_unknown) throw filter_error{"garbage after"};
    inside_ = check_zstd(left) != 0;
    in += from.pos;
    out += to.pos;
    return true;
  }
  void close() {}

 private:
  // A window takes up to 128 MiB.
  static constexpr ZSTD_customMem memory{[](void*, std::size_t bytes) { return detail::allocate_checked(bytes); },
                                         [](void*, void* block) { detail::free_checked(block); }, nullptr};
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx_advanced(memory), ZSTD_freeDCtx};
  bool inside_ = true;  // inside of a frame
};

// The zstd filter of Boost writes frames without a checksum, by one thread. The bytes are the same for any number of threads.
class zstd_deflater {
 public:
  using char_type = char;
  explicit zstd_deflater(int threads) {
    if (!context_) throw std::bad_alloc();
    check_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1));
    // An error where libzstd is built without threads: then this one compresses.
    static_cast<void>(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, threads));
  }
  bool filter(char const*& in, char const* in_end, char*& out, char* out_end, bool flush) {
    ZSTD_inBuffer from{in, static_cast<std::size_t>(in_end - in), 0};
    ZSTD_outBuffer to{out, static_cast<std::size_t>(out_end - out), 0};
    std::size_t const left = ZSTD_compressStream2(context_.get(), &to, &from, flush ? ZSTD_e_end : ZSTD_e_continue);
    check_zstd(left);
    in += from.pos;
    out += to.pos;
    return !flush || left != 0;
  }
  void close() {}

 private:
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_{ZSTD_createCCtx(), ZSTD_freeCCtx};
};

// Rethrows the current exception of a filter with the position of the error, and other exceptions, such as bad_alloc,
// unchanged.
[[noreturn]] void fail(compression how, std::uint64_t offset) {
  constexpr int lzma_memlimit_error = 6;  // Boost has no name for it
  filter_error result{"corrupt"};
  try {
    throw;
  } catch (filter_error const& e) {
    result = e;
  } catch (io::zlib_error const&) {
  } catch (io::bzip2_error const& e) {
    if (e.error() == io::bzip2::unexpected_eof) result.what = "truncated";
    if (e.error() == io::bzip2::data_error_magic) result.what = "garbage after";
  } catch (io::lzma_error const& e) {
    if (e.error() == io::lzma::buf_error) result.what = "truncated";
    if (e.error() == lzma_memlimit_error) result = {"too large a dictionary of", "it takes more than 100 MiB of memory"};
  }
  throw decode_error(fmt::format("{} {} data at byte {}{}{}", result.what, compression_name(how), offset,
                                 result.why.empty() ? "" : ": ", result.why));
}

// Calls a filter once. @returns true if there may be more
template <class Filter>
bool step(Filter& filter, lookahead& from, std::span<char>& out, compression how) {
  std::span<char const> const in = from.peek(1);
  std::span<char> const room = out.first(std::min(out.size(), max_at_once));
  char const* next_in = in.data();
  char* next_out = room.data();
  bool more = true;
  try {
    more = filter.filter().filter(next_in, in.data() + in.size(), next_out, room.data() + room.size(), in.empty());
  } catch (...) {
    fail(how, from.offset() + static_cast<std::size_t>(next_in - in.data()));
  }
  from.use(static_cast<std::size_t>(next_in - in.data()));
  out = out.subspan(static_cast<std::size_t>(next_out - room.data()));
  return more;
}

template <class Filter>
class filter_decoder final : public decoder {
 public:
  filter_decoder(compression how, lookahead& from, Filter const& filter) : how_(how), from_(from), filter_(filter) {}
  std::size_t read(std::span<char> to) override {
    std::span<char> out = to;
    while (!out.empty() && !ended_) ended_ = !step(filter_, from_, out, how_);
    return to.size() - out.size();
  }

 private:
  compression how_;
  lookahead& from_;
  Filter filter_;
  bool ended_ = false;
};

template <class Filter>
class filter_encoder final : public encoder {
 public:
  explicit filter_encoder(Filter const& filter) : filter_(filter), block_(std::size_t{64} << 10) {}

  void write(std::span<char const> text, raw_writer const& put) override {
    while (!text.empty()) {
      std::span<char const> part = text.first(std::min(text.size(), max_at_once));
      text = text.subspan(part.size());
      while (!part.empty()) step(part, put, false);
    }
  }
  void finish(raw_writer const& put) override {
    std::span<char const> nothing;
    while (step(nothing, put, true)) {}
  }

 private:
  bool step(std::span<char const>& part, raw_writer const& put, bool last) {
    char const* next_in = part.data();
    char* next_out = block_.data();
    bool const more =
        filter_.filter().filter(next_in, part.data() + part.size(), next_out, block_.data() + block_.size(), last);
    part = part.subspan(static_cast<std::size_t>(next_in - part.data()));
    if (next_out != block_.data()) put(std::span<char const>(block_.data(), next_out));
    return more;
  }

  Filter filter_;
  std::vector<char> block_;
};

template <class Filter>
std::unique_ptr<encoder> encoder_by(Filter const& filter) {
  return std::make_unique<filter_encoder<Filter>>(filter);
}

template <class Filter>
std::unique_ptr<decoder> decoder_by(compression how, lookahead& from, Filter const& filter) {
  return std::make_unique<filter_decoder<Filter>>(how, from, filter);
}

io::zlib_params gzip_params() {
  io::zlib_params params(6);
  params.window_bits = gzip_wrapping;
  return params;
}

// The default level of xz, 6, takes seconds for a megabyte. Each thread takes about 30 MB.
io::lzma_params xz_params(unsigned threads) {
  constexpr int max_threads = 16;
  return {2, static_cast<std::uint32_t>(std::min(threads_for(threads), max_threads))};
}

// Each thread takes about 15 MB.
int zstd_threads(unsigned threads) {
  constexpr int max_threads = 4;
  return std::min(threads_for(threads), max_threads);
}

}  // namespace

struct gzip_member::state {
  lookahead& from;
  io::zlib_decompressor filter{gzip_params(), no_buffer};
  bool ended = false;
};

gzip_member::gzip_member(lookahead& from) : state_(new state{from}) {}
gzip_member::~gzip_member() = default;

std::size_t gzip_member::read(std::span<char> to) {
  std::span<char> out = to;
  while (!out.empty() && !state_->ended) {
    if (state_->from.peek(1).empty()) throw decode_error(fmt::format("truncated gzip data at byte {}", state_->from.offset()));
    state_->ended = !step(state_->filter, state_->from, out, compression::gzip);
  }
  if (!out.empty()) {  // ready for the next one
    state_->filter.filter().close();
    state_->ended = false;
  }
  return to.size() - out.size();
}

std::unique_ptr<decoder> make_filter_decoder(compression how, lookahead& from) {
  switch (how) {
    case compression::bzip2:
      return decoder_by(how, from, io::bzip2_decompressor(io::bzip2::default_small, no_buffer));
    case compression::xz:
      return decoder_by(how, from, io::lzma_decompressor(no_buffer));
    case compression::zstd:
      return decoder_by(how, from, io::symmetric_filter<zstd_inflater>(no_buffer));
    default:
      throw std::logic_error("no filter");
  }
}

std::unique_ptr<encoder> make_filter_encoder(compression how, unsigned threads) {
  switch (how) {
    case compression::bzip2:
      return encoder_by(io::bzip2_compressor(io::bzip2_params(), no_buffer));
    case compression::xz:
      return encoder_by(io::lzma_compressor(xz_params(threads), no_buffer));
    case compression::zstd:
      return encoder_by(io::symmetric_filter<zstd_deflater>(no_buffer, zstd_threads(threads)));
    default:
      throw std::logic_error("no filter");
  }
}

}  // namespace ordo::inline v0::cli
