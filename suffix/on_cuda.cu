#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"
#include "suffix/build_instances.hpp"
#include "suffix/device_records.hpp"

extern ORDO_BUILD_ARRAYS(ordo::cuda_backend, std::uint32_t) extern ORDO_BUILD_ARRAYS(ordo::cuda_backend, std::uint64_t)

    namespace ordo::suffix::detail {
  template <class Index>
  std::size_t build_on_cuda(text const& input, results<Index> const& out, options const& how, unsigned gpu_index) {
    return work_on<gpu>(how.machine, gpu_index, [&](cuda_backend& machine) { return build_on(machine, input, out, how); });
  }

  template <class Index>
  std::size_t check_on_cuda(text const& input, arrays<Index const> all, options const& how, unsigned gpu_index,
                            std::optional<fault>& found) {
    return work_on<gpu>(how.machine, gpu_index, [&](cuda_backend& machine) {
      found = find_fault(machine, input, all);
      return machine.pool().peak();
    });
  }

  template <class Index>
  memory_plan build_memory_on_cuda(std::size_t n, std::size_t records, wanted what, row_choice rows) {
    return memory_of_rows<Index, cuda_backend>(n, records, what, true, rows.sample);
  }

  template <class Index>
  std::size_t most_in_range_on_cuda(std::size_t n, std::size_t records, wanted what, row_choice rows, std::size_t available) {
    return most_in_range<Index, cuda_backend>(n, records, what, true, rows.sample, available);
  }

  template <class Index>
  std::size_t check_memory_on_cuda(std::size_t n, std::size_t records, wanted what) {
    return proof_memory<Index, cuda_backend>(n, records, what, true);
  }

  extern template class parsed_fasta<cuda_backend>;  // in fasta_cuda.cu

  namespace {

  class records_on_cuda final : public records_on_gpu {
   public:
    records_on_cuda(machine_options const& how, unsigned gpu_index, std::uint64_t bytes)
        : lease_(how, gpu_index), index_(gpu_index) {
      with_backend(*lease_, [&](cuda_backend& machine) { records_.emplace(machine, bytes); });
    }
    ~records_on_cuda() override {
      with_backend(*lease_, [&](cuda_backend&) { records_.reset(); });
    }

    void append(fasta& to, std::string const& name, source& from, fasta_options const& how) override {
      with_backend(*lease_, [&](cuda_backend&) { records_->append(to, name, from, how, {std::size_t{64} << 20}); });
    }
    [[nodiscard]] std::size_t size() const override { return records_->size(); }
    std::size_t build(fasta const& about, results<std::uint32_t> const& to, sink* residues, options const& how) override {
      return build_any(about, to, residues, how);
    }
    std::size_t build(fasta const& about, results<std::uint64_t> const& to, sink* residues, options const& how) override {
      return build_any(about, to, residues, how);
    }
    void bring(host_bytes& to) override {
      with_backend(*lease_, [&](cuda_backend&) { records_->bring(to); });
    }

   private:
    template <class Index>
    std::size_t build_any(fasta const& about, results<Index> const& to, sink* residues, options const& how) {
      return with_backend(*lease_, [&](cuda_backend& machine) {
        records_->build(about, to, residues, how, [&](auto f) { work_on<gpu>({}, index_, f); });
        return machine.pool().peak();
      });
    }

    machine_lease<gpu> lease_;
    unsigned index_;
    std::optional<records_on<cuda_backend>> records_;
  };

  }  // namespace

  std::unique_ptr<records_on_gpu> make_records_on_cuda(machine_options const& how, unsigned gpu_index, std::uint64_t bytes) {
    return std::make_unique<records_on_cuda>(how, gpu_index, bytes);
  }

  template std::size_t build_on_cuda(text const&, results<std::uint32_t> const&, options const&, unsigned);
  template std::size_t build_on_cuda(text const&, results<std::uint64_t> const&, options const&, unsigned);
  template std::size_t check_on_cuda(text const&, arrays<std::uint32_t const>, options const&, unsigned, std::optional<fault>&);
  template std::size_t check_on_cuda(text const&, arrays<std::uint64_t const>, options const&, unsigned, std::optional<fault>&);
  template memory_plan build_memory_on_cuda<std::uint32_t>(std::size_t, std::size_t, wanted, row_choice);
  template memory_plan build_memory_on_cuda<std::uint64_t>(std::size_t, std::size_t, wanted, row_choice);
  template std::size_t most_in_range_on_cuda<std::uint32_t>(std::size_t, std::size_t, wanted, row_choice, std::size_t);
  template std::size_t most_in_range_on_cuda<std::uint64_t>(std::size_t, std::size_t, wanted, row_choice, std::size_t);
  template std::size_t check_memory_on_cuda<std::uint32_t>(std::size_t, std::size_t, wanted);
  template std::size_t check_memory_on_cuda<std::uint64_t>(std::size_t, std::size_t, wanted);

}  // namespace ordo::suffix::detail
