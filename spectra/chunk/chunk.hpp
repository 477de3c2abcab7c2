#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/io.hpp"
#include "ordo/memory.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/chunk/filter_effects.hpp"
#include "spectra/chunk/value_message.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/peaks/chunk_peaks.hpp"

// The interface between the pipeline and the formats.
namespace ordo::inline v0::spectra::detail {

/// The steps of the work on a chunk. Each format names those that it has; the others have an empty name.
enum step : std::size_t { reading, parsing, unpacking, sorting, composing, writing, num_steps };
using step_names = std::array<std::string_view, num_steps>;

/// The time that each step of the work on a chunk took, the time that the chunk waited for it, and the bytes worked on. One
/// thread at a time.
class step_times {
  using clock = std::chrono::steady_clock;

 public:
  /// Calls f() as a step that works on `size` bytes. The chunk has waited for it since the end of the step before.
  template <class F>
  decltype(auto) timed(step which, std::uint64_t size, F f) {
    struct timer {
      step_times& work;
      step which;
      clock::time_point begin = clock::now();
      ~timer() {
        work.ready_ = clock::now();
        work.seconds_[which] += std::chrono::duration<double>(work.ready_ - begin).count();
      }
    } const running{*this, which};
    waited_[which] += std::chrono::duration<double>(running.begin - ready_).count();
    bytes_[which] += size;
    return f();
  }

  /// Adds the times to one phase for each step, and reports the steps.
  void add_to(std::span<phase_time> phases, sort_options const& options) const {
    for (std::size_t s = 0; s < num_steps; ++s) {
      phases[s].seconds += seconds_[s];
      phases[s].waited += waited_[s];
      phases[s].bytes += bytes_[s];
      if (options.on_phase && bytes_[s] != 0) options.on_phase(phases[s].name, bytes_[s]);
    }
  }

  /// Begins with a new chunk, which waits for its first step.
  void start_times() {
    seconds_ = waited_ = {};
    bytes_ = {};
    ready_ = clock::now();
  }
  /// Counts a part of a step's time as waiting for other threads.
  void count_as_waiting(step which, double time) {
    seconds_[which] -= time;
    waited_[which] += time;
  }
  void add_bytes(step which, std::uint64_t size) { bytes_[which] += size; }

 private:
  std::array<double, num_steps> seconds_{}, waited_{};
  std::array<std::uint64_t, num_steps> bytes_{};
  clock::time_point ready_;  // for the next step
};

/// The text of a chunk. Its memory is reused for the next chunk.
class chunk_text {
 public:
  /// Offsets in a chunk have 32 bits.
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 32;

  std::uint64_t offset = 0;  // from where reading began
  std::size_t size = 0;

  [[nodiscard]] std::span<char> bytes() const { return memory_.span().first(size); }
  [[nodiscard]] std::string_view view() const { return {memory_.data(), size}; }
  /// Makes room for `wanted` bytes, and keeps the first `kept`.
  /// @returns all the room that there is
  std::span<char> room(std::size_t wanted, std::size_t kept = 0) {
    static host_memory plain;  // without state, so threads may share it
    if (memory_.size() < wanted) {
      buffer<char> larger(plain, wanted);
      std::copy_n(memory_.data(), kept, larger.data());
      memory_ = std::move(larger);
    }
    return memory_.span();
  }

 private:
  buffer<char> memory_;
};

/// The spectra in the output of a chunk, with their keys, from which an order of spectra is made.
class spectrum_records {
 public:
  struct record {
    std::size_t end;        // in the output; the next record begins there
    std::uint64_t number;   // in the chunk
    std::uint64_t offset;   // in the chunk
    std::size_t title_end;  // in titles()
  };

