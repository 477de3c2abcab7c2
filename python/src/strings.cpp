#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pooled_arena.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/strings/arrays.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "strings/sort/line_sort.hpp"
#include "strings/sort/string_argsort.hpp"

namespace ordo_python {
namespace {

constexpr std::size_t grain = 2048;

template <class F>
void each(machines const& on, std::size_t n, F f) {
  if (n <= grain) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  } else {
    ordo::pooled_arena(ordo::threads_for(on.threads())).execute([&] { ordo::host_detail::parallel_each(n, grain, f); });
  }
}

/// Calls f(), without the GIL if that is for many strings.
template <class F>
void without_gil(std::size_t n, F f) {
  if (n <= grain) return f();
  nb::gil_scoped_release const released;
  f();
}

/// The strings of a list, in the buffers of its objects, to which this holds references. Needs the GIL.
class list_strings {
 public:
  list_strings() = default;
  /// Delegates, so that an exception here runs the destructor.
  explicit list_strings(nb::handle list) : list_strings() {
    std::size_t const n = std::size_t(PyList_Size(list.ptr()));
    objects_.reserve(n);
    views_.reserve(n);
#ifdef Py_GIL_DISABLED
    // Another thread may change the list meanwhile.
    for (std::size_t i = 0; i < n; ++i) {
      nb::object const item = nb::steal(PyList_GetItemRef(list.ptr(), Py_ssize_t(i)));
      if (!item.is_valid()) {  // the list became shorter
        PyErr_Clear();
        break;
      }
      add(item.ptr());
    }
#else
    for (std::size_t i = 0; i < n && i < std::size_t(PyList_Size(list.ptr())); ++i)
      add(PyList_GetItem(list.ptr(), Py_ssize_t(i)));
#endif
  }
  ~list_strings() {
    for (PyObject* object : objects_) Py_DecRef(object);
  }
  list_strings(list_strings const&) = delete;
  list_strings& operator=(list_strings const&) = delete;

  [[nodiscard]] std::span<std::string_view const> views() const {
    return views_;
  }
  /// Returns a list of the strings in order, which takes over the references.
  template <class Index>
  nb::list in_order(std::vector<Index> const& order) {
    nb::list sorted = nb::steal<nb::list>(PyList_New(Py_ssize_t(order.size())));
    if (!sorted.is_valid()) throw nb::python_error();
    for (std::size_t k = 0; k < order.size(); ++k) PyList_SetItem(sorted.ptr(), Py_ssize_t(k), objects_[order[k]]);
    objects_.clear();
    return sorted;
  }

 private:
  void add(PyObject* object) {
    char const* data = nullptr;
    Py_ssize_t size = 0;
    if (PyUnicode_Check(object)) {
      data = PyUnicode_AsUTF8AndSize(object, &size);
      if (!data) {  // half of a surrogate pair
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
        PyErr_Clear();
        nb::object const encoded = nb::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
        if (!encoded.is_valid()) throw nb::python_error();
        encoded_.push_back(encoded);
        data = PyBytes_AsString(encoded.ptr());
        size = PyBytes_Size(encoded.ptr());
      }
    } else if (PyBytes_Check(object)) {
      data = PyBytes_AsString(object);
      size = PyBytes_Size(object);
    } else {
      nb::object const name = nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__name__");
      PyErr_Format(PyExc_TypeError, "strings: %U, where str and bytes are expected", name.ptr());
      throw nb::python_error();
    }
    objects_.push_back(object);  // within the capacity
    Py_IncRef(object);
    views_.emplace_back(data, std::size_t(size));
  }

  std::vector<PyObject*> objects_;
  std::vector<std::string_view> views_;
  std::vector<nb::object> encoded_;
};

/// Sorts strings on a GPU, if the machine stands for one. Returns false if it does not.
bool sorted_on_gpu(machines const& on, std::span<std::string_view const> strings, bool descending,
                   std::vector<std::uint64_t>& order) {
  auto const device = on.options().device;
  if (device == ordo::device::cpu || (device == ordo::device::automatic && strings.size() <= grain)) return false;
  ordo::strings::sort_options options;
  options.machine = on.options();
  options.by.reverse = descending;
  std::size_t bytes = 0;
  for (std::string_view const s : strings) bytes += s.size();
  auto const choice = ordo::strings::detail::choose_machine(options, bytes + strings.size(), [&] { return strings.size(); });
  if (choice.device != ordo::device::gpu) return false;
  std::vector<std::uint64_t> offsets(strings.size() + 1);
  ordo::host_bytes text(bytes);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    std::copy(strings[i].begin(), strings[i].end(), text.data() + offsets[i]);
    offsets[i + 1] = offsets[i] + strings[i].size();
  }
  auto sorted = ordo::strings::sort<std::uint64_t>(std::string_view(text.data(), text.size()),
                                                   std::span<std::uint64_t const>(offsets), options);
  order = std::move(sorted.permutation);
  return true;
}

