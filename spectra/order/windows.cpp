#include "spectra/order/windows.hpp"

#include <algorithm>
#include <mutex>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "ordo/memory.hpp"

namespace ordo::spectra::detail {
namespace {

host_memory plain;

void load(ordered_spectra const& from, order_window& one) {
  if (one.text.size() < one.bytes) one.text = buffer<char>(plain, std::size_t(one.bytes));
  std::copy(one.front.begin(), one.front.end(), one.text.data());
  from.load(one.all, one.text.data() + one.front.size());
  if (one.addressed) one.to->write_at(one.at, one.text.span().first(std::size_t(one.bytes)));
}

}  // namespace

std::size_t windows_at_a_time() {
  constexpr std::size_t most_writers = 8;  // more are no faster
  return std::min<std::size_t>(std::size_t(tbb::this_task_arena::max_concurrency()), most_writers) + 1;
}

void write_windows(ordered_spectra const& from, std::function<bool(order_window&)> const& plan,
                   std::function<void(order_window&)> const& end) {
  std::size_t const count = windows_at_a_time();
  std::vector<order_window> windows(count);
  std::vector<order_window*> idle;
  for (order_window& one : windows) idle.push_back(&one);
  std::mutex changing;
  auto const next = [&](tbb::flow_control& control) -> order_window* {
    order_window* one;
    {
      std::lock_guard const lock(changing);
      one = idle.back();
      idle.pop_back();
    }
    one->clear();
    if (!plan(*one)) control.stop();
    return one;
  };
  auto const work = [&](order_window* one) {
    load(from, *one);
    return one;
  };
  auto const last = [&](order_window* one) {
    if (!one->addressed) one->to->write(one->text.span().first(std::size_t(one->bytes)));
    end(*one);
    std::lock_guard const lock(changing);
    idle.push_back(one);
  };
  using tbb::filter_mode;
  // Whoever waits here may be in the midst of other work of the arena, which must not be begun anew.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_pipeline(count, tbb::make_filter<void, order_window*>(filter_mode::serial_in_order, next) &
                                      tbb::make_filter<order_window*, order_window*>(filter_mode::parallel, work) &
                                      tbb::make_filter<order_window*, void>(filter_mode::serial_in_order, last));
  });
}

}  // namespace ordo::spectra::detail
