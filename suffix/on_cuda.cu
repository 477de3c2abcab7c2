#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "suffix/arrays/build_instances.hpp"
#include "suffix/arrays/device_records.hpp"

extern ORDO_BUILD_ARRAYS(ordo::cuda_backend, std::uint32_t);
extern ORDO_BUILD_ARRAYS(ordo::cuda_backend, std::uint64_t);

namespace ordo::inline v0::suffix::detail {

template <class Index>
suffix_builder<Index> cuda_builder() {
  auto gpus = memory_of_builder<Index, cuda_backend>();
  gpus.build = [](text const& input, results<Index> const& to, build_options const& options, unsigned gpu_index) {
    return with_machine<gpu>(options.machine, gpu_index,
                             [&](cuda_backend& backend) { return build_on(backend, input, to, options); });
  };
  gpus.check = [](text const& input, arrays<Index const> all, build_options const& options, unsigned gpu_index,
                  std::optional<mismatch>& result) {
    return with_machine<gpu>(options.machine, gpu_index, [&](cuda_backend& backend) {
      result = find_mismatch(backend, input, all);
      return backend.pool().peak();
    });
  };
  gpus.check_share = [](communicator& members, text const& input, arrays<Index const> own, build_options const& options,
                        unsigned gpu_index, check_report& report) {
    return with_machine<gpu>(options.machine, gpu_index, [&](cuda_backend& backend) {
      report.first_mismatch = find_mismatch(backend, members, input, own, report.exchanged);
      return backend.pool().peak();
    });
  };
  return gpus;
}

template suffix_builder<std::uint32_t> cuda_builder();
template suffix_builder<std::uint64_t> cuda_builder();

namespace {

class records_on_cuda final : public records_on_gpu {
 public:
  records_on_cuda(machine_options const& options, unsigned gpu_index, std::uint64_t bytes)
      : lease_(options, gpu_index), index_(gpu_index) {
    with_backend(*lease_, [&](cuda_backend& backend) { records_.emplace(backend, bytes); });
  }
  ~records_on_cuda() override {
    with_backend(*lease_, [&](cuda_backend&) { records_.reset(); });
  }

  void append(fasta& to, std::string const& name, source& from, fasta_options const& options) override {
    with_backend(*lease_, [&](cuda_backend&) { records_->append(to, name, from, options, {std::size_t{64} << 20}); });
  }
  [[nodiscard]] std::size_t size() const override { return records_->size(); }
  std::size_t build(fasta const& records, results<std::uint32_t> const& to, sink* residues,
                    build_options const& options) override {
    return build_any(records, to, residues, options);
  }
  std::size_t build(fasta const& records, results<std::uint64_t> const& to, sink* residues,
                    build_options const& options) override {
    return build_any(records, to, residues, options);
  }
  void download(host_bytes& to) override {
    with_backend(*lease_, [&](cuda_backend&) { records_->download(to); });
  }

 private:
  template <class Index>
  std::size_t build_any(fasta const& records, results<Index> const& to, sink* residues, build_options const& options) {
    return with_backend(*lease_, [&](cuda_backend& backend) {
      records_->build(records, to, residues, options, [&](auto f) { with_machine<gpu>({}, index_, f); });
      return backend.pool().peak();
    });
  }

  scoped_machine<gpu> lease_;
  unsigned index_;
  std::optional<records_on<cuda_backend>> records_;
};

}  // namespace

std::unique_ptr<records_on_gpu> make_records_on_cuda(machine_options const& options, unsigned gpu_index, std::uint64_t bytes) {
  return std::make_unique<records_on_cuda>(options, gpu_index, bytes);
}

}  // namespace ordo::inline v0::suffix::detail
