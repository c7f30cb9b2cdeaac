#include "text/generate.hpp"

#include <algorithm>

namespace loam::text {

Result<Generated> generate(const Step& step, std::span<const std::int32_t> prompt, const GenerateOptions& options,
                           const std::function<bool(std::int32_t token)>& on_token) {
  if (prompt.empty()) return Error{"the prompt has no token to continue from"};
  Generated generated;
  std::span<const std::int32_t> unseen = prompt;
  std::int32_t token = 0;  // what unseen is a view of, from the second step on
  while (generated.tokens.size() < options.max_tokens) {
    const auto logits = step(unseen);
    if (!logits) return logits.error();
    const auto sampled = options.sampler(*logits);
    if (!sampled) return sampled.error();
    token = *sampled;
    if (std::ranges::find(options.stop_tokens, token) != options.stop_tokens.end()) {
      generated.ending = Ending::stop_token;
      return generated;
    }
    generated.tokens.push_back(token);
    if (on_token && !on_token(token)) {
      generated.ending = Ending::refused;
      return generated;
    }
    unseen = std::span(&token, 1);
  }
  return generated;
}

Result<Generated> generate_text(const Tokenizer& tokenizer, const Step& step, std::string_view prompt,
                                const GenerateOptions& options,
                                const std::function<bool(std::string_view text)>& on_text) {
  const std::vector<std::int32_t> ids = tokenizer.encode(prompt, SpecialTokens::lead);
  // A continuation is no beginning: what a decoder strips there belongs to the prompt.
  Decoder decoder(tokenizer, SpecialTokens::drop);
  for (const std::int32_t id : ids) decoder.add(id);
  auto generated = generate(step, ids, options, [&](std::int32_t token) {
    const std::string text = decoder.add(token);
    return text.empty() || !on_text || on_text(text);
  });
  const std::string rest = decoder.finish();
  if (generated && generated->ending != Ending::refused && on_text && !rest.empty()) on_text(rest);
  return generated;
}

}  // namespace loam::text
