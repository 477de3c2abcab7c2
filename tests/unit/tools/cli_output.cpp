#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;
using namespace std::string_view_literals;
namespace fs = std::filesystem;

namespace {

void put(std::string const& path, std::string_view text) {
  cli::output out(path);
  out.write(text);
  CHECK(out.written() == text.size());
  out.commit();
}

struct stat stat_of(std::string const& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info;
}

// Outputs are written as on a file system without O_TMPFILE, while this lives.
class named_files {
 public:
  explicit named_files(bool nameless) { cli::staged_file::can_be_nameless = nameless; }
  ~named_files() { cli::staged_file::can_be_nameless = true; }
  named_files(named_files const&) = delete;
  named_files& operator=(named_files const&) = delete;
};

// Not every file system has files without a name.
bool has_nameless(temporary_folder const& folder) {
  int const probe = open(folder.path("").c_str(), O_TMPFILE | O_RDWR, 0600);
  if (probe >= 0) close(probe);
  return probe >= 0;
}

mode_t mode_of(std::string const& path) {
  return stat_of(path).st_mode & 07777;
}

// run_main in a process of its own. Returns what waitpid says.
template <class Body>
int in_child(Body body) {
  std::fflush(stdout);  // else the child would print what waits there once more
  pid_t const child = fork();
  if (child == 0) {
    for (int signal = 1; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_DFL);  // Catch's, which run_main would leave
    close(STDERR_FILENO);                                                             // the message is another test's subject
    _exit(cli::run_main("test", [&] { return body(); }));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int exit_status(int of_wait) {
  return WIFEXITED(of_wait) ? WEXITSTATUS(of_wait) : -1;
}

// A child that was to replace the file "out" ended as a tool that fails does, and left it as it was, and nothing beside it.
void check_failed(int of_wait, temporary_folder const& folder) {
  CHECK(exit_status(of_wait) == 2);
  CHECK(folder.read("out") == "old");
  CHECK(folder.count() == 1);
}

// Somebody who may write what everybody may write, and is in one more group.
constexpr uid_t owner = 65531, nobody = 65534;
constexpr gid_t team = 65532, others = 65533;
bool become_nobody() {
  return setgroups(1, &team) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0;
}

// A view of the file system that is this process's own.
bool own_mounts() {
  return unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
}

constexpr int skipped = 77;  // an exit status

}  // namespace

TEST_CASE("output is in place after commit, and not before") {
  temporary_folder folder;
  std::string const path = folder.path("out");
  {
    cli::output out(path);
    out.write("half"sv);
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(folder.count() == 0);
  put(path, "whole");
  CHECK(folder.read("out") == "whole");
  {
    cli::output out(path);
    out.write("other"sv);
  }
  CHECK(folder.read("out") == "whole");
  CHECK(folder.count() == 1);
  std::string const large(3000001, 'x');
  put(path, large);
  CHECK(folder.read("out") == large);
}

TEST_CASE("many small writes and few large ones give the same file") {
  temporary_folder folder;
  std::string text;
  cli::output out(folder.path("out"));
  for (std::size_t n : {0, 1, 100, 262143, 262144, 262145, 3, 700000, 1}) {
    std::string const part(n, static_cast<char>('a' + n % 26));
    out.write(part);
    text += part;
  }
  out.commit();
  CHECK(folder.read("out") == text);
}

TEST_CASE("a new file takes its mode from the umask, a replaced one keeps its own") {
  temporary_folder folder;
  std::string const path = folder.path("out");
  mode_t const mask = umask(027);
  put(path, "new");
  umask(mask);
  CHECK(mode_of(path) == 0640);
  for (mode_t mode : {0600, 0666, 0755}) {
    chmod(path.c_str(), mode);
    put(path, "replaced");
    CHECK(mode_of(path) == mode);
  }
}

TEST_CASE("a symbolic link stays, and what it leads to is replaced") {
  temporary_folder folder;
  folder.write("real", "old");
  fs::create_symlink("real", folder.path("link"));
  fs::create_symlink(folder.path("link"), folder.path("link to link"));
  put(folder.path("link to link"), "new");
  CHECK(fs::is_symlink(folder.path("link")));
  CHECK(fs::is_symlink(folder.path("link to link")));
  CHECK(folder.read("real") == "new");

  fs::create_symlink("not there yet", folder.path("dangling"));
  put(folder.path("dangling"), "new");
  CHECK(fs::is_symlink(folder.path("dangling")));
  CHECK(folder.read("not there yet") == "new");

  fs::create_symlink("loop", folder.path("loop"));
  CHECK_THROWS_AS(cli::output(folder.path("loop")), output_error);
}

TEST_CASE("two hard links show the new content, unless they are to be parted") {
  for (bool const nameless : {true, false}) {
    named_files const now(nameless);
    temporary_folder folder;
    folder.write("a", "old");
    fs::create_hard_link(folder.path("a"), folder.path("b"));
    ino_t const inode = stat_of(folder.path("b")).st_ino;
    cli::input in(folder.path("a"));
    {
      cli::output out(folder.path("b"));
      char text[8];
      out.write(std::span<char const>(text, in.read(text)));
      out.write(" and new"sv);
      out.finish();
      CHECK(folder.read("a") == "old");
      out.commit();
    }
    CHECK(folder.read("a") == "old and new");
    CHECK(folder.read("b") == "old and new");
    CHECK(stat_of(folder.path("b")).st_ino == inode);
    cli::output out(folder.path("b"), cli::output::replacing::by_rename);
    out.write("other"sv);
    out.commit();
    CHECK(folder.read("a") == "old and new");
    CHECK(folder.read("b") == "other");
    CHECK(folder.count() == 2);
  }
}

TEST_CASE("a replaced file keeps its extended attributes and its access control list") {
  struct entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  // The layout of posix_acl_xattr.h: version 2; owner, user 1, group, mask, others.
  constexpr std::uint32_t version = 2, nobody_in_particular = ~0u;
  std::array<entry, 5> const list{{{1, 6, nobody_in_particular},
                                   {2, 6, 1},
                                   {4, 4, nobody_in_particular},
                                   {16, 6, nobody_in_particular},
                                   {32, 0, nobody_in_particular}}};
  std::string acl(sizeof version + sizeof list, 0);
  std::memcpy(acl.data(), &version, sizeof version);
  std::memcpy(acl.data() + sizeof version, list.data(), sizeof list);
  char const* const access = "system.posix_acl_access";
  auto const attribute = [](std::string const& path, char const* name) {
    std::string value(1000, 0);
    ssize_t const size = getxattr(path.c_str(), name, value.data(), value.size());
    return size < 0 ? std::string("none") : value.substr(0, std::size_t(size));
  };
  for (bool const nameless : {true, false}) {
    named_files const now(nameless);
    temporary_folder folder;
    std::string const path = folder.write("file", "old");
    if (setxattr(path.c_str(), "user.tag", "a\0b", 3, 0) != 0) return;  // not every file system has them
    REQUIRE(setxattr(path.c_str(), "user.empty", "", 0, 0) == 0);
    bool const has_lists = setxattr(path.c_str(), access, acl.data(), acl.size(), 0) == 0;
    ino_t const inode = stat_of(path).st_ino;
    put(path, "new");
    CHECK(folder.read("file") == "new");
    CHECK(stat_of(path).st_ino != inode);
    CHECK(attribute(path, "user.tag") == std::string("a\0b", 3));
    CHECK(attribute(path, "user.empty").empty());
    if (!has_lists) continue;
    CHECK(attribute(path, access) == acl);
    CHECK(mode_of(path) == 0660);  // its mask
    // A default ACL of the folder does not belong to the old file.
    REQUIRE(removexattr(path.c_str(), access) == 0);
    REQUIRE(chmod(path.c_str(), 0640) == 0);
    REQUIRE(setxattr(folder.path("").c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0) == 0);
    put(path, "new again");
    CHECK(attribute(path, access) == "none");
    CHECK(mode_of(path) == 0640);
    put(folder.path("fresh"), "new");
    CHECK(attribute(folder.path("fresh"), access) != "none");
  }
}

TEST_CASE("no two outputs are the same file") {
  temporary_folder folder;
  folder.write("there", "old");
  fs::create_symlink("there", folder.path("link"));
  fs::create_symlink("new", folder.path("dangling"));
  fs::create_hard_link(folder.path("there"), folder.path("hard"));
  fs::create_directory(folder.path("sub"));
  {
    cli::output const there(folder.path("there")), fresh(folder.path("new"));
    for (char const* name : {"there", "./there", "link", "hard", "sub/../there", "new", "./new", "dangling", "sub/../new"})
      CHECK_THROWS_WITH(cli::output(folder.path(name)), contains_text("another output of this command is the same file"));
    int const descriptor = open(folder.path("there").c_str(), O_WRONLY);
    CHECK_THROWS_AS(cli::output("/dev/fd/" + std::to_string(descriptor)), output_error);
    close(descriptor);
    for (char const* name : {"there", "link", "hard"}) CHECK(there.is_file(folder.path(name)));
    CHECK(fresh.is_file(folder.path("dangling")));
    CHECK_FALSE(fresh.is_file(folder.path("there")));
    cli::output const device("/dev/null"), same_device("/dev/null");
  }
  put(folder.path("link"), "first");
  CHECK(folder.read("there") == "first");
  put(folder.path("hard"), "second");
  CHECK(folder.read("there") == "second");
}

TEST_CASE("a descriptor by name is written directly") {
  temporary_folder folder;
  for (std::string const by : {"/dev/fd/", "/proc/self/fd/", "link"})
    for (bool const removed : {false, true}) {
      int const descriptor = open(folder.path("file").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
      REQUIRE(write(descriptor, "first ", 6) == 6);
      if (removed) fs::remove(folder.path("file"));
      std::string name = by + std::to_string(descriptor);
      if (by == "link") {
        name = folder.path("link");
        fs::remove(name);
        fs::create_symlink("/dev/fd/" + std::to_string(descriptor), name);
      }
      put(name, "second ");
      REQUIRE(write(descriptor, "third", 5) == 5);
      char text[64];
      auto const size = pread(descriptor, text, sizeof text, 0);
      CHECK(std::string_view(text, static_cast<std::size_t>(size)) == "first second third");
      close(descriptor);
      CHECK(folder.count() == std::size_t{removed ? 0u : 1u} + (by == "link" ? 1 : 0));
    }

  int const reading = open("/dev/null", O_RDONLY), ours = open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK_THROWS_WITH(cli::output("/dev/fd/" + std::to_string(reading)), contains_text("Bad file descriptor"));
  CHECK_THROWS_WITH(cli::output("/dev/fd/" + std::to_string(ours)), contains_text("Bad file descriptor"));
  CHECK_THROWS_WITH(cli::output("/dev/fd/999"), "cannot write: /dev/fd/999: Bad file descriptor");
  close(reading);
  close(ours);
}

TEST_CASE("a direct output that is read from") {
  temporary_folder folder;
  std::string const path = folder.write("file", "text");
  int const descriptor = open(path.c_str(), O_RDWR | O_APPEND);
  std::string const name = "/dev/fd/" + std::to_string(descriptor);
  {
    cli::input const in(path), other(folder.write("other", "text"));
    cli::output const out(name);
    CHECK_THROWS_WITH(out.refuse_loop(in), contains_text("input file is output file"));
    CHECK_NOTHROW(out.refuse_loop(other));
  }
  CHECK_NOTHROW(cli::output(path).refuse_loop(cli::input(path)));  // renamed when all is read
  REQUIRE(ftruncate(descriptor, 0) == 0);
  CHECK_NOTHROW(cli::output(name).refuse_loop(cli::input(path)));  // as cat: nothing to read
  close(descriptor);
}

TEST_CASE("a replaced file keeps its group and its owner, each where allowed") {
  temporary_folder folder;
  if (chown(folder.write("file", "old").c_str(), owner, others) != 0) return;  // only root makes files of others
  fs::permissions(folder.path(""), fs::perms::all);
  auto const replaced = [&](gid_t group, mode_t mode) {
    std::string const path = folder.write("file", "old");
    REQUIRE(chown(path.c_str(), owner, group) == 0);
    REQUIRE(chmod(path.c_str(), mode) == 0);
    CHECK(exit_status(in_child([&] {
            if (!become_nobody()) return 3;
            put(path, "new");
            return 0;
          })) == 0);
    CHECK(folder.read("file") == "new");
    return stat_of(path);
  };
  auto const ours = replaced(team, 0660);
  CHECK((ours.st_uid == nobody && ours.st_gid == team && (ours.st_mode & 07777) == 0660));
  auto const theirs = replaced(others, 04676);  // the group's new members may do what everybody might
  CHECK((theirs.st_uid == nobody && theirs.st_gid == nobody && (theirs.st_mode & 07777) == 0666));
  std::string const path = folder.path("file");
  REQUIRE(chown(path.c_str(), owner, others) == 0);
  put(path, "by root");
  CHECK((stat_of(path).st_uid == owner && stat_of(path).st_gid == others));
}

TEST_CASE("where nothing can be renamed the file itself is written, once all is there") {
  // Returns the exit status of a child that replaces a file after `change`, in an own folder of its folder.
  auto const status_of = [](auto change) {
    temporary_folder folder;
    fs::permissions(folder.path(""), fs::perms::all);
    std::string const place = folder.path("place"), path = place + "/file", elsewhere = folder.path("elsewhere");
    fs::create_directory(place);
    fs::create_directory(elsewhere);
    fs::permissions(elsewhere, fs::perms::all);
    folder.write("place/file", "the old content");
    chmod(path.c_str(), 0666);
    ino_t const inode = stat_of(path).st_ino;
    int const status = exit_status(in_child([&] {
      setenv("TMPDIR", elsewhere.c_str(), 1);
      if (!change(folder, place)) return skipped;
      for (std::string const& text : {std::string("short"), std::string(1000000, 'x'), std::string()}) {
        std::string const before = folder.read("place/file");
        {
          cli::output out(path);
          out.write(text);
        }
        if (folder.read("place/file") != before) return 3;
        cli::output out(path);
        out.write(text);
        out.finish();
        if (folder.read("place/file") != before) return 4;
        out.commit();
        if (folder.read("place/file") != text) return 5;
      }
      if (stat_of(path).st_ino != inode) return 6;
      // Not of files that belong together: a copy that is interrupted would leave half of them.
      std::string const before = folder.read("place/file");
      try {
        cli::output out(path, cli::output::replacing::by_rename);
        out.write("new"sv);
        out.commit();
        return 7;
      } catch (output_error const&) {
        return folder.read("place/file") == before ? 0 : 8;
      }
    }));
    fs::permissions(place, fs::perms::all);
    for (std::string const& where : {place, elsewhere})
      for (auto const& entry : fs::directory_iterator(where)) CHECK(entry.path() == path);
    return status;
  };
  int const unwritable = status_of([](temporary_folder const&, std::string const& place) {
    return chmod(place.c_str(), 0555) == 0 && (geteuid() != 0 || become_nobody());
  });
  CAPTURE(unwritable);
  CHECK((unwritable == 0 || (unwritable == skipped && geteuid() == 0)));  // root may lack the right to become somebody else
  int const sticky = status_of([](temporary_folder const&, std::string const& place) {
    std::string const file = place + "/file";
    return geteuid() == 0 && chown(place.c_str(), owner, others) == 0 && chown(file.c_str(), owner, others) == 0 &&
           chmod(file.c_str(), 0666) == 0 && chmod(place.c_str(), 01777) == 0 && become_nobody();
  });
  CAPTURE(sticky);
  CHECK((sticky == 0 || sticky == skipped));
  int const mounted = status_of([](temporary_folder const&, std::string const& place) {
    std::string const file = place + "/file";
    return own_mounts() && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount(file.c_str(), file.c_str(), nullptr, MS_BIND, nullptr) == 0;
  });
  CAPTURE(mounted);
  CHECK((mounted == 0 || mounted == skipped));
}

TEST_CASE("a file that is written itself keeps its content where there is no room for the new") {
  temporary_folder folder;
  fs::create_directory(folder.path("small"));
  fs::create_directory(folder.path("elsewhere"));
  int const status = exit_status(in_child([&] {
    std::string const small = folder.path("small"), path = small + "/file";
    setenv("TMPDIR", folder.path("elsewhere").c_str(), 1);
    if (!own_mounts() || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", small.c_str(), "tmpfs", 0, "size=256k") != 0)
      return skipped;
    folder.write("small/file", "old");
    if (mount(small.c_str(), small.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        mount(nullptr, small.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      return skipped;  // a folder that only reads, a file in it that can be written
    try {
      put(path, std::string(1000000, 'x'));
    } catch (output_error const&) {
      return folder.read("small/file") == "old" && fs::is_empty(folder.path("elsewhere")) ? 0 : 3;
    }
    return 4;
  }));
  CAPTURE(status);
  CHECK((status == 0 || status == skipped));
}

TEST_CASE("outputs are compressed as their names say") {
  temporary_folder folder;
  std::string text;
  for (unsigned state = 1; text.size() < 300000;) text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (std::string const& content : {std::string(), std::string("x"), std::string(0xff00, 'y'), text})
    for (char const* name : {"a.gz", "a.GZ", "a.bgz", "a.Bgzf", "a.gz.txt", "gz", "bgz"}) {
      put(folder.path(name), content);
      std::string const written = folder.read(name);
      auto const how = cli::compression_named(name);
      INFO(name << ", " << content.size());
      CHECK((how != cli::compression::none) == (written.substr(0, 2) == "\x1f\x8b"sv));
      host_bytes const back = cli::read_all(folder.path(name));
      CHECK(std::string_view(back.data(), back.size()) == content);
      if (how == cli::compression::none) continue;
      // Block by block, by the lengths in the headers, up to the end marker.
      std::size_t at = 0, last = 0;
      for (; at + 18 <= written.size(); at += last) {
        REQUIRE(written.substr(at, 4) == "\x1f\x8b\x08\x04"sv);
        REQUIRE(written.substr(at + 12, 4) == "BC\2\0"sv);
        last = 1 + static_cast<unsigned char>(written[at + 16]) +
               256 * static_cast<std::size_t>(static_cast<unsigned char>(written[at + 17]));
      }
      CHECK(at == written.size());
      CHECK(last == 28);
    }
}

TEST_CASE("what cannot be written is found out at once") {
  temporary_folder folder;
  CHECK_THROWS_WITH(cli::output(folder.path("no/such")),
                    "cannot write: " + folder.path("no/such") + ": No such file or directory");
  CHECK_THROWS_WITH(cli::output(folder.path("")), contains_text("Is a directory"));
  CHECK_THROWS_AS(cli::output(folder.path("absent/")), output_error);
  CHECK_THROWS_WITH(cli::output(""), "cannot write: '': No such file or directory");
  CHECK_THROWS_AS(cli::output("/proc/ordo"), output_error);
  CHECK_THROWS_AS(cli::output(folder.path(std::string(300, 'x'))), output_error);
  std::string const longest(255, 'x');
  put(folder.path(longest), "fits");
  CHECK(folder.read(longest) == "fits");
}

TEST_CASE("a full device is an error when written or committed") {
  auto const fill = [](std::size_t bytes) { put("/dev/full", std::string(bytes, 'x')); };
  CHECK_THROWS_WITH(fill(1), "cannot write: /dev/full: No space left on device");
  CHECK_THROWS_AS(fill(10000000), output_error);
  put("/dev/null", "anything");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("gzip output reads back, and is the same every time") {
  temporary_folder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 100003) + "\n";
  for (std::string_view const content : {std::string_view(), std::string_view("x"), std::string_view(text)}) {
    put(folder.path("a.gz"), content);
    put(folder.path("b.gz"), content);
    CHECK(folder.read("a.gz") == folder.read("b.gz"));
    host_bytes const back = cli::read_all(folder.path("a.gz"));
    CHECK(std::string_view(back.data(), back.size()) == content);
    CHECK(cli::input(folder.path("a.gz")).compressed());
  }
}

TEST_CASE("a file beyond the limit is an error, and leaves the old one") {
  temporary_folder folder;
  folder.write("out", "old");
  int const status = in_child([&] {
    rlimit const limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    put(folder.path("out"), std::string(300000, 'x'));
    return 0;
  });
  check_failed(status, folder);
}

TEST_CASE("a signal removes what is half done") {
  temporary_folder folder;
  folder.write("out", "old");
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGUSR1, SIGUSR2, SIGRTMAX}) {
    int const status = in_child([&] {
      rlimit const no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      named_files const now(false);
      cli::output out(folder.path("out"));
      out.write(std::string(1000000, 'x'));
      if (folder.count() != 2) return 3;  // the half file is beside
      std::raise(signal);
      return 4;
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == signal));
    CHECK(folder.read("out") == "old");
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("of what is half done nothing has a name, so that SIGKILL leaves nothing") {
  temporary_folder folder;
  folder.write("out", "old");
  if (!has_nameless(folder)) return;
  for (char const* const name : {"out", "new"}) {
    int const status = in_child([&] {
      cli::output out(folder.path(name));
      out.write(std::string(1000000, 'x'));
      out.finish();
      std::raise(SIGKILL);
      return 4;
    });
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    CHECK(folder.read("out") == "old");
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("a name that a killed process left is removed") {
  for (bool const replaces : {true, false}) {
    temporary_folder folder;
    if (!has_nameless(folder)) return;
    if (replaces) folder.write("out", "old");
    folder.write(".out.ordo.tmp", "left behind");
    put(folder.path("out"), "new");
    CHECK(folder.read("out") == "new");
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("the hidden names of two long names differ") {
  temporary_folder folder;
  std::string const begin(240, 'x');
  std::vector<std::string> const names{begin + "a", begin + "b"};
  for (std::string const& name : names) folder.write(name, "old");
  std::vector<pid_t> writers;
  for (std::string const& name : names) {
    pid_t const writer = fork();
    if (writer == 0) {
      for (int k = 0; k < 300; ++k) put(folder.path(name), name);
      _exit(0);
    }
    writers.push_back(writer);
  }
  for (pid_t const writer : writers) {
    int status = -1;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
  }
  for (std::string const& name : names) CHECK(folder.read(name) == name);
  CHECK(folder.count() == 2);
}

TEST_CASE("processes that replace one file at the same time leave one of their results, and nothing else") {
  for (bool const nameless : {true, false}) {
    named_files const now(nameless);
    temporary_folder folder;
    folder.write("out", "old");
    std::vector<pid_t> writers;
    for (int process = 0; process < 4; ++process) {
      pid_t const writer = fork();
      if (writer == 0) {
        int failed = 0;
        for (int k = 0; k < 100; ++k) try {
            put(folder.path("out"), std::string(1000, char('a' + process)));
          } catch (output_error const&) {
            ++failed;
          }
        _exit(failed == 0 ? 0 : 1);
      }
      writers.push_back(writer);
    }
    for (pid_t const writer : writers) {
      int status = -1;
      REQUIRE(waitpid(writer, &status, 0) == writer);
      CHECK(status == 0);
    }
    std::string const made = folder.read("out");
    CHECK(made == std::string(1000, made.empty() ? ' ' : made[0]));
    CHECK(folder.count() == 1);
  }
}

TEST_CASE("many outputs that wait for their commit take few descriptors") {
  temporary_folder folder;
  int const status = exit_status(in_child([&] {
    auto const open = rlim_t(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));  // CUDA opens many
    rlimit const few{open + 36, open + 36};
    setrlimit(RLIMIT_NOFILE, &few);
    std::deque<cli::output> all;
    for (int k = 0; k < 200; ++k) {
      all.emplace_back(folder.path(std::to_string(k)));
      all.back().write(std::to_string(k));
      all.back().finish();
    }
    for (cli::output& out : all) out.commit();
    return 0;
  }));
  CHECK(status == 0);
  CHECK(folder.count() == 200);
  CHECK(folder.read("199") == "199");
}

TEST_CASE("signals wait for files that belong together, whichever thread they come to") {
  temporary_folder const folder;
  std::string const first = folder.path("first"), second = folder.path("second");
  int const status = in_child([&] {
    cli::output one(first), two(second), third(folder.path("third"));
    for (cli::output* const out : {&one, &two}) out->write("whole"sv);
    std::jthread other([](std::stop_token const& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
    cli::held_signals const held;
    one.commit();
    for (int const signal : {SIGTERM, SIGINT}) {
      std::raise(signal);
      pthread_kill(other.native_handle(), signal);
    }
    two.commit();
    return 0;
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  for (char const* const file : {"first", "second"}) CHECK(folder.read(file) == "whole");
  CHECK(folder.count() == 2);
}

TEST_CASE("run_main gives 2 for every exception, the body's status else") {
  auto const status = [](auto body) { return exit_status(in_child(body)); };
  CHECK(status([] { return 0; }) == 0);
  CHECK(status([] { return 1; }) == 1);
  CHECK(status([]() -> int { throw input_error("cannot read: x: y"); }) == 2);
  CHECK(status([]() -> int { throw std::bad_alloc(); }) == 2);
  CHECK(status([]() -> int { throw 42; }) == 2);
  CHECK(status([]() -> int { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); }) == 2);
}

TEST_CASE("what fails beside run_main ends the process, though another thread waits") {
  temporary_folder folder;
  folder.write("out", "old");
  int const status = in_child([&] {
    cli::output out(folder.path("out"));
    out.write("new"sv);
    std::thread beside([] { cli::run_beside("test", [] { throw output_error("cannot write: x: y"); }); });
    for (;;) pause();
    return 4;
  });
  check_failed(status, folder);
}

TEST_CASE("what is caught nowhere ends the process as what run_main catches, in whatever thread") {
  temporary_folder folder;
  folder.write("out", "old");
  int const status = in_child([&] {
    cli::output out(folder.path("out"));
    out.write("new"sv);
    std::vector<std::thread> failing;
    for (int k = 0; k < 4; ++k) failing.emplace_back([] { throw std::runtime_error("pthread_create has failed"); });
    for (;;) pause();
    return 4;
  });
  check_failed(status, folder);
}

TEST_CASE("a file whose size is known is written anywhere, by any thread") {
  temporary_folder folder;
  std::string const path = folder.path("out"), text(3000001, 'x');
  cli::output out(path);
  CHECK_FALSE(out.addressable());
  REQUIRE(out.expect(text.size()));
  CHECK(out.addressable());
  std::size_t const half = 1234567;
  std::thread other([&] { out.write_at(half, std::span(text).subspan(half)); });
  out.write_at(0, std::span(text).first(half));
  other.join();
  CHECK(out.written() == text.size());
  CHECK_FALSE(fs::exists(path));
  out.commit();
  CHECK(folder.read("out") == text);
  CHECK(folder.count() == 1);

  cli::output empty(path);
  CHECK(empty.expect(0));
  empty.commit();
  CHECK(folder.read("out").empty());
}

TEST_CASE("an announced size can be written in order, and has to be reached") {
  temporary_folder folder;
  std::string const path = folder.path("out");
  {
    cli::output out(path);
    CHECK(out.expect(10));
    out.write("01234"sv);
    out.write_at(5, "56789"sv);
    out.commit();
    CHECK(folder.read("out") == "0123456789");
  }
  {
    cli::output out(path);
    CHECK(out.expect(100));
    out.write_at(0, "01234"sv);
    CHECK_THROWS_WITH(out.commit(), contains_text("5 bytes instead of 100"));
  }
  CHECK(folder.read("out") == "0123456789");
  CHECK(folder.count() == 1);
}

TEST_CASE("a file that others write to as well is written anywhere in its part, by any thread") {
  temporary_folder folder;
  std::string const path = folder.path("file");
  int const descriptor = open(path.c_str(), O_RDWR | O_CREAT, 0666);
  std::string const name = "/dev/fd/" + std::to_string(descriptor);
  auto const place = [&] { return lseek(descriptor, 0, SEEK_CUR); };
  std::string text(3000001, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i / 1000 % 26);
  std::size_t const half = 1234567, size = text.size();
  REQUIRE(write(descriptor, "first ", 6) == 6);
  {
    cli::output out(name);
    REQUIRE(out.expect(size));
    CHECK(out.addressable());
    std::thread other([&] { out.write_at(half, std::span(text).subspan(half)); });
    out.write(std::span(text).first(1000));
    out.write(std::span(text).first(half).subspan(1000));
    other.join();
    REQUIRE(write(descriptor, " last", 5) == 5);  // through the same open file
    out.commit();
    CHECK(folder.read("file") == "first " + text + " last");
  }
  // An output that is not completed leaves the file, and bytes that others wrote after it, as they were.
  auto const end = static_cast<off_t>(folder.read("file").size());
  for (bool const finished : {false, true}) {
    cli::output out(name);
    REQUIRE(out.expect(size));
    out.write_at(half, "part"sv);
    if (finished) CHECK_THROWS_WITH(out.commit(), contains_text("4 bytes instead of 3000001"));
  }
  CHECK(place() == end);
  CHECK(folder.read("file") == "first " + text + " last");
  {
    cli::output out(name);
    REQUIRE(out.expect(size));
    REQUIRE(write(descriptor, "after", 5) == 5);
  }
  CHECK(place() == end + static_cast<off_t>(size) + 5);
  CHECK(folder.read("file").substr(std::size_t(end) + size) == "after");
  // Inside of a file what stands after stays.
  REQUIRE(lseek(descriptor, 3, SEEK_SET) == 3);
  {
    cli::output out(name);
    REQUIRE(out.expect(size));
    out.write(text);
    out.commit();
  }
  std::string const all = folder.read("file");
  CHECK(all.substr(0, size + 3) == "fir" + text);
  CHECK(all.size() == std::size_t(end) + size + 5);
  CHECK(place() == static_cast<off_t>(size) + 3);

  // In order: what is small, what appends, what follows other bytes.
  CHECK_FALSE(cli::output(name).expect(1000));
  {
    cli::output begun(name);
    begun.write("begun"sv);
    CHECK_FALSE(begun.expect(size));
  }
  REQUIRE(fcntl(descriptor, F_SETFL, O_APPEND) == 0);
  CHECK_FALSE(cli::output(name).expect(size));
  close(descriptor);
}

TEST_CASE("a signal gives a part of a file back") {
  temporary_folder folder;
  std::string const path = folder.write("file", "before");
  int const descriptor = open(path.c_str(), O_WRONLY);
  REQUIRE(lseek(descriptor, 0, SEEK_END) == 6);
  int const status = in_child([&] {
    cli::output out("/dev/fd/" + std::to_string(descriptor));
    if (!out.expect(2 << 20)) return 3;
    out.write_at(1 << 20, "part"sv);
    raise(SIGTERM);
    return 4;
  });
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  CHECK(lseek(descriptor, 0, SEEK_CUR) == 6);
  CHECK(folder.read("file") == "before");
  close(descriptor);
}

TEST_CASE("what is compressed or written directly has no addresses") {
  temporary_folder folder;
  cli::output packed(folder.path("x.gz")), blocks(folder.path("x.bgz")), null("/dev/null");
  for (cli::output* const out : {&packed, &blocks, &null}) {
    CHECK_FALSE(out->expect(5));
    CHECK_FALSE(out->addressable());
    out->write("12345"sv);
    out->commit();
  }
}

TEST_CASE("more than a file may hold is found before it is written") {
  temporary_folder folder;
  std::string const path = folder.path("out");
  int const status = in_child([&] {
    rlimit const most{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &most);
    cli::output out(path);
    try {
      if (!out.expect(2 << 20)) return 3;
    } catch (output_error const& e) {
      return std::string_view(e.what()).find(std::strerror(EFBIG)) != std::string_view::npos ? 0 : 4;
    }
    // A file system without fallocate: the write tells.
    std::string const text(2 << 20, 'x');
    out.write_at(0, text);
    return 5;
  });
  CHECK((exit_status(status) == 0 || exit_status(status) == 2));
  CHECK(folder.count() == 0);
}
