#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ordo/sparse.hpp"
#include "sort_core/algorithms/short_rows.hpp"
#include "sort_core/cuda/kernels/warp_sort.cuh"
#include "sort_core/cuda/primitives/instructions.cuh"

// Rows of a product of sparse matrices with few products of two entries. Some lanes of a warp make the products of a row, sort
// them by column in registers, add those of one column and write the sums: no product is written to device memory.
namespace ordo::inline v0::cuda_detail {

using detail::short_rows;

/// A row of at most Lanes * Items products by Lanes lanes. Product p is the p-th in the order of the first matrix's entries and,
/// within one of these, of the second's.
template <class T, unsigned Lanes, unsigned Items>
struct row_product {
  static constexpr unsigned capacity = Lanes * Items, rows = warp_threads / Lanes;
  static constexpr unsigned position_bits = [] {
    unsigned bits = 0;
    while (1u << bits < capacity) ++bits;
    return bits;
  }();
  static_assert(1u << position_bits == capacity && capacity <= 256 && Items % 4 == 0 && Lanes <= 32 && capacity / 32 <= Lanes);

  /// Shared memory of one row.
  struct storage {
    std::uint64_t base[capacity];  // for the k-th entry that has products: the second's entry of product p is base[k] + p
    T factor[capacity];            // for the k-th entry that has products
    T product[capacity];
    std::uint32_t order[capacity / 4];    // positions of the products in the order of columns, a byte each
    std::uint32_t begins[capacity / 32];  // a bit for each product that is the first of an entry
    // Once the products are made, columns and first places of sums replace `base`.
    [[nodiscard]] __device__ std::uint32_t* columns() { return reinterpret_cast<std::uint32_t*>(base); }
    [[nodiscard]] __device__ std::uint16_t* starts() { return reinterpret_cast<std::uint16_t*>(columns() + capacity); }
    [[nodiscard]] __device__ unsigned position(unsigned q) const { return order[q / 4] >> q % 4 * 8 & 0xff; }
  };
  /// The distance of a warp's rows in shared memory: lanes of different rows, at equal offsets, use different banks.
  static constexpr std::size_t stride = (sizeof(storage) - Lanes * 4 + 127) / 128 * 128 + Lanes * 4;

  /// Returns the sum of x over this lane and the lanes below it in its group.
  __device__ static unsigned inclusive_sum(unsigned x) {
#pragma unroll
    for (unsigned step = 1; step < Lanes; step *= 2) {
      unsigned const below = __shfl_up_sync(all_lanes, x, step, Lanes);
      if (lane_id() % Lanes >= step) x += below;
    }
    return x;
  }

  /// Notes the entries of row r that have products, and which product is the first of each.
  __device__ static void find_entries(short_rows<T> const& in, std::size_t r, bool exists, storage& shared) {
    unsigned const lane = lane_id() % Lanes;
    if (lane < capacity / 32) shared.begins[lane] = 0;
    __syncwarp();
    std::uint64_t entry = exists ? in.a.offsets.data()[in.first + r] : 0;
    std::uint64_t const end = exists ? in.a.offsets.data()[in.first + r + 1] : 0;
    constexpr unsigned counted = 1u << 16;  // entries are counted in the upper half of a word
    for (unsigned before = 0; __any_sync(all_lanes, entry < end); entry += Lanes) {
      std::uint64_t const own_entry = entry + lane;
      std::uint64_t begin = 0;
      unsigned length = 0;
      if (own_entry < end) {
        std::size_t const row = in.a.column_indices.data()[own_entry];
        begin = in.b.offsets.data()[row];
        length = unsigned(in.b.offsets.data()[row + 1] - begin);
      }
      unsigned const through = before + inclusive_sum(length == 0 ? 0 : counted + length);
      if (length != 0) {
        unsigned const at = through % counted - length, k = through / counted - 1;
        shared.base[k] = begin - at;
        shared.factor[k] = in.a.values.data()[own_entry];
        atomicOr(&shared.begins[at / 32], 1u << at % 32);
      }
      before = __shfl_sync(all_lanes, through, Lanes - 1, Lanes);
    }
    __syncwarp();
  }

