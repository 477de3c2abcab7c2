#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/repeats.hpp"
#include "ordo/suffix/search.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "tools/sufsort/search/query_matches.hpp"
#include "tools/sufsort/search/query_units.hpp"
#include "tools/sufsort/search/searched_index.hpp"

namespace ordo_python {
namespace {

namespace suffix = ordo::suffix;

template <class T>
std::span<T> as_span(array const& items) {
  if (items.item_bytes() != sizeof(T) || items.gpu())
    throw ordo::usage_error("bad array: items of " + std::to_string(items.item_bytes()) + " bytes, where " +
                            std::to_string(sizeof(T)) + " are expected in the host's memory");
  return {static_cast<T*>(items.data()), items.size()};
}

std::string_view as_text(array const& bytes) {
  auto const all = as_span<char const>(bytes);
  return {all.data(), all.size()};
}

template <class Index>
void build_arrays(machines& on, suffix::text const& text, array const* sa, array const* lcp, array const* bwt) {
  suffix::arrays<Index> out;
  if (sa) out.sa = as_span<Index>(*sa);
  if (lcp) out.lcp = as_span<Index>(*lcp);
  if (bwt) out.bwt = as_span<char>(*bwt);
  nb::gil_scoped_release const released;
  suffix::build_options options;
  options.machine = on.options();
  suffix::build(text, out, options);
}

/// Builds the arrays of a text into those arrays of the caller that are not None. `starts` are those of the records, as uint64,
/// or None for one record.
void build(machines& on, nb::handle text, nb::handle starts, nb::handle sa_given, nb::handle lcp_given, nb::handle bwt_given) {
  array const residues(text, "text", false);
  std::optional<array> first, sa, lcp, bwt;
  if (!starts.is_none()) first.emplace(starts, "starts", false);
  if (!sa_given.is_none()) sa.emplace(sa_given, "sa", true);
  if (!lcp_given.is_none()) lcp.emplace(lcp_given, "lcp", true);
  if (!bwt_given.is_none()) bwt.emplace(bwt_given, "bwt", true);
  suffix::text const input{as_text(residues), first ? as_span<std::uint64_t const>(*first) : std::span<std::uint64_t const>{}};
  bool const is_narrow = sa    ? sa->item_bytes() == 4
                         : lcp ? lcp->item_bytes() == 4
                               : suffix::index_fits(4, input.size(), input.records());
  auto const build = is_narrow ? &build_arrays<std::uint32_t> : &build_arrays<std::uint64_t>;
  build(on, input, sa ? &*sa : nullptr, lcp ? &*lcp : nullptr, bwt ? &*bwt : nullptr);
}

using ordo::sufsort::searched_index;

/// An index in files, open for searches. Its arrays are maps of the files.
class index {
 public:
  explicit index(std::string const& prefix) : open_(prefix, ordo::sufsort::search_by::any) {
    if (open_.input.residue_bytes != 1)
      throw ordo::input_error("no bytes: " + stored().path("json") + ": the index is of tokens; sufsort searches it");
  }
  index(index const&) = delete;
  index& operator=(index const&) = delete;

  [[nodiscard]] suffix::stored_index const& stored() const noexcept { return open_.stored; }

  /// Returns a pattern with the letters that the text has.
  [[nodiscard]] std::string folded(std::string pattern) const {
    if (!stored().description().policy.keeps_case())
      for (char& letter : pattern)
        if (letter >= 'a' && letter <= 'z') letter = char(letter - 32);
    return pattern;
  }

  /// Writes the number of occurrences of each pattern.
  void count(std::vector<std::string> const& patterns, std::span<std::uint64_t> counts) const {
    if (open_.sparse) {
      for (std::size_t i = 0; i < patterns.size(); ++i) counts[i] = open_.sparse->locate(patterns[i]).size();
      return;
    }
    std::vector<std::string_view> const views(patterns.begin(), patterns.end());
    std::vector<suffix::row_range> rows(views.size());
    open_.search.find(views, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) counts[i] = rows[i].size();
  }

  struct hits {
    std::vector<std::uint64_t> record, offset;
    std::vector<std::uint8_t> reverse;
  };
  /// Returns where a pattern occurs, in the order of the text.
  [[nodiscard]] hits locate(std::string const& pattern) const {
    hits all;
    for (std::uint64_t const p : open_.sparse ? open_.sparse->locate(pattern) : open_.search.locate(pattern))
      add(all, p, pattern.size());
    return all;
  }

