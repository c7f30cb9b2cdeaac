// Code that may crash or never end, in a process of its own.
#pragma once

#include <chrono>
#include <functional>

#include "cli/test_case.hpp"

namespace loam::cli {

// What `work` returns, or an outcome that says how it ended instead: an exception, a signal, no end within the limit.
Outcome guarded(const std::function<Outcome()>& work, std::chrono::seconds limit);

}  // namespace loam::cli
