#pragma once
// The one macro of the project: marks a function that may run on either machine.
#if defined(__CUDACC__)
#define ORDO_FN __host__ __device__
#else
#define ORDO_FN
#endif