/// Calls f(order, repeats) with the order of strings, and marks of those that equal the one before. Needs no GIL.
template <class F>
void with_order(machines const& on, std::span<std::string_view const> strings, bool descending, F f) {
  std::vector<std::uint8_t> repeats(strings.size());
  std::vector<std::uint64_t> wide;
  if (sorted_on_gpu(on, strings, descending, wide)) {
    each(on, wide.size(), [&](std::size_t k) { repeats[k] = k != 0 && strings[wide[k]] == strings[wide[k - 1]]; });
    return f(wide, repeats);
  }
  if (strings.size() <= std::numeric_limits<std::uint32_t>::max()) {
    std::vector<std::uint32_t> order(strings.size());
    ordo::strings::detail::argsort_strings<std::uint32_t>(on.options(), strings, descending, order, repeats);
    return f(order, repeats);
  }
  wide.resize(strings.size());
  ordo::strings::detail::argsort_strings<std::uint64_t>(on.options(), strings, descending, wide, repeats);
  f(wide, repeats);
}

/// Returns the strings of a list in ascending order, sorted by Python, which takes the least time for a few str; an object that
/// is not valid for other lists. Their code points have the order of the bytes of UTF-8.
nb::object sort_few_by_python(nb::handle list) {
  constexpr Py_ssize_t few_for_python = 24;
  Py_ssize_t const n = PyList_Size(list.ptr());
  if (n > few_for_python) return {};
  nb::object copied = nb::steal(PyList_GetSlice(list.ptr(), 0, n));
  if (!copied.is_valid()) throw nb::python_error();
  for (nb::handle item : nb::borrow<nb::list>(copied))
    if (!Py_IS_TYPE(item.ptr(), &PyUnicode_Type)) return {};
  if (PyList_Sort(copied.ptr()) != 0) throw nb::python_error();
  return copied;
}

nb::object sort_list(machines& on, nb::handle list, bool descending) {
  if (!descending)
    if (nb::object few = sort_few_by_python(list); few.is_valid()) return few;
  list_strings strings(list);
  nb::list result;
  auto const sort = [&](auto const& order, auto const&) {
    nb::gil_scoped_acquire const acquired;
    result = strings.in_order(order);
  };
  if (strings.views().size() <= grain) {  // in less time than others need to take the GIL
    with_order(on, strings.views(), descending, [&](auto const& order, auto const&) { result = strings.in_order(order); });
  } else {
    nb::gil_scoped_release const released;
    with_order(on, strings.views(), descending, sort);
  }
  return result;
}

/// The arrays that an order is written to.
class order_target {
 public:
  /// @param rows  the row of each string, as int64, or None if it is its number
  /// @param repeats  takes a byte for each string, or None
  order_target(std::size_t n, nb::handle rows, nb::handle index, nb::handle repeats) : index_(index, "index", true) {
    if (!rows.is_none()) rows_.emplace(rows, "rows", false);
    if (!repeats.is_none()) repeats_.emplace(repeats, "repeats", true);
    if (index_.type() != ORDO_INT64 || (rows_ && rows_->type() != ORDO_INT64))
      throw ordo::usage_error("bad index: int64 is expected");
    if (index_.size() != n || (rows_ && rows_->size() != n) ||
        (repeats_ && (repeats_->size() != n || repeats_->item_bytes() != 1)))
      throw ordo::usage_error("bad index: not as long as the strings");
  }
  [[nodiscard]] std::span<std::int64_t const> rows() const {
    return rows_ ? std::span(static_cast<std::int64_t const*>(rows_->data()), rows_->size()) : std::span<std::int64_t const>();
  }
  [[nodiscard]] std::size_t row(std::size_t i) const { return rows_ ? std::size_t(rows()[i]) : i; }
  template <class Index>
  void write(machines const& on, std::vector<Index> const& order, std::vector<std::uint8_t> const& repeats) const {
    auto* const to = static_cast<std::int64_t*>(index_.data());
    each(on, order.size(), [&](std::size_t k) { to[k] = std::int64_t(row(order[k])); });
    if (repeats_) std::copy(repeats.begin(), repeats.end(), static_cast<std::uint8_t*>(repeats_->data()));
  }

