#include "tools/sufsort/duplicates/record_scores.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/suffix/jsonl.hpp"
#include "suffix/text/text_chunks.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {

record_scores read_scores(suffix::stored_index const& index, std::string const& field, unsigned threads, std::size_t memory) {
  namespace chunks = suffix::detail;
  auto const& files = index.description().files;
  std::vector<std::string> const names = suffix::field_names(field);
  chunks::chunk_files texts;
  texts.count = files.size();
  texts.open = [&](std::size_t k) {
    if (files[k].is_cut && files[k].records == 0)  // none of it is in the index
      return chunks::chunk_files::opened{files[k].name, std::make_shared<memory_source>("")};
    auto in = std::make_shared<cli::input>(resolve_input(index, files[k].name), threads);
    std::string name = in->name();
    return chunks::chunk_files::opened{std::move(name), std::move(in)};
  };
  texts.on_failure = [&](std::size_t k, std::string const& reason) {
    if (!files[k].is_cut) throw input_error(reason);
  };
  struct part {
    std::vector<double> scores;
    std::uint64_t missing = 0, first_missing = 0;  // the line in the chunk, from 0
  };
  record_scores made;
  made.all.reserve(std::size_t(index.view().records()));
  std::uint64_t lines = 0;  // lines of the file so far
  suffix::input_file const* file = nullptr;
  auto const end_file = [&] {
    if (file && lines != file->records)
      throw input_error(fmt::format("changed input: {}: it has {}, and {} when it was indexed as {}", file->name,
                                    quantity(lines, "line"), file->records, index.path("json")));
  };
  auto const read = [&](chunks::text_chunk const& chunk, part& part) {
    part = {};
    for (std::string_view rest(chunk.bytes.data(), chunk.bytes.size()); !rest.empty();) {
      std::string_view const line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      auto const score = suffix::find_json_number(line, names);
      bool const is_blank = line.find_first_not_of(" \t\r\xef\xbb\xbf") == line.npos;
      if (!score && !is_blank && part.missing++ == 0) part.first_missing = part.scores.size();
      part.scores.push_back(score.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  };
  auto const nothing = [](chunks::text_chunk const&, part&) {};
  auto const finish = [&](chunks::text_chunk const& chunk, part& part) {
    if (chunk.begins_file) {
      end_file();
      file = &files[chunk.file];
      lines = 0;
    }
    if (part.missing != 0 && made.missing == 0)
      made.first_missing = fmt::format("{}:{}", *chunk.name, lines + part.first_missing + 1);
    made.missing += part.missing;
    lines += part.scores.size();
    made.all.insert(made.all.end(), part.scores.begin(), part.scores.end());
  };
  chunks::chunk_options reading{.threads = threads};
  reading.max_ahead = std::min(memory / 8, reading.max_ahead);
  reading.max_chunks = std::max<std::size_t>(memory / 4 / reading.bytes, 1);
  chunks::for_each_chunk<part>(texts, reading, read, nothing, nothing, finish);
  end_file();
  if (made.all.size() != index.view().records())
    throw input_error(
        fmt::format("changed input: {}: {} lines are left of {}", index.path("json"), made.all.size(), index.view().records()));
  return made;
}

record_scores load_scores(suffix::stored_index const& index, std::string const& path) {
  host_bytes const bytes = cli::read_all(path);
  std::size_t const records = std::size_t(index.view().records());
  if (bytes.size() != records * sizeof(double))
    throw input_error(fmt::format("wrong scores: {}: it has {} bytes, where {} have 8 each", path, bytes.size(),
                                  quantity(records, "record")));
  record_scores made;
  made.all.resize(records);
  std::memcpy(made.all.data(), bytes.data(), bytes.size());  // on little-endian machines
  return made;
}

std::vector<std::size_t> find_sources(suffix::stored_index const& index, std::vector<std::string> const& sources) {
  std::vector<std::size_t> all;
  std::vector<bool> has_files(sources.size());
  for (suffix::input_file const& file : index.description().files) {
    std::size_t found = sources.size(), size = 0;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      std::string const& name = sources[k];
      bool const is_everywhere = name == "." && !file.name.starts_with('/');
      bool const is_above =
          is_everywhere || (file.name.starts_with(name) &&
                            (file.name.size() == name.size() || name.ends_with('/') || file.name[name.size()] == '/'));
      if (!is_above) continue;
      has_files[k] = true;
      std::size_t const own_size = is_everywhere ? 0 : name.size();
      if (own_size < size) continue;
      found = k;
      size = own_size;
    }
    all.push_back(found);
  }
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (!has_files[k])
      throw input_error(
          fmt::format("no such source: {}: no file of {} has this name, or is below it", sources[k], index.path("json")));
  return all;
}

record_scores scores_of_sources(suffix::stored_index const& index, std::vector<std::size_t> const& file_sources) {
  record_scores made;
  if (file_sources.empty()) return made;
  made.all.resize(std::size_t(index.view().records()));
  for (std::size_t k = 0; k < file_sources.size(); ++k) {
    suffix::input_file const& file = index.description().files[k];
    std::fill_n(made.all.begin() + std::ptrdiff_t(file.first_record), file.records, -double(file_sources[k]));
  }
  return made;
}

}  // namespace ordo::inline v0::sufsort
