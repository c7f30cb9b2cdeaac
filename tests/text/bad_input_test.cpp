// Tokenizer files that are wrong: an error that names the part, and never a crash.
#include "tests/text/support.hpp"

namespace loam::text {
namespace {

using nlohmann::json;

// Small, and with every part the reader knows.
json sound_file() {
  return json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 6, "content": "<s>", "single_word": false, "lstrip": true, "rstrip": false,
                      "normalized": true, "special": true}],
    "normalizer": {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "_"}, {"type": "Replace", "pattern": {"String": "x"}, "content": "a"}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
        {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}]},
    "post_processor": {"type": "Sequence", "processors": [
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                                  {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [6], "tokens": ["<s>"]}}}]},
    "decoder": {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "dropout": null, "unk_token": "a", "continuing_subword_prefix": null,
              "end_of_word_suffix": "", "fuse_unk": true, "byte_fallback": true, "ignore_merges": true,
              "vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3, "_": 4, " ": 5}, "merges": ["a b", ["ab", "a"]]}
  })", nullptr, false);
}

std::string error_of(const std::string& file) {
  const auto tokenizer = Tokenizer::from_json(file);
  return tokenizer ? "none" : tokenizer.error().message;
}

std::string error_of(const char* pointer, const json& value) {
  json file = sound_file();
  file[json::json_pointer(pointer)] = value;
  return error_of(file.dump());
}

TEST(BadTokenizer, TheSoundFileIsSound) {
  const auto tokenizer = Tokenizer::from_json(sound_file().dump());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->vocabulary_size(), 7u);
}

TEST(BadTokenizer, NamesThePart) {
  EXPECT_EQ(error_of("{"), "tokenizer.json: not JSON at byte 1 of 1");
  EXPECT_EQ(error_of("[]"), "tokenizer.json: the document: expected an object");
  EXPECT_EQ(error_of("{}"), "tokenizer.json: model: expected an object");
  const std::vector<std::tuple<const char*, json, const char*>> cases = {
      {"/surprise", 1, "surprise: not supported"},
      {"/version", "2.0", "version: only \"1.0\" is supported"},
      {"/model/type", "Unigram", "model: type \"Unigram\" is not supported; BPE is"},
      {"/model/type", 3, "model.type: expected a string"},
      {"/model/dropout", 0.1, "model.dropout: not supported: it makes encoding random"},
      {"/model/vocab", {1, 2}, "model.vocab: expected an object"},
      {"/model/vocab/a", -1, "model.vocab.a: expected a token id, an integer from 0 to 4194303"},
      {"/model/vocab/a", 1.5, "model.vocab.a: expected a token id, an integer from 0 to 4194303"},
      {"/model/vocab/a", 9999999999, "model.vocab.a: expected a token id, an integer from 0 to 4194303"},
      {"/model/vocab/b", 0, "model.vocab.b: this id is also another token's"},
      {"/model/merges", nullptr, "model.merges: expected an array"},
      {"/model/merges/0", "a q", "model: merges[0]: \"q\" is not in the vocabulary"},
      {"/model/merges/0", "b a", "model: merges[0]: \"ba\" is not in the vocabulary"},
      {"/model/merges/0", "ab", "model.merges[0]: expected two tokens, as [\"a\", \"b\"] or \"a b\""},
      {"/model/merges/1", {"ab"}, "model.merges[1]: expected two tokens, as [\"a\", \"b\"] or \"a b\""},
      {"/model/merges/1", {"ab", 1}, "model.merges[1][1]: expected a string"},
      {"/model/unk_token", "?", "model: unk_token: \"?\" is not in the vocabulary"},
      {"/model/fuse_unk", "yes", "model.fuse_unk: expected true or false"},
      {"/added_tokens/0/id", 2, "added_tokens[0]: \"<s>\" with id 2 contradicts the other tokens"},
      {"/added_tokens/0/content", "a", "added_tokens[0]: \"a\" with id 6 contradicts the other tokens"},
      {"/added_tokens/0/lstrip", 1, "added_tokens[0].lstrip: expected true or false"},
      {"/normalizer", {{"type", "NFC"}},
       "normalizer: type \"NFC\" is not supported; Prepend, Replace or a Sequence of them is"},
      {"/normalizer/normalizers/1/pattern", {{"Regex", "x"}},
       "normalizer.normalizers[1].pattern.Regex: not supported"},
      {"/normalizer/normalizers/1/pattern/String", "",
       "normalizer.normalizers[1].pattern: expected a string that is not empty"},
      {"/pre_tokenizer", {{"type", "Metaspace"}}, "pre_tokenizer: type \"Metaspace\" is not supported; ByteLevel is"},
      {"/pre_tokenizer", "ByteLevel", "pre_tokenizer: expected an object"},
      {"/post_processor/processors/0/special_tokens", json::object(),
       "post_processor.processors[0].special_tokens.<s>: expected an object"},
      {"/post_processor/processors/0/special_tokens/<s>/ids/0", 77,
       "post_processor.processors[0].special_tokens.<s>.ids[0]: no token has this id"},
      {"/decoder", nullptr, "decoder: null is not supported; ByteLevel is"},
      {"/decoder/decoders/3/stop", 1, "decoder.decoders[3].stop: only 0 is supported"},
      {"/decoder/decoders/2/type", "ByteLevel",
       "decoder.decoders[2]: type \"ByteLevel\" is not supported; ByteLevel, or Replace, ByteFallback, Fuse and Strip "
       "in this order, is"},
  };
  for (const auto& [pointer, value, message] : cases) {
    EXPECT_EQ(error_of(pointer, value), std::string("tokenizer.json: ") + message) << pointer << " " << value;
  }
}

