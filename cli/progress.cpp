#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace loam::cli {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80U;
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::tick() {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - start_ < std::chrono::seconds(1) || now - drawn_ < std::chrono::milliseconds(200)) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  std::string line = fmt::format("{} ({} s)", what_, seconds);
  line.resize(std::min(line.size(), terminal_columns() - 1));  // a line that wraps could not be taken back
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  shown_ = true;
  drawn_ = now;
}

void Progress::say(std::string what) {
  what_ = std::move(what);
  tick();
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
  drawn_ = {};
}

}  // namespace loam::cli
