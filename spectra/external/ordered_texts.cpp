#include "spectra/external/ordered_texts.hpp"

#include <algorithm>
#include <utility>

#include "ordo/memory.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

host_memory plain;

constexpr std::size_t write_window = std::size_t{1} << 20;
constexpr std::size_t share = 4;  // this share of the memory is for the windows of runs, twice

}  // namespace

ordered_texts::ordered_texts(order_keys keys, order_options const& options, machine_options const& machine)
    : keys_(std::move(keys)),
      memory_(std::max(options.memory, min_order_memory)),
      folders_(options.folders),
      machine_(machine),
      store_(keys_, memory_ - memory_ / 8) {}

void ordered_texts::add(std::string_view front, std::string_view text, ordered_spectrum about,
                        std::span<std::uint64_t const> codes, std::string_view title) {
  if (!keys_.has(spectrum_key::title)) title = {};
  std::size_t const size = front.size() + text.size();
  if (!store_.has_room(size + title.size(), 1) && !store_.empty()) spill();
  char* const memory = store_.place(size + title.size());
  std::ranges::copy(title, std::ranges::copy(text, std::ranges::copy(front, memory).out).out);
  about.bytes = size;
  about.text = memory;
  store_.add(about, codes, {memory + size, title.size()});
}

stored_in_order ordered_texts::in_order() const {
  return {store_, sorted_order(keys_, store_.table(), store_.all().size(), machine_)};
}

void ordered_texts::spill() {
  if (!spilled_) spilled_.emplace(folders_, keys_, memory_, write_window);
  stored_in_order from = in_order();
  spilled_->add(from, store_.text_bytes());
  store_.clear();
}

void ordered_texts::drain(std::function<void(ordered_spectrum const&, std::string_view)> const& output) {
  if (!spilled_) {
    stored_in_order from = in_order();
    write(from, 1, output);
    return store_.release();
  }
  if (!store_.empty()) spill();
  store_.release();
  merged_runs from = spilled_->merged();
  write(from, spilled_->left(), output);
  from.check();
  runs_ += spilled_->runs();
  passes_ += spilled_->passes();
  spilled_.reset();
}

void ordered_texts::write(ordered_spectra& from, std::size_t runs,
                          std::function<void(ordered_spectrum const&, std::string_view)> const& output) const {
  std::size_t const window = std::min(memory_ / share, std::max(write_window, runs * read_of_run));
  std::vector<ordered_spectrum> some;
  buffer<char> texts;
  ordered_spectrum spectrum;
  for (bool any = from.next(spectrum); any;) {
    if (spectrum.text) {  // in memory
      output(spectrum, {spectrum.text, std::size_t(spectrum.bytes)});
      any = from.next(spectrum);
      continue;
    }
    some.clear();
    std::size_t size = 0;
    for (; any && (some.empty() || size + spectrum.bytes <= window); any = from.next(spectrum)) {
      some.push_back(spectrum);
      size += std::size_t(spectrum.bytes);
    }
    if (texts.size() < size) texts = buffer<char>(plain, size);
    from.load(some, texts.data());
    char const* text = texts.data();
    for (ordered_spectrum const& next : some) output(next, {std::exchange(text, text + next.bytes), std::size_t(next.bytes)});
  }
}

}  // namespace ordo::inline v0::spectra::detail
