#pragma once

namespace ordo {

/// The size of a tbb::task_arena for who wants so many threads, 0 being all there are; and oneTBB started, which has to be
/// before anything is run in an arena. No more threads than the process may use: they would only take turns, and oneTBB would
/// complain on stderr. With a limit on the address space (ulimit -v) one for each 128 MiB of it, at least one.
/// @throws std::bad_alloc
int threads_for(unsigned wanted);

}  // namespace ordo
