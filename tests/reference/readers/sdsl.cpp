// Prints the entries of an int_vector<0> of SDSL, as SDSL reads them: width, then a line each.
#include <cstddef>
#include <iostream>

#include <sdsl/int_vector.hpp>

int main(int argc, char** argv) {
  sdsl::int_vector<0> entries;
  if (argc != 2 || !sdsl::load_from_file(entries, argv[1])) return 2;
  std::cout << unsigned(entries.width()) << '\n';
  for (std::size_t i = 0; i < entries.size(); ++i) std::cout << entries[i] << '\n';
}