  struct wanted_matches {
    suffix::match_options find;
    bool unique = false, super_maximal = false, both_strands = false;
  };
  /// Matches of queries, in the order of the queries: the number of the query, and the offset in it.
  struct matches {
    std::vector<std::uint64_t> query, begin, length;
    hits at;
  };
  /// Returns the maximal exact matches of queries, as `sufsort mem` prints them.
  [[nodiscard]] matches find_matches(std::vector<std::string> queries, wanted_matches const& wanted) const {
    if (wanted.both_strands && !open_.is_fasta())
      throw ordo::usage_error("bad both_strands: " + stored().path("json") + ": an index of FASTA has strands, no other");
    ordo::sufsort::letter_rules const rules(open_, wanted.both_strands, letters());
    std::vector<std::string> reversed(rules.reverse ? queries.size() : 0);
    std::vector<part> parts;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      read_letters(rules, queries[q]);
      divide(parts, q, queries[q].size(), false);
      if (!rules.reverse) continue;
      std::size_t const at = rules.all_letters ? rules.other_strand->first_without(queries[q]) : std::string::npos;
      if (at != std::string::npos)
        throw ordo::input_error("no complement: query " + std::to_string(q) + ": letter " + std::to_string(at + 1) +
                                " is no nucleotide");
      rules.other_strand->append_reversed(reversed[q], queries[q]);
      divide(parts, q, queries[q].size(), true);
    }
    suffix::row_selection const rows = stored().description().policy.rows();
    suffix::match_finder const finder(open_.input, open_.search, rows, wanted.find);
    bool const by_statistics = wanted.super_maximal && wanted.find.max_occurrences == 0 && rows.all();
    in_parallel(parts.size(), [&](std::size_t i) {
      part& each = parts[i];
      std::string const& letters = each.reverse ? reversed[each.query] : queries[each.query];
      if (by_statistics)
        finder.find_super_maximal(letters, each.begin, each.end, each.matches);
      else
        finder.find(letters, each.begin, each.end, each.matches);
      for (suffix::match& match : each.matches) ordo::sufsort::orient(match, open_, each.reverse, letters.size());
    });
    matches all;
    std::vector<suffix::match> of_query;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      part& each = parts[i];
      of_query.insert(of_query.end(), each.matches.begin(), each.matches.end());
      std::vector<suffix::match>().swap(each.matches);
      if (i + 1 < parts.size() && parts[i + 1].query == each.query) continue;
      if (wanted.unique) suffix::keep_unique_in_query(of_query, open_.input);
      if (wanted.super_maximal) suffix::keep_super_maximal(of_query);
      if (wanted.unique || wanted.super_maximal || open_.both_strands)
        ordo::sufsort::order_by_strand(of_query, queries[each.query].size(), [&](suffix::match const& match) {
          return open_.pieces.to_location(open_.input, open_.search.record_at(match.position), match.position, match.length);
        });
      for (suffix::match const& match : of_query) {
        all.query.push_back(each.query);
        all.begin.push_back(match.query_begin);
        all.length.push_back(match.length);
        add(all.at, match.position, match.length);
        all.at.reverse.back() = match.reverse;
      }
      of_query.clear();
    }
    return all;
  }

  /// Writes the matching statistics of queries, end to end.
  void find_statistics(std::vector<std::string> queries, std::span<std::uint64_t> lengths) const {
    ordo::sufsort::expect_all_positions(stored(), "matching statistics need the row of every position");
    ordo::sufsort::letter_rules const rules(open_, false, letters());
    std::vector<part> parts;
    std::vector<std::uint64_t> first{0};
    for (std::size_t q = 0; q < queries.size(); ++q) {
      read_letters(rules, queries[q]);
      divide(parts, q, queries[q].size(), false);
      first.push_back(first.back() + queries[q].size());
    }
    if (lengths.size() != first.back()) throw ordo::usage_error("bad lengths: not as long as the queries");
    in_parallel(parts.size(), [&](std::size_t i) {
      part const& each = parts[i];
      suffix::matching_statistics(open_.search, queries[each.query], each.begin,
                                  lengths.subspan(first[each.query] + each.begin, each.end - each.begin));
    });
  }

