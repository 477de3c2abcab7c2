#include <array>
#include <iostream>
#include <limits>
#include <ordo/cpu.hpp>
#include <ordo/merge.hpp>
#include <ordo/rows.hpp>
#include <ordo/sparse.hpp>
#include <ordo/top_k.hpp>
#include <vector>

template <class Array>
void print(char const* call, Array const& array) {
  std::cout << call;
  for (auto const item : array) std::cout << ' ' << item;
  std::cout << '\n';
}

int main() {
  ordo::cpu on;  // or an ordo::gpu, with arrays in its device's memory
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const keys{3, -0.0f, nan, 1, 0, 2};
  std::vector<std::int64_t> const offsets{0, 4, 6};  // of Arrow, CSR or PyTorch: signed or not, 32 or 64 bits
  auto const segments = ordo::segments_from_offsets(std::span(offsets));
  ordo::key_order const numpy{.nans = ordo::nan_order::last, .zeros = ordo::zeros::equal};

  std::vector<std::array<char, 2>> const tags{{"d"}, {"a"}, {"f"}, {"c"}, {"b"}, {"e"}};
  std::vector<std::array<char, 2>> moved(6);
  std::vector<float> sorted(6), best(2), best_of_each(4);
  std::vector<std::int32_t> index(6), first(2), first_of_each(4);

  ordo::sort_keys(on, keys, sorted);  // out of place; sort_keys(on, sorted) sorts in place
  print("sort_keys", sorted);
  ordo::sort_keys<ordo::sort_order::descending>(on, keys, sorted, {}, numpy);
  print("sort_keys, descending, NaNs last", sorted);
  ordo::sort_pairs(on, keys, sorted, tags, moved);  // values of any size
  std::cout << "sort_pairs";
  for (auto const& tag : moved) std::cout << ' ' << tag.data();
  ordo::argsort(on, keys, index, {}, numpy);
  print("\nargsort", index);

  ordo::sort_segments_copy(on, keys, sorted, segments);  // sort_segments(on, sorted, segments) in place
  print("sort_segments", sorted);
  ordo::argsort_segments(on, keys, segments, index);
  print("argsort_segments", index);
  sorted = keys;
  ordo::sort_arrays(on, sorted, segments);  // in place and without a second copy of the data
  print("sort_arrays", sorted);

  ordo::top_k(on, keys, 2, std::span(best), first, {.largest = false, .order = numpy});
  print("top_k", first);
  ordo::segmented_top_k(on, keys, segments, 2, std::span(best_of_each), first_of_each, {.relative = true, .order = numpy});
  print("segmented_top_k", first_of_each);

  std::vector<int> const day{2, 1, 2, 1, 1, 2};
  ordo::row_key const rows[] = {ordo::key_column(day),
                                ordo::key_column(keys, {.order = ordo::sort_order::descending, .nans = ordo::row_nans::first})};
  ordo::argsort_rows(on, rows, index);
  print("argsort_rows", index);
  ordo::gather(on, keys, index, std::span(sorted));
  print("gather", sorted);

  std::vector<int> const a{1, 1, 4}, b{1, 2, 4};
  std::vector<int> merged(6), distinct(6), lengths(6);
  ordo::merge(on, a, b, std::span(merged));
  print("merge", merged);
  std::size_t const groups = ordo::run_length(on, merged, std::span(distinct), lengths);
  print("run_length", std::span(lengths).first(groups));
  print("unique", std::span(distinct).first(ordo::unique(on, merged, std::span(distinct))));

  std::vector<int> const columns{2, 0, 0, 1, 1, 0};  // of the entries of a matrix of 2 rows and 3 columns
  std::vector<int> const row_begins{0, 1, 2, 3}, of_rows{0, 1, 0};
  std::vector<float> const weights{1, 2, 3, 4, 5, 6}, entries{1, 2, 3};
  auto const left = ordo::csr(2, 3, offsets, columns, weights);
  auto const right = ordo::csr(3, 2, row_begins, of_rows, entries);
  ordo::csr_matrix<float> const product = ordo::multiply(on, left, right);
  print("multiply", product.values.span());
}
