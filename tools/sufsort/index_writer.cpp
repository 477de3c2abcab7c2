#include "tools/sufsort/index_writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::sufsort {
index_writer::index_writer(std::string prefix, suffix::extra_arrays what, bool pieces, bool kmers)
    : prefix_(std::move(prefix)), json_(prefix_ + ".json", cli::output::hard_links::replace) {
  for (auto const& [name, wanted] : {std::pair("seq", true), std::pair("sa", true), std::pair("lcp", what.lcp),
                                     std::pair("bwt", what.bwt), std::pair("pieces", pieces), std::pair("kmers", kmers)}) {
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
  std::string const description = suffix::to_json(about);
  json_.write(std::string_view(description));
  std::vector<std::pair<std::string, cli::output*>> arrays;
  for (std::size_t array = 0; array < arrays_.size(); ++array) {
    finish(array);
    arrays.emplace_back(names_[array], &arrays_[array]);
  }
  json_.finish();
  exchange_index(prefix_, description, json_, arrays, unwanted_);
}

}  // namespace ordo::sufsort
