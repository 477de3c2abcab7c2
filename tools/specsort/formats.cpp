#include "tools/specsort/formats.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {
namespace {

constexpr std::size_t format_bytes = 4096;  // the bytes of an input that identify its format
constexpr std::size_t max_comments = std::size_t{1} << 20;

// The extensions of other formats that hold spectra.
constexpr std::array<std::string_view, 13> foreign{"mzxml", "imzml", "mzdata", "mzmlb", "mz5", "mzpeak", "raw",
                                                   "wiff",  "d",     "sptxt",  "ms1",   "ms2", "dta"};

// Those of formats that are read, which another one replaces in the name of an output, beside those above.
constexpr std::array<std::string_view, 7> known{"mgf", "mzml", "msp", "xml", "msl", "mzlib", "mzspeclib"};

// Returns the extension of a name in lower case, without a trailing .gz or similar.
std::string extension(std::string_view of) {
  std::string name = lower_case(of);
  if (cli::compression_named(name) != cli::compression::none) name.resize(name.find_last_of('.'));
  std::size_t const dot = name.find_last_of("./");
  return dot == std::string::npos || name[dot] == '/' ? "" : name.substr(dot + 1);
}

bool is_foreign(std::string_view extension) {
  return std::ranges::find(foreign, extension) != foreign.end();
}

void refuse_foreign_input(cli::input& in) {
  if (std::string const why = spectra::foreign_format(in.front(format_bytes)); !why.empty())
    throw input_error(fmt::format("not MGF: {}:1: {}", in.name(), why));
}

// Files in the folder of a run, and the software that writes it; without a file: the extension of the folder.
struct instrument_folder {
  std::string_view extension, file, software;
};
constexpr std::array instrument_folders{
    instrument_folder{"", "analysis.tdf", "Bruker timsTOF"},
    instrument_folder{"", "analysis.tsf", "Bruker timsTOF"},
    instrument_folder{"", "analysis.baf", "Bruker"},
    instrument_folder{"", "analysis.yep", "Bruker"},
    instrument_folder{"", "fid", "Bruker"},
    instrument_folder{"", "AcqData", "Agilent MassHunter"},
    instrument_folder{"", "_HEADER.TXT", "Waters MassLynx"},
    instrument_folder{"", "_FUNC001.DAT", "Waters MassLynx"},
    instrument_folder{"d", "", "Bruker or Agilent"},
    instrument_folder{"raw", "", "Waters MassLynx"},
};

// Extensions of the files of instruments.
struct instrument_file {
  std::string_view extension, software;
};
constexpr std::array instrument_files{
    instrument_file{"tdf", "Bruker"},     instrument_file{"tdf_bin", "Bruker"}, instrument_file{"tsf", "Bruker"},
    instrument_file{"tsf_bin", "Bruker"}, instrument_file{"baf", "Bruker"},     instrument_file{"yep", "Bruker"},
    instrument_file{"wiff", "Sciex"},     instrument_file{"wiff2", "Sciex"},    instrument_file{"raw", "Thermo"},
    instrument_file{"lcd", "Shimadzu"},
};

constexpr std::string_view msconvert = "that cannot be read, but msconvert --mzML makes mzML of it";

// Refuses a binary file with the name of an instrument's.
void refuse_instrument_file(cli::input& in, std::string_view extension) {
  auto const it = std::ranges::find(instrument_files, extension, &instrument_file::extension);
  if (it == instrument_files.end()) return;
  std::string_view const front = in.front(format_bytes);
  std::string const described = spectra::foreign_format(front);
  if (described.empty() || described.find("Thermo") != std::string::npos) return;  // text, or named by its bytes
  throw input_error(fmt::format("not MGF: {}:1: it looks like a file of {} (.{}); {}", in.name(), it->software, extension,
                                it->software == "Bruker" ? "that cannot be read, but msconvert --mzML makes mzML of the .d "
                                                           "folder that holds it"
                                                         : msconvert));
}

}  // namespace

