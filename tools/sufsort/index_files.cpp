#include "tools/sufsort/index_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
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
std::vector<std::string> find_folders(std::string const& prefix, std::size_t parts) {
  std::vector<std::string> folders{parent_folder(prefix)};
  for (std::string const& file : index_file_names(prefix, parts))
    if (std::string folder = parent_folder(end_of_links(file)); std::ranges::find(folders, folder) == folders.end())
      folders.push_back(std::move(folder));
  return folders;
}

bool is_there(std::string const& path) {
  return access(path.c_str(), F_OK) == 0;
}

// Returns the number of parts of the suffix array of a description.
std::size_t count_parts(suffix::index_description const& about) {
  suffix::index_array const* const sa = about.find("sa");
  return sa ? sa->parts.size() : 0;
}

// Returns the same of a description in JSON. Most have no parts, and some are too long to be parsed for nothing.
std::size_t count_parts(std::string_view json, std::string const& name) {
  return json.find("\"parts\"") == json.npos ? 0 : count_parts(suffix::from_json(json, name));
}

// Returns the same of the index that is there; 0 if there is none, or no description of one. Throws if it cannot be read: its
// parts would be left.
std::size_t count_old_parts(std::string const& prefix) {
  std::string const file = prefix + ".json";
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 && errno == ENOENT) return 0;
  suffix::mapped_file const json(file);
  try {
    return count_parts({json.bytes().data(), json.bytes().size()}, file);
  } catch (input_error const&) {
    return 0;
  }
}

