#include "ordo/suffix/fm_index.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/index/run_index_layout.hpp"
#include "suffix/index/run_positions.hpp"
#include "suffix/text/checked_position.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::array<char, 8> magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '1'},
    packed_magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '3'};
constexpr std::size_t header_words = 6;

constexpr std::uint64_t packed_rows = fm_view::packed_rows, packed_bytes = fm_view::packed_bytes;
constexpr std::uint32_t has_listed = fm_view::has_listed;
constexpr std::uint8_t in_runs = fm_symbols::in_runs;
constexpr std::uint64_t run_bytes = 16;

constexpr std::uint64_t round_up(std::uint64_t unit, std::uint64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t word_at(char const* at, std::size_t i) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at + 8 * i, 8);
  return word;
}

std::uint32_t count_at(char const* at, std::size_t i) noexcept {
  std::uint32_t count;
  std::memcpy(&count, at + 4 * i, 4);
  return count;
}

}  // namespace

/// The places in the file: a header of 64-bit words (magic, rows, records, sample, bits of an entry, symbols); the byte of each
/// symbol but the first, and the count of each; counts before each 2^31 rows; blocks, each of a 32-bit count for each symbol
/// and then the bit planes of its rows; the record of each letter '$' in the order of rows; samples. Parts begin at multiples
/// of 8 bytes.
///
/// The packed layout has after the counts the code of each symbol in the bit planes, or 4, and its number of runs. Only the
/// four symbols with codes have counts before each 2^23 blocks and in blocks, which begin at multiples of 64 bytes. After the
/// blocks are the runs of each other symbol: its first row, and how many rows with that symbol are before it. After the
/// samples is the text, as text_letters takes it: two bits a letter, by the same codes, and eight bytes; then the runs of other
/// letters, which take the rest of the file.
struct fm_index::layout {
  bool packed;
  std::uint64_t rows, records, sample, width, symbols;
  std::uint64_t planes, block_rows, block_bytes, blocks, supers, counted;
  std::uint64_t symbols_at, super_at, blocks_at, runs_at, ends_at, samples_at, codes_at, text_runs_at, bytes;

  /// The parts but for the text's runs, of which there are text_runs.
  layout(bool is_packed, std::uint64_t n, std::uint64_t num_records, std::uint64_t distance, std::uint64_t entry_bits,
         std::uint64_t num_symbols, std::uint64_t runs, std::uint64_t text_runs = 0)
      : packed(is_packed),
        rows(n + num_records),
        records(num_records),
        sample(distance),
        width(entry_bits),
        symbols(num_symbols) {
    planes = packed ? 2 : std::uint64_t(std::max(1, int(std::bit_width(symbols - 1))));
    counted = packed ? 4 : symbols;
    // The counts take about a third of a block of few symbols, and less of one of many.
    block_rows = packed ? packed_rows : std::bit_ceil(std::max<std::uint64_t>(256, symbols * 32));
    block_bytes = packed ? packed_bytes : round_up(8, symbols * 4) + planes * (block_rows / 8);
    blocks = rows / block_rows + 1;
    supers = packed ? ((blocks - 1) >> fm_view::packed_super_shift) + 1 : (rows >> fm_view::super_shift) + 1;
    symbols_at = header_words * 8;
    super_at = symbols_at + (packed ? 4 : 2) * symbols * 8;
    blocks_at = super_at + supers * counted * 8;
    if (packed) blocks_at = round_up(packed_bytes, blocks_at);
    runs_at = blocks_at + blocks * block_bytes;
    ends_at = runs_at + runs * run_bytes;
    samples_at = ends_at + round_up(8, records * (width / 8));
    codes_at = samples_at + round_up(8, (n + sample - 1) / sample * (width / 8));
    text_runs_at = codes_at + (packed ? round_up(8, (n + 3) / 4) + text_letters::spare_bytes : 0);
    bytes = text_runs_at + text_runs * text_letters::run_bytes;
  }
  [[nodiscard]] std::uint64_t planes_at() const { return packed ? fm_view::packed_planes_at : round_up(8, symbols * 4); }
  // Returns the counts that hold before a block.
  [[nodiscard]] std::uint64_t super_counts(std::uint64_t block) const {
    return packed ? block >> fm_view::packed_super_shift : block * block_rows >> fm_view::super_shift;
  }
};

