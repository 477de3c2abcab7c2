#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ordo::inline v0::generate {

/// Writes generated text. Callers append to text() and report the end of each line.
class sink {
 public:
  using writer = std::function<void(std::span<char const>)>;
  explicit sink(writer write) : write_(std::move(write)) {}

  [[nodiscard]] std::string& text() noexcept { return text_; }
  /// Ends the current line. Writes the text if it is large.
  void end_line() {
    text_ += '\n';
    if (text_.size() >= block) flush();
  }
  /// Writes the rest. To be called last.
  void flush() {
    write_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t block = std::size_t{1} << 20;
  writer write_;
  std::string text_;
};

/// One FASTA record: the header without '>', then the residues in lines of `width`.
inline void write_fasta(sink& out, std::string_view header, std::string_view residues, std::size_t width) {
  (out.text() += '>') += header;
  out.end_line();
  for (std::size_t i = 0; i < residues.size(); i += width) {
    out.text() += residues.substr(i, width);
    out.end_line();
  }
}

}  // namespace ordo::inline v0::generate
