#include "spectra/chunk/title.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/spectra.hpp"

namespace ordo::inline v0::spectra {
namespace {

using namespace std::string_view_literals;

constexpr std::array fields{"run"sv, "file"sv, "index"sv, "scan"sv, "charge"sv, "mz"sv, "rt"sv, "level"sv, "id"sv, "title"sv};

// Calls text(part) and field(name) for the parts of a template, in their order.
template <class Text, class Field>
void each_part(std::string_view all, Text text, Field field) {
  while (!all.empty()) {
    std::size_t const open = std::min(all.find('{'), all.size());
    text(all.substr(0, open));
    all.remove_prefix(open);
    if (all.empty()) return;
    std::size_t const close = all.find('}');
    if (close == all.npos) return field(all);  // with the brace: no field has this name
    field(all.substr(1, close - 1));
    all.remove_prefix(close + 1);
  }
}

}  // namespace

void check_title_template(std::string_view text) {
  each_part(
      text, [](std::string_view) {},
      [&](std::string_view name) {
        if (std::ranges::find(fields, name) == fields.end())
          throw usage_error(
              fmt::format("bad template of titles: '{}': no field '{}'; choose from {}", text, name, fmt::join(fields, ", ")));
      });
}

}  // namespace ordo::inline v0::spectra

namespace ordo::inline v0::spectra::detail {
namespace {

template <class T>
void add(std::optional<T> const& value, std::string& to) {
  if (value) fmt::format_to(std::back_inserter(to), "{}", *value);
}

}  // namespace

std::string run_of_file(std::string_view path) {
  if (path == "-" || path == "standard input") return {};
  path.remove_prefix(path.find_last_of('/') + 1);  // npos + 1 is 0
  constexpr std::array packed{".gz"sv, ".bgz"sv, ".bz2"sv, ".xz"sv, ".zst"sv};
  for (std::string_view const extension : packed)
    if (path.ends_with(extension)) {
      path.remove_suffix(extension.size());
      break;
    }
  std::size_t const dot = path.rfind('.');
  return std::string(path.substr(0, dot == 0 ? path.npos : dot));
}

void fill_title(std::string_view text, spectrum_header const& header, std::uint64_t number, std::string_view name,
                std::string_view run, std::string& title) {
  title.clear();
  each_part(
      text, [&](std::string_view part) { title += part; },
      [&](std::string_view field) {
        if (field == "run") title += run;
        if (field == "file") title += name;
        if (field == "index") fmt::format_to(std::back_inserter(title), "{}", number);
        if (field == "scan") add(header.scan, title);
        if (field == "charge" && !header.charges.empty())
          fmt::format_to(std::back_inserter(title), "{}", header.charges.front());
        if (field == "mz") add(header.precursor_mz, title);
        if (field == "rt") add(header.rt_seconds, title);
        if (field == "level") add(header.ms_level, title);
        if (field == "id") add(header.native_id, title);
        if (field == "title") add(header.title, title);
      });
}

}  // namespace ordo::inline v0::spectra::detail
