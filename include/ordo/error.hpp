#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

/// The base of all exceptions that Ordo throws on purpose. what() reads "what: where: why".
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument, option or device that cannot be used.
class usage_error : public error {
 public:
  using error::error;
};

/// An input that is missing, truncated or malformed. The message names the file, and the line if there is one.
class input_error : public error {
 public:
  using error::error;
};

/// An output that could not be written completely.
class output_error : public error {
 public:
  using error::error;
};

/// A machine ran out of memory. bytes() returns the size of the request that failed.
class out_of_memory : public error {
 public:
  out_of_memory(std::string const& message, std::size_t bytes) : error(message), bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
};

/// A CUDA call or kernel failed. The message names the call, the source line and the device.
class device_error : public error {
 public:
  using error::error;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
