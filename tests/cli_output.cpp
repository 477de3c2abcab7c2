#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sort_core/error.hpp"
#include "tests/catch.hpp"
#include "tests/temporary_folder.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;
using namespace std::string_view_literals;
namespace fs = std::filesystem;

namespace {

void put(std::string const& path, std::string_view text, cli::compression how = cli::compression::none) {
  cli::output out(path, how);
  out.write(text);
  CHECK(out.written() == text.size());
  out.commit();
}

mode_t mode_of(std::string const& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
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

TEST_CASE("of two hard links one is replaced, the other keeps the old content") {
  temporary_folder folder;
  folder.write("a", "old");
  fs::create_hard_link(folder.path("a"), folder.path("b"));
  cli::input in(folder.path("a"));
  cli::output out(folder.path("b"));
  char text[8];
  out.write(std::span<char const>(text, in.read(text)));
  out.write(" and new"sv);
  out.commit();
  CHECK(folder.read("a") == "old");
  CHECK(folder.read("b") == "old and new");
}

TEST_CASE("what cannot be written is found out at once") {
  temporary_folder folder;
  CHECK_THROWS_WITH(cli::output(folder.path("no/such")),
                    "cannot write: " + folder.path("no/such") + ": No such file or directory");
  CHECK_THROWS_WITH(cli::output(folder.path("")), contains_text("Is a directory"));
  CHECK_THROWS_AS(cli::output(folder.path("absent/")), output_error);
  CHECK_THROWS_AS(cli::output(""), output_error);
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
    put(folder.path("a.gz"), content, cli::compression::gzip);
    put(folder.path("b.gz"), content, cli::compression::gzip);
    CHECK(folder.read("a.gz") == folder.read("b.gz"));
    cli::bytes const back = cli::read_all(folder.path("a.gz"));
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
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 2));
  CHECK(folder.read("out") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("a signal removes what is half done") {
  temporary_folder folder;
  folder.write("out", "old");
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGUSR1, SIGUSR2, SIGRTMAX}) {
    int const status = in_child([&] {
      rlimit const no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
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

TEST_CASE("run_main gives 2 for every exception, the body's status else") {
  auto const status = [](auto body) {
    int const s = in_child(body);
    return WIFEXITED(s) ? WEXITSTATUS(s) : -1;
  };
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
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 2));
  CHECK(folder.read("out") == "old");
  CHECK(folder.count() == 1);
}
