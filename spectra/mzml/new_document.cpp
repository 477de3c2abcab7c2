#include "spectra/mzml/new_document.hpp"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "spectra/encoding/digest.hpp"
#include "spectra/mzml/printer.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::string_view tag = "<spectrum index=\"\" id=\"";

std::string attribute(std::string_view text) {
  std::string value;
  add_attribute(text, value);
  return value;
}

// Returns an id: a letter or '_', then letters, digits, '.', '-' and '_'.
std::string as_id(std::string_view text) {
  std::string id = "_";
  for (char const c : text) {
    bool const is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    id += is_plain ? c : '_';
  }
  return id;
}

// Returns the term of a format of mass spectrometers; libraries have none.
std::string_view format_term(format from) {
  switch (from) {
    case format::mgf:
      return "accession=\"MS:1001062\" name=\"Mascot MGF format\"";
    case format::mzxml:
      return "accession=\"MS:1000566\" name=\"ISB mzXML format\"";
    default:
      return {};
  }
}

// The source files: a list of them, and what stands for libraries, which may not be in it.
struct stated_sources {
  std::string list, content;
  bool lists_first = false;
};
stated_sources state(std::span<source_file> sources, bool has_scans) {
  std::string list, content;
  stated_sources stated;
  std::size_t listed = 0;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    source_file& source = sources[k];
    if (source.sha1.empty() && !source.path.empty()) source.sha1 = sha1_of_file(source.path);
    std::string const name = attribute(std::filesystem::path(source.name).filename().string());
    std::string_view const format = format_term(source.from);
    if (format.empty()) {
      auto const parameter = [&](std::string_view what, std::string_view value) {
        fmt::format_to(std::back_inserter(content), "      <userParam name=\"{}\" value=\"{}\"/>\n", what, value);
      };
      parameter("source file", name);
      if (!source.sha1.empty()) parameter("SHA-1 of the source file", source.sha1);
      continue;
    }
    auto const term = [&](std::string_view of, std::string_view value = {}) {
      fmt::format_to(std::back_inserter(list), "        <cvParam cvRef=\"MS\" {} value=\"{}\"/>\n", of, value);
    };
    fmt::format_to(std::back_inserter(list), "      <sourceFile id=\"source{}\" name=\"{}\" location=\"file:///\">\n",
                   k == 0 ? "" : fmt::format("_{}", k + 1), name);
    term(format);
    term(has_scans ? "accession=\"MS:1000776\" name=\"scan number only nativeID format\""
                   : "accession=\"MS:1000774\" name=\"multiple peak list nativeID format\"");
    if (!source.sha1.empty()) term("accession=\"MS:1000569\" name=\"SHA-1\"", source.sha1);
    list += "      </sourceFile>\n";
    stated.lists_first |= k == 0;
    ++listed;
  }
  if (listed > 0) stated.list = fmt::format("    <sourceFileList count=\"{}\">\n{}    </sourceFileList>\n", listed, list);
  stated.content = content;
  return stated;
}

}  // namespace

void new_document::write(std::span<char const> data) {
  pending_.append(data.data(), data.size());
  pass(false);
}

// Sets numbers and ids of the text that is there, but for the end of it that may be the begin of a tag.
void new_document::pass(bool last) {
  std::size_t done = 0;
  auto const put = [&](std::string_view text) {
    spectra_.put(text);
    size_ += text.size();
  };
  for (;;) {
    std::size_t const at = pending_.find(tag, done), id = at + tag.size();
    std::size_t const end = at == std::string::npos ? at : pending_.find('"', id);
    if (end == std::string::npos) break;
    put(std::string_view(pending_).substr(done, at - done));
    offsets_.push_back(size_);
    std::size_t const number = offsets_.size() - 1;
    std::string const name = end == id ? fmt::format("index={}", number) : pending_.substr(id, end - id);
    ids_ += name;
    id_ends_.push_back(ids_.size());
    put(fmt::format("<spectrum index=\"{}\" id=\"{}", number, name));
    done = end;
  }
  std::size_t const open = last ? std::string::npos : pending_.rfind('<');  // there is none in base64
  std::size_t const kept = open == std::string::npos || open < done ? pending_.size() : open;
  put(std::string_view(pending_).substr(done, kept - done));
  pending_.erase(0, kept);
}

