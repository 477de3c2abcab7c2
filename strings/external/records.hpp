#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dividing_sink.hpp"
#include "ordo/io.hpp"

// Texts that begin with header lines, and texts of records whose fields may have quotes. Neither changes a byte of a record.
namespace ordo::inline v0::strings::detail {

struct record_format {
  /// Fields may have quotes, with '\n' inside (order::quoted). Records end with NUL for the sort, see record_source.
  bool quoted = false;
  char separator = ',';      // if quoted
  char delimiter = '\n';     // delimiter of lines, if not quoted
  std::uint64_t header = 0;  // the number of lines that the header has
  /// The header also has all lines after these that begin with one of the prefixes. They may not follow other lines.
  std::vector<std::string_view> header_prefixes;
  bool has_mark = false;  // the mark with which a text in UTF-8 may begin belongs to the header

  /// Returns the delimiter of the lines that record_source reads.
  [[nodiscard]] char sorted_delimiter() const { return quoted ? '\0' : delimiter; }
};

/// Reads a text without its header. In texts with quoted fields the '\n' that ends a record becomes NUL, which no record
/// contains, so that records are lines for the sort; record_sink puts the '\n' back. Addressable if `from` is and fields have
/// no quotes.
class record_source final : public source {
 public:
  /// Reads the header. @param name  the name of the text, for messages
  /// @throws input_error for a NUL in a record, for a quote that is not closed, and what `from` throws
  record_source(std::unique_ptr<source> from, record_format const& format, std::string name);

  /// Returns the header with the ends of its lines.
  [[nodiscard]] std::string const& header() const { return header_; }
  /// Returns the number of lines of the header.
  [[nodiscard]] std::uint64_t header_lines() const { return header_lines_; }

  std::size_t read(std::span<char> to) override;
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return quoted() ? std::nullopt : from_->size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_->read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return from_->position(); }
  void skip(std::uint64_t bytes) override { from_->skip(bytes); }
  [[nodiscard]] char const* memory() const noexcept override { return quoted() ? nullptr : from_->memory(); }

 private:
  [[nodiscard]] bool quoted() const { return format_.quoted; }
  std::size_t read_records(std::span<char> to);
  void end_records(std::span<char> text);
  bool is_header(std::string_view line, bool whole, bool& sure) const;
  void read_header();
  bool load(std::string& to, std::uint64_t& at);

  std::unique_ptr<source> from_;
  record_format format_;
  std::string name_, header_;
  std::uint64_t header_lines_ = 0;
  std::string waiting_;  // bytes after the header that were read with it
  std::size_t waiting_read_ = 0;
  bool ended_ = false;

  // State of the reader of quoted records.
  enum class state { begin, plain, in_quotes, quote_in_quotes } state_ = state::begin;
  std::uint64_t line_ = 1, record_line_ = 1;  // numbers of this line and of the one in which the record begins
};

/// Writes a header, then what is written to it.
class record_sink final : public dividing_sink {
 public:
  /// @param to  must outlive this object @param of_lines  without lines, there is no header
  record_sink(sink& to, std::string header, bool quoted, bool of_lines = false)
      : to_(to), header_(std::move(header)), quoted_(quoted), of_lines_(of_lines) {}

  void write(std::span<char const> data) override;
  bool expect(std::uint64_t bytes) override {
    if (bytes != 0) has_lines_ = true;
    return to_.expect(of_lines_ && bytes == 0 ? 0 : header_.size() + bytes);
  }
  bool expect_unknown() override { return to_.expect_unknown(); }
  bool expect_placed(std::uint64_t bytes) override {
    return header_.empty() && !quoted_ ? to_.expect_placed(bytes) : expect(bytes);
  }
  void place(std::uint64_t offset, std::span<char const> data) override {
    if (header_.empty() && !quoted_) to_.place(offset, data);
  }
  [[nodiscard]] std::vector<std::uint64_t> divisions(std::uint64_t bytes) const override {
    return header_.empty() && !quoted_ ? divisions_in(to_, bytes) : std::vector<std::uint64_t>{};
  }
  bool expect_divided(std::uint64_t bytes, std::span<std::uint64_t const> begins) override {
    return begins.empty() ? expect(bytes) : ordo::expect_divided(to_, bytes, begins);
  }
  [[nodiscard]] bool addressable() const override { return to_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override;
  /// Writes the header if nothing else has been written. To be called at the end.
  void finish();
  /// Returns the bytes of the header that has been written.
  [[nodiscard]] std::size_t header_size() const { return began_ ? header_.size() : 0; }

 private:
  void begin();
  // Calls put(bytes) with the ends of records as '\n'.
  template <class Put>
  void ended(std::span<char const> data, Put put) const;

  sink& to_;
  std::string header_;
  bool quoted_, of_lines_, began_ = false;
  std::atomic<bool> has_lines_ = false;
};

/// Returns the fields of a line, without quotes if they may have them. @param separator  0: blanks
std::vector<std::string> header_fields(std::string_view line, char separator, bool quoted);

}  // namespace ordo::inline v0::strings::detail
