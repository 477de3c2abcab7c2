#include "base/processes/fork_delay.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <pthread.h>

namespace ordo::inline v0 {
namespace {

using namespace std::chrono_literals;

constexpr auto poll = 50us, max_delay = 1000000us;
/// The time in which oneTBB's threads find no more work, and sleep.
constexpr auto settling = 2ms;

std::atomic<unsigned> at_work = 0;  // threads
std::atomic<unsigned> forking = 0;  // threads
std::atomic<bool> has_worked = false;
thread_local unsigned depth = 0;  // calls that this thread is in

unsigned of_this_thread() {
  return depth != 0 ? 1 : 0;
}

void before_fork() {
  ++forking;
  for (auto waited = 0us; at_work > of_this_thread() && waited < max_delay; waited += poll) std::this_thread::sleep_for(poll);
  if (has_worked.exchange(false)) std::this_thread::sleep_for(settling);
}
void after_fork_in_parent() {
  --forking;
}
void after_fork_in_child() {
  at_work = of_this_thread();
  forking = 0;
}

/// Counts this thread among those at work, after a fork that is under way.
void enter() noexcept {
  for (++at_work; forking != 0; ++at_work) {  // either this thread sees the fork, or the fork this thread
    --at_work;
    while (forking != 0) std::this_thread::sleep_for(poll);
  }
}

}  // namespace

void begin_work() noexcept {
  static int const registered = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  static_cast<void>(registered);
  if (depth++ == 0) enter();
}

void end_work() noexcept {
  if (--depth != 0) return;
  has_worked = true;
  --at_work;
}

work_pause::work_pause() noexcept : depth_(std::exchange(depth, 0)) {
  if (depth_ == 0) return;
  has_worked = true;
  --at_work;
}

work_pause::~work_pause() {
  if (depth_ != 0) enter();
  depth = depth_;
}

}  // namespace ordo::inline v0
