// Writes a C++ source that holds files as text, for compiler/emit/embedded.hpp.
//
//   embed_files OUTPUT ROOT LIST
//
// LIST names one file a line, relative to ROOT. Each file's text becomes adjacent string literals, one a line of it, so
// that no literal is long and a difference between two generated sources reads as the difference between the files. A
// file of this build's host: it runs while the compiler library is built, and is no part of it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The text as adjacent literals. Every byte outside printable ASCII, and what a literal gives a meaning of its own (a
// quote, a backslash, the '?' of a trigraph), is written as three octal digits, which no digit after them can extend.
std::string literals(std::string_view text) {
  if (text.empty()) return "    \"\"";
  constexpr std::size_t longest = 2000;  // characters of one literal; past it a long line continues in the next one
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  std::size_t length = 0;
  bool open = false;
  for (const char character : text) {
    if (!open) {
      out += "    \"";
      open = true;
      length = 0;
    }
    const auto byte = static_cast<unsigned char>(character);
    if (character == '\n') {
      out += "\\n\"\n";
      open = false;
      continue;
    }
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20 || byte > 0x7e || character == '?') {
      out += '\\';
      out += static_cast<char>('0' + (byte >> 6));
      out += static_cast<char>('0' + ((byte >> 3) & 7));
      out += static_cast<char>('0' + (byte & 7));
    } else {
      out += character;
    }
    if (++length == longest) {
      out += "\"\n";
      open = false;
    }
  }
  if (open) out += "\"\n";
  out.pop_back();  // the last newline: a comma follows
  return out;
}

bool read(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return !file.bad();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: embed_files OUTPUT ROOT LIST\n");
    return 2;
  }
  const std::string output = arguments[1];
  const std::string root = arguments[2];
  std::string list;
  if (!read(arguments[3], list)) {
    std::fprintf(stderr, "embed_files: cannot read %s\n", arguments[3]);
    return 1;
  }
  std::vector<std::string> paths;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find('\n', start), list.size());
    if (end > start) paths.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  std::sort(paths.begin(), paths.end());

  std::string source =
      "// Written by cmake/embed_files.cpp: not to be edited.\n"
      "#include \"compiler/emit/embedded.hpp\"\n\n"
      "#include <array>\n\n"
      "namespace loam {\n"
      "namespace {\n\n"
      "using namespace std::string_view_literals;\n\n";
  source += "constexpr std::array<EmbeddedFile, " + std::to_string(paths.size()) + "> files{{\n";
  for (const std::string& path : paths) {
    std::string text;
    if (!read(root + "/" + path, text)) {
      std::fprintf(stderr, "embed_files: cannot read %s/%s\n", root.c_str(), path.c_str());
      return 1;
    }
    source += "    {\"" + path + "\"sv,\n" + literals(text) + "sv},\n";
  }
  source +=
      "}};\n\n"
      "}  // namespace\n\n"
      "std::span<const EmbeddedFile> embedded_runtime() { return files; }\n\n"
      "}  // namespace loam\n";

  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file.write(source.data(), static_cast<std::streamsize>(source.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "embed_files: cannot write %s\n", output.c_str());
    return 1;
  }
  return 0;
}
