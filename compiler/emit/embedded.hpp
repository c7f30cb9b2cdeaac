// The runtime and the op library as text, carried inside the compiler, which opens no file: what a generated module
// needs of them is copied from here. The build writes the table (cmake/embed_files.cpp) from every header of runtime/
// and of ops/<op>/ except the references, which only tests include; web/loader.js, which a page calls a module by, and
// web/threads.js, which starts its threads; and web/report/, the page of `loam report`.
#pragma once

#include <span>
#include <string_view>

namespace loam {

struct EmbeddedFile {
  std::string_view path;  // from the repository's root, as a source includes it: "runtime/tensor.hpp"
  std::string_view text;  // the file's bytes, unchanged
};

// Every embedded file, in ascending byte order of path.
std::span<const EmbeddedFile> embedded_runtime();

}  // namespace loam
