// Continues a prompt with the demo Llama, whose keys and values lie in a cache that forward appends to: cache "In the beginning"
//
// Then what a cache is for: room that runs out and loses nothing, a second text that shares the first one's prompt, and
// 10,000 steps in the memory of the first few.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llama.hpp"  // generated: see CMakeLists.txt
#include "text/generate.hpp"

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

// The process's memory that is in use, in pages; 0 where the system does not say.
long pages_in_use() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  file >> all >> resident;
  return resident;
}

using Cache = llama::Cache<llama::loam::Cpu>;
using Ids = llama::loam::Tensor<std::int64_t, llama::BatchSize, llama::SequenceLength>;
using Mask = llama::loam::Tensor<std::int64_t, llama::BatchSize, llama::PastSequenceLengthPlusSequenceLength>;

struct Model {
  llama::loam::Cpu cpu{0};
  llama::Prepared<llama::loam::Cpu> weights;

  // The logits that follow the tokens, which the cache then holds beside those before.
  llama::loam::Result<llama::Outputs, llama::loam::Refusal> step(Cache& cache, std::span<const std::int32_t> tokens) {
    const auto count = static_cast<std::int64_t>(tokens.size());
    Ids ids({1, count}), positions({1, count});
    Mask mask({1, cache.length() + count});
    std::ranges::copy(tokens, ids.data());
    for (std::int64_t i = 0; i < count; ++i) positions[i] = cache.length() + i;
    std::ranges::fill(mask.span(), 1);
    return llama::forward(cpu, ids, mask, positions, cache, weights);
  }
};

std::int32_t likeliest(const llama::Outputs& outputs) {
  const auto logits = outputs.logits.span();
  return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = argc > 1 ? argv[1] : "In the beginning";
  const auto tokenizer = loam::text::Tokenizer::from_json(read_file(MODELS "/tokenizer.json"));
  if (!tokenizer) return fail(tokenizer.error().message);
  const std::string checkpoint = read_file(MODELS "/llama/model.f16.safetensors");
  const auto loaded = llama::Weights::load(std::as_bytes(std::span(checkpoint)));
  if (!loaded) return fail(loaded.error().message);
  Model model;
  model.weights = llama::prepare(model.cpu, *loaded);

  // A cache of 24 places: the prompt, and what fits behind it.
  const std::vector<std::int32_t> prompt = tokenizer->encode(text);
  auto cache = llama::make_cache(model.cpu, 24, 1);
  if (!cache) return fail(cache.error().message);
  auto outputs = model.step(*cache, prompt);
  if (!outputs) return fail(outputs.error().message);
  const std::int64_t prompt_length = cache->length();
  std::vector<std::int32_t> said{likeliest(*outputs)};
  while ((outputs = model.step(*cache, {&said.back(), 1}))) said.push_back(likeliest(*outputs));
  std::printf("%s%s\n%s\n", text.c_str(), tokenizer->decode(said).c_str(), outputs.error().message.c_str());
  if (cache->length() != 24) return fail("the refused step changed the cache");

  // More room, and the step that was refused.
  auto larger = llama::copy_cache(model.cpu, *cache, 64);
  if (!larger) return fail(larger.error().message);
  if (!(outputs = model.step(*larger, {&said.back(), 1}))) return fail(outputs.error().message);
  if (larger->length() != 25) return fail("the step did not append a place");

  // Back to the prompt: the same tokens again, whatever the room.
  larger->truncate(prompt_length);
  for (std::size_t i = 0; i + 1 < said.size(); ++i) {
    if (!(outputs = model.step(*larger, {&said[i], 1}))) return fail(outputs.error().message);
    if (likeliest(*outputs) != said[i + 1]) return fail("from the prompt on the text went otherwise");
  }

  // 10,000 steps, 48 places on from the prompt and back.
  long after_warm_up = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (larger->length() == 63) larger->truncate(prompt_length);
    if (!(outputs = model.step(*larger, {&said[0], 1}))) return fail(outputs.error().message);
    if (i == 200) after_warm_up = pages_in_use();
  }
  const long more = pages_in_use() - after_warm_up;
  std::printf("10,000 steps: %ld more pages of memory than after 200\n", more);
  return more > 16 ? fail("the memory in use grew") : 0;
}
