// What the tests of kernels over strings share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/strided_test.hpp"

namespace loam::laid {

using Words = std::vector<std::string_view>;
using Strings = std::vector<std::string>;

// As `lay`: words repeat where they are fewer than the extents hold.
template <class... Axes>
Laid<std::string_view, Axes...> lay_strings(const std::array<std::int64_t, sizeof...(Axes)>& extents, const Words& words,
                                            Layout layout = Layout::Dense) {
  Laid<std::string_view, Axes...> laid;
  laid.value.dims = lay<std::uint8_t, Axes...>(extents, {}, layout).value.dims;
  std::int64_t room = 1;
  for (const std::int64_t extent : extents) room *= extent + 1;
  laid.storage = std::make_unique<std::string_view[]>(static_cast<std::size_t>(room) + 1);
  laid.value.storage = laid.storage.get();
  std::size_t next = 0;
  for (const reference::Place& p : reference::places(laid.value.dims))
    reference::element(laid.view(), p) = words.empty() ? std::string_view("unset") : words[next++ % words.size()];
  return laid;
}

// Row-major.
template <class... Axes>
Strings strings(const Laid<std::string_view, Axes...>& laid) {
  Strings out;
  for (const reference::Place& p : reference::places(laid.value.dims))
    out.emplace_back(reference::element(laid.view(), p));
  return out;
}

}  // namespace loam::laid
