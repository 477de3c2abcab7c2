#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"

namespace ordo::specsort {

/// An mzML document as the MGF that sort_mzml makes of it, for who reads MGF: a thread makes what is read, and a little more.
class mgf_stream final : public source {
 public:
  /// @param how  the peaks' order, and their selection
  mgf_stream(std::unique_ptr<source> from, spectra::options how);
  ~mgf_stream() override;
  std::size_t read(std::span<char> to) override;

 private:
  class feed;
  void put(std::span<char const> data);

  std::unique_ptr<source> from_;
  std::mutex changing_;
  std::condition_variable changed_;
  std::deque<std::string> made_;
  std::size_t waiting_ = 0;  // bytes in made_
  std::size_t read_ = 0;     // of the first of them
  bool ended_ = false, given_up_ = false;
  std::exception_ptr failure_;
  std::thread maker_;
};

}  // namespace ordo::specsort
