#include <iostream>
#include <ordo/strings.hpp>
#include <string_view>

int main() {
  std::string_view const text = "pear\napple\nfig\napple\n";
  auto const lines = ordo::strings::sort(text);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines.is_duplicate(i)) std::cout << lines[i] << '\n';
}
