#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "sort_core/backend.hpp"
#include "sort_core/fn.hpp"
#include "sort_core/host/threads.hpp"
#include "suffix/buffer_sizes.hpp"
#include "suffix/place_range.hpp"

// A kept order on its way to the host's memory while what is left of it is still being sorted.
namespace ordo::suffix::detail {

template <class Index>
struct copy_place {
  Index const* from;
  Index* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Where the order is the host's own memory, or stays with the machine: nothing is on its way.
template <Backend B, class Index>
class order_ahead {
 public:
  order_ahead(B&, std::span<Index const>, std::span<Index>, std::size_t = 0) {}
  bool give(place_range, std::span<Index const>) { return false; }
  void finish() {}
  [[nodiscard]] static std::size_t memory(std::size_t) { return 0; }
};

/// Parts of the order are brought down as soon as few of their suffixes are open; these follow at the end, one by one.
template <downloads_beside B, class Index>
class order_ahead<B, Index> {
 public:
  /// @param order  in the machine's memory @param host  as large, or empty: then nothing is brought
  /// @param open_share  one of so many suffixes of a part may be open
  order_ahead(B& machine, std::span<Index const> order, std::span<Index> host, std::size_t open_share = usual_share)
      : machine_(machine), order_(order), host_(host), open_share_(open_share), downloads_(machine.downloads_beside()) {}

  /// These places have their suffixes, but for those of some groups, which are open. Each place is given once at most, and
  /// those that are not are brought at the end. @param open  the places of these groups, in order @returns whether so few are
  /// open that it is of use; else nothing is given
  bool give(place_range part, std::span<Index const> open) {
    if (host_.empty() || open.size() > part.count / open_share_) return false;
    given_.push_back({part, machine_.template buffer<Index>(open.size())});
    machine_.each(open.size(), copy_place<Index>{open.data(), given_.back().open.data()});
    given_.back().number = downloads_.add(order_.subspan(part.first, part.count), host_.subspan(part.first, part.count));
    return true;
  }

  /// All are in their places. The host has them when this returns.
  void finish() {
    if (host_.empty()) return;
    for (given_part const& one : given_) bring_open(one);
    std::ranges::sort(given_, {}, [](given_part const& one) { return one.places.first; });
    std::size_t next = 0;
    auto const bring_up_to = [&](std::size_t end) {
      machine_.download(order_.subspan(next, end - next), host_.subspan(next, end - next));
    };
    for (given_part const& one : given_) {
      bring_up_to(one.places.first);
      next = one.places.first + one.places.count;
    }
    bring_up_to(order_.size());
    for (given_part const& one : given_) downloads_.wait(one.number);
  }

  /// Bytes of the machine's memory, for an order of so many places.
  static std::size_t memory(std::size_t count) { return 2 * buffer_sizes::of(count / usual_share, sizeof(Index)); }

 private:
  static constexpr std::size_t usual_share = 32;
  static constexpr std::size_t block = std::size_t{1} << 14;  // of open ones, for one thread

  struct given_part {
    place_range places;
    buffer<Index> open;
    std::size_t number = 0;  // of the download
  };

  /// The open ones of a part that was given.
  void bring_open(given_part const& part) {
    std::size_t const count = part.open.size();
    if (count == 0) return;
    std::vector<Index> at(count), suffix(count);
    auto const suffixes = machine_.template buffer<Index>(count);
    machine_.gather(order_, std::span<Index const>(part.open.span()), suffixes.span());
    std::size_t const places = downloads_.add_first(std::span<Index const>(part.open.span()), std::span(at));
    std::size_t const theirs = downloads_.add_first(std::span<Index const>(suffixes.span()), std::span(suffix));
    downloads_.wait(places);
    downloads_.wait(theirs);
    downloads_.wait(part.number);
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, (count + block - 1) / block, [&](std::size_t b) {
        for (std::size_t i = b * block, end = std::min(count, i + block); i < end; ++i) host_[at[i]] = suffix[i];
      });
    });
  }

  B& machine_;
  std::span<Index const> order_;
  std::span<Index> host_;
  std::size_t open_share_;
  tbb::task_arena arena_{threads_for(0)};
  std::vector<given_part> given_;
  decltype(std::declval<B&>().downloads_beside()) downloads_;
};

}  // namespace ordo::suffix::detail
