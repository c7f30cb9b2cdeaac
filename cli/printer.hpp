// What the command says besides its result: diagnostics and failures, all on stderr.
#pragma once

#include <span>
#include <string_view>

#include "compiler/diagnostic.hpp"

namespace loam::cli {

// "error: site: message [code]", with the note on a line of its own. `file` comes first where it is given, for commands
// that read several.
void print(const Diagnostic& diagnostic, std::string_view file = {});
void print(const Diagnostics& diagnostics, std::string_view file = {});
void print_failure(std::string_view message);

}  // namespace loam::cli
