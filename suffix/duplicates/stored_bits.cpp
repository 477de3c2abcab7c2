#include "suffix/duplicates/stored_bits.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::span<char const> as_bytes(std::span<std::uint64_t const> words) {
  return {reinterpret_cast<char const*>(words.data()), words.size_bytes()};
}

/// Sets bits of words that one thread has.
void set_bits(std::span<std::uint64_t> words, std::uint64_t p, std::uint64_t count) {
  while (count > 0) {
    std::uint64_t const shift = p % 64, here = std::min<std::uint64_t>(count, 64 - shift);
    words[p / 64] |= (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << shift;
    p += here;
    count -= here;
  }
}

}  // namespace

stored_bits::stored_bits(std::uint64_t positions, std::string const& folder, std::size_t memory, int threads)
    : num_words_(positions / 64 + 1), file_(folder) {
  // Each thread has a region, whose bits take half of the memory, and runs, which take a fourth. Blocks of runs take the rest.
  std::size_t const each = memory / std::size_t(threads);
  region_words_ = std::bit_floor(std::max<std::size_t>(each / 2 / word_bytes, 512));
  num_regions_ = std::size_t((num_words_ + region_words_ - 1) / region_words_);
  max_runs_ = std::clamp<std::size_t>(each / 4 / sizeof(marker::run), 256, std::size_t{1} << 20);
  collected_.emplace(folder, num_regions_, word_bytes,
                     std::clamp<std::size_t>(memory / 4 / num_regions_, 512, std::size_t{1} << 20));
  std::uint64_t const bytes = num_words_ * word_bytes;
  file_->reserve(0, bytes);
  if (ftruncate(file_->descriptor(), off_t(bytes)) != 0)
    throw output_error(fmt::format("cannot write: {}: {}", file_->name(), std::strerror(errno)));
  void* const place = mmap(nullptr, std::size_t(bytes), PROT_READ, MAP_SHARED, file_->descriptor(), 0);
  if (place == MAP_FAILED) throw input_error(fmt::format("cannot map: {}: {}", file_->name(), std::strerror(errno)));
  mapped_ = static_cast<std::uint64_t const*>(place);
}

stored_bits::~stored_bits() {
  if (mapped_) munmap(const_cast<std::uint64_t*>(mapped_), std::size_t(num_words_ * word_bytes));
}

void stored_bits::marker::flush() {
  if (runs_.empty()) return;
  // Windows are marked one by one, and several times: in order, they join.
  std::ranges::sort(runs_, {}, &run::begin);
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs_.size(); ++i) {
    if (runs_[i].begin <= runs_[last].end)
      runs_[last].end = std::max(runs_[last].end, runs_[i].end);
    else
      runs_[++last] = runs_[i];
  }
  std::uint64_t const region_size = bits_.region_words_ * 64;
  std::vector<std::uint64_t> packed;
  std::size_t region = 0;
  auto const append = [&] {
    if (!packed.empty()) bits_.collected_->append(region, as_bytes(packed));
    packed.clear();
  };
  for (std::size_t i = 0; i <= last; ++i)
    for (std::uint64_t p = runs_[i].begin; p < runs_[i].end;) {
      std::size_t const here = std::size_t(p / region_size);
      if (here != region) {
        append();
        region = here;
      }
      constexpr std::uint64_t max_count = (std::uint64_t{1} << count_bits) - 1;
      std::uint64_t const begin = p % region_size, count = std::min({runs_[i].end - p, region_size - begin, max_count});
      packed.push_back(begin << count_bits | count);
      p += count;
    }
  append();
  runs_.clear();
}

void stored_bits::apply() {
  if (!file_) return;
  collected_->flush();
  tbb::parallel_for(std::size_t{0}, num_regions_, [&](std::size_t region) {
    if (collected_->blocks(region).empty()) return;
    std::vector<std::uint64_t> words(std::size_t(region_words(region)));
    std::span<char> const bytes{reinterpret_cast<char*>(words.data()), words.size() * word_bytes};
    std::uint64_t const offset = region * region_words_ * word_bytes;
    file_->read_at(offset, bytes);
    std::vector<char> block;
    for (external::bucket_file::block const& each : collected_->blocks(region)) {
      collected_->read(each, block);
      for (std::size_t at = 0; at < block.size(); at += word_bytes) {
        std::uint64_t run;
        std::memcpy(&run, block.data() + at, word_bytes);
        set_bits(words, run >> count_bits, run & ((std::uint64_t{1} << count_bits) - 1));
      }
    }
    file_->write_at(offset, bytes);
    collected_->discard(region);
  });
}

void stored_bits::assign(std::span<std::uint64_t const> words) {
  if (!file_) {
    std::ranges::copy(words, bits_.begin());
    return;
  }
  constexpr std::size_t part = std::size_t{1} << 20;  // words of it; so the mapped pages of both may leave memory
  for (std::size_t at = 0; at < words.size(); at += part)
    file_->write_at(at * word_bytes, as_bytes(words.subspan(at, std::min(part, words.size() - at))));
}

}  // namespace ordo::inline v0::suffix::detail
