#pragma once
#include <functional>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"

#pragma GCC visibility push(default)

/// Reads spectra of every format, and writes them as MGF, MSP, mzSpecLib or mzML.
///
/// mzXML is that of versions 1 to 3.2, with peaks of 32 or 64 bits, compressed by zlib or not at all; its index of scans is not
/// read. Its titles are made of the name of the parent file, the scan number twice and the charge, as in titles of mzML.
///
/// MSP is the text format of NIST's libraries, as NIST, AMDIS, MassBank, MoNA, MS-DIAL, SpectraST, matchms and msPurity write
/// it, with its keys in any order. Name (or COMPOUND_NAME, RECORD_TITLE, CH$NAME), PrecursorMZ (or Parent= of the comment),
/// Charge (or that of Precursor_type, or Charge= of the comment), Ion_mode, RetentionTime (see sort_options::rt_unit_seconds),
/// ScanNumber and Spectrum_type are values of the header; other lines are metadata.
///
/// mzSpecLib is the text form of HUPO-PSI's libraries, version 1.0. Attributes of spectra, of their first analyte and of the
/// sets that these name are read: name (or peptidoform, or key), m/z of the precursor (selected ion, experimental, isolation
/// target or theoretical), charge, polarity, retention time, scan number, MS level and ion mobility are values of the header;
/// others are metadata by their names, and pairs of other attribute name and value by theirs. Further analytes and
/// interpretations are left out.
///
/// Input that is not well-formed, and spectra that do not hold the number of peaks that they state, are errors; in MSP unless
/// sort_options::lenient.
namespace ordo::inline v0::spectra {

/// Sorts the rest of an input of any format, and writes it as MGF: spectra of MS level 2 and above with a precursor m/z; of
/// libraries, all spectra with all their metadata, as lines KEY=value by the names that GNPS and matchms read. Peaks that are
/// not finite are left out, with a warning, and so are annotations of peaks but for charges.
/// Memory: some chunks of options.chunk_bytes of text, or of a larger spectrum, for each thread.
/// @throws input_error  naming the line; and as sort()
sort_report sort_to_mgf(source& input, sink& output, sort_options const& options, format from);

/// Sorts the rest of an input of any format, and writes it as MSP, by the names of sort_options::names: of runs, the spectra
/// that sort_to_mgf writes. Retention times are in seconds. Parameters of MGF become lines "key: value", and the text after the
/// intensity of a peak becomes its annotation. Lines outside of spectra, and comments, are left out, and peaks without
/// intensity get 0, with a warning. Memory and errors: as sort_to_mgf.
sort_report sort_to_msp(source& input, sink& output, sort_options const& options, format from);

/// Sorts the rest of an input of any format, and writes it as mzSpecLib 1.0, in text, with keys from 1 on: of runs, the spectra
/// that sort_to_mgf writes. Values of headers, and properties of MGF and MSP for which the PSI-MS vocabulary has a term, are
/// attributes by these terms; others are pairs of other attribute name and value. Where a term cannot hold a text as it is, the
/// text follows as such a pair, too. Annotations are written without quotation marks around them. Lines outside of spectra, and
/// comments, are left out, and peaks without intensity get 0, with a warning. Memory and errors: as sort_to_mgf.
sort_report sort_to_mzspeclib(source& input, sink& output, sort_options const& options, format from);

/// Sorts the rest of an input of any format, and writes it as an indexedmzML, with spectra of every MS level. Of formats other
/// than mzML, the document has a source file, the name of the input, and terms for the title, MS level, polarity, retention
/// time, scan number, precursors, charges, activation and energy of each spectrum; the rest of its metadata are userParams,
/// "MGF KEY", from which sort_to_mgf makes the parameters again. Ids are "scan=N" of mzXML, else "index=N". Comments, and
/// annotations of peaks, are left out with a warning, and peaks without intensity get 0. Memory: as sort_to_mgf, and 24 bytes
/// for each spectrum; a temporary file as large as the output. Errors: as sort_to_mgf.
sort_report sort_to_mzml(source& input, sink& output, sort_options const& options, format from);

/// Finds the first peak out of order. The line is that of the spectrum, but for MGF.
check_result check(source& input, sort_options const& options, format from);

/// Summarizes the rest of an input, with spectra of every MS level.
summary summarize(source& input, sort_options const& options, format from);

/// Reads the rest of an input into memory, with spectra of every MS level.
spectrum_columns read_spectra(source& input, sort_options const& options, format from);

/// Reads the rest of an input and calls on_spectra(columns) with some of its spectra at a time, in order, by one thread at a
/// time. Memory: the chunks at work. @throws  also what on_spectra throws
void read_spectra(source& input, sort_options const& options, format from,
                  std::function<void(spectrum_columns const&)> const& on_spectra);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
