#pragma once
#include <string>

#include "tools/cli/files/reserved_range.hpp"

namespace ordo::inline v0::cli {

/// Returns the folder of temporary files: TMPDIR, or /tmp.
std::string temporary_folder();

/// Registers a file that a signal that ends the process removes (remove_temporaries_on_signals).
class temporary;
temporary* remember_temporary(std::string path);
/// Registers a part of a file that such a signal releases.
temporary* remember_temporary(reserved_range const& range);
/// Unregisters a file or part that has been renamed, removed or completed.
void forget_temporary(temporary* ticket) noexcept;

/// Removes everything registered, for a process that ends now. Safe in a signal handler.
void remove_temporaries() noexcept;
/// Makes every signal that ends a process first remove everything registered. Signals that are ignored or handled are
/// unchanged.
void remove_temporaries_on_signals();

/// Holds these signals back, on all threads and except those of a crash, during its lifetime: for steps that must happen
/// together, such as the renames of files that belong together. There is one at a time.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;
};

}  // namespace ordo::inline v0::cli
