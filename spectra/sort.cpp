#include <algorithm>
#include <cstring>
#include <future>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>

#include "sort_core/buffer.hpp"
#include "sort_core/error.hpp"
#include "sort_core/host/threads.hpp"
#include "spectra/block_scan.hpp"
#include "spectra/spectra.hpp"

// Whole inputs: in memory, and as streams of blocks.
namespace ordo::spectra {
namespace {

// On huge pages. It has no state, so threads may share it.
host_memory plain;

struct block {
  buffer<char> memory;
  std::size_t size = 0;
  bool last = false;
  [[nodiscard]] std::span<char> text() const { return memory.span().first(size); }

  /// Room for `wanted` bytes, of which the first `size` keep their content. No less than there is.
  void reserve(std::size_t wanted) {
    if (memory.size() >= wanted) return;
    buffer<char> larger(plain, wanted);
    std::copy_n(memory.data(), size, larger.data());
    memory = std::move(larger);
  }
};

// Cuts a stream into blocks of whole spectra.
class block_reader {
 public:
  block_reader(reader const& read, std::size_t block_bytes) : read_(read), least_(std::max<std::size_t>(block_bytes, 1)) {}

  /// The next block, in the memory of `used` if that is large enough.
  block next(block used) {
    block now = std::move(used);
    now.size = 0;
    now.reserve(std::max(least_, 2 * rest_.size()));
    std::copy(rest_.begin(), rest_.end(), now.memory.data());
    now.size = rest_.size();
    for (;;) {
      std::span<char> const room = now.memory.span().subspan(now.size);
      std::size_t const got = read_(room);
      now.size += got;
      now.last = got < room.size();
      std::size_t const whole = now.last ? now.size : whole_spectra(now.text());
      if (whole != 0 || now.last) {
        rest_.assign(now.text().begin() + std::ptrdiff_t(whole), now.text().end());
        now.size = whole;
        return now;
      }
      now.reserve(2 * now.size);
    }
  }

 private:
  reader const& read_;
  std::size_t least_;
  std::vector<char> rest_;  // what was read behind the last block
};

void enter(options const& how, std::string_view phase, std::uint64_t bytes) {
  if (how.on_phase) how.on_phase(phase, bytes);
}

// use(block) for each, while the next is read. use returns a block to read into, which may be empty; or nothing, to stop.
template <class Use>
void each_block(reader const& read, options const& how, Use use) {
  block_reader from(read, how.block_bytes);
  std::optional<block> spare;
  enter(how, "read", 0);
  block now = from.next({});
  enter(how, "read", now.size);
  for (bool last = now.last; !last;) {
    auto ahead = std::async(std::launch::async, [&from, into = spare ? std::move(*spare) : block{}]() mutable {
      return from.next(std::move(into));
    });
    spare = use(std::move(now));
    if (!spare) return;
    enter(how, "read", 0);
    now = ahead.get();
    enter(how, "read", now.size);
    last = now.last;
  }
  use(std::move(now));
}

// use(block, last) for each block of a text, as long as it returns true.
template <class Char, class Use>
void each_block(std::span<Char> text, std::size_t block_bytes, Use use) {
  std::size_t const least = std::max<std::size_t>(block_bytes, 1);
  for (std::size_t window = least;;) {
    bool const last = window >= text.size();
    std::size_t const whole = last ? text.size() : whole_spectra(text.first(window));
    if (whole == 0 && !last) {
      window *= 2;
      continue;
    }
    if (!use(text.first(whole), last) || last) return;
    text = text.subspan(whole);
    window = least;
  }
}

}  // namespace

report sort(reader const& read, writer const& write, options const& how) {
  sorter sorting(how);
  std::future<block> writing;
  each_block(read, how, [&](block now) -> std::optional<block> {
    sorting.sort(now.text(), now.last);
    enter(how, "write", now.size);
    block written = writing.valid() ? writing.get() : block{};
    writing = std::async(std::launch::async, [&write, out = std::move(now)]() mutable {
      write(out.text());
      return std::move(out);
    });
    if (how.on_progress) how.on_progress(sorting.done().bytes);
    return written;
  });
  enter(how, "write", 0);
  writing.get();
  return sorting.done();
}

report sort(std::span<char const> in, std::span<char> out, options const& how) {
  if (in.size() != out.size())
    throw usage_error("output of another length: " + how.name + ": in memory it must be the input's");
  if (in.data() != out.data() && !in.empty()) std::memmove(out.data(), in.data(), in.size());
  options here = how;
  here.input_bytes = in.size();
  sorter sorting(here);
  each_block(out, how.block_bytes, [&](std::span<char> now, bool last) {
    sorting.sort(now, last);
    return true;
  });
  return sorting.done();
}

checked check(reader const& read, options const& how) {
  tbb::task_arena arena(threads_for(how.machine.threads));
  detail::block_scan scan(how, true);
  each_block(read, how, [&](block now) -> std::optional<block> {
    enter(how, "scan", now.size);
    scan.scan(now.text(), now.last, arena);
    if (scan.first_disorder) return {};
    if (how.on_progress) how.on_progress(scan.totals.bytes);
    return now;
  });
  return {scan.first_disorder, scan.totals};
}

checked check(std::span<char const> in, options const& how) {
  tbb::task_arena arena(threads_for(how.machine.threads));
  detail::block_scan scan(how, true);
  each_block(in, how.block_bytes, [&](std::span<char const> now, bool last) {
    enter(how, "scan", now.size());
    scan.scan(now, last, arena);
    return !scan.first_disorder;
  });
  return {scan.first_disorder, scan.totals};
}

}  // namespace ordo::spectra
