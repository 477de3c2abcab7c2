#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "ordo/error.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/encoding/xml.hpp"

namespace ordo::inline v0::spectra::detail {

/// A disorder, by its place in the text of a chunk.
struct located_disorder {
  std::size_t at;
  std::uint64_t spectrum;  // number in the chunk, from 0
  std::string title, peak;
};

/// Reports what formats find at places in the text of a chunk by line and spectrum of the input. Chunks come in their order.
class located_findings {
 public:
  located_findings(diagnostics& diagnostics, std::string const& name) : found_(diagnostics), name_(name) {}

  /// Takes over the disorder or the failure of a chunk, and states where its records begin.
  /// @returns false for a disorder
  /// @throws input_error  for a failure
  template <class Chunk>
  bool accept(Chunk& part) const {
    if (part.disorder) {
      found_.first_disorder =
          disorder{line_at(part.disorder->at, part.text.view()), part.text.first_spectrum + part.disorder->spectrum + 1,
                   part.disorder->title, part.disorder->peak};
      return false;
    }
    if (part.failure) fail(part.failure, part.text.view());
    part.records.first_number = part.text.first_spectrum;
    part.records.first_offset = part.text.offset;
    return true;
  }

  /// Throws a failure again; an text_fault as an input_error with its line.
  [[noreturn]] void fail(std::exception_ptr failure, std::string_view text) const {
    try {
      std::rethrow_exception(std::move(failure));
    } catch (text_fault const& fault) {
      throw input_error(fault.message(name_, line_at(fault.at, text)));
    }
  }

 private:
  [[nodiscard]] std::uint64_t line_at(std::size_t at, std::string_view text) const {
    return found_.totals.lines + std::uint64_t(std::ranges::count(text.substr(0, at), '\n')) + 1;
  }

  diagnostics& found_;
  std::string const& name_;
};

}  // namespace ordo::inline v0::spectra::detail
