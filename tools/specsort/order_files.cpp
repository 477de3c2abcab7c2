#include "tools/specsort/order_files.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "base/streams.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/mzml.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/parts.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/prompt_output.hpp"
#include "tools/specsort/renumbering_sink.hpp"

namespace ordo::inline v0::specsort {
namespace {

// The output file, or the files of its parts, which appear together.
class output_files final : public spectra::output_parts {
 public:
  /// @param renumbers  the key of the numbers of spectra, if they are made anew; else empty
  output_files(std::string const& path, spectra::order_options const& order, unsigned threads, std::string_view renumbers)
      : path_(path), splits_(order.part_bytes || order.parts), threads_(threads), renumbers_(renumbers) {
    wanted_ = std::size_t(order.parts.value_or(0));
    add();  // so that an invalid path fails at once
  }

  sink& open(std::size_t part) override {
    if (part == files_.size()) add();
    file& file = files_[part];
    if (renumbers_.empty()) return file.to;
    return file.renumbered.emplace(file.to, number_, renumbers_);
  }
  void close(std::size_t part) override {
    end_numbers(part);
    files_[part].out.finish();
  }

  void commit() {
    for (std::size_t part = 0; part < files_.size(); ++part) end_numbers(part);
    if (!splits_) return files_.front().out.commit();
    std::vector<cli::output*> parts;
    for (file& part : files_) parts.push_back(&part.out);
    cli::commit_parts(parts);
  }
  [[nodiscard]] std::string const& name(std::size_t part) const { return files_[part].name; }
  /// Returns the output file, if there are no parts.
  [[nodiscard]] cli::output& single() { return files_.front().out; }
  /// Begins again.
  void restart() {
    files_.clear();
    add();
  }
  /// Checks an input that is read while this is written.
  void refuse_loop(cli::input const& in) const { files_.front().out.refuse_loop(in); }

 private:
  struct file {
    std::string name;
    cli::output out;
    prompt_output to;
    std::optional<renumbering_sink> renumbered;
    file(std::string path, unsigned threads) : name(std::move(path)), out(name, threads), to(out) {}
  };
  void add() { files_.emplace_back(splits_ ? cli::name_of_part(path_, files_.size() + 1, wanted_) : path_, threads_); }

  void end_numbers(std::size_t part) {
    if (files_[part].renumbered) files_[part].renumbered->finish();
  }

  std::string path_;
  bool splits_;
  unsigned threads_;
  std::string_view renumbers_;
  std::uint64_t number_ = 0;  // the scan number of the last spectrum
  std::size_t wanted_ = 0;    // number of parts, 0 if it is not known
  std::deque<file> files_;
};

// Escapes a name as a field of a table.
std::string field(std::string_view name) {
  std::string text;
  for (char const c : name) {
    if (c == '\t')
      text += "\\t";
    else if (c == '\n')
      text += "\\n";
    else if (c == '\\')
      text += "\\\\";
    else
      text += c;
  }
  return text;
}

// The output of --map.
class map_file {
 public:
  map_file(std::string const& path, std::vector<std::string> const& inputs, output_files const& outputs)
      : out_(path), inputs_(inputs), outputs_(outputs) {
    for (std::string const& input : inputs)
      if (out_.is_file(input)) throw usage_error(fmt::format("cannot write: --map: it would replace the input {}", input));
    out_.write(std::string_view("output\tspectrum\tinput\tnumber\toffset\tdropped\n"));
  }

