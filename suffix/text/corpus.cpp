#include "ordo/suffix/corpus.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "base/pooled_arena.hpp"
#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "suffix/text/jsonl.hpp"
#include "suffix/text/text_chunks.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t read_at_once = std::size_t{16} << 20;

void check_name(std::string const& name) {
  auto const refuse = [&](char const* why) {
    throw input_error(fmt::format("bad file name: {}: records are printed by the name of their file, which {}", name, why));
  };
  if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    refuse("holds a control character");
  if (!is_utf8(name)) refuse("is not UTF-8");
}

/// Appends all bytes of a source.
void read_all(corpus& to, std::string const& name, source& from, corpus_options const& options) {
  auto const check_memory = [&](std::size_t bytes) {
    if (bytes > options.memory)
      throw out_of_memory(
          fmt::format("out of memory: records of {}: {} bytes are needed, {} are allowed", name, bytes, options.memory), bytes);
  };
  std::size_t const before = to.residues.size(), held = before + to.starts.size() * sizeof(std::uint64_t);
  if (auto const rest = ordo::detail::addressed_part(from, ~std::uint64_t{0})) {
    check_memory(held + std::size_t(rest->bytes));
    to.residues.reserve(before + std::size_t(rest->bytes) + 1);  // the end is found after the last byte
  } else if (options.expected != 0) {
    std::size_t const left = options.memory - std::min(held, options.memory);
    to.residues.reserve(before + std::size_t(std::min<std::uint64_t>(options.expected, left)));
  }
  for (bool more = true; more;) {
    std::span<char> const room = to.residues.room(1);
    std::span<char> const part = room.first(std::min(room.size(), read_at_once));
    std::size_t const got = from.read(part);
    more = got == part.size();
    to.residues.resize(to.residues.size() + got);
    check_memory(held + to.residues.size() - before);
    if (options.on_progress) options.on_progress(to.residues.size() - before);
  }
}

/// Makes records of the bytes from `begin` on, each of which a separator ends, and removes the separators. A separator begins
/// at a residue.
/// @returns true if one ends the last record
bool split(corpus& to, std::size_t begin, std::string_view separator) {
  char* const data = to.residues.data();
  std::size_t const end = to.residues.size(), step = to.residue_bytes;
  auto const find = [&](std::size_t from) -> std::size_t {
    for (std::size_t at = from; at < end; ++at) {
      auto const* const result =
          static_cast<char const*>(separator.size() == 1 ? std::memchr(data + at, separator[0], end - at)
                                                         : memmem(data + at, end - at, separator.data(), separator.size()));
      if (!result) break;
      at = std::size_t(result - data);
      if ((at - begin) % step == 0) return at;
    }
    return end;
  };
  std::size_t written = begin;
  bool is_ended = true;
  for (std::size_t at = begin; at < end;) {
    std::size_t const stop = find(at);
    is_ended = stop != end;
    to.starts.push_back(written / step);
    std::memmove(data + written, data + at, stop - at);
    written += stop - at;
    at = stop == end ? end : stop + separator.size();
  }
  to.residues.resize(written);
  return is_ended;
}

/// Removes the ends of lines. @param starts  gets where each line begins
/// @returns the bytes of all lines
std::size_t join_lines(std::span<char> lines, std::vector<std::uint64_t>& starts) {
  char* const data = lines.data();
  std::size_t written = 0;
  for (std::size_t at = 0; at < lines.size();) {
    void const* const result = std::memchr(data + at, '\n', lines.size() - at);
    std::size_t const stop = result ? std::size_t(static_cast<char const*>(result) - data) : lines.size();
    starts.push_back(written);
    std::memmove(data + written, data + at, stop - at);
    written += stop - at;
    at = stop + 1;
  }
  return written;
}

using json_parsers = tbb::enumerable_thread_specific<detail::json_strings>;