void refuse_instrument_folder(std::string const& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return;
  std::string_view name = path;
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  std::string const named = extension(name);
  auto const it = std::ranges::find_if(instrument_folders, [&](instrument_folder const& folder) {
    return folder.file.empty() ? folder.extension == named
                               : std::filesystem::exists(std::filesystem::path(path) / folder.file, error);
  });
  if (it == instrument_folders.end()) return;
  throw input_error(fmt::format("cannot read: {}: it is a folder of {}; {}", path, it->software, msconvert));
}

spectra::format format_of_input(cli::input& in) {
  std::string_view const front = in.front(format_bytes);
  std::string const named = extension(in.name());
  if ((named == "mzml" || named == "msp" || is_foreign(named)) && front.size() < format_bytes &&
      front.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw input_error(fmt::format("empty: {}: it holds no spectra, and is not {}", in.name(),
                                  named == "mzml" ? "an mzML document" : "of the format of its name"));
  spectra::format const result = spectra::detect_format(front);
  if (result == spectra::format::mgf) refuse_instrument_file(in, named);
  if (result != spectra::format::mgf || !spectra::foreign_format(front).empty()) return result;
  // Comments may fill more than the front, and a reader of the format that the name promises knows what is wrong.
  if (in.size() && front.size() == format_bytes && front.starts_with('#'))
    if (spectra::format const later = spectra::detect_format(in.front(max_comments)); later != result) return later;
  bool const is_named = named == "msp" || named == "sptxt" || named == "msl";
  return is_named && in.front(format_bytes).find("BEGIN IONS") == std::string_view::npos ? spectra::format::msp : result;
}

std::string name_of_output(std::string const& input, spectra::format from, spectra::format to) {
  std::filesystem::path name = std::filesystem::path(input).filename();
  if (from == to) return name.string();
  std::string packed;
  if (cli::compression_named(name.string()) != cli::compression::none) {
    packed = name.extension().string();
    name.replace_extension();
  }
  std::string const named = extension(name.string());
  bool const is_library = named == "txt" || named == "json";  // run.mzlib.txt
  if (is_library || is_foreign(named) || std::ranges::find(known, named) != known.end()) name.replace_extension();
  if (std::string const before = extension(name.string()); is_library && (before == "mzlib" || before == "mzspeclib"))
    name.replace_extension();
  return name.string() +
         (to == spectra::format::mgf    ? ".mgf"
          : to == spectra::format::msp  ? ".msp"
          : to == spectra::format::mzml ? ".mzML"
                                        : ".mzspeclib") +
         packed;
}

std::optional<spectra::format> format_of_output(std::string const& output, std::string const& to) {
  std::string const columns = to.empty() ? extension(output) : to;
  if (columns == "parquet" || columns == "arrow" || (to.empty() && columns == "feather"))
    throw usage_error(fmt::format(
        "format not written: {}: the Python package writes it, by pyarrow: python -m ordosort.spectra with the same options",
        to.empty() ? "-o " + output : "--to=" + to));
  if (to.starts_with("msp")) return spectra::format::msp;
  std::string const named = columns;
  if (named == "mgf") return spectra::format::mgf;
  if (named == "mzml") return spectra::format::mzml;
  if (named == "msp") return spectra::format::msp;
  if (named == "mzspeclib" || named == "mzlib" || lower_case(output).ends_with(".mzspeclib.txt"))
    return spectra::format::mzspeclib;
  if (is_foreign(named))
    throw usage_error(fmt::format("format not written: -o {}: choose --to=mgf, msp, mzspeclib or mzml", output));
  return {};
}

spectra::format format_of_output(std::string const& output, std::string const& to, cli::input& in, spectra::format read) {
  bool const named_otherwise = to.empty() && is_foreign(extension(output));
  if (named_otherwise && read == spectra::format::mgf) refuse_foreign_input(in);
  bool const is_imported = read != spectra::format::mgf && read != spectra::format::mzml;
  spectra::format const made = format_of_output(output, to).value_or(is_imported ? spectra::format::mgf : read);
  if (made == spectra::format::mzml && read == spectra::format::mgf) refuse_foreign_input(in);
  return made;
}

}  // namespace ordo::inline v0::specsort
