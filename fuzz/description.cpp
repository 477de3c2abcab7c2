// The description of an index. One that is accepted is written, and read again, as it is.
#include "fuzz/fuzz.hpp"
#include "fuzz/mend.hpp"
#include "ordo/suffix/index.hpp"

using namespace ordo;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string json(reinterpret_cast<char const*>(data), size);
  suffix::index_description about;
  if (fuzz::catch_error([&] { about = suffix::from_json(json, "x.json"); })) return 0;
  suffix::is_altered(json);
  fuzz::mend_description(json);
  suffix::is_altered(json);
  std::string const written = suffix::to_json(about);
  fuzz::require(suffix::to_json(suffix::from_json(written, "x.json")) == written, "a description survives its file");
  fuzz::require(!suffix::is_altered(written), "a description that was written is not altered");
  std::string name;
  for (std::size_t record = 0; record < std::min<std::uint64_t>(about.records(), 9); ++record) about.append_name(name, record);
  return 0;
}