/// Replaces lines of JSON from `begin` on, all of a file, by one string of each.
void extract_strings(corpus& to, std::size_t begin, std::string const& name, corpus_options const& options) {
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  struct part {
    std::size_t begin = 0, end = 0;
    std::vector<std::uint64_t> starts = {};
    std::optional<std::size_t> bytes = {};  // nothing after a flaw
    detail::json_strings::flaw flaw = {};
  };
  std::size_t const end = to.residues.size();
  to.residues.reserve(end + detail::json_padding);
  char* const data = to.residues.data();
  std::vector<part> parts;
  for (std::size_t at = begin; at < end; at = parts.back().end) {
    std::size_t const last = std::min(end, at + part_bytes) - 1;
    void const* const result = std::memchr(data + last, '\n', end - last);
    parts.push_back({at, result ? std::size_t(static_cast<char const*>(result) - data) + 1 : end});
  }
  json_parsers parsers([&] { return detail::json_strings(options.field); });
  pooled_arena arena(threads_for(options.threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t k) {
      part& part = parts[k];
      part.bytes = parsers.local().take({data + part.begin, part.end - part.begin}, part.starts, part.flaw);
    });
  });
  std::uint64_t lines = 0;
  std::size_t written = begin;
  for (part const& part : parts) {
    if (!part.bytes) detail::refuse_json(name, lines, options.field, part.flaw);
    for (std::uint64_t const start : part.starts) to.starts.push_back(written + start);
    std::memmove(data + written, data + part.begin, *part.bytes);
    written += *part.bytes;
    lines += part.starts.size();
  }
  to.residues.resize(written);
}

/// Makes records of these lengths of the residues from `begin` on.
void cut(corpus& to, std::size_t begin, std::string const& name, std::span<std::uint64_t const> lengths) {
  std::uint64_t const all = (to.residues.size() - begin) / to.residue_bytes;
  std::uint64_t used = 0;
  for (std::uint64_t const length : lengths) {
    if (length > all - used)
      throw input_error(fmt::format("wrong lengths: {}: the lengths of records are more than its {} residues", name, all));
    to.starts.push_back(begin / to.residue_bytes + used);
    used += length;
  }
  if (used != all)
    throw input_error(
        fmt::format("wrong lengths: {}: the lengths of records are {} in all, but it has {} residues", name, used, all));
}

/// Turns the bytes of each number round.
void swap_bytes(std::span<char> bytes, unsigned size) {
  for (std::size_t at = 0; at < bytes.size(); at += size) std::reverse(bytes.data() + at, bytes.data() + at + size);
}

/// Converts numbers to tokens in their place.
/// @returns the bytes of the tokens
template <class Number, class Token>
std::size_t convert(std::span<char> bytes, std::string const& name) {
  std::size_t const count = bytes.size() / sizeof(Number);
  auto const convert_number = [&](std::size_t i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    auto const token = static_cast<Token>(number);
    if (std::cmp_not_equal(number, token))
      throw input_error(
          fmt::format("bad token: {}: number {} is {}, which does not fit {} bits", name, i, number, 8 * sizeof(Token)));
    std::memcpy(bytes.data() + i * sizeof(Token), &token, sizeof(Token));
  };
  if constexpr (sizeof(Number) < sizeof(Token))
    for (std::size_t i = count; i-- > 0;) convert_number(i);
  else
    for (std::size_t i = 0; i < count; ++i) convert_number(i);
  return count * sizeof(Token);
}

constexpr std::string_view npy_magic = "\x93NUMPY";

