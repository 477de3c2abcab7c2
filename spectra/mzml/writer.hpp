#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/encoding/digest.hpp"
#include "spectra/encoding/text_fault.hpp"
#include "spectra/external/ordered_texts.hpp"
#include "spectra/mzml/document/index.hpp"
#include "spectra/mzml/document/spool.hpp"
#include "spectra/mzml/format.hpp"
#include "spectra/mzml/stray_references.hpp"

namespace ordo::inline v0::spectra::detail {

/// The state of mzml_writer if spectra are ordered: the spectra of a list until the last one is known, then their entries in
/// the index.
struct mzml_ordering {
  mzml_ordering(order_keys const& keys, order_options const& options, machine_options const& machine)
      : options(options),
        keys(keys),
        spectra(keys, options, machine),
        entries(order_keys({.by = {spectrum_key::scan}}), options, machine),  // orders entries by the places of their spectra
        missing(keys.count()) {}

  order_options const& options;
  order_keys const& keys;
  ordered_texts spectra, entries;
  std::vector<std::uint64_t> missing;  // spectra without a value, for each key
  bool holds_entries = false;
  std::string carried;       // text that belongs to the next element
  std::string list_rest;     // rest of the tag of the list, after the number of spectra
  bool counts = false;       // the tag has a number of spectra
  std::uint64_t read = 0;    // spectra
  std::uint64_t placed = 0;  // entries of the list that have their place
  std::string batch;         // text to be written next
  std::vector<spectrum_origin> origins;
};

/// A writer of a document, chunk by chunk. It makes the index of an indexedmzML and its checksum anew. The index has an entry
/// for each spectrum and chromatogram in the output, in the order of the document: entries of the input keep their form,
/// missing ones are added, entries of nothing are left out. If spectra may be dropped, the others get new numbers, and the list
/// states their count. As it does so before the first of them, the text after is spooled until the last one is known. If
/// spectra are ordered, each with the text before it, they get new numbers, too, and their entries in the index follow them.
class mzml_writer {
 public:
  /// @param folder  the folder of temporary files, if spectra may be dropped; else nullptr
  mzml_writer(sink& to, std::string const* folder);
  /// Orders spectra. @param keys  by which mzml_chunk encoded their keys
  mzml_writer(sink& to, order_keys const& keys, order_options const& options, machine_options const& machine);
  ~mzml_writer();

  /// Writes the next chunk. @throws text_fault  for an index with tags in its entries; and errors of the sink
  void write(mzml_chunk const& chunk);
  /// Ends the document.
  void end();
  /// Returns the number of references to dropped spectra that stay, after end().
  [[nodiscard]] std::uint64_t count_strays() const { return references_.count(); }
  /// Reports missing keys, runs and passes of the order.
  void report(order_report& to) const;
  /// Returns how the index of the input differed from a correct one; empty if it did not.
  [[nodiscard]] std::string index_differences() const;

 private:
  void put(std::string_view text);
  void send(std::string_view text);
  void write_up_to(std::size_t end);
  void replace(std::size_t end, std::string_view by);
  void take(mzml_chunk const& from, std::size_t spectrum);
  void take(index_mark const& mark, index_mark const* next);
  [[nodiscard]] std::string_view tag_text(index_mark const& mark) const;
  [[nodiscard]] std::size_t before_blanks(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_entry(index_mark const& mark) const;

  // index_writer.cpp
  void begin_list(index_mark const& list, index_mark const* next);
  void begin_index(index_mark const& index);
  void check_entry(index_mark const& mark);
  void set_entry(index_mark const& mark, std::uint64_t at);
  void drop_entry(index_mark const& mark);
  void open_empty(index_mark const& mark, std::string& to_close);
  void end_index(index_mark const& mark);
  void end_list(index_mark const& mark);
  void add_list(index_mark const& before, bool and_checksum);
  void add_index(indexed_elements& of, std::string_view name, std::string const& blanks);
  void add_entries(std::size_t end);
  void compare_offset(index_mark const& mark, std::uint64_t read_at);
  [[nodiscard]] bool is_closed(index_mark const& mark) const;
  void hold(index_mark const& list);
  void release();

  // the order of spectra
  void keep_list(index_mark const& list);
  void keep_spectrum(mzml_chunk const& from, std::size_t spectrum);
  void hold_entries(std::size_t from);
  void keep_entry(index_mark const& mark, std::uint64_t at);
  void keep_entry(std::string const& text, std::uint64_t at);
  void release_spectra();
  void release_entries();
  void number_spectrum(ordered_spectrum const& about, std::string_view text);
  void batch(std::string_view text);
  void send_batch();

  sink& to_;
  bool indexed_ = true;
  std::uint64_t written_ = 0, list_at_ = 0;
  indexed_elements spectra_, chromatograms_;
  std::uint64_t piece_at_ = 0;                // place of the chunk in the document
  std::optional<std::uint64_t> document_at_;  // place of the document in the input

  // The index that is being written.
  indexed_elements* index_ = nullptr;  // nullptr: another index, or a repeated one
  bool indexes_spectra_ = false;
  std::string blanks_, prefix_;       // blanks_: before its entries; prefix_: of its tags
  std::string index_end_, list_end_;  // to be written after a tag that was empty
  bool spectra_indexed_ = false, chromatograms_indexed_ = false, list_seen_ = false, offset_seen_ = false,
       checksum_seen_ = false;
  std::uint64_t list_read_at_ = 0;
  struct {
    std::uint64_t missing = 0, surplus = 0, moved = 0, wrong = 0;
  } differences_;

  sha1_digest digest_;     // digest of the output so far
  std::string_view text_;  // text of the chunk
  std::size_t done_ = 0;   // bytes of it

  // State if spectra may be dropped, or are ordered.
  std::unique_ptr<spool> spool_;
  bool holds_ = false;          // the list has begun, and its number of spectra is not known yet
  std::size_t first_held_ = 0;  // in spectra_
  std::uint64_t numbered_ = 0;  // spectra of the list
  stray_references references_;
  std::string named_;                        // a spectrum with other references
  std::unique_ptr<mzml_ordering> ordering_;  // if spectra are ordered
};

}  // namespace ordo::inline v0::spectra::detail
