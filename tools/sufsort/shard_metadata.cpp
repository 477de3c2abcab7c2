#include "tools/sufsort/shard_metadata.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/jsonl.hpp"
#include "suffix/text/text_chunks.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/sufsort/index_files.hpp"

namespace ordo::inline v0::sufsort {
namespace {

/// Makes the lines of an index of JSONL, whose records are lines of its files.
class jsonl_metadata {
 public:
  explicit jsonl_metadata(suffix::stored_index const& index)
      : index_(index), input_(index.view()), names_(suffix::field_names(index.description().field)) {}

  /// Returns the object of a line without the string, which must be that of the record.
  [[nodiscard]] std::string object(std::string_view line, std::size_t record, std::string const& file, std::uint64_t number) {
    std::string_view const text = input_.residues.substr(input_.begin(record), input_.end(record) - input_.begin(record));
    auto const written = suffix::find_json_string(line, names_);
    if (!written && text.empty()) return "{}";  // an empty line, or a bad one
    string_.clear();
    if (!written || !suffix::append_without(string_, *written, text, {}))
      throw input_error(fmt::format("changed input: {}:{}: the line has another string than when it was indexed as {}", file,
                                    number + 1, index_.path("json")));
    return suffix::without_json_field(line, *written);
  }

 private:
  suffix::stored_index const& index_;
  suffix::text input_;
  std::vector<std::string> names_;
  std::string string_;
};

std::string first_fields(std::string const& file, std::uint64_t number) {
  return fmt::format("{{\"path\": {}, \"linenum\": {}, \"metadata\": ", nlohmann::json(file).dump(), number);
}

}  // namespace

void make_metadata(suffix::stored_index const& index, unsigned threads,
                   std::function<void(std::size_t record, std::string_view line)> const& use) {
  suffix::index_description const& about = index.description();
  if (about.input != suffix::input_format::jsonl) {
    for (suffix::input_file const& file : about.files)
      for (std::uint64_t number = 0; number < file.records; ++number)
        use(file.first_record + std::size_t(number), first_fields(file.name, number) + "{}}\n");
    return;
  }
  namespace chunks = suffix::detail;
  chunks::chunk_files texts;
  texts.count = about.files.size();
  texts.open = [&](std::size_t k) {
    suffix::input_file const& file = about.files[k];
    if (file.name == "standard input")
      throw input_error(fmt::format("cannot read again: {}: the index is of standard input", index.path("json")));
    if (file.is_cut && file.records == 0) return chunks::chunk_files::opened{file.name, std::make_shared<memory_source>("")};
    auto in = std::make_shared<cli::input>(resolve_input(index, file.name), threads);
    std::string name = in->name();
    return chunks::chunk_files::opened{std::move(name), std::move(in)};
  };
  texts.on_failure = [&](std::size_t k, std::string const& reason) {
    if (!about.files[k].is_cut) throw input_error(reason);
  };
  jsonl_metadata lines(index);
  chunks::file_chunks reader(texts, {.threads = threads});
  chunks::text_chunk chunk;
  std::size_t file = about.files.size();
  std::uint64_t number = 0;
  auto const end_file = [&] {
    if (file != about.files.size() && number != about.files[file].records)
      throw input_error(fmt::format("changed input: {}: it has {} {} when it was indexed as {}", about.files[file].name,
                                    number > about.files[file].records ? "more lines than the"
                                                                       : quantity(number, "line") + ", and",
                                    about.files[file].records, index.path("json")));
  };
  while (reader.next(chunk)) {
    reader.load(chunk);
    if (chunk.begins_file) {
      end_file();
      file = chunk.file;
      number = 0;
    }
    suffix::input_file const& from = about.files[file];
    for (std::string_view rest(chunk.bytes.data(), chunk.bytes.size()); !rest.empty(); ++number) {
      std::size_t const size = rest.find('\n');
      if (number == from.records) {
        ++number;
        end_file();
      }
      std::size_t const record = from.first_record + std::size_t(number);
      use(record, first_fields(from.name, number) + lines.object(rest.substr(0, size), record, from.name, number) + "}\n");
      rest.remove_prefix(size == rest.npos ? rest.size() : size + 1);
    }
    reader.recycle(chunk);
  }
  end_file();
}

}  // namespace ordo::inline v0::sufsort