/// The header of an array of NumPy.
struct npy_header {
  std::size_t bytes = 0;  // bytes of the header
  char kind = 'u';        // u or i
  unsigned size = 0;      // bytes of a number
  bool big_endian = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the header of an array of NumPy (numpy.lib.format).
/// @returns nothing if the bytes are none
std::optional<npy_header> read_npy_header(std::string_view bytes, std::string const& name) {
  auto const byte = [&](std::size_t at) { return std::size_t(static_cast<unsigned char>(bytes[at])); };
  if (!bytes.starts_with(npy_magic) || bytes.size() < 12 || byte(6) < 1 || byte(6) > 3) return std::nullopt;
  auto const refuse = [&](char const* why) { throw input_error(fmt::format("bad array: {}: {}", name, why)); };
  bool const is_long = byte(6) >= 2;
  std::size_t const begin = is_long ? 12 : 10;
  std::size_t const length = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  if (length > bytes.size() - begin) refuse("the header of the .npy file is cut");
  std::string_view const text = bytes.substr(begin, length);
  npy_header header;
  header.bytes = begin + length;
  auto const after = [&](std::string_view key) {
    std::size_t const at = text.find(key);
    if (at == text.npos) refuse("the header of the .npy file is malformed");
    std::string_view rest = text.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
    return rest;
  };
  std::string_view const type = after("'descr'");
  if (type.size() < 5 || type[0] != '\'' || std::string_view("<>|=").find(type[1]) == text.npos ||
      std::string_view("ui").find(type[2]) == text.npos || std::string_view("1248").find(type[3]) == text.npos ||
      type[4] != '\'')
    refuse("the .npy file holds no integers of 8 to 64 bits");
  header.big_endian = type[1] == '>';
  header.kind = type[2];
  header.size = unsigned(type[3] - '0');
  if (!after("'fortran_order'").starts_with("False")) refuse("the .npy file is in the order of Fortran");
  std::string_view shape = after("'shape'");
  if (!shape.starts_with('(')) refuse("the header of the .npy file is malformed");
  for (shape.remove_prefix(1); !shape.empty() && shape[0] != ')';) {
    if (shape[0] == ' ' || shape[0] == ',') {
      shape.remove_prefix(1);
      continue;
    }
    std::uint64_t size = 0;
    auto const [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), size);
    if (error != std::errc{}) refuse("the header of the .npy file is malformed");
    header.shape.push_back(size);
    shape.remove_prefix(std::size_t(end - shape.data()));
  }
  return header;
}

template <class Token>
std::size_t convert_npy(std::span<char> bytes, npy_header const& header, std::string const& name) {
  bool const is_signed = header.kind == 'i';
  switch (header.size) {
    case 1:
      return is_signed ? convert<std::int8_t, Token>(bytes, name) : convert<std::uint8_t, Token>(bytes, name);
    case 2:
      return is_signed ? convert<std::int16_t, Token>(bytes, name) : convert<std::uint16_t, Token>(bytes, name);
    case 4:
      return is_signed ? convert<std::int32_t, Token>(bytes, name) : convert<std::uint32_t, Token>(bytes, name);
    default:
      return is_signed ? convert<std::int64_t, Token>(bytes, name) : convert<std::uint64_t, Token>(bytes, name);
  }
}

/// Converts the bytes of a file from `begin` on to tokens.
/// @param lengths  receives those of its rows
/// @returns true if the file is an array of rows
bool make_tokens(corpus& to, std::size_t begin, std::string const& name, corpus_options const& options,
                 std::vector<std::uint64_t>& lengths) {
  std::span<char> const bytes = to.residues.span().subspan(begin);
  unsigned const size = to.residue_bytes;
  auto const header = read_npy_header({bytes.data(), bytes.size()}, name);
  if (!header) {
    if (bytes.size() % size != 0)
      throw input_error(
          fmt::format("truncated tokens: {}: {} bytes are no whole number of tokens of {}", name, bytes.size(), size));
    if (options.big_endian) swap_bytes(bytes, size);
    return false;
  }
  std::uint64_t count = 1;
  for (std::uint64_t const part : header->shape)
    if (__builtin_mul_overflow(count, part, &count)) count = ~std::uint64_t{0};
  std::size_t const held = bytes.size() - header->bytes;
  if (count != held / header->size || held % header->size != 0)
    throw input_error(fmt::format("truncated tokens: {}: {} bytes of numbers, but its shape has {} of {} bytes", name, held,
                                  count, header->size));
  if (size > header->size) to.residues.resize(begin + std::max(header->bytes + held, std::size_t(count) * size));
  std::span<char> const room = to.residues.span().subspan(begin);
  std::memmove(room.data(), room.data() + header->bytes, held);
  if (header->big_endian) swap_bytes(room.first(held), header->size);
  std::size_t const made = size == 2 ? convert_npy<std::uint16_t>(room.first(held), *header, name)
                                     : convert_npy<std::uint32_t>(room.first(held), *header, name);
  to.residues.resize(begin + made);
  if (header->shape.size() < 2) return false;
  std::uint64_t const rows = header->shape[0];
  if (rows != 0 && count == 0) throw input_error(fmt::format("bad array: {}: the rows of the .npy file are empty", name));
  lengths.assign(std::size_t(rows), rows == 0 ? 0 : count / rows);
  return true;
}

