#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/temporary_file.hpp"
#include "ordo/io.hpp"

/// The parts of GFF3 and GTF that are no features: directives and comments between features, and sequences after them.
namespace ordo::inline v0::strsort {

/// Bytes that are written once, from front to back, and read afterwards. All but the first megabytes are in a temporary file.
class stored_text {
 public:
  explicit stored_text(std::string folder) : folder_(std::move(folder)) {}

  /// @throws output_error
  void append(std::string_view more);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// @throws input_error
  void read_at(std::uint64_t offset, std::span<char> to) const;

 private:
  std::string folder_, front_;
  std::unique_ptr<temporary_file> rest_;
  std::uint64_t size_ = 0;
};

/// What the inputs of a command have besides features. Directives of equal text count once, and so do comments that another
/// input has, too, and equal sections of sequences.
class gff_parts {
 public:
  /// @param folder  the folder of temporary files @param keeps_sequences  false: they are read, but not stored
  /// @param are_several  more than one input follows
  gff_parts(std::string folder, bool keeps_sequences, bool are_several)
      : folder_(std::move(folder)), keeps_sequences_(keeps_sequences), are_several_(are_several), lines_(folder_) {}

  /// Adds a directive or a comment, without the end of its line. @param input  the number of the input
  /// @returns false for a version of the format that differs from one added before
  bool add_line(std::string_view line, std::size_t input);
  /// Adds the bytes from the line ##FASTA on, or from the '>' that stands for it. `take` returns them part by part, the last
  /// one empty.
  template <class Take>
  void add_sequences(Take take) {
    stored_text section(folder_);
    for (std::string_view part = take(); !part.empty(); part = take())
      if (keeps_sequences_) section.append(part);
    keep(std::move(section));
  }

  [[nodiscard]] bool empty() const { return !version_ && last_lines_.empty() && lines_.size() == 0 && sections_.empty(); }
  /// Write the lines, and the sections as one.
  /// @returns the number of bytes
  std::uint64_t write_lines(sink& to) const;
  std::uint64_t write_sequences(sink& to) const;

 private:
  void keep(stored_text section);

  std::string folder_;
  bool keeps_sequences_, are_several_;
  std::optional<std::string> version_;  // and the line that states it
  std::string version_line_;
  stored_text lines_;                                         // without
  std::string last_lines_;                                    // which follow
  std::unordered_map<std::string, std::size_t> known_lines_;  // and the input that had each of them first
  std::vector<stored_text> sections_;
};

/// Reads the features of a GFF file. All else goes to `parts`, but the directive ###: it says that no later line refers to an
/// earlier one, which a sort makes false.
class gff_source final : public source {
 public:
  /// `parts` must outlive the source. @param input, name  its number, and its name for messages
  /// @param numbers_lines  for line_number(), which takes memory for each line that is no feature
  gff_source(std::unique_ptr<source> from, gff_parts& parts, std::size_t input, std::string name, bool numbers_lines);

  /// @throws input_error  also for files of different versions
  std::size_t read(std::span<char> to) override;
  /// Returns the number in the file of the n-th line that has been read, both from 1.
  [[nodiscard]] std::uint64_t line_number(std::uint64_t n) const;

 private:
  bool fill();
  std::string_view whole_line();
  void read_other();

  std::unique_ptr<source> from_;
  gff_parts& parts_;
  std::size_t input_;
  std::string name_;
  bool numbers_lines_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, end_ = 0;  // the bytes in the buffer that have not been read
  bool ended_ = false, in_line_ = false;
  std::uint64_t lines_ = 0, others_ = 0;  // that have been read, and left out
  std::vector<std::uint64_t> left_out_;   // lines_ at each line that has been left out
};

/// Writes the directives and comments of `parts` before the features that are written to it. All inputs have been read by then.
class gff_sink final : public sink {
 public:
  gff_sink(sink& to, gff_parts const& parts) : to_(to), parts_(parts) {}

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override { return parts_.empty() && to_.expect(bytes); }
  bool expect_unknown() override { return parts_.empty() && to_.expect_unknown(); }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override { to_.write_at(offset, data); }
  /// Writes the sequences.
  /// @returns the number of bytes that were written besides features
  std::uint64_t finish();

 private:
  void begin();

  sink& to_;
  gff_parts const& parts_;
  bool began_ = false;
  std::uint64_t written_ = 0;  // bytes of the lines that were written
};

}  // namespace ordo::inline v0::strsort
