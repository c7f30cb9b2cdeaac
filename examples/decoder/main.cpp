// Continues a prompt with the demo GPT-2, compiled into this program: decoder "In the beginning"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "decoder.hpp"

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string prompt = argc > 1 ? argv[1] : "In the beginning";
  const auto tokenizer = loam::text::Tokenizer::from_json(read_file(MODELS "/tokenizer.json"));
  if (!tokenizer) return fail(tokenizer.error().message);
  const std::string checkpoint = read_file(MODELS "/gpt2/decoder_merged.f16.safetensors");
  const auto weights = gpt2::Weights::load(std::as_bytes(std::span(checkpoint)));
  if (!weights) return fail(weights.error().message);

  Decoder decoder(*weights);
  const auto show = [](std::string_view text) {
    std::printf("%.*s", static_cast<int>(text.size()), text.data());
    return std::fflush(stdout) == 0;
  };
  show(prompt);
  const auto step = [&](std::span<const std::int32_t> tokens) { return decoder.step(tokens); };
  const auto generated = loam::text::generate_text(*tokenizer, step, prompt, {.max_tokens = 40}, show);
  show("\n");
  return generated ? 0 : fail(generated.error().message);
}
