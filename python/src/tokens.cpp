#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/suffix/tokens/token_index.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

std::span<std::uint32_t> as_tokens(array const& of, char const* name) {
  if (of.type() != ORDO_INT32 && of.type() != ORDO_UINT32)
    throw ordo::usage_error(std::string("bad ") + name + ": not of type int32 or uint32");
  return {static_cast<std::uint32_t*>(of.data()), of.size()};
}

/// An index of tokens with a machine of its own, which works on the streams of the calls. One call at a time uses it.
class token_index {
 public:
  token_index(machines const& like, std::size_t max_match)
      : options_(like.options()),
        device_(like.device()),
        memory_limit_(like.memory_limit()),
        max_match_(max_match),
        index_(max_match) {}

  void assign(nb::handle tokens, std::uintptr_t stream) {
    array const text(tokens, "tokens", false, stream);
    auto const all = as_tokens(text, "tokens");
    call([&] {
      check_device(text.gpu());
      if (!machine_ || text.gpu() != gpu_) {
        index_ = ordo::suffix::token_index(max_match_);  // before the machine of its memory
        machine_ = make_machine(text.gpu());
        gpu_ = text.gpu();
      }
      on_stream(stream, [&](ordo::machine& on) { index_.assign(on, all); });
    });
  }
  void append(nb::handle tokens, std::uintptr_t stream) {
    array const text(tokens, "tokens", false, stream);
    auto const all = as_tokens(text, "tokens");
    call([&] {
      if (!machine_) {
        check_device(text.gpu());
        machine_ = make_machine(text.gpu());
        gpu_ = text.gpu();
      }
      check_place("tokens", text);
      on_stream(stream, [&](ordo::machine& on) { index_.append(on, all); });
    });
  }
  void draft(nb::handle contexts, nb::handle context_lengths, nb::handle drafts, nb::handle lengths, nb::handle matched,
             std::uintptr_t stream) {
    array const in(contexts, "contexts", false, stream), in_lengths(context_lengths, "lengths", false, stream),
        out(drafts, "out.tokens", true, stream), out_lengths(lengths, "out.lengths", true, stream),
        out_matched(matched, "out.matched", true, stream);
    auto const rows = as_tokens(in, "contexts"), counts = as_tokens(in_lengths, "lengths"), to = as_tokens(out, "out.tokens"),
               to_lengths = as_tokens(out_lengths, "out.lengths"), to_matched = as_tokens(out_matched, "out.matched");
    call([&] {
      if (!machine_) throw ordo::usage_error("no text: draft: assign comes first, if only of no tokens");
      check_place("contexts", in);
      check_place("lengths", in_lengths);
      check_place("out.tokens", out);
      check_place("out.lengths", out_lengths);
      check_place("out.matched", out_matched);
      on_stream(stream, [&](ordo::machine& on) { index_.draft(on, rows, counts, to, to_lengths, to_matched); });
    });
  }
  [[nodiscard]] std::size_t size() {
    std::scoped_lock const one_call(mutex_);
    return index_.size();
  }

 private:
  template <class F>
  void call(F f) {
    nb::gil_scoped_release const released;
    std::scoped_lock const one_call(mutex_);
    f();
  }
  void check_device(std::optional<unsigned> gpu) const {
    if (gpu ? options_.device == ordo::device::cpu : options_.device == ordo::device::gpu)
      throw ordo::usage_error("bad machine: " + device_ + ": the arrays are in the memory of " + (gpu ? "a GPU" : "the host"));
  }
  void check_place(char const* name, array const& other) const {
    if (other.gpu() != gpu_) throw ordo::usage_error(std::string("bad ") + name + ": not on the device of the text");
  }
  [[nodiscard]] std::unique_ptr<ordo::machine> make_machine(std::optional<unsigned> gpu) const {
    std::size_t const limit = memory_limit_ != 0 ? memory_limit_ : ~std::size_t{0};
    if (!gpu) return std::make_unique<ordo::cpu>(ordo::cpu_options{.threads = options_.threads, .memory_limit = limit});
    return std::make_unique<ordo::gpu>(ordo::gpu_options{.device = *gpu, .memory_limit = limit});
  }
  template <class F>
  void on_stream(std::uintptr_t stream, F f) {
    if (!gpu_) return f(*machine_);
    f(static_cast<ordo::gpu&>(*machine_).with_stream(reinterpret_cast<CUstream_st*>(stream)));
  }

  ordo::machine_options options_;
  std::string device_;
  std::size_t memory_limit_, max_match_;
  std::mutex mutex_;
  std::optional<unsigned> gpu_;
  std::unique_ptr<ordo::machine> machine_;  // made for the first text; outlives the index
  ordo::suffix::token_index index_;
};

}  // namespace

void add_tokens(nb::module_& module) {
  nb::class_<token_index>(module, "TokenIndex")
      .def(nb::init<machines const&, std::size_t>())
      .def("assign", &token_index::assign)
      .def("append", &token_index::append)
      .def("draft", &token_index::draft)
      .def("size", &token_index::size);
}

}  // namespace ordo_python
