#pragma once
#include <stdexcept>

// A stand-in for the header of PyTorch.
namespace c10 {
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct OutOfMemoryError : Error {
  using Error::Error;
};
}  // namespace c10
