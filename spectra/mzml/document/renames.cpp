#include "spectra/mzml/document/renames.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

enum class use { id, chromatogram_id, reference, spectrum_reference };

// An attribute that holds an id or a reference.
struct reference {
  std::string_view element, attribute;
  use as = use::reference;
  id_kind kind = id_kind::group;
};

constexpr std::array references{
    reference{"spectrum", "id", use::id},
    reference{"spectrum", "sourceFileRef", use::reference, id_kind::source_file},
    reference{"spectrum", "dataProcessingRef", use::reference, id_kind::processing},
    reference{"scan", "instrumentConfigurationRef", use::reference, id_kind::instrument},
    reference{"scan", "sourceFileRef", use::reference, id_kind::source_file},
    reference{"scan", "spectrumRef", use::spectrum_reference},
    reference{"precursor", "sourceFileRef", use::reference, id_kind::source_file},
    reference{"precursor", "spectrumRef", use::spectrum_reference},
    reference{"binaryDataArray", "dataProcessingRef", use::reference, id_kind::processing},
    reference{"chromatogram", "id", use::chromatogram_id},
    reference{"chromatogram", "dataProcessingRef", use::reference, id_kind::processing},
    reference{"referenceableParamGroupRef", "ref", use::reference, id_kind::group},
    // References in the head of a document.
    reference{"sourceFileRef", "ref", use::reference, id_kind::source_file},
    reference{"softwareRef", "ref", use::reference, id_kind::software},
    reference{"processingMethod", "softwareRef", use::reference, id_kind::software},
    reference{"instrumentConfiguration", "scanSettingsRef", use::reference, id_kind::scan_settings},
};

// Returns the references of an element, which are adjacent.
std::span<reference const> allowed_references(std::string_view element) {
  auto const begin = std::ranges::find(references, element, &reference::element);
  return {begin,
          std::find_if(begin, references.end(), [&](reference const& reference) { return reference.element != element; })};
}

std::string_view value_in(std::string_view tag, std::string_view attribute) {
  auto const result = attribute_in(tag, attribute);
  return result ? tag.substr(result->begin, result->size) : std::string_view();
}

bool is_tag(markup const& markup) {
  return markup.kind == markup_kind::start || markup.kind == markup_kind::empty;
}

class renaming {
 public:
  renaming(std::string_view text, mzml_renames const& renames, default_processing const& stated, std::string& output,
           std::span<std::size_t* const> places)
      : text_(text), renames_(renames), stated_(stated), output_(output), places_(places) {}

  void run(default_processing& now) {
    for (auto result = next_markup(text_, 0); result; result = next_markup(text_, result->end)) {
      std::string_view const tag = text_.substr(result->begin, result->end - result->begin);
      if (renames_.escapes && (is_tag(*result) || result->kind == markup_kind::end)) check_names(tag);
      if (!is_tag(*result)) continue;
      if (auto const list = list_processing(*result, tag))
        (result->name == "spectrumList" ? now.spectra : now.chromatograms) = renames_.of(id_kind::processing, *list);
      else if (auto const all = allowed_references(result->name); !all.empty())
        take(*result, tag, all, now);
    }
    copy_to(text_.size());
    for (; next_place_ != places_.size(); ++next_place_) *places_[next_place_] = output_.size();
  }

 private:
  struct change {
    std::size_t begin, end;
    std::string text;
  };

  // Other bytes than ASCII become references to characters, which a name may not hold.
  static void check_names(std::string_view tag) {
    char quote = '\0';
    for (char const c : tag) {
      if (quote == '\0' && static_cast<unsigned char>(c) >= 0x80)
        throw input_error(
            fmt::format("cannot merge: {}...: the name of an element or of an attribute is not ASCII, and the documents "
                        "differ in their encoding",
                        tag.substr(0, tag.find_first_of(" \t\r\n/>", 1))));
      if (c == quote)
        quote = '\0';
      else if (quote == '\0' && (c == '"' || c == '\''))
        quote = c;
    }
  }

