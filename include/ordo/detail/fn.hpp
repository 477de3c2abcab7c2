#pragma once

#pragma GCC visibility push(default)
// Marks a function that may run on the CPU and on GPUs. The only macro of the project.
#if defined(__CUDACC__)
#define ORDO_FN __host__ __device__
#else
#define ORDO_FN
#endif
#pragma GCC visibility pop