std::string new_document::head(std::span<source_file> sources, bool has_scans) const {
  std::string const run = std::filesystem::path(sources.front().name).stem().string();
  stated_sources const stated = state(sources, has_scans);
  return fmt::format(
      R"(<mzML xmlns="http://psi.hupo.org/ms/mzml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://psi.hupo.org/ms/mzml http://psidev.info/files/ms/mzML/xsd/mzML1.1.0.xsd" version="1.1.0">
  <cvList count="2">
    <cv id="MS" fullName="Proteomics Standards Initiative Mass Spectrometry Ontology" URI="https://raw.githubusercontent.com/HUPO-PSI/psi-ms-CV/master/psi-ms.obo"/>
    <cv id="UO" fullName="Unit Ontology" URI="https://raw.githubusercontent.com/bio-ontology-research-group/unit-ontology/master/unit.obo"/>
  </cvList>
  <fileDescription>
    <fileContent>
      <cvParam cvRef="MS" accession="MS:1000294" name="mass spectrum" value=""/>
{4}    </fileContent>
{0}  </fileDescription>
  <softwareList count="1">
    <software id="ordo_specsort" version="{1}">
      <cvParam cvRef="MS" accession="MS:1000799" name="custom unreleased software tool" value="ordo specsort"/>
    </software>
  </softwareList>
  <instrumentConfigurationList count="1">
    <instrumentConfiguration id="instrument">
      <cvParam cvRef="MS" accession="MS:1000031" name="instrument model" value=""/>
    </instrumentConfiguration>
  </instrumentConfigurationList>
  <dataProcessingList count="1">
    <dataProcessing id="ordo_specsort_conversion">
      <processingMethod order="0" softwareRef="ordo_specsort">
        <cvParam cvRef="MS" accession="MS:1000544" name="Conversion to mzML" value=""/>
      </processingMethod>
    </dataProcessing>
  </dataProcessingList>
  <run id="{2}" defaultInstrumentConfigurationRef="instrument"{5}>
    <spectrumList count="{3}" defaultDataProcessingRef="ordo_specsort_conversion">
)",
      stated.list, version, as_id(run), offsets_.size(), stated.content,
      stated.lists_first ? " defaultSourceFileRef=\"source\"" : "");
}

void new_document::end(std::span<source_file> sources, bool has_scans) {
  pass(true);
  sha1_digest digest;
  std::string text;
  auto const flush = [&] {
    digest.add(text);
    to_.write(text);
    written_ += text.size();
    text.clear();
  };
  bool const indexed = !offsets_.empty();
  text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  if (indexed)
    text += R"(<indexedmzML xmlns="http://psi.hupo.org/ms/mzml" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
            R"(xsi:schemaLocation="http://psi.hupo.org/ms/mzml http://psidev.info/files/ms/mzML/xsd/mzML1.1.2_idx.xsd">)"
            "\n";
  text += head(sources, has_scans);
  std::uint64_t const begin = text.size();
  flush();
  spectra_.drain([&](std::string_view some) {
    text = some;
    flush();
  });
  text = "    </spectrumList>\n  </run>\n</mzML>\n";
  if (indexed) {
    std::uint64_t const list = written_ + text.size();
    text += "<indexList count=\"1\">\n  <index name=\"spectrum\">\n";
    std::size_t id = 0;
    for (std::size_t s = 0; s < offsets_.size(); ++s) {
      std::size_t const id_end = std::size_t(id_ends_[s]);
      fmt::format_to(std::back_inserter(text), "    <offset idRef=\"{}\">{}</offset>\n",
                     std::string_view(ids_).substr(id, id_end - id), begin + offsets_[s]);
      id = id_end;
      constexpr std::size_t enough = std::size_t{1} << 20;
      if (text.size() > enough) flush();
    }
    fmt::format_to(std::back_inserter(text), "  </index>\n</indexList>\n<indexListOffset>{}</indexListOffset>\n<fileChecksum>",
                   list);
    flush();
    text = digest.hex() + "</fileChecksum>\n</indexedmzML>\n";
  }
  flush();
}

}  // namespace ordo::inline v0::spectra::detail
