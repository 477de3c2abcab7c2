#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "suffix/sort/range_memory.hpp"

// Download of a kept order to host memory while the rest of it is still being sorted.
namespace ordo::inline v0::suffix::detail {

/// The divisor of a part's size that limits its open suffixes for an early download: overwriting more of them later costs the
/// host more than a download. A whole order can be downloaded early only once.
constexpr std::size_t early_share(bool in_ranges) {
  return in_ranges ? 32 : 8;
}

template <class Index>
struct copy_place {
  Index const* from;
  Index* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Does nothing: the order is in host memory, or stays on the machine.
template <Backend B, class Index>
class early_download {
 public:
  early_download(B&, std::span<Index const>, std::span<Index>, std::size_t) {}
  bool give(place_range, std::span<Index const>) { return false; }
  void finish() {}
  [[nodiscard]] static std::size_t memory(std::size_t, std::size_t) { return 0; }
};

/// Downloads parts of the order as soon as few of their suffixes are open; these follow one by one at the end.
template <has_background_downloads B, class Index>
class early_download<B, Index> {
 public:
  /// @param order  in the machine's memory
  /// @param host  has the size of `order`; if it is empty, nothing is downloaded
  /// @param open_share  at most 1 / open_share of the suffixes of a part may be open
  early_download(B& backend, std::span<Index const> order, std::span<Index> host, std::size_t open_share)
      : backend_(backend), order_(order), host_(host), open_share_(open_share), downloads_(backend.background_downloads()) {}

  /// Starts the download of a part of the order whose suffixes are in their rows, except those of open groups. Each row is
  /// given at most once; all others follow at the end.
  /// @param open  the rows of these groups, in order
  /// @returns true if few enough are open; otherwise nothing happens
  bool give(place_range part, std::span<Index const> open) {
    if (host_.empty() || open.size() > part.count / open_share_) return false;
    std::size_t const count = open.size();
    given_part& given_part = given_.emplace_back(part, backend_.template buffer<Index>(count));
    given_part.on_host = std::make_unique_for_overwrite<Index[]>(count);
    backend_.each(count, copy_place<Index>{open.data(), given_part.open.data()});
    given_part.number = bring(part);
    if (count != 0)
      downloads_.add(std::span<Index const>(given_part.open.span()), std::span<Index>(given_part.on_host.get(), count));
    open_ += count;
    return true;
  }

  /// Completes the download; all suffixes must be in their rows.
  void finish() {
    if (host_.empty()) return;
    auto const last = bring_rest();
    auto const suffixes = backend_.template buffer<Index>(open_);
    auto const on_host = std::make_unique_for_overwrite<Index[]>(open_);
    std::size_t at = 0;
    for (given_part const& part : given_) {
      std::size_t const count = part.open.size();
      backend_.gather(order_, std::span<Index const>(part.open.span()), suffixes.span().subspan(at, count));
      at += count;
    }
    if (open_ != 0)
      downloads_.wait(downloads_.add_first(std::span<Index const>(suffixes.span()), std::span<Index>(on_host.get(), open_)));
    at = 0;
    for (given_part const& part : given_) {
      downloads_.wait(part.number + (part.open.size() != 0 ? 1 : 0));  // the open rows are downloaded after the part
      place(part, on_host.get() + at);
      at += part.open.size();
    }
    if (last) downloads_.wait(*last);
  }

  /// Returns the bytes of the machine's memory for an order of `count` rows.
  static std::size_t memory(std::size_t count, std::size_t open_share) {
    return 2 * buffer_sizes::of(count / open_share, sizeof(Index));
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 14;  // open rows for one thread

  struct given_part {
    place_range places;
    buffer<Index> open;  // rows
    std::unique_ptr<Index[]> on_host = {};
    std::size_t number = 0;  // number of the download

    given_part(place_range part, buffer<Index> open_places) : places(part), open(std::move(open_places)) {}
  };

  /// @returns the number of the download
  std::size_t bring(place_range part) {
    return downloads_.add(order_.subspan(part.first, part.count), host_.subspan(part.first, part.count));
  }

  /// Downloads all rows that were not given.
  /// @returns the number of the last download, if there is one
  std::optional<std::size_t> bring_rest() {
    std::vector<place_range> given;
    for (given_part const& part : given_) given.push_back(part.places);
    given.push_back({order_.size(), 0});
    std::ranges::sort(given, {}, &place_range::first);
    std::optional<std::size_t> last;
    std::size_t next = 0;
    for (place_range const part : given) {
      if (part.first != next) last = bring({next, part.first - next});
      next = part.first + part.count;
    }
    return last;
  }

  /// Stores the final suffixes of the open rows of a part.
  void place(given_part const& part, Index const* suffix) {
    std::size_t const count = part.open.size();
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, (count + block - 1) / block, [&](std::size_t b) {
        for (std::size_t i = b * block, end = std::min(count, i + block); i < end; ++i) host_[part.on_host[i]] = suffix[i];
      });
    });
  }

  B& backend_;
  std::span<Index const> order_;
  std::span<Index> host_;
  std::size_t open_share_;
  tbb::task_arena arena_{threads_for(0)};
  std::vector<given_part> given_;
  std::size_t open_ = 0;  // open rows of all parts
  decltype(std::declval<B&>().background_downloads()) downloads_;
};

}  // namespace ordo::inline v0::suffix::detail
