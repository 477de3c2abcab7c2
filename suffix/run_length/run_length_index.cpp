#include "ordo/suffix/fmd.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/shared_ranges.hpp"
#include "base/threads.hpp"
#include "ordo/cpu_backend.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/machine.hpp"
#include "suffix/aligners/run_files.hpp"
#include "suffix/run_length/insert.hpp"
#include "suffix/run_length/run_index_file.hpp"
#include "suffix/run_length/runs_on.hpp"
#include "suffix/run_length/samples.hpp"

namespace ordo::inline v0::suffix {
namespace {

using namespace run_length;

/// Writes the codes of letters, or those of their complements, by comparisons, which become vector code as a table does not.
template <bool Complements>
void write_codes(char const* letters, std::size_t size, std::uint8_t* to) {
  static_assert(n_code == 5);
  for (std::size_t i = 0; i < size; ++i) {
    auto const upper = std::uint8_t(letters[i] & ~32);
    auto const difference = [&](char letter, unsigned code) {
      return std::uint8_t(upper == std::uint8_t(letter) ? (Complements ? n_code - code : code) ^ n_code : 0U);
    };
    to[i] = std::uint8_t(n_code ^ difference('A', 1) ^ difference('C', 2) ^ difference('G', 3) ^ difference('T', 4));
  }
}

/// Writes the codes of the complements of letters, from the last one on.
void write_codes_back(char const* letters, std::size_t size, std::uint8_t* to) {
  std::array<std::uint8_t, 256> codes;
  while (size != 0) {
    std::size_t const some = std::min(size, codes.size());
    size -= some;
    write_codes<true>(letters + size, some, codes.data());
    std::size_t left = some;
    for (std::uint64_t word = 0; left >= sizeof(word); to += sizeof(word)) {
      left -= sizeof(word);
      std::memcpy(&word, codes.data() + left, sizeof(word));
      word = __builtin_bswap64(word);
      std::memcpy(to, &word, sizeof(word));
    }
    while (left != 0) *to++ = codes[--left];
  }
}

/// Calls f(first, last) for parts of [0, size).
template <class F>
void each_part(host_backend& backend, std::size_t size, F f) {
  constexpr std::size_t part_size = std::size_t{1} << 18;
  if (size <= part_size) return f(std::size_t{0}, size);  // most records of some genomes are small
  each_long(backend, (size + part_size - 1) / part_size,
            [&](std::size_t part) { f(part * part_size, std::min((part + 1) * part_size, size)); });
}

/// Reads the runs of an index, some blocks at a time, by all threads.
class run_batches {
 public:
  run_batches(host_backend& backend, run_view const& index)
      : backend_(backend),
        index_(index),
        parts_(2 * std::size_t(backend.arena().max_concurrency())),
        part_blocks_(std::clamp<std::uint64_t>(batch_blocks / parts_.size(), 1024, 8192)) {}

  /// Appends the next runs to others, but for the last one, which may go on.
  /// @returns false if there are none
  bool operator()(run_list& runs) {
    if (next_ == index_.num_blocks && ahead_.rows() == 0) return false;
    each_long(backend_, parts_.size(), [&](std::size_t k) {
      std::uint64_t const begin = std::min(next_ + k * part_blocks_, index_.num_blocks),
                          end = std::min(begin + part_blocks_, index_.num_blocks);
      run_list& to = parts_[k].runs;
      to.resize((end - begin) * run_block::max_pieces);
      dna_run* next = to.data();
      dna_run run;
      for (std::uint64_t block = begin; block < end; ++block)
        each_piece(index_.blocks[block], [&](unsigned letter, std::uint64_t rows) {
          if (letter == run.letter()) return run.add_rows(rows);
          if (run.rows() != 0) *next++ = run;
          run = {letter, rows};
        });
      if (run.rows() != 0) *next++ = run;
      to.resize(std::size_t(next - to.data()));
    });
    next_ = std::min(next_ + parts_.size() * part_blocks_, index_.num_blocks);
    if (ahead_.rows() != 0) runs.push_back(std::exchange(ahead_, {}));
    append_parts(runs);
    if (next_ == index_.num_blocks) return true;
    ahead_ = runs.back();
    runs.resize(runs.size() - 1);
    return true;
  }

 private:
  struct part {
    run_list runs;
    std::size_t first = 0, to = 0;  // the first run that is not one with the run before, and where it comes
  };