 private:
  array index_;
  std::optional<array> rows_, repeats_;
};

void argsort_list(machines& on, nb::handle list, nb::handle rows, nb::handle index, nb::handle repeats, bool descending) {
  list_strings const strings(list);
  order_target const to(strings.views().size(), rows, index, repeats);
  nb::gil_scoped_release const released;
  with_order(on, strings.views(), descending, [&](auto const& order, auto const& same) { to.write(on, order, same); });
}

/// Sorts n strings, of which view(i) returns the one at row i.
template <class View>
void argsort_views(machines& on, std::size_t num_rows, order_target const& to, std::size_t n, bool descending, View view) {
  nb::gil_scoped_release const released;
  for (std::int64_t const row : to.rows())
    if (row < 0 || std::size_t(row) >= num_rows) throw ordo::usage_error("bad rows: " + std::to_string(row));
  std::vector<std::string_view> views(n);
  each(on, n, [&](std::size_t i) { views[i] = view(to.row(i)); });
  with_order(on, views, descending, [&](auto const& order, auto const& same) { to.write(on, order, same); });
}

template <class Offset>
std::string_view string_at(array const& bytes, array const& offsets, std::size_t i) {
  auto const* const o = static_cast<Offset const*>(offsets.data());
  return {static_cast<char const*>(bytes.data()) + o[i], std::size_t(o[i + 1] - o[i])};
}

/// Throws for offsets that fall, or leave the bytes.
template <class Offset>
void check_offsets(array const& bytes, array const& offsets) {
  std::span const o(static_cast<Offset const*>(offsets.data()), offsets.size());
  for (std::size_t i = 0; i < o.size(); ++i)
    if (o[i] < (i == 0 ? 0 : o[i - 1]) || std::size_t(o[i]) > bytes.size())
      throw ordo::usage_error("bad offset: strings: number " + std::to_string(i) + " is " + std::to_string(o[i]));
}

/// Calls f(Offset()) for the type of offsets of Arrow's strings.
template <class F>
void with_offsets(array const& bytes, array const& offsets, F f) {
  if (bytes.gpu() || offsets.gpu()) throw ordo::usage_error("bad strings: not in the host's memory");
  if (bytes.item_bytes() != 1 || offsets.size() == 0 || (offsets.type() != ORDO_INT32 && offsets.type() != ORDO_INT64))
    throw ordo::usage_error("bad strings: bytes, and offsets of int32 or int64 are expected");
  auto const checked = [&](auto offset) {
    check_offsets<decltype(offset)>(bytes, offsets);
    f(offset);
  };
  if (offsets.type() == ORDO_INT32)
    checked(std::int32_t{});
  else
    checked(std::int64_t{});
}

/// Writes the order of strings that lie end to end, or of some of their rows.
void argsort_strings(machines& on, nb::handle bytes_given, nb::handle offsets_given, nb::handle rows, nb::handle index,
                     nb::handle repeats, bool descending) {
  array const bytes(bytes_given, "bytes", false), offsets(offsets_given, "offsets", false), all(index, "index", false);
  order_target const to(all.size(), rows, index, repeats);
  with_offsets(bytes, offsets, [&](auto offset) {
    if (to.rows().empty() && all.size() + 1 != offsets.size() && all.size() != 0)
      throw ordo::usage_error("bad index: not as long as the strings");
    argsort_views(on, offsets.size() - 1, to, all.size(), descending,
                  [&](std::size_t i) { return string_at<decltype(offset)>(bytes, offsets, i); });
  });
}

/// A string of Arrow's type utf8_view or binary_view.
struct string_view_item {
  std::int32_t size;
  char start[4];  // the first bytes; a string of at most 12 bytes goes on in the next members
  std::int32_t buffer, offset;
};

