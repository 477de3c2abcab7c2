#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/gather_strings.hpp"
#include "ordo/communicator.hpp"
#include "ordo/host_bytes.hpp"

// Divides an order among the members of a communicator, each of which has sorted its share: samples of the keys give splitters.
// Keys are strings of bytes. The caller compares them: compare(a, b) returns a negative number, 0 or a positive number.
namespace ordo::inline v0::detail {

/// The key of an item of a member's sorted share, or the first bytes of it, and the bytes of the share for which it stands.
struct key_sample {
  std::uint64_t position, bytes;
  std::string key;
};

/// A place in the order: among equal keys, those of earlier members come first.
struct splitter {
  std::string key;
  std::size_t member;
  std::uint64_t position;
};

/// Returns how many samples of equal numbers of bytes each member draws. 20 a part: each of p members is wrong by at most one
/// sample's bytes, a twentieth of a part in all.
constexpr std::uint64_t samples_wanted(std::size_t members) {
  return std::max<std::uint64_t>(64, 20 * std::uint64_t{members});
}
/// Returns the number of bytes of a key in a sample, if each member draws this number of samples.
constexpr std::size_t max_sample_length(std::size_t members, std::uint64_t samples) {
  return std::max<std::size_t>(256, (std::size_t{16} << 20) / std::size_t(samples * members));
}

/// Draws samples that stand for equal numbers of bytes.
/// @param n  the number of items @param bytes_at  returns the bytes of the k-th; 0 for an item that does not count
/// @param key_at  returns the key of the k-th
template <class BytesAt, class KeyAt>
std::vector<key_sample> draw_samples(std::size_t members, std::size_t n, BytesAt bytes_at, KeyAt key_at) {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < n; ++k) bytes += bytes_at(k);
  std::uint64_t const step = std::max<std::uint64_t>(1, bytes / samples_wanted(members));
  std::size_t const max_length = max_sample_length(members, samples_wanted(members));
  std::vector<key_sample> samples;
  std::uint64_t passed = 0, next = step / 2;
  for (std::size_t k = 0; k < n; ++k) {
    passed += bytes_at(k);
    if (passed <= next) continue;
    std::uint64_t const steps = (passed - next - 1) / step + 1;  // a large item stands for several
    samples.push_back({k, steps * step, std::string(std::string_view(key_at(k)).substr(0, max_length))});
    next += steps * step;
  }
  return samples;
}

/// Returns at most size() - 1 splitters that divide the bytes of all members evenly. Collective. Fewer, if there are few
/// samples: the last members then get nothing.
template <class Compare>
std::vector<splitter> find_splitters(communicator& members, std::span<key_sample const> own, Compare&& compare) {
  std::string packed;
  auto const put = [&](std::uint64_t x) { packed.append(reinterpret_cast<char const*>(&x), sizeof(x)); };
  for (key_sample const& sample : own) {
    put(sample.position), put(sample.bytes), put(sample.key.size());
    packed += sample.key;
  }
  struct weighed {
    splitter at;
    std::uint64_t bytes;
  };
  std::vector<weighed> all;
  auto const samples = gather_strings(members, packed);
  for (std::size_t m = 0; m < samples.size(); ++m)
    for (std::size_t i = 0; i < samples[m].size();) {
      std::uint64_t head[3];
      std::memcpy(head, samples[m].data() + i, sizeof(head));
      i += sizeof(head);
      all.push_back({{samples[m].substr(i, head[2]), m, head[0]}, head[1]});
      i += head[2];
    }
  std::sort(all.begin(), all.end(), [&](weighed const& a, weighed const& b) {
    if (int const order = compare(a.at.key, b.at.key)) return order < 0;
    return a.at.member != b.at.member ? a.at.member < b.at.member : a.at.position < b.at.position;
  });
  std::uint64_t total = 0, sum = 0;
  for (weighed const& x : all) total += x.bytes;
  std::size_t const p = members.size();
  std::vector<splitter> splitters;
  for (weighed const& x : all) {
    while (splitters.size() + 1 < p && sum + x.bytes / 2 >= even_offset(total, p, splitters.size() + 1))
      splitters.push_back(x.at);
    sum += x.bytes;
  }
  return splitters;
}

/// Returns the number of this member's items before each splitter, and for each member that has none, the number of all.
/// @param n  the number of items  @param key_at  returns the key of the k-th of the share
/// @param together  whether items with equal keys must not be divided
template <class KeyAt, class Compare>
std::vector<std::size_t> cuts_at(communicator const& members, std::size_t n, KeyAt key_at, std::span<splitter const> splitters,
                                 Compare&& compare, bool together) {
  std::vector<std::size_t> cuts;
  for (splitter const& s : splitters) {
    auto const first = [&](auto is_before) {
      std::size_t low = cuts.empty() ? 0 : cuts.back(), high = n;
      while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (is_before(key_at(middle)))
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    std::size_t const begin = first([&](std::string_view key) { return compare(key, s.key) < 0; });
    std::size_t const rank = members.rank();
    if (together || rank > s.member) {
      cuts.push_back(begin);
      continue;
    }
    std::size_t const end = first([&](std::string_view key) { return compare(key, s.key) <= 0; });
    cuts.push_back(rank < s.member ? end : std::clamp(std::size_t(s.position), begin, end));
  }
  cuts.resize(members.size(), n);
  return cuts;
}

/// Sends adjacent parts of a text to all members. Collective. @param ends  the ends of the part for each member @param received
/// bytes from each member, in their order
/// @returns those bytes
inline host_bytes exchange_parts(communicator& members, std::span<char const> text, std::span<std::uint64_t const> ends,
                                 std::vector<std::uint64_t>& received) {
  std::size_t const p = members.size();
  std::vector<std::uint64_t> sizes(p), all(p * p);
  for (std::size_t m = 0; m < p; ++m) sizes[m] = ends[m] - (m == 0 ? 0 : ends[m - 1]);
  members.all_gather(std::as_bytes(std::span(sizes)), std::as_writable_bytes(std::span(all)));
  std::uint64_t arriving = 0;
  received.clear();
  for (std::size_t m = 0; m < p; ++m) arriving += received.emplace_back(all[m * p + members.rank()]);
  host_bytes to;
  to.resize(std::size_t(arriving));
  std::vector<std::span<std::byte const>> sends;
  std::vector<std::span<std::byte>> receives;
  std::uint64_t at = 0;
  for (std::size_t m = 0; m < p; ++m) {
    sends.push_back(std::as_bytes(text).subspan(std::size_t(ends[m] - sizes[m]), std::size_t(sizes[m])));
    receives.push_back(std::as_writable_bytes(to.span()).subspan(std::size_t(at), std::size_t(received[m])));
    at += received[m];
  }
  members.all_to_all(sends, receives);
  return to;
}

}  // namespace ordo::inline v0::detail
