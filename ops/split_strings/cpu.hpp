#pragma once

#include <algorithm>

#include "ops/split_strings/split_strings.hpp"
#include "runtime/strided.hpp"
#include "runtime/text.hpp"

namespace loam {

namespace detail {

// Calls f(piece) for each piece; how many there are.
template <class F>
std::int64_t split(std::string_view text, std::string_view delimiter, std::int64_t most, const F& f) {
  const bool by_space = delimiter.empty();
  if (by_space) text = trimmed(text);
  if (text.empty()) return 0;
  for (std::int64_t count = 0;; ++count) {
    std::size_t end = text.npos;
    if (count != most) end = by_space ? text.find_first_of(white_space) : text.find(delimiter);
    f(text.substr(0, end));
    if (end == text.npos) return count + 1;
    // Of trimmed text, something follows each white space.
    text.remove_prefix(by_space ? text.find_first_not_of(white_space, end) : end + delimiter.size());
  }
}

}  // namespace detail

inline void run(kernels::SplitCount, Cpu&, const View<std::int64_t>& count, std::string_view delimiter,
                std::int64_t most, const View<std::string_view>& x) {
  std::int64_t longest = 0;
  detail::walk(
      [&](std::int64_t, std::int64_t from) {
        longest = std::max(longest, detail::split(x.data[from], delimiter, most, [](std::string_view) {}));
      },
      x.dims);
  *count.data = longest;
}

template <class Pieces, class Counts>
void run(kernels::SplitStrings, Cpu&, const Pieces& pieces, const Counts& counts, std::string_view delimiter,
         std::int64_t most, const View<std::string_view>& x) {
  detail::walk(
      [&](std::int64_t i, std::int64_t from) {
        std::int64_t count = 0;
        if constexpr (detail::present<Pieces>) {
          const std::int64_t width = pieces.extent(x.rank());
          std::string_view* const row = pieces.data + i * width;
          std::fill_n(row, width, std::string_view());
          std::string_view* to = row;
          count = detail::split(x.data[from], delimiter, most, [&](std::string_view piece) { *to++ = piece; });
        } else {
          count = detail::split(x.data[from], delimiter, most, [](std::string_view) {});
        }
        if constexpr (detail::present<Counts>) counts.data[i] = count;
      },
      x.dims);
}

}  // namespace loam
