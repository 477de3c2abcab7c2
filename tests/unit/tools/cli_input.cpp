#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/large_blocks.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/gzip_member.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/codecs.hpp"
#include "tools/cli/files/input.hpp"

using namespace ordo;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

// A member as bgzip writes them: the extra field after the header's first ten bytes.
std::string bgzf_block(std::string_view text) {
  std::string member = gzip_member(text);
  member[3] = 4;
  std::size_t const size = member.size() + 8 - 1;
  member.insert(10, "\6\0BC\2\0"s + char(size & 255) + char(size >> 8));
  return member;
}

std::string read_in_steps(std::string const& path, std::size_t step) {
  cli::input in(path);
  std::string all, part(step, '?');
  for (std::size_t got = step; got == step;) {
    got = in.read(part);
    all.append(part, 0, got);
  }
  CHECK(in.read(part) == 0);
  return all;
}

std::string read_whole(std::string const& path) {
  host_bytes const all = cli::read_all(path);
  return {all.data(), all.size()};
}

std::string letters(std::size_t n) {
  std::string text(n, 'a');
  unsigned state = 12345;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

}  // namespace

TEST_CASE("plain input is read as it is, in steps of any size") {
  temporary_folder folder;
  for (std::size_t n : {0, 1, 2, 17, 18, 19, 1000, 262143, 262144, 262145, 1000000}) {
    std::string const text = letters(n), path = folder.write("plain", text);
    CHECK(read_whole(path) == text);
    CHECK(read_in_steps(path, 4096) == text);
    if (n < 2000) CHECK(read_in_steps(path, 1) == text);
  }
}

TEST_CASE("gzip is known by its bytes: members, BGZF, zeros after") {
  temporary_folder folder;
  std::string const a = letters(300000), b = "second\n";
  CHECK(read_whole(folder.write("x", gzip_member(a))) == a);
  CHECK(read_in_steps(folder.write("x", gzip_member(a)), 777) == a);
  CHECK(read_whole(folder.write("x", gzip_member(""))) == "");
  CHECK(read_whole(folder.write("x", gzip_member("") + gzip_member(a) + gzip_member("") + gzip_member(b))) == a + b);
  CHECK(read_whole(folder.write("x", gzip_member(b) + std::string(600000, '\0'))) == b);
  CHECK(read_whole(folder.write("x", bgzf_block(b) + bgzf_block("third") + bgzf_block(""))) == b + "third");
  CHECK(cli::input(folder.write("x", gzip_member(b))).compressed());
  CHECK_FALSE(cli::input(folder.write("x.gz", b)).compressed());
  CHECK(read_whole(folder.write("x.gz", b)) == b);
}

TEST_CASE("what is said not to be compressed is read as it is, whatever it looks like and is called") {
  temporary_folder folder;
  for (std::string const& text : {gzip_member("text"), "\x1f\x8b"s, "\x28\xb5\x2f\xfd and more"s}) {
    std::string const path = folder.write("as_it_is.gz", text);
    cli::input in(path, cli::compression::none);
    CHECK(in.size() == text.size());
    CHECK_FALSE(in.compressed());
    std::string all(100, '?');
    all.resize(in.read(all));
    CHECK(all == text);
  }
}

TEST_CASE("BGZF and gzip, one after the other: each ends as it should") {
  temporary_folder folder;
  std::string const marker = bgzf_block(""), unmarked = bgzf_block("one"), zeros(1000, '\0');
  CHECK(read_whole(folder.write("x", unmarked + marker + gzip_member("two"))) == "onetwo");
  CHECK(read_whole(folder.write("x", unmarked + marker + gzip_member("two") + unmarked + marker)) == "onetwoone");
  CHECK(read_whole(folder.write("x", gzip_member("two") + unmarked + marker + zeros)) == "twoone");
  CHECK(read_whole(folder.write("x", unmarked + marker + unmarked + marker)) == "oneone");
  for (std::string const& bad : {unmarked + gzip_member("two"), unmarked + zeros, gzip_member("two") + unmarked, unmarked})
    CHECK_THROWS_WITH(read_whole(folder.write("x", bad)), contains_text("the end marker is missing"));
}

