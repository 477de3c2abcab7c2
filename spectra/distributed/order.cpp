#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/streams.hpp"
#include "base/threads.hpp"
#include "distributed/gather_strings.hpp"
#include "distributed/output_part.hpp"
#include "distributed/splitters.hpp"
#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "spectra/chunk/reports.hpp"
#include "spectra/external/keys.hpp"
#include "spectra/external/parts.hpp"
#include "spectra/external/spill.hpp"
#include "spectra/external/store.hpp"
#include "spectra/mgf/cutter.hpp"
#include "spectra/mgf/file_header.hpp"
#include "spectra/order/collector.hpp"
#include "spectra/order/input_reader.hpp"

namespace ordo::inline v0::spectra {
namespace {

using namespace detail;

/// Thrown if the spectra of a member do not fit its memory.
struct no_room {};

/// The text before the first spectrum of an input.
struct head_of_input {
  std::string text;
  bool has_spectra = false;
};

/// Returns true if a source ends at once, such as an empty file, which may not state its size.
bool is_empty(source& from) {
  char byte;
  return from.read({&byte, 1}) == 0;
}

/// Finds the head of an input. Returns nothing if it is too long to be held by all members.
/// @param size  the size of the rest of an addressable source; nothing: the source is read
std::optional<head_of_input> find_head(source& from, std::optional<std::uint64_t> size) {
  constexpr std::uint64_t first_read = std::uint64_t{16} << 10, max_head = std::uint64_t{64} << 20;
  mgf_text text;
  for (std::uint64_t n = first_read;; n *= 4) {
    std::size_t const before = text.size;
    std::size_t const wanted = std::size_t(size ? std::min(n, *size) : n);
    std::span<char> const room = text.room(wanted, before).first(wanted).subspan(before);
    if (size)
      from.read_at(from.position() + before, room);
    else if (std::size_t const got = from.read(room); got < room.size())
      size = before + got;
    text.size = std::size_t(size ? std::min<std::uint64_t>(wanted, *size) : wanted);
    if (auto const at = find_spectrum(text.view())) {
      bool const marked = *at == 0 && text.view().starts_with(byte_order_mark);
      return head_of_input{std::string(marked ? byte_order_mark : text.view().substr(0, *at)), true};
    }
    if (size && text.size >= *size) break;
    if (n >= max_head) return {};
  }
  text.end_last_line();
  return head_of_input{std::string(text.view()), false};
}

/// An order over a communicator, on one member.
class divided_order {
 public:
  divided_order(communicator& members, spectrum_inputs const& inputs, output_opener const& open, sort_options const& options,
                order_options const& order)
      : members_(members),
        p_(members.size()),
        rank_(members.rank()),
        inputs_(inputs),
        open_(open),
        order_(order),
        reader_(member_options(members, options), order),
        keys_(order.order),
        arena_(threads_for(options.machine.threads)),
        heads_([this](std::string const& message) { reader_.warn(message); }),
        store_(keys_, reader_.memory() / parts_of_memory) {
    reader_.done.missing.resize(keys_.count());
  }

  std::optional<distributed_order_report> run() {
    if (!all_are(find_inputs())) return std::nullopt;
    if (!all_are(read())) return std::nullopt;
    warn_of_titles();
    receive_text();
    if (keys_.count() != 0 && p_ > 1)
      exchange();
    else
      write(store_);
    order_report& done = reader_.end(ordering_, exchanging_, writing_);
    add_others(members_, done.done);
    members_.reduce(done.missing, reduction::sum);
    done.done.warnings = report_.warnings.size();
    done.parts = 1;
    report_.order = std::move(done);
    return std::move(report_);
  }

 private:
  /// Spectra, an eighth of them that is sent, and as much that arrives, are in memory; and keys.
  static constexpr std::size_t parts_of_memory = 2, max_rounds = 8;
  static constexpr std::uint64_t min_round_bytes = std::uint64_t{16} << 20;

  static sort_options member_options(communicator const& members, sort_options options) {
    options.on_warning = {};
    options.members = nullptr;
    if (options.on_progress)
      options.on_progress = [p = members.size(), report = options.on_progress](std::uint64_t bytes) { report(bytes * p); };
    return options;
  }
  /// Collective.
  [[nodiscard]] bool all_are(bool right) { return members_.reduce(right, reduction::min) != 0; }

