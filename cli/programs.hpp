// Which other programs there are, and how the environment names them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loam::cli {

// Split at white space.
std::vector<std::string> words(std::string_view text);
// A variable of the environment; empty where it is not set.
std::string environment(const char* name);
// Whether a program of this name, or at this path, can be run.
bool on_path(const std::string& program);

}  // namespace loam::cli