  void add(std::span<spectra::spectrum_origin const> all) {
    text_.clear();
    for (auto const& origin : all) {
      number_ = origin.part == part_ ? number_ + 1 : 1;
      part_ = origin.part;
      fmt::format_to(std::back_inserter(text_), "{}\t{}\t{}\t{}\t{}\t\n", field(outputs_.name(origin.part)), number_,
                     field(inputs_[origin.input]), origin.number + 1, origin.offset);
    }
    out_.write(text_);
  }
  // Adds spectra of an input that are left out. They come after the others, which may be written later.
  void add_dropped(std::size_t input, std::span<spectra::dropped_spectrum const> all) {
    for (auto const& [number, offset, option] : all) {
      auto const it = std::ranges::find(reasons_, option);
      if (it == reasons_.end()) reasons_.emplace_back(option);
      dropped_.push_back(
          {number, offset, std::uint32_t(input), std::uint32_t(std::ranges::find(reasons_, option) - reasons_.begin())});
    }
  }
  void finish() {
    for (auto const& [number, offset, input, reason] : dropped_) {
      text_.clear();
      fmt::format_to(std::back_inserter(text_), "\t\t{}\t{}\t{}\t{}\n", field(inputs_[input]), number + 1, offset,
                     field(reasons_[reason]));
      out_.write(text_);
    }
    out_.finish();
  }
  void commit() { out_.commit(); }

 private:
  struct dropped {
    std::uint64_t number, offset;
    std::uint32_t input, reason;
  };

