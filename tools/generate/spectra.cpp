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
  bool charges;           // a third column
  bool profile;           // evenly spaced points, most of intensity 0
  bool peptides = false;  // fragments of a peptide that other spectra are of, too, and noise
};

constexpr std::array presets{
    preset{"proteomics", 170, 0.3, 5, 3, ' ', false, false}, preset{"iontrap", 690, 0.23, 7, 10, ' ', false, false},
    preset{"gnps", 40, 0.8, 6, 1, '\t', false, false},       preset{"timstof", 150, 0.5, 5, 0, '\t', true, false},
    preset{"profile", 10000, 0, 6, 1, ' ', false, true},     preset{"peptides", 90, 0.3, 5, 1, ' ', false, false, true},
};
constexpr std::array<std::string_view, 5> orders{"mz", "intensity", "random", "reversed", "nearly"};

// Masses in 10^-5 Da: the nineteen residues of different mass, a proton, and water.
constexpr std::array<std::uint64_t, 19> residues{5702146,  7103711,  8703203,  9705276,  9906841,  10104768, 10300919,
                                                 11308406, 11404293, 11502694, 12805858, 12809496, 12904259, 13104049,
                                                 13705891, 14706841, 15610111, 16306333, 18607931};
constexpr std::uint64_t proton = 100728, water = 1801056;

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
  generator(preset const& preset, spectra_options const& options)
      : preset_(preset),
        order_(options.order),
        seed_(options.seed),
        peptides_(std::max<std::size_t>(1, options.count / 8)),
        random_(options.seed),
        shuffle_(~options.seed) {}

  std::size_t write(std::size_t scan, sink& out) {
    ion of{};
    if (preset_.peptides)
      of = fill_peptide();
    else if (preset_.profile)
      fill_profile();
    else
      fill_centroids();
    if (!preset_.peptides) of.mz = random_.between(300 * 10000, 1400 * 10000);
    order_peaks();
    header(scan, of, out);
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

  struct ion {
    std::uint64_t mz;      // in 10^-4
    std::uint64_t charge;  // 0: any
  };

  // A few peptides have many spectra each, most have few: the number of the peptide is that of all times the square of a
  // uniform number. Nine tenths of its fragments b and y are there, within a few ppm and with a third more or less of their
  // intensity.
  ion fill_peptide() {
    double const at = random_.unit();
    auto const peptide = static_cast<std::uint64_t>(at * at * static_cast<double>(peptides_));
    random_source own(seed_ + (peptide + 1) * 0xd1342543de82ef95);
    masses_.clear();
    std::uint64_t mass = 0;
    for (std::uint64_t size = own.between(7, 24); size > 0; --size)
      masses_.push_back(mass += residues[own.below(residues.size())]);
    masses_.pop_back();
    std::uint64_t const charge = own.between(2, 3);
    peaks_.clear();
    auto const add = [&](std::uint64_t mz, double height) {
      if (!random_.chance(0.9)) return;
      // Not inside the call: compilers differ in which argument they evaluate first.
      double const own_height = random_.lognormal(height, 0.3);
      add_peak(moved(mz, 3e-6), own_height);
    };
    for (std::uint64_t const before : masses_) {
      add(before + proton, own.lognormal(5000, 1.2));
      add(mass - before + water + proton, own.lognormal(10000, 1.2));
    }
    auto const noise = static_cast<std::size_t>(random_.lognormal(preset_.median, preset_.sigma));
    for (std::size_t i = 0; i != noise; ++i) {
      double const height = 100 / (random_.unit() + 0.04);
      add_peak(random_.between(10000000, 150000000), height);
    }
    std::sort(peaks_.begin(), peaks_.end(), [](auto const& a, auto const& b) { return a.mz < b.mz; });
    return {moved((mass + water) / charge + proton, 2e-6) / 10, charge};
  }

  void add_peak(std::uint64_t mz, double height) {
    peaks_.push_back(
        {mz, static_cast<std::uint64_t>(height * static_cast<double>(power_of_ten(preset_.intensity_decimals))), '0'});
  }

  // Returns an m/z with an error.
  std::uint64_t moved(std::uint64_t mz, double sigma) {
    return static_cast<std::uint64_t>(static_cast<double>(mz) * (1 + sigma * random_.normal()));
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

  void header(std::size_t scan, ion const& of, sink& out) {
    std::string mass, strength;
    append_fixed(mass, of.mz, 4);
    append_fixed(strength, random_.between(1000000, 900000000), 2);
    std::uint64_t const charge = of.charge > 0 ? of.charge : random_.between(2, 4);
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
  std::uint64_t seed_;
  std::size_t peptides_;
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
  if (it == presets.end())
    throw usage_error(
        fmt::format("unknown preset: --preset: '{}': choose from {}", options.preset, fmt::join(spectra_presets(), ", ")));
  if (std::find(orders.begin(), orders.end(), options.order) == orders.end())
    throw usage_error(fmt::format("unknown order: --order: '{}': choose from {}", options.order, fmt::join(orders, ", ")));
  generator spectra(*it, options);
  spectra_report report;
  for (std::size_t scan = 1; scan <= options.count; ++scan) report.peaks += spectra.write(scan, out);
  return report;
}

}  // namespace ordo::inline v0::generate
