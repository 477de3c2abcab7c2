#include "tools/strsort/record_inputs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "strings/fixed/record_sort.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/strsort/genomics.hpp"
#include "tools/strsort/options/gnu_messages.hpp"
#include "tools/strsort/json_key.hpp"

namespace ordo::inline v0::strsort {
namespace {

using strings::detail::record_format;
using strings::detail::record_source;

record_format make_format(command const& made) {
  record_format format;
  format.quoted = made.quoted.has_value();
  format.separator = made.quoted.value_or(',');
  format.delimiter = made.delimiter;
  format.header = made.header.value_or(0);
  if (!made.preset.empty()) format.header_prefixes = get_preset(made.preset).header_prefixes;
  format.has_mark = made.quoted || made.tabs;
  return format;
}

std::string excerpt(std::string const& file) {
  return file == "-" ? "standard input" : file;
}

// Calls on_line(number, line) for the lines of a text.
template <class OnLine>
void each_line(std::string_view text, OnLine on_line) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t const length = text.find('\n');
    std::string_view line = text.substr(0, length);
    if (line.ends_with('\r')) line.remove_suffix(1);
    on_line(number, line);
    text.remove_prefix(length == text.npos ? text.size() : length + 1);
  }
}

}  // namespace

void complete(command& made) {
  auto const refuse = [](std::string_view first, std::string_view second) {
    throw usage_error(fmt::format("options '{}' and '{}' are incompatible", first, second));
  };
  std::vector<std::string_view> formats;
  if (made.quoted) formats.emplace_back("--csv");
  if (made.tabs) formats.emplace_back("--tsv");
  if (made.json) formats.emplace_back("--jsonl");
  if (!made.preset.empty()) formats.emplace_back("--as");
  if (formats.size() > 1) refuse(formats[0], formats[1]);
  if (!formats.empty() && made.separator) refuse(formats[0], "-t");
  if (made.quoted && made.delimiter == '\0') refuse("--csv", "-z");
  if (made.quoted && made.debug) refuse("--csv", "--debug");
  if (made.json && made.header) refuse("--jsonl", "--header");
  if (made.json && made.delimiter == '\0') refuse("--jsonl", "-z");
  if (made.json && made.debug) refuse("--jsonl", "--debug");
  if (made.date_format && made.date_format->empty()) throw usage_error("no format: --date=''");
  if ((made.quoted || made.tabs) && !made.header) made.header = 1;
  if (made.preset.empty()) return;
  if (made.header) refuse("--as", "--header");
  if (made.delimiter == '\0') refuse("--as", "-z");
  made.separator = '\t';
  // Directives may stand anywhere in GFF, and go first: all of it is read before anything is written. To sort files that are
  // sorted gives what merging them does.
  if (made.preset == "gff") made.merge = false;
  auto const place = std::ranges::find(made.keys, "as", &given_key::text);
  if (place != made.keys.end()) {
    if (place != made.keys.begin()) throw usage_error("invalid key 'as': the keys of --as come before all others");
    made.keys.erase(place);
    set_preset_keys(made);
  } else if (made.keys.empty()) {
    set_preset_keys(made);
  }
}

void resolve_names(command& made, std::string const& header) {
  if (made.json) {
    for (given_key& key : made.keys) key = parse_json_key(key.text);
    return;
  }
  std::optional<std::vector<std::string>> columns;
  for (given_key& key : made.keys) {
    if (key.name.empty()) continue;
    // A header of several records: the first one has the names.
    if (!columns) {
      std::string_view line = header;
      if (!made.quoted) line = line.substr(0, line.find(made.delimiter));
      if (header.empty() && made.header.value_or(0) == 0) parse_key(key.name);  // throws
      if (header.empty()) break;                                                // nothing to sort
      char const separator = made.quoted ? *made.quoted : made.tabs || !made.preset.empty() ? '\t' : made.separator.value_or(0);
      if (made.quoted && made.header.value_or(0) > 1)
        // Qualified, because std::quoted is another candidate where a header includes <iomanip>.
        throw usage_error(
            fmt::format("invalid key {}: --csv has names in a header of one record only", strsort::quote(key.name)));
      columns = strings::detail::header_fields(line, separator, made.quoted.has_value());
    }
    key = parse_named_key(key.name, *columns);
  }
  std::erase_if(made.keys, [](given_key const& key) { return !key.name.empty(); });
}

