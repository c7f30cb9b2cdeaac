// Why a command cannot go on, other than a diagnostic of the compiler: a file that cannot be read, no host compiler.
// main() prints it as one line and ends with exit code 1.
#pragma once

#include <stdexcept>
#include <string>

namespace loam::cli {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace loam::cli
