#include "tools/sufsort/index_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tools/cli/file_id.hpp"

namespace ordo::sufsort {

std::vector<std::string> files_of(std::string const& prefix) {
  std::vector<std::string> files;
  for (char const* name : {"json", "seq", "sa", "lcp", "bwt", "kmers", "pieces"}) files.push_back(prefix + "." + name);
  return files;
}

void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs) {
  for (std::string const& file : files_of(prefix))
    for (std::string const& input : inputs)
      if (auto const id = cli::id_of(input); id && id == cli::id_of(file))
        throw output_error(fmt::format("cannot write: {}: it is the same file as the input {}", file, input));
}

void refuse_stdout(std::string const& prefix) {
  struct stat info {};
  if (fstat(STDOUT_FILENO, &info) != 0) return;
  for (std::string const& file : files_of(prefix))
    if (auto const id = cli::id_of(info); id && id == cli::id_of(file))
      throw output_error(fmt::format("cannot write: standard output: input file is output file: {}", file));
}

void refuse_output(std::string const& prefix, cli::output const& out) {
  for (std::string const& file : files_of(prefix))
    if (out.is_file(file)) throw output_error(fmt::format("cannot write: {}: it belongs to the index that is read", file));
}

}  // namespace ordo::sufsort
