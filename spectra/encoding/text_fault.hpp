#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace ordo::inline v0::spectra::detail {

/// An error at a byte of a text. The pipeline, which knows the name of the input and the line, makes an input_error of it:
/// "what: name:line: why".
class text_fault : public std::runtime_error {
 public:
  static constexpr std::size_t here = ~std::size_t{0};  // the place where the handler is called
  text_fault(std::size_t at, std::string problem, std::string why)
      : std::runtime_error(problem + ": " + why), at(at), what_(std::move(problem)), why_(std::move(why)) {}
  [[nodiscard]] std::string message(std::string_view name, std::uint64_t line) const;
  std::size_t at;

 private:
  std::string what_, why_;
};

}  // namespace ordo::inline v0::spectra::detail
