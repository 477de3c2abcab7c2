#include "tools/cli/programs.hpp"

int main(int argc, char** argv) {
  return ordo::programs::specsort(argc, argv);
}