fm_index::fm_index(std::span<char const> bytes, text const& input, std::string name)
    : bytes_(bytes), name_(std::move(name)), symbols_(std::make_shared<fm_symbols>()) {
  auto const begins_with = [&](std::array<char, 8> const& word) {
    return bytes.size() >= header_words * 8 && std::memcmp(bytes.data(), word.data(), word.size()) == 0;
  };
  view_.residues = input.size();
  view_.records = input.records();
  if (!input.starts.empty()) view_.starts = input.starts.data();
  view_.symbols = symbols_.get();
  if (begins_with(run_index_layout::magic)) {
    open_runs();
    return;
  }
  view_.packed = begins_with(packed_magic);
  if (!view_.packed && !begins_with(magic)) {
    bool const is_other_version = bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end() - 1, bytes.begin());
    refuse(is_other_version ? "another version of Ordo wrote it: build the index again"
                            : "it does not begin as an FM index does");
  }
  std::array<std::uint64_t, header_words> head;
  for (std::size_t i = 0; i < head.size(); ++i) head[i] = word_at(bytes.data(), i);
  std::uint64_t const rows = view_.rows = head[1], records = view_.records, residues = view_.residues;
  std::uint64_t const sample = view_.sample = head[3];
  std::size_t const symbols = view_.num_symbols = std::size_t(head[5]);
  if (rows != residues + records || head[2] != records)
    refuse(fmt::format("{} rows for {} residues in {} records", rows, residues, records));
  if (sample == 0 || sample > std::max<std::uint64_t>(rows, 1) + (std::uint64_t{1} << 32) ||
      (head[4] != 32 && head[4] != 40 && head[4] != 64) || symbols == 0 || symbols > fm_symbols::max_symbols)
    refuse("impossible sizes");
  layout at(view_.packed, residues, records, sample, head[4], symbols, 0);
  if (at.super_at > bytes.size()) refuse(fmt::format("{} bytes, expected {}", bytes.size(), at.bytes));
  std::uint64_t runs = 0;
  if (view_.packed) {
    for (std::size_t s = 0; s < symbols; ++s)
      if (std::uint64_t const count = word_at(bytes.data() + at.symbols_at, 3 * symbols + s); count <= rows - runs)
        runs += count;
      else
        refuse("more runs than rows");
    at = layout(view_.packed, residues, records, sample, head[4], symbols, runs);
    if (at.bytes < bytes.size())
      at = layout(view_.packed, residues, records, sample, head[4], symbols, runs,
                  (bytes.size() - at.bytes) / text_letters::run_bytes);
  }
  if (at.bytes != bytes.size()) refuse(fmt::format("{} bytes, expected {}", bytes.size(), at.bytes));
  view_.planes = at.planes;
  view_.block_rows = at.block_rows;
  view_.block_bytes = at.block_bytes;
  view_.file = bytes.data();
  view_.super = bytes.data() + at.super_at;
  view_.blocks = bytes.data() + at.blocks_at;
  check_symbols(at);
  view_.ends = entries(bytes.subspan(at.ends_at, records * (head[4] / 8)), unsigned(head[4]));
  view_.samples = entries(bytes.subspan(at.samples_at, (residues + sample - 1) / sample * (head[4] / 8)), unsigned(head[4]));
  codes_at_ = at.codes_at;
  text_runs_at_ = at.text_runs_at;
  if (view_.packed) packed_text_ = packed_text(bytes.data());
}

