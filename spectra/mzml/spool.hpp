#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temporary_file.hpp"

namespace ordo::spectra::detail {

/// Text that is put aside in a temporary file, until it is known what stands before it.
class spool {
 public:
  /// @param folder  of the temporary file, which there is once there is a megabyte
  explicit spool(std::string folder) : folder_(std::move(folder)) {}

  /// Takes the next bytes. @throws output_error
  void put(std::string_view text);
  /// Hands on all bytes in their order, and is empty again. @throws input_error, output_error and what `to` throws
  void drain(std::function<void(std::string_view)> const& to);

 private:
  void write();

  std::string folder_;
  std::optional<temporary_file> file_;
  std::vector<char> buffer_;
  std::uint64_t written_ = 0;  // to the file
};

}  // namespace ordo::spectra::detail
