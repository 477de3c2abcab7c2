#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/strings.hpp"

namespace ordo::strings::detail {

/// The work of sorting texts into a sink, as it goes from one machine to the other.
struct text_job {
  texts const& from;
  sink& to;
  options const& how;
  repeated equal;
  phase_observer began;

  std::unique_ptr<source> open = nullptr;  // the text that comes next, if it is open already
  std::size_t next = 0;                    // the first text that is not
  host_bytes host = {};                    // texts that came to the host's memory
  bool on_device = false;                  // texts are in a GPU's memory and nowhere else
  bool writing = false;                    // the sink has been told something: nobody else can do it again
  sort_report report = {};

  /// Of all texts, their ends counted that may have to be added, if their sizes are known and do not change.
  [[nodiscard]] std::size_t most_bytes() const { return std::size_t(from.bytes) + from.count; }
  /// Is there another text? It is open then.
  bool more() {
    if (!open && next < from.count) open = from.open(next++);
    return open != nullptr;
  }
  void begin(phase which, std::uint64_t size) const {
    if (began) began(which, size);
  }
};

/// Loads texts to the GPU and sorts them from there into the sink. @returns false if a text has no addresses or does not fit,
/// which is open then; or if Offset is too narrow for the keys. The texts before are in job.host
/// @throws out_of_memory  if nothing is written yet, the texts that were read are in job.host
template <class Offset>
bool sort_texts_on_cuda(text_job& job, unsigned gpu_index);

/// Chooses the machine for a job, and has a GPU do it all. @returns whether one did. Else job.report tells which machine is to
/// go on, with what is in job.host and the texts behind. @throws as choose_machine() and sort_texts_on_cuda
bool sorted_on_gpu(text_job& job);

}  // namespace ordo::strings::detail
