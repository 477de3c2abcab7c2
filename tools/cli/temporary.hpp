#pragma once
#include <string>

#include "tools/cli/reserved_range.hpp"

namespace ordo::cli {

/// Where temporary files go: TMPDIR, or /tmp.
std::string temporary_folder();

/// A file that must not outlive the process: a signal that ends it removes the file (remove_temporaries_on_signals).
class temporary;
temporary* remember_temporary(std::string path);
/// The same for a part of a file, which is given back.
temporary* remember_temporary(reserved_range const& range);
/// The file was renamed or removed, the part completed or given back: forget it.
void forget_temporary(temporary* ticket) noexcept;

/// Removes what is remembered, for a process that ends now. Safe in a signal handler.
void remove_temporaries() noexcept;
/// From now on every signal that ends a process first removes what is remembered. Signals that somebody ignores or handles stay
/// as they are.
void remove_temporaries_on_signals();

/// While it lives, these signals wait, whichever thread they come to: for a few steps that must all be done or none, as the
/// renames of files that belong together. Not those of a crash. One at a time.
class held_signals {
 public:
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;
};

}  // namespace ordo::cli