  /// Finds the heads of all inputs and this member's part of them.
  /// @returns false if one process has to work alone
  bool find_inputs() {
    std::uint64_t total = 0;
    bool is_right = true;
    try {
      for (std::size_t k = 0; k < inputs_.count; ++k) {
        auto const opened = inputs_.open(k);
        auto size = opened.from->size();
        bool const is_packed = opened.packed_bytes != 0;
        if (!size && !is_packed && is_empty(*opened.from)) size = 0;
        if (!(size || is_packed) || opened.from_format != format::mgf)
          throw usage_error(
              fmt::format("cannot divide: {}: it is neither an addressable MGF file nor a compressed one", opened.name));
        std::uint64_t const begin = size ? opened.from->position() : 0, left = size ? *size - begin : opened.packed_bytes;
        begins_.push_back({begin, total, is_packed});
        std::optional<head_of_input> const head =
            left == 0 ? head_of_input{} : find_head(*opened.from, is_packed ? std::nullopt : std::optional(left));
        is_right = is_right && head.has_value();
        if (is_right && !head->has_spectra) report_.warnings.push_back(opened.name + ": there are no spectra");
        if (is_right) carried_.push_back(heads_.take(head->text, head->has_spectra, opened.name));
        total += left;
      }
    } catch (input_error const&) {
      is_right = false;
    }
    if (!all_are(is_right && reader_.done.done.warnings == 0)) return false;
    total_ = total;
    if (members_.reduce(total, reduction::min) != members_.reduce(total, reduction::max))
      throw input_error("different inputs: all inputs: the files must be the same on all hosts");
    // Memory that does not suffice for the text alone is known before anything is read.
    std::uint64_t const memory = members_.reduce(reader_.memory() / parts_of_memory, reduction::min);
    if (even_share(total, p_, 0) > memory) return false;
    begin_ = cut_before(even_offset(total, p_, rank_));
    end_ = cut_before(even_offset(total, p_, rank_ + 1));
    return true;
  }

  /// Returns the offset in all inputs of the last spectrum, or first byte of an input, that is not after `offset`; in a
  /// compressed input, of its nearest end.
  [[nodiscard]] std::uint64_t cut_before(std::uint64_t offset) const {
    if (offset >= total_) return total_;
    std::size_t k = begins_.size() - 1;
    while (begins_[k].in_all > offset) --k;
    if (begins_[k].is_packed) {
      std::uint64_t const first = begins_[k].in_all, last = end_at(k);
      return offset - first < last - offset ? first : last;
    }
    auto const opened = inputs_.open(k);
    std::uint64_t const in_input = begins_[k].in_input;
    std::uint64_t const cut = last_spectrum_before(*opened.from, in_input, in_input + offset - begins_[k].in_all);
    return cut - in_input + begins_[k].in_all;
  }

  [[nodiscard]] std::uint64_t end_at(std::size_t k) const { return k + 1 < begins_.size() ? begins_[k + 1].in_all : total_; }

  /// Reads this member's part.
  /// @returns false if it has a fault, if there is something to warn of, or if memory does not
  /// suffice
  bool read() {
    spectrum_collector collector(
        reader_, keys_, store_, format::mgf, inputs_.count > 1,
        [this](std::size_t k, std::string const&, bool, std::string const&) { return carried_[k]; }, [] { throw no_room(); });
    try {
      for (std::size_t k = 0; k < inputs_.count; ++k) {
        std::uint64_t const first = begins_[k].in_all, last = end_at(k);
        std::uint64_t const begin = std::clamp(begin_, first, last), end = std::clamp(end_, first, last);
        if (begin == end) continue;
        spectrum_inputs::opened opened = inputs_.open(k);
        std::unique_ptr<source> whole;
        if (!begins_[k].is_packed) {
          whole = std::move(opened.from);
          opened.from = std::make_unique<part_source>(*whole, begins_[k].in_input + begin - first, end - begin);
        }
        if (opened.bytes != 0) opened.bytes = end - begin;
        collector.read(opened, k, begin != first);
      }
    } catch (input_error const&) {
      return false;
    } catch (no_room const&) {
      return false;
    }
    behind_ = collector.carried();
    titles_ = collector.titles();
    return reader_.done.done.warnings == 0;
  }

  /// Collective.
  void warn_of_titles() {
    std::string const own(reinterpret_cast<char const*>(titles_.data()), titles_.size() * sizeof(std::size_t));
    titles_.clear();
    for (std::string const& bytes : ordo::detail::gather_strings(members_, own)) {
      std::size_t const before = titles_.size();
      titles_.resize(before + bytes.size() / sizeof(std::size_t));
      std::memcpy(titles_.data() + before, bytes.data(), bytes.size());
    }
    if (auto const warning = warning_of_titles(std::exchange(titles_, {}))) report_.warnings.push_back(*warning);
  }

