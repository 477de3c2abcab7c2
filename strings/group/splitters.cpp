#include "strings/group/splitters.hpp"

#include <cstring>
#include <utility>

#include "group/gather_strings.hpp"

namespace ordo::inline v0::strings::detail {

std::vector<splitter> find_splitters(group& members, std::span<line_sample const> own, line_comparison& compare) {
  std::string packed;
  auto const put = [&](std::uint64_t x) { packed.append(reinterpret_cast<char const*>(&x), sizeof(x)); };
  for (line_sample const& sample : own) {
    put(sample.position), put(sample.bytes), put(sample.line.size());
    packed += sample.line;
  }
  struct weighed {
    splitter at;
    std::uint64_t bytes;
  };
  std::vector<weighed> all;
  auto const samples = ordo::detail::gather_strings(members, packed);
  for (std::size_t m = 0; m < samples.size(); ++m)
    for (std::size_t i = 0; i < samples[m].size();) {
      std::uint64_t head[3];
      std::memcpy(head, samples[m].data() + i, sizeof(head));
      i += sizeof(head);
      all.push_back({{samples[m].substr(i, head[2]), m, head[0]}, head[1]});
      i += head[2];
    }
  std::ranges::sort(all, [&](weighed const& a, weighed const& b) {
    if (int const order = compare(a.at.line, b.at.line)) return order < 0;
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

}  // namespace ordo::inline v0::strings::detail
