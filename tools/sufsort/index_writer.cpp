#include "tools/sufsort/index_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sort_core/error.hpp"
#include "tools/cli/temporary.hpp"

namespace ordo::sufsort {
namespace {

// A regular file, or the one that a symbolic link leads to; the link stays, as when a file is replaced. Where nothing can be
// removed from the folder the file is emptied.
void remove_file(std::string const& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path const file = fs::canonical(path, error);
  if (error || !fs::is_regular_file(file, error)) return;
  if (fs::remove(file, error)) return;
  fs::resize_file(file, 0, error);
  if (error) throw output_error(fmt::format("cannot remove: {}: {}", path, error.message()));
}

}  // namespace

index_writer::index_writer(std::string prefix, suffix::wanted what, bool pieces, bool kmers)
    : prefix_(std::move(prefix)), json_(prefix_ + ".json") {
  for (auto const& [name, wanted] : {std::pair("seq", true), std::pair("sa", true), std::pair("lcp", what.lcp),
                                     std::pair("bwt", what.bwt), std::pair("pieces", pieces), std::pair("kmers", kmers)}) {
    if (!wanted) {
      unwanted_.push_back(path(name));
      continue;
    }
    names_.emplace_back(name);
    arrays_.emplace_back(path(name));
    sums_.emplace_back(arrays_.back());
  }
  finished_.resize(names_.size());
}

std::size_t index_writer::number_of(std::string const& name) const {
  return std::size_t(std::ranges::find(names_, name) - names_.begin());
}

sink* index_writer::to(std::string const& name) {
  std::size_t const array = number_of(name);
  return array == names_.size() ? nullptr : &sums_[array];
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

std::vector<suffix::index_array> index_writer::written() const {
  std::vector<suffix::index_array> all;
  for (std::size_t i = 0; i < names_.size(); ++i) all.push_back(sums_[i].of(names_[i]));
  return all;
}

void index_writer::commit(suffix::index_description const& about) {
  json_.write(std::string_view(suffix::to_json(about)));
  for (std::size_t array = 0; array < arrays_.size(); ++array) finish(array);
  json_.finish();
  cli::held_signals const held;
  json_.withdraw_old();
  for (std::string const& path : unwanted_) remove_file(path);
  for (cli::output& array : arrays_) array.commit();
  json_.commit();
}

}  // namespace ordo::sufsort
