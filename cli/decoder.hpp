// A language model's graph, fed step by step: which of the exporters' forms it has is read off its ports' names.
//
//   input_ids, attention_mask, position_ids     the tokens of this step and where they stand
//   past_key_values.* -> present.*              what the model keeps of earlier steps, an output fed back as the input;
//                                               the module keeps them itself where the graph allows it
//   use_cache_branch                            a merged graph's choice between its first step and later ones
//
// A graph without past is given all tokens at every step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cli/compiled.hpp"
#include "cli/tensor.hpp"

namespace loam::cli {

class DecoderGraph {
 public:
  // Throws a Failure where the graph has an input that is none of the above, or no logits.
  explicit DecoderGraph(CompiledGraph& graph);

  // Adds the tokens and gives the logits that follow the last of them, which stay until the next call. Throws a Failure
  // with the module's refusal, such as of more tokens than the model has positions for.
  std::span<const float> logits(std::span<const std::int32_t> tokens);

 private:
  enum class Role : std::uint8_t { tokens, mask, positions, branch, past };
  struct Input {
    Role role;
    std::size_t output = 0, axis = 0;  // of a past: the present it becomes, and where it grows
  };

  std::span<const float> step(std::span<const std::int32_t> tokens);
  HostTensor make_input(std::size_t index, std::span<const std::int32_t> tokens) const;
  void find_roles();

  CompiledGraph& graph_;
  std::vector<Input> roles_;       // one an input
  std::vector<HostTensor> pasts_;  // one an input; empty tensors where it is no past
  std::size_t logits_output_ = 0;
  bool has_past_ = false;
  std::vector<std::int32_t> seen_;  // every token before this step
  std::vector<float> logits_;
};

}  // namespace loam::cli