TEST(BadTokenizer, DeepNestingIsNoRecursion) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({"type":"Sequence","normalizers":[)";
  EXPECT_NE(error_of(R"({"normalizer":)" + deep), "none");
  for (int i = 0; i < 100'000; ++i) deep += "]}";
  const std::string file = R"({"normalizer":)" + deep + "}";
  EXPECT_EQ(error_of(file).find("tokenizer.json: normalizer.normalizers[0]: type \"Sequence\" is not supported"), 0u);
}

void collect(json& value, std::vector<json*>& out) {
  out.push_back(&value);
  for (auto& part : value) {
    if (value.is_structured()) collect(part, out);
  }
}

// Sound or refused; and what is read can be used.
void read_and_use(const std::string& file) {
  const auto tokenizer = Tokenizer::from_json(file);
  if (!tokenizer) {
    EXPECT_EQ(tokenizer.error().message.find("tokenizer.json: "), 0u);
    return;
  }
  const Ids ids = tokenizer->encode("abab <s> xab\xFF\n  aab_");
  EXPECT_TRUE(is_well_formed(tokenizer->decode(ids)));
}

TEST(BadTokenizer, ChangedBytesNeverCrash) {
  const std::string sound = sound_file().dump();
  std::mt19937 random(11);
  for (int i = 0; i < 4000; ++i) {
    std::string file = sound;
    for (std::size_t k = random() % 3 + 1; k > 0; --k) file[random() % file.size()] = static_cast<char>(random());
    if (random() % 4 == 0) file.resize(random() % file.size());
    read_and_use(file);
  }
}

TEST(BadTokenizer, ChangedValuesNeverCrash) {
  const std::vector<json> values = {
      nullptr, true, -1, 0, 1, 5, 4194303, 18446744073709551615u, 1e300, "", "a", "ab", "Fuse", "Replace", "ByteLevel",
      "Sequence", json::array(), json::object(), {"a", "b"}};
  std::mt19937 random(12);
  for (int i = 0; i < 4000; ++i) {
    json file = sound_file();
    for (std::size_t k = random() % 2 + 1; k > 0; --k) {
      std::vector<json*> parts;
      collect(file, parts);
      json& part = *parts[random() % parts.size()];
      if (part.is_structured() && !part.empty() && random() % 2) {
        auto member = part.begin();
        std::advance(member, static_cast<std::ptrdiff_t>(random() % part.size()));
        part.erase(member);
      } else {
        part = values[random() % values.size()];
      }
    }
    read_and_use(file.dump());
  }
}

TEST(BadTokenizer, Gpt2Files) {
  const std::string encoder = R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3})";
  const auto error = [&](const std::string& json_text, const std::string& merges) {
    const auto tokenizer = Tokenizer::from_gpt2(json_text, merges);
    return tokenizer ? "none" : tokenizer.error().message;
  };
  EXPECT_EQ(error(encoder, "#version: 0.2\r\na b\r\n"), "none");
  EXPECT_EQ(error(encoder, "#version: 0.2\nab\n"), "vocab.bpe: line 2: expected two tokens");
  EXPECT_EQ(error(encoder, "a c\n"), "vocab.bpe: merges[0]: \"c\" is not in the vocabulary");
  EXPECT_EQ(error("{]", ""), "encoder.json: not JSON at byte 1 of 2");
  EXPECT_EQ(error("[1]", ""), "encoder.json: the document: expected an object");
}

}  // namespace
}  // namespace loam::text
