#include "strings/external/run_store.hpp"

#include <algorithm>
#include <utility>

#include <sys/resource.h>

#include "ordo/error.hpp"
#include "strings/external/filter_process.hpp"

namespace ordo::strings::detail {

std::size_t batch_of(spill const& where, std::size_t usual) {
  std::size_t const wanted = where.batch_size != 0 ? where.batch_size : usual;
  rlimit open{};
  if (getrlimit(RLIMIT_NOFILE, &open) != 0 || open.rlim_cur == RLIM_INFINITY) return std::max<std::size_t>(wanted, 2);
  constexpr std::size_t others = 10,
                        files_of_packed = 4;  // what a program compressed: a file on each of two levels, and a pipe
  std::size_t const left = std::size_t(open.rlim_cur) - std::min<std::size_t>(open.rlim_cur, others);
  return std::max<std::size_t>(std::min(wanted, where.compress_program.empty() ? left : left / files_of_packed), 2);
}

std::string const& run_store::folder() {
  if (where_.folders.empty()) throw usage_error("no folder for temporary files");
  return where_.folders[turn_++ % where_.folders.size()];
}

stored_lines run_store::keep(std::uint64_t most_bytes, std::function<void(sink&)> const& fill) {
  std::string const& in = folder();
  stored_lines made;
  if (packs()) {
    made.packed = std::make_unique<temporary_file>(in);
    compressing_sink to(where_.compress_program, *made.packed);
    fill(to);
    made.packed_bytes = to.finish();
    return made;
  }
  places_.resize(where_.folders.size());
  auto& in_folder = places_[(turn_ - 1) % places_.size()];
  if (!in_folder) in_folder = std::make_unique<place>(place{temporary_file(in)});
  run_sink to(in_folder->file, in_folder->end, most_bytes, delimiter_);
  fill(to);
  made.plain = to.finish();
  in_folder->end += made.plain.bytes;
  return made;
}

std::unique_ptr<source> run_store::open(stored_lines const& lines) const {
  if (lines.packed) return std::make_unique<decompressing_source>(where_.compress_program, *lines.packed, lines.packed_bytes);
  return std::make_unique<slices_source>(std::vector{slice{&lines.plain, 0, lines.plain.bytes}});
}

void run_store::discard(stored_lines& lines) noexcept {
  run const gone = std::exchange(lines.plain, {});
  if (gone.file)
    for (auto& p : places_)
      if (p && &p->file == gone.file) p->file.discard(gone.offset, gone.bytes);
  lines.packed.reset();
}

}  // namespace ordo::strings::detail
