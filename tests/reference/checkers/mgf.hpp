#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/reference/checkers/siphash.hpp"

// Spectra of MGF files as ordo_check_spectra reads them: what is in them, as a digest, and their keys.

inline constexpr std::uint64_t range_bytes = std::uint64_t{8} << 20;  // that a thread reads at a time

[[noreturn]] inline void stop(int status, std::string const& why) {
  std::cerr << "ordo_check_spectra: " << why << std::endl;
  std::_Exit(status);  // others may be reading
}
[[noreturn]] inline void wrong(std::string const& why) {
  stop(1, why);
}

inline std::string_view trimmed(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

struct value {
  bool missing = true;
  long double number = 0;  // holds 64-bit numbers and doubles as they are
  std::string text;
};

struct spectrum {
  std::uint64_t offset = 0;  // of its BEGIN IONS
  wide digest = 0;
  std::vector<value> keys;
};

// The keys of a spectrum, as its lines give them; the first line of a kind counts.
class header {
 public:
  void take(std::string_view line) {
    std::size_t const equals = line.find('=');
    if (equals == line.npos) return;
    std::string_view const key = line.substr(0, equals), text = trimmed(line.substr(equals + 1));
    for (auto& [name, to] : fields_)
      if (key == name && !to) to = text;
  }
  [[nodiscard]] value of(std::string_view key, std::uint64_t peaks) const {
    auto const mz = positive(precursor()), z = charge();
    if (key == "pepmass") return made(mz);
    if (key == "charge") return made(z);
    if (key == "mass" && mz && z) return made((*mz - (*z > 0 ? proton : -proton)) * std::abs(*z));
    if (key == "rt") return made(first_number(field("RTINSECONDS")));
    if (key == "scan") return whole(field("SCANS"));
    if (key == "title" && !field("TITLE").empty()) return {false, 0, std::string(field("TITLE"))};
    if (key == "peaks") return {false, static_cast<long double>(peaks), {}};
    return {};
  }

 private:
  static constexpr double proton = 1.00727646688;
  using number = std::optional<double>;

  [[nodiscard]] std::string_view field(std::string_view name) const {
    for (auto const& [known, text] : fields_)
      if (known == name) return text.value_or("");
    return {};
  }
  static number first_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double one = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), one).ec != std::errc()) return {};
    return one;
  }
  static number positive(std::string_view text) {
    auto const one = first_number(text);
    return one && *one > 0 ? one : std::nullopt;
  }
  static value whole(std::string_view text) {
    std::uint64_t one = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), one).ec != std::errc()) return {};
    return {false, static_cast<long double>(one), {}};
  }
  static value made(number const& one) { return one ? value{false, *one, {}} : value{}; }
  [[nodiscard]] std::string_view precursor() const {
    return positive(field("PEPMASS")) ? field("PEPMASS") : field("PRECURSOR_MZ");
  }
  // The first charge of CHARGE=, or of the third field of PEPMASS=, that is not 0: 2, 2+, 2- or -2.
  [[nodiscard]] number charge() const {
    std::string_view text = field("CHARGE");
    if (text.empty()) {
      text = field("PEPMASS");
      for (int word = 0; word < 2; ++word) {
        std::size_t const end = text.find_first_of(" \t");
        text = end == text.npos ? std::string_view() : trimmed(text.substr(end));
      }
    }
    constexpr std::string_view digits = "0123456789";
    for (std::size_t at = text.find_first_of(digits); at != text.npos; at = text.find_first_of(digits, at)) {
      int one = 0;
      bool const before = at != 0 && text[at - 1] == '-';
      at = std::size_t(std::from_chars(text.data() + at, text.data() + text.size(), one).ptr - text.data());
      bool const after = at != text.size() && text[at] == '-';
      if (one != 0) return before || after ? -one : one;
    }
    return {};
  }

  std::pair<std::string_view, std::optional<std::string_view>> fields_[6] = {
      {"PEPMASS", {}}, {"PRECURSOR_MZ", {}}, {"CHARGE", {}}, {"RTINSECONDS", {}}, {"SCANS", {}}, {"TITLE", {}}};
};

inline bool is_peak(std::string_view line) {
  if (line.empty() || std::string_view("0123456789.+-").find(line[0]) == line.npos) return false;
  return line.substr(0, line.find_first_of(" \t")).find('=') == line.npos;
}

class file {
 public:
  explicit file(std::string path) : path_(std::move(path)), fd_(open(path_.c_str(), O_RDONLY)) {
    struct stat about;
    if (fd_ < 0 || fstat(fd_, &about) != 0) stop(2, "cannot read: " + path_);
    size_ = std::uint64_t(about.st_size);
  }
  file(file const&) = delete;
  file& operator=(file const&) = delete;
  ~file() { close(fd_); }

  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void read(std::uint64_t at, char* to, std::size_t size) const {
    while (size != 0) {
      ssize_t const got = pread(fd_, to, size, off_t(at));
      if (got <= 0) stop(2, "cannot read: " + path_);
      at += std::uint64_t(got), to += got, size -= std::size_t(got);
    }
  }

