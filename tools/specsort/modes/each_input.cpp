#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/types.h>

#include "ordo/error.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/output_folder.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace ordo::inline v0::specsort {
namespace {

namespace fs = std::filesystem;

// The output of an input, or the error that it has.
struct assignment {
  std::string input, output;
  spectra::format to = spectra::format::mgf;
  std::exception_ptr failure = {};
};

assignment assign(command const& made, std::string const& input) {
  assignment one{input, {}};
  try {
    refuse_instrument_folder(input);
    cli::input in(input, made.common.threads);
    if (!in.id()) throw usage_error(fmt::format("not a regular file: {}: with --out-dir, each input is read twice", input));
    spectra::format const from = format_of_input(in);
    one.to = format_of_output({}, made.to, in, from);
    one.output = (fs::path(made.out_dir) / name_of_output(input, from, one.to)).string();
  } catch (error const&) {  // reported when it is the input's turn
    one.failure = std::current_exception();
  }
  return one;
}

// Checks that no output replaces another one, or an input. Nothing has been written.
void refuse_clashes(std::vector<assignment> const& all) {
  std::map<std::string_view, std::string_view> inputs;  // key: the output
  std::map<std::pair<dev_t, ino_t>, std::string_view> files, outputs;
  for (assignment const& one : all)
    if (auto const id = cli::find_file_id(one.input); id && id->name.empty())
      files.emplace(std::pair(id->device, id->inode), one.input);
  for (assignment const& one : all) {
    if (one.failure) continue;
    auto const [it, is_new] = inputs.emplace(one.output, one.input);
    if (!is_new)
      throw usage_error(
          fmt::format("two inputs of one name: {}: {} and {} would both become this file", one.output, it->second, one.input));
    auto const id = cli::find_file_id(one.output);
    auto const read = id && id->name.empty() ? files.find({id->device, id->inode}) : files.end();
    if (read != files.end())
      throw usage_error(fmt::format("cannot write: {}: it would replace the input {}", one.output, read->second));
    if (!id || !id->name.empty()) continue;
    auto const [other, is_first] = outputs.emplace(std::pair(id->device, id->inode), one.output);
    if (!is_first) throw usage_error(fmt::format("cannot write: {}: it is the same file as {}", one.output, other->second));
  }
}

// Summarizes an input as it is, and as it is written.
spectra::comparison compare_one(work& w, spectra::format to, session& here) {
  spectra::sort_options read = make_sort_options(w);
  read.distributions = true;
  read.on_warning = {};  // the command that writes warns
  complete_options(w, read, here);
  single_input one(w, std::move(read));
  here.begin("reading", one.options.input_bytes);
  return spectra::compare(one.in, one.options, one.format, to);
}

}  // namespace

int each_input(work& w, session& here) {
  command const& made = w.made;
  if (here.others.can_share()) static_cast<void>(here.others.decide(division::none));  // this process works alone
  std::vector<assignment> all;
  for (std::string const& input : made.inputs) all.push_back(assign(made, input));
  refuse_clashes(all);
  cli::output_folder const folder(made.out_dir);
  std::optional<report_file> page;
  if (!made.report.empty()) page.emplace(made);
  spectra::comparison compared;
  std::size_t const failed = for_each_input(w, here, [&](work& input, command& alone, std::size_t k) {
    if (all[k].failure) std::rethrow_exception(all[k].failure);
    alone.output = all[k].output;
    alone.has_output = true;
    if (alone.to.empty()) alone.to = spectra::to_string(all[k].to);
    alone.report.clear();
    std::optional<spectra::comparison> result;
    if (page) result = compare_one(input, all[k].to, here);
    static_cast<void>(input.orders() ? order(input, here) : sort_file(input, here));
    if (result) compared.add(*result);
  });
  if (page) {
    page->write(compared, name_of_all(made), here.command_line);
    page->commit();
  }
  return failed == 0 ? 0 : 2;
}

}  // namespace ordo::inline v0::specsort
