// Runs the command as a user would, on small models and cases written here.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files.hpp"
#include "cli/process.hpp"

namespace loam::cli::testing {

// What the command prints, stdout and stderr together, and its exit status. Its cache is the build's own, so that what a
// test needs compiled is compiled once.
class Command : public ::testing::Test {
 protected:
  Command() { ::setenv("LOAM_CACHE", LOAM_BINARY_DIR "/test-cache", 1); }

  const fs::path& folder() const { return folder_.path(); }
  Finished loam(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), LOAM_BINARY);
    return run_process(arguments, std::chrono::minutes(10));
  }

 private:
  TemporaryFolder folder_{fs::temp_directory_path()};
};

// A field of a protobuf message.
inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
inline std::string field(unsigned number, std::uint64_t value) { return varint(number << 3) + varint(value); }
inline std::string field(unsigned number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

// float32 tensors x and y of one axis "N", and y = op(x): an ONNX model, as a file.
inline std::string unary_model(std::string_view op) {
  const std::string node = field(1, "x") + field(2, "y") + field(4, op);
  const auto value = [](std::string_view name) {
    const std::string shape = field(1, field(2, "N"));
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)));
  };
  const std::string graph = field(1, node) + field(2, "one") + field(11, value("x")) + field(12, value("y"));
  return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17));
}

// A TensorProto of float32 elements and one axis.
inline std::string float_tensor(const std::vector<float>& elements) {
  const std::string_view raw(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float));
  return field(1, elements.size()) + field(2, 1) + field(9, raw);
}

}  // namespace loam::cli::testing
