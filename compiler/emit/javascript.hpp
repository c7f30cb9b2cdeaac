// The page's side of a WebAssembly module: a loader in JavaScript, and its types.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loam {

struct PagePort {
  std::string name;  // as the graph spells it
  std::string dtype;
  std::vector<std::string> axes, extents;
};

struct PageModule {
  std::string name;
  std::vector<PagePort> inputs, outputs;
  std::vector<std::string> files;  // those the weights lie in; the checkpoint is ""
  std::optional<std::vector<std::string>> cache;  // the lengths that one is made with, where the module keeps one
};

// "NAME.js": web/loader.js, and of which module.
std::string javascript(const PageModule& module);
// "NAME.d.ts"
std::string typescript_declarations(const PageModule& module);

}  // namespace loam
