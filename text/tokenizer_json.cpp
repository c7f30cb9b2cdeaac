// Reads tokenizer.json (Hugging Face tokenizers' serialization, version 1.0) and GPT-2's two files.
#include <algorithm>

#include "text/json_value.hpp"
#include "text/tokenizer_parts.hpp"

namespace loam::text {
namespace {

std::string in_quotes(std::string_view text) { return std::string("\"").append(text).append("\""); }

// What a part of the file says it is, where this reader does not know it.
void refuse_type(const JsonValue& part, std::string_view known) {
  part.fail("type " + in_quotes(part["type"].string()) + " is not supported; " + std::string(known) + " is");
}

// Most parts may be a Sequence of their kind. One in another is refused, which also bounds the depth of the reading.
template <class Read>
void read_sequence(const JsonValue& part, std::string_view members, Read&& read) {
  if (part.is_null()) return;
  if (part["type"].string() != "Sequence") return read(part);
  part.only({"type", members});
  const JsonValue steps = part[members];
  for (std::size_t i = 0, size = steps.size(); i < size; ++i) read(steps[i]);
}

Replace read_replace(const JsonValue& part) {
  part.only({"type", "pattern", "content"});
  part["pattern"].only({"String"});
  Replace replace{std::string(part["pattern"]["String"].string()), std::string(part["content"].string())};
  if (replace.pattern.empty()) part["pattern"].fail("expected a string that is not empty");
  return replace;
}

Normalizer read_normalizer(const JsonValue& normalizer) {
  Normalizer steps;
  read_sequence(normalizer, "normalizers", [&](const JsonValue& part) {
    const std::string_view type = part["type"].string();
    if (type == "Prepend") {
      part.only({"type", "prepend"});
      steps.push_back(Prepend{std::string(part["prepend"].string())});
    } else if (type == "Replace") {
      steps.push_back(read_replace(part));
    } else {
      refuse_type(part, "Prepend, Replace or a Sequence of them");
    }
  });
  return steps;
}

// trim_offsets is about offsets into the text, which no one here asks for.
void only_byte_level(const JsonValue& part) { part.only({"type", "add_prefix_space", "trim_offsets", "use_regex"}); }

PreTokenizer read_pre_tokenizer(const JsonValue& pre_tokenizer) {
  PreTokenizer steps;
  read_sequence(pre_tokenizer, "pretokenizers", [&](const JsonValue& part) {
    if (part["type"].string() != "ByteLevel") return refuse_type(part, "ByteLevel");
    only_byte_level(part);
    steps.push_back(ByteLevel{part["add_prefix_space"].boolean(true), part["use_regex"].boolean(true)});
  });
  return steps;
}

// Replace, ByteFallback, Fuse, Strip, in that order: what Strip takes after Fuse is the beginning of the whole text.
TokenDecoding read_decoder(const JsonValue& decoder) {
  TokenDecoding decoding;
  if (decoder.is_null()) decoder.fail("null is not supported; ByteLevel is");
  bool fused = false, stripped = false;
  read_sequence(decoder, "decoders", [&](const JsonValue& part) {
    const std::string_view type = part["type"].string();
    const bool alone = !decoding.byte_level && !fused && !stripped;
    if (type == "ByteLevel" && alone && !decoding.byte_fallback && decoding.replacements.empty()) {
      only_byte_level(part);
      decoding.byte_level = true;
    } else if (type == "Replace" && alone && !decoding.byte_fallback) {
      decoding.replacements.push_back(read_replace(part));
    } else if (type == "ByteFallback" && alone) {
      decoding.byte_fallback = true;
    } else if (type == "Fuse" && alone) {
      fused = true;
    } else if (type == "Strip" && fused && !stripped) {
      part.only({"type", "content", "start", "stop"});
      decoding.strip = part["content"].string();
      decoding.strip_count = part["start"].count();
      if (part["stop"].count() != 0) part["stop"].fail("only 0 is supported");
      stripped = true;
    } else {
      refuse_type(part, "ByteLevel, or Replace, ByteFallback, Fuse and Strip in this order,");
    }
  });
  if (stripped && decoding.strip.empty()) decoder.fail("Strip of nothing");
  if (!decoding.byte_level && !fused) decoder.fail("neither ByteLevel nor Fuse is in it");
  return decoding;
}

std::string string_or_empty(const JsonValue& value) {
  return value.is_null() ? std::string() : std::string(value.string());
}

}  // namespace

// The parts that lean on one another: the vocabulary, the model and the tokens that name it.
class TokenizerReader {
 public:
  static Result<Tokenizer> read(std::string_view text);
  static Result<Tokenizer> read_gpt2(std::string_view encoder_json, std::string_view vocab_bpe);

