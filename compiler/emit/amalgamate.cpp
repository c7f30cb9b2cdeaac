// Puts the runtime headers a module needs into its text: each once, after what it includes, inside the module's own
// namespace, so that two modules in one program share nothing they could disagree on.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/embedded.hpp"
#include "compiler/emit/writer.hpp"

namespace loam {

namespace {

// Headers without a loop over elements that a kernel's time could depend on.
constexpr std::string_view beside_kernels[] = {
    "runtime/axes.hpp",    "runtime/backend.hpp", "runtime/cache.hpp",  "runtime/checkpoint.hpp",
    "runtime/cpu.hpp",     "runtime/dims.hpp",    "runtime/extents.hpp", "runtime/forward.hpp",
    "runtime/packed.hpp",  "runtime/places.hpp",  "runtime/progress.hpp", "runtime/result.hpp",
    "runtime/tensor.hpp",  "runtime/value.hpp"};

class Amalgamation {
 public:
  Amalgamation(std::string_view enclosing, bool small) : small_(small), open_("namespace " + std::string(enclosing) + "::loam {") {
    for (const EmbeddedFile& file : embedded_runtime()) files_.emplace(file.path, file.text);
  }

  void add(const std::string& path) {
    const auto it = files_.find(path);
    if (it == files_.end() || !done_.insert(path).second) return;
    std::string body;
    std::string_view rest = it->second;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (line.starts_with("#pragma once")) continue;
      if (line.starts_with("#include \"")) {
        add(std::string(line.substr(10, line.find('"', 10) - 10)));
        continue;
      }
      if (line.starts_with("#include <")) {
        system_.insert(std::string(line));
        continue;
      }
      if (line == "namespace loam {") body += open_;
      else if (line.starts_with("namespace loam::")) body += open_.substr(0, open_.size() - 2) + std::string(line.substr(14));
      else body += line;
      body += '\n';
    }
    // The blank lines that the includes stood among.
    while (body.find("\n\n\n") != std::string::npos) body.erase(body.find("\n\n\n"), 1);
    body.erase(0, std::min(body.find_first_not_of('\n'), body.size()));
    if (small_ && std::ranges::find(beside_kernels, path) != std::end(beside_kernels))
      body = std::string(small_begins) + body + std::string(small_ends);
    text_ += "// ---- " + path + " ----\n\n" + body + "\n";
  }

  RuntimeText take() { return {{system_.begin(), system_.end()}, std::move(text_)}; }

 private:
  bool small_;
  std::string open_;
  std::map<std::string, std::string_view, std::less<>> files_;
  std::set<std::string> done_, system_;
  std::string text_;
};

}  // namespace

RuntimeText amalgamate(const std::set<std::string>& roots, std::string_view enclosing_namespace, bool small) {
  Amalgamation all(enclosing_namespace, small);
  for (const std::string& root : roots) all.add(root);
  return all.take();
}

}  // namespace loam
