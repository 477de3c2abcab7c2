#include "sort_core/host/packed_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "sort_core/algorithms/run_task.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/host/column_codes.hpp"
#include "sort_core/host/vectorized.hpp"
#include "sort_core/operations/rows.hpp"

namespace ordo::inline v0::host_detail {
namespace {

constexpr unsigned word_bits = 64;
constexpr std::size_t chunk_rows = 512;  // rows whose codes stay in the first cache
constexpr std::size_t min_block = std::size_t{1} << 14;
/// Fewer keys of a column move in less time, with their positions.
template <class K>
constexpr std::size_t min_keys = sizeof(K) == 8 ? parallel_limit : 4 * parallel_limit;
constexpr unsigned min_key_bits = 8;                        // keys of fewer bits are distributed in less time
constexpr std::size_t max_in_cache = std::size_t{1} << 18;  // rows that are found by their positions in little time
constexpr std::size_t max_words = 64;                       // in a row, by each of which it may be sorted

/// Returns true if one thread sorts n words in their place, by vectors, in less time than digits distribute them.
bool sorts_alone(host_backend& backend, std::size_t n) {
  constexpr std::size_t word = sizeof(std::uint64_t), of_64_bytes = 128;
  if (max_vector_keys(word) != ~std::size_t{0}) return false;
  return n <= parallel_limit ? network_keys(word) >= of_64_bytes : backend.arena().max_concurrency() == 1;
}

using chunk = std::array<std::uint64_t, chunk_rows>;

/// The range of some codes, and the bits in which they differ.
struct code_range {
  std::uint64_t least = ~std::uint64_t{0}, greatest = 0;
  std::uint64_t all = ~std::uint64_t{0}, any = 0;  // bits that all codes have, and that some have
  bool has_null = false, has_valid = false;

