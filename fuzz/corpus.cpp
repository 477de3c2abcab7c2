// Bytes, lines, tokens, arrays of NumPy and JSONL. A writer with parts of any size makes the same corpus, or has the same
// error.
#include "fuzz/fuzz.hpp"
#include "ordo/suffix/corpus.hpp"
#include "ordo/suffix/jsonl.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  constexpr suffix::input_format formats[] = {suffix::input_format::bytes, suffix::input_format::lines,
                                              suffix::input_format::u16, suffix::input_format::u32,
                                              suffix::input_format::jsonl};
  suffix::corpus_options options;
  options.format = formats[bytes.number(std::size(formats))];
  std::size_t const part = 1 + bytes.number(256), option = bytes.number(256);
  options.big_endian = option & 1;
  options.separator = bytes.text(option / 2 % 5);
  if (option & 128) options.field = "meta.title";
  std::string_view const text = bytes.rest();
  suffix::recognized_format("x.jsonl.gz", text.substr(0, 4096));

  suffix::corpus whole;
  memory_source from_memory(text);
  auto const error = fuzz::catch_error([&] { suffix::append_corpus(whole, "x", from_memory, options); });
  fuzz::string_sink residues;
  suffix::corpus_writer writer(residues, part);
  fuzz::sequential_source from_pipe(text);
  auto const other_error = fuzz::catch_error([&] { writer.append("x", from_pipe, options); });
  fuzz::require_same(error, other_error);
  if (!error) {
    fuzz::require(whole.view().residues == residues.text() && whole.starts == writer.records().starts,
                  "a writer makes the corpus that is made in memory");
    if (options.format == suffix::input_format::bytes && options.separator.empty())
      fuzz::require(whole.view().residues == text, "bytes stay as they are");
  }

  if (options.format != suffix::input_format::jsonl) return 0;
  auto const names = suffix::field_names(options.field);
  std::size_t record = 0;
  for (std::size_t begin = 0; begin < text.size(); ++record) {
    std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    begin += line.size() + 1;
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    suffix::has_json_field(line, "text");
    auto const found = suffix::find_json_string(line, names);
    if (error || line.find_first_not_of(" \t\r") == line.npos) continue;
    fuzz::require(found.has_value(), "a record has a string");
    std::size_t const first = whole.view().begin(record), last = whole.view().end(record);
    std::string without;
    std::string_view const decoded = whole.view().residues.substr(first, last - first);
    fuzz::require(suffix::append_without(without, *found, decoded, {}) && without == *found,
                  "a string without nothing is as it was written");
  }
  return 0;
}
