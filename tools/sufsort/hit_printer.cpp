#include "tools/sufsort/hit_printer.hpp"

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/sufsort/lines.hpp"

namespace ordo::sufsort {

void cut_patterns::add(std::string_view name, std::size_t hits) {
  if (count_++ != 0) return;
  first_ = shortened(name);
  hits_ = hits;
}

void cut_patterns::tell(std::size_t limit) const {
  if (count_ == 0) return;
  std::string const others = count_ == 1 ? "" : fmt::format(", and {} more patterns have too many", count_ - 1);
  cli::say("sufsort", fmt::format("cut: pattern '{}': {} hits, of which {} are printed{}: --limit 0 prints all", first_, hits_,
                                  limit, others));
}

void hit_printer::print(found_batch const& found, std::size_t i, std::string& text,
                        std::function<void(std::string&)> const& flush) {
  find_hits(found, i);
  std::string_view const name = found.queries.name(i);
  std::size_t const count = found.hits(i), length = found.patterns[i].size();
  if (hits_.empty() && !how_.bed) {
    (text += name) += "\t0\t.\t.\t.";
    if (how_.context != 0) text += "\t.\t.";
    text += '\n';
  }
  for (hit const& one : hits_) {
    if (how_.bed) {
      text += index_.stored.description().names[one.at.record];
      append(text += '\t', one.at.offset);
      append(text += '\t', one.at.offset + length);
      (text += '\t') += name;
      append(text += '\t', std::min<std::size_t>(count, 1000));
    } else {
      text += name;
      append(text += '\t', count);
      (text += '\t') += index_.stored.description().names[one.at.record];
      append(text += '\t', one.at.offset);
    }
    text += one.at.reverse ? "\t-" : "\t+";
    if (how_.context != 0) add_context(text, one, length);
    text += '\n';
    flush(text);
  }
}

// The first ones of the pattern, then of its reverse complement; in order of their places.
void hit_printer::find_hits(found_batch const& found, std::size_t i) {
  hits_.clear();
  std::size_t const most = lines(found.hits(i)), length = found.patterns[i].size();
  auto const add = [&](std::size_t k, bool reverse) {
    for (std::size_t one = 0; one < found.count(k) && hits_.size() < most; ++one) {
      std::uint64_t const p = found.position(index_, k, one);
      std::size_t const record = index_.search.record_of(p);
      if (length > index_.input.end_of(record) - p)
        throw input_error(fmt::format("bad index: {}: position {}: out of order", index_.stored.path("sa"), p));
      suffix::location at = index_.pieces.location_of(index_.input, record, p, length);
      at.reverse ^= reverse;
      hits_.push_back({at, p});
    }
  };
  add(i, false);
  if (found.has_reverse()) add(found.reverse(i), true);
  std::ranges::sort(hits_, {}, &hit::at);
}

// What is before and behind a hit in its record, read as the pattern is.
void hit_printer::add_context(std::string& text, hit const& one, std::size_t length) const {
  std::string_view const residues = index_.input.residues;
  std::size_t const record = index_.search.record_of(one.position), begin = index_.input.begin_of(record),
                    end = index_.input.end_of(record), p = one.position;
  std::string_view const before = residues.substr(p - std::min(how_.context, p - begin), std::min(how_.context, p - begin));
  std::string_view const behind = residues.substr(p + length, std::min(how_.context, end - p - length));
  bool const turned = one.at.reverse && !index_.both_strands;
  for (std::string_view const side : {turned ? behind : before, turned ? before : behind}) {
    text += '\t';
    if (side.empty())
      text += '.';
    else if (turned)
      index_.other_strand.append_reversed(text, side);
    else
      text += side;
  }
}

}  // namespace ordo::sufsort