// Creates the mark of an exchange. @param old_parts  the parts of the old suffix array @param sync  it must survive lost power
void create_mark(std::string const& mark, std::size_t old_parts, bool sync) {
  auto const fail = [&] { throw output_error(fmt::format("cannot write: {}: {}", mark, std::strerror(errno))); };
  int const fd = open(mark.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail();
  std::string text = old_parts == 0 ? std::string() : std::to_string(old_parts);
  bool const is_synced = sync && !text.empty();
  int error = 0;
  while (!text.empty() && error == 0) {
    ssize_t const done = write(fd, text.data(), text.size());
    if (done < 0 && errno != EINTR) error = errno;
    if (done > 0) text.erase(0, std::size_t(done));
  }
  // Some file systems have no fsync.
  if (error == 0 && is_synced && fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) error = errno;
  close(fd);
  if (error == 0) return;
  unlink(mark.c_str());
  errno = error;
  fail();
}

// Reads the number of old parts from the mark of an exchange.
std::size_t read_mark(std::string const& mark) {
  suffix::mapped_file const file(mark);
  std::size_t parts = 0;
  std::from_chars(file.bytes().data(), file.bytes().data() + file.bytes().size(), parts);
  return std::min(parts, suffix::max_parts);
}

// Completes the exchange to the description with this checksum if it was interrupted.
void complete(std::string const& prefix, std::uint32_t sum) {
  std::string const mark = hidden_part(prefix, "json", sum);
  if (!is_there(mark)) return;
  suffix::mapped_file const json(prefix + ".json");
  auto const about = suffix::from_json({json.bytes().data(), json.bytes().size()}, prefix + ".json");
  std::size_t const parts = count_parts(about), old_parts = read_mark(mark);
  std::vector<std::string> const folders = find_folders(prefix, std::max(parts, old_parts));
  sync_folders(folders);
  auto const put = [&](std::string const& name, bool is_wanted) {
    std::string const part = hidden_part(prefix, name, sum), place = prefix + "." + name;
    if (is_there(part))
      move_into_place(end_of_links(part), end_of_links(place));
    else if (!is_wanted)
      remove_file(place);
    unlink(part.c_str());  // a link to what is in its place
  };
  for (char const* const name : names) put(name, about.find(name) && (parts == 0 || name != std::string_view("sa")));
  for (std::size_t k = 1; k <= std::max(parts, old_parts); ++k) put(suffix::name_of_part("sa", k), k <= parts);
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
  std::size_t const old_parts = count_old_parts(prefix), parts = count_parts(description, prefix + ".json");
  std::vector<std::string> const folders =
      before ? find_folders(prefix, std::max(parts, old_parts)) : std::vector<std::string>();
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
  std::vector<std::string> staged(arrays.size()), places, hidden, removed;
  for (auto const& [name, array] : arrays) {
    hidden.push_back(hidden_part(prefix, name, sum));
    places.push_back(array->target());
    fs::path const hidden_name = fs::path(hidden.back()).filename();
    // The link is there before the file to which it leads, so that no such file is forgotten.
    std::string const folder = parent_folder(places.back());
    if (std::error_code none; !fs::equivalent(folder, parent_folder(prefix), none))
      links.emplace_back(hidden.back(), fs::path(folder) / hidden_name);
    array->assign_name(hidden_name);
  }
  for (std::string const& name : unwanted) removed.push_back(prefix + "." + name);
  for (std::size_t k = parts + 1; k <= old_parts; ++k) removed.push_back(prefix + "." + suffix::name_of_part("sa", k));
  for (std::string const& path : removed)  // a link to /dev/stdout would lead to whatever that is
    if (cli::descriptor_named(end_of_links(path))) throw output_error(fmt::format("cannot write: {}: no regular file", path));
  std::string const mark = hidden_part(prefix, "json", sum);
  create_mark(mark, old_parts, before.has_value());
  try {
    sync_folders(folders);
    json.commit();
  } catch (...) {
    unlink(mark.c_str());
    throw;
  }
  // From here on the new index is valid: nothing of it is removed, whatever fails.
  for (std::size_t k = 0; k < arrays.size(); ++k) staged[k] = arrays[k].second->release();
  for (hidden_link& link : links) link.keep();
  sync_folders(folders);
  for (std::size_t k = 0; k < arrays.size(); ++k) move_into_place(staged[k], places[k]);
  if (!links.empty())
    for (std::string const& path : hidden) unlink(path.c_str());
  for (std::string const& path : removed) remove_file(path);
  sync_folders(folders);
  unlink(mark.c_str());
}

void recover_index(std::string const& prefix) try {
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

std::vector<std::string> index_file_names(std::string const& prefix, std::size_t parts) {
  std::vector<std::string> files;
  files.push_back(prefix + ".json");
  for (char const* const name : names) files.push_back(prefix + "." + name);
  for (std::size_t k = 1; k <= suffix::max_parts; ++k) {
    std::string part = prefix + "." + suffix::name_of_part("sa", k);
    if (k > parts && !is_there(part)) break;
    files.push_back(std::move(part));
  }
  return files;
}

void expect_index(std::string const& prefix, bool for_duplicates) {
  struct stat info {};
  if (stat((prefix + ".json").c_str(), &info) == 0 || stat(prefix.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  auto const refuse = [&](std::string_view problem, std::string const& advice) {
    throw input_error(fmt::format("no index: {}: {}: {}", prefix, problem, advice));
  };
  std::string stem = without_extension(prefix);
  for (std::string const& of : {stem, without_extension(stem)}) {
    auto const names = index_file_names(of);
    if (std::ranges::find(names, prefix) != names.end() && is_there(of + ".json") &&
        (is_there(of + ".sa") || count_old_parts(of) != 0))
      refuse("it is a file of an index", fmt::format("its prefix is {}", of));
  }
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

void refuse_inputs(std::string const& prefix, std::vector<std::string> const& inputs, std::size_t parts) {
  std::vector<std::optional<cli::file_id>> ids;
  for (std::string const& input : inputs) ids.push_back(cli::find_file_id(input));
  for (std::string const& file : index_file_names(prefix, parts)) {
    auto const id = cli::find_file_id(file);
    auto const same = id ? std::ranges::find(ids, id) : ids.end();
    if (same == ids.end()) continue;
    throw output_error(
        fmt::format("cannot write: {}: it is the same file as the input {}", file, inputs[std::size_t(same - ids.begin())]));
  }
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

index_writer::index_writer(std::string prefix, std::vector<std::string_view> const& arrays, std::size_t parts)
    : prefix_(std::move(prefix)), parts_(parts), json_(prefix_ + ".json", cli::output::replacing::by_rename) {
  auto const add = [&](std::string name) {
    names_.push_back(std::move(name));
    files_.emplace_back(prefix_ + "." + names_.back(), cli::output::replacing::by_rename);
    sums_.emplace_back(files_.back());
  };
  for (char const* const name : names) {
    bool const is_wanted = std::ranges::find(arrays, name) != arrays.end();
    if (!is_wanted || is_in_parts(name)) unwanted_.emplace_back(name);
    if (is_wanted && is_in_parts(name))
      for (std::size_t k = 1; k <= parts_; ++k) add(suffix::name_of_part(name, k));
    else if (is_wanted)
      add(name);
  }
  finished_.resize(names_.size());
}

void index_writer::set_width(unsigned width) {
  if (parts_ == 0) return;
  std::vector<sink*> parts;
  for (std::size_t k = 1; k <= parts_; ++k) parts.push_back(&sums_[file_number(suffix::name_of_part("sa", k))]);
  divided_.emplace(std::move(parts), suffix::entries_of_part * (width / 8));
}

std::size_t index_writer::file_number(std::string const& name) const {
  return std::size_t(std::ranges::find(names_, name) - names_.begin());
}

bool index_writer::is_discarded(std::size_t file) const {
  return std::ranges::find(unwanted_, names_[file]) != unwanted_.end();
}

sink* index_writer::to(std::string const& name) {
  if (is_in_parts(name)) return divided_ ? &*divided_ : nullptr;
  std::size_t const file = file_number(name);
  return file == names_.size() ? nullptr : &sums_[file];
}

void index_writer::add_part(std::string const& name, std::uint64_t offset, suffix::index_array const& part) {
  std::size_t const file = file_number(name);
  sums_[file].add_part(offset, part);
  files_[file].count_others(part.bytes);
}

void index_writer::finish(std::size_t file) {
  if (!finished_[file]) files_[file].finish();
  finished_[file] = true;
}

std::string index_writer::finished_path(std::size_t file) {
  finish(file);
  std::string staged = files_[file].staged();
  if (staged.empty()) throw input_error(fmt::format("cannot read: {}: no regular file", path(names_[file])));
  return staged;
}

suffix::mapped_file index_writer::completed(std::string const& name) {
  if (!is_in_parts(name)) return suffix::mapped_file(finished_path(file_number(name)));
  std::vector<suffix::mapped_file::part> parts;
  for (std::size_t k = 1; k <= parts_; ++k) {
    std::size_t const file = file_number(suffix::name_of_part(name, k));
    parts.push_back({finished_path(file), files_[file].written()});
  }
  return suffix::mapped_file(parts);
}

void index_writer::discard(std::string const& name) {
  unwanted_.push_back(name);
}

std::vector<suffix::index_array> index_writer::written() const {
  std::vector<suffix::index_array> all;
  for (std::size_t file = 0; file < names_.size(); ++file) {
    if (is_discarded(file)) continue;
    if (parts_ == 0 || names_[file] != suffix::name_of_part("sa", 1)) {
      all.push_back(sums_[file].of(names_[file]));
      continue;
    }
    std::vector<suffix::index_part> parts;
    for (std::size_t k = 0; k < parts_; ++k) {
      suffix::index_array const part = sums_[file + k].of({});
      parts.push_back({part.bytes, part.crc32});
    }
    all.push_back(suffix::join_parts("sa", std::move(parts)));
    file += parts_ - 1;
  }
  return all;
}

void index_writer::commit(suffix::index_description const& about, std::optional<std::uint32_t> expected_sum) {
  std::string const description = suffix::to_json(about);
  json_.write(std::string_view(description));
  std::vector<std::pair<std::string, cli::output*>> files;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (is_discarded(file)) continue;
    finish(file);
    files.emplace_back(names_[file], &files_[file]);
  }
  json_.finish();
  exchange_index(prefix_, description, json_, files, unwanted_, expected_sum);
}

}  // namespace ordo::inline v0::sufsort
