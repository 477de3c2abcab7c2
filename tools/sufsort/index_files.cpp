#include "tools/sufsort/index_files.hpp"

#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tools/cli/file_id.hpp"
#include "tools/cli/input.hpp"

namespace ordo::sufsort {
namespace {

std::string without_extension(std::string const& path) {
  std::size_t const dot = path.rfind('.'), slash = path.rfind('/');
  bool const has_one = dot != path.npos && dot != 0 && (slash == path.npos || dot > slash + 1);
  return has_one ? path.substr(0, dot) : path;
}

/// The first character of a file, plain or compressed, that is neither blank nor of a byte order mark; NUL where there is none.
char first_printed(std::string const& path) try {
  cli::input in(path, 1);
  std::string_view text = in.front(4096);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::size_t const at = text.find_first_not_of(" \t\r\n\v\f");
  return at == text.npos ? '\0' : text[at];
} catch (error const&) {
  return '\0';
}

}  // namespace

std::vector<std::string> files_of(std::string const& prefix) {
  std::vector<std::string> files;
  for (char const* name : {"json", "seq", "sa", "lcp", "bwt", "kmers", "pieces"}) files.push_back(prefix + "." + name);
  return files;
}

void expect_index(std::string const& prefix) {
  struct stat info {};
  if (stat((prefix + ".json").c_str(), &info) == 0 || stat(prefix.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  auto const refuse = [&](std::string_view what, std::string const& how) {
    throw input_error(fmt::format("no index: {}: {}: {}", prefix, what, how));
  };
  std::string stem = without_extension(prefix);
  auto const exists = [&](char const* extension) { return stat((stem + extension).c_str(), &info) == 0; };
  for (std::string const& file : files_of(stem))
    if (file == prefix && exists(".json") && exists(".sa"))
      refuse("it is a file of an index", fmt::format("its prefix is {}", stem));
  char const first = first_printed(prefix);
  if (first != '>' && first != ';')
    refuse(first == '@' ? std::string("it is FASTQ") : fmt::format("there is no {}.json", prefix),
           "sufsort build FASTA -o PREFIX makes an index of FASTA files");
  for (std::string_view const compressed : {".gz", ".bgz", ".bz2", ".xz", ".zst"})
    if (prefix.ends_with(compressed)) stem = without_extension(stem);
  refuse("it is FASTA", fmt::format("build an index of it first: sufsort build {} -o {}", prefix, stem));
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