  void clear() {
    all_.clear();
    codes_.clear();
    titles_.clear();
    title_hashes_.clear();
    head = 0;
    any_spectra = marked = false;
    first_number = first_offset = 0;
  }
  /// Appends the hash of a title, for a warning of equal ones.
  void add_title(spectrum_header const& header) {
    if (header.title && !header.title->empty()) title_hashes_.push_back(std::hash<std::string_view>()(*header.title));
  }
  /// Appends the next spectrum. @param peaks  the number of peaks that it has in the output
  void add(order_keys const& keys, spectrum_header const& header, std::uint64_t peaks, std::size_t end, std::uint64_t number,
           std::uint64_t offset) {
    if (keys.has(spectrum_key::title)) titles_ += header.title.value_or("");
    all_.push_back({end, number, offset, titles_.size()});
    codes_.resize(codes_.size() + keys.count());
    keys.encode(header, peaks, codes_.data() + codes_.size() - keys.count());
  }

  [[nodiscard]] std::vector<record> const& all() const noexcept { return all_; }
  [[nodiscard]] std::vector<std::uint64_t> const& codes() const noexcept { return codes_; }
  [[nodiscard]] std::string const& titles() const noexcept { return titles_; }  // end to end, if there is a title key

  [[nodiscard]] std::vector<std::size_t> const& title_hashes() const noexcept {
    return title_hashes_;
  }  // of those that have one

  void save(value_writer& to) const { to.put(all_, codes_, titles_, title_hashes_, head, any_spectra, marked); }
  void load(value_reader& from) { from.take(all_, codes_, titles_, title_hashes_, head, any_spectra, marked); }

  std::size_t head = 0;                              // bytes before the first spectrum of the input, kept or not
  bool any_spectra = false;                          // kept or not
  bool marked = false;                               // the input begins with a byte order mark and a spectrum
  std::uint64_t first_number = 0, first_offset = 0;  // where the chunk begins in the input, from which records count

 private:
  std::vector<record> all_;
  std::vector<std::uint64_t> codes_;
  std::string titles_;
  std::vector<std::size_t> title_hashes_;
};

/// Returns how many values are equal to another one, but for one of each. Sorts them.
inline std::uint64_t count_repeated(std::vector<std::size_t>& values) {
  std::ranges::sort(values);
  std::uint64_t repeated = 0;
  for (std::size_t i = 1; i < values.size(); ++i) repeated += values[i] == values[i - 1];
  return repeated;
}

/// The precision with which numbers are printed: as few digits as give back the float, or the double.
struct peak_digits {
  bool mz_single = false, intensity_single = false;
};

/// A property of a spectrum beside those of its header, as a library states it. Keys are those of MGF, or else as the input has
/// them; a key may come more than once. One that is a parameter of MGF replaces what the header says.
struct metadata_entry {
  std::string_view key, value;
  // Of an attribute of mzSpecLib:
  std::string_view accession = {};  // "MS:1003070"
  std::string_view unit = {};       // "UO:0000010|second"
  bool of_analyte = false;
};

/// Sets the sequence of a spectrum.
inline void set_sequence(std::vector<metadata_entry>& metadata, std::string_view sequence) {
  std::erase_if(metadata, [](metadata_entry const& entry) { return entry.key == "SEQ"; });
  metadata.push_back({"SEQ", sequence});
}

/// A spectrum to be printed in another format than that of the input.
struct printed_spectrum {
  spectrum_header& header;  // becomes what a reader of the output finds
  peak_list peaks;
  std::span<std::uint32_t const> order;  // the peaks to print
  peak_digits digits = {};
  std::span<metadata_entry const> metadata = {};
  std::span<std::string_view const> annotations = {};  // the text after each peak in the input; empty: there is none
};

/// Values that an output format cannot hold.
struct print_losses {
  std::uint64_t not_finite = 0;   // peaks left out
  std::uint64_t annotations = 0;  // annotations of peaks left out

