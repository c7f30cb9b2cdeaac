// One line on a terminal that says what is being done, from the first second on; nothing where stderr is no terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace loam::cli {

class Progress {
 public:
  explicit Progress(std::string what = {});
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // To be called often: shows the time that has passed. The line is drawn anew a few times a second at most.
  void tick();
  void say(std::string what);
  // Takes the line away, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now(), drawn_{};
};

}  // namespace loam::cli