 private:
  using Pairs = std::vector<Bpe::Pair>;

  void read_file(const JsonValue& file);
  void read_added(const JsonValue& tokens);
  bool add_token(const AddedToken& token);
  void read_model(const JsonValue& model);
  void read_vocabulary(const JsonValue& vocabulary);
  std::optional<Bpe::Pair> split_merge(std::string_view text) const;
  Pairs read_merges(const JsonValue& merges);
  std::optional<Error> make_model(const Pairs& merges, BpeOptions options);
  void read_post_processor(const JsonValue& post_processor);
  void read_around(const JsonValue& part);
  void read_template(const JsonValue& part);
  std::int32_t known_id(const JsonValue& id);
  void index_added_tokens();

  std::shared_ptr<Tokenizer::Parts> parts_ = std::make_shared<Tokenizer::Parts>();
};

void TokenizerReader::read_file(const JsonValue& file) {
  file.only({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor",
             "decoder", "model"});
  const JsonValue version = file["version"];
  if (!version.is_null() && version.string() != "1.0") version.fail("only \"1.0\" is supported");
  parts_->normalizer = read_normalizer(file["normalizer"]);
  parts_->pre_tokenizer = read_pre_tokenizer(file["pre_tokenizer"]);
  read_model(file["model"]);
  read_added(file["added_tokens"]);
  read_post_processor(file["post_processor"]);
  parts_->decoding = read_decoder(file["decoder"]);
}

void TokenizerReader::read_added(const JsonValue& tokens) {
  if (tokens.is_null()) return;
  for (std::size_t i = 0, size = tokens.size(); i < size; ++i) {
    const JsonValue token = tokens[i];
    token.only({"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"});
    const AddedToken added{.content = std::string(token["content"].string()),
                           .id = token["id"].id(),
                           .single_word = token["single_word"].boolean(false),
                           .lstrip = token["lstrip"].boolean(false),
                           .rstrip = token["rstrip"].boolean(false),
                           .normalized = token["normalized"].boolean(false),
                           .special = token["special"].boolean(false)};
    if (!add_token(added)) {
      token.fail(in_quotes(added.content) + " with id " + std::to_string(added.id) + " contradicts the other tokens");
    }
  }
}

// A token of the model's keeps its place there; the others are beside it, where no merge can reach them.
bool TokenizerReader::add_token(const AddedToken& token) {
  const bool of_model = parts_->vocabulary.id(token.content) || parts_->vocabulary.text(token.id);
  if (of_model ? parts_->vocabulary.id(token.content) != token.id : !parts_->beside.add(token.content, token.id)) {
    return false;
  }
  parts_->added.emplace(token.id, token);
  return true;
}

void TokenizerReader::read_model(const JsonValue& model) {
  const JsonValue type = model["type"];  // absent in old files, where merges are what only BPE has
  if (type.is_null() ? model["merges"].is_null() : type.string() != "BPE") {
    if (type.is_null()) return model.fail("neither a type nor merges: only BPE is supported");
    return refuse_type(model, "BPE");
  }
  model.only({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
              "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (!model["dropout"].is_null()) model["dropout"].fail("not supported: it makes encoding random");
  BpeOptions options{.continuing_subword_prefix = string_or_empty(model["continuing_subword_prefix"]),
                     .end_of_word_suffix = string_or_empty(model["end_of_word_suffix"]),
                     .unknown = std::nullopt,
                     .fuse_unknown = model["fuse_unk"].boolean(false),
                     .byte_fallback = model["byte_fallback"].boolean(false),
                     .ignore_merges = model["ignore_merges"].boolean(false)};
  if (!model["unk_token"].is_null()) options.unknown = model["unk_token"].string();
  read_vocabulary(model["vocab"]);
  const auto error = make_model(read_merges(model["merges"]), std::move(options));
  if (error) model.fail(error->message);
}

void TokenizerReader::read_vocabulary(const JsonValue& vocabulary) {
  vocabulary.each_member([&](std::string_view token, const JsonValue& id) {
    if (!parts_->vocabulary.add(token, id.id())) id.fail("this id is also another token's");
  });
}

// "a b"; where tokens hold spaces themselves (Llama 2 has such) the one space that leaves a token on each side.
std::optional<Bpe::Pair> TokenizerReader::split_merge(std::string_view text) const {
  const auto at = [&](std::size_t space) { return Bpe::Pair{text.substr(0, space), text.substr(space + 1)}; };
  const std::size_t first = text.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  if (text.find(' ', first + 1) == std::string_view::npos) return at(first);
  std::optional<Bpe::Pair> only;
  for (std::size_t space = first; space != std::string_view::npos; space = text.find(' ', space + 1)) {
    const Bpe::Pair pair = at(space);
    if (!parts_->vocabulary.id(pair.left) || !parts_->vocabulary.id(pair.right)) continue;
    if (only) return std::nullopt;
    only = pair;
  }
  return only;
}

TokenizerReader::Pairs TokenizerReader::read_merges(const JsonValue& merges) {
  Pairs pairs;
  const std::size_t size = merges.size();
  pairs.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const JsonValue merge = merges[i];
    if (merge.is_array() && merge.size() == 2) {
      pairs.push_back({merge[std::size_t{0}].string(), merge[std::size_t{1}].string()});
      continue;
    }
    const auto pair = merge.is_array() ? std::nullopt : split_merge(merge.string());
    if (!pair) {
      merge.fail("expected two tokens, as [\"a\", \"b\"] or \"a b\"");
      break;
    }
    pairs.push_back(*pair);
  }
  return pairs;
}

std::optional<Error> TokenizerReader::make_model(const Pairs& merges, BpeOptions options) {
  Result<Bpe> made = Bpe::make(parts_->vocabulary, merges, std::move(options));
  if (!made) return made.error();
  parts_->model = std::move(*made);
  return std::nullopt;
}

void TokenizerReader::read_post_processor(const JsonValue& post_processor) {
  read_sequence(post_processor, "processors", [&](const JsonValue& part) {
    const std::string_view type = part["type"].string();
    if (type == "ByteLevel") {  // about offsets alone
      only_byte_level(part);
    } else if (!parts_->special.before.empty() || !parts_->special.after.empty()) {
      part.fail("a second part that puts tokens around the text is not supported");
    } else if (type == "TemplateProcessing") {
      read_template(part);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      read_around(part);
    } else {
      refuse_type(part, "ByteLevel, TemplateProcessing, RobertaProcessing or BertProcessing");
    }
  });
}

// "cls": [text, id] before, "sep": [text, id] after.
void TokenizerReader::read_around(const JsonValue& part) {
  part.only({"type", "cls", "sep", "trim_offsets", "add_prefix_space"});
  for (const auto& [name, ids] : {std::pair{"cls", &parts_->special.before}, {"sep", &parts_->special.after}}) {
    const JsonValue token = part[name];
    if (token.size() == 2) {
      ids->push_back(known_id(token[std::size_t{1}]));
    } else {
      token.fail("expected [token, id]");
    }
  }
}

// Only the template of a single text is read; no one here encodes pairs.
void TokenizerReader::read_template(const JsonValue& part) {
  part.only({"type", "single", "pair", "special_tokens"});
  const JsonValue pieces = part["single"];
  bool after = false;
  for (std::size_t i = 0, size = pieces.size(); i < size; ++i) {
    pieces[i].only({"Sequence", "SpecialToken"});
    const JsonValue sequence = pieces[i]["Sequence"];
    if (!sequence.is_null()) {
      if (after || sequence["id"].string() != "A") sequence.fail("expected A, and once");
      after = true;
      continue;
    }
    const JsonValue token = part["special_tokens"][pieces[i]["SpecialToken"]["id"].string()];
    const JsonValue ids = token["ids"];
    for (std::size_t k = 0, count = ids.size(); k < count; ++k) {
      (after ? parts_->special.after : parts_->special.before).push_back(known_id(ids[k]));
    }
  }
  if (!after) pieces.fail("the text itself (Sequence A) is not in it");
}

std::int32_t TokenizerReader::known_id(const JsonValue& id) {
  const std::int32_t value = id.id();
  if (!parts_->vocabulary.text(value) && !parts_->beside.text(value)) id.fail("no token has this id");
  return value;
}

void TokenizerReader::index_added_tokens() {
  std::vector<AddedToken> as_is, normalized;
  for (const auto& [id, token] : parts_->added) {
    if (!token.normalized) {
      as_is.push_back(token);
    } else {
      normalized.push_back(token);
      normalized.back().content = normalize(parts_->normalizer, token.content);
    }
  }
  parts_->in_text = TokenMatcher(std::move(as_is));
  parts_->in_normalized_text = TokenMatcher(std::move(normalized));
}

Result<Tokenizer> TokenizerReader::read(std::string_view text) {
  const Result<nlohmann::json> document = parse_json(text);
  if (!document) return Error{"tokenizer.json: " + document.error().message};
  JsonErrors errors;
  TokenizerReader reader;
  reader.read_file(JsonValue(*document, errors));
  if (errors.first()) return Error{"tokenizer.json: " + errors.first()->message};
  reader.index_added_tokens();  // which runs the normalizer, and so waits until it is known to be sound
  return Tokenizer(std::move(reader.parts_));
}

Result<Tokenizer> TokenizerReader::read_gpt2(std::string_view encoder_json, std::string_view vocab_bpe) {
  const Result<nlohmann::json> document = parse_json(encoder_json);
  if (!document) return Error{"encoder.json: " + document.error().message};
  JsonErrors errors;
  TokenizerReader reader;
  reader.read_vocabulary(JsonValue(*document, errors));
  if (errors.first()) return Error{"encoder.json: " + errors.first()->message};

  Pairs merges;
  for (std::size_t line_number = 1; !vocab_bpe.empty(); ++line_number) {
    std::string_view line = vocab_bpe.substr(0, vocab_bpe.find('\n'));
    vocab_bpe.remove_prefix(std::min(vocab_bpe.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) {
      return Error{"vocab.bpe: line " + std::to_string(line_number) + ": expected two tokens"};
    }
    merges.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  Tokenizer::Parts& parts = *reader.parts_;
  parts.pre_tokenizer = {ByteLevel{.add_prefix_space = false, .use_regex = true}};
  parts.decoding.byte_level = true;
  if (const auto error = reader.make_model(merges, {})) return Error{"vocab.bpe: " + error->message};
  constexpr std::string_view end_of_text = "<|endoftext|>";
  if (const auto id = parts.vocabulary.id(end_of_text)) {
    reader.add_token({.content = std::string(end_of_text), .id = *id, .special = true});
  }
  reader.index_added_tokens();
  return Tokenizer(std::move(reader.parts_));
}

Result<Tokenizer> Tokenizer::from_json(std::string_view tokenizer_json) {
  return TokenizerReader::read(tokenizer_json);
}

Result<Tokenizer> Tokenizer::from_gpt2(std::string_view encoder_json, std::string_view vocab_bpe) {
  return TokenizerReader::read_gpt2(encoder_json, vocab_bpe);
}

}  // namespace loam::text