  /// Makes the n products. Writes to column[i] the column of product i * Lanes + lane.
  __device__ static void make(csr_view<T> const& b, unsigned n, std::uint32_t (&column)[Items], storage& shared) {
    unsigned const lane = lane_id() % Lanes;
    unsigned entries = 0, bits = 0, owner[Items];
    T value[Items];
    // All loads are issued before the first result is used.
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const p = i * Lanes + lane;
      if (i * Lanes % 32 == 0) {
        entries += unsigned(__popc(bits));
        bits = shared.begins[i * Lanes / 32];
      }
      owner[i] = p < n ? entries + unsigned(__popc(bits & ((2u << p % 32) - 1))) - 1 : 0;
      std::uint64_t const from = p < n ? shared.base[owner[i]] + p : 0;
      column[i] = p < n ? b.column_indices.data()[from] : ~0u;
      value[i] = p < n ? b.values.data()[from] : T{0};
    }
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (unsigned const p = i * Lanes + lane; p < n) shared.product[p] = shared.factor[owner[i]] * value[i];
  }

  /// Sorts the words, a column less the row's smallest above a position, adds products of one column in the order of their
  /// positions, and writes the sums from place `to` on.
  /// @returns their number
  template <class Word>
  __device__ static unsigned add(short_rows<T> const& out, Word (&x)[Items], unsigned n, std::uint32_t smallest,
                                 std::uint64_t to, storage& shared) {
    unsigned const lane = lane_id() % Lanes;
    sort_registers(x);
#pragma unroll
    for (unsigned merged = 2; merged <= Lanes; merged *= 2) merge_lanes(x, merged);

    // This lane has the places from lane * Items on.
    Word const below = __shfl_up_sync(all_lanes, x[Items - 1], 1, Lanes);
    bool begins[Items];
    unsigned count = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      Word const last = i == 0 ? below : x[i == 0 ? 0 : i - 1];
      begins[i] = lane * Items + i < n && ((i == 0 && lane == 0) || last >> position_bits != x[i] >> position_bits);
      count += begins[i];
    }
    unsigned const through = inclusive_sum(count), sums = __shfl_sync(all_lanes, through, Lanes - 1, Lanes);
    unsigned h = through - count;
#pragma unroll
    for (unsigned i = 0; i < Items; i += 4) {
      std::uint32_t four = 0;
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) four |= (std::uint32_t(x[i + j]) & (capacity - 1)) << 8 * j;
      shared.order[(lane * Items + i) / 4] = four;
    }
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (!begins[i]) continue;
      shared.columns()[h] = smallest + std::uint32_t(x[i] >> position_bits);
      shared.starts()[h++] = std::uint16_t(lane * Items + i);
    }
    __syncwarp();
    for (unsigned s = lane; s < sums; s += Lanes) {
      unsigned q = shared.starts()[s];
      unsigned const end = s + 1 < sums ? shared.starts()[s + 1] : n;
      T sum = shared.product[shared.position(q)];
      for (++q; q < end; ++q) sum += shared.product[shared.position(q)];
      out.column[to + s] = shared.columns()[s];
      out.value[to + s] = sum;
    }
    return sums;
  }

  /// Multiplies the row of each group of lanes: rows from `first` on.
  __device__ static void multiply(short_rows<T> const& rows_of, std::size_t first, unsigned char* memory) {
    unsigned const lane = lane_id() % Lanes;
    auto& shared = *reinterpret_cast<storage*>(memory + lane_id() / Lanes * stride);
    std::size_t const r = first + lane_id() / Lanes;
    bool const exists = r < rows_of.rows;
    std::uint64_t const begin = exists ? rows_of.to_row[r] : 0;
    unsigned const n = exists ? unsigned(rows_of.to_row[r + 1] - begin) : 0;
    find_entries(rows_of, r, exists, shared);
    std::uint32_t column[Items];
    make(rows_of.b, n, column, shared);
    std::uint32_t smallest = ~0u, greatest = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      smallest = min(smallest, column[i]);
      greatest = max(greatest, i * Lanes + lane < n ? column[i] : 0u);
    }