  void add(std::span<std::uint64_t const> codes) {
    for (std::uint64_t const code : codes) {
      all &= code;
      any |= code;
    }
    // Several of each: a minimum waits for the one before.
    constexpr std::size_t ways = 4;
    std::array<std::uint64_t, ways> low, high;
    low.fill(least);
    high.fill(greatest);
    std::size_t i = 0;
    for (; i + ways <= codes.size(); i += ways)
      for (std::size_t w = 0; w < ways; ++w) {
        low[w] = std::min(low[w], codes[i + w]);
        high[w] = std::max(high[w], codes[i + w]);
      }
    for (std::uint64_t const code : codes.subspan(i)) {
      low[0] = std::min(low[0], code);
      high[0] = std::max(high[0], code);
    }
    least = std::min({low[0], low[1], low[2], low[3]});
    greatest = std::max({high[0], high[1], high[2], high[3]});
  }
  void add(code_range const& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    all &= other.all;
    any |= other.any;
    has_null = has_null || other.has_null;
    has_valid = has_valid || other.has_valid;
  }
  [[nodiscard]] bool differs() const { return least < greatest; }
  /// Returns the number of the lowest bits in which all codes agree: numbers in floating point have many, and times that are
  /// finer than they are measured.
  [[nodiscard]] unsigned low() const { return unsigned(std::countr_zero(all ^ any)); }
  /// Returns the bits of the differences from the least code, without the lowest.
  [[nodiscard]] unsigned width() const { return differs() ? unsigned(std::bit_width(greatest - least)) - low() : 0; }
};

/// Calls f(begin, end) for blocks of rows, and returns all of what it returns.
template <class F>
code_range find_range(host_backend& backend, std::size_t n, F f) {
  code_range all;
  run_in(backend.arena(), [&] {
    blocks const parts(n, min_block);
    std::vector<code_range> ranges(parts.count);
    parts.run([&](std::size_t part, std::size_t begin, std::size_t end) { ranges[part] = f(begin, end); });
    for (code_range const& range : ranges) all.add(range);
  });
  return all;
}

/// The bits of keys of one column.
template <class K>
class key_bits {
 public:
  key_bits(host_backend& backend, detail::sort_task const& task)
      : code_(detail::codes_for<K>(task)), mask_(detail::bit_mask<K>(detail::clipped<K>(task.bits))) {
    code_range const range = find_range(backend, task.n, [this](std::size_t begin, std::size_t end) {
      code_range own;
      chunk room;
      for (std::size_t first = begin; first < end; first += chunk_rows) {
        std::span const codes(room.data(), std::min(chunk_rows, end - first));
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = code(first + i);
        own.add(codes);
      }
      return own;
    });
    least_ = range.least;
    size_ = range.width();
    low_ = size_ == 0 ? 0 : range.low();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns `count` bits of a row after the first `used`.
  [[nodiscard]] std::uint64_t at(std::size_t row, std::size_t used, unsigned count) const {
    return (code(row) - least_) >> (low_ + size_ - used - count) & detail::bit_mask<std::uint64_t>({0, count});
  }
  /// Writes the first `count` bits of rows [begin, end), and below them their positions in `places` bits.
  void write(std::size_t begin, std::size_t end, unsigned count, unsigned places, std::uint64_t* words) const {
    unsigned const below = low_ + size_ - count;
    for (std::size_t i = begin; i < end; ++i) words[i] = (code(i) - least_) >> below << places | i;
  }

 private:
  [[nodiscard]] std::uint64_t code(std::size_t row) const { return code_(row) & mask_; }

  detail::code_at<K> code_;
  K mask_;
  std::uint64_t least_ = 0;
  unsigned size_ = 0, low_ = 0;
};

/// Writes ones for rows that are null, and zeros for others, from row `first` on.
void write_nulls(detail::packed_column const& column, std::size_t first, std::span<std::uint64_t> to) {
  std::uint64_t bit = column.validity_offset + first;
  for (std::uint64_t& mask : to) {
    mask = std::uint64_t(column.validity[bit / 8] >> (bit % 8) & 1) - 1;
    ++bit;
  }
}

/// The bits of rows of several columns: of each column, the bits in which the differences from its least code differ, below a
/// bit for null. The first column has the highest.
class row_bits {
 public:
  row_bits(host_backend& backend, detail::operation_task const& task) {
    for (detail::packed_column const& column : detail::packed_columns(task)) {
      code_range const all =
          find_range(backend, task.sort.n, [&](std::size_t begin, std::size_t end) { return range(column, begin, end); });
      if (column.has_flag && all.has_null && all.has_valid) add({column, true, 0, 0, 1, size_});
      if (all.differs()) add({column, false, all.least, all.low(), all.width(), size_});
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Returns `count` bits of a row after the first `used`.
  [[nodiscard]] std::uint64_t at(std::size_t row, std::size_t used, unsigned count) const {
    std::uint64_t word = 0;
    std::size_t const end = used + count;
    for (part const& p : parts_)
      if (p.end() > used && p.begin < end) word |= p.share(p.value(row), used, end);
    return word;
  }
  /// Writes the first `count` bits of rows [begin, end), and below them their positions in `places` bits.
  void write(std::size_t begin, std::size_t end, unsigned count, unsigned places, std::uint64_t* words) const {
    chunk room_for_values, room_for_nulls;
    for (std::size_t first = begin; first < end; first += chunk_rows) {
      std::span const to(words + first, std::min(chunk_rows, end - first));
      std::span const values(room_for_values.data(), to.size()), nulls(room_for_nulls.data(), to.size());
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = first + i;
      for (part const& p : parts_) {
        if (p.begin >= count) break;
        unsigned const last = unsigned(std::min<std::size_t>(p.end(), count));
        p.write_values(first, values, nulls);
        unsigned const down = unsigned(p.end() - last), up = places + count - last;
        for (std::size_t i = 0; i < to.size(); ++i) to[i] |= values[i] >> down << up;
      }
    }
  }

 private:
  /// Bits of a row: the differences of a column's codes from the least, or a bit for null.
  struct part {
    detail::packed_column column;
    bool is_flag;
    std::uint64_t least;
    unsigned low, width;
    std::size_t begin;  // the number of bits before it

    [[nodiscard]] std::size_t end() const { return begin + width; }
    [[nodiscard]] std::uint64_t value(std::size_t row) const {
      bool const is_null = column.is_null(row);
      if (is_flag) return is_null != column.nulls_first;
      return is_null ? 0 : (column.code_at(row) - least) >> low;
    }
    /// Returns what a value has of the bits [first, last) of its row.
    [[nodiscard]] std::uint64_t share(std::uint64_t value, std::size_t first, std::size_t last) const {
      std::size_t const from = std::max(first, begin), to = std::min(last, end());
      return (value >> (end() - to) & detail::bit_mask<std::uint64_t>({0, unsigned(to - from)})) << (last - to);
    }
    void write_values(std::size_t row, std::span<std::uint64_t> to, std::span<std::uint64_t> nulls) const {
      if (column.validity) write_nulls(column, row, nulls);
      if (is_flag) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = (nulls[i] & 1) ^ std::uint64_t(column.nulls_first);
        return;
      }
      write_codes(column, row, to);
      for (std::uint64_t& code : to) code = (code - least) >> low;
      if (column.validity)
        for (std::size_t i = 0; i < to.size(); ++i) to[i] &= ~nulls[i];
    }
  };

  void add(part const& p) {
    parts_.push_back(p);
    size_ += p.width;
  }
  /// Returns the range of the codes of rows that are not null.
  static code_range range(detail::packed_column const& column, std::size_t begin, std::size_t end) {
    code_range all;
    chunk room_for_codes, room_for_nulls;
    std::uint64_t any_null = 0, all_null = ~std::uint64_t{0};
    for (std::size_t first = begin; first < end; first += chunk_rows) {
      std::span const codes(room_for_codes.data(), std::min(chunk_rows, end - first)),
          nulls(room_for_nulls.data(), codes.size());
      write_codes(column, first, codes);
      if (column.validity) {
        write_nulls(column, first, nulls);
        for (std::size_t i = 0; i < codes.size(); ++i) {
          any_null |= nulls[i];
          all_null &= nulls[i];
          all.least = std::min(all.least, codes[i] | nulls[i]);
          all.greatest = std::max(all.greatest, codes[i] & ~nulls[i]);
          all.all &= codes[i] | nulls[i];
          all.any |= codes[i] & ~nulls[i];
        }
      } else {
        all.add(codes);
      }
    }
    all.has_null = any_null != 0;
    all.has_valid = !column.validity || all_null == 0;
    return all;
  }

  std::vector<part> parts_;
  std::size_t size_ = 0;
};

/// Some rows, each of another part of all.
constexpr std::size_t sample_size = 256;
using row_sample = std::array<std::uint64_t, sample_size>;
template <class F>
row_sample read_sample(std::size_t n, F f) {
  row_sample sample;
  sample_places at(n / sample_size);
  for (std::size_t s = 0; s < sample_size; ++s) sample[s] = f(s * (n / sample_size) + at());
  return sample;
}
/// Returns true if many words of a sample are equal. If words hold some bits of rows only, sorts by more bits would take longer
/// than those of all bits.
bool are_often_equal(row_sample& sample) {
  std::sort(sample.begin(), sample.end());
  std::size_t num_equal = 0;
  for (std::size_t s = 1; s < sample_size; ++s) num_equal += sample[s] == sample[s - 1];
  return num_equal > sample_size / 8;
}

/// Returns true if a sample of keys has so few bits, or so few different ones, that they are distributed in less time.
template <class K>
bool distribute_well(detail::sort_task const& task) {
  auto const code = detail::codes_for<K>(task);
  K const mask = detail::bit_mask<K>(detail::clipped<K>(task.bits));
  row_sample sample = read_sample(task.n, [&](std::size_t i) { return std::uint64_t(code(i) & mask); });
  code_range range;
  range.add(sample);
  unsigned const width = range.width(), fit = word_bits - unsigned(std::bit_width(task.n - 1));
  if (width <= min_key_bits || width <= fit) return width <= min_key_bits;
  for (std::uint64_t& word : sample) word = (word - range.least) >> (range.low() + width - fit);
  return are_often_equal(sample);
}
bool distribute_well(row_bits const& rows, std::size_t n) {
  unsigned const fit = word_bits - unsigned(std::bit_width(n - 1));
  if (n <= max_in_cache || rows.size() <= fit) return false;
  row_sample sample = read_sample(n, [&](std::size_t i) { return rows.at(i, 0, fit); });
  return are_often_equal(sample);
}

/// Sorts rows by their bits.
template <class Rows, class Index>
class packed_order {
 public:
  packed_order(host_backend& backend, Rows const& rows, std::span<Index> index)
      : backend_(backend),
        rows_(rows),
        index_(index.data()),
        places_(unsigned(std::bit_width(index.size() - 1))),
        memory_(backend.buffer<std::uint64_t>(index.size())),
        words_(memory_.data()) {}

