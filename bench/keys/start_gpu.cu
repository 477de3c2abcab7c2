#include <cstdio>

#include <cuda_runtime.h>

// Does nothing but start CUDA: the least that any command takes on a GPU.
int main() {
  cudaError_t const status = cudaFree(nullptr);
  if (status != cudaSuccess) std::fprintf(stderr, "start_gpu: %s\n", cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 2;
}
