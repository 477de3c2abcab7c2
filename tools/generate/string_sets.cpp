#include "tools/generate/string_sets.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tools/generate/names.hpp"

// No expression here draws two random numbers in operands or arguments whose order C++ leaves open.
namespace ordo::inline v0::generate {
namespace {

/// Lines in one piece of memory.
class line_pool {
 public:
  void add(std::string_view line) {
    text_ += line;
    ends_.push_back(text_.size());
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept {
    return std::string_view(text_).substr(ends_[i], ends_[i + 1] - ends_[i]);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_{0};
};

/// The last texts, roughly: a new one takes the place of any.
class recent_texts {
 public:
  explicit recent_texts(std::size_t capacity) : capacity_(capacity) {}
  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
  [[nodiscard]] std::string const& any(random_source& random) const { return texts_[random.below(texts_.size())]; }
  void add(std::string_view text, random_source& random) {
    if (texts_.size() < capacity_) {
      texts_.emplace_back(text);
    } else {
      texts_[random.below(texts_.size())] = text;
    }
  }

 private:
  std::size_t capacity_;
  std::vector<std::string> texts_;
};

void write_line(std::string_view line, sink& out) {
  out.text() += line;
  out.end_line();
}

void append_number(std::string& text, std::uint64_t number) {
  fmt::format_to(std::back_inserter(text), "{}", number);
}

}  // namespace

void write_dictcalls(std::size_t count, random_source& random, sink& out) {
  static constexpr std::string_view classes = "PDHQBLTNGZFRAEJKUMSVC",
                                    subclasses = "SANECRBTGLPVDFMHKQXUZ";  // the largest first
  auto const main_class = weighted_index::zipf(classes.size(), 0.7), subclass = weighted_index::zipf(subclasses.size(), 0.8);
  auto const letter = weighted_index::zipf(26, 0.4);
  std::string number;
  auto const cutter = [&](std::uint64_t largest) {  // for an author or a subject
    number += static_cast<char>('A' + letter(random));
    append_number(number, random.between(1, largest));
  };
  std::size_t volume = 0;
  for (std::size_t i = 0; i != count; ++i) {
    if (volume == 0 || !random.chance(0.4)) {
      volume = 0;
      number = classes[main_class(random)];
      if (random.chance(0.8)) number += subclasses[subclass(random)];
      number += ' ';
      append_number(number, 1 + static_cast<std::uint64_t>(std::min(random.exponential(1200), 9998.0)));
      if (random.chance(0.35)) append_number(number += '.', random.between(1, 99));
      number += " .";
      cutter(random.chance(0.5) ? 99 : 999);
      for (int more = 0; more != 2; ++more)
        if (random.chance(0.5)) number += ' ', cutter(99);
      if (random.chance(0.75))
        append_number(number += ' ', 1996 - static_cast<std::uint64_t>(std::min(random.exponential(18), 150.0)));
    }
    out.text() += number;
    if (volume++ > 0) append_number(out.text() += " v.", volume);
    out.end_line();
  }
}

void write_words(std::size_t count, random_source& random, sink& out) {
  static constexpr auto endings = std::to_array<std::string_view>(
      {"s", "ed", "ing", "er", "ly", "es", "ness", "able", "ation", "ers", "ings", "less", "ism", "ist", "ization", "'s"});
  auto const ending = weighted_index::zipf(endings.size(), 0.7);
  word_maker const make;
  fingerprints known(count);
  recent_texts recent(std::size_t{1} << 20);  // what new words derive from
  std::string word;
  for (std::size_t i = 0; i != count;) {
    bool const derived = !recent.empty() && random.chance(0.4);
    if (!derived) {
      word.clear();
      make.append(word, 2 + random.below(9) / 4, random);
    } else {
      word = recent.any(random);
      switch (random.below(8)) {
        case 0:
          word += recent.any(random);
          break;
        case 1:
          append_number(word, random.below(2000));
          break;
        default:
          word += endings[ending(random)];
      }
    }
    if (word.size() > 48 || !known.insert(word)) continue;
    write_line(word, out);
    if (!derived || random.chance(0.03)) recent.add(word, random);
    ++i;
  }
}

void write_urls(std::size_t count, random_source& random, sink& out) {
  static constexpr auto domains =
      std::to_array<std::string_view>({".com", ".edu", ".org", ".net", ".gov", ".co.uk", ".edu.au", ".de"});
  static constexpr auto types =
      std::to_array<std::string_view>({".html", ".gif", ".htm", ".jpg", "/", ".shtml", ".asp", ".pdf"});
  auto const domain = weighted_index::zipf(domains.size(), 1), type = weighted_index::zipf(types.size(), 1);
  std::size_t const distinct = count * 29 / 250 + 1, hosts = distinct / 16 + 1;
  word_maker const make;
  std::string url;

  line_pool host;
  while (host.size() != hosts) {
    url.clear();
    if (random.chance(0.75))
      url = "www";
    else
      make.append(url, 1, random);
    make.append(url += '.', random.between(1, 3), random);
    url += domains[domain(random)];
    host.add(url);
  }
  auto const any_host = weighted_index::zipf(hosts, 0.85);
  std::vector<std::vector<std::string>> folders(hosts);

  line_pool pool;
  fingerprints known(distinct);
  while (pool.size() != distinct) {
    std::size_t const h = any_host(random);
    if (folders[h].empty() || random.chance(0.06)) {  // a new folder of the host, in its root or in the folder before
      std::string folder = folders[h].empty() || random.chance(0.6) ? "/" : folders[h].back();
      make.append(folder, random.between(1, 2), random);
      folders[h].push_back(folder.size() > 150 ? "/" : folder + '/');
    }
    url = host[h];
    url += random.chance(0.54) ? "/" : std::string_view(folders[h][random.below(folders[h].size())]);
    if (random.chance(0.01)) {
      url += "cgi-bin/query?";
      for (auto n = random.between(1, 18); n > 0; --n) {
        make.append(url, 1, random);
        append_number(url += '=', random.below(10000));
        url += '&';
      }
    } else {
      make.append(url, random.between(1, 2), random);
      if (random.chance(0.2)) append_number(url, random.below(100));
      url += types[type(random)];
    }
    if (url.size() <= 220 && known.insert(url)) pool.add(url);
  }
  auto const popular = weighted_index::zipf(distinct, 0.75);
  for (std::size_t i = 0; i != count; ++i) write_line(pool[popular(random)], out);
}

void write_sentences(std::size_t count, random_source& random, sink& out) {
  word_maker const make;
  line_pool vocabulary;
  fingerprints known(40000);
  for (std::string word; vocabulary.size() != 40000; word.clear()) {  // the commonest words are short
    make.append(word, vocabulary.size() < 150 ? 1 : random.between(1, 3), random);
    if (word.size() <= 2 + vocabulary.size() / 8 && known.insert(word)) vocabulary.add(word);
  }
  auto const any_word = weighted_index::zipf(vocabulary.size(), 1.05);
  recent_texts openings(20000);
  std::string sentence;
  for (std::size_t i = 0; i != count; ++i) {
    sentence.clear();
    if (!openings.empty() && random.chance(0.5)) sentence = openings.any(random);
    auto const words = 3 + static_cast<std::size_t>(random.exponential(6.8));
    for (std::size_t j = 0; j != words; ++j) {
      if (!sentence.empty()) sentence += random.chance(0.08) ? ", " : " ";
      sentence += vocabulary[any_word(random)];
    }
    sentence.front() = static_cast<char>(sentence.front() & ~0x20);
    std::size_t const cut = sentence.find(' ', random.between(4, 40));
    if (cut < 64) openings.add(std::string_view(sentence).substr(0, cut), random);
    write_line(sentence += '.', out);
  }
}

void write_filelist(std::size_t count, random_source& random, sink& out) {
  static constexpr auto types =
      std::to_array<std::string_view>({".html", ".h", ".py", ".png", ".js", ".pyc", ".so", "", ".xml", ".gz"});
  static constexpr auto roots = std::to_array<std::string_view>(
      {"/usr/share/doc/", "/usr/lib/", "/usr/share/", "/usr/include/", "/var/lib/", "/home/user/", "/opt/", "/etc/"});
  auto const type = weighted_index::zipf(types.size(), 0.8), root = weighted_index::zipf(roots.size(), 1);
  word_maker const make;
  line_pool paths;
  std::size_t const files = (count + 4) / 5;
  fingerprints known(files);
  std::string folder, file, stem;
  while (paths.size() != files) {
    if (folder.empty() || random.chance(0.215)) {
      folder = roots[root(random)];
      make.append(folder, random.between(2, 3), random);
      folder += '/';
    } else if (random.chance(0.3)) {
      folder.resize(folder.rfind('/', folder.size() - 2) + 1);  // up
    }
    if (folder.size() < 130) {
      make.append(folder, random.between(1, 3), random);
      folder += '/';
    }
    stem.clear();
    make.append(stem, random.between(1, 2), random);
    auto const ending = types[type(random)];
    for (auto n = 1 + static_cast<std::size_t>(random.exponential(15)); n > 0 && paths.size() != files; --n) {
      file = folder;
      if (random.chance(0.6)) (file += stem) += random.chance(0.5) ? '_' : '-';
      make.append(file, random.between(1, 2), random);
      file += ending;
      if (known.insert(file)) paths.add(file);
    }
  }
  for (std::size_t i = 0; i != count; ++i) {
    append_number(out.text() += "node", 1 + i / files);
    write_line(paths[i % files], out);
  }
}

}  // namespace ordo::inline v0::generate