  void run() {
    group const all{0, memory_.size(), 0};
    unsigned const count = next_count(0);
    for_blocks(all, [&](std::size_t begin, std::size_t end) { rows_.write(begin, end, count, places_, words_); });
    sort_on_all(all, count);
  }

 private:
  /// Rows [begin, end) of the order, which agree in the first `used` bits.
  struct group {
    std::size_t begin, end, used;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };

  [[nodiscard]] unsigned next_count(std::size_t used) const {
    return unsigned(std::min<std::size_t>(word_bits - places_, rows_.size() - used));
  }
  /// Returns true if a word differs from the one before in the position only.
  [[nodiscard]] bool agrees(std::size_t i) const { return (words_[i] ^ words_[i - 1]) >> places_ == 0; }

  template <class F>
  void for_blocks(group const& g, F f) {
    run_in(backend_.arena(), [&] {
      blocks(g.size(), min_block).run([&](std::size_t, std::size_t begin, std::size_t end) {
        f(g.begin + begin, g.begin + end);
      });
    });
  }
  /// Writes the next bits of rows of the order.
  void rewrite(std::size_t begin, std::size_t end, std::size_t used, unsigned count) {
    for (std::size_t i = begin; i < end; ++i) words_[i] = rows_.at(index_[i], used, count) << places_ | index_[i];
  }
  /// Takes the positions from sorted words.
  /// @returns true if some agree in all bits
  bool write_index(std::size_t begin, std::size_t end, bool first) {
    std::uint64_t const mask = detail::bit_mask<std::uint64_t>({0, places_});
    for (std::size_t i = begin; i < end; ++i) index_[i] = Index(words_[i] & mask);
    bool is_open = false;
    for (std::size_t i = begin + first; i < end; ++i) is_open |= agrees(i);
    return is_open;
  }

