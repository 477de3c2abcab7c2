#pragma once
#include <cstdlib>
#include <optional>
#include <string>

/// Sets an environment variable for the lifetime of this.
class environment {
 public:
  environment(char const* name, std::string const& value) : name_(name) {
    if (char const* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~environment() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  environment(environment const&) = delete;
  environment& operator=(environment const&) = delete;

 private:
  char const* name_;
  std::optional<std::string> before_;
};
