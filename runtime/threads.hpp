// The threads a kernel's work is shared among: Cpu::parallel, which kernels that split their work include.
//
// Work is cut into parts by its size alone, and every part is computed the same whichever thread takes it, so results
// do not depend on the number of threads. WebAssembly without shared memory has no threads, and runs the parts in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "runtime/cpu.hpp"

namespace loam {

namespace detail {

// The least work worth handing over, in elements moved or computed: 16384 of a map take 4 us and more, and that a part is
// done elsewhere is seen within 0.3 us.
inline constexpr std::int64_t grain_elements = 1 << 14;
// How many items of so much work each make a part.
constexpr std::int64_t grain_of(std::int64_t elements_each) {
  return std::max<std::int64_t>(1, grain_elements / std::max<std::int64_t>(1, elements_each));
}
// Multiply-adds run in vectors, from registers and the first-level cache: as many as one element moved.
inline constexpr std::int64_t products_an_element = 8;

// More parts than this even out nothing on the machines there are, and each costs a claim (15 ns).
inline constexpr std::int64_t most_parts = 256;

// In how many lanes to share items of so much work each where a lane needs memory of its own: by the work alone, and few
// enough that the memory is no burden.
constexpr std::int64_t lanes_of(std::int64_t items, std::int64_t elements_each) {
  return std::clamp<std::int64_t>(items / grain_of(elements_each), 1, 16);
}

}  // namespace detail

#if !defined(__wasm__) || defined(__wasm_atomics__)

namespace detail {

// A number that threads sleep on until it changes.
#if !defined(__wasm__)
using Signal = std::atomic<std::uint32_t>;
#else
// libc++ built without threads has no wait. To notify is a call into the engine, made only where somebody sleeps: who goes
// to sleep counts itself before it looks at the number a last time, and who notifies has changed it before it looks here.
class Signal : public std::atomic<std::uint32_t> {
 public:
  void wait(std::uint32_t seen, std::memory_order = std::memory_order_seq_cst) {
    sleepers_.fetch_add(1);
    __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(this), static_cast<int>(seen), -1);
    sleepers_.fetch_sub(1);
  }
  void notify_all() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers_.load() != 0) __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(this), ~0u);
  }

 private:
  std::atomic<std::uint32_t> sleepers_{0};
};
#endif

}  // namespace detail

// A pool of threads that wait for parts. One thread at a time may call `run`: it works too, and returns when every part
// is done. A thread that is late is not waited for.
class Threads {
 public:
  using Part = void (*)(void* context, std::int64_t part);

#if !defined(__wasm__)
  explicit Threads(int count) {
    for (int i = 1; i < count; ++i)
      if (!start()) break;
  }
  ~Threads() {
    stop_.store(true, std::memory_order_relaxed);
    wake();
    for (std::thread& worker : workers_) worker.join();
  }
#else
  // Its threads are the page's workers, which call serve() (web/threads.js) and end with it.
  constexpr Threads() = default;
  // The main thread of a page must not sleep.
  void caller_sleeps(bool may) { caller_sleeps_ = may; }
  // Of a worker that ended within a part: the call that waits for it ends too.
  void lose() {
    done_.fetch_add(lost, std::memory_order_release);
    done_.notify_all();
  }
#endif
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Fewer than 2^16 parts.
  void run(std::uint32_t parts, Part part, void* context) {
    part_.store(part, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    const std::uint64_t turn = (left_.load(std::memory_order_relaxed) >> 32) + 1;
    left_.store(turn << 32 | parts, std::memory_order_release);
    wake();
    work(true);
    std::uint32_t done = 0;
    const auto finished = [&] { return (done = done_.load(std::memory_order_acquire)) >= parts; };
    look(finished);
    while (!finished())
      if (caller_sleeps_) done_.wait(done);
#if defined(__wasm__)
    if (done >= lost) __builtin_trap();
#endif
  }

  // Works on every call's parts, until the pool ends.
  void serve() {
    std::uint32_t seen = 0;
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::uint32_t woken = woken_.load(std::memory_order_acquire);
      if (woken == seen) {
        look([&] { return woken_.load(std::memory_order_relaxed) != seen; });
        woken_.wait(seen, std::memory_order_acquire);
        continue;
      }
      seen = woken;
      work(false);
    }
  }

