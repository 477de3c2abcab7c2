#include "suffix/text/text_chunks.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "ordo/error.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

/// A source that is read from front to back, by one thread.
struct sequential_file {
  std::size_t number = 0;
  std::shared_ptr<std::string const> name;
  std::shared_ptr<source> from;
  std::string open_line;  // the begin of a line that goes on in the next chunk
  bool has_ended = false;
  std::string step;           // bytes that were read, but not returned yet, if an error ends the file
  bool source_ended = false;  // whether that step is the last one
};

/// A file from the time when it is opened to that when its last chunk has been returned.
struct open_file {
  sequential_file reading;
  bool is_read_ahead = false, has_ended = false;
  bool has_begun = false;             // a chunk has been returned
  std::optional<std::uint64_t> size;  // size of a source with addresses
  std::uint64_t first = 0, at = 0;    // positions in it
  std::deque<text_chunk> chunks;      // chunks that were read ahead
  std::exception_ptr failure;         // after the last chunk
};

std::size_t find_line_end(char const* bytes, std::size_t from, std::size_t to) {
  void const* const result = from < to ? std::memchr(bytes + from, '\n', to - from) : nullptr;
  return result ? std::size_t(static_cast<char const*>(result) - bytes) : to;
}

}  // namespace

struct file_chunks::state {
  state(chunk_files const& all, chunk_options const& chosen) : files(all), options(chosen) {
    std::size_t const readers = std::min(files.count, std::size_t(threads_for(options.threads)));
    window = 2 * readers;
    try {
      for (std::size_t k = 0; k < readers; ++k) threads.emplace_back([this] { read_ahead(); });
    } catch (...) {  // the threads that there are suffice; without any, next() reads
    }
  }
  ~state() {
    {
      std::lock_guard const lock(mutex);
      stops = true;
    }
    changed.notify_all();
    for (std::thread& each : threads) each.join();
  }

  [[nodiscard]] host_bytes new_buffer() {
    std::lock_guard const lock(mutex);
    if (buffers.empty()) return {};
    host_bytes some = std::move(buffers.back());
    buffers.pop_back();
    return some;
  }

  [[nodiscard]] bool may_wait(std::size_t file) const { return files.may_wait && files.may_wait(file); }

  void open(std::size_t number, open_file& file) const {
    auto opened = files.open(number);
    file.reading.number = number;
    file.reading.name = std::make_shared<std::string const>(std::move(opened.name));
    file.reading.from = std::move(opened.from);
    file.size = file.reading.from->size();
    if (file.size) file.first = file.at = std::min(file.reading.from->position(), *file.size);
  }

  /// Reads the next bytes of a sequential source. The steps in which it is read do not depend on `to`, so that a source which
  /// fails has the same bytes each time.
  std::size_t read_some(sequential_file& file, std::span<char> to) const {
    if (!files.on_failure) return file.from->read(to);
    std::size_t written = 0;
    std::string& step = file.step;
    while (written < to.size()) {
      if (step.empty()) {
        if (file.source_ended) break;
        step.resize(chunk_files::failure_step);
        std::size_t got = 0;
        try {
          got = file.from->read(step);
        } catch (input_error const& e) {
          files.on_failure(file.number, e.what());
        }
        file.source_ended = got < step.size();
        step.resize(got);
        continue;
      }
      std::size_t const count = std::min(step.size(), to.size() - written);
      std::copy_n(step.begin(), count, to.begin() + std::ptrdiff_t(written));
      step.erase(0, count);
      written += count;
    }
    return written;
  }

  /// Reads the next chunk of a sequential source.
  text_chunk read_chunk(sequential_file& file) {
    text_chunk chunk;
    chunk.file = file.number;
    chunk.name = file.name;
    chunk.buffer = new_buffer();
    host_bytes& to = chunk.buffer;
    to.resize(file.open_line.size());
    std::ranges::copy(file.open_line, to.data());
    file.open_line.clear();
    for (std::size_t more = options.bytes;; more = to.size()) {
      std::size_t const before = to.size();
      to.resize(before + more + options.padding);
      std::size_t const got = read_some(file, {to.data() + before, more});
      chunk.read += got;
      file.has_ended = got < more;
      to.resize(before + got);
      if (file.has_ended || !options.lines) break;
      void const* const result = memrchr(to.data() + before, '\n', got);
      if (!result) continue;  // a long line
      std::size_t const end = std::size_t(static_cast<char const*>(result) - to.data()) + 1;
      file.open_line.assign(to.data() + end, to.size() - end);
      to.resize(end);
      break;
    }
    chunk.bytes = to.span();
    return chunk;
  }