TEST_CASE("files of the system, that claim a page and hold a line") {
  for (char const* name : {"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_seqnum"})
    if (std::ifstream file(name); file.good()) {
      std::string const text{std::istreambuf_iterator<char>(file), {}};
      CHECK(read_whole(name) == text);
      CHECK(read_in_steps(name, 3) == text);
    }
}

TEST_CASE("a member that ends where the reader's buffer does") {
  temporary_folder folder;
  std::string const tail = gzip_member("tail");
  for (std::size_t wanted : {262143, 262144, 262145}) {  // bytes before the second member
    std::string head = "\x1f\x8b\x08\x08"s + std::string(6, '\0');
    std::string const body = gzip_member("head").substr(10);
    head += std::string(wanted - head.size() - 1 - body.size(), 'n') + '\0' + body;  // a long file name in the header
    REQUIRE(head.size() == wanted);
    CHECK(read_whole(folder.write("x", head + tail)) == "headtail");
  }
}

TEST_CASE("gzip cut at any byte is an error that names the file") {
  temporary_folder folder;
  std::string const one = gzip_member(letters(200)), two = one + gzip_member(letters(100));
  for (std::size_t cut = 0; cut < two.size(); ++cut) {
    if (cut == one.size()) continue;  // whole as it stands
    std::string const path = folder.write("cut.gz", two.substr(0, cut));
    CHECK_THROWS_WITH(read_whole(path), contains_text("truncated gzip data") && contains_text("cut.gz"));
    CHECK_THROWS_AS(read_in_steps(path, 7), input_error);
  }
  std::string const blocks = bgzf_block("one") + bgzf_block("two") + bgzf_block("");
  for (std::size_t cut = 0; cut < blocks.size(); ++cut)
    CHECK_THROWS_AS(read_whole(folder.write("cut.gz", blocks.substr(0, cut))), input_error);
}

TEST_CASE("gzip with any bit of its data flipped gives an error or the same text") {
  temporary_folder folder;
  std::string const text = "a line of text, a line of text, a line\n", good = gzip_member(text);
  for (std::size_t bit = 80; bit < good.size() * 8; ++bit) {  // after the header, which holds nothing but hints
    std::string bad = good;
    bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
    std::string got = text;
    try {
      got = read_whole(folder.write("bad.gz", bad));
    } catch (input_error const&) {  // as it should be
    }
    CHECK(got == text);
  }
  CHECK_THROWS_WITH(read_whole(folder.write("x.gz", good + "x")), contains_text("garbage after gzip data"));
  CHECK_THROWS_AS(read_whole(folder.write("x.gz", good + std::string(9, '\0') + "x")), input_error);
}

TEST_CASE("what cannot be read is an error that names it") {
  temporary_folder folder;
  CHECK_THROWS_WITH(cli::input(folder.path("none")), "cannot read: " + folder.path("none") + ": No such file or directory");
  CHECK_THROWS_WITH(cli::input(folder.path("")), contains_text("Is a directory"));
  CHECK_THROWS_AS(cli::input(""), input_error);
}

TEST_CASE("a file that shrinks under the reader is a short read") {
  temporary_folder folder;
  std::string const path = folder.write("x", letters(1000000));
  cli::input in(path);
  std::string part(500000, '?');
  CHECK(in.read(part) == part.size());
  folder.write("x", letters(600000));
  CHECK_THROWS_WITH(in.read(part), contains_text("short read"));
}

TEST_CASE("read_all appends, and stops at a limit") {
  temporary_folder folder;
  std::string const path = folder.write("x", letters(5000));
  host_bytes all;
  cli::input first(path), second(path), third(path);
  cli::read_all(first, all);
  cli::read_all(second, all, 10000);
  CHECK(std::string_view(all.data(), all.size()) == letters(5000) + letters(5000));
  CHECK_THROWS_AS(cli::read_all(third, all, 14999), out_of_memory);
}

