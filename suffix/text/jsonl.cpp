#include "suffix/text/jsonl.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ordo/error.hpp"
#include "ordo/suffix/jsonl.hpp"

namespace ordo::inline v0::suffix::detail {
namespace {

/// Reads one string of a JSON value, by SAX. The whole value is checked.
class string_reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit string_reader(std::vector<std::string> path) : path_(std::move(path)) {}

  /// Reads a value. @returns the string; null after an error
  std::string const* read(std::string_view json) {
    depth_ = matched_ = 0;
    expects_ = found_ = false;
    flaw.clear();
    if (!nlohmann::json::sax_parse(json.begin(), json.end(), this)) return nullptr;
    if (!found_) flaw = "no such field";
    return found_ ? &value_ : nullptr;
  }

  std::string flaw;  // what is wrong

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool number_integer(std::int64_t) override { return other("a number"); }
  bool number_unsigned(std::uint64_t) override { return other("a number"); }
  bool number_float(double, std::string const&) override { return other("a number"); }
  bool binary(binary_t&) override { return other("bytes"); }
  bool string(std::string& text) override {
    if (is_field()) {
      value_ = std::move(text);
      found_ = true;
    }
    expects_ = false;
    return true;
  }
  bool start_object(std::size_t) override {
    if (is_field()) return other("an object");
    matched_ += std::exchange(expects_, false);
    ++depth_;
    return true;
  }
  bool key(std::string& name) override {
    // The object is the one to which the first names lead. Of equal names the first one counts.
    expects_ = !found_ && depth_ == matched_ + 1 && name == path_[matched_];
    return true;
  }
  bool end_object() override {
    --depth_;
    matched_ = std::min(matched_, depth_ == 0 ? 0 : depth_ - 1);
    return true;
  }
  bool start_array(std::size_t) override {
    if (is_field()) return other("a list");
    expects_ = false;
    // The objects in a list are no parts of the path: they lie deeper than its names.
    depth_ += 2;
    return true;
  }
  bool end_array() override {
    depth_ -= 2;
    return true;
  }
  bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const& e) override {
    std::string_view const text = e.what();
    std::size_t const begin = text.find("] ");
    flaw = begin == text.npos ? text : text.substr(begin + 2);
    return false;
  }

 private:
  [[nodiscard]] bool is_field() const { return expects_ && matched_ + 1 == path_.size(); }
  bool other(char const* what) {
    if (is_field()) {
      flaw = fmt::format("it is {}, but a string is expected", what);
      return false;
    }
    expects_ = false;
    return true;
  }

  std::vector<std::string> path_;
  std::size_t depth_ = 0, matched_ = 0;   // open objects, and the names of the path that lead to the innermost one
  bool expects_ = false, found_ = false;  // whether the value of the next name comes; whether the string has been read
  std::string value_;
};

}  // namespace

void take_strings(corpus& to, std::size_t first, std::string const& name, std::string const& field, std::uint64_t lines) {
  string_reader reader(field_names(field));
  char* const data = to.residues.data();
  std::size_t const end = to.residues.size();
  std::size_t written = first == to.starts.size() ? end : to.starts[first];
  for (std::size_t r = first; r < to.starts.size(); ++r) {
    std::size_t const begin = to.starts[r], stop = r + 1 < to.starts.size() ? to.starts[r + 1] : end;
    to.starts[r] = written;
    std::string_view line(data + begin, stop - begin);
    if (lines + r == first && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // a byte order mark
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    std::string const* const text = reader.read(line);
    if (!text) throw input_error(fmt::format("bad JSON: {}:{}: field {}: {}", name, lines + r - first + 1, field, reader.flaw));
    std::memcpy(data + written, text->data(), text->size());  // which is not longer than the line
    written += text->size();
  }
  to.residues.resize(written);
}

}  // namespace ordo::inline v0::suffix::detail
