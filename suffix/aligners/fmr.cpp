#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/suffix/fmd.hpp"
#include "suffix/aligners/dna_codes.hpp"
#include "suffix/aligners/run_files.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::size_t max_children = 64;  // children of a node
constexpr std::size_t block_bytes = 512;  // bytes of a leaf
constexpr std::size_t min_room = 18;      // bytes that a leaf keeps free
constexpr std::uint64_t continued = 2;    // the two highest bits of each byte of a run but the first

/// A node of a B+ tree: other nodes, or leaves, which hold the bytes of runs.
struct node {
  bool has_leaves = true;
  std::vector<std::string> leaves;
  std::vector<std::unique_ptr<node>> nodes;

  [[nodiscard]] std::size_t children() const { return has_leaves ? leaves.size() : nodes.size(); }
  /// Moves the second half of the children of a full node to a new one.
  std::unique_ptr<node> split() {
    auto other = std::make_unique<node>();
    other->has_leaves = has_leaves;
    auto const move = [](auto& from, auto& to) {
      to.assign(std::make_move_iterator(from.begin() + max_children / 2), std::make_move_iterator(from.end()));
      from.resize(max_children / 2);
    };
    if (has_leaves)
      move(leaves, other->leaves);
    else
      move(nodes, other->nodes);
    return other;
  }
};

/// Appends a run: 1, 2, 4 or 8 bytes. The lowest bits of the first one are the letter.
void append_run(std::string& to, unsigned letter, std::uint64_t length) {
  struct form {
    unsigned bytes;
    std::uint64_t first;  // its highest bits
  };
  form const as = length < 1U << 4    ? form{1, 0}
                  : length < 1U << 8  ? form{2, 0xc0}
                  : length < 1U << 19 ? form{4, 0xe0}
                                      : form{8, 0xf0};
  unsigned shift = 6 * (as.bytes - 1);
  to += static_cast<char>(as.first | length >> shift << 3 | letter);
  while (shift != 0) to += static_cast<char>(continued << 6 | (length >> (shift -= 6) & 0x3f));
}

bool continues_run(char byte) {
  return static_cast<unsigned char>(byte) >> 6 == continued;
}

/// Adds up the letters of the runs of a leaf.
std::array<std::uint64_t, num_dna_codes> count_letters(std::string const& leaf) {
  std::array<std::uint64_t, num_dna_codes> counts{};
  for (std::size_t at = 0; at < leaf.size();) {
    std::uint64_t const first = static_cast<unsigned char>(leaf[at]);
    // The bits of the length in the first byte: all four, two, one or one.
    std::uint64_t length = first < 0x80 ? first >> 3 : first < 0xe0 ? first >> 3 & 3 : first >> 3 & 1;
    for (++at; at < leaf.size() && continues_run(leaf[at]); ++at)
      length = length << 6 | (static_cast<unsigned char>(leaf[at]) & 0x3f);
    counts[first & 7] += length;
  }
  return counts;
}

/// A tree of the runs of the rows whose suffixes begin with the same letter, which are appended in order. Full nodes are split
/// on the way down, and leaves after it.
class run_tree {
 public:
  run_tree() { root_->leaves.emplace_back(); }

  void append(unsigned letter, std::uint64_t length) {
    if (root_->children() == max_children) {
      auto top = std::make_unique<node>();
      top->has_leaves = false;
      std::unique_ptr<node> other = root_->split();
      top->nodes.push_back(std::move(root_));
      top->nodes.push_back(std::move(other));
      root_ = std::move(top);
    }
    node* at = root_.get();
    while (!at->has_leaves) {
      node* next = at->nodes.back().get();
      if (next->children() == max_children) {
        at->nodes.push_back(next->split());
        next = at->nodes.back().get();
      }
      at = next;
    }
    std::string& leaf = at->leaves.back();
    append_run(leaf, letter, length);
    if (leaf.size() + min_room <= block_bytes) return;
    std::size_t middle = leaf.size() / 2;
    while (continues_run(leaf[middle])) --middle;
    std::string rest = leaf.substr(middle);
    leaf.resize(middle);
    at->leaves.push_back(std::move(rest));
  }

  /// Writes the tree; the parts of a node follow it.
  void write(sink& to) const {
    std::string text;
    put(text, std::uint32_t{max_children});
    put(text, std::uint32_t{block_bytes});
    write(*root_, text, to);
    to.write(std::string_view(text));
  }

 private:
  template <class Number>
  static void put(std::string& to, Number value) {
    to.append(reinterpret_cast<char const*>(&value), sizeof(value));  // on little-endian machines
  }
  static void write(node const& node, std::string& text, sink& to) {
    text += static_cast<char>(node.has_leaves);
    put(text, std::uint16_t(node.children()));
    for (std::string const& leaf : node.leaves) {
      for (std::uint64_t const count : count_letters(leaf)) put(text, count);
      put(text, std::uint16_t(leaf.size()));
      text += leaf;
    }
    for (auto const& child : node.nodes) write(*child, text, to);
    if (text.size() < std::size_t{1} << 20) return;
    to.write(std::string_view(text));
    text.clear();
  }

  std::unique_ptr<node> root_ = std::make_unique<node>();
};

}  // namespace

void write_fmr_runs(std::function<bool(dna_run&)> const& next, std::uint64_t const (&rows_of_letters)[num_dna_codes],
                    sink& to) {
  constexpr char input_order = 0;
  to.write(std::string_view("RB\2"));
  to.write({&input_order, 1});
  dna_run run;
  for (std::uint64_t left : rows_of_letters) {
    run_tree tree;
    while (left != 0) {
      if (run.rows() == 0 && !next(run)) break;
      std::uint64_t const rows = std::min(left, run.rows());
      tree.append(run.letter(), rows);
      run = {run.letter(), run.rows() - rows};
      left -= rows;
    }
    tree.write(to);
  }
}

void write_fmr(std::string_view bwt, sink& to) {
  std::uint64_t rows[num_dna_codes] = {};
  for (char const letter : bwt) ++rows[dna_code(letter)];
  write_fmr_runs([&](dna_run& run) { return consume_run(bwt, run); }, rows, to);
}

}  // namespace ordo::inline v0::suffix
