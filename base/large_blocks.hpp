#pragma once
#include <cstddef>
#include <new>
#include <optional>
#include <string>

// Large blocks of host memory. A system that promises more memory than it has, and a control group, do not refuse a block: they
// kill the process once it writes to it. So a program can have each large block checked before it is allocated.
namespace ordo::inline v0::detail {

/// The size from which blocks are checked. Allocating and first writing a block of this size takes longer than the check.
constexpr std::size_t min_large_block = std::size_t{8} << 20;

/// Has large blocks checked from now on: `available` returns the bytes that the process can use without being killed. For
/// programs, at their start; libraries alone check nothing. nullptr ends it.
void check_large_blocks(std::size_t (*available)()) noexcept;

/// The figures of a block that is refused.
struct memory_shortage {
  std::size_t needed = 0, available = 0;
};

/// Returns "N bytes are needed, M are available".
std::string to_string(memory_shortage const& figures);

/// Thrown by an operator new that has large blocks checked.
class memory_refused final : public std::bad_alloc {
 public:
  explicit memory_refused(memory_shortage const& figures) noexcept : figures_(figures) {}
  [[nodiscard]] char const* what() const noexcept override { return "out of memory"; }
  [[nodiscard]] memory_shortage const& figures() const noexcept { return figures_; }

 private:
  memory_shortage figures_;
};

/// Throws out_of_memory "out of memory: host: N bytes are needed, M are available".
[[noreturn]] void refuse_block(memory_shortage const& figures);

/// Rethrows the current exception. If a large block was refused, it becomes out_of_memory, with `purpose` in the place of
/// "host".
[[noreturn]] void rethrow_refused_block(std::string const& purpose);

/// Allocates a block by allocate(context), and remembers it, unless the memory does not suffice for it beside the blocks that
/// were allocated before it and are not written yet. `block` is what allocate() returned. Any thread; allocates nothing itself.
/// @param old_block, old_bytes  a block that the new one replaces, or null
std::optional<memory_shortage> allocate_large_block(std::size_t bytes, void* (*allocate)(void* context), void* context,
                                                    void*& block, void* old_block = nullptr, std::size_t old_bytes = 0);

/// Forgets a block, before it is freed. Any block may be passed.
void forget_large_block(void* block) noexcept;

/// Calls allocate() if it is a large block, and if the memory suffices. Returns what it returned.
template <class Allocate, class Refuse>
void* checked_block(std::size_t bytes, Allocate allocate, Refuse refuse, void* old_block = nullptr, std::size_t old_bytes = 0) {
  if (bytes < min_large_block) return allocate();
  void* block = nullptr;
  auto const call = [](void* context) -> void* { return (*static_cast<Allocate*>(context))(); };
  if (auto const shortage = allocate_large_block(bytes, call, &allocate, block, old_block, old_bytes)) refuse(*shortage);
  return block;
}

/// malloc() and free() for libraries in C that take such functions, with large blocks checked.
void* allocate_checked(std::size_t bytes) noexcept;
void free_checked(void* block) noexcept;

}  // namespace ordo::inline v0::detail
