#include "ordo/suffix/records.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <tbb/parallel_sort.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t names_at_once = 4096;

std::uint64_t hash_name(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

// Calls f(record, earlier one) for each record that repeats a name, among records with equal hashes. Names with equal hashes
// are nearly always equal.
template <class F>
void each_repeated(record_names const& names, std::vector<std::pair<std::uint64_t, std::size_t>> const& records, F f) {
  std::vector<std::size_t> first;  // records with different names
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto const [hash, record] = records[i];
    if (i == 0 || records[i - 1].first != hash) first.clear();
    auto const same =
        std::ranges::find_if(first, [&names, record = record](std::size_t other) { return names[other] == names[record]; });
    if (same == first.end())
      first.push_back(record);
    else
      f(record, *same);
  }
}

}  // namespace

name_faults find_name_faults(record_names const& names, unsigned threads) {
  name_faults faults;
  std::vector<std::uint64_t> hashes(names.size());
  std::vector<std::pair<std::uint64_t, std::size_t>> records;  // records that share their hash with others, by hash
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::parallel_each(names.size(), names_at_once, [&](std::size_t r) { hashes[r] = hash_name(names[r]); });
    tbb::parallel_sort(hashes.begin(), hashes.end());
    std::size_t shared = 0;  // different hashes
    for (std::size_t i = 1; i < hashes.size(); ++i)
      if (hashes[i] == hashes[i - 1] && (shared == 0 || hashes[shared - 1] != hashes[i])) hashes[shared++] = hashes[i];
    hashes.resize(shared);
    for (std::size_t r = 0; r < names.size(); ++r) {
      std::string_view const name = names[r];
      if (name.empty()) {
        if (faults.empty++ == 0) faults.first_empty = r;
      } else if (shared != 0 && std::ranges::binary_search(hashes, hash_name(name))) {
        records.emplace_back(hash_name(name), r);
      }
    }
    tbb::parallel_sort(records.begin(), records.end());
  });
  each_repeated(names, records, [&](std::size_t record, std::size_t earlier) {
    if (faults.repeated++ != 0 && record > faults.first_repeated) return;
    faults.first_repeated = record;
    faults.same_as = earlier;
  });
  return faults;
}

}  // namespace ordo::inline v0::suffix