// Sets the view of an index of runs, and checks all that searches do not.
void fm_index::open_runs() {
  if (bytes_.size() < run_index_layout::groups_at) refuse("it does not begin as an FM index does");
  run_index_layout const at = run_index_layout::read(bytes_);
  std::uint64_t const rows = view_.rows = at.rows;
  if (rows != view_.residues + view_.records || at.records != view_.records)
    refuse(fmt::format("{} rows for {} residues in {} records", rows, view_.residues, view_.records));
  if (!at.is_possible()) refuse("impossible sizes");
  if (at.bytes() != bytes_.size()) refuse(fmt::format("{} bytes, expected {}", bytes_.size(), at.bytes()));
  char const* const file = bytes_.data();
  if (reinterpret_cast<std::uintptr_t>(file) % alignof(run_length::run_block) != 0)
    throw usage_error(fmt::format("wrong address: {}: an index of runs begins at a multiple of 64 bytes", name_));
  view_.in_runs = true;
  view_.file = file;
  view_.sample = at.sample;
  view_.num_symbols = run_length::num_codes;
  view_.runs = at.view(file);
  view_.ends = entries(bytes_.subspan(at.records_at(), at.records * (at.width / 8)), unsigned(at.width));
  view_.samples = entries(bytes_.subspan(at.samples_at(), at.samples() * (at.width / 8)), unsigned(at.width));
  fm_symbols& all = *symbols_;
  all.code_of_byte.fill(in_runs);
  std::uint64_t below = 0;
  for (unsigned c = 0; c < run_length::num_codes; ++c) {
    std::uint64_t const count = word_at(file + run_index_layout::counts_at, c);
    if (count > rows - below || (c == 0 && count != view_.records)) refuse("impossible symbols");
    all.first[c] = below;
    below += count;
    if (c == 0 || count == 0) continue;
    auto const byte = static_cast<unsigned char>("$ACGTN"[c]);
    all.of_byte[byte] = std::uint16_t(c);
    if (c == run_length::n_code) continue;
    all.common[c - 1] = std::uint16_t(c);
    all.code_of_byte[byte] = std::uint8_t(c - 1);
  }
  if (below != rows) refuse("the counts of symbols are fewer than the rows");
  all.first[run_length::num_codes] = rows;
}

std::size_t fm_index::letters() const noexcept {
  if (!view_.in_runs) return view_.num_symbols == 0 ? 0 : view_.num_symbols - 1;
  std::size_t count = 0;
  for (unsigned c = 1; c < run_length::num_codes; ++c) count += symbols_->first[c + 1] != symbols_->first[c];
  return count;
}

