#include <cstring>
#include <functional>

#include "ordo/error.hpp"
#include "ordo/spectra.hpp"
#include "spectra/pipeline.hpp"

// Whole inputs: from sources to sinks, in memory, as streams, block by block.
namespace ordo::spectra {
namespace {

class reading final : public source {
 public:
  explicit reading(reader const& read) : read_(read) {}
  std::size_t read(std::span<char> to) override { return read_(to); }

 private:
  reader const& read_;
};

class writing final : public sink {
 public:
  explicit writing(writer const& write) : write_(write) {}
  void write(std::span<char const> data) override { write_(data); }

 private:
  writer const& write_;
};

std::string_view as_text(std::span<char const> bytes) {
  return {bytes.data(), bytes.size()};
}

bool overlap(std::span<char const> a, std::span<char const> b) {
  std::less<> const before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

}  // namespace

sorter::sorter(options how) {
  if (!how.select.empty()) throw usage_error("block by block nothing can be selected: " + how.name);
  pipeline_ = std::make_unique<detail::pipeline>(std::move(how), detail::purpose::sort);
}
sorter::~sorter() = default;

// A slice is read before it is written, and the end of the next is looked for behind it: so the input may be the output.
void sorter::sort(std::span<char> block, bool last) {
  memory_source from(as_text(block));
  memory_sink to(block);
  pipeline_->run(from, &to, last);
}

report sorter::done() const {
  return pipeline_->done();
}

report sort(source& from, sink& to, options const& how) {
  detail::pipeline work(how, detail::purpose::sort);
  work.run(from, &to, true);
  return work.done();
}

report sort(std::span<char const> in, std::span<char> out, options const& how) {
  if (in.size() != out.size())
    throw usage_error("output of another length: " + how.name + ": in memory it must be the input's");
  if (in.data() != out.data() && overlap(in, out)) {
    std::memmove(out.data(), in.data(), in.size());
    in = out;
  }
  options here = how;
  here.input_bytes = in.size();
  memory_source from(as_text(in));
  memory_sink to(out);
  return sort(from, to, here);
}

report sort(reader const& read, writer const& write, options const& how) {
  reading from(read);
  writing to(write);
  return sort(from, to, how);
}

checked check(source& from, options const& how) {
  detail::pipeline work(how, detail::purpose::check);
  work.run(from, nullptr, true);
  return {work.first_disorder(), work.done()};
}

checked check(reader const& read, options const& how) {
  reading from(read);
  return check(from, how);
}

checked check(std::span<char const> in, options const& how) {
  memory_source from(as_text(in));
  return check(from, how);
}

}  // namespace ordo::spectra
