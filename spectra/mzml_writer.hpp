#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sort_core/io.hpp"
#include "spectra/mzml_ordering.hpp"
#include "spectra/mzml_work.hpp"
#include "spectra/spool.hpp"

namespace ordo::spectra::detail {

/// Writes the pieces of a document in their order; the index of an indexedmzML and its checksum are made anew. Where spectra
/// may leave, those that stay are numbered anew, their entries in the index stay alone, and the list says how many they are. It
/// says so before the first of them, so what follows is put aside until the last is known: the checksum has it in order.
/// Where spectra are put in order, each with what stands before it, they are numbered anew, too, and their entries in the index
/// are in the same order.
class mzml_writer {
 public:
  /// @param folder  of temporary files, where spectra may leave; else nullptr
  mzml_writer(sink& to, std::string const* folder);
  /// For spectra that are put in order. @param keys  by which mzml_work has made keys of them
  mzml_writer(sink& to, order_keys const& keys, order_options const& how, machine_options const& machine);
  ~mzml_writer();

  /// @throws xml_fault  for an index that names what is not there; and what the sink throws
  void write(mzml_work const& one);
  /// Behind the last piece.
  void end();
  /// References to spectra that left, from those that stay. Once, behind the end.
  std::uint64_t stray_references();
  /// Of the spectra that were put in order: missing, runs and passes.
  void tell(order_report& to) const;

 private:
  struct place {
    std::size_t id;
    std::uint64_t at;
  };
  static constexpr std::uint64_t gone = ~std::uint64_t{0};  // the place of a spectrum that left
  /// Where elements begin, in the order of the document; asked for mostly in that order.
  struct places {
    std::vector<place> all, by_id;
    std::size_t next = 0;
    place const* find(std::size_t id);
  };
  struct digest;

  void put(std::string_view text);
  void send(std::string_view text);
  void put_to(std::size_t end);
  void replace(std::size_t end, std::string_view by);
  void take(mzml_work const& from, std::size_t spectrum);
  void take(index_mark const& mark);
  void take_entry(index_mark const& mark);
  [[nodiscard]] std::size_t end_of_entry(index_mark const& mark) const;
  [[nodiscard]] bool is_closed(index_mark const& mark) const;
  void hold(index_mark const& list);
  void release();

  // mzml_ordering.cpp
  void keep_list(index_mark const& list);
  void keep_spectrum(mzml_work const& from, std::size_t spectrum);
  void keep_entry(index_mark const& mark, std::uint64_t at);
  void release_spectra();
  void release_entries();
  void number_spectrum(ordered_spectrum const& about, std::string_view text);
  void batch(std::string_view text);
  void send_batch();

  sink& to_;
  bool indexed_ = true;
  std::uint64_t written_ = 0, list_at_ = 0;
  places spectra_, chromatograms_;
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
