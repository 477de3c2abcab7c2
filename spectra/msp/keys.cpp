#include "spectra/msp/keys.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace ordo::inline v0::spectra::detail {
namespace {

// The names of NIST, of MassBank's records, and of matchms, which reads those of MGF, too.
constexpr std::array<library_key, 26> keys{{
    {"NAME", "Name", "CH$NAME", "COMPOUND_NAME", ""},
    {"TITLE", "Title", "RECORD_TITLE", "TITLE", ""},
    {"SYNON", "Synon", "CH$NAME", "SYNON", "synonym synonyms"},
    {"SPECTRUMID", "DB#", "ACCESSION", "SPECTRUM_ID", ""},
    {"PEPMASS", "PrecursorMZ", "MS$FOCUSED_ION: PRECURSOR_M/Z", "PRECURSOR_MZ", ""},
    {"PRECURSOR_INTENSITY", "Precursor_intensity", "MS$FOCUSED_ION: PRECURSOR_INTENSITY", "PRECURSOR_INTENSITY", ""},
    {"ADDUCT", "Precursor_type", "MS$FOCUSED_ION: PRECURSOR_TYPE", "ADDUCT", "adducttype iontype"},
    {"CHARGE", "Charge", "AC$MASS_SPECTROMETRY: CHARGE", "CHARGE", ""},
    {"IONMODE", "Ion_mode", "AC$MASS_SPECTROMETRY: ION_MODE", "IONMODE", ""},
    {"MSLEVEL", "Spectrum_type", "AC$MASS_SPECTROMETRY: MS_TYPE", "MS_LEVEL", ""},
    {"RTINSECONDS", "RTINSECONDS", "AC$CHROMATOGRAPHY: RETENTION_TIME", "RETENTION_TIME", ""},
    {"SCANS", "Scans", "SCANS", "SCANS", "scan scannumber"},
    {"COLLISION_ENERGY", "Collision_energy", "AC$MASS_SPECTROMETRY: COLLISION_ENERGY", "COLLISION_ENERGY", ""},
    {"COLLISION_GAS", "Collision_gas", "AC$MASS_SPECTROMETRY: COLLISION_GAS", "COLLISION_GAS", ""},
    {"FRAGMENTATION_MODE", "Special_fragmentation", "AC$MASS_SPECTROMETRY: FRAGMENTATION_MODE", "FRAGMENTATION_MODE", ""},
    {"IONIZATION", "Ionization", "AC$MASS_SPECTROMETRY: IONIZATION", "IONIZATION", ""},
    {"INSTRUMENT", "Instrument", "AC$INSTRUMENT", "INSTRUMENT", ""},
    {"INSTRUMENT_TYPE", "Instrument_type", "AC$INSTRUMENT_TYPE", "INSTRUMENT_TYPE", ""},
    {"FORMULA", "Formula", "CH$FORMULA", "FORMULA", "molecularformula"},
    {"EXACTMASS", "ExactMass", "CH$EXACT_MASS", "EXACT_MASS", ""},
    {"SMILES", "SMILES", "CH$SMILES", "SMILES", "smilesformula"},
    {"INCHI", "InChI", "CH$IUPAC", "INCHI", ""},
    {"INCHIKEY", "InChIKey", "CH$LINK: INCHIKEY", "INCHIKEY", ""},
    {"CAS", "CAS#", "CH$LINK: CAS", "CAS", "casno"},
    {"COMMENT", "Comments", "COMMENT", "COMMENT", ""},
    {"SPLASH", "Splash", "PK$SPLASH", "SPLASH", ""},
}};

using key_map = std::map<std::string, library_key const*, std::less<>>;

key_map normalized_names() {
  key_map all;
  for (library_key const& key : keys) {
    for (std::string_view name : {key.mgf, key.nist, key.massbank, key.matchms}) {
      std::size_t const colon = name.find(':');
      if (has_subkeys(normalized_key(name.substr(0, colon)))) name.remove_prefix(colon + 2);
      all.emplace(normalized_key(name), &key);
    }
    for (std::string_view rest = key.aliases; !rest.empty();) {
      std::string_view const alias = rest.substr(0, rest.find(' '));
      all.emplace(alias, &key);
      rest.remove_prefix(std::min(rest.size(), alias.size() + 1));
    }
  }
  return all;
}

}  // namespace

std::string normalized_key(std::string_view key) {
  std::string text;
  for (char const c : key)
    if (c != ' ' && c != '\t' && c != '_') text += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

library_key const* find_library_key(std::string_view normalized) {
  static key_map const all = normalized_names();
  auto const it = all.find(normalized);
  return it == all.end() ? nullptr : it->second;
}

bool has_subkeys(std::string_view normalized) {
  return normalized == "ac$massspectrometry" || normalized == "ac$chromatography" || normalized == "ms$focusedion" ||
         normalized == "ch$link";
}

}  // namespace ordo::inline v0::spectra::detail
