#include "ordo/suffix/export.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"

namespace ordo::inline v0::suffix {
namespace {

/// Writes numbers and texts to a sink through a buffer.
class writer {
 public:
  explicit writer(sink& to) : to_(to) {}

  void number(std::uint64_t value, unsigned bytes) {
    char* const at = room(bytes);
    if (bytes == 1)
      *at = static_cast<char>(value);
    else
      store_entry(at, bytes, value);
  }
  void text(std::string_view letters) {
    flush();
    to_.write(letters);
  }
  void flush() {
    to_.write(std::span<char const>(buffer_.data(), used_));
    used_ = 0;
  }

 private:
  char* room(unsigned bytes) {
    if (used_ + bytes > buffer_.size()) flush();
    used_ += bytes;
    return buffer_.data() + used_ - bytes;
  }
  sink& to_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 20);
  std::size_t used_ = 0;
};

std::uint64_t position(stored_index const& index, entries sa, std::size_t row) {
  std::uint64_t const p = sa[row], n = index.description().residues;
  if (p >= n) throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", index.path("sa"), row, p, n));
  return p;
}

void write_positions(stored_index const& index, unsigned bytes, writer& out) {
  entries const sa = index.array("sa");
  for (std::size_t row = 0; row < sa.size(); ++row) out.number(position(index, sa, row), bytes);
}

void write_raw(stored_index const& index, unsigned bytes, sink& to) {
  std::uint64_t const n = index.description().residues;
  if (bytes < 8 && n > std::uint64_t{1} << (8 * bytes))
    throw input_error(fmt::format("too many positions: {}: {} residues do not fit {} bits", index.path("sa"), n, 8 * bytes));
  to.expect(index.array("sa").size() * bytes);
  writer out(to);
  write_positions(index, bytes, out);
  out.flush();
}

void write_sdsl(stored_index const& index, sink& to) {
  unsigned const width = index.description().width;
  std::uint64_t const rows = index.array("sa").size(), bits = rows * width, words = (bits + 63) / 64;
  to.expect(9 + 8 * words);
  writer out(to);
  out.number(bits, 8);
  out.number(width, 1);
  write_positions(index, width / 8, out);
  for (std::uint64_t bytes = rows * (width / 8); bytes < 8 * words; ++bytes) out.number(0, 1);
  out.flush();
}

void write_sufr(stored_index const& index, sink& to) {
  if (index.description().input != input_format::fasta)
    throw input_error(fmt::format("cannot export: {}: sufr holds letters of FASTA", index.path("json")));
  text const input = index.view();
  entries const sa = index.array("sa"), lcp = index.array("lcp");
  if (lcp.empty() && !sa.empty())
    throw input_error(fmt::format("no LCP array: {}: sufr needs one (build --lcp)", index.path("json")));
  policy const& rules = index.description().policy;
  if (rules.cuts() || rules.sample != 1)
    throw input_error(fmt::format("cannot export: {}: sufr has no pieces of records, no reverse complements and no samples",
                                  index.path("json")));
  std::uint64_t const n = input.size(), records = input.records(), text_bytes = n + records, rows = sa.size() + 1;
  unsigned const entry = text_bytes < std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
  constexpr std::uint64_t head = 4 + 7 * 8;
  std::uint64_t const text_at = head + records * entry + 8, sa_at = text_at + text_bytes, lcp_at = sa_at + rows * entry;
  std::uint64_t names = 8;
  for (std::size_t r = 0; r < records; ++r) names += 8 + index.description().names[r].size();
  to.expect(lcp_at + rows * entry + names);

  bool const dna = input.residues.find_first_not_of("ACGTURYSWKMBDHVNacgturyswkmbdhvn") == input.residues.npos;
  writer out(to);
  unsigned const all_letters = rules.ambiguous == ambiguous_letters::symbol;
  for (unsigned const byte : {6u, unsigned(dna), all_letters, 0u}) out.number(byte, 1);  // the last one: is the mask ignored?
  for (std::uint64_t const value : {text_bytes, text_at, sa_at, lcp_at, rows, std::uint64_t{0}, records}) out.number(value, 8);
  for (std::size_t r = 0; r < records; ++r) out.number(input.begin(r) + r, entry);
  out.number(0, 8);  // no seed mask
  for (std::size_t r = 0; r < records; ++r) {
    out.text(input.residues.substr(input.begin(r), input.end(r) - input.begin(r)));
    out.number(static_cast<unsigned char>(r + 1 == records ? '$' : '%'), 1);
  }
  out.number(text_bytes - 1, entry);
  record_finder const record_at(input);
  for (std::size_t row = 0; row < sa.size(); ++row) {
    std::uint64_t const p = position(index, sa, row);
    out.number(p + record_at(p), entry);
  }
  out.number(0, entry);
  for (std::size_t row = 0; row < lcp.size(); ++row) {
    if (lcp[row] > n)
      throw input_error(fmt::format("bad index: {}: row {}: LCP of {} in {} residues", index.path("lcp"), row, lcp[row], n));
    out.number(lcp[row], entry);
  }
  out.number(records, 8);
  for (std::size_t r = 0; r < records; ++r) {
    std::string_view const name = index.description().names[r];
    out.number(name.size(), 8);
    out.text(name);
  }
  out.flush();
}

/// Returns the bytes of the tokens of some records, each with the token before it.
std::uint64_t shard_bytes(text const& input, std::size_t first, std::size_t last) {
  if (first == last) return 0;
  return (input.end(last - 1) - input.begin(first) + (last - first)) * input.residue_bytes;
}

/// Appends the records of a shard to `tokens`.
void append_shard(stored_index const& index, infini_gram_shard const& shard, std::string& tokens) {
  text const input = index.view();
  std::size_t const size = input.residue_bytes;
  std::string const separator(size, '\xff');
  for (std::size_t r = shard.first_record; r < shard.last_record; ++r) {
    tokens += separator;
    std::string_view const record = input.residues.substr(input.begin(r) * size, (input.end(r) - input.begin(r)) * size);
    for (std::size_t at = record.find(separator); at != record.npos; at = record.find(separator, at + 1))
      if (at % size == 0) {
        std::string name;
        index.description().append_name(name, r);
        throw input_error(fmt::format(
            "cannot export: {}: record {} holds the {} {} at {}, which precedes records in infini-gram", index.path("json"),
            name, size == 1 ? "byte" : "token", (std::uint64_t{1} << (8 * size)) - 1, at / size));
      }
    tokens += record;
  }
}

template <class Index>
void write_table(text const& input, unsigned pointer_bytes, sink& to, build_options const& options) {
  auto const sorted = build<Index>(input, extra_arrays{}, options);
  to.expect(sorted.sa.size() * pointer_bytes);
  writer out(to);
  for (Index const position : sorted.sa) out.number(std::uint64_t{position} * input.residue_bytes, pointer_bytes);
  out.flush();
}

/// Reverses the bytes of each token, so that the order of numbers is the order of raw bytes.
template <class Token>
std::vector<Token> reversed_bytes(std::string_view tokens) {
  std::vector<Token> all(tokens.size() / sizeof(Token));
  if (!all.empty()) std::memcpy(all.data(), tokens.data(), tokens.size());
  for (Token& token : all) {
    auto* const bytes = reinterpret_cast<char*>(&token);
    std::reverse(bytes, bytes + sizeof(Token));
  }
  return all;
}

void write_table(std::string_view tokens, unsigned size, sink& to, build_options const& options) {
  unsigned pointer_bytes = 1;
  while (pointer_bytes < 8 && tokens.size() > std::uint64_t{1} << (8 * pointer_bytes)) ++pointer_bytes;
  auto const write = [&](text const& input) {
    if (index_fits(sizeof(std::uint32_t), input.size(), 1))
      write_table<std::uint32_t>(input, pointer_bytes, to, options);
    else
      write_table<std::uint64_t>(input, pointer_bytes, to, options);
  };
  if (size == 1) return write({tokens});
  if (size == 2) return write(make_text(std::span<std::uint16_t const>(reversed_bytes<std::uint16_t>(tokens))));
  write(make_text(std::span<std::uint32_t const>(reversed_bytes<std::uint32_t>(tokens))));
}

}  // namespace

