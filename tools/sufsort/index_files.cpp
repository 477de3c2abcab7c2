#include "tools/sufsort/index_files.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/fastq.hpp"
#include "ordo/suffix/index.hpp"
#include "suffix/index/index_parts.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/staged_file.hpp"
#include "tools/cli/files/sync.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/sufsort/files/file_set.hpp"
#include "tools/sufsort/files/other_formats.hpp"

namespace ordo::inline v0::sufsort {
namespace {

namespace fs = std::filesystem;
using suffix::hidden_part;

constexpr char const* names[] = {"seq", "sa", "lcp", "bwt", "pieces", "kmers", "fm", "rlfm", "starts"};

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

void move_into_place(std::string const& from, std::string const& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  int const why = errno;  // such as a sticky folder, or a mount point
  if (copy_in_place(from, to) != 0)
    throw output_error(fmt::format("cannot write: {}: {}; the new content is in {}", to, std::strerror(why), from));
}

// Follows symbolic links to a place that need not exist.
std::string end_of_links(std::string const& path) {
  return cli::follow_links(path).value_or(path);
}

// Puts the names of these folders on the disk.
void sync_folders(std::vector<std::string> const& folders) {
  for (std::string const& folder : folders)
    if (int const error = cli::sync_folder(folder.c_str()))
      throw output_error(fmt::format("cannot write: {}: {}", folder, std::strerror(error)));
}

// Returns the folders of the files of an index, each once. Symbolic links may lead to several.
std::vector<std::string> find_folders(std::string const& prefix) {
  std::vector<std::string> folders{parent_folder(prefix)};
  for (std::string const& file : index_file_names(prefix))
    if (std::string folder = parent_folder(end_of_links(file)); std::ranges::find(folders, folder) == folders.end())
      folders.push_back(std::move(folder));
  return folders;
}

// Completes the exchange to the description with this checksum if it was interrupted.
void complete(std::string const& prefix, std::uint32_t sum) {
  std::string const mark = hidden_part(prefix, "json", sum);
  if (access(mark.c_str(), F_OK) != 0) return;
  suffix::mapped_file const json(prefix + ".json");
  auto const about = suffix::from_json({json.bytes().data(), json.bytes().size()}, prefix + ".json");
  std::vector<std::string> const folders = find_folders(prefix);
  sync_folders(folders);
  for (char const* const name : names) {
    std::string const part = hidden_part(prefix, name, sum), place = prefix + "." + name;
    if (access(part.c_str(), F_OK) == 0)
      move_into_place(end_of_links(part), end_of_links(place));
    else if (!about.find(name))
      remove_file(place);
    unlink(part.c_str());  // a link to what is in its place
  }
  sync_folders(folders);
  unlink(mark.c_str());
}

// Removes the hidden files of exchanges that ended before they moved their description. The caller holds the lock.
void remove_leftovers(std::string const& prefix) {
  // The standard library's iterator calls std::terminate() if it has no memory.
  std::unique_ptr<DIR, int (*)(DIR*)> const folder(opendir(parent_folder(prefix).c_str()), closedir);
  while (dirent const* const entry = folder ? readdir(folder.get()) : nullptr) {
    if (!suffix::is_hidden_part(prefix, entry->d_name)) continue;
    fs::path const part = fs::path(parent_folder(prefix)) / entry->d_name;
    if (fs::path const end = end_of_links(part); end != part && end.filename() == entry->d_name) unlink(end.c_str());
    unlink(part.c_str());
  }
}

// The place of a description that has not been moved yet.
std::string hidden_description(std::string const& prefix) {
  fs::path const place = end_of_links(prefix + ".json");
  return place.parent_path() / cli::hidden_name(place.filename());
}

// A symbolic link that leads readers to an array while it has a hidden name in another folder.
class hidden_link {
 public:
  hidden_link(std::string path, std::string const& to) : path_(std::move(path)), ticket_(cli::remember_temporary(path_)) {
    std::string const end = fs::absolute(to);
    unlink(path_.c_str());
    if (symlink(end.c_str(), path_.c_str()) != 0)
      throw output_error(fmt::format("cannot write: {}: {}", path_, std::strerror(errno)));
  }
  ~hidden_link() {
    if (ticket_) unlink(path_.c_str());
    keep();
  }
  hidden_link(hidden_link const&) = delete;
  hidden_link& operator=(hidden_link const&) = delete;

  void keep() noexcept {
    if (ticket_) cli::forget_temporary(std::exchange(ticket_, nullptr));
  }

