// A module compiled at several levels of the processor in one program: what chooses one, and the backend that computes at
// it. The levels are those of the x86-64 psABI, under the names that -march= has for them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.hpp"

namespace loam {

// The module as compiled for one level. What it makes is its own: no other level reads it, or lets go of it.
struct Level {
  const char* name;
  void* (*make_cpu)(int threads);
  void (*drop_cpu)(void* cpu);
};

// The levels in the program, lowest first. The module has the list.
inline std::span<const Level* const> built_levels();

// Whether the processor has the instructions of a level, and the system keeps the registers they use.
inline bool processor_has(std::string_view level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (level == "x86-64-v4") return __builtin_cpu_supports("x86-64-v4") != 0;
  if (level == "x86-64-v3") return __builtin_cpu_supports("x86-64-v3") != 0;
  if (level == "x86-64-v2") return __builtin_cpu_supports("x86-64-v2") != 0;
  return level == "x86-64";
#else
  return level == "portable";
#endif
}
using HasLevel = bool (*)(std::string_view level);

// The levels in the program that the processor has, highest first.
inline std::vector<const Level*> levels(HasLevel has = processor_has) {
  std::vector<const Level*> found;
  for (const Level* level : built_levels())
    if (has(level->name)) found.insert(found.begin(), level);
  return found;
}

// The first of them; null where there is none.
inline const Level* highest_level(HasLevel has = processor_has) {
  const std::vector<const Level*> found = levels(has);
  return found.empty() ? nullptr : found.front();
}

namespace detail {
inline std::string names_of(std::span<const Level* const> levels) {
  std::string names;
  for (const Level* level : levels) names += (names.empty() ? "" : ", ") + std::string(level->name);
  return names.empty() ? "none" : names;
}
}  // namespace detail

// The level of that name, where the program and the processor have it.
inline Result<const Level*, Refusal> find_level(std::string_view name, HasLevel has = processor_has) {
  for (const Level* level : built_levels()) {
    if (level->name != name) continue;
    if (has(name)) return level;
    return Refusal{"level " + std::string(name) + ": the processor or its system lacks it; of the program's levels it has " +
                   detail::names_of(levels(has))};
  }
  return Refusal{"level " + std::string(name) + ": is not in the program, which has " + detail::names_of(built_levels())};
}

// The CPU, at one level: the highest that the processor has, or another that find_level gives.
class Cpu {
 public:
  explicit Cpu(int threads = 0, const Level* level = highest_level())
      : level_(level), state_(level ? level->make_cpu(threads) : nullptr) {}
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;
  ~Cpu() {
    if (level_) level_->drop_cpu(state_);
  }

  // Its name; empty where the program has no level that the processor has.
  const char* level() const { return level_ ? level_->name : ""; }
  const Level* code() const { return level_; }
  void* state() const { return state_; }

 private:
  const Level* level_;
  void* state_;
};

// What a level made of weights, or keeps from call to call.
struct Held {
  const Level* maker = nullptr;
  std::unique_ptr<void, void (*)(void*)> state{nullptr, [](void*) {}};
};

inline bool fits(const Cpu& b, const Held& held) { return held.state && b.code() == held.maker; }

inline Refusal no_level() {
  return {"the processor has none of the program's levels: " + detail::names_of(built_levels())};
}
// Why a backend cannot use them.
inline Refusal misfit(const Cpu& b, const Held& held, std::string_view what) {
  if (!b.code()) return no_level();
  return {std::string(what) + (held.maker ? ": made at the level " + std::string(held.maker->name) : ": made by no backend") +
          ", and this backend computes at " + b.level() + ": make it with this one"};
}

}  // namespace loam