  void append_parts(run_list& runs) {
    dna_run* last = runs.empty() ? nullptr : &runs.back();
    std::size_t size = runs.size();
    for (part& of : parts_) {
      bool const goes_on = last != nullptr && !of.runs.empty() && of.runs[0].letter() == last->letter();
      if (goes_on) last->add_rows(of.runs[0].rows());
      of.first = goes_on ? 1 : 0;
      of.to = size;
      if (of.runs.size() == of.first) continue;
      size += of.runs.size() - of.first;
      last = &of.runs.back();
    }
    runs.resize(size);
    each_long(backend_, parts_.size(), [&](std::size_t k) {
      part const& of = parts_[k];
      std::copy(of.runs.data() + of.first, of.runs.data() + of.runs.size(), runs.data() + of.to);
    });
  }

  // Many, because threads take a while to begin; but the runs of a part fit in the cache of a core.
  static constexpr std::uint64_t batch_blocks = std::uint64_t{1} << 17;

  host_backend& backend_;
  run_view index_;
  std::vector<part> parts_;
  std::uint64_t part_blocks_;
  dna_run ahead_;
  std::uint64_t next_ = 0;
};

/// A strand of a record.
struct strand {
  std::string_view letters;
  bool is_reverse;

  [[nodiscard]] std::size_t size() const { return letters.size(); }
  /// Writes the codes of letters [begin, end).
  void write(host_backend& backend, std::size_t begin, std::size_t end, std::uint8_t* to) const {
    each_part(backend, end - begin, [&](std::size_t first, std::size_t last) {
      if (is_reverse)
        write_codes_back(letters.data() + letters.size() - begin - last, last - first, to + first);
      else
        write_codes<false>(letters.data() + begin + first, last - first, to + first);
    });
  }
};

/// Samples of the 24-mers of genomes, which tell whether another one is like one of them.
class kmer_sample {
 public:
  explicit kmer_sample(std::span<std::uint8_t const> first)
      // Few of a large genome, and most of a small one.
      : limit_(std::uint64_t(double(std::numeric_limits<std::uint64_t>::max()) *
                             std::min(0.5, 16384 / double(std::max<std::size_t>(1, first.size()))))) {}

  /// Adds a genome, unless most of its 24-mers are there.
  /// @returns true if they are
  bool is_like_or_add(host_backend& backend, std::span<std::uint8_t const> codes) {
    // Most genomes are alike, and a part of their 24-mers, from all over one, shows it if there are enough.
    constexpr std::size_t stride = 16, min_codes = std::size_t{1} << 20, min_sample = 256;
    if (!hashes_.empty() && codes.size() >= min_codes)
      if (auto const some = sample(backend, codes, stride); some.size() >= min_sample && is_like(some)) return true;
    std::vector<std::uint64_t> const own = sample(backend, codes, 1);
    if (is_like(own)) return true;
    hashes_.insert(hashes_.end(), own.begin(), own.end());
    std::ranges::sort(hashes_);
    return false;
  }

 private:
  static constexpr unsigned length = 24;

