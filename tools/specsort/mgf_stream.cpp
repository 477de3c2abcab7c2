#include "tools/specsort/mgf_stream.hpp"

#include <algorithm>
#include <utility>

#include "ordo/error.hpp"
#include "ordo/spectra/mzml.hpp"

namespace ordo::specsort {
namespace {

constexpr std::size_t most_waiting = std::size_t{8} << 20;

}  // namespace

class mgf_stream::feed final : public sink {
 public:
  explicit feed(mgf_stream& to) : to_(to) {}
  void write(std::span<char const> data) override { to_.put(data); }

 private:
  mgf_stream& to_;
};

mgf_stream::mgf_stream(std::unique_ptr<source> from, spectra::options how) : from_(std::move(from)) {
  maker_ = std::thread([this, how = std::move(how)] {
    std::exception_ptr failure;
    try {
      feed to(*this);
      spectra::sort_mzml(*from_, to, how, spectra::format::mgf);
    } catch (...) {
      failure = std::current_exception();
    }
    std::lock_guard const lock(changing_);
    failure_ = failure;
    ended_ = true;
    changed_.notify_all();
  });
}

mgf_stream::~mgf_stream() {
  {
    std::lock_guard const lock(changing_);
    given_up_ = true;
    changed_.notify_all();
  }
  maker_.join();
}

void mgf_stream::put(std::span<char const> data) {
  if (data.empty()) return;
  std::unique_lock lock(changing_);
  changed_.wait(lock, [&] { return given_up_ || waiting_ < most_waiting; });
  if (given_up_) throw output_error("nobody reads");  // which nobody hears
  made_.emplace_back(data.data(), data.size());
  waiting_ += data.size();
  changed_.notify_all();
}

std::size_t mgf_stream::read(std::span<char> to) {
  std::size_t got = 0;
  std::unique_lock lock(changing_);
  while (got < to.size()) {
    changed_.wait(lock, [&] { return ended_ || !made_.empty(); });
    if (made_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      break;
    }
    std::string const& first = made_.front();
    std::size_t const part = std::min(to.size() - got, first.size() - read_);
    std::copy_n(first.data() + read_, part, to.data() + got);
    got += part;
    read_ += part;
    if (read_ < first.size()) continue;
    waiting_ -= first.size();
    read_ = 0;
    made_.pop_front();
    changed_.notify_all();
  }
  return got;
}

}  // namespace ordo::specsort
