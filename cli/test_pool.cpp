#include "cli/test_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "cli/process.hpp"
#include "cli/report.hpp"

namespace loam::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Worker {
  pid_t process = -1;
  int input = -1;
  std::vector<std::size_t> batch;  // the cases without an outcome
  bool large = false;
  Report last;  // what it does now
  Clock::time_point since{};
  std::string text;  // the beginning of a line
};

// The batch's units of work: a module costs about as much to compile as its graph is long.
std::uint64_t cost(const TestCase& test) { return 1 + test.graph_bytes / 2048; }

class Pool {
 public:
  Pool(std::span<const TestCase> cases, const TestOptions& options, const PoolOptions& pool,
       const TestCompilers& compilers, const std::function<void(std::size_t, Outcome)>& finished)
      : cases_(cases),
        options_(options),
        jobs_(std::max<std::size_t>(1, pool.jobs)),
        compilers_(compilers),
        finished_(finished) {
    for (TestBatch& batch : make_batches(cases, pool.batch_size)) queue_.push_back(std::move(batch));
  }

  void run(const std::function<void()>& tick) {
    while (!queue_.empty() || !workers_.empty()) {
      while (workers_.size() < jobs_ && !queue_.empty()) start();
      wait();
      tick();
    }
  }

 private:
  void start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    Worker worker;
    worker.batch = std::move(queue_.front().cases);
    worker.large = queue_.front().large;
    queue_.pop_front();
    worker.input = ends[0];
    worker.since = Clock::now();
    worker.last.index = worker.batch.front();
    worker.process = ::fork();
    if (worker.process == 0) {
      die_with_parent();
      ::close(ends[0]);
      work(worker, ends[1]);
    }
    ::close(ends[1]);
    if (worker.process < 0) throw Failure(fmt::format("cannot start a process: {}", std::strerror(errno)));
    workers_.push_back(std::move(worker));
  }

  [[noreturn]] void work(const Worker& worker, int output) {
    try {
      run_batch(cases_, worker.batch, options_, worker.large ? compilers_.large : compilers_.small, output);
      ::_exit(0);
    } catch (const std::exception& error) {  // such as a full disk: it would stop every batch
      for (const std::size_t index : worker.batch) {
        const std::string line = report_line({Report::Kind::finished, index, {Status::failed, error.what(), {}, 0}});
        if (::write(output, line.data(), line.size()) < 0) break;
      }
      ::_exit(1);
    }
  }

  void wait() {
    std::vector<pollfd> inputs;
    for (const Worker& worker : workers_) inputs.push_back({worker.input, POLLIN, 0});
    ::poll(inputs.data(), inputs.size(), 100);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Worker& worker = workers_[i];
      const bool open = inputs[i].revents == 0 || read(worker);
      if (open && !late(worker)) {
        if (kept != i) workers_[kept] = std::move(worker);
        ++kept;
      } else {
        end(worker);
      }
    }
    workers_.resize(kept);
  }

  // False once the worker has closed its end.
  bool read(Worker& worker) {
    char piece[16384];
    const ssize_t size = ::read(worker.input, piece, sizeof piece);
    if (size < 0 && errno == EINTR) return true;
    if (size <= 0) return false;
    worker.text.append(piece, static_cast<std::size_t>(size));
    for (std::size_t end; (end = worker.text.find('\n')) != std::string::npos; worker.text.erase(0, end + 1))
      if (std::optional<Report> report = read_report(std::string_view(worker.text).substr(0, end)))
        take(worker, std::move(*report));
    return true;
  }

  void take(Worker& worker, Report report) {
    worker.since = Clock::now();
    worker.last = report;
    // An exception after some outcomes reports all cases once more: the first outcome stands.
    if (report.kind == Report::Kind::finished && std::erase(worker.batch, report.index) > 0)
      finished_(report.index, std::move(report.outcome));
  }

  // Only Loam's own work on a graph is timed here: a worker guards the host compiler and the runs itself.
  bool late(const Worker& worker) const {
    return worker.last.kind == Report::Kind::compiling && Clock::now() - worker.since > options_.limit;
  }

  void end(Worker& worker) {
    const bool too_long = late(worker);
    if (too_long) ::kill(worker.process, SIGKILL);
    ::close(worker.input);
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (worker.batch.empty()) return;
    std::string what = "ended early";
    if (WIFSIGNALED(status)) what = "crashed: " + signal_name(WTERMSIG(status));
    if (too_long) what = fmt::format("did not end within {} s", options_.limit.count());
    const bool compiling = worker.last.kind == Report::Kind::compiling;
    if (compiling || worker.batch.size() == 1) {
      const std::size_t index = compiling ? worker.last.index : worker.batch.front();
      if (std::erase(worker.batch, index) > 0)
        finished_(index,
                  {Status::failed, fmt::format("{} {}", compiling ? "Loam's compiler" : "the worker", what), {}, 0});
      if (!worker.batch.empty()) queue_.push_front({std::move(worker.batch), worker.large});
    } else {  // no telling whose fault it is: each alone
      for (const std::size_t index : worker.batch) queue_.push_front({{index}, worker.large});
    }
  }

  std::span<const TestCase> cases_;
  const TestOptions& options_;
  std::size_t jobs_;
  const TestCompilers& compilers_;
  const std::function<void(std::size_t, Outcome)>& finished_;
  std::deque<TestBatch> queue_;
  std::vector<Worker> workers_;
};

}  // namespace

std::vector<TestBatch> make_batches(std::span<const TestCase> cases, std::size_t batch_size) {
  struct Filled {
    TestBatch batch;
    std::uint64_t units = 0;
  };
  const std::uint64_t limit = std::max<std::uint64_t>(1, batch_size);
  std::vector<Filled> batches;
  Filled small;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::uint64_t units = cost(cases[i]);
    if (units >= limit) {
      batches.push_back({{{i}, true}, units});
      continue;
    }
    if (small.units + units > limit) batches.push_back(std::exchange(small, {}));
    small.batch.cases.push_back(i);
    small.units += units;
  }
  if (!small.batch.cases.empty()) batches.push_back(std::move(small));
  std::ranges::sort(batches, [](const Filled& a, const Filled& b) {
    return std::pair(b.units, a.batch.cases) < std::pair(a.units, b.batch.cases);
  });
  std::vector<TestBatch> ordered;
  for (Filled& filled : batches) ordered.push_back(std::move(filled.batch));
  return ordered;
}

void run_pool(std::span<const TestCase> cases, const TestOptions& options, const PoolOptions& pool,
              const TestCompilers& compilers, const std::function<void(std::size_t, Outcome)>& finished,
              const std::function<void()>& tick) {
  Pool(cases, options, pool, compilers, finished).run(tick);
}

}  // namespace loam::cli
