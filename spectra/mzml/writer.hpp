#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "spectra/mzml/index.hpp"
#include "spectra/mzml/ordering.hpp"
#include "spectra/mzml/spool.hpp"
#include "spectra/mzml/work.hpp"

namespace ordo::spectra::detail {

/// Writes the pieces of a document in their order; the index of an indexedmzML and its checksum are made anew. The index has an
/// entry for each spectrum and chromatogram that is written, in the document's order: entries that were there keep their form,
/// those that lack are added, those of nothing are left out. Where spectra may leave, those that stay are numbered anew, their
/// entries in the index stay alone, and the list says how many they are. It says so before the first of them, so what follows
/// is put aside until the last is known: the checksum has it in order. Where spectra are put in order, each with what stands
/// before it, they are numbered anew, too, and their entries in the index are in the same order.
class mzml_writer {
 public:
  /// @param folder  of temporary files, where spectra may leave; else nullptr
  mzml_writer(sink& to, std::string const* folder);
  /// For spectra that are put in order. @param keys  by which mzml_work has made keys of them
  mzml_writer(sink& to, order_keys const& keys, order_options const& how, machine_options const& machine);
  ~mzml_writer();

  /// @throws xml_fault  for an index with tags in its entries; and what the sink throws
  void write(mzml_work const& one);
  /// Behind the last piece.
  void end();
  /// References to spectra that left, from those that stay. Once, behind the end.
  std::uint64_t stray_references();
  /// Of the spectra that were put in order: missing, runs and passes.
  void tell(order_report& to) const;
  /// Says how the index that was read differed from what it should have been; empty if it did not.
  [[nodiscard]] std::string index_differences() const;

 private:
  struct digest;

  [[nodiscard]] std::string checksum() const;  // of what was written so far
  void put(std::string_view text);
  void send(std::string_view text);
  void put_to(std::size_t end);
  void replace(std::size_t end, std::string_view by);
  void take(mzml_work const& from, std::size_t spectrum);
  void take(index_mark const& mark, index_mark const* next);
  [[nodiscard]] std::string_view tag_of(index_mark const& mark) const;
  [[nodiscard]] std::size_t before_blanks(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_entry(index_mark const& mark) const;

  // mzml_index_writer.cpp
  void begin_list(index_mark const& list, index_mark const* next);
  void begin_index(index_mark const& index);
  void take_entry(index_mark const& mark);
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

  // mzml_ordering.cpp
  void keep_list(index_mark const& list);
  void keep_spectrum(mzml_work const& from, std::size_t spectrum);
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
  std::uint64_t piece_at_ = 0;                // where the piece begins in the document
  std::optional<std::uint64_t> document_at_;  // and that in the input

  // The index that is being written.
  indexed_elements* index_ = nullptr;  // nullptr: of neither, or there twice
  bool indexes_spectra_ = false;
  std::string blanks_, prefix_;       // before its entries; of its tags
  std::string index_end_, list_end_;  // to be written behind what was an empty tag
  bool spectra_indexed_ = false, chromatograms_indexed_ = false, list_seen_ = false, offset_seen_ = false,
       checksum_seen_ = false;
  std::uint64_t list_read_at_ = 0;
  struct {
    std::uint64_t missing = 0, surplus = 0, moved = 0, wrong = 0;
  } differences_;

  std::unique_ptr<digest> digest_;
  std::string_view text_;  // of the piece
  std::size_t done_ = 0;   // of it

  // Where spectra may leave, or are put in order.
  std::unique_ptr<spool> spool_;
  bool holds_ = false;          // the list has begun and nobody knows how many spectra stay
  std::size_t first_held_ = 0;  // in spectra_
  std::uint64_t numbered_ = 0;  // spectra of the list
  std::vector<std::size_t> gone_, references_;
  std::unique_ptr<mzml_ordering> ordering_;  // where spectra are put in order
};

}  // namespace ordo::spectra::detail
