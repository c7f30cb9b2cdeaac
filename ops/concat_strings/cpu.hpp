#pragma once

#include <string>
#include <vector>

#include "ops/concat_strings/concat_strings.hpp"
#include "runtime/strided.hpp"

namespace loam {

inline void run(kernels::ConcatStrings, Cpu& cpu, const View<std::string_view>& out, const View<std::string_view>& x,
                const View<std::string_view>& y) {
  auto& made = cpu.keep(std::vector<std::string>(detail::at(out.elements())));
  detail::walk(
      [&](std::int64_t i, std::int64_t from_x, std::int64_t from_y) {
        std::string& text = made[detail::at(i)];
        text.reserve(x.data[from_x].size() + y.data[from_y].size());
        text.append(x.data[from_x]).append(y.data[from_y]);
        out.data[i] = text;
      },
      x.dims, y.dims);
}

}  // namespace loam
