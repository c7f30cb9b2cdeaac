// Layout files: JSON in, rules out, and back. The schema is docs/layout.schema.json; docs/layout.md explains it.
#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "compiler/compile.hpp"
#include "compiler/nearest.hpp"
#include "compiler/stage0/names.hpp"

namespace loam {

namespace {

using nlohmann::ordered_json;

bool is_axis_word(std::string_view word) {
  if (word == "_") return true;
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '_') return false;
  return std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

class LayoutReader {
 public:
  explicit LayoutReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Layout> read(std::string_view text) {
    const auto json = ordered_json::parse(text, nullptr, false, true);
    if (json.is_discarded()) return fail("layout", "is not JSON");
    if (!json.is_object()) return fail("layout", "is not an object with a list of rules");
    Layout layout;
    known_keys(json, "layout", {"rules", "meets", "comment", "$schema"});
    const auto rules = json.find("rules");
    if (rules == json.end() || !rules->is_array()) return fail("layout", "has no list \"rules\"");
    for (std::size_t i = 0; i < rules->size(); ++i)
      if (auto rule = read_rule((*rules)[i], "rule " + std::to_string(i))) layout.rules.push_back(std::move(*rule));
    if (const auto meets = json.find("meets"); meets != json.end()) {
      if (!meets->is_array()) return fail("layout", "\"meets\" is not a list");
      for (const auto& node : *meets) {
        if (!node.is_string()) return fail("layout", "\"meets\" names a node by what is not a string");
        layout.meets.push_back(node.get<std::string>());
      }
    }
    return failed_ ? std::nullopt : std::optional(std::move(layout));
  }

 private:
  std::nullopt_t fail(std::string site, std::string message, std::string note = {}) {
    failed_ = true;
    diagnostics_.error(Code::bad_layout, std::move(site), std::move(message), std::move(note));
    return std::nullopt;
  }

  void known_keys(const ordered_json& object, const std::string& site, std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      const std::string meant = nearest(key, {known.begin(), known.size()});
      fail(site, "has a key \"" + key + "\", which a layout does not have", meant.empty() ? "" : "did you mean \"" + meant + "\"?");
    }
  }

  std::optional<LayoutRule> read_rule(const ordered_json& json, const std::string& site) {
    if (!json.is_object()) return fail(site, "is not an object");
    known_keys(json, site, {"pattern", "axes", "graph", "comment"});
    LayoutRule rule;
    const auto word = [&](const char* key, std::string& into, bool needed) {
      const auto it = json.find(key);
      if (it == json.end()) {
        if (needed) fail(site, std::string("has no \"") + key + "\"");
      } else if (!it->is_string()) {
        fail(site, std::string("\"") + key + "\" is not a string");
      } else {
        into = it->get<std::string>();
      }
    };
    word("pattern", rule.pattern, true);
    word("graph", rule.graph, false);
    word("comment", rule.comment, false);
    const auto axes = json.find("axes");
    if (axes == json.end() || !axes->is_array()) return fail(site, "has no list \"axes\"");
    for (const auto& axis : *axes) {
      if (!axis.is_string()) return fail(site, "names an axis by what is not a string");
      const auto text = axis.get<std::string>();
      const auto words = layout_words(text);
      if (words.empty() || !std::ranges::all_of(words, is_axis_word) || (words.size() > 1) != (text.find('(') != std::string::npos))
        return fail(site, "names an axis \"" + text + "\"", "an axis is a C++ identifier, a merge of several in parentheses (\"(Head Dim)\"), or \"_\"");
      rule.axes.push_back(text);
    }
    return rule;
  }

  Diagnostics& diagnostics_;
  bool failed_ = false;
};

}  // namespace

std::optional<Layout> parse_layout(std::string_view json, Diagnostics& diagnostics) { return LayoutReader(diagnostics).read(json); }

std::string print_layout(const Layout& layout) {
  const auto quoted = [](const std::string& s) { return ordered_json(s).dump(-1, ' ', false, ordered_json::error_handler_t::replace); };
  std::string out = "{\n  \"rules\": [";
  for (std::size_t i = 0; i < layout.rules.size(); ++i) {
    const LayoutRule& rule = layout.rules[i];
    out += i ? ",\n    {" : "\n    {";
    out += "\"pattern\": " + quoted(rule.pattern) + ", \"axes\": [";
    for (std::size_t k = 0; k < rule.axes.size(); ++k) out += (k ? ", " : "") + quoted(rule.axes[k]);
    out += "]";
    if (!rule.graph.empty()) out += ", \"graph\": " + quoted(rule.graph);
    if (!rule.comment.empty()) out += ", \"comment\": " + quoted(rule.comment);
    out += "}";
  }
  out += "\n  ]";
  for (std::size_t i = 0; i < layout.meets.size(); ++i) out += (i ? ", " : ",\n  \"meets\": [") + quoted(layout.meets[i]);
  return out + (layout.meets.empty() ? "\n}\n" : "]\n}\n");
}

}  // namespace loam
