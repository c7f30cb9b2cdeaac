// The generation loop: a model behind a callback, a sampler, and what ends it. It knows of no compiler and no backend.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "text/result.hpp"
#include "text/sampler.hpp"
#include "text/tokenizer.hpp"

namespace loam::text {

// Takes the tokens the model has not seen (first the whole prompt, then one at a time) and returns the logits [Vocab]
// that follow the last of them. They need to stay until the next call only. The model keeps its own past: a KV cache,
// or all the tokens so far where it has none. An error ends the generation.
using Step = std::function<Result<std::span<const float>>(std::span<const std::int32_t> tokens)>;

using Sampler = std::function<Result<std::int32_t>(std::span<const float> logits)>;

struct GenerateOptions {
  std::size_t max_tokens = 0;                  // that many new ones at most
  std::vector<std::int32_t> stop_tokens = {};  // any of them ends the text and is not part of it
  Sampler sampler = greedy;
};

enum class Ending : std::uint8_t { max_tokens, stop_token, refused };  // refused: a callback returned false

struct Generated {
  std::vector<std::int32_t> tokens;  // the new ones
  Ending ending = Ending::max_tokens;
};

// Continues a prompt of one token or more. on_token, where given, sees every new token as it comes; its false ends the
// text there.
Result<Generated> generate(const Step& step, std::span<const std::int32_t> prompt, const GenerateOptions& options,
                           const std::function<bool(std::int32_t token)>& on_token = {});

// The same from text to text: on_text sees the new text as it is completed, whole characters at a time, and last what
// the end left incomplete.
Result<Generated> generate_text(const Tokenizer& tokenizer, const Step& step, std::string_view prompt,
                                const GenerateOptions& options,
                                const std::function<bool(std::string_view text)>& on_text);

}  // namespace loam::text
