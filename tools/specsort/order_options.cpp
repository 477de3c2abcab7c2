#include "tools/specsort/order_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/codecs.hpp"
#include "tools/cli/options.hpp"

namespace ordo::specsort {
namespace {

std::vector<spectra::spectrum_key> keys_of(std::string_view list) {
  std::vector<spectra::spectrum_key> all;
  for (bool more = true; more;) {
    std::size_t const comma = list.find(',');
    std::string_view const name = list.substr(0, comma);
    auto const key = spectra::parse_spectrum_key(name);
    if (!key)
      throw usage_error(
          fmt::format("no such key: --spectra-by: '{}'; pepmass, mass, rt, scan, charge, title and peaks are there", name));
    all.push_back(*key);
    more = comma != list.npos;
    list.remove_prefix(more ? comma + 1 : 0);
  }
  return all;
}

std::uint64_t parse_size(std::string_view option, std::string const& text) try {
  std::uint64_t const bytes = parse_bytes(text);
  if (bytes == 0) throw usage_error("");
  return bytes;
} catch (usage_error const&) {
  throw usage_error(fmt::format("invalid size: {}: '{}'; such as 500000, 64M or 8G are", option, text));
}

}  // namespace

void order_options::add_to(CLI::App& app) {
  std::string const group = "Order of spectra (many IN become one output, MGF; one in mzML may stay that, --to mzml)";
  auto const add = [&](char const* name, auto& to, char const* type, std::string const& help) {
    cli::refuse_empty(*app.add_option(name, to, help)->type_name(type)->group(group)->allow_extra_args(false));
  };
  add("--spectra-by", by, "KEY[,KEY...]",
      "order by pepmass (precursor m/z), mass (neutral), rt, scan, charge, title, peaks; equal ones stay as they come, what "
      "lacks KEY comes last");
  app.add_flag("--descending-spectra", descending, "the greatest first; what is missing still comes last")->group(group);
  add("--map", map, "FILE", "write where each spectrum came from: output, number in it, input, number in it (from 1), offset");
  add("--split-size", split_size, "SIZE",
      "write parts of SIZE bytes at most before compression: -o out.mgf makes out.0001.mgf and so on; no spectrum is cut");
  add("--split-count", split_count, "N", "write N parts of about the same size");
  add("--memory", memory, "SIZE",
      "most memory that spectra may take, as 8G; more is sorted on disk [three quarters of what is free]");
  add("-T,--temporary-directory", folders, "DIR", "put temporary files there; may be given several times [TMPDIR, or /tmp]");
}

spectra::order_options order_options::made() const {
  spectra::order_options one;
  if (!any()) {
    for (auto const& [name, value] : {std::pair("--map", map), std::pair("--memory", memory)})
      if (!value.empty()) throw usage_error(fmt::format("{} goes with --spectra-by, --split-size or --split-count", name));
    if (!folders.empty()) throw usage_error("--temporary-directory goes with --spectra-by, --split-size or --split-count");
  }
  if (descending && by.empty()) throw usage_error("--descending-spectra goes with --spectra-by");
  if (!any()) return one;
  if (!by.empty()) one.order = {keys_of(by), descending};
  if (!split_size.empty() && !split_count.empty()) throw usage_error("--split-size and --split-count: only one can be had");
  if (!split_size.empty()) one.part_bytes = parse_size("--split-size", split_size);
  if (!split_count.empty()) {
    one.parts = cli::parse_count("--split-count", split_count);
    if (*one.parts == 0) throw usage_error("invalid number: --split-count: '0'");
  }
  one.memory = cli::available_memory() / 4 * 3;
  if (!memory.empty()) one.memory = std::min<std::uint64_t>(one.memory, parse_size("--memory", memory));
  char const* const folder = std::getenv("TMPDIR");
  if (folder && *folder) one.folders = {folder};
  if (!folders.empty()) one.folders = folders;
  return one;
}

std::string name_of_part(std::string const& file, std::size_t number, std::size_t digits) {
  std::filesystem::path front = file;
  std::string behind;
  if (cli::compression_named(file) != cli::compression::none) {
    behind = front.extension().string();
    front.replace_extension();
  }
  behind = front.extension().string() + behind;
  front.replace_extension();
  return fmt::format("{}.{:0{}}{}", front.string(), number, digits, behind);
}

}  // namespace ordo::specsort