/// Returns what ends the records of a file; empty: nothing does.
std::string_view file_separator(corpus_options const& options) {
  return has_lines(options.format) ? "\n" : std::string_view(options.separator);
}

void check(corpus_options const& options) {
  bool const lines = has_lines(options.format);
  if (options.format == input_format::fasta) throw usage_error("no corpus: FASTA: append_fasta reads it");
  if (lines && (!options.separator.empty() || !options.lengths.empty())) throw usage_error("no separator: lines: LF ends them");
  if (!options.separator.empty() && !options.lengths.empty())
    throw usage_error("conflicting records: a separator and a list of lengths");
  if (options.separator.size() % bytes_per_residue(options.format) != 0)
    throw usage_error("invalid separator: it is no whole number of tokens");
}

/// Sets the residues of a corpus to those of the format, and checks the name of a file to be appended.
void prepare(corpus& to, std::string const& name, corpus_options const& options) {
  check(options);
  unsigned const size = bytes_per_residue(options.format);
  if (!to.files.empty() && to.residue_bytes != size) throw usage_error("conflicting formats: bytes and tokens of other sizes");
  check_name(name);
  to.residue_bytes = size;
}

/// Makes records of the bytes of a file, those from `begin` on.
void make_records(corpus& to, std::size_t begin, std::string const& name, corpus_options const& options) {
  std::vector<std::uint64_t> rows;
  bool const has_rows = to.residue_bytes != 1 && make_tokens(to, begin, name, options, rows);
  if (options.format == input_format::jsonl) {
    extract_strings(to, begin, name, options);
  } else if (std::string_view const separator = file_separator(options); !separator.empty()) {
    split(to, begin, separator);
  } else if (!options.lengths.empty()) {
    cut(to, begin, name, options.lengths);
  } else if (has_rows) {
    cut(to, begin, name, rows);
  } else {
    to.starts.push_back(begin / to.residue_bytes);
  }
}

[[noreturn]] void refuse_memory(std::size_t records, std::string const& name, std::size_t bytes, std::size_t memory) {
  throw out_of_memory(
      fmt::format("out of memory: {} records up to {}: {} bytes are needed, {} are allowed", records, name, bytes, memory),
      bytes);
}

}  // namespace

void append_corpus(corpus& to, std::string const& name, source& from, corpus_options const& options) {
  prepare(to, name, options);
  std::size_t const begin = to.residues.size(), records = to.starts.size();
  read_all(to, name, from, options);
  make_records(to, begin, name, options);
  std::size_t const bytes = to.residues.size() + to.starts.size() * sizeof(std::uint64_t);
  if (bytes > options.memory) refuse_memory(to.starts.size(), name, bytes, options.memory);
  to.files.push_back({.name = name, .records = to.starts.size() - records, .first_record = records});
}

void corpus_writer::append(std::string const& name, source& from, corpus_options const& options) {
  // The caller may still use the source if this throws: no other thread reads it.
  append({1,
          [&](std::size_t) {
            return corpus_files::opened{name, {std::shared_ptr<void>(), &from}};
          },
          [](std::size_t) { return true; }},
         options);
}

void corpus_writer::append(corpus_files const& files, corpus_options const& options) {
  check(options);
  if (has_lines(options.format) ||
      (options.format == input_format::bytes && options.separator.empty() && options.lengths.empty()))
    return append_chunks(files, options);
  std::uint64_t before = 0, read = 0;
  corpus_options corpus_options = options;
  if (options.on_progress)
    corpus_options.on_progress = [&](std::uint64_t more) { options.on_progress(before + (read = more)); };
  for (std::size_t k = 0; k < files.count; ++k) {
    corpus_files::opened const file = files.open(k);
    append_parts(file.name, *file.from, corpus_options);
    before += std::exchange(read, 0);
  }
}

void corpus_writer::write(std::span<char const> residues) {
  if (!std::exchange(has_begun_, true)) to_.expect_unknown();
  if (to_.addressable())
    to_.write_at(size_ * all_.residue_bytes, residues);
  else
    to_.write(residues);
}