 private:
  std::string path_;
  cli::temporary* ticket_;
};

std::string without_extension(std::string const& path) {
  std::size_t const dot = path.rfind('.'), slash = path.rfind('/');
  bool const has_one = dot != path.npos && dot != 0 && (slash == path.npos || dot > slash + 1);
  return has_one ? path.substr(0, dot) : path;
}

/// Returns the first bytes of a file, plain or compressed; nothing if it cannot be read.
std::string read_front(std::string const& path) try {
  cli::input in(path, 1);
  return std::string(in.front(4096));
} catch (error const&) {
  return {};
}

}  // namespace

void exchange_index(std::string const& prefix, std::string_view description, cli::output& json,
                    std::vector<std::pair<std::string, cli::output*>> const& arrays, std::vector<std::string> const& unwanted,
                    std::optional<std::uint32_t> expected_sum) {
  std::uint32_t const sum = suffix::compute_crc32(description, 1);
  folder_lock const lock(parent_folder(prefix));
  auto const before = sum_of_description(prefix);
  if (expected_sum && expected_sum != before)
    throw output_error(fmt::format("cannot write: {}.json: the index was replaced meanwhile", prefix));
  if (before) complete(prefix, *before);
  remove_leftovers(prefix);
  cli::held_signals const held;
  // If an index is replaced, each step is on the disk before the next one begins: the power may fail in between. A new index
  // reaches the disk when the system writes it back, as any new file.
  std::vector<std::string> const folders = before ? find_folders(prefix) : std::vector<std::string>();
  if (before)
    for (auto const& [name, array] : arrays) {
      array->finish();
      if (int const error = cli::sync_file(array->staged().c_str()))
        throw output_error(fmt::format("cannot write: {}: {}", array->name(), std::strerror(error)));
    }
  // The description has its name first: where it is, there may be other hidden files.
  json.assign_name(fs::path(hidden_description(prefix)).filename());
  std::deque<hidden_link> links;
  // An exchange that has begun needs no memory.
  std::vector<std::string> parts(arrays.size()), places, hidden, removed;
  for (auto const& [name, array] : arrays) {
    hidden.push_back(hidden_part(prefix, name, sum));
    places.push_back(array->target());
    fs::path const name_of_part = fs::path(hidden.back()).filename();
    // The link is there before the file to which it leads, so that no such file is forgotten.
    std::string const folder = parent_folder(places.back());
    if (std::error_code none; !fs::equivalent(folder, parent_folder(prefix), none))
      links.emplace_back(hidden.back(), fs::path(folder) / name_of_part);
    array->assign_name(name_of_part);
  }
  for (std::string const& name : unwanted) removed.push_back(prefix + "." + name);
  std::string const mark = hidden_part(prefix, "json", sum);
  int const made = open(mark.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) throw output_error(fmt::format("cannot write: {}: {}", mark, std::strerror(errno)));
  close(made);
  try {
    sync_folders(folders);
    json.commit();
  } catch (...) {
    unlink(mark.c_str());
    throw;
  }
  // From here on the new index is valid: nothing of it is removed, whatever fails.
  for (std::size_t k = 0; k < arrays.size(); ++k) parts[k] = arrays[k].second->release();
  for (hidden_link& link : links) link.keep();
  sync_folders(folders);
  for (std::size_t k = 0; k < arrays.size(); ++k) move_into_place(parts[k], places[k]);
  if (!links.empty())
    for (std::string const& path : hidden) unlink(path.c_str());
  for (std::string const& path : removed) remove_file(path);
  sync_folders(folders);
  unlink(mark.c_str());
}

void recover_index(std::string const& prefix) try {
  auto const is_there = [](std::string const& path) { return access(path.c_str(), F_OK) == 0; };
  auto const is_interrupted = [&](std::optional<std::uint32_t> sum) {
    return (sum && is_there(hidden_part(prefix, "json", *sum))) || is_there(hidden_description(prefix));
  };
  if (!is_interrupted(sum_of_description(prefix)) || access(parent_folder(prefix).c_str(), W_OK) != 0) return;
  folder_lock const lock(parent_folder(prefix), false);
  if (!lock.is_locked()) return;  // another process works on it
  auto const sum = sum_of_description(prefix);
  if (!is_interrupted(sum)) return;
  cli::held_signals const held;
  if (sum) complete(prefix, *sum);
  remove_leftovers(prefix);
  unlink(hidden_description(prefix).c_str());
} catch (error const&) {  // readers find the files by their hidden names
}

std::optional<std::uint32_t> sum_of_description(std::string const& prefix) try {
  suffix::mapped_file const json(prefix + ".json");
  return suffix::compute_crc32(json.bytes(), 1);
} catch (input_error const&) {
  return std::nullopt;
}

std::vector<std::string> index_file_names(std::string const& prefix) {
  std::vector<std::string> files;
  files.push_back(prefix + ".json");
  for (char const* const name : names) files.push_back(prefix + "." + name);
  return files;
}

void expect_index(std::string const& prefix, bool for_duplicates) {
  struct stat info {};
  if (stat((prefix + ".json").c_str(), &info) == 0 || stat(prefix.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  auto const refuse = [&](std::string_view problem, std::string const& advice) {
    throw input_error(fmt::format("no index: {}: {}: {}", prefix, problem, advice));
  };
  std::string stem = without_extension(prefix);
  auto const exists = [&](char const* extension) { return stat((stem + extension).c_str(), &info) == 0; };
  for (std::string const& file : index_file_names(stem))
    if (file == prefix && exists(".json") && exists(".sa"))
      refuse("it is a file of an index", fmt::format("its prefix is {}", stem));
  for (std::string_view const compressed : {".gz", ".bgz", ".bz2", ".xz", ".zst"})
    if (prefix.ends_with(compressed)) stem = without_extension(stem);
  auto const named = suffix::named_format(prefix);
  std::string const front = named ? std::string() : read_front(prefix);
  auto const format = named ? named : suffix::recognized_format(prefix, front);
  std::string const build = fmt::format("sufsort build {} -o {}", prefix, stem);
  using enum suffix::input_format;
  if (format == fasta || (!format && suffix::is_fastq(front)))
    refuse(format == fasta ? "it is FASTA" : "it is FASTQ", fmt::format("build an index of it first: {}", build));
  if (format)
    refuse(*format == jsonl ? "it is JSONL" : "it is a file of tokens",
           fmt::format("build an index of it first: {}{}", build, for_duplicates ? " --text-only" : ""));
  if (auto const other = detect_other_format(prefix, front))
    refuse(fmt::format("it is {}, and no index", other->name), std::string(other->advice));
  refuse(fmt::format("there is no {}.json", prefix),
         fmt::format("of text, {} --format=lines{} makes an index", build, for_duplicates ? " --text-only" : ""));
}

void expect_prefix(std::string const& prefix) {
  if (prefix.empty() || prefix.ends_with('/'))
    throw usage_error(fmt::format("invalid prefix: --output: '{}' cannot begin the name of a file", prefix));
}

void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs) {
  for (std::string const& file : index_file_names(prefix))
    for (std::string const& input : inputs)
      if (auto const id = cli::find_file_id(input); id && id == cli::find_file_id(file))
        throw output_error(fmt::format("cannot write: {}: it is the same file as the input {}", file, input));
}

void refuse_stdout(std::string const& prefix) {
  struct stat info {};
  if (fstat(STDOUT_FILENO, &info) != 0) return;
  for (std::string const& file : index_file_names(prefix))
    if (auto const id = cli::find_file_id(info); id && id == cli::find_file_id(file))
      throw output_error(fmt::format("cannot write: standard output: input file is output file: {}", file));
}

void refuse_output(std::string const& prefix, cli::output const& out) {
  for (std::string const& file : index_file_names(prefix))
    if (out.is_file(file)) throw output_error(fmt::format("cannot write: {}: it belongs to the index that is read", file));
}

std::string resolve_input(suffix::stored_index const& index, std::string const& name) {
  if (fs::path(name).is_absolute() || access(name.c_str(), F_OK) == 0) return name;
  std::string const beside = fs::path(parent_folder(index.path("json"))) / name;
  return access(beside.c_str(), F_OK) == 0 ? beside : name;
}

void refuse_sources(suffix::stored_index const& index, cli::output const& out) {
  for (suffix::input_file const& file : index.description().files)
    for (std::string const& path : {file.name, resolve_input(index, file.name)})
      if (file.name != "standard input" && access(path.c_str(), F_OK) == 0 && out.is_file(path))
        throw output_error(fmt::format("cannot write: {}: the index {} was made of it", out.name(), index.path("json")));
}

index_writer::index_writer(std::string prefix, std::vector<std::string_view> const& arrays)
    : prefix_(std::move(prefix)), json_(prefix_ + ".json", cli::output::replacing::by_rename) {
  for (char const* const name : names) {
    if (std::ranges::find(arrays, name) == arrays.end()) {
      unwanted_.emplace_back(name);
      continue;
    }
    names_.emplace_back(name);
    arrays_.emplace_back(path(name), cli::output::replacing::by_rename);
    sums_.emplace_back(arrays_.back());
  }
  finished_.resize(names_.size());
}

std::size_t index_writer::array_number(std::string const& name) const {
  return std::size_t(std::ranges::find(names_, name) - names_.begin());
}

bool index_writer::is_discarded(std::size_t array) const {
  return std::ranges::find(unwanted_, names_[array]) != unwanted_.end();
}

sink* index_writer::to(std::string const& name) {
  std::size_t const array = array_number(name);
  return array == names_.size() ? nullptr : &sums_[array];
}

void index_writer::add_part(std::string const& name, std::uint64_t offset, suffix::index_array const& part) {
  std::size_t const array = array_number(name);
  sums_[array].add_part(offset, part);
  arrays_[array].count_others(part.bytes);
}

void index_writer::finish(std::size_t array) {
  if (!finished_[array]) arrays_[array].finish();
  finished_[array] = true;
}

suffix::mapped_file index_writer::completed(std::string const& name) {
  std::size_t const array = array_number(name);
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

void index_writer::commit(suffix::index_description const& about, std::optional<std::uint32_t> expected_sum) {
  std::string const description = suffix::to_json(about);
  json_.write(std::string_view(description));
  std::vector<std::pair<std::string, cli::output*>> arrays;
  for (std::size_t array = 0; array < arrays_.size(); ++array) {
    if (is_discarded(array)) continue;
    finish(array);
    arrays.emplace_back(names_[array], &arrays_[array]);
  }
  json_.finish();
  exchange_index(prefix_, description, json_, arrays, unwanted_, expected_sum);
}

}  // namespace ordo::inline v0::sufsort