TEST_CASE("reading a large file is seen while it goes on") {
  temporary_folder folder;
  std::string const path = folder.write("sparse", "");
  std::filesystem::resize_file(path, 100 << 20);
  cli::input in(path);
  host_bytes all;
  std::vector<std::uint64_t> seen;
  cli::read_all(in, all, std::size_t{1} << 30, [&] { seen.push_back(in.file_read()); });
  CHECK(all.size() == 100 << 20);
  REQUIRE(seen.size() >= 3);
  CHECK(seen.front() < (100 << 20) / 2);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
}

TEST_CASE("bytes grow and keep what they hold") {
  host_bytes all;
  CHECK(all.empty());
  std::string expected;
  for (std::size_t n = 1; n < 3000000; n = n * 3 + 1) {
    all.append(letters(n));
    expected += letters(n);
  }
  CHECK(std::string_view(all.data(), all.size()) == expected);
  host_bytes moved = std::move(all);
  CHECK(moved.size() == expected.size());
  CHECK_THROWS_AS(moved.reserve(std::size_t{1} << 60), out_of_memory);
  CHECK(std::string_view(moved.data(), moved.size()) == expected);
}

TEST_CASE("memory is what the system, the control groups and the process's limits leave") {
  temporary_folder folder;
  auto const file = [&](std::string const& path, std::string_view content) {
    std::filesystem::create_directories(std::filesystem::path(folder.path(path)).parent_path());
    folder.write(path, content);
  };
  auto const available = [&] { return cli::available_memory(folder.path("")); };
  std::size_t const unlimited = std::numeric_limits<std::size_t>::max();
  CHECK(available() == unlimited);
  file("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   8000 kB\n");
  CHECK(available() == 8192000);

  // Version 2: a scope of systemd, limited by the slice above it.
  file("proc/self/cgroup", "0::/user.slice/run.scope\n");
  file("proc/self/mountinfo",
       "22 1 8:1 / / rw - ext4 /dev/sda rw\n30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  CHECK(available() == 8192000);
  std::string const slice = "sys/fs/cgroup/user.slice/", scope = slice + "run.scope/";
  file(scope + "memory.max", "max\n");
  file(slice + "memory.max", "5000000\n");
  file(slice + "memory.current", "2000000\n");
  CHECK(available() == 3000000);
  file(slice + "memory.stat", "anon 1399900\ninactive_file 600000\nactive_file 100\n");
  CHECK(available() == 3600100);
  file(scope + "memory.high", "900000\n");
  file(scope + "memory.current", "100000\n");
  CHECK(available() == 800000);
  file(scope + "memory.current", "1000000\n");
  CHECK(available() == 0);

  // Version 1, as Slurm has it: beside others, in a place with a blank; a group above is out of sight.
  file("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:hugetlb,memory:/slurm/job 7/step\n1:name=systemd:/\n0::/\n");
  file("proc/self/mountinfo",
       "31 1 0:1 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n32 1 0:2 / /cg/me\\040mory rw shared:5 - cgroup none "
       "rw,hugetlb,memory\n");
  std::string const job = "cg/me mory/slurm/job 7/", step = job + "step/";
  file(step + "memory.limit_in_bytes", "9223372036854771712\n");
  file(step + "memory.usage_in_bytes", "3000000\n");
  file(job + "memory.limit_in_bytes", "7000000\n");
  file(job + "memory.usage_in_bytes", "4000000\n");
  file(job + "memory.stat", "inactive_file 5\ntotal_inactive_file 1000000\n");
  CHECK(available() == 4000000);
  file(step + "memory.stat", "hierarchical_memory_limit 5000000\ntotal_inactive_file 0\n");
  CHECK(available() == 2000000);

  // In a container: the path is the host's, what is mounted is the own group.
  file("proc/self/cgroup", "4:memory:/docker/0123\n");
  file("proc/self/mountinfo", "32 1 0:2 /docker/0123 /cg/own ro - cgroup cgroup rw,memory\n");
  file("cg/own/memory.limit_in_bytes", "600000\n");
  CHECK(available() == 600000);
  file("proc/self/cgroup", "4:memory:/../4567\n");
  file("proc/self/mountinfo", "32 1 0:2 / /cg/own ro - cgroup cgroup rw,memory\n");
  CHECK(available() == 600000);

  CHECK(cli::available_memory() > 0);
  constexpr std::size_t more = std::size_t{64} << 20;
  for (auto const which : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit before{};
    REQUIRE(getrlimit(which, &before) == 0);
    std::size_t pages[6] = {};
    std::ifstream statm("/proc/self/statm");
    for (std::size_t& number : pages) statm >> number;
    rlimit limit = before;
    limit.rlim_cur = pages[which == RLIMIT_AS ? 0 : 5] * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    REQUIRE(setrlimit(which, &limit) == 0);
    std::size_t const left = cli::available_memory();
    setrlimit(which, &before);
    CHECK(left <= more);
    CHECK(left > more / 2);
  }
}

namespace {
std::size_t left_for_blocks = 0;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_own_new = false;  // but the sanitizer's
#else
constexpr bool has_own_new = true;
#endif
}  // namespace

TEST_CASE("the error of a refused block names the file that needed it") {
  using Catch::Matchers::Message;
  auto const rethrow = [](auto const& refused) {
    try {
      throw refused;
    } catch (...) {
      ordo::detail::rethrow_refused_block("f.mgf");
    }
  };
  std::string const figures = "100 bytes are needed, 7 are available";
  CHECK_THROWS_MATCHES(rethrow(ordo::detail::memory_refused({100, 7})), out_of_memory,
                       Message("out of memory: f.mgf: " + figures));
  CHECK_THROWS_MATCHES(rethrow(out_of_memory("out of memory: host: " + figures, 100)), out_of_memory,
                       Message("out of memory: f.mgf: " + figures));
  CHECK_THROWS_MATCHES(rethrow(out_of_memory("out of memory: a GPU", 100)), out_of_memory, Message("out of memory: a GPU"));
  CHECK_THROWS_MATCHES(rethrow(input_error("f.mgf: bad")), input_error, Message("f.mgf: bad"));
}

TEST_CASE("a large block is refused where it does not fit beside those that are not written yet") {
  constexpr std::size_t mb = std::size_t{1} << 20;
  struct checks {
    checks() {
      ordo::detail::check_large_blocks([] { return left_for_blocks; });
    }
    ~checks() { ordo::detail::check_large_blocks(nullptr); }
  } const checked;
  left_for_blocks = 160 * mb;
  auto const message = [](auto allocate) -> std::string {
    try {
      allocate();
    } catch (error const& e) {
      return e.what();
    } catch (ordo::detail::memory_refused const& e) {
      return to_string(e.figures());
    }
    return "";
  };
  host_bytes first(64 * mb);
  CHECK(message([&] { host_bytes second(96 * mb); }) ==
        "out of memory: host: 100663296 bytes are needed, 88080384 are available");  // (160 - 64) MiB, less an eighth
  if (has_own_new)
    CHECK(message([&] { std::vector<char> second(96 * mb); }) == "100663296 bytes are needed, 88080384 are available");
  CHECK(message([&] { host_memory::shared().allocate(96 * mb); }) ==
        "out of memory: host: 100663296 bytes are needed, 88080384 are available");
  CHECK(message([&] { first.reserve(160 * mb); }) ==
        "out of memory: host: 167772160 bytes are needed, 155189248 are available");  // 64 of them are there
  CHECK(message([&] { first.reserve(128 * mb); }).empty());                           // by moving its pages
  CHECK(message([&] { std::vector<char> small(7 * mb); }).empty());
  first = host_bytes();
  host_bytes written(64 * mb);
  written.resize(64 * mb);
  std::ranges::fill(written.span(), 'a');
  left_for_blocks = 96 * mb;  // the system counts what is written
  CHECK(message([&] { std::vector<char> second(80 * mb); }).empty());
  if (has_own_new) {
    CHECK(!message([&] { std::vector<char> second(96 * mb); }).empty());
    CHECK(::operator new(96 * mb, std::nothrow) == nullptr);
  }
  std::string const where = message([] {
    try {
      host_bytes(96 * mb);
    } catch (...) {
      ordo::detail::rethrow_refused_block("input: a line of more than 5 bytes");
    }
  });
  CHECK(where.starts_with("out of memory: input: a line of more than 5 bytes: 100663296 bytes are needed, "));
}

TEST_CASE("plain files have addresses, and nothing else has") {
  temporary_folder folder;
  std::string const text = letters(600000), path = folder.write("plain", text);
  cli::input in(path);
  REQUIRE(in.size() == text.size());
  std::string part(1000, '?');
  in.read_at(599000, part);
  CHECK(part == text.substr(599000));
  CHECK(in.position() == 0);
  CHECK(in.read(part) == 1000);
  CHECK(part == text.substr(0, 1000));
  CHECK(in.position() == 1000);
  in.skip(20);  // of what waits to be read
  CHECK(in.read(part) == 1000);
  CHECK(part == text.substr(1020, 1000));
  in.skip(500000);
  CHECK(in.position() == 502020);
  CHECK(in.read(part) == 1000);
  CHECK(part == text.substr(502020, 1000));
  in.read_at(0, part);
  CHECK(part == text.substr(0, 1000));
  in.skip(text.size() - in.position());
  CHECK(in.read(part) == 0);

  CHECK_FALSE(cli::input(folder.write("packed", gzip_member(text))).size());
  CHECK_FALSE(cli::input(folder.write("empty", "")).size().value_or(0));
  CHECK_FALSE(cli::input("/proc/self/status").size());
  CHECK_FALSE(cli::input("/dev/null").size());
  if (fs::exists("/sys/kernel/uevent_seqnum")) CHECK_FALSE(cli::input("/sys/kernel/uevent_seqnum").size());
  std::string const pipe = folder.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  int const writer = open(pipe.c_str(), O_RDWR);
  CHECK(write(writer, text.data(), 1000) == 1000);
  CHECK_FALSE(cli::input(pipe).size());
  close(writer);
}

TEST_CASE("standard input that is a file is addressed from where it stands, and left where it was read to") {
  temporary_folder folder;
  std::string const text = letters(500000), path = folder.write("plain", text);
  int const saved = dup(STDIN_FILENO), file = open(path.c_str(), O_RDONLY);
  REQUIRE(dup2(file, STDIN_FILENO) == STDIN_FILENO);
  close(file);
  CHECK(lseek(STDIN_FILENO, 1234, SEEK_SET) == 1234);
  {
    cli::input in("-");
    CHECK(in.size() == text.size() - 1234);
    std::string part(100, '?');
    in.read_at(7, part);
    CHECK(part == text.substr(1241, 100));
    in.skip(in.size().value());
  }
  CHECK(lseek(STDIN_FILENO, 0, SEEK_CUR) == off_t(text.size()));
  CHECK(cli::input("-").size().value_or(0) == 0);  // nothing is read twice
  dup2(saved, STDIN_FILENO);
  close(saved);
}

TEST_CASE("a file that was made shorter says so by address too") {
  temporary_folder folder;
  std::string const path = folder.write("shrinking", letters(1000000));
  cli::input in(path);
  fs::resize_file(path, 400000);
  std::string part(300000, '?');
  in.read_at(100000, part);
  for (std::uint64_t const at : {300000u, 500000u, 700000u})
    CHECK_THROWS_WITH(in.read_at(at, part), contains_text("short read: 400000 of 1000000 bytes"));
}
