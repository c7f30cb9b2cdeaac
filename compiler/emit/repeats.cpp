#include "compiler/emit/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace loam {

namespace {

struct Token {
  // A name is of a value; a place is the sum where a tensor lies; a site is a message's; an axis is a type. Those may differ.
  enum class Kind : std::uint8_t { fixed, name, place, site, axis } kind = Kind::fixed;
  std::string text;
};

struct Statement {
  std::vector<Token> tokens;          // of its text without comments; blanks are tokens too
  std::string key;                    // equal where statements are alike
  std::vector<std::size_t> declares;  // the tokens that name what it declares
  bool plain = true;                  // whether it only declares constants and calls kernels
};

constexpr std::string_view declares_value = "const auto ", declares_length = "const std::int64_t ";

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// What begins with a letter, with the scopes and members that belong to it: loam::map, weights.bias.
std::string_view word_at(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && in_word(text[n])) ++n;
  for (;;) {
    std::size_t joint = 0;
    if (text.substr(n).starts_with('.')) joint = 1;
    if (text.substr(n).starts_with("::")) joint = 2;
    if (joint == 0 || n + joint >= text.size() || !in_word(text[n + joint])) return text.substr(0, n);
    n += joint;
    while (n < text.size() && in_word(text[n])) ++n;
  }
}

std::string_view literal_at(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && text[n] != '"') n += text[n] == '\\' ? 2u : 1u;
  return text.substr(0, std::min(n + 1, text.size()));
}

// The argument that begins here, up to the comma after it.
std::string_view argument_at(std::string_view text) {
  int depth = 0;
  std::size_t n = 0;
  for (; n < text.size(); ++n) {
    if (text[n] == '(' || text[n] == '{') ++depth;
    if (text[n] == ')' || text[n] == '}') --depth;
    if (depth == 0 && text[n] == ',') break;
  }
  return text.substr(0, n);
}

