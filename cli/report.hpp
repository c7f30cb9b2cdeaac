// What a process that works on cases tells the one that started it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/test_case.hpp"

namespace loam::cli {

// A line of JSON each.
struct Report {
  enum class Kind : std::uint8_t {
    compiling,  // Loam works on this case: if nothing more comes in time, or the worker dies, it is this case's fault
    building,   // the host compiler works on the batch
    running,    // this case runs, in a process that the worker guards
    finished,   // this case's outcome
  };
  Kind kind = Kind::compiling;
  std::size_t index = 0;
  Outcome outcome;
};
std::string report_line(const Report& report);
std::optional<Report> read_report(std::string_view line);

}  // namespace loam::cli
