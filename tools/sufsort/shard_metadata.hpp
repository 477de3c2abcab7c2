#pragma once
#include <cstddef>
#include <functional>
#include <string_view>

#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

/// Makes infini-gram's metadata of the records of an index: an object of JSON on a line, with the path of the file, the number
/// of the line or record in it, from 0 on, and the fields of JSONL other than the string. Reads files of JSONL again.
/// @param use  called with each record and its line, in order
/// @throws input_error  if files have changed, or cannot be read again
void make_metadata(suffix::stored_index const& index, unsigned threads,
                   std::function<void(std::size_t record, std::string_view line)> const& use);

}  // namespace ordo::inline v0::sufsort
