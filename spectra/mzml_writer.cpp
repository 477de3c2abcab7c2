#include "spectra/mzml_writer.hpp"

#include <algorithm>
#include <new>

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

mzml_writer::mzml_writer(sink& to) : to_(to), digest_(std::make_unique<digest>()) {}
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
  written_ += text.size();
  to_.write(text);
}

void mzml_writer::write(mzml_work const& one) {
  std::string_view const text = one.written();
  if (!one.piece.indexed) return put(text);
  for (auto const& start : one.starts) spectra_.all.push_back({start.id, written_ + start.at});
  write_marks(one, text);
}

void mzml_writer::write_marks(mzml_work const& one, std::string_view text) {
  std::size_t done = 0;
  auto const put_to = [&](std::size_t end) {
    digest_->add(text.substr(done, end - done));
    put(text.substr(done, end - done));
    done = end;
  };
  auto const replace = [&](index_mark const& mark, std::string const& by) {
    put_to(mark.begin);
    if (mark.end == mark.begin) return;  // an empty tag
    digest_->add(by);
    put(by);
    done = mark.end;
  };
  for (auto const& mark : one.piece.marks) {
    switch (mark.what) {
      case index_mark::kind::chromatogram:
        chromatograms_.all.push_back({mark.id, written_ + (mark.tag - done)});
        break;
      case index_mark::kind::list:
        list_at_ = written_ + (mark.tag - done);
        break;
      case index_mark::kind::entry: {
        auto const* const found = (mark.of_chromatograms ? chromatograms_ : spectra_).find(mark.id);
        if (!found) throw xml_fault(mark.tag, "wrong index", "an entry for what is not in the document");
        replace(mark, fmt::format("{}", found->at));
        break;
      }
      case index_mark::kind::list_offset:
        replace(mark, fmt::format("{}", list_at_));
        break;
      case index_mark::kind::checksum:
        put_to(mark.begin);
        replace(mark, digest_->hex());
        break;
    }
  }
  put_to(text.size());
}

}  // namespace ordo::spectra::detail