  /// Sorts a group by words that are written, on all threads, and groups in it by the bits that follow.
  void sort_on_all(group const& all, unsigned count) {
    std::span const words(words_ + all.begin, all.size());
    if (!sorts_alone(backend_, words.size()))
      backend_.radix_sort(words);
    else if (!in_order(words.data(), words.size(), whole<std::uint64_t, smaller>{}))
      sort_by_vectors(words.data(), words.size(), {}, {});
    std::size_t const used = all.used + count;
    std::vector<std::vector<group>> large;
    run_in(backend_.arena(), [&] {
      blocks const parts(all.size(), min_block);
      // The first group of each block begins here. All begins are found before a group is sorted, which changes its words.
      std::vector<std::size_t> first(parts.count + 1, all.end);
      std::vector<unsigned char> open(parts.count);
      parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
        std::size_t i = all.begin + begin;
        open[part] = write_index(i, all.begin + end, i == all.begin);
        while (i != all.begin + end && i != all.begin && agrees(i)) ++i;
        if (i != all.begin + end) first[part] = i;
      });
      if (used == rows_.size() || std::find(open.begin(), open.end(), 1) == open.end()) return;
      for (std::size_t part = parts.count; part-- != 0;)
        if (first[part] == all.end) first[part] = first[part + 1];
      large.resize(parts.count);
      parts.run([&](std::size_t part, std::size_t, std::size_t) {
        if (open[part] || first[part + 1] != all.begin + parts.end(part))
          for_groups(first[part], first[part + 1], [&](std::size_t begin, std::size_t end) {
            if (end - begin > parallel_limit)
              large[part].push_back({begin, end, used});
            else
              sort_group({begin, end, used});
          });
      });
    });
    for (auto const& groups : large)
      for (group const& g : groups) {
        unsigned const next = next_count(used);
        for_blocks(g, [&](std::size_t begin, std::size_t end) { rewrite(begin, end, used, next); });
        sort_on_all(g, next);
      }
  }

