#include "base/large_blocks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::detail {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t min_margin = std::size_t{16} << 20, max_margin = std::size_t{256} << 20;  // for small blocks and stacks
constexpr auto max_age = std::chrono::milliseconds(100);
constexpr std::size_t max_blocks = 1024;  // blocks beyond these count as written

struct large_block {
  char* data;
  std::size_t bytes;
  bool is_written;  // all of it, once seen
};

std::atomic<std::size_t (*)()> available_now{nullptr};
std::atomic<std::size_t> num_blocks{0};

// Static, without a destructor: threads may free blocks after main.
std::mutex changing;
std::array<large_block, max_blocks> blocks;
std::size_t last_available = 0, max_available = 0, granted_since = 0;
clock::time_point last_time{};

// Returns the bytes of a range that are in memory; of a block that was not written to there are none.
std::size_t resident_bytes(char* data, std::size_t bytes) {
  static std::array<unsigned char, 4096> pages;
  static std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const end = data + bytes;
  char* at = data + (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
  std::size_t resident = 0;
  while (at < end && static_cast<std::size_t>(end - at) >= page) {
    std::size_t const number = std::min(static_cast<std::size_t>(end - at) / page, pages.size());
    if (mincore(at, number * page, pages.data()) != 0) return bytes;
    for (std::size_t i = 0; i < number; ++i) resident += (pages[i] & 1) * page;
    at += number * page;
  }
  return resident;
}

// Returns the bytes that are allocated and not written yet: the system does not count them as used.
std::size_t unwritten_bytes() {
  constexpr std::size_t few = std::size_t{64} << 10;  // the ends of a block, in no whole page
  std::size_t sum = 0;
  for (std::size_t i = 0; i < num_blocks; ++i) {
    large_block& b = blocks[i];
    if (b.is_written) continue;
    std::size_t const resident = std::min(resident_bytes(b.data, b.bytes), b.bytes);
    b.is_written = b.bytes - resident < few;
    sum += b.bytes - resident;
  }
  return sum;
}

std::optional<memory_shortage> find_shortage(std::size_t bytes, std::size_t (*available)()) {
  auto const now = clock::now();
  // A small share of what was there a moment ago is there.
  if (now - last_time < max_age && bytes <= last_available / 4 && granted_since <= last_available / 4 - bytes) return {};
  last_available = available();
  last_time = now;
  granted_since = 0;
  if (last_available == std::numeric_limits<std::size_t>::max()) return {};
  std::size_t const unwritten = unwritten_bytes();
  last_available -= std::min(last_available, unwritten);
  max_available = std::max(max_available, last_available);
  std::size_t const least = std::min(min_margin, max_available / 16);  // a small group has no more to spare
  last_available -= std::min(last_available, std::clamp(last_available / 8, least, max_margin));
  if (bytes <= last_available) return {};
  return memory_shortage{bytes, last_available};
}

std::size_t find(void const* data) {
  std::size_t i = 0;
  while (i < num_blocks && blocks[i].data != data) ++i;
  return i;
}

}  // namespace

void check_large_blocks(std::size_t (*available)()) noexcept {
  std::lock_guard const lock(changing);
  available_now = available;
  max_available = 0;
  last_time = {};
}

std::string to_string(memory_shortage const& figures) {
  return std::to_string(figures.needed) + " bytes are needed, " + std::to_string(figures.available) + " are available";
}

namespace {
constexpr std::string_view of_host = "out of memory: host: ";
}  // namespace

void refuse_block(memory_shortage const& figures) {
  throw out_of_memory(std::string(of_host) + to_string(figures), figures.needed);
}

void rethrow_refused_block(std::string const& what) {
  try {
    throw;
  } catch (memory_refused const& e) {
    throw out_of_memory("out of memory: " + what + ": " + to_string(e.figures()), e.figures().needed);
  } catch (out_of_memory const& e) {
    std::string_view const why = e.what();
    if (!why.starts_with(of_host)) throw;
    throw out_of_memory("out of memory: " + what + ": " + std::string(why.substr(of_host.size())), e.bytes());
  }
}

std::optional<memory_shortage> allocate_large_block(std::size_t bytes, void* (*allocate)(void* context), void* context,
                                                    void*& block, void* old_block, std::size_t old_bytes) {
  auto* const available = available_now.load();
  if (!available) {
    block = allocate(context);
    return {};
  }
  std::lock_guard const lock(changing);
  // Moving pages takes memory for those that are added only. The unwritten ones of the old block are counted already.
  if (auto const shortage = find_shortage(bytes - std::min(bytes, old_bytes), available))
    return memory_shortage{bytes, shortage->available + std::min(bytes, old_bytes)};
  std::size_t const old = old_block ? find(old_block) : std::size_t{num_blocks};
  block = allocate(context);
  if (!block || block == reinterpret_cast<void*>(-1)) return {};  // MAP_FAILED
  granted_since += bytes - std::min(bytes, old_bytes);
  if (old < num_blocks)
    blocks[old] = {static_cast<char*>(block), bytes, false};
  else if (num_blocks < max_blocks)
    blocks[num_blocks++] = {static_cast<char*>(block), bytes, false};
  return {};
}

void* allocate_checked(std::size_t bytes) noexcept {
  return checked_block(
      bytes, [bytes] { return std::malloc(bytes); }, [](memory_shortage const&) {});
}

void free_checked(void* block) noexcept {
  if (!block) return;
  forget_large_block(block);
  std::free(block);
}

void forget_large_block(void* block) noexcept {
  if (num_blocks == 0) return;
  std::lock_guard const lock(changing);
  std::size_t const i = find(block);
  if (i == num_blocks) return;
  blocks[i] = blocks[num_blocks - 1];
  --num_blocks;
}

}  // namespace ordo::inline v0::detail
