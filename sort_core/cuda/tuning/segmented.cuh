#pragma once
#include <algorithm>
#include <cstddef>

// The constants of the segmented sort: the method for each length of segment. Chosen with bench/segmented_sort and its --sweep
// on an H200 (9.0), and sensible from 8.0 to 10.x: classes that need more shared memory than a GPU has are left out at run
// time.
namespace ordo::inline v0::cuda_detail::tuning {

/// The sort of the segments of one class: by networks of `threads` lanes of a warp with `items` registers each; or in buckets,
/// by a block of `threads` threads with `items` items each; or by comparisons, which takes less shared memory. Registers are
/// assigned so that a multiprocessor holds `resident` blocks. A class takes segments that are too large for the previous one.
enum class method { network, buckets, merging };
struct segment_class {
  method by;
  unsigned threads, items, resident;
  [[nodiscard]] constexpr unsigned capacity() const { return threads * items; }
};

/// The shared memory that a block can have on any GPU from 8.0 on: 99 KiB on 8.6, 8.9 and 12.0.
constexpr std::size_t min_shared_memory = 99 << 10;

/// Segments of up to this many items are sorted by the kernel that plans.
constexpr unsigned tiny_capacity = 32;
constexpr unsigned classes = 22;

/// The classes that sort the parts of one large segment: fewer launches than all classes.
constexpr unsigned few_classes = 1u << 7 | 1u << 11 | 1u << 13 | 1u << 15 | 1u << 17 | 1u << 19;
/// Still fewer, for the steps of arrays that may or may not be large.
constexpr unsigned fewest_classes = 1u << 11 | 1u << 15 | 1u << 19;

template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr segment_class class_shape(unsigned c) {
  constexpr auto network = method::network;
  constexpr auto buckets = method::buckets;
  // With values or keys of more than 4 bytes, no GPU has the memory for more.
  constexpr unsigned more = ValueBytes > 4 ? 16 : 20, max_items = ValueBytes > 4 ? 16 : 24;
  constexpr segment_class keys_alone[classes] = {
      {network, 8, 8, 8},       {network, 8, 12, 8},          {network, 8, 16, 8},    {network, 16, 10, 8},
      {network, 16, 12, 8},     {network, 16, 16, 8},         {network, 32, 10, 8},   {network, 32, 12, 8},
      {network, 32, 16, 8},     {buckets, 128, 6, 9},         {buckets, 128, 8, 8},   {buckets, 256, 5, 4},
      {buckets, 256, 6, 4},     {buckets, 256, 9, 4},         {buckets, 512, 6, 2},   {buckets, 512, 9, 2},
      {buckets, 1024, 6, 1},    {buckets, 1024, 8, 1},        {buckets, 1024, 12, 1}, {buckets, 1024, 16, 1},
      {buckets, 1024, more, 1}, {buckets, 1024, max_items, 1}};
  constexpr segment_class small[classes] = {
      {network, 8, 6, 8},       {network, 8, 8, 8},           {network, 8, 10, 6},    {network, 8, 12, 5},
      {network, 8, 16, 4},      {network, 16, 10, 6},         {network, 16, 12, 5},   {network, 16, 16, 4},
      {buckets, 64, 6, 16},     {buckets, 64, 8, 16},         {buckets, 128, 6, 9},   {buckets, 128, 8, 8},
      {buckets, 256, 6, 4},     {buckets, 256, 9, 4},         {buckets, 512, 6, 2},   {buckets, 512, 9, 2},
      {buckets, 1024, 6, 1},    {buckets, 1024, 8, 1},        {buckets, 1024, 12, 1}, {buckets, 1024, 16, 1},
      {buckets, 1024, more, 1}, {buckets, 1024, max_items, 1}};
  constexpr unsigned few = ValueBytes == 0 ? 5 : 4;  // resident blocks: values need the registers
  // Large values are held in registers while keys and values are written.
  constexpr segment_class quarter = {buckets, 256, 9, 4};
  constexpr segment_class half = {buckets, 512, 9, ValueBytes > 8 ? 1 : 2};
  constexpr segment_class large[classes] = {{network, 8, 6, 8},     {network, 8, 8, 6},
                                            {network, 8, 10, 5},    {network, 8, 12, few},
                                            {network, 8, 16, 4},    {network, 16, 10, 5},
                                            {network, 16, 12, few}, {network, 16, 16, 4},
                                            {buckets, 64, 6, 14},   {buckets, 64, 8, 14},
                                            {buckets, 128, 6, 8},   {buckets, 128, 8, 7},
                                            {buckets, 128, 9, 6},   {buckets, 256, 6, 4},
                                            {buckets, 256, 8, 3},   quarter,
                                            {buckets, 512, 6, 2},   half,
                                            {buckets, 1024, 6, 1},  {buckets, 1024, 8, 1},
                                            {buckets, 1024, 8, 1},  {buckets, 1024, 8, 1}};
  // Values of 16 bytes: fewer shapes, because each is a kernel that takes long to compile. Classes of one shape are one class.
  constexpr segment_class longest[classes] = {{network, 8, 8, 6},
                                              {network, 8, 8, 6},
                                              {network, 8, 16, 4},
                                              {network, 8, 16, 4},
                                              {network, 8, 16, 4},
                                              {network, 16, 16, 4},
                                              {network, 16, 16, 4},
                                              {network, 16, 16, 4},
                                              {buckets, 64, 8, 14},
                                              {buckets, 64, 8, 14},
                                              {buckets, 128, 8, 7},
                                              {buckets, 128, 8, 7},
                                              {buckets, 256, 6, 4},
                                              {buckets, 256, 6, 4},
                                              {buckets, 256, 8, 3},
                                              {buckets, 256, 8, 3},
                                              half,
                                              half,
                                              {buckets, 1024, 8, 1},
                                              {buckets, 1024, 8, 1},
                                              {buckets, 1024, 8, 1},
                                              {buckets, 1024, 8, 1}};
  return ValueBytes > 8 ? longest[c] : KeyBytes > 4 ? large[c] : ValueBytes == 0 ? keys_alone[c] : small[c];
}

/// Returns a bit for each class whose segments are listed: of those of one shape, the last.
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned distinct_classes() {
  unsigned bits = 0;
  for (unsigned c = 0; c < classes; ++c)
    if (c + 1 == classes ||
        class_shape<KeyBytes, ValueBytes>(c).capacity() != class_shape<KeyBytes, ValueBytes>(c + 1).capacity())
      bits |= 1u << c;
  return bits;
}
/// Returns the first class of the same shape as class c.
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned first_alike(unsigned c) {
  while (c != 0 && c < classes &&
         class_shape<KeyBytes, ValueBytes>(c).capacity() == class_shape<KeyBytes, ValueBytes>(c - 1).capacity())
    --c;
  return c;
}

/// Up to this many items, a few classes take in all others, because launches take most of the time: at 10^5 items in segments
/// of about 1000, 102 microseconds with 22 classes and 49 with these, on an H100. One more class is for segments that are short
/// on average. Merged classes are odd, because lists of two classes share memory.
constexpr std::size_t few_launches_up_to = std::size_t{1} << 21, short_on_average = 256;
constexpr unsigned classes_of_short = fewest_classes | 1u << 7;

/// Segments whose items fit in one block together, or twice as many of 64 bits in at least `several_segments`, are sorted in
/// one launch: those of up to few_short_items items per lane by warps, all others by blocks of few_threads threads. More
/// segments than few_segments are planned faster.
constexpr unsigned few_threads = 1024, few_short_items = 4, few_class = 19;
constexpr std::size_t few_segments = std::size_t{1} << 15, several_segments = 8;

/// The classes whose capacity is the chunk in which arrays larger than a step are merged: on GPUs with at least 163 KiB of
/// shared memory per block, and on all others. Powers of two.
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned large_chunk() {
  return 19;
}
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr unsigned small_chunk() {
  return KeyBytes > 4 || ValueBytes > 8 ? 14 : ValueBytes == 0 ? 10 : 11;
}

/// The window, in bytes, in which arrays that no block holds are partitioned, half of it at a time; and the maximum number of
/// steps. Data with more steps get a larger window.
constexpr std::size_t array_window = std::size_t{128} << 20;
constexpr std::size_t max_array_steps = 256;

/// The maximum of shared memory into which a block loads values while it ranks their keys.
constexpr std::size_t arriving_bytes = 40 << 10;

/// Numbers of the range per key from which counters of two bits suffice: seldom more than three keys are equal.
constexpr unsigned sparse_numbers = 12;

/// The number of items in one bucket from which a block tries another method: the maximum that linear buckets can count or, in
/// buckets that are narrow where keys are dense, the number whose comparisons take longer than a radix sort.
constexpr unsigned dense_bucket(unsigned count_bits) {
  return count_bits == 4 ? 15 : 48;
}

/// A segment that no block holds is divided into segments of this length to twice it, if its keys are evenly distributed and
/// eight bits suffice.
constexpr unsigned divided_length = 3072;

/// The blocks that partition large segments: threads, items per thread, and resident blocks per multiprocessor. A longer tile
/// writes more consecutive items of a digit, which memory handles faster. Short tiles are for small sorts, and for GPUs with
/// less than 227 KiB of shared memory per block.
struct partition_shape {
  unsigned threads, items, resident;
};
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr partition_shape shape_of_partition(bool large) {
  constexpr unsigned value = ValueBytes == 0 ? 0 : ValueBytes <= 4 ? 1 : ValueBytes <= 8 ? 2 : 3;
  constexpr unsigned of_large[2][4] = {{36, 21, 12, 7}, {20, 16, 10, 6}};
  constexpr unsigned of_small[2][4] = {{28, 16, 10, 5}, {16, 12, 8, 5}};
  return large ? partition_shape{768, of_large[KeyBytes > 4][value], 1}
               : partition_shape{384, of_small[KeyBytes > 4][value], 2};
}
constexpr unsigned large_partition = 1u << 26;  // items of a sort from which tiles are long

/// True if encoding is skipped where keys equal their codes. The test takes registers, and pays only here.
template <std::size_t KeyBytes, std::size_t ValueBytes>
constexpr bool partition_skips_identity() {
  return KeyBytes > 4 && ValueBytes != 0;
}

/// The number of levels of a partition that have a kernel per phase, in a sort of n items, at least `levels_from`: those that
/// evenly distributed keys need and, if a few empty launches do not matter, some that others need.
constexpr std::size_t levels_from = std::size_t{1} << 23;
constexpr unsigned levels_by_kernel(std::size_t n, std::size_t key_bytes) {
  return n < large_partition ? 2 : key_bytes <= 4 ? 3 : 5;
}

/// Floats are divided by their values if one such level leaves segments that blocks hold: of up to this share of that length,
/// because no distribution is quite even. For larger segments codes are faster: 2^26 doubles took 2.4 ms by codes and 2.9 by
/// values, but as segments of 2,000,000 items 3.8 ms and 2.3.
constexpr double numbered_share = 0.75;

/// The maximum number of chunks of tiles in which the items of a sort are counted.
constexpr unsigned chunks = 2048;

/// Threads of a block whose warps sort by networks.
constexpr unsigned network_threads = 128;

/// Small segments are sorted in runs, by warps that hold up to this many items and segments at a time.
constexpr unsigned small_items = 1024, small_segments = 256;
constexpr unsigned small_threads = 128, small_resident = 5;
/// The length of the largest of them, if all have the same length.
constexpr unsigned small_max_length = 160;
/// With its holes, a run may span up to this many times its items, unless a warp holds all of it at once: with more holes it
/// holds few items.
constexpr unsigned small_max_span = 10;

/// A lane sorts up to 16 items of a segment in its registers, or up to 20 if all segments of a run have about the same length.
constexpr unsigned small_registers = 20;
/// Returns the number of lanes that then sort one segment: a power of two.
constexpr unsigned small_lanes(unsigned length) {
  unsigned lanes = 1;
  while (lanes * small_registers < length) lanes *= 2;
  return lanes;
}

/// The capacity of a warp, and the length of the largest segment of a run that it takes.
struct small_run {
  unsigned segments, items, longest;
};

/// Returns the runs that n items in `segments` segments make, or runs of no segments if segments are too large on average. If
/// all but the last have the same length, a run fills a warp, or less if more than one lane in sixteen would be idle. Otherwise
/// it is somewhat less than a warp holds on average, rounded down to a multiple of 32, because lanes read 32 bounds at a time,
/// if three fourths remain.
constexpr small_run choose_small_run(std::size_t n, std::size_t segments) {
  constexpr unsigned longest = 64, longest_alike = small_max_length;
  std::size_t const length = (n - 1) / segments + 1;
  auto const limited = [](std::size_t wanted) { return unsigned(std::clamp<std::size_t>(wanted, 4, small_segments)); };
  if (n <= length * (segments - 1)) {
    if (length > longest) return {};
    unsigned const fit = limited(segments * (small_items * 7 / 8) / n), by_lanes = fit / 32 * 32;
    return {by_lanes >= fit - fit / 4 ? by_lanes : fit, small_items, longest};
  }
  if (length > longest_alike) return {};
  std::size_t const at_once = 32 / small_lanes(unsigned(length)), fit = small_items / length;
  std::size_t const busy = (fit + at_once - 1) / at_once * at_once * 15 / 16;
  unsigned const segments_per_run = limited(fit < at_once || busy <= fit ? fit : fit / at_once * at_once);
  return {segments_per_run, segments_per_run * unsigned(length), std::max(longest, unsigned(length))};
}

/// Segments that one block plans at a time.
constexpr unsigned planned = 1024;

}  // namespace ordo::inline v0::cuda_detail::tuning
