// What a build says about a model: one type for every stage, collected rather than thrown.
//
// The first words of a printed diagnostic are its site ("tensor" or "output = Operator"); the message says what was
// found on each side in the reader's units; the note says what would mend it where that is known. Nothing in the
// compiler aborts, prints or throws: a stage adds what it found here and goes on as far as it can, so that one build
// reports all its errors together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loam {

enum class Severity : std::uint8_t { error, warning, note };

// The stable codes, one line each in diagnostic_codes.inc: identifier, one-line summary, explanation (`loam explain`).
enum class Code : std::uint16_t {
#define LOAM_CODE(name, summary, explanation) name,
#include "compiler/diagnostic_codes.inc"
#undef LOAM_CODE
};

struct CodeInfo {
  Code code;
  std::string_view name;  // with dashes: "axis-names-meet"
  std::string_view summary;
  std::string_view explanation;
};

// Every code, in the order of diagnostic_codes.inc.
std::span<const CodeInfo> all_codes();
const CodeInfo& info(Code code);

struct Diagnostic {
  Severity severity = Severity::error;
  Code code{};
  std::string site;     // a tensor, or "output = Operator", or "byte 120"; may be empty
  std::string message;  // what was found on each side
  std::string note;     // what would mend it; may be empty

  // "site: message [code-name]", and the note on a line of its own.
  std::string text() const;
};

class Diagnostics {
 public:
  void error(Code code, std::string site, std::string message, std::string note = {}) {
    add({Severity::error, code, std::move(site), std::move(message), std::move(note)});
  }
  void warning(Code code, std::string site, std::string message, std::string note = {}) {
    add({Severity::warning, code, std::move(site), std::move(message), std::move(note)});
  }
  void add(Diagnostic diagnostic);  // an exact repetition is dropped

  bool failed() const { return errors_ != 0; }
  std::size_t errors() const { return errors_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  // Forgets everything added since the list was this long: an attempt that is made again on other terms.
  void rewind(std::size_t length);

 private:
  std::vector<Diagnostic> list_;
  std::unordered_multimap<std::size_t, std::size_t> seen_;  // a text's hash, and where in list_ it stands
  std::size_t errors_ = 0;
};

}  // namespace loam
