#include "tools/strsort/pattern.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <new>
#include <utility>

#include "ordo/error.hpp"
#include "tools/strsort/gnu_messages.hpp"

namespace ordo::inline v0::strsort {
namespace {

constexpr std::uint32_t max_steps = 10'000'000, max_heap_kib = 256 << 10;
constexpr std::size_t min_stack = std::size_t{32} << 10, max_stack = std::size_t{4} << 20;
constexpr std::size_t max_shown = 60;

std::string message_of(int code) {
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

}  // namespace

struct pattern::compiled {
  std::unique_ptr<pcre2_code, freeing<pcre2_code_free>> code;
  std::uint32_t groups = 0;
};

pattern::pattern(std::string text, bool characters) : text_(std::move(text)), compiled_(std::make_unique<compiled>()) {
  // The locale decides whether '.' is a character, so that no invalid text can be an error.
  std::uint32_t const options = characters ? PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C : PCRE2_NEVER_UTF;
  int error = 0;
  PCRE2_SIZE at = 0;
  compiled_->code.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), options, &error, &at, nullptr));
  if (error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
  if (!compiled_->code)
    throw usage_error(fmt::format("invalid regular expression: {}: byte {}: {}", quoted(text_), at + 1, message_of(error)));
  // Without code for this processor, the interpreter of PCRE2 takes its place.
  pcre2_jit_compile(compiled_->code.get(), PCRE2_JIT_COMPLETE);
  pcre2_pattern_info(compiled_->code.get(), PCRE2_INFO_CAPTURECOUNT, &compiled_->groups);
}

pattern::~pattern() = default;

std::string_view pattern::find(std::string_view piece) const {
  thread_local workspace const own;
  auto const search = [&](std::uint32_t options) {
    // A null subject is an error before PCRE2 10.40.
    auto const* const subject = reinterpret_cast<PCRE2_SPTR>(piece.data() ? piece.data() : "");
    return pcre2_match(compiled_->code.get(), subject, piece.size(), 0, options, own.data.get(), own.context.get());
  };
  int result = search(0);
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = search(PCRE2_NO_JIT);  // with its stack in the heap
  if (result == PCRE2_ERROR_NOMATCH) return {};
  if (result == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
  if (result < 0) {
    bool const cut = piece.size() > max_shown;
    throw input_error(fmt::format("cannot match {} with: {}{}: {}", quoted(text_), quoted(piece.substr(0, max_shown)), cut ? "..." : "",
                                  result == PCRE2_ERROR_MATCHLIMIT ? "the search takes too many steps" : message_of(result)));
  }
  PCRE2_SIZE const* const ends = pcre2_get_ovector_pointer(own.data.get());
  std::size_t const group = compiled_->groups == 0 ? 0 : 1;
  if (ends[2 * group] == PCRE2_UNSET || ends[2 * group] >= ends[2 * group + 1]) return {};  // \K may begin a match at its end
  return piece.substr(ends[2 * group], ends[2 * group + 1] - ends[2 * group]);
}

}  // namespace ordo::inline v0::strsort