  void add(print_losses const& other) noexcept {
    not_finite += other.not_finite;
    annotations += other.annotations;
  }
};

/// Appends a spectrum in another format. @param title  memory for the title of the header
using print_spectrum = print_losses (*)(printed_spectrum const& spectrum, sort_options const& options, std::string& title,
                                        std::string& output);

/// Purposes for which an input is read.
enum class purpose { sort, check, summary, compare, read, order, choose };

/// Spectra that do not state a value on which a choice, or the spectra to which a selection applies, depends.
struct unstated_values {
  std::uint64_t ms_level = 0, rt = 0, scan = 0, charge = 0, polarity = 0, precursor = 0, title = 0, native_id = 0,
                selection_level = 0, compensation_voltage = 0, collision_energy = 0, isolation_width = 0, total_ion_current = 0,
                base_peak = 0, activation = 0, instrument = 0;

  void add(unstated_values const& other) noexcept;
  void add(spectrum_choice const& choice, spectrum_header const& header) noexcept;
};

/// The head of mzML documents that become one.
class merged_head;

/// The work on the chunks of an input.
struct chunk_task {
  purpose goal = purpose::sort;
  sort_options const* options = nullptr;
  selection const* select = nullptr;        // nullptr: every peak is kept
  spectrum_choice const* choice = nullptr;  // nullptr: every spectrum is chosen
  order_keys const* keys = nullptr;         // for purpose::order
  print_spectrum print = nullptr;           // nullptr: the output has the format of the input
  std::string_view prints_as = {};          // the format of `print`
  order_options const* order = nullptr;     // for spectra of mzML that stay mzML
  order_report* ordered = nullptr;          // receives runs, passes and missing keys
  bool lists = false;                       // the numbers of the chosen spectra, as for purpose::choose
  bool filters = false;                     // for purpose::read: spectra and peaks are selected, and peaks sorted
  merged_head* merged = nullptr;            // for documents of mzML that become one, or parts of it
  drop_reasons const* reasons = nullptr;    // if the spectra that are left out are reported
  bool several = false;                     // the input is one of several: printed titles name the run
  bool notes_titles = false;                // records have hashes of titles

  [[nodiscard]] bool writes() const noexcept { return goal == purpose::sort || goal == purpose::order; }
  /// Returns true if all of each spectrum is read, and nothing is written.
  [[nodiscard]] bool reads_all() const noexcept {
    return goal == purpose::summary || goal == purpose::compare || goal == purpose::read;
  }
  /// Returns true if spectra that are not chosen are read, too.
  [[nodiscard]] bool reads_others() const noexcept { return goal == purpose::compare; }
  /// Returns true if peaks or spectra may be dropped.
  [[nodiscard]] bool drops() const noexcept { return select || choice; }
  /// Returns true if all peaks are read, because some may be dropped or all are printed.
  [[nodiscard]] bool selects() const noexcept { return drops() || print || titles(); }
  /// Returns true if titles are made anew.
  [[nodiscard]] bool titles() const noexcept { return !options->title_template.empty(); }
  /// Returns true if the numbers of spectra in their input are needed while they are read.
  [[nodiscard]] bool needs_numbers() const noexcept {
    return goal == purpose::choose || lists || (choice && choice->needs_numbers()) || titles();
  }
  /// Returns the sequence of a spectrum of a table of matches, to be written with it; nullptr if there is none.
  [[nodiscard]] std::string const* find_sequence(spectrum_header const& header, std::uint64_t number) const {
    if (!choice || !choice->named) return nullptr;
    std::string const* const sequence = choice->named->find(header, number);
    return sequence && !sequence->empty() ? sequence : nullptr;
  }
};

/// The totals, warnings and first disorder of an input, in its order.
class diagnostics {
 public:
  explicit diagnostics(sort_options const& options) : options(options) {}
  /// Counts a warning, and reports it if it is among the first.
  void warn(std::string const& message) {
    if (options.on_warning && totals.warnings < options.warnings_shown) options.on_warning(message);
    ++totals.warnings;
  }
  /// Warns of `count` things, if there are any. @param one, several  what is said of one, and of several
  void warn_of_count(std::uint64_t count, std::string_view one, std::string_view several) {
    if (count != 0) warn(options.name + ": " + quantity(count, one, several));
  }
  /// Warns of values that the output cannot hold. @param to  the format of the output
  void warn_of_losses(print_losses const& losses, std::string_view to) {
    std::string const why = to == "mzml" ? "mzML has none" : "MGF has none but charges";  // MSP and mzSpecLib have them
    warn_of_count(losses.annotations, "annotation of a peak is left out: " + why, "annotations of peaks are left out: " + why);
    warn_of_count(losses.not_finite, "peak is not finite and is left out", "peaks are not finite and are left out");
  }
  /// Warns if all chosen spectra of a run are of MS level 1, which MGF does not take. @param chooses  there is a choice
  void warn_of_levels(bool chooses, std::uint64_t chosen, std::uint64_t level_1) {
    if (chosen != level_1 || totals.spectra == 0) return;
    if (!chooses)
      warn(options.name + ": there are no spectra of MS level 2 or above");
    else if (chosen != 0)
      warn(options.name + ": none of the chosen spectra is of MS level 2 or above");
  }

