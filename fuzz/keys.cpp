// Lines and keys. The sort, the comparison of two lines and the codes of keys agree.
#include "fuzz/keys_of.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/line_comparison.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  strings::sort_options options;
  options.by = fuzz::make_order(bytes, true);
  options.machine = fuzz::one_thread();
  options.delimiter = bytes.flag() ? '\0' : '\n';
  std::string_view const text = bytes.rest();

  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    lines.push_back(text.substr(begin, text.find(options.delimiter, begin) - begin));
    begin += lines.back().size() + 1;
  }
  strings::line_comparison const compare(options.by, options.delimiter);
  strings::key_encoder const encoder(options.by, options.delimiter);
  auto sorted = lines;
  std::ranges::stable_sort(sorted, [&](std::string_view a, std::string_view b) { return compare(a, b) < 0; });
  auto const result = strings::sort(text, options);
  fuzz::require(result.size() == sorted.size(), "all lines are there");
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    fuzz::require(result[k] == sorted[k], "lines are in the order of the comparison");
    if (k == 0 || options.by.keys.empty()) continue;  // whole lines have no codes
    std::string before, code;
    encoder.append(sorted[k - 1], before);
    encoder.append(sorted[k], code);
    int const by_keys = compare.by_keys(sorted[k - 1], sorted[k]), by_codes = before.compare(code);
    fuzz::require((by_keys < 0) == (by_codes < 0) && (by_keys > 0) == (by_codes > 0), "codes are in the order of the keys");
  }
  return 0;
}