  /// Takes the text after the spectra of members before this one, which goes with the next spectrum. Collective.
  void receive_text() {
    auto const after = ordo::detail::gather_strings(members_, behind_);
    auto const counts = members_.all_gather(std::uint64_t(store_.all().size()));
    auto const before = [&](std::size_t member) {
      std::string text;
      while (member-- > 0) {
        text.insert(0, after[member]);
        if (counts[member] != 0) break;
      }
      return text;
    };
    if (!store_.empty()) store_.prepend(before(rank_));
    if (rank_ + 1 == p_) tail_ = before(p_);
  }

  [[nodiscard]] stored_in_order ordered(spectrum_store const& from) {
    return reader_.timed(ordering_, from.text_bytes(), [&] {
      return stored_in_order(from, sorted_order(keys_, from.table(), from.all().size(), reader_.options().machine));
    });
  }

  /// Appends the codes and the title of a spectrum, as the key of splitters.
  [[nodiscard]] std::string splitter_key(std::size_t i) const {
    std::string key(reinterpret_cast<char const*>(store_.table().codes.data() + i * keys_.count()),
                    keys_.count() * sizeof(std::uint64_t));
    if (!store_.table().titles.empty()) key += store_.table().titles[i];
    return key;
  }
  [[nodiscard]] int compare(std::string_view a, std::string_view b) const {
    std::size_t const bytes = keys_.count() * sizeof(std::uint64_t);
    std::vector<std::uint64_t> codes(2 * keys_.count());
    std::memcpy(codes.data(), a.data(), bytes);
    std::memcpy(codes.data() + keys_.count(), b.data(), bytes);
    return keys_.compare({codes.data(), a.substr(bytes)}, {codes.data() + keys_.count(), b.substr(bytes)});
  }

  /// Returns the member that writes each spectrum. Collective.
  [[nodiscard]] std::vector<std::uint32_t> receivers() {
    std::vector<std::uint32_t> const order = reader_.timed(ordering_, store_.text_bytes(), [&] {
      return sorted_order(keys_, store_.table(), store_.all().size(), reader_.options().machine);
    });
    auto const key_at = [&](std::size_t k) { return splitter_key(order[k]); };
    auto const by = [this](std::string_view a, std::string_view b) { return compare(a, b); };
    auto const bytes_at = [&](std::size_t k) { return store_.all()[order[k]].bytes; };
    auto const splitters =
        ordo::detail::find_splitters(members_, ordo::detail::draw_samples(p_, order.size(), bytes_at, key_at), by);
    auto const cuts = ordo::detail::cuts_at(members_, order.size(), key_at, splitters, by, false);
    std::vector<std::uint32_t> to(order.size());
    std::size_t k = 0;
    for (std::size_t member = 0; member < cuts.size(); ++member)
      for (; k < cuts[member]; ++k) to[order[k]] = std::uint32_t(member);
    return to;
  }

