#include "compiler/stage0/proposals.hpp"

#include <algorithm>
#include <cctype>

#include "compiler/stage0/names.hpp"

namespace loam {

namespace {

struct Row {
  std::string_view pattern;  // a shell wildcard over the tensor's name
  std::string_view axes;     // as WellKnown has them, separated by commas
};

// The first row that matches names the tensor; of all tensors an axis runs through, the one whose row stands first names
// it. So what a residual stream is called is said by the embedding that starts it, and by a norm only where there is none.
constexpr Row rows[] = {
    // Embeddings: GPT-2; Llama, T5, Whisper; BERT and its kin; ViT.
    {"*wte.weight", "Vocab, Embed"},
    {"*wpe.weight", "Position, Embed"},
    {"*embed_tokens.weight", "Vocab, Embed"},
    {"*embed_positions.weight", "Position, Embed"},
    {"*word_embeddings.weight", "Vocab, Embed"},
    {"*position_embeddings.weight", "Position, Embed"},
    {"*token_type_embeddings.weight", "TokenType, Embed"},
    {"*shared.weight", "Vocab, Embed"},
    {"*lm_head.weight", "Vocab, Embed"},
    {"*position_embeddings", "_, Token, Embed"},
    {"*cls_token", "_, _, Embed"},
    {"*patch_embeddings.projection.weight", "Embed, Channels, =PatchHeight, =PatchWidth"},
    // Attention. A key's and a query's dimension are one, a value's is the output's.
    {"past_key_values.*.key", "_, Head, _, HeadDim"},
    {"past_key_values.*.value", "_, Head, _, ValueDim"},
    {"past_key_*", "_, Head, _, HeadDim"},
    {"past_value_*", "_, Head, _, ValueDim"},
    {"*.c_attn.weight", "Embed, QueryKeyValue"},
    {"*.attn.c_proj.weight", "(Head ValueDim), Embed"},
    {"*.query_key_value.weight", "QueryKeyValue, Embed"},
    {"*.query_key_value.bias", "QueryKeyValue"},
    {"*q_proj.weight", "(Head HeadDim), Embed"},
    {"*k_proj.weight", "(KeyHead HeadDim), Embed"},
    {"*v_proj.weight", "(KeyHead ValueDim), Embed"},
    {"*o_proj.weight", "Embed, (Head ValueDim)"},
    {"*out_proj.weight", "Embed, (Head ValueDim)"},
    {"*q_proj.bias", "(Head HeadDim)"},
    {"*k_proj.bias", "(KeyHead HeadDim)"},
    {"*v_proj.bias", "(KeyHead ValueDim)"},
    {"*.query.weight", "(Head HeadDim), Embed"},
    {"*.key.weight", "(Head HeadDim), Embed"},
    {"*.value.weight", "(Head ValueDim), Embed"},
    {"*.q_lin.weight", "(Head HeadDim), Embed"},
    {"*.k_lin.weight", "(Head HeadDim), Embed"},
    {"*.v_lin.weight", "(Head ValueDim), Embed"},
    {"*.relative_attention_bias.weight", "Bucket, Head"},
    {"*q_norm.weight", "HeadDim"},
    {"*k_norm.weight", "HeadDim"},
    // The layers between.
    {"*.c_fc.weight", "Embed, Inner"},
    {"*.mlp.c_proj.weight", "Inner, Embed"},
    {"*gate_proj.weight", "Inner, Embed"},
    {"*up_proj.weight", "Inner, Embed"},
    {"*down_proj.weight", "Embed, Inner"},
    {"*.intermediate.dense.weight", "Inner, Embed"},
    {"*.intermediate.dense.bias", "Inner"},
    {"*.intermediate_dense.bias", "Inner"},
    {"*.dense_h_to_4h.weight", "Inner, Embed"},
    {"*.dense_h_to_4h.bias", "Inner"},
    {"*.dense_4h_to_h.weight", "Embed, Inner"},
    {"*.ffn.lin1.weight", "Inner, Embed"},
    {"*.ffn.lin1.bias", "Inner"},
    {"*.mlp.fc1.weight", "Inner, Embed"},
    {"*.mlp.fc1.bias", "Inner"},
    {"*layers.*.fc1.weight", "Inner, Embed"},
    {"*layers.*.fc1.bias", "Inner"},
    {"*classifier.weight", "Class, Embed"},
    {"*classifier.bias", "Class"},
    {"*layernorm*.weight", "Embed"},
    {"*LayerNorm.weight", "Embed"},
    {"*layer_norm.weight", "Embed"},
    {"*ln_?.weight", "Embed"},
    {"*norm.weight", "Embed"},
    // Convolutions, and the dense layers after them.
    {"fc.weight", "Class, Features"},
    {"fc.bias", "Class"},
    {"classifier.*.weight", "Features#, Features#"},
    {"*conv_transpose*.weight", "Channels#, Channels#, =KernelHeight#, =KernelWidth#"},
    {"*weight", "Channels#, Channels#, =KernelHeight#, =KernelWidth#"},
    {"*conv*.weight", "Channels#, Channels#, =Kernel#"},
};

std::vector<std::string> entries(std::string_view axes) {
  std::vector<std::string> list;
  while (!axes.empty()) {
    const std::size_t comma = axes.find(',');
    list.emplace_back(axes.substr(0, comma));
    axes.remove_prefix(comma == std::string_view::npos ? axes.size() : comma + 1);
    while (axes.starts_with(' ')) axes.remove_prefix(1);
  }
  return list;
}

}  // namespace

std::optional<WellKnown> well_known(std::string_view tensor, std::size_t rank) {
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const auto axes = static_cast<std::size_t>(std::ranges::count(rows[i].axes, ',')) + 1;
    if (axes == rank && wildcard_matches(rows[i].pattern, tensor)) return WellKnown{i, entries(rows[i].axes)};
  }
  return std::nullopt;
}

std::optional<std::string> well_known_word(std::string_view entry, std::size_t part, std::size_t parts, std::string_view extent) {
  const auto words = layout_words(entry);
  if (words.size() != parts || words[part] == "_") return std::nullopt;
  std::string word;
  for (const char c : words[part]) {
    if (c == '#') word += extent;
    else if (c != '=') word += c;
  }
  return word;
}

std::string layered_name(std::string_view tensor) {
  const auto separates = [](char c) { return c == '.' || c == '_' || c == '/'; };
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 1; i < tensor.size(); ++i) {
    if (!digit(tensor[i]) || !separates(tensor[i - 1])) continue;
    std::size_t end = i;
    while (end < tensor.size() && digit(tensor[end])) ++end;
    if (end == tensor.size() || !separates(tensor[end])) continue;
    return std::string(tensor.substr(0, i)) + "*" + std::string(tensor.substr(end));
  }
  return std::string(tensor);
}

}  // namespace loam
