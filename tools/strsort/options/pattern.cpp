#include "tools/strsort/options/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <langinfo.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

#include "ordo/error.hpp"
#include "strings/keys/collation.hpp"
#include "tools/strsort/options/gnu_messages.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::uint32_t max_steps = 10'000'000, max_heap_kib = 256 << 10;
constexpr std::size_t min_stack = std::size_t{32} << 10, max_stack = std::size_t{4} << 20;
constexpr std::size_t max_shown = 60;
// PCRE2 counts steps from one byte on, and does not count the bytes that a loop without a way back reads.
constexpr std::size_t first_starts = 256, max_starts = std::size_t{1} << 20;
constexpr double seconds_a_line = 2, seconds_a_byte = 20e-9, seconds_a_call = 0.01;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::string error_message(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<char const*>(text.data());
}

template <auto Free>
struct freeing {
  template <class T>
  void operator()(T* of) const {
    Free(of);
  }
};

// What a thread needs for its searches, with any expression.
struct workspace {
  std::unique_ptr<pcre2_match_context, freeing<pcre2_match_context_free>> context{pcre2_match_context_create(nullptr)};
  std::unique_ptr<pcre2_jit_stack, freeing<pcre2_jit_stack_free>> stack{pcre2_jit_stack_create(min_stack, max_stack, nullptr)};
  std::unique_ptr<pcre2_match_data, freeing<pcre2_match_data_free>> data{pcre2_match_data_create(2, nullptr)};

  workspace() {
    if (!context || !data) throw std::bad_alloc();
    pcre2_set_match_limit(context.get(), max_steps);
    pcre2_set_heap_limit(context.get(), max_heap_kib);
    if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  }
};

workspace const& workspace_of_thread() {
  thread_local workspace const own;
  return own;
}

}  // namespace

struct pattern::compiled {
  std::unique_ptr<pcre2_code, freeing<pcre2_code_free>> code;
  std::uint32_t groups = 0;
};

// \G is where a call begins, and a verb such as (*COMMIT) is about all starts after it.
pattern::pattern(std::string text, bool characters)
    : text_(std::move(text)),
      characters_(characters),
      divisible_(text_.find("\\G") == text_.npos && text_.find("(*") == text_.npos),
      compiled_(std::make_unique<compiled>()) {
  // The locale decides whether '.' is a character, so that no invalid text can be an error.
  std::uint32_t const options =
      PCRE2_USE_OFFSET_LIMIT | (characters ? PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C : PCRE2_NEVER_UTF);
  int error = 0;
  PCRE2_SIZE at = 0;
  compiled_->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), options, &error, &at, nullptr));
  if (error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
  if (!compiled_->code)
    throw usage_error(fmt::format("invalid regular expression: {}: byte {}: {}", quote(text_), at + 1, error_message(error)));
  // Without code for this processor, the interpreter of PCRE2 takes its place.
  pcre2_jit_compile(compiled_->code.get(), PCRE2_JIT_COMPLETE);
  pcre2_pattern_info(compiled_->code.get(), PCRE2_INFO_CAPTURECOUNT, &compiled_->groups);
}

pattern::~pattern() = default;

// Searches for a match that begins in piece[begin, end). Returns PCRE2's result.
int pattern::search(std::string_view piece, std::size_t begin, std::size_t end) const {
  workspace const& own = workspace_of_thread();
  // A match may begin at the end of the piece.
  pcre2_set_offset_limit(own.context.get(), end == piece.size() ? PCRE2_UNSET : end - 1);
  auto const match = [&](std::uint32_t options) {
    // A null subject is an error before PCRE2 10.40.
    auto const* const subject = reinterpret_cast<PCRE2_SPTR>(piece.data() ? piece.data() : "");
    return pcre2_match(compiled_->code.get(), subject, piece.size(), begin, options, own.data.get(), own.context.get());
  };
  int const result = match(0);
  return result == PCRE2_ERROR_JIT_STACKLIMIT ? match(PCRE2_NO_JIT) : result;  // with its stack in the heap
}

// Searches a piece by ranges of starts, each a call that should take some milliseconds, until that has taken too long.
int pattern::search(std::string_view piece) const {
  if (piece.size() <= first_starts || !divisible_) return search(piece, 0, piece.size());
  double const limit = seconds_a_line + seconds_a_byte * double(piece.size());
  double began = 0, before = 0;
  for (std::size_t begin = 0, starts = first_starts;;) {
    std::size_t end = begin + std::min(starts, piece.size() - begin);
    // A call begins with a character.
    while (characters_ && end < piece.size() && (static_cast<unsigned char>(piece[end]) & 0xc0) == 0x80) ++end;
    int const result = search(piece, begin, end);
    if (result != PCRE2_ERROR_NOMATCH || end == piece.size()) return result;
    double const now = thread_seconds();
    if (begin == 0) began = before = now;  // most searches end before they need a clock
    if (now - began > limit) return PCRE2_ERROR_MATCHLIMIT;
    starts = now - before > seconds_a_call ? std::max<std::size_t>(starts / 4, 1) : std::min(2 * starts, max_starts);
    before = now;
    begin = end;
  }
}

std::string_view pattern::find(std::string_view piece, std::string&) const {
  int const result = search(piece);
  if (result == PCRE2_ERROR_NOMATCH) return {};
  if (result == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
  if (result < 0) {
    bool const cut = piece.size() > max_shown;
    throw input_error(
        fmt::format("cannot match {} with: {}{}: {}", quote(text_), quote(piece.substr(0, max_shown)), cut ? "..." : "",
                    result == PCRE2_ERROR_MATCHLIMIT ? "the search takes too many steps" : error_message(result)));
  }
  PCRE2_SIZE const* const ends = pcre2_get_ovector_pointer(workspace_of_thread().data.get());
  std::size_t const group = compiled_->groups == 0 ? 0 : 1;
  if (ends[2 * group] == PCRE2_UNSET || ends[2 * group] >= ends[2 * group + 1]) return {};  // \K may begin a match at its end
  return piece.substr(ends[2 * group], ends[2 * group + 1] - ends[2 * group]);
}

void add_patterns(std::vector<given_key> const& given, std::vector<strings::key>& keys, std::string const& locale) {
  std::optional<bool> characters;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i].pattern) continue;
    if (!characters) characters = std::string_view("UTF-8") == nl_langinfo_l(CODESET, strings::detail::named_locale(locale));
    keys[i].finder = std::make_shared<pattern>(*given[i].pattern, *characters);
  }
}

}  // namespace ordo::inline v0::strsort
