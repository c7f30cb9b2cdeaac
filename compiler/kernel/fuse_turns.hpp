// Views and copies that join axes, turn them and part them again: one turn of what they began with, read where it lies.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/kernel/edit.hpp"

namespace loam {

// A tensor as views and copies make it of another: of each of its axes, the axes of `base` that it is made of, outermost
// first, those of one element left out.
struct Unravelled {
  TensorId base;
  std::vector<std::vector<std::size_t>> factors;
  std::vector<BlockEditor::Position> copies;  // those on the way, the last one first
};
// As far back as each axis is made of whole axes. `may_pass` says of a copy whether what it reads may be read later.
using MayPass = std::function<bool(const MapCall&)>;
std::optional<Unravelled> unravel(BlockEditor& edit, TensorId t, const MayPass& may_pass);

// A view of the base that has so many axes, each one of the base's or (where the list is empty) one element; `axes` name
// those of one element.
TensorId turned(BlockEditor& edit, BlockEditor::Position before, TensorId base, const std::vector<std::vector<std::size_t>>& factors,
                const std::vector<Axis>& axes);

// Makes the reshape a view of what the copies before it copied. The copies it no longer reads through, which are none where
// nothing is done.
std::vector<BlockEditor::Position> straighten(BlockEditor& edit, BlockEditor::Position reshape, const MayPass& may_pass);

}  // namespace loam
