// Are MGF files the spectra of others in order? Shares no code with specsort; two readings, in little memory, by all threads.
//
//   ordo_check_spectra [--spectra-by KEY,...] [--descending-spectra] [--map FILE] -o OUTPUT [-o OUTPUT...] INPUT...
//
// Checks that the outputs together have the spectra of all inputs, each as often: with the same lines, those that are no peaks
// in the same order; and that the keys are in order, what is missing last. With the map that specsort wrote: that each spectrum
// is the one that the map says, that the map names each spectrum of the inputs once, and that equal ones are in the order of
// the inputs. Lines end with LF or CRLF; files are not compressed. Memory: 24 bytes a spectrum with a map, else none; and some
// megabytes for each thread. Exit status: 1 if something is wrong, which is told, 2 for bad options or files.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/reference/checkers/mgf.hpp"

namespace {

constexpr std::string_view key_names[] = {"pepmass", "mass", "rt", "scan", "charge", "title", "peaks"};

// Below 0: a stands before b.
int compare(spectrum const& a, spectrum const& b, bool descending) {
  for (std::size_t k = 0; k < a.keys.size(); ++k) {
    value const &x = a.keys[k], &y = b.keys[k];
    if (x.missing != y.missing) return x.missing ? 1 : -1;
    int const order = x.number != y.number ? (x.number < y.number ? -1 : 1) : x.text.compare(y.text);
    if (order != 0) return descending ? -order : order;
  }
  return 0;
}

// The facts about the inputs that are known when the outputs are read.
struct known_spectrum {
  std::uint64_t low, high, offset;
};
struct known_input {
  std::string name;
  std::vector<known_spectrum> all;
  std::vector<bool> named;
};

class map_reader {
 public:
  map_reader(std::string const& path, std::vector<known_input>& inputs) : path_(path), from_(path), inputs_(inputs) {
    std::string line;
    if (!std::getline(from_, line) || line != "output\tspectrum\tinput\tnumber\toffset\tdropped")
      wrong(path_ + ": another header");
  }
  /// The origin of the next spectrum: its input and its number there, in the expected order.
  std::pair<std::size_t, std::uint64_t> next(std::string const& output, std::uint64_t number, wide digest,
                                             std::string const& where) {
    std::string line;
    std::getline(from_, line);
    std::vector<std::string> fields(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\t')
        fields.emplace_back();
      else if (line[i] == '\\' && i + 1 < line.size())
        fields.back() += line[++i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
      else
        fields.back() += line[i];
    }
    auto const bad = [&](std::string const& why) { wrong(where + ": the map says '" + line + "'" + why); };
    if (fields.size() != 6 || fields[0] != output || fields[1] != std::to_string(number)) bad("");
    std::uint64_t const place = std::strtoull(fields[3].c_str(), nullptr, 10) - 1;
    std::size_t input = inputs_.size();  // of several of one name the first whose spectrum was not named yet
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (inputs_[k].name != fields[2] || place >= inputs_[k].all.size()) continue;
      input = k;
      if (!inputs_[k].named[place]) break;
    }
    if (input == inputs_.size()) bad(", which is not there");
    known_spectrum const& one = inputs_[input].all[place];
    if (std::to_string(one.offset) != fields[4]) bad(", but that one is at " + std::to_string(one.offset));
    if (one.low != std::uint64_t(digest) || one.high != std::uint64_t(digest >> 64)) bad(", which is another one");
    if (inputs_[input].named[place]) bad(", for the second time");
    inputs_[input].named[place] = true;
    return {input, place};
  }
  void finish() {
    std::string line;
    if (std::getline(from_, line)) wrong(path_ + ": it names more than there are: '" + line + "'");
  }

 private:
  std::string path_;
  std::ifstream from_;
  std::vector<known_input>& inputs_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> keys, outputs, inputs;
  std::string map_path;
  bool descending = false;
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    bool const more = i + 1 < argc;
    if (word == "--spectra-by" && more) {
      std::istringstream list(argv[++i]);
      for (std::string key; std::getline(list, key, ',');) {
        if (std::ranges::find(key_names, key) == std::end(key_names)) stop(2, "no such key: '" + key + "'");
        keys.push_back(key);
      }
    } else if (word == "--descending-spectra") {
      descending = true;
    } else if (word == "--map" && more) {
      map_path = argv[++i];
    } else if (word == "-o" && more) {
      outputs.emplace_back(argv[++i]);
    } else if (word.starts_with('-')) {
      stop(2, "no such option: " + word);
    } else {
      inputs.push_back(word);
    }
  }
  if (outputs.empty() || inputs.empty()) stop(2, "-o OUTPUT and INPUT are wanted");

  wide sum = 0;
  std::uint64_t count = 0, bytes = 0;
  std::vector<known_input> known(inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    known[k].name = inputs[k];
    each_spectrum(file(inputs[k]), {}, [&](spectrum const& one) {
      sum += one.digest;
      ++count;
      if (!map_path.empty()) known[k].all.push_back({std::uint64_t(one.digest), std::uint64_t(one.digest >> 64), one.offset});
    });
    known[k].named.resize(known[k].all.size());
  }

  std::optional<map_reader> map;
  if (!map_path.empty()) map.emplace(map_path, known);
  std::uint64_t seen = 0;
  std::optional<spectrum> last;
  std::pair<std::size_t, std::uint64_t> last_place, place;
  for (std::string const& output : outputs) {
    file const from(output);
    bytes += from.size();
    std::uint64_t number = 0;
    each_spectrum(from, keys, [&](spectrum& one) {
      ++seen;
      sum -= one.digest;
      std::string const where = output + ": spectrum " + std::to_string(++number) + ", at byte " + std::to_string(one.offset);
      if (map) place = map->next(output, number, one.digest, where);
      int const order = last ? compare(*last, one, descending) : -1;
      if (order > 0) wrong(where + ": out of order");
      if (order == 0 && map && place < last_place) wrong(where + ": equal ones are not in the order of the inputs");
      last = std::move(one);
      last_place = place;
    });
  }
  if (map) map->finish();
  if (seen != count) wrong("not the spectra of the inputs: " + std::to_string(seen) + " instead of " + std::to_string(count));
  if (sum != 0) wrong("not the spectra of the inputs: others, or with other lines");
  std::cout << count << " spectra in " << bytes << " bytes are those of the inputs, in order\n";
}
