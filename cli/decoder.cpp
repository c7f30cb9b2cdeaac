#include "cli/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "cli/failure.hpp"

namespace loam::cli {
namespace {

constexpr std::string_view past_prefix = "past_key_values.";
constexpr std::string_view present_prefix = "present.";

template <class T, class Value>
HostTensor row_of(DType dtype, std::size_t count, Value value) {
  std::vector<T> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<T>(value(i));
  return make_tensor<T>({1, static_cast<std::int64_t>(count)}, dtype, elements);
}

// One row of whole numbers in the element type the graph asks for.
template <class Value>
HostTensor row(const harness::PortInfo& port, std::size_t count, Value value) {
  switch (const DType dtype = dtype_from_onnx(port.dtype).value_or(DType::undefined)) {
    case DType::int64:
      return row_of<std::int64_t>(dtype, count, value);
    case DType::int32:
      return row_of<std::int32_t>(dtype, count, value);
    case DType::float32:
      return row_of<float>(dtype, count, value);
    case DType::boolean:
      return row_of<std::uint8_t>(dtype, count, value);
    default:
      throw Failure(fmt::format("the graph's input {} is of type {}", port.name, dtype_name(dtype)));
  }
}

// A past of no tokens: the batch is 1, what the graph settles is as it says, and the one axis left is the tokens'.
HostTensor empty_past(const Port& port, DType dtype) {
  HostTensor past{dtype, {}, {}};
  for (std::size_t axis = 0; axis < port.extents.size(); ++axis) {
    const std::string& text = port.extents[axis];
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    const bool number = error == std::errc{} && end == text.data() + text.size();
    past.extents.push_back(number ? extent : axis == 0 ? 1 : 0);
  }
  const auto elements = element_count(past.extents);
  past.data.resize(elements ? dense_bytes(dtype, *elements).value_or(0) : 0);
  return past;
}

}  // namespace

DecoderGraph::DecoderGraph(CompiledGraph& graph) : graph_(graph) { find_roles(); }

void DecoderGraph::find_roles() {
  const std::span<const harness::PortInfo> inputs = graph_.session().inputs();
  const std::span<const harness::PortInfo> outputs = graph_.session().outputs();
  const auto output_named = [&](std::string_view name) {
    const auto found = std::ranges::find_if(outputs, [&](const harness::PortInfo& port) { return port.name == name; });
    if (found == outputs.end()) throw Failure(fmt::format("the graph has no output {}", name));
    return static_cast<std::size_t>(found - outputs.begin());
  };
  logits_output_ = output_named("logits");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].name;
    pasts_.emplace_back();
    if (name == "input_ids") {
      roles_.push_back({Role::tokens});
    } else if (name == "attention_mask") {
      roles_.push_back({Role::mask});
    } else if (name == "position_ids") {
      roles_.push_back({Role::positions});
    } else if (name == "use_cache_branch") {
      roles_.push_back({Role::branch});
    } else if (name.starts_with(past_prefix)) {
      roles_.push_back(
          {Role::past, output_named(fmt::format("{}{}", present_prefix, name.substr(past_prefix.size())))});
      pasts_.back() =
          empty_past(graph_.result().inputs.at(i), dtype_from_onnx(inputs[i].dtype).value_or(DType::undefined));
      has_past_ = true;
      roles_.back().axis = static_cast<std::size_t>(std::ranges::find(pasts_.back().extents, 0) - pasts_.back().extents.begin());
    } else {
      throw Failure(fmt::format("the graph's input {} is none that text generation has", name));
    }
  }
}

std::span<const float> DecoderGraph::logits(std::span<const std::int32_t> tokens) {
  if (!has_past_) {
    std::vector<std::int32_t> all = std::exchange(seen_, {});
    all.insert(all.end(), tokens.begin(), tokens.end());
    return step(all);
  }
  if (!seen_.empty() || tokens.size() == 1) return step(tokens);
  try {
    return step(tokens);
  } catch (const Failure&) {
    // A graph exported for the steps after the first may take one token at a time.
    for (std::size_t i = 0; i < tokens.size(); ++i) step(tokens.subspan(i, 1));
    return logits_;
  }
}

HostTensor DecoderGraph::make_input(std::size_t index, std::span<const std::int32_t> tokens) const {
  const harness::PortInfo& port = graph_.session().inputs()[index];
  switch (roles_[index].role) {
    case Role::tokens:
      return row(port, tokens.size(), [&](std::size_t i) { return tokens[i]; });
    case Role::mask:
      return row(port, seen_.size() + tokens.size(), [](std::size_t) { return 1; });
    case Role::positions:
      return row(port, tokens.size(), [&](std::size_t i) { return seen_.size() + i; });
    case Role::branch: {
      HostTensor flag = row(port, 1, [&](std::size_t) { return seen_.empty() ? 0 : 1; });
      flag.extents.resize(static_cast<std::size_t>(port.rank), 1);
      return flag;
    }
    default:
      return {};  // a past is kept, not made
  }
}

std::span<const float> DecoderGraph::step(std::span<const std::int32_t> tokens) {
  std::vector<HostTensor> made;
  std::vector<harness::RawTensor> raw;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    made.push_back(make_input(i, tokens));
    raw.push_back((roles_[i].role == Role::past ? pasts_[i] : made.back()).raw());
  }
  const std::span<const harness::RawTensor> outputs = graph_.session().run(raw);
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].role != Role::past) continue;
    if (!graph_.result().cached.empty()) {  // the module has kept it
      pasts_[i].dtype = DType::undefined;
      pasts_[i].extents[roles_[i].axis] = static_cast<std::int64_t>(seen_.size() + tokens.size());
      continue;
    }
    const harness::RawTensor& present = outputs[roles_[i].output];
    const auto* bytes = static_cast<const std::byte*>(present.data);
    pasts_[i].extents.assign(extents_of(present).begin(), extents_of(present).end());
    pasts_[i].data.assign(bytes, bytes + present.bytes);
  }
  seen_.insert(seen_.end(), tokens.begin(), tokens.end());

  const harness::RawTensor& all = outputs[logits_output_];
  const std::size_t vocabulary = all.rank > 0 ? static_cast<std::size_t>(extents_of(all).back()) : 0;
  const std::size_t elements = static_cast<std::size_t>(elements_of(all));
  logits_.resize(std::min(vocabulary, elements));
  for (std::size_t i = 0; i < logits_.size(); ++i)
    logits_[i] = static_cast<float>(element_as_double(dtype_of(all), all.data, elements - logits_.size() + i));
  return logits_;
}

}  // namespace loam::cli