  void take(markup const& markup, std::string_view tag, std::span<reference const> all, default_processing const& defaults) {
    changes_.clear();
    std::size_t const name_end = tag.find_first_of(" \t\r\n/>");
    auto const add = [&](std::string_view attribute, std::string_view value) {
      changes_.push_back({name_end, name_end, fmt::format(" {}=\"{}\"", attribute, value)});
    };
    for (reference const& one : all) {
      auto const value = attribute_in(tag, one.attribute);
      if (value) {
        std::size_t const end = value->begin + value->size;
        if (one.as == use::reference) {
          std::string_view const old = tag.substr(value->begin, value->size), made = renames_.of(one.kind, old);
          if (made != old) changes_.push_back({value->begin, end, std::string(made)});
        } else {
          changes_.push_back({end, end, std::string(1, one.as == use::chromatogram_id ? chromatogram_slot : spectrum_slot)});
        }
      } else if (markup.name == "spectrum" && one.kind == id_kind::source_file && !renames_.source_file.empty()) {
        add(one.attribute, renames_.source_file);
      } else if (markup.name == "scan" && one.kind == id_kind::instrument && !renames_.instrument.empty() &&
                 !attribute_in(tag, "externalSpectrumID")) {
        add(one.attribute, renames_.instrument);
      } else if (one.kind == id_kind::processing && markup.name != "binaryDataArray") {
        bool const is_spectrum = markup.name == "spectrum";
        std::string const& now = is_spectrum ? defaults.spectra : defaults.chromatograms;
        std::string const& implied = is_spectrum ? stated_.spectra : stated_.chromatograms;
        if (!now.empty() && now != implied) add(one.attribute, now);
      }
    }
    std::ranges::stable_sort(changes_, {}, &change::begin);
    for (change const& change : changes_) {
      copy_to(markup.begin + change.begin);
      output_ += change.text;
      done_ = markup.begin + change.end;
    }
  }

  // Copies the text up to `end`, and moves the places before it.
  void copy_to(std::size_t end) {
    for (; next_place_ != places_.size() && *places_[next_place_] <= end; ++next_place_) {
      copy(*places_[next_place_]);
      *places_[next_place_] = output_.size();
    }
    copy(end);
  }

  void copy(std::size_t end) {
    std::string_view const part = text_.substr(done_, end - done_);
    done_ = end;
    if (!renames_.escapes) {
      output_ += part;
      return;
    }
    for (std::size_t i = 0; i < part.size();) {
      auto const first = static_cast<unsigned char>(part[i]);
      if (first < 0x80) {
        output_ += part[i++];
        continue;
      }
      std::size_t const size = renames_.latin || first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      std::uint32_t code = size == 1 ? first : first & (0xffu >> (size + 1));
      std::size_t used = 1;
      for (; used < size && i + used < part.size() && (static_cast<unsigned char>(part[i + used]) & 0xc0) == 0x80; ++used)
        code = code << 6 | (static_cast<unsigned char>(part[i + used]) & 0x3f);
      if (used < size || (size == 1 && !renames_.latin)) {
        code = windows_1252_code(first);  // sort_options::lenient
        used = 1;
      }
      output_ += fmt::format("&#{};", code);
      i += used;
    }
  }

  std::string_view text_;
  mzml_renames const& renames_;
  default_processing const& stated_;
  std::string& output_;
  std::span<std::size_t* const> places_;
  std::size_t next_place_ = 0, done_ = 0;
  std::vector<change> changes_;
};

}  // namespace

std::string_view mzml_renames::of(id_kind kind, std::string_view id) const {
  auto const& all = ids[std::size_t(kind)];
  auto const it = all.find(id);
  return it == all.end() ? id : std::string_view(it->second);
}

std::optional<std::string_view> list_processing(markup const& markup, std::string_view tag) {
  if (!is_tag(markup) || (markup.name != "spectrumList" && markup.name != "chromatogramList")) return std::nullopt;
  return value_in(tag, "defaultDataProcessingRef");
}

void rename_references(std::string_view text, mzml_renames const& renames, default_processing& now,
                       default_processing const& stated, std::string& output, std::span<std::size_t* const> places) {
  renaming(text, renames, stated, output, places).run(now);
}

}  // namespace ordo::inline v0::spectra::detail
