#include "text/generate.hpp"

#include <limits>

#include "tests/text/support.hpp"

namespace loam::text {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

std::int32_t greedy_of(std::vector<float> logits) { return greedy(logits) ? *greedy(logits) : -1; }

TEST(Greedy, LargestAndLowestOfEquals) {
  EXPECT_EQ(greedy_of({0, 3, 1}), 1);
  EXPECT_EQ(greedy_of({2, 3, 3}), 1);
  EXPECT_EQ(greedy_of({-infinity, -infinity}), 0);
  EXPECT_EQ(greedy_of({-0.0f, 0.0f}), 0);
  EXPECT_EQ(greedy_of({1, infinity}), 1);
}

TEST(Greedy, NaNNeverWins) {
  EXPECT_EQ(greedy_of({nan, 3, nan, 4}), 3);
  EXPECT_EQ(greedy_of({nan, -infinity}), 1);
  EXPECT_EQ(greedy(std::vector<float>{nan, nan}).error().message, "every logit the model gave is NaN");
  EXPECT_EQ(greedy({}).error().message, "the model gave no logits");
}

// A model that continues with the ids of a script, whatever it is given, and records what it was given.
struct Scripted {
  Ids script;
  std::size_t vocabulary;
  std::vector<Ids> given = {};
  std::vector<float> logits = {};

  Step step() {
    return [this](std::span<const std::int32_t> tokens) -> Result<std::span<const float>> {
      if (given.size() == script.size()) return Error{"the script is over"};
      logits.assign(vocabulary, 0);
      logits[static_cast<std::size_t>(script[given.size()])] = 1;
      given.emplace_back(tokens.begin(), tokens.end());
      return std::span<const float>(logits);
    };
  }
};

TEST(Generate, GivesThePromptOnceAndThenOneTokenAtATime) {
  Scripted model{{4, 5, 6}, 10};
  const auto generated = generate(model.step(), Ids{1, 2}, {.max_tokens = 3});
  ASSERT_TRUE(generated);
  EXPECT_EQ(generated->tokens, (Ids{4, 5, 6}));
  EXPECT_EQ(generated->ending, Ending::max_tokens);
  EXPECT_EQ(model.given, (std::vector<Ids>{{1, 2}, {4}, {5}}));
}

TEST(Generate, Endings) {
  Scripted stopped{{4, 5, 6}, 10};
  auto generated = generate(stopped.step(), Ids{1}, {.max_tokens = 3, .stop_tokens = {9, 5}});
  EXPECT_EQ(generated->tokens, Ids{4});
  EXPECT_EQ(generated->ending, Ending::stop_token);

  Scripted refused{{4, 5, 6}, 10};
  generated = generate(refused.step(), Ids{1}, {.max_tokens = 3}, [](std::int32_t token) { return token != 5; });
  EXPECT_EQ(generated->tokens, (Ids{4, 5}));
  EXPECT_EQ(generated->ending, Ending::refused);

  Scripted unasked{{}, 10};
  EXPECT_EQ(generate(unasked.step(), Ids{1}, {.max_tokens = 0})->tokens, Ids{});
}

TEST(Generate, Errors) {
  Scripted model{{4}, 10};
  EXPECT_EQ(generate(model.step(), Ids{1}, {.max_tokens = 2}).error().message, "the script is over");
  EXPECT_EQ(generate(model.step(), Ids{}, {.max_tokens = 2}).error().message,
            "the prompt has no token to continue from");
  const Step broken = [](auto) -> Result<std::span<const float>> { return std::span<const float>(); };
  EXPECT_EQ(generate(broken, Ids{1}, {.max_tokens = 2}).error().message, "the model gave no logits");
}

TEST(Generate, StreamsWholeCharacters) {
  const Tokenizer tokenizer = demo_tokenizer();
  Scripted model{tokenizer.encode(" 語 and 🙂"), 4096};
  std::vector<std::string> pieces;
  const auto on_text = [&](std::string_view text) {
    pieces.emplace_back(text);
    return true;
  };
  const auto generated =
      generate_text(tokenizer, model.step(), "In the", {.max_tokens = model.script.size()}, on_text);
  ASSERT_TRUE(generated);
  EXPECT_EQ(pieces, (std::vector<std::string>{" ", "語", " and", " ", "🙂"}));
  EXPECT_EQ(model.given.front(), tokenizer.encode("In the"));

  model = {{tokenizer.encode("語").front()}, 4096};
  pieces.clear();
  ASSERT_TRUE(generate_text(tokenizer, model.step(), "a", {.max_tokens = 1}, on_text));
  EXPECT_EQ(pieces, std::vector<std::string>{"\uFFFD"});
}

}  // namespace
}  // namespace loam::text
