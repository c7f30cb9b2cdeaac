#include "cli/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/failure.hpp"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace loam::cli {
namespace {

constexpr std::size_t longest_output = 1 << 20;

[[noreturn]] void become(const std::vector<std::string>& arguments, int output) {
  die_with_parent();
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close(STDIN_FILENO);
  ::open("/dev/null", O_RDONLY);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  std::perror(words[0]);
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Finished run_process(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                     const std::function<void()>& tick) {
  using Clock = std::chrono::steady_clock;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child == 0) become(arguments, ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw Failure(fmt::format("cannot start {}: {}", arguments[0], std::strerror(errno)));
  }

  Finished finished;
  const Clock::time_point deadline = Clock::now() + limit;
  for (;;) {
    pollfd ready{ends[0], POLLIN, 0};
    const int count = ::poll(&ready, 1, 100);
    if (tick) tick();
    if (Clock::now() > deadline && !finished.timed_out) {
      finished.timed_out = true;
      ::kill(child, SIGKILL);
      break;  // what it started may still hold the pipe
    }
    if (count <= 0) continue;
    char piece[4096];
    const ssize_t size = ::read(ends[0], piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (finished.output.size() < longest_output) finished.output.append(piece, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  finished.status = wait_for(child);
  return finished;
}

void die_with_parent() {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

std::string signal_name(int signal) {
  const char* text = ::strsignal(signal);
  return fmt::format("signal {} ({})", signal, text == nullptr ? "unknown" : text);
}

}  // namespace loam::cli