text_letters fm_index::packed_text(char const* file) const noexcept {
  std::span<char const> const all(file, bytes_.size());
  std::array<char, 4> four{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (std::size_t const code = symbols_->code_of_byte[byte]; code != in_runs) four[code] = static_cast<char>(byte);
  return {all.subspan(codes_at_, text_runs_at_ - codes_at_), all.subspan(text_runs_at_), four};
}

// Reads bytes, counts, codes and runs of symbols.
void fm_index::check_symbols(layout const& at) {
  char const* const table = bytes_.data() + at.symbols_at;
  std::size_t const symbols = view_.num_symbols;
  fm_symbols& all = *symbols_;
  all.code_of_byte.fill(in_runs);
  std::uint64_t below = 0, runs = 0;
  for (std::size_t s = 0; s < symbols; ++s) {
    std::uint64_t const byte = word_at(table, s), count = word_at(table, symbols + s);
    if (s == 0 ? byte != 0 || count != view_.records : byte > 255 || (s > 1 && byte <= word_at(table, s - 1)) || count == 0)
      refuse("impossible symbols");
    if (count > view_.rows - below) refuse("the counts of symbols are more than the rows");
    if (s != 0) all.of_byte[byte] = std::uint16_t(s);
    all.first[s] = below;
    below += count;
    if (!view_.packed) continue;
    std::uint64_t const code = word_at(table, 2 * symbols + s), runs_of_symbol = word_at(table, 3 * symbols + s);
    bool const is_listed = code == in_runs;
    if (code > in_runs || (s == 0 && !is_listed) || (!is_listed && (all.common[code] != 0 || runs_of_symbol != 0)))
      refuse("impossible codes of symbols");
    all.code[s] = std::uint8_t(code);
    all.runs[s] = {at.runs_at + runs * run_bytes, runs_of_symbol};
    runs += runs_of_symbol;
    if (is_listed) {
      all.listed[all.num_listed++] = std::uint16_t(s);
    } else {
      all.common[code] = std::uint16_t(s);
      all.code_of_byte[byte] = std::uint8_t(code);
    }
  }
  if (below != view_.rows) refuse("the counts of symbols are fewer than the rows");
  all.first[symbols] = view_.rows;
}

void fm_index::refuse(std::string const& why) const {
  throw input_error(fmt::format("bad index: {}: {}", name_, why));
}

void fm_index::refuse_counts(interval interval) const {
  refuse(fmt::format("rows {} to {} of {}: impossible counts", interval.begin, interval.end, view_.rows));
}

void fm_index::refuse_walk(fm_view::walk const& walk, fm_view::outcome why) const {
  auto const reason = [&]() -> std::string {
    using enum fm_view::outcome;
    switch (why) {
      case bad_position:
        return fmt::format("position {} of {}", walk.position, quantity(view_.residues, "residue"));
      case bad_record:
        return "impossible record";
      case bad_symbol:
        return "impossible symbol";
      case bad_count:
        return "impossible counts";
      default:
        return "no position";
    }
  };
  refuse(fmt::format("row {}: {}", walk.first, reason()));
}

std::uint64_t fm_index::rows_before(char letter, std::uint64_t rows) const {
  auto byte = static_cast<unsigned char>(letter);
  fm_symbols const& symbols = *symbols_;
  if (std::size_t const symbol = symbols.of_byte[byte]; symbol != 0) {
    std::uint64_t const result = symbols.first[symbol] + view_.rank(symbol, std::min(rows, view_.rows));
    if (result > symbols.first[symbol + 1]) refuse(fmt::format("row {} of {}: impossible counts", rows, view_.rows));
    return result;
  }
  while (byte != 255)
    if (std::size_t const greater = symbols.of_byte[++byte]; greater != 0) return symbols.first[greater];
  return view_.rows;
}

void fm_index::make_kmers(std::uint64_t searches, unsigned threads) {
  constexpr std::size_t max_length = 11, letters_of_entry = 32;
  if (!view_.packed && !view_.in_runs) return;
  std::array<char, 4> letters{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (std::size_t const code = symbols_->code_of_byte[byte]; code != in_runs) letters[code] = static_cast<char>(byte);
  std::uint64_t const max_entries = std::min(searches, view_.residues / letters_of_entry);
  std::vector<interval> words{all_rows()}, longer;
  pooled_arena arena(threads_for(threads));
  std::size_t length = 0;
  for (; length < max_length && 4 * words.size() <= max_entries; ++length) {
    longer.assign(4 * words.size(), {});
    for (std::size_t code = 0; code < 4; ++code) {
      if (symbols_->common[code] == 0) continue;
      char const letter = letters[code];
      interval* const to = longer.data() + code * words.size();
      constexpr std::size_t min_words = 1024;  // words of a thread
      arena.execute([&] {
        host_detail::parallel_each(words.size(), min_words, [&](std::size_t word) {
          if (!words[word].empty()) to[word] = before(letter, words[word]);
        });
      });
    }
    words.swap(longer);
  }
  if (length == 0) return;
  kmers_ = std::make_shared<std::vector<interval> const>(std::move(words));
  view_.kmers = kmers_->data();
  view_.kmer_length = length;
}

void fm_index::find(std::span<std::string_view const> patterns, std::span<row_range> rows) const {
  if (rows.size() != patterns.size())
    throw usage_error(fmt::format("wrong array size: search: {} results for {} patterns", rows.size(), patterns.size()));
  struct lane {
    std::size_t pattern;
    std::size_t left;  // letters
    interval at;
  };
  constexpr std::size_t max_lanes = 16;
  std::array<lane, max_lanes> lanes;
  std::size_t active = 0, next = 0;
  auto const start = [&](lane& lane) {
    if (next == patterns.size()) return false;
    lane.pattern = next;
    lane.at = last_letters(patterns[next], lane.left);
    ++next;
    return true;
  };
  while (active < max_lanes && start(lanes[active])) ++active;
  while (active != 0)
    for (std::size_t i = 0; i < active;) {
      lane& lane = lanes[i];
      if (lane.left == 0 || lane.at.empty()) {
        rows[lane.pattern] = this->rows(lane.at);
        if (!start(lane)) std::swap(lane, lanes[--active]);
        continue;
      }
      lane.at = before(patterns[lane.pattern][--lane.left], lane.at);
      prefetch(lane.at);
      ++i;
    }
}

std::uint64_t fm_index::position(std::size_t row) const {
  if (row >= view_.residues) refuse(fmt::format("row {} of {}", row, view_.residues));
  fm_view::walk walk{row, row};
  fm_view::outcome end;
  while ((end = view_.step(walk)) == fm_view::outcome::row) {}
  if (end != fm_view::outcome::position) refuse_walk(walk, end);
  return walk.position;
}

void fm_index::positions(std::span<std::uint64_t> rows) const {
  if (view_.in_runs) {
    auto const refuse = [this](fm_view::walk const& walk, fm_view::outcome why) { refuse_walk(walk, why); };
    run_positions(view_, rows, refuse).find();
    return;
  }
  constexpr std::size_t max_lanes = 16;
  std::array<fm_view::walk, max_lanes> walks;
  std::array<std::size_t, max_lanes> item;
  std::size_t active = 0, next = 0;
  auto const start = [&](std::size_t lane) {
    if (next == rows.size()) return false;
    if (rows[next] >= view_.residues) refuse(fmt::format("row {} of {}", rows[next], view_.residues));
    walks[lane] = {rows[next], rows[next]};
    item[lane] = next++;
    view_.prefetch(walks[lane].row + view_.records);
    return true;
  };
  while (active < max_lanes && start(active)) ++active;
  while (active != 0)
    for (std::size_t i = 0; i < active;) {
      if (fm_view::outcome const end = view_.step(walks[i]); end == fm_view::outcome::row) {
        view_.prefetch(walks[i]);
        ++i;
        continue;
      } else if (end != fm_view::outcome::position) {
        refuse_walk(walks[i], end);
      }
      rows[item[i]] = walks[i].position;
      if (start(i)) continue;
      --active;
      walks[i] = walks[active];
      item[i] = item[active];
    }
}

namespace {

/// What a text consists of.
struct letter_counts {
  std::array<std::uint64_t, 256> of{};
  std::array<std::uint64_t, 256> runs{};  // runs of equal letters
};

letter_counts count_letters(std::string_view residues) {
  host_detail::blocks const parts(residues.size(), std::size_t{1} << 16);
  std::vector<letter_counts> of_part(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      auto const byte = static_cast<unsigned char>(residues[p]);
      ++of_part[part].of[byte];
      of_part[part].runs[byte] += p == 0 || residues[p - 1] != residues[p];
    }
  });
  letter_counts all;
  for (letter_counts const& counts : of_part)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      all.of[byte] += counts.of[byte];
      all.runs[byte] += counts.runs[byte];
    }
  return all;
}

