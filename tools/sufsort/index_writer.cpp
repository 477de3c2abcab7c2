#include "tools/sufsort/index_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sort_core/error.hpp"

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

index_writer::index_writer(std::string prefix, suffix::wanted what, bool pieces)
    : prefix_(std::move(prefix)), json_(prefix_ + ".json") {
  for (auto const& [name, wanted] : {std::pair("seq", true), std::pair("sa", true), std::pair("lcp", what.lcp),
                                     std::pair("bwt", what.bwt), std::pair("pieces", pieces), std::pair("kmers", false)}) {
    std::string const path = prefix_ + "." + name;
    if (!wanted) {
      unwanted_.push_back(path);
      continue;
    }
    names_.emplace_back(name);
    arrays_.emplace_back(path);
    sums_.emplace_back(arrays_.back());
  }
}

sink* index_writer::to(std::string const& name) {
  auto const found = std::ranges::find(names_, name);
  return found == names_.end() ? nullptr : &sums_[std::size_t(found - names_.begin())];
}

std::vector<suffix::index_array> index_writer::written() const {
  std::vector<suffix::index_array> all;
  for (std::size_t i = 0; i < names_.size(); ++i) all.push_back(sums_[i].of(names_[i]));
  return all;
}

void index_writer::commit(suffix::index_description const& about) {
  json_.write(std::string_view(suffix::to_json(about)));
  for (cli::output& array : arrays_) array.finish();
  json_.finish();
  json_.withdraw_old();
  for (std::string const& path : unwanted_) remove_file(path);
  for (cli::output& array : arrays_) array.commit();
  json_.commit();
}

}  // namespace ordo::sufsort