  /// Returns the maximal repeats: the length and number of occurrences of each, and their locations end to end, at most `limit`
  /// of each repeat.
  struct repeats {
    std::vector<std::uint64_t> length, count, first;  // first: of its locations
    hits at;
  };
  [[nodiscard]] repeats find_repeats(std::uint64_t min_length, std::size_t limit) const {
    need("lcp");
    need("bwt");
    if (open_.sparse) throw ordo::input_error("rows are left out: " + stored().path("json") + ": repeats need all of them");
    if (min_length == 0) throw ordo::usage_error("bad min_length: 0");
    suffix::entries const lcp = stored().array("lcp");
    suffix::ambiguous_positions ambiguous;
    if (suffix::usual_letters(open_.input.residues) == suffix::letter_choice::nucleotides)
      ambiguous = suffix::ambiguous_positions(open_.input.residues);
    suffix::excluded_letters const excluded{stored().array("sa"), ambiguous.count() != 0 ? &ambiguous : nullptr};
    repeats all;
    std::vector<std::uint64_t> positions;
    suffix::find_repeats(lcp, stored().bytes("bwt").last(lcp.size()), excluded, min_length, [&](suffix::repeat const& repeat) {
      all.length.push_back(repeat.length);
      all.count.push_back(repeat.rows.size());
      all.first.push_back(all.at.record.size());
      positions.clear();
      for (std::size_t row = repeat.rows.begin; row < repeat.rows.end && positions.size() < limit; ++row)
        positions.push_back(open_.search.position(row));
      std::ranges::sort(positions);
      for (std::uint64_t const p : positions) {
        if (repeat.length > open_.input.end(open_.search.record_at(p)) - p)
          throw ordo::input_error("bad index: " + stored().path("lcp") + ": a common prefix is longer than its record");
        add(all.at, p, repeat.length);
      }
    });
    all.first.push_back(all.at.record.size());
    return all;
  }

  /// Writes to at[p] how often the `length` letters from position p of the text on occur.
  void count_occurrences(std::uint64_t length, std::span<std::uint64_t> at) const {
    need("lcp");
    if (stored().description().policy.sample != 1)
      throw ordo::input_error("rows are left out: " + stored().path("json") + ": counts of all positions need all of them");
    suffix::count_occurrences(open_.input, stored().array("sa"), stored().array("lcp"), length,
                              suffix::usual_letters(open_.input.residues), at, stored().path("sa"));
  }

 private:
  void need(char const* array) const {
    if (!stored().description().find(array))
      throw ordo::input_error(std::string("no array ") + array + ": " + stored().path("json") + ": build the index with it");
  }
  void add(hits& to, std::uint64_t p, std::uint64_t length) const {
    suffix::location const at = open_.pieces.to_location(open_.input, open_.search.record_at(p), p, length);
    to.record.push_back(at.record);
    to.offset.push_back(at.offset);
    to.reverse.push_back(at.reverse);
  }

  /// A part of a query, or of its reverse complement, which one thread searches at a time.
  struct part {
    std::size_t query;
    bool reverse;
    std::size_t begin, end;
    std::vector<suffix::match> matches;
  };
  static void divide(std::vector<part>& parts, std::size_t query, std::size_t size, bool reverse) {
    constexpr std::size_t max_letters = std::size_t{1} << 15;
    std::size_t begin = 0;
    do {
      std::size_t const end = std::min(size, begin + max_letters);
      parts.push_back({query, reverse, begin, end, {}});
      begin = end;
    } while (begin < size);
  }
  static void read_letters(ordo::sufsort::letter_rules const& rules, std::string& query) {
    for (char& letter : query) letter = rules.read_as[static_cast<unsigned char>(letter)];
  }
  template <class F>
  static void in_parallel(std::size_t n, F f) {
    if (n <= 1) {
      if (n == 1) f(0);
      return;
    }
    tbb::task_arena arena(ordo::threads_for(0));
    arena.execute([&] { ordo::sufsort::each_in_parallel(n, f); });
  }
  /// Returns the letters that matches may hold: those that suit the text, which is read once.
  [[nodiscard]] suffix::letter_choice letters() const {
    std::call_once(are_letters_chosen_,
                   [&] { letters_ = ordo::sufsort::letters_with_rows(stored(), std::nullopt, 0, &open_.fm); });
    return letters_;
  }

  searched_index open_;
  mutable std::once_flag are_letters_chosen_;
  mutable suffix::letter_choice letters_{};
};

/// Returns the bytes of a vector, for numpy.frombuffer.
template <class T>
nb::bytes to_bytes(std::vector<T> const& items) {
  return nb::bytes(items.data(), items.size() * sizeof(T));
}
nb::tuple to_tuple(index::hits const& all) {
  return nb::make_tuple(to_bytes(all.record), to_bytes(all.offset), to_bytes(all.reverse));
}

std::string to_std_string(nb::bytes const& text) {
  return {static_cast<char const*>(text.data()), text.size()};
}

