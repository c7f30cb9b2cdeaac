#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "ops/normalize_strings/case_table.hpp"
#include "ops/normalize_strings/normalize_strings.hpp"
#include "runtime/strided.hpp"
#include "runtime/text.hpp"

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

inline std::string in_case(std::string_view text, CaseChange change) {
  if (change == CaseChange::none) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    char32_t c = 0;
    const std::size_t length = decode_utf8(text, c);
    if (length == 0) out += text.front();
    else append_utf8(out, in_case(c, change == CaseChange::upper));
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
