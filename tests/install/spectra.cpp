#include <iostream>
#include <ordo/spectra.hpp>

int main() {
  std::string mgf = "BEGIN IONS\nTITLE=one\nPEPMASS=401.2\n230.1 55\n112.05 9 1+\n175.119 300\nEND IONS\n";
  ordo::spectra::sort_options by_intensity;
  by_intensity.by = ordo::spectra::sort_key::intensity;
  by_intensity.descending = true;
  ordo::spectra::sort(mgf, mgf, by_intensity);  // in place
  std::cout << mgf;
}
