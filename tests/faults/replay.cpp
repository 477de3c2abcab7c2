// ordo_replay TARGET RUNS FILE...: runs a fuzz target on each file, and on RUNS random changes of each, the same ones every
// time. What libFuzzer does, for compilers without it, and without coverage. A target ends the process if something is wrong.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

using target = int(std::uint8_t const*, std::size_t);
extern "C" target fuzz_codecs, fuzz_corpus, fuzz_description, fuzz_fasta, fuzz_fastq, fuzz_gnu_order, fuzz_import, fuzz_index,
    fuzz_keys, fuzz_matches, fuzz_mgf, fuzz_mzml, fuzz_options, fuzz_threads;

namespace {

struct named_target {
  char const* name;
  target* run;
};
constexpr named_target targets[] = {{"codecs", fuzz_codecs},
                                    {"corpus", fuzz_corpus},
                                    {"description", fuzz_description},
                                    {"fasta", fuzz_fasta},
                                    {"fastq", fuzz_fastq},
                                    {"import", fuzz_import},
                                    {"index", fuzz_index},
                                    {"gnu_order", fuzz_gnu_order},
                                    {"keys", fuzz_keys},
                                    {"matches", fuzz_matches},
                                    {"mgf", fuzz_mgf},
                                    {"mzml", fuzz_mzml},
                                    {"options", fuzz_options},
                                    {"threads", fuzz_threads}};

// Changes, removes, adds or repeats some bytes.
void change(std::string& text, std::mt19937& random) {
  for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
    std::size_t const at = random() % (text.size() + 1), bytes = std::min<std::size_t>(1 + random() % 8, text.size() - at);
    switch (random() % 4) {
      case 0:
        text.erase(at, bytes);
        break;
      case 1:
        text.insert(at, text.substr(random() % (text.size() + 1), bytes));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      default:
        if (bytes != 0) text[at] = static_cast<char>(random());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (auto const& [name, run] : targets) {
    if (std::strcmp(name, argv[1]) != 0) continue;
    std::mt19937 random(1);
    for (int k = 3; k < argc; ++k) {
      std::ifstream file(argv[k], std::ios::binary);
      std::string const seed(std::istreambuf_iterator<char>(file), {});
      for (int runs = std::atoi(argv[2]); runs >= 0; --runs) {
        std::string text = seed;
        if (runs > 0) change(text, random);
        // Memory of its own, so that a sanitizer sees a read beyond the end.
        run(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
      }
    }
    return 0;
  }
  std::fprintf(stderr, "no such target: %s\n", argv[1]);
  return 2;
}