  /// Sends each spectrum to the member that writes it. The memory of those that have crossed is freed before the next ones do.
  /// Collective.
  void exchange() {
    std::vector<std::uint32_t> const to = receivers();
    // As few rounds as memory allows: each takes the time of some messages.
    std::uint64_t const in_round = std::max<std::uint64_t>(min_round_bytes, store_.text_bytes() / max_rounds);
    struct arrival {
      host_bytes bytes;
      std::vector<std::uint64_t> sizes;  // from each member
    };
    std::vector<arrival> arrivals;
    std::size_t const count = store_.all().size(), bytes_of_codes = keys_.count() * sizeof(std::uint64_t);
    auto const title_at = [this](std::size_t i) {
      return store_.table().titles.empty() ? std::string_view() : store_.table().titles[i];
    };
    for (std::size_t s = 0; members_.reduce(std::uint64_t(s != count), reduction::max) != 0;) {
      // For each receiver, one part: entry, codes, title and text of each spectrum.
      std::size_t end = s;
      std::vector<std::uint64_t> ends(p_), at(p_);
      for (std::uint64_t bytes = 0; end != count && bytes < in_round; ++end) {
        bytes += store_.all()[end].bytes;
        ends[to[end]] += sizeof(index_entry) + bytes_of_codes + title_at(end).size() + store_.all()[end].bytes;
      }
      for (std::size_t member = 1; member < p_; ++member) ends[member] += at[member] = ends[member - 1];
      host_bytes parts;
      parts.resize(std::size_t(ends.back()));
      for (; s != end; ++s) {
        ordered_spectrum const& spectrum = store_.all()[s];
        std::string_view const title = title_at(s);
        index_entry const entry{spectrum.bytes, spectrum.number, spectrum.offset, spectrum.input, std::uint32_t(title.size())};
        char* next = parts.data() + at[to[s]];
        std::memcpy(next, &entry, sizeof(entry));
        std::memcpy(next += sizeof(entry), store_.table().codes.data() + s * keys_.count(), bytes_of_codes);
        next = std::ranges::copy(title, next + bytes_of_codes).out;
        next = std::copy_n(spectrum.text, spectrum.bytes, next);
        at[to[s]] = std::uint64_t(next - parts.data());
        if (to[s] != rank_) report_.exchanged += spectrum.bytes;
      }
      store_.release_before(s);
      reader_.timed(exchanging_, 0, [&] {
        arrival& here = arrivals.emplace_back();
        here.bytes = ordo::detail::exchange_parts(members_, parts.span(), ends, here.sizes);
      });
    }
    exchanging_.bytes = report_.exchanged;
    store_.release();
    // Spectra arrive in the order of members, so equal ones keep the order of the inputs.
    spectrum_store arrived(keys_, 0);
    std::vector<std::uint64_t> codes(keys_.count());
    std::vector<std::uint64_t> begins(arrivals.size());
    for (std::size_t member = 0; member < p_; ++member)
      for (std::size_t round = 0; round < arrivals.size(); ++round) {
        arrival const& from = arrivals[round];
        std::uint64_t const end = begins[round] + from.sizes[member];
        for (char const* at = from.bytes.data() + begins[round]; at != from.bytes.data() + end;) {
          index_entry entry;
          std::memcpy(&entry, at, sizeof(entry));
          std::memcpy(codes.data(), at += sizeof(entry), bytes_of_codes);
          char const* const title = at + bytes_of_codes;
          char const* const text = title + entry.title_bytes;
          arrived.add({entry.bytes, entry.number, entry.offset, entry.input, 0, text, 0}, codes, {title, entry.title_bytes});
          at = text + entry.bytes;
        }
        begins[round] = end;
      }
    write(arrived);
  }

  /// Writes spectra in their order as this member's part of the output. Collective.
  void write(spectrum_store const& from) {
    std::string const front = rank_ == 0 ? heads_.front() : std::string();
    std::uint64_t const own = front.size() + from.text_bytes() + tail_.size();
    auto const sizes = members_.all_gather(own);
    sink* const to = open_(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
    ordo::detail::output_part part(members_, sizes, to);
    single_part only(part.writer());
    part_writer writer(only, order_, front);
    arena_.execute([&] {
      stored_in_order sorted = ordered(from);
      writer.expect(from.text_bytes(), tail_.size());
      reader_.timed(writing_, own, [&] {
        writer.write(sorted, window_size(reader_.memory(), std::size_t(arena_.max_concurrency()), 1));
        writer.finish(tail_);
      });
    });
    if (part.is_direct()) report_.own_bytes = own;
    part.finish();
    reader_.done.done.written = writer.written();
  }

  communicator& members_;
  std::size_t p_, rank_;
  spectrum_inputs const& inputs_;
  output_opener const& open_;
  order_options const& order_;
  input_reader reader_;
  order_keys keys_;
  pooled_arena arena_;
  input_heads heads_;
  spectrum_store store_;
  struct input_begin {
    std::uint64_t in_input, in_all;
    bool is_packed;
  };
  std::vector<input_begin> begins_;
  std::vector<std::string> carried_;               // for each input, what goes with its first spectrum
  std::uint64_t total_ = 0, begin_ = 0, end_ = 0;  // the bytes of all inputs, and the range of this member's part
  std::string behind_, tail_;        // text after the spectra of this member's part, and after those of all inputs
  std::vector<std::size_t> titles_;  // hashes
  phase_time ordering_{.name = "order"}, exchanging_{.name = "exchange"}, writing_{.name = "write"};
  distributed_order_report report_;
};

}  // namespace

bool can_be_divided(sort_options const& options, order_options const& order) {
  return can_be_divided(options) && !order.parts && !order.part_bytes && !order.on_written;
}

std::optional<distributed_order_report> order_spectra(communicator& members, spectrum_inputs const& inputs,
                                                      output_opener const& open, sort_options const& options,
                                                      order_options const& order) {
  if (!can_be_divided(options, order))
    throw usage_error("cannot divide: spectra: a rule of the choice needs numbers of spectra, or there are parts or origins");
  return divided_order(members, inputs, open, options, order).run();
}

}  // namespace ordo::inline v0::spectra
