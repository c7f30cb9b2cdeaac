// Other programs, run to their end.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace loam::cli {

struct Finished {
  int status = -1;  // the exit status; 128 + the signal's number where one ended it
  bool timed_out = false;
  std::string output;  // stdout and stderr together, cut after a megabyte
};

// Runs arguments[0], found on PATH, with its input closed. `tick` is called about ten times a second. A program that
// cannot be started has status 127.
Finished run_process(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                     const std::function<void()>& tick = {});

// In a child process, after fork: be killed when the parent is.
void die_with_parent();

// "signal 11 (Segmentation fault)"
std::string signal_name(int signal);

}  // namespace loam::cli