  cli::output out_;
  std::vector<dropped> dropped_;
  std::vector<std::string> reasons_;
  std::vector<std::string> const& inputs_;
  output_files const& outputs_;
  std::size_t part_ = 0;
  std::uint64_t number_ = 0;
  std::string text_;
};

// Returns the key of the number of a spectrum, as the writer of a format has it.
std::string_view key_of_numbers(spectra::format as, spectra::msp_style names) {
  return as == spectra::format::mgf ? "SCANS=" : names == spectra::msp_style::nist ? "Scans: " : "SCANS: ";
}

// Decompression is slow: no work for a GPU.
std::uint64_t bytes_for_gpu(cli::input const& in) {
  return in.compressed() ? 0 : in.file_size().value_or(0);
}

spectra::spectrum_inputs::opened opened(std::unique_ptr<cli::input> in, std::string const& path, spectrum_lists const& lists,
                                        std::size_t k) {
  spectra::spectrum_inputs::opened opened;
  opened.name = in->name();
  opened.bytes = bytes_for_gpu(*in);
  if (in->id() && path != "-") opened.path = path;
  if (in->compressed()) opened.packed_bytes = in->file_size().value_or(0);
  opened.from_format = format_of_input(*in);
  opened.numbers = lists.of_input(k);
  opened.duplicates = lists.duplicates_in(k);
  opened.named = lists.named_in(k);
  opened.from = std::move(in);
  return opened;
}

std::string_view what_is_missing(spectra::spectrum_key key) {
  switch (key) {
    case spectra::spectrum_key::pepmass:
      return "precursor m/z";
    case spectra::spectrum_key::mass:
      return "precursor m/z or charge";
    case spectra::spectrum_key::rt:
      return "retention time";
    default:
      return spectra::to_string(key);
  }
}

// Returns the format of the first input; that of a pipe, which is read once, is the one that becomes mzML without a conversion.
spectra::format first_format(std::vector<std::string> const& inputs) {
  if (inputs.front() == "-") return spectra::format::mzml;
  refuse_instrument_folder(inputs.front());
  cli::input in(inputs.front());
  return in.id() ? format_of_input(in) : spectra::format::mzml;
}

spectra::order_report order_inputs(spectra::spectrum_inputs const& from, spectra::output_parts& to, spectra::format as,
                                   spectra::format first, spectra::sort_options const& options,
                                   spectra::order_options const& order) {
  // The first input decides whether mzML is made anew.
  if (as != spectra::format::mzml || first != spectra::format::mzml) {
    spectra::order_options formatted = order;
    formatted.to = as;
    return spectra::order_spectra(from, to, options, formatted);
  }
  if (from.count > 1 || order.parts || order.part_bytes) return spectra::order_mzml(from, to, options, order);
  spectra::spectrum_inputs::opened const opened = from.open(0);
  spectra::sort_options document_options = options;
  document_options.name = opened.name;
  document_options.input_bytes = opened.bytes;
  return spectra::order_mzml(*opened.from, to.open(0), document_options, order);
}

}  // namespace

spectra::spectrum_inputs open_inputs(std::vector<std::string> const& inputs, spectrum_lists const& lists, unsigned threads,
                                     bool again) {
  spectra::spectrum_inputs all;
  all.count = inputs.size();
  all.open = [&inputs, &lists, threads, again](std::size_t k) {
    refuse_instrument_folder(inputs[k]);
    auto in = std::make_unique<cli::input>(inputs[k], threads);
    if (again && (inputs[k] == "-" || !in->id()))
      throw usage_error(fmt::format(
          "cannot read twice: {}: --unique-spectra, --clusters, --sample with a number of spectra, and --report and --pairs "
          "with --output need a file",
          in->name()));
    return opened(std::move(in), inputs[k], lists, k);
  };
  return all;
}

spectra::order_report order_files(std::vector<std::string> const& inputs, spectrum_lists const& lists,
                                  std::string const& output, std::string const& map, bool renumbers, spectra::format as,
                                  spectra::sort_options& options, spectra::order_options order,
                                  cli::common_options const& common,
                                  std::function<void(spectra::sort_report const&)> const& committing,
                                  order_together const& together) {
  output_files to(output, order, common.threads, renumbers ? key_of_numbers(as, options.names) : std::string_view());
  std::optional<map_file> origins;
  std::size_t current = 0;  // input
  if (!map.empty()) {
    origins.emplace(map, inputs, to);
    options.on_dropped = [&](std::span<spectra::dropped_spectrum const> all) { origins->add_dropped(current, all); };
    order.on_written = [&](std::span<spectra::spectrum_origin const> all) { origins->add(all); };
  }
  auto const open = [&](std::size_t k) {
    refuse_instrument_folder(inputs[k]);
    auto in = std::make_unique<cli::input>(inputs[k], common.threads);
    to.refuse_loop(*in);
    return in;
  };
  spectra::spectrum_inputs from;
  from.count = inputs.size();
  from.open = [&](std::size_t k) {
    current = k;
    auto in = open(k);
    if (format_of_input(*in) != as) to.single().refuse_inputs(std::span(&inputs[k], 1));  // it would be converted
    return opened(std::move(in), inputs[k], lists, k);
  };
  bool const divides = as == spectra::format::mgf && !origins && !renumbers;
  std::optional<spectra::order_report> shared;
  if (together) {
    shared = together(from, divides ? &to.single() : nullptr);
    if (!shared && divides && to.single().addressable()) to.restart();  // its size was left open
  }
  spectra::order_report done = shared ? std::move(*shared) : order_inputs(from, to, as, first_format(inputs), options, order);
  committing(done.done);
  if (origins) origins->finish();
  to.commit();
  if (origins) origins->commit();
  if (options.on_warning)
    for (std::size_t k = 0; k < done.missing.size(); ++k)
      if (done.missing[k] != 0)
        cli::say(tool,
                 fmt::format("warning: {} of {} {} no {} and {} last", done.missing[k],
                             quantity(done.done.spectra_kept, "spectrum", "spectra"), done.missing[k] == 1 ? "has" : "have",
                             what_is_missing(order.order.by[k]), done.missing[k] == 1 ? "comes" : "come"));
  return done;
}

spectra::order_report help_order_files(std::vector<std::string> const& inputs, spectrum_lists const& lists, spectra::format as,
                                       spectra::sort_options const& options, spectra::order_options const& order,
                                       unsigned threads) {
  class : public spectra::output_parts {
    sink& open(std::size_t) override { return none_; }
    null_sink none_;
  } to;
  return order_inputs(open_inputs(inputs, lists, threads, false), to, as, first_format(inputs), options, order);
}

}  // namespace ordo::inline v0::specsort
