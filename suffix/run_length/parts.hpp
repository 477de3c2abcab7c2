#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "sort_core/algorithms/each_by_lanes.hpp"
#include "suffix/aligners/dna_codes.hpp"
#include "suffix/run_length/blocks.hpp"
#include "suffix/run_length/queue_writer.hpp"
#include "suffix/run_length/run_index.hpp"

/// An index is made in parts, each of which begins with a block. A source has the rows of each part: source(part, writer) adds
/// them to a block_writer, and source.by_lanes(lanes, part, writer) to a queue_writer and returns their number. Most parts have
/// at most source.likely_blocks() blocks.
namespace ordo::inline v0::suffix::run_length {

/// The size of the result of a part, or of all parts up to it.
struct part_size {
  std::uint64_t blocks = 0, ends = 0, rows = 0;
};

struct add_sizes {
  ORDO_FN part_size operator()(part_size const& a, part_size const& b) const {
    return {a.blocks + b.blocks, a.ends + b.ends, a.rows + b.rows};
  }
};

struct size_of_part {
  part_size const* sizes;
  ORDO_FN part_size operator()(std::size_t part) const { return sizes[part]; }
};

/// A sink of block_writer and queue_writer that counts, and stores blocks as long as there is room.
struct draft_blocks {
  run_block* blocks;
  std::uint64_t room;
  part_size size;
  ORDO_FN void block(run_block const& block) {
    if (size.blocks < room) blocks[size.blocks] = block;
    ++size.blocks;
  }
  ORDO_FN void end(std::uint64_t /*row*/) { ++size.ends; }

  ORDO_FN void store(unsigned word, std::uint32_t value) const {
    if (size.blocks < room) reinterpret_cast<std::uint32_t*>(blocks + size.blocks)[word] = value;
  }
  ORDO_FN void add_block() { ++size.blocks; }
  ORDO_FN void store_end(std::uint64_t /*i*/, std::uint64_t /*row*/) const {}
  ORDO_FN void add_ends(std::uint64_t count) { size.ends += count; }
};

/// Writes the blocks of a part, by one lane or by those of a warp with the memory that they share.
/// @returns the number of rows
template <class Lanes, class Source, class To, class... Queue>
ORDO_FN std::uint64_t write_part_to(Lanes lanes, Source const& source, std::size_t part, To& to, Queue&... queue) {
  if constexpr (Lanes::count == 1) {
    block_writer<To> writer(to);
    source(part, writer);
    to = writer.to();
    return writer.rows();
  } else {
    queue_writer<Lanes, To> writer(lanes, queue..., to);
    std::uint64_t const rows = source.by_lanes(lanes, part, writer);
    writer.finish(rows);
    to = writer.to();
    return rows;
  }
}

/// Finds the sizes of parts, and stores their blocks in drafts of `room` blocks each, as far as they fit.
template <class Source>
struct draft_part {
  using lane_memory = run_queue;
  Source source;
  part_size* sizes;
  run_block* drafts;
  std::uint64_t room;
  template <class Lanes, class... Queue>
  ORDO_FN void operator()(Lanes lanes, std::size_t part, Queue&... queue) const {
    draft_blocks to{drafts + part * room, room, {}};
    to.size.rows = write_part_to(lanes, source, part, to, queue...);
    if (lanes.rank() == 0) sizes[part] = to.size;
  }
};

/// A sink of block_writer and queue_writer that has room for what comes.
struct store_blocks {
  run_block* blocks;
  std::uint64_t* ends;
  std::uint64_t row;
  ORDO_FN void block(run_block const& block) { *blocks++ = block; }
  ORDO_FN void end(std::uint64_t row_of_part) { *ends++ = row + row_of_part; }

  /// Stores a word of the next block.
  ORDO_FN void store(unsigned word, std::uint32_t value) const { reinterpret_cast<std::uint32_t*>(blocks)[word] = value; }
  ORDO_FN void add_block() { ++blocks; }
  /// Stores one of the next ends.
  ORDO_FN void store_end(std::uint64_t i, std::uint64_t row_of_part) const { ends[i] = row + row_of_part; }
  ORDO_FN void add_ends(std::uint64_t count) { ends += count; }
};

/// Stores the results of parts one after the other: copies of the drafts that hold one, and the others made again.
template <class Source>
struct write_part {
  using lane_memory = run_queue;
  Source source;
  part_size const* sizes;  // sums up to each part
  run_block const* drafts;
  std::uint64_t room;
  run_block* blocks;
  std::uint64_t* ends;
  template <class Lanes, class... Queue>
  ORDO_FN void operator()(Lanes lanes, std::size_t part, Queue&... queue) const {
    part_size const before = part == 0 ? part_size{} : sizes[part - 1], through = sizes[part];
    std::uint64_t const size = through.blocks - before.blocks;
    if (size <= room && through.ends == before.ends) return copy(lanes, drafts + part * room, size, blocks + before.blocks);
    store_blocks to{blocks + before.blocks, ends + before.ends, before.rows};
    write_part_to(lanes, source, part, to, queue...);
  }