void corpus_writer::append_chunks(corpus_files const& files, corpus_options const& options) {
  prepare(all_, "", options);
  if (!std::exchange(has_begun_, true)) to_.expect_unknown();
  bool const is_addressable = to_.addressable(), is_jsonl = options.format == input_format::jsonl,
             has_lines = suffix::has_lines(options.format);
  bool const goes_on = is_jsonl && options.on_bad_line;
  // Each is written by the thread that reads the file, before the last chunk of it is returned.
  std::vector<std::string> failures(goes_on ? files.count : 0);
  detail::chunk_files texts;
  texts.count = files.count;
  texts.may_wait = files.may_wait;
  texts.open = [&](std::size_t k) {
    corpus_files::opened file;
    try {
      file = files.open(k);
    } catch (input_error const& e) {
      if (!goes_on) throw;
      failures[k] = e.what();
      file = {files.name(k), std::make_shared<memory_source>("")};
    }
    check_name(file.name);
    return detail::chunk_files::opened{std::move(file.name), std::move(file.from)};
  };
  if (goes_on) texts.on_failure = [&](std::size_t k, std::string reason) { failures[k] = std::move(reason); };
  detail::chunk_options reading{.threads = options.threads, .bytes = part_bytes_, .lines = has_lines};
  if (is_jsonl) reading.padding = detail::json_padding;
  reading.max_ahead = std::min(options.memory / 8, std::size_t{16} << 30);
  reading.max_chunks = options.memory / 4 / part_bytes_;
  struct parsed {
    std::vector<std::uint64_t> starts = {};
    std::optional<std::size_t> bytes = {};  // nothing after a flaw
    detail::json_strings::flaw flaw = {};
    std::vector<detail::json_strings::flaw> flaws = {};  // flaws of lines that become empty records
    std::uint64_t offset = 0;                            // where the text begins
    [[nodiscard]] std::span<char const> text(detail::text_chunk const& chunk) const { return chunk.bytes.first(*bytes); }
  };
  json_parsers parsers([&] { return detail::json_strings(options.field); });
  std::uint64_t read = 0;
  auto const parse = [&](detail::text_chunk& chunk, parsed& to) {
    if (goes_on) {
      to.bytes = parsers.local().take(chunk.bytes, to.starts, to.flaws);
    } else if (is_jsonl) {
      to.bytes = parsers.local().take(chunk.bytes, to.starts, to.flaw);
    } else if (has_lines) {
      to.bytes = join_lines(chunk.bytes, to.starts);
    } else {
      to.bytes = chunk.bytes.size();
      if (chunk.begins_file) to.starts.push_back(0);
    }
  };
  std::optional<std::size_t> number;  // number of the file
  auto const end_file = [&] {
    if (!goes_on || !number || failures[*number].empty()) return;
    input_file& file = all_.files.back();
    file.is_cut = true;
    options.on_bad_line({file.name, file.records + 1, failures[*number], {}, true});
  };
  auto const order = [&](detail::text_chunk& chunk, parsed& parsed) {
    std::size_t const records = all_.starts.size();
    if (chunk.begins_file) {
      end_file();
      number = chunk.file;
      all_.files.push_back({.name = *chunk.name, .first_record = records});
    }
    input_file& file = all_.files.back();
    for (detail::json_strings::flaw const& flaw : parsed.flaws)
      options.on_bad_line({file.name, file.records + flaw.line + 1, detail::reason(options.field, flaw), flaw.text});
    file.bad_lines += parsed.flaws.size();
    if (!parsed.bytes) detail::refuse_json(file.name, file.records, options.field, parsed.flaw);
    std::size_t const needed = (records + parsed.starts.size()) * sizeof(std::uint64_t) + 2 * chunk.buffer.size();
    if (needed > options.memory) refuse_memory(records, file.name, needed, options.memory);
    for (std::uint64_t const start : parsed.starts) all_.starts.push_back(size_ + start);
    file.records += parsed.starts.size();
    parsed.offset = size_;
    size_ += *parsed.bytes;
    read += chunk.read;
    if (options.on_progress) options.on_progress(read);
  };
  detail::for_each_chunk<parsed>(
      texts, reading, parse, order,
      [&](detail::text_chunk& chunk, parsed& parsed) {
        if (is_addressable && *parsed.bytes != 0) to_.write_at(parsed.offset, parsed.text(chunk));
      },
      [&](detail::text_chunk& chunk, parsed& parsed) {
        if (!is_addressable) to_.write(parsed.text(chunk));
      });
  end_file();
}

