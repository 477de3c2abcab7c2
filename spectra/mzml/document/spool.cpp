#include "spectra/mzml/document/spool.hpp"

#include <algorithm>
#include <utility>

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

}  // namespace

void spool::put(std::string_view text) {
  if (buffer_.size() + text.size() > buffer_bytes) write();
  if (text.size() < buffer_bytes) {
    buffer_.insert(buffer_.end(), text.begin(), text.end());
    return;
  }
  if (!file_) file_.emplace(folder_);
  file_->write_at(written_, text);
  written_ += text.size();
}

void spool::write() {
  if (buffer_.empty()) return;
  if (!file_) file_.emplace(folder_);
  file_->write_at(written_, buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

void spool::drain(std::function<void(std::string_view)> const& output) {
  if (written_ == 0) {  // too little for a file
    output({buffer_.data(), buffer_.size()});
    return buffer_.clear();
  }
  write();
  buffer_.resize(std::size_t(std::min<std::uint64_t>(buffer_bytes, written_)));
  for (std::uint64_t at = 0; at != written_;) {
    std::span<char> const part(buffer_.data(), std::size_t(std::min<std::uint64_t>(buffer_.size(), written_ - at)));
    file_->read_at(at, part);
    output({part.data(), part.size()});
    at += part.size();
  }
  buffer_.clear();
  if (file_) file_->discard(0, written_);
  written_ = 0;
}

}  // namespace ordo::inline v0::spectra::detail
