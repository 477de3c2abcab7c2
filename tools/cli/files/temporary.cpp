#include "tools/cli/files/temporary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include <unistd.h>

namespace ordo::inline v0::cli {

// A list that only grows: a signal handler may read it at any time, so nothing in it is freed or changed except the flag.
class temporary {
 public:
  std::string path;
  std::optional<reserved_range> range;  // in the place of a path
  std::atomic<bool> live{true};
  temporary* next = nullptr;
};

namespace {

std::atomic<temporary*> all{nullptr};
static_assert(std::atomic<temporary*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// By default these end no process; the others all do, or cannot be handled.
constexpr std::array harmless{SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};

// The state that a signal that ends the process finds: nothing, another signal that ends it now, or signals that are held back;
// in that case the number of the first of them is kept here.
enum : int { none = 0, ending = -1, held = -2 };
std::atomic<int> stage{none};
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void wait_for_end() {
  for (;;) pause();
}

bool is_held_back(int signal) {
  for (int now = none;;) {
    if (stage.compare_exchange_strong(now, now == held ? signal : ending)) return now == held;
    if (now == ending) wait_for_end();
    if (now > none) return true;
  }
}

// Returns true if the interrupted instruction would fail again.
bool is_of_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
}

extern "C" void remove_and_die(int signal) {
  if (!is_of_crash(signal) && is_held_back(signal)) return;
  remove_temporaries();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered on return from here
}

temporary* add(temporary* t) {
  t->next = all.load();
  while (!all.compare_exchange_weak(t->next, t)) {}
  return t;
}

}  // namespace

std::string temporary_folder() {
  char const* const folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

temporary* remember_temporary(std::string path) {
  auto* const t = new temporary;
  t->path = std::move(path);
  return add(t);
}

temporary* remember_temporary(reserved_range const& range) {
  auto* const t = new temporary;
  t->range = range;
  return add(t);
}

void forget_temporary(temporary* ticket) noexcept {
  ticket->live.store(false);
}

void remove_temporaries() noexcept {
  for (temporary* t = all.load(); t; t = t->next) {
    if (!t->live.load()) continue;
    if (t->range)
      t->range->give_back();
    else
      unlink(t->path.c_str());
  }
}

void remove_temporaries_on_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction now {};
    if (std::ranges::find(harmless, signal) != harmless.end() || sigaction(signal, nullptr, &now) != 0) continue;
    if (now.sa_handler != SIG_DFL) continue;
    now.sa_handler = remove_and_die;
    sigfillset(&now.sa_mask);
    now.sa_flags = SA_RESTART;         // suffix array flags of a signal that is held back nobody takes notice
    sigaction(signal, &now, nullptr);  // fails for SIGKILL and SIGSTOP
  }
}

held_signals::held_signals() {
  int now = none;
  if (stage.compare_exchange_strong(now, held)) return;
  if (now == ending) wait_for_end();
  throw std::logic_error("signals are held back already");
}

held_signals::~held_signals() {
  if (int const signal = stage.exchange(none); signal > none) std::raise(signal);
}

}  // namespace ordo::inline v0::cli
