#include "tools/sufsort/duplicates/line_files.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <sys/types.h>

#include "ordo/error.hpp"
#include "tools/sufsort/index_files.hpp"
#include "tools/sufsort/output_text.hpp"

namespace ordo::inline v0::sufsort {

line_files::line_files(suffix::stored_index const& index, cli::output& out, std::string folder, unsigned threads)
    : index_(index), out_(out), folder_(std::move(folder)), threads_(threads) {
  if (folder_.empty()) return;
  std::set<std::tuple<dev_t, ino_t, std::string>> sources;
  std::map<std::string, std::string_view> taken;
  for (suffix::input_file const& file : files())
    if (auto const id = cli::find_file_id(resolve_input(index, file.name))) sources.emplace(id->device, id->inode, id->name);
  for (suffix::input_file const& file : files()) {
    std::string const path = target_path(file.name);
    if (auto const id = cli::find_file_id(path); id && sources.contains({id->device, id->inode, id->name}))
      throw output_error(fmt::format("cannot write: {}: the index {} was made of it", path, index.path("json")));
    if (!taken.emplace(path, file.name).second)
      throw usage_error(fmt::format("two inputs of one name: {}: --out-dir: both would become this file", path));
  }
  folders_.emplace_back(folder_);
}

line_files::~line_files() {
  while (!folders_.empty()) folders_.pop_back();  // inner ones first: empty ones are taken away
}

void line_files::write(std::size_t file, std::string& text, duplicate_counts const& counts) {
  if (folder_.empty()) return write_some(out_, text, 0);
  while (next_ <= file) {
    close();
    open();
  }
  counts_.add(counts);
  write_some(*opened_, text, 0);
}

void line_files::finish() {
  if (folder_.empty()) return;
  close();
  write_some(out_, list_, 0);
}

std::string line_files::target_path(std::string const& name) const {
  std::filesystem::path const below = std::filesystem::path(name).lexically_normal().relative_path();
  if (std::ranges::find(below, "..") != below.end())
    throw usage_error(fmt::format("not below a folder: {}: --out-dir: build the index in a folder that holds it", name));
  return (std::filesystem::path(folder_) / below).string();
}

void line_files::open() {
  std::string const path = target_path(files()[next_++].name);
  if (std::string folder = std::filesystem::path(path).parent_path().string(); folder != last_folder_)
    folders_.emplace_back(last_folder_ = std::move(folder));
  opened_.emplace(path, threads_);
  counts_ = {};
}

void line_files::close() {
  if (!opened_) return;
  opened_->commit();
  opened_.reset();
  suffix::input_file const& file = files()[next_ - 1];
  suffix::text const input = index_.view();
  std::size_t const last = file.first_record + std::size_t(file.records);
  std::uint64_t const bytes = last == file.first_record ? 0 : input.end(last - 1) - input.begin(file.first_record);
  list_ += fmt::format("{}\t{}\t{}\t{}\n", file.name, file.records, bytes, counts_.residues);
}

}  // namespace ordo::inline v0::sufsort
