#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>

#include "ordo/suffix.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/repeats.hpp"
#include "ordo/suffix/search.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"

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

/// An index in files, open for searches. Its arrays are maps of the files.
class index {
 public:
  explicit index(std::string prefix)
      : stored_(std::move(prefix)),
        text_(stored_.view()),
        pieces_(stored_.pieces()),
        search_(text_, stored_.array("sa"), stored_.path("sa"), stored_.kmers()) {
    if (text_.residue_bytes != 1)
      throw ordo::input_error("no bytes: " + stored_.path("json") + ": the index is of tokens; sufsort searches it");
    if (suffix::row_selection const rows = stored_.description().policy.rows(); !rows.all())
      sparse_.emplace(text_, search_, rows);
  }
  index(index const&) = delete;
  index& operator=(index const&) = delete;

  [[nodiscard]] suffix::stored_index const& stored() const noexcept { return stored_; }

  /// Returns a pattern with the letters that the text has.
  [[nodiscard]] std::string folded(std::string pattern) const {
    if (!stored_.description().policy.keeps_case())
      for (char& letter : pattern)
        if (letter >= 'a' && letter <= 'z') letter = char(letter - 32);
    return pattern;
  }

  /// Writes the number of occurrences of each pattern.
  void count(std::vector<std::string> const& patterns, std::span<std::uint64_t> counts) const {
    if (sparse_) {
      for (std::size_t i = 0; i < patterns.size(); ++i) counts[i] = sparse_->locate(patterns[i]).size();
      return;
    }
    std::vector<std::string_view> const views(patterns.begin(), patterns.end());
    std::vector<suffix::row_range> rows(views.size());
    search_.find(views, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) counts[i] = rows[i].size();
  }

  struct hits {
    std::vector<std::uint64_t> record, offset;
    std::vector<std::uint8_t> reverse;
  };
  /// Returns where a pattern occurs, in the order of the text.
  [[nodiscard]] hits locate(std::string const& pattern) const {
    hits all;
    for (std::uint64_t const p : sparse_ ? sparse_->locate(pattern) : search_.locate(pattern)) add(all, p, pattern.size());
    return all;
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
    if (sparse_) throw ordo::input_error("rows are left out: " + stored_.path("json") + ": repeats need all of them");
    if (min_length == 0) throw ordo::usage_error("bad min_length: 0");
    suffix::entries const lcp = stored_.array("lcp");
    suffix::ambiguous_positions ambiguous;
    if (suffix::usual_letters(text_.residues) == suffix::letter_choice::nucleotides)
      ambiguous = suffix::ambiguous_positions(text_.residues);
    suffix::excluded_letters const excluded{stored_.array("sa"), ambiguous.count() != 0 ? &ambiguous : nullptr};
    repeats all;
    std::vector<std::uint64_t> positions;
    suffix::find_repeats(lcp, stored_.bytes("bwt").last(lcp.size()), excluded, min_length, [&](suffix::repeat const& repeat) {
      all.length.push_back(repeat.length);
      all.count.push_back(repeat.rows.size());
      all.first.push_back(all.at.record.size());
      positions.clear();
      for (std::size_t row = repeat.rows.begin; row < repeat.rows.end && positions.size() < limit; ++row)
        positions.push_back(search_.position(row));
      std::ranges::sort(positions);
      for (std::uint64_t const p : positions) {
        if (repeat.length > text_.end(search_.record_at(p)) - p)
          throw ordo::input_error("bad index: " + stored_.path("lcp") + ": a common prefix is longer than its record");
        add(all.at, p, repeat.length);
      }
    });
    all.first.push_back(all.at.record.size());
    return all;
  }

  /// Writes to at[p] how often the `length` letters from position p of the text on occur.
  void count_occurrences(std::uint64_t length, std::span<std::uint64_t> at) const {
    need("lcp");
    if (stored_.description().policy.sample != 1)
      throw ordo::input_error("rows are left out: " + stored_.path("json") + ": counts of all positions need all of them");
    suffix::count_occurrences(text_, stored_.array("sa"), stored_.array("lcp"), length, suffix::usual_letters(text_.residues),
                              at, stored_.path("sa"));
  }

 private:
  void need(char const* array) const {
    if (!stored_.description().find(array))
      throw ordo::input_error(std::string("no array ") + array + ": " + stored_.path("json") + ": build the index with it");
  }
  void add(hits& to, std::uint64_t p, std::uint64_t length) const {
    suffix::location const at = pieces_.to_location(text_, search_.record_at(p), p, length);
    to.record.push_back(at.record);
    to.offset.push_back(at.offset);
    to.reverse.push_back(at.reverse);
  }

  suffix::stored_index stored_;
  suffix::text text_;
  suffix::pieces pieces_;
  suffix::searcher search_;
  std::optional<suffix::sampled_searcher> sparse_;  // if rows are left out
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