  sort_options const& options;
  sort_report totals;  // counts of all chunks so far, without machine and phases
  std::optional<disorder> first_disorder;
  unstated_values unstated;
};

/// Returns a checksum of the text of a chunk.
std::uint32_t compute_checksum(std::string_view text);

/// Some whole spectra of an input, and the work on them by one thread at a time.
class chunk : public step_times {
 public:
  virtual ~chunk() = default;
  chunk(chunk const&) = delete;
  chunk& operator=(chunk const&) = delete;

  /// Reads headers and peaks into `counted`, `peaks`, `records`, `summarized` and `columns`.
  /// @returns false if there is an error or a disorder, so that nothing is to be done with the chunk
  virtual bool parse() = 0;
  /// Returns true if chunk_peaks::select is to be called; else the peaks of `codes` alone are sorted.
  [[nodiscard]] virtual bool selects() const = 0;
  /// Makes the output of the peaks that are kept, in their order.
  virtual void compose() = 0;
  [[nodiscard]] virtual std::span<char const> output() const = 0;
  /// The offset at which output() has to be written if no chunk changes its length.
  [[nodiscard]] virtual std::uint64_t offset() const = 0;

  /// Returns a checksum of the input of the chunk.
  virtual std::uint32_t input_checksum() = 0;
  /// Appends the results of the work on the chunk, unless something is to be said about it.
  /// @returns false then
  virtual bool save(value_writer& to) const = 0;
  /// Takes the results of the work that another process did on the same chunk.
  virtual void load(value_reader& from) = 0;

  chunk_counts counted;
  chunk_peaks peaks;
  summary summarized;
  comparison compared;
  spectrum_columns columns;
  spectrum_records records;
  unstated_values unstated;
  /// A spectrum that is left out. Numbers and offsets count from those where records begin.
  struct dropped_entry {
    std::uint64_t number, offset;
    std::uint32_t reason;
  };
  std::vector<dropped_entry> dropped;  // for chunk_task::reasons
  std::set<double> voltages;           // compensation voltages of chosen spectra, for purpose::choose
  std::vector<std::uint64_t> chosen;   // numbers of spectra, for chunk_task::lists
  std::exception_ptr failure;          // the first, by its place in the chunk
  bool composed = false;               // output() is complete
  std::uint64_t place = 0;             // where the output begins, if chunks change their length
  std::uint64_t chunk_number = 0;      // in the input, if members of a group share the work
  std::uint32_t checksum = 0;          // checksum of the input, if another member works on the chunk
  std::vector<char> results;           // to be sent by another member than the first

