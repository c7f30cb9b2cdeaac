// What the command says besides its result: diagnostics and failures, all on stderr.
#pragma once

#include <span>
#include <string_view>

#include "compiler/compile.hpp"
#include "compiler/diagnostic.hpp"

namespace loam::cli {

// "error: site: message [code]", with the note on a line of its own. `file` comes first where it is given, for commands
// that read several.
void print(const Diagnostic& diagnostic, std::string_view file = {});
void print(const Diagnostics& diagnostics, std::string_view file = {});
void print_failure(std::string_view message);
// Says that --layout auto has taken the proposal, so that nobody takes it for the model's own; nothing where there is
// none.
void print_proposal(const Layout& proposed);

}  // namespace loam::cli