/// The symbols of a text: the ends of records, then its letters.
struct symbol_table {
  std::array<std::uint16_t, 256> symbol_by_byte{};
  std::vector<std::uint64_t> bytes{0}, counts, codes{in_runs};
  bool packed = false;

  symbol_table(letter_counts const& letters, std::uint64_t records, std::uint64_t rows) : counts{records} {
    std::vector<std::size_t> by_count;
    for (std::size_t byte = 0; byte < 256; ++byte)
      if (letters.of[byte] != 0) {
        symbol_by_byte[byte] = std::uint16_t(bytes.size());
        by_count.push_back(byte);
        bytes.push_back(byte);
        counts.push_back(letters.of[byte]);
        codes.push_back(in_runs);
      }
    std::ranges::stable_sort(by_count, std::ranges::greater{}, [&](std::size_t byte) { return letters.of[byte]; });
    std::uint64_t runs = records;
    for (std::size_t k = 0; k < by_count.size(); ++k)
      if (k < 4)
        codes[symbol_by_byte[by_count[k]]] = k;
      else
        runs += letters.runs[by_count[k]];
    // A run of equal letters is before few runs of rows: its suffixes but the shortest are before that letter, and the rows
    // of those are adjacent, except where the row of the longest suffix of some run lies between.
    packed = 3 * runs <= 64 + rows / packed_rows / 4;
  }
};