 private:
  std::string path_;
  int fd_;
  std::uint64_t size_ = 0;
};

// Lines of a file from a byte on, where one begins, or in the midst of one, which is passed over.
class line_reader {
 public:
  line_reader(file const& from, std::uint64_t begin) : from_(from), begin_(begin - (begin != 0)) {
    if (begin != 0) next();
    if (begin == 0 && more() && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }
  [[nodiscard]] std::uint64_t offset() const { return begin_ + at_; }
  /// @returns false at the end
  bool next() {
    std::size_t end = text_.find('\n', at_);
    while (end == text_.npos) {
      std::size_t const searched = text_.size();
      if (!more()) break;
      end = text_.find('\n', searched);
    }
    if (at_ == text_.size()) return false;
    line_begin_ = at_;
    line_end_ = std::min(end, text_.size());
    at_ = std::min(end, text_.size() - 1) + 1;
    return true;
  }
  /// The last one, without its end. Valid until next().
  [[nodiscard]] std::string_view line() const {
    std::string_view const one = std::string_view(text_).substr(line_begin_, line_end_ - line_begin_);
    return one.ends_with('\r') ? one.substr(0, one.size() - 1) : one;
  }
  [[nodiscard]] std::uint64_t line_offset() const { return begin_ + line_begin_; }

 private:
  bool more() {
    std::size_t const have = text_.size();
    std::uint64_t const left = from_.size() - begin_ - have;
    if (left == 0) return false;
    text_.resize(have +
                 std::size_t(std::min<std::uint64_t>(left, std::max<std::uint64_t>(have, range_bytes + range_bytes / 8))));
    from_.read(begin_ + have, text_.data() + have, text_.size() - have);
    return true;
  }

  file const& from_;
  std::uint64_t begin_;
  std::string text_;
  std::size_t at_ = 0, line_begin_ = 0, line_end_ = 0;
};

// Peaks in whatever order; each other line with how many of its kind stand before it.
class spectrum_maker {
 public:
  explicit spectrum_maker(std::vector<std::string> const& keys) : keys_(keys) {}
  void take(std::string_view line) {
    std::string_view const words = trimmed(line);
    bool const peak = is_peak(words);
    sum_ += siphash(line, peak ? 0 : ++others_);
    peaks_ += peak;
    if (!peak && !keys_.empty()) others_text_.emplace_back(words);
  }
  [[nodiscard]] spectrum made(std::uint64_t offset) const {
    std::uint64_t const words[] = {std::uint64_t(sum_), std::uint64_t(sum_ >> 64), peaks_, others_};
    spectrum one{offset, siphash({reinterpret_cast<char const*>(words), sizeof(words)}, 0), {}};
    header about;
    for (std::string const& line : others_text_) about.take(line);
    for (std::string const& key : keys_) one.keys.push_back(about.of(key, peaks_));
    return one;
  }

 private:
  std::vector<std::string> const& keys_;
  wide sum_ = 0;
  std::uint64_t peaks_ = 0, others_ = 0;
  std::vector<std::string> others_text_;
};

// Those that begin in [begin, end).
inline std::vector<spectrum> spectra_between(file const& from, std::uint64_t begin, std::uint64_t end,
                                             std::vector<std::string> const& keys) {
  std::vector<spectrum> all;
  line_reader lines(from, begin);
  std::optional<spectrum_maker> open;
  std::uint64_t offset = 0;
  while ((open || lines.offset() < end) && lines.next()) {
    std::string_view const words = trimmed(lines.line());
    if (words == "BEGIN IONS") {
      if (open) wrong(from.path() + ": a spectrum in the one at byte " + std::to_string(offset));
      open.emplace(keys);
      offset = lines.line_offset();
    }
    if (!open) continue;
    open->take(lines.line());
    if (words != "END IONS") continue;
    all.push_back(open->made(offset));
    open.reset();
  }
  if (open) wrong(from.path() + ": no end of the spectrum at byte " + std::to_string(offset));
  return all;
}

// All of a file, in order; read ahead by as many threads as there are.
inline void each_spectrum(file const& from, std::vector<std::string> const& keys, std::function<void(spectrum&)> const& take) {
  std::size_t const ahead = std::max(1u, std::thread::hardware_concurrency());
  std::deque<std::future<std::vector<spectrum>>> reading;
  for (std::uint64_t at = 0; at < from.size() || !reading.empty();) {
    while (at < from.size() && reading.size() < ahead) {
      reading.push_back(
          std::async(std::launch::async, spectra_between, std::cref(from), at, at + range_bytes, std::cref(keys)));
      at += range_bytes;
    }
    for (spectrum& one : reading.front().get()) take(one);
    reading.pop_front();
  }
}
