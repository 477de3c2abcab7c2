#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "sort_core/host/threads.hpp"
#include "spectra/block_scan.hpp"
#include "spectra/peak_sorter.hpp"
#include "spectra/permute.hpp"
#include "spectra/spectra.hpp"

namespace ordo::spectra {
namespace {

// The GPU's start takes as long as the CPU takes to sort about this much.
constexpr std::size_t worth_a_gpu = std::size_t{256} << 20;
// GPU memory for some ten thousand spectra. Blocks with more peaks than fit are taken in parts.
constexpr std::size_t least_gpu_memory = std::size_t{64} << 20;

decision choose_machine(options const& how, std::size_t bytes) {
  return choose(how.machine, bytes, worth_a_gpu, [](gpu_info const&) { return least_gpu_memory; });
}

}  // namespace

struct sorter::state {
  explicit state(options given) : how(std::move(given)), scan(how, false), arena(threads_for(how.machine.threads)) {
    // With no input there is no reason to take the GPU but that somebody asked for it: if it is missing, say so now.
    choose_machine(how, 0);
  }

  void sort(std::span<char> block, bool last) {
    enter("scan", block.size());
    auto const pieces = scan.scan(block, last, arena);
    decision machine = std::move(done.machine);
    std::size_t const device_memory = done.device_memory;
    done = scan.totals;
    done.machine = std::move(machine);
    done.device_memory = device_memory;
    collect(pieces);
    if (codes.empty()) return;
    enter("sort", std::span(codes).size_bytes());
    order.resize(codes.size());
    sort_codes(block.size());
    enter("move", block.size());
    move_lines(block, pieces);
  }

  void enter(std::string_view phase, std::uint64_t bytes) const {
    if (how.on_phase) how.on_phase(phase, bytes);
  }

  // The peaks of all pieces' spectra that are out of order: codes, and offsets of the spectra.
  void collect(std::span<detail::piece const> pieces) {
    first_spectrum.assign(1, 0);
    first_peak.assign(1, 0);
    for (detail::piece const& part : pieces) {
      first_spectrum.push_back(first_spectrum.back() + part.found.ends.size());
      first_peak.push_back(first_peak.back() + part.found.peaks.size());
    }
    codes.resize(first_peak.back());
    offsets.resize(first_spectrum.back() + 1);
    offsets[0] = 0;
    each_piece(pieces, [&](std::size_t p, detail::scan_result const& found) {
      std::transform(found.peaks.begin(), found.peaks.end(), codes.begin() + std::ptrdiff_t(first_peak[p]),
                     [](detail::peak const& x) { return x.code; });
      std::transform(found.ends.begin(), found.ends.end(), offsets.begin() + std::ptrdiff_t(first_spectrum[p]) + 1,
                     [&](std::size_t end) { return std::uint32_t(first_peak[p] + end); });
    });
  }

  void sort_codes(std::size_t block_bytes) {
    if (!decided) {
      // If all of the input is like this block, so much of it is to be sorted.
      double const share = double(scan.totals.reordered) / double(std::max<std::uint64_t>(scan.totals.spectra, 1));
      auto const work = std::size_t(share * double(std::max<std::uint64_t>(how.input_bytes, block_bytes)));
      done.machine = choose_machine(how, work);
      decided = true;
    }
    run_on(
        done.machine,
        [&] {
          if (!on_gpu) on_gpu = detail::peak_sorter_on_cuda(how.machine, done.machine.gpu_index);
          on_gpu->sort(codes, offsets, order);
          done.device_memory = std::max(done.device_memory, on_gpu->peak_memory());
        },
        [&] {
          if (!on_host) on_host = detail::peak_sorter_on_host(how.machine);
          on_host->sort(codes, offsets, order);
        });
  }

  void move_lines(std::span<char> block, std::span<detail::piece const> pieces) {
    tbb::enumerable_thread_specific<std::vector<char>> scratch;
    each_piece(pieces, [&](std::size_t p, detail::scan_result const& found) {
      auto const text = block.subspan(std::size_t(pieces[p].text.data() - block.data()), pieces[p].text.size());
      std::size_t begin = 0;
      for (std::size_t end : found.ends) {
        permute_lines(text, std::span(found.peaks).subspan(begin, end - begin),
                      std::span(order).subspan(first_peak[p] + begin, end - begin), std::uint32_t(first_peak[p] + begin),
                      found.unterminated && end == found.peaks.size(), scratch.local());
        begin = end;
      }
    });
  }

  template <class F>
  void each_piece(std::span<detail::piece const> pieces, F f) {
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) { f(p, pieces[p].found); }); });
  }

  options how;
  report done;
  detail::block_scan scan;
  tbb::task_arena arena;
  std::unique_ptr<detail::peak_sorter> on_host, on_gpu;
  bool decided = false;

  // Of the present block; kept for their memory.
  std::vector<std::size_t> first_spectrum, first_peak;  // of each piece
  std::vector<std::uint64_t> codes;
  std::vector<std::uint32_t> offsets, order;
};

sorter::sorter(options how) : state_(std::make_unique<state>(std::move(how))) {}
sorter::~sorter() = default;

void sorter::sort(std::span<char> block, bool last) {
  state_->sort(block, last);
}

report const& sorter::done() const noexcept {
  return state_->done;
}

}  // namespace ordo::spectra
