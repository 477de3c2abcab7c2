#include <algorithm>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix/matches.hpp"
#include "suffix/index/fm_walks.hpp"
#include "suffix/matches/statistics_walks.hpp"

namespace ordo::inline v0::suffix {

void matching_statistics(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) {
  if (begin > query.size() || lengths.size() > query.size() - begin)
    throw usage_error(fmt::format("wrong array size: matching statistics: {} lengths from offset {} of {} letters",
                                  lengths.size(), begin, query.size()));
  constexpr std::size_t max_walks = 64, min_letters = 64;
  std::size_t const count = std::clamp<std::size_t>(lengths.size() / min_letters, 1, max_walks);
  auto const part_begin = [&](std::size_t w) { return w == count ? lengths.size() : lengths.size() / count * w; };
  if (rows.fm()) {
    std::size_t w = 0;
    using walk = backward_walk<searched_fm>;
    return run_walks<walk>([&]() -> std::optional<walk> {
      if (w == count) return std::nullopt;
      std::size_t const first = part_begin(w), last = part_begin(++w);
      return walk(searched_fm(rows), {query.data(), query.size()}, {begin + first, begin + last}, lengths.data() + first);
    });
  }
  std::vector<statistics_walk> walks;
  for (std::size_t w = 0; w < count; ++w)
    walks.emplace_back(query, begin + part_begin(w), lengths.subspan(part_begin(w), part_begin(w + 1) - part_begin(w)));
  run_walks(rows, std::move(walks));
}

}  // namespace ordo::inline v0::suffix
