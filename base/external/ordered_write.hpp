#pragma once
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

// Parallel writing of merged items, in order.
namespace ordo::inline v0::external {

/// Returns the number of windows that write_windows() has at a time, by the threads of the current arena.
inline std::size_t num_windows() {
  constexpr std::size_t max_writers = 8;  // more are no faster
  return std::min<std::size_t>(std::size_t(tbb::this_task_arena::max_concurrency()), max_writers) + 1;
}

/// Writes windows, several at a time. Window objects are reused.
/// @param plan  plan(Window&) decides what a window holds, one after the other. Returns false if there is no more
/// @param fill  fill(Window&) loads a window, in parallel, and writes it if the sink is addressable
/// @param end   end(Window&) is called in the order of the plans, one after the other
template <class Window, class Plan, class Fill, class End>
void write_windows(Plan plan, Fill fill, End end) {
  std::size_t const count = num_windows();
  std::vector<Window> windows(count);
  std::vector<Window*> idle;
  for (Window& window : windows) idle.push_back(&window);
  std::mutex changing;
  auto const next = [&](tbb::flow_control& control) -> Window* {
    Window* window;
    {
      std::lock_guard const lock(changing);
      window = idle.back();
      idle.pop_back();
    }
    if (!plan(*window)) control.stop();
    return window;
  };
  auto const work = [&](Window* window) {
    fill(*window);
    return window;
  };
  auto const last = [&](Window* window) {
    end(*window);
    std::lock_guard const lock(changing);
    idle.push_back(window);
  };
  using tbb::filter_mode;
  // A thread that waits here may be inside of other work of the arena, which must not begin again.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_pipeline(count, tbb::make_filter<void, Window*>(filter_mode::serial_in_order, next) &
                                      tbb::make_filter<Window*, Window*>(filter_mode::parallel, work) &
                                      tbb::make_filter<Window*, void>(filter_mode::serial_in_order, last));
  });
}

}  // namespace ordo::inline v0::external
