// MGF. Read from memory and from a pipe, in chunks of any size, it has the same output or the same error. The output is in
// order. After a NUL there is another input, whose spectra are put in order with those of the first.
#include <sstream>

#include "fuzz/spectra.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"

using namespace ordo;

namespace {

// Bytes of a text, whatever their order.
std::string sorted_bytes(std::string text) {
  std::ranges::sort(text);
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  fuzz::spectra_options chosen(bytes);
  std::size_t const option = chosen.bits, chunk = chosen.chunk, more = chosen.number;
  spectra::sort_options& options = chosen.options;
  if (option & 16) options.select.min_intensity = more;
  if (option & 32)
    (more & 2 ? options.select.merge : options.select.dedupe) = spectra::tolerance{double(more) / 16, bool(more & 1)};
  if (option & 64) options.select.remove_precursor = spectra::tolerance{double(more), bool(more & 1)};
  if (option & 128) options.select.min_peaks = more % 4;
  auto const texts = fuzz::two_texts(bytes.rest());
  std::string_view const text = texts.first, other = texts.second;
  spectra::detect_format(text.substr(0, 4096));
  spectra::foreign_format(text.substr(0, 4096));

  fuzz::string_sink whole, chunked;
  auto const error =
      fuzz::sort_both(text, chosen, whole, chunked,
                      [](source& from, sink& out, spectra::sort_options const& by) { spectra::sort(from, out, by); });
  spectra::sort_options in_chunks = chosen.in_chunks();
  memory_source to_summarize(text), to_read(text), to_check(text);
  fuzz::catch_error([&] { spectra::check(to_check, options); });
  auto const summary_error = fuzz::catch_error([&] { spectra::summarize(to_summarize, options); });
  auto const read_error = fuzz::catch_error([&] { spectra::read_spectra(to_read, options); });
  fuzz::require_same(summary_error, read_error);
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are sorted as a whole text is");
  if (options.select.empty()) {
    fuzz::require(sorted_bytes(whole.text()) == sorted_bytes(std::string(text)), "bytes change their places only");
    memory_source sorted(whole.text());
    fuzz::require(!spectra::check(sorted, options).first, "an output is in order");
  }
  // The order of spectra.
  spectra::order_options order;
  order.order.by = {spectra::spectrum_key(more % 7)};
  order.order.descending = option & 2;
  if (more & 128) order.memory = chunk;
  if (more & 64) {
    in_chunks.choice.polarity = spectra::ion_polarity::positive;
    in_chunks.choice.scans.ranges = {{1, chunk}};
    in_chunks.choice.rt_seconds.ranges = {{0, double(chunk)}};
    in_chunks.choice.inverse_polarity = more & 1;
    in_chunks.choice.sample = spectra::sample_rule{more, ~std::uint64_t{0} / 2, false};
  }
  spectra::spectrum_inputs inputs{
      other.empty() ? std::size_t{1} : std::size_t{2}, [&](std::size_t k) {
        std::string_view const from = k == 0 ? text : other;
        return spectra::spectrum_inputs::opened{std::make_unique<memory_source>(from), "x", from.size(), spectra::format::mgf};
      }};
  fuzz::string_sink ordered;
  fuzz::catch_error([&] { spectra::order_spectra(inputs, ordered, in_chunks, order); });
  return 0;
}
