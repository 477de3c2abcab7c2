#pragma once

namespace ordo::inline v0 {

/// Mark the begin and the end of work by oneTBB that this thread starts; within work there may be more. oneTBB's threads take
/// locks when work begins and ends, which would stay locked in a forked process. A fork therefore waits until no thread is at
/// work, but for a second at most: the thread that forks may hold what others wait for. Work that begins meanwhile waits for
/// the fork.
void begin_work() noexcept;
void end_work() noexcept;

/// A pause in the work of this thread, for the lifetime of the object: while it calls what may wait for a thread that forks.
class work_pause {
 public:
  work_pause() noexcept;
  ~work_pause();
  work_pause(work_pause const&) = delete;
  work_pause& operator=(work_pause const&) = delete;

 private:
  unsigned depth_;
};

}  // namespace ordo::inline v0