std::vector<std::string> to_strings(nb::list const& texts) {
  std::vector<std::string> all;
  all.reserve(texts.size());
  for (nb::handle text : texts) all.push_back(to_std_string(nb::cast<nb::bytes>(text)));
  return all;
}

}  // namespace

void add_suffix(nb::module_& module) {
  module.def("index_fits", &suffix::index_fits);
  module.def("build_suffix_array", &build, nb::arg("machine"), nb::arg("text"), nb::arg("starts").none(), nb::arg("sa").none(),
             nb::arg("lcp").none(), nb::arg("bwt").none());

  nb::class_<index>(module, "StoredIndex")
      .def("__init__",
           [](index* self, nb::bytes const& prefix) {
             std::string path = to_std_string(prefix);
             nb::gil_scoped_release const released;
             new (self) index(std::move(path));
           })
      .def("residues", [](index const& self) { return self.stored().description().residues; })
      .def("width", [](index const& self) { return self.stored().description().width; })
      .def("arrays",
           [](index const& self) {
             nb::list names;
             for (auto const& array : self.stored().description().arrays)
               names.append(nb::str(array.name.c_str(), array.name.size()));
             return names;
           })
      .def("array",
           [](nb::handle self, nb::str const& name) {  // maps of files, which live as long as the index
             auto const bytes = nb::cast<index const&>(self).stored().bytes(name.c_str());
             auto const* const data = reinterpret_cast<std::uint8_t const*>(bytes.data());
             return nb::ndarray<nb::numpy, std::uint8_t const, nb::ndim<1>>(data, {bytes.size()}, self);
           })
      .def("names",
           [](index const& self) {
             auto const& names = self.stored().description().names;
             nb::list all;
             for (std::size_t r = 0; r < names.size(); ++r) all.append(nb::bytes(names[r].data(), names[r].size()));
             return all;
           })
      .def("starts", [](index const& self) { return to_bytes(self.stored().description().starts); })
      .def("count",
           [](index const& self, nb::list const& patterns, nb::handle counts_given) {
             array const counts(counts_given, "counts", true);
             auto const to = as_span<std::uint64_t>(counts);
             std::vector<std::string> all;
             for (nb::handle pattern : patterns) all.push_back(self.folded(to_std_string(nb::cast<nb::bytes>(pattern))));
             if (to.size() != all.size()) throw ordo::usage_error("bad counts: not as long as the patterns");
             nb::gil_scoped_release const released;
             self.count(all, to);
           })
      .def("locate",
           [](index const& self, nb::bytes const& pattern) {
             std::string const letters = self.folded(to_std_string(pattern));
             index::hits all;
             {
               nb::gil_scoped_release const released;
               all = self.locate(letters);
             }
             return to_tuple(all);
           })
      .def("mem",
           [](index const& self, nb::list const& queries, std::uint64_t min_length, std::uint64_t max_occurrences, bool unique,
              bool super_maximal, bool both_strands) {
             index::wanted_matches wanted;
             wanted.find.min_length = min_length;
             wanted.find.max_occurrences = max_occurrences;
             wanted.unique = unique;
             wanted.super_maximal = super_maximal;
             wanted.both_strands = both_strands;
             std::vector<std::string> letters = to_strings(queries);
             index::matches all;
             {
               nb::gil_scoped_release const released;
               all = self.find_matches(std::move(letters), wanted);
             }
             return nb::make_tuple(to_bytes(all.query), to_bytes(all.begin), to_bytes(all.at.record), to_bytes(all.at.offset),
                                   to_bytes(all.at.reverse), to_bytes(all.length));
           })
      .def("ms",
           [](index const& self, nb::list const& queries, nb::handle lengths_given) {
             array const lengths(lengths_given, "lengths", true);
             auto const to = as_span<std::uint64_t>(lengths);
             std::vector<std::string> letters = to_strings(queries);
             nb::gil_scoped_release const released;
             self.find_statistics(std::move(letters), to);
           })
      .def("repeats",
           [](index const& self, std::uint64_t min_length, std::size_t limit) {
             index::repeats all;
             {
               nb::gil_scoped_release const released;
               all = self.find_repeats(min_length, limit);
             }
             return nb::make_tuple(to_bytes(all.length), to_bytes(all.count), to_bytes(all.first), to_tuple(all.at));
           })
      .def("unique", [](index const& self, std::uint64_t length, nb::handle counts_given) {
        array const counts(counts_given, "counts", true);
        auto const to = as_span<std::uint64_t>(counts);
        nb::gil_scoped_release const released;
        self.count_occurrences(length, to);
      });
}

}  // namespace ordo_python
