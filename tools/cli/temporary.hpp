#pragma once
#include <string>

namespace ordo::cli {

/// A file that must not outlive the process: a signal that ends it removes the file (remove_temporaries_on_signals).
class temporary;
temporary* remember_temporary(std::string path);
/// The file was renamed or removed: forget it.
void forget_temporary(temporary* ticket) noexcept;

/// From now on the signals that end a process first remove what is remembered. Signals that the caller ignores stay ignored.
void remove_temporaries_on_signals();

}  // namespace ordo::cli
