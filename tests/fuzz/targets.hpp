// What the fuzzers feed with bytes, and what they hold it to beyond not crashing. A broken promise aborts with a line
// that says which.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/read/onnx.hpp"
#include "compiler/read/onnxtext.hpp"
#include "compiler/read/print_onnxtext.hpp"
#include "compiler/read/safetensors.hpp"
#include "compiler/read/write_safetensors.hpp"
#include "tests/read/same_model.hpp"

namespace loam::fuzz {

using Input = std::span<const std::byte>;

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

inline void require(bool holds, std::string_view promise, std::string_view found = "") {
  if (holds) return;
  fmt::print(stderr, "broken promise: {}\n{}\n", promise, found);
  std::abort();
}

// A reader gives a result or says why not, and never both.
template <class Result>
std::optional<Result> said(std::optional<Result> result, const Diagnostics& diagnostics) {
  require(result.has_value() == !diagnostics.failed(), "a result or an error");
  return result;
}

inline void same_printed(const Model& model) {
  const std::string text = print_onnxtext(model);
  Diagnostics diagnostics;
  const std::optional<Model> again = read_onnxtext(text, diagnostics);
  require(again.has_value(), "a printed model is read", diagnostics.failed() ? diagnostics.list()[0].text() : "");
  require(test::difference(model, *again).empty(), "and is the same model", test::difference(model, *again));
  require(print_onnxtext(*again) == text, "and prints the same text");
}

inline void protobuf(Input input) {
  Diagnostics diagnostics;
  if (const auto model = said(read_onnx(input, diagnostics), diagnostics)) same_printed(*model);
  Diagnostics of_tensor, of_sequence, of_optional;
  said(read_tensor(input, of_tensor), of_tensor);
  said(read_sequence(input, of_sequence), of_sequence);
  said(read_optional(input, of_optional), of_optional);
}

inline void onnxtext(Input input) {
  Diagnostics diagnostics;
  if (const auto model = said(read_onnxtext(text_of(input), diagnostics), diagnostics)) same_printed(*model);
}

inline void layout(Input input) {
  Diagnostics diagnostics;
  const auto layout = said(parse_layout(text_of(input), diagnostics), diagnostics);
  if (!layout) return;
  const std::string text = print_layout(*layout);
  Diagnostics of_printed;
  const auto again = parse_layout(text, of_printed);
  require(again.has_value(), "a printed layout is read", of_printed.failed() ? of_printed.list()[0].text() : "");
  require(again->rules.size() == layout->rules.size() && print_layout(*again) == text, "and prints the same text");
}

// The input is a file, and it is the start of one whose size is not known. What is read is the same written and read
// again, but for where the tensors lie.
inline void safetensors(Input input) {
  Diagnostics of_start;
  said(read_safetensors_header(input, std::nullopt, of_start), of_start);
  Diagnostics diagnostics;
  const auto header = said(read_safetensors_header(input, input.size(), diagnostics), diagnostics);
  if (!header) return;
  std::vector<StoredTensor> tensors;
  for (const CheckpointTensor& tensor : header->tensors) {
    require(tensor.offset + tensor.bytes <= input.size(), "a tensor lies in its file", tensor.name);
    const Input bytes = input.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.bytes));
    tensors.push_back({tensor.name, tensor.dtype, tensor.dims, bytes});
  }
  const std::string file = write_safetensors(tensors, header->metadata);
  Diagnostics of_written;
  const auto again = read_safetensors_header(std::as_bytes(std::span(file)), file.size(), of_written);
  require(again.has_value(), "a written file is read", of_written.failed() ? of_written.list()[0].text() : "");
  require(again->metadata == header->metadata && again->tensors.size() == tensors.size(), "and is the same");
  for (const StoredTensor& tensor : tensors) {
    const CheckpointTensor* found = again->find(tensor.name);
    require(found != nullptr && found->dtype == tensor.dtype && found->dims == tensor.dims, "so are its tensors",
            tensor.name);
    const std::string_view bytes(file.data() + found->offset, static_cast<std::size_t>(found->bytes));
    require(bytes == text_of(tensor.bytes), "and their bytes", tensor.name);
  }
}

}  // namespace loam::fuzz
