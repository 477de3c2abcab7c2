#include "spectra/mzml_writer.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace ordo::spectra::detail {

// SHA-1 of all that was written.
struct mzml_writer::digest {
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  digest() {
    if (!context || EVP_DigestInit_ex(context, EVP_sha1(), nullptr) != 1) {
      EVP_MD_CTX_free(context);
      throw std::bad_alloc();
    }
  }
  ~digest() { EVP_MD_CTX_free(context); }
  digest(digest const&) = delete;
  digest& operator=(digest const&) = delete;

  void add(std::string_view text) { EVP_DigestUpdate(context, text.data(), text.size()); }
  [[nodiscard]] std::string hex() const {
    digest copy;
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_MD_CTX_copy_ex(copy.context, context);
    EVP_DigestFinal_ex(copy.context, bytes, &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }
};

mzml_writer::mzml_writer(sink& to, std::string const* folder)
    : to_(to), digest_(std::make_unique<digest>()), spool_(folder ? std::make_unique<spool>(*folder) : nullptr) {}
mzml_writer::~mzml_writer() = default;

mzml_writer::place const* mzml_writer::places::find(std::size_t id) {
  if (next < all.size() && all[next].id == id) return &all[next++];
  if (by_id.size() != all.size()) {
    by_id = all;
    std::stable_sort(by_id.begin(), by_id.end(), [](place const& a, place const& b) { return a.id < b.id; });
  }
  auto const found = std::lower_bound(by_id.begin(), by_id.end(), id, [](place const& a, std::size_t b) { return a.id < b; });
  return found != by_id.end() && found->id == id ? &*found : nullptr;
}

void mzml_writer::put(std::string_view text) {
  if (ordering_ && (holds_ || ordering_->holds_entries)) {
    ordering_->carried += text;
    return;
  }
  written_ += text.size();
  if (holds_)
    spool_->put(text);
  else
    send(text);
}

void mzml_writer::send(std::string_view text) {
  if (indexed_) digest_->add(text);
  to_.write(text);
}

// The piece's text up to there.
void mzml_writer::put_to(std::size_t end) {
  put(text_.substr(done_, end - done_));
  done_ = end;
}

// What is left of it before `end`.
void mzml_writer::replace(std::size_t end, std::string_view by) {
  put(by);
  done_ = end;
}

void mzml_writer::write(mzml_work const& one) {
  indexed_ = one.piece.indexed;
  text_ = one.written();
  done_ = 0;
  if (indexed_ || spool_ || ordering_) {
    std::size_t next = 0;
    auto const take_spectra = [&](std::size_t end) {
      for (; next != one.starts.size() && one.starts[next].at < end; ++next) take(one, next);
    };
    for (auto const& mark : one.piece.marks) {
      take_spectra(mark.tag);
      take(mark);
    }
    take_spectra(text_.size() + 1);
    references_.insert(references_.end(), one.references.begin(), one.references.end());
  }
  put_to(text_.size());
}

void mzml_writer::take(mzml_work const& from, std::size_t spectrum) {
  if (ordering_ && holds_) return keep_spectrum(from, spectrum);
  auto const& one = from.starts[spectrum];
  if (ordering_) ++ordering_->read;
  if (indexed_) spectra_.all.push_back({one.id, one.gone ? gone : written_ + (one.at - done_)});
  if (one.gone) return gone_.push_back(one.id);
  if (!spool_) return;
  if (one.index) {
    put_to(*one.index);
    replace(*one.index + one.index_size, fmt::format("{}", numbered_));
  }
  ++numbered_;
}

void mzml_writer::take(index_mark const& mark) {
  if (mark.what != index_mark::kind::entry || mark.of_chromatograms) release_entries();
  release();  // of what follows the list
  switch (mark.what) {
    case index_mark::kind::spectra:
      if (ordering_)
        keep_list(mark);
      else if (spool_)
        hold(mark);
      break;
    case index_mark::kind::chromatogram:
      chromatograms_.all.push_back({mark.id, written_ + (mark.tag - done_)});
      break;
    case index_mark::kind::list:
      list_at_ = written_ + (mark.tag - done_);
      break;
    case index_mark::kind::entry:
      take_entry(mark);
      break;
    case index_mark::kind::list_offset:
    case index_mark::kind::checksum:
      put_to(mark.begin);
      if (is_closed(mark)) break;
      replace(mark.end, mark.what == index_mark::kind::checksum ? digest_->hex() : fmt::format("{}", list_at_));
      break;
  }
}

// <offset/>, which has no place for a number.
bool mzml_writer::is_closed(index_mark const& mark) const {
  return text_.substr(0, mark.begin).ends_with("/>");
}

void mzml_writer::take_entry(index_mark const& mark) {
  place const* const found = (mark.of_chromatograms ? chromatograms_ : spectra_).find(mark.id);
  if (!found) throw xml_fault(mark.at, "wrong index", "an entry for what is not in the document");
  if (found->at != gone) {
    if (ordering_ && !mark.of_chromatograms) return keep_entry(mark, found->at);
    put_to(mark.begin);
    if (!is_closed(mark)) replace(mark.end, fmt::format("{}", found->at));
    return;
  }
  // The whole of it goes, and what stands between it and the tag before.
  std::size_t begin = mark.tag;
  while (begin > done_ && is_space(text_[begin - 1])) --begin;
  put_to(begin);
  done_ = end_of_entry(mark);
}

std::size_t mzml_writer::end_of_entry(index_mark const& mark) const {
  if (is_closed(mark)) return mark.end;
  auto const closing = next_markup(text_, mark.end);
  if (!closing || closing->kind != markup_kind::end || closing->name != "offset")
    throw xml_fault(mark.at, "wrong index", "an entry with tags in it");
  return closing->end;
}

// From the number of spectra in the tag of their list on.
void mzml_writer::hold(index_mark const& list) {
  numbered_ = 0;
  auto const count = attribute_in(text_.substr(list.tag, list.begin - list.tag), "count");
  if (!count) return;
  put_to(list.tag + count->begin);
  done_ += count->size;
  first_held_ = spectra_.all.size();
  holds_ = true;
}

void mzml_writer::release() {
  if (!std::exchange(holds_, false)) return;
  if (ordering_) return release_spectra();
  std::string const count = fmt::format("{}", numbered_);
  send(count);
  written_ += count.size();
  for (std::size_t i = first_held_; i < spectra_.all.size(); ++i)
    if (spectra_.all[i].at != gone) spectra_.all[i].at += count.size();
  spool_->drain([&](std::string_view text) { send(text); });
}

void mzml_writer::end() {
  release();
  release_entries();
}

std::uint64_t mzml_writer::stray_references() {
  std::ranges::sort(gone_);
  return std::uint64_t(
      std::ranges::count_if(references_, [&](std::size_t id) { return std::ranges::binary_search(gone_, id); }));
}

}  // namespace ordo::spectra::detail
