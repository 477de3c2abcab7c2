#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "ordo/backend.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix/fasta.hpp"
#include "suffix/text/fasta_errors.hpp"
#include "suffix/text/parse_fasta.hpp"

namespace ordo::suffix::detail {

/// Bytes of text that are parsed at a time, at most; and by one thread, a multiple of 64.
struct fasta_sizes {
  std::size_t part;
  std::size_t block = fasta_block;
};

/// Records that do not fit are counted up to so many times the memory that they may take, or so many bytes.
inline constexpr std::uint64_t counted_times = 8, counted_bytes = std::uint64_t{1} << 30;
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The CPU's part of append_fasta: fasta_host.cpp. Texts that do not fit are counted: see append_counted.
void append_on_host(fasta& to, std::string const& name, source& from, fasta_options const& how, fasta_totals& totals);

/// Residues that a machine parses for the host's memory.
template <Backend B>
class residues_for_host {
 public:
  residues_for_host(B& machine, host_bytes& to) : machine_(machine), to_(to) {}

  [[nodiscard]] std::size_t size() const { return to_.size(); }
  void reserve(std::size_t residues) { to_.reserve(residues); }
  /// Adds n residues: write(where) puts them to the machine's memory.
  template <class Write>
  void add(std::size_t n, Write write) {
    std::size_t const before = to_.size();
    to_.resize(before + n);
    std::span<char> const added = to_.span().subspan(before);
    auto const residues = machine_.target(added);
    write(residues.data());
    machine_.download(std::span<char const>(residues.span()), added);
  }

 private:
  B& machine_;
  host_bytes& to_;
};

struct copy_bytes {
  unsigned char const* from;
  unsigned char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = from[i]; }
};

/// Residues that stay in the machine's memory.
template <Backend B>
class residues_on_machine {
 public:
  explicit residues_on_machine(B& machine) : machine_(machine) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<unsigned char const> span() const { return memory_.span().first(size_); }
  /// @throws out_of_memory
  void reserve(std::size_t residues) {
    if (residues <= memory_.size()) return;
    auto larger = machine_.template buffer<unsigned char>(residues);
    machine_.each(size_, copy_bytes{memory_.data(), larger.data()});
    memory_ = std::move(larger);
  }
  void clear() {
    memory_ = {};
    size_ = 0;
  }
  template <class Write>
  void add(std::size_t n, Write write) {
    if (size_ + n > memory_.size()) reserve(std::max(size_ + n, memory_.size() + memory_.size() / 2));
    write(reinterpret_cast<char*>(memory_.data()) + size_);
    size_ += n;
  }

 private:
  B& machine_;
  buffer<unsigned char> memory_;
  std::size_t size_ = 0;
};

/// Adds the records of one text, part by part. Residues is one of the two above; names and starts go to the host.
template <Backend B, class Residues>
class fasta_appender {
 public:
  fasta_appender(B& machine, fasta& to, Residues& residues, std::string const& file, fasta_options const& how,
                 std::size_t block, fasta_totals& totals)
      : machine_(machine),
        to_(to),
        residues_(residues),
        file_(file),
        fold_(!how.keep_case),
        memory_(how.memory),
        block_(block),
        checked_(to.names.size()),
        totals_(totals) {
    before_.residues_before = residues.size();
    before_.names_before = to.names.bytes();
  }

  /// @param text  as parsed_fasta takes it
  void take(std::span<unsigned char const> text) {
    if (text.empty()) return;
    parsed_fasta<B> part(machine_, text, position_, block_);
    fasta_counts const& found = part.counted();
    totals_.residues += found.residues;
    totals_.records += found.records;
    totals_.name_bytes += found.name_bytes;
    if (!totals_.kept) return count(part.behind());
    if (found.refused || (position_.records == 0 && found.early)) refuse(text, open_name());
    std::string const name = found.beyond_ascii || unchecked_ ? open_name() : std::string();
    totals_.kept = totals_.memory() <= memory_;
    if (!totals_.kept) return count(part.behind());
    write(part, found);
    check_names(found, part.behind(), text, name);
    position_ = part.behind();
  }

  void end() {
    if (totals_.kept && unchecked_ && !is_utf8(open_name())) refuse_fasta(file_, "\n", position_, open_name());
    if (position_.records == 0) refuse_no_records(file_);
  }

 private:
  static bool in_header(fasta_position const& at) {
    return at.place == fasta_place::name || at.place == fasta_place::description;
  }
  [[nodiscard]] std::string open_name() const {
    return in_header(position_) ? std::string(to_.names[to_.names.size() - 1]) : std::string();
  }

  // Counts on, so that the refusal can state how much suffices; but not without end.
  void count(fasta_position const& behind) {
    position_ = behind;
    totals_.all = totals_.memory() <= counted_bytes || totals_.memory() / counted_times <= memory_;
    if (!totals_.all) refuse_large(file_, totals_, memory_);
  }

  void write(parsed_fasta<B>& part, fasta_counts const& found) {
    std::size_t const starts_before = to_.starts.size();
    to_.starts.resize(starts_before + found.records);
    auto const names_room = to_.names.extend(found.records, found.name_bytes);
    std::span<char> const host_names = names_room.bytes;
    std::span<std::uint64_t> const host_starts = std::span<std::uint64_t>(to_.starts).subspan(starts_before),
                                   host_name_starts = names_room.begins;

    auto const names = machine_.target(host_names);
    auto const starts = machine_.target(host_starts), name_starts = machine_.target(host_name_starts);
    fasta_target to = before_;
    to.names = reinterpret_cast<unsigned char*>(names.data());
    to.starts = starts.data();
    to.name_starts = name_starts.data();
    residues_.add(found.residues, [&](char* residues) {
      to.residues = reinterpret_cast<unsigned char*>(residues);
      part.write(to, fold_);
    });
    machine_.download(std::span<char const>(names.span()), host_names);
    machine_.download(std::span<std::uint64_t const>(starts.span()), host_starts);
    machine_.download(std::span<std::uint64_t const>(name_starts.span()), host_name_starts);
  }

