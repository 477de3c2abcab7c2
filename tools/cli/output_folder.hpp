#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::inline v0::cli {

/// The folder of the outputs of a command that has one for each input. It is made if it is missing, and taken away again if it
/// stays empty.
class output_folder {
 public:
  /// @throws output_error
  explicit output_folder(std::string const& path);
  ~output_folder();
  output_folder(output_folder const&) = delete;
  output_folder& operator=(output_folder const&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // the innermost first
};

/// Calls task(k) for the inputs 0 to count - 1. If there are several, prints the message of each that fails and continues, and
/// prints the number of failures at the end. A failure to write ends the command.
/// @returns the number of inputs that failed
std::size_t run_each(std::string_view tool, std::size_t count, std::function<void(std::size_t k)> const& task);

}  // namespace ordo::inline v0::cli
