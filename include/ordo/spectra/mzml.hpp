#pragma once
#include <string>
#include <string_view>

#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/summary.hpp"

/// Peaks of mass spectra in mzML (HUPO-PSI, 1.1), put in order, or written as MGF. A document may be plain or an indexedmzML,
/// in UTF-8, ISO-8859-1 or ASCII; arrays hold floats or integers of 32 or 64 bits, compressed by zlib or not at all; other
/// arrays are an error where their spectrum has to be read. So is what is not well-formed, a document type, an array that
/// does not hold as many numbers as it says, and one whose numbers are in another file (imzML, mzMLb). With options::lenient,
/// bytes that are no UTF-8 in a document of UTF-8 are read as Windows-1252, and written as they are, with a warning.
/// A retention time may have any unit of time of a fixed length; one without a unit counts as seconds, with a warning, and
/// another unit is an error where times count: in MGF, summaries and orders by them.
namespace ordo::spectra {

enum class format { mgf, mzml };

/// The format of an input that begins with these bytes, of which 4096 are enough: mzML where its first tag is <mzML> or
/// <indexedmzML>; anything else is for the reader of MGF, which says what it looks like if it is not that.
format format_of(std::string_view front);

/// Says what an input that begins with these bytes looks like, and what to do, if that is a format that is not read: "it looks
/// like mzXML; ..."; empty if it is not known to be one.
std::string foreign_format(std::string_view front);

/// Sorts the rest of an mzML document, of any length, by options' key. What is thrown is what comes first in the input.
/// To mzML: all arrays of a spectrum that are as long as that of the key are permuted alike, keeping type and compression;
/// peaks that compare equal keep the input's order, NaN comes last. Of the text of a spectrum only what is between <binary> and
/// </binary> changes, and encodedLength; of that of one in order nothing. In an indexedmzML, offsets and fileChecksum are made
/// anew: the index has an entry for each spectrum and chromatogram, in their order, and a warning tells how it differed from
/// that. Where a selection is done, values that were made of a spectrum's peaks - total ion current, base peak, lowest and
/// highest observed m/z, number of data points - are made anew where peaks leave, and the processing is recorded, in a software
/// and a dataProcessing of its own to which the spectra refer, unless options::keep_metadata. Where options::select leaves
/// spectra out, the others are numbered anew (`index`), the count of the list is made anew, and the entries of the index go
/// with their spectra; references to them (`spectrumRef`) stay, with a warning: they are names, and say of what a spectrum was
/// made. Everything else, chromatograms too, is kept byte for byte. Left as they are: lists of transitions (SRM, CRM), and
/// spectra whose points are in the order of another array, ion mobility, wavelength or the position of a scanning quadrupole.
/// To MGF: spectra of MS level 2 and above with a selected ion, their peaks in order, with TITLE, RTINSECONDS, PEPMASS and
/// CHARGE as msconvert writes them, and SCANS; numbers have as many digits as give the same value back. Peaks that are not
/// finite are left out, with a warning.
/// Memory: pieces of how.block_bytes of text, or of a larger spectrum, some for each thread; and for each spectrum of
/// an indexedmzML 16 bytes and what its id differs by from the one before. Where spectra may be left out it is 16 bytes more
/// for each, and a temporary file as large as the output.
/// @throws input_error  naming the line; as sorter, source and sink
report sort_mzml(source& from, sink& to, options const& how, format as = format::mzml);

/// Sorts a document to mzML as sort_mzml does, and puts its spectra in order among each other, stably, each with what stands
/// between it and the one before; they are numbered anew, and their entries in the index follow them. References to spectra are
/// names, and stay. Spectra of MS level 1 have neither a precursor nor a charge, and come last by these.
/// Memory: order.memory, what sort_mzml needs for its pieces, and the same for each spectrum of an indexedmzML; what is more is
/// on disk, in order.folders, no copy of which is larger than the output.
/// @param order  order.parts and order.part_bytes: none; an origin's offset is that of the spectrum's tag
/// @throws usage_error for keys that are there twice, or parts; as sort_mzml
order_report order_mzml(source& from, sink& to, options const& how, order_options const& order);

/// Looks for the first peak out of order, among those that sort_mzml to mzML would move. Its `line` is that of the spectrum.
checked check_mzml(source& from, options const& how);

/// Looks at the rest of a document as summarize does at MGF, at spectra of every MS level. Its peaks are as many as its m/z;
/// one has no intensity where there are not as many of these, or where it is NaN. Its title is the one that it gets in MGF.
summary summarize_mzml(source& from, options const& how);

}  // namespace ordo::spectra
