#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/pooled_arena.hpp"
#include "ordo/io.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/peaks/peak_machines.hpp"

namespace ordo::inline v0::spectra::detail {

/// Returns the size of the chunks, of which `chunks` are at work at a time: larger on a GPU, but at most 288 MiB in all, unless
/// chunk_bytes is larger.
std::size_t chunk_size(std::size_t chunk_bytes, std::size_t chunks, bool on_gpu);

/// Returns the function that prints spectra in a format: MGF, mzML, MSP or mzSpecLib.
print_spectrum choose_printer(format to);

/// Returns true on a member of a group that works for member 0.
bool is_helper(sort_options const& options);

class chunk_exchange;

/// A receiver of chunks, called in the order of the input.
class chunk_receiver {
 public:
  virtual ~chunk_receiver() = default;
  virtual void take(chunk const& chunk) = 0;
};

/// The work on an input.
struct pipeline_task {
  purpose goal = purpose::sort;
  format from = format::mgf, to = format::mgf;
  order_keys const* keys = nullptr;      // for purpose::order
  chunk_receiver* receiver = nullptr;    // for purpose::order, unless the output is one document of mzML; for purpose::read,
                                         // instead of release_columns()
  order_options const* order = nullptr;  // for purpose::order, if the output is mzML
  bool lists = false;                    // for purpose::read: release_chosen() has the numbers of the spectra
  bool filters = false;                  // for purpose::read: spectra and peaks are selected, and peaks sorted
  merged_head* merged = nullptr;         // for purpose::order, if mzML goes to a receiver
  bool several = false;                  // for purpose::order: the input is one of several
};

/// Works on an input chunk by chunk. A thread that has read a chunk parses, selects, sorts and composes it while it is in the
/// thread's cache, and writes it if the sink is addressable. Warnings, errors and sequential writing follow in the order of the
/// input. All of that overlaps, in the memory of a few chunks for each thread.
class pipeline {
 public:
  /// @param task  keys, receiver, order and merged must outlive the pipeline
  /// @throws usage_error, out_of_memory  if the requested machine is not available
  pipeline(sort_options options, pipeline_task const& task);
  ~pipeline();

  /// Reads the rest of a source. @param output  nullptr to write nothing
  /// @throws input_error, and errors of source and sink: the first one of the input
  void run(source& input, sink* output);

  [[nodiscard]] sort_report report() const;
  [[nodiscard]] std::optional<disorder> const& first_disorder() const { return found_.first_disorder; }
  [[nodiscard]] summary const& summarized() const { return summary_; }
  [[nodiscard]] comparison const& compared() const { return compared_; }
  /// Returns the numbers of the spectra that are chosen, for purpose::choose.
  [[nodiscard]] std::vector<std::uint64_t> release_chosen() { return std::move(chosen_); }
  /// Returns the compensation voltages of these spectra.
  [[nodiscard]] std::set<double> release_voltages() { return std::move(voltages_); }
  [[nodiscard]] spectrum_columns release_columns() { return std::move(columns_); }
  [[nodiscard]] order_report const& ordered() const { return ordered_; }  // runs, passes and missing keys of ordered mzML

 private:
  void make_format(source& input, sink* output);
  void work_in_order(sink* output);
  void help();
  bool next(chunk& chunk);
  void work(chunk& chunk, sink* output) noexcept;
  void store_results(chunk& chunk);
  void report_dropped(chunk& chunk);
  void finish(chunk& chunk, sink* output);
  void warn_of_unstated();
  chunk& acquire_idle();

  sort_options options_;
  format from_;
  chunk_task task_;
  chunk_receiver* receiver_;
  pooled_arena arena_;
  std::optional<peak_machines> machines_;  // only to write
  diagnostics found_{options_};
  summary summary_;
  comparison compared_;
  spectrum_columns columns_;
  std::vector<std::uint64_t> chosen_;
  std::set<double> voltages_;
  std::optional<drop_reasons> reasons_;  // for sort_options::on_dropped
  std::vector<std::size_t> titles_;      // hashes
  order_report ordered_;
  std::atomic<bool> stopped_{false};  // after a disorder
  std::vector<phase_time> phases_{num_steps};

  std::unique_ptr<input_format> format_;
  std::unique_ptr<chunk_exchange> others_;  // members of the group that works on the input
  std::size_t tokens_ = 0, chunk_bytes_ = 0;
  std::uint64_t next_chunk_ = 0;
  std::mutex changing_;
  std::vector<std::unique_ptr<chunk>> chunks_;
  std::vector<chunk*> idle_;
};

}  // namespace ordo::inline v0::spectra::detail
