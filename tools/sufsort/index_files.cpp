#include "tools/sufsort/index_files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/raw_file.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::inline v0::sufsort {
namespace {

namespace fs = std::filesystem;
using suffix::hidden_part;

constexpr char const* names[] = {"seq", "sa", "lcp", "bwt", "kmers", "fm", "pieces", "starts"};

fs::path folder_of(std::string const& prefix) {
  fs::path const folder = fs::path(prefix).parent_path();
  return folder.empty() ? "." : folder;
}

// Locks a folder for one exchange at a time, if its file system has locks. The end of a process releases its lock.
class folder_lock {
 public:
  explicit folder_lock(std::string const& prefix) : fd_(open(folder_of(prefix).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {}
  }
  ~folder_lock() {
    if (fd_ >= 0) close(fd_);
  }
  folder_lock(folder_lock const&) = delete;
  folder_lock& operator=(folder_lock const&) = delete;

 private:
  int fd_;
};

// Removes a regular file or the target of a symbolic link, which stays, as when a file is replaced. Empties the file if nothing
// can be removed from the folder. Needs no memory, since it completes what has begun.
void remove_file(std::string const& path) {
  char file[PATH_MAX];
  struct stat info {};
  if (!realpath(path.c_str(), file) || stat(file, &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return;
  } else if (!S_ISREG(info.st_mode) || unlink(file) == 0 || truncate(file, 0) == 0) {
    return;
  }
  throw output_error(fmt::format("cannot remove: {}: {}", path, std::strerror(errno)));
}

// Copies a file over another one, then removes it. Readers find it until then.
int copy_in_place(std::string const& from, std::string const& to) {
  struct stat whole {};
  int const in = open(from.c_str(), O_RDONLY | O_CLOEXEC), out = open(to.c_str(), O_WRONLY | O_CLOEXEC);
  int error = in < 0 || out < 0 || fstat(in, &whole) != 0 ? errno : cli::copy_bytes(in, out, whole.st_size);
  if (error == 0 && (ftruncate(out, whole.st_size) != 0 || fsync(out) != 0)) error = errno;
  for (int const fd : {in, out})
    if (fd >= 0) close(fd);
  if (error == 0) unlink(from.c_str());
  return error;
}

void put_in_place(std::string const& from, std::string const& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  int const why = errno;  // such as a sticky folder
  if (copy_in_place(from, to) != 0)
    throw output_error(fmt::format("cannot write: {}: {}; the new content is in {}", to, std::strerror(why), from));
}

// Completes the exchange to the description with this checksum if it was interrupted.
void complete(std::string const& prefix, std::uint32_t sum) {
  std::string const mark = hidden_part(prefix, "json", sum);
  if (access(mark.c_str(), F_OK) != 0) return;
  suffix::mapped_file const json(prefix + ".json");
  auto const about = suffix::from_json({json.bytes().data(), json.bytes().size()}, prefix + ".json");
  for (char const* const name : names) {
    if (std::string const part = hidden_part(prefix, name, sum); access(part.c_str(), F_OK) == 0)
      put_in_place(part, prefix + "." + name);
    else if (!about.find(name))
      remove_file(prefix + "." + name);
  }
  unlink(mark.c_str());
}

// Removes the hidden files of exchanges that ended before they moved their description. The caller holds the lock.
void remove_leftovers(std::string const& prefix) {
  // The standard library's iterator calls std::terminate() if it has no memory.
  std::unique_ptr<DIR, int (*)(DIR*)> const folder(opendir(folder_of(prefix).c_str()), closedir);
  while (dirent const* const entry = folder ? readdir(folder.get()) : nullptr)
    if (suffix::is_hidden_part(prefix, entry->d_name)) unlinkat(dirfd(folder.get()), entry->d_name, 0);
}

std::string without_extension(std::string const& path) {
  std::size_t const dot = path.rfind('.'), slash = path.rfind('/');
  bool const has_one = dot != path.npos && dot != 0 && (slash == path.npos || dot > slash + 1);
  return has_one ? path.substr(0, dot) : path;
}

/// Returns the first character of a file, plain or compressed, behind blanks and a byte order mark; NUL if there is none.
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

void exchange_index(std::string const& prefix, std::string_view description, cli::output& json,
                    std::vector<std::pair<std::string, cli::output*>> const& arrays, std::vector<std::string> const& unwanted,
                    std::optional<std::uint32_t> made_of) {
  std::uint32_t const sum = suffix::crc32_of(description, 1);
  folder_lock const lock(prefix);
  auto const before = sum_of_description(prefix);
  if (made_of && made_of != before)
    throw output_error(fmt::format("cannot write: {}.json: the index was replaced meanwhile", prefix));
  if (before) complete(prefix, *before);
  remove_leftovers(prefix);
  cli::held_signals const held;
  bool const replaces_links = json.target() != prefix + ".json" || std::ranges::any_of(arrays, [&](auto const& array) {
                                return array.second->target() != prefix + "." + array.first;
                              });
  // The next exchange uses the same name of the description, even if this one fails.
  bool const in_one_step = !replaces_links &&
                           json.take_name(fmt::format(".{}.json.ordo.tmp", fs::path(prefix).filename().string())) &&
                           std::ranges::all_of(arrays, [&](auto const& array) {
                             return array.second->take_name(fs::path(hidden_part(prefix, array.first, sum)).filename());
                           });
  if (!in_one_step) {
    json.withdraw_old();
    for (std::string const& name : unwanted) remove_file(prefix + "." + name);
    for (auto const& [name, array] : arrays) array->commit();
    json.commit();
    return;
  }
  std::string const mark = hidden_part(prefix, "json", sum);
  // An exchange that has begun needs no memory.
  std::vector<std::string> parts(arrays.size()), places, removed;
  for (auto const& [name, array] : arrays) places.push_back(prefix + "." + name);
  for (std::string const& name : unwanted) removed.push_back(prefix + "." + name);
  int const made = open(mark.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) throw output_error(fmt::format("cannot write: {}: {}", mark, std::strerror(errno)));
  close(made);
  try {
    json.commit();
  } catch (...) {
    unlink(mark.c_str());
    throw;
  }
  // From here on the new index is valid: nothing of it is removed, whatever fails.
  for (std::size_t k = 0; k < arrays.size(); ++k) parts[k] = arrays[k].second->release();
  for (std::size_t k = 0; k < arrays.size(); ++k) put_in_place(parts[k], places[k]);
  for (std::string const& path : removed) remove_file(path);
  unlink(mark.c_str());
}

std::optional<std::uint32_t> sum_of_description(std::string const& prefix) try {
  suffix::mapped_file const json(prefix + ".json");
  return suffix::crc32_of(json.bytes(), 1);
} catch (input_error const&) {
  return std::nullopt;
}

std::vector<std::string> files_of(std::string const& prefix) {
  std::vector<std::string> files;
  files.push_back(prefix + ".json");
  for (char const* const name : names) files.push_back(prefix + "." + name);
  return files;
}

void expect_index(std::string const& prefix) {
  struct stat info {};
  if (stat((prefix + ".json").c_str(), &info) == 0 || stat(prefix.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  auto const refuse = [&](std::string_view what, std::string const& advice) {
    throw input_error(fmt::format("no index: {}: {}: {}", prefix, what, advice));
  };
  std::string stem = without_extension(prefix);
  auto const exists = [&](char const* extension) { return stat((stem + extension).c_str(), &info) == 0; };
  for (std::string const& file : files_of(stem))
    if (file == prefix && exists(".json") && exists(".sa"))
      refuse("it is a file of an index", fmt::format("its prefix is {}", stem));
  char const first = first_printed(prefix);
  if (first != '>' && first != ';' && first != '@')
    refuse(fmt::format("there is no {}.json", prefix), "sufsort build FASTA -o PREFIX makes an index of FASTA files");
  for (std::string_view const compressed : {".gz", ".bgz", ".bz2", ".xz", ".zst"})
    if (prefix.ends_with(compressed)) stem = without_extension(stem);
  refuse(first == '@' ? "it is FASTQ" : "it is FASTA",
         fmt::format("build an index of it first: sufsort build {} -o {}", prefix, stem));
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

index_writer::index_writer(std::string prefix, suffix::extra_arrays what, bool sa, bool pieces, bool kmers, bool fm,
                           bool starts)
    : prefix_(std::move(prefix)), json_(prefix_ + ".json", cli::output::hard_links::replace) {
  for (auto const& [name, wanted] :
       {std::pair("seq", true), std::pair("sa", sa), std::pair("lcp", what.lcp), std::pair("bwt", what.bwt),
        std::pair("pieces", pieces), std::pair("kmers", kmers), std::pair("fm", fm), std::pair("starts", starts)}) {
    if (!wanted) {
      unwanted_.emplace_back(name);
      continue;
    }
    names_.emplace_back(name);
    arrays_.emplace_back(path(name), cli::output::hard_links::replace);
    sums_.emplace_back(arrays_.back());
  }
  finished_.resize(names_.size());
}

std::size_t index_writer::number_of(std::string const& name) const {
  return std::size_t(std::ranges::find(names_, name) - names_.begin());
}

bool index_writer::is_discarded(std::size_t array) const {
  return std::ranges::find(unwanted_, names_[array]) != unwanted_.end();
}

sink* index_writer::to(std::string const& name) {
  std::size_t const array = number_of(name);
  return array == names_.size() ? nullptr : &sums_[array];
}

void index_writer::add_part(std::string const& name, std::uint64_t offset, suffix::index_array const& part) {
  std::size_t const array = number_of(name);
  sums_[array].add_part(offset, part);
  arrays_[array].count_others(part.bytes);
}

void index_writer::finish(std::size_t array) {
  if (!finished_[array]) arrays_[array].finish();
  finished_[array] = true;
}

suffix::mapped_file index_writer::completed(std::string const& name) {
  std::size_t const array = number_of(name);
  finish(array);
  std::string const& file = arrays_[array].staged();
  if (file.empty()) throw input_error(fmt::format("cannot read: {}: no regular file", path(name)));
  return suffix::mapped_file(file);
}

void index_writer::discard(std::string const& name) {
  unwanted_.push_back(name);
}

std::vector<suffix::index_array> index_writer::written() const {
  std::vector<suffix::index_array> all;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!is_discarded(i)) all.push_back(sums_[i].of(names_[i]));
  return all;
}

void index_writer::commit(suffix::index_description const& about, std::optional<std::uint32_t> made_of) {
  std::string const description = suffix::to_json(about);
  json_.write(std::string_view(description));
  std::vector<std::pair<std::string, cli::output*>> arrays;
  for (std::size_t array = 0; array < arrays_.size(); ++array) {
    if (is_discarded(array)) continue;
    finish(array);
    arrays.emplace_back(names_[array], &arrays_[array]);
  }
  json_.finish();
  exchange_index(prefix_, description, json_, arrays, unwanted_, made_of);
}

}  // namespace ordo::inline v0::sufsort