void corpus_writer::append_parts(std::string const& name, source& from, corpus_options const& options) {
  prepare(all_, name, options);
  std::size_t const records = all_.starts.size(), size = all_.residue_bytes, held = records * sizeof(std::uint64_t);
  std::string_view const separator = file_separator(options);
  corpus_options rest = options;  // for a file that is read whole
  rest.memory -= std::min(rest.memory, held);
  corpus part;
  part.residue_bytes = unsigned(size);
  std::string open;  // the begin of a record that goes on in the next part
  std::uint64_t read = 0;
  for (bool ended = false, is_first = true; !ended; is_first = false) {
    constexpr std::size_t recognized = 16;  // bytes that tell an array of NumPy
    std::size_t const before = open.size(), least = is_first ? std::max(part_bytes_, recognized) : part_bytes_,
                      more = std::max((least + size - 1) / size * size, before);  // long records: in few parts
    std::size_t const needed = held + 2 * (before + more) + (all_.starts.size() - records) * sizeof(std::uint64_t);
    if (needed > options.memory) refuse_memory(all_.starts.size(), name, needed, options.memory);
    part.starts.clear();
    part.residues.resize(before + more);
    std::ranges::copy(open, part.residues.data());
    open.clear();
    std::size_t const got = from.read(part.residues.span().subspan(before));
    ended = got < more;
    read += got;
    part.residues.resize(before + got);
    if (is_first &&
        (!options.lengths.empty() || (size != 1 && std::string_view(part.residues.data(), got).starts_with(npy_magic)))) {
      if (!ended) read_all(part, name, from, rest);
      ended = true;
      make_records(part, 0, name, options);
    } else {
      if (got % size != 0)
        throw input_error(fmt::format("truncated tokens: {}: {} bytes are no whole number of tokens of {}", name, read, size));
      if (size != 1 && options.big_endian) swap_bytes(part.residues.span().subspan(before), unsigned(size));
      if (separator.empty()) {
        if (is_first) part.starts.push_back(0);
      } else if (!split(part, 0, separator) && !ended) {
        std::size_t const last = std::size_t(part.starts.back()) * size;
        open.assign(part.residues.data() + last, part.residues.size() - last);
        part.residues.resize(last);
        part.starts.pop_back();
      }
    }
    for (std::uint64_t const start : part.starts) all_.starts.push_back(size_ + start);
    write({part.residues.data(), part.residues.size()});
    size_ += part.residues.size() / size;
    if (options.on_progress) options.on_progress(read);
  }
  all_.files.push_back({.name = name, .records = all_.starts.size() - records, .first_record = records});
}

std::optional<input_format> named_format(std::string_view name) {
  for (std::string_view const extension : {".gz", ".bgz", ".bgzf", ".bz2", ".xz", ".zst", ".zstd"})
    if (name.ends_with(extension)) {
      name.remove_suffix(extension.size());
      break;
    }
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return input_format::jsonl;
  if (name.ends_with(".u16")) return input_format::u16;
  if (name.ends_with(".u32")) return input_format::u32;
  return std::nullopt;
}

std::optional<input_format> recognized_format(std::string_view name, std::string_view begin) {
  using enum input_format;
  // Tokens may have any bytes, those of a '>' or a '{' among them.
  if (auto const named = named_format(name)) return named;
  if (begin.starts_with(npy_magic)) try {
      auto const header = read_npy_header(begin, std::string(name));
      return !header ? std::nullopt : std::optional(header->size <= 2 ? u16 : u32);
    } catch (input_error const&) {
      return std::nullopt;  // reading the file will say why
    }
  std::string_view text = begin;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  auto const without_blanks = [](std::string_view line) {
    std::size_t const first = line.find_first_not_of(" \t\r\n"), last = line.find_last_not_of(" \t\r\n");
    return first == line.npos ? std::string_view() : line.substr(first, last - first + 1);
  };
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with('>') || text.starts_with(';')) return fasta;
  std::size_t const end = text.find('\n');
  std::string_view const line = without_blanks(text.substr(0, end));
  bool const is_whole = end != text.npos || begin.size() < 4096;
  if (is_whole && line.starts_with('{') && line.ends_with('}')) return jsonl;
  return std::nullopt;
}

}  // namespace ordo::inline v0::suffix