 private:
  // Looks for some 75 us before a thread sleeps, which is longer than the serial kernels between two shared ones take: to
  // wake one that sleeps takes 9 us at best and 50 us on a busy machine. With 5 us mobilenet_v3_small took 1.52 ms on two
  // threads, where it takes 1.36. It does not yield: on a busy machine that gave the processor away for 2 ms.
#if defined(__x86_64__) || defined(__i386__)
  static constexpr int looks = 3'000;
  static void pause() { __builtin_ia32_pause(); }  // 25 ns
#elif defined(__aarch64__)
  static constexpr int looks = 3'000;
  static void pause() { asm volatile("isb"); }
#else
  static constexpr int looks = 100'000;
  static void pause() {}
#endif
  template <class Ready>
  static void look(const Ready& ready) {
    for (int i = 0; i < looks && !ready(); ++i) pause();
  }

  void wake() {
    woken_.fetch_add(1, std::memory_order_release);
    woken_.notify_all();
  }

  // Takes parts until none is left: the caller from the first on, the others from the last, so that what one kernel has
  // left in a core's cache is often what the next one finds there. A part is claimed together with its turn, so that a
  // thread which read one turn's work as the next began gets none of it.
  void work(bool caller) {
    constexpr std::uint64_t one_from_first = std::uint64_t{1} << 16, low = one_from_first - 1;
    std::uint64_t left = left_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t first = left >> 16 & low, end = left & low;
      if (first == end) return;
      const Part part = part_.load(std::memory_order_relaxed);
      void* const context = context_.load(std::memory_order_relaxed);
      const std::uint64_t then = caller ? left + one_from_first : left - 1;
      if (!left_.compare_exchange_weak(left, then, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      part(context, static_cast<std::int64_t>(caller ? first : end - 1));
      done_.fetch_add(1, std::memory_order_release);
      done_.notify_all();
      left = left_.load(std::memory_order_acquire);
    }
  }

#if !defined(__wasm__)
  // With fewer threads than asked for the results are the same.
  bool start() {
#if defined(__cpp_exceptions)
    try {
      workers_.emplace_back([this] { serve(); });
    } catch (...) {
      return false;
    }
#else
    workers_.emplace_back([this] { serve(); });
#endif
    return true;
  }

  std::vector<std::thread> workers_;
  static constexpr bool caller_sleeps_ = true;
#else
  static constexpr std::uint32_t lost = 1u << 31;  // more than all parts
  bool caller_sleeps_ = false;
#endif
  std::atomic<Part> part_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<std::uint64_t> left_{0};  // the turn, and in the lower half the first part that is unclaimed and their end, of 16 bits each
  detail::Signal done_{}, woken_{};
  std::atomic<bool> stop_{false};
};

#if defined(__wasm__)
inline constinit Threads page_threads;
#endif

#endif

template <class F>
void Cpu::parallel(std::int64_t count, std::int64_t grain, F&& f) {
  if (count <= 0) return;
  const std::int64_t least = std::max<std::int64_t>(1, grain);
  const std::int64_t part = (count / least / detail::most_parts + 1) * least, parts = (count - 1) / part + 1;
  auto run_part = [&](std::int64_t i) { f(i * part, std::min(count, (i + 1) * part)); };
#if !defined(__wasm__) || defined(__wasm_atomics__)
  if (parts > 1 && !sharing_ && threads() > 1) {
#if defined(__wasm__)
    Threads* const pool = &page_threads;
#else
    if (!pool_) pool_ = std::make_shared<Threads>(threads());
    Threads* const pool = pool_.get();
#endif
    sharing_ = true;
    pool->run(
        static_cast<std::uint32_t>(parts),
        [](void* context, std::int64_t i) { (*static_cast<decltype(run_part)*>(context))(i); },
        &run_part);
    sharing_ = false;
    return;
  }
#endif
  for (std::int64_t i = 0; i < parts; ++i) run_part(i);
}

inline int Cpu::threads() {
#if !defined(__wasm__)
  if (threads_ == 0) threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
  return threads_;
}

}  // namespace loam
