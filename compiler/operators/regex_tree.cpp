// RE2's syntax (github.com/google/re2/wiki/Syntax), read by descent.
#include "compiler/operators/regex_tree.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "runtime/text.hpp"

namespace loam {

namespace {

constexpr char32_t last_code_point = 0x10ffff, kelvin = 0x212a, long_s = 0x17f;
constexpr int most_repeats = 1000, deepest = 250;  // RE2's bounds are 1000 each; a group here takes stack

using Span = std::pair<char32_t, char32_t>;

struct NamedClass {
  std::string_view name;
  std::span<const Span> ranges;
};

constexpr Span digits[] = {{'0', '9'}}, spaces[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
constexpr Span words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
constexpr Span alnum[] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, alpha[] = {{'A', 'Z'}, {'a', 'z'}};
constexpr Span ascii[] = {{0, 0x7f}}, blank[] = {{'\t', '\t'}, {' ', ' '}}, cntrl[] = {{0, 0x1f}, {0x7f, 0x7f}};
constexpr Span graph[] = {{'!', '~'}}, lower[] = {{'a', 'z'}}, print[] = {{' ', '~'}}, upper[] = {{'A', 'Z'}};
constexpr Span punct[] = {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, space[] = {{'\t', '\r'}, {' ', ' '}};
constexpr Span xdigit[] = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
constexpr NamedClass posix[] = {
    {"alnum", alnum}, {"alpha", alpha}, {"ascii", ascii}, {"blank", blank}, {"cntrl", cntrl}, {"digit", digits}, {"graph", graph},
    {"lower", lower}, {"print", print}, {"punct", punct}, {"space", space}, {"upper", upper}, {"word", words},  {"xdigit", xdigit}};

void append(CodePoints& set, std::span<const Span> ranges) { set.insert(set.end(), ranges.begin(), ranges.end()); }

CodePoints all_but(CodePoints set) {
  std::ranges::sort(set);
  CodePoints rest;
  char32_t next = 0;
  for (const auto& [low, high] : set) {
    if (low > next) rest.emplace_back(next, low - 1);
    next = std::max<char32_t>(next, high + 1);
  }
  if (next <= last_code_point) rest.emplace_back(next, last_code_point);
  return rest;
}

struct Flags {
  bool ignores_case = false, lines = false, dot_takes_newline = false;
};

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  std::optional<RegexTree> run(std::string& error) {
    RegexTree tree = choice(0);
    if (!failed() && !ended()) fail("has a ) without its (");
    if (!failed()) return tree;
    error = std::move(error_);
    return std::nullopt;
  }

 private:
  // ---- The text --------------------------------------------------------------------------------------------------------

  bool ended() const { return failed() || at_ == pattern_.size(); }
  bool failed() const { return !error_.empty(); }
  bool ahead(std::string_view text) const { return !failed() && pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    const bool there = ahead(text);
    if (there) at_ += text.size();
    return there;
  }
  char32_t fail(std::string what) {
    if (!failed()) error_ = std::move(what) + " [at byte " + std::to_string(at_) + "]";
    return 0;
  }

  // The next code point, of UTF-8.
  char32_t next() {
    if (ended()) return fail("ends early");
    char32_t c = 0;
    const std::size_t length = detail::decode_utf8(pattern_.substr(at_), c);
    if (length == 0) return fail("is no UTF-8");
    at_ += length;
    return c;
  }

  // ---- Expressions -----------------------------------------------------------------------------------------------------

  RegexTree choice(int depth) {
    if (depth > deepest) fail("has groups within groups, " + std::to_string(depth) + " deep");
    RegexTree tree{.kind = RegexTree::Kind::choice};
    do tree.parts.push_back(sequence(depth));
    while (take("|"));
    return tree.parts.size() == 1 ? std::move(tree.parts.front()) : tree;
  }

  RegexTree sequence(int depth) {
    RegexTree tree;
    while (!ended() && !ahead("|") && !ahead(")")) {
      if (take("\\Q")) {
        const std::size_t before = tree.parts.size();
        while (!ended() && !take("\\E")) tree.parts.push_back(literal(next()));
        // What repeats after \E repeats the last character quoted.
        if (tree.parts.size() > before) tree.parts.back() = repeated(std::move(tree.parts.back()));
        continue;
      }
      if (auto part = atom(depth)) tree.parts.push_back(repeated(std::move(*part)));
    }
    return tree;
  }

  // Nothing where it sets flags alone.
  std::optional<RegexTree> atom(int depth) {
    if (take("(")) return group(depth);
    if (take("[")) return one_of(bracketed());
    if (take(".")) return one_of(all_but(flags_.dot_takes_newline ? CodePoints{} : CodePoints{{'\n', '\n'}}));
    if (take("^")) return place(flags_.lines ? MatchState::at_line_begin : MatchState::at_begin);
    if (take("$")) return place(flags_.lines ? MatchState::at_line_end : MatchState::at_end);
    if (ahead("*") || ahead("+") || ahead("?")) {
      fail(std::string("repeats nothing with ") + pattern_[at_]);
      return std::nullopt;
    }
    if (take("\\A")) return place(MatchState::at_begin);
    if (take("\\z")) return place(MatchState::at_end);
    if (take("\\b")) return place(MatchState::at_word_edge);
    if (take("\\B")) return place(MatchState::at_no_word_edge);
    if (CodePoints set; perl_class(set)) return one_of(std::move(set));
    return literal(take("\\") ? escaped() : next());
  }

  std::optional<RegexTree> group(int depth) {
    const Flags outer = flags_;
    if (take("?P<") || take("?<")) {
      const std::size_t end = pattern_.find('>', at_);
      if (end == pattern_.npos || end == at_ || ahead("=") || ahead("!")) {
        fail("has a group that begins as none of RE2's does");
        return std::nullopt;
      }
      at_ = end + 1;
    } else if (take("?") && flags()) {
      return std::nullopt;
    }
    RegexTree tree = choice(depth + 1);
    if (!failed() && !take(")")) fail("has no ) to its (");
    flags_ = outer;
    return tree;
  }

  // What follows "(?": whether the group ends with its flags, which hold from there on.
  bool flags() {
    for (bool on = true;;) {
      if (take(":")) return false;
      if (take(")")) return true;
      if (on && take("-")) on = false;
      else if (take("i")) flags_.ignores_case = on;
      else if (take("m")) flags_.lines = on;
      else if (take("s")) flags_.dot_takes_newline = on;
      else if (!take("U")) break;  // U: which match, not whether
    }
    fail("has a group that begins as none of RE2's does");
    return true;
  }

  RegexTree repeated(RegexTree tree) {
    int least = 0, most = -1;
    if (take("?")) most = 1;
    else if (take("+")) least = 1;
    else if (!take("*") && !counted(least, most)) return tree;
    take("?");  // fewest first: which match, not whether
    int ignored = 0;
    if (ahead("*") || ahead("+") || ahead("?") || counted(ignored, ignored)) fail("repeats what already repeats");
    RegexTree repeat{.kind = RegexTree::Kind::repeat, .least = least, .most = most};
    repeat.parts.push_back(std::move(tree));
    return repeat;
  }

  // {n}, {n,} or {n,m}; of any other form a brace is itself.
  bool counted(int& least, int& most) {
    const std::size_t begin = at_;
    const auto number = [&](int& n) {
      const std::size_t first = at_;
      for (n = 0; !ended() && pattern_[at_] >= '0' && pattern_[at_] <= '9'; ++at_)
        n = std::min(10 * n + (pattern_[at_] - '0'), most_repeats + 1);
      return at_ > first;
    };
    int from = 0, to = 0;
    bool whole = take("{") && number(from);
    to = from;
    if (whole && take(",") && !number(to)) to = -1;
    whole = whole && take("}");
    if (!whole) {
      at_ = begin;
      return false;
    }
    if (from > most_repeats || to > most_repeats || (to >= 0 && to < from))
      fail("repeats something " + std::string(pattern_.substr(begin, at_ - begin)) + " times");
    least = from;
    most = to;
    return true;
  }

  // ---- Characters ------------------------------------------------------------------------------------------------------

  static RegexTree place(MatchState::Kind kind) { return {.kind = RegexTree::Kind::place, .place = kind}; }
  static RegexTree one_of(CodePoints set) { return {.kind = RegexTree::Kind::one_of, .code_points = std::move(set)}; }
  RegexTree literal(char32_t c) {
    CodePoints set{{c, c}};
    fold(set);
    return one_of(std::move(set));
  }

  // Where case is ignored, the letters of the other case too: K and S have one each past ASCII.
  void fold(CodePoints& set) {
    if (!flags_.ignores_case) return;
    const CodePoints given = set;
    const auto holds = [&](char32_t c) {
      return std::ranges::any_of(given, [&](const Span& r) { return r.first <= c && c <= r.second; });
    };
    for (char32_t c = 'a'; c <= 'z'; ++c) {
      const char32_t capital = c - 'a' + 'A', other = c == 'k' ? kelvin : c == 's' ? long_s : c;
      if (holds(c) || holds(capital) || holds(other))
        for (const char32_t x : {c, capital, other}) set.emplace_back(x, x);
    }
    const bool beyond = std::ranges::any_of(given, [](const Span& r) {
      return r.second >= 0x80 && !(r.first == r.second && (r.first == kelvin || r.first == long_s));
    });
    if (beyond) fail("ignores the case of characters past ASCII, which Loam does not");
  }

  bool perl_class(CodePoints& set) {
    if (take("\\d")) append(set, digits);
    else if (take("\\s")) append(set, spaces);
    else if (take("\\w")) append(set, words);
    else if (take("\\D")) append(set, all_but({std::begin(digits), std::end(digits)}));
    else if (take("\\S")) append(set, all_but({std::begin(spaces), std::end(spaces)}));
    else if (take("\\W")) append(set, all_but({std::begin(words), std::end(words)}));
    else return false;
    return true;
  }

  // What a backslash is followed by.
  char32_t escaped() {
    constexpr std::string_view controls = "afnrtv", codes = "\a\f\n\r\t\v";
    if (ended()) return fail("ends in a backslash");
    const char c = pattern_[at_];
    if (const std::size_t k = controls.find(c); k != controls.npos) {
      ++at_;
      return static_cast<unsigned char>(codes[k]);
    }
    const auto digit = [&](int base) {
      if (ended()) return -1;
      const char d = pattern_[at_];
      const int value = d >= '0' && d <= '9' ? d - '0' : d >= 'a' && d <= 'f' ? d - 'a' + 10 : d >= 'A' && d <= 'F' ? d - 'A' + 10 : base;
      if (value >= base) return -1;
      ++at_;
      return value;
    };
    if (take("x")) {
      const bool braced = take("{");
      char32_t value = 0;
      int count = 0;
      for (int d = 0; (braced || count < 2) && (d = digit(16)) >= 0 && value <= last_code_point; ++count)
        value = 16 * value + static_cast<char32_t>(d);
      if (count == 0 || (!braced && count != 2) || value > last_code_point || (braced && !take("}")))
        return fail("has an \\x of no code point");
      return value;
    }
    if (c >= '0' && c <= '7') {
      const std::size_t begin = at_;
      char32_t value = 0;
      for (int d = 0; at_ < begin + 3 && (d = digit(8)) >= 0;) value = 8 * value + static_cast<char32_t>(d);
      if (c != '0' && at_ == begin + 1) return fail("refers back to a group, which RE2 does not");
      return value;
    }
    if (c == 'p' || c == 'P') return fail("names a class of Unicode, which Loam does not hold");
    if (c == 'C') return fail("takes single bytes with \\C, which Loam does not");
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
    if (!plain) return fail("escapes what has no meaning escaped");
    ++at_;
    return byte;
  }

  CodePoints bracketed() {
    CodePoints set;
    const bool negated = take("^");
    for (bool first = true; failed() || first || !ahead("]"); first = false) {
      if (ended()) {
        fail("has no ] to its [");
        return set;
      }
      if (ahead("[:")) {
        const std::size_t end = pattern_.find(":]", at_ + 2);
        std::string_view name = pattern_.substr(at_ + 2, end == pattern_.npos ? 0 : end - at_ - 2);
        const bool not_it = name.starts_with('^');
        const auto* const found = std::ranges::find(posix, name.substr(not_it ? 1 : 0), &NamedClass::name);
        if (found == std::end(posix)) {
          fail("has a class in [: that RE2 does not name");
          return set;
        }
        at_ = end + 2;
        append(set, not_it ? all_but({found->ranges.begin(), found->ranges.end()})
                           : CodePoints(found->ranges.begin(), found->ranges.end()));
        continue;
      }
      if (perl_class(set)) continue;
      const char32_t low = take("\\") ? escaped() : next();
      char32_t high = low;
      if (ahead("-") && !ahead("-]")) {
        take("-");
        high = take("\\") ? escaped() : next();
        if (high < low) fail("has a range whose ends are the wrong way round");
      }
      CodePoints range{{low, high}};
      fold(range);
      append(set, range);
    }
    take("]");
    return negated ? all_but(std::move(set)) : set;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  Flags flags_;
  std::string error_;
};

}  // namespace

std::optional<RegexTree> parse_regex(std::string_view pattern, std::string& error) { return Parser(pattern).run(error); }

}  // namespace loam
