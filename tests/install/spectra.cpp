#include <iostream>
#include <ordo/spectra.hpp>

int main() {
  std::string mgf = "BEGIN IONS\nTITLE=one\nPEPMASS=401.2\n230.1 55\n112.05 9 1+\n175.119 300\nEND IONS\n";
  ordo::spectra::sort_options how;
  how.by = ordo::spectra::sort_key::intensity;
  how.descending = true;
  ordo::spectra::sort(mgf, mgf, how);  // in place
  std::cout << mgf;
}
