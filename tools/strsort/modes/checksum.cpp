#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/streams.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "strings/fixed/record_order.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/modes.hpp"

namespace ordo::inline v0::strsort {
namespace {

__extension__ using wide = unsigned __int128;

// The sum of the CRC-32 of all items, which their order does not change; and their order, if it is checked.
class item_sum {
 public:
  item_sum(command const& made, strings::order const& by, char delimiter)
      : checks_(made.check != 0), strict_(made.unique), sums_(made.checksum) {
    if (made.record_bytes)
      records_.emplace(by, std::size_t(*made.record_bytes));
    else if (checks_)
      lines_.emplace(by, delimiter);
  }

  /// Returns false if an item is out of order. Must not be called again then.
  bool add(std::string_view item) {
    if (sums_) sum_ += cli::compute_crc32(item);
    bool const first = count_++ == 0;
    if (!checks_) return true;
    if (!first) {
      bool const equal = records_ ? records_->by_keys(before_.data(), item.data()) == 0 : lines_->by_keys(before_, item) == 0;
      if (equal) ++repeats_;
      if (equal && strict_) return false;
      int const difference = strict_ && equal ? 0
                             : records_       ? records_->compare(before_.data(), item.data())
                                              : (*lines_)(before_, item);
      if (difference > 0) return false;
    }
    before_ = item;
    return true;
  }
  [[nodiscard]] std::string text() const {
    std::string text = fmt::format("{}: {}\nchecksum: ", records_ ? "records" : "lines", count_);
    auto const high = std::uint64_t(sum_ >> 64), low = std::uint64_t(sum_);
    text += high != 0 ? fmt::format("{:x}{:016x}\n", high, low) : fmt::format("{:x}\n", low);
    if (checks_) text += fmt::format("equal keys: {}\n", repeats_);
    return text;
  }

 private:
  bool checks_, strict_, sums_;
  std::optional<strings::detail::record_order> records_;
  std::optional<strings::line_comparison> lines_;
  std::uint64_t count_ = 0, repeats_ = 0;
  wide sum_ = 0;
  std::string before_;
};

struct out_of_order {};

}  // namespace

int checksum(work const& w, cli::stats& stats) {
  command const& made = w.made;
  for (std::string const& file : made.files) must_be_readable(file, made.check != 0 ? "open failed" : "cannot read");
  cli::progress progress(w.called.name(), made.common, made.files, "");
  progress.phase(made.check != 0 ? "checking" : "reading", known_bytes(made.files));
  stats.phase("check");
  char const delimiter = w.inputs.delimiter();
  item_sum all(made, w.by, delimiter);
  std::size_t const block_bytes = std::size_t{1} << 20, size = std::size_t(made.record_bytes.value_or(0));
  host_bytes block;
  block.resize(size == 0 ? block_bytes : std::max(block_bytes / size, std::size_t{1}) * size);
  for (std::size_t k = 0; k < made.files.size(); ++k) {
    std::unique_ptr<source> const in = w.inputs.open(k);
    std::uint64_t number = 0;
    std::string_view wrong;
    auto const take = [&](std::string_view item) {
      ++number;
      if (all.add(item)) return;
      wrong = item;
      throw out_of_order{};
    };
    line_sink lines(delimiter, take);
    try {
      bool ended = true;
      for (std::size_t got = block.size(); got == block.size();) {
        got = in->read(block.span());
        stats.input(got);
        stats.bytes(got);
        std::string_view const text(block.data(), got);
        if (size != 0)
          for (std::size_t at = 0; at < got; at += size) take(text.substr(at, size));
        else
          lines.write(text);
        if (got != 0) ended = size != 0 || text.back() == delimiter;
        progress.at(w.read);
      }
      if (!ended) lines.write({&delimiter, 1});
    } catch (out_of_order const&) {
      if (made.check == 'c')
        cli::print_result(fmt::format("{}: {}:{}: disorder{}", w.called.name(), made.files[k], number,
                                      size != 0 ? "\n" : fmt::format(": {}{}", wrong, delimiter)));
      return 1;
    }
  }
  if (!made.checksum) return 0;
  cli::output out("-");
  out.write(all.text());
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::strsort