 private:
  template <class Lanes>
  ORDO_FN static void copy(Lanes lanes, run_block const* from, std::uint64_t size, run_block* to) {
    struct alignas(16) quarter {
      std::uint64_t words[2];
    };
    static_assert(sizeof(run_block) == 4 * sizeof(quarter));
    auto const* const source = reinterpret_cast<quarter const*>(from);
    auto* const target = reinterpret_cast<quarter*>(to);
    for (std::uint64_t i = lanes.rank(); i < 4 * size; i += Lanes::count) target[i] = source[i];
  }
};

/// Makes an index of the parts of a source, which may read the index that was there before.
template <Backend B, class Source>
void write_parts(B& backend, Source const& source, run_index<B>& index) {
  std::size_t const parts = source.num_parts();
  if constexpr (has_workers<B>) {
    // Parts become lists, whose lengths need not be known before.
    std::vector<block_list> lists(parts);
    each_long(backend, parts, [&](std::size_t part) {
      block_writer<append_to_list> to(append_to_list{&lists[part]});
      source(part, to);
      lists[part].rows = to.rows();
    });
    index = {};
    index = run_index<B>(backend, std::move(lists));
  } else {
    auto const sizes = backend.template buffer<part_size>(parts);
    // Drafts are made again, rather than copied, if there is no memory for them besides the result.
    std::uint64_t const likely = source.likely_blocks();
    std::uint64_t const room = 2 * parts * likely * sizeof(run_block) <= backend.pool().available() ? likely : 0;
    auto const drafts = backend.template buffer<run_block>(parts * room);
    each_by_lanes(backend, parts, draft_part<Source>{source, sizes.data(), drafts.data(), room});
    backend.scan(parts, size_of_part{sizes.data()}, sizes.span(), add_sizes{});
    part_size const all = value_at(backend, sizes.span(), parts - 1);
    run_index<B>::refuse_many(all.blocks);
    auto blocks = backend.template buffer<run_block>(all.blocks);
    auto ends = backend.template buffer<std::uint64_t>(all.ends);
    each_by_lanes(backend, parts, write_part<Source>{source, sizes.data(), drafts.data(), room, blocks.data(), ends.data()});
    index = run_index<B>(backend, std::move(blocks), std::move(ends), all.rows);
  }
}

/// The rows of a BWT, each of which is a letter: $, A, C, G, T or another one, which stands for N.
struct letters_of_rows {
  char const* letters;
  std::uint64_t rows;
  std::uint64_t rows_of_part;

  /// Returns the number of parts, which is not 0.
  [[nodiscard]] std::size_t num_parts() const { return std::size_t(rows == 0 ? 1 : (rows - 1) / rows_of_part + 1); }
  /// Returns the number of blocks of a part if its runs are short.
  [[nodiscard]] std::uint64_t likely_blocks() const { return rows_of_part / run_block::max_pieces + 1; }
  template <class Writer>
  ORDO_FN void operator()(std::size_t part, Writer& to) const {
    std::uint64_t const last = end(part);
    for (std::uint64_t row = part * rows_of_part; row < last;) {
      std::uint64_t const begin = row;
      while (row < last && letters[row] == letters[begin]) ++row;
      to.add(dna_code(letters[begin]), row - begin);
    }
    to.finish();
  }
  template <class Lanes, class Writer>
  ORDO_FN std::uint64_t by_lanes(Lanes lanes, std::size_t part, Writer& to) const {
    std::uint64_t const begin = part * rows_of_part, last = end(part);
    for (std::uint64_t first = begin; first < last; first += Lanes::count) {
      std::uint64_t const row = first + lanes.rank();
      to.add(row < last, row < last ? dna_code(letters[row]) : 0, row - begin, 0, 0);
    }
    return last - begin;
  }

 private:
  [[nodiscard]] ORDO_FN std::uint64_t end(std::size_t part) const {
    std::uint64_t const begin = part * rows_of_part;
    return rows - begin < rows_of_part ? rows : begin + rows_of_part;
  }
};

/// Makes an index of the rows of a BWT.
template <Backend B>
void write_letters(B& backend, char const* letters, std::uint64_t rows, run_index<B>& index) {
  write_parts(backend, letters_of_rows{letters, rows, std::uint64_t{1} << (has_workers<B> ? 22 : 13)}, index);
}

}  // namespace ordo::inline v0::suffix::run_length
