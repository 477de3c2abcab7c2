#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <tbb/task_arena.h>

#include "ordo/io.hpp"
#include "spectra/mzml/work.hpp"
#include "spectra/mzml/writer.hpp"
#include "spectra/peaks/work_pool.hpp"

namespace ordo::spectra::detail {

/// Works on an mzML document piece by piece, by all threads; what has an order - reading, errors, writing - comes piece after
/// piece.
class mzml_pipeline {
 public:
  /// @throws usage_error, out_of_memory  if the machine asked for cannot be had
  /// @param order  of spectra, which are mzML and get another, by what.keys; it must outlive this
  mzml_pipeline(options how, mzml_options what, order_options const* order = nullptr);

  /// @param to  nullptr to write nothing
  void run(source& from, sink* to);
  [[nodiscard]] report done() const;
  [[nodiscard]] std::optional<disorder> const& first_disorder() const { return first_disorder_; }
  [[nodiscard]] order_report const& ordered() const { return ordered_; }  // but for `done`
  [[nodiscard]] summary const& summarized() const { return summary_; }

 private:
  [[nodiscard]] std::shared_ptr<processing_record const> recorded(mzml_piece const& head) const;
  void finish(mzml_work& one, sink* to, mzml_writer* writer);
  void count(mzml_work const& one);
  void warn(std::string const& message);
  void warn_at_end();
  [[noreturn]] void fail(std::exception_ptr failure, std::string_view text) const;
  [[nodiscard]] std::uint64_t line_at(std::size_t at, std::string_view text) const;

  options how_;
  mzml_options what_;
  order_options const* order_;
  order_report ordered_;
  tbb::task_arena arena_;
  std::optional<peak_machines> machines_;  // only to write
  report totals_;
  mzml_work::counts counted_;
  summary summary_;
  std::optional<disorder> first_disorder_;
  std::atomic<bool> stopped_{false};
  std::shared_ptr<processing_record const> record_;

  work_pool<mzml_work> works_;
};

}  // namespace ordo::spectra::detail
