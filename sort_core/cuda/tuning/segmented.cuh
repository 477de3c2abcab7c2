#pragma once
#include <cstddef>

// Which length of segment is sorted how. Numbers only, chosen with tools/bench/segmented_sort and its --sweep on an H200 (9.0);
// sensible from 8.0 to 10.x: classes that need more shared memory than a card has are left out at run time.
namespace ordo::detail::tuning {

/// How the segments of one class are sorted: by networks of `threads` lanes of a warp with `items` registers each, or in
/// buckets by a block of `threads` with `items` a thread. Registers are given out such that a multiprocessor holds
/// `resident` blocks. A class takes segments that are too long for the one before.
enum class method { network, buckets };
struct segment_class {
  method by;
  unsigned threads, items, resident;
  [[nodiscard]] constexpr unsigned capacity() const { return threads * items; }
};

/// Segments of up to this many items are sorted by the kernel that plans.
constexpr unsigned tiny_capacity = 32;
constexpr unsigned classes = 20;

template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr segment_class class_shape(unsigned c) {
  constexpr auto network = method::network;
  constexpr auto buckets = method::buckets;
  constexpr segment_class keys_alone[classes] = {
      {network, 8, 6, 8},   {network, 8, 8, 8},    {network, 8, 10, 8},   {network, 8, 12, 8},    {network, 8, 16, 8},
      {network, 16, 10, 8}, {network, 16, 12, 8},  {network, 16, 16, 8},  {buckets, 64, 6, 16},   {buckets, 64, 8, 16},
      {buckets, 128, 6, 9}, {buckets, 128, 8, 8},  {buckets, 256, 6, 4},  {buckets, 256, 8, 4},   {buckets, 512, 6, 2},
      {buckets, 512, 8, 2}, {buckets, 1024, 6, 1}, {buckets, 1024, 8, 1}, {buckets, 1024, 12, 1}, {buckets, 1024, 16, 1}};
  constexpr segment_class small[classes] = {
      {network, 8, 6, 8},   {network, 8, 8, 8},    {network, 8, 10, 6},   {network, 8, 12, 5},    {network, 8, 16, 4},
      {network, 16, 10, 6}, {network, 16, 12, 5},  {network, 16, 16, 4},  {buckets, 64, 6, 16},   {buckets, 64, 8, 16},
      {buckets, 128, 6, 9}, {buckets, 128, 8, 8},  {buckets, 256, 6, 4},  {buckets, 256, 8, 4},   {buckets, 512, 6, 2},
      {buckets, 512, 8, 2}, {buckets, 1024, 6, 1}, {buckets, 1024, 8, 1}, {buckets, 1024, 12, 1}, {buckets, 1024, 16, 1}};
  constexpr unsigned few = ValueBytes == 0 ? 5 : 4;  // blocks: values need the registers
  constexpr segment_class large[classes] = {
      {network, 8, 6, 8},   {network, 8, 8, 6},     {network, 8, 10, 5},  {network, 8, 12, few}, {network, 8, 16, 4},
      {network, 16, 10, 5}, {network, 16, 12, few}, {network, 16, 16, 4}, {buckets, 64, 6, 14},  {buckets, 64, 8, 14},
      {buckets, 128, 6, 8}, {buckets, 128, 8, 7},   {buckets, 128, 9, 6}, {buckets, 256, 6, 4},  {buckets, 256, 8, 3},
      {buckets, 256, 9, 3}, {buckets, 512, 6, 2},   {buckets, 512, 8, 1}, {buckets, 1024, 6, 1}, {buckets, 1024, 8, 1}};
  return KeyBytes > 4 || ValueBytes > 8 ? large[c] : ValueBytes == 0 ? keys_alone[c] : small[c];
}

/// The classes whose capacity is the chunk of arrays that no block holds: on cards with 163 KiB of shared memory a block or
/// more, and on all others. Powers of two.
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned large_chunk() {
  return 19;
}
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned small_chunk() {
  return KeyBytes <= 4 && ValueBytes <= 8 ? 15 : 17;
}

/// Threads of a block whose warps sort by networks.
constexpr unsigned network_threads = 128;

/// If segments have no more items than this on average, runs of short ones are sorted before the rest is planned.
constexpr std::size_t short_mean = 16;

/// Segments that one block plans at a time.
constexpr unsigned planned = 1024;

}  // namespace ordo::detail::tuning
