// FASTQ. It becomes the FASTA that its lines say, or an error if they say none, whatever the sizes in which it is read. The
// letters of its reads are those of the records.
#include "ordo/suffix/fastq.hpp"

#include <memory>

#include "fuzz/fuzz.hpp"
#include "ordo/suffix/fasta.hpp"

using namespace ordo;

namespace {

constexpr std::string_view blanks = " \t\r\n", byte_order_mark = "\xef\xbb\xbf";

// Returns the lines, each with what ends it.
std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns the FASTA that the text stands for, line by line; nothing if it is no FASTQ.
std::optional<std::string> to_fasta(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string fasta;
  std::vector<std::string_view> const lines = split_lines(text);
  auto const add = [&](std::size_t line, std::string_view made) {
    fasta += made;
    if (lines[line].ends_with('\n')) fasta += '\n';
  };
  for (std::size_t i = 0; i < lines.size();) {
    std::string_view const header = without_end(lines[i]);
    std::size_t const at = header.find_first_not_of(blanks);
    if (at == header.npos) {
      add(i++, "");
      continue;
    }
    if (header[at] != '@' || lines.size() - i < 4) return std::nullopt;
    std::string_view const letters = without_end(lines[i + 1]), qualities = without_end(lines[i + 3]);
    if (letters.starts_with('>') || letters.starts_with(';') || !lines[i + 2].starts_with('+')) return std::nullopt;
    if (letters.size() != qualities.size()) return std::nullopt;
    add(i, std::string(1, '>').append(header.substr(at + 1)));
    add(i + 1, letters);
    add(i + 2, "");
    add(i + 3, "");
    i += 4;
  }
  return fasta;
}

std::unique_ptr<source> make_pipe(std::string_view text) {
  return std::make_unique<fuzz::sequential_source>(text);
}

// Reads all in parts of that size.
std::string converted(std::string_view text, std::size_t part_bytes) {
  suffix::fastq_source from("x", make_pipe(text));
  std::string all, part(part_bytes, '\0');
  for (;;) {
    std::size_t const got = from.read(part);
    all.append(part, 0, got);
    if (got < part.size()) return all;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  std::size_t const part_bytes = 1 + bytes.number(256);
  std::string_view const text = bytes.rest();
  suffix::is_fastq(text);
  std::string whole, in_parts;
  auto const error = fuzz::catch_error([&] { whole = converted(text, text.size() + 16); });
  auto const same_error = fuzz::catch_error([&] { in_parts = converted(text, part_bytes); });
  fuzz::require_same(error, same_error);
  std::optional<std::string> const expected = to_fasta(text);
  fuzz::require(expected.has_value() != error.has_value(), "an error for what is no FASTQ only");
  if (error) return 0;
  fuzz::require(whole == in_parts, "the size of reads changes nothing");
  fuzz::require(whole == *expected, "the lines of a read become those of a record");

  suffix::fasta_options options;
  options.machine = fuzz::one_thread();
  suffix::fasta reads, records;
  suffix::fastq_source from_reads("x", make_pipe(text));
  memory_source from_records(whole);
  auto const reads_error = fuzz::catch_error([&] { reads = suffix::read_fasta("x", from_reads, options); });
  auto const records_error = fuzz::catch_error([&] { records = suffix::read_fasta("x", from_records, options); });
  fuzz::require_same(reads_error, records_error);
  if (!reads_error)
    fuzz::require(
        reads.view().residues == records.view().residues && reads.starts == records.starts && reads.names == records.names,
        "reads are the records of their FASTA");
  return 0;
}
