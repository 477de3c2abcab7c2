#include "tools/cli/files/codecs.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <htslib/bgzf.h>
#include <htslib/hts_log.h>
#include <htslib/thread_pool.h>
#include <libdeflate.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::cli {
namespace {

constexpr std::size_t blocks_of_a_job = 16;                        // all compressed
constexpr std::size_t text_of_a_job = 4 * std::size_t{0xff00};     // uncompressed: four blocks
constexpr std::size_t max_text = 0xff00;                           // maximum text of a block that is made: fits, whatever it is
constexpr std::size_t largest_block = std::size_t{1} << 16;        // packed or not
constexpr std::size_t smallest_block = longest_magic + 2 + 2 * 4;  // smallest block of no text, its checksum and its length
constexpr int level = 6;
constexpr unsigned max_encoders = 16;  // Each thread takes two jobs of half a megabyte, and one of memory to compress.

// An empty block ends a file (SAM specification, section 4.1.2).
constexpr std::string_view end_marker("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);

std::uint32_t little_endian(std::span<char const> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void store_little_endian(std::span<char> to, std::uint32_t value) {
  for (char& byte : to) {
    byte = static_cast<char>(value & 0xff);
    value >>= 8;
  }
}

/// Loads htslib, for its threads, when there is BGZF of several jobs. With its dependencies it would take a third of the time
/// of a small command that needs none.
struct htslib {
  decltype(&::hts_set_log_level) set_log_level;
  decltype(&::hts_tpool_init) pool_init;
  decltype(&::hts_tpool_destroy) pool_destroy;
  decltype(&::hts_tpool_process_init) process_init;
  decltype(&::hts_tpool_process_destroy) process_destroy;
  decltype(&::hts_tpool_dispatch) dispatch;
  decltype(&::hts_tpool_next_result_wait) next_result_wait;
  decltype(&::hts_tpool_delete_result) delete_result;

  /// @throws output_error if the system does not have it
  static htslib const& get() {
    static htslib const loaded;
    return loaded;
  }

  /// Returns false on a system without it, such as one where the programs came with the Python package. One thread then reads
  /// and writes BGZF.
  static bool is_here() {
    try {
      get();
    } catch (output_error const&) {
      return false;
    }
    return true;
  }

 private:
  htslib() {
    load(set_log_level, "hts_set_log_level");
    load(pool_init, "hts_tpool_init");
    load(pool_destroy, "hts_tpool_destroy");
    load(process_init, "hts_tpool_process_init");
    load(process_destroy, "hts_tpool_process_destroy");
    load(dispatch, "hts_tpool_dispatch");
    load(next_result_wait, "hts_tpool_next_result_wait");
    load(delete_result, "hts_tpool_delete_result");
  }
  template <class Function>
  void load(Function& function, char const* name) {
    if (!library_) library_ = dlopen(ORDO_HTSLIB, RTLD_NOW | RTLD_LOCAL);
    if (!library_) library_ = dlopen(ORDO_HTSLIB_FILE, RTLD_NOW | RTLD_LOCAL);  // in a folder that the system does not search
    void* const symbol = library_ ? dlsym(library_, name) : nullptr;
    if (!symbol) throw output_error(fmt::format("cannot load htslib: {}", dlerror()));
    function = reinterpret_cast<Function>(symbol);
  }

  void* library_ = nullptr;
};

/// Some blocks to compress or to inflate.
struct job {
  using work = void (*)(job&);
  work run;
  std::vector<char> packed, text;
  std::uint64_t offset = 0;  // offset of the first block in the file
  std::exception_ptr error;
};

/// Runs jobs on the threads of htslib, which start with the second job, and returns them in order.
class ordered_jobs {
 public:
  explicit ordered_jobs(unsigned threads) : threads_(static_cast<std::size_t>(threads_for(threads))) {}
  ~ordered_jobs() {
    while (!queue_.empty()) static_cast<void>(wait());
  }
  ordered_jobs(ordered_jobs const&) = delete;
  ordered_jobs& operator=(ordered_jobs const&) = delete;

  [[nodiscard]] bool empty() const { return queue_.empty(); }
  /// Returns true if there are enough jobs for all threads.
  [[nodiscard]] bool full() const { return queue_.size() >= 2 * threads_; }

  void add(std::unique_ptr<job> added) {
    queue_.push_back(std::move(added));
    if (queue_.size() == 1 || !has_pool()) return;
    for (; started_ < queue_.size(); ++started_)
      if (htslib::get().dispatch(pool_.get(), results_.get(), run, queue_[started_].get()) != 0) throw std::bad_alloc();
  }

  /// Waits for the first job and returns it. @throws the exception of its work
  std::unique_ptr<job> take() {
    std::unique_ptr<job> done = wait();
    if (done->error) std::rethrow_exception(done->error);
    return done;
  }

 private:
  struct closer {
    void operator()(hts_tpool* pool) const { htslib::get().pool_destroy(pool); }
    void operator()(hts_tpool_process* results) const { htslib::get().process_destroy(results); }
  };

  bool has_pool() {
    if (pool_ || threads_ == 1) return pool_ != nullptr;
    if (!htslib::is_here()) {
      threads_ = 1;
      return false;
    }
    htslib const& hts = htslib::get();
    hts.set_log_level(HTS_LOG_OFF);  // it would print that it has no threads
    pool_.reset(hts.pool_init(static_cast<int>(threads_)));
    if (pool_) results_.reset(hts.process_init(pool_.get(), static_cast<int>(2 * threads_ + 1), 0));
    if (results_) return true;
    pool_.reset();
    threads_ = 1;  // no thread can be started: this one does the work
    return false;
  }

  static void* run(void* argument) noexcept {
    job& given = *static_cast<job*>(argument);
    try {
      given.run(given);
    } catch (...) {
      given.error = std::current_exception();
    }
    return nullptr;
  }

  std::unique_ptr<job> wait() {
    if (started_ == 0) {
      run(queue_.front().get());
    } else {
      htslib::get().delete_result(htslib::get().next_result_wait(results_.get()), 0);
      --started_;
    }
    std::unique_ptr<job> done = std::move(queue_.front());
    queue_.pop_front();
    return done;
  }

  std::size_t threads_;
  std::unique_ptr<hts_tpool, closer> pool_;
  std::unique_ptr<hts_tpool_process, closer> results_;
  std::deque<std::unique_ptr<job>> queue_;
  std::size_t started_ = 0;  // started of the queue, from its front
};

/// The length of a whole block, and that of its text.
std::size_t block_size(std::span<char const> head) {
  return little_endian(head.subspan(longest_magic - 2, 2)) + std::size_t{1};
}
std::size_t uncompressed_size(std::span<char const> block) {
  return little_endian(block.last(4));
}

[[noreturn]] void fail_at(std::string_view problem, std::uint64_t offset) {
  throw decode_error(fmt::format("{} BGZF data at byte {}", problem, offset));
}

// htslib has no public function for a block in memory. libdeflate is its own inflater.
void inflate(job& job) {
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> const inflater(libdeflate_alloc_decompressor(),
                                                                                              libdeflate_free_decompressor);
  if (!inflater) throw std::bad_alloc();
  std::span<char> to(job.text);
  for (std::span<char const> rest(job.packed); !rest.empty();) {
    auto const block = rest.first(block_size(rest));
    std::size_t const text = uncompressed_size(block);
    std::size_t used = 0;
    if (text > to.size() ||
        libdeflate_gzip_decompress_ex(inflater.get(), block.data(), block.size(), to.data(), text, &used, nullptr) !=
            LIBDEFLATE_SUCCESS ||
        used != block.size())
      fail_at("corrupt", job.offset + job.packed.size() - rest.size());
    rest = rest.subspan(block.size());
    to = to.subspan(text);
  }
}

void append_block(std::vector<char>& to, std::span<char const> text, libdeflate_compressor* compressor) {
  constexpr std::size_t header_size = longest_magic, footer_size = 2 * 4;
  std::size_t const before = to.size();
  to.resize(before + largest_block);
  std::span<char> const block = std::span(to).subspan(before);
  std::size_t const packed = libdeflate_deflate_compress(compressor, text.data(), text.size(), block.data() + header_size,
                                                         largest_block - header_size - footer_size);
  if (packed == 0) throw std::logic_error("BGZF: a block of the largest text does not fit");
  std::size_t const size = header_size + packed + footer_size;
  std::ranges::copy(end_marker.substr(0, header_size), block.begin());
  store_little_endian(block.subspan(header_size - 2, 2), static_cast<std::uint32_t>(size - 1));
  store_little_endian(block.subspan(size - footer_size, 4), libdeflate_crc32(0, text.data(), text.size()));
  store_little_endian(block.subspan(size - 4, 4), static_cast<std::uint32_t>(text.size()));
  to.resize(before + size);
}

void deflate(job& job) {
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> const compressor(libdeflate_alloc_compressor(level),
                                                                                            libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  job.packed.reserve(job.text.size() / 2);
  for (std::span<char const> rest(job.text); !rest.empty();) {
    auto const part = rest.first(std::min(rest.size(), max_text));
    append_block(job.packed, part, compressor.get());
    rest = rest.subspan(part.size());
  }
}

class bgzf_encoder final : public encoder {
 public:
  explicit bgzf_encoder(unsigned threads) : jobs_(std::min(static_cast<unsigned>(threads_for(threads)), max_encoders)) {}

  void write(std::span<char const> text, raw_writer const& put) override {
    while (!text.empty()) {
      if (!next_) next_ = std::make_unique<job>(job{deflate, {}, {}, 0, {}});
      auto const part = text.first(std::min(text.size(), text_of_a_job - next_->text.size()));
      next_->text.insert(next_->text.end(), part.begin(), part.end());
      text = text.subspan(part.size());
      if (next_->text.size() < text_of_a_job) return;
      jobs_.add(std::move(next_));
      while (jobs_.full()) put(jobs_.take()->packed);
    }
  }

  void finish(raw_writer const& put) override {
    if (next_) jobs_.add(std::move(next_));
    while (!jobs_.empty()) put(jobs_.take()->packed);
    put(end_marker);
  }

 private:
  ordered_jobs jobs_;
  std::unique_ptr<job> next_;
};

}  // namespace

struct bgzf_blocks::state {
  lookahead& from;
  ordered_jobs jobs;
  std::unique_ptr<job> current;
  std::span<char const> text;  // text of the current job: not read yet
  bool ended = false;          // the last block was an end marker
  std::exception_ptr error;    // after the jobs

  // The next blocks, if any follow.
  std::unique_ptr<job> gather() {
    auto next = std::make_unique<job>(job{inflate, {}, {}, from.offset(), {}});
    std::size_t text_size = 0;
    for (std::size_t i = 0; i < blocks_of_a_job; ++i) {
      auto const head = from.peek(longest_magic);
      if (!is_bgzf(head)) break;
      std::size_t const size = block_size(head);
      if (size < smallest_block) fail_at("corrupt", from.offset());
      auto block = from.peek(size);
      if (block.size() < size) fail_at("truncated", from.offset() + block.size());
      block = block.first(size);
      std::size_t const more = uncompressed_size(block);
      if (more > largest_block) fail_at("corrupt", from.offset());
      ended = more == 0;
      text_size += more;
      next->packed.insert(next->packed.end(), block.begin(), block.end());
      from.use(size);
    }
    if (next->packed.empty()) return nullptr;
    next->text.resize(text_size);
    return next;
  }

  // An error is thrown after all bytes before it have been read, so it does not depend on the number of threads.
  void fill() {
    while (!error && !jobs.full()) {
      try {
        auto next = gather();
        if (!next) return;
        jobs.add(std::move(next));
      } catch (...) {
        error = std::current_exception();
      }
    }
  }
};

bgzf_blocks::bgzf_blocks(lookahead& from, unsigned threads)
    : state_(new state{from, ordered_jobs(threads), {}, {}, false, {}}) {}
bgzf_blocks::~bgzf_blocks() = default;

std::size_t bgzf_blocks::read(std::span<char> to) {
  std::span<char> out = to;
  while (!out.empty()) {
    if (state_->text.empty()) {
      state_->fill();
      if (state_->jobs.empty()) break;
      state_->current = state_->jobs.take();
      state_->text = state_->current->text;
    }
    std::size_t const part = std::min(out.size(), state_->text.size());
    std::copy_n(state_->text.begin(), part, out.begin());
    state_->text = state_->text.subspan(part);
    out = out.subspan(part);
  }
  if (!out.empty() && state_->error) std::rethrow_exception(state_->error);
  if (!out.empty() && !state_->ended) throw decode_error("truncated BGZF data: the end marker is missing");
  return to.size() - out.size();
}

std::unique_ptr<encoder> make_bgzf_encoder(unsigned threads) {
  return std::make_unique<bgzf_encoder>(threads);
}

std::uint32_t compute_crc32(std::string_view bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace ordo::inline v0::cli
