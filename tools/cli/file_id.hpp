#pragma once
#include <optional>
#include <string>

#include <sys/stat.h>

namespace ordo::cli {

/// Which file a path leads to, whatever its names. Of a file that is not there yet: its folder, and the name it will have
/// there.
struct file_id {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty: device and inode are the file's own

  bool operator==(file_id const&) const = default;
};

/// Nothing for what is not a regular file: pipes, terminals and devices take bytes from several writers, and lose none.
std::optional<file_id> id_of(struct stat const& info);
/// Of the file at `path` or, if there is none, of the one that would be made there. "-" is standard input.
std::optional<file_id> id_of(std::string const& path);

/// Where a chain of symbolic links ends, be there a file or not. The links in /proc stay as they are: they lead to open files,
/// not to the names that they show. Nothing: the links go round in a circle.
std::optional<std::string> follow_links(std::string const& path);

/// The descriptor of this process that a path of followed links names, as /dev/fd/5 does.
std::optional<unsigned> descriptor_named(std::string const& path);

}  // namespace ordo::cli
