// The page's side of a WebAssembly module: a loader in JavaScript, and its types.
#pragma once

#include <cstdint>
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
  std::int64_t shared_pages = 0;  // of 64 KiB, that its memory begins with where there are builds with threads
};

// "NAME.js": web/loader.js, web/threads.js where there are threads, and of which module.
std::string javascript(const PageModule& module);
// "NAME.d.ts"
std::string typescript_declarations(const PageModule& module);

}  // namespace loam