 protected:
  chunk() = default;
  /// Adds a spectrum to what the task reads. @param number  in the input @param has_peaks  a selection can apply to the
  /// spectrum @param is_printed  another format takes it
  void add(chunk_task const& task, spectrum const& spectrum, std::uint64_t number, bool has_peaks = true,
           bool is_printed = true) {
    if (task.goal == purpose::summary) {
      summarized.add(spectrum, task.options->distributions);
    } else if (task.goal == purpose::compare) {
      if (!effects_) effects_ = std::make_unique<filter_effects>(*task.options, task.prints_as);
      effects_->add(spectrum, number, has_peaks && is_selected(task, spectrum.header), is_printed, compared);
    } else if (task.filters) {
      if (!effects_) effects_ = std::make_unique<filter_effects>(*task.options);
      bool const is_kept = effects_->select(spectrum, has_peaks && is_selected(task, spectrum.header), columns);
      if (!is_kept && task.lists) chosen.pop_back();  // the last one that was chosen
    } else {
      columns.add(spectrum);
    }
  }
  /// Returns true if a spectrum is chosen. @param first  the number of the first spectrum of the chunk in the input
  /// @param number  in the chunk @param offset  in the chunk
  bool choose(chunk_task const& task, spectrum_header const& header, std::uint64_t first, std::uint64_t number_in_chunk,
              std::uint64_t offset) {
    std::uint64_t const number = first + number_in_chunk;
    if (task.choice) unstated.add(*task.choice, header);
    bool const accepted = !task.choice || task.choice->accepts(header, number);
    if (!accepted && task.reasons) dropped.push_back({number_in_chunk, offset, task.reasons->of_choice(header, number)});
    if (accepted && (task.goal == purpose::choose || task.lists)) chosen.push_back(number);
    if (accepted && task.goal == purpose::choose && header.compensation_voltage) voltages.insert(*header.compensation_voltage);
    return accepted;
  }
  /// Returns true if the peaks of a chosen spectrum are selected.
  bool is_selected(chunk_task const& task, spectrum_header const& header) {
    auto const& levels = task.options->select_levels;
    if (!levels.is_set()) return true;
    unstated.selection_level += !header.ms_level;
    return (header.ms_level && levels.holds(*header.ms_level)) != levels.inverse;
  }
  void save_counts(value_writer& to) const {
    to.put(counted, unstated, dropped);
    records.save(to);
  }
  void load_counts(value_reader& from) {
    from.take(counted, unstated, dropped);
    records.load(from);
  }
  /// Begins with the next chunk of the input.
  void restart() {
    counted = {};
    peaks.clear();
    summarized = {};
    compared = {};
    columns = {};
    records.clear();
    unstated = {};
    chosen.clear();
    voltages.clear();
    dropped.clear();
    failure = nullptr;
    start_times();
  }

 private:
  std::unique_ptr<filter_effects> effects_;  // for purpose::compare, and chunk_task::filters
};

/// A format: cuts an input into chunks, makes messages of what is wrong in them, and writes their output.
class input_format {
 public:
  virtual ~input_format() = default;
  [[nodiscard]] virtual step_names const& steps() const = 0;
  [[nodiscard]] virtual std::unique_ptr<chunk> make_chunk() const = 0;
  /// The bytes that are left of the input, if chunks of the output can be written at the offsets of those of the input.
  [[nodiscard]] virtual std::optional<std::uint64_t> addressable_bytes() const { return {}; }

  /// Takes the next `wanted` bytes of the input or so; one call at a time.
  /// @returns false if there are none
  virtual bool next(chunk& chunk, std::size_t wanted) = 0;
  /// Returns true if follow() reads all chunks.
  [[nodiscard]] virtual bool follows() const { return false; }
  /// Reads the input of a chunk, after the work on it and before accept(); one call at a time, in the order of the input.
  virtual void follow(chunk const& /*chunk*/) {}
  /// Reports the warnings of a chunk, one after the other.
  /// @returns false for a disorder, after which nothing is read
  /// @throws input_error for what is wrong in the chunk
  virtual bool accept(chunk& chunk) = 0;
  virtual void write(chunk& chunk, sink& output) { output.write(chunk.output()); }
  /// Ends the output and the input.
  virtual void end() {}
};

}  // namespace ordo::inline v0::spectra::detail
