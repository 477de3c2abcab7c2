#include "tools/cli/output_folder.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::cli {

namespace fs = std::filesystem;

output_folder::output_folder(std::string const& path) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path at = path; !at.empty() && !fs::exists(at, error); at = at.parent_path()) missing.push_back(at);
  error.clear();
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path, error)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw output_error(fmt::format("cannot make the folder: {}: {}", path, error.message()));
  made_ = std::move(missing);
}

output_folder::~output_folder() {
  std::error_code ignored;  // it holds outputs
  for (fs::path const& folder : made_) fs::remove(folder, ignored);
}

std::size_t run_each(std::string_view tool, std::size_t count, std::function<void(std::size_t k)> const& task) {
  std::size_t failed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    try {
      task(k);
    } catch (output_error const&) {
      throw;
    } catch (...) {
      if (count == 1) throw;
      print_exception(tool);
      ++failed;
    }
  }
  if (failed != 0) say(tool, fmt::format("failed: {} of {} inputs", failed, count));
  return failed;
}

}  // namespace ordo::inline v0::cli
