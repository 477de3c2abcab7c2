// mzML. Read from memory and from a pipe, in chunks of any size, it has the same output or the same error. The output is in
// order, and is sorted to itself. Joined with others it is a document with the spectra of all, which can be split into parts;
// a NUL stands before another one.
#include "ordo/spectra/mzml.hpp"

#include <deque>

#include "fuzz/spectra.hpp"
#include "ordo/spectra/read.hpp"

using namespace ordo;

namespace {

class string_parts final : public spectra::output_parts {
 public:
  sink& open(std::size_t part) override {
    while (all.size() <= part) all.emplace_back();
    return all[part];
  }
  std::deque<fuzz::string_sink> all;
};

spectra::spectrum_inputs make_inputs(std::vector<std::string_view> const& texts) {
  return {texts.size(), [&texts](std::size_t k) {
            return spectra::spectrum_inputs::opened{std::make_unique<memory_source>(texts[k]), std::to_string(k),
                                                    texts[k].size(), spectra::format::mzml};
          }};
}

// Joins a document with others, or with itself. @param sorted  the document with its peaks in order
// @param other  one more, if it is not empty
void join(std::string_view text, std::string_view sorted, std::string_view other, spectra::sort_options const& options,
          spectra::order_options order, std::size_t more) {
  std::vector<std::string_view> texts{text, sorted};
  if (more & 8) texts.emplace_back(text);
  if (!other.empty()) texts.emplace_back(other);
  string_parts joined, whole, parts;
  spectra::order_report done;
  spectra::sort_options in_chunks = options;
  auto const error = fuzz::catch_error([&] { done = spectra::order_mzml(make_inputs(texts), joined, options, order); });
  in_chunks.chunk_bytes = 1 + 7 * more;
  auto const other_error = fuzz::catch_error([&] { spectra::order_mzml(make_inputs(texts), whole, in_chunks, order); });
  fuzz::require_same(error, other_error, false);
  if (error) return;
  std::string const& text_of_all = joined.all.front().text();
  fuzz::require(text_of_all == whole.all.front().text(), "chunks are joined as whole documents are");
  // The joined document is in order and its index is right: sorting it again changes nothing and warns of nothing. A selection
  // does not touch a spectrum without m/z or intensities, which need not be in order or valid base64, and a second sum of peaks
  // may be too large.
  bool const selects = !options.select.empty();
  spectra::sort_options plain = options;
  plain.on_warning = [](std::string const& message) {
    fuzz::require(message.find("index") == std::string::npos, "the index of the output is right");
  };
  memory_source again(text_of_all);
  fuzz::string_sink sorted_again;
  spectra::sort_report read;
  auto const third_error = fuzz::catch_error([&] { read = spectra::sort_mzml(again, sorted_again, plain); });
  fuzz::require(!third_error || options.select.merge, "an output is a valid input");
  fuzz::require(selects || sorted_again.text() == text_of_all, "an output is sorted to itself");
  fuzz::require(third_error || read.spectra == done.done.spectra_kept, "an output holds the spectra of all documents");
  order.order = {};
  std::vector<std::string_view> const made{text_of_all};
  order.parts = 1 + more % 3;
  plain.on_warning = {};
  auto const fourth_error = fuzz::catch_error([&] { spectra::order_mzml(make_inputs(made), parts, plain, order); });
  fuzz::require((fourth_error && options.select.merge) || parts.all.size() == *order.parts, "an output is split into parts");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  fuzz::spectra_options chosen(bytes);
  std::size_t const option = chosen.bits, chunk = chosen.chunk, more = chosen.number;
  spectra::sort_options& options = chosen.options;
  if (option & 16) options.select.min_peaks = more % 4;
  options.keep_metadata = option & 32;
  if (option & 128) options.select.merge = spectra::tolerance{double(more) / 16, bool(more & 1)};
  options.all_precursors = option & 128;
  auto const to = option & 64 ? spectra::format::mgf : spectra::format::mzml;
  auto const texts = fuzz::two_texts(bytes.rest());
  std::string_view const text = texts.first, other = texts.second;

  fuzz::string_sink whole, chunked, again;
  auto const error = fuzz::sort_both(
      text, chosen, whole, chunked,
      [to](source& from, sink& out, spectra::sort_options const& by) { spectra::sort_mzml(from, out, by, to); });
  spectra::sort_options const in_chunks = chosen.in_chunks();
  memory_source to_summarize(text), to_read(text), to_check(text);
  fuzz::catch_error([&] { spectra::check_mzml(to_check, options); });
  fuzz::catch_error([&] { spectra::summarize_mzml(to_summarize, options); });
  fuzz::catch_error([&] { spectra::read_mzml_spectra(to_read, options); });
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are sorted as a whole document is");
  if (to == spectra::format::mgf) return 0;
  memory_source sorted(whole.text()), to_sort(whole.text());
  if (options.select.empty()) fuzz::require(!spectra::check_mzml(sorted, options).first, "an output is in order");
  auto const third_error = fuzz::catch_error([&] { spectra::sort_mzml(to_sort, again, options); });
  fuzz::require(!third_error || options.select.merge, "an output is a valid input");
  if (options.select.empty()) fuzz::require(again.text() == whole.text(), "an output is sorted to itself");
  spectra::order_options order;
  order.order.by = {spectra::spectrum_key(more % 7)};
  if (more & 128) order.memory = chunk;
  memory_source to_order(text);
  fuzz::string_sink ordered;
  fuzz::catch_error([&] { spectra::order_mzml(to_order, ordered, in_chunks, order); });
  if (more & 64) order.order = {};
  join(text, whole.text(), other, options, order, more);
  return 0;
}