#pragma unroll
    for (unsigned step = Lanes / 2; step > 0; step /= 2) {
      smallest = min(smallest, __shfl_xor_sync(all_lanes, smallest, step));
      greatest = max(greatest, __shfl_xor_sync(all_lanes, greatest, step));
    }
    __syncwarp();  // `base` has been read
    std::uint64_t const to = begin - rows_of.to_row[0];
    bool const is_narrow = n == 0 || greatest - smallest < (1u << (32 - position_bits)) - 1;
    unsigned sums = 0;
    if (__all_sync(all_lanes, is_narrow)) {
      std::uint32_t x[Items];
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const p = i * Lanes + lane;
        x[i] = p < n ? (column[i] - smallest) << position_bits | p : ~0u;
      }
      sums = add(rows_of, x, n, smallest, to, shared);
    } else {
      std::uint64_t x[Items];
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const p = i * Lanes + lane;
        x[i] = p < n ? std::uint64_t(column[i] - smallest) << position_bits | p : ~std::uint64_t{0};
      }
      sums = add(rows_of, x, n, smallest, to, shared);
    }
    if (lane == 0 && exists) rows_of.sums[r] = sums;
    __syncwarp();
  }
};

constexpr unsigned short_product_threads = 128, short_product_warps = short_product_threads / warp_threads;

/// Multiplies rows of at most Lanes * Items entries and products.
template <class T, unsigned Lanes, unsigned Items>
__global__ void __launch_bounds__(short_product_threads) multiply_short_rows(short_rows<T> rows) {
  wait_for_previous();
  using product = row_product<T, Lanes, Items>;
  unsigned const warp = threadIdx.x / warp_threads;
  unsigned char* const memory = dynamic_shared_memory() + warp * product::rows * product::stride;
  std::size_t const step = std::size_t(gridDim.x) * short_product_warps * product::rows;
  for (std::size_t first = (std::size_t(blockIdx.x) * short_product_warps + warp) * product::rows; first < rows.rows; first += step)
    product::multiply(rows, first, memory);
}

constexpr unsigned short_row_lanes = 8;

/// Copies the sums of each row from the places of its products to those that begin at offsets[r].
template <class T>
__global__ void __launch_bounds__(256)
    copy_short_rows(short_rows<T> rows, std::uint64_t const* offsets, std::uint32_t* column, T* value) {
  wait_for_previous();
  constexpr unsigned lanes = short_row_lanes;
  unsigned const lane = threadIdx.x % lanes;
  std::size_t const in_block = 256 / lanes, step = std::size_t(gridDim.x) * in_block;
  for (std::size_t r = std::size_t(blockIdx.x) * in_block + threadIdx.x / lanes; r < rows.rows; r += step) {
    std::uint64_t const from = rows.to_row[r] - rows.to_row[0], to = offsets[r], sums = offsets[r + 1] - to;
    for (std::uint64_t i = lane; i < sums; i += lanes) {
      column[to + i] = rows.column[from + i];
      value[to + i] = rows.value[from + i];
    }
  }
}

/// Calls f(row_product) for the least capacity that holds `longest` products and entries.
template <class T, class F>
void with_row_product(std::uint64_t longest, F f) {
  if (longest <= 32)
    f(row_product<T, 8, 4>{});
  else if (longest <= 64)
    f(row_product<T, 8, 8>{});
  else if (longest <= 128)
    f(row_product<T, 8, 16>{});
  else
    f(row_product<T, 16, 16>{});
}

}  // namespace ordo::inline v0::cuda_detail