  // Those whose header has ended. ASCII is UTF-8.
  void check_names(fasta_counts const& found, fasta_position const& behind, std::span<unsigned char const> text,
                   std::string const& name) {
    std::size_t const ended = to_.names.size() - (in_header(behind) ? 1 : 0);
    if (found.beyond_ascii || unchecked_)
      for (; checked_ < ended; ++checked_)
        if (!is_utf8(to_.names[checked_])) refuse(text, name);
    checked_ = ended;
    unchecked_ = in_header(behind) && (found.beyond_ascii || unchecked_);
  }

  [[noreturn]] void refuse(std::span<unsigned char const> text, std::string const& name) const {
    std::string copy(text.size(), '\0');
    machine_.download(text, std::span<unsigned char>(reinterpret_cast<unsigned char*>(copy.data()), copy.size()));
    refuse_fasta(file_, copy, position_, name);
  }

  B& machine_;
  fasta& to_;
  Residues& residues_;
  std::string const& file_;
  bool fold_;
  std::size_t memory_, block_;
  fasta_target before_{};
  fasta_position position_;
  std::size_t checked_;  // names
  fasta_totals& totals_;
  bool unchecked_ = false;  // may the name of the header that has not ended be no UTF-8?
};

/// Does a text begin with a byte order mark, as some editors write it before UTF-8?
inline bool begins_with_mark(std::span<char const> text) {
  return std::string_view(text.data(), text.size()).starts_with(byte_order_mark);
}

/// Parses the text of a stream: reads the next part while it parses one. Passes over a byte order mark `at_begin` of the text.
template <class Take>
void take_stream(source& from, std::size_t part, bool at_begin, Take take) {
  std::array<host_bytes, 2> parts;
  auto const read = [&](host_bytes& to) {
    to.resize(part + fasta_slack);
    return from.read(to.span().first(part));
  };
  std::size_t got = read(parts[0]), used = got;
  if (at_begin && begins_with_mark(parts[0].span().first(got))) {
    used -= byte_order_mark.size();  // a machine parses from the memory's begin on
    std::memmove(parts[0].data(), parts[0].data() + byte_order_mark.size(), used);
  }
  while (got == part) {
    std::future<std::size_t> next = std::async([&] { return read(parts[1]); });  // by get() if no thread can be had
    take(std::span<char const>(parts[0].span().first(used)));
    got = used = next.get();
    std::swap(parts[0], parts[1]);
  }
  take(std::span<char const>(parts[0].span().first(used)));
}

/// See append_fasta; but where the records do not fit, `totals` says so, and has the figures of this text and of those before.
template <Backend B, class Residues>
void append_counted(B& machine, fasta& to, Residues& residues, std::string const& name, source& from, fasta_options const& how,
                    fasta_sizes const& sizes, fasta_totals& totals) {
  auto const rest_of = [&] { return from.size() ? *from.size() - std::min(*from.size(), from.position()) : 0; };
  bool const has_addresses = rest_of() != 0;
  if (std::array<char, byte_order_mark.size()> front; rest_of() >= front.size()) {
    from.read_at(from.position(), front);
    if (begins_with_mark(front)) from.skip(front.size());
  }
  std::uint64_t const left = rest_of();
  std::size_t const room = how.memory - std::min(how.memory, residues.size());
  residues.reserve(residues.size() + std::min<std::size_t>(room, std::max(left, how.expected)));
  fasta_appender<B, Residues> records(machine, to, residues, name, how, sizes.block, totals);
  std::uint64_t bytes = 0;
  auto const take = [&](std::span<unsigned char const> text) {
    records.take(text);
    bytes += text.size();
    if (how.on_progress) how.on_progress(bytes);
  };
  if (left != 0) {
    std::size_t const part = std::min<std::uint64_t>(left, sizes.part);
    auto const memory = machine.template buffer<unsigned char>(part + fasta_slack);
    for (std::uint64_t rest = left; rest != 0;) {
      std::size_t const got = machine.load(from, memory.span().first(std::min<std::uint64_t>(rest, part)));
      take(memory.span().first(got));
      rest = got == 0 ? 0 : rest - got;
    }
  }
  // All of a stream; what a file has grown by.
  take_stream(from, sizes.part, !has_addresses, [&](std::span<char const> text) {
    std::span<unsigned char const> const part{reinterpret_cast<unsigned char const*>(text.data()), text.size()};
    auto const uploaded = machine.upload(part);
    take(uploaded.span());
  });
  records.end();
}

template <Backend B, class Residues>
void append_on(B& machine, fasta& to, Residues& residues, std::string const& name, source& from, fasta_options const& how,
               fasta_sizes const& sizes) {
  fasta_totals totals{residues.size(), to.names.size(), to.names.bytes()};
  append_counted(machine, to, residues, name, from, how, sizes, totals);
  if (!totals.kept) refuse_large(name, totals, how.memory);
}

}  // namespace ordo::suffix::detail
