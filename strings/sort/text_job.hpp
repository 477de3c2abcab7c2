#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/strings.hpp"

namespace ordo::inline v0::strings::detail {

/// The job of sorting texts into a sink. It passes from the GPU to the CPU as long as nothing has been written.
struct text_job {
  enum class stage { on_host, on_gpu, writing };

  texts const& from;
  sink& to;
  sort_options const& options;
  duplicates equal;
  phase_observer began;

  std::unique_ptr<source> open = nullptr;  // the text that is being read
  std::size_t next = 0;                    // the first text that was not opened
  host_bytes host = {};                    // texts that were read to the host's memory
  std::uint64_t dropped = 0;               // bytes that were read and are no longer needed
  stage now = stage::on_host;              // on_gpu: texts are in a GPU's memory only; writing: the sink has been called
  sort_report report = {};

  /// Returns the maximum size of all texts, with a delimiter added to each, if their sizes are known and do not change.
  [[nodiscard]] std::size_t max_bytes() const { return std::size_t(from.bytes) + from.count; }
  /// Opens the next text unless one is open. Returns false if there is none.
  bool more() {
    if (!open && next < from.count) open = from.open(next++);
    return open != nullptr;
  }
  /// Ends the open text, whose bytes follow host[0, begin), and its last line.
  void end_text(std::size_t begin) {
    open.reset();
    if (host.size() != begin && host.span().back() != options.delimiter) host.append({&options.delimiter, 1});
  }
  void begin(phase which, std::uint64_t size) const {
    if (began) began(which, size);
  }
};

/// Loads texts to the GPU and sorts them from there into the sink. Returns false, with the texts before in job.host, if a text
/// is not addressable or does not fit, which is open then, or if Offset is too narrow for the keys.
/// @throws out_of_memory  with the texts that were read in job.host, unless writing has begun
template <class Offset>
bool sort_texts_on_cuda(text_job& job, unsigned gpu_index);

/// Chooses the machine and, if it is a GPU, sorts all texts on it. Returns true if the GPU did. Otherwise job.report has the
/// machine that is to sort the texts in job.host and those that were not read. @throws as choose_machine() and
/// sort_texts_on_cuda()
bool sorted_on_gpu(text_job& job);

}  // namespace ordo::inline v0::strings::detail