/// Rows with the same symbol that is in no bit plane.
struct listed_run {
  std::uint64_t symbol, begin, size;
};

void add_row(std::vector<listed_run>& runs, std::uint64_t symbol, std::uint64_t row, std::uint64_t size = 1) {
  if (!runs.empty() && runs.back().symbol == symbol && runs.back().begin + runs.back().size == row)
    runs.back().size += size;
  else
    runs.push_back({symbol, row, size});
}

/// Packs the letters of a text by their codes.
/// @returns the runs of letters without a code: begin, end, letter
std::vector<std::array<std::uint64_t, 3>> pack_letters(std::string_view residues, symbol_table const& symbols, char* codes) {
  std::array<std::uint8_t, 256> letter_codes{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (std::size_t const symbol = symbols.symbol_by_byte[byte]; symbol != 0)
      letter_codes[byte] = std::uint8_t(symbols.codes[symbol]);
  host_detail::blocks const parts((residues.size() + 3) / 4, std::size_t{1} << 14);
  std::vector<std::vector<std::array<std::uint64_t, 3>>> runs(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    for (std::size_t byte = begin; byte < end; ++byte) {
      unsigned four = 0;
      for (std::size_t p = 4 * byte; p < std::min(4 * byte + 4, residues.size()); ++p) {
        auto const letter = static_cast<unsigned char>(residues[p]);
        if (letter_codes[letter] != in_runs)
          four |= unsigned(letter_codes[letter]) << 2 * (p % 4);
        else if (!runs[part].empty() && runs[part].back()[1] == p && runs[part].back()[2] == letter)
          ++runs[part].back()[1];
        else
          runs[part].push_back({p, p + 1, letter});
      }
      codes[byte] = static_cast<char>(four);
    }
  });
  std::vector<std::array<std::uint64_t, 3>> all;
  for (auto const& some : runs)
    for (auto const& stretch : some)
      if (!all.empty() && all.back()[1] == stretch[0] && all.back()[2] == stretch[2])
        all.back()[1] = stretch[1];
      else
        all.push_back(stretch);
  return all;
}

/// Computes the letter before each row's position.
class row_letters {
 public:
  row_letters(text const& input, entries sa, std::string const& name, symbol_table const& symbols)
      : input_(input), sa_(sa), name_(name), symbols_(symbols), record_at_(input) {}

