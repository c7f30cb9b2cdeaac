#include "cli/guarded.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "cli/process.hpp"
#include "cli/report.hpp"

namespace loam::cli {
namespace {

[[noreturn]] void work_and_report(const std::function<Outcome()>& work, int output, std::FILE* said) {
  die_with_parent();
  if (said != nullptr) {
    ::dup2(::fileno(said), STDOUT_FILENO);
    ::dup2(::fileno(said), STDERR_FILENO);
  }
  Report report{Report::Kind::finished, 0, {}};
  try {
    report.outcome = work();
  } catch (const Unreadable& unreadable) {
    report.outcome = {Status::skipped, unreadable.what(), {}, 0};
  } catch (const std::exception& error) {
    report.outcome = {Status::failed, error.what(), {}, 0};
  }
  const std::string line = report_line(report);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(output, line.data() + at, line.size() - at);
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
  ::_exit(0);  // no destructors: the process has nothing that outlives it
}

// What the process printed before it died, such as a sanitizer's first line.
std::string last_words(std::FILE* said) {
  if (said == nullptr) return {};
  std::rewind(said);
  char text[2048];
  const std::size_t size = std::fread(text, 1, sizeof text, said);
  std::string_view words(text, size);
  if (const std::size_t error = words.find("ERROR:"); error != words.npos) words.remove_prefix(error);
  while (!words.empty() && (words.front() == '\n' || words.front() == '=')) words.remove_prefix(1);
  words = words.substr(0, words.find('\n'));
  return words.empty() ? std::string() : fmt::format(": {}", words);
}

// Everything the process writes until it closes the pipe; false where that takes too long.
bool read_all(int input, std::chrono::seconds limit, std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{input, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<long>(left.count(), 1'000'000))) <= 0) continue;
    char piece[4096];
    const ssize_t size = ::read(input, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    text.append(piece, static_cast<std::size_t>(size));
  }
}

}  // namespace

Outcome guarded(const std::function<Outcome()>& work, std::chrono::seconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::FILE* const said = std::tmpfile();
  const pid_t child = ::fork();
  if (child == 0) work_and_report(work, ends[1], said);
  ::close(ends[1]);
  std::string text;
  const bool in_time = child > 0 && read_all(ends[0], limit, text);
  ::close(ends[0]);
  int status = 0;
  if (child > 0) {
    if (!in_time) ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  const std::string words = last_words(said);
  if (said != nullptr) std::fclose(said);
  if (child < 0) throw Failure(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (!in_time) return {Status::failed, fmt::format("did not end within {} s", limit.count()), {}, 0};
  if (WIFSIGNALED(status))
    return {Status::failed, fmt::format("crashed: {}{}", signal_name(WTERMSIG(status)), words), {}, 0};
  if (const std::optional<Report> report = read_report(text)) return report->outcome;
  return {Status::failed, fmt::format("ended with status {}{}", WEXITSTATUS(status), words), {}, 0};
}

}  // namespace loam::cli