void argsort_string_views(machines& on, nb::handle items_given, nb::list const& buffers_given, nb::handle rows,
                          nb::handle index, nb::handle repeats, bool descending) {
  array const items(items_given, "views", false), all(index, "index", false);
  order_target const to(all.size(), rows, index, repeats);
  if (items.item_bytes() != sizeof(string_view_item)) throw ordo::usage_error("bad views: not of 16 bytes");
  if (to.rows().empty() && all.size() != items.size() && all.size() != 0)
    throw ordo::usage_error("bad index: not as long as the strings");
  std::vector<std::uintptr_t> buffers;
  for (nb::handle address : buffers_given) buffers.push_back(nb::cast<std::uintptr_t>(address));
  argsort_views(on, items.size(), to, all.size(), descending, [&](std::size_t i) {
    auto const& item = static_cast<string_view_item const*>(items.data())[i];
    constexpr std::int32_t max_inside = 12;
    if (item.size <= max_inside) return std::string_view(item.start, std::size_t(item.size));
    return std::string_view(reinterpret_cast<char const*>(buffers.at(std::size_t(item.buffer))) + item.offset,
                            std::size_t(item.size));
  });
}

/// Writes the order of strings of one length. @param ends_at_zeros  whether zeros fill up a string
void argsort_fixed(machines& on, nb::handle items_given, nb::handle rows, nb::handle index, nb::handle repeats,
                   bool ends_at_zeros, bool descending) {
  array const items(items_given, "strings", false), all(index, "index", false);
  order_target const to(all.size(), rows, index, repeats);
  if (to.rows().empty() && all.size() != items.size() && all.size() != 0)
    throw ordo::usage_error("bad index: not as long as the strings");
  argsort_views(on, items.size(), to, all.size(), descending, [&](std::size_t i) {
    std::string_view const s(static_cast<char const*>(items.data()) + i * items.item_bytes(), items.item_bytes());
    return ends_at_zeros ? s.substr(0, s.find_last_not_of('\0') + 1) : s;
  });
}

/// Writes the order of strings of UCS4 of one length, which zeros fill up.
void argsort_ucs4(machines& on, nb::handle items_given, nb::handle rows, nb::handle index, nb::handle repeats,
                  bool descending) {
  array const items(items_given, "strings", false);
  order_target const to(items.size(), rows, index, repeats);
  if (items.item_bytes() % 4 != 0) throw ordo::usage_error("bad strings: not of UCS4");
  nb::gil_scoped_release const released;
  std::vector<std::uint8_t> same(items.size());
  auto const sort = [&](auto order) {
    ordo::strings::detail::argsort_ucs4(on.options(), static_cast<std::uint32_t const*>(items.data()), items.item_bytes() / 4,
                                        descending, std::span(order), std::span(same));
    to.write(on, order, same);
  };
  if (items.size() <= std::numeric_limits<std::uint32_t>::max())
    sort(std::vector<std::uint32_t>(items.size()));
  else
    sort(std::vector<std::uint64_t>(items.size()));
}

/// Calls f(order) with the order of strings of NumPy's type U. Returns false, and does nothing, for strings that Python
/// converts.
template <class F>
bool with_unicode_order(machines& on, numpy::plain_unicode const& strings, bool descending, F f) {
  if (!strings || on.options().device == ordo::device::gpu || strings.size() > std::numeric_limits<std::uint32_t>::max())
    return false;
  auto const sort = [&] {
    std::vector<std::uint32_t> order(strings.size());
    std::vector<std::uint8_t> same(strings.size());
    ordo::strings::detail::argsort_ucs4(on.options(), strings.units(), strings.item_bytes() / 4, descending, std::span(order),
                                        std::span(same));
    f(std::span<std::uint32_t const>(order));
  };
  without_gil(strings.size(), sort);
  return true;
}

/// Copies items of any type to the places of `order`, in parallel.
template <class Index>
void copy_items(machines const& on, void const* from, std::size_t bytes, std::span<Index const> order, void* to) {
  each(on, order.size(), [=, items = static_cast<char const*>(from)](std::size_t k) {
    constexpr std::size_t look_ahead = 12, cache_line = 64;
    if (k + look_ahead < order.size()) {
      char const* const next = items + std::size_t(order[k + look_ahead]) * bytes;
      for (std::size_t i = 0; i < bytes; i += cache_line) ordo::prefetch(next + i);
      ordo::prefetch(next + bytes - 1);
    }
    std::memcpy(static_cast<char*>(to) + k * bytes, items + std::size_t(order[k]) * bytes, bytes);
  });
}

nb::object sort_unicode(machines& on, nb::handle given, bool descending) {
  numpy::plain_unicode const strings(given);
  nb::object sorted = strings ? strings.new_like(strings.size()) : nb::none();
  bool const done = with_unicode_order(on, strings, descending, [&](auto order) {
    copy_items(on, strings.data(), strings.item_bytes(), order, numpy::data(sorted));
  });
  return done ? sorted : nb::none();
}