  /// Returns the symbol of a row, and stores the record if it is 0. @throws input_error
  std::size_t operator()(std::uint64_t row, std::uint64_t& record) const {
    std::uint64_t const records = input_.records(), n = input_.size();
    constexpr std::uint64_t ahead = 16;
    if (row + ahead < n + records && row + ahead >= records)
      __builtin_prefetch(input_.residues.data() + std::min<std::uint64_t>(sa_[row + ahead - records], n));
    std::uint64_t p;  // the letter before p, in the record
    if (row < records) {
      record = row;
      p = input_.end(row);
    } else {
      p = detail::checked_position(sa_[row - records], n, name_, row - records);
      record = record_at_(p);
    }
    return p == input_.begin(record) ? 0 : symbols_.symbol_by_byte[static_cast<unsigned char>(input_.residues[p - 1])];
  }

 private:
  text const& input_;
  entries sa_;
  std::string const& name_;
  symbol_table const& symbols_;
  record_finder record_at_;
};

}  // namespace

std::vector<char> make_fm_index(text const& input, entries sa, std::uint64_t sample, std::string const& name, unsigned threads,
                                std::size_t max_bytes) {
  std::uint64_t const n = input.size(), records = input.records();
  if (sa.size() != n) throw usage_error(fmt::format("wrong array size: FM index: {} rows for {} residues", sa.size(), n));
  if (input.residue_bytes != 1) throw usage_error("no bytes: FM index: it is of bytes, not of tokens");
  if (sample == 0) throw usage_error("invalid sample: FM index: 0: positions of every first row at least");
  std::vector<char> file;
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    symbol_table const table(count_letters(input.residues), records, n + records);
    std::size_t const symbols = table.bytes.size();
    auto const layout_for = [&](std::uint64_t runs, std::uint64_t text_runs = 0) {
      return fm_index::layout(table.packed, n, records, sample, sa.width(), symbols, runs, text_runs);
    };
    fm_index::layout at = layout_for(0);
    auto const check_size = [&](std::uint64_t bytes) {
      if (bytes > max_bytes)
        throw out_of_memory(fmt::format("out of memory: FM index: {} bytes are needed, {} are available", bytes, max_bytes),
                            bytes);
    };
    check_size(at.bytes);
    // Room for the runs, of which there are few, without a second copy of the blocks.
    file.reserve(at.bytes + (table.packed ? (run_bytes + text_letters::run_bytes) * (64 + at.blocks / 4) : 0));
    file.assign(at.runs_at, '\0');
    auto const write_word = [&](std::uint64_t offset, std::uint64_t word) { std::memcpy(file.data() + offset, &word, 8); };
    std::memcpy(file.data(), (table.packed ? packed_magic : magic).data(), magic.size());
    std::size_t word = 0;
    for (std::uint64_t const value : {at.rows, records, sample, std::uint64_t(sa.width()), std::uint64_t(symbols)})
      write_word(8 * ++word, value);
    for (std::size_t s = 0; s < symbols; ++s) {
      write_word(at.symbols_at + 8 * s, table.bytes[s]);
      write_word(at.symbols_at + 8 * (symbols + s), table.counts[s]);
      if (table.packed) write_word(at.symbols_at + 8 * (2 * symbols + s), table.codes[s]);
    }

    // Planes, the counts inside each block, runs, and the records whose first letter is at a row.
    row_letters const letters(input, sa, name, table);
    std::size_t const words = at.block_rows / 64;
    host_detail::blocks const ranges(at.blocks, 16);
    std::vector<std::vector<std::uint64_t>> ends(ranges.count);
    std::vector<std::vector<listed_run>> runs(ranges.count);
    ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> planes(at.planes * words);
      std::vector<std::uint32_t> inside(at.counted);
      for (std::size_t block = first; block < last; ++block) {
        std::ranges::fill(planes, 0);
        std::ranges::fill(inside, 0);
        std::uint64_t const begin = block * at.block_rows, end = std::min(begin + at.block_rows, at.rows);
        bool listed = false;
        for (std::uint64_t row = begin; row < end; ++row) {
          std::uint64_t record = 0;
          std::size_t const symbol = letters(row, record);
          if (symbol == 0) ends[range].push_back(record);
          std::size_t code = symbol;
          if (table.packed) {
            code = table.codes[symbol];
            if (code == in_runs) {
              add_row(runs[range], symbol, row);
              listed = true;
              continue;
            }
          }
          ++inside[code];
          std::size_t const bit = std::size_t(row - begin);
          for (std::size_t plane = 0; plane < at.planes; ++plane)
            planes[plane * words + bit / 64] |= std::uint64_t(code >> plane & 1) << (bit % 64);
        }
        if (listed) inside[0] |= has_listed;
        char* const to = file.data() + at.blocks_at + block * at.block_bytes;
        std::memcpy(to, inside.data(), 4 * inside.size());
        std::memcpy(to + at.planes_at(), planes.data(), 8 * planes.size());
      }
    });

    // From the counts inside blocks to those before blocks.
    std::vector<std::uint64_t> before(at.counted), super(at.counted);
    for (std::uint64_t block = 0, last_super = ~std::uint64_t{0}; block < at.blocks; ++block) {
      if (std::uint64_t const number = at.super_counts(block); number != last_super) {
        last_super = number;
        super = before;
        std::memcpy(file.data() + at.super_at + number * at.counted * 8, super.data(), 8 * at.counted);
      }
      char* const to = file.data() + at.blocks_at + block * at.block_bytes;
      for (std::size_t s = 0; s < at.counted; ++s) {
        std::uint32_t const flag = table.packed ? count_at(to, s) & has_listed : 0, inside = count_at(to, s) & ~flag;
        std::uint32_t const relative = std::uint32_t(before[s] - super[s]) | flag;
        std::memcpy(to + 4 * s, &relative, 4);
        before[s] += inside;
      }
    }

    // Runs by symbol.
    std::vector<std::vector<listed_run>> of_symbol(table.packed ? symbols : 0);
    std::uint64_t num_runs = 0;
    for (auto const& some : runs)
      for (listed_run const& run : some) add_row(of_symbol[run.symbol], run.symbol, run.begin, run.size);
    for (std::size_t s = 0; s < of_symbol.size(); ++s) {
      write_word(at.symbols_at + 8 * (3 * symbols + s), of_symbol[s].size());
      num_runs += of_symbol[s].size();
    }
    at = layout_for(num_runs);
    check_size(at.bytes);
    file.resize(at.bytes);
    std::uint64_t to = at.runs_at;
    for (auto const& some : of_symbol) {
      std::uint64_t below = 0;
      for (listed_run const& run : some) {
        write_word(to, run.begin);
        write_word(to + 8, below);
        below += run.size;
        to += run_bytes;
      }
    }

    unsigned const entry = sa.width() / 8;
    std::uint64_t num_ends = 0;
    for (auto const& some : ends)
      for (std::uint64_t const record : some) {
        if (num_ends == records) throw input_error(fmt::format("bad index: {}: a position is there twice", name));
        store_entry(file.data() + at.ends_at + num_ends++ * entry, entry, record);
      }
    if (num_ends != records) throw input_error(fmt::format("bad index: {}: the start of a record has no row", name));
    host_detail::blocks((n + sample - 1) / sample, std::size_t{1} << 14)
        .run([&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) store_entry(file.data() + at.samples_at + i * entry, entry, sa[i * sample]);
        });
    if (!table.packed) return;
    auto const text_runs = pack_letters(input.residues, table, file.data() + at.codes_at);
    at = layout_for(num_runs, text_runs.size());
    check_size(at.bytes);
    file.resize(at.bytes);
    static_assert(sizeof(text_runs[0]) == text_letters::run_bytes);
    if (!text_runs.empty())
      std::memcpy(file.data() + at.text_runs_at, text_runs.data(), text_runs.size() * text_letters::run_bytes);
  });
  return file;
}

}  // namespace ordo::inline v0::suffix
