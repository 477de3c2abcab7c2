#include "tools/examples/spgemm/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::spgemm {
namespace {

/// The lines of a text, and words of them.
class lines {
 public:
  lines(std::string_view text, std::string const& name) : rest_(text), name_(name) {}

  /// The next line.
  /// @returns false at the end
  bool next() {
    if (rest_.empty()) return false;
    std::size_t const size = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, size);
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
    ++number_;
    return true;
  }
  /// The next line that is neither empty nor a comment.
  bool next_with_data() {
    while (next()) {
      skip_blanks();
      if (!line_.empty() && line_.front() != '%') return true;
    }
    return false;
  }
  std::string_view word() {
    skip_blanks();
    std::size_t const size = std::size_t(std::ranges::find_if(line_, is_blank) - line_.begin());
    std::string_view const result = line_.substr(0, size);
    line_.remove_prefix(size);
    return result;
  }
  void expect_end() {
    skip_blanks();
    if (!line_.empty()) fail(fmt::format("'{}' is too much", line_));
  }
  /// @param most  that it may be
  std::uint64_t whole(std::string_view subject, std::uint64_t least, std::uint64_t most) {
    std::string_view const from = word();
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc() || end != from.data() + from.size()) fail(fmt::format("bad {}: '{}' is no number", subject, from));
    if (value < least || value > most) fail(fmt::format("bad {}: {} is not from {} to {}", subject, from, least, most));
    return value;
  }
  template <class T>
  T value() {
    std::string_view const all = word();
    std::string_view from = all;
    if (from.starts_with('+')) from.remove_prefix(1);
    T value{};
    auto const [end, error] = fast_float::from_chars(from.data(), from.data() + from.size(), value);
    if (error == std::errc::invalid_argument || end != from.data() + from.size() || all.starts_with("+-"))
      fail(fmt::format("bad value: '{}' is no number", all));
    // Infinity is written in letters; some versions of fast_float make it of what is too large, without an error.
    if (std::isinf(value) && from.find_first_of("0123456789") != std::string_view::npos)
      fail(fmt::format("bad value: {} is too large for {}", all, sizeof(T) == sizeof(float) ? "a float" : "a double"));
    return value;
  }
  [[noreturn]] void fail(std::string const& why) const {
    throw input_error(fmt::format("bad matrix: {}:{}: {}", name_, number_, why));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() { line_.remove_prefix(std::size_t(std::ranges::find_if_not(line_, is_blank) - line_.begin())); }

  std::string_view rest_, line_;
  std::string const& name_;
  std::uint64_t number_ = 0;
};

struct header {
  bool pattern = false;
  int mirrored = 0;  // 1: the other half is the same; -1: with the other sign
};

header read_header(lines& from) {
  auto const word = [&] {
    std::string lower(from.word());
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return lower;
  };
  if (!from.next() || word() != "%%matrixmarket") from.fail("it does not begin with %%MatrixMarket");
  if (word() != "matrix" || word() != "coordinate") from.fail("only 'matrix coordinate' is read");
  header result;
  std::string const field = word(), symmetry = word();
  result.pattern = field == "pattern";
  if (!result.pattern && field != "real" && field != "integer") from.fail(fmt::format("entries '{}' are not read", field));
  result.mirrored = symmetry == "symmetric" ? 1 : symmetry == "skew-symmetric" ? -1 : 0;
  if (result.mirrored == 0 && symmetry != "general") from.fail(fmt::format("symmetry '{}' is not read", symmetry));
  return result;
}

template <class T>
struct entry {
  std::uint32_t row, column;
  T value;
};

/// By rows, each with its entries in the order given.
template <class T>
sparse_matrix<T> by_rows(std::size_t rows, std::size_t columns, std::vector<entry<T>> const& entries) {
  sparse_matrix<T> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.offsets.assign(rows + 1, 0);
  matrix.column.resize(entries.size());
  matrix.value.resize(entries.size());
  for (auto const& entry : entries) ++matrix.offsets[entry.row + std::size_t{1}];
  for (std::size_t r = 0; r < rows; ++r) matrix.offsets[r + 1] += matrix.offsets[r];
  std::vector<std::uint64_t> next(matrix.offsets.begin(), matrix.offsets.end() - 1);
  for (auto const& entry : entries) {
    std::uint64_t const to = next[entry.row]++;
    matrix.column[to] = entry.column;
    matrix.value[to] = entry.value;
  }
  return matrix;
}

}  // namespace

template <class T>
sparse_matrix<T> read_matrix_market(std::string_view text, std::string const& name) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  lines from(text, name);
  header const kind = read_header(from);
  if (!from.next_with_data()) from.fail("no sizes follow");
  std::uint64_t const rows = from.whole("number of rows", 0, most), columns = from.whole("number of columns", 0, most);
  std::uint64_t const count = from.whole("number of entries", 0, text.size());
  from.expect_end();
  if (kind.mirrored != 0 && rows != columns) from.fail("a symmetric matrix has as many rows as columns");

  std::vector<entry<T>> entries;
  entries.reserve(kind.mirrored != 0 ? 2 * count : count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!from.next_with_data()) from.fail(fmt::format("{} entries follow of {}", i, count));
    auto const row = std::uint32_t(from.whole("row", 1, rows) - 1),
               column = std::uint32_t(from.whole("column", 1, columns) - 1);
    T const value = kind.pattern ? T{1} : from.value<T>();
    from.expect_end();
    entries.push_back({row, column, value});
    if (kind.mirrored != 0 && row != column) entries.push_back({column, row, T(kind.mirrored) * value});
  }
  if (from.next_with_data()) from.fail(fmt::format("more follows after {} entries", count));
  return by_rows(rows, columns, entries);
}

template <class T>
void matrix_market_writer::add(matrix_entries<T> const& more) {
  std::string text;
  for (std::size_t e = 0; e < more.row.size(); ++e) {
    fmt::format_to(std::back_inserter(text), "{} {} ", more.row[e] + std::uint64_t{1}, more.column[e] + std::uint64_t{1});
    if (std::isnan(more.value[e]))
      text += "nan\n";  // a NaN has a sign on some processors
    else
      fmt::format_to(std::back_inserter(text), "{}\n", more.value[e]);
  }
  text_.write_at(bytes_, text);
  bytes_ += text.size();
  entries_ += more.row.size();
}

void matrix_market_writer::write(std::size_t rows, std::size_t columns, sink& to) const {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 20;
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", rows, columns, entries_);
  to.write(text);
  for (std::uint64_t at = 0; at < bytes_; at += text.size()) {
    text.resize(std::size_t(std::min(bytes_ - at, at_once)));
    text_.read_at(at, text);
    to.write(text);
  }
}

template sparse_matrix<float> read_matrix_market(std::string_view, std::string const&);
template sparse_matrix<double> read_matrix_market(std::string_view, std::string const&);
template void matrix_market_writer::add(matrix_entries<float> const&);
template void matrix_market_writer::add(matrix_entries<double> const&);

}  // namespace ordo::inline v0::spgemm
