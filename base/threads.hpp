#pragma once

namespace ordo {

/// Returns the size of a tbb::task_arena for `wanted` threads, 0 for all, and starts oneTBB, which is necessary before work in
/// an arena. Returns no more threads than the process may use, because they would only wait for each other, and oneTBB would
/// print a warning. With a limit on the address space (ulimit -v) it is one thread for each 128 MiB, at least one.
/// @throws std::bad_alloc
int threads_for(unsigned wanted);

}  // namespace ordo
