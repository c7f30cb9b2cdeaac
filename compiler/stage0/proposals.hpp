// What to call an axis that no layout rule and no dim_param names: words for the weights of architectures many models
// share, and what makes two axes of two layers one proposal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loam {

// What the table says of a tensor's axes, one entry an axis as a layout writes it ("Embed", "(Head HeadDim)", "_"), with
// two marks. '#' stands for the axis's extent ("Channels#" of 64 is Channels64). A leading '=' says that the axis lives
// within its weight, as a kernel's height does, so that every one of that length may carry the name.
struct WellKnown {
  std::size_t row;                // the lower, the more telling
  std::vector<std::string> axes;
};
std::optional<WellKnown> well_known(std::string_view tensor, std::size_t rank);

// The word for part `part` of `parts` of an axis; nullopt where the entry says nothing of it.
std::optional<std::string> well_known_word(std::string_view entry, std::size_t part, std::size_t parts, std::string_view extent);

// "h.3.attn.weight" is "h.*.attn.weight": the first number that stands alone is a layer's, and tensors of one name but
// for it play one part, so their axes are proposed one name. A number at the end tells apart what it numbers.
std::string layered_name(std::string_view tensor);

}  // namespace loam