  /// Calls f(begin, end) for groups of several rows that agree, of whole groups in [begin, end).
  template <class F>
  void for_groups(std::size_t begin, std::size_t end, F f) {
    while (begin < end) {
      std::size_t next = begin + 1;
      while (next != end && agrees(next)) ++next;
      if (next - begin > 1) f(begin, next);
      begin = next;
    }
  }

  /// Sorts a group by the bits that follow, on this thread.
  void sort_group(group g) {
    for (;;) {
      unsigned const count = next_count(g.used);
      rewrite(g.begin, g.end, g.used, count);
      std::uint64_t* const words = words_ + g.begin;
      if (!in_order(words, g.size(), whole<std::uint64_t, smaller>{})) {
        if (g.size() < min_vector_keys)
          std::sort(words, words + g.size());
        else
          sort_by_vectors(words, g.size(), {}, {});
      }
      bool const is_open = write_index(g.begin, g.end, true);
      g.used += count;
      if (!is_open || g.used == rows_.size()) return;
      if (((words[0] ^ words[g.size() - 1]) >> places_) != 0) break;  // else all agree
    }
    for_groups(g.begin, g.end, [&](std::size_t begin, std::size_t end) { sort_group({begin, end, g.used}); });
  }

  host_backend& backend_;
  Rows const& rows_;
  Index* index_;
  unsigned places_;
  buffer<std::uint64_t> memory_;
  std::uint64_t* words_;
};

/// Writes the order of rows.
template <class Rows, class Index>
void write_order(host_backend& backend, Rows const& rows, std::span<Index> index) {
  if (rows.size() == 0)
    backend.each(index.size(), detail::write_number<Index>{index.data()});
  else
    packed_order<Rows, Index>(backend, rows, index).run();
}

}  // namespace

template <class K>
bool argsort_packed(host_backend& backend, detail::sort_task const& task) {
  if (task.kind != detail::sort_task::operation::argsort || task.n <= min_keys<K> || !sorts_alone(backend, task.n) ||
      distribute_well<K>(task))
    return false;
  key_bits<K> const keys(backend, task);
  detail::with_offset_type(task.value_bytes, [&](auto index) {
    write_order(backend, keys, detail::typed_span<decltype(index)>(task.values, task.n));
  });
  return true;
}
template bool argsort_packed<std::uint32_t>(host_backend&, detail::sort_task const&);
template bool argsort_packed<std::uint64_t>(host_backend&, detail::sort_task const&);

bool argsort_packed_rows(host_backend& backend, detail::operation_task const& task) {
  std::size_t bits = 0, words = 0;
  for (row_key const& key : std::span(task.row_keys, task.num_row_keys)) {
    bits += 8 * key.value_bytes + (key.options.validity ? 1 : 0);
    words += detail::key_words(key);
  }
  std::size_t const n = task.sort.n, index_bytes = task.out_index.item_bytes, word = sizeof(std::uint64_t);
  // The memory of a sort by words of all bits must do, which argsort_rows_memory states.
  std::size_t const stated = 2 * (bits <= 32 ? 4 : 8) + index_bytes, needed = sorts_alone(backend, n) ? word : 2 * word;
  if (n < 2 || words > max_words || needed > stated) return false;
  row_bits const rows(backend, task);
  if (distribute_well(rows, n)) return false;
  detail::with_offset_type(index_bytes, [&](auto index) {
    write_order(backend, rows, detail::typed_span<decltype(index)>(task.out_index.data, n));
  });
  return true;
}

}  // namespace ordo::inline v0::host_detail
