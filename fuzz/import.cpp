// mzXML, MSP and mzSpecLib. Read from memory and from a pipe, in chunks of any size, each has the same output or the same
// error. The output is MGF in order, and is sorted to itself. As MGF from the start, or by way of the order of spectra, it is
// the same.
#include "ordo/spectra/import.hpp"
#include "fuzz/spectra.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "ordo/spectra/summary.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  fuzz::fuzzed_bytes bytes(data, size);
  constexpr spectra::format formats[] = {spectra::format::mzxml, spectra::format::msp, spectra::format::mzspeclib};
  auto const from = formats[bytes.number(3)];
  fuzz::spectra_options chosen(bytes);
  std::size_t const option = chosen.bits, chunk = chosen.chunk, more = chosen.number;
  spectra::sort_options& options = chosen.options;
  if (option & 16) options.select.min_peaks = more % 4;
  if (option & 32) options.choice.charges.ranges = {{-2, int(more % 4)}};
  std::string_view const text = bytes.rest();
  spectra::detect_format(text.substr(0, 4096));

  fuzz::string_sink whole, chunked, again, ordered;
  auto const error =
      fuzz::sort_both(text, chosen, whole, chunked, [format = from](source& from, sink& out, spectra::sort_options const& by) {
        spectra::sort_to_mgf(from, out, by, format);
      });
  spectra::sort_options const in_chunks = chosen.in_chunks();
  memory_source to_summarize(text), to_read(text), to_check(text);
  fuzz::catch_error([&] { spectra::check(to_check, options, from); });
  fuzz::catch_error([&] { spectra::summarize(to_summarize, options, from); });
  fuzz::catch_error([&] { spectra::read_spectra(to_read, options, from); });
  spectra::order_options order;
  if (more & 128) order.memory = chunk;
  spectra::spectrum_inputs inputs{
      1, [&](std::size_t) {
        return spectra::spectrum_inputs::opened{std::make_unique<memory_source>(text), "x", text.size(), from};
      }};
  auto const order_error = fuzz::catch_error([&] { spectra::order_spectra(inputs, ordered, in_chunks, order); });
  fuzz::require(error.has_value() == order_error.has_value(), "the order of the input is an order");
  if (error) return 0;
  fuzz::require(whole.text() == chunked.text(), "chunks are written as a whole input is");
  fuzz::require(whole.text() == ordered.text(), "spectra in the order of the input are the input");
  spectra::sort_options plain = options;
  plain.select = {};
  plain.choice = {};
  memory_source sorted(whole.text()), to_sort(whole.text());
  fuzz::require(!spectra::check(sorted, plain).first, "an output is in order");
  auto const third_error = fuzz::catch_error([&] { spectra::sort(to_sort, again, plain); });
  fuzz::require(!third_error, "an output is valid MGF");
  fuzz::require(again.text() == whole.text(), "an output is sorted to itself");
  return 0;
}
