#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "ops/normalize_strings/case_table.hpp"
#include "ops/normalize_strings/normalize_strings.hpp"
#include "runtime/strided.hpp"

namespace loam {

namespace detail {

inline char32_t in_case(char32_t c, bool upper) {
  if (c < 0x80) {
    const bool changes = upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    return changes ? c ^ 0x20 : c;
  }
  const std::span<const CaseRange> ranges = upper ? std::span<const CaseRange>(to_upper) : std::span<const CaseRange>(to_lower);
  const auto range = std::lower_bound(ranges.begin(), ranges.end(), c, [](const CaseRange& r, char32_t x) { return r.last < x; });
  if (range == ranges.end() || c < range->first || (c - range->first) % range->step != 0) return c;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + range->added);
}

// The code point that text begins with and the bytes it takes, 0 where they are no UTF-8.
inline std::size_t decode(std::string_view text, char32_t& c) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  c = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    c = c << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : length;
}

inline void encode(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr char32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(lead[tail] | c >> (6 * tail));
  for (int i = tail; i-- > 0;) out += static_cast<char>(0x80u | (c >> (6 * i) & 0x3fu));
}

inline std::string in_case(std::string_view text, CaseChange change) {
  if (change == CaseChange::none) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = decode(text, c);
    if (length == 0) out += text.front();
    else encode(out, in_case(c, change == CaseChange::upper));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Calls f(word) for each word of x that is not on the list.
template <class F>
void each_kept(bool sensitive, std::span<const std::string_view> dropped, const View<std::string_view>& x, const F& f) {
  const CaseChange compared = sensitive ? CaseChange::none : CaseChange::lower;
  std::vector<std::string> list;
  for (const std::string_view word : dropped) list.push_back(in_case(word, compared));
  std::sort(list.begin(), list.end());
  walk(
      [&](std::int64_t, std::int64_t from) {
        const std::string_view word = x.data[from];
        if (!std::binary_search(list.begin(), list.end(), in_case(word, compared))) f(word);
      },
      x.dims);
}

}  // namespace detail

template <std::size_t N>
void run(kernels::NormalizeCount, Cpu&, const View<std::int64_t>& count, bool sensitive,
         const std::array<std::string_view, N>& dropped, const View<std::string_view>& x) {
  std::int64_t kept = 0;
  detail::each_kept(sensitive, dropped, x, [&](std::string_view) { ++kept; });
  *count.data = std::max<std::int64_t>(kept, 1);
}

template <std::size_t N>
void run(kernels::NormalizeStrings, Cpu& cpu, const View<std::string_view>& out, CaseChange change, bool sensitive,
         const std::array<std::string_view, N>& dropped, const View<std::string_view>& x) {
  detail::fill_elements(out, std::string_view());
  auto& made = cpu.keep(std::vector<std::string>(change == CaseChange::none ? 0 : detail::at(out.elements())));
  std::size_t next = 0;
  detail::each_kept(sensitive, dropped, x, [&](std::string_view word) {
    if (change != CaseChange::none) word = made[next] = detail::in_case(word, change);
    out.data[next++] = word;
  });
}

}  // namespace loam
