#include "tools/generate/spectra.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/generate/random.hpp"

namespace ordo::inline v0::generate {
namespace {

// Whole numbers of the last decimal, so that printing is exact.
struct peak {
  std::uint64_t mz, intensity;
  char charge;
};

struct preset {
  std::string_view name;
  double median, sigma;  // median and sigma of the number of peaks
  unsigned mz_decimals, intensity_decimals;
  char separator;
  bool charges;  // a third column
  bool profile;  // evenly spaced points, most of intensity 0
};

constexpr std::array presets{
    preset{"proteomics", 170, 0.3, 5, 3, ' ', false, false}, preset{"iontrap", 690, 0.23, 7, 10, ' ', false, false},
    preset{"gnps", 40, 0.8, 6, 1, '\t', false, false},       preset{"timstof", 150, 0.5, 5, 0, '\t', true, false},
    preset{"profile", 10000, 0, 6, 1, ' ', false, true},
};
constexpr std::array<std::string_view, 5> orders{"mz", "intensity", "random", "reversed", "nearly"};

constexpr std::uint64_t power_of_ten(unsigned exponent) {
  return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1);
}

void append_fixed(std::string& text, std::uint64_t value, unsigned decimals) {
  std::array<char, 24> digits;
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::size_t size = static_cast<std::size_t>(end - digits.data());
  if (size <= decimals) {  // 0.00x
    text.append("0.").append(decimals - size, '0').append(digits.data(), size);
    return;
  }
  text.append(digits.data(), size - decimals);
  if (decimals > 0) (text += '.').append(digits.data() + size - decimals, decimals);
}

class generator {
 public:
  generator(preset const& preset, std::string_view order, std::uint64_t seed)
      : preset_(preset), order_(order), random_(seed), shuffle_(~seed) {}

  std::size_t write(std::size_t scan, sink& out) {
    preset_.profile ? fill_profile() : fill_centroids();
    std::uint64_t const precursor = random_.between(300 * 10000, 1400 * 10000);
    order_peaks();
    header(scan, precursor, out);
    for (auto const& p : peaks_) {
      append_fixed(out.text(), p.mz, preset_.mz_decimals);
      out.text() += preset_.separator;
      append_fixed(out.text(), p.intensity, preset_.intensity_decimals);
      if (preset_.charges) (out.text() += preset_.separator) += p.charge;
      out.end_line();
    }
    out.text() += "END IONS\n";
    out.end_line();
    return peaks_.size();
  }

 private:
  std::uint64_t intensity() {
    return static_cast<std::uint64_t>(random_.lognormal(1500, 1.5) *
                                      static_cast<double>(power_of_ten(preset_.intensity_decimals)));
  }

  void fill_centroids() {
    std::size_t const size =
        std::max<std::size_t>(1, static_cast<std::size_t>(random_.lognormal(preset_.median, preset_.sigma)));
    std::uint64_t const unit = power_of_ten(preset_.mz_decimals);
    masses_.clear();
    for (std::size_t i = 0; i != size; ++i)
      masses_.push_back(i > 0 && random_.below(500) == 0 ? masses_.back() : random_.between(50 * unit, 1800 * unit));
    std::sort(masses_.begin(), masses_.end());
    peaks_.clear();
    for (auto const mz : masses_) peaks_.push_back({mz, intensity(), static_cast<char>('0' + random_.below(4))});
  }

  void fill_profile() {
    auto const size = static_cast<std::size_t>(1000 * exact_exp(random_.unit() * exact_log(100)));
    std::uint64_t const unit = power_of_ten(preset_.mz_decimals), step = 1700 * unit / size;
    peaks_.clear();
    bool signal = false;
    for (std::size_t i = 0; i != size; ++i) {
      if (random_.below(signal ? 5 : 20) == 0) signal = !signal;  // a fifth of the points, in stretches of five
      peaks_.push_back({100 * unit + i * step + random_.below(step / 4 + 1), signal ? intensity() : 0, '0'});
    }
  }

  void order_peaks() {
    auto const key = [](peak const& p) { return std::tuple(~p.intensity, p.mz, p.charge); };
    if (order_ == "intensity") {
      std::sort(peaks_.begin(), peaks_.end(), [&](auto const& a, auto const& b) { return key(a) < key(b); });
    } else if (order_ == "reversed") {
      std::reverse(peaks_.begin(), peaks_.end());
    } else if (order_ == "random") {
      for (std::size_t i = peaks_.size(); i > 1; --i) std::swap(peaks_[i - 1], peaks_[shuffle_.below(i)]);
    } else if (order_ == "nearly") {
      for (std::size_t i = 0; i + 1 < peaks_.size(); ++i)
        if (shuffle_.below(100) == 0) std::swap(peaks_[i], peaks_[std::min(i + shuffle_.between(1, 8), peaks_.size() - 1)]);
    }
  }

  void header(std::size_t scan, std::uint64_t precursor, sink& out) {
    std::string mass, strength;
    append_fixed(mass, precursor, 4);
    append_fixed(strength, random_.between(1000000, 900000000), 2);
    std::uint64_t const charge = random_.between(2, 4);
    auto const to = std::back_inserter(out.text());
    fmt::format_to(to, "BEGIN IONS\n");
    if (preset_.name == "gnps") {
      fmt::format_to(
          to,
          "PEPMASS={}\nCHARGE=0\nMSLEVEL=2\nSOURCE_INSTRUMENT=LC-ESI-qTof\nFILENAME=synthetic.mgf\nSEQ=*..*\nIONMODE=Positive\n"
          "ORGANISM=synthetic\nNAME=compound {} M+H\nPI=none\nDATACOLLECTOR=none\nSMILES=N/A\nINCHI=N/A\nINCHIAUX=N/A\n"
          "PUBMED=N/A\nSUBMITUSER=none\nLIBRARYQUALITY=3\nSPECTRUMID=SYNTHETIC{:011}\nSCANS={}\n",
          mass, scan, scan, scan);
      return;
    }
    fmt::format_to(to, "TITLE=synthetic.{}.{}.{} File:\"synthetic.raw\", scan={}\n", scan, scan, charge, scan);
    fmt::format_to(to, "RTINSECONDS={}.{:02}\nPEPMASS={} {}\nCHARGE={}+\n", scan * 37 / 100, scan * 37 % 100, mass, strength,
                   charge);
    if (preset_.charges) fmt::format_to(to, "ION_MOBILITY=1.{:04}\n", random_.below(6000));
  }

  preset const& preset_;
  std::string_view order_;
  random_source random_, shuffle_;  // apart, so that the same seed gives the same peaks in any order
  std::vector<std::uint64_t> masses_;
  std::vector<peak> peaks_;
};

}  // namespace

std::vector<std::string_view> spectra_presets() {
  std::vector<std::string_view> names;
  for (auto const& p : presets) names.push_back(p.name);
  return names;
}

std::vector<std::string_view> spectra_orders() {
  return {orders.begin(), orders.end()};
}

spectra_report write_spectra(spectra_options const& options, sink& out) {
  auto const it = std::find_if(presets.begin(), presets.end(), [&](auto const& p) { return p.name == options.preset; });
  if (it == presets.end()) throw usage_error(fmt::format("spectra: --preset: none is called {}", options.preset));
  if (std::find(orders.begin(), orders.end(), options.order) == orders.end())
    throw usage_error(fmt::format("spectra: --order: none is called {}", options.order));
  generator spectra(*it, options.order, options.seed);
  spectra_report report;
  for (std::size_t scan = 1; scan <= options.count; ++scan) report.peaks += spectra.write(scan, out);
  return report;
}

}  // namespace ordo::inline v0::generate
