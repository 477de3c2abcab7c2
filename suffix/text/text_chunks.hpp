#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tbb/parallel_pipeline.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"

namespace ordo::inline v0::suffix::detail {

/// Files that are read one after the other.
struct chunk_files {
  struct opened {
    std::string name;  // for messages
    std::shared_ptr<source> from;
  };
  std::size_t count = 0;
  std::function<opened(std::size_t file)> open;  // is called by several threads, once for each file
  /// Whether reading a file may wait for another program, as of a pipe: such files are not read ahead.
  std::function<bool(std::size_t file)> may_wait = {};
  /// Called with the reason if a source without addresses cannot be read any further: the file ends there, with all bytes that
  /// the source returned when it was read in steps of `failure_step`. Empty: the error is thrown.
  std::function<void(std::size_t file, std::string reason)> on_failure = {};
  static constexpr std::size_t failure_step = 4096;
};

/// A part of a file, which is read as a whole.
struct text_chunk {
  std::size_t file = 0;
  std::shared_ptr<std::string const> name;  // name of the file
  bool begins_file = false;
  std::uint64_t read = 0;      // bytes of the file that this chunk stands for
  std::span<char> bytes = {};  // chunk_options::padding bytes after them may be read

  // For file_chunks.
  host_bytes buffer = {};
  std::shared_ptr<source> from = {};  // the source that load() reads; null: it has been read
  std::uint64_t first = 0, begin = 0, end = 0, file_end = 0;
  std::exception_ptr failure = {};
};

struct chunk_options {
  unsigned threads = 0;  // 0: all
  std::size_t bytes = std::size_t{4} << 20;
  bool lines = true;        // whether a chunk consists of whole lines, each with its LF; the last one of a file may lack it
  std::size_t padding = 0;  // bytes
  std::size_t max_ahead = std::size_t{256} << 20;  // bytes of files that are read ahead
  std::size_t max_chunks = ~std::size_t{0};        // chunks that are worked on at a time, at least one
};

/// Divides files into chunks. Sources with addresses are read by the threads that need the bytes; others, such as compressed
/// files, by a thread for each of several files, ahead of the chunk that is worked on.
class file_chunks {
 public:
  file_chunks(chunk_files const& files, chunk_options const& options);
  ~file_chunks();
  file_chunks(file_chunks const&) = delete;
  file_chunks& operator=(file_chunks const&) = delete;

  /// Gets the next chunk, in order; an empty file has one, too. Not for several threads at a time.
  /// @returns false at the end
  /// @throws  what files.open and the sources throw
  bool next(text_chunk& chunk);
  /// Reads the bytes of a chunk that next() returned, by any thread. @throws  what the source throws
  void load(text_chunk& chunk);
  /// Takes back the memory of a chunk, for others.
  void recycle(text_chunk& chunk);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Works on files by chunks. Each function gets a chunk, and a state of its own for it:
/// parse(chunk, state) in parallel, order(chunk, state) one chunk after the other, work(chunk, state) in parallel,
/// and finish(chunk, state) one after the other. The first error in the order of the input is thrown, whatever the threads;
/// before it, the chunks that precede it have been ordered. Memory: about four chunks a thread, besides
/// chunk_options::max_ahead.
template <class State, class Parse, class Order, class Work, class Finish>
void for_each_chunk(chunk_files const& files, chunk_options const& options, Parse parse, Order order, Work work,
                    Finish finish) {
  struct item {
    text_chunk chunk;
    State state;
    bool is_skipped = false;  // since a chunk before it failed
  };
  using token = item*;  // the pipeline does not own tokens: it forgets its tokens if it is cancelled
  std::deque<item> items;
  std::vector<item*> free_items;  // for others
  std::mutex taking;
  pooled_arena arena(threads_for(options.threads));
  file_chunks reader(files, options);
  auto const guarded = [](token token, auto const& step) {
    if (!token->chunk.failure && !token->is_skipped) try {
        step();
      } catch (...) {
        token->chunk.failure = std::current_exception();
      }
    return token;
  };
  bool has_ended = false;
  auto const read = [&](tbb::flow_control& control) {
    token free_item = nullptr;
    {
      std::lock_guard const lock(taking);
      if (free_items.empty()) free_items.push_back(&items.emplace_back());
      free_item = free_items.back();
      free_items.pop_back();
    }
    *free_item = {};
    if (!has_ended) guarded(free_item, [&] { has_ended = !reader.next(free_item->chunk); });
    if (has_ended) {
      control.stop();
      return token{};
    }
    has_ended = bool(free_item->chunk.failure);
    return free_item;
  };
  auto const load = [&](token token) {
    return guarded(token, [&] {
      reader.load(token->chunk);
      parse(token->chunk, token->state);
    });
  };
  bool has_failed = false;
  auto const arrange = [&](token token) {
    token->is_skipped = has_failed;
    guarded(token, [&] { order(token->chunk, token->state); });
    has_failed |= bool(token->chunk.failure);
    return token;
  };
  auto const run = [&](token token) { return guarded(token, [&] { work(token->chunk, token->state); }); };
  auto const end = [&](token token) {
    guarded(token, [&] { finish(token->chunk, token->state); });
    reader.recycle(token->chunk);
    if (token->chunk.failure) std::rethrow_exception(token->chunk.failure);
    std::lock_guard const lock(taking);
    free_items.push_back(token);
  };
  arena.execute([&] {
    using tbb::filter_mode;
    tbb::parallel_pipeline(std::clamp<std::size_t>(options.max_chunks, 1, 4 * std::size_t(arena.max_concurrency())),
                           tbb::make_filter<void, token>(filter_mode::serial_in_order, read) &
                               tbb::make_filter<token, token>(filter_mode::parallel, load) &
                               tbb::make_filter<token, token>(filter_mode::serial_in_order, arrange) &
                               tbb::make_filter<token, token>(filter_mode::parallel, run) &
                               tbb::make_filter<token, void>(filter_mode::serial_in_order, end));
  });
}

}  // namespace ordo::inline v0::suffix::detail
