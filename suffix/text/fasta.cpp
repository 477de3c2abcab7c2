#include "ordo/suffix/fasta.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"
#include "suffix/text/read_fasta.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

bool is_blank(unsigned char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool is_residue(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '*' || c == '-' || c == '.';
}

class fault_finder {
 public:
  fault_finder(std::string const& file, fasta_position const& before, std::string name)
      : file_(file),
        place_(before.place),
        behind_return_(before.behind_return),
        any_records_(before.records != 0),
        line_(before.line_ends + 1),
        name_(std::move(name)) {}

  void take(unsigned char c) {
    if (c == '\n') return end_line();
    if (place_ == fasta_place::line_begin && begin_line(c)) return;
    if (place_ == fasta_place::residues)
      read_residue(c);
    else if (place_ != fasta_place::comment)
      read_header(c);
    behind_return_ = c == '\r';
  }

 private:
  [[noreturn]] void fail(std::string const& why) const {
    throw input_error(fmt::format("bad FASTA: {}:{}: {}", file_, line_, why));
  }

  // Returns true if this byte begins a header.
  bool begin_line(unsigned char c) {
    place_ = c == '>' ? fasta_place::name : c == ';' ? fasta_place::comment : fasta_place::residues;
    if (c != '>') return false;
    any_records_ = true;
    name_.clear();
    return true;
  }

  void end_line() {
    if ((place_ == fasta_place::name || place_ == fasta_place::description) && !is_utf8(name_))
      fail("the record's name is not UTF-8");
    place_ = fasta_place::line_begin;
    behind_return_ = false;
    ++line_;
  }

  void read_header(unsigned char c) {
    if (behind_return_) fail("a carriage return inside a line; do all lines end in CR alone?");
    if (c == ' ' || c == '\t') place_ = fasta_place::description;
    if (place_ == fasta_place::name && c == '\0') fail("a NUL byte in the record's name");
    if (place_ == fasta_place::name && c != '\r') name_ += static_cast<char>(c);
  }

  void read_residue(unsigned char c) {
    if (!behind_return_ && (c == '\r' || is_blank(c))) return;
    if (!any_records_ && c == '@') fail("this is FASTQ, whose reads begin with '@'; expected FASTA");
    if (!any_records_) fail("text before the first '>'");
    if (behind_return_) fail("a carriage return inside a line");
    if (is_residue(c)) return;
    if (c > 0x20 && c < 0x7f) fail(fmt::format("'{}' is not a residue", static_cast<char>(c)));
    fail(fmt::format("byte 0x{:02x} is not a residue", c));
  }

  std::string const& file_;
  fasta_place place_;
  bool behind_return_, any_records_;
  std::uint64_t line_;
  std::string name_;
};

}  // namespace

void refuse_fasta(std::string const& file, std::string_view text, fasta_position const& before, std::string name) {
  fault_finder find(file, before, std::move(name));
  for (char const c : text) find.take(static_cast<unsigned char>(c));
  throw std::logic_error("FASTA: no error found");
}

void refuse_no_records(std::string const& file) {
  throw input_error(fmt::format("bad FASTA: {}: no records", file));
}

std::string large_records(std::string const& file, fasta_totals const& totals, std::size_t memory) {
  return fmt::format("out of memory: {}: the records take {}{} bytes, {} are allowed", file, totals.all ? "" : "more than ",
                     totals.memory(), memory);
}

void refuse_large(std::string const& file, fasta_totals const& totals, std::size_t memory) {
  throw records_too_large(large_records(file, totals, memory), std::size_t(totals.memory()), totals.residues, totals.records,
                          totals.all);
}

}  // namespace ordo::inline v0::suffix::detail

namespace ordo::inline v0::suffix {

void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& options) {
  fasta_options here = options;
  if (here.machine.kind() != device::cpu) here.machine = {device::cpu, options.machine.threads};
  detail::fasta_totals totals{to.residues.size(), to.names.size(), to.names.bytes()};
  detail::append_on_host(to, name, from, here, totals);
  if (!totals.kept) detail::refuse_large(name, totals, options.memory);
}

fasta read_fasta(std::string const& name, source& from, fasta_options const& options) {
  fasta all;
  append_fasta(all, name, from, options);
  return all;
}

record_finder::record_finder(text const& input) : starts_(input.starts.data()), records_(input.records()) {
  if (records_ == 1) return;
  std::size_t const n = input.size();
  while ((n >> shift_) > 2 * records_) ++shift_;
  first_.resize((n >> shift_) + 2);
  std::size_t record = 0;
  for (std::size_t bucket = 0; bucket < first_.size(); ++bucket) {
    while (record + 1 < records_ && starts_[record + 1] <= std::uint64_t(bucket) << shift_) ++record;
    first_[bucket] = record;
  }
}

}  // namespace ordo::inline v0::suffix
