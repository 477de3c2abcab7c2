#pragma once
#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/summary.hpp"

#pragma GCC visibility push(default)

/// Sorts the peaks of mass spectra in mzML (HUPO-PSI, 1.1), or writes them as MGF.
///
/// A document may be plain or an indexedmzML, in UTF-8, ISO-8859-1 or ASCII. Arrays hold floats or integers of 32 or 64 bits:
/// as they are (also if no compression is stated), in zlib or zstd, shuffled or with a dictionary in zstd, with predictions in
/// zlib, or in MS-Numpress, whose numbers count as 64-bit floats. Other arrays are an error if their spectrum has to be read.
/// So are text that is not well-formed, a document type, an array that does not hold the number of values that it states, and
/// one whose values are in another file (imzML, mzMLb). With sort_options::lenient, invalid bytes in a document of UTF-8 are
/// read as Windows-1252, and written as they are, with a warning.
/// Retention times may have any unit of time of a fixed length. A time without a unit counts as seconds, with a warning.
/// Another unit is an error where times count: in MGF, summaries and orders by retention time.
namespace ordo::inline v0::spectra {

/// Sorts the rest of an mzML document of any length.
/// - To mzML: all arrays of a spectrum that are as long as the key's are permuted alike, and keep type and compression.
///   Predicted arrays, and those of linear MS-Numpress that would need more than 32 bits, become plain ones in zlib. Peaks that
///   compare equal keep the order of the input, NaN comes last. In a spectrum only the text between <binary> and </binary> and
///   encodedLength change; nothing changes if it is in order. Lists of transitions (SRM, CRM) stay as they are, and so do
///   spectra in the order of another array: ion mobility, wavelength or the position of a scanning quadrupole.
/// - Offsets and fileChecksum of an indexedmzML are made anew. Its index has an entry for each spectrum and chromatogram, in
///   their order; a warning states how the index of the input differed from that.
/// - With a selection, values that were made of peaks - total ion current, base peak, lowest and highest observed m/z, number
///   of data points - are made anew where peaks are dropped. The processing is recorded in a software and a dataProcessing of
///   its own, to which the spectra refer. sort_options::keep_metadata prevents both. If spectra are dropped the others get new
///   numbers (`index`), as do the count of the list and the entries of the index. References to spectra that were dropped
///   before
///   (`spectrumRef`) become externalSpectrumID; those to later ones stay, with a warning. Everything else is kept byte for
///   byte.
/// - To MGF: spectra of MS level 2 and above with a selected ion or, by sort_options::isolation, an isolation window; with
///   TITLE, RTINSECONDS, PEPMASS and CHARGE as msconvert writes them, SCANS, MSLEVEL if it is not 2, and ION_MOBILITY (the
///   inverse reduced mobility or the drift time). Numbers have as many digits as give back the same value. Peaks that are not
///   finite are left out, with a warning.
/// Memory: some chunks of options.chunk_bytes of text, or of a larger spectrum, for each thread; and 16 bytes for each spectrum
/// of an indexedmzML, with the difference of its id to the one before. If spectra may be dropped, 16 bytes more for each, and a
/// temporary file as large as the output.
/// @throws input_error  naming the line; and as sort()
sort_report sort_mzml(source& input, sink& output, sort_options const& options, format to = format::mzml);

/// Sorts a document to mzML as sort_mzml does, and orders its spectra, stably. Each goes with the text between it and the one
/// before; they get new numbers, and their entries in the index follow them. References to spectra stay. Spectra of MS level 1
/// have neither precursor nor charge, and come last by these keys.
/// Memory: order.memory, the chunks of sort_mzml, and the same for each spectrum of an indexedmzML. More is stored on disk, in
/// order.folders, in copies that are no larger than the output.
/// @param order  without parts and part_bytes; the offset of an origin is that of the tag of the spectrum
/// @throws usage_error  for a repeated key, or parts; and as sort_mzml
order_report order_mzml(source& input, sink& output, sort_options const& options, order_options const& order);

/// Orders the spectra of many documents of mzML 1.1, or of one, into one indexedmzML, or into parts of it, each of which is a
/// document of its own. Peaks are sorted and selected as by sort_mzml.
/// - The head is that of the first input. Source files, parameter groups, software, instruments, processings, samples and
///   contacts that the others add go with them; they get new ids, with "_2" and so on, where an element that differs has
///   theirs. A spectrum names its source file, processing and instrument where these are not the defaults of the output. An
///   input without a source file is a source file itself. A userParam "merged run" states the id, startTimeStamp and sampleRef
///   of each further run.
/// - If an id of a spectrum is that of a spectrum of an input before, the ids of all spectra of the input, and all references
///   to them, end in " file=N", with the number of the input from 1 on, or the next number for which none collides. The same
///   holds for chromatograms.
/// - Spectra get new numbers; each part has its own count, index and checksum. The first part has all chromatograms. References
///   to spectra of other parts stay. Comments outside of spectra and chromatograms, but for those of the head, are left out, as
///   is the text between the end of an input's lists and its index.
/// - Inputs in another encoding than the first one have their characters outside ASCII written as character references.
/// Memory: order.memory, the chunks of sort_mzml; 16 bytes for each spectrum and chromatogram of a part, with the difference of
/// its id to the one before; and 16 to 32 bytes more for each if there are several inputs. More is stored on disk, in
/// order.folders: all spectra and chromatograms, and a second time those of a part.
/// @param options  name and input_bytes do not count
/// - Prefixes of namespaces that a later input declares are declared in the head, too.
/// @throws input_error  for documents that cannot be one: of another version, with other prefixes of tags, or with another
/// namespace of a prefix
/// @throws usage_error  for a repeated key, no input, or an input that is not mzML; and as sort_mzml
order_report order_mzml(spectrum_inputs const& inputs, output_parts& output, sort_options const& options,
                        order_options const& order);

/// Finds the first peak out of order, among those that sort_mzml to mzML would move. Its line is that of the spectrum.
/// @throws input_error  also if the fileChecksum of an indexedmzML is wrong, of which other functions warn; as sort_mzml
check_result check_mzml(source& input, sort_options const& options);

/// Summarizes the rest of a document as summarize does, with spectra of every MS level. A spectrum has as many peaks as m/z
/// values. Its peaks have no intensity if their numbers differ, or the intensity is NaN. Its title is the one that it gets in
/// MGF.
summary summarize_mzml(source& input, sort_options const& options);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
