// Calls that compute the same of the same, as exporters write a mask out for each layer: one of them is enough.
#pragma once

#include <functional>
#include <vector>

#include "compiler/kernel/edit.hpp"

namespace loam {

struct Twin {
  BlockEditor::Position first, twin;
  TensorId made;                      // by the twin
};
// Whether a call's result, and what it reads, stay what they are.
using Stays = std::function<bool(const Call&)>;
// The twins whose readers now read what the first made; they are left for the caller to erase.
std::vector<Twin> find_twins(BlockEditor& edit, const Stays& stays);

}  // namespace loam