nb::object argsort_unicode(machines& on, nb::handle given, bool descending) {
  numpy::plain_unicode const strings(given);
  nb::object index = strings ? numpy::new_positions(strings.size()) : nb::none();
  bool const done = with_unicode_order(on, strings, descending, [&](auto order) {
    each(on, order.size(), [=, to = numpy::data<std::int64_t>(index)](std::size_t k) { to[k] = order[k]; });
  });
  return done ? index : nb::none();
}

/// Returns the offsets and the bytes of the strings at positions `index`.
nb::tuple gather_strings(machines& on, nb::handle bytes_given, nb::handle offsets_given, nb::handle index_given) {
  array const bytes(bytes_given, "bytes", false), offsets(offsets_given, "offsets", false), index(index_given, "index", false);
  if (index.type() != ORDO_INT64) throw ordo::usage_error("bad index: int64 is expected");
  std::size_t const n = index.size();
  auto const* const positions = static_cast<std::int64_t const*>(index.data());
  nb::object begins = numpy::new_array(offsets.type(), n + 1), gathered;
  with_offsets(bytes, offsets, [&](auto offset) {
    using Offset = decltype(offset);
    auto* const to = numpy::data<Offset>(begins);
    without_gil(n, [&] {
      auto const* const o = static_cast<Offset const*>(offsets.data());
      constexpr std::size_t look_ahead = 32;
      std::uint64_t end = 0;
      to[0] = 0;
      for (std::size_t k = 0; k < n; ++k) {
        std::size_t const i = std::size_t(positions[k]);
        if (i >= offsets.size() - 1) throw ordo::usage_error("bad index: " + std::to_string(positions[k]));
        if (k + look_ahead < n) ordo::prefetch(o + positions[k + look_ahead]);
        end += std::uint64_t(o[i + 1] - o[i]);
        if (end > std::uint64_t(std::numeric_limits<Offset>::max()))
          throw ordo::usage_error("bad index: more bytes than offsets hold");
        to[k + 1] = Offset(end);
      }
    });
    gathered = numpy::new_array(ORDO_UINT8, std::size_t(to[n]));
    char* const all = numpy::data<char>(gathered);
    without_gil(n, [&] {
      constexpr std::size_t look_ahead = 16;
      each(on, n, [=, &bytes, &offsets](std::size_t k) {
        if (k + look_ahead < n)
          ordo::prefetch(static_cast<char const*>(bytes.data()) +
                         static_cast<Offset const*>(offsets.data())[positions[k + look_ahead]]);
        std::string_view const s = string_at<Offset>(bytes, offsets, std::size_t(positions[k]));
        if (!s.empty()) std::memcpy(all + to[k], s.data(), s.size());
      });
    });
  });
  return nb::make_tuple(begins, gathered);
}

/// Copies strings to `to` in an order, end to end, in parallel. Writes where each begins, and where the last ends, to `begins`.
/// @param bytes, offsets  the strings, end to end, and where each begins and the last ends: less memory to visit than views
template <class Offset, class Index>
void copy_in_order(machines const& on, std::string_view bytes, Offset const* offsets, std::vector<Index> const& order,
                   Offset* begins, char* to) {
  auto const bytes_in = [=](std::size_t i) { return std::size_t(offsets[i + 1] - offsets[i]); };
  auto const total_size = [&](std::size_t first, std::size_t last) {
    std::size_t sum = 0;
    for (std::size_t k = first; k != last; ++k) sum += bytes_in(order[k]);
    return sum;
  };
  auto const copy = [&](std::size_t first, std::size_t last, std::size_t at, std::size_t end) {
    // Short strings are copied with what follows them, which the next string is written over.
    constexpr std::size_t look_ahead = 16, short_bytes = 16;
    char const* const last_short = bytes.data() + bytes.size() - std::min(bytes.size(), short_bytes);
    for (std::size_t k = first; k != last; ++k) {
      if (k + 2 * look_ahead < last) {
        ordo::prefetch(&offsets[order[k + 2 * look_ahead]]);
        ordo::prefetch(bytes.data() + offsets[order[k + look_ahead]]);
      }
      std::string_view const s(bytes.data() + offsets[order[k]], bytes_in(order[k]));
      if (s.size() <= short_bytes && end - at >= short_bytes && s.data() <= last_short && bytes.size() >= short_bytes)
        std::memcpy(to + at, s.data(), short_bytes);
      else if (!s.empty())
        std::memcpy(to + at, s.data(), s.size());
      at += s.size();
      begins[k + 1] = Offset(at);
    }
  };
  std::size_t const n = order.size();
  begins[0] = 0;
  if (n <= grain) return copy(0, n, 0, total_size(0, n));
  ordo::pooled_arena(ordo::threads_for(on.threads())).execute([&] {
    ordo::host_detail::blocks const parts(n, grain);
    std::vector<std::size_t> at(parts.count + 1);
    if (parts.count == 1) {
      at[1] = std::size_t(offsets[n] - offsets[0]);
    } else {
      parts.run([&](std::size_t part, std::size_t first, std::size_t last) { at[part + 1] = total_size(first, last); });
    }
    for (std::size_t part = 0; part < parts.count; ++part) at[part + 1] += at[part];
    parts.run([&](std::size_t part, std::size_t first, std::size_t last) { copy(first, last, at[part], at[part + 1]); });
  });
}

