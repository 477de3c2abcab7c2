#pragma once

namespace ordo {

/// Starts oneTBB, which must precede any use of an arena, and returns the size of a tbb::task_arena for `wanted` threads; 0
/// means all. The result is at most the number of threads that the process may use, because more would only take turns and make
/// oneTBB print a warning. If address space is limited (ulimit -v), it is one thread per 128 MiB, at least one.
/// @throws std::bad_alloc
int threads_for(unsigned wanted);

}  // namespace ordo
