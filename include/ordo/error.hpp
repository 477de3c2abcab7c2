#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ordo {

/// Root of everything Ordo throws on purpose. what() reads "what: where: why".
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that cannot be (a flag, an argument, a device that is not there).
class usage_error : public error {
 public:
  using error::error;
};

/// An input that is missing, truncated or malformed. Names the file, and the line where there is one.
class input_error : public error {
 public:
  using error::error;
};

/// An output that could not be written whole.
class output_error : public error {
 public:
  using error::error;
};

/// A machine had not the memory. Carries the size that was asked for.
class out_of_memory : public error {
 public:
  out_of_memory(std::string const& what, std::size_t bytes) : error(what), bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
};

/// A GPU call or kernel failed. Names the call, the place and the device.
class device_error : public error {
 public:
  using error::error;
};

}  // namespace ordo
