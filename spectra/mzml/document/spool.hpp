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

namespace ordo::inline v0::spectra::detail {

/// A store of text in a temporary file, until the text before it is known.
class spool {
 public:
  /// @param folder  the folder of the temporary file, which is made after a megabyte of text
  explicit spool(std::string folder) : folder_(std::move(folder)) {}

  /// Takes the next bytes. @throws output_error
  void put(std::string_view text);
  /// Calls output() with all text in its order, after which the store is empty.
  /// @throws input_error, output_error, and errors of output()
  void drain(std::function<void(std::string_view)> const& output);

 private:
  void write();

  std::string folder_;
  std::optional<temporary_file> file_;
  std::vector<char> buffer_;
  std::uint64_t written_ = 0;  // bytes, to the file
};

}  // namespace ordo::inline v0::spectra::detail