class Repeats {
 public:
  Repeats(const std::string& body, std::span<const std::size_t> begins, Identifiers& names,
          const std::function<bool(std::string_view)>& is_axis)
      : body_(body), begins_(begins), names_(names), is_axis_(is_axis) {
    for (std::string_view rest = body_; !rest.empty();) {
      const std::string_view line = take_line(rest);
      for (const std::string_view start : {declares_value, declares_length})
        if (const std::size_t at = line.find(start); at != std::string_view::npos)
          locals_.emplace(word_at(line.substr(at + start.size())), start == declares_length);
    }
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i) statements_.push_back(read(text_of(i)));
    for (std::size_t i = 0; i < statements_.size(); ++i) uses(text_of(i), i);
    uses(std::string_view(body_).substr(begins_.back()), statements_.size());
  }

  std::string write() {
    std::string out = body_.substr(0, begins_.front());
    write(0, statements_.size(), out);
    return out + body_.substr(begins_.back());
  }

 private:
  // `times` runs of `length` statements from `begin` on.
  struct Run {
    std::size_t begin = 0, length = 0, times = 0;
    std::vector<std::vector<std::string>> given;       // of each parameter what each run gives
    std::vector<Token::Kind> kinds;                    // of each parameter
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> parameters;  // (statement, token) of the first run -> which
    std::vector<std::pair<std::size_t, std::size_t>> results;               // (statement, token) in the run: used after it
    std::size_t saved() const { return (times - 1) * length; }
    std::size_t cost() const { return given.size() + 3 * results.size(); }
  };

  static std::string_view take_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
  }

  std::string_view text_of(std::size_t i) const {
    return std::string_view(body_).substr(begins_[i], begins_[i + 1] - begins_[i]);
  }

  bool is_value(std::string_view word) const {
    return locals_.contains(word) || word.starts_with("weights.") || word.starts_with("cache.");
  }

  Statement read(std::string_view text) const {
    Statement s;
    while (!text.empty()) {
      std::string_view line = take_line(text);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line.empty() || line.starts_with("//")) continue;
      const bool declares = line.starts_with(declares_value) || line.starts_with(declares_length);
      s.plain = s.plain && (declares || line.starts_with("loam::")) && line.ends_with(";");
      const std::size_t named = declares ? line.starts_with(declares_value) ? declares_value.size() : declares_length.size() : 0;
      // loam::make<...>(b, segment, place, {...})
      const std::size_t make = line.find(" = loam::make<");
      std::size_t place = make == std::string_view::npos ? make : line.find(">(b, ", make);
      if (place != std::string_view::npos) place = line.find(", ", place + 5) + 2;
      for (std::size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        Token token{Token::Kind::fixed, std::string(rest.substr(0, 1))};
        if (at == place) {
          token = {Token::Kind::place, std::string(argument_at(rest))};
        } else if (rest.front() == '"') {
          token = {Token::Kind::site, std::string(literal_at(rest))};
        } else if (in_word(rest.front())) {
          const std::string_view word = word_at(rest);
          token = {is_value(word) ? Token::Kind::name : is_axis_(word) ? Token::Kind::axis : Token::Kind::fixed, std::string(word)};
          if (declares && at == named) s.declares.push_back(s.tokens.size());
        }
        at += token.text.size();
        s.key += token.kind == Token::Kind::fixed ? token.text : std::string(1, static_cast<char>(token.kind));
        s.tokens.push_back(std::move(token));
      }
      s.tokens.push_back({Token::Kind::fixed, "\n"});
      s.key += '\n';
    }
    s.plain = s.plain && !s.tokens.empty();
    return s;
  }

  // Where each word comes last.
  void uses(std::string_view text, std::size_t statement) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t n = 0;
      while (at + n < text.size() && in_word(text[at + n])) ++n;
      if (n != 0) last_use_.insert_or_assign(std::string(text.substr(at, n)), statement);
      at += std::max<std::size_t>(n, 1);
    }
  }

  // What the runs of such statements differ in; nullopt where it is more than values.
  std::optional<Run> run_of(std::size_t begin, std::size_t length, std::size_t times) const {
    Run run{begin, length, times, {}, {}, {}, {}};
    std::vector<std::map<std::string, std::pair<std::size_t, std::size_t>>> declared(times);
    for (std::size_t k = 0; k < times; ++k)
      for (std::size_t i = 0; i < length; ++i)
        for (const std::size_t at : statements_[begin + k * length + i].declares)
          declared[k].emplace(statements_[begin + k * length + i].tokens[at].text, std::pair(i, at));
    std::map<std::vector<std::string>, std::size_t> known;
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t at = 0; at < statements_[begin + i].tokens.size(); ++at) {
        const Token& first = statements_[begin + i].tokens[at];
        if (first.kind == Token::Kind::fixed) continue;
        std::vector<std::string> texts;
        std::set<std::pair<std::size_t, std::size_t>> own;  // where the runs declare what they name here
        std::size_t owned = 0;
        for (std::size_t k = 0; k < times; ++k) {
          texts.push_back(statements_[begin + k * length + i].tokens[at].text);
          if (const auto it = declared[k].find(texts.back()); it != declared[k].end()) {
            own.insert(it->second);
            ++owned;
          }
        }
        if (owned == times && own.size() == 1) continue;
        if (owned != 0) return std::nullopt;
        if (std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); })) continue;
        const auto [it, added] = known.emplace(texts, run.given.size());
        if (added) {
          run.given.push_back(texts);
          run.kinds.push_back(first.kind);
        }
        run.parameters.emplace(std::pair(i, at), it->second);
      }
    }
    for (const auto& [name, place] : declared.front()) {
      const auto used_after = [&](std::size_t k) {
        const Token& token = statements_[begin + k * length + place.first].tokens[place.second];
        return last_use_.at(token.text) >= begin + (k + 1) * length;
      };
      for (std::size_t k = 0; k < times; ++k)
        if (used_after(k)) {
          run.results.push_back(place);
          break;
        }
    }
    std::ranges::sort(run.results);
    // A place made of what the run itself declares would be named outside of it.
    for (const auto& texts : run.given)
      for (std::size_t k = 0; k < times; ++k)
        for (std::size_t at = 0; at < texts[k].size();) {
          const std::string_view word = word_at(std::string_view(texts[k]).substr(at));
          if (!word.empty() && texts[k].front() != '"' && declared[k].contains(std::string(word))) return std::nullopt;
          at += std::max<std::size_t>(word.size(), 1);
        }
    return run;
  }

  // The runs among [begin, end) that save most.
  std::optional<Run> best(std::size_t begin, std::size_t end) const {
    std::optional<Run> best;
    for (std::size_t length = 3; 2 * length <= end - begin; ++length)
      for (std::size_t at = begin, alike = 0; at + length <= end; ++at) {
        if (at + length < end && statements_[at].plain && statements_[at + length].plain &&
            statements_[at].key == statements_[at + length].key) {
          ++alike;
          continue;
        }
        const std::size_t first = at - alike, all = alike + length, times = all / length;
        alike = 0;
        if (times < 2 || (times - 1) * length < 8 || (best && best->saved() > (times - 1) * length)) continue;
        for (std::size_t shift = 0; shift <= std::min(all % length, length - 1); ++shift)
          if (const auto run = run_of(first + shift, length, times);
              run && (!best || run->saved() > best->saved() || run->cost() < best->cost()))
            best = run;
      }
    return best;
  }

  void write(std::size_t begin, std::size_t end, std::string& out) {
    const std::optional<Run> run = best(begin, end);
    if (!run) {
      out += std::string_view(body_).substr(begins_[begin], begins_[end] - begins_[begin]);
      return;
    }
    write(begin, run->begin, out);
    write_run(*run, out);
    write(run->begin + run->times * run->length, end, out);
  }

  // What all that a parameter is given is called, without what tells them apart.
  static std::string common_name(const std::vector<std::string>& texts) {
    std::string_view prefix = texts.front(), suffix = texts.front();
    for (const std::string_view text : texts) {
      while (!text.starts_with(prefix)) prefix.remove_suffix(1);
      while (!text.ends_with(suffix)) suffix.remove_prefix(1);
    }
    suffix.remove_prefix(std::min(suffix.find('_'), suffix.size()));
    if (prefix.size() + suffix.size() > std::ranges::min(texts, {}, &std::string::size).size()) suffix = {};
    prefix.remove_prefix(prefix.find('.') + 1);  // npos + 1 is 0
    while (prefix.ends_with('_')) prefix.remove_suffix(1);
    return std::string(prefix) + std::string(suffix);
  }

  std::string names_of(const std::vector<std::pair<std::size_t, std::size_t>>& places, std::size_t begin) const {
    std::string names;
    for (const auto& [i, at] : places) names += (names.empty() ? "" : ", ") + statements_[begin + i].tokens[at].text;
    return names;
  }

  void write_run(const Run& run, std::string& out) {
    const std::string lambda = names_.mint("layer");
    std::vector<std::string> parameters;
    std::string list, types;
    for (std::size_t p = 0; p < run.given.size(); ++p) {
      const std::vector<std::string>& given = run.given[p];
      if (run.kinds[p] == Token::Kind::axis) {
        parameters.push_back(names_.mint(given.front() + "Of"));
        types += (types.empty() ? "class " : ", class ") + parameters.back();
        continue;
      }
      const bool site = run.kinds[p] == Token::Kind::site, place = run.kinds[p] == Token::Kind::place;
      const auto local = locals_.find(given.front());
      const bool number = place || (local != locals_.end() && local->second);
      parameters.push_back(names_.mint(site ? "site" : place ? "place" : common_name(given)));
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", number ? "std::int64_t" : site ? "const char*" : "const auto&",
                          parameters.back());
    }
    out += fmt::format("\n  // {} layers alike, but for what each is given.\n", run.times);
    if (!types.empty()) types = "<" + types + ">";
    out += fmt::format("  const auto {} = [&]{}({}) __attribute__((noinline)) {{\n", lambda, types, list);
    for (std::size_t i = 0; i < run.length; ++i) {
      std::string_view rest = text_of(run.begin + i);
      std::size_t at = 0;
      const Statement& s = statements_[run.begin + i];
      while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
        if (text == line.size() || line.substr(text).starts_with("//")) {
          if (i != 0 || text != line.size()) out += text == line.size() ? "\n" : fmt::format("  {}\n", line);
          continue;
        }
        out += fmt::format("  {}", line.substr(0, text));
        for (bool ended = false; !ended; ++at) {
          const auto it = run.parameters.find({i, at});
          out += it == run.parameters.end() ? s.tokens[at].text : parameters[it->second];
          ended = s.tokens[at].text == "\n";
        }
      }
    }
    const std::string results = names_of(run.results, run.begin);
    if (run.results.size() == 1) out += fmt::format("    return {};\n", results);
    if (run.results.size() > 1) out += fmt::format("    return std::tuple({});\n", results);
    out += "  };\n";
    for (std::size_t k = 0; k < run.times; ++k) {
      std::string arguments, axes;
      for (std::size_t p = 0; p < run.given.size(); ++p) {
        std::string& list_of = run.kinds[p] == Token::Kind::axis ? axes : arguments;
        list_of += (list_of.empty() ? "" : ", ") + run.given[p][k];
      }
      if (!axes.empty()) axes = ".template operator()<" + axes + ">";
      std::string made = names_of(run.results, run.begin + k * run.length);
      if (run.results.size() > 1) made = "[" + made + "]";
      if (!made.empty()) made = "const auto " + made + " = ";
      out += fmt::format("  {}{}{}({});\n", made, lambda, axes, arguments);
    }
  }

  const std::string& body_;
  std::span<const std::size_t> begins_;
  Identifiers& names_;
  const std::function<bool(std::string_view)>& is_axis_;
  std::map<std::string, bool, std::less<>> locals_;  // whether it is a length
  std::vector<Statement> statements_;
  std::map<std::string, std::size_t> last_use_;
};

}  // namespace

std::string with_repeats(const std::string& body, std::span<const std::size_t> begins, Identifiers& names,
                         const std::function<bool(std::string_view)>& is_axis) {
  return begins.size() < 2 ? body : Repeats(body, begins, names, is_axis).write();
}

}  // namespace loam