/// Returns the offsets and the bytes of sorted strings that lie end to end.
nb::tuple sort_strings(machines& on, nb::handle bytes_given, nb::handle offsets_given, bool descending) {
  array const bytes(bytes_given, "bytes", false), offsets(offsets_given, "offsets", false);
  nb::object begins = numpy::new_array(offsets.type(), offsets.size()), sorted;
  with_offsets(bytes, offsets, [&](auto offset) {
    using Offset = decltype(offset);
    std::size_t const n = offsets.size() - 1;
    auto const* const o = static_cast<Offset const*>(offsets.data());
    sorted = numpy::new_array(ORDO_UINT8, std::size_t(o[n] - o[0]));
    without_gil(n, [&] {
      std::vector<std::string_view> strings(n);
      each(on, n, [&](std::size_t i) { strings[i] = string_at<Offset>(bytes, offsets, i); });
      std::string_view const all(static_cast<char const*>(bytes.data()), bytes.size());
      with_order(on, strings, descending, [&](auto const& order, auto const&) {
        copy_in_order(on, all, o, order, numpy::data<Offset>(begins), numpy::data<char>(sorted));
      });
    });
  });
  return nb::make_tuple(begins, sorted);
}

/// Copies the items at positions `index`, of any type, in parallel. For long items this takes a third of the time of
/// ordo::gather, which copies words and does not prefetch.
void gather(machines& on, nb::handle from_given, nb::handle index_given, nb::handle to_given) {
  array const from(from_given, "from", false), index(index_given, "index", false), to(to_given, "to", true);
  if (index.type() != ORDO_INT64 || to.size() != index.size() || to.item_bytes() != from.item_bytes())
    throw ordo::usage_error("bad index: type or length");
  nb::gil_scoped_release const released;
  std::span const positions(static_cast<std::int64_t const*>(index.data()), index.size());
  for (std::int64_t const position : positions)
    if (std::uint64_t(position) >= from.size()) throw ordo::usage_error("bad index: " + std::to_string(position));
  copy_items(on, from.data(), from.item_bytes(), positions, to.data());
}

}  // namespace

void add_strings(nb::module_& module) {
  module.def("sort_list", &sort_list);
  module.def("argsort_list", &argsort_list, nb::arg("machine"), nb::arg("list"), nb::arg("rows").none(), nb::arg("index"),
             nb::arg("repeats").none(), nb::arg("descending"));
  module.def("argsort_strings", &argsort_strings, nb::arg("machine"), nb::arg("bytes"), nb::arg("offsets"),
             nb::arg("rows").none(), nb::arg("index"), nb::arg("repeats").none(), nb::arg("descending"));
  module.def("argsort_string_views", &argsort_string_views, nb::arg("machine"), nb::arg("views"), nb::arg("buffers"),
             nb::arg("rows").none(), nb::arg("index"), nb::arg("repeats").none(), nb::arg("descending"));
  module.def("argsort_fixed", &argsort_fixed, nb::arg("machine"), nb::arg("strings"), nb::arg("rows").none(), nb::arg("index"),
             nb::arg("repeats").none(), nb::arg("ends_at_zeros"), nb::arg("descending"));
  module.def("argsort_ucs4", &argsort_ucs4, nb::arg("machine"), nb::arg("strings"), nb::arg("rows").none(), nb::arg("index"),
             nb::arg("repeats").none(), nb::arg("descending"));
  module.def("sort_unicode", &sort_unicode);
  module.def("argsort_unicode", &argsort_unicode);
  module.def("sort_strings", &sort_strings);
  module.def("gather_strings", &gather_strings);
  module.def("gather", &gather);
}

}  // namespace ordo_python
