#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/ordered_turns.hpp"
#include "ordo/array_stream.hpp"
#include "sort_core/algorithms/run_task.hpp"

// Implements stream_arrays. Up to three lanes, each with its own machine and thread, load, sort and store parts. One lane
// reads at a time and one writes, each part in its turn; between the two it sorts.
namespace ordo::inline v0::detail {

[[noreturn]] inline void fail_within_array(std::uint64_t whole) {
  throw input_error("arrays: the input ends within array " + std::to_string(whole + 1));
}

/// The number of arrays per part, and of lanes.
struct stream_plan {
  std::size_t part, lanes;
};

constexpr std::size_t max_stream_lanes = 3;

/// Returns the bytes of the machine's memory that a lane takes for parts of this number of arrays.
template <Backend B>
std::size_t memory_of_lane(B& machine, sort_task task, std::size_t arrays) {
  task.segments = arrays;
  task.n = arrays * task.uniform_length;
  return pool::rounded(task.n * task.key_bytes) + memory_of_task(machine, task);
}

/// @param bytes  that the source has, if it says so
template <Backend B>
stream_plan plan_stream(B& machine, stream_task const& task, std::optional<std::uint64_t> bytes, std::size_t max_lanes) {
  std::size_t const array = task.sort.uniform_length * task.sort.key_bytes;
  std::size_t part = std::max<std::size_t>(task.part_bytes / array, 1), lanes = max_lanes;
  if (bytes) part = std::size_t(std::clamp<std::uint64_t>(*bytes / array, 1, part));
  std::size_t const available = machine.pool().available();
  auto const fits = [&] { return memory_of_lane(machine, task.sort, part) <= available / lanes; };
  while (part > 1 && !fits()) part = (part + 1) / 2;
  while (lanes > 1 && !fits()) --lanes;
  return {part, lanes};
}

template <Backend B>
class array_streamer {
 public:
  array_streamer(stream_task const& task, stream_plan const& plan) : task_(task), plan_(plan) {
    task_.sort.segments = plan.part;
    array_bytes_ = task_.sort.uniform_length * task_.sort.key_bytes;
  }

  /// All parts of one lane. with_machine(use) calls use(machine).
  template <class With>
  void run(std::size_t lane, With with_machine) noexcept try {
    with_machine([&](B& machine) { process_parts(machine, lane); });
  } catch (...) {
    fail();
  }

  /// No lane takes another part, because of the exception that is being handled.
  void fail() noexcept {
    std::lock_guard const lock(failing_);
    if (!failure_) failure_ = std::current_exception();
    reading_.stop();
    writing_.stop();
  }

  /// When all lanes have ended.
  /// @returns arrays written. @throws what the first to fail threw
  std::uint64_t result() {
    if (failure_) std::rethrow_exception(failure_);
    return written_ / array_bytes_;
  }

 private:
  void process_parts(B& machine, std::size_t lane) {
    auto const memory = machine.template buffer<char>(plan_.part * array_bytes_);
    for (std::uint64_t k = lane;; k += plan_.lanes) {
      std::size_t got = 0;
      bool const has_read = reading_.take(k, [&] {
        got = machine.load(*task_.from, memory.span());
        if (got < memory.size()) reading_.stop();  // the input has ended
      });
      if (!has_read) return;
      std::size_t const arrays = got / array_bytes_;
      sort(machine, memory.data(), arrays);
      bool const has_written = writing_.take(k, [&] {
        machine.store(std::span<char const>(memory.data(), arrays * array_bytes_), *task_.to, written_);
        written_ += arrays * array_bytes_;
        if (got % array_bytes_ != 0) fail_within_array(written_ / array_bytes_);
      });
      if (!has_written) return;
    }
  }

  void sort(B& machine, char* keys, std::size_t arrays) {
    sort_task part = task_.sort;
    part.keys = keys;
    part.segments = arrays;
    part.n = arrays * part.uniform_length;
    run_task(machine, part);
  }

  stream_task task_;
  stream_plan plan_;
  std::size_t array_bytes_;
  ordered_turns reading_, writing_;
  std::uint64_t written_ = 0;  // bytes written; only the lane whose turn it is changes it
  std::mutex failing_;
  std::exception_ptr failure_;
};

/// with_lane(use) calls use(machine) with one more machine, on the calling thread.
template <Backend B, class WithLane>
std::uint64_t run_stream(B& first, stream_task const& task, std::size_t max_lanes, WithLane with_lane) {
  if (task.sort.uniform_length == 0) throw usage_error("arrays of no keys");
  // All that follows counts bytes; memory is handed out in rounded sizes, which must not wrap either.
  if (task.sort.uniform_length > std::size_t(std::numeric_limits<std::ptrdiff_t>::max()) / task.sort.key_bytes)
    throw usage_error("arrays of " + std::to_string(task.sort.uniform_length) + " keys: more bytes than can be addressed");
  std::optional<std::uint64_t> bytes = task.from->size();
  if (bytes) {
    *bytes -= std::min(*bytes, task.from->position());
    std::uint64_t const array = task.sort.uniform_length * task.sort.key_bytes;
    if (*bytes % array != 0) fail_within_array(*bytes / array);
    task.to->expect(*bytes);
  }
  stream_plan const plan = plan_stream(first, task, bytes, max_lanes);
  array_streamer<B> streamer(task, plan);
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t k = 1; k < plan.lanes; ++k) others.emplace_back([&, k] { streamer.run(k, with_lane); });
    } catch (...) {
      streamer.fail();  // a thread failed to start: stop the lanes, which would wait for its parts
    }
    streamer.run(0, [&](auto use) { use(first); });
  }
  return streamer.result();
}

}  // namespace ordo::inline v0::detail