void export_index(stored_index const& index, export_format format, sink& to) {
  switch (format) {
    case export_format::raw32:
      return write_raw(index, 4, to);
    case export_format::raw40:
      return write_raw(index, 5, to);
    case export_format::raw64:
      return write_raw(index, 8, to);
    case export_format::sdsl:
      return write_sdsl(index, to);
    case export_format::sufr:
      return write_sufr(index, to);
  }
}

std::vector<std::size_t> infini_gram_shards(stored_index const& index, std::uint64_t max_bytes) {
  text const input = index.view();
  std::size_t const records = input.records();
  std::vector<std::size_t> first{0};
  for (std::size_t r = 1; r < records; ++r)
    if (shard_bytes(input, first.back(), r + 1) > max_bytes) first.push_back(r);
  first.push_back(records);
  return first;
}

void export_infini_gram(stored_index const& index, infini_gram_shard const& shard, build_options const& options) {
  if (index.description().policy.cuts())
    throw input_error(
        fmt::format("cannot export: {}: infini-gram has no pieces of records and no reverse complements", index.path("json")));
  text const input = index.view();
  std::uint64_t const bytes = shard_bytes(input, shard.first_record, shard.last_record);
  std::string tokens;
  tokens.reserve(bytes);
  append_shard(index, shard, tokens);
  shard.tokenized->expect(bytes);
  shard.tokenized->write(std::span<char const>(tokens));
  shard.offset->expect((shard.last_record - shard.first_record) * 8);
  writer offsets(*shard.offset);
  for (std::size_t r = shard.first_record; r < shard.last_record; ++r)
    offsets.number(shard_bytes(input, shard.first_record, r), 8);
  offsets.flush();
  write_table(tokens, input.residue_bytes, *shard.table, options);
}

}  // namespace ordo::inline v0::suffix
