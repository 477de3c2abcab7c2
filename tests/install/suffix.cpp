#include <iostream>
#include <ordo/suffix.hpp>

int main() {
  std::string_view const residues = "GATTACA";
  auto const built = ordo::suffix::build<std::uint32_t>({residues}, {.lcp = true});
  for (std::size_t i = 0; i < built.sa.size(); ++i)
    std::cout << built.sa[i] << ' ' << built.lcp[i] << ' ' << residues.substr(built.sa[i]) << '\n';
}
