#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/processes/fork_delay.hpp"
#include "distributed/reduce.hpp"
#include "ordo/cpu.hpp"
#include "ordo/distributed_sort.hpp"
#include "ordo/gpu.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"
#include "python/src/options.hpp"

namespace ordo_python {
namespace {

/// A member of a communicator whose verbs are methods of a Python object: see _distributed.py.
class python_member final : public ordo::communicator {
 public:
  using communicator::all_gather;
  using communicator::all_to_all;
  using communicator::reduce;
  /// Needs the GIL. @param verbs  must outlive this object
  explicit python_member(nb::handle verbs)
      : communicator(nb::cast<std::size_t>(verbs.attr("size")), nb::cast<std::size_t>(verbs.attr("rank"))), verbs_(verbs) {}

  void broadcast(std::span<std::byte> data, std::size_t root) override {
    check_root(root);
    call([&] { verbs_.attr("broadcast")(view(data), root); });
  }
  void all_gather(std::span<std::byte const> own, std::span<std::byte> all) override {
    check_gather(own.size(), all.size());
    call([&] { verbs_.attr("all_gather")(view(own), view(all)); });
  }
  void all_to_all(std::span<std::span<std::byte const> const> sends, std::span<std::span<std::byte> const> receives,
                  std::function<void(std::size_t)> const& arrived) override {
    check_lists(sends.size(), receives.size());
    for (std::size_t round = 0; round < receives.size() / size(); ++round) {
      auto const to = sends.subspan(round * size(), size());
      auto const from = receives.subspan(round * size(), size());
      if (to[rank()].size() != from[rank()].size()) throw ordo::usage_error("bad length: all_to_all: a member's own part");
      if (!to[rank()].empty()) std::memcpy(from[rank()].data(), to[rank()].data(), to[rank()].size());
      call([&] {
        nb::list sent, received;
        for (std::size_t m = 0; m < size(); ++m) {
          sent.append(view(m == rank() ? to[m].first(0) : to[m]));
          received.append(view(m == rank() ? from[m].first(0) : from[m]));
        }
        verbs_.attr("all_to_all")(sent, received);
      });
      arrived(round);
    }
  }
  void reduce(std::span<std::uint64_t> values, ordo::reduction by) override {
    ordo::detail::reduce_gathered(*this, values, by);
  }
  void barrier() override {
    call([&] { verbs_.attr("barrier")(); });
  }
  void fail(std::string const&) noexcept override {}  // the exception reaches the caller

  /// Throws the exception that a verb raised, if one did.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  /// Calls a verb with the GIL.
  template <class Verb>
  void call(Verb verb) {
    ordo::work_pause const pause;
    nb::gil_scoped_acquire const held;
    try {
      verb();
    } catch (nb::python_error const&) {
      raised_ = std::current_exception();
      throw ordo::member_lost("communicator: a verb raised an exception");
    }
  }
  static nb::object view(std::span<std::byte const> bytes, int flags = PyBUF_READ) {
    static char none = 0;  // an empty span may have no address
    auto const* const begin = bytes.empty() ? &none : reinterpret_cast<char const*>(bytes.data());
    PyObject* const made = PyMemoryView_FromMemory(const_cast<char*>(begin), Py_ssize_t(bytes.size()), flags);
    if (!made) throw nb::python_error();
    return nb::steal(made);
  }
  static nb::object view(std::span<std::byte> bytes) { return view(bytes, PyBUF_WRITE); }

  nb::handle verbs_;
  std::exception_ptr raised_;
};

/// A member's arrays. Needs the GIL for construction and destruction.
struct share {
  array keys;
  std::unique_ptr<array> values;

  share(nb::handle keys_given, nb::handle values_given, std::uintptr_t stream) : keys(keys_given, "share", true, stream) {
    if (values_given.is_none()) return;
    values = std::make_unique<array>(values_given, "values", true, stream);
    if (values->gpu() != keys.gpu()) throw ordo::usage_error("bad values: not on the device of the share");
    if (values->size() != keys.size())
      throw ordo::usage_error("bad values: length " + std::to_string(values->size()) + " for " + std::to_string(keys.size()) +
                              " keys");
  }
  /// Returns the task of this share, in place.
  [[nodiscard]] ordo::detail::sort_task task(unsigned flags) const {
    ordo_sort_options options = make_options(flags);
    options.equal_zeros = values && !(flags & has_total_order);  // keys alone are the same bytes in any order of zeros
    auto task = ordo::detail::c_sort_task(keys.type(), keys.data(), values ? values->item_bytes() : 0,
                                          values ? values->data() : nullptr, keys.size(), &options);
    task.out_of_place = true;
    task.keys_in = task.keys;
    task.keys_in_given = task.n;
    task.values_in = task.values;
    task.values_in_given = task.values_given;
    return task;
  }
};

void sort_share(machines& on, nb::handle verbs, nb::handle keys, nb::handle values, unsigned flags, std::uintptr_t stream) {
  share const own(keys, values, stream);
  python_member member(verbs);
  try {
    on.run(own.keys.gpu(), stream, [&](ordo_machine* machine) {
      return ordo::detail::c_status([&] { ordo::detail::sort_over(member, *machine->machine, own.task(flags)); });
    });
  } catch (...) {
    member.rethrow();
    throw;
  }
}

void sort_shares(machines& on, nb::sequence keys, nb::handle values, unsigned flags, nb::sequence streams) {
  std::vector<std::unique_ptr<share>> shares;
  std::vector<unsigned> gpus;
  for (std::size_t m = 0; m < nb::len(keys); ++m) {
    auto const stream = nb::cast<std::uintptr_t>(streams[m]);
    nb::object const moved = values.is_none() ? nb::none() : nb::object(values[m]);
    shares.push_back(std::make_unique<share>(keys[m], moved, stream));
    if (auto const gpu = shares.back()->keys.gpu()) {
      gpus.push_back(*gpu);
      on.run(gpu, stream, [](ordo_machine* machine) { return ordo_synchronize(machine); });  // what the array is made of
    }
  }
  if (gpus.empty() && on.options().device == ordo::device::gpu)
    throw ordo::usage_error("bad machine: " + on.device() + ": the arrays are in the host's memory");
  if (!gpus.empty() && gpus.size() != shares.size())
    throw ordo::usage_error("bad shares: some are in the memory of GPUs, others on the host");
  nb::gil_scoped_release const released;
  auto const work = [&](ordo::communicator& member, ordo::machine& machine) {
    ordo::detail::sort_over(member, machine, shares[member.rank()]->task(flags));
  };
  if (gpus.empty())
    ordo::run_members(shares.size(), work, on.threads());
  else
    ordo::run_members(gpus, work);
}

}  // namespace

void add_distributed(nb::module_& module) {
  module.def("sort_share", sort_share, nb::arg("machine"), nb::arg("verbs"), nb::arg("keys"), nb::arg("values").none(),
             nb::arg("flags"), nb::arg("stream"));
  module.def("sort_shares", sort_shares, nb::arg("machine"), nb::arg("keys"), nb::arg("values").none(), nb::arg("flags"),
             nb::arg("streams"));
}

}  // namespace ordo_python