  [[nodiscard]] bool is_like(std::vector<std::uint64_t> const& own) const {
    auto const shared = std::uint64_t(
        std::ranges::count_if(own, [&](std::uint64_t hash) { return std::ranges::binary_search(hashes_, hash); }));
    return 2 * shared > own.size();
  }
  // Samples one of `stride` parts of a genome.
  [[nodiscard]] std::vector<std::uint64_t> sample(host_backend& backend, std::span<std::uint8_t const> codes,
                                                  std::size_t stride) const {
    constexpr std::size_t max_parts = 4096, min_size = 4096;
    std::size_t const part_size = std::max(codes.size() / max_parts + 1, min_size), step = stride * part_size;
    std::vector<std::vector<std::uint64_t>> parts((codes.size() + step - 1) / step);
    each_long(backend, parts.size(), [&](std::size_t k) {
      std::size_t const begin = k * step;
      sample(codes.first(std::min(begin + part_size, codes.size())), begin, parts[k]);
    });
    std::vector<std::uint64_t> all;
    for (std::vector<std::uint64_t> const& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  // Samples the 24-mers that end at `begin` or after it.
  void sample(std::span<std::uint8_t const> codes, std::size_t begin, std::vector<std::uint64_t>& to) const {
    std::uint64_t word = 0;
    unsigned good = 0;
    for (std::size_t i = begin - std::min<std::size_t>(begin, length - 1); i < codes.size(); ++i) {
      unsigned const code = codes[i];
      if (code == end_code || code >= n_code) {
        good = 0;
        continue;
      }
      word = (word << 2 | (code - 1)) & ((std::uint64_t{1} << 2 * length) - 1);
      if (++good < length) continue;
      std::uint64_t hash = word * 0x9e3779b97f4a7c15;
      hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
      if (hash <= limit_) to.push_back(hash);
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::uint64_t limit_;
};

}  // namespace

struct run_length_index::state {
  state(run_length_options with, method by)
      : options(std::move(with)), how(by), backend(options.machine.threads), reading(options.machine.threads) {}

  run_length_options options;
  method how;
  mutable host_backend backend;
  host_backend reading;  // for the next batch, while a thread of its own inserts one by `backend`
  mutable run_index<host_backend> index;  // none while a GPU has it, until it is read
  machine_choice choice;                  // for insertions; made by the first one
  bool has_chosen = false;
  std::unique_ptr<runs_on_gpu> gpu;
  batch waiting, inserted;
  // Genomes wait until the method is chosen. These are their 24-mers, their number, and where the next one begins.
  std::optional<kmer_sample> known;
  std::size_t genomes = 0, next_genome = 0;
  build_report done;
  std::uint64_t last_letters = 0, last_growth = 0;
  unsigned batches = 0;
  // The size of the index, for now: while a batch is inserted, it is the size before, with the growth that is likely.
  struct extent {
    std::uint64_t rows = 0, bytes = 0, blocks = 0;
  } expected;
  // The insertion of a batch, and samples. Declared last: they end before what they work on is destroyed.
  struct insertion {
    insert_options options;
    std::uint64_t bytes_before = 0;
    std::future<std::optional<std::uint64_t>> row;
  } going_on;
  struct sampling {
    std::uint64_t distance = 0;
    std::future<sampled_rows> samples;
  } begun;

  static constexpr std::uint64_t min_batch = std::uint64_t{1} << 18, min_gpu_batch = std::uint64_t{1} << 26;
  static constexpr std::uint64_t max_batch = std::uint64_t{1} << 31;
  // Temporary memory for a letter. A GPU's pool rounds.
  static constexpr std::uint64_t sort_bytes = 20, insert_bytes = 41, gpu_insert_bytes = 50, gpu_merge_bytes = 20;

  // The index where it is.
  [[nodiscard]] extent held() const {
    if (going_on.row.valid()) return expected;
    return gpu ? extent{gpu->rows(), gpu->bytes(), gpu->num_blocks()}
               : extent{index.rows(), index.bytes(), index.num_blocks()};
  }
  [[nodiscard]] std::uint64_t held_rows() const { return held().rows; }
  [[nodiscard]] std::uint64_t held_bytes() const { return held().bytes; }
  [[nodiscard]] std::uint64_t held_blocks() const { return held().blocks; }
  /// Returns the index in host memory.
  [[nodiscard]] run_index<host_backend> const& host() const {
    if (gpu && index.rows() == 0) index = run_index<host_backend>(gpu->download());
    return index;
  }
  [[nodiscard]] sampled_rows samples(std::uint64_t distance, bool with_markers) {
    if (held_rows() != 0) choose_machine_for(held_rows());  // a sort leaves the index in host memory
    if (gpu) try {
        if (begun.samples.valid() && begun.distance == distance && !with_markers) return begun.samples.get();
        return gpu->sample(distance, with_markers);
      } catch (out_of_memory const&) {
        if (choice.required) throw;
      }
    return sampled_rows(backend, host().view(), distance, with_markers);
  }

  void begin_samples(std::uint64_t distance) {
    if (held_rows() != 0) choose_machine_for(held_rows());
    if (!gpu) return;
    static_cast<void>(host());  // nobody else uses the GPU from now on
    begun.distance = distance;
    begun.samples = std::async([this, distance] { return gpu->sample(distance, false); });
  }

  // Returns the bytes besides two indexes.
  static std::uint64_t memory_besides(std::uint64_t memory, std::uint64_t held) {
    return memory - std::min<std::uint64_t>(memory, 2 * held);
  }
  [[nodiscard]] std::uint64_t max_letters(std::uint64_t bytes) const {
    return std::max(memory_besides(options.memory, held_bytes()) / bytes, std::uint64_t{1} << 16);
  }
  [[nodiscard]] std::uint64_t max_part() const {
    if (options.part_letters != 0) return options.part_letters;
    if (!gpu) return std::min(max_letters(insert_bytes), std::uint64_t{1} << 28);
    // A sort and ties need their arrays besides the index; then a merge needs keys and codes besides two.
    std::uint64_t const memory = gpu->memory(), held = held_bytes() + held_bytes() / 8;
    return std::clamp(std::min((memory - std::min(memory, held)) / gpu_insert_bytes,
                               (memory - std::min(memory, 2 * held)) / gpu_merge_bytes),
                      std::uint64_t{1} << 16, max_batch - 1);
  }
  // A batch pays if its walks take longer than the merge of the whole index.
  [[nodiscard]] std::uint64_t min_letters() const {
    if (options.batch_letters != 0) return options.batch_letters;
    return std::min(max_part(), std::max(gpu ? min_gpu_batch : min_batch, 16 * held_blocks()));
  }
  // Genomes in one batch have many ties, which take longer than a merge of the whole index. But a GPU takes as long for a few
  // letters as for some million.
  [[nodiscard]] std::uint64_t min_genome_letters() const {
    if (gpu) return std::uint64_t{1} << 22;
    return options.batch_letters != 0 ? options.batch_letters : std::max(min_batch, 2 * held_blocks());
  }
  // A long walk has closed its bracket for most of its steps, but there must be some for each lane of each thread, and one for
  // each thread of a GPU.
  [[nodiscard]] std::uint64_t walk_letters(std::uint64_t letters) const {
    constexpr std::uint64_t min = insert_options::default_walk_letters, max = 16 * min, walks_of_thread = 16;
    constexpr std::uint64_t gpu_walks = std::uint64_t{1} << 18, min_of_gpu = 2048;
    if (gpu) return std::clamp(letters / gpu_walks, min_of_gpu, min);
    return std::clamp(letters / (walks_of_thread * threads_for(options.machine.threads)), min, max);
  }
  /// Chooses the machine of insertions, before the first one.
  void choose_machine_for(std::uint64_t letters) {
    if (std::exchange(has_chosen, true)) return;
    std::uint64_t const to_come = options.letters_to_come ? options.letters_to_come() : 0;
    // As many letters as threads insert while a GPU starts. More threads wait for memory: 64 take 9 ns a letter, and one 110.
    constexpr std::size_t letters_of_thread = std::size_t{16} << 20, max_threads = 16;
    std::size_t const threads = std::min<std::size_t>(threads_for(options.machine.threads), max_threads);
    std::uint64_t const held = index.bytes();
    choice =
        choose_machine(options.machine, std::size_t(letters + to_come), letters_of_thread * threads, [&](gpu_info const&) {
          return std::size_t(2 * held + gpu_insert_bytes * std::min(letters, min_gpu_batch));
        });
    if constexpr (cuda_enabled)
      if (choice.device == device::gpu) on_gpu([&] {
          gpu = make_runs_on_cuda(options.machine, choice.gpu_index);
          gpu->upload(index.view());
        });
    if (gpu) done.machine = choice;
  }
  /// Calls f(), which works on the GPU. If there is too little memory for that, and another machine may do it, takes the index
  /// back.
  template <class F>
  void on_gpu(F f) {
    try {
      f();
      done.device_memory = std::max<std::size_t>(done.device_memory, gpu->peak_memory());
    } catch (out_of_memory const& e) {
      if (choice.required) throw;
      choice = {device::cpu, e.what(), true, false, 0};
      done.machine = choice;
      if (gpu && gpu->rows() != 0) static_cast<void>(host());
      gpu.reset();
    }
  }
  void begin_phase(std::string_view name, std::uint64_t letters) const {
    if (options.on_phase) options.on_phase(name, letters);
  }

  void add(std::string_view letters) {
    for (bool const is_reverse : {false, true}) add(strand{letters, is_reverse});
    if (how == method::choose) {
      if (!options.marks_genomes && waiting.codes.size() - next_genome >= min_batch) end_genome();
      if (how == method::choose && waiting.codes.size() >= max_letters(sort_bytes)) how = method::insert;
    }
    if (how == method::insert && waiting.codes.size() >= min_letters()) insert_waiting();
    if (how == method::sort && waiting.codes.size() >= max_letters(sort_bytes)) {
      insert_waiting();  // the rest is inserted, in large batches
      how = method::insert;
    }
  }

  void add(strand const& of) {
    add(of.size(), [&](std::size_t begin, std::size_t end, std::uint8_t* to) { of.write(reading, begin, end, to); });
  }
  /// Adds a record, in parts if it is long. @param write  writes the codes of a part of it
  template <class Write>
  void add(std::size_t left, Write write) {
    std::size_t const limit = std::size_t(max_part()), size = left;
    auto const append_part = [&](std::size_t begin, std::size_t end, std::uint8_t terminator) {
      std::uint64_t const at = waiting.codes.size();
      write(begin, end, waiting.codes.add(end - begin));
      if (terminator == continued_code) {
        constexpr std::size_t max_rest = std::size_t{1} << 16;
        std::size_t const rest = std::min(size - end, max_rest);
        waiting.rest.resize(rest + (rest == size - end ? 1 : 0), end_code);
        write(end, end + rest, waiting.rest.data());
      }
      waiting.segments.push_back({at, waiting.codes.size()});
      waiting.codes.push_back(terminator);
    };
    std::uint8_t terminator = end_code;
    if (left > limit && (how == method::insert || left > max_letters(sort_bytes))) {
      how = method::insert;
      if (held_rows() == 0) insert_waiting();  // so that a first batch, which is sorted, has only this record
      // Few batches, and of one size for both strands, so that a pool serves the next one with the memory of the one before.
      std::size_t const batches = (2 * left - 1) / limit + 1, even = (2 * left - 1) / batches + 1;
      if (waiting.codes.size() > even / 8 * 7) insert_waiting();  // too little room for a part
      for (std::size_t room; left > (room = even - waiting.codes.size()); left -= room) {
        append_part(left - room, left, terminator);
        waiting.is_open = true;
        insert_waiting();
        terminator = continued_code;
      }
    } else if (how == method::insert && waiting.codes.size() + left >= (gpu ? limit : max_batch)) {
      insert_waiting();
    }
    append_part(0, left, terminator);
  }

  void end_genome() {
    if (how == method::choose) choose_method();
    if (how != method::insert || waiting.codes.empty() || held_rows() == 0) return;
    choose_machine_for(waiting.codes.size());
    if (waiting.codes.size() >= min_genome_letters()) insert_waiting();
  }
  /// Chooses to insert genomes from one on that is like one before it.
  void choose_method() {
    if (waiting.codes.size() == next_genome) return;
    std::span<std::uint8_t const> const genome = waiting.codes.span().subspan(next_genome);
    if (!known) known.emplace(genome);
    constexpr std::size_t max_compared = 64;  // chromosomes of another genome may come after all of the first one's
    if (known->is_like_or_add(reading, genome)) {
      how = method::insert;
      insert_from(next_genome);
    } else if (++genomes == max_compared) {
      how = method::sort;
    }
    next_genome = waiting.codes.size();
    if (how != method::choose) known.reset();
  }
  /// Sorts the waiting records that begin before a code, and inserts the others, as far as they are enough for a batch.
  void insert_from(std::size_t code) {
    batch const rest = remove_from(code);
    insert_waiting();
    add_again(rest);
  }
  /// Removes the waiting records from a code on, and returns them.
  [[nodiscard]] batch remove_from(std::size_t code) {
    if (code == 0) return std::exchange(waiting, {});
    batch rest;
    std::size_t const count = waiting.codes.size() - code;
    copy_codes(waiting.codes.data() + code, count, rest.codes.add(count));
    auto const is_later = [&](segment const& of) { return of.begin >= code; };
    auto const first = std::ranges::find_if(waiting.segments, is_later);
    for (segment const& of : std::span(first, waiting.segments.end()))
      rest.segments.push_back({of.begin - code, of.end - code});
    waiting.segments.erase(first, waiting.segments.end());
    waiting.codes.truncate(code);
    return rest;
  }
  void add_again(batch const& records) {
    for (std::size_t k = 0; segment const& of : records.segments) {
      if (k++ % 2 == 0 && waiting.codes.size() >= min_letters()) insert_waiting();  // both strands of a record together
      add(of.end - of.begin, [&](std::size_t begin, std::size_t end, std::uint8_t* to) {
        copy_codes(records.codes.data() + of.begin + begin, end - begin, to);
      });
    }
  }
  void copy_codes(std::uint8_t const* from, std::size_t count, std::uint8_t* to) {
    each_part(reading, count, [&](std::size_t first, std::size_t last) { std::copy(from + first, from + last, to + first); });
  }

  /// Inserts what waits, or begins to: the next batch is read while a thread of its own inserts this one.
  void insert_waiting() {
    if (gpu && going_on.row.valid()) gpu->upload_ahead(waiting);
    finish_insertion();
    if (waiting.codes.empty()) return;
    std::uint64_t const letters = waiting.codes.size(), before = held_bytes();
    bool const is_open = waiting.is_open;
    std::optional<std::uint64_t> row;
    if (held_rows() == 0 && (!is_open || waiting.segments.size() == 1) && sort_waiting(row)) {
      if (waiting.codes.empty()) return;  // a part was sorted, and the others were inserted
      waiting.continued_row = row;
      note_insertion(waiting, before);
      return;
    }
    choose_machine_for(letters);
    if (gpu) index = {};
    std::swap(waiting, inserted);
    expected = held();
    expected.bytes += last_growth;
    going_on.bytes_before = before;
    going_on.options.walk_letters = options.walk_letters != 0 ? options.walk_letters : walk_letters(letters);
    bool const has_threads = gpu || reading.arena().max_concurrency() > 1;
    // The growth by the first ones says how much memory the others take.
    if (batches > 2 && has_threads && 2 * letters <= options.memory) {
      going_on.options.on_step = {};  // the caller's function is called by the caller's thread
      going_on.row = std::async([this] { return insert_batch(); });  // finish_insertion inserts if no thread is available
      return;
    }
    if (options.on_phase)
      going_on.options.on_step = [this, letters](std::string_view name) { options.on_phase(name, letters); };
    insert_later();
    finish_insertion();
  }
  std::optional<std::uint64_t> insert_batch() {
    insert_counts counts;
    return gpu ? gpu->insert(inserted, going_on.options, counts) : insert(backend, index, inserted, going_on.options, counts);
  }
  void insert_later() {
    going_on.row = std::async(std::launch::deferred, [this] { return insert_batch(); });
  }
  /// Waits for the insertion that goes on, if one does.
  void finish_insertion() {
    if (!going_on.row.valid()) return;
    if (!going_on.options.on_step) begin_phase("insert", inserted.codes.size());
    auto result = std::move(going_on.row);
    std::optional<std::uint64_t> row;
    try {
      bool is_done = false;
      if (gpu)
        on_gpu([&] {
          row = result.get();
          is_done = true;
        });
      if (!is_done) row = result.valid() ? result.get() : insert_batch();
    } catch (...) {
      insert_later();  // again, if the caller goes on
      throw;
    }
    begin_phase("read", 0);
    inserted.continued_row.reset();
    waiting.continued_row = row;
    note_insertion(inserted, going_on.bytes_before);
  }
  /// Empties a batch that the index has now.
  void note_insertion(batch& of, std::uint64_t bytes_before) {
    last_letters = of.codes.size();
    of.codes.clear();
    of.segments.clear();
    of.rest.clear();
    of.is_open = false;
    last_growth = held_bytes() - std::min(bytes_before, held_bytes());
    if (++batches <= 2) return;
    if (gpu) on_gpu([&] { refuse_growth(); });  // takes the index back if it may
    if (!gpu) refuse_growth();
  }

  // Each genome adds fewer runs than the one before, so half of the last growth is a bound that a good set stays above.
  void refuse_growth() const {
    if (!options.letters_to_come) return;
    double const more = double(options.letters_to_come()) * double(last_growth) / double(last_letters) / 2;
    double const all = 2 * (double(held_bytes()) + more);
    std::size_t const memory = gpu ? gpu->memory() : options.memory;
    if (all <= double(memory)) return;
    throw out_of_memory(
        fmt::format(
            "out of memory: index of runs: {} bytes are needed if it grows half as fast as so far, {} are available{}: the "
            "genomes are not alike enough",
            std::uint64_t(all), memory, gpu ? " on the GPU" : ""),
        std::size_t(all));
  }

  /// Returns how many of the waiting records the machine sorts at once: all, if it does not sort the first one alone either.
  [[nodiscard]] std::size_t count_sortable() const {
    auto const fits = [&](std::size_t count) {
      std::size_t const letters = waiting.segments[count - 1].end - (count - 1);
      unsigned const width = index_fits(4, letters, count) ? 4 : 8;
      try {
        return !plan_build(letters, count, width, {.bwt = true}, options.machine, options.memory).machine.fell_back;
      } catch (out_of_memory const&) {
        return false;
      }
    };
    std::size_t low = 0, high = waiting.segments.size();
    if (fits(high)) return high;
    while (low + 1 < high) {
      std::size_t const middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    return low == 0 ? waiting.segments.size() : low;
  }

  /// Sorts the first batch. Sets the row of its first suffix if it is open.
  /// @returns false if there is no memory for that
  bool sort_waiting(std::optional<std::uint64_t>& row) {
    if (std::size_t const count = count_sortable(); count < waiting.segments.size()) {
      how = method::insert;
      insert_from(waiting.segments[count].begin);
      insert_waiting();
      return true;
    }
    std::vector<std::uint64_t> starts;
    std::size_t const size = waiting.codes.size() - waiting.segments.size();
    host_bytes letters, bwt;
    letters.resize(size);
    for (std::size_t at = 0; segment const& of : waiting.segments) {
      starts.push_back(at);
      each_part(backend, of.end - of.begin, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) letters.data()[at + i] = "$ACGTZ"[waiting.codes[of.begin + i]];
      });
      at += of.end - of.begin;
    }
    text const input{{letters.data(), size}, starts};
    bwt.resize(input.size() + input.records());
    build_options sorting;
    sorting.machine = options.machine;
    sorting.on_phase = options.on_phase;
    std::size_t const width = index_fits(4, input.size(), input.records()) ? 4 : 8,
                      held = input.size() * (width + 2) + waiting.codes.size();
    sorting.memory = options.memory - std::min(options.memory, held);
    try {
      done = width == 4 ? build(input, arrays<std::uint32_t>{{}, {}, bwt.span()}, sorting)
                        : build(input, arrays<std::uint64_t>{{}, {}, bwt.span()}, sorting);
    } catch (text_too_large const&) {
      letters = {};
      bwt = {};
      bool const is_one = waiting.segments.size() == 1;
      if (is_one && waiting.codes.size() <= max_part() + 1) return false;
      how = method::insert;
      if (is_one)
        add_again(remove_from(0));  // in parts
      else
        insert_from(waiting.segments[1].begin);
      insert_waiting();
      return true;
    }
    std::string_view const rows(bwt.data(), bwt.size());
    index_rows(rows);
    if (waiting.is_open) row = rows.find('$');
    return true;
  }
  /// Makes the index of a BWT: on the machine of the insertions if some are to come, and on a GPU if one has sorted.
  void index_rows(std::string_view bwt) {
    begin_phase("runs", bwt.size());
    if (how == method::insert || done.machine.device == device::gpu) choose_machine_for(bwt.size());
    if (gpu) try {
        gpu->take(bwt);
        done.device_memory = std::max<std::size_t>(done.device_memory, gpu->peak_memory());
        return;
      } catch (out_of_memory const&) {  // the GPU has no room for the letters besides the index
      }
    write_letters(backend, bwt.data(), bwt.size(), index);
    if (gpu) on_gpu([&] { gpu->upload(index.view()); });
  }
  /// Returns the function that calls others by all threads.
  [[nodiscard]] each_of each() const {
    return [this](std::size_t n, std::function<void(std::size_t)> const& f) { each_long(backend, n, f); };
  }
  /// Reads runs from the index.
  template <class F>
  void each_run(F f) const {
    run_view const view = host().view();
    piece_reader in(view.blocks, 0, view.num_blocks);
    dna_run run;
    unsigned letter = 0;
    for (std::uint64_t rows = 0; in.next(letter, rows);) {
      if (letter == run.letter() && run.rows() != 0) {
        run.add_rows(rows);
        continue;
      }
      if (run.rows() != 0) f(run);
      run = {letter, rows};
    }
    if (run.rows() != 0) f(run);
  }
};

run_length_index::run_length_index(run_length_options options, method how)
    : state_(std::make_unique<state>(std::move(options), how)) {}
run_length_index::~run_length_index() = default;
run_length_index::run_length_index(run_length_index&&) noexcept = default;
run_length_index& run_length_index::operator=(run_length_index&&) noexcept = default;

void run_length_index::read(source& from, std::string const& name) {
  std::vector<block_list> lists;
  read_runs(from, name, state_->each(), [&](std::span<run_list const> parts) {
    std::size_t const first = lists.size();
    lists.resize(first + parts.size());
    each_long(state_->backend, parts.size(), [&](std::size_t part) {
      block_list& list = lists[first + part];
      block_writer<append_to_list> to(append_to_list{&list});
      for (std::size_t i = 0; i < parts[part].size(); ++i) to.add(parts[part][i].letter(), parts[part][i].rows());
      to.finish();
      list.rows = to.rows();
    });
  });
  state_->gpu.reset();
  state_->index = run_index<host_backend>(state_->backend, std::move(lists));
  state_->how = method::insert;
  run_view const view = state_->host().view();
  auto const count = [&](unsigned c) { return view.first[c + 1] - view.first[c]; };
  if (view.num_ends % 2 != 0 || count(1) != count(4) || count(2) != count(3))
    throw input_error(fmt::format("cannot read: {}: not an index of both strands of each record", name));
}

void run_length_index::read(fm_index const& index) {
  run_view const& view = index.view().runs;
  constexpr std::uint64_t part_blocks = 4096;
  std::vector<block_list> lists(std::size_t((view.num_blocks + part_blocks - 1) / part_blocks));
  std::vector<std::uint8_t> is_damaged(lists.size());
  each_long(state_->backend, lists.size(), [&](std::size_t part) {
    std::uint64_t const begin = part * part_blocks, end = std::min(begin + part_blocks, view.num_blocks);
    std::uint64_t const first = view.begin(begin), last = end == view.num_blocks ? view.rows : view.begin(end);
    is_damaged[part] = 1;
    if (first > last || last > view.rows) return;
    block_writer<append_to_list> to(append_to_list{&lists[part]});
    piece_reader in(view.blocks, begin, end);
    unsigned letter = 0;
    for (std::uint64_t length = 0; in.next(letter, length); to.add(letter, length))
      if (letter > n_code || length > last - first - to.rows()) return;
    to.finish();
    lists[part].rows = to.rows();
    is_damaged[part] = 0;
  });
  if (std::ranges::find(is_damaged, 1) != is_damaged.end())
    throw input_error(fmt::format("bad index: {}: impossible runs", index.name()));
  state_->gpu.reset();
  state_->index = run_index<host_backend>(state_->backend, std::move(lists));
  state_->how = method::insert;
}

void run_length_index::add(std::string_view letters) {
  state_->add(letters);
}

void run_length_index::end_genome() {
  state_->end_genome();
}

void run_length_index::finish() {
  state_->insert_waiting();
  state_->finish_insertion();
  state_->how = method::insert;
}

std::uint64_t run_length_index::records() const {
  return state_->gpu ? state_->gpu->num_ends() : state_->index.num_ends();
}

std::uint64_t run_length_index::rows() const {
  return state_->held_rows();
}

std::uint64_t run_length_index::count_runs() const {
  std::uint64_t runs = 0;
  state_->each_run([&](dna_run const&) { ++runs; });
  return runs;
}

bool run_length_index::is_complete() const {
  return state_->waiting.codes.empty() && !state_->going_on.row.valid() && !state_->waiting.continued_row;
}

void run_length_index::write(sink& to, run_length_format format) const {
  run_view const view = state_->host().view();
  if (format == run_length_format::fmd) {
    run_batches batches(state_->backend, view);
    return write_fmd_runs([&](run_list& runs) { return batches(runs); }, state_->each(), to);
  }
  piece_reader in(view.blocks, 0, view.num_blocks);
  dna_run ahead;  // the first piece of the next run
  auto const next = [&](dna_run& run) {
    run = ahead;
    unsigned letter = 0;
    for (std::uint64_t rows = 0; in.next(letter, rows);) {
      ahead = {letter, rows};
      if (run.rows() != 0 && letter != run.letter()) return true;
      run = {letter, run.rows() + rows};
    }
    ahead = {};
    return run.rows() != 0;
  };
  std::uint64_t rows[num_dna_codes];
  for (unsigned c = 0; c < num_dna_codes; ++c) rows[c] = view.first[c + 1] - view.first[c];
  write_fmr_runs(next, rows, to);
}

void run_length_index::begin_samples(unsigned shift) {
  state_->begin_samples(std::uint64_t{1} << shift);
}

void run_length_index::write_samples(sink& to, unsigned shift) const {
  sampled_rows const samples = state_->samples(std::uint64_t{1} << shift, false);
  std::string head = "SSA\1";
  auto const put = [&](auto value) { head.append(reinterpret_cast<char const*>(&value), sizeof(value)); };  // little-endian
  put(std::uint32_t(shift));
  put(std::uint32_t(samples.record_bits));
  put(std::uint64_t(samples.record_of_end.size()));
  put(std::uint64_t(samples.positions.size()));
  to.expect(head.size() + 8 * (samples.record_of_end.size() + samples.positions.size()));
  std::uint64_t at = 0;
  auto const store = [&](void const* from, std::size_t size) {
    ordo::detail::store(state_->backend.arena(), {static_cast<char const*>(from), size}, to, at);
    at += size;
  };
  store(head.data(), head.size());
  store(samples.record_of_end.data(), 8 * samples.record_of_end.size());
  store(samples.positions.data(), 8 * samples.positions.size());
}

void run_length_index::each_run(std::function<void(char, std::uint64_t)> const& f) const {
  state_->each_run([&](dna_run const& run) { f("$ACGTN"[run.letter()], run.rows()); });
}

void run_length_index::write_index(sink& to, unsigned width, std::uint64_t sample) const {
  if (sample == 0) throw usage_error("invalid sample: index of runs: 0: positions of every first row at least");
  if (records() == 0) throw usage_error("no records: index of runs: it has one at least");
  sampled_rows const samples = state_->samples(sample, true);
  write_index_file(packed_anew(state_->backend, state_->host().view()).view(), samples, width, to);
}

bool run_length_index::holds(std::uint64_t first, std::string_view letters) const {
  run_view const view = state_->host().view();
  for (bool const is_reverse : {false, true}) {
    code_list codes;
    strand{letters, is_reverse}.write(state_->backend, 0, letters.size(), codes.add(letters.size()));
    std::uint64_t const record = first + is_reverse;
    letter_walk<> walk{record, view.find(record)};
    for (std::size_t i = codes.size(); i-- > 0;)
      if (walk.step(view) != codes[i]) return false;
    if (walk.step(view) != end_code) return false;
  }
  return true;
}

bool run_length_index::has_all_rows() const {
  run_view const view = state_->host().view();
  if (view.rows == 0) return true;
  std::vector<std::uint64_t> steps(view.num_ends);
  each_long(state_->backend, steps.size(), [&](std::size_t record) {
    letter_walk<> walk{record, view.find(record)};
    std::uint64_t letters = 0;
    while (walk.step(view) != end_code)
      if (++letters > view.rows) break;
    steps[record] = letters + 1;
  });
  std::uint64_t sum = 0;
  for (std::uint64_t const letters : steps) sum += letters;
  return sum == view.rows;
}

build_report const& run_length_index::report() const {
  return state_->done;
}

std::optional<std::string> find_fault_of_runs(fm_index const& index, text const& input, unsigned threads) {
  host_backend backend(threads);
  return find_fault(backend, index, input);
}

}  // namespace ordo::inline v0::suffix
