#include "spectra/mgf/file_header.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "spectra/mgf/line.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// Returns true for parameters that say nothing of spectra: a comment on the search, and its user.
bool is_about(std::string_view key) {
  constexpr std::array<std::string_view, 3> keys{"COM", "USERNAME", "USEREMAIL"};
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::string input_heads::take(std::string_view head, bool has_spectra, std::string const& name) {
  bool const marked = head.starts_with(byte_order_mark);
  if (marked) head.remove_prefix(byte_order_mark.size());
  if (std::exchange(first_, false) && marked) front_ = byte_order_mark;
  parameters all, about;
  std::string others;  // lines
  for (std::string_view rest = head; !rest.empty();) {
    std::string_view const before = rest;
    std::string_view const line = trimmed(consume_line(rest));
    if (!is_parameter(line)) {
      others += before.substr(0, before.size() - rest.size());
      continue;
    }
    std::size_t const equals = line.find('=');
    std::string key(line.substr(0, equals));
    (is_about(key) ? about : all).emplace_back(std::move(key), trimmed(line.substr(equals + 1)));
  }
  std::ranges::sort(all);
  std::ranges::sort(about);
  bool const says_nothing = !has_spectra && all.empty() && about.empty();
  if (!decided_) {
    front_ += head;
    if (says_nothing) return {};
    decided_ = true;
    reference_ = head;
    name_ = name;
    all_ = std::move(all);
    about_ = std::move(about);
    return {};
  }
  if (says_nothing) return others;
  compare(all, name);
  if (head == reference_) return {};
  for (auto const& one : about)
    if (std::ranges::find(about_, one) == about_.end())
      warn_(fmt::format("left out: {}: '{}={}', where those of {} stand", name, one.first, one.second, name_));
  return others;
}

void input_heads::compare(parameters const& others, std::string const& name) const {
  if (others == all_) return;
  // Finds the first parameter that is in one of the two only.
  parameters only_here, only_there;
  std::ranges::set_difference(others, all_, std::back_inserter(only_here));
  std::ranges::set_difference(all_, others, std::back_inserter(only_there));
  auto const describe = [](parameters const& those, std::string const& key) {
    auto const it = std::ranges::find(those, key, &parameters::value_type::first);
    return it == those.end() ? "no " + key : fmt::format("{}={}", it->first, it->second);
  };
  std::string const& key = (only_here.empty() ? only_there : only_here).front().first;
  throw input_error(fmt::format("other global parameters: {}: it has {}, and {} has {}: they would hold for spectra of both",
                                name, describe(others, key), name_, describe(all_, key)));
}

}  // namespace ordo::inline v0::spectra::detail
