#define CATCH_CONFIG_RUNNER  // version 2 compiles its own code here; version 3 has a library
#include "tests/unit/catch.hpp"

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