  void read_ahead() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stops || next_to_open == files.count || next_to_open < front + window; });
      if (stops || next_to_open == files.count) return;
      std::size_t const number = next_to_open++;
      open_file& file = opened[number];
      bool const opens = !may_wait(number);
      std::exception_ptr failure;
      if (opens) {
        lock.unlock();
        try {
          open(number, file);
        } catch (...) {
          failure = std::current_exception();
        }
        lock.lock();
      }
      file.failure = failure;
      file.is_read_ahead = failure || (opens && !file.size);
      ready.insert(number);
      changed.notify_all();
      while (file.is_read_ahead && !file.has_ended && !file.failure) {
        changed.wait(lock, [&] {
          return stops || ahead + options.bytes <= options.max_ahead || (front == number && file.chunks.size() < 2);
        });
        if (stops) return;
        ahead += options.bytes;
        lock.unlock();
        std::optional<text_chunk> chunk;
        try {
          chunk = read_chunk(file.reading);
        } catch (...) {
          failure = std::current_exception();
        }
        lock.lock();
        ahead -= options.bytes;
        if (chunk) {
          ahead += chunk->buffer.size();
          file.chunks.push_back(std::move(*chunk));
        }
        file.failure = failure;
        file.has_ended = file.reading.has_ended;
        changed.notify_all();
      }
    }
  }

  /// Returns the next chunk of the file at the front, or nothing if it has no more.
  std::optional<text_chunk> next_chunk(std::size_t number, open_file& file, std::unique_lock<std::mutex>& lock) {
    if (file.is_read_ahead) {
      changed.wait(lock, [&] { return !file.chunks.empty() || file.has_ended || file.failure; });
      if (file.chunks.empty()) {
        if (file.failure) std::rethrow_exception(file.failure);
        return std::nullopt;
      }
      text_chunk chunk = std::move(file.chunks.front());
      file.chunks.pop_front();
      ahead -= chunk.buffer.size();
      changed.notify_all();
      return chunk;
    }
    lock.unlock();
    struct relock {
      std::unique_lock<std::mutex>& lock;
      ~relock() { lock.lock(); }
    } const again{lock};
    if (!file.reading.from) open(number, file);
    if (file.has_ended) return std::nullopt;
    if (!file.size) {
      text_chunk chunk = read_chunk(file.reading);
      file.has_ended = file.reading.has_ended;
      return chunk;
    }
    text_chunk chunk;
    chunk.file = number;
    chunk.name = file.reading.name;
    chunk.from = file.reading.from;
    chunk.first = file.first;
    chunk.begin = file.at;
    chunk.end = file.at + std::min<std::uint64_t>(options.bytes, *file.size - file.at);
    chunk.file_end = *file.size;
    chunk.read = chunk.end - chunk.begin;
    file.at = chunk.end;
    file.has_ended = file.at == *file.size;
    return chunk;
  }

  bool next(text_chunk& to) {
    std::unique_lock lock(mutex);
    for (; front < files.count; drop_front()) {
      if (threads.empty()) ready.insert(front);
      changed.wait(lock, [&] { return ready.contains(front); });
      open_file& file = opened[front];
      auto chunk = next_chunk(front, file, lock);
      if (!chunk) continue;
      to = std::move(*chunk);
      to.begins_file = !std::exchange(file.has_begun, true);
      return true;
    }
    return false;
  }
  void drop_front() {
    opened.erase(front);
    ready.erase(front);
    ++front;
    changed.notify_all();
  }

  chunk_files const& files;
  chunk_options options;
  std::size_t window = 0;
  std::mutex mutex;
  std::condition_variable changed;
  bool stops = false;
  std::size_t next_to_open = 0, front = 0;  // numbers of files
  std::map<std::size_t, open_file> opened;
  std::set<std::size_t> ready;      // files that have been opened, or are to be opened by next()
  std::uint64_t ahead = 0;          // bytes that were read ahead
  std::vector<host_bytes> buffers;  // for others
  std::vector<std::thread> threads;
};

file_chunks::file_chunks(chunk_files const& files, chunk_options const& options)
    : state_(std::make_unique<state>(files, options)) {}

file_chunks::~file_chunks() = default;

bool file_chunks::next(text_chunk& chunk) {
  return state_->next(chunk);
}

void file_chunks::load(text_chunk& chunk) {
  if (!chunk.from) return;
  chunk_options const& options = state_->options;
  chunk.buffer = state_->new_buffer();
  host_bytes& to = chunk.buffer;
  // Lines that begin in the chunk belong to it. Whether one begins with its first byte is seen by the byte before.
  std::uint64_t const from = options.lines && chunk.begin != chunk.first ? chunk.begin - 1 : chunk.begin;
  std::size_t const size = std::size_t(chunk.end - from);
  to.resize(size + options.padding);
  chunk.from->read_at(from, {to.data(), size});
  std::size_t begin = 0, end = size;
  if (options.lines) {
    if (from != chunk.begin) begin = find_line_end(to.data(), 0, size) + 1;
    if (begin >= size) {
      begin = end = 0;  // all of it belongs to a line that began before, or there is nothing
    } else if (to.data()[size - 1] != '\n') {
      for (std::size_t more = std::size_t{64} << 10; from + end < chunk.file_end; more *= 2) {
        std::size_t const got = std::size_t(std::min<std::uint64_t>(more, chunk.file_end - from - end));
        to.resize(end + got + options.padding);
        chunk.from->read_at(from + end, {to.data() + end, got});
        std::size_t const line_end = find_line_end(to.data(), end, end + got);
        bool const is_found = line_end != end + got;
        end = is_found ? line_end + 1 : end + got;
        if (is_found) break;
      }
    }
  }
  chunk.bytes = {to.data() + begin, end - begin};
  chunk.from.reset();
}

void file_chunks::recycle(text_chunk& chunk) {
  chunk.bytes = {};
  host_bytes buffer = std::move(chunk.buffer);
  // Larger ones, for long lines, are freed.
  if (buffer.size() > 2 * state_->options.bytes + state_->options.padding) return;
  std::lock_guard const lock(state_->mutex);
  state_->buffers.push_back(std::move(buffer));
}

}  // namespace ordo::inline v0::suffix::detail