void resolve_orders(command& made) {
  std::erase_if(made.own, [&](strings::key_type type) {
    bool const has_value = type == strings::key_type::date || type == strings::key_type::listed;
    return has_value && std::ranges::any_of(made.keys, [&](given_key const& key) { return key.options.own == type; });
  });
  bool const needed = made.keys.empty() || !std::ranges::all_of(made.keys, &given_key::has_options);
  if (needed && made.own.size() > 1)
    throw usage_error("conflicting options: two orders for whole lines: attach each to a key, as in -k 2,2:ip");
  if (needed && !made.own.empty()) made.global.own = made.own.front();
  if (made.json) finish_json_keys(made.keys, made.global);
}

std::shared_ptr<std::vector<std::string> const> listed_values(command const& made, std::string const& header) {
  auto const is_listed = [](ordering const& options) { return options.own == strings::key_type::listed; };
  bool const needed =
      is_listed(made.global) || std::ranges::any_of(made.keys, [&](auto const& k) { return is_listed(k.options); });
  if (!made.order_file) {
    if (!needed) return nullptr;
    if (!made.preset.empty() && get_preset(made.preset).has_sequences)
      return std::make_shared<std::vector<std::string>>(parse_sequences(header));
    throw usage_error("a key by order-file needs --order-file=FILE");
  }
  auto values = std::make_shared<std::vector<std::string>>();
  host_bytes const text = cli::read_all(*made.order_file);
  std::unordered_map<std::string_view, std::size_t> lines;
  each_line({text.data(), text.size()}, [&](std::size_t number, std::string_view line) {
    std::string_view const value = line.substr(0, line.find('\t'));
    if (auto const [before, is_new] = lines.emplace(value, number); !is_new)
      throw input_error(fmt::format("cannot read: {}:{}: {} is also in line {}", *made.order_file, number,
                                    strsort::quote(value), before->second));
    values->emplace_back(value);
  });
  return values;
}

record_inputs::record_inputs(command const& made, input_opener open)
    : made_(made), open_(std::move(open)), format_(make_format(made)) {
  // Sequences belong to a whole file of features, as it is.
  if (made.preset == "gff")
    gff_.emplace(made.temporary_folders.empty() ? cli::temporary_folder() : made.temporary_folders.front(),
                 made.check == 0 && !made.head && !made.count && !made.debug && !made.estimate && !made.explain,
                 made.files.size() > 1);
  if (format_.header == 0 && format_.header_prefixes.empty() && !format_.has_mark) return;
  for (; first_ < made.files.size(); ++first_) {
    auto input = opened(first_);
    header_ = input->header();
    header_lines_ = input->header_lines();
    // An empty input has no header.
    bool const empty = header_.empty() && format_.header != 0;
    waiting_.push_back(std::move(input));
    if (!empty) return;
  }
}

std::unique_ptr<record_source> record_inputs::opened(std::size_t k) {
  std::unique_ptr<source> from = open_(k);
  if (gff_) {
    auto features = std::make_unique<gff_source>(std::move(from), *gff_, k, excerpt(made_.files[k]), made_.check != 0);
    features_ = features.get();
    from = std::move(features);
  }
  if (made_.record_bytes)
    from = std::make_unique<strings::detail::whole_records>(std::move(from), std::size_t(*made_.record_bytes),
                                                            excerpt(made_.files[k]));
  return std::make_unique<record_source>(std::move(from), format_, excerpt(made_.files[k]));
}

std::uint64_t record_inputs::line_number(std::uint64_t n) const {
  n += header_lines_;
  return features_ ? features_->line_number(n) : n;
}

std::unique_ptr<source> record_inputs::open(std::size_t k) {
  if (k < waiting_.size() && waiting_[k]) return std::move(waiting_[k]);
  auto input = opened(k);
  std::string const& header = input->header();
  bool const is_empty = header.empty() && format_.header_prefixes.empty();
  if (header == header_ || is_empty) return input;
  std::string_view const a = header, b = header_;
  auto const differs = std::ranges::mismatch(a, b).in1 - a.begin();
  auto const line = 1 + std::count(a.begin(), a.begin() + differs, '\n');
  throw input_error(fmt::format("cannot read: {}:{}: the header is not that of {}", excerpt(made_.files[k]), line,
                                excerpt(made_.files[first_])));
}

}  // namespace ordo::inline v0::strsort
